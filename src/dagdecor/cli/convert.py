"""dagdecor convert: a graph in, the same graph in another tool's language out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dagdecor.cli.inputs import graph_of
from dagdecor.cli.options import Force
from dagdecor.cli.output import check_file
from dagdecor.errors import OptionError


def convert(
    graph: Annotated[
        Path, typer.Argument(help="Result folder, JSON file, or another tool's file; - for stdin.")
    ],
    to: Annotated[
        str, typer.Option(help="json, dot, gml, dagitty, lavaan, semopy, tetrad or pcalg.")
    ],
    source: Annotated[
        str | None, typer.Option("--from", help="Kind of the input; told by its ending.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="File to write; otherwise printed.")] = None,
    force: Force = False,
) -> None:
    """Say a graph in the language of another tool."""
    from dagdecor.interop import TEXTS
    from dagdecor.report.files import write_file

    if to != "json" and to not in TEXTS:
        raise OptionError("to", to, f"json, {', '.join(TEXTS)}")
    check_file(out, force)
    found = graph_of(graph, source)
    written = found.to_json() + "\n" if to == "json" else TEXTS[to].write(found)
    if out is None:
        typer.echo(written, nl=False)
    else:
        write_file(written, out)
