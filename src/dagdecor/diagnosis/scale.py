"""What the columns' scale gives away: sortability along a graph, and without one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dagdecor.diagnosis.findings import Finding
from dagdecor.graph import MixedGraph
from dagdecor.moments import UNIT_VARIANCES, Moments

Array = npt.NDArray[np.float64]

APART, FAR_APART = 10.0, 100.0  # ratios of the largest deviation to the smallest
FEW = 4  # columns from which on two orders can be compared
MANY = 1000  # and up to which: the explained shares need an inverse
AGREEMENT = 0.8  # rank correlation of variance and explained share from which on it is told


def explained(S: Array) -> Array:
    """R_j^2 = 1 - 1 / (S_jj inv(S)_jj), (p,); 1 where S is singular."""
    try:
        unexplained = 1 / (np.diag(S) * np.diag(np.linalg.inv(S)))
    except np.linalg.LinAlgError:
        unexplained = np.zeros(len(S))
    return np.asarray(1 - np.clip(unexplained, 0.0, 1.0))


def sortability(graph: MixedGraph, moments: Moments) -> dict[str, float]:
    """Share of the directed paths i -> ... -> j along which the score rises; a tie counts half.

    Pairs are counted once for each length of path. "variance" sorts by Var(x_j), "r2" by the share
    of it that all other columns explain. .5: the score knows nothing of the order; 1: sorting by
    it is the order. nan without arrows. Reisach, Seiler, Weichwald 2021; Reisach et al. 2023.

    Examples
    --------
    >>> graph = MixedGraph(["a", "b"], directed=[("a", "b")])
    >>> sortability(graph, Moments.from_covariance([[1, 1], [1, 3]], n=9, names=["a", "b"]))
    {'variance': 1.0, 'r2': 0.5}
    """
    chosen = moments.select(graph.names)
    scores = {"variance": np.diag(chosen.S), "r2": explained(chosen.S)}
    return {name: _risen(graph.directed_matrix, score) for name, score in scores.items()}


def _risen(edges: npt.NDArray[np.bool_], score: Array) -> float:
    rise = np.sign(score - score[:, None])
    rise[np.abs(score - score[:, None]) <= 1e-12 * np.abs(score)] = 0.0
    weight = np.zeros(edges.shape)
    ends = edges.copy()
    for _ in range(len(edges) - 1):
        weight += ends
        ends = (ends.astype(np.int64) @ edges) > 0
    total = weight.sum()
    return float(np.sum(weight * (1 + rise)) / (2 * total)) if total else float("nan")


def look_at_scale(S: Array) -> tuple[list[Finding], dict[str, float], str]:
    """Findings, measures, and whether to scale; needs no graph."""
    deviations = np.sqrt(np.diag(S))
    ratio = float(deviations.max() / deviations.min())
    measures = {"deviation_ratio": ratio}
    if FEW <= len(S) <= MANY and ratio > 1 + UNIT_VARIANCES:
        measures["variance_r2_agreement"] = _agreement(S)
    if ratio**2 < 1 + UNIT_VARIANCES and len(S) > 1:
        seen = "all columns have one variance: they were scaled"
        done = (
            "directions cannot be read from their scale; if the raw columns share a unit, fit them"
        )
        return [Finding("scale", "note", seen, done)], measures, "The columns are scaled already."
    if ratio > APART:
        severity = "warning" if ratio > FAR_APART else "note"
        seen = f"the deviations of the columns differ by a factor of {ratio:.3g}"
        done = "unless all are measured in one unit, scale them, so that units decide no direction"
        advice = "Scale (X / X.std()), unless all columns are measured in one unit."
        return [Finding("scale", severity, seen, done)], measures, advice
    found = []
    if measures.get("variance_r2_agreement", 0.0) > AGREEMENT:
        seen = "columns of larger variance are better explained by the others"
        done = "directions may follow the scale; compare with a fit of the scaled columns"
        found = [Finding("scale", "note", seen, done)]
    return found, measures, "Do not scale columns that share a unit; scale columns that do not."


def _agreement(S: Array) -> float:
    """Spearman's rank correlation of Var(x_j) and R_j^2."""
    ranks = np.argsort(np.argsort([np.diag(S), explained(S)], axis=1), axis=1)
    centred = ranks - ranks.mean(axis=1, keepdims=True)
    return float(np.sum(centred[0] * centred[1]) / np.sum(centred[0] ** 2))
