"""What a solver claims about its result, with the number that proves or refutes the claim."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt


class Status(str, enum.Enum):
    """How a solver ended. Only CONVERGED means that the measure met its tolerance."""

    CONVERGED = "converged"
    LIMIT = "stopped at the limit"
    STALLED = "stalled"
    FAILED = "failed"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Certificate:
    """Status, and the measure (duality gap, stationarity residual) beside its tolerance."""

    status: Status
    measure: str
    residual: float
    tolerance: float
    iterations: int
    objective: float

    @staticmethod
    def judge(
        measure: str, residual: float, tolerance: float, iterations: int, objective: float
    ) -> Certificate:
        """CONVERGED when the residual is within tolerance, LIMIT otherwise."""
        if not (math.isfinite(residual) and math.isfinite(objective)):
            status = Status.FAILED
        else:
            status = Status.CONVERGED if residual <= tolerance else Status.LIMIT
        return Certificate(status, measure, residual, tolerance, iterations, objective)

    @property
    def converged(self) -> bool:
        """True when the claim is proved."""
        return self.status is Status.CONVERGED

    def __post_init__(self) -> None:
        if self.converged and not self.residual <= self.tolerance:
            raise ValueError(f"converged, with {self.residual} above {self.tolerance}")

    def __str__(self) -> str:
        return (
            f"{self.status}: {self.measure} {self.residual:.1e} "
            f"(tolerance {self.tolerance:.0e}) after {self.iterations} iterations"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for a JSON document, which knows no number that is not finite: None."""
        values = {**self.__dict__, "status": self.status.value}
        return {name: None if _lost(value) else value for name, value in values.items()}

    @staticmethod
    def from_dict(values: dict[str, Any]) -> Certificate:
        """Inverse of `to_dict`, but that every number that was not finite is nan."""
        measure, iterations = values["measure"], values["iterations"]
        if not (isinstance(measure, str) and _is_whole(iterations)):
            raise ValueError("a certificate's measure is text, its iterations are a whole number")
        return Certificate(
            Status(values["status"]),
            measure,
            _number(values["residual"]),
            _number(values["tolerance"]),
            iterations,
            _number(values["objective"]),
        )


def _lost(value: object) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _number(value: object) -> float:
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r} is not a number")
    try:
        return float(value)
    except OverflowError:
        raise ValueError("a number is too large") from None


class Solution(NamedTuple):
    """What a solver returns: the value, and the certificate that goes with it."""

    value: npt.NDArray[np.float64]
    certificate: Certificate
