"""The one decorator for numerical kernels: compiled by numba, cached in the user's cache folder."""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import caching as _numba_caching
from numba.core import config as _numba_config

config: Any = _numba_config  # its settings are made at run time, out of the type checker's sight

FunctionCache: Any = _numba_caching.FunctionCache

Kernel = TypeVar("Kernel", bound=Callable[..., object])


def cache_folder() -> Path:
    """Folder of the compiled kernels; DAGDECOR_CACHE overrides the user's cache folder."""
    chosen = os.environ.get("DAGDECOR_CACHE")
    if chosen:
        return Path(chosen) / "kernels" / _edition()
    if sys.platform == "win32":
        root = Path(os.environ.get("LOCALAPPDATA", "~/AppData/Local"))
    elif sys.platform == "darwin":
        root = Path("~/Library/Caches")
    else:
        root = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    return root.expanduser() / "dagdecor" / "kernels" / _edition()


def _edition() -> str:
    """A name for this state of the kernels' sources.

    Numba's cache notices a change of a kernel's own file, not of the kernels that it calls in
    other files; a stale caller would hand the wrong memory to its callee.
    """
    digest = hashlib.sha256()
    here = Path(__file__).parent
    for path in sorted([*here.glob("solve/*.py"), *here.glob("search/*.py")]):
        state = path.stat()
        digest.update(f"{path.name} {state.st_size} {state.st_mtime_ns};".encode())
    return digest.hexdigest()[:16]


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


_FOLDER = cache_folder()
_CACHED = _writable(_FOLDER)
if not (_CACHED and any(_FOLDER.rglob("*.nbi"))):
    _place = f"kept in {_FOLDER}" if _CACHED else "not kept: no writable cache folder"
    sys.stderr.write(f"dagdecor: compiling its kernels on first use, up to a minute, {_place}\n")


class _Cache(FunctionCache):  # type: ignore[misc]
    """Numba's cache, of which a damaged file or a full disk costs a compilation, not the fit."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # noqa: BLE001 - a pickle cut short fails in any way
            with contextlib.suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except (OSError, EOFError, pickle.PickleError):
            self.disable()


def compiled(function: Kernel) -> Kernel:
    """Compile `function` on its first call (no Python objects, no global lock, exact floats)."""
    kernel: Any = numba.njit(nogil=True, error_model="numpy")(function)
    if _CACHED:
        before = config.CACHE_DIR
        # numba reads its cache place when it makes the cache; the user's own setting comes back.
        config.CACHE_DIR = str(_FOLDER)
        try:
            kernel._cache = _Cache(function)  # noqa: SLF001 - as numba's enable_caching does
        finally:
            config.CACHE_DIR = before
    return cast("Kernel", kernel)
