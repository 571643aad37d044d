"""A mixed graph by numbers, its nodes in a topological order, and its mixed components."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dagdecor.graph import MixedGraph


@dataclass(frozen=True)
class Part:
    """Nodes 0, 1, ... of which every parent has a smaller number, with the names they stand for."""

    labels: tuple[str, ...]
    parents: tuple[tuple[int, ...], ...]
    siblings: tuple[frozenset[int], ...]

    @property
    def count(self) -> int:
        """Number of nodes."""
        return len(self.labels)

    def bows(self) -> Iterator[tuple[int, int]]:
        """Every directed edge between siblings."""
        for node, above in enumerate(self.parents):
            for parent in above:
                if parent in self.siblings[node]:
                    yield parent, node

    def children(self) -> list[list[int]]:
        """The inverse of `parents`."""
        below: list[list[int]] = [[] for _ in self.parents]
        for node, above in enumerate(self.parents):
            for parent in above:
                below[parent].append(node)
        return below


def whole(graph: MixedGraph) -> Part:
    """The graph, its nodes numbered by `graph.order`."""
    place = {name: number for number, name in enumerate(graph.order)}
    parents: list[list[int]] = [[] for _ in place]
    siblings: list[set[int]] = [set() for _ in place]
    for first, second in graph.directed:
        parents[place[second]].append(place[first])
    for first, second in graph.bidirected:
        siblings[place[first]].add(place[second])
        siblings[place[second]].add(place[first])
    return Part(
        graph.order,
        tuple(tuple(sorted(above)) for above in parents),
        tuple(frozenset(beside) for beside in siblings),
    )


def reach(starts: Iterable[int], steps: tuple[Iterable[int], ...] | list[list[int]]) -> set[int]:
    """The starts and everything that repeated steps lead to."""
    found = set(starts)
    waiting = list(found)
    while waiting:
        for node in steps[waiting.pop()]:
            if node not in found:
                found.add(node)
                waiting.append(node)
    return found


def districts(part: Part) -> Iterator[set[int]]:
    """The components that bidirected edges connect."""
    seen: set[int] = set()
    for node in range(part.count):
        if node not in seen:
            district = reach([node], part.siblings)
            seen |= district
            yield district


def mixed_components(part: Part) -> Iterator[Part]:
    """A district, its parents without what points at them, and the edges into the district.

    The parameters of a graph are identifiable if and only if those of every component are
    (Tian 2005; Foygel, Draisma and Drton 2012).
    """
    for district in districts(part):
        above = {parent for node in district for parent in part.parents[node]}
        nodes = sorted(district | above)
        place = {node: number for number, node in enumerate(nodes)}
        yield Part(
            tuple(part.labels[node] for node in nodes),
            tuple(
                tuple(place[parent] for parent in part.parents[node]) if node in district else ()
                for node in nodes
            ),
            tuple(
                frozenset(place[beside] for beside in part.siblings[node])
                if node in district
                else frozenset()
                for node in nodes
            ),
        )
