"""What "auto" means: penalties and thresholds in units of the noise and of the sample's size."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from dagdecor.device import PROCESSOR, Steps
from dagdecor.knowledge import Rules
from dagdecor.solve.directed import MANY

Array = npt.NDArray[np.float64]
DIRECTED_FACTOR = 1.0
NOISE_FACTOR = 1.0
SCALE_PASSES = 6


def rate(n: int, p: int) -> float:
    """sqrt(log p / n), the size of the largest chance correlation."""
    return math.sqrt(math.log(max(p, 2)) / n)


def price(n: int, p: int) -> float:
    """log n + 2 log p: what one edge costs in the extended BIC (Foygel and Drton 2010, 1/2)."""
    return math.log(n) + 2 * math.log(max(p, 2))


def smallest_correlation(n: int, p: int) -> float:
    """The correlation whose likelihood gain, -n log(1 - r^2), pays the price of an edge."""
    return math.sqrt(-math.expm1(-price(n, p) / n))


def smallest_effect(n: int, p: int) -> float:
    """What a lasso leaves of that correlation: less than the correlation by the lasso's shrinkage.

    Counted only with fewer rows than columns, where the shrinkage is most of it: beyond, edges
    that the penalty has let through by chance are the greater evil.
    """
    weakest = smallest_correlation(n, p)
    return max(weakest - rate(n, p), 0.0) if n < p else weakest


def directed_penalty(S: Array, noise: Array, n: int) -> Array:
    """Weights of |B_ij| for Theta = diag(noise)^-1: what a chance effect of i on j earns.

    (p, p), or (p, 1) for a common `noise` (1,). The gradient of tr(S Theta) at the truth is
    2 x_i' e_j / (n noise_j), of deviation 2 sd_i / sqrt(n noise_j).
    """
    p = len(S)
    size = 2 * DIRECTED_FACTOR * rate(n, p)
    return np.asarray(size * np.sqrt(np.diag(S))[:, None] / np.sqrt(noise))


def relative(S: Array) -> Array:
    """(p, p) sd_i / sd_j: with these weights |B|_1 is the sum of the standardised coefficients."""
    scale = np.sqrt(np.diag(S))
    return np.asarray(scale[:, None] / scale)


def noise_penalty(noise: Array, n: int, p: int, route: str) -> Array:
    """Weights of |Omega_ij| or |Theta_ij|, the same for every choice of units.

    (p, p) for error variances (p,), (1, 1) for a common one (1,).
    """
    scale = np.sqrt(noise)
    outer = np.outer(scale, scale)
    size = NOISE_FACTOR * rate(n, p)
    return np.asarray(size * outer if route == "precision" else size / outer)


def known_effects(weights: Array, rules: Rules) -> Array:
    """The weights of |B_ij|, infinite where i -> j is barred, none where it is required."""
    if not rules.bind:
        return weights
    return np.where(rules.must_lead, 0.0, np.where(rules.may_lead, weights, np.inf))


def known_causes(weights: Array, rules: Rules, route: str) -> Array:
    """The weights of |Omega_ij| or |Theta_ij|, infinite where it is 0 for sure, none if fixed.

    Omega_ij = 0 does not make Theta_ij zero, unless no path of open <-> joins i and j.
    """
    if not rules.bind:
        return weights
    open_pairs = rules.may_share if route == "covariance" else rules.connected
    return np.where(rules.must_share, 0.0, np.where(open_pairs, weights, np.inf))


def common_noise(
    S: Array, n: int, slope: str, rules: Rules | None = None, steps: Steps = PROCESSOR
) -> float:
    """One error variance for all columns, such that the graph step with it leaves as much.

    Scaled-lasso passes (Sun and Zhang 2012) from above: fit with the current variance, take
    the residuals' mean variance, repeat.
    """
    known = Rules.none(len(S)) if rules is None else rules
    variance, B = float(np.mean(np.diag(S))), None
    for _ in range(SCALE_PASSES):
        noise = np.array([variance])
        penalty = 0.5 * known_effects(directed_penalty(S, noise, n), known)
        start = B if len(S) > MANY else None
        weight = np.full(len(S), 1 / variance)
        B = steps.graph(S, weight, penalty, slope, start, known.must_lead).value
        A = -B
        np.fill_diagonal(A, 1.0)
        fresh = float(np.mean(np.einsum("ij,ij->j", A, S @ A)))
        if abs(fresh - variance) <= 1e-3 * variance:
            return fresh
        variance = fresh
    return variance
