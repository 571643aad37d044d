"""What a campaign is written as: tidy rows, a page of tables, figures."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dagdecor.errors import MissingPackage, OptionError
from dagdecor.plot import rendered
from dagdecor.report.files import write_file
from dagdecor.study.campaign import Campaign
from dagdecor.study.curves import OVERVIEW, Axis, multiples, overview
from dagdecor.study.grid import grid
from dagdecor.study.rows import Row, tidy
from dagdecor.study.tables import facets, has, markdown

if TYPE_CHECKING:
    import pandas as pd

HOW_TO_READ = """\
Mean over draws, standard error in brackets. `7/10` behind them: 7 of 10 fits gave a result, and the
mean is over those."""
FIGURES = (*OVERVIEW, "bidirected_f1", "seconds")


def frame(rows: Iterable[Row]) -> pd.DataFrame:
    """One line a fit, one column a fact or score."""
    import pandas as pd

    found: pd.DataFrame = pd.DataFrame(tidy(rows))
    return found


def write_report(campaign: Campaign, table: str = "csv", *, figures: bool = True) -> list[Path]:
    """Write rows.csv (or rows.parquet), table.md and the figures of what is there so far.

    The rows are those of the campaign's draws, of its methods and of any others in the folder.
    """
    if table not in {"csv", "parquet"}:
        raise OptionError("table", table, "'csv' or 'parquet'")
    rows = campaign.all_rows()
    if not rows:
        return []
    written = [_tidy_file(campaign, rows, table), _page(campaign, rows)]
    return [*written, *(_figures(campaign, rows) if figures else [])]


def _tidy_file(campaign: Campaign, rows: list[Row], kind: str) -> Path:
    path = campaign.folder / f"rows.{kind}"
    if kind == "csv":
        write_file(str(frame(rows).to_csv(index=False)), path)
        return path
    if find_spec("pyarrow") is None:
        raise MissingPackage("pyarrow", "writing Parquet", "arrow")
    frame(rows).to_parquet(path, index=False)
    return path


def _methods(campaign: Campaign, rows: list[Row]) -> list[str]:
    """The campaign's own methods first."""
    own = [method.name for method in campaign.methods]
    return list(dict.fromkeys([*own, *(row["method"] for row in rows)]))


def _page(campaign: Campaign, rows: list[Row]) -> Path:
    study, left = campaign.study, campaign.left()
    head = [f"# {study.name}: {study.summary}", HOW_TO_READ]
    if left:
        head.append(f"Not finished: {left} of {len(campaign.keys())} fits are still to be done.")
    methods = _methods(campaign, rows)
    body = markdown(rows, methods, study.values, study.axis)
    path = campaign.folder / "table.md"
    write_file("\n\n".join([*head, body]), path)
    return path


def _figures(campaign: Campaign, rows: list[Row]) -> list[Path]:
    methods = _methods(campaign, rows)
    written = []
    folder = campaign.folder / "figures"
    for facet, members in facets(rows).items():
        for name, picture in _pictures(campaign, facet, members, methods).items():
            for kind in ("png", "svg"):
                path = folder / f"{'-'.join(facet.replace(',', '').split())}-{name}.{kind}"
                folder.mkdir(parents=True, exist_ok=True)
                path.write_bytes(rendered(picture, kind))
                written.append(path)
    return written


def _pictures(
    campaign: Campaign, facet: str, rows: list[Row], methods: list[str]
) -> dict[str, Any]:
    """By name: curves along an axis of numbers, a grid over one of words."""
    study, count = campaign.study, len({row["draw"] for row in rows})
    title = f"{study.name}, {facet}, {count} draw{'' if count == 1 else 's'}"
    measures = [measure for measure in FIGURES if any(has(row, measure) for row in rows)]
    if not study.ordered:
        return {name: grid(rows, methods, study.values, name, title) for name in measures}
    axis = Axis(tuple(map(float, study.values)), study.axis)
    curves = {name: multiples(rows, methods, axis, name, title) for name in measures}
    return {"overview": overview(rows, methods, axis, title), **curves}
