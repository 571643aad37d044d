"""Prior knowledge in the moves of the search with hidden causes."""

from __future__ import annotations

import numpy as np

from dagdecor.compiled import compiled
from dagdecor.knowledge import Rules
from dagdecor.search.latent_move_kernels import (
    ADD,
    CHILD_YIELDS,
    DEATH,
    DROP,
    JOIN,
    LEAVE,
    PAIR,
    PARENT_YIELDS,
    REVERSE,
    Moves,
)
from dagdecor.search.latent_state import Flags, State


@compiled
def keep_allowed(state: State, rules: Rules, moves: Moves) -> None:
    """Only the listed moves that end in a state which obeys the rules, as this one does."""
    place, gain, start = moves.place, moves.gain, moves.start
    kept = 0
    for row in range(moves.listed[0]):
        if _is_allowed(state, rules, place[row, 0], place[row, 1], place[row, 2]):
            for k in range(3):
                place[kept, k] = place[row, k]
            start[kept, 0], start[kept, 1] = start[row, 0], start[row, 1]
            gain[kept] = gain[row]
            kept += 1
    moves.listed[0] = kept


@compiled
def _is_allowed(state: State, rules: Rules, kind: int, a: int, b: int) -> bool:
    if kind in (ADD, CHILD_YIELDS, PARENT_YIELDS) and not rules.may_lead[a, b]:
        return False
    if kind in (DROP, REVERSE):
        return not rules.must_lead[a, b] and (kind == DROP or rules.may_lead[b, a])
    if kind == PAIR:
        return bool(rules.may_share[a, b])
    if kind == JOIN:
        return _may_join(state.loads, rules.may_share, a, b)
    return _keeps_causes(state, rules, kind, a, b)


@compiled
def _keeps_causes(state: State, rules: Rules, kind: int, a: int, b: int) -> bool:
    """Whether each fixed <-> still has its latent once nodes have left some."""
    if kind == CHILD_YIELDS:
        return _may_leave(state, rules, b, state.loads[a])
    if kind == PARENT_YIELDS:
        return _may_leave(state, rules, a, state.loads[b])
    if kind in (LEAVE, DEATH):
        leaving = np.zeros(state.loads.shape[1], np.bool_)
        leaving[b] = True
        for i in range(len(state.loads)):
            leaves = i == a if kind == LEAVE else state.loads[i, b]
            if leaves and not _may_leave(state, rules, i, leaving):
                return False
    return True


@compiled
def _may_join(loads: Flags, may_share: Flags, i: int, k: int) -> bool:
    """Whether node i may share a hidden cause with every node on latent k."""
    for m in range(len(loads)):
        if loads[m, k] and m != i and not may_share[i, m]:
            return False
    return True


@compiled
def _may_leave(state: State, rules: Rules, i: int, leaving: Flags) -> bool:
    """Whether each <-> of node i that is fixed rests on a latent that is not among `leaving`."""
    loads = state.loads
    for m in range(len(loads)):
        if rules.must_share[i, m]:
            held = False
            for k in range(loads.shape[1]):
                held = held or (loads[i, k] and loads[m, k] and not leaving[k])
            if not held:
                return False
    return True
