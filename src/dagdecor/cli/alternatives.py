"""dagdecor alternatives: a fit in, how well other marks would fit out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dagdecor.cli.inputs import fit_of
from dagdecor.cli.options import AsJson, FitFile, Force
from dagdecor.cli.output import at, check_file
from dagdecor.cli.progress import waiting


def alternatives(
    fit: FitFile,
    out: Annotated[Path | None, typer.Option(help="CSV file for the table.")] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """For every edge, how much worse the best graph with another mark there would fit."""
    from dagdecor.estimator import alternatives as freed
    from dagdecor.report import OtherMarks
    from dagdecor.report.cells import guarded
    from dagdecor.report.files import write_file

    check_file(out, force)
    found = fit_of(fit)
    with waiting("trying other marks"):
        others = OtherMarks(found, freed(found))
    if out is not None:
        write_file(guarded(others.to_frame(), ("a", "b")), out)
    print(others.to_json() if as_json else others)
    if out is not None and not as_json:
        print("\n" + at("written to", out))
