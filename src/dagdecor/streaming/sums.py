"""n, mean and scatter of a part of the rows, and how two parts make one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dagdecor.data import LARGEST

Array = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Sums:
    """Of the rows kept: how many, mean (p,), scatter sum (x-mean)(x-mean)' (p, p), and range.

    Parameters
    ----------
    rows, empty
        Rows seen, and empty cells of each column.
    low, high
        (p,) least and largest value; infinite without a row.
    """

    n: int
    mean: Array
    scatter: Array
    low: Array
    high: Array
    rows: int
    empty: Counts

    @staticmethod
    def of(values: Array) -> Sums:
        """Of rows (n, p); those with an empty cell count as seen only."""
        p = values.shape[1]
        gaps = np.isnan(values)
        empty = gaps.sum(axis=0)
        kept = values[~gaps.any(axis=1)] if empty.any() else values
        n = len(kept)
        if not n:
            blank = np.full(p, np.inf)
            return Sums(0, np.zeros(p), np.zeros((p, p)), blank, -blank, len(values), empty)
        low, high = kept.min(axis=0), kept.max(axis=0)
        with np.errstate(all="ignore"):  # what is too large to square is refused at the end
            mean = kept.mean(axis=0)
            centred = kept - mean
            drift = centred.mean(axis=0)  # the mean's own rounding, when |mean| >> deviation
            scatter = centred.T @ centred - n * np.outer(drift, drift)
            mean = mean + drift
        return Sums(n, mean, scatter, low, high, len(values), empty)

    def merge(self, other: Sums) -> Sums:
        """Scatter a + b + d d' n_a n_b / n, d the difference of means (Chan, Golub, LeVeque 1979).

        d loses no digit to a mean that both share.
        """
        n = self.n + other.n
        share = other.n / n if n else 0.0
        with np.errstate(all="ignore"):
            apart = other.mean - self.mean
            between = np.outer(apart, apart) * (self.n * share)
            mean = self.mean + apart * share
            scatter = self.scatter + other.scatter + between
        return Sums(
            n,
            mean,
            scatter,
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            self.rows + other.rows,
            self.empty + other.empty,
        )

    @property
    def infinite(self) -> npt.NDArray[np.bool_]:
        """(p,) where a value is too large to square."""
        return np.asarray(np.maximum(np.abs(self.low), np.abs(self.high)) >= LARGEST) & (self.n > 0)


class Pairwise:
    """Parts merged two by two, like sizes with like: rounding grows as the log of their number."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, Sums]] = []

    def add(self, part: Sums) -> None:
        """One more part; at most log2(parts) of them are held."""
        rank = 0
        while self._waiting and self._waiting[-1][0] == rank:
            part = self._waiting.pop()[1].merge(part)
            rank += 1
        self._waiting.append((rank, part))

    def total(self) -> Sums | None:
        """All parts as one, None where there was none."""
        total: Sums | None = None
        for _, part in reversed(self._waiting):
            total = part if total is None else part.merge(total)
        return total
