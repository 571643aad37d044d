"""One form of the same table: whatever the order and the common unit of its columns."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from dagdecor.estimator.settings import Settings
from dagdecor.moments import Moments

Array = npt.NDArray[np.float64]
DIGITS = 12
SMALL = 1e-3  # of the unit: below it a fixed number of decimals would leave too few digits


@dataclass(frozen=True)
class Canonical:
    """Moments in canonical order and unit, and the way back.

    Discrete choices magnify the rounding of a sum in another order, or of another unit, into
    another graph. Here columns are sorted by what does not depend on their order, variances are
    in units of their mean, and digits that rounding may touch are dropped.
    """

    moments: Moments
    order: npt.NDArray[np.intp]
    unit: float

    def settings(self, given: Settings) -> Settings:
        """Options that are in the units of Omega or Theta, in the canonical unit."""
        noise = self.unit if given.route == "covariance" else 1 / self.unit
        return replace(
            given,
            lambda_noise=_times(given.lambda_noise, noise),
            lambda_bow=given.lambda_bow * self.unit,
            threshold_noise=_times(given.threshold_noise, 1 / self.unit),
        )

    def restored(self, matrix: Array) -> Array:
        """(p, p) in the table's own order of columns."""
        restored = np.empty_like(matrix)
        restored[np.ix_(self.order, self.order)] = matrix
        return restored

    def objective(self, value: float) -> float:
        """A likelihood's objective in the table's own unit: p log unit more."""
        return value + self.moments.p * float(np.log(self.unit))


def canonical(moments: Moments) -> Canonical:
    """The canonical form of `moments`."""
    unit = float(np.mean(np.diag(moments.S)))
    deviations = _rounded(moments.deviations / np.sqrt(unit), DIGITS)
    R = np.round(moments.correlation(), DIGITS)
    order = np.lexsort((np.round(np.sum(R**2, axis=0), 8), _rounded(deviations, 8)))
    scale = deviations[order]
    S = R[np.ix_(order, order)] * np.outer(scale, scale)
    names = tuple(moments.names[place] for place in order)
    return Canonical(Moments(moments.n, moments.mean[order], S, names), order, unit)


def _rounded(deviations: Array, digits: int) -> Array:
    """To so many decimals; to so many significant digits where they are small."""
    power = 10.0 ** np.floor(np.log10(deviations))
    significant = np.round(deviations / power, digits) * power
    return np.where(deviations < SMALL, significant, np.round(deviations, digits))


def _times(value: float | str, factor: float) -> float | str:
    return value if isinstance(value, str) else value * factor
