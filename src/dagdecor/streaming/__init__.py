"""Tables larger than memory: their moments in one pass."""

from dagdecor.streaming.parts import column_names
from dagdecor.streaming.passes import is_large, stream_moments

__all__ = ["column_names", "is_large", "stream_moments"]
