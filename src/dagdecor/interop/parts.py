"""What all formats write and read: names and the two kinds of edges, before they are a graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from dagdecor.errors import BadShape, GraphError, UnreadableGraph

Edge = tuple[str, str]
Array = npt.NDArray[np.float64]


class Marks(Protocol):
    """Names with directed and bidirected edges; `MixedGraph` is one, and so is `Parts`."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in the order of every matrix."""

    @property
    def directed(self) -> tuple[Edge, ...]:
        """Pairs (a, b), a -> b."""

    @property
    def bidirected(self) -> tuple[Edge, ...]:
        """Pairs (a, b), a <-> b."""


class Parts(NamedTuple):
    """What a reader found; `MixedGraph.from_parts` checks it and projects out what is hidden."""

    names: tuple[str, ...]
    directed: tuple[Edge, ...] = ()
    bidirected: tuple[Edge, ...] = ()
    hidden: tuple[str, ...] = ()

    @classmethod
    def of_edges(
        cls,
        names: Iterable[str],
        directed: Iterable[Edge],
        bidirected: Iterable[Edge],
        hidden: Iterable[str] = (),
    ) -> Parts:
        """Names in the order of their first mention, whether alone or in an edge."""
        arrows, arcs = tuple(directed), tuple(bidirected)
        ends = [end for edge in (*arrows, *arcs) for end in edge]
        every = tuple(dict.fromkeys([*names, *ends]))
        return cls(every, arrows, arcs, tuple(dict.fromkeys(hidden)))


def one_mark_a_pair(graph: Marks, tool: str) -> None:
    """Refuse a graph with bows for a format that holds one mark a pair."""
    both = {frozenset(edge) for edge in graph.bidirected}
    for first, second in graph.directed:
        if frozenset((first, second)) in both:
            raise GraphError(
                f"{tool} holds one mark a pair, and {first!r}, {second!r} carry both -> and <->: "
                "drop one of the two, or use a format that holds both (networkx, DOT, dagitty)"
            )


def matrix_of(graph: Marks, matrix: npt.ArrayLike | None) -> Array | None:
    """A (p, p) matrix in the order of the names, or None."""
    if matrix is None:
        return None
    count = len(graph.names)
    numbers = np.asarray(matrix, dtype=np.float64)
    if numbers.shape != (count, count):
        raise BadShape(f"a graph of {count} columns needs ({count}, {count}), not {numbers.shape}")
    return numbers


def weighted(
    graph: Marks, weights: npt.ArrayLike | None, noise_covariance: npt.ArrayLike | None
) -> Iterator[tuple[Edge, str, float | None]]:
    """(edge, "directed" or "bidirected", entry of B or Omega if given), in the graph's order."""
    place = {name: index for index, name in enumerate(graph.names)}
    for kind, edges, given in (
        ("directed", graph.directed, matrix_of(graph, weights)),
        ("bidirected", graph.bidirected, matrix_of(graph, noise_covariance)),
    ):
        for edge in edges:
            entry = None if given is None else float(given[place[edge[0]], place[edge[1]]])
            yield edge, kind, entry


def not_one_graph(tool: str, cause: str) -> UnreadableGraph:
    """The failure of a reader, with the tool's name."""
    return UnreadableGraph(tool, cause)
