"""A table or its moments to a diagnosis."""

from __future__ import annotations

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
from dagdecor.errors import CollinearColumns, DataError, GraphError, NotNumeric, named
from dagdecor.graph import MixedGraph
from dagdecor.moments import Moments

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class _Sight:
    """The columns that can be looked at, (n, p) with nan, and what was found on the way to them."""

    values: Array
    names: tuple[str, ...]
    found: list[Finding]


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
        return _judge(X.n, len(X.names), [], X, graph)
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
    return _judge(len(values), len(names), found, moments, graph)


def _judge(
    n: int, p: int, found: list[Finding], moments: Moments | None, graph: MixedGraph | None
) -> Diagnosis:
    measures: dict[str, float] = {"rows_per_column": n / max(p, 1)}
    found = [*found, *look_at_size(n, p)]
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
        parts.append(f"Before a fit: {'; '.join(f.advice for f in first if f.advice)}.")
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
    for name, cells in raw:
        column = _numeric(name, cells)
        if isinstance(column, Finding):
            found.append(column)
        else:
            columns.append(column)
            names.append(name)
    found += _repeated([name for name, _ in raw])
    values = np.column_stack(columns) if columns else np.empty((0, 0))
    with np.errstate(invalid="ignore"):
        infinite = np.isinf(values) | (np.abs(values) > LARGEST)
    found += _counted(infinite, names, "infinite", "infinite values", "remove or replace them")
    values[infinite] = np.nan
    missing = np.isnan(values) & ~infinite
    found += _counted(
        missing, names, "missing", "missing values", "use missing='em' or missing='drop'"
    )
    constant = _constant(values)
    if constant.any():
        flat = tuple(name for name, gone in zip(names, constant, strict=True) if gone)
        seen = f"column {named(flat)} is constant or empty"
        found.append(Finding("constant", "stop", seen, f"drop {named(flat)}", flat))
    keep = ~constant
    kept = tuple(name for name, good in zip(names, keep, strict=True) if good)
    return _Sight(values[:, keep], kept, found)


def _numeric(name: str, cells: npt.NDArray[Any]) -> Array | Finding:
    """The column as numbers, or the finding that it is none."""
    try:
        return numbers(cells, name)
    except NotNumeric as error:
        seen = str(error).removesuffix(": encode or drop it")
        return Finding("text", "stop", seen, f"encode or drop {named([name])}", (name,))


def _constant(values: Array) -> npt.NDArray[np.bool_]:
    """(p,) columns of one value at most."""
    high = np.where(np.isnan(values), -np.inf, values).max(axis=0, initial=-np.inf)
    low = np.where(np.isnan(values), np.inf, values).min(axis=0, initial=np.inf)
    return np.asarray(~(high > low))


def _repeated(names: list[str]) -> list[Finding]:
    twice = tuple(name for name, count in Counter(names).items() if count > 1)
    if not twice:
        return []
    return [
        Finding("names", "stop", f"several columns are called {named(twice)}", "rename them", twice)
    ]


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
