"""The weighted l1 penalty; weights are a number or (p, p), and +inf forbids an entry."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]


def value(B: Matrix, weights: float | Matrix) -> float:
    """sum_ij weights_ij |B_ij|, where +inf * 0 counts as 0."""
    kept = B != 0
    return float(np.sum(np.broadcast_to(weights, B.shape)[kept] * np.abs(B[kept])))


def prox(B: Matrix, weights: float | Matrix, step: float = 1.0) -> Matrix:
    """argmin_C .5 |C - B|^2 + step * sum_ij weights_ij |C_ij|, (p, p): soft thresholding."""
    return np.asarray(np.sign(B) * np.maximum(np.abs(B) - step * np.asarray(weights), 0.0))


def violation(B: Matrix, gradient: Matrix, weights: float | Matrix) -> Matrix:
    """Distance of -gradient_ij to the subdifferential of weights_ij |.| at B_ij, (p, p).

    0 for a forbidden entry that is 0, +inf for a forbidden entry that is not.
    """
    at_zero = np.maximum(np.abs(gradient) - weights, 0.0)
    elsewhere = np.abs(gradient + np.where(B > 0, weights, -np.asarray(weights)))
    return np.asarray(np.where(B == 0, at_zero, elsewhere))
