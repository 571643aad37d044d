"""Compiled kernels of the graph step: moves over the orders that B may follow.

Arrays as in `lasso_kernels`; `order` (p,) is the nodes by `terms.place`, and both change as one.
`limits` is (smallest gain of a coordinate step, how far above its start a move may stand, strength
of an edge whose ends move together, how many nodes those may pass, whether a single node goes only
as far as it may gain).
"""

from __future__ import annotations

import numpy as np

from dagdecor.compiled import compiled
from dagdecor.solve.lasso_kernels import Array, Flags, Forms, Indices, Terms, couple, descend

CLOSE = 0.1  # squared partial correlation of two errors from which on columns move together


@compiled
def residual_order(forms: Forms) -> Indices:
    """Next in the order: the node with the least Theta_jj Var(x_j | nodes before), (p,).

    Exact for equal error variances in the population (Chen, Drton, Wang 2019, algorithm 1).
    """
    S, Theta = forms.S, forms.Theta
    p = len(S)
    # A pivoted Cholesky factor of S, row by row: only the diagonal of what is left is kept.
    L = np.zeros((p, p))
    left, rest = np.empty(p), np.empty(p)
    order = np.arange(p)
    for j in range(p):
        left[j] = S[j, j]
    for k in range(p):
        at = k
        for m in range(k + 1, p):
            j, best = order[m], order[at]
            cost, least = Theta[j, j] * left[j], Theta[best, best] * left[best]
            if cost < least or (cost == least and j < best):
                at = m
        best = order[at]
        order[k], order[at] = best, order[k]
        if left[best] > 1e-10 * S[best, best]:
            for i in range(p):
                rest[i] = S[best, i]
            for m in range(k):
                share = L[m, best]
                if share != 0.0:
                    for i in range(p):
                        rest[i] -= share * L[m, i]
            scale = 1.0 / np.sqrt(left[best])
            for i in range(p):
                L[k, i] = scale * rest[i]
                left[i] -= L[k, i] * L[k, i]
    return order


@compiled
def source_order(W: Array) -> Indices:
    """Next in the order: the node with the least weight W from nodes not yet placed, (p,).

    A topological order when W >= 0 is acyclic.
    """
    p = len(W)
    order = np.empty(p, dtype=np.int64)
    left = np.ones(p, dtype=np.bool_)
    weight, stale = np.zeros(p), np.ones(p, dtype=np.bool_)
    into = W.T.copy()
    for k in range(p):
        best = -1
        for j in range(p):
            if not left[j]:
                continue
            if stale[j]:  # summed again, not reduced: an exact zero has to be found as one
                weight[j] = 0.0
                for i in range(p):
                    if left[i] and i != j:
                        weight[j] += into[j, i]
                stale[j] = False
            if best < 0 or weight[j] < weight[best]:
                best = j
        order[k] = best
        left[best] = False
        for j in range(p):
            stale[j] = stale[j] or W[best, j] != 0.0
    return order


@compiled
def _answer(
    forms: Forms, terms: Terms, state: Array, moved: Indices, touched: Flags, tolerance: float
) -> float:
    """Solve the columns that Theta ties closely to the two that `moved`. Returns the fall."""
    Theta = forms.Theta
    one, other = moved
    fall = 0.0
    for m in range(len(Theta)):
        close = max(
            Theta[one, m] ** 2 / Theta[one, one], Theta[other, m] ** 2 / Theta[other, other]
        )
        if m not in (one, other) and close > CLOSE * Theta[m, m]:
            touched[m] = True
            fall += descend(forms, terms, state, m, tolerance)
    return fall


@compiled
def exchange(
    forms: Forms,
    terms: Terms,
    state: Array,
    order: Indices,
    k: int,
    touched: Flags,
    tolerance: float,
) -> float:
    """Swap places k and k+1 of the order and solve the columns that this touches.

    Marks the columns of B that it has solved; none, in constant time, for two nodes without an
    edge and without the wish for one. Returns the fall, negative for a rise.
    """
    first, second = order[k], order[k + 1]
    order[k], order[k + 1] = second, first
    terms.place[first], terms.place[second] = k + 1, k
    fall = 0.0
    old = state[0, second, first]
    if old != 0.0:
        touched[second] = True
        before = state[0, second].copy()
        g = state[1, second]
        scaled = -forms.Theta[second, second] * old
        fall += terms.weights[second, first] * np.abs(old) - old * (
            g[first] - 0.5 * scaled * forms.S[first, first]
        )
        state[0, second, first] = 0.0
        for m in range(len(g)):
            g[m] -= scaled * forms.S[first, m]
        couple(forms, state, second, before)
        fall += descend(forms, terms, state, second, tolerance)
    if np.abs(state[1, first, second]) > terms.weights[first, second]:
        touched[first] = True
        fall += descend(forms, terms, state, first, tolerance)
    if fall != 0.0:
        fall += _answer(forms, terms, state, order[k : k + 2], touched, tolerance)
    return fall


@compiled
def _copy(forms: Forms, state: Array, source: Array, touched: Flags) -> None:
    """Touched columns of B, and of G those that Theta ties to them, as in `source`."""
    p = len(touched)
    slopes = np.zeros(p, dtype=np.bool_)
    for j in range(p):
        if touched[j]:
            for m in range(p):
                slopes[m] = slopes[m] or forms.Theta[j, m] != 0.0
            for i in range(p):
                state[0, j, i] = source[0, j, i]
    for m in range(p):
        if slopes[m]:
            for i in range(p):
                state[1, m, i] = source[1, m, i]


