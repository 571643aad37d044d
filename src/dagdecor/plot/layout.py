"""Where the nodes of a mixed graph stand: causes above effects, neighbours near each other."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from dagdecor.graph import MixedGraph

Array = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]
SWEEPS = 24


def layout(graph: MixedGraph, widest: int | None = None) -> Array:
    """(p, 2) grid places: a node stands below its parents, near its neighbours; loners last.

    A layer of more than `widest` nodes becomes several rows, so that a large graph fills a page
    and not a line; None chooses by the number of nodes.
    """
    depth = _depths(graph)
    near = (graph.directed_matrix | graph.directed_matrix.T | graph.bidirected_matrix).astype(float)
    layers = [np.flatnonzero(depth == level) for level in range(int(depth.max(initial=-1)) + 1)]
    across = _columns(layers, near)
    most = max(8, math.ceil(1.6 * math.sqrt(len(depth)))) if widest is None else widest
    places = np.zeros((len(depth), 2))
    row = 0
    for layer in layers:
        rows = math.ceil(len(layer) / most)
        for rank, node in enumerate(layer[np.argsort(across[layer], kind="stable")]):
            x = across[node] if rows == 1 else (rank - (len(layer) - 1) / 2) / rows
            places[node] = x, -(row + rank % rows)
        row += rows
    return places


def _depths(graph: MixedGraph) -> Places:
    """(p,) layers: one below the lowest parent; sources close to their children; loners last."""
    index = {name: place for place, name in enumerate(graph.names)}
    depth = np.zeros(len(index), dtype=np.intp)
    for name in graph.order:
        above = [depth[index[parent]] + 1 for parent in graph.parents(name)]
        depth[index[name]] = max(above, default=0)
    for name in graph.names:
        below = [depth[index[child]] for child in graph.children(name)]
        if below and not graph.parents(name):
            depth[index[name]] = min(below) - 1
    linked = graph.directed_matrix | graph.directed_matrix.T | graph.bidirected_matrix
    alone = ~linked.any(axis=1)
    if not alone.all():
        depth[alone] = depth.max(initial=-1) + 1
    # a layer that the moves above have emptied leaves no gap
    return np.asarray(np.unique(depth, return_inverse=True)[1].reshape(-1), dtype=np.intp)


def _columns(layers: list[Places], near: Array) -> Array:
    """Barycentre sweeps over the layers (Sugiyama 1981); the least total width of arrows wins."""
    across = np.zeros(len(near))
    for layer in layers:
        across[layer] = _grid(np.arange(len(layer), dtype=float))
    best: Array = across.copy()
    least = np.inf
    for sweep in range(SWEEPS):
        for layer in layers if sweep % 2 else layers[::-1]:
            total = near[layer].sum(axis=1)
            centre = np.where(total > 0, near[layer] @ across / np.maximum(total, 1), across[layer])
            across[layer] = _grid(centre)
        length = float(np.sum(near * np.abs(across[:, None] - across)))
        if length < least - 1e-9:
            best, least = across.copy(), length
    return best


def _grid(wanted: Array) -> Array:
    """Places one unit apart in the order of `wanted`, centred on zero."""
    placed = np.empty(len(wanted))
    placed[np.argsort(wanted, kind="stable")] = np.arange(len(wanted)) - (len(wanted) - 1) / 2
    return placed
