"""Where parts of a table come from: files in chunks, Arrow batches, any iterable of tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dagdecor.data import column_table, numbers, read_chunks
from dagdecor.errors import BadShape, MissingPackage, UnreadableFile
from dagdecor.sources import kind_of

Array = npt.NDArray[np.float64]
CELLS = 1 << 21  # of a chunk: 16 MiB of numbers


class Part(NamedTuple):
    """Some rows (n, p) with the names of their columns, and how far the source has been read."""

    values: Array
    names: tuple[str, ...]
    share: float | None = None


def parts(source: object, columns: Sequence[str] | None) -> Iterator[Part]:
    """Every part of a file, an Arrow table or reader, or an iterable of tables."""
    if isinstance(source, str | Path):
        place = Path(source)
        read = _parquet if kind_of(place) == "Parquet" else _text
        found = read(place, columns)
    elif hasattr(source, "to_batches"):
        found = (_batch(batch) for batch in source.to_batches())
    elif hasattr(source, "columns") or isinstance(source, np.ndarray):
        found = iter([_table(source)])
    elif isinstance(source, Iterable):
        found = (_table(part) for part in source)
    else:
        raise BadShape(
            f"cannot read rows from {type(source).__name__}: give a file, an Arrow table or "
            "reader, a Dask DataFrame or array, or an iterable of tables"
        )
    for part in found:
        yield part if columns is None else _chosen(part, columns)


def column_names(place: Path) -> tuple[str, ...]:
    """The names of the columns of a Parquet or text file."""
    if kind_of(place) == "Parquet":
        with _opened(place) as file:
            return tuple(file.schema_arrow.names)
    frame, _ = next(iter(read_chunks(place, CELLS)))
    return tuple(map(str, frame.columns))


def _table(part: Any) -> Part:
    if hasattr(part, "schema"):
        return _batch(part)
    names, values = column_table(part)
    return Part(values, names)


def _chosen(part: Part, columns: Sequence[str]) -> Part:
    if part.names == tuple(columns):
        return part
    place = {name: j for j, name in enumerate(part.names)}
    unknown = [name for name in columns if name not in place]
    if unknown:
        raise BadShape(f"the table has no column {unknown[0]!r}")
    return Part(part.values[:, [place[name] for name in columns]], tuple(columns), part.share)


def _batch(batch: Any, share: float | None = None) -> Part:
    """An Arrow record batch or table, column by column into one array."""
    names = tuple(str(name) for name in batch.schema.names)
    values = np.empty((batch.num_rows, len(names)), order="F")
    for j, name in enumerate(names):
        column = batch.column(j).to_numpy(zero_copy_only=False)
        values[:, j] = column if column.dtype.kind in "bif" else numbers(column, name)
    return Part(values, names, share)


def _opened(place: Path) -> Any:
    try:
        from pyarrow import ArrowInvalid
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise MissingPackage("pyarrow", f"reading {place.name}", "arrow") from None
    try:
        return ParquetFile(place)
    except (OSError, ArrowInvalid) as error:
        raise UnreadableFile(place, str(error)) from None


def _parquet(place: Path, columns: Sequence[str] | None) -> Iterator[Part]:
    with _opened(place) as file:
        total, done = max(file.metadata.num_rows, 1), 0
        names = None if columns is None else list(columns)
        height = max(1, CELLS // max(1, len(names or file.schema_arrow.names)))
        # One row group at a time: a reader of several keeps what it has read of each.
        for group in range(file.num_row_groups):
            for batch in file.iter_batches(height, row_groups=[group], columns=names):
                done += batch.num_rows
                yield _batch(batch, done / total)


def _text(place: Path, columns: Sequence[str] | None) -> Iterator[Part]:
    for frame, share in read_chunks(place, CELLS):
        # before their cells are read as numbers, which they need not be
        kept = frame if columns is None else frame.loc[:, frame.columns.isin(columns)]
        names, values = column_table(kept)
        yield Part(values, names, share)
