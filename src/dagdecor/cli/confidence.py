"""dagdecor confidence: how often each mark comes back when the table is drawn again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dagdecor.cli.interrupts import requested
from dagdecor.cli.options import AsJson, Data, Drop, Known, Missing
from dagdecor.cli.output import say_written
from dagdecor.cli.progress import counting

DRAWS, DOCUMENT, TABLE = "draws.jsonl", "confidence.json", "confidence.csv"


def confidence(
    data: Data,
    drop: Drop = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the result; a second run there resumes.")
    ] = None,
    draws: Annotated[int, typer.Option(help="Resampled tables.")] = 200,
    method: Annotated[str, typer.Option(help="bootstrap or stability.")] = "bootstrap",
    effort: Annotated[float, typer.Option(help="Share of the search in each draw.")] = 0.25,
    knowledge: Known = None,
    missing: Missing = "error",
    search: Annotated[bool, typer.Option(help="Score search, or the paper's rounds.")] = True,
    noise_model: Annotated[str, typer.Option(help="auto, latent or sparse.")] = "auto",
    workers: Annotated[int, typer.Option(help="Processes, -1 for one a core.")] = -1,
    seed: Annotated[int, typer.Option(help="Seed of the draws.")] = 0,
    max_seconds: Annotated[float | None, typer.Option(help="Time budget.")] = None,
    as_json: AsJson = False,
) -> None:
    """Share of each mark over resampled tables; with --out, resumable and written as files."""
    from dagdecor.cli.reading import read_table
    from dagdecor.course import attended
    from dagdecor.decor import Decor
    from dagdecor.knowledge import read_knowledge
    from dagdecor.report.cells import guarded
    from dagdecor.report.files import write_file

    table = read_table(data, drop)
    known = None if knowledge is None else read_knowledge(knowledge)
    model = Decor(search=search, noise_model=noise_model, knowledge=known, missing=missing)
    with requested() as asked, attended(asks=asked.is_set), counting("draws") as progress:
        found = model.confidence(
            table,
            draws,
            method=method,
            effort=effort,
            n_jobs=workers,
            random_state=seed,
            max_seconds=max_seconds,
            checkpoint=None if out is None else out / DRAWS,
            progress=progress,
        )
    if out is not None:
        write_file(found.to_json() + "\n", out / DOCUMENT)
        write_file(guarded(found.to_frame(), ("a", "b")), out / TABLE)
    print(found.to_json() if as_json else found)
    if out is not None and not as_json:
        say_written(out, [DRAWS, DOCUMENT, TABLE])
    if asked.is_set():
        if out is not None:
            typer.echo(f"stopped; the same command goes on from {out}", err=True)
        raise typer.Exit(130)
