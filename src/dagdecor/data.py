"""Tables: where they come from, what their columns are called, and what is refused.

Nothing is centred here and no statistic of two columns is taken; a `Table` is checked numbers.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dagdecor.errors import (
    BadShape,
    ConstantColumn,
    DataError,
    DuplicateNames,
    EmptyColumn,
    InfiniteValues,
    MissingValues,
    NotNumeric,
    TinyVariation,
    TooFewRows,
    TooManyColumns,
    UnreadableFile,
)
from dagdecor.graph import default_names

if TYPE_CHECKING:
    import pandas as pd

COLUMN_LIMIT = 20_000
DECIMAL_COMMA = re.compile(r"\s*[+-]?\d+,\d+\s*")
LARGEST = 1e150  # squares of larger numbers overflow
SMALLEST = 1e-140  # squares of smaller ones lose digits, or vanish


@dataclass(frozen=True)
class Table:
    """(n, p) numbers and the p names of their columns; every cell is finite, or nan if empty."""

    values: npt.NDArray[np.float64]
    names: tuple[str, ...]


def rows(X: object, names: Sequence[str] | None = None, *, gaps: bool = False) -> Table:
    """Check an array or a DataFrame and name its columns; the caller's object is not changed.

    Empty cells are refused unless `gaps`.
    """
    if hasattr(X, "toarray"):
        raise DataError("sparse matrices are not supported: pass X.toarray()")
    labels, values = _columns(X) if hasattr(X, "columns") else _array(X)
    if names is not None:
        labels = tuple(str(name) for name in names)
    count = values.shape[1]
    if count == 0:
        raise BadShape(
            f"the table has no columns: 0 feature(s) (shape={values.shape}) "
            "while a minimum of 1 is required."
        )
    if count > COLUMN_LIMIT:
        raise TooManyColumns(count, COLUMN_LIMIT)
    labels = labels or default_names(count)
    if len(labels) != count:
        raise BadShape(f"{len(labels)} names for {count} columns")
    check_names(labels)
    if len(values) == 0:
        raise TooFewRows(0)
    _check_cells(values, labels, gaps=gaps)
    return Table(values, labels)


def table(X: object, names: Sequence[str] | None = None, *, gaps: bool = False) -> Table:
    """Check `rows` that a covariance is to be learned from: two at least, no constant column."""
    checked = rows(X, names, gaps=gaps)
    if len(checked.values) < 2:
        raise TooFewRows(len(checked.values))
    empty = np.flatnonzero(np.isnan(checked.values).all(axis=0)).tolist()
    if empty:
        raise EmptyColumn(checked.names[j] for j in empty)
    extent = np.nanmax(checked.values, axis=0) - np.nanmin(checked.values, axis=0)
    constant = np.flatnonzero(extent == 0).tolist()
    if constant:
        raise ConstantColumn(checked.names[j] for j in constant)
    tiny = np.flatnonzero(extent < SMALLEST).tolist()
    if tiny:
        raise TinyVariation(checked.names[j] for j in tiny)
    return checked


def read_table(path: str | Path, separator: str | None = None) -> Table:
    """Read a CSV or TSV file with a header line; the separator is guessed from that line."""
    return table(read_frame(path, separator))


def read_frame(path: str | Path, separator: str | None = None) -> pd.DataFrame:
    """The same, with its cells unchecked."""
    place = Path(path)
    text_separator = separator or _separator(place)
    import pandas as pd

    _check_header(place, text_separator)
    try:
        frame: pd.DataFrame = pd.read_csv(
            place, sep=text_separator, index_col=False, encoding="utf-8-sig"
        )
    except pd.errors.EmptyDataError:
        raise UnreadableFile(place, "it is empty") from None
    except pd.errors.ParserError as error:
        raise UnreadableFile(place, f"its rows differ in length ({error})".strip()) from None
    except (UnicodeDecodeError, ValueError) as error:
        raise UnreadableFile(place, f"it is not a text table ({error})") from None
    return frame


def read_chunks(path: str | Path, cells: int) -> Iterator[tuple[pd.DataFrame, float]]:
    """A text table in frames of about so many cells, with the share of the file that is read.

    Its lines are not looked through beforehand: a short one is a row with empty cells.
    """
    place = Path(path)
    separator = _separator(place)
    import pandas as pd

    with place.open("rb") as file:
        check_names(next(csv.reader([_header(place)], delimiter=separator)))
        width = max(1, _header(place).count(separator) + 1)
        size = max(place.stat().st_size, 1)
        try:
            with pd.read_csv(
                file,
                sep=separator,
                index_col=False,
                encoding="utf-8-sig",
                chunksize=max(1, cells // width),
            ) as reader:
                for frame in reader:
                    yield frame, min(1.0, file.tell() / size)
        except pd.errors.ParserError as error:
            raise UnreadableFile(place, f"its rows differ in length ({error})".strip()) from None
        except UnicodeDecodeError as error:
            raise UnreadableFile(place, f"it is not a text table ({error})") from None


def _header(place: Path) -> str:
    with place.open(encoding="utf-8-sig", errors="replace") as file:
        return file.readline().rstrip("\r\n")


def column_table(X: object) -> tuple[tuple[str, ...], npt.NDArray[np.float64]]:
    """Names and float64 cells of a DataFrame, or of an array with names made up; unchecked."""
    if hasattr(X, "columns"):
        return _columns(X)
    _, values = _array(X)
    return default_names(values.shape[1]), values


def raw_columns(X: object) -> list[tuple[str, npt.NDArray[Any]]]:
    """Name and cells of each column of an array or a DataFrame, whatever the cells are."""
    if hasattr(X, "columns"):
        frame: Any = X if hasattr(X, "iloc") else X.to_pandas()  # type: ignore[attr-defined]
        labels = [_label(name) for name in frame.columns]
        return [(name, _plain(frame.iloc[:, place])) for place, name in enumerate(labels)]
    values = two_dimensional(X)
    return [(name, values[:, j]) for j, name in enumerate(default_names(values.shape[1]))]


def check_names(names: Sequence[str]) -> None:
    """Refuse a name that occurs twice."""
    if len(set(names)) < len(names):
        raise DuplicateNames(name for name, count in Counter(names).items() if count > 1)


def two_dimensional(X: object) -> npt.NDArray[Any]:
    """X as an array; refuses one that is no table."""
    values = np.asarray(X)
    if values.ndim != 2:
        raise BadShape(
            f"a table has two dimensions, this has {values.ndim}. Reshape your data with "
            "X.reshape(-1, 1) if it is one column, X.reshape(1, -1) if it is one row"
        )
    return values


def _array(X: object) -> tuple[tuple[str, ...], npt.NDArray[np.float64]]:
    values = two_dimensional(X)
    if values.dtype.kind in "bif":
        return (), np.array(values, dtype=np.float64, order="C")  # one layout, the same bits
    labels = default_names(values.shape[1])
    columns = [numbers(values[:, place], name) for place, name in enumerate(labels)]
    return (), np.column_stack(columns) if columns else np.empty(values.shape)


def _columns(X: Any) -> tuple[tuple[str, ...], npt.NDArray[np.float64]]:
    raw = raw_columns(X)
    columns = [numbers(cells, name) for name, cells in raw]
    return (
        tuple(name for name, _ in raw),
        np.column_stack(columns) if columns else np.empty((len(X), 0)),
    )


def _label(name: object) -> str:
    return "/".join(str(part) for part in name) if isinstance(name, tuple) else str(name)


def _plain(column: Any) -> npt.NDArray[Any]:
    kind = getattr(column.dtype, "kind", "O")
    if kind in "bif":
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    return np.asarray(column.to_numpy())


def numbers(column: npt.NDArray[Any], name: str) -> npt.NDArray[np.float64]:
    """One column as float64, or the sentence that says why not."""
    if column.dtype.kind in "bif":
        return np.asarray(column, dtype=np.float64)
    if column.dtype.kind == "c":
        raise NotNumeric(name, "Complex data not supported")
    if column.dtype.kind in "mM":
        raise NotNumeric(name, "it holds dates or times")
    texts = [(row, cell) for row, cell in enumerate(column, start=1) if isinstance(cell, str)]
    if texts:
        row, cell = next((place for place in texts if not _reads_as_number(place[1])), texts[0])
        comma = ", with a decimal comma: write points" if DECIMAL_COMMA.fullmatch(cell) else ""
        raise NotNumeric(name, f"row {row} holds the text {cell[:40]!r}{comma}")
    try:
        return np.array([np.nan if cell is None else float(cell) for cell in column])
    except (TypeError, ValueError) as error:
        raise NotNumeric(name, str(error)) from None


def _reads_as_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def count_empty(values: npt.NDArray[np.float64], names: Sequence[str]) -> dict[str, int]:
    """Empty cells of each column that has any."""
    missing = np.isnan(values).sum(axis=0)
    return {names[j]: int(missing[j]) for j in np.flatnonzero(missing).tolist()}


def _check_cells(values: npt.NDArray[np.float64], names: Sequence[str], *, gaps: bool) -> None:
    missing = count_empty(values, names)
    if missing and not gaps:
        raise MissingValues(missing)
    size = np.fmax.reduce(np.abs(values), axis=0)
    infinite = np.flatnonzero(size >= LARGEST).tolist()
    if infinite:
        raise InfiniteValues(names[j] for j in infinite)


def _separator(path: Path) -> str:
    if not path.exists():
        raise UnreadableFile(path, "there is no such file")
    if path.is_dir():
        raise UnreadableFile(path, "it is a folder")
    try:
        with path.open("rb") as file:
            start = file.read(1 << 16)
    except OSError as error:
        raise UnreadableFile(path, str(error.strerror)) from None
    if not start.strip():
        raise UnreadableFile(path, "it is empty")
    if b"\0" in start:
        raise UnreadableFile(path, "it is a binary file, not a text table")
    header = start.decode("utf-8-sig", errors="replace").splitlines()[0]
    return max(",\t;", key=header.count)


def _check_header(path: Path, separator: str) -> None:
    """Refuse repeated names, which pandas would rename, and short or long rows, which it pads."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file, delimiter=separator)
            header = next(rows)
            check_names(header)
            for number, row in enumerate(rows, start=2):
                if row and len(row) != len(header):
                    raise UnreadableFile(
                        path,
                        f"line {number} has {len(row)} cells, the header has {len(header)}",
                    )
    except UnicodeDecodeError as error:
        detail = f"it is not a text table in UTF-8 ({error.reason}): save it as UTF-8"
        raise UnreadableFile(path, detail) from None
    except csv.Error as error:
        raise UnreadableFile(path, f"it is not a text table ({error})") from None
