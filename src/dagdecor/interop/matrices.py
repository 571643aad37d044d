"""Matrices of codes, each tool's own way round."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from dagdecor.errors import BadShape
from dagdecor.interop.parts import (
    Array,
    Edge,
    Marks,
    Parts,
    matrix_of,
    not_one_graph,
    one_mark_a_pair,
)

ARROW, TAIL = 2, 3


def to_pcalg(graph: Marks) -> npt.NDArray[np.int64]:
    """(p, p) as pcalg's amat.pag: [a, b] is the mark at b; 2 an arrowhead, 3 a tail.

    >>> from dagdecor import MixedGraph
    >>> to_pcalg(MixedGraph("abc", [("a", "b")], [("b", "c")])).tolist()
    [[0, 2, 0], [3, 0, 2], [0, 2, 0]]
    """
    one_mark_a_pair(graph, "pcalg")
    place = {name: index for index, name in enumerate(graph.names)}
    matrix = np.zeros((len(place), len(place)), dtype=np.int64)
    for a, b in graph.directed:
        matrix[place[a], place[b]], matrix[place[b], place[a]] = ARROW, TAIL
    for a, b in graph.bidirected:
        matrix[place[a], place[b]] = matrix[place[b], place[a]] = ARROW
    return matrix


def from_pcalg(matrix: npt.ArrayLike, names: Sequence[str] | None = None) -> Parts:
    """Read an amat.pag; circles (1) and undirected edges are refused.

    >>> from_pcalg([[0, 2], [3, 0]], ["a", "b"]).directed
    (('a', 'b'),)
    """
    codes, labels = _square(matrix, names, "pcalg")
    arrows: list[Edge] = []
    arcs: list[Edge] = []
    for i, j in np.argwhere(np.triu((codes != 0) | (codes.T != 0), 1)):
        marks = (codes[j, i], codes[i, j])  # at i, at j
        pair = (labels[i], labels[j])
        if marks == (ARROW, ARROW):
            arcs.append(pair)
        elif marks in {(TAIL, ARROW), (ARROW, TAIL)}:
            arrows.append(pair if marks[0] == TAIL else (pair[1], pair[0]))
        else:
            raise not_one_graph(
                "pcalg",
                f"the marks of {pair[0]!r} and {pair[1]!r} are {marks[0]:g} and {marks[1]:g}, "
                "neither -> nor <->: orient the edge first",
            )
    return Parts(labels, tuple(arrows), tuple(arcs))


def to_lingam(graph: Marks, weights: npt.ArrayLike | None = None) -> Array:
    """(p, p) as lingam's adjacency_matrix_: [i, j] is the effect of j on i, NaN twice for <->.

    Without weights every effect is 1; an effect of exactly 0 on an edge becomes the least number.

    >>> from dagdecor import MixedGraph
    >>> to_lingam(MixedGraph("ab", [("a", "b")]), [[0, 0.5], [0, 0]]).tolist()
    [[0.0, 0.0], [0.5, 0.0]]
    """
    one_mark_a_pair(graph, "lingam")
    B = matrix_of(graph, weights)
    place = {name: index for index, name in enumerate(graph.names)}
    matrix = np.zeros((len(place), len(place)))
    for a, b in graph.directed:
        effect = 1.0 if B is None else B[place[a], place[b]]
        matrix[place[b], place[a]] = effect or np.finfo(np.float64).tiny
    for a, b in graph.bidirected:
        matrix[place[a], place[b]] = matrix[place[b], place[a]] = np.nan
    return matrix


def from_lingam(matrix: npt.ArrayLike, names: Sequence[str] | None = None) -> Parts:
    """Read an adjacency_matrix_ of lingam; a NaN whose mirror is a number is refused.

    >>> from_lingam([[0, 0], [0.5, 0]], ["a", "b"]).directed
    (('a', 'b'),)
    """
    B, labels = _square(matrix, names, "lingam")
    hidden = np.isnan(B)
    if (hidden != hidden.T).any():
        i, j = np.argwhere(hidden != hidden.T)[0]
        raise not_one_graph("lingam", f"[{i}, {j}] and [{j}, {i}] must both be NaN, or neither")
    arrows = tuple((labels[j], labels[i]) for i, j in np.argwhere((B != 0) & ~hidden))
    arcs = tuple((labels[i], labels[j]) for i, j in np.argwhere(np.triu(hidden, 1)))
    return Parts(labels, arrows, arcs)


def _square(
    matrix: npt.ArrayLike, names: Sequence[str] | None, tool: str
) -> tuple[Array, tuple[str, ...]]:
    """The matrix, and the given names, or those of a DataFrame, or x0, x1, ..."""
    numbers = np.asarray(matrix, dtype=np.float64)
    if numbers.ndim != 2 or numbers.shape[0] != numbers.shape[1]:
        raise BadShape(f"{tool} matrices are square, this has shape {numbers.shape}")
    if names is None:
        names = getattr(matrix, "columns", [f"x{place}" for place in range(len(numbers))])
    labels = tuple(str(name) for name in names)
    if len(labels) != len(numbers):
        raise BadShape(f"{len(labels)} names for {len(numbers)} columns")
    return numbers, labels
