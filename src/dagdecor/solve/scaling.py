"""A noise problem on the scale where every variance is one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dagdecor.errors import BadCovariance, OptionError
from dagdecor.solve.definite import Matrix


@dataclass(frozen=True, eq=False)
class Scaled:
    """R = S / dd', d (p,) the deviations, and the penalties (p, p) in the units of S.

    The penalties' diagonal is zero.
    """

    R: Matrix
    deviations: Matrix
    penalty: Matrix

    @property
    def units(self) -> Matrix:
        """(p, p) d_i d_j, exactly symmetric."""
        return np.outer(self.deviations, self.deviations)


def scaled(S: npt.ArrayLike, penalty: float | npt.ArrayLike) -> Scaled:
    """S (p, p) symmetric with a positive diagonal, penalty >= 0 a number or symmetric (p, p)."""
    matrix = np.array(S, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise BadCovariance(f"is not square: shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise BadCovariance("has missing or infinite entries")
    if not (np.diag(matrix) > 0).all():
        column = int(np.diag(matrix).argmin())
        raise BadCovariance(f"has no positive variance at column {column}", column)
    d = np.sqrt(np.diag(matrix))
    matrix /= np.outer(d, d)
    apart = matrix - matrix.T
    if max(apart.max(), -apart.min()) > 1e-8:
        raise BadCovariance("is not symmetric")
    del apart
    matrix += matrix.T
    matrix *= 0.5
    np.fill_diagonal(matrix, 1.0)
    return Scaled(matrix, d, _penalties(penalty, len(matrix)))


def allowed(matrix: npt.ArrayLike | None, units: Matrix, penalty: Matrix) -> Matrix | None:
    """A start in other units, symmetric, zero where the penalty is infinite; None stays None."""
    if matrix is None:
        return None
    start: Matrix = np.asarray(matrix, dtype=np.float64) * units
    start += start.T
    start *= 0.5
    start[np.isinf(penalty)] = 0.0
    return start


def _penalties(penalty: float | npt.ArrayLike, p: int) -> Matrix:
    wanted = f"a number >= 0, or a symmetric ({p}, {p}) matrix of them"
    given = np.asarray(penalty, dtype=np.float64)
    if given.shape not in {(), (p, p)}:
        raise OptionError("penalty", f"array of shape {given.shape}", wanted)
    matrix = np.array(np.broadcast_to(given, (p, p)))
    np.fill_diagonal(matrix, 0.0)
    if not (matrix >= 0).all() or not (matrix == matrix.T).all():
        raise OptionError("penalty", penalty, wanted)
    return matrix
