"""How far a run is: a live line on a terminal, now and then a plain one elsewhere."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from types import TracebackType

from dagdecor.study.rows import Key, Row

EVERY = 60.0  # seconds between two plain lines


class Pace:
    """Time left: what the fits that are left took on average so far, method by method.

    Methods differ by a factor of thousands in their time, so that the share of fits that are done
    says little.
    """

    def __init__(self, jobs: int) -> None:
        self._jobs = max(jobs, 1)
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._fits: Counter[str] = Counter()

    def saw(self, row: Row) -> None:
        """Learn from a row."""
        self._seconds[row["method"]] += row.get("seconds") or 0.0
        self._fits[row["method"]] += 1

    def left(self, open_fits: Counter[str]) -> float | None:
        """Seconds until these fits, counted by method, are done; None before the first row."""
        total = sum(self._fits.values())
        if not total:
            return None
        overall = sum(self._seconds.values()) / total
        expected = sum(
            count * (self._seconds[name] / self._fits[name] if self._fits[name] else overall)
            for name, count in open_fits.items()
        )
        return expected / self._jobs


class Display:
    """A bar with counts and time left; a context manager whose `saw` takes each row.

    Rows that another run left behind teach it how long a method takes, but are not counted anew.
    """

    def __init__(self, keys: Iterable[Key], present: Iterable[Row], jobs: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        self._open = Counter(str(key[3]) for key in keys)
        self._all = sum(self._open.values())
        self._pace, self._ends = Pace(jobs), Counter[str]()
        self._console = Console(stderr=True)
        self._bar = Progress(
            BarColumn(24),
            MofNCompleteColumn(),
            TextColumn("{task.description}", markup=False),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._task = self._bar.add_task("starting", total=self._all)
        self._said = time.monotonic()
        for row in present:
            self._count(row)

    def __enter__(self) -> Display:  # noqa: PYI034 - Self is younger than Python 3.10
        self._bar.start()
        self._show("starting")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def saw(self, row: Row) -> None:
        """A fit is finished."""
        self._count(row)
        self._show(f"{row['method']} {row['axis']}")

    def _count(self, row: Row) -> None:
        self._pace.saw(row)
        self._open[row["method"]] -= 1
        self._ends[row["status"]] += 1

    def _show(self, now: str) -> None:
        done = self._all - sum(self._open.values())
        bad = [f"{count} {end}" for end, count in self._ends.items() if end != "done"]
        words = ", ".join([clock(self._pace.left(self._open)), *bad, now])
        self._bar.update(self._task, completed=done, description=words)
        if not self._console.is_terminal and time.monotonic() - self._said > EVERY:
            self._said = time.monotonic()
            self._console.print(f"{done}/{self._all} fits, {words}", markup=False, highlight=False)


def clock(seconds: float | None, say: Callable[[str], str] = "about {} left".format) -> str:
    """Seconds as a person reads them.

    >>> clock(20), clock(400), clock(9000), clock(None)
    ('about 20 s left', 'about 7 min left', 'about 2.5 h left', 'time left unknown')
    """
    if seconds is None:
        return "time left unknown"
    if seconds < 90:
        return say(f"{seconds:.0f} s")
    return say(f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h")
