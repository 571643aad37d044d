"""A bow-free graph as a skeleton and one mark a pair, and every other way to mark it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product

from dagdecor.graph import MixedGraph

RIGHT, LEFT, BOTH = range(3)


@dataclass(frozen=True)
class Marked:
    """Pairs (a, b) of column numbers, a < b, each marked RIGHT a -> b, LEFT b -> a or BOTH."""

    names: tuple[str, ...]
    skeleton: tuple[tuple[int, int], ...]
    marks: tuple[int, ...]

    @staticmethod
    def of(graph: MixedGraph, names: tuple[str, ...]) -> Marked:
        """The graph, its columns numbered as in `names`."""
        place = {name: number for number, name in enumerate(names)}
        found: dict[tuple[int, int], int] = {}
        for first, second in graph.directed:
            a, b = place[first], place[second]
            found[min(a, b), max(a, b)] = RIGHT if a < b else LEFT
        for first, second in graph.bidirected:
            a, b = place[first], place[second]
            found[min(a, b), max(a, b)] = BOTH
        skeleton = tuple(sorted(found))
        return Marked(names, skeleton, tuple(found[pair] for pair in skeleton))

    def graph(self) -> MixedGraph:
        """Inverse of `of`."""
        name = self.names
        edges = list(zip(self.skeleton, self.marks, strict=True))
        return MixedGraph(
            name,
            [
                (name[a], name[b]) if mark == RIGHT else (name[b], name[a])
                for (a, b), mark in edges
                if mark != BOTH
            ],
            [(name[a], name[b]) for (a, b), mark in edges if mark == BOTH],
        )

    def alternatives(self) -> Iterator[Marked]:
        """Every other acyclic graph with this skeleton and these v-structures."""
        for marks in product((RIGHT, LEFT, BOTH), repeat=len(self.skeleton)):
            other = Marked(self.names, self.skeleton, marks)
            if (
                marks != self.marks
                and other.v_structures == self.v_structures
                and len(other.order) == len(self.names)
            ):
                yield other

    @cached_property
    def v_structures(self) -> set[tuple[int, int, int]]:
        """Triples (a, c, b) with arrowheads at c from a and from b, which are not adjacent."""
        into: list[list[int]] = [[] for _ in self.names]
        for (a, b), mark in zip(self.skeleton, self.marks, strict=True):
            if mark != LEFT:
                into[b].append(a)
            if mark != RIGHT:
                into[a].append(b)
        adjacent = set(self.skeleton)
        return {
            (a, c, b)
            for c, heads in enumerate(into)
            for a, b in combinations(sorted(heads), 2)
            if (a, b) not in adjacent
        }

    @cached_property
    def parents(self) -> list[list[int]]:
        """Of every column."""
        above: list[list[int]] = [[] for _ in self.names]
        for (a, b), mark in zip(self.skeleton, self.marks, strict=True):
            if mark == RIGHT:
                above[b].append(a)
            elif mark == LEFT:
                above[a].append(b)
        return above

    @cached_property
    def siblings(self) -> list[set[int]]:
        """Of every column."""
        beside: list[set[int]] = [set() for _ in self.names]
        for (a, b), mark in zip(self.skeleton, self.marks, strict=True):
            if mark == BOTH:
                beside[a].add(b)
                beside[b].add(a)
        return beside

    @cached_property
    def order(self) -> list[int]:
        """A topological order, which ends where only cycles are left."""
        found: list[int] = []
        left = set(range(len(self.names)))
        while free := [node for node in sorted(left) if left.isdisjoint(self.parents[node])]:
            found += free
            left.difference_update(free)
        return found
