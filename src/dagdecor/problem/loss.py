"""The weighted least-squares loss of the graph step, on second moments."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]


def value(S: Matrix, B: Matrix, precision: Matrix | None = None) -> float:
    """.5 tr(S (I-B) Theta (I-B)').

    S (p, p), B (p, p); precision Theta is None for the identity, (p,) for a diagonal, or (p, p).
    Twice this is the paper's Stage 1 loss, arXiv 2510.02117.
    """
    return value_and_gradient(S, B, precision)[0]


def gradient(S: Matrix, B: Matrix, precision: Matrix | None = None) -> Matrix:
    """-S (I-B) Theta, (p, p); arguments as in `value`."""
    return value_and_gradient(S, B, precision)[1]


def value_and_gradient(
    S: Matrix, B: Matrix, precision: Matrix | None = None
) -> tuple[float, Matrix]:
    """(.5 tr(S (I-B) Theta (I-B)'), -S (I-B) Theta); arguments as in `value`."""
    residual = np.eye(len(S)) - B
    if precision is None:
        slope = -(S @ residual)
    elif precision.ndim == 1:
        slope = -(S @ residual) * precision
    else:
        slope = -(S @ residual) @ precision
    return -0.5 * float(np.vdot(slope, residual)), slope
