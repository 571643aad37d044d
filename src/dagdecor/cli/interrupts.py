"""Ctrl-C as a request: the first ends work with what is finished, the second ends the command.

Python raises KeyboardInterrupt wherever it happens to be, also inside the callbacks of compiled
code, which do not survive it; a handler that only notes the request harms nothing.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def requested() -> Iterator[threading.Event]:
    """An event that the first Ctrl-C sets; outside the main thread, one that nothing sets."""
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return

    def note(number: int, frame: FrameType | None) -> None:
        if asked.is_set():
            signal.default_int_handler(number, frame)
        asked.set()
        sys.stderr.write("dagdecor: ending with what is finished; Ctrl-C again ends at once\n")

    before = signal.signal(signal.SIGINT, note)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)
