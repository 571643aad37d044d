"""Files in and out of a command, and the lines about them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from dagdecor import document
from dagdecor.errors import MissingPackage, NotConverged, OutputExists, UnreadableFile

WIDTH = 80


def check_folder(out: Path | None, force: bool) -> None:
    """Refuse a taken folder before the work, not after it."""
    from dagdecor.report.folder import repair, taken

    if out is not None:
        repair(out)
        if taken(out) and not (force and out.is_dir()):
            raise OutputExists(out)


def at(words: str, place: Path) -> str:
    """The words and then a path, which has a line of its own where one line of 80 is too short."""
    line = f"{words} {place}"
    return line if len(line) <= WIDTH else f"{words}\n{place}"


def check_file(out: Path | None, force: bool) -> None:
    """The same for a file."""
    if out is not None and out.exists() and not force:
        raise OutputExists(out)


def say_written(folder: Path, names: list[str]) -> None:
    """Name the files that were written."""
    print("\n" + at("written to", folder) + "\n  " + "\n  ".join(names))


def picture_or_note(name: str, drawn: Callable[[], bytes]) -> dict[str, bytes]:
    """A picture by its file name; where matplotlib is absent a note, and nothing."""
    try:
        return {name: drawn()}
    except MissingPackage as error:
        typer.echo(f"no picture: {error}", err=True)
        return {}


def text(path: Path) -> str:
    """The text of a document, or the sentence that says why it cannot be read."""
    try:
        if path.stat().st_size > document.LIMIT:
            raise UnreadableFile(path, f"it is larger than {document.LIMIT // 2**20} MiB")
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UnreadableFile(path, "there is no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableFile(path, str(error)) from None


@contextmanager
def warnings_as_lines() -> Iterator[None]:
    """Print our own warnings as one line each on the error stream."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", NotConverged)
        yield
    for warning in caught:
        typer.echo(f"warning: {warning.message}", err=True)
