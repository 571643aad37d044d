"""Shares of many graphs to one graph."""

from __future__ import annotations

import numpy as np

from dagdecor.search.residual_kernels import Array, Flags


def decide(edge_share: Array, arc_share: Array) -> tuple[Flags, Flags]:
    """The most probable mark of each pair, where that is not none.

    edge_share (p, p) of i -> j, arc_share (p, p) symmetric of i <-> j. Pairs are settled in the
    order of their shares, and an edge that would close a cycle is left out. Returns edges and
    arcs, (p, p): acyclic, and no pair has two marks.
    """
    p = len(edge_share)
    first, second = np.triu_indices(p, 1)
    shares = np.stack(
        (edge_share[first, second], edge_share[second, first], arc_share[first, second])
    )
    marks = shares.argmax(axis=0)
    most = np.take_along_axis(shares, marks[None], axis=0)[0]
    absent = 1.0 - shares.sum(axis=0)
    edges, arcs = np.zeros((2, p, p), dtype=np.bool_)
    reach = np.eye(p, dtype=np.bool_)  # [i, j]: i is j or a directed path leads from i to j
    for at in np.argsort(-most, kind="stable"):
        i, j = int(first[at]), int(second[at])
        if not most[at] > absent[at]:
            continue
        if marks[at] == 2:
            arcs[i, j] = arcs[j, i] = True
            continue
        if marks[at] == 1:
            i, j = j, i
        if not reach[j, i]:
            edges[i, j] = True
            reach |= np.outer(reach[:, i], reach[j])
    return edges, arcs
