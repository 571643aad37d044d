"""A matplotlib Figure that a notebook shows, without a window or a backend to choose."""

from __future__ import annotations

import io

from matplotlib.figure import Figure


class Picture(Figure):
    """As its parent, and shown where it is the last value of a notebook's cell."""

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self.savefig(buffer, format="png", bbox_inches="tight", dpi=110)
        return buffer.getvalue()
