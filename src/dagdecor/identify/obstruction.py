"""The node set, if there is one, on which two parameter points share a covariance."""

from __future__ import annotations

from typing import NamedTuple

from dagdecor.identify.part import Part, districts


class Obstruction(NamedTuple):
    """Every node but the sink has one arborescence edge (node, next); the tree is bidirected."""

    nodes: tuple[int, ...]
    sink: int
    arborescence: tuple[tuple[int, int], ...]
    tree: tuple[tuple[int, int], ...]


def find_obstruction(part: Part) -> Obstruction | None:
    """A set whose directed part converges to a sink and whose bidirected part is connected.

    None if and only if the graph is globally identifiable (Drton, Foygel and Sullivant 2011).
    No node can be taken out of the set that is found.
    """
    bow = next(part.bows(), None)
    if bow is not None:
        return Obstruction(bow, bow[1], (bow,), (bow,))
    for district in districts(part):
        for sink in sorted(district):
            if len(nodes := _converging(part, sink, district)) > 1:
                return _skeleton(part, sink, _least(part, sink, nodes))
    return None


def _converging(part: Part, sink: int, among: set[int]) -> set[int]:
    """The largest converging and connected set of `sink` among some nodes.

    Each of the two steps keeps every such set, so that what no step shrinks is their union.
    """
    while True:
        above = _span(sink, part.parents, among)
        beside = _span(sink, part.siblings, set(above))
        if len(beside) == len(among):
            return among
        among = set(beside)


def _least(part: Part, sink: int, nodes: set[int]) -> set[int]:
    """Nodes are taken out as long as more than the sink is left."""
    for node in sorted(nodes - {sink}):
        if node in nodes and len(fewer := _converging(part, sink, nodes - {node})) > 1:
            nodes = fewer
    return nodes


def _skeleton(part: Part, sink: int, nodes: set[int]) -> Obstruction:
    converging = _span(sink, part.parents, nodes)
    connecting = _span(sink, part.siblings, nodes)
    return Obstruction(
        tuple(sorted(nodes)),
        sink,
        tuple(edge for edge in converging.items() if edge[0] != sink),
        tuple(edge for edge in connecting.items() if edge[0] != sink),
    )


def _span(
    root: int,
    steps: tuple[tuple[int, ...], ...] | tuple[frozenset[int], ...],
    among: set[int],
) -> dict[int, int]:
    """Every node that steps from the root lead to within `among`, with the node it came from."""
    origin = {root: root}
    waiting = [root]
    for node in waiting:
        for step in steps[node]:
            if step in among and step not in origin:
                origin[step] = node
                waiting.append(step)
    return origin
