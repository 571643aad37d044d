"""A graph to start from: an order by conditional variance, and regressions along it.

Greedy climbs from no marks take the covariance of a dense graph for hidden causes of most columns.
"""

from __future__ import annotations

import numpy as np

from dagdecor.knowledge import Rules
from dagdecor.search.residual_kernels import Array, Flags

EPSILON = float(np.finfo(np.float64).eps)


def ordered(S: Array, n: int, price: float, rules: Rules) -> Flags:
    """Edges (p, p) into each column from those before it, each worth the price of an edge.

    The next column is the one that those before it leave the smallest variance (Chen, Drton and
    Wang 2019: the causal order, where error variances are equal and nothing is hidden). Acyclic,
    and obeys the rules.
    """
    deviations = np.sqrt(np.diag(S))
    R = S / deviations / deviations[:, None]
    edges = np.zeros(S.shape, dtype=np.bool_)
    before: list[int] = []
    for j in _order(S, rules):
        edges[_parents(R, n, price, [i for i in before if rules.may_lead[i, j]], j, rules), j] = (
            True
        )
        before.append(j)
    return edges


def _order(S: Array, rules: Rules) -> list[int]:
    """Columns by rising conditional variance, those that must lead to a column before it."""
    left, order = S.copy(), []
    rest = set(range(len(S)))
    while rest:
        free = [j for j in rest if not rules.must_lead[list(rest), j].any()]
        k = min(free, key=lambda j: left[j, j])
        rest.remove(k)
        order.append(k)
        if left[k, k] > 0.0:
            left -= np.outer(left[:, k] / left[k, k], left[k])
    return order


def _parents(R: Array, n: int, price: float, among: list[int], j: int, rules: Rules) -> list[int]:
    """Backward elimination: the weakest parent goes while dropping it costs less than the price."""
    while among:
        try:
            inverse = np.linalg.inv(R[np.ix_(among, among)])
        except np.linalg.LinAlgError:
            return [i for i in among if rules.must_lead[i, j]]
        slopes = inverse @ R[among, j]
        rest = max(1.0 - float(slopes @ R[among, j]), EPSILON)
        fall = slopes**2 / np.maximum(np.diag(inverse), EPSILON) / rest
        worth = np.where(rules.must_lead[among, j], np.inf, n * np.log1p(np.maximum(fall, 0.0)))
        weakest = int(worth.argmin())
        if not worth[weakest] < price:
            break
        del among[weakest]
    return among
