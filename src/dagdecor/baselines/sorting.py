"""The two floors: sort columns by variance or by R^2, then regress each on those before it.

Reisach, Seiler, Weichwald 2021, and Reisach et al. 2023. What such a rule reaches on a design says
how much of the causal order the design gives away.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dagdecor.baselines.protocol import Baseline, Found, Setting
from dagdecor.diagnosis import explained
from dagdecor.graph import MixedGraph
from dagdecor.moments import Moments

Array = npt.NDArray[np.float64]


def variance_sort(moments: Moments) -> Found:
    """Sparse regressions along rising variance."""
    return _regressed(moments, np.diag(moments.S))


def r2_sort(moments: Moments) -> Found:
    """Sparse regressions along a rising share of variance that all other columns explain."""
    return _regressed(moments, explained(moments.S))


def _regressed(moments: Moments, scores: Array) -> Found:
    B = np.zeros_like(moments.S)
    order = np.argsort(scores, kind="stable")
    for place in range(1, moments.p):
        B[order[:place], order[place]] = adaptive_lasso(
            moments.S, order[:place], int(order[place]), moments.n
        )
    return Found(
        MixedGraph.from_matrices(B, names=moments.names), B, statement="exact, no iterations"
    )


def adaptive_lasso(S: Array, sources: npt.NDArray[np.intp], target: int, n: int) -> Array:
    """Coefficients (len(sources),) on the lasso path with weights 1 / |least squares|, least BIC.

    BIC as in scikit-learn's LassoLarsIC: n log(2 pi s2) + RSS / s2 + k log n, s2 the unbiased
    noise variance of least squares.
    """
    from sklearn.linear_model import lars_path_gram

    G, c = S[np.ix_(sources, sources)], S[sources, target]
    full = np.linalg.lstsq(G, c, rcond=None)[0]
    scale = np.abs(full)
    left = float(S[target, target] - c @ full)
    noise = n * left / max(n - len(sources) - 1, 1)
    if not noise > 1e-12 * S[target, target]:
        return np.asarray(full)
    _, _, path = lars_path_gram(
        n * c * scale, n * G * np.outer(scale, scale), n_samples=n, method="lasso"
    )
    path = path * scale[:, None]
    loss = S[target, target] - 2 * c @ path + np.sum(path * (G @ path), axis=0)
    size = np.count_nonzero(np.abs(path) > np.finfo(np.float64).eps, axis=0)
    return np.asarray(path[:, np.argmin(n * loss / noise + np.log(n) * size)])


_SETTING = Setting("1/n", "adaptive lasso, least BIC")
BASELINES = (
    Baseline(
        "variance-sort",
        "sparse regressions along rising variance: a floor, not a method",
        variance_sort,
        _SETTING,
    ),
    Baseline(
        "r2-sort",
        "sparse regressions along rising explained variance: a floor, not a method",
        r2_sort,
        _SETTING,
    ),
)
