"""Random blows to a bow-free graph, from which a climb finds another optimum."""

from __future__ import annotations

import numpy as np

from dagdecor.search.mixed_fit_kernels import keep_definite
from dagdecor.search.mixed_state import State
from dagdecor.search.residual_kernels import Flags, descendants


def shake(state: State, rng: np.random.Generator) -> None:
    """One blow of a random kind; acyclic, bow-free, Omega > 0 as before."""
    p, blow = len(state.B), rng.integers(7)
    if blow == 0:
        _edge_to_arc(state, rng)
    elif blow == 1:
        _arc_to_edge(state, rng)
    elif blow == 2:
        strip(state, int(rng.integers(p)), (1.0, 1.0, 1.0), rng)
    elif blow == 3:
        for _ in range(rng.integers(1, 4)):
            strip(state, int(rng.integers(p)), (1.0, 0.0, 0.4), rng)
    elif blow == 4:
        for _ in range(rng.integers(1, 4)):
            _turn(state, rng)
    elif blow == 5:
        strip(state, int(rng.integers(p)), (0.5, 0.5, 0.5), rng)
    else:
        for _ in range(rng.integers(2, 6)):
            _forget(state, rng)
    keep_definite(state.Omega, np.ones(p, dtype=np.bool_))


def strip(
    state: State, i: int, chances: tuple[float, float, float], rng: np.random.Generator
) -> None:
    """Drop all edges into i, all out of it, all its arcs, each with a chance of its own."""
    into, out, arcs = rng.random(3) < chances
    if into:
        state.edges[:, i] = state.B[:, i] = 0
    if out:
        state.edges[i] = state.B[i] = 0
    if arcs:
        variance = state.Omega[i, i]
        state.arcs[i] = state.arcs[:, i] = state.Omega[i] = state.Omega[:, i] = 0
        state.Omega[i, i] = variance


def any_mark(marks: Flags, rng: np.random.Generator) -> tuple[int, int] | None:
    """A true entry, all alike; None if there is none."""
    found = np.flatnonzero(marks)
    if not len(found):
        return None
    i, j = divmod(int(found[rng.integers(len(found))]), len(marks))
    return i, j


def _drop_edge(state: State, i: int, j: int) -> None:
    state.edges[i, j] = False
    state.B[i, j] = 0.0


def _drop_arc(state: State, i: int, j: int) -> None:
    state.arcs[i, j] = state.arcs[j, i] = False
    state.Omega[i, j] = state.Omega[j, i] = 0.0


def _lead(state: State, i: int, j: int) -> None:
    """With i -> j, unless that closes a cycle."""
    reach = np.empty_like(state.edges)
    descendants(state.edges, reach)
    if not reach[j, i]:
        state.edges[i, j] = True


def _edge_to_arc(state: State, rng: np.random.Generator) -> None:
    """An edge turns into an arc, often with the parents of its ends gone."""
    pair = any_mark(state.edges, rng)
    if pair:
        _drop_edge(state, *pair)
        strip(state, pair[1], (0.5, 0.0, 0.0), rng)
        strip(state, pair[0], (0.3, 0.0, 0.0), rng)
        state.arcs[pair] = state.arcs[pair[::-1]] = True


def _arc_to_edge(state: State, rng: np.random.Generator) -> None:
    """An arc turns into an edge, or into nothing, often with the parents of one end gone."""
    pair = any_mark(state.arcs, rng)
    if pair:
        _drop_arc(state, *pair)
        strip(state, pair[1], (0.5, 0.0, 0.0), rng)
        if rng.random() < 0.7:
            _lead(state, *pair)


def _turn(state: State, rng: np.random.Generator) -> None:
    """An edge turns round, if no cycle forbids it, often with the parents of its end gone."""
    pair = any_mark(state.edges, rng)
    if pair:
        _drop_edge(state, *pair)
        strip(state, pair[1], (0.5, 0.0, 0.0), rng)
        _lead(state, pair[1], pair[0])


def _forget(state: State, rng: np.random.Generator) -> None:
    """An edge or an arc goes."""
    edge = rng.random() < 0.5
    pair = any_mark(state.edges if edge else state.arcs, rng)
    if pair:
        (_drop_edge if edge else _drop_arc)(state, *pair)
