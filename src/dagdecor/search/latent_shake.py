"""Random blows to a graph with hidden causes, from which a climb finds another optimum."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dagdecor.search.latent_gain_kernels import cross_of
from dagdecor.search.latent_move_kernels import best_pair, birth, free_latent, give_loading
from dagdecor.search.latent_state import Array, State
from dagdecor.search.residual_kernels import descendants

Generator = np.random.Generator
Places = npt.NDArray[np.int64]


def shake(S: Array, state: State, rng: Generator) -> None:
    """One blow of a random kind; acyclic and bow-free as before, parameters not refitted."""
    BLOWS[rng.integers(len(BLOWS))](S, state, rng)


def strip(state: State, i: int, chances: tuple[float, float, float], rng: Generator) -> None:
    """Drop all edges into i, all out of it, all its loadings, each with a chance of its own."""
    into, out, loads = rng.random(3) < chances
    if into:
        state.edges[:, i] = state.B[:, i] = 0
    if out:
        state.edges[i] = state.B[i] = 0
    if loads:
        state.loads[i] = False
        state.L[i] = 0


def kill(state: State, k: int) -> None:
    """No node loads on latent k."""
    state.loads[:, k] = False
    state.L[:, k] = 0


def lead(state: State, i: int, j: int) -> None:
    """With i -> j, unless the pair carries a mark or that closes a cycle."""
    reach = np.empty_like(state.edges)
    descendants(state.edges, reach)
    if i != j and not reach[j, i] and not (state.loads[i] & state.loads[j]).any():
        state.edges[i, j] = True


def _any_edge(state: State, rng: Generator) -> tuple[int, int] | None:
    """An edge, all alike; None if there is none."""
    found = np.flatnonzero(state.edges)
    if not len(found):
        return None
    i, j = divmod(int(found[rng.integers(len(found))]), len(state.edges))
    return i, j


def _any_latent(state: State, rng: Generator, least: int = 1) -> int:
    """A latent with that many loadings or more, all alike; -1 if there is none."""
    found = np.flatnonzero(state.loads.sum(axis=0) >= least)
    return int(found[rng.integers(len(found))]) if len(found) else -1


def _cut(state: State, i: int, j: int) -> None:
    state.edges[i, j] = False
    state.B[i, j] = 0.0


def _birth(S: Array, state: State, i: int, j: int) -> None:
    """A latent on i and j with its best loadings."""
    cross = cross_of(S, state)
    _, first, second = best_pair(cross.C, cross.Theta, i, j)
    birth(state, i, j, np.array([first, second]))


def _edge_to_pair(S: Array, state: State, rng: Generator) -> None:
    """An edge turns into a latent, often with the parents of its ends gone."""
    pair = _any_edge(state, rng)
    if pair:
        _cut(state, *pair)
        strip(state, pair[1], (0.5, 0.0, 0.0), rng)
        strip(state, pair[0], (0.3, 0.0, 0.0), rng)
        _birth(S, state, *pair)


def _latent_to_edge(_S: Array, state: State, rng: Generator) -> None:
    """A latent turns into an edge between two of its nodes."""
    k = _any_latent(state, rng, 2)
    if k >= 0:
        members = rng.permutation(np.flatnonzero(state.loads[:, k]))
        kill(state, k)
        lead(state, int(members[0]), int(members[1]))


def _kill_any(_S: Array, state: State, rng: Generator) -> None:
    """A latent goes."""
    k = _any_latent(state, rng)
    if k >= 0:
        kill(state, k)


def _turn_some(_S: Array, state: State, rng: Generator) -> None:
    """One to three edges turn round, if no cycle forbids it, often with the parents there gone."""
    for _ in range(rng.integers(1, 4)):
        pair = _any_edge(state, rng)
        if pair:
            _cut(state, *pair)
            strip(state, pair[1], (0.5, 0.0, 0.0), rng)
            lead(state, pair[1], pair[0])


def _dense_birth(S: Array, state: State, rng: Generator) -> None:
    """A latent along the top eigenvector of Omega C, the direction that is least explained.

    Before it another latent or the parents of some nodes may go.
    """
    before = rng.integers(3)
    if before == 1:
        _kill_any(S, state, rng)
    elif before == 2:
        for _ in range(rng.integers(1, 5)):
            strip(state, int(rng.integers(len(S))), (1.0, 0.0, 0.0), rng)
    k = free_latent(state.loads)
    if k < 0:
        return
    u = _least_explained(S, state, rng)
    size = np.abs(u)
    for i in np.flatnonzero(size > 0.4 * rng.random() * size.max() + 0.05):
        give_loading(state, int(i), k, float(u[i] * np.sqrt(state.variance[0])))


def _least_explained(S: Array, state: State, rng: Generator) -> Array:
    """u (p,) of length 1 after power steps on Omega C, C = Theta EE Theta.

    Where units lie so far apart that the steps overflow, u stays the random start.
    """
    C = cross_of(S, state).C
    u = start = rng.standard_normal(len(S))
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(15):
            Cu = C @ u
            u = state.variance[0] * Cu + state.L @ (state.L.T @ Cu)
            u /= np.linalg.norm(u)
    return np.asarray(u if np.isfinite(u).all() else start / np.linalg.norm(start))


def _merge(_S: Array, state: State, rng: Generator) -> None:
    """Two latents become one, with the loadings of the first where both have them."""
    a, b = _any_latent(state, rng), _any_latent(state, rng)
    if a == b:
        return
    for i in np.flatnonzero(state.loads[:, b] & ~state.loads[:, a]):
        give_loading(state, int(i), a, float(state.L[i, b]))
    kill(state, b)


def _pair(S: Array, state: State, rng: Generator) -> None:
    """A latent on two nodes, in place of an edge between them."""
    i, j = (int(node) for node in rng.integers(len(S), size=2))
    if i != j:
        _birth(S, state, i, j)


def _forget_some(_S: Array, state: State, rng: Generator) -> None:
    """Two to five edges go."""
    for _ in range(rng.integers(2, 6)):
        pair = _any_edge(state, rng)
        if pair:
            _cut(state, *pair)


def _clear(S: Array, state: State, rng: Generator) -> None:
    """A node loses every mark."""
    strip(state, int(rng.integers(len(S))), (1.0, 1.0, 1.0), rng)


def _orphan_some(S: Array, state: State, rng: Generator) -> None:
    """One to three nodes lose their parents, some their loadings too."""
    for _ in range(rng.integers(1, 4)):
        strip(state, int(rng.integers(len(S))), (1.0, 0.0, 0.3), rng)


def _source_or_sink(S: Array, state: State, rng: Generator) -> None:
    """A node loses its parents, or its children."""
    source = rng.random() < 0.5
    strip(state, int(rng.integers(len(S))), (float(source), float(not source), 0.0), rng)


BLOWS = (
    _edge_to_pair,
    _edge_to_pair,  # twice as often: the error that greedy searches make
    _latent_to_edge,
    _kill_any,
    _clear,
    _orphan_some,
    _turn_some,
    _source_or_sink,
    _dense_birth,
    _merge,
    _pair,
    _forget_some,
)
