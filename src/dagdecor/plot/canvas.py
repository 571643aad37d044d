"""What all pictures share: matplotlib when it is there, colours, labels, and files."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any

from dagdecor.errors import MissingPackage, OptionError

INK, ARC, PAPER, GRID = "#1b2a41", "#b5482f", "#f4f1ea", "#d9d4c7"
KINDS = ("svg", "png", "pdf")


def figure(size: tuple[float, float], purpose: str) -> Any:
    """An empty figure of that many inches, drawn without a window."""
    try:
        from dagdecor.plot.figure import Picture
    except ImportError:
        raise MissingPackage("matplotlib", purpose, "plot") from None
    return Picture(figsize=size)


def check_kind(kind: str) -> None:
    """Refuse a file that is not an svg, png or pdf."""
    if kind not in KINDS:
        raise OptionError("kind", kind, "'svg', 'png' or 'pdf'")


def rendered(drawn: Any, kind: str) -> bytes:
    """The bytes of an svg, png or pdf file; the same figure gives the same bytes."""
    check_kind(kind)
    import matplotlib as mpl

    buffer = io.BytesIO()
    # A fixed salt and no date: two runs write the same bytes.
    settings: dict[Any, Any] = {
        "svg.hashsalt": "dagdecor",
        "svg.fonttype": "none",
        "pdf.fonttype": 42,
    }
    with mpl.rc_context(settings), warnings.catch_warnings():
        date = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind, {})
        warnings.filterwarnings("ignore", "Glyph .* missing")  # a box for an emoji is no failure
        drawn.savefig(buffer, format=kind, bbox_inches="tight", dpi=160, metadata=date)
    return buffer.getvalue()


def kind_of(path: Path) -> str:
    """The kind of picture that a file's ending names."""
    kind = path.suffix.lstrip(".").lower()
    if kind not in KINDS:
        raise OptionError("out", str(path), "a file that ends in .svg, .png or .pdf")
    return kind


def label(name: str, most: int = 14) -> str:
    """Plain text of bounded length: no line breaks, no mathtext."""
    shown = "".join(c if c.isprintable() else " " for c in name)
    shown = shown if len(shown) <= most else shown[: most - 1] + "\u2026"
    return shown.replace("$", r"\$")
