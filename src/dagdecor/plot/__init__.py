"""Pictures for papers: the graph, its matrices, shares of marks, paths of penalties.

>>> import dagdecor as dd
>>> graph = dd.MixedGraph(["a", "b"], directed=[("a", "b")])
>>> dd.plot.picture(graph, "svg")[:5]
b'<?xml'
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dagdecor.errors import OptionError
from dagdecor.fit import Fit
from dagdecor.graph import MixedGraph
from dagdecor.plot.canvas import check_kind, kind_of, rendered
from dagdecor.plot.curves import path, reliability
from dagdecor.plot.layout import layout
from dagdecor.plot.matrices import confidence, matrix
from dagdecor.plot.network import network

__all__ = ["WHAT", "draw", "layout", "path", "picture", "reliability", "rendered", "save"]

WHAT = ("graph", "matrix", "confidence")


def draw(fit: Fit | MixedGraph, what: str = "graph") -> Any:
    """A matplotlib Figure; the same input draws the same picture.

    Parameters
    ----------
    fit
        A fit; a graph alone can be drawn as "graph".
    what
        "graph": layered by causal order, width by strength, opacity by share; "matrix": heat maps
        of standardised effects and noise correlations; "confidence": heat maps of the shares.
    """
    if what not in WHAT:
        raise OptionError("what", what, "'graph', 'matrix' or 'confidence'")
    if what == "graph":
        return network(fit)
    if isinstance(fit, MixedGraph):
        raise OptionError("what", what, "'graph' for a graph; the others need a fit")
    return matrix(fit) if what == "matrix" else confidence(fit)


def picture(fit: Fit | MixedGraph, kind: str = "svg", what: str = "graph") -> bytes:
    """The bytes of an svg, png or pdf file; the same input gives the same bytes."""
    check_kind(kind)
    return rendered(draw(fit, what), kind)


def save(fit: Fit | MixedGraph, out: str | Path, what: str = "graph") -> None:
    """Write a picture; the file's ending says whether it is svg, png or pdf."""
    place = Path(out)
    place.write_bytes(picture(fit, kind_of(place), what))
