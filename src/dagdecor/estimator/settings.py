"""The options of the estimator as one checked value."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass, fields
from typing import Any

from dagdecor.device import DEVICES
from dagdecor.errors import OptionError
from dagdecor.knowledge import Knowledge
from dagdecor.missing import METHODS

CHOICES = {
    "device": DEVICES,
    "missing": METHODS,
    "noise_model": ("auto", "latent", "sparse"),
    "route": ("precision", "covariance"),
    "bow": ("reconcile", "penalty", "none"),
    "acyclicity": ("logdet", "expm"),
    "noise_start": ("scaled-identity", "diagonal"),
}
NUMBERS_OR_AUTO = ("lambda_directed", "lambda_noise", "threshold_directed", "threshold_noise")


@dataclass(frozen=True)
class Settings:
    """Every option of `Decor` that the estimate depends on; `Decor` documents them."""

    search: bool
    noise_model: str
    route: str
    rounds: int
    lambda_directed: float | str
    lambda_noise: float | str
    lambda_bow: float
    threshold_directed: float | str
    threshold_noise: float | str
    bow: str
    bow_ratio: float
    acyclicity: str
    noise_start: str
    refit: bool
    max_seconds: float | None
    random_state: int | None
    knowledge: Knowledge | None = None
    missing: str = "error"
    device: str = "cpu"

    def __post_init__(self) -> None:
        for option, allowed in CHOICES.items():
            value = getattr(self, option)
            if value not in allowed:
                raise OptionError(option, value, " or ".join(repr(choice) for choice in allowed))
        self._check_numbers()
        if self.knowledge is not None and not isinstance(self.knowledge, Knowledge):
            raise OptionError("knowledge", self.knowledge, "a dagdecor.Knowledge, or None")
        if self.bow == "penalty" and self.route != "covariance":
            raise OptionError(
                "bow", "penalty", "route='covariance' with it (the penalty is one on Omega)"
            )

    def _check_numbers(self) -> None:
        for option in NUMBERS_OR_AUTO:
            value = getattr(self, option)
            if value != "auto" and not _is_number(value):
                raise OptionError(option, value, "'auto' or a finite number >= 0")
        for option in ("lambda_bow", "bow_ratio"):
            if not _is_number(getattr(self, option)):
                raise OptionError(option, getattr(self, option), "a finite number >= 0")
        if not _is_whole(self.rounds, 1):
            raise OptionError("rounds", self.rounds, "a whole number >= 1")
        if self.random_state is not None and not _is_whole(self.random_state, 0):
            raise OptionError("random_state", self.random_state, "None or a whole number >= 0")
        if self.max_seconds is not None and not (
            _is_number(self.max_seconds) and self.max_seconds > 0
        ):
            raise OptionError("max_seconds", self.max_seconds, "None or a number > 0")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for a fit's record; knowledge of nothing is none."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {**values, "knowledge": self.known.to_dict() or None}

    @property
    def known(self) -> Knowledge:
        """The prior knowledge, of nothing where none was given."""
        return self.knowledge or Knowledge()


def _is_whole(value: object, least: int) -> bool:
    try:
        return not isinstance(value, bool) and operator.index(value) >= least  # type: ignore[arg-type]
    except TypeError:
        return False


def _is_number(value: object) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
        and value >= 0
    )
