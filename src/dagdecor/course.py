"""How far long work has come, and whether it may go on."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

Watch = Callable[[float], object]


class Attendant(NamedTuple):
    """Who looks after the fits in this context: is told the share done, and may ask for an end."""

    watch: Watch | None = None
    asks: Callable[[], bool] = bool


NOBODY = Attendant()
_ATTENDANT: ContextVar[Attendant] = ContextVar("attendant", default=NOBODY)


@contextmanager
def attended(watch: Watch | None = None, asks: Callable[[], bool] = bool) -> Iterator[None]:
    """Inside, `Decor.fit` tells `watch` the share that is done, and ends soon once `asks()`.

    Examples
    --------
    >>> shares = []
    >>> with attended(shares.append):
    ...     course = Course.here()
    ...     course.plan(2)
    ...     course.step()
    True
    >>> shares
    [0.5]
    """
    token = _ATTENDANT.set(Attendant(watch, asks))
    try:
        yield
    finally:
        _ATTENDANT.reset(token)


class Course:
    """Steps planned and done, and an end: after some seconds, or when it is asked for.

    Parameters
    ----------
    seconds
        From now on; None for no limit.
    attendant
        See `attended`.
    """

    def __init__(self, seconds: float | None = None, attendant: Attendant = NOBODY) -> None:
        self.end = math.inf if seconds is None else time.monotonic() + seconds
        self.attendant = attendant
        self.planned = self.done = 0.0

    @classmethod
    def here(cls, seconds: float | None = None) -> Course:
        """A course with the attendant of this context."""
        return cls(seconds, _ATTENDANT.get())

    @property
    def over(self) -> bool:
        """Whether work has to end with the best so far."""
        return time.monotonic() > self.end or self.attendant.asks()

    @property
    def left(self) -> float:
        """Share of the plan that is not done."""
        return max(0.0, 1.0 - self.done / self.planned) if self.planned else 0.0

    def plan(self, steps: float) -> None:
        """Add steps to what is to be done."""
        self.planned += steps

    def step(self, steps: float = 1.0) -> bool:
        """Count steps as done; whether there is time for another."""
        self.done += steps
        if self.attendant.watch is not None:
            self.attendant.watch(1.0 - self.left)
        return not self.over
