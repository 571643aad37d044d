"""The rows of a study: a file that is only ever appended to, one JSON object a line.

A line is on disk before the next fit counts as finished. A process that is killed while it writes
leaves at most one torn last line; it is cut off when the file is opened again, and that fit is
repeated.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from dagdecor.errors import BadRows, FolderInUse

FILE = "rows.jsonl"
KEY = ("study", "design", "draw", "method")
Row = dict[str, Any]
Key = tuple[Any, ...]


def key(row: Mapping[str, Any]) -> Key:
    """What a row is found again by."""
    return tuple(row[name] for name in KEY)


def read(path: Path) -> list[Row]:
    """The last row of each key, in the order of the file; a torn last line is passed over."""
    if not path.is_file():
        return []
    found: dict[Key, Row] = {}
    for row in _parsed(path, path.read_bytes())[0]:
        found[key(row)] = row
    return list(found.values())


def _parsed(path: Path, content: bytes) -> tuple[list[Row], int]:
    """The rows, and how many bytes of the file are whole lines."""
    lines = content.split(b"\n")
    rows, whole = [], 0
    for number, line in enumerate(lines[:-1], start=1):
        try:
            row = json.loads(line)
            key(row)
        except (ValueError, KeyError, TypeError):
            if number == len(lines) - 1 and not lines[-1]:
                break  # torn by a loss of power: its end is there, its middle is not
            raise BadRows(path, number) from None
        rows.append(row)
        whole += len(line) + 1
    return rows, whole


class Rows:
    """The file, open for one run; use it as a context manager."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a+b", buffering=0)
        try:
            _lock(self._file.fileno(), path)
            self._file.seek(0)
            self.present, whole = _parsed(path, self._file.read())
            self._file.truncate(whole)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Rows:  # noqa: PYI034 - Self is younger than Python 3.10
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def add(self, row: Row) -> None:
        """Append a row; when this returns it is on disk."""
        left = memoryview(json.dumps(row, allow_nan=False).encode() + b"\n")
        while left:
            left = left[self._file.write(left) :]
        os.fsync(self._file.fileno())

    def done(self, limit: float) -> set[Key]:
        """Keys that need no fit: all but those stopped at a smaller limit than this one."""
        return {key(row) for row in self.present if not _worth_repeating(row, limit)}


def _worth_repeating(row: Mapping[str, Any], limit: float) -> bool:
    return bool(row["status"] == "timed out" and row["limit"] < limit)


def tidy(rows: Iterable[Row]) -> list[Row]:
    """Rows without nested values, for tables: versions as one text."""
    return [
        {**row, "versions": ", ".join(f"{name} {number}" for name, number in given.items())}
        for row in rows
        for given in [row.get("versions") or {}]
    ]


def _lock(descriptor: int, path: Path) -> None:
    """One run at a time; the lock goes with the process, however that ends."""
    try:
        import fcntl
    except ImportError:  # not on this system
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise FolderInUse(path.parent) from None
    except OSError:  # a file system without locks
        return
