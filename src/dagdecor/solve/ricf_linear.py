"""Linear algebra kernels for the small dense matrices of a district."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dagdecor.compiled import compiled

FloatArray = npt.NDArray[np.float64]

RANK = 1e-12  # a column that leaves a smaller share of its variance to itself is redundant
RIDGE = 1e-8  # of the proximal point steps that replace a singular regression


@compiled
def product(X: FloatArray, Y: FloatArray) -> FloatArray:
    """X Y; zeros of X cost nothing."""
    result = np.zeros((X.shape[0], Y.shape[1]))
    for i in range(X.shape[0]):
        for k in range(X.shape[1]):
            if X[i, k] != 0.0:
                for j in range(Y.shape[1]):
                    result[i, j] += X[i, k] * Y[k, j]
    return result


@compiled
def invert(X: FloatArray) -> float:
    """Gauss-Jordan inverse in place of a positive definite X; logdet X, inf where it is not."""
    n = len(X)
    logdet = 0.0
    for k in range(n):
        pivot = X[k, k]
        if not pivot > 0.0:
            return np.inf
        logdet += np.log(pivot)
        X[k, k] = 1.0
        for j in range(n):
            X[k, j] /= pivot
        for i in range(n):
            factor = X[i, k]
            if i != k and factor != 0.0:
                X[i, k] = 0.0
                for j in range(n):
                    X[i, j] -= factor * X[k, j]
    return logdet


@compiled
def solve(W: FloatArray, damping: float, x: FloatArray) -> bool:
    """Solve (W + damping I) x = x in place; False when a pivot of the factor is below RANK.

    Only the upper half of W is read; W is kept.
    """
    n = len(x)
    U = W.copy()
    for k in range(n):
        U[k, k] += damping
    for k in range(n):
        if not U[k, k] > RANK:
            return False
        # row by row, so that the inner loop runs over contiguous memory
        for i in range(k + 1, n):
            factor = U[k, i] / U[k, k]
            if factor != 0.0:
                x[i] -= factor * x[k]
                for j in range(i, n):
                    U[i, j] -= factor * U[k, j]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            x[k] -= U[k, j] * x[j]
        x[k] /= U[k, k]
    return True


@compiled
def regress(M: FloatArray, r: FloatArray) -> FloatArray:
    """argmin_x x' M x - 2 x' r; the one of least norm, in units of the regressors, if several."""
    n = len(r)
    unit = np.zeros(n)
    W = np.empty((n, n))
    for k in range(n):
        unit[k] = 1.0 / np.sqrt(M[k, k]) if M[k, k] > 0.0 else 0.0
        for t in range(k + 1):
            W[k, t] = W[t, k] = unit[k] * M[k, t] * unit[t]
    x = unit * r
    if solve(W, 0.0, x):
        return unit * x
    # proximal point steps from zero: they never leave the range of W, where the least norm lies
    x = np.zeros(n)
    for _ in range(5):
        change = unit * r
        for k in range(n):
            for t in range(n):
                change[k] -= W[k, t] * x[t]
        solve(W, RIDGE, change)
        x += change
    return unit * x


@compiled
def least_pivot(R: FloatArray, d: int, rank: float) -> float:
    """Least variance of one of the first d given the others and those before it; R is spoilt.

    The others come first in the elimination, and a redundant one among them is passed over.
    """
    m = len(R)
    least = np.inf
    for step in range(m):
        k = (d + step) % m
        pivot = R[k, k]
        if k < d and not pivot >= least:
            least = pivot
        if pivot > rank:
            for i in range(m):
                share = R[i, k] / pivot
                if i != k and share != 0.0:
                    for j in range(m):
                        R[i, j] -= share * R[k, j]
    return least
