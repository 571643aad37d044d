"""Maximum likelihood on a given mixed graph: residual iterative conditional fitting."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagdecor.certificate import Certificate, Status
from dagdecor.errors import BadCovariance
from dagdecor.solve import ricf_kernels as kernels

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]

MEASURE = "gradient of the likelihood"
FLOOR = 1e-6  # share of each variance that is added where the likelihood has no maximum
# Some likelihoods have a valley in which weights grow without end; a start without weights mostly
# keeps out of it. The shares were picked on 7 such cases, where least squares had led into it.
RESTARTS = (0.5, 0.0)

_STATUS = {
    kernels.CONVERGED: Status.CONVERGED,
    kernels.LIMIT: Status.LIMIT,
    kernels.STALLED: Status.STALLED,
    kernels.UNBOUNDED: Status.FAILED,
}
_WORST_FIRST = (Status.FAILED, Status.LIMIT, Status.STALLED, Status.CONVERGED)


_Found = tuple[FloatArray, float, float, int, int]  # what `fit_district` returns


class Refit(NamedTuple):
    """B (p, p), Omega (p, p) and what is proved about them."""

    weights: FloatArray
    noise_covariance: FloatArray
    certificate: Certificate


class _Part(NamedTuple):
    """A district: its nodes (d,), the edges (e, 2) into them, the arcs (a, 2) between them."""

    nodes: IntArray
    edges: IntArray
    arcs: IntArray


def ricf(
    S: FloatArray,
    directed: BoolArray,
    bidirected: BoolArray,
    start: tuple[FloatArray, FloatArray] | None = None,
    tolerance: float = 1e-8,
    max_iterations: int = 500,
) -> Refit:
    """argmin over B on `directed`, Omega > 0 on `bidirected` of tr(S (I-B) Theta (I-B)') + logdet.

    S (p, p) and masks (p, p), the first acyclic, the second symmetric. Each district (nodes that
    bidirected edges connect) is fitted by itself, from S over it and its parents. `start` is
    (B, Omega), cut to the masks; a district where Omega is then not positive definite starts
    from least squares, and again without weights if that did not converge. The likelihood may
    have several optima. Drton, Eichler, Richardson 2009.

    The residual is the largest derivative in a free value times the value's natural scale (for
    a weight, noise deviation of the target over deviation of the source; for an entry of Omega,
    the product of two noise deviations), so no unit changes it. FAILED: in some district S of
    the nodes given their outer parents is singular and the likelihood has no maximum (too few
    rows). There the variance floor holds: the values fit S + FLOOR diag(S) instead, to which
    the residual refers too, or stay at `start` where that is better; the objective is that of S.
    """
    covariance = np.array(S, dtype=np.float64, order="C")  # a read-only S would compile anew
    if not np.isfinite(covariance).all():
        raise BadCovariance("has missing or infinite entries")
    B, Omega = np.zeros(covariance.shape), np.zeros(covariance.shape)
    residual, iterations, objective = 0.0, 0, 0.0
    statuses = set()
    for part in _parts(directed, bidirected):
        nodes, edges, arcs = part
        values, deviance, slope, steps, code = _fit(
            covariance, part, _values(start, part), float(tolerance), max_iterations
        )
        weights, shared, own = np.split(values, [len(edges), len(edges) + len(arcs)])
        B[edges[:, 0], edges[:, 1]] = weights
        Omega[arcs[:, 0], arcs[:, 1]] = Omega[arcs[:, 1], arcs[:, 0]] = shared
        Omega[nodes, nodes] = own
        residual, iterations = float(np.maximum(residual, slope)), max(iterations, steps)
        objective += deviance
        statuses.add(_STATUS[code])
    status = next(status for status in _WORST_FIRST if status in statuses)
    return Refit(
        B, Omega, Certificate(status, MEASURE, residual, float(tolerance), iterations, objective)
    )


def _fit(
    S: FloatArray, part: _Part, start: FloatArray, tolerance: float, max_iterations: int
) -> _Found:
    """`fit_district`, with other starts where the first failed, and with the variance floor."""
    found = kernels.fit_district(S, *part, start, tolerance, max_iterations)
    if found[-1] == kernels.UNBOUNDED:
        return _floored(S, part, start, tolerance, max_iterations)
    for share in () if start.size else RESTARTS:
        if found[-1] == kernels.CONVERGED:
            break
        again = kernels.fit_district(S, *part, _blank(S, part, share), tolerance, max_iterations)
        found = min(found, again, key=lambda each: each[1])
    return found


def _blank(S: FloatArray, part: _Part, share: float) -> FloatArray:
    """No weights, a share of the covariances at the arcs, the variances."""
    nodes, edges, arcs = part
    return np.concatenate(
        (np.zeros(len(edges)), share * S[arcs[:, 0], arcs[:, 1]], S[nodes, nodes])
    )


def _floored(
    S: FloatArray, part: _Part, start: FloatArray, tolerance: float, max_iterations: int
) -> _Found:
    """The fit to S with each variance raised; `start` where that is the better one for S."""
    floor, variances = FLOOR, np.where(np.diag(S) > 0, np.diag(S), 1.0)
    code = kernels.UNBOUNDED
    while code == kernels.UNBOUNDED:
        values, _, residual, steps, code = kernels.fit_district(
            S + floor * np.diag(variances), *part, start, tolerance, max_iterations
        )
        floor *= 100  # a second time only where rounding left S indefinite
    deviance = _deviance(S, part, values)
    if start.size and _deviance(S, part, start) < deviance:
        values, deviance = start, _deviance(S, part, start)
    return values, deviance, residual, steps, kernels.UNBOUNDED


def _deviance(S: FloatArray, part: _Part, values: FloatArray) -> float:
    """tr(A' S A Omega^-1) + logdet Omega of one district; inf unless Omega > 0."""
    nodes, edges, arcs = part
    e, a = len(edges), len(arcs)
    Omega = np.zeros(S.shape)
    Omega[arcs[:, 0], arcs[:, 1]] = Omega[arcs[:, 1], arcs[:, 0]] = values[e : e + a]
    Omega[nodes, nodes] = values[e + a :]
    try:
        half = np.linalg.cholesky(Omega[np.ix_(nodes, nodes)])
    except np.linalg.LinAlgError:
        return np.inf
    A = np.eye(len(S))
    A[edges[:, 0], edges[:, 1]] = -values[:e]
    A = A[:, nodes]
    trace = np.trace(np.linalg.solve(half, np.linalg.solve(half, A.T @ S @ A).T))
    return float(trace + 2 * np.log(np.diag(half)).sum())


def _parts(directed: BoolArray, bidirected: BoolArray) -> list[_Part]:
    from scipy.sparse.csgraph import connected_components

    labels = np.asarray(connected_components(bidirected, directed=False)[1], dtype=np.int64)
    targets, sources = np.nonzero(np.asarray(directed, dtype=bool).T)
    firsts, seconds = np.nonzero(np.triu(np.asarray(bidirected, dtype=bool), 1))
    edges, arcs = np.column_stack((sources, targets)), np.column_stack((firsts, seconds))
    count = int(labels.max()) + 1
    return [
        _Part(*found)
        for found in zip(
            _split(np.arange(len(labels)), labels, count),
            _split(edges, labels[targets], count),
            _split(arcs, labels[firsts], count),
            strict=True,
        )
    ]


def _split(rows: IntArray, labels: IntArray, count: int) -> list[IntArray]:
    """Rows by label, in their order."""
    order = np.argsort(labels, kind="stable")
    ends = np.searchsorted(labels[order], np.arange(1, count))
    return np.split(np.ascontiguousarray(rows[order], dtype=np.int64), ends)


def _values(start: tuple[FloatArray, FloatArray] | None, part: _Part) -> FloatArray:
    if start is None:
        return np.empty(0)
    B, Omega = (np.asarray(matrix, dtype=np.float64) for matrix in start)
    nodes, edges, arcs = part
    return np.concatenate(
        (B[edges[:, 0], edges[:, 1]], Omega[arcs[:, 0], arcs[:, 1]], Omega[nodes, nodes])
    )
