"""A table or its moments to a diagnosis."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dagdecor.data import LARGEST, Table, numbers, raw_columns
from dagdecor.diagnosis.columns import look_at_columns
from dagdecor.diagnosis.findings import Diagnosis, Finding, sorted_findings
from dagdecor.diagnosis.scale import look_at_scale, sortability
from dagdecor.diagnosis.table import (
    look_at_collinearity,
    look_at_copies,
    look_at_order,
    look_at_size,
)
from dagdecor.diagnosis.texts import Refused, look_at_texts
from dagdecor.errors import CollinearColumns, DataError, GraphError, NotNumeric, named
from dagdecor.graph import MixedGraph
from dagdecor.moments import Moments

Array = npt.NDArray[np.float64]
FIGURE = re.compile(r"[-+]?\d*\.\d+([eE][-+]?\d+)?")  # a name that is a number with decimals


@dataclass(frozen=True)
class _Sight:
    """The columns that can be looked at, (n, p) with nan, and what was found on the way to them.

    `shape` is that of the whole table, with the columns that cannot.
    """

    values: Array
    names: tuple[str, ...]
    found: list[Finding]
    shape: tuple[int, int]


def diagnose(X: object, graph: MixedGraph | None = None) -> Diagnosis:
    """Look at a table before the fit: what stops it, what misleads it, what to do.

    Parameters
    ----------
    X
        DataFrame, array, or `Moments`; of moments only scale, size and collinearity are seen.
        A table that a fit would refuse is looked at all the same.
    graph
        A graph over the columns, believed or learned: then `measures` tells how far sorting by
        variance, or by explained share, gives its order (see `sortability`).

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> X[7, 1] = 40.0
    >>> [(f.kind, f.columns, f.rows) for f in diagnose(X).of("warning")]
    [('tails', ('x1',), ()), ('outliers', ('x1',), (8,))]
    """
    if isinstance(X, Moments):
        return _judge((X.n, len(X.names)), len(X.names), [], X, graph)
    sight = _sight(X)
    values, names, found = sight.values, sight.names, sight.found
    if values.size:
        found += look_at_columns(values, names)
        found += look_at_order(values, names)
        found += look_at_copies(values)
    whole = values[~np.isnan(values).any(axis=1)]
    moments = Moments.from_rows(Table(whole, names)) if len(whole) > 1 and names else None
    if moments is not None and not (np.diag(moments.S) > 0).all():
        moments = None
    return _judge(sight.shape, len(names), found, moments, graph)


def _judge(
    shape: tuple[int, int],
    left: int,
    found: list[Finding],
    moments: Moments | None,
    graph: MixedGraph | None,
) -> Diagnosis:
    """The diagnosis of a table of that shape, of which so many columns are left to look at."""
    n, p = shape
    measures: dict[str, float] = {"rows_per_column": n / max(left, 1)}
    if n < 2 or left or not found:
        found = [*found, *look_at_size(n, left if n > 1 else p)]
    advice = ""
    if moments is not None:
        near, largest = look_at_collinearity(moments.S, moments.n, moments.names)
        seen, numbers_of_scale, advice = look_at_scale(moments.S)
        found += [*near, *_refused(moments, near), *seen]
        measures.update(numbers_of_scale)
        if np.isfinite(largest):
            measures["largest_inflation"] = largest
        if graph is not None:
            for name, value in sortability(graph, moments).items():
                if np.isfinite(value):
                    measures[f"sortability_{name}"] = value
    elif graph is not None:
        raise GraphError("sortability along a graph needs two complete rows and varying columns")
    findings = sorted_findings(found)
    return Diagnosis(n, p, findings, measures, _recommendation(findings, advice))


def _refused(moments: Moments, near: list[Finding]) -> list[Finding]:
    """What a fit calls collinear, where the look at near-collinearity did not."""
    if any(finding.severity == "stop" for finding in near):
        return []
    try:
        moments.check_rank()
    except CollinearColumns as error:
        seen = str(error).removesuffix(": drop one of them")
        return [Finding("collinear", "stop", seen, "drop one of them")]
    return []


def _recommendation(findings: tuple[Finding, ...], scale: str) -> str:
    """What to do first, then the advice about scale."""
    first = [f for f in findings if f.severity == "stop"]
    second = [f for f in findings if f.severity == "warning" and f.kind != "scale"]
    parts = []
    if first:
        advice = dict.fromkeys(f.advice for f in first if f.advice)
        parts.append(f"Before a fit: {'; '.join(advice)}.")
    if second:
        parts.append(f"Look at: {', '.join(dict.fromkeys(f.kind for f in second))}.")
    return " ".join([*parts, scale]).strip()


def _sight(X: object) -> _Sight:
    """Every column as numbers where it can be, findings about the others."""
    if hasattr(X, "toarray"):
        raise DataError("sparse matrices are not supported: pass X.toarray()")
    found: list[Finding] = []
    names: list[str] = []
    columns: list[Array] = []
    raw = raw_columns(X)
    shape = len(raw[0][1]) if raw else len(X) if hasattr(X, "__len__") else 0, len(raw)
    refused: Refused = []
    for name, cells in raw:
        column = _numeric(name, cells)
        if isinstance(column, NotNumeric):
            refused.append((name, cells, column))
        else:
            columns.append(column)
            names.append(name)
    found += [*look_at_texts(refused, len(raw)), *_names([name for name, _ in raw])]
    values = np.column_stack(columns) if columns else np.empty((0, 0))
    with np.errstate(invalid="ignore"):
        infinite = np.isinf(values) | (np.abs(values) > LARGEST)
    found += _counted(infinite, names, "infinite", "infinite values", "remove or replace them")
    values[infinite] = np.nan
    missing = np.isnan(values) & ~infinite
    constant = _constant(values)
    found += _empty(missing & ~missing.all(axis=0), names)
    if constant.any() and len(values) > 1:
        flat = tuple(name for name, gone in zip(names, constant, strict=True) if gone)
        seen = f"{_columns(flat)} constant or empty"
        found.append(Finding("constant", "stop", seen, f"drop {named(flat)}", flat))
    keep = ~constant
    kept = tuple(name for name, good in zip(names, keep, strict=True) if good)
    return _Sight(values[:, keep], kept, found, shape)


def _numeric(name: str, cells: npt.NDArray[Any]) -> Array | NotNumeric:
    """The column as numbers, or why it is none."""
    try:
        return numbers(cells, name)
    except NotNumeric as error:
        return error


def _empty(missing: npt.NDArray[np.bool_], names: list[str]) -> list[Finding]:
    """Empty cells, and the columns of which more than half are."""
    advice = "use missing='em' or missing='drop'"
    counts = missing.sum(axis=0)
    most = [name for name, count in zip(names, counts, strict=True) if 2 * count > len(missing)]
    if most:
        advice = f"drop {named(most)}, more than half empty; else {advice}"
    return _counted(missing, names, "missing", "missing values", advice)


def _columns(names: tuple[str, ...]) -> str:
    """What a sentence about them begins with."""
    return f"column {named(names)} is" if len(names) == 1 else f"columns {named(names)} are"


def _constant(values: Array) -> npt.NDArray[np.bool_]:
    """(p,) columns of one value at most."""
    high = np.where(np.isnan(values), -np.inf, values).max(axis=0, initial=-np.inf)
    low = np.where(np.isnan(values), np.inf, values).min(axis=0, initial=np.inf)
    return np.asarray(~(high > low))


def _names(names: list[str]) -> list[Finding]:
    """Names that occur twice, and names that are numbers: of a file without a header line."""
    found = []
    twice = tuple(name for name, count in Counter(names).items() if count > 1)
    if twice:
        seen = f"several columns are called {named(twice)}"
        found.append(Finding("names", "stop", seen, "rename them", twice))
    figures = tuple(name for name in names if FIGURE.fullmatch(name))
    if 2 * len(figures) > len(names):
        seen = f"columns are called {named(figures, 3)}"
        advice = "a file without a header line? Then its first row was taken for names: add one"
        found.append(Finding("names", "warning", seen, advice, figures))
    return found


def _counted(
    cells: npt.NDArray[np.bool_], names: list[str], kind: str, what: str, advice: str
) -> list[Finding]:
    """One finding about cells of a kind, with the count of each column."""
    counts = cells.sum(axis=0) if cells.size else np.zeros(len(names), int)
    told = [(names[j], int(counts[j])) for j in np.flatnonzero(counts).tolist()]
    if not told:
        return []
    listed = ", ".join(f"{named([name])} {count}" for name, count in told[:8])
    more = f" and {len(told) - 8} more columns" if len(told) > 8 else ""
    return [
        Finding(kind, "stop", f"{what}: {listed}{more}", advice, tuple(name for name, _ in told))
    ]
