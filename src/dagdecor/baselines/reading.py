"""How the output of a rival is read as a mixed graph: thresholds, and marks that are undecided.

One rule for undecided marks, for CPDAGs and PAGs alike: return a member of the class. Arrowheads
and bidirected edges stay; the circle of a partly directed edge o-> becomes a tail; edges without
any arrowhead are oriented so that no cycle and no new unshielded collider arises (Dor and Tarsi
1992 for CPDAGs; Zhang 2008, theorem 2, for PAGs). Where the marks, being estimates, allow no such
orientation, as few edges as possible are turned in each step.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from dagdecor.graph import MixedGraph

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


def thresholded(B: Array, threshold: float | Array = 0.0) -> Array:
    """B with |B_ij| <= threshold at zero, then without its smallest entries while it is cyclic.

    B (p, p). The post-processing of GOLEM (Ng, Ghassami, Zhang 2020).
    """
    size = np.where(np.abs(B) > threshold, np.abs(B), 0.0)
    np.fill_diagonal(size, 0.0)
    cuts = np.concatenate(([0.0], np.unique(size[size > 0])))
    low, high = 0, len(cuts) - 1  # nothing is left at the last cut
    while low < high:
        middle = (low + high) // 2
        if is_acyclic(size > cuts[middle]):
            high = middle
        else:
            low = middle + 1
    return np.asarray(np.where(size > cuts[low], B, 0.0))


def is_acyclic(edges: Flags) -> bool:
    """Whether no directed circle runs through edges (p, p)."""
    left = np.arange(len(edges))
    while left.size:
        inside = edges[np.ix_(left, left)].any(axis=0)
        if inside.all():
            return False
        left = left[inside]
    return True


def member(heads: Flags, names: Sequence[str]) -> tuple[MixedGraph, int]:
    """A graph of the class, and how many directed edges had to be turned for it.

    heads (p, p, 2): heads[i, j, 0] says that i and j are adjacent, heads[i, j, 1] that their edge
    has an arrowhead at j. A pair with two arrowheads is bidirected, with one directed, with none
    undecided.
    """
    adjacent, pointed = heads[..., 0], heads[..., 1]
    arcs = pointed & pointed.T
    directed = pointed & ~pointed.T
    undecided = adjacent & ~pointed & ~pointed.T
    oriented, turned = _extension(directed, undecided, adjacent)
    return MixedGraph.from_matrices(oriented, arcs, tuple(names)), turned


def _extension(directed: Flags, undecided: Flags, adjacent: Flags) -> tuple[Flags, int]:
    """Remove nodes one at a time, each as a sink of what is left; Dor and Tarsi 1992."""
    found = np.zeros_like(directed)
    left = np.arange(len(directed))
    turned = 0
    while left.size:
        sink = _sink(left, directed, undecided, adjacent)
        turned += int(directed[sink, left].sum())
        found[left, sink] = (directed[left, sink] | directed[sink, left]) | undecided[left, sink]
        left = left[left != sink]
    return found, turned


def _sink(left: npt.NDArray[np.intp], directed: Flags, undecided: Flags, adjacent: Flags) -> int:
    """The first node that may be a sink, or else the one with least to turn."""
    best, least = -1, (len(left), 0)
    for node in left.tolist():
        cost = _cost(node, left, directed, undecided, adjacent)
        if cost < least:
            best, least = node, cost
        if cost == (0, 0):
            break
    return best


def _cost(
    node: int, left: npt.NDArray[np.intp], directed: Flags, undecided: Flags, adjacent: Flags
) -> tuple[int, int]:
    """(edges to turn, pairs of neighbours that would newly collide) if this node is the sink."""
    out = int(directed[node, left].sum())
    into = left[directed[left, node] | undecided[left, node] | directed[node, left]]
    apart = ~adjacent[np.ix_(into, into)]
    np.fill_diagonal(apart, val=False)
    free = undecided[into, node]
    return out, int((apart & (free[:, None] | free)).sum())
