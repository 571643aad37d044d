"""Every rival by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from dagdecor.baselines import (
    bow_free,
    causal_learn,
    dagma,
    decamf,
    deep,
    golem,
    low_rank_plus_sparse,
    non_gaussian,
    notears,
    paper_decor,
    sorting,
    spectral,
)
from dagdecor.baselines.protocol import Baseline, Found, by_name
from dagdecor.errors import OptionError, named

# A new rival is a file with BASELINES in it, and its line here.
RIVALS: Mapping[str, Baseline] = MappingProxyType(
    by_name(
        [
            *notears.BASELINES,
            *golem.BASELINES,
            *paper_decor.BASELINES,
            *sorting.BASELINES,
            *causal_learn.BASELINES,
            *dagma.BASELINES,
            *non_gaussian.BASELINES,
            *deep.BASELINES,
            *bow_free.BASELINES,
            *decamf.BASELINES,
            *spectral.BASELINES,
            *low_rank_plus_sparse.BASELINES,
        ]
    )
)


def names(*, ready: bool = False) -> tuple[str, ...]:
    """Names of all rivals, or only of those whose packages are installed."""
    return tuple(name for name, rival in RIVALS.items() if not (ready and rival.missing))


def fit(name: str, data: object, **given: Any) -> Found:
    """Run the rival of that name; `given` as in `Baseline.fit`."""
    if name not in RIVALS:
        raise OptionError("name", name, f"one of {named(RIVALS, limit=len(RIVALS))}")
    return RIVALS[name].fit(data, **given)
