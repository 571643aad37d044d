"""Greedy search for the bow-free graph of least BIC (Nowzohour, Maathuis, Evans, Buehlmann 2017).

Every graph that differs in one pair's mark is scored by exact maximum likelihood, and the best is
taken, while the score falls; again from random graphs. The score is a sum over districts: each
district is fitted once and remembered, and a step scores anew only what it touched.

Graphs of one law have one score, and rounding must not decide between them. On the way the
bidirected edge is taken, which leaves both ends open to what follows; at the end each one that a
directed edge can replace at the same score is replaced, as circles of a PAG are read as tails.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from dagdecor.baselines.protocol import Baseline, Found, Setting
from dagdecor.graph import MixedGraph
from dagdecor.moments import Moments
from dagdecor.solve.ricf import ricf
from dagdecor.solve.ricf_kernels import fit_district

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

NONE, EDGE, BACK, ARC = range(4)  # the marks of a pair i < j: nothing, i -> j, j -> i, i <-> j
MOST, FEWEST, EFFORT = 100, 2, 16_000  # random starts beside the one from no marks
LEAST_FALL = 1e-3  # of the score that is an improvement
ACCURACY, SWEEPS = 1e-5, 100  # of a fit whose score is compared


@dataclass
class Graph:
    """Marks in place: edges[i, j] is i -> j, arcs is symmetric; no pair has both."""

    edges: Flags
    arcs: Flags

    def mark(self, i: int, j: int) -> int:
        """The mark of the pair."""
        if self.arcs[i, j]:
            return ARC
        return EDGE if self.edges[i, j] else BACK if self.edges[j, i] else NONE

    def put(self, i: int, j: int, mark: int) -> None:
        """Give the pair this mark."""
        self.edges[i, j], self.edges[j, i] = mark == EDGE, mark == BACK
        self.arcs[i, j] = self.arcs[j, i] = mark == ARC

    def allows(self, i: int, j: int, mark: int) -> bool:
        """Whether the mark closes no directed circle."""
        if mark == EDGE:
            return not self._leads(j, i)
        return mark != BACK or not self._leads(i, j)

    def _leads(self, start: int, end: int) -> bool:
        """Whether a directed path of two edges or more leads there; the pair itself is replaced."""
        seen = self.edges[start].copy()
        seen[end] = False
        while not self.edges[seen, end].any():
            wider = seen | self.edges[seen].any(axis=0)
            if (wider == seen).all():
                return False
            seen = wider
        return True

    def districts(self, *nodes: int) -> list[tuple[int, ...]]:
        """The sets that bidirected edges connect, of these nodes, each once, sorted inside."""
        found: list[tuple[int, ...]] = []
        for node in nodes:
            if not any(node in other for other in found):
                found.append(self._district(node))
        return found

    def _district(self, node: int) -> tuple[int, ...]:
        inside, fresh = {node}, [node]
        while fresh:
            near = set(self.arcs[fresh.pop()].nonzero()[0].tolist()) - inside
            inside |= near
            fresh.extend(near)
        return tuple(sorted(inside))


@dataclass
class Scores:
    """-2 log-likelihood + log n a mark, by district given its parents; each is fitted once."""

    S: Array  # writeable and C-contiguous, as the kernel was compiled for
    n: int
    kept: dict[bytes, float] = field(default_factory=dict)

    @cached_property
    def price(self) -> float:
        """Log n, of one mark."""
        return math.log(self.n)

    def near(self, graph: Graph, i: int, j: int) -> float:
        """The score of the districts of both nodes; marks elsewhere do not matter to it."""
        return sum(self._district(graph, nodes) for nodes in graph.districts(i, j))

    def total(self, graph: Graph) -> float:
        """The score of the graph."""
        every = graph.districts(*range(len(self.S)))
        return sum(self._district(graph, nodes) for nodes in every)

    def _district(self, graph: Graph, nodes: tuple[int, ...]) -> float:
        at = np.array(nodes)
        into, within = graph.edges.T[at], graph.arcs[at]
        key = at.tobytes() + into.tobytes() + within.tobytes()
        if key not in self.kept:
            self.kept[key] = self._fit(at, into, within)
        return self.kept[key]

    def _fit(self, nodes: npt.NDArray[np.int64], into: Flags, within: Flags) -> float:
        """n times the deviance at its optimum, + log n a mark; inf where there is no optimum."""
        target, source = np.nonzero(into)
        first, second = np.nonzero(within)
        upper = nodes[first] < second
        edges = np.column_stack((source, nodes[target]))
        arcs = np.column_stack((nodes[first], second))[upper]
        _, deviance, *_ = fit_district(self.S, nodes, edges, arcs, np.empty(0), ACCURACY, SWEEPS)
        return self.n * deviance + self.price * (len(edges) + len(arcs))


def descend(graph: Graph, scores: Scores) -> float:
    """Take the best change of one mark while the score falls, in place; the score at the end."""
    p = len(graph.edges)
    blank = np.where(np.triu(np.ones((p, p), dtype=bool), 1), np.nan, -np.inf)
    gains = np.stack([blank] * 4)  # falls by each mark of each pair; nan: not known yet
    while True:
        for mark, i, j in np.argwhere(np.isnan(gains)).tolist():
            if graph.allows(i, j, mark):
                gains[mark, i, j] = _gain(graph, scores, i, j, mark)
        best = _best(graph, gains)
        if best is None:
            return scores.total(graph)
        mark, i, j = best
        before = graph.districts(i, j)
        graph.put(i, j, mark)
        touched = list(itertools.chain(*before, *graph.districts(i, j)))
        gains[:, touched] = blank[touched]
        gains[:, :, touched] = blank[:, touched]


def _gain(graph: Graph, scores: Scores, i: int, j: int, mark: int) -> float:
    """The fall of the score when the pair gets this mark."""
    present = graph.mark(i, j)
    if mark == present:
        return 0.0
    before = scores.near(graph, i, j)
    graph.put(i, j, mark)
    after = scores.near(graph, i, j)
    graph.put(i, j, present)
    return before - after


def _best(graph: Graph, gains: Array) -> tuple[int, int, int] | None:
    """(mark, i, j) of the largest fall that closes no circle; of equal ones the last mark's."""
    known = np.where(np.isnan(gains), -np.inf, gains)
    while (top := known.max()) > LEAST_FALL:
        for mark, i, j in np.argwhere(known > top - LEAST_FALL)[::-1].tolist():
            if graph.allows(i, j, mark):
                return mark, i, j
            known[mark, i, j] = -np.inf
    return None


