"""Which bow-free graphs have the same Gaussian laws."""

from __future__ import annotations

import numpy as np

from dagdecor.errors import GraphError, named
from dagdecor.graph import MixedGraph
from dagdecor.identify import field
from dagdecor.identify.marks import Marked

SEED = 20170519
LARGEST_CLASS = 5
Law = list[list[int]]


def equivalent(graph_a: MixedGraph, graph_b: MixedGraph) -> bool:
    """True when almost every covariance of either graph is one of the other.

    Exact linear algebra on a random covariance modulo the prime 2^31 - 1: the parameters of the
    other graph are recovered node by node, and they exist or they do not. Columns are matched by
    name. Graphs with a bow are refused: the recovery rests on bow-freeness.

    Examples
    --------
    >>> chain = MixedGraph(["a", "b", "c"], directed=[("a", "b"), ("b", "c")])
    >>> fork = MixedGraph(["a", "b", "c"], directed=[("b", "a"), ("b", "c")])
    >>> collider = MixedGraph(["a", "b", "c"], directed=[("a", "b"), ("c", "b")])
    >>> equivalent(chain, fork), equivalent(chain, collider)
    (True, False)
    """
    _refuse_bows(graph_a)
    _refuse_bows(graph_b)
    names = tuple(sorted(graph_a.names))
    if names != tuple(sorted(graph_b.names)):
        raise GraphError(
            f"the graphs have different columns: {named(graph_a.names)} and {named(graph_b.names)}"
        )
    one, other = Marked.of(graph_a, names), Marked.of(graph_b, names)
    # Both are shared by equivalent graphs: Nowzohour, Maathuis, Evans and Buehlmann (2017).
    if one.skeleton != other.skeleton or one.v_structures != other.v_structures:
        return False
    rng = np.random.default_rng(SEED)
    # Models of one skeleton have one dimension, so that either direction implies the other; both
    # are asked so that one unlucky draw decides nothing.
    return _contains(other, _law(one, rng)) and _contains(one, _law(other, rng))


def equivalence_class(graph: MixedGraph) -> list[MixedGraph]:
    """Every bow-free graph with the same Gaussian laws, the given one first; at most 5 columns.

    Examples
    --------
    >>> edge = MixedGraph(["a", "b"], directed=[("a", "b")])
    >>> [str(member) for member in equivalence_class(edge)]
    ['a -> b', 'b -> a', 'a <-> b']
    """
    _refuse_bows(graph)
    if len(graph.names) > LARGEST_CLASS:
        raise GraphError(
            f"the class of a graph is listed for at most {LARGEST_CLASS} columns, this one has "
            f"{len(graph.names)}: compare two graphs with `equivalent`"
        )
    marked = Marked.of(graph, graph.names)
    rng = np.random.default_rng(SEED)
    # Where every pair is adjacent, every covariance is a law of every graph.
    saturated = 2 * len(marked.skeleton) == len(graph.names) * (len(graph.names) - 1)
    laws = [] if saturated else [_law(marked, rng) for _ in range(2)]
    return [
        graph,
        *(
            other.graph()
            for other in marked.alternatives()
            if all(_contains(other, law) for law in laws)
        ),
    ]


def _law(marked: Marked, rng: np.random.Generator) -> Law:
    """Sigma = T' Omega T at a random point, T = (I-B)^-1; (p, p) residues."""
    count = len(marked.names)
    effects = np.eye(count, dtype=np.int64)
    noise = np.diag(field.draw(rng, count))
    for node in marked.order:
        for parent, weight in zip(
            marked.parents[node], field.draw(rng, len(marked.parents[node])), strict=True
        ):
            effects[:, node] = (effects[:, node] + weight * effects[:, parent]) % field.PRIME
        for other in marked.siblings[node]:
            if other < node:
                noise[node, other] = noise[other, node] = field.draw(rng, 1)[0]
    law: Law = field.product(field.product(effects.T, noise), effects).tolist()
    return law


def _contains(marked: Marked, law: Law) -> bool:
    """True when exactly one (B, Omega) on the graph has the covariance `law`.

    In topological order, b of node v solves Cov(e_w, x_P(v)) b = Cov(e_w, x_v) for every w
    before v that is not beside it; then e_v = x_v - x_P(v) b.
    """
    cross: Law = [[] for _ in law]
    before: list[int] = []
    for node in marked.order:
        parents = marked.parents[node]
        rows = [
            [*(cross[w][parent] for parent in parents), cross[w][node]]
            for w in before
            if w not in marked.siblings[node]
        ]
        weights = field.solve(rows, len(parents))
        if weights is None:
            return False
        cross[node] = [
            (
                value
                - sum(b * law[parent][column] for b, parent in zip(weights, parents, strict=True))
            )
            % field.PRIME
            for column, value in enumerate(law[node])
        ]
        before.append(node)
    return True


def _refuse_bows(graph: MixedGraph) -> None:
    if not graph.is_bow_free:
        first, second = graph.bows[0]
        raise GraphError(
            f"{first!r} and {second!r} carry both an edge and a bidirected edge (a bow): "
            "equivalence is decided between bow-free graphs"
        )
