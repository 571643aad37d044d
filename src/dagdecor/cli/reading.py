"""The table that a command is given: at once, or in chunks where it is large."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    import pandas as pd

    from dagdecor.diagnosis import Finding
    from dagdecor.moments import Moments


def read_table(data: Path, drop: Sequence[str] | None = None) -> pd.DataFrame:
    """The table of a file without the columns to leave out, cells unchecked."""
    from dagdecor.sources import read_source

    frame = read_source(data)
    names = [str(name) for name in frame.columns]
    kept = frozenset(_kept(names, drop))
    chosen: pd.DataFrame = frame.loc[:, [name in kept for name in names]]
    return chosen


def read_moments(
    data: Path, missing: str, drop: Sequence[str] | None = None, *, scaled: bool = False
) -> tuple[Moments, tuple[Finding, ...]]:
    """Moments of a file and what was found in it, warnings on the error stream already."""
    from dagdecor.moments import Moments
    from dagdecor.streaming import is_large

    if is_large(data):
        moments, findings = _streamed(data, missing, drop), []
    else:
        frame = read_table(data, drop)
        moments = Moments.from_data(frame, missing=missing)
        findings = _seen(frame, scaled)
    for finding in findings:
        if finding.severity == "warning":
            typer.echo(f"warning: {finding}", err=True)
    return moments.scaled() if scaled else moments, tuple(findings)


def _seen(frame: pd.DataFrame, scaled: bool) -> list[Finding]:
    """What `diagnose` finds; of scale, where columns are to be scaled, only that they were."""
    from dagdecor.diagnosis import Finding, diagnose

    found = list(diagnose(frame).findings)
    if not scaled:
        return found
    said = Finding(
        "scale", "note", "columns were scaled to unit variance", "effects are in deviations"
    )
    return [finding for finding in found if finding.kind != "scale"] + [said]


def _kept(names: Sequence[str], drop: Sequence[str] | None) -> list[str]:
    from dagdecor.errors import UnknownName

    for name in drop or ():
        if name not in names:
            raise UnknownName(name, names)
    return [name for name in names if name not in (drop or ())]


def _streamed(data: Path, missing: str, drop: Sequence[str] | None) -> Moments:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from dagdecor.streaming import column_names, stream_moments

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    # A bar where somebody watches; one line at the end in any case.
    with Progress(
        *columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()
    ) as bar:
        task = bar.add_task("reading", total=1.0)

        def show(rows: int, share: float | None) -> None:
            bar.update(task, completed=share, description=f"{rows:,} rows")

        names = _kept(column_names(data), drop) if drop else None
        moments = stream_moments(data, names, missing=missing, progress=show)
    rows = moments.n if moments.missing is None else moments.missing.rows
    typer.echo(f"read {rows:,} rows in chunks; the checks of single rows are left out", err=True)
    return moments
