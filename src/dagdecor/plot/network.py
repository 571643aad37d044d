"""The picture of a mixed graph: causes above effects, hidden common causes as dashed arcs."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dagdecor.fit import Fit
from dagdecor.graph import MixedGraph
from dagdecor.plot.canvas import ARC, INK, PAPER, figure, label
from dagdecor.plot.layout import layout
from dagdecor.plot.routes import Boxes, Pair, routes

Array = npt.NDArray[np.float64]
FAINTEST = 0.3  # opacity of an edge of share zero
PAGE = 1.6  # width of a large picture over its height
HEIGHT = 0.27  # of a box


def network(fit: Fit | MixedGraph) -> Any:
    """A Figure, one unit an inch: width by strength, opacity by share, dashed for <->."""
    graph = fit if isinstance(fit, MixedGraph) else fit.graph
    labels = [label(name) for name in graph.names]
    widths = np.array([0.085 * len(text) + 0.24 for text in labels])
    pitch = np.array([widths.max(initial=0.5) + 0.42, 0.95])
    boxes = Boxes(layout(graph, PAGE * pitch[1] / pitch[0]) * pitch, widths, HEIGHT)
    lines = [*_lines(fit, graph, "bidirected"), *_lines(fit, graph, "directed")]
    ways = routes(boxes, [pair for _, pair, _ in lines])
    points = np.vstack([boxes.places, *ways])
    margin = np.array([widths.max(initial=0.5) / 2 + 0.15, HEIGHT / 2 + 0.1])
    low, high = points.min(axis=0) - margin, points.max(axis=0) + margin
    width, height = high - low
    drawn = figure((float(width), float(height)), "drawing a graph")
    axes = drawn.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    for node in zip(labels, boxes.places, widths, strict=True):
        _node(axes, *node)
    for (kind, _, line), way in zip(lines, ways, strict=True):
        _edge(axes, kind, way, line)
    return drawn


def _edge(axes: Any, kind: str, way: Array, line: dict[str, Any]) -> None:
    """Solid with a head at its lower end, or dashed with two heads."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    directed = kind == "directed"
    size = 10.0 + 2.4 * line["linewidth"]
    look = {"color": INK if directed else ARC, "alpha": line.get("alpha")}
    way = way.copy()
    # the line ends inside its heads, so that their tips stay sharp
    way[-1] = _head(axes, way[-2], way[-1], size, look)
    if not directed:
        way[0] = _head(axes, way[1], way[0], size, look)
    axes.add_patch(
        PathPatch(
            Path(way, [Path.MOVETO, *[Path.CURVE4] * (len(way) - 1)]),
            facecolor="none",
            edgecolor=look["color"],
            linestyle="solid" if directed else (0, (4, 2.5)),
            capstyle="butt",
            zorder=2 if directed else 1,
            **line,
        )
    )


def _head(axes: Any, inner: Array, tip: Array, size: float, look: dict[str, Any]) -> Array:
    """An arrowhead at the tip, as seen from the inner point; where its line is to end."""
    from matplotlib.patches import FancyArrowPatch

    away = (inner - tip) / np.linalg.norm(inner - tip)
    length = 0.4 * size / 72  # of matplotlib's head, in inches
    axes.add_patch(
        FancyArrowPatch(
            tip + away * length,
            tip + away * 0.012,  # off the border of the box
            arrowstyle="-|>",
            mutation_scale=size,
            shrinkA=0,
            shrinkB=0,
            linewidth=0.3,
            zorder=2.5,
            **look,
        )
    )
    return np.asarray(tip + away * length * 0.8)


def _node(axes: Any, text: str, place: Array, width: float) -> None:
    from matplotlib.patches import FancyBboxPatch

    corner = (place[0] - width / 2, place[1] - HEIGHT / 2)
    shape = "round,pad=0,rounding_size=0.08"
    axes.add_patch(
        FancyBboxPatch(
            corner,
            width,
            HEIGHT,
            boxstyle=shape,
            facecolor=PAPER,
            edgecolor=INK,
            linewidth=0.9,
            zorder=3,
        )
    )
    axes.text(*place, text, ha="center", va="center", color=INK, fontsize=9, zorder=4)


def _lines(
    fit: Fit | MixedGraph, graph: MixedGraph, kind: str
) -> list[tuple[str, Pair, dict[str, Any]]]:
    """Kind, pair of places, and the line: width by standardised size, opacity by share."""
    index = {name: place for place, name in enumerate(graph.names)}
    directed = kind == "directed"
    edges = graph.directed if directed else graph.bidirected
    pairs = [(index[first], index[second]) for first, second in edges]
    if isinstance(fit, MixedGraph):
        return [(kind, pair, {"linewidth": 1.2}) for pair in pairs]
    size = np.abs(fit.standardised_weights if directed else fit.noise_correlation)
    found = []
    for pair in pairs:
        line: dict[str, Any] = {"linewidth": 0.8 + 1.8 * min(float(size[pair]), 1.0)}
        if fit.shares is not None:
            share = (fit.shares.directed if directed else fit.shares.bidirected)[pair]
            line["alpha"] = FAINTEST + (1 - FAINTEST) * float(share)
        found.append((kind, pair, line))
    return found
