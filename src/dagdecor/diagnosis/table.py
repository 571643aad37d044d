"""The table as a whole: size, near-collinear columns, the order of its rows, repeated rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.stats import norm, rankdata

from dagdecor.diagnosis.columns import ENOUGH, FEW_VALUES, RARE
from dagdecor.diagnosis.findings import Finding
from dagdecor.errors import named
from dagdecor.moments import COLLINEAR

Array = npt.NDArray[np.float64]

INFLATED = 1000.0  # 1 / (1 - R^2) from which on a column is nearly a combination of others
PARTNER = 0.1  # of the largest standardised coefficient, for a column to be named as a partner
LEAST_ECHO = 0.1  # correlation of neighbouring rows that is worth a word
MOST_COLUMNS = 1000  # with more, an eigendecomposition a look takes too long
SEARCH_COLUMNS = 300  # up to here the default searches


def look_at_size(n: int, p: int) -> list[Finding]:
    """n against p."""
    found = []
    if n < 2 or p < 1:
        vary = " that vary" if n > 1 else ""
        seen = f"{n} row{'s' * (n != 1)} in {p} column{'s' * (p != 1)}{vary}"
        found.append(Finding("size", "stop", seen, "two rows and one column are the least"))
    elif n < 2 * p:
        seen = f"{n} rows for {p} columns: fewer than two a column"
        advice = "the score search is not used; drop columns or expect few true edges"
        found.append(Finding("size", "warning", seen, advice))
    elif n < 5 * p:
        seen = f"{n} rows for {p} columns: fewer than five a column"
        found.append(Finding("size", "note", seen, "only strong edges can be found"))
    if p > SEARCH_COLUMNS:
        seen = f"{p} columns: the score search is for up to {SEARCH_COLUMNS}"
        advice = "the continuous estimator is used alone; drop columns that are of no interest"
        found.append(Finding("size", "note", seen, advice))
    return found


def look_at_collinearity(S: Array, n: int, names: tuple[str, ...]) -> tuple[list[Finding], float]:
    """Columns that others nearly determine, one by one; the largest 1 / (1 - R^2), inf if exact.

    A column that is named is left out before the next look. Not looked at with n <= p, where
    every column is determined, or with very many columns.
    """
    if n <= len(names) or len(names) > MOST_COLUMNS:
        return [], float("nan")
    scale = np.sqrt(np.diag(S))
    R, left = S / np.outer(scale, scale), list(range(len(names)))
    found: list[Finding] = []
    largest = 1.0
    while len(left) > 1:
        values, vectors = np.linalg.eigh(R[np.ix_(left, left)])
        # diag(inv R) from the eigenvalues, which stays defined where R is singular
        inflation = (vectors**2) @ (1 / np.maximum(values, COLLINEAR / len(left)))
        worst = int(inflation.argmax())
        largest = max(largest, float(inflation[worst]))
        if inflation[worst] < INFLATED:
            break
        exact = inflation[worst] > 0.1 / COLLINEAR
        column, others = left[worst], left[:worst] + left[worst + 1 :]
        weights = np.linalg.lstsq(R[np.ix_(others, others)], R[others, column], rcond=None)[0]
        kept = np.abs(weights) >= PARTNER * np.abs(weights).max()
        partners = tuple(names[j] for j, keep in zip(others, kept, strict=True) if keep)
        how = "exactly" if exact else f"to {1 - 1 / inflation[worst]:.2%}"
        told = (names[column], *partners)
        seen = f"column {named([names[column]])} is determined {how} by {named(partners)}"
        severity = "stop" if exact else "warning"
        found.append(Finding("collinear", severity, seen, f"drop one of {named(told)}", told))
        left = others
    return found, largest


def look_at_order(values: Array, names: tuple[str, ...]) -> list[Finding]:
    """Whether neighbouring rows resemble each other, by ranks; values (n, p) may hold nan."""
    whole = values[~np.isnan(values).any(axis=1)]
    n = len(whole)
    if n < ENOUGH:
        return []
    steps = np.diff(whole, axis=0)
    up, down = (steps >= 0).all(axis=0), (steps <= 0).all(axis=0)
    ordered = [names[j] for j in np.flatnonzero(up | down)]
    equal = [name for name in ordered if _counts(whole[:, names.index(name)])]
    if equal:
        seen = f"{named(equal)} only count{'s' * (len(equal) == 1)} the rows"
        advice = f"a running number is no measurement: drop {named(equal)}"
        return [Finding("counter", "warning", seen, advice, tuple(equal))]
    if ordered:
        seen = f"the rows are sorted by {named(ordered)}"
        advice = "nothing to do, unless it is a clock or a running number: drop it then"
        return [Finding("sorted", "note", seen, advice, tuple(ordered))]
    ranks = rankdata(whole, axis=0)
    ranks -= ranks.mean(axis=0)
    echo = np.sum(ranks[1:] * ranks[:-1], axis=0) / np.sum(ranks**2, axis=0)
    limit = max(LEAST_ECHO, float(norm.isf(RARE / (2 * len(names)))) / np.sqrt(n))
    told = [names[j] for j in np.flatnonzero(np.abs(echo) > limit)]
    if not told:
        return []
    seen = f"neighbouring rows resemble each other in {named(told)}"
    advice = (
        "rows are taken as independent; if they are a time series or come in groups, the table "
        "holds less than its number of rows says, and lagged effects are not modelled"
    )
    return [Finding("order", "warning", seen, advice, tuple(told))]


def _counts(x: Array) -> bool:
    """Whether every value is as far from the one before as the second from the first."""
    steps = np.diff(x)
    return bool(np.ptp(steps) <= 1e-9 * abs(steps[0]))


def look_at_copies(values: Array) -> list[Finding]:
    """Rows that repeat an earlier one, where a continuous column makes that no chance."""
    n, p = values.shape
    if n < 2 or not any(len(np.unique(values[:, j])) > max(FEW_VALUES, n / 4) for j in range(p)):
        return []
    first = np.unique(values, axis=0, return_index=True, equal_nan=True)[1]
    again = np.setdiff1d(np.arange(n), first) + 1
    if not len(again):
        return []
    listed = ", ".join(str(row) for row in again[:10].tolist())
    more = f" and {len(again) - 10} more" if len(again) > 10 else ""
    seen = f"row {listed}{more} repeats an earlier one"
    return [Finding("copies", "warning", seen, "drop repeated rows", rows=tuple(again.tolist()))]
