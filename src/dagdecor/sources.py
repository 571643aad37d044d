"""Tables from files of any kind that people keep them in, and from standard input."""

from __future__ import annotations

import sys
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dagdecor.data import read_frame
from dagdecor.errors import MissingPackage, UnreadableFile

if TYPE_CHECKING:
    import pandas as pd

# The first bytes tell the kind; a file's ending may be anything.
MAGIC = (
    (b"PAR1", "Parquet"),
    (b"ARROW1", "Feather"),
    (b"FEA1", "Feather"),
    (b"PK\x03\x04", "Excel"),
    (b"\xd0\xcf\x11\xe0", "old Excel"),
)
STDIN = "-"


def read_source(path: str | Path) -> pd.DataFrame:
    """Read CSV, TSV, Parquet, Feather or Excel (its first sheet), cells unchecked; "-" is stdin."""
    if str(path) == STDIN:
        return _from_stdin()
    place = Path(path)
    kind = kind_of(place)
    if kind is None:
        return read_frame(place)
    if kind == "old Excel":
        raise UnreadableFile(place, "it is an old Excel file: save it as .xlsx or .csv")
    return _frame(place, kind)


def _from_stdin() -> pd.DataFrame:
    if sys.stdin.isatty():
        raise UnreadableFile("standard input", "nothing is piped into it")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "table"
        place.write_bytes(sys.stdin.buffer.read())
        try:
            return read_source(place)
        except UnreadableFile as error:
            raise UnreadableFile("standard input", error.cause) from None


def kind_of(path: Path) -> str | None:
    """The binary kind of a file; None where `read_frame` takes it, or says why not."""
    try:
        with path.open("rb") as file:
            start = file.read(8)
    except OSError:
        return None
    return next((kind for magic, kind in MAGIC if start.startswith(magic)), None)


def _frame(path: Path, kind: str) -> pd.DataFrame:
    import pandas as pd

    readers: dict[str, Any] = {
        "Parquet": pd.read_parquet,
        "Feather": pd.read_feather,
        "Excel": pd.read_excel,
    }
    try:
        frame: pd.DataFrame = readers[kind](path)
    except ImportError:
        package, extra = ("openpyxl", "excel") if kind == "Excel" else ("pyarrow", "arrow")
        raise MissingPackage(package, f"reading {kind} files", extra) from None
    except (KeyError, OSError, ValueError, zipfile.BadZipFile) as error:
        raise UnreadableFile(path, f"it is no whole {kind} file ({error})") from None
    return frame
