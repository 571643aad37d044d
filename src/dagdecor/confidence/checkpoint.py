"""Finished draws in a file: a line each, only ever appended to, read back after a kill."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dagdecor.errors import OtherDraws, UnreadableFile

FORMAT = "dagdecor.draws"
VERSION = 1


class Checkpoint:
    """A file of draws that belong to one table, one method and one seed.

    The first line says which, by a key; every other line is one draw. A line that a kill cut off
    is skipped when the file is read, and its draw is made again.
    """

    def __init__(self, path: str | Path, key: str) -> None:
        self.path, self.key = Path(path), key
        self.draws: dict[int, dict[str, Any]] = {}
        known = self._read()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if not known:
            self._append({"format": FORMAT, "version": VERSION, "key": key})

    def add(self, draw: dict[str, Any]) -> None:
        """Append a draw; it is on the disk when this returns."""
        self.draws[int(draw["draw"])] = draw
        self._append(draw)

    def _read(self) -> bool:
        """Collect the draws; whether a header of this key was found."""
        if not self.path.exists():
            return False
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise UnreadableFile(self.path, str(error)) from None
        bodies = [body for body in map(_parsed, lines) if body is not None]
        headers = [body for body in bodies if "format" in body]
        if bodies and not headers and any("draw" not in body for body in bodies):
            raise OtherDraws(self.path)
        if any(
            (body["format"], body.get("version"), body.get("key")) != (FORMAT, VERSION, self.key)
            for body in headers
        ):
            raise OtherDraws(self.path)
        if headers:
            self.draws = {int(body["draw"]): body for body in bodies if "draw" in body}
        elif len(lines) > 1:
            raise OtherDraws(self.path)
        return bool(headers)

    def _append(self, body: dict[str, Any]) -> None:
        with self.path.open("ab+") as file:
            if file.tell():
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":  # a line that was cut off
                    file.write(b"\n")
            file.write(json.dumps(body, allow_nan=False).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())


def key_of(values: dict[str, Any], *arrays: npt.NDArray[np.float64]) -> str:
    """A digest of options and arrays: what a draw depends on."""
    digest = hashlib.sha256(json.dumps(values, sort_keys=True, default=str).encode())
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _parsed(line: str) -> dict[str, Any] | None:
    try:
        body = json.loads(line)
    except ValueError:
        return None
    return body if isinstance(body, dict) else None
