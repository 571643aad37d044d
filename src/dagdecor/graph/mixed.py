"""Mixed graphs: names, directed edges without a cycle, bidirected edges for hidden causes."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from dagdecor import document
from dagdecor.errors import BadDocument, CyclicGraph, DuplicateNames, GraphError, UnknownName
from dagdecor.graph.formats import Formats
from dagdecor.interop import Parts

Edge = tuple[str, str]
VERSION = 1


@dataclass(frozen=True)
class MixedGraph(Formats):
    """Directed edges (a, b) mean a -> b; bidirected edges (a, b) mean a <-> b, a hidden cause.

    Parameters
    ----------
    names
        The columns, in the order of every matrix that belongs to the graph.
    directed, bidirected
        Pairs of names. Order and repetition do not matter; the stored tuples are sorted by
        column order. A cycle, a self loop or an unknown name is refused.

    Examples
    --------
    >>> graph = MixedGraph(["a", "b", "c"], directed=[("a", "b")], bidirected=[("c", "b")])
    >>> print(graph)
    a -> b
    b <-> c
    >>> graph.parents("b"), graph.siblings("b"), graph.is_bow_free
    (('a',), ('c',), True)
    """

    names: tuple[str, ...]
    directed: tuple[Edge, ...] = ()
    bidirected: tuple[Edge, ...] = ()
    _index: dict[str, int] = field(init=False, repr=False, compare=False)

    def __init__(
        self,
        names: Sequence[str],
        directed: Iterable[Edge] = (),
        bidirected: Iterable[Edge] = (),
    ) -> None:
        object.__setattr__(self, "names", tuple(str(name) for name in names))
        index = {name: place for place, name in enumerate(self.names)}
        if len(index) != len(self.names):
            raise DuplicateNames(n for n, count in Counter(self.names).items() if count > 1)
        object.__setattr__(self, "_index", index)
        arrows = {self._pair(edge) for edge in directed}
        arcs = {(min(pair), max(pair)) for pair in (self._pair(edge) for edge in bidirected)}
        object.__setattr__(self, "directed", self._named(arrows))
        object.__setattr__(self, "bidirected", self._named(arcs))
        _ = self.order

    def _pair(self, edge: Edge) -> tuple[int, int]:
        if isinstance(edge, str) or len(edge) != 2:
            raise GraphError(f"an edge is a pair of names, not {edge!r}")
        for end in edge:
            if end not in self._index:
                raise UnknownName(end, self.names)
        first, second = (self._index[end] for end in edge)
        if first == second:
            raise GraphError(f"{edge[0]!r} cannot have an edge to itself")
        return first, second

    def _named(self, edges: Iterable[tuple[int, int]]) -> tuple[Edge, ...]:
        return tuple((self.names[first], self.names[second]) for first, second in sorted(edges))

    @classmethod
    def from_matrices(
        cls,
        directed: npt.ArrayLike,
        bidirected: npt.ArrayLike | None = None,
        names: Sequence[str] | None = None,
    ) -> MixedGraph:
        """Edges where the matrices are not zero: [i, j] of the first is i -> j.

        >>> print(MixedGraph.from_matrices([[0, 2.0], [0, 0]]))
        x0 -> x1
        """
        arrows = np.asarray(directed) != 0
        count = arrows.shape[0]
        arcs = np.zeros_like(arrows) if bidirected is None else np.asarray(bidirected) != 0
        if arrows.shape != (count, count) or arcs.shape != (count, count):
            raise GraphError(f"the matrices must be square and alike: {arrows.shape}, {arcs.shape}")
        labels = default_names(count) if names is None else tuple(names)
        if len(labels) != count:
            raise GraphError(f"{len(labels)} names for {count} columns")
        return cls(
            labels,
            [(labels[i], labels[j]) for i, j in np.argwhere(arrows)],
            [(labels[i], labels[j]) for i, j in np.argwhere(np.triu(arcs | arcs.T, 1))],
        )

    @classmethod
    def from_parts(cls, parts: Parts) -> MixedGraph:
        """The graph of what a reader of `interop` found; what is hidden is projected out."""
        from dagdecor.graph.projection import latent_projection

        graph = cls(parts.names, parts.directed, parts.bidirected)
        return latent_projection(graph, parts.hidden) if parts.hidden else graph

    # --- as matrices -----------------------------------------------------------------------

    @cached_property
    def directed_matrix(self) -> npt.NDArray[np.bool_]:
        """(p, p), True at [i, j] when i -> j."""
        return self._matrix(self.directed)

    @cached_property
    def bidirected_matrix(self) -> npt.NDArray[np.bool_]:
        """(p, p), symmetric, True at [i, j] when i <-> j; the diagonal is False."""
        half = self._matrix(self.bidirected)
        return _frozen(half | half.T)

    def _matrix(self, edges: Iterable[Edge]) -> npt.NDArray[np.bool_]:
        matrix = np.zeros((len(self.names), len(self.names)), dtype=bool)
        for first, second in edges:
            matrix[self._index[first], self._index[second]] = True
        return _frozen(matrix)

    # --- neighbours, by name ---------------------------------------------------------------

    @cached_property
    def _neighbours(
        self,
    ) -> tuple[dict[str, list[str]], dict[str, list[str]], dict[str, list[str]]]:
        parents: dict[str, list[str]] = {name: [] for name in self.names}
        children: dict[str, list[str]] = {name: [] for name in self.names}
        siblings: dict[str, list[str]] = {name: [] for name in self.names}
        for first, second in self.directed:
            parents[second].append(first)
            children[first].append(second)
        for first, second in self.bidirected:
            siblings[first].append(second)
            siblings[second].append(first)
        return parents, children, siblings

    def parents(self, name: str) -> tuple[str, ...]:
        """Every a with a -> name."""
        return self._among(0, name)

    def children(self, name: str) -> tuple[str, ...]:
        """Every b with name -> b."""
        return self._among(1, name)

    def siblings(self, name: str) -> tuple[str, ...]:
        """Every s with name <-> s."""
        return self._among(2, name)

    def _among(self, kind: int, name: str) -> tuple[str, ...]:
        if name not in self._index:
            raise UnknownName(name, self.names)
        return self._sorted(self._neighbours[kind][name])

    def _sorted(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted(names, key=self._index.__getitem__))

    def ancestors(self, *names: str) -> tuple[str, ...]:
        """The given nodes and everything with a directed path into one of them."""
        return self._sorted(self._reach(names, 0))

    def descendants(self, *names: str) -> tuple[str, ...]:
        """The given nodes and everything that one of them reaches by a directed path."""
        return self._sorted(self._reach(names, 1))

    def _reach(self, names: Iterable[str], kind: int) -> set[str]:
        found = set()
        waiting = list(names)
        for name in waiting:
            if name not in self._index:
                raise UnknownName(name, self.names)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting.extend(self._neighbours[kind][name])
        return found

    # --- whole-graph facts -----------------------------------------------------------------

    @cached_property
    def order(self) -> tuple[str, ...]:
        """A topological order; among the free nodes the first column comes first."""
        parents, children, _ = self._neighbours
        missing = {name: len(above) for name, above in parents.items()}
        ready = [place for place, name in enumerate(self.names) if missing[name] == 0]
        found: list[str] = []
        while ready:
            name = self.names[heapq.heappop(ready)]
            found.append(name)
            for child in children[name]:
                missing[child] -= 1
                if missing[child] == 0:
                    heapq.heappush(ready, self._index[child])
        if len(found) < len(self.names):
            raise CyclicGraph(self._cycle({name for name in self.names if missing[name]}))
        return tuple(found)

    def _cycle(self, stuck: set[str]) -> list[str]:
        """A directed cycle among the nodes that no topological order reaches."""
        name = min(stuck, key=self._index.__getitem__)
        trail: dict[str, int] = {}
        while name not in trail:
            trail[name] = len(trail)
            name = next(above for above in self._neighbours[0][name] if above in stuck)
        return [name, *reversed(list(trail)[trail[name] :])]

    @cached_property
    def districts(self) -> tuple[tuple[str, ...], ...]:
        """The components that bidirected edges connect, each and all in column order."""
        found: list[tuple[str, ...]] = []
        seen: set[str] = set()
        for name in self.names:
            if name not in seen:
                district = self._reach([name], 2)
                seen |= district
                found.append(self._sorted(district))
        return tuple(found)

    @cached_property
    def bows(self) -> tuple[Edge, ...]:
        """Directed edges whose pair also carries a bidirected edge."""
        both = set(self.bidirected)
        return tuple(e for e in self.directed if e in both or (e[1], e[0]) in both)

    @property
    def is_bow_free(self) -> bool:
        """True when no pair carries both an edge and a bidirected edge."""
        return not self.bows

    def __str__(self) -> str:
        lines = [f"{first} -> {second}" for first, second in self.directed]
        lines += [f"{first} <-> {second}" for first, second in self.bidirected]
        return "\n".join(lines) if lines else "(no edges)"

    # --- documents -------------------------------------------------------------------------

    def to_json(self) -> str:
        """A versioned JSON document: names, directed, bidirected."""
        return document.write("graph", VERSION, self.to_dict())

    @classmethod
    def from_json(cls, text: str) -> MixedGraph:
        """Inverse of `to_json`; checks everything, executes nothing."""
        return cls.from_dict(document.read("graph", VERSION, text), "graph")

    def to_dict(self) -> dict[str, object]:
        """Plain lists, as they stand in a document."""
        return {
            "names": list(self.names),
            "directed": [list(edge) for edge in self.directed],
            "bidirected": [list(edge) for edge in self.bidirected],
        }

    @classmethod
    def from_dict(cls, body: dict[str, object], kind: str = "graph") -> MixedGraph:
        """Inverse of `to_dict`."""
        try:
            return cls(
                document.strings(kind, body, "names"),
                document.pairs(kind, body, "directed"),
                document.pairs(kind, body, "bidirected"),
            )
        except (GraphError, DuplicateNames) as error:
            raise BadDocument(kind, str(error)) from None


def default_names(count: int) -> tuple[str, ...]:
    """x0, x1, ...: the names of columns that have none."""
    return tuple(f"x{place}" for place in range(count))


def _frozen(matrix: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    matrix.flags.writeable = False
    return matrix