@compiled
def _undo(terms: Terms, order: Indices, stay: Indices) -> None:
    """Bring the order back to `stay`."""
    for k in range(len(order)):
        order[k] = stay[k]
        terms.place[stay[k]] = k


@compiled
def _is_towed(forms: Forms, state: Array, block: Indices, other: int, limits: Array) -> bool:
    """Whether a strong edge joins `other` to a node of the block; limits[2] says how strong."""
    for k in block:
        along = forms.Theta[other, other] * forms.S[k, k] * state[0, other, k] ** 2
        against = forms.Theta[k, k] * forms.S[other, other] * state[0, k, other] ** 2
        if max(along, against) > limits[2]:
            return True
    return False


@compiled
def _is_held(before: Flags, block: Indices, other: int, right: bool) -> bool:  # noqa: FBT001
    """Whether `other`, right or left of the block, must stay on that side of a node of it."""
    for k in block:
        if before[other, k] if right else before[k, other]:
            return True
    return False


@compiled
def _wished(terms: Terms, state: Array, order: Indices, at: int, right: bool) -> int:  # noqa: FBT001
    """How far the node at a place can gain by moving: places to the last edge that it would free.

    The objective is convex in B on the edges of both orders together, so that without a barred
    edge whose gradient exceeds its weight there is nothing to gain.
    """
    node = order[at]
    if right:
        for k in range(len(order) - 1, at, -1):
            if np.abs(state[1, node, order[k]]) > terms.weights[node, order[k]]:
                return k - at
    else:
        for k in range(at):
            if np.abs(state[1, order[k], node]) > terms.weights[order[k], node]:
                return at - k
    return 0


@compiled
def _walk(
    forms: Forms,
    terms: Terms,
    state: Array,
    order: Indices,
    move: tuple[int, int],
    touched: Flags,
    limits: Array,
) -> tuple[float, int]:
    """Move the node at move[0] past |move[1]| nodes, right or left; best fall, signed steps to it.

    A node in the way that a strong edge ties to those that move joins them; one that must stay
    on its side joins them too, or ends the walk where none may join. The walk ends early once it
    stands higher than limits[1], and that of a single node where no edge is left to be freed.
    """
    p = len(order)
    start, steps = move
    low = high = start
    best, place, fall, done = 0.0, 0, 0.0, 0
    single, bounded = limits[2] == np.inf, limits[2] == np.inf and limits[4] > 0.0
    changed, room = True, 0
    while done < np.abs(steps) and fall >= -limits[1]:
        right = steps > 0
        if (high == p - 1) if right else (low == 0):
            break
        if bounded:
            if changed:
                room = _wished(terms, state, order, low, right)
                changed = False
            if room == 0:
                break
            room -= 1
        other = order[high + 1] if right else order[low - 1]
        block = order[low : high + 1]
        held = _is_held(terms.before, block, other, right)
        if held and single:
            break
        if held or (not single and _is_towed(forms, state, block, other, limits)):
            low, high = (low, high + 1) if right else (low - 1, high)
            continue
        before = fall
        if right:
            for k in range(high, low - 1, -1):
                fall += exchange(forms, terms, state, order, k, touched, limits[0])
            low, high = low + 1, high + 1
        else:
            for k in range(low - 1, high):
                fall += exchange(forms, terms, state, order, k, touched, limits[0])
            low, high = low - 1, high - 1
        done += 1
        changed = fall != before
        if fall > best:
            best, place = fall, done if right else -done
    return best, place


@compiled
def _wake(state: Array, saved: Array, touched: Flags, waiting: Flags) -> None:
    """Mark each node whose column of B differs from `saved`, and the parents that differ."""
    for j in range(len(waiting)):
        if touched[j]:
            for i in range(len(waiting)):
                if state[0, j, i] != saved[0, j, i]:
                    waiting[i] = True
                    waiting[j] = True


@compiled
def reorder(
    forms: Forms, terms: Terms, state: Array, order: Indices, waiting: Flags, limits: Array
) -> float:
    """Insert each waiting node at its best place in the order, until none waits. The fall.

    A move wakes the nodes whose columns it changed and the parents that they won or lost.
    """
    p = len(order)
    singly = limits.copy()
    singly[2] = np.inf
    saved, stay = state.copy(), order.copy()
    touched = np.zeros(p, dtype=np.bool_)
    total = 0.0
    while waiting.any():
        for node in order.copy():
            if not waiting[node]:
                continue
            waiting[node] = False
            start = terms.place[node]
            best, steps, mode = 10 * limits[0], 0, singly
            for rule in (singly, limits):
                most = p if rule[2] == np.inf else min(p, int(limits[3]))
                for distance in (most, -most):
                    fall, reached = _walk(
                        forms, terms, state, order, (start, distance), touched, rule
                    )
                    _undo(terms, order, stay)
                    _copy(forms, state, saved, touched)
                    touched[:] = False
                    if fall > best:
                        best, steps, mode = fall, reached, rule
                if limits[2] == np.inf:
                    break
            if steps == 0:
                continue
            total += _walk(forms, terms, state, order, (start, steps), touched, mode)[0]
            _wake(state, saved, touched, waiting)
            _copy(forms, saved, state, touched)
            touched[:] = False
            stay = order.copy()
    return total
