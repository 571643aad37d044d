"""Prior knowledge in the search with hidden causes: lawful starts and blows."""

from __future__ import annotations

import numpy as np

from dagdecor.knowledge import Rules
from dagdecor.search.latent_gain_kernels import cross_of
from dagdecor.search.latent_move_kernels import best_pair, birth
from dagdecor.search.latent_state import Array, State, blank
from dagdecor.search.residual_kernels import Flags
from dagdecor.search.retained import edges_after


def lawful(S: Array, latents: int, rules: Rules) -> State:
    """The blank state with the marks that are fixed, and a latent more for each fixed <->."""
    state = blank(S, latents + int(rules.must_share.sum()) // 2)
    state.edges[:] = rules.must_lead
    complete(S, state, rules)
    return state


def complete(S: Array, state: State, rules: Rules) -> bool:
    """A latent for each fixed <-> that none accounts for, in place; whether there was room."""
    for i, j in np.argwhere(np.triu(rules.must_share & ~_shared(state.loads))):
        if state.loads.any(axis=0).all():
            return False
        cross = cross_of(S, state)
        _, first, second = best_pair(cross.C, cross.Theta, i, j)
        birth(state, i, j, np.array([first, second]))
    return True


def restore(S: Array, state: State, before: State, rules: Rules) -> None:
    """What a blow broke, in place: barred marks go, fixed ones come back.

    `before` obeyed the rules; it comes back whole where no latent is free for a fixed <->.
    """
    _part_strangers(state, rules.may_share)
    if not complete(S, state, rules):
        state.loads[:], state.L[:] = before.loads, before.L
    state.edges[:] = edges_after(state.edges, before.edges, rules) & ~_shared(state.loads)
    back = rules.must_lead & (state.B == 0)
    state.B[back] = before.B[back]
    state.B[~state.edges] = 0.0


def _shared(loads: Flags) -> Flags:
    """(p, p), [i, j]: i != j load on one latent."""
    together = (loads.astype(np.int64) @ loads.T) > 0
    np.fill_diagonal(together, val=False)
    return np.asarray(together)


def _part_strangers(state: State, may_share: Flags) -> None:
    """Of the nodes on a latent that may not share one, the later goes."""
    for k in range(state.loads.shape[1]):
        kept: list[int] = []
        for i in np.flatnonzero(state.loads[:, k]):
            if may_share[i, kept].all():
                kept.append(int(i))
            else:
                state.loads[i, k] = False
                state.L[i, k] = 0.0
