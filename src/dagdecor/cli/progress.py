"""A line on the terminal while something takes long: a count where there is one, else a clock."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 2.0  # seconds before a line appears


@contextmanager
def waiting(what: str, limit: float | None = None) -> Iterator[None]:
    """Show what is done, for how long, and with a limit how much time is left at most.

    Nothing is shown for the first two seconds, nor when the error stream is no terminal.
    """
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = [SpinnerColumn(), TextColumn(what), TimeElapsedColumn()]
    if limit is not None:
        columns += [BarColumn(), TextColumn(f"of at most {limit:g} s")]
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=limit)
    over = threading.Event()

    def show() -> None:
        if over.wait(PATIENCE):
            return
        bar.start()
        seconds = PATIENCE
        while True:
            bar.update(task, completed=seconds)
            if over.wait(0.5):
                break
            seconds += 0.5
        bar.stop()

    shower = threading.Thread(target=show, daemon=True)
    shower.start()
    try:
        yield
    finally:
        over.set()
        shower.join()


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
