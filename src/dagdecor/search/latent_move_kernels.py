"""The moves of the search: the list of those worth making, and the making of one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagdecor.compiled import compiled
from dagdecor.search.latent_fit_kernels import edge_count, sizes_of
from dagdecor.search.latent_gain_kernels import Cross, Gains, cross_of, gains_of
from dagdecor.search.latent_state import Array, Flags, Prices, State
from dagdecor.search.residual_kernels import bent, descendants

Integers = npt.NDArray[np.int64]

# `make` reads these in their order. Numpy's integers: numba would compile `_offer` anew for each
# plain one.
ADD, DROP, REVERSE = np.int64(0), np.int64(1), np.int64(2)  # an edge a -> b
CHILD_YIELDS = np.int64(3)  # edge a -> b in place of what b shares with a
PARENT_YIELDS = np.int64(4)  # edge a -> b in place of what a shares with b
PAIR, SINGLE = np.int64(5), np.int64(6)  # a new latent on nodes a and b, on node a
JOIN, LEAVE = np.int64(7), np.int64(8)  # node a and latent b
DEATH = np.int64(9)  # of latent b

LONGEST = 0.999  # l'Theta l of a latent that may be dropped at once: at 1 Omega would be singular


class Moves(NamedTuple):
    """Moves whose gain exceeds least[0]: the first listed[0] rows of place (kind, a, b) and gain.

    start (2 columns) holds the loadings that a birth begins with.
    """

    place: Integers
    gain: Array
    start: Array
    listed: Integers
    least: Array


class Layout(NamedTuple):
    """What the marks alone say: reach (p, p), pairs that share a latent, loadings a latent."""

    reach: Flags
    shared: Flags
    sizes: Integers
    edges: int


@compiled
def no_moves(p: int, Q: int, least: float) -> Moves:
    """Room for every move that p nodes and Q latents can offer."""
    room = 2 * p * p + p * Q + p * (p + 1) // 2 + Q
    limit = np.zeros(1)
    limit[0] = least
    return Moves(
        np.zeros((room, 3), np.int64),
        np.zeros(room),
        np.zeros((room, 2)),
        np.zeros(1, np.int64),
        limit,
    )


@compiled
def _offer(moves: Moves, kind: int, a: int, b: int, gain: float) -> None:
    if gain > moves.least[0]:
        at, place, gains = moves.listed[0], moves.place, moves.gain
        place[at, 0], place[at, 1], place[at, 2] = kind, a, b
        gains[at] = gain
        moves.listed[0] += 1


@compiled
def share_pairs(loads: Flags, shared: Flags) -> None:
    """shared[i, j], in place: i != j load on one latent."""
    p, Q = loads.shape
    for i in range(p):
        for k in range(Q):
            if loads[i, k]:
                for j in range(p):
                    if loads[j, k] and j != i:
                        shared[i, j] = True


@compiled
def layout_of(state: State) -> Layout:
    """Reachability, shared latents and counts."""
    p = len(state.edges)
    reach, shared = np.zeros((p, p), np.bool_), np.zeros((p, p), np.bool_)
    descendants(state.edges, reach)
    share_pairs(state.loads, shared)
    return Layout(reach, shared, sizes_of(state.loads), edge_count(state.edges))


# --- the list -------------------------------------------------------------------------------------


@compiled
def list_moves(S: Array, n: float, state: State, prices: Prices, moves: Moves) -> None:
    """Every move whose approximate gain in score exceeds the least asked for.

    Edges and loadings: one node refitted, the others and the variance held, nearly exact.
    Births and deaths: exact with all else held.
    """
    moves.listed[0] = 0
    layout, cross = layout_of(state), cross_of(S, state)
    gains = gains_of(S, n, state, cross)
    _edge_moves(state, prices, gains, layout, moves)
    _sharing_moves(state, prices, gains, layout, moves)
    _loading_moves(state, prices, gains, layout, moves)
    _deaths(n, state, prices, cross, moves)
    _births(n, state, prices, cross, moves)


@compiled
def _edge_moves(state: State, prices: Prices, gains: Gains, layout: Layout, moves: Moves) -> None:
    edges, reach, count = state.edges, layout.reach, layout.edges
    more = prices.edge[count + 1] - prices.edge[count]
    fewer = prices.edge[count] - prices.edge[max(count - 1, 0)]
    for j in range(len(edges)):
        for i in range(len(edges)):
            if edges[i, j]:
                _offer(moves, DROP, i, j, fewer - gains.drop[i, j])
                if not bent(edges, reach, i, j):
                    _offer(moves, REVERSE, i, j, gains.add[j, i] - gains.drop[i, j])
            elif i != j and not edges[j, i] and not layout.shared[i, j] and not reach[j, i]:
                _offer(moves, ADD, i, j, gains.add[i, j] - more)


@compiled
def _sharing_moves(
    state: State, prices: Prices, gains: Gains, layout: Layout, moves: Moves
) -> None:
    """An edge i -> j where i and j share latents: one of the two leaves those latents."""
    p, Q = state.loads.shape
    more = prices.edge[layout.edges + 1] - prices.edge[layout.edges]
    for j in range(p):
        for i in range(p):
            if layout.shared[i, j] and not layout.reach[j, i]:
                child = parent = gains.add[i, j] - more
                for k in range(Q):
                    if state.loads[i, k] and state.loads[j, k]:
                        size = layout.sizes[k]
                        saved = prices.latent[size] - prices.latent[size - 1]
                        child += saved - gains.leave[j, k]
                        parent += saved - gains.leave[i, k]
                _offer(moves, CHILD_YIELDS, i, j, child)
                _offer(moves, PARENT_YIELDS, i, j, parent)


@compiled
def _loading_moves(
    state: State, prices: Prices, gains: Gains, layout: Layout, moves: Moves
) -> None:
    """A node joins a latent, its edges to the members dropped; a node leaves one."""
    p, Q = state.loads.shape
    fewer = prices.edge[layout.edges] - prices.edge[max(layout.edges - 1, 0)]
    for j in range(p):
        for k in range(Q):
            size = layout.sizes[k]
            if state.loads[j, k]:
                saved = prices.latent[size] - prices.latent[size - 1]
                _offer(moves, LEAVE, j, k, saved - gains.leave[j, k])
            elif size > 0:
                gain = gains.join[j, k] - prices.latent[size + 1] + prices.latent[size]
                for i in range(p):
                    if state.loads[i, k]:
                        if state.edges[i, j]:
                            gain += fewer - gains.drop[i, j]
                        if state.edges[j, i]:
                            gain += fewer - gains.drop[j, i]
                _offer(moves, JOIN, j, k, gain)


@compiled
def _deaths(n: float, state: State, prices: Prices, cross: Cross, moves: Moves) -> None:
    """Omega - l l': n (log(1 - t) + c / (1 - t)) worse, t = l'Theta l, c = l'Theta EE Theta l."""
    p, Q = state.loads.shape
    sizes = sizes_of(state.loads)
    for k in range(Q):
        t = c = 0.0
        for i in range(p):
            for a in range(p):
                x = state.L[i, k] * state.L[a, k]
                if x != 0.0:
                    t += x * cross.Theta[i, a]
                    c += x * cross.C[i, a]
        if sizes[k] > 1 and t < LONGEST:
            worse = n * (np.log(1.0 - t) + c / (1.0 - t))
            _offer(moves, DEATH, k, k, prices.latent[sizes[k]] - worse)


