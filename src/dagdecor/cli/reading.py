"""The table that a command is given: at once, or in chunks where it is large."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from dagdecor.diagnosis import Finding
    from dagdecor.moments import Moments


def read_moments(data: Path, missing: str) -> tuple[Moments, tuple[Finding, ...]]:
    """Moments of a file and what was found in it, warnings on the error stream already."""
    from dagdecor.diagnosis import diagnose
    from dagdecor.moments import Moments
    from dagdecor.sources import read_source
    from dagdecor.streaming import is_large

    if is_large(data):
        return _streamed(data, missing), ()
    frame = read_source(data)
    moments = Moments.from_data(frame, missing=missing)
    seen = diagnose(frame)
    for finding in seen.of("warning"):
        typer.echo(f"warning: {finding}", err=True)
    return moments, tuple(seen.findings)


def _streamed(data: Path, missing: str) -> Moments:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from dagdecor.streaming import stream_moments

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    # A bar where somebody watches; one line at the end in any case.
    with Progress(
        *columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()
    ) as bar:
        task = bar.add_task("reading", total=1.0)

        def show(rows: int, share: float | None) -> None:
            bar.update(task, completed=share, description=f"{rows:,} rows")

        moments = stream_moments(data, missing=missing, progress=show)
    rows = moments.n if moments.missing is None else moments.missing.rows
    typer.echo(f"read {rows:,} rows in chunks; the checks of single rows are left out", err=True)
    return moments
