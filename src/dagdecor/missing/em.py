"""Gaussian maximum likelihood of mean and covariance from a table with empty cells, by EM."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagdecor.certificate import Certificate, Status
from dagdecor.data import Table
from dagdecor.errors import NeverTogether, TooFewForEM, TooFewRows
from dagdecor.missing.em_kernels import fill, lost

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]

MEASURE = "last EM step in deviations"
TOLERANCE = 1e-8
LIMIT = 2000
SINGULAR = 1e-12  # smallest eigenvalue of the correlation at which the likelihood has no maximum


class Expected(NamedTuple):
    """Mean (p,), covariance (p, p), shares of information (p, p), what was proved."""

    mean: Array
    S: Array
    information: Array
    certificate: Certificate


def complete_rows(source: Table) -> Table:
    """The rows without an empty cell; refuses fewer than two."""
    whole = ~np.isnan(source.values).any(axis=1)
    if whole.sum() < 2:
        raise TooFewRows(int(whole.sum()), complete=True)
    return Table(source.values[whole], source.names)


def expected_moments(source: Table, limit: int = LIMIT) -> Expected:
    """argmax over mean, S of the likelihood of the cells that are there, rows independent normal.

    Right where cells are missing at random: whether a cell is empty may depend on the cells of
    its row that are there, not on what it would hold. Dempster, Laird, Rubin 1977; the fixed
    point is stationary, and a step of EM is zero nowhere else.
    """
    _check(source)
    absent, X, starts = _grouped(source.values)
    centre, unit = np.nanmean(X, axis=0), np.nanstd(X, axis=0)
    X = np.ascontiguousarray((X - centre) / unit)
    n, p = X.shape
    mean, S = np.zeros(p), np.eye(p)
    Theta = S.copy()
    step, done, status = np.inf, 0, Status.LIMIT
    while done < limit and status is Status.LIMIT:
        before = (mean, S, Theta)
        spread = fill(X, absent, starts, mean, Theta)
        mean = X.mean(axis=0)
        S = (X - mean).T @ (X - mean) / n + spread / n
        S, done = (S + S.T) / 2, done + 1
        if _lowest(S) < SINGULAR:
            status = Status.FAILED
            break
        Theta = np.asarray(np.linalg.inv(S), dtype=np.float64)
        step = _step(before, (mean, S, Theta))
        if step <= TOLERANCE:
            status = Status.CONVERGED
    if status is Status.FAILED:
        proof = Certificate(status, MEASURE, step, TOLERANCE, done, 0.0)
        return Expected(centre + mean * unit, S * np.outer(unit, unit), np.zeros_like(S), proof)
    information = _information(X, absent, starts, mean, S)
    value = _deviance(X, absent, starts, mean, S) + 2 * float(np.log(unit) @ (~absent).mean(axis=0))
    proof = Certificate(status, MEASURE, step, TOLERANCE, done, value)
    return Expected(centre + mean * unit, S * np.outer(unit, unit), information, proof)


def _information(X: Array, absent: Flags, starts: Integers, mean: Array, S: Array) -> Array:
    """1 - mean of Var(d_i d_j | cells there) / Var(d_i d_j), (p, p), from 0 to 1.

    The missing information principle (Orchard and Woodbury 1972): d_i d_j is what the complete
    table would tell about S_ij; what the empty cells leave of its variance is lost.
    """
    Theta = np.asarray(np.linalg.inv(S), dtype=np.float64)
    gone = lost(X, absent, starts, mean, Theta) / len(X)
    whole = np.outer(np.diag(S), np.diag(S)) + S**2
    return np.asarray(np.clip(1 - gone / whole, 0.0, 1.0))


def _lowest(S: Array) -> float:
    """Smallest eigenvalue of the correlation."""
    scale = np.sqrt(np.diag(S))
    return float(np.linalg.eigvalsh(S / np.outer(scale, scale))[0])


def _step(before: tuple[Array, Array, Array], after: tuple[Array, Array, Array]) -> float:
    """Largest move of mean and S in deviations, and of the unexplained variances as a share.

    The last keeps a column that the others determine more and more from passing for settled.
    """
    scale = np.sqrt(np.diag(after[1]))
    shift = np.abs(after[0] - before[0]) / scale
    turn = np.abs(after[1] - before[1]) / np.outer(scale, scale)
    narrowed = np.abs(np.diag(after[2]) / np.diag(before[2]) - 1)
    return float(max(shift.max(), turn.max(), narrowed.max()))


def _deviance(X: Array, absent: Flags, starts: Integers, mean: Array, S: Array) -> float:
    """Mean over rows of d_o' S_oo^-1 d_o + logdet S_oo, d = x - mean, o the cells there."""
    total = 0.0
    for first, stop in itertools.pairwise(starts):
        o = np.flatnonzero(~absent[first])
        inner = S[np.ix_(o, o)]
        d = X[first:stop, o] - mean[o]
        total += float(np.sum(d * np.linalg.solve(inner, d.T).T))
        total += (stop - first) * float(np.linalg.slogdet(inner)[1])
    return total / len(X)


def _grouped(values: Array) -> tuple[Flags, Array, Integers]:
    """Rows that hold anything, sorted by which cells are absent, and where each kind starts."""
    absent = np.isnan(values)
    some = ~absent.all(axis=1)
    absent, X = absent[some], values[some]
    kinds, kind = np.unique(absent, axis=0, return_inverse=True)
    order = np.argsort(kind.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(kind.ravel(), minlength=len(kinds)))
    starts = np.concatenate(([0], ends)).astype(np.int64)
    return np.ascontiguousarray(absent[order]), X[order], starts


def _check(source: Table) -> None:
    """Refuse what no likelihood settles: a pair never seen together, too few rows."""
    there = (~np.isnan(source.values)).astype(np.int64)
    together = there.T @ there
    never = np.argwhere(np.triu(together == 0, 1))
    if len(never):
        i, j = never[0]
        raise NeverTogether(source.names[i], source.names[j], len(never))
    rows = int(there.any(axis=1).sum())
    if rows <= len(source.names):
        raise TooFewForEM(rows, len(source.names))
