"""The climb from a graph with hidden causes to a local optimum of the score."""

from __future__ import annotations

import numpy as np

from dagdecor.compiled import compiled
from dagdecor.knowledge import Rules
from dagdecor.search.latent_fit_kernels import refit
from dagdecor.search.latent_move_kernels import Moves, list_moves, make, no_moves
from dagdecor.search.latent_rule_kernels import keep_allowed
from dagdecor.search.latent_state import Array, Prices, State

HASTE = 0.05  # fall of the score in a sweep below which a fit after a move ends
LEAST_GAIN = 0.02  # of a move that is tried in a climb
LEAST_FALL = 1e-3  # of the score, for a step to count
MOST_FAILURES = 9  # moves in a row that promise and fail, then a climb ends


@compiled
def twin(state: State) -> State:
    """A copy."""
    return State(
        state.edges.copy(),
        state.loads.copy(),
        state.B.copy(),
        state.L.copy(),
        state.variance.copy(),
    )


@compiled
def assign(state: State, given: State) -> None:
    """Copy in place; a loop, since numba's own assignment is slow to compile."""
    p, Q = state.L.shape
    for i in range(p):
        for j in range(p):
            state.edges[i, j] = given.edges[i, j]
            state.B[i, j] = given.B[i, j]
        for k in range(Q):
            state.loads[i, k] = given.loads[i, k]
            state.L[i, k] = given.L[i, k]
    state.variance[0] = given.variance[0]


@compiled
def ascend(
    S: Array, n: float, state: State, prices: Prices, rules: Rules, score: float, steps: int
) -> float:
    """Best move after best move while the score falls; in place, the score at the end.

    Moves are ranked by their approximate gain; one that fails its refit is undone and not tried
    again before the next success.
    """
    p, Q = state.L.shape
    moves, kept = no_moves(p, Q, LEAST_GAIN), twin(state)
    failures = 0
    for _ in range(steps):
        if failures == 0:
            list_moves(S, n, state, prices, moves)
            keep_allowed(state, rules, moves)
        best = _best(moves)
        if best < 0 or failures == MOST_FAILURES:
            break
        assign(kept, state)
        nodes = make(state, moves.place[best], moves.start[best])
        found = refit(S, n, state, prices, nodes, HASTE)
        failures += 1
        if found < score - LEAST_FALL:
            score = found
            failures = 0
        else:
            assign(state, kept)
            moves.gain[best] = -np.inf
    return score


@compiled
def _best(moves: Moves) -> int:
    """Row of the largest gain, -1 where there is none."""
    best, largest = -1, -np.inf
    gain = moves.gain
    for row in range(moves.listed[0]):
        if gain[row] > largest:
            best, largest = row, gain[row]
    return best
