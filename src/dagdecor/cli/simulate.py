"""dagdecor simulate: a design and a seed in, a table and its true graph out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dagdecor.cli.options import AsJson
from dagdecor.cli.output import at
from dagdecor.cli.progress import waiting


def simulate(
    regime: Annotated[
        str,
        typer.Argument(help="paper, local, moderate, pervasive, abic, rbap, wide or four-node."),
    ],
    out: Annotated[Path, typer.Option(help="CSV file for the table.")],
    seed: Annotated[int, typer.Option(help="Seed of graph and rows.")] = 0,
    truth: Annotated[Path | None, typer.Option(help="JSON file for the true graph.")] = None,
    scaled: Annotated[bool, typer.Option("--scaled", help="Columns of unit variance.")] = False,
    n: Annotated[int | None, typer.Option("--n", help="Rows.")] = None,
    p: Annotated[int | None, typer.Option("--p", help="Columns.")] = None,
    density: Annotated[float | None, typer.Option(help="Confounding density (paper).")] = None,
    edges: Annotated[int | None, typer.Option(help="Edges of each kind (rbap).")] = None,
    as_json: AsJson = False,
) -> None:
    """Draw a table from a design with hidden common causes, and the graph behind it."""
    import json

    from dagdecor.report.files import write_file
    from dagdecor.report.words import count
    from dagdecor.simulate import draw

    options: dict[str, Any] = {"n": n, "p": p, "density": density, "edges": edges}
    given = {name: value for name, value in options.items() if value is not None}
    with waiting("drawing the table"):
        drawn = draw(regime, seed=seed, scaled=scaled, **given)
        write_file(drawn.X.to_csv(index=False), out)
    if truth is not None:
        write_file(drawn.graph.to_json() + "\n", truth)
    directed, bidirected = len(drawn.graph.directed), len(drawn.graph.bidirected)
    rows, columns = drawn.X.shape
    if as_json:
        facts = {"regime": regime, "seed": seed, "rows": rows, "columns": columns}
        print(json.dumps({**facts, "directed": directed, "bidirected": bidirected}))
        return
    print(at(f"{rows} rows, {columns} columns, {regime}, seed {seed}:", out))
    if truth is not None:
        marks = f"{count(directed, 'edge')} ->, {count(bidirected, 'pair')} <->:"
        print(at(marks, truth))
