"""Each column by itself: what it holds, its tails, its values."""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt
from scipy.stats import kurtosistest, norm

from dagdecor.diagnosis.findings import Finding
from dagdecor.errors import named

Array = npt.NDArray[np.float64]

ENOUGH = 20  # values from which on a shape can be judged
RARE = 1e-3  # chance of a false alarm in a table of independent normal rows, for each kind
HEAVY = 1.0  # excess kurtosis from which on it matters
FEW_VALUES = 10
REPEATED = 3  # rows with one far value, which then is no accident
SPIKE = 0.2  # share of one value
ROWS_NAMED = 10


def look_at_columns(values: Array, names: tuple[str, ...]) -> list[Finding]:
    """Discrete columns, heavy tails, outliers; values (n, p) may hold nan."""
    kinds = [_values_of(values[~np.isnan(values[:, j]), j]) for j in range(len(names))]
    discrete = [(names[j], kind) for j, kind in enumerate(kinds) if kind]
    found = []
    if discrete:
        told = "; ".join(f"{named([name])} {kind}" for name, kind in discrete[:8])
        more = f"; and {len(discrete) - 8} more" if len(discrete) > 8 else ""
        found.append(
            Finding(
                "discrete",
                "warning",
                f"not a continuous column: {told}{more}",
                "the model takes every column as normal; drop it, or read marks at it with care",
                tuple(name for name, _ in discrete),
            )
        )
    smooth = [j for j, kind in enumerate(kinds) if not kind]
    coded, cleared = _codes(values, names, smooth)
    return [*found, *coded, *_heavy(cleared, names, smooth), *_outliers(cleared, names, smooth)]


def _codes(values: Array, names: tuple[str, ...], smooth: list[int]) -> tuple[list[Finding], Array]:
    """One far value that several rows share: a code for "unknown"; and the values without it."""
    cleared, told = values.copy(), []
    for j in smooth:
        far = _far(values[:, j], len(names))
        value, count = Counter(values[far, j].tolist()).most_common(1)[0] if len(far) else (0.0, 0)
        if count >= REPEATED:
            cleared[values[:, j] == value, j] = np.nan
            told.append((names[j], f"{value:g} in {count} rows"))
    if not told:
        return [], cleared
    listed = ", ".join(f"{named([name])} {text}" for name, text in told[:8])
    more = f" and {len(told) - 8} more columns" if len(told) > 8 else ""
    advice = "if it is a code for no value, empty these cells and use missing='em'"
    columns = tuple(name for name, _ in told)
    seen = f"one value far from all others: {listed}{more}"
    return [Finding("codes", "warning", seen, advice, columns)], cleared


def _far(x: Array, columns: int) -> npt.NDArray[np.intp]:
    """Rows whose value no normal column of that many rows has, by median and median deviation."""
    count = int((~np.isnan(x)).sum())
    middle = float(np.nanmedian(x)) if count else 0.0
    spread = 1.4826 * float(np.nanmedian(np.abs(x - middle))) if count else 0.0
    if count < ENOUGH or spread == 0:
        return np.empty(0, np.intp)
    # The median deviation of few values is itself uncertain, by about 1.17 / sqrt(n).
    limit = norm.isf(RARE / (2 * count * columns)) / max(1 - 4.5 / np.sqrt(count), 0.2)
    return np.flatnonzero(np.abs(np.nan_to_num(x, nan=middle) - middle) > limit * spread)


def _values_of(x: Array) -> str:
    """What is discrete about a column, nothing where it is continuous."""
    if len(x) < ENOUGH:
        return ""
    distinct, counts = np.unique(x, return_counts=True)
    if len(distinct) <= FEW_VALUES:
        return f"has {len(distinct)} values"
    share = counts.max() / len(x)
    if share > SPIKE:
        return f"is {distinct[counts.argmax()]:g} in {share:.0%} of the rows"
    return ""


def _heavy(values: Array, names: tuple[str, ...], smooth: list[int]) -> list[Finding]:
    """Columns whose fourth moment is no normal one's, by Anscombe and Glynn's test."""
    heavy = []
    for j in smooth:
        x = values[~np.isnan(values[:, j]), j]
        if len(x) >= ENOUGH:
            z = (x - x.mean()) / x.std()
            excess = float(np.mean(z**4)) - 3
            if excess > HEAVY and kurtosistest(x).pvalue < RARE / len(names):
                heavy.append((names[j], excess))
    if not heavy:
        return []
    told = ", ".join(f"{named([name])} {excess:.1f}" for name, excess in heavy[:8])
    more = f" and {len(heavy) - 8} more" if len(heavy) > 8 else ""
    advice = "look for a transformation (a logarithm for positive skewed values) or for bad rows"
    columns = tuple(name for name, _ in heavy)
    return [
        Finding("tails", "warning", f"heavy tails (excess kurtosis): {told}{more}", advice, columns)
    ]


def _outliers(values: Array, names: tuple[str, ...], smooth: list[int]) -> list[Finding]:
    """Cells that lie too far out."""
    rows: dict[int, str] = {}
    for j in smooth:
        for row in _far(values[:, j], len(names)).tolist():
            rows.setdefault(row + 1, names[j])
    if not rows:
        return []
    listed = sorted(rows)
    told = ", ".join(f"{row} ({named([rows[row]])})" for row in listed[:ROWS_NAMED])
    more = f" and {len(listed) - ROWS_NAMED} more" if len(listed) > ROWS_NAMED else ""
    return [
        Finding(
            "outliers",
            "warning",
            f"outliers in row {told}{more}",
            "check these cells; one bad cell can make or hide an edge",
            tuple(dict.fromkeys(rows[row] for row in listed)),
            tuple(listed),
        )
    ]
