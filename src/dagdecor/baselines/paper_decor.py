"""The paper's DECOR in its settings, one round and by turns, and in ours (arXiv 2510.02117)."""

from __future__ import annotations

from functools import partial

from dagdecor.baselines.protocol import Baseline, Found, Setting
from dagdecor.baselines.quiet import quiet
from dagdecor.decor import Decor
from dagdecor.fit import Fit
from dagdecor.moments import Moments

ROUNDS = 20  # most of the alternation; it ends before where the objective stalls


def published(moments: Moments, route: str, rounds: int, density: float | None = None) -> Found:
    """The paper's settings; adaptive where the method is told the density of confounding."""
    return _found(Decor.paper(route, density, rounds=rounds), moments)


def covariance(moments: Moments) -> Found:
    """Penalties and thresholds in units of the noise, by turns, then maximum likelihood.

    The precision route with these settings is no rival: it is `Decor(search=False)`.
    """
    return _found(Decor("covariance", search=False), moments)


def _found(model: Decor, moments: Moments) -> Found:
    with quiet():  # a step that did not converge says so in the certificate, too
        fit: Fit = model.fit(moments).fit_
    # the first step that proves nothing, if any
    worst = next((c for c in fit.certificates.values() if not c.converged), fit.certificate)
    return Found(fit.graph, fit.weights, fit.noise_covariance, worst.status, str(worst))


def _published(route: str, rounds: int, adaptive: bool) -> Baseline:  # noqa: FBT001
    turns = "2s" if rounds == 1 else "rounds"
    name = f"decor-{turns}-{route}{'-adaptive' if adaptive else ''}-paper"
    noise = "10^(-5 density)" if adaptive else ".1"
    return Baseline(
        name,
        f"the paper's DECOR, {route} route, "
        f"{'one round' if rounds == 1 else f'up to {rounds} rounds'}"
        f"{', noise penalty by the density of confounding' if adaptive else ''}",
        partial(published, route=route, rounds=rounds),
        Setting(
            "1/n, weighted by the noise",
            f".1 sd_i / sd_j of i -> j; {noise} of {'Omega' if route == 'covariance' else 'Theta'}",
            ".3 and .05, then one mark a pair",
        ),
        takes=("density",) if adaptive else (),
        latent=True,
    )


BASELINES = (
    *(
        _published(route, rounds, adaptive)
        for rounds in (1, ROUNDS)
        for route in ("covariance", "precision")
        for adaptive in (False, True)
    ),
    Baseline(
        "decor-covariance",
        "continuous DECOR, covariance route, penalties in units of the noise, refitted",
        covariance,
        Setting(
            "1/n, weighted by the noise",
            "multiples of sqrt(log p / n) in units of the noise",
            "the correlation that pays for an edge in the extended BIC, then one mark a pair",
        ),
        latent=True,
    ),
)
