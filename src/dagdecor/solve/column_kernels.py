"""Compiled column steps of the noise solvers: a lasso whose Gram matrix is never formed.

Both solvers fix all of a matrix X but its row and column j, and meet the Gram matrix
A = base - m h' - h m' with m = row j of inv(X). `column` stacks m, h, b and l, each (p,).
Loops rather than array expressions: they compile in a fraction of the time.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dagdecor.compiled import compiled

Array = npt.NDArray[np.float64]
PASSES = 200


@compiled
def add(a: Array, step: float, v: Array) -> None:
    """v + step * a, in place."""
    for i in range(len(v)):
        v[i] += step * a[i]


@compiled
def dot(a: Array, b: Array) -> float:
    """a' b."""
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@compiled
def multiply(base: Array, x: Array, v: Array) -> None:
    """base x, into v; zeros of x cost nothing."""
    for i in range(len(v)):
        v[i] = 0.0
    for k in range(len(x)):
        if x[k] != 0.0:
            add(base[k], x[k], v)


@compiled
def project(column: Array, x: Array, v: Array) -> None:
    """A x from v = base x, in place."""
    along, across = dot(column[0], x), dot(column[1], x)
    add(column[0], -across, v)
    add(column[1], -along, v)


@compiled
def lasso(base: Array, column: Array, beta: Array, v: Array, j: int, accuracy: float) -> bool:
    """argmin_beta beta' A beta / 2 - b' beta + l' |beta| with beta_j = 0; v = base beta stays so.

    Coordinate descent, passes over the support between passes over all, until every step d has
    |d| sqrt(A_kk) <= accuracy. Tells whether beta has changed.
    """
    m, h, b, l1 = column[0], column[1], column[2], column[3]
    along, across = dot(m, beta), dot(h, beta)  # A beta = v - m across - h along
    changed, active = False, False
    for _ in range(PASSES):
        largest = 0.0
        for k in range(len(beta)):
            old = beta[k]
            curvature = base[k, k] - 2.0 * m[k] * h[k]
            if k == j or (active and old == 0.0) or curvature <= 0.0:
                continue
            pull = curvature * old - v[k] + m[k] * across + h[k] * along + b[k]
            size = abs(pull) - l1[k]
            new = np.sign(pull) * size / curvature if size > 0.0 else 0.0
            step = new - old
            if step != 0.0:
                beta[k] = new
                for i in range(len(v)):  # not `add`: the call would cost a third of the time
                    v[i] += step * base[k, i]
                along += step * m[k]
                across += step * h[k]
                largest = max(largest, step * step * curvature)
        changed = changed or largest > 0.0
        settled = largest <= accuracy * accuracy
        if settled and not active:
            return changed
        active = not settled
    return changed


@compiled
def drift(v: Array, j: int) -> float:
    """max |v - e_j|: how far v = inverse X_j shows the inverse to have left that of X."""
    largest = 0.0
    for i in range(len(v)):
        largest = max(largest, abs(v[i] - (1.0 if i == j else 0.0)))
    return largest
