"""Graph step, noise step, graph step ...: the rounds of the paper's estimator."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dagdecor.certificate import Certificate, Solution
from dagdecor.course import Course
from dagdecor.device import Steps
from dagdecor.problem.joint import Joint
from dagdecor.solve.covariance import covariance

Array = npt.NDArray[np.float64]
STALL = 1e-7  # relative fall of the objective in a round below which the rounds end


@dataclass(frozen=True)
class Alternation:
    """Where the rounds ended: B, Omega, the last steps' certificates, the objective's fall."""

    B: Array
    Omega: Array
    certificates: dict[str, Certificate]
    trace: tuple[float, ...]


def alternate(
    S: Array,
    joint: Joint,
    given: tuple[Array, Array],
    steps: Steps,
    rounds: int,
    slope: str,
    course: Course,
) -> Alternation:
    """Minimise `joint` by turns over B and the noise; never rises.

    From the given B and (p,) error variances. Of Omega and Theta only the one that the route
    penalises is kept, for the sake of its exact zeros, which an inverse of its inverse would lose.
    """
    B, variances = given
    covariance_route = joint.route == "covariance"
    M = np.diag(variances if covariance_route else 1 / variances)
    certificates: dict[str, Certificate] = {}
    trace: list[float] = []
    for _ in range(rounds):
        before = trace[-1] if trace else np.inf
        B, certificates["graph step"] = graph_step(
            S, joint, (B if trace or B.any() else None, M), slope, steps
        )
        trace.append(joint.value(S, B, M))
        M, certificates["noise step"] = noise_step(S, B, joint, M, steps)
        trace.append(joint.value(S, B, M))
        if before - trace[-1] <= STALL * max(1.0, abs(trace[-1])) or course.over:
            break
    return Alternation(B, M if covariance_route else _inverse(M), certificates, tuple(trace))


def graph_step(
    S: Array, joint: Joint, start: tuple[Array | None, Array], slope: str, steps: Steps
) -> Solution:
    """B that minimises `joint` with M, the second of `start`, held fixed."""
    B, M = start
    Theta = _diagonal(_inverse(M) if joint.route == "covariance" else M)
    return steps.graph(S, Theta, joint.directed_step(M), slope, B, joint.required)


def noise_step(S: Array, B: Array, joint: Joint, start: Array, steps: Steps) -> Solution:
    """Omega or Theta that minimises `joint` with B held fixed, by the route that `joint` names."""
    solve = covariance if joint.route == "covariance" else steps.precision
    return solve(_residual(S, B), joint.noise_step(B), start)


def _residual(S: Array, B: Array) -> Array:
    """(I-B)' S (I-B), exactly symmetric."""
    A = -B
    np.fill_diagonal(A, 1.0)
    residual = A.T @ S @ A
    residual += residual.T
    residual *= 0.5
    return np.asarray(residual)


def _inverse(matrix: Array) -> Array:
    inverse = np.linalg.inv(matrix)
    return np.asarray((inverse + inverse.T) / 2)


def _diagonal(Theta: Array) -> Array:
    """Theta, its diagonal alone where it is diagonal, which decouples the columns."""
    diagonal = np.diag(Theta)
    return np.array(diagonal) if np.array_equal(Theta, np.diag(diagonal)) else Theta
