"""Which methods take part: our own, every installed rival, and those that a user brings."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from dagdecor.baselines import RIVALS, Baseline, Found, Setting
from dagdecor.errors import MissingPackage, OptionError, named
from dagdecor.moments import Moments


def default(moments: Moments) -> Found:
    """`Decor()`."""
    return _decor(moments)


def continuous(moments: Moments) -> Found:
    """`Decor(search=False)`."""
    return _decor(moments, search=False)


def _decor(moments: Moments, **options: Any) -> Found:
    from dagdecor.decor import Decor

    fit = Decor(**options).fit(moments).fit_
    return Found(
        fit.graph,
        fit.weights,
        fit.noise_covariance,
        fit.certificate.status,
        str(fit.certificate),
    )


OWN = (
    Baseline(
        "decor",
        "dagdecor's default, Decor()",
        default,
        Setting("likelihood", "extended BIC and a prior on hidden causes", "posterior shares"),
        latent=True,
    ),
    Baseline(
        "decor-continuous",
        "dagdecor's continuous estimator, Decor(search=False)",
        continuous,
        Setting("1/n", "sqrt(log p / n) in units of the noise", "extended BIC price of an edge"),
        latent=True,
    ),
)


def known() -> Mapping[str, Baseline]:
    """Our own methods, then every rival, by name."""
    return {**{method.name: method for method in OWN}, **RIVALS}


def absent() -> tuple[str, ...]:
    """Names of rivals whose packages are not installed."""
    return tuple(name for name, method in known().items() if method.missing)


def chosen(wanted: Sequence[str | Baseline] | None = None) -> tuple[Baseline, ...]:
    """The methods that these names, `module:attribute` places and Baselines mean.

    None for all that are installed. A named method whose package is absent is refused.
    """
    if wanted is None:
        return tuple(method for method in known().values() if not method.missing)
    found: dict[str, Baseline] = {}
    for one in wanted:
        method = one if isinstance(one, Baseline) else _by_name(one)
        for package in method.missing:
            raise MissingPackage(package, f"the baseline {method.name!r}", method.extra)
        if method.name in found:
            raise OptionError("methods", method.name, "each name once")
        found[method.name] = method
    if not found:
        raise OptionError("methods", list(wanted), "at least one method")
    return tuple(found.values())


def _by_name(name: str) -> Baseline:
    if ":" in name:
        return _imported(name)
    methods = known()
    if name not in methods:
        allowed = f"module:attribute, or one of {named(methods, limit=len(methods))}"
        raise OptionError("methods", name, allowed)
    return methods[name]


def _imported(place: str) -> Baseline:
    """`module:attribute`, the module being importable from here or from the current folder."""
    module, _, attribute = place.partition(":")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise OptionError("methods", place, f"a place that can be imported ({error})") from None
    if not isinstance(found, Baseline):
        allowed = "the place of a dagdecor.baselines.Baseline"
        raise OptionError("methods", place, f"{allowed}, not of a {type(found).__name__}")
    return found
