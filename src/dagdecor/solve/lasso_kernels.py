"""Compiled kernels of the graph step: elastic-net columns by coordinate descent.

All arrays are C-contiguous. `state` is (B', G') stacked, with G = S (I-B) Theta the negative
gradient; it and the terms are transposed: row j belongs to column j of B, so that a column is
contiguous.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagdecor.compiled import compiled

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.int64]


class Forms(NamedTuple):
    """S and Theta, (p, p), exactly symmetric."""

    S: Array
    Theta: Array


class Terms(NamedTuple):
    """What is asked of B beside the loss.

    Parameters
    ----------
    weights, ridge
        (p, p) of |B| and of B*B / 2, transposed; an infinite weight forbids the entry.
    before
        (p, p) [j, i]: node i must stand before node j.
    place
        (p,) of each node in the order; i -> j is open where i does not stand behind j, so that
        equal places open everything.
    """

    weights: Array
    ridge: Array
    before: Flags
    place: Indices


@compiled
def _divide(H: Array, y: Array) -> bool:
    """H^-1 y in place of y, by Cholesky in the lower half of H; False when H is singular."""
    k = len(y)
    for r in range(k):
        diagonal = H[r, r]
        for c in range(r + 1):
            for m in range(c):
                H[r, c] -= H[r, m] * H[c, m]
            if c < r:
                H[r, c] /= H[c, c]
                y[r] -= H[r, c] * y[c]
        if H[r, r] <= 1e-10 * diagonal:
            return False
        H[r, r] = np.sqrt(H[r, r])
        y[r] /= H[r, r]
    for r in range(k - 1, -1, -1):
        for m in range(r + 1, k):
            y[r] -= H[m, r] * y[m]
        y[r] /= H[r, r]
    return True


@compiled
def _support(b: Array) -> Indices:
    found = np.empty(len(b), dtype=np.int64)
    k = 0
    for i in range(len(b)):
        if b[i] != 0.0:
            found[k] = i
            k += 1
    return found[:k]


@compiled
def leap(S: Array, weight: float, l1: Array, ridge: Array, b: Array, g: Array) -> float:
    """b + t d on A = support of b, cut at the first change of sign, in place; the fall.

    (weight S_AA + diag ridge) d = g - ridge b - l1 sign(b).
    """
    support = _support(b)
    k = len(support)
    if k < 2:
        return 0.0
    H = np.empty((k, k))
    pull = np.empty(k)
    for r in range(k):
        i = support[r]
        for c in range(r):
            H[r, c] = weight * S[i, support[c]]
        H[r, r] = weight * S[i, i] + ridge[i]
        pull[r] = g[i] - ridge[i] * b[i] - l1[i] * np.sign(b[i])
    d = pull.copy()
    if not _divide(H, d):
        return 0.0
    t, first = 1.0, -1
    for r in range(k):
        here = b[support[r]]
        if d[r] * here < 0.0 and t * np.abs(d[r]) > np.abs(here):
            t, first = np.abs(here / d[r]), r
    for r in range(k):
        i = support[r]
        step = t * d[r] if r != first else -b[i]
        b[i] += step
        for m in range(len(g)):
            g[m] -= weight * step * S[i, m]
    return float((t - 0.5 * t * t) * np.dot(pull, d))


@compiled
def descend(forms: Forms, terms: Terms, state: Array, j: int, tolerance: float) -> float:
    """argmin_b .5 tr(S (I-B) Theta (I-B)') + l1'|b| + .5 ridge'(b*b) over column b of B, in place.

    Coordinate descent with Newton steps on the support in between. Returns the fall.
    """
    S, weight, place = forms.S, forms.Theta[j, j], terms.place
    l1, ridge, b, g = terms.weights[j], terms.ridge[j], state[0, j], state[1, j]
    before = b.copy()
    fall = 0.0
    for _ in range(1000):
        largest = 0.0
        for i in range(len(b)):
            old = b[i]
            if old == 0.0 and (np.abs(g[i]) <= l1[i] or place[i] > place[j]):
                continue
            curvature = weight * S[i, i]
            pull = curvature * old + g[i]
            size = np.abs(pull) - l1[i]
            new = 0.0
            if size > 0.0 and curvature > 0.0:
                new = np.sign(pull) * size / (curvature + ridge[i])
            step = new - old
            if step == 0.0:
                continue
            b[i] = new
            gain = step * (g[i] - 0.5 * curvature * step)
            gain -= 0.5 * ridge[i] * (new * new - old * old)
            gain -= l1[i] * (np.abs(new) - np.abs(old))
            fall += gain
            largest = max(largest, gain)
            scaled = weight * step
            for m in range(len(b)):
                g[m] -= scaled * S[i, m]
        if largest <= tolerance:
            break
        fall += leap(S, weight, l1, ridge, b, g)
    couple(forms, state, j, before)
    return fall


@compiled
def couple(forms: Forms, state: Array, j: int, before: Array) -> None:
    """Carry the change of column j into G of the columns that Theta ties to it."""
    S, row = forms.S, forms.Theta[j]
    p = len(row)
    alone = True
    for m in range(p):
        alone = alone and (m == j or row[m] == 0.0)
    if alone:
        return
    shift = np.zeros(p)
    for i in range(p):
        step = state[0, j, i] - before[i]
        if step != 0.0:
            for k in range(p):
                shift[k] += step * S[i, k]
    for m in range(p):
        if m != j and row[m] != 0.0:
            for k in range(p):
                state[1, m, k] -= row[m] * shift[k]


@compiled
def settle(forms: Forms, terms: Terms, state: Array, tolerance: float, rounds: int) -> int:
    """Descend on every column in turn until a whole round falls too little; the rounds it took."""
    for done in range(rounds):
        fall = 0.0
        for j in range(state.shape[1]):
            fall += descend(forms, terms, state, j, tolerance)
        if fall <= tolerance:
            return done + 1
    return rounds
