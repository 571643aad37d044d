"""Descent with an l1 penalty, and the measure of cycles: what smooth rivals have alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.linalg import expm
from scipy.optimize import minimize

Matrix = npt.NDArray[np.float64]
Smooth = Callable[[Matrix], tuple[float, Matrix]]
FAR = 100.0  # sum of squares in a column of B


class Descended(NamedTuple):
    """Where L-BFGS-B ended: B, the objective there, iterations, the largest free slope."""

    B: Matrix
    objective: float
    iterations: int
    slope: float


def descend(
    smooth: Smooth, weights: Matrix, start: Matrix, iterations: int = 15_000, digits: float = 1e7
) -> Descended:
    """argmin_B smooth(B) + sum weights_ij |B_ij| over zero diagonals, by L-BFGS-B.

    smooth: B -> (value, gradient); weights, start (p, p). B = B+ - B- with both parts >= 0, as
    Zheng et al. 2018 do it. `digits` is L-BFGS-B's factr: the descent ends when the objective
    falls by less than so many times the rounding of one.
    """
    p = len(start)
    limits = np.full((2, p, p), np.inf)
    limits[:, range(p), range(p)] = 0.0
    found = minimize(
        _halves,
        np.concatenate([np.maximum(start, 0.0), np.maximum(-start, 0.0)], axis=None),
        args=(smooth, weights),
        method="L-BFGS-B",
        jac=True,
        bounds=[(0.0, limit) for limit in limits.ravel()],
        options={
            "maxiter": iterations,
            "maxfun": 2 * iterations,
            "ftol": digits * np.finfo(np.float64).eps,
        },
    )
    free = np.where(found.x > 0, np.abs(found.jac), np.maximum(-found.jac, 0.0))
    slope = float(free[limits.ravel() > 0].max(initial=0.0))
    return Descended(signed(found.x), float(found.fun), int(found.nit), slope)


def signed(x: Matrix) -> Matrix:
    """B = B+ - B-, (p, p), of the stacked halves."""
    p = round((len(x) / 2) ** 0.5)
    positive, negative = x.reshape(2, p, p)
    return np.asarray(positive - negative)


def _halves(x: Matrix, smooth: Smooth, weights: Matrix) -> tuple[float, Matrix]:
    value, slope = smooth(signed(x))
    size = x.reshape(2, *weights.shape).sum(axis=0)
    return (
        value + float(np.vdot(weights, size)),
        np.concatenate([slope + weights, weights - slope], axis=None),
    )


def cycles(B: Matrix) -> tuple[float, Matrix]:
    """(tr expm(B*B) - p, its gradient 2 B expm(B*B)'); its tangent where a column is beyond FAR.

    Only trial steps go so far, and there the exponential would overflow.
    """
    W = B * B
    size = float(W.sum(axis=0).max(initial=0.0))
    if size > FAR:
        near = B * np.sqrt(FAR / size * (1 - 1e-9))
        h, slope = cycles(near)
        return h + float(np.vdot(slope, B - near)), slope
    E = expm(W)
    return float(np.trace(E) - len(B)), 2 * B * E.T
