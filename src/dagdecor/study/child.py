"""The process that computes: it fits what it is sent, one thing at a time, and can be killed.

Its standard output carries messages only; what a method prints goes nowhere. It ends when whoever
started it ends: a thread waits for the end of standard input, and should a method hold the
interpreter's lock for ever, an alarm of the operating system ends the process some seconds after
the limit.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import sys
import threading
from typing import Any, BinaryIO

from dagdecor.study.frames import read_frame, write_frame

GRACE = 10.0  # seconds after the limit, when nobody has ended this process


def main(compiling: bool) -> None:  # noqa: FBT001 - written into a command line
    """Serve until standard input ends; `compiling` brings our own kernels into their cache first.

    That takes a minute or two once on a machine, which no time limit of a fit should count.
    """
    replies = os.fdopen(os.dup(1), "wb")
    requests = os.fdopen(os.dup(0), "rb")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who started us
    from dagdecor.study.fitting import warm_up
    from dagdecor.study.methods import OWN

    for method in OWN if compiling else ():
        warm_up(method)
    _silence()
    waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests, waiting), daemon=True).start()
    write_frame(replies, b"up")
    warm: set[bytes] = set()
    while True:
        write_frame(replies, _answer(waiting.get(), warm, replies))


def _answer(request: bytes, warm: set[bytes], replies: BinaryIO) -> bytes:
    """The row of a request; sends b"warm" in between, when the fit itself begins."""
    from dagdecor.study.fitting import fitted, warm_up

    seed, limit, design, chosen = pickle.loads(request)  # noqa: S301 - from our own parent
    _alarm(2 * limit + GRACE)
    try:
        make, method = pickle.loads(design), pickle.loads(chosen)  # noqa: S301 - as above
        if chosen not in warm:
            warm_up(method)
            warm.add(chosen)
        write_frame(replies, b"warm")
        row: dict[str, Any] = fitted(make, method, seed)
    except Exception as error:  # noqa: BLE001 - a design or method that cannot be built here
        text = " ".join(str(error).split())
        row = {"status": "failed", "message": f"{type(error).__name__}: {text}"[:400]}
    _alarm(0.0)
    return pickle.dumps(row)


def _listen(requests: BinaryIO, waiting: queue.SimpleQueue[bytes]) -> None:
    while True:
        request = read_frame(requests)
        if request is None:
            os._exit(0)  # whatever is being computed: nobody waits for it
        waiting.put(request)


def _silence() -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115 - as long as we live


def _alarm(seconds: float) -> None:
    """End this process then, by the default action of SIGALRM; 0 takes it back."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)
