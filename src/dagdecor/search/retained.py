"""Edges after a random blow, brought back to what is known of them."""

from __future__ import annotations

import numpy as np

from dagdecor.knowledge import Rules
from dagdecor.search.residual_kernels import Flags


def edges_after(edges: Flags, before: Flags, rules: Rules) -> Flags:
    """(p, p) acyclic: the fixed edges, those that a blow left of `before`, the new ones that fit.

    `before` is acyclic and obeys the rules, so that the first two close no cycle; new edges follow
    one by one, in column order, where they are open and close none either.
    """
    kept = (edges & before) | rules.must_lead
    reach = np.eye(len(edges), dtype=np.bool_)
    for _ in range(len(edges).bit_length()):
        reach |= (reach.astype(np.int64) @ (reach | kept)) > 0
    for i, j in np.argwhere(edges & ~before & rules.may_lead & ~kept):
        if not reach[j, i]:
            kept[i, j] = True
            reach |= np.outer(reach[:, i], reach[j])
    return kept
