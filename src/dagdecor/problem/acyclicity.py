"""Smooth measures of the cycles in W = B*B >= 0: zero exactly when B is acyclic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.linalg import expm, lapack

from dagdecor.errors import OptionError

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LogDet:
    """-logdet(sI - W) + p log s, finite while the spectral radius of W is below s.

    Bello, Aragam, Ravikumar 2022, equation 5.
    """

    s: float = 1.0

    def value(self, W: Matrix) -> float:
        """-logdet(sI - W) + p log s for W (p, p), +inf outside the domain."""
        if not np.isfinite(self.slope(W)).all():
            return float("inf")
        _, logdet = np.linalg.slogdet(self.s * np.eye(len(W)) - W)
        return float(len(W) * np.log(self.s) - logdet)

    def slope(self, W: Matrix) -> Matrix:
        """dh/dW = inv(sI - W)' >= 0, (p, p), +inf outside the domain."""
        # In one matrix, in place: with many columns it is the largest thing beside the problem.
        matrix = np.negative(W, order="F")
        matrix.flat[:: len(W) + 1] += self.s
        factors, pivots, failed = lapack.dgetrf(matrix, overwrite_a=1)
        if failed:
            return np.full(W.shape, np.inf)
        room = int(lapack.dgetri_lwork(len(W))[0])
        inverse, _ = lapack.dgetri(factors, pivots, lwork=room, overwrite_lu=1)
        # sI - W maps x = inverse @ 1 to 1 > 0; such an x > 0 exists exactly for an M-matrix.
        if not inverse.sum(axis=1).min() > 0:
            return np.full(W.shape, np.inf)
        return np.asarray(np.maximum(inverse.T, 0.0, out=inverse.T))


@dataclass(frozen=True)
class Expm:
    """tr expm(W) - p.

    Zheng, Aragam, Ravikumar, Xing 2018, theorem 1.
    """

    def value(self, W: Matrix) -> float:
        """tr expm(W) - p for W (p, p)."""
        with np.errstate(over="ignore", invalid="ignore"):
            return float(np.trace(expm(W)) - len(W))

    def slope(self, W: Matrix) -> Matrix:
        """dh/dW = expm(W)' >= 0, (p, p), infinite or nan where it overflows."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(np.maximum(expm(W).T, 0.0))


def acyclicity(name: str) -> LogDet | Expm:
    """The measure of that name."""
    if name == "logdet":
        return LogDet()
    if name == "expm":
        return Expm()
    raise OptionError("acyclicity", name, "'logdet' or 'expm'")
