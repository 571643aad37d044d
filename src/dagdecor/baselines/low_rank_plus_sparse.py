"""LRpS+GES: a sparse precision beside a low rank, then GES on it (Frot, Nandy, Maathuis 2019)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagdecor.baselines.causal_learn import ges_graph, heads
from dagdecor.baselines.protocol import Baseline, Found, Setting
from dagdecor.baselines.reading import member
from dagdecor.certificate import Certificate
from dagdecor.data import Table

Matrix = npt.NDArray[np.float64]

FOLDS = 5
SHARES = (0.1, 0.2, 0.3)  # of the penalty that falls on the sparse part
STEPS = 8  # penalties on a path, from the one that leaves nothing to a hundredth of it
ROUGH, FINE = 1e-3, 1e-6  # accuracy while penalties are compared, and at the end
LIMIT = 5000
MEASURE = "stationarity residual"


class Parts(NamedTuple):
    """K = A - L with A sparse, L >= 0 of low rank, and the steps' multipliers, all (p, p)."""

    A: Matrix
    L: Matrix
    multipliers: Matrix
    iterations: int


def decompose(
    R: Matrix, sparse: float, trace: float, start: Parts | None = None, tolerance: float = FINE
) -> Parts:
    """argmin tr(K R) - logdet K + sparse |A_off|_1 + trace tr L over K = A - L > 0, L >= 0.

    R (p, p) a correlation. Chandrasekaran, Parrilo, Willsky 2012, by the consensus form of ADMM
    (Ma, Xue, Zou 2013), which has two blocks and so converges.
    """
    identity = np.eye(len(R))
    X = np.stack([identity, identity, 0 * identity]) if start is None else _joined(start)
    U = np.zeros_like(X) if start is None else start.multipliers
    sign = np.array([1.0, -1.0, 1.0])[:, None, None]
    iterations = 0
    while iterations < LIMIT:
        iterations += 1
        Z = X - U
        P = np.stack([_likely(Z[0], R), _shrunk(Z[1], sparse), _low(Z[2], trace)])
        X_new = P + U
        X_new = X_new - sign * (sign * X_new).sum(axis=0) / 3
        U = U + P - X_new
        moved = max(float(np.abs(X_new - X).max()), float(np.abs(P - X_new).max()))
        X = X_new
        if moved <= tolerance:
            break
    return Parts(P[1], P[2], U, iterations)


def _joined(start: Parts) -> Matrix:
    return np.stack([start.A - start.L, start.A, start.L])


def _likely(Z: Matrix, R: Matrix) -> Matrix:
    """argmin_K tr(K R) - logdet K + .5 |K - Z|^2."""
    values, vectors = np.linalg.eigh(Z - R)
    return np.asarray((vectors * (0.5 * (values + np.sqrt(values**2 + 4)))) @ vectors.T)


def _shrunk(Z: Matrix, penalty: float) -> Matrix:
    """argmin_A penalty |A_off|_1 + .5 |A - Z|^2."""
    A = np.sign(Z) * np.maximum(np.abs(Z) - penalty, 0.0)
    np.fill_diagonal(A, np.diag(Z))
    return np.asarray(A)


def _low(Z: Matrix, penalty: float) -> Matrix:
    """argmin_{L >= 0} penalty tr L + .5 |L - Z|^2."""
    values, vectors = np.linalg.eigh((Z + Z.T) / 2)
    return np.asarray((vectors * np.maximum(values - penalty, 0.0)) @ vectors.T)


def violation(R: Matrix, parts: Parts, sparse: float, trace: float) -> float:
    """Largest breach of the optimality of A and L: 0 exactly at the optimum; inf unless K > 0.

    With G = R - inv(A - L): G_ij = -sparse sign A_ij or at most that, G_ii = 0, G <= trace I, and
    (trace I - G) L = 0.
    """
    K = parts.A - parts.L
    if not np.linalg.eigvalsh(K)[0] > 0:
        return float("inf")
    G = R - np.linalg.inv(K)
    off = ~np.eye(len(R), dtype=bool)
    edge = np.abs(G + sparse * np.sign(parts.A))
    gap = np.where(off & (parts.A == 0), np.maximum(np.abs(G) - sparse, 0.0), edge)
    np.fill_diagonal(gap, np.abs(np.diag(G)))
    above = max(float(np.linalg.eigvalsh(G)[-1]) - trace, 0.0)
    slack = float(np.abs((trace * np.eye(len(R)) - G) @ parts.L).max())
    return max(float(gap.max()), above, slack)


