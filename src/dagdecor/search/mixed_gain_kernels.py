"""What each single move would gain, from one regression a node."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dagdecor.compiled import compiled
from dagdecor.search.mixed_fit_kernels import Regression, View, covariance, regress
from dagdecor.search.mixed_state import State, spread_price
from dagdecor.search.residual_kernels import Array

REDUNDANT = 1e-6  # a variable that keeps a smaller share of its variance to itself is no candidate
MOST_GROWTH = 5.0  # of a log variance in one move
LEAST_REST = 1e-6  # share of a residual variance that one move may leave


class Gains(NamedTuple):
    """By how much -2 log-likelihood falls, all else fixed, all (p, p) but `residual` (p,).

    A conditional step of one node is all that is looked at, the better of the two for arcs; a
    full refit gains no less, exactly as much where the node has no siblings.

    Parameters
    ----------
    add, drop
        The edge i -> j into the parents of j, where it is none; out of them (a loss).
    join, part
        The arc between i and j, where it is none; cut (a loss).
    to_arc, to_edge
        The edge i -> j for the arc; the arc for the edge.
    residual
        Var(e_j | e_-j) at the end of the step of j.
    """

    add: Array
    drop: Array
    join: Array
    part: Array
    to_arc: Array
    to_edge: Array
    residual: Array


@compiled
def no_gains(p: int) -> Gains:
    """Zeros, and infinity for what is the least of two."""
    return Gains(
        np.zeros((p, p)), np.zeros((p, p)), np.zeros((p, p)), np.full((p, p), np.inf),
        np.zeros((p, p)), np.zeros((p, p)), np.zeros(p),
    )  # fmt: skip


@compiled
def weigh(view: View, state: State, n: float, gains: Gains, j: int) -> None:
    """Write the gains of all moves that change the regression of node j; view filled."""
    p = len(view.S)
    found = regress(view, state, j)
    gains.residual[j] = found.residual
    place = np.full(2 * p, -1)
    for k in range(len(found.variables)):
        u = found.variables[k]
        place[u] = k
        loss = n * np.log1p(found.slopes[k] ** 2 / (found.inverse[k, k] * found.residual))
        if u < p:
            gains.drop[u, j] = loss
        elif loss < gains.part[u - p, j]:
            gains.part[u - p, j] = gains.part[j, u - p] = loss
    rest = _candidates(view, found, j)
    for u in range(2 * p):
        i = u % p
        if i == j or place[u] >= 0 or (u >= p and state.edges[j, i]):
            continue
        given = place[u + p if u < p else i]  # of the other regressor that i can be
        gain = n * _fall(found, rest, u, given)
        if u < p and given < 0:
            gains.add[i, j] = gain
        elif u < p:
            gains.to_edge[i, j] = gain
        elif given >= 0:
            gains.to_arc[i, j] = gain
        elif gain > gains.join[i, j]:
            gains.join[i, j] = gains.join[j, i] = gain


class Rest(NamedTuple):
    """What the regressors of a node leave of each variable, (2p,), and its slopes on them, (k, 2p).

    `crossed`: its covariance with the residual of the node; `alone`: its variance, of `whole`.
    """

    crossed: Array
    alone: Array
    whole: Array
    slopes: Array


@compiled
def _candidates(view: View, found: Regression, j: int) -> Rest:
    """Each variable given the regressors of node j; in rows, over all variables at once."""
    p, size = len(view.S), len(found.variables)
    crossed, whole = np.empty(2 * p), np.empty(2 * p)
    rows, slopes = np.empty((size, 2 * p)), np.zeros((size, 2 * p))
    _row(view, found.ratio, j, j, crossed)
    for i in range(p):
        whole[i] = view.S[i, i]
        whole[p + i] = covariance(view, found.ratio, j, p + i, p + i)
    alone = whole.copy()
    for a in range(size):
        _row(view, found.ratio, j, found.variables[a], rows[a])
        for u in range(2 * p):
            crossed[u] -= found.slopes[a] * rows[a, u]
    for a in range(size):
        for b in range(size):
            weight = found.inverse[a, b]
            for u in range(2 * p):
                slopes[a, u] += weight * rows[b, u]
        for u in range(2 * p):
            alone[u] -= slopes[a, u] * rows[a, u]
    return Rest(crossed, alone, whole, slopes)


@compiled
def _row(view: View, ratio: Array, j: int, v: int, row: Array) -> None:
    """Cov of variable v with all 2p variables, as `covariance` gives it one by one."""
    p = len(ratio)
    S, G, H = view.S, view.G, view.H
    if v < p:
        for i in range(p):
            row[i] = S[v, i]
            row[p + i] = G[v, i] - ratio[i] * G[v, j]
    else:
        s = v - p
        share = ratio[s]
        own = H[s, j] - share * H[j, j]
        for i in range(p):
            row[i] = G[i, s] - share * G[i, j]
            row[p + i] = H[s, i] - share * H[j, i] - ratio[i] * own


@compiled
def _fall(found: Regression, rest: Rest, u: int, given: int) -> float:
    """-log of the share of the residual variance that is left once u is regressed on too.

    In place of regressor number `given`, unless that is -1. Block inverse: with h = inverse at
    (k, k), dropping k adds (slope of y) (slope of u) / h to every covariance given the rest.
    """
    left, crossed, alone = found.residual, rest.crossed[u], rest.alone[u]
    if given >= 0:
        h, slope = found.inverse[given, given], rest.slopes[given, u]
        left += found.slopes[given] ** 2 / h
        crossed += found.slopes[given] * slope / h
        alone += slope * slope / h
    if alone < REDUNDANT * rest.whole[u]:
        return 0.0
    share = (left - crossed * crossed / alone) / found.residual
    return float(-np.log(max(share, LEAST_REST)))


class Levels(NamedTuple):
    """The error variances and what they cost: log Omega_ii (p,), their sums, the price so far."""

    logs: Array
    total: float
    squares: float
    price: float


@compiled
def levels(n: float, state: State) -> Levels:
    """The levels of the state."""
    p = len(state.B)
    logs = np.empty(p)
    total = squares = 0.0
    for i in range(p):
        logs[i] = np.log(state.Omega[i, i])
        total += logs[i]
        squares += logs[i] ** 2
    return Levels(logs, total, squares, spread_price(total, squares, p, n))


@compiled
def shifted(held: Levels, n: float, residual: float, j: int, gain: float) -> Levels:
    """The levels after `gain` at node j: Var(e_j | e_-j) falls from `residual` by exp(-gain / n).

    The rest of Omega_jj, what the siblings explain, stays. Only `logs` is left as it was, so that
    a second node can be shifted.
    """
    present = np.exp(held.logs[j])
    moved = present + residual * np.expm1(min(-gain / n, MOST_GROWTH))
    to = np.log(max(moved, LEAST_REST * present))
    total = held.total + to - held.logs[j]
    squares = held.squares + to * to - held.logs[j] ** 2
    return Levels(held.logs, total, squares, spread_price(total, squares, len(held.logs), n))
