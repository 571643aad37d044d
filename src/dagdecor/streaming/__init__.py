"""Tables larger than memory: their moments in one pass."""

from dagdecor.streaming.passes import is_large, stream_moments

__all__ = ["is_large", "stream_moments"]
