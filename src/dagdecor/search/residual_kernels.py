"""What every noise model of the search shares: residual moments, reachability, small inverses."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dagdecor.compiled import compiled

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

SMALLEST_PIVOT = 1e-12
LEAST_RATE = -12.0  # of a jump process: moves rarer than exp(-12) are not made


@compiled
def invert(M: Array, k: int) -> float:
    """Overwrite the leading (k, k) block of M, positive definite, by its inverse; its logdet."""
    logdet = 0.0
    for i in range(k):
        pivot = max(M[i, i], SMALLEST_PIVOT)
        logdet += np.log(pivot)
        r = 1.0 / pivot
        for a in range(k):
            if a != i:
                f = M[a, i] * r
                for b in range(k):
                    if b != i:
                        M[a, b] -= f * M[i, b]
                M[a, i] = -f
        for b in range(k):
            if b != i:
                M[i, b] *= r
        M[i, i] = r
    return logdet


@compiled
def residual_moments(S: Array, B: Array, SE: Array, EE: Array) -> None:
    """SE = S (I-B), EE = (I-B)' S (I-B), all (p, p), B sparse."""
    p = len(S)
    for i in range(p):  # loops: numba's own assignment is slow to compile
        for j in range(p):
            SE[i, j] = S[i, j]
    for a in range(p):
        for j in range(p):
            b = B[a, j]
            if b != 0.0:
                for i in range(p):
                    SE[i, j] -= S[i, a] * b
    for i in range(p):
        for j in range(p):
            EE[i, j] = SE[i, j]
    for a in range(p):
        for i in range(p):
            b = B[a, i]
            if b != 0.0:
                for j in range(p):
                    EE[i, j] -= b * SE[a, j]


@compiled
def refresh_column(S: Array, B: Array, SE: Array, EE: Array, j: int) -> None:
    """Column j of SE, row and column j of EE, after column j of B has changed."""
    p = len(S)
    for i in range(p):
        SE[i, j] = S[i, j]
    for a in range(p):
        b = B[a, j]
        if b != 0.0:
            for i in range(p):
                SE[i, j] -= S[i, a] * b
    for i in range(p):
        value = SE[i, j]
        for a in range(p):
            b = B[a, i]
            if b != 0.0:
                value -= b * SE[a, j]
        EE[i, j] = value
        EE[j, i] = value


@compiled
def descendants(edges: Flags, reach: Flags) -> None:
    """reach[i, j]: a directed path of one edge or more leads from i to j; edges (p, p) acyclic."""
    p = len(edges)
    for i in range(p):
        for j in range(p):
            reach[i, j] = edges[i, j]
    for k in range(p):
        for i in range(p):
            if reach[i, k]:
                for j in range(p):
                    if reach[k, j]:
                        reach[i, j] = True


@compiled
def bent(edges: Flags, reach: Flags, i: int, j: int) -> bool:
    """Whether i reaches j by a path other than the edge i -> j, so that reversing it is a cycle."""
    for c in range(len(edges)):
        if c != j and edges[i, c] and reach[c, j]:
            return True
    return False


@compiled
def log_rate(gain: float) -> float:
    """min(0, gain / 2): log of the rate at which a jump process makes a move of that gain.

    The process has the law exp(-score / 2); below LEAST_RATE the move is not made, -inf.
    """
    rate = min(0.0, 0.5 * gain)
    return rate if rate >= LEAST_RATE else -np.inf
