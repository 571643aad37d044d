"""dagdecor compare: two graphs in, scores out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dagdecor.cli.inputs import graph_of
from dagdecor.cli.options import AsJson


def compare(
    truth: Annotated[Path, typer.Argument(help="Result folder or file of the true graph.")],
    learned: Annotated[Path, typer.Argument(help="Result folder or file of the learned graph.")],
    as_json: AsJson = False,
) -> None:
    """Score a learned graph against the true one."""
    import json

    from dagdecor.metrics import compare as score
    from dagdecor.report import scores

    values = score(graph_of(truth), graph_of(learned)).to_dict()
    print(json.dumps(values, indent=1) if as_json else scores(values))
