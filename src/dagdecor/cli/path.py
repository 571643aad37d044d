"""dagdecor path: a table in, fits over a range of penalties side by side out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from dagdecor.cli.options import AsJson, Data, Drop, Force, Known, Missing, Out
from dagdecor.cli.output import check_folder, picture_or_note, say_written
from dagdecor.cli.progress import counting
from dagdecor.errors import OptionError

if TYPE_CHECKING:
    from dagdecor.tune import PenaltyPath


def path(
    data: Data,
    drop: Drop = None,
    out: Out = None,
    force: Force = False,
    factors: Annotated[
        str,
        typer.Option(help="Multiples of the penalties, commas between; auto: 11 from 4 to 1/8."),
    ] = "auto",
    folds: Annotated[
        int | None, typer.Option(help="Parts that are held out in turn; 0 for none, 5 if unsaid.")
    ] = None,
    by: Annotated[str, typer.Option(help="What chooses best.json: ebic or held_out.")] = "ebic",
    route: Annotated[str, typer.Option(help="Noise step: precision or covariance.")] = "precision",
    knowledge: Known = None,
    missing: Missing = "error",
    seed: Annotated[int, typer.Option(help="Seed of the folds.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Fit the paper's estimator over a range of penalties, and say what each choice costs."""
    from dagdecor.cli.reading import read_table
    from dagdecor.decor import Decor
    from dagdecor.knowledge import read_knowledge
    from dagdecor.report.folder import write_folder
    from dagdecor.tune.result import CRITERIA

    check_folder(out, force)
    if by not in CRITERIA:
        raise OptionError("by", by, " or ".join(CRITERIA))
    chosen = _numbers(factors)
    known = None if knowledge is None else read_knowledge(knowledge)
    model = Decor(route, search=False, knowledge=known, missing=missing)
    table = read_table(data, drop)
    with counting("fits") as progress:
        found = model.path(table, chosen, folds=folds, random_state=seed, progress=progress)
    best = found.best(by)
    files: dict[str, str | bytes] = {}
    if out is not None:
        files = {
            "path.csv": found.to_frame().to_csv(index=False),
            "path.json": found.to_json() + "\n",
            "best.json": best.to_json() + "\n",
            **picture_or_note("path.svg", lambda: _drawn(found)),
        }
        write_folder(files, out, force=force)
    print(found.to_json() if as_json else found)
    if out is not None and not as_json:
        say_written(out, list(files))


def _drawn(found: PenaltyPath) -> bytes:
    from dagdecor.plot import path as picture

    return picture(found, "svg")


def _numbers(text: str) -> list[float] | None:
    """The numbers of a list with commas, None for "auto"."""
    if text == "auto":
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise OptionError("factors", text, "auto, or numbers above 0 with commas between") from None
