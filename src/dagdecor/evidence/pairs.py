"""One number for each mark that a pair of columns may carry."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from dagdecor.errors import GraphError, UnknownName

Array = npt.NDArray[np.float64]

MARKS = ("none", "->", "<-", "<->")  # of a pair (a, b): nothing, a -> b, b -> a, a <-> b
Row = tuple[str, str, float, float, float, float]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Numbers by mark, (p, p) each: [i, j] of i -> j, of i <-> j, and of no mark."""

    names: tuple[str, ...]
    directed: Array
    bidirected: Array
    absent: Array

    def of(self, a: str, b: str) -> dict[str, float]:
        """The numbers of a pair by mark, read from a to b."""
        i, j = self._place(a), self._place(b)
        if i == j:
            raise GraphError(f"{a!r} has no mark with itself")
        return dict(zip(MARKS, self._marks(i, j), strict=True))

    def rows(self) -> list[Row]:
        """(a, b, none, ->, <-, <->) of every pair, in column order."""
        places = combinations(range(len(self.names)), 2)
        return [(self.names[i], self.names[j], *self._marks(i, j)) for i, j in places]

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise UnknownName(name, self.names)
        return self.names.index(name)

    def _marks(self, i: int, j: int) -> tuple[float, float, float, float]:
        arrows = self.directed
        marks = (self.absent[i, j], arrows[i, j], arrows[j, i], self.bidirected[i, j])
        none, forth, back, both = map(float, marks)
        return none, forth, back, both
