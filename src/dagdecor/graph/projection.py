"""Latent projection: the mixed graph that is left when some columns are not seen."""

from __future__ import annotations

from collections.abc import Iterable

from dagdecor.graph.mixed import MixedGraph
from dagdecor.graph.separation import name_set


def latent_projection(graph: MixedGraph, hidden: str | Iterable[str]) -> MixedGraph:
    """The graph over the other names, with every m-separation among them kept.

    a -> b where a directed path from a to b has only hidden inner nodes; a <-> b where a path
    without colliders, all inner nodes hidden, has arrowheads at both ends. Verma and Pearl 1990;
    Richardson 2003, section 3. The result may have bows.

    >>> graph = MixedGraph(["a", "b", "h"], directed=[("a", "b"), ("h", "a"), ("h", "b")])
    >>> print(latent_projection(graph, "h"))
    a -> b
    a <-> b
    """
    gone = name_set(graph, hidden)
    kept = [name for name in graph.names if name not in gone]
    seen = {name: _first_seen(graph, name, gone) for name in graph.names}
    directed = [(name, below) for name in kept for below in seen[name]]
    # a path without colliders climbs to one node, or to both ends of one arc, and descends
    shared = [(seen[name], seen[name]) for name in gone]
    for first, second in graph.bidirected:
        shared.append((_ends(seen, first, gone), _ends(seen, second, gone)))
    pairs = {(a, b) for left, right in shared for a in left for b in right if a != b}
    return MixedGraph(kept, directed, pairs)


def _first_seen(graph: MixedGraph, name: str, hidden: set[str]) -> set[str]:
    """Kept nodes that a directed path from `name` reaches through hidden nodes alone."""
    found, passed = set(), {name}
    waiting = [name]
    while waiting:
        for child in graph.children(waiting.pop()):
            if child not in hidden:
                found.add(child)
            elif child not in passed:
                passed.add(child)
                waiting.append(child)
    return found


def _ends(seen: dict[str, set[str]], name: str, hidden: set[str]) -> set[str]:
    """Where the path goes on from an arc's end: nowhere when it is kept, downwards when hidden."""
    return seen[name] if name in hidden else {name}
