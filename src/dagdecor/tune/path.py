"""Fits along a falling penalty, each from where the one before ended, and what chooses one."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
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

Progress = Callable[[int, int], object]
FACTORS = tuple(float(factor) for factor in np.geomspace(4.0, 0.125, 11))


def path(
    source: Table | Moments,
    settings: Settings,
    factors: Sequence[float] | None = None,
    folds: int | None = None,
    random_state: int = 0,
    progress: Progress | None = None,
) -> PenaltyPath:
    """The fits over multiples of the penalties, as `Decor.path` describes."""
    chosen = _factors(FACTORS if factors is None else factors)
    continuous = replace(settings, search=False, refit=True)
    moments = source
    if isinstance(moments, Table):
        moments = Moments.from_data(moments, missing=settings.missing)
    rows = _rows(source, settings.missing, folds)
    count = 0 if rows is None else _folds(5 if folds is None else folds, len(rows))
    told = _counted(progress, len(chosen) * (1 + count))
    fits = along(moments, continuous, chosen, told)
    ebic = tuple(criterion(fit, moments) for fit in fits)
    if rows is None or not count:
        return PenaltyPath(chosen, fits, ebic)
    scores = np.empty((count, len(chosen)))
    for fold, (kept, test) in enumerate(parts(rows, moments.names, count, random_state)):
        found = along(kept, continuous, chosen, told)
        scores[fold] = [fit.log_likelihood(test) for fit in found]
    error = scores.std(axis=0, ddof=1) / np.sqrt(count)
    return PenaltyPath(
        chosen, fits, ebic, tuple(scores.mean(axis=0).tolist()), tuple(error.tolist())
    )


def _rows(source: Table | Moments, missing: str, folds: int | None) -> Array | None:
    """The rows that folds are made of; None where there are none, or not all of their cells."""
    if isinstance(source, Moments):
        if folds:
            raise OptionError("folds", folds, "None with Moments: the folds need the rows")
        return None
    rows = np.asarray(source.values, dtype=np.float64)
    whole = ~np.isnan(rows).any(axis=1)
    if missing == "em" and not whole.all():
        if folds:
            raise OptionError("folds", folds, "None where cells are empty, or missing='drop'")
        return None
    return rows[whole]


def _counted(progress: Progress | None, total: int) -> Callable[[], None]:
    """What to call after each fit."""
    done = itertools.count(1)

    def told() -> None:
        if progress is not None:
            progress(next(done), total)

    return told


def along(
    moments: Moments, settings: Settings, factors: tuple[float, ...], told: Callable[[], None]
) -> tuple[Fit, ...]:
    """A fit a factor, in the order given; each starts from the B of the one before."""
    fits, ended = [], None
    for factor in factors:
        fit, ended = continued(moments, settings, factor, ended)
        fits.append(replace(fit, settings={**fit.settings, "penalty_factor": factor}))
        told()
    return tuple(fits)


def criterion(fit: Fit, moments: Moments) -> float:
    """-2 log-likelihood + k (log n + 2 log p), k edges and arcs (Foygel and Drton 2010, 1/2)."""
    marks = len(fit.graph.directed) + len(fit.graph.bidirected)
    price = np.log(moments.n) + 2 * np.log(max(moments.p, 2))
    return float(-2 * moments.n * fit.log_likelihood(moments) + marks * price)


def parts(
    rows: Array, names: tuple[str, ...], folds: int, seed: int
) -> Iterator[tuple[Moments, Moments]]:
    """Of every fold of the rows, the moments of all others and its own."""
    order = np.random.default_rng(seed).permutation(len(rows))
    for inside in np.array_split(order, folds):
        kept = Moments.from_rows(Table(rows[np.setdiff1d(order, inside)], names))
        kept.check_rank()
        yield kept, Moments.from_rows(Table(rows[inside], names))


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