def objective(R: Matrix, parts: Parts, sparse: float, trace: float) -> float:
    """tr(K R) - logdet K + sparse |A_off|_1 + trace tr L, inf unless K > 0."""
    K = parts.A - parts.L
    off = float(np.abs(parts.A).sum() - np.abs(np.diag(parts.A)).sum())
    return _likelihood(K, R) + sparse * off + trace * float(np.trace(parts.L))


def _likelihood(K: Matrix, S: Matrix) -> float:
    """tr(K S) - logdet K, inf unless K > 0."""
    if not np.linalg.eigvalsh(K)[0] > 0:
        return float("inf")
    return float(np.vdot(K, S) - np.linalg.slogdet(K)[1])


def lrps_ges(table: Table, random_state: int) -> Found:
    """Penalties by cross-validation, then GES on the covariance inv(A)."""
    n = len(table.values)
    fold = np.random.default_rng(random_state).permutation(n) % FOLDS
    Z = (table.values - table.values.mean(axis=0)) / table.values.std(axis=0)
    losses = sum(_held_out(Z[fold != k], Z[fold == k]) for k in range(FOLDS))
    R = Z.T @ Z / n
    share, step = divmod(int(np.argmin(losses)), STEPS)
    sparse, trace = _path(R, SHARES[share])[step]
    parts = decompose(R, sparse, trace)
    certificate = Certificate.judge(
        MEASURE,
        violation(R, parts, sparse, trace),
        10 * FINE,
        parts.iterations,
        objective(R, parts, sparse, trace),
    )
    graph, turned = member(
        heads(ges_graph(np.asarray(np.linalg.inv(parts.A)), n).graph), table.names
    )
    rank = int(np.linalg.matrix_rank(parts.L, tol=1e-8))
    reading = f"rank {rank}; a member of the CPDAG; {turned} edges turned for it"
    return Found(graph, status=certificate.status, statement=f"{certificate}; {reading}")


def _path(R: Matrix, share: float) -> list[tuple[float, float]]:
    """Penalties of A and of L, falling from those at which A is diagonal and L is zero."""
    off = R - np.eye(len(R))
    most = max(float(np.abs(off).max()) / share, float(np.linalg.eigvalsh(off)[-1]) / (1 - share))
    return [(share * size, (1 - share) * size) for size in np.geomspace(most, most / 100, STEPS)]


def _held_out(kept: Matrix, left: Matrix) -> Matrix:
    """(shares, steps) tr(K S) - logdet K of the rows left out, K fitted to the rows kept."""
    centre = kept.mean(axis=0)
    scale = kept.std(axis=0)
    R = np.corrcoef(kept.T)
    S = ((left - centre) / scale).T @ ((left - centre) / scale) / len(left)
    losses = np.empty((len(SHARES), STEPS))
    for row, share in enumerate(SHARES):
        parts = None
        for column, (sparse, trace) in enumerate(_path(R, share)):
            parts = decompose(R, sparse, trace, parts, ROUGH)
            losses[row, column] = _likelihood(parts.A - parts.L, S)
    return losses


BASELINES = (
    Baseline(
        "lrps-ges",
        "a sparse precision beside a low rank, then GES, a member of its class",
        lrps_ges,
        Setting(
            "Gaussian likelihood of the correlations",
            "both by 5-fold cross-validation; then BIC, .5 log n an edge",
            centring="columns centred and scaled",
        ),
        needs="table",
        takes=("random_state",),
        packages=("causallearn",),
        extra="baselines",
    ),
)
