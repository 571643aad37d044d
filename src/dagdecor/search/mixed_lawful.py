"""Prior knowledge in the search with sparse noise covariance: lawful starts, moves and blows."""

from __future__ import annotations

import numpy as np

from dagdecor.knowledge import Rules
from dagdecor.search.mixed_fit_kernels import keep_definite
from dagdecor.search.mixed_move_kernels import (
    ADD,
    DROP,
    JOIN,
    KINDS,
    PART,
    REVERSE,
    TO_ARC,
    TO_EDGE,
)
from dagdecor.search.mixed_state import State, blank
from dagdecor.search.residual_kernels import Array, Flags
from dagdecor.search.retained import edges_after


def lawful(S: Array, rules: Rules) -> State:
    """The blank state with the marks that are fixed, their parameters at 0."""
    state = blank(S)
    state.edges[:] = rules.must_lead
    state.arcs[:] = rules.must_share
    return state


def open_moves(rules: Rules) -> Flags:
    """(7, p, p): the moves of `offers` that no rule bars, whatever the state."""
    may_lead, may_share, must_lead, must_share = rules
    allowed = np.empty((KINDS, *may_lead.shape), np.bool_)
    allowed[ADD] = may_lead
    allowed[DROP] = ~must_lead
    allowed[REVERSE] = may_lead.T & ~must_lead
    allowed[JOIN] = may_share
    allowed[PART] = ~must_share
    allowed[TO_ARC] = may_share & ~must_lead
    allowed[TO_EDGE] = may_lead & ~must_share
    return allowed


def restore(state: State, before: State, rules: Rules) -> None:
    """What a blow broke, in place: barred marks go, fixed ones come back; Omega > 0.

    `before` obeyed the rules. Of the edges that the blow made, those stay that close no cycle
    with the ones that come back.
    """
    state.arcs[:] = (state.arcs & rules.may_share) | rules.must_share
    state.edges[:] = edges_after(state.edges, before.edges, rules) & ~state.arcs
    lost = rules.must_lead & (state.B == 0)
    state.B[lost] = before.B[lost]
    state.B[~state.edges] = 0.0
    back = rules.must_share & (state.Omega == 0)
    state.Omega[back] = before.Omega[back]
    state.Omega[~(state.arcs | np.eye(len(state.B), dtype=np.bool_))] = 0.0
    keep_definite(state.Omega, np.ones(len(state.B), dtype=np.bool_))
