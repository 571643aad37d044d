"""dagdecor check: a table in, what would stop or mislead a fit out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dagdecor.cli.options import AsJson, Data, Drop
from dagdecor.cli.output import text
from dagdecor.cli.progress import waiting


def check(
    data: Data,
    drop: Drop = None,
    graph: Annotated[
        Path | None, typer.Option(help="JSON file of a graph: tell its sortability too.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Look at a table before the fit; exit code 1 if a fit would refuse it."""
    from dagdecor.cli.reading import read_table
    from dagdecor.diagnosis import diagnose
    from dagdecor.graph import MixedGraph

    known = None if graph is None else MixedGraph.from_json(text(graph))
    with waiting("looking at the table"):
        found = diagnose(read_table(data, drop), known)
    print(found.to_json() if as_json else found)
    if not as_json and known is not None:
        for name, value in found.measures.items():
            if name.startswith("sortability"):
                print(f"{name}  {value:.3f}")
    if not found.can_fit:
        raise typer.Exit(1)