def search(S: Array, n: int, rng: np.random.Generator) -> Graph:
    """The best end of descents from the empty graph and from random ones.

    16000 / p^3 random starts, at least 2 and at most the 100 of the authors, since the cost of a
    start grows with p^3 and more.
    """
    p = len(S)
    restarts = min(MOST, max(FEWEST, EFFORT // p**3))
    scores = Scores(np.array(S, order="C"), n)
    best, least = Graph(*np.zeros((2, p, p), dtype=bool)), np.inf
    for start in range(1 + restarts):
        graph = Graph(*np.zeros((2, p, p), dtype=bool))
        if start:
            _scatter(graph, rng)
        end = descend(graph, scores)
        if end < least - LEAST_FALL:
            best, least = graph, end
    _straighten(best, scores)
    return best


def _straighten(graph: Graph, scores: Scores) -> None:
    """Replace each bidirected edge by a directed one where the score stays the same, in place."""
    for i, j in np.argwhere(np.triu(graph.arcs)).tolist():
        for mark in (EDGE, BACK):
            if graph.allows(i, j, mark) and _gain(graph, scores, i, j, mark) > -LEAST_FALL:
                graph.put(i, j, mark)
                break


def _scatter(graph: Graph, rng: np.random.Generator) -> None:
    """A random mark on each of p random pairs, where no circle stands against it."""
    p = len(graph.edges)
    for _ in range(p if p > 1 else 0):
        i, j = sorted(rng.choice(p, 2, replace=False).tolist())
        mark = int(rng.integers(1, 4))
        if graph.allows(i, j, mark):
            graph.put(i, j, mark)


def bow_free(moments: Moments, random_state: int) -> Found:
    """The graph and its maximum likelihood."""
    graph = search(moments.S, moments.n, np.random.default_rng(random_state))
    fit = ricf(moments.S, graph.edges, graph.arcs)
    marked = MixedGraph.from_matrices(graph.edges, graph.arcs, moments.names)
    return Found(
        marked,
        fit.weights,
        fit.noise_covariance,
        fit.certificate.status,
        f"refit {fit.certificate}",
    )


BASELINES = (
    Baseline(
        "bow-free-bic",
        "greedy search over bow-free graphs by BIC and exact maximum likelihood",
        bow_free,
        Setting("Gaussian likelihood", "log n a mark"),
        takes=("random_state",),
        latent=True,
    ),
)
