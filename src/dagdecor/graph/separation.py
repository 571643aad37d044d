"""m-separation: the conditional independences that a mixed graph asserts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dagdecor.errors import UnknownName
from dagdecor.graph.mixed import MixedGraph

State = tuple[str, bool]  # a node, and whether the path came in by an arrowhead


def m_separated(
    graph: MixedGraph,
    first: str | Iterable[str],
    second: str | Iterable[str],
    given: str | Iterable[str] = (),
) -> bool:
    """True when no path between `first` and `second` is open, given the names in `given`.

    A path is open when every collider on it (arrowheads from both sides) is given or has a given
    descendant, and no other node of it is given. Each argument is a name or several. Each node
    is visited at most twice, so the time is linear in the graph. Richardson 2003, section 2.1.

    >>> graph = MixedGraph(["a", "b", "c"], directed=[("a", "b")], bidirected=[("b", "c")])
    >>> m_separated(graph, "a", "c"), m_separated(graph, "a", "c", given="b")
    (True, False)
    """
    known = name_set(graph, given)
    targets = name_set(graph, second) - known
    above = set(graph.ancestors(*known))
    # a path starts as if it had come in by a tail: every way out is free
    waiting: list[State] = [(name, False) for name in name_set(graph, first) - known]
    seen = set(waiting)
    while waiting:
        state = waiting.pop()
        if state[0] in targets:
            return False
        for following in _ways(graph, state, known, above):
            if following not in seen:
                seen.add(following)
                waiting.append(following)
    return True


def _ways(graph: MixedGraph, state: State, known: set[str], above: set[str]) -> Iterator[State]:
    """States one open step further."""
    name, by_arrowhead = state
    if name not in known:
        yield from ((child, True) for child in graph.children(name))
    if name in above if by_arrowhead else name not in known:
        yield from ((parent, False) for parent in graph.parents(name))
        yield from ((sibling, True) for sibling in graph.siblings(name))


def name_set(graph: MixedGraph, names: str | Iterable[str]) -> set[str]:
    """One name or several as a set; a name that the graph lacks is refused."""
    found = {names} if isinstance(names, str) else set(names)
    for name in found.difference(graph.names):
        raise UnknownName(name, graph.names)
    return found
