"""The figure of a study whose axis is one of words: methods by places, the score in each cell."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

import numpy as np
import numpy.typing as npt

from dagdecor.plot.canvas import INK, figure
from dagdecor.study.curves import LOWER_IS_BETTER, OURS, titled
from dagdecor.study.rows import Row
from dagdecor.study.tables import Cell, cells

Array = npt.NDArray[np.float64]
DARKEST = 0.72  # of the colour map, so that black text is read on the lighter half and white beyond
ENDS = {"timed out": "time", "failed": "fail", "not told": "n/a"}
BOUNDED = {"directed_f1", "bidirected_f1", "skeleton_f1", "tpr"}  # shaded on their own scale


def grid(
    rows: Sequence[Row],
    methods: Sequence[str],
    values: Sequence[float | str],
    measure: str,
    title: str,
) -> Any:
    """A heat map: methods by rank, places of the axis, the darker the better in its column."""
    lines = _by_rank(cells(rows, measure, methods, values), measure)
    shades = _means(lines) if measure in BOUNDED else _relative(lines, measure)
    places = [f"{value:g}" if isinstance(value, int | float) else value for value in values]
    drawn = figure((2.6 + 0.56 * len(places), 0.215 * len(lines) + 2.2), "drawing a study")
    panel = drawn.subplots()
    panel.imshow(shades * DARKEST, cmap="Blues", vmin=0.0, vmax=1.0, aspect="auto")
    for row, line in enumerate(lines.values()):
        for column, cell in enumerate(line):
            shade = shades[row, column]
            ink = "white" if shade > 0.8 else INK
            panel.text(
                column, row, written(cell), color=ink, fontsize=6.8, ha="center", va="center"
            )
    _dress(panel, list(lines), places)
    words = f"{titled(measure)}: {title}"
    panel.set_title(
        "\n".join(wrap(words, 16 + 8 * len(places))), loc="left", fontsize=10, color=INK
    )
    return drawn


def _by_rank(lines: Mapping[str, list[Cell]], measure: str) -> dict[str, list[Cell]]:
    """Best first by the mean place in the columns that have a value; without any at the end.

    A method that fails on a hard design is compared on the others only.
    """
    share = _relative(lines, measure)
    count = np.isfinite(share).sum(axis=1)
    mean = np.where(count > 0, np.nansum(share, axis=1) / np.maximum(count, 1), -1.0)
    names = list(lines)
    return {names[place]: lines[names[place]] for place in np.argsort(-mean, kind="stable")}


def _relative(lines: Mapping[str, Sequence[Cell]], measure: str) -> Array:
    """(methods, places) from 0 to 1, worst to best in a column; nan without a value.

    Times are compared by their logarithms.
    """
    means = _means(lines)
    if measure == "seconds":
        means = np.log(np.maximum(means, 1e-4))
    low = np.min(means, axis=0, initial=np.inf, where=np.isfinite(means))
    high = np.max(means, axis=0, initial=-np.inf, where=np.isfinite(means))
    share = (means - low) / np.where(high > low, high - low, 1.0)
    return np.asarray(1 - share if measure in LOWER_IS_BETTER else share)


def _means(lines: Mapping[str, Sequence[Cell]]) -> Array:
    rows = [
        [math.nan if cell.mean is None else cell.mean for cell in line] for line in lines.values()
    ]
    return np.array(rows)


def written(cell: Cell) -> str:
    """The mean in two digits or three, or how the fits ended.

    >>> [written(Cell(mean, None, 1, 1)) for mean in (0.256, 6.0, 81.3)]
    ['.26', '6.0', '81']
    >>> written(Cell(None, None, 0, 1, ("timed out",)))
    'time'
    """
    if cell.mean is None:
        return ENDS.get(cell.ends[0], cell.ends[0]) if cell.ends else "-"
    if cell.mean < 1:
        return f"{cell.mean:.2f}".removeprefix("0")
    return f"{cell.mean:.1f}" if cell.mean < 10 else f"{cell.mean:.0f}"


def _dress(panel: Any, methods: Sequence[str], places: Sequence[str]) -> None:
    """Names along the sides, ours in bold, white lines between the cells."""
    panel.set_yticks(range(len(methods)), methods, fontsize=7.4, color=INK)
    for method, text in zip(methods, panel.get_yticklabels(), strict=True):
        text.set_fontweight("bold" if method in OURS else "normal")
    turned: dict[str, Any] = {"rotation": 50, "ha": "right", "rotation_mode": "anchor"}
    panel.set_xticks(range(len(places)), places, fontsize=7.4, color=INK, **turned)
    panel.set_xticks(np.arange(len(places) + 1) - 0.5, minor=True)
    panel.set_yticks(np.arange(len(methods) + 1) - 0.5, minor=True)
    panel.grid(which="minor", color="white", linewidth=0.8)
    panel.tick_params(which="both", length=0)
    for side in panel.spines.values():
        side.set_visible(False)
