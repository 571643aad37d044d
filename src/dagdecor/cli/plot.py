"""dagdecor plot: a result in, a picture out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dagdecor.cli.inputs import fit_or_graph
from dagdecor.cli.options import Force, Result
from dagdecor.cli.output import at, check_file
from dagdecor.cli.progress import waiting


def plot(
    result: Result,
    out: Annotated[Path, typer.Option(help="File that ends in .svg, .png or .pdf.")],
    what: Annotated[str, typer.Option(help="graph, matrix or confidence.")] = "graph",
    force: Force = False,
) -> None:
    """Draw a graph, the heat maps of its matrices, or the shares of its marks."""
    from dagdecor.plot import save

    check_file(out, force)
    with waiting("drawing"):
        save(fit_or_graph(result), out, what)
    typer.echo(at("written to", out))
