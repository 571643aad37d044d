"""Prior knowledge as masks over numbered columns, as solvers and searches read it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Flags = npt.NDArray[np.bool_]


class Rules(NamedTuple):
    """Which marks are open and which are fixed, all (p, p), C-contiguous.

    Parameters
    ----------
    may_lead, may_share
        [i, j]: i -> j, and i <-> j (symmetric), are not barred; False on the diagonal.
    must_lead, must_share
        [i, j]: i -> j, and i <-> j (symmetric), are fixed: then they are the pair's only mark, so
        that the other marks of the pair are barred above.
    """

    may_lead: Flags
    may_share: Flags
    must_lead: Flags
    must_share: Flags

    @classmethod
    def none(cls, p: int) -> Rules:
        """Everything open, nothing fixed."""
        off = ~np.eye(p, dtype=np.bool_)
        return cls(off, off.copy(), np.zeros((p, p), np.bool_), np.zeros((p, p), np.bool_))

    @property
    def bind(self) -> bool:
        """Whether any mark is barred or fixed."""
        p = len(self.may_lead)
        return int(self.may_lead.sum()) + int(self.may_share.sum()) < 2 * p * (p - 1)

    @property
    def connected(self) -> Flags:
        """[i, j]: a path of open i <-> j joins them, so that Theta_ij may differ from zero."""
        from scipy.sparse.csgraph import connected_components

        label = connected_components(self.may_share, directed=False)[1]
        return np.asarray(label[:, None] == label)

    def bar(self, i: int, j: int, *, arc: bool) -> None:
        """No i -> j, or no i <-> j; in place."""
        if arc:
            self.may_share[i, j] = self.may_share[j, i] = False
        else:
            self.may_lead[i, j] = False

    def bar_arcs(self, i: int) -> None:
        """No <-> at i; in place."""
        self.may_share[i] = self.may_share[:, i] = False

    def fix(self, i: int, j: int, *, arc: bool) -> None:
        """i -> j or i <-> j is there, and no other mark of the pair; in place."""
        if arc:
            self.must_share[i, j] = self.must_share[j, i] = True
            self.may_lead[i, j] = self.may_lead[j, i] = False
        else:
            self.must_lead[i, j] = True
            self.may_lead[j, i] = self.may_share[i, j] = self.may_share[j, i] = False