@compiled
def _births(n: float, state: State, prices: Prices, cross: Cross, moves: Moves) -> None:
    """Omega + l l' at the best l: n (lam - 1 - log lam), lam the largest root of C u = lam Theta u.

    On one node or on two without an edge; C and Theta restricted to these.
    """
    if free_latent(state.loads) < 0:
        return
    C, Theta, edges, start = cross.C, cross.Theta, state.edges, moves.start
    one, two = prices.latent[1], prices.latent[2]
    p = len(edges)
    for i in range(p):
        for j in range(i, p):
            if not edges[i, j] and not edges[j, i]:
                root, first, second = best_pair(C, Theta, i, j)
                if root > 1.0:
                    gain = n * (root - 1.0 - np.log(root))
                    at = moves.listed[0]
                    start[at, 0], start[at, 1] = first, second
                    if i == j:
                        _offer(moves, SINGLE, i, i, gain - one)
                    else:
                        _offer(moves, PAIR, i, j, gain - two)


@compiled
def best_pair(C: Array, Theta: Array, i: int, j: int) -> tuple[float, float, float]:
    """Largest lam with det(C - lam Theta) = 0 on nodes i and j, which may be one, and the loadings.

    These are the vector u of C u = lam Theta u with u'Theta u = lam - 1, or of a small latent
    where nothing is gained.
    """
    a, b, d = Theta[i, i], Theta[i, j], Theta[j, j]
    if i == j:
        root = C[i, i] / a
        return root, np.sqrt((max(root, 1.05) - 1.0) / a), 0.0
    square = a * d - b * b
    middle = C[i, i] * d + C[j, j] * a - 2.0 * C[i, j] * b
    least = C[i, i] * C[j, j] - C[i, j] ** 2
    root = (middle + np.sqrt(max(middle * middle - 4.0 * square * least, 0.0))) / (2.0 * square)
    first, second = root * b - C[i, j], C[i, i] - root * a
    if abs(first) + abs(second) < 1e-9 * C[i, i]:
        first, second = 1.0, 0.5
    length = first * first * a + 2.0 * first * second * b + second * second * d
    scale = np.sqrt((max(root, 1.1) - 1.0) / length)
    return root, first * scale, second * scale


