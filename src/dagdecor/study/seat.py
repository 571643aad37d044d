"""A seat holds one process that fits, and takes it away from a fit that passes its time limit.

Each thread has a seat of its own, so that as many processes compute as threads wait. A process
lives through many fits; after a kill or a crash the seat starts a new one. The same holds on a Dask
worker, whose own processes may not have children by `multiprocessing`: these are plain ones.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any

from dagdecor.errors import SeatFailed
from dagdecor.study.frames import read_frame, write_frame

START = 900.0  # seconds that a process may take to import, and the first one to compile
BLAS = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB_MAXIMUM", "NUMBA")
_OWN = threading.local()
_ALL: set[Seat] = set()
_LOCK = threading.Lock()
_STARTING = threading.Lock()
_COMPILED = threading.Event()


@dataclass(frozen=True)
class Task:
    """One fit to be done: the row's key columns, and what the process needs, pickled by value."""

    row: Mapping[str, Any]
    seed: int
    limit: float
    make: bytes
    method: bytes


def attempt(task: Task) -> dict[str, Any]:
    """The task's row, whatever happens, also when it is timed out or lost with its process."""
    seat = getattr(_OWN, "seat", None)
    if seat is None:
        seat = _OWN.seat = Seat()
    return {**task.row, **seat.fit(task), "limit": task.limit}


def close_all() -> None:
    """End every process of this process's seats; fits under way come back as lost."""
    with _LOCK:
        seats = list(_ALL)
    for seat in seats:
        seat.close()


class Seat:
    """One replaceable process."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._replies: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()

    def fit(self, task: Task) -> dict[str, Any]:
        """Send the task and wait: `limit` seconds to warm up, and again as many for the fit."""
        request = pickle.dumps((task.seed, task.limit, task.make, task.method))
        process = self._running()
        start = time.perf_counter()
        try:
            write_frame(_pipe(process.stdin), request)
            if (reply := self._replies.get(timeout=task.limit)) == b"warm":
                start = time.perf_counter()
                reply = self._replies.get(timeout=task.limit)
        except queue.Empty:
            self.close()
            sentence = f"stopped after {task.limit:g} seconds"
            return {"status": "timed out", "message": sentence, "seconds": task.limit}
        except OSError:  # it died before it could read
            reply = None
        if reply is not None:
            row: dict[str, Any] = pickle.loads(reply)  # noqa: S301 - from our own process
            return row
        message = f"the process {_ending(process)}"
        self.close()
        return {
            "status": "lost",
            "message": message,
            "seconds": round(time.perf_counter() - start, 6),
        }

    def close(self) -> None:
        """End the process at once; the next fit starts another."""
        with _LOCK:
            _ALL.discard(self)
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            _pipe(process.stdin).close()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            # One at a time: the first one compiles our kernels, the others find them compiled.
            with _STARTING, tempfile.TemporaryFile() as complaints:
                self._start(complaints)
                _COMPILED.set()
        if self._process is None:
            raise SeatFailed("it was ended while it started")
        return self._process

    def _start(self, complaints: IO[bytes]) -> None:
        self._replies = queue.SimpleQueue()
        compiling = not _COMPILED.is_set()
        process = subprocess.Popen(  # noqa: S603 - this interpreter, this package
            [sys.executable, "-c", f"from dagdecor.study.child import main; main({compiling})"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            env=_environment(),
            start_new_session=True,  # Ctrl-C reaches the one who started us, who then ends it
        )
        self._process = process
        with _LOCK:
            _ALL.add(self)
        threading.Thread(
            target=_listen, args=(_pipe(process.stdout), self._replies), daemon=True
        ).start()
        first = None
        with contextlib.suppress(queue.Empty):
            first = self._replies.get(timeout=START)
        if first != b"up":
            self.close()
            complaints.seek(0)
            lines = complaints.read().decode(errors="replace").split("\n")
            raise SeatFailed(next((line for line in reversed(lines) if line.strip()), "no word"))


def _listen(stream: IO[bytes], replies: queue.SimpleQueue[bytes | None]) -> None:
    with stream:
        while (reply := read_frame(stream)) is not None:  # type: ignore[arg-type]
            replies.put(reply)
    replies.put(None)


def _pipe(stream: IO[bytes] | None) -> Any:
    assert stream is not None  # noqa: S101 - both ends were asked for as pipes
    return stream


def _environment() -> dict[str, str]:
    """What the starting process has, its folders of modules, and one thread for linear algebra."""
    places = [place or os.getcwd() for place in sys.path]  # noqa: PTH109 - a string is wanted
    return {
        **os.environ,
        **{f"{name}_NUM_THREADS": "1" for name in BLAS},
        "PYTHONPATH": os.pathsep.join(places),
        "PYTHONHASHSEED": "0",  # methods that walk over sets give the same answer in each process
        "MPLBACKEND": "Agg",
    }


def _ending(process: subprocess.Popen[bytes]) -> str:
    """How a process that does not answer any more came to its end."""
    try:
        code = process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        return "stopped answering"
    if code >= 0:
        return f"ended with exit code {code}"
    return f"was ended by {signal.Signals(-code).name}: killed, crashed or out of memory"
