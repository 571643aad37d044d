"""The loadings of one node at their best: Newton steps on its deviance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dagdecor.compiled import compiled
from dagdecor.search.latent_state import Array
from dagdecor.search.residual_kernels import invert

LEAST_CURVATURE = 0.03  # keeps Newton's matrix positive where the deviance is not convex


class Loading(NamedTuple):
    """The deviance of one node in its own loadings l, its weights profiled out.

    R(l) / v(l) + log v(l), R = rest - 2 l's + l'D l, v = variance + l'U l; s, D (k, k): the
    residual of the node on its parents against the means of its latents given the other nodes,
    U (k, k) their covariance given the other nodes.
    """

    rest: float
    variance: float
    s: Array
    D: Array
    U: Array


@compiled
def _rest_and_variance(problem: Loading, loading: Array) -> tuple[float, float]:
    s, D, U = problem.s, problem.D, problem.U
    R, v = problem.rest, problem.variance
    for t in range(len(loading)):
        R -= 2.0 * loading[t] * s[t]
        for r in range(len(loading)):
            R += loading[t] * D[t, r] * loading[r]
            v += loading[t] * U[t, r] * loading[r]
    return R, v


@compiled
def _newton_step(problem: Loading, loading: Array, bend: float, step: Array) -> float:
    """step = -H^-1 g for g = (D + bend U) l - s, bend = 1 - R / v; returns -g'step."""
    s, D, U = problem.s, problem.D, problem.U
    k = len(loading)
    H, g = np.zeros((k, k)), np.zeros(k)
    bent = max(abs(bend), LEAST_CURVATURE)
    for t in range(k):
        g[t] = -s[t]
        for r in range(k):
            g[t] += (D[t, r] + bend * U[t, r]) * loading[r]
            H[t, r] = D[t, r] + bent * U[t, r]
    invert(H, k)
    fall = 0.0
    for t in range(k):
        step[t] = 0.0
        for r in range(k):
            step[t] -= H[t, r] * g[r]
        fall -= step[t] * g[t]
    return fall


@compiled
def improve_loadings(problem: Loading, loading: Array) -> None:
    """Newton steps with backtracking on R(l) / v(l) + log v(l); l (k,) in place."""
    k = len(loading)
    step, trial = np.zeros(k), np.zeros(k)
    R, v = _rest_and_variance(problem, loading)
    value = R / v + np.log(v)
    for _ in range(12):
        fall = _newton_step(problem, loading, 1.0 - R / v, step)
        if not fall > 1e-8 * v:
            return
        length, gain = 1.0, 0.0
        for _ in range(8):
            for t in range(k):
                trial[t] = loading[t] + length * step[t]
            R, v = _rest_and_variance(problem, trial)
            gain = value - R / v - np.log(v)
            if gain > 0.0:
                break
            length *= 0.4
        if not gain > 0.0:
            return
        for t in range(k):
            loading[t] = trial[t]
        value -= gain
        if gain < 1e-7:
            return
