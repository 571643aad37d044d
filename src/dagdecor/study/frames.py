"""Messages between a seat and its process: eight bytes of length, then so many bytes."""

from __future__ import annotations

import struct
from typing import BinaryIO

_LENGTH = struct.Struct("<Q")


def write_frame(stream: BinaryIO, message: bytes) -> None:
    """Send one message."""
    stream.write(_LENGTH.pack(len(message)) + message)
    stream.flush()


def read_frame(stream: BinaryIO) -> bytes | None:
    """The next message, or None at the end of the stream, also when it ends within a message."""
    head = _exactly(stream, _LENGTH.size)
    return None if head is None else _exactly(stream, _LENGTH.unpack(head)[0])


def _exactly(stream: BinaryIO, count: int) -> bytes | None:
    parts = []
    while count:
        part = stream.read(min(count, 1 << 20))
        if not part:
            return None
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
