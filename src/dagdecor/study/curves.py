"""Figures of a study: scores against the axis, mean and standard error, one line a method.

Two views, because twenty lines in one panel are hard to follow: an overview with a label at the end
of each line, and for each measure a panel a method, with all others in grey behind it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import numpy as np

from dagdecor.plot.canvas import INK
from dagdecor.plot.canvas import figure as blank
from dagdecor.plot.spread import spread
from dagdecor.study.methods import OWN
from dagdecor.study.rows import Row
from dagdecor.study.tables import MEASURES, Cell, cells

FAINT = "#c9cdd3"
COLOURS = (
    "#c0392b", "#2471a3", "#b9770e", "#1e8449", "#7d3c98", "#117a8b",
    "#d35400", "#5d6d7e", "#b03a7e", "#6b8e23", "#8b5a2b", "#3f51b5",
)  # fmt: skip
STYLES = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (5, 1.2, 1.2, 1.2)))
MARKERS = "osD^v"
OVERVIEW = ("directed_f1", "tpr", "fpr", "pair_shd")
OURS = frozenset(method.name for method in OWN)
LOWER_IS_BETTER = {"fpr", "pair_shd", "weights_error", "noise_error", "divergence", "seconds"}
Lines = Mapping[str, Sequence[Cell]]


@dataclass(frozen=True)
class Look:
    """How a method's line is drawn, the same in every figure."""

    colour: str
    style: Any
    marker: str
    width: float


@dataclass(frozen=True)
class Axis:
    """The numbers on a study's axis, and its label."""

    values: tuple[float, ...]
    label: str

    @property
    def places(self) -> list[float]:
        """Where the values stand: themselves if they are evenly spread, else 0, 1, ..."""
        even = len(self.values) < 3 or float(np.ptp(np.diff(self.values))) < 1e-9
        return [float(value) for value in (self.values if even else range(len(self.values)))]

    @property
    def names(self) -> list[str]:
        """The values as labels."""
        return [f"{value:g}" for value in self.values]


