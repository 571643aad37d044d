"""A line on the terminal while something takes long: how far it is, and how much time is left."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 2.0  # seconds before a line appears
EARLY = 0.02  # share from which on the pace is trusted


@contextmanager
def waiting(what: str, limit: float | None = None) -> Iterator[Callable[[float], None]]:
    """Show what is done, for how long, and how much time is left; yields who is told the share.

    The time left is what the share done so far tells, and at most what is left of a limit in
    seconds. Nothing is shown for the first two seconds, nor when the error stream is no terminal.
    """
    done = [0.0]

    def watch(share: float) -> None:
        done[0] = max(done[0], min(share, 1.0))

    if not sys.stderr.isatty():
        yield watch
        return
    over = threading.Event()
    shower = threading.Thread(target=_show, args=(what, limit, done, over), daemon=True)
    shower.start()
    try:
        yield watch
    finally:
        over.set()
        shower.join()


def _show(what: str, limit: float | None, done: list[float], over: threading.Event) -> None:
    """Draw the line twice a second, until it is over."""
    start = time.monotonic()
    if over.wait(PATIENCE):
        return
    with _bar() as bar:
        task = bar.add_task(what, total=None, said="")
        while True:
            seconds = time.monotonic() - start
            share = done[0] or (seconds / limit if limit else None)
            left = time_left(seconds, done[0], limit)
            said = ", ".join(filter(None, (f"{seconds:.0f} s", left)))
            bar.update(task, completed=share or 0, total=share and 1.0, said=said)
            if over.wait(0.5):
                return


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(24),
        TextColumn("{task.fields[said]}"),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)


def time_left(seconds: float, share: float, limit: float | None) -> str:
    """In words, from the seconds spent, the share done, and the seconds allowed.

    >>> time_left(10, 0.25, None), time_left(10, 0.25, 15), time_left(300, 0, 600)
    ('about 30 s left', 'at most 5 s left', 'at most 5 min left')
    """
    if share >= 1:
        return "nearly done"
    paced = seconds * (1 - share) / share if share > EARLY else float("inf")
    allowed = max(limit - seconds, 0.0) if limit else float("inf")
    if min(paced, allowed) == float("inf"):
        return ""
    words, most = ("about", paced) if paced <= allowed else ("at most", allowed)
    return f"{words} {most:.0f} s left" if most < 100 else f"{words} {most / 60:.0f} min left"


@contextmanager
def counting(things: str) -> Iterator[Callable[[int, int], None]]:
    """A bar with the time left on the error stream, nothing where that is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), f"{things},", TimeRemainingColumn(), "left")
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task(things, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
