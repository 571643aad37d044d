"""Search with explicit hidden causes and one error variance."""

from __future__ import annotations

import numpy as np

from dagdecor.knowledge import Rules
from dagdecor.search import walk
from dagdecor.search.latent_fit_kernels import refit
from dagdecor.search.latent_lawful import complete, lawful, restore
from dagdecor.search.latent_move_kernels import list_moves, make, no_moves
from dagdecor.search.latent_rule_kernels import keep_allowed
from dagdecor.search.latent_shake import shake
from dagdecor.search.latent_state import Array, Prices, State, blank, copied
from dagdecor.search.latent_walk_kernels import HASTE, ascend, assign
from dagdecor.search.residual_kernels import LEAST_RATE
from dagdecor.search.walk import Effort, Ground, Shares

__all__ = [
    "Effort",
    "Prices",
    "Shares",
    "State",
    "blank",
    "climb",
    "complete",
    "copied",
    "explore",
    "lawful",
    "sample",
    "score",
]

FULL = 1e-7  # a fall of the score below this ends a full fit
MOST_ROUNDS = 500  # of sweeps in a full fit
MARGIN = 2.0  # moves are drawn as if they gained twice this more: gains held too low would bias
LONGEST_STAY = float(np.exp(-LEAST_RATE))  # where no move is left
REFRESH = 20  # steps of the jump process between full fits


def score(S: Array, n: float, state: State, prices: Prices) -> float:
    """-2 log-likelihood at its optimum for the marks of the state, + prices; in place."""
    problem = _exact(S, n, state, prices)
    now = _fit(*problem, FULL)
    for _ in range(MOST_ROUNDS):
        last, now = now, _fit(*problem, FULL)
        if last - now < FULL:
            break
    return now


def climb(S: Array, n: float, state: State, prices: Prices) -> float:
    """Greedy search to a local optimum, in place; its score."""
    return _climb(*_exact(S, n, state, prices), Rules.none(len(S)), walk.FIRST * len(S))


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
    known = rules or Rules.none(len(S))

    def blow() -> None:
        before = None if rules is None else copied(state)
        shake(problem[0], state, rng)
        if rules is not None and before is not None:
            restore(problem[0], state, before, rules)

    ground = Ground(
        state,
        lambda steps: _climb(*problem, known, steps * len(S)),
        blow,
        copied,
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
    """Jump process over graphs, law exp(-score / 2), in place: shares of its time, and the time.

    A move is drawn by its approximate rate min(1, exp(gain / 2)), and thinned to the rate that
    its refit gives. Moves that break the rules are not made.
    """
    problem, known = _exact(S, n, state, prices), rules or Rules.none(len(S))
    moves, kept = no_moves(len(S), state.L.shape[1], 2.0 * LEAST_RATE), copied(state)
    (edge, arc), time = np.zeros((2, *state.B.shape)), 0.0
    for step in range(steps):
        if step % REFRESH == 0:
            current = _fit(*problem, HASTE)
        list_moves(*problem, moves)
        keep_allowed(state, known, moves)
        log_rates = np.minimum(0.0, 0.5 * moves.gain[: moves.listed[0]] + MARGIN)
        total = np.cumsum(np.exp(log_rates))
        stay = 1.0 / total[-1] if len(total) else LONGEST_STAY
        time += stay
        edge += stay * state.edges
        arc += stay * (state.loads @ state.loads.T)
        if not len(total):
            continue
        row = min(int(np.searchsorted(total, total[-1] * rng.random())), len(total) - 1)
        assign(kept, state)
        nodes = make(state, moves.place[row], moves.start[row])
        found = float(refit(*problem, nodes, HASTE))
        if min(0.0, 0.5 * (current - found)) - log_rates[row] > -rng.exponential():
            current = found
        else:
            assign(state, kept)
    np.fill_diagonal(arc, 0.0)
    scale = max(time, np.finfo(np.float64).tiny)
    return Shares(edge / scale, arc / scale, time)


def _exact(S: Array, n: float, state: State, prices: Prices) -> tuple[Array, float, State, Prices]:
    """The one signature that the kernels are compiled for: writeable, C-contiguous, floats."""
    edge, latent = (np.array(table, np.float64) for table in prices)
    return np.array(S, np.float64, order="C"), float(n), state, Prices(edge, latent)


def _fit(S: Array, n: float, state: State, prices: Prices, tolerance: float) -> float:
    """Fit all nodes; the score."""
    return float(refit(S, n, state, prices, np.ones(len(S), dtype=np.bool_), tolerance))


def _climb(S: Array, n: float, state: State, prices: Prices, rules: Rules, steps: int) -> float:
    ascend(S, n, state, prices, rules, _fit(S, n, state, prices, HASTE), steps)
    return _fit(S, n, state, prices, HASTE)
