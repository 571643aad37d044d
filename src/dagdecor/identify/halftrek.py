"""The half-trek criterion: a graphical proof that coefficients are identified, or are not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from dagdecor.identify.part import Part, reach


def unsolved_nodes(part: Part) -> set[int]:
    """Nodes whose incoming coefficients the criterion does not prove rational in the covariance.

    v is solved when half-treks without sided intersection join its parents to as many distinct
    nodes, none of them v or beside v, each solved before or out of half-trek reach of v.
    (Foygel, Draisma and Drton 2012, theorem 1 and algorithm 1.)
    """
    if next(part.bows(), None) is None:
        # Every node's own parents serve, in topological order.
        return set()
    below = part.children()
    reached = [reach([node, *part.siblings[node]], below) for node in range(part.count)]
    beside = [part.siblings[node] | {node} for node in range(part.count)]
    everyone = frozenset(range(part.count))
    solved: set[int] = {node for node in everyone if not part.parents[node]}
    tried: dict[int, frozenset[int]] = {}
    network = _Network(part)
    progress = True
    while progress:
        progress = False
        for node in range(part.count):
            starts = everyone - (reached[node] - solved) - beside[node]
            if node in solved or starts == tried.get(node):
                continue
            tried[node] = starts
            if _joined(part, network, node, starts):
                solved.add(node)
                progress = True
    return set(everyone - solved)


def infinite_to_one(part: Part, unsolved: set[int]) -> bool:
    """True when no choice of start sets passes, so that almost every fibre is infinite.

    Every unsolved node v needs a set Y(v) as in `unsolved_nodes`, but for the order; of each pair,
    only one may be in the other's set (Foygel, Draisma and Drton 2012, theorem 2). Solved nodes
    w never conflict with unsolved ones: with v in Y(w) and w in Y(v), each is in half-trek reach
    of the other, so that v would have had to be solved before w.
    """
    network = _Network(part)
    beside = {node: part.siblings[node] | {node} for node in unsolved}
    for node in unsolved:
        if not _joined(part, network, node, frozenset(range(part.count)) - beside[node]):
            return True
    copies = {node: place for place, node in enumerate(sorted(unsolved))}
    size = network.size
    tails, heads = network.stacked(len(copies))
    extra: list[tuple[int, int]] = []
    pair = 2 + len(copies) * size
    for node, copy in copies.items():
        shift = 2 + copy * size
        extra += [(shift + network.end(parent), 1) for parent in part.parents[node]]
        for start in range(part.count):
            if start in beside[node]:
                continue
            if start not in copies:
                extra.append((0, shift + start))
            elif node < start:
                mirrored = 2 + copies[start] * size + node
                extra += [(0, pair), (pair, shift + start), (pair, mirrored)]
                pair += 1
    wanted = sum(len(part.parents[node]) for node in unsolved)
    return _max_flow(tails, heads, extra, pair) < wanted


def _joined(part: Part, network: _Network, node: int, starts: frozenset[int]) -> bool:
    """True when disjoint half-treks join every parent of a node to distinct starts."""
    parents = part.parents[node]
    # A parent among the starts is its own half-trek.
    if starts.issuperset(parents):
        return True
    if len(starts) < len(parents):
        return False
    extra = [(0, 2 + start) for start in starts]
    extra += [(2 + network.end(parent), 1) for parent in parents]
    tails, heads = network.stacked(1)
    return _max_flow(tails, heads, extra, 2 + network.size) == len(parents)


class _Network:
    """Units flow from a start, or a node beside it, down directed edges, one through a node.

    Node v of the graph is three of the network: v (a start), count + v (entered), and
    2 count + v (left). The first two nodes of a flow are its source and its sink.
    """

    def __init__(self, part: Part) -> None:
        count = part.count
        self.size = 3 * count
        edges = [(node, count + node) for node in range(count)]
        edges += [(count + node, 2 * count + node) for node in range(count)]
        for node in range(count):
            edges += [(node, count + other) for other in part.siblings[node]]
            edges += [(2 * count + parent, count + node) for parent in part.parents[node]]
        self._edges = np.array(edges, dtype=np.int32).reshape(-1, 2)

    def end(self, node: int) -> int:
        """Where a unit that has passed through a node is."""
        return self.size // 3 * 2 + node

    def stacked(self, copies: int) -> tuple[Any, Any]:
        """Tails and heads of disjoint copies behind source and sink."""
        shifts = 2 + self.size * np.arange(copies, dtype=np.int32)[:, None]
        return (shifts + self._edges[:, 0]).ravel(), (shifts + self._edges[:, 1]).ravel()


def _max_flow(tails: Any, heads: Any, extra: Iterable[tuple[int, int]], count: int) -> int:
    """Most units from node 0 to node 1 when every edge carries at most one."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    more = np.array(list(extra), dtype=np.int32).reshape(-1, 2)
    rows, columns = np.concatenate([tails, more[:, 0]]), np.concatenate([heads, more[:, 1]])
    capacities = np.ones(len(rows), dtype=np.int32)
    network = csr_array((capacities, (rows, columns)), shape=(count, count))
    return int(maximum_flow(network, 0, 1).flow_value)
