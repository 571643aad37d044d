"""n, mean and S = Xc' Xc / n: all that the method ever sees of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from dagdecor.certificate import Status
from dagdecor.data import Table, check_names, count_empty, table
from dagdecor.errors import (
    BadCovariance,
    BadShape,
    CollinearColumns,
    ConstantColumn,
    MissingValues,
    OptionError,
    TooFewForEM,
    TooFewRows,
    UnitsApart,
    UnknownName,
)
from dagdecor.graph import default_names
from dagdecor.missing import METHODS, Missing

UNIT_VARIANCES = 1e-6  # columns this close to one variance were scaled
APART = 1e30  # of the largest deviation to the smallest: products of variances stay in range
COLLINEAR = 1e-10  # share of a column's variance that the others leave unexplained


@dataclass(frozen=True, eq=False)
class Moments:
    """Rows, mean (p,), covariance S (p, p) with divisor n, and column names; arrays are read-only.

    `missing` tells how empty cells were dealt with, None where there were none.

    Examples
    --------
    >>> import numpy as np
    >>> moments = Moments.from_data(np.array([[0.0, 1.0], [2.0, 2.0], [4.0, 6.0]]))
    >>> moments.n, moments.names
    (3, ('x0', 'x1'))
    >>> moments.S.round(3).tolist()
    [[2.667, 3.333], [3.333, 4.667]]
    """

    n: int
    mean: npt.NDArray[np.float64]
    S: npt.NDArray[np.float64]
    names: tuple[str, ...]
    missing: Missing | None = None

    def __post_init__(self) -> None:
        for name in ("mean", "S"):
            object.__setattr__(self, name, constant(getattr(self, name)))

    @property
    def p(self) -> int:
        """Number of columns."""
        return len(self.names)

    @property
    def deviations(self) -> npt.NDArray[np.float64]:
        """(p,) standard deviations."""
        return np.asarray(np.sqrt(np.diag(self.S)))

    @classmethod
    def from_data(
        cls, X: object, names: Sequence[str] | None = None, *, missing: str = "error"
    ) -> Moments:
        """Moments of a checked table; refuses exactly collinear columns by name.

        Parameters
        ----------
        X
            Array, DataFrame or `Table`.
        names
            Of the columns, in place of their own.
        missing
            Empty cells are refused ("error"), their rows left out ("drop"), or the likelihood of
            the cells that are there is maximised ("em"); then n is what the rows are worth.
        """
        if missing not in METHODS:
            raise OptionError("missing", missing, " or ".join(map(repr, METHODS)))
        source = X if isinstance(X, Table) else table(X, names, gaps=missing != "error")
        counts = count_empty(source.values, source.names)
        if counts and missing == "error":
            raise MissingValues(counts)
        if not counts:
            moments = cls.from_rows(source)
        elif missing == "drop":
            from dagdecor.missing.em import complete_rows

            record = Missing("drop", len(source.values), counts)
            whole = complete_rows(source)
            moments = replace(cls.from_rows(table(whole.values, whole.names)), missing=record)
        else:
            moments = cls._expected(source, counts)
            _check_expected(moments)
        moments.check_rank()
        return moments

    @classmethod
    def _expected(cls, source: Table, counts: Mapping[str, int]) -> Moments:
        """By EM; n is rows times the mean share of information about a covariance."""
        from dagdecor.missing.em import expected_moments

        mean, S, information, proof = expected_moments(source)
        rows, p = len(source.values), len(source.names)
        pairs = information[np.triu_indices(p, 1)] if p > 1 else information[0]
        held = int((~np.isnan(source.values)).any(axis=1).sum())
        worth = max(2, int(np.floor(held * float(pairs.mean()) + 1e-9)))
        return cls(worth, mean, S, source.names, Missing("em", rows, counts, proof))

    @classmethod
    def from_rows(cls, source: Table) -> Moments:
        """Moments of rows that a law is only compared with: one is enough, any column may rest."""
        n = len(source.values)
        mean = source.values.mean(axis=0)
        centred = source.values - mean
        drift = centred.mean(axis=0)  # the mean's own rounding, when |mean| >> deviation
        centred -= drift
        return cls(n, mean + drift, centred.T @ centred / n, source.names)

    @classmethod
    def from_covariance(
        cls,
        S: npt.ArrayLike,
        n: int,
        names: Sequence[str] | None = None,
        mean: npt.ArrayLike | None = None,
    ) -> Moments:
        """Moments from a covariance matrix that came from n rows (divisor n)."""
        matrix = np.array(S, dtype=np.float64)
        count = matrix.shape[0] if matrix.ndim == 2 else -1
        if matrix.shape != (count, count) or count < 1:
            raise BadShape(f"a covariance is a square matrix, this has shape {matrix.shape}")
        labels = default_names(count) if names is None else tuple(str(name) for name in names)
        if len(labels) != count:
            raise BadShape(f"{len(labels)} names for {count} columns")
        check_names(labels)
        if n <= 1:
            raise TooFewRows(int(n))
        _check_covariance(matrix, labels)
        centre = np.zeros(count) if mean is None else np.asarray(mean, dtype=np.float64)
        if centre.shape != (count,):
            raise BadShape(f"the mean has shape {centre.shape}, {count} columns need ({count},)")
        moments = cls(int(n), centre, (matrix + matrix.T) / 2, labels)
        moments.check_rank()
        return moments

    def select(self, names: Sequence[str]) -> Moments:
        """The same rows seen through the named columns, in that order."""
        place = {name: index for index, name in enumerate(self.names)}
        for name in names:
            if name not in place:
                raise UnknownName(name, self.names)
        kept = [place[name] for name in names]
        return replace(self, mean=self.mean[kept], S=self.S[np.ix_(kept, kept)], names=tuple(names))

    def correlation(self) -> npt.NDArray[np.float64]:
        """(p, p) S scaled to unit diagonal."""
        scale = self.deviations
        return np.asarray(self.S / scale / scale[:, None])

    def scaled(self) -> Moments:
        """The same rows in columns of unit variance, for columns in units of their own."""
        return replace(self, mean=self.mean / self.deviations, S=self.correlation())

    def check_rank(self) -> None:
        """Refuse a column that the others determine, unless n <= p makes that unavoidable.

        And units so far apart that this could not be told.
        """
        deviations = self.deviations
        if deviations.max() > APART * deviations.min():
            small, large = int(deviations.argmin()), int(deviations.argmax())
            raise UnitsApart(self.names[small], self.names[large])
        R = self.correlation()
        if self.n <= self.p:
            _check_copies(R, self)
            return
        _, pivots, rank = _pivoted_cholesky(R)
        if rank == self.p:
            return
        kept, dependent = pivots[:rank], pivots[rank]
        weights = np.linalg.lstsq(R[np.ix_(kept, kept)], R[kept, dependent], rcond=None)[0]
        partners = [
            self.names[j] for j, w in sorted(zip(kept, weights, strict=True)) if abs(w) > 1e-6
        ]
        raise CollinearColumns(self.names[dependent], partners)


def constant(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """The values in an array that nobody changes: the same one where that is so, else a copy."""
    if isinstance(values, np.ndarray) and values.base is None and not values.flags.writeable:
        return values.astype(np.float64, copy=False)
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array


def _check_expected(moments: Moments) -> None:
    """Refuse what EM found collinear, or without a maximum; rows worth little are neither."""
    if moments.missing is None or moments.missing.certificate is None:
        return
    rows = moments.missing.rows
    replace(moments, n=rows).check_rank()
    if moments.missing.certificate.status is Status.FAILED:
        raise TooFewForEM(rows, moments.p)


def _check_copies(R: npt.NDArray[np.float64], moments: Moments) -> None:
    """With n <= p only exact copies can be told from chance; with two rows not even those."""
    if moments.n <= 2:
        return
    copies = np.argwhere(np.triu(np.abs(R) > 1 - COLLINEAR, 1))
    if copies.size:
        first, second = copies[0]
        raise CollinearColumns(moments.names[second], [moments.names[first]])


def _check_covariance(S: npt.NDArray[np.float64], names: Sequence[str]) -> None:
    if not np.isfinite(S).all():
        raise BadCovariance("has missing or infinite entries")
    if (np.diag(S) < 0).any():
        raise BadCovariance(f"has a negative variance at {names[int(np.argmin(np.diag(S)))]!r}")
    constant = np.flatnonzero(np.diag(S) == 0).tolist()
    if constant:
        raise ConstantColumn(names[j] for j in constant)
    scale = np.sqrt(np.diag(S))
    R = S / scale / scale[:, None]
    gap = np.abs(R - R.T)
    if gap.max() > 1e-8:
        i, j = divmod(int(gap.argmax()), len(names))
        raise BadCovariance(
            f"is not symmetric: [{names[i]!r}, {names[j]!r}] is {S[i, j]:.6g}, "
            f"the other way round {S[j, i]:.6g}"
        )
    lowest = float(np.linalg.eigvalsh((R + R.T) / 2)[0])
    if lowest < -1e-8 * len(names):
        raise BadCovariance(
            f"is not positive semidefinite: smallest eigenvalue {lowest:.3g} after scaling"
        )


def _pivoted_cholesky(
    R: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.intp], int]:
    """(factor, pivots, rank) of a correlation matrix; LAPACK's pstrf with our tolerance."""
    from scipy.linalg import lapack

    factor, pivots, rank, _ = lapack.dpstrf(np.asfortranarray(R), tol=COLLINEAR)
    return factor, pivots - 1, int(rank)


def of_one_variance(S: npt.NDArray[np.float64]) -> bool:
    """Whether columns were scaled, so that nothing can be read from their scale."""
    variances = np.diag(S)
    return bool(variances.max() < (1 + UNIT_VARIANCES) * variances.min())
