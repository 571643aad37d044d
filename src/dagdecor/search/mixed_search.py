"""Search with sparse noise covariance and free or nearly equal error variances."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dagdecor.knowledge import Rules
from dagdecor.search import walk
from dagdecor.search.mixed_fit_kernels import refit
from dagdecor.search.mixed_lawful import lawful, open_moves, restore
from dagdecor.search.mixed_move_kernels import (
    OPPOSITE,
    REVERSE,
    TO_ARC,
    TO_EDGE,
    drawn,
    move,
    offers,
)
from dagdecor.search.mixed_shake import shake
from dagdecor.search.mixed_state import Prices, State, assign, blank, twin
from dagdecor.search.residual_kernels import Array, Flags
from dagdecor.search.walk import Effort, Ground, Shares

__all__ = [
    "Effort",
    "Prices",
    "Shares",
    "State",
    "blank",
    "climb",
    "explore",
    "lawful",
    "sample",
    "score",
]

# Falls of the score in a sweep below which a fit ends: after a move, at an optimum, in full.
HASTE, CARE, FULL = 0.02, 0.01, 1e-7
LEAST_GAIN = 0.02  # promised by a move that is tried
WORTH_A_TRY = -3.0  # the same for moves of two parts: a refit finds more than was promised
SMALL = 20  # nodes below which a climb is as long as for so many
REFUSALS = 12  # moves tried in vain before a climb ends
REFRESH = 20  # steps of the jump process between full fits


class Problem(NamedTuple):
    """What the kernels take: the one signature that they are compiled for."""

    S: Array
    n: float
    state: State
    prices: Prices


def score(S: Array, n: float, state: State, prices: Prices) -> float:
    """-2 log-likelihood at its optimum for the marks of the state, + prices; B, Omega in place."""
    return _fit(_exact(S, n, state, prices), FULL)


def climb(S: Array, n: float, state: State, prices: Prices) -> float:
    """Greedy search to a local optimum, in place; its score."""
    return _climb(_exact(S, n, state, prices), walk.FIRST * max(len(S), SMALL), None)


def explore(
    S: Array,
    n: float,
    state: State,
    prices: Prices,
    effort: Effort,
    rng: np.random.Generator,
    rules: Rules | None = None,
) -> float:
    """Iterated local search, in place; ends at the best state found, returns its score.

    The state must obey the rules; then every state on the way does.
    """
    problem = _exact(S, n, state, prices)
    allowed = None if rules is None else open_moves(rules)

    def blow() -> None:
        before = None if rules is None else twin(state)
        shake(state, rng)
        if rules is not None and before is not None:
            restore(state, before, rules)

    ground = Ground(
        state,
        lambda steps: _climb(problem, steps * max(len(S), SMALL), allowed),
        blow,
        twin,
        assign,
    )
    return walk.explore(ground, effort, rng)


def sample(
    S: Array,
    n: float,
    state: State,
    prices: Prices,
    steps: int,
    rng: np.random.Generator,
    rules: Rules | None = None,
) -> Shares:
    """Jump process over graphs with the law pi = exp(-score / 2): the shares of its time.

    The move from a to b has the rate min(q_ab, q_ba pi_b / pi_a), q = min(1, exp(promise / 2)),
    so that pi is kept whatever the promises are worth: it is drawn at the rate q_ab and refused
    with the probability that is left. In place. Moves that break the rules are not made; as their
    ways back are not either, that is the same law on the graphs that obey.
    """
    problem = _exact(S, n, state, prices)
    allowed = None if rules is None else open_moves(rules)
    edge, arc = np.zeros((2, *state.B.shape))
    here = time = 0.0  # since the last move, and before it
    current, table, kept = _fit(problem, CARE), _offers(problem, allowed), twin(state)
    for step in range(steps):
        total, *made = drawn(table, rng.random())
        here += 1.0 / total if total > 0.0 else 1.0
        if total == 0.0:
            break
        assign(kept, state)
        found = _attempt(problem, *made)
        ahead = _offers(problem, allowed)
        promised, back = table[tuple(made)], ahead[_opposite(*made)]
        odds = 0.5 * (current - found + min(back, 0.0) - min(promised, 0.0))
        if math.log(1.0 - rng.random()) < odds:
            edge += here * kept.edges
            arc += here * kept.arcs
            time, here, current, table = time + here, 0.0, found, ahead
        else:
            assign(state, kept)
        if step % REFRESH == REFRESH - 1:
            current, table = _fit(problem, HASTE), _offers(problem, allowed)
    time += here
    return Shares((edge + here * state.edges) / time, (arc + here * state.arcs) / time, time)


def _exact(S: Array, n: float, state: State, prices: Prices) -> Problem:
    """Writeable, C-contiguous copies of what is only read; the state itself."""
    edge, arc = (np.array(table, np.float64) for table in (prices.edge, prices.arc))
    charged = Prices(edge, arc, float(prices.spread))
    return Problem(np.array(S, np.float64, order="C"), float(n), state, charged)


def _fit(problem: Problem, tolerance: float) -> float:
    """Fit all nodes; the score."""
    return refit(*problem, np.ones(len(problem.S), dtype=np.bool_), tolerance)


def _offers(problem: Problem, allowed: Flags | None) -> Array:
    """`offers`, without those that are not allowed."""
    table = offers(*problem)
    if allowed is not None:
        table[~allowed] = -np.inf
    return table


def _attempt(problem: Problem, kind: int, i: int, j: int) -> float:
    """Make the move and fit what it touches; the score."""
    return refit(*problem, move(problem.state, kind, i, j), HASTE)


def _opposite(kind: int, i: int, j: int) -> tuple[int, int, int]:
    """The move that undoes this one."""
    return (kind, j, i) if kind == REVERSE else (OPPOSITE[kind], i, j)


def _climb(problem: Problem, steps: int, allowed: Flags | None) -> float:
    """Make the move that promises most while the score falls; the score at the end."""
    state = problem.state
    current, table = _fit(problem, HASTE), _offers(problem, allowed)
    kept, refused = twin(state), 0
    for _ in range(steps):
        kind, rest = divmod(int(table.argmax()), table[0].size)
        i, j = divmod(rest, len(state.B))
        least = WORTH_A_TRY if kind in {REVERSE, TO_ARC, TO_EDGE} else LEAST_GAIN
        if not table[kind, i, j] >= least or refused > REFUSALS:
            break
        assign(kept, state)
        found = _attempt(problem, kind, i, j)
        if found < current - walk.LEAST_FALL:
            current, table, refused = found, _offers(problem, allowed), 0
        else:
            assign(state, kept)
            table[kind, i, j] = -np.inf
            refused += 1
    return _fit(problem, CARE)
