"""The moves between bow-free graphs: which are open, what they gain, and making one."""

from __future__ import annotations

import numpy as np

from dagdecor.compiled import compiled
from dagdecor.search.mixed_fit_kernels import fill, keep_definite, look
from dagdecor.search.mixed_gain_kernels import Gains, levels, no_gains, shifted, weigh
from dagdecor.search.mixed_state import Prices, State, count
from dagdecor.search.residual_kernels import Array, Flags, bent, descendants, log_rate

KINDS = 7
ADD, DROP, REVERSE, JOIN, PART, TO_ARC, TO_EDGE = range(KINDS)  # of i -> j, or of i <-> j
OPPOSITE = (DROP, ADD, REVERSE, PART, JOIN, TO_EDGE, TO_ARC)  # REVERSE at (j, i), else at (i, j)


@compiled
def offers(S: Array, n: float, state: State, prices: Prices) -> Array:
    """(7, p, p): by how much each move would lower the score, from `Gains`; -inf if not open.

    Row (kind, i, j); an arc is added or cut at i < j, and becomes i -> j at (i, j).
    """
    p = len(S)
    view = look(S, state)[0]
    fill(view, np.arange(p), p)
    gains = no_gains(p)
    for j in range(p):
        weigh(view, state, n, gains, j)
    reach = np.empty((p, p), np.bool_)
    descendants(state.edges, reach)
    table = np.full((KINDS, p, p), -np.inf)
    for i in range(p):
        for j in range(p):
            if state.edges[i, j]:
                table[DROP, i, j] = -gains.drop[i, j]
                table[TO_ARC, i, j] = gains.to_arc[i, j]
                if not bent(state.edges, reach, i, j):
                    table[REVERSE, i, j] = gains.add[j, i] - gains.drop[i, j]
            elif i != j and not state.edges[j, i]:
                _offer_unled(state, gains, table, reach, (i, j))
    _charge(state, prices, table)
    if prices.spread != 0.0:
        _charge_spread(n, state, prices, gains, table)
    return table


@compiled
def _offer_unled(
    state: State, gains: Gains, table: Array, reach: Flags, pair: tuple[int, int]
) -> None:
    """The moves of a pair (i, j) without an edge."""
    i, j = pair
    cycle = reach[j, i]
    if state.arcs[i, j]:
        if not cycle:
            table[TO_EDGE, i, j] = gains.to_edge[i, j]
        if i < j:
            table[PART, i, j] = -gains.part[i, j]
        return
    if not cycle:
        table[ADD, i, j] = gains.add[i, j]
    if i < j:
        table[JOIN, i, j] = gains.join[i, j]


@compiled
def _charge(state: State, prices: Prices, table: Array) -> None:
    """Subtract what each move changes in the prices of the marks."""
    e, a = count(state.edges), count(state.arcs) // 2
    edge_more = prices.edge[e + 1] - prices.edge[e]
    edge_less = prices.edge[e] - prices.edge[max(e - 1, 0)]
    arc_more = prices.arc[a + 1] - prices.arc[a]
    arc_less = prices.arc[a] - prices.arc[max(a - 1, 0)]
    cost = np.zeros(KINDS)
    cost[ADD], cost[DROP] = edge_more, -edge_less
    cost[JOIN], cost[PART] = arc_more, -arc_less
    cost[TO_ARC], cost[TO_EDGE] = arc_more - edge_less, edge_more - arc_less
    for kind in range(KINDS):
        for i in range(len(state.B)):
            for j in range(len(state.B)):
                table[kind, i, j] -= cost[kind]


@compiled
def _charge_spread(n: float, state: State, prices: Prices, gains: Gains, table: Array) -> None:
    """Subtract what the moves of edges change in the price of unequal error variances.

    An arc leaves the variances of its ends nearly as they are, so its own moves change nothing,
    and an edge turned into an arc changes what an edge dropped does.
    """
    p, held = len(state.B), levels(n, state)
    for kind in (ADD, DROP, REVERSE, TO_ARC, TO_EDGE):
        for i in range(p):
            for j in range(p):
                if table[kind, i, j] == -np.inf:
                    continue
                gain = -gains.drop[i, j]
                if kind == ADD:
                    gain = gains.add[i, j]
                elif kind == TO_EDGE:
                    gain = gains.part[i, j]
                after = shifted(held, n, gains.residual[j], j, gain)
                if kind == REVERSE:
                    after = shifted(after, n, gains.residual[i], i, gains.add[j, i])
                table[kind, i, j] += prices.spread * (held.price - after.price)


@compiled
def move(state: State, kind: int, i: int, j: int) -> Flags:
    """Make the move in place, new parameters at 0, Omega > 0; the nodes to refit, (p,)."""
    touched = np.zeros(len(state.B), np.bool_)
    touched[j] = True
    touched[i] = kind not in (ADD, DROP)
    if kind in (DROP, REVERSE, TO_ARC):
        state.edges[i, j] = False
        state.B[i, j] = 0.0
    elif kind in (PART, TO_EDGE):
        state.arcs[i, j] = state.arcs[j, i] = False
        state.Omega[i, j] = state.Omega[j, i] = 0.0
    if kind in (ADD, TO_EDGE):
        state.edges[i, j] = True
    elif kind == REVERSE:
        state.edges[j, i] = True
    elif kind in (JOIN, TO_ARC):
        state.arcs[i, j] = state.arcs[j, i] = True
    spread_over_district(state.arcs, touched)
    if kind in (PART, TO_EDGE):
        keep_definite(state.Omega, touched)
    return touched


@compiled
def spread_over_district(arcs: Flags, touched: Flags) -> None:
    """Mark all nodes that arcs connect to a marked one."""
    p = len(arcs)
    stack, top = np.empty(p, np.int64), 0
    for i in range(p):
        if touched[i]:
            stack[top] = i
            top += 1
    while top > 0:
        top -= 1
        i = stack[top]
        for j in range(p):
            if arcs[i, j] and not touched[j]:
                touched[j] = True
                stack[top] = j
                top += 1


@compiled
def drawn(table: Array, u: float) -> tuple[float, int, int, int]:
    """The sum of the rates of all moves, and one move in proportion to its rate; u in [0, 1).

    The last entries are -1 where no move is made.
    """
    p = table.shape[1]
    total, kind, i, j = 0.0, -1, -1, -1
    for a in range(KINDS):
        for b in range(p):
            for c in range(p):
                total += np.exp(log_rate(table[a, b, c]))
    left = u * total
    for a in range(KINDS):
        for b in range(p):
            for c in range(p):
                rate = np.exp(log_rate(table[a, b, c]))
                if rate > 0.0:
                    kind, i, j = a, b, c
                    left -= rate
                    if left < 0.0:
                        return total, kind, i, j
    return total, kind, i, j
