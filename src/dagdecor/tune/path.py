"""Fits along a falling penalty, each from where the one before ended, and what chooses one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from dagdecor.data import Table
from dagdecor.errors import OptionError
from dagdecor.estimator import Settings, continued
from dagdecor.fit import Fit
from dagdecor.moments import Moments
from dagdecor.tune.result import PenaltyPath

Array = npt.NDArray[np.float64]

FACTORS = tuple(float(factor) for factor in np.geomspace(4.0, 0.125, 11))


def path(
    source: Table | Moments,
    settings: Settings,
    factors: Sequence[float] | None = None,
    folds: int | None = None,
    random_state: int = 0,
) -> PenaltyPath:
    """The fits over multiples of the penalties, as `Decor.path` describes."""
    chosen = _factors(FACTORS if factors is None else factors)
    continuous = replace(settings, search=False, refit=True)
    if isinstance(source, Moments):
        if folds:
            raise OptionError("folds", folds, "None with Moments: the folds need the rows")
        moments, count = source, 0
    else:
        moments = Moments.from_data(source)
        count = _folds(5 if folds is None else folds, moments.n)
    fits = along(moments, continuous, chosen)
    ebic = tuple(criterion(fit, moments) for fit in fits)
    if isinstance(source, Moments) or not count:
        return PenaltyPath(chosen, fits, ebic)
    rows = np.asarray(source.values, dtype=np.float64)
    scores = held_out(rows, moments.names, continuous, chosen, (count, random_state))
    error = scores.std(axis=0, ddof=1) / np.sqrt(count)
    return PenaltyPath(
        chosen, fits, ebic, tuple(scores.mean(axis=0).tolist()), tuple(error.tolist())
    )


def along(moments: Moments, settings: Settings, factors: tuple[float, ...]) -> tuple[Fit, ...]:
    """A fit a factor, in the order given; each starts from the B of the one before."""
    fits, ended = [], None
    for factor in factors:
        fit, ended = continued(moments, settings, factor, ended)
        fits.append(replace(fit, settings={**fit.settings, "penalty_factor": factor}))
    return tuple(fits)


def criterion(fit: Fit, moments: Moments) -> float:
    """-2 log-likelihood + k (log n + 2 log p), k edges and arcs (Foygel and Drton 2010, 1/2)."""
    marks = len(fit.graph.directed) + len(fit.graph.bidirected)
    price = np.log(moments.n) + 2 * np.log(max(moments.p, 2))
    return float(-2 * moments.n * fit.log_likelihood(moments) + marks * price)


def held_out(
    rows: Array,
    names: tuple[str, ...],
    settings: Settings,
    factors: tuple[float, ...],
    split: tuple[int, int],
) -> Array:
    """(folds, factors) mean log-likelihood of the rows of a fold under the fits to the others."""
    folds, seed = split
    order = np.random.default_rng(seed).permutation(len(rows))
    scores = np.empty((folds, len(factors)))
    for fold, inside in enumerate(np.array_split(order, folds)):
        outside = np.setdiff1d(order, inside)
        kept = Moments.from_rows(Table(rows[outside], names))
        test = Moments.from_rows(Table(rows[inside], names))
        kept.check_rank()
        scores[fold] = [fit.log_likelihood(test) for fit in along(kept, settings, factors)]
    return scores


def _factors(factors: Sequence[float]) -> tuple[float, ...]:
    values = np.asarray(factors, dtype=np.float64)
    good = values.ndim == 1 and len(values) and np.isfinite(values).all() and (values > 0).all()
    if not good:
        raise OptionError("factors", factors, "numbers > 0")
    return tuple(sorted(map(float, values), reverse=True))


def _folds(folds: int, n: int) -> int:
    if isinstance(folds, bool) or not isinstance(folds, int) or folds == 1 or folds < 0:
        raise OptionError("folds", folds, "0 for none, or a whole number >= 2")
    if folds and n < 2 * folds:
        raise OptionError("folds", folds, f"at most {n // 2}: the table has {n} rows")
    return folds
