"""dagdecor effects: a fit in, total effects with intervals out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dagdecor.cli.inputs import fit_of
from dagdecor.cli.options import AsJson, FitFile, Force
from dagdecor.cli.output import check_file


def effects(
    fit: FitFile,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    out: Annotated[Path | None, typer.Option(help="CSV file for the table.")] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Total effects along all directed paths, with intervals that hold the graph fixed."""
    from dagdecor.inference import total_effects
    from dagdecor.report.cells import guarded
    from dagdecor.report.files import write_file

    check_file(out, force)
    found = total_effects(fit_of(fit), level)
    if out is not None:
        write_file(guarded(found.to_frame(), ("cause", "effect")), out)
    print(found.to_json() if as_json else found)