# --- the making -----------------------------------------------------------------------------------


@compiled
def free_latent(loads: Flags) -> int:
    """The first latent without a loading, -1 where all are used."""
    sizes = sizes_of(loads)
    for k in range(len(sizes)):
        if sizes[k] == 0:
            return k
    return -1


@compiled
def drop_edge(state: State, i: int, j: int) -> None:
    """No edge i -> j."""
    state.edges[i, j] = False
    state.B[i, j] = 0.0


@compiled
def drop_loading(state: State, i: int, k: int) -> None:
    """Node i no longer loads on latent k."""
    state.loads[i, k] = False
    state.L[i, k] = 0.0


@compiled
def give_loading(state: State, i: int, k: int, value: float) -> None:
    """Node i loads on latent k; its edges to the other members go."""
    for a in range(len(state.loads)):
        if state.loads[a, k]:
            drop_edge(state, a, i)
            drop_edge(state, i, a)
    state.loads[i, k] = True
    state.L[i, k] = value


@compiled
def birth(state: State, i: int, j: int, start: Array) -> None:
    """A new latent on nodes i and j with loadings start (2,), or on i = j alone; room is needed."""
    k = free_latent(state.loads)
    if k >= 0:
        give_loading(state, i, k, start[0])
        if i != j:
            give_loading(state, j, k, start[1])


@compiled
def widen(loads: Flags, nodes: Flags) -> None:
    """nodes (p,), in place: with every node that shares latents with one of them, step by step."""
    p, Q = loads.shape
    done = np.zeros(Q, np.bool_)
    grown = True
    while grown:
        grown = False
        for k in range(Q):
            for i in range(p):
                if loads[i, k] and nodes[i] and not done[k]:
                    done[k] = grown = True
                    for a in range(p):
                        nodes[a] = nodes[a] or loads[a, k]


@compiled
def make(state: State, move: Integers, start: Array) -> Flags:
    """Change the marks; nodes (p,) whose parameters have to follow."""
    kind, a, b = move[0], move[1], move[2]
    nodes = np.zeros(len(state.loads), np.bool_)
    nodes[a] = REVERSE <= kind < DEATH
    if kind <= PAIR:
        nodes[b] = True
    elif kind >= JOIN:
        for i in range(len(nodes)):
            nodes[i] = nodes[i] or state.loads[i, b]
    widen(state.loads, nodes)
    if kind <= REVERSE:
        _change_edge(state, kind, a, b)
    elif kind <= PARENT_YIELDS:
        _part(state, kind, a, b)
    elif kind <= SINGLE:
        birth(state, a, b, start)
    else:
        _change_loading(state, kind, a, b)
    widen(state.loads, nodes)
    return nodes


@compiled
def _change_edge(state: State, kind: int, a: int, b: int) -> None:
    if kind == ADD:
        state.edges[a, b] = True
        return
    drop_edge(state, a, b)
    if kind == REVERSE:
        state.edges[b, a] = True


@compiled
def _change_loading(state: State, kind: int, a: int, b: int) -> None:
    if kind == JOIN:
        # small, for the node's own step to refine: a zero would have no sign to start from
        give_loading(state, a, b, 0.05 * np.sqrt(state.variance[0]))
    elif kind == LEAVE:
        drop_loading(state, a, b)
    else:
        kill(state, b)


@compiled
def kill(state: State, k: int) -> None:
    """No node loads on latent k."""
    for i in range(len(state.loads)):
        drop_loading(state, i, k)


@compiled
def _part(state: State, kind: int, a: int, b: int) -> None:
    """Edge a -> b in place of the latents that the two share."""
    leaver, other = (b, a) if kind == CHILD_YIELDS else (a, b)
    for k in range(state.loads.shape[1]):
        if state.loads[leaver, k] and state.loads[other, k]:
            drop_loading(state, leaver, k)
    state.edges[a, b] = True
