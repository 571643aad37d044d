"""NOTEARS: an augmented Lagrangian over tr expm(B*B) - p = 0 with L-BFGS-B (Zheng et al. 2018)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from dagdecor.baselines.descent import cycles, descend
from dagdecor.baselines.protocol import Baseline, Found, Setting
from dagdecor.baselines.reading import thresholded
from dagdecor.certificate import Certificate, Solution
from dagdecor.estimator.scale import common_noise, rate
from dagdecor.graph import MixedGraph
from dagdecor.moments import Moments
from dagdecor.problem import loss

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True)
class NotearsSettings:
    """The published stopping rules."""

    h_tolerance: float = 1e-8
    rho_max: float = 1e16
    rounds: int = 100
    progress: float = 0.25


def notears(
    S: Matrix,
    penalty: float | Matrix,
    precision: Matrix | None = None,
    threshold: float = 0.0,
    settings: NotearsSettings | None = None,
) -> Solution:
    """argmin_B .5 tr(S (I-B) Theta (I-B)') + sum penalty_ij |B_ij| subject to tr expm(B*B) = p.

    S (p, p) covariance; penalty a number or (p, p); precision Theta None, (p,) or (p, p).
    Entries with |B_ij| <= threshold are set to 0; without a threshold B is acyclic only up to the
    tolerance on h.
    """
    chosen = settings or NotearsSettings()
    weights = np.array(np.broadcast_to(penalty, S.shape), dtype=np.float64)
    B = np.zeros_like(S)
    rho, alpha, h, iterations = 1.0, 0.0, np.inf, 0
    for _ in range(chosen.rounds):
        while rho < chosen.rho_max:
            found = descend(partial(_lagrangian, S, precision, rho, alpha), weights, B)
            iterations += found.iterations
            h_new = cycles(found.B)[0]
            if h_new <= chosen.progress * h:
                break
            rho *= 10
        B, h = found.B, h_new
        alpha += rho * h
        if h <= chosen.h_tolerance or rho >= chosen.rho_max:
            break
    objective = loss.value(S, B, precision) + float(np.sum(weights * np.abs(B)))
    B[np.abs(B) <= threshold] = 0.0
    return Solution(B, Certificate.judge("h(B)", h, chosen.h_tolerance, iterations, objective))


def _lagrangian(
    S: Matrix, precision: Matrix | None, rho: float, alpha: float, B: Matrix
) -> tuple[float, Matrix]:
    """Loss + rho h^2 / 2 + alpha h, and its gradient."""
    fit, slope = loss.value_and_gradient(S, B, precision)
    h, h_slope = cycles(B)
    return fit + 0.5 * rho * h * h + alpha * h, slope + (rho * h + alpha) * h_slope


def half(moments: Moments) -> Found:
    """Loss 1/2n, as published."""
    return found(moments, 0.1)


def whole(moments: Moments) -> Found:
    """Loss 1/n: half of the penalty beside the loss 1/2n."""
    return found(moments, 0.05)


def scaled(moments: Moments) -> Found:
    """Penalty in units of the noise."""
    return found(moments, in_noise_units(moments))


def in_noise_units(moments: Moments) -> Matrix:
    """s_i s sqrt(log p / n) of entry i -> j, (p, p): what a chance effect of column i earns.

    s_i is the deviation of the column and s that of the noise, by the scaled lasso.
    """
    noise = common_noise(moments.S, moments.n, "expm")
    unit = np.sqrt(noise) * moments.deviations[:, None]
    return np.asarray(rate(moments.n, moments.p) * np.broadcast_to(unit, moments.S.shape))


def found(moments: Moments, penalty: float | Matrix, threshold: float = 0.3) -> Found:
    """NOTEARS, thresholded, as the protocol has it."""
    solution = notears(moments.S, penalty)
    B = thresholded(solution.value, threshold)
    graph = MixedGraph.from_matrices(B, names=moments.names)
    return Found.certified(graph, solution.certificate, B)


BASELINES = (
    Baseline(
        "notears-paper",
        "NOTEARS as published, with the paper's shared penalty",
        half,
        Setting("1/2n", ".1", ".3"),
    ),
    Baseline(
        "notears-whole-loss",
        "NOTEARS with the other reading of its loss",
        whole,
        Setting("1/n", ".1", ".3"),
    ),
    Baseline(
        "notears",
        "NOTEARS with a penalty in units of the noise",
        scaled,
        Setting("1/2n", "s_i s sqrt(log p / n), s by the scaled lasso", ".3"),
    ),
)
