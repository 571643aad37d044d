"""dagdecor effects: a fit in, total effects with intervals out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dagdecor.cli.options import AsJson
from dagdecor.cli.output import text


def effects(
    fit: Annotated[Path, typer.Argument(help="Result folder of `dagdecor fit`, or its fit.json.")],
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    out: Annotated[Path | None, typer.Option(help="CSV file for the table.")] = None,
    as_json: AsJson = False,
) -> None:
    """Total effects along all directed paths, with intervals that hold the graph fixed."""
    from dagdecor.fit import Fit
    from dagdecor.inference import total_effects
    from dagdecor.report.cells import guarded
    from dagdecor.report.files import write_file

    document = text(fit / "fit.json" if fit.is_dir() else fit)
    found = total_effects(Fit.from_json(document), level)
    print(found.to_json() if as_json else found)
    if out is not None:
        write_file(guarded(found.to_frame(), ("cause", "effect")), out)
