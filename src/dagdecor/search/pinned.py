"""Climbs that keep one pair of columns at a given mark, under either noise model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from dagdecor.search import latent_search, mixed_search
from dagdecor.search.latent_fit_kernels import refit as latent_refit
from dagdecor.search.latent_gain_kernels import cross_of
from dagdecor.search.latent_move_kernels import best_pair, birth, list_moves, make, no_moves
from dagdecor.search.latent_walk_kernels import assign as latent_assign
from dagdecor.search.mixed_fit_kernels import keep_definite
from dagdecor.search.mixed_fit_kernels import refit as mixed_refit
from dagdecor.search.mixed_move_kernels import REVERSE, TO_ARC, TO_EDGE, move, offers
from dagdecor.search.mixed_move_kernels import spread_over_district as spread
from dagdecor.search.mixed_state import assign as mixed_assign
from dagdecor.search.mixed_state import twin as mixed_twin
from dagdecor.search.residual_kernels import Array, Flags, descendants

HASTE = 0.02  # fall of the score in a sweep below which a fit after a move ends
LEAST_FALL = 1e-3  # of the score, for a move to count
WORTH_A_TRY = -3.0  # gain promised by a move that is tried: a refit finds more than was promised
REFUSALS = 6  # moves in a row that are tried in vain before a climb ends
STEPS = 12  # moves that a climb makes at most: what is changed is a neighbourhood

Mark = str  # of a pair (i, j): "none", "->" or "<->"


class Marks(NamedTuple):
    """What a state says about every pair: edges (p, p), arcs (p, p) symmetric."""

    edges: Flags
    arcs: Flags


class Walker(NamedTuple):
    """What a noise model brings: reading a state, forcing a mark, a climb, and the full score.

    `later`: climbs at most that start from graphs that turned out to fit as well. With one error
    variance there are no equivalent graphs, and few of them.
    """

    marks: Callable[[Any], Marks]
    copied: Callable[[Any], Any]
    forced: Callable[[Array, Any, tuple[int, int], Mark], Iterator[Any]]
    climb: Callable[[Array, float, Any, Any, tuple[int, int]], None]
    score: Callable[[Array, float, Any, Any], float]
    later: int


def walker(state: Any) -> Walker:
    """The walker of the noise model that a state belongs to."""
    return MIXED if isinstance(state, mixed_search.State) else LATENT


def _opened(edges: Flags, i: int, j: int) -> Iterator[Flags]:
    """The edges with room for i -> j: none leads from j to i any more.

    Two ways to make it where there is a path: nothing that j reaches leads into i, or j leads to
    nothing that reaches i.
    """
    reach = np.empty_like(edges)
    descendants(edges, reach)
    if not reach[j, i]:
        yield edges
        return
    into, out = edges.copy(), edges.copy()
    into[reach[j], i] = False
    out[j, reach[:, i]] = False
    yield into
    yield out


def _rooted(edges: Flags, i: int) -> Flags:
    """A copy with every edge among i and its ancestors turned: where no two of them meet, alike."""
    reach = np.empty_like(edges)
    descendants(edges, reach)
    above = reach[:, i].copy()
    above[i] = True
    inside = np.outer(above, above)
    return np.where(inside, edges.T, edges)


def _arrangements(edges: Flags, i: int, j: int, mark: Mark) -> Iterator[Flags]:
    """The edges without any between i and j, with room for the mark."""
    free = edges.copy()
    free[i, j] = free[j, i] = False
    yield from _opened(free, i, j) if mark == "->" else [free]


def _rearranged(edges: Flags, i: int, j: int, mark: Mark) -> Iterator[Flags]:
    """The same, and re-rooted: with free variances that is how equivalent graphs differ."""
    yield from _arrangements(edges, i, j, mark)
    free = edges.copy()
    free[i, j] = free[j, i] = False
    for end in (i, j) if mark != "none" else ():
        turned = _rooted(free, end)
        if (turned != free).any():
            yield from _opened(turned, i, j) if mark == "->" else [turned]


# --- sparse noise covariance ----------------------------------------------------------------------


def _mixed_forced(
    _S: Array, state: mixed_search.State, pair: tuple[int, int], mark: Mark
) -> Iterator[mixed_search.State]:
    """States like this one, with the mark on the pair, not refitted."""
    i, j = pair
    for edges in _rearranged(state.edges, i, j, mark):
        found = mixed_search.State(edges.copy(), *(part.copy() for part in state[1:]))
        touched = np.zeros(len(edges), dtype=np.bool_)
        touched[[i, j]] = True
        spread(found.arcs, touched)
        found.arcs[i, j] = found.arcs[j, i] = False
        found.Omega[i, j] = found.Omega[j, i] = 0.0
        found.B[~found.edges] = 0.0
        keep_definite(found.Omega, touched)
        found.edges[i, j] = mark == "->"
        found.arcs[i, j] = found.arcs[j, i] = mark == "<->"
        yield found


def _mixed_climb(
    S: Array, n: float, state: mixed_search.State, prices: Any, pair: tuple[int, int]
) -> None:
    """Make the move that promises most while the score falls; none on the pair. In place."""
    everywhere = np.ones(len(S), dtype=np.bool_)
    current = mixed_refit(S, n, state, prices, everywhere, HASTE)
    kept, refused, made = mixed_twin(state), 0, 0
    table = _elsewhere(offers(S, n, state, prices), pair)
    while made < STEPS and refused < REFUSALS:
        kind, rest = divmod(int(table.argmax()), table[0].size)
        i, j = divmod(rest, len(S))
        least = WORTH_A_TRY if kind in {REVERSE, TO_ARC, TO_EDGE} else LEAST_FALL
        if not table[kind, i, j] >= least:
            break
        mixed_assign(kept, state)
        found = mixed_refit(S, n, state, prices, move(state, kind, i, j), HASTE)
        if found < current - LEAST_FALL:
            current, refused, made = found, 0, made + 1
            table = _elsewhere(offers(S, n, state, prices), pair)
        else:
            mixed_assign(state, kept)
            table[kind, i, j] = -np.inf
            refused += 1


def _elsewhere(table: Array, pair: tuple[int, int]) -> Array:
    i, j = pair
    table[:, i, j] = table[:, j, i] = -np.inf
    return table


MIXED = Walker(
    lambda state: Marks(state.edges, state.arcs),
    mixed_twin,
    _mixed_forced,
    _mixed_climb,
    mixed_search.score,
    300,
)


# --- explicit hidden causes -----------------------------------------------------------------------


def _shared(state: latent_search.State) -> Flags:
    """[i, j]: i and j load on one latent."""
    loads = state.loads.astype(np.int64)
    shared = loads @ loads.T > 0
    np.fill_diagonal(shared, val=False)
    return np.asarray(shared)


def _latent_forced(
    S: Array, state: latent_search.State, pair: tuple[int, int], mark: Mark
) -> Iterator[latent_search.State]:
    """States like this one, with the mark on the pair; either end may leave what both share."""
    i, j = pair
    common = state.loads[i] & state.loads[j]
    if mark == "<->":
        if common.any():
            yield latent_search.copied(state)
            return
        if state.loads.any(axis=0).all():
            return  # every latent that there is room for is in use
        for edges in _arrangements(state.edges, i, j, mark):
            found = latent_search.copied(state)
            found.edges[:] = edges
            found.B[~edges] = 0.0
            cross = cross_of(S, found)
            _, first, second = best_pair(cross.C, cross.Theta, i, j)
            birth(found, i, j, np.array([first, second]))
            yield found
        return
    for edges in _arrangements(state.edges, i, j, mark):
        for leaver in (i, j) if common.any() else (i,):
            found = latent_search.copied(state)
            found.edges[:] = edges
            found.B[~edges] = 0.0
            found.loads[leaver, common] = False
            found.L[leaver, common] = 0.0
            found.edges[i, j] = mark == "->"
            yield found


def _latent_climb(
    S: Array, n: float, state: latent_search.State, prices: Any, pair: tuple[int, int]
) -> None:
    """Make the move that promises most while the score falls and the pair stays as it is."""
    held = _of_pair(state, pair)
    current = latent_refit(S, n, state, prices, np.ones(len(S), dtype=np.bool_), HASTE)
    moves, kept = no_moves(len(S), state.L.shape[1], LEAST_FALL), latent_search.copied(state)
    refused = made = 0
    list_moves(S, n, state, prices, moves)
    while made < STEPS and refused < REFUSALS:
        gains = moves.gain[: moves.listed[0]]
        best = int(gains.argmax()) if len(gains) else -1
        if best < 0 or gains[best] == -np.inf:
            break
        latent_assign(kept, state)
        nodes = make(state, moves.place[best], moves.start[best])
        stays = _of_pair(state, pair) == held
        found = latent_refit(S, n, state, prices, nodes, HASTE) if stays else np.inf
        if found < current - LEAST_FALL:
            current, refused, made = found, 0, made + 1
            list_moves(S, n, state, prices, moves)
        else:
            latent_assign(state, kept)
            gains[best] = -np.inf
            refused += stays


def _of_pair(state: latent_search.State, pair: tuple[int, int]) -> tuple[bool, bool, bool]:
    i, j = pair
    arc = bool((state.loads[i] & state.loads[j]).any())
    return bool(state.edges[i, j]), bool(state.edges[j, i]), arc


LATENT = Walker(
    lambda state: Marks(state.edges, _shared(state)),
    latent_search.copied,
    _latent_forced,
    _latent_climb,
    latent_search.score,
    0,
)
