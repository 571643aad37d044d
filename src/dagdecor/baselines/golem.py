"""GOLEM: a Gaussian likelihood, soft penalties on size and cycles (Ng, Ghassami, Zhang 2020)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt

from dagdecor.baselines.descent import Descended, cycles, descend
from dagdecor.baselines.protocol import Baseline, Found, Setting
from dagdecor.baselines.reading import thresholded
from dagdecor.certificate import Certificate
from dagdecor.graph import MixedGraph
from dagdecor.moments import Moments
from dagdecor.solve.ricf import FLOOR

Matrix = npt.NDArray[np.float64]
CYCLES = 5.0  # the published weight of h, for both noise models
SLOPE = 1e-3  # of the penalised objective, per entry, that counts as none


def equal(S: Matrix, B: Matrix) -> tuple[float, Matrix]:
    """(p/2 log tr((I-B)' S (I-B)) - log|det(I-B)|, its gradient): equal error variances."""
    p = len(S)
    A = np.eye(p) - B
    product = S @ A
    left = float(np.vdot(A, product))
    logdet, slope = _logdet(A)
    return 0.5 * p * float(np.log(left)) - logdet, slope - p * product / left


def unequal(S: Matrix, B: Matrix) -> tuple[float, Matrix]:
    """(1/2 sum_j log((I-B)' S (I-B))_jj - log|det(I-B)|, its gradient): free error variances."""
    A = np.eye(len(S)) - B
    product = S @ A
    left = np.sum(A * product, axis=0)
    logdet, slope = _logdet(A)
    return 0.5 * float(np.sum(np.log(left))) - logdet, slope - product / left


def _logdet(A: Matrix) -> tuple[float, Matrix]:
    """(log|det A|, -d(log|det A|)/dB for A = I - B)."""
    _, logdet = np.linalg.slogdet(A)
    return float(logdet), np.linalg.inv(A).T


def golem(
    S: Matrix,
    likelihood: Callable[[Matrix, Matrix], tuple[float, Matrix]],
    penalty: float,
    start: Matrix | None = None,
) -> Descended:
    """argmin_B likelihood(S, B) + penalty |B|_1 + 5 (tr expm(B*B) - p), from `start` or from 0."""
    first = np.zeros_like(S) if start is None else start
    return descend(partial(_smooth, S, likelihood), np.full(S.shape, penalty), first, digits=1e4)


def _smooth(
    S: Matrix, likelihood: Callable[[Matrix, Matrix], tuple[float, Matrix]], B: Matrix
) -> tuple[float, Matrix]:
    value, slope = likelihood(S, B)
    h, h_slope = cycles(B)
    return value + CYCLES * h, slope + CYCLES * h_slope


def ev_paper(moments: Moments) -> Found:
    """Equal variances, the paper's shared penalty."""
    return _found(moments, golem(_bounded(moments), equal, 0.1))


def ev(moments: Moments) -> Found:
    """Equal variances as published: penalty .02."""
    return _found(moments, golem(_bounded(moments), equal, 0.02))


def nv_paper(moments: Moments) -> Found:
    """Free variances, the paper's shared penalty."""
    return _found(moments, golem(_bounded(moments), unequal, 0.1, _start(moments)))


def nv(moments: Moments) -> Found:
    """Free variances as published: penalty .002."""
    return _found(moments, golem(_bounded(moments), unequal, 0.002, _start(moments)))


def _start(moments: Moments) -> Matrix:
    """Where the authors start free variances: at their estimate for equal ones."""
    return golem(_bounded(moments), equal, 0.02).B


def _bounded(moments: Moments) -> Matrix:
    """S, with a millionth of each variance added where n <= p lets the likelihood grow on."""
    if moments.n > moments.p:
        return moments.S
    return np.asarray(moments.S + FLOOR * np.diag(np.diag(moments.S)))


def _found(moments: Moments, end: Descended) -> Found:
    B = thresholded(end.B, 0.3)
    graph = MixedGraph.from_matrices(B, names=moments.names)
    certificate = Certificate.judge(
        "slope of the objective", end.slope, SLOPE, end.iterations, end.objective
    )
    return Found.certified(graph, certificate, B)


_CUTS = ".3, then the smallest entries until there is no cycle"
BASELINES = (
    Baseline(
        "golem-ev-paper",
        "GOLEM with equal error variances and the paper's shared penalty",
        ev_paper,
        Setting("p/2 log of the sum of squares - log|det|", ".1; 5 of h", _CUTS),
    ),
    Baseline(
        "golem-ev",
        "GOLEM with equal error variances as published",
        ev,
        Setting("p/2 log of the sum of squares - log|det|", ".02; 5 of h", _CUTS),
    ),
    Baseline(
        "golem-nv-paper",
        "GOLEM with free error variances and the paper's shared penalty",
        nv_paper,
        Setting("1/2 sum of the columns' logs - log|det|", ".1; 5 of h", _CUTS),
    ),
    Baseline(
        "golem-nv",
        "GOLEM with free error variances as published",
        nv,
        Setting("1/2 sum of the columns' logs - log|det|", ".002; 5 of h", _CUTS),
    ),
)
