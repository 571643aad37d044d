"""Compiled passes over rows with empty cells, grouped by which cells are empty."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dagdecor.compiled import compiled

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]


@compiled
def _conditional(Theta: Array, absent: Flags, C: Array, K: Array) -> None:
    """C = inv(Theta_mm) and K = C Theta_mo, in place: cov(x_m | x_o), and minus its slopes on x_o.

    Zero outside; m the absent columns, o the others.
    """
    p = len(Theta)
    m = np.flatnonzero(absent)
    block = np.empty((len(m), len(m)))
    for a in range(len(m)):
        for b in range(len(m)):
            block[a, b] = Theta[m[a], m[b]]
    inverse = np.linalg.inv(block)
    for i in range(p):
        for j in range(p):
            C[i, j] = K[i, j] = 0.0
    for a in range(len(m)):
        for b in range(len(m)):
            C[m[a], m[b]] = inverse[a, b]
    for a in range(len(m)):
        for b in range(len(m)):
            for j in range(p):
                if not absent[j]:
                    K[m[a], j] += inverse[a, b] * Theta[m[b], j]


@compiled
def fill(X: Array, absent: Flags, starts: Integers, mean: Array, Theta: Array) -> Array:
    """Put E(x_m | x_o) into the absent cells of X (n, p); the sum of cov(x | x_o), (p, p).

    Rows from starts[k] to starts[k + 1] have the same cells absent.
    """
    p = X.shape[1]
    C, K, total = np.zeros((p, p)), np.zeros((p, p)), np.zeros((p, p))
    for k in range(len(starts) - 1):
        first = starts[k]
        if not absent[first].any():
            continue
        _conditional(Theta, absent[first], C, K)
        for row in range(first, starts[k + 1]):
            for i in range(p):
                if absent[row, i]:
                    value = mean[i]
                    for j in range(p):
                        value -= K[i, j] * (X[row, j] - mean[j]) if not absent[row, j] else 0.0
                    X[row, i] = value
        for i in range(p):
            for j in range(p):
                total[i, j] += C[i, j] * (starts[k + 1] - first)
    return total


@compiled
def lost(X: Array, absent: Flags, starts: Integers, mean: Array, Theta: Array) -> Array:
    """Sum over rows of Var(d_i d_j | x_o), d = x - mean, (p, p); X filled by `fill`.

    C_ii C_jj + C_ij^2 + d_i^2 C_jj + d_j^2 C_ii + 2 d_i d_j C_ij, C = cov(x | x_o).
    """
    p = X.shape[1]
    C, K, total = np.zeros((p, p)), np.zeros((p, p)), np.zeros((p, p))
    for k in range(len(starts) - 1):
        if not absent[starts[k]].any():
            continue
        _conditional(Theta, absent[starts[k]], C, K)
        for row in range(starts[k], starts[k + 1]):
            for i in range(p):
                a = X[row, i] - mean[i]
                for j in range(p):
                    b = X[row, j] - mean[j]
                    total[i, j] += C[i, i] * C[j, j] + C[i, j] ** 2
                    total[i, j] += a * a * C[j, j] + b * b * C[i, i] + 2.0 * a * b * C[i, j]
    return total
