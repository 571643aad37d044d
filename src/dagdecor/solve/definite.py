"""A positive definite matrix with its Cholesky factor: the points that the noise solvers visit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.linalg import lapack

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Definite:
    """A matrix (p, p), its lower factor in Fortran order, and its log-determinant."""

    matrix: Matrix
    factor: Matrix
    logdet: float

    @classmethod
    def of(cls, matrix: Matrix) -> Definite | None:
        """The factorised symmetric matrix, None where it is not positive definite."""
        factor, failed = lapack.dpotrf(matrix.T, lower=1)
        if failed:
            return None
        logdet = 2.0 * float(np.log(np.diag(factor)).sum())
        return cls(matrix, factor, logdet) if np.isfinite(logdet) else None

    @classmethod
    def first(cls, guesses: Iterable[Matrix | None]) -> Definite | None:
        """The first guess that is positive definite."""
        for guess in guesses:
            point = None if guess is None else cls.of(guess)
            if point is not None:
                return point
        return None

    @classmethod
    def identity(cls, p: int) -> Definite:
        """(p, p) ones on the diagonal."""
        return cls(np.eye(p), np.eye(p, order="F"), 0.0)

    def inverse(self) -> Matrix:
        """(p, p), exactly symmetric."""
        half, _ = lapack.dpotri(self.factor, lower=1)
        inverse: Matrix = half.T  # in C order, of which the upper half counts
        for j in range(1, len(inverse)):
            inverse[j, :j] = inverse[:j, j]
        return inverse