def looks(methods: Sequence[str]) -> dict[str, Look]:
    """One colour a family, the word before the first dash, with dash patterns; ours in ink."""
    families: dict[str, list[str]] = {}
    for method in methods:
        families.setdefault("" if method in OURS else method.split("-")[0], []).append(method)
    others = [family for family in families if family]
    found = {}
    for family, members in families.items():
        for place, method in enumerate(members):
            number = others.index(family) if family else 0
            found[method] = Look(
                COLOURS[number % len(COLOURS)] if family else INK,
                STYLES[place % len(STYLES)],
                MARKERS[(number // len(COLOURS) + place // len(STYLES)) % len(MARKERS)],
                1.5 if family else 2.2,
            )
    return found


def overview(rows: Sequence[Row], methods: Sequence[str], axis: Axis, title: str) -> Any:
    """F1, TPR, FPR and SHD in four panels, each line labelled at its end."""
    shown = [measure for measure in OVERVIEW if _ranked(rows, methods, axis.values, measure)]
    height = max(3.4, 0.15 * len(methods) + 0.9)
    label = 0.35 + 0.062 * max(map(len, methods))  # inches at the right of a panel
    size = (2 * (4.4 + label) + 1.4, height * math.ceil(len(shown) / 2) + 0.5)
    figure = blank(size, "drawing a study")
    look = looks(methods)
    for place, measure in enumerate(shown, start=1):
        panel = figure.add_subplot(math.ceil(len(shown) / 2), 2, place)
        lines = _ranked(rows, methods, axis.values, measure)
        for method, line in lines.items():
            _line(panel, axis, line, look[method])
        _frame(panel, axis, measure, (list(lines.values())))
        panel.set_title(titled(measure), loc="left", fontsize=10.5, color=INK)
        _labels(panel, axis, lines, look, height - 0.9)
    _heading(figure, title, rows, methods, axis)
    wide = figure.get_size_inches()[0]
    figure.subplots_adjust(
        left=0.125, right=0.125 + (8.8 + label + 0.5) / wide, wspace=(label + 0.5) / 4.4, hspace=0.3
    )
    return figure


def multiples(
    rows: Sequence[Row], methods: Sequence[str], axis: Axis, measure: str, title: str
) -> Any:
    """One panel a method: its own line in colour over all others in grey."""
    lines = _ranked(rows, methods, axis.values, measure)
    count = max(len(lines), 1)
    columns = min(5, count)
    down = math.ceil(count / columns)
    figure = blank((2.35 * columns, 1.75 * down + 0.9), "drawing a study")
    look = looks(methods)
    for place, (method, line) in enumerate(lines.items()):
        panel = figure.add_subplot(down, columns, place + 1)
        for other in lines.values():
            _behind(panel, axis, other)
        _line(panel, axis, line, look[method])
        last = place + columns >= len(lines)
        _frame(panel, axis, measure, list(lines.values()), words=last)
        panel.set_title(_broken(method), loc="left", fontsize=8.5, color=look[method].colour)
        if place % columns:
            panel.tick_params(labelleft=False)
    _heading(figure, f"{titled(measure)}: {title}", rows, methods, axis)
    figure.subplots_adjust(wspace=0.12, hspace=0.42)
    return figure


def _broken(name: str, width: int = 24) -> str:
    """A long name on two lines, broken behind the dash nearest to its middle."""
    dashes = [place for place, letter in enumerate(name, start=1) if letter == "-"]
    if len(name) <= width or not dashes:
        return name
    at = min(dashes, key=lambda place: abs(place - len(name) / 2))
    return f"{name[:at]}\n{name[at:]}"


def _ranked(
    rows: Sequence[Row], methods: Sequence[str], values: Sequence[float | str], measure: str
) -> dict[str, list[Cell]]:
    """Lines with a value somewhere, best first, so that reading order is rank."""
    lines = cells(rows, measure, methods, values)
    kept = {method: line for method, line in lines.items() if any(c.mean is not None for c in line)}
    sign = 1 if measure in LOWER_IS_BETTER else -1

    def rank(method: str) -> float:
        return sign * float(np.mean([c.mean for c in kept[method] if c.mean is not None]))

    return {method: kept[method] for method in sorted(kept, key=rank)}


def _line(panel: Any, axis: Axis, line: Sequence[Cell], look: Look) -> None:
    means = [math.nan if cell.mean is None else cell.mean for cell in line]
    panel.errorbar(
        axis.places,
        means,
        yerr=[cell.error or 0.0 for cell in line],
        color=look.colour,
        linestyle=look.style,
        linewidth=look.width,
        marker=look.marker,
        markersize=3.6,
        elinewidth=0.9,
        capsize=1.8,
        zorder=4 if look.colour == INK else 3,
    )


def _behind(panel: Any, axis: Axis, line: Sequence[Cell]) -> None:
    means = [math.nan if cell.mean is None else cell.mean for cell in line]
    panel.plot(axis.places, means, color=FAINT, linewidth=0.7, zorder=1)


def _frame(
    panel: Any, axis: Axis, measure: str, lines: Sequence[Sequence[Cell]], *, words: bool = True
) -> None:
    """Quiet axes with the same limits in all panels of a measure."""
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        panel.spines[side].set_color(FAINT)
    panel.grid(axis="y", color=FAINT, linewidth=0.5, alpha=0.6)
    panel.set_axisbelow(True)
    panel.tick_params(colors=INK, labelsize=8, length=2.5, color=FAINT)
    span = max(axis.places) - min(axis.places) or 1.0
    panel.set_xlim(min(axis.places) - 0.06 * span, max(axis.places) + 0.06 * span)
    panel.set_xticks(axis.places, axis.names if words else [""] * len(axis.names))
    ends = [(c.mean, c.error or 0.0) for line in lines for c in line if c.mean is not None]
    top = max((mean + error for mean, error in ends), default=1.0) * 1.05 or 1.0
    if measure == "seconds":
        panel.set_yscale("log")
        panel.tick_params(which="minor", color=FAINT)
        panel.set_ylim(min((mean for mean, _ in ends), default=0.1) / 2, top * 1.5)
        return
    if measure.endswith("f1") or measure == "tpr":
        top = 1.03
    panel.set_ylim(-0.02 * top, top)


def _labels(panel: Any, axis: Axis, lines: Lines, look: Mapping[str, Look], inches: float) -> None:
    """Names at the right, in the order of the lines' ends, pushed apart where they would touch."""
    low, high = panel.get_ylim()
    ends = {method: _end(axis, line) for method, line in lines.items()}
    order = sorted(ends, key=lambda method: ends[method][1])
    wanted = [(ends[method][1] - low) / (high - low) for method in order]
    across = panel.get_xlim()
    for method, height in zip(order, apart(wanted, 0.135 / inches), strict=True):
        start = (ends[method][0] - across[0]) / (across[1] - across[0])
        panel.annotate(
            method,
            xy=(start, (ends[method][1] - low) / (high - low)),
            xytext=(1.05, height),
            xycoords="axes fraction",
            textcoords="axes fraction",
            color=look[method].colour,
            fontsize=7.8,
            fontweight="bold" if method in OURS else "normal",
            va="center",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": look[method].colour,
                "lw": 0.4,
                "alpha": 0.6,
                "relpos": (0.0, 0.5),  # at the first letter, not through the name
                "shrinkA": 0.0,
                "shrinkB": 2.0,
            },
        )


def _end(axis: Axis, line: Sequence[Cell]) -> tuple[float, float]:
    return next(
        (place, cell.mean)
        for place, cell in zip(reversed(axis.places), reversed(line), strict=True)
        if cell.mean is not None
    )


def apart(wanted: Sequence[float], gap: float) -> list[float]:
    """`spread` within 0 <= y_k <= 1; too many for the interval stand above it.

    >>> apart([0.5, 0.5, 1.0, 1.0], 0.2)
    [0.4, 0.6, 0.8, 1.0]
    """
    steps = gap * np.arange(len(wanted))
    room = max(0.0, 1 - (len(wanted) - 1) * gap)
    placed = np.clip(spread(wanted, gap) - steps, 0.0, room) + steps
    return [round(float(place), 6) for place in placed]


def titled(measure: str) -> str:
    """What the measure is called, and which way is better."""
    better = "lower" if measure in LOWER_IS_BETTER else "higher"
    return f"{MEASURES[measure]} ({better} is better)"


def _heading(
    figure: Any, title: str, rows: Sequence[Row], methods: Sequence[str], axis: Axis
) -> None:
    """Title above, axis label below, and those that have no result at all."""
    inch = 1 / figure.get_size_inches()[1]
    figure.suptitle(title, x=0.125, ha="left", fontsize=12, color=INK, y=0.88 + 0.55 * inch)
    foot = [f"{axis.label}; bars are standard errors"]
    empty = [m for m in methods if not any(r["status"] == "done" for r in rows if r["method"] == m)]
    if empty:
        letters = max(60, int(9.5 * figure.get_size_inches()[0]))
        foot += wrap(f"no result: {', '.join(empty)}", letters, break_on_hyphens=False)
    down = 0.11 - 0.42 * inch
    figure.text(0.125, down, "\n".join(foot), ha="left", fontsize=9, color=INK, va="top")
