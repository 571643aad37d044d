"""The one pass: parts in, `Moments` out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dagdecor.data import check_names
from dagdecor.errors import (
    BadShape,
    ConstantColumn,
    EmptyColumn,
    InfiniteValues,
    MissingPackage,
    MissingValues,
    OptionError,
    TooFewRows,
)
from dagdecor.missing import Missing
from dagdecor.moments import Moments
from dagdecor.sources import kind_of
from dagdecor.streaming.parts import parts
from dagdecor.streaming.sums import Pairwise, Sums

LARGE_TEXT, LARGE_PARQUET = 1 << 28, 1 << 26  # bytes
Progress = Callable[[int, "float | None"], object]


def is_large(path: str | Path) -> bool:
    """Whether a file is read in chunks rather than at once: text from 256 MiB, Parquet from 64."""
    place = Path(path)
    if not place.is_file():
        return False
    least = {None: LARGE_TEXT, "Parquet": LARGE_PARQUET}.get(kind_of(place), math.inf)
    return place.stat().st_size >= least


def stream_moments(
    source: object,
    columns: Sequence[str] | None = None,
    *,
    missing: str = "error",
    progress: Progress | None = None,
) -> Moments:
    """n, mean and S = Xc' Xc / n in one pass over the rows, in memory that n does not change.

    Each part is centred on its own mean, and parts are merged pairwise, so that a mean of 1e8
    beside a deviation of 1 costs no more digits than in one piece.

    Parameters
    ----------
    source
        The path of a CSV, TSV or Parquet file; an Arrow table, batch or reader; a Dask DataFrame or
        array, whose partitions are summed where they are; or an iterable of tables.
    columns
        Names of the columns to keep, in this order; None for all.
    missing
        Rows with empty cells are refused ("error") or left out ("drop").
    progress
        Called after each part with the rows read so far and the share of the source, None where
        that is not known. Not called for Dask, which has its own dashboard.

    Examples
    --------
    >>> import numpy as np
    >>> halves = (np.array([[0.0, 1.0], [2.0, 2.0]]), np.array([[4.0, 6.0]]))
    >>> stream_moments(halves).S.round(3).tolist()
    [[2.667, 3.333], [3.333, 4.667]]
    """
    if missing not in {"error", "drop"}:
        raise OptionError("missing", missing, "'error' or 'drop' with rows that are streamed")
    if hasattr(source, "__dask_graph__"):
        names, total = _on_dask(source, columns)
    else:
        names, total = _in_turn(source, columns, progress)
    return _moments(names, total, missing)


def _in_turn(
    source: object, columns: Sequence[str] | None, progress: Progress | None
) -> tuple[tuple[str, ...], Sums]:
    names: tuple[str, ...] | None = None
    sums, rows = Pairwise(), 0
    for part in parts(source, columns):
        if names is None:
            names = part.names
            check_names(names)
        elif part.names != names:
            raise BadShape(f"a part has the columns {part.names[:8]}, the first {names[:8]}")
        sums.add(Sums.of(part.values))
        rows += len(part.values)
        if progress is not None:
            progress(rows, part.share)
    total = sums.total()
    if names is None or total is None:
        raise TooFewRows(0)
    return names, total


def _on_dask(source: Any, columns: Sequence[str] | None) -> tuple[tuple[str, ...], Sums]:
    """Every partition is summed by the worker that holds it; only sums travel."""
    try:
        from dask import delayed
    except ImportError:
        raise MissingPackage("dask", "a Dask table", "dask") from None
    blocks = source if hasattr(source, "columns") else source.rechunk({1: -1})
    held = [delayed(_partition)(part, columns) for part in np.ravel(blocks.to_delayed())]
    if not held:
        raise TooFewRows(0)
    while len(held) > 1:
        pairs = [delayed(_both)(*held[k : k + 2]) for k in range(0, len(held) - 1, 2)]
        held = pairs + held[len(held) - len(held) % 2 :]
    names, total = held[0].compute()
    check_names(names)
    return names, total


def _partition(part: object, columns: Sequence[str] | None) -> tuple[tuple[str, ...], Sums]:
    (found,) = parts(part, columns)
    return found.names, Sums.of(found.values)


def _both(
    first: tuple[tuple[str, ...], Sums], second: tuple[tuple[str, ...], Sums]
) -> tuple[tuple[str, ...], Sums]:
    return first[0], first[1].merge(second[1])


def _moments(names: tuple[str, ...], total: Sums, missing: str) -> Moments:
    """The sums as moments, or the sentence that says why they cannot be."""
    counts = {names[j]: int(total.empty[j]) for j in np.flatnonzero(total.empty).tolist()}
    if counts and missing == "error":
        raise MissingValues(counts)
    _refuse(names, total.infinite, InfiniteValues)
    _refuse(names, total.empty == max(total.rows, 1), EmptyColumn)
    if total.n < 2:
        raise TooFewRows(total.n, complete=bool(counts))
    _refuse(names, total.low == total.high, ConstantColumn)
    record = Missing("drop", total.rows, counts) if counts else None
    S = (total.scatter + total.scatter.T) / (2 * total.n)
    moments = Moments(total.n, total.mean, S, names, record)
    moments.check_rank()
    return moments


def _refuse(names: tuple[str, ...], where: Any, failure: Callable[[list[str]], Exception]) -> None:
    found = [names[j] for j in np.flatnonzero(where).tolist()]
    if found:
        raise failure(found)
