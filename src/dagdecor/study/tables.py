"""Means over draws with their standard errors: as values for figures, as Markdown for a reader."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from dagdecor.study.rows import Row

MEASURES: Mapping[str, str] = {
    "directed_f1": "F1 of directed edges",
    "bidirected_f1": "F1 of bidirected edges",
    "skeleton_f1": "F1 of the skeleton",
    "tpr": "True positive rate of directed edges",
    "fpr": "False positive rate of directed edges",
    "pair_shd": "Pair SHD",
    "weights_error": "Relative error of B",
    "noise_error": "Relative error of Omega",
    "divergence": "Kullback-Leibler divergence from the true law",
    "seconds": "Seconds a fit",
}


@dataclass(frozen=True)
class Cell:
    """Mean and standard error of `count` fits that have a value, of `fits` that were tried."""

    mean: float | None
    error: float | None
    count: int
    fits: int
    ends: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.mean is None:
            return ", ".join(self.ends) or "-"
        text = _digits(self.mean)
        if self.error is not None:
            text += f" ({_digits(self.error)})"
        return text if not self.ends else f"{text} {self.count}/{self.fits}"


def cell(rows: Sequence[Row], measure: str) -> Cell:
    """Mean and its standard error s / sqrt(k) over the k fits that are done and have the measure.

    >>> rows = [{"status": "done", "tpr": value} for value in (0.2, 0.4, 0.9)]
    >>> print(cell(rows, "tpr"), "|", cell([{"status": "timed out"}], "tpr"))
    0.500 (0.208) | timed out
    """
    values = [row[measure] for row in rows if row["status"] == "done" and has(row, measure)]
    ends = tuple(dict.fromkeys(row["status"] for row in rows if row["status"] != "done"))
    error = stdev(values) / math.sqrt(len(values)) if len(values) > 1 else None
    return Cell(fmean(values) if values else None, error, len(values), len(rows), ends)


def has(row: Row, measure: str) -> bool:
    """Whether the row has a value there."""
    return row.get(measure) is not None


def cells(
    rows: Iterable[Row], measure: str, methods: Sequence[str], axis: Sequence[float | str]
) -> dict[str, list[Cell]]:
    """One line of cells a method, along the axis."""
    grouped: dict[tuple[str, Any], list[Row]] = {}
    for row in rows:
        grouped.setdefault((row["method"], row["axis"]), []).append(row)
    return {
        method: [cell(grouped.get((method, value), []), measure) for value in axis]
        for method in methods
    }


def facets(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Rows by facet, in the order in which facets first appear."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["facet"], []).append(row)
    return found


def markdown(
    rows: Sequence[Row], methods: Sequence[str], axis: Sequence[float | str], label: str
) -> str:
    """A table for each facet and measure, then the methods' settings, seeds and versions."""
    parts = []
    for facet, members in facets(rows).items():
        for measure, title in MEASURES.items():
            if any(has(row, measure) for row in members):
                lines = cells(members, measure, methods, axis)
                parts.append(f"## {title}, {facet}\n\n{_table(lines, axis, label)}")
    parts += [f"## Settings\n\n{settings(rows, methods)}", f"## Runs\n\n{runs(rows)}"]
    return "\n\n".join(parts) + "\n"


SUMMED = {"directed_f1": "F1", "bidirected_f1": "F1 <->", "pair_shd": "SHD", "seconds": "seconds"}


def summary(rows: Sequence[Row]) -> str:
    """Means over designs and draws, best F1 of directed edges first, in 80 columns of text."""
    parts = []
    for facet, members in facets(rows).items():
        by_method: dict[str, list[Row]] = {}
        for row in members:
            by_method.setdefault(row["method"], []).append(row)
        lines = {name: _summed(found) for name, found in by_method.items()}
        order = sorted(lines, key=lambda name: lines[name][0].mean or -1.0, reverse=True)
        width = max(map(len, order))
        head = f"{members[0]['study']}, {facet}: means, best first\n  {'':{width}}"
        head += "".join(f"{title:>8}" for title in (*SUMMED.values(), "done"))
        body = [f"  {name:{width}}{''.join(map(_short, lines[name]))}" for name in order]
        done = [f"{line[0].count}/{line[0].fits}" for line in (lines[name] for name in order)]
        parts.append("\n".join([head, *map("{}{:>8}".format, body, done)]))
    return "\n\n".join(parts)


def _summed(rows: Sequence[Row]) -> list[Cell]:
    return [cell(rows, measure) for measure in SUMMED]


def _short(found: Cell) -> str:
    return f"{'-' if found.mean is None else _digits(found.mean):>8}"


def _table(lines: Mapping[str, Sequence[Cell]], axis: Sequence[float | str], label: str) -> str:
    head = [label, *(f"{value:g}" if isinstance(value, int | float) else value for value in axis)]
    return _grid(head, [[method, *map(str, line)] for method, line in lines.items()])


def settings(rows: Iterable[Row], methods: Sequence[str]) -> str:
    """What a score depends on beside the method: loss, penalty, threshold, centring, oracles."""
    names = ("loss", "penalty", "threshold", "centring", "told")
    by_method = {row["method"]: row for row in rows}
    body = [
        [method, *(str(by_method[method].get(name) or "-") for name in names)]
        for method in methods
        if method in by_method
    ]
    return _grid(["method", *names[:-1], "is told"], body)


def runs(rows: Sequence[Row]) -> str:
    """Seeds, statuses, limits and versions, each with its number of fits where they differ."""
    seeds = sorted({row["draw"] for row in rows})
    span = " to ".join(map(str, dict.fromkeys([seeds[0], seeds[-1]]))) if seeds else "none"
    lines = [f"- seeds of the draws: {span}"]
    lines.append(f"- status: {_counted(row['status'] for row in rows)}")
    lines.append(f"- limit: {_counted(_limit(row) for row in rows)}")
    packages: dict[str, list[str]] = {}
    for row in rows:
        for package, number in row["versions"].items():
            packages.setdefault(package, []).append(number)
    lines += [f"- {package}: {_counted(numbers)}" for package, numbers in packages.items()]
    return "\n".join(lines)


def _limit(row: Row) -> str:
    return f"{row['limit']:g} s a fit"


def _counted(values: Iterable[str]) -> str:
    counts: dict[str, int] = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    if len(counts) == 1:
        return next(iter(counts))
    return ", ".join(f"{value} ({count} fits)" for value, count in counts.items())


def _grid(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def _digits(value: float) -> str:
    """Three digits after the point, fewer for large numbers."""
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"
