"""What a search with sparse noise covariance holds: graph, parameters, prices, results."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dagdecor.compiled import compiled
from dagdecor.search.residual_kernels import Array, Flags


class State(NamedTuple):
    """A bow-free graph and its parameters, all (p, p), C-contiguous and written in place.

    Parameters
    ----------
    edges, arcs
        edges[i, j]: i -> j, acyclic; arcs[i, j]: i <-> j, symmetric. No pair has both.
    B, Omega
        Zero off the edges; zero off the arcs and the diagonal, positive definite.
    """

    edges: Flags
    arcs: Flags
    B: Array
    Omega: Array


class Prices(NamedTuple):
    """What marks cost in units of -2 log-likelihood.

    Parameters
    ----------
    edge, arc
        The price of k edges, of k arcs, at [k]; p (p - 1) / 2 + 2 entries each.
    spread
        The weight of the price of unequal error variances; 0 for data in arbitrary units.
    """

    edge: Array
    arc: Array
    spread: float


def blank(S: Array) -> State:
    """The state without marks at its maximum likelihood: B = 0, Omega = diag(S)."""
    p = len(S)
    edges, arcs = np.zeros((2, p, p), dtype=np.bool_)
    return State(edges, arcs, np.zeros((p, p)), np.diag(np.diag(S).astype(np.float64)))


@compiled
def assign(state: State, given: State) -> None:
    """Copy in place; a loop, since numba's own assignment is slow to compile."""
    p = len(state.B)
    for i in range(p):
        for j in range(p):
            state.edges[i, j] = given.edges[i, j]
            state.arcs[i, j] = given.arcs[i, j]
            state.B[i, j] = given.B[i, j]
            state.Omega[i, j] = given.Omega[i, j]


@compiled
def twin(state: State) -> State:
    """A copy that shares nothing."""
    return State(state.edges.copy(), state.arcs.copy(), state.B.copy(), state.Omega.copy())


@compiled
def count(marks: Flags) -> int:
    """How many entries are true."""
    total = 0
    for i in range(len(marks)):
        for j in range(len(marks)):
            total += marks[i, j]
    return total


@compiled
def spread_price(total: float, squares: float, p: int, n: float) -> float:
    """p (1 + log u), or p u where u < 1; u = n Var(log Omega_ii) / 2: unequal error variances.

    `total` and `squares`: sums over i of log Omega_ii and of its square. It is the least over
    t >= 2/n of p log(n t / 2) + sum_i (log Omega_ii - mean)^2 / t, that is -2 log of the prior
    log Omega_ii ~ N(mean, t), with its scale profiled, times the width of the likelihood: a log
    variance is known up to N(0, 2/n), so that a smaller t cannot be told from equal variances.
    """
    mean = total / p
    u = 0.5 * n * max(squares / p - mean * mean, 0.0)
    return p * (1.0 + np.log(u)) if u > 1.0 else p * u


@compiled
def price(n: float, state: State, prices: Prices) -> float:
    """What the marks and the error variances of the state cost."""
    cost = prices.edge[count(state.edges)] + prices.arc[count(state.arcs) // 2]
    if prices.spread == 0.0:
        return float(cost)
    p = len(state.B)
    total = squares = 0.0
    for i in range(p):
        level = np.log(state.Omega[i, i])
        total += level
        squares += level * level
    return float(cost + prices.spread * spread_price(total, squares, p, n))
