"""Arguments and flags that several commands share, so that one flag means one thing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Data = Annotated[
    Path,
    typer.Argument(
        help="CSV, TSV, Parquet, Feather or Excel file with a header line; - for standard input.",
    ),
]
Result = Annotated[
    Path, typer.Argument(help="Folder of a result, or JSON file of a fit or of a graph.")
]
FitFile = Annotated[
    Path, typer.Argument(help="Result folder of `dagdecor fit`, or its fit.json; - for stdin.")
]
Out = Annotated[Path | None, typer.Option(help="Folder to write the result into.")]
Force = Annotated[bool, typer.Option("--force", help="Write where something is already.")]
Drop = Annotated[
    list[str] | None,
    typer.Option("--drop", help="Column to leave out; may be given several times."),
]
Missing = Annotated[str, typer.Option(help="Empty cells: error, drop or em.")]
Known = Annotated[
    Path | None,
    typer.Option("--knowledge", help="YAML or JSON file of what is known of the graph."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print a JSON document.")]


def number_or_auto(text: str) -> float | str:
    """The number that an option's text spells, or "auto"."""
    if text == "auto":
        return text
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter("use 'auto' or a number") from None
