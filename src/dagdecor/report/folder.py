"""A folder of files: all of them or none, and never old ones beside new ones.

The files are written into a hidden place first. Those that replace older ones are then committed by
one rename and put in place: the older files of these names go, all of them, before the first new
one comes. Whoever reads meanwhile finds the old, the new, or too few; after a kill `repair` puts
the rest in place. What else the user keeps in the folder is not touched, nor is the folder itself,
which may be a mount point or somebody's working directory.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from dagdecor.errors import OutputExists

Files = Mapping[str, str | bytes]
PREFIX = ".dagdecor-"  # hidden places within a folder
COMMITTED = PREFIX + "next"


def write_folder(files: Files, folder: Path, *, force: bool = False) -> list[Path]:
    """Write files into a folder so that all or none appear; `force` replaces those of its names."""
    if folder.is_dir():
        with _alone(folder):
            _settle(folder)
            if taken(folder) and not force:
                raise OutputExists(folder)
            _replace(files, folder)
    elif folder.exists():
        raise OutputExists(folder)
    else:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _staged(files, folder.parent, f".{folder.name}-") as place:
            place.rename(folder)
    return [folder / name for name in files]


def repair(folder: Path) -> None:
    """Put committed files in place, where a run was ended before it had done so."""
    if (folder / COMMITTED).is_dir():
        with _alone(folder):
            _settle(folder)


def taken(folder: Path) -> bool:
    """Whether something is there that a result would stand beside or replace."""
    if not folder.is_dir():
        return folder.exists()
    return any(not path.name.startswith(PREFIX) for path in folder.iterdir())


def encoded(text: str) -> bytes:
    """UTF-8; a lone surrogate, which UTF-8 does not know, as its escape."""
    return text.encode("utf-8", "backslashreplace")


def _replace(files: Files, folder: Path) -> None:
    """Stage within the folder, which is on its own file system, commit, and put in place."""
    if any((folder / name).is_dir() for name in files):  # a name that is no file of ours
        raise OutputExists(folder)
    for left in folder.glob(PREFIX + "*"):  # of a run that was killed
        shutil.rmtree(left)
    with _staged(files, folder, PREFIX) as place:
        for path in place.iterdir():  # before the older ones go
            with path.open("rb+") as file:
                os.fsync(file.fileno())
        place.rename(folder / COMMITTED)
    _settle(folder)


def _settle(folder: Path) -> None:
    committed = folder / COMMITTED
    names = [path.name for path in committed.iterdir()] if committed.is_dir() else []
    for name in names:
        (folder / name).unlink(missing_ok=True)
    for name in names:
        (committed / name).rename(folder / name)
    if committed.is_dir():
        committed.rmdir()


@contextmanager
def _staged(files: Files, parent: Path, prefix: str) -> Iterator[Path]:
    """A hidden place that holds the files; gone afterwards if it still is where it was."""
    place = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    try:
        for name, content in files.items():
            data = encoded(content) if isinstance(content, str) else content
            (place / name).write_bytes(data)
        place.chmod(0o755)
        yield place
    finally:
        if place.exists():
            shutil.rmtree(place)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One writer at a time, where the system has locks; the lock goes with the process."""
    try:
        import fcntl
    except ImportError:  # not on this system
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
