"""What is drawn and how: the options of a confidence run as one checked value."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dagdecor.errors import OptionError

METHODS = ("bootstrap", "stability")
Progress = Callable[[int, int], object]


@dataclass(frozen=True)
class Plan:
    """Options of `Decor.confidence`, which documents them."""

    draws: int = 200
    method: str = "bootstrap"
    effort: float = 0.25
    n_jobs: int = -1
    random_state: int = 0
    max_seconds: float | None = None
    checkpoint: str | Path | None = None

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise OptionError("method", self.method, "'bootstrap' or 'stability'")
        _whole("draws", self.draws, 1)
        _whole("random_state", self.random_state, 0)
        if not _number(self.effort) or not 0 < self.effort <= 1:
            raise OptionError("effort", self.effort, "a number above 0 and at most 1")
        if self.max_seconds is not None and not (
            _number(self.max_seconds) and self.max_seconds >= 0
        ):
            raise OptionError("max_seconds", self.max_seconds, "None or a number >= 0")
        if isinstance(self.n_jobs, bool) or not isinstance(self.n_jobs, int) or self.n_jobs == 0:
            raise OptionError("n_jobs", self.n_jobs, "-1 for all cores, or a whole number >= 1")

    def workers(self, cores: int) -> int:
        """Processes: scikit-learn's n_jobs, where -1 is every core and -2 all but one."""
        return self.n_jobs if self.n_jobs > 0 else max(1, cores + 1 + self.n_jobs)


def _whole(option: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise OptionError(option, value, f"a whole number >= {least}")


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
