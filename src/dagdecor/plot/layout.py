"""Where the nodes of a mixed graph stand: causes above effects, neighbours near each other."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import connected_components

from dagdecor.graph import MixedGraph
from dagdecor.plot.stress import places_of

Array = npt.NDArray[np.float64]
Nodes = npt.NDArray[np.intp]
Cells = npt.NDArray[np.bool_]
BESIDE = 0.5  # free width between two parts
WIDEST = 1.4  # between loners


def layout(graph: MixedGraph, aspect: float = 1.6) -> Array:
    """(p, 2) places: a node stands below its parents, near its neighbours; loners last.

    The second coordinate is a whole number, the row; within a row nodes stand at least 1 apart.
    Parts without a mark between them are drawn apart and packed onto a page that is `aspect`
    times as many nodes wide as it is rows high.
    """
    near = graph.directed_matrix | graph.directed_matrix.T | graph.bidirected_matrix
    count, label = connected_components(near, directed=False)
    parts = [np.flatnonzero(label == part) for part in range(count)]
    drawn = [
        (
            part,
            places_of(near[np.ix_(part, part)], graph.directed_matrix[np.ix_(part, part)], aspect),
        )
        for part in sorted(parts, key=len, reverse=True)
        if len(part) > 1
    ]
    places = np.zeros((len(near), 2))
    width, height = _packed(places, near, drawn, aspect)
    alone = np.flatnonzero(~near.any(axis=1))
    most = max(math.ceil(width), math.ceil(math.sqrt(aspect * len(alone))), 1)
    columns = math.ceil(len(alone) / max(1, math.ceil(len(alone) / most)))
    step = float(np.clip((width - 1) / max(columns - 1, 1), 1.0, WIDEST))
    for rank, node in enumerate(alone):
        places[node] = step * (rank % columns), height + rank // columns
    return places * (1.0, -1.0)


def _packed(
    places: Array, near: Cells, drawn: list[tuple[Nodes, Array]], aspect: float
) -> tuple[float, int]:
    """Put each part where it lets the page grow least; the width and height of the page."""
    side = 4 + sum(1 + math.ceil(float(np.ptp(at, axis=0).max())) for _, at in drawn)
    taken = np.zeros((side, 2 * side), dtype=np.bool_)
    width, height = 0.0, 0
    for part, at in drawn:
        own = _cells(at, near[np.ix_(part, part)])
        rows, columns = own.shape
        near_by = taken[: height + rows, : math.ceil(2 * width) + columns]
        windows = np.lib.stride_tricks.sliding_window_view(near_by, own.shape)
        down, right = np.nonzero(~np.einsum("ijkl,kl->ij", windows, own))
        wide, high = np.maximum((right + columns) / 2, width), np.maximum(down + rows, height)
        best = np.lexsort((right, down, np.maximum(wide, aspect * high)))[0]
        places[part] = at + np.array([right[best] / 2, down[best]])
        taken[down[best] : down[best] + rows, right[best] : right[best] + columns] |= own
        width, height = float(wide[best]), int(high[best])
    return width, height


def _cells(at: Array, near: Cells) -> Cells:
    """Cells of half a unit by a row that a part's boxes and edges cover."""
    ends = np.argwhere(np.triu(near))
    along = np.linspace(0, 1, 24)[:, None, None]
    points = [at, *(at[ends[:, 0]] + along * (at[ends[:, 1]] - at[ends[:, 0]]))]
    rows, columns = int(at[:, 1].max()) + 1, math.ceil(2 * (at[:, 0].max() + 1 + BESIDE))
    covered = np.zeros((rows, columns), dtype=np.bool_)
    for x, y in np.vstack(points):
        covered[round(y), int(2 * x) : math.ceil(2 * (x + 1 + BESIDE))] = True
    return covered
