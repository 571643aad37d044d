"""Moments of a resampled table: rows with replacement, half of the rows, or a Wishart matrix."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dagdecor.data import Table
from dagdecor.errors import ConstantColumn, OptionError
from dagdecor.moments import Moments

Array = npt.NDArray[np.float64]


def resampled(draw: int, method: str, seed: int, moments: Moments, rows: Array | None) -> Moments:
    """The moments of one draw; the same for the same (draw, seed), whatever else is drawn.

    Bootstrap: n rows with replacement, or S* with n S* ~ Wishart(n - 1, S) where the rows are not
    there. Stability: draws 2m and 2m + 1 are the two halves of one random split.
    """
    if method == "stability":
        if rows is None:
            raise OptionError(
                "method", method, "'bootstrap' with Moments: half samples need the rows"
            )
        order = np.random.default_rng([seed, draw // 2]).permutation(len(rows))
        half = len(rows) // 2
        return of_rows(rows[order[:half] if draw % 2 == 0 else order[half : 2 * half]], moments)
    rng = np.random.default_rng([seed, draw])
    if rows is None:
        return wishart(moments, rng)
    return of_rows(rows[rng.integers(len(rows), size=len(rows))], moments)


def of_rows(rows: Array, moments: Moments) -> Moments:
    """Moments of chosen rows; a column that is constant in them, or copied, is refused.

    Empty cells are dealt with as they were in the whole table.
    """
    if moments.missing is not None:
        gaps = Table(rows, moments.names)
        return Moments.from_data(gaps, missing=moments.missing.method)
    mean = rows.mean(axis=0)
    centred = rows - mean
    found = Moments(len(rows), mean, centred.T @ centred / len(rows), moments.names)
    # constant up to the rounding of its mean
    flat = np.diag(found.S) <= 1e-20 * (np.diag(moments.S) + mean**2)
    if flat.any():
        raise ConstantColumn(name for name, none in zip(moments.names, flat, strict=True) if none)
    found.check_rank()
    return found


def wishart(moments: Moments, rng: np.random.Generator) -> Moments:
    """n S* ~ Wishart(n - 1, S), mean* ~ N(mean, S / n): what rows of N(mean, S) would give.

    Bartlett's factor where n > p, else the rows themselves.
    """
    n, p = moments.n, moments.p
    values, vectors = np.linalg.eigh(moments.S)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    if n > p:
        factor = np.tril(rng.standard_normal((p, p)), -1)
        factor[np.diag_indices(p)] = np.sqrt(rng.chisquare(n - 1 - np.arange(p)))
    else:
        factor = rng.standard_normal((p, n - 1))
    half = root @ factor
    mean = moments.mean + root @ rng.standard_normal(p) / np.sqrt(n)
    S = half @ half.T / n
    return Moments(n, mean, (S + S.T) / 2, moments.names)
