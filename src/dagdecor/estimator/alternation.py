"""Graph step, noise step, graph step ...: the rounds of the paper's estimator."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dagdecor.certificate import Certificate
from dagdecor.problem.acyclicity import acyclicity
from dagdecor.problem.joint import Joint
from dagdecor.solve.covariance import covariance
from dagdecor.solve.directed import directed
from dagdecor.solve.precision import precision

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
    S: Array, joint: Joint, given: tuple[Array, Array], rounds: int, slope: str, deadline: float
) -> Alternation:
    """Minimise `joint` by turns over B and Omega, from the given (B, Omega); never rises."""
    B, Omega = given
    Theta = _inverse(Omega)
    certificates: dict[str, Certificate] = {}
    trace: list[float] = []
    for _ in range(rounds):
        before = trace[-1] if trace else np.inf
        start = B if trace or B.any() else None
        B, certificates["graph step"] = directed(
            S,
            _diagonal(Theta),
            joint.directed_step(Omega),
            acyclicity(slope).slope,
            start,
            required=joint.required,
        )
        trace.append(joint.value(S, B, Omega))
        Omega, Theta, certificates["noise step"] = noise_step(S, B, joint, (Omega, Theta))
        trace.append(joint.value(S, B, Omega))
        if before - trace[-1] <= STALL * max(1.0, abs(trace[-1])) or time.monotonic() > deadline:
            break
    return Alternation(B, Omega, certificates, tuple(trace))


def noise_step(
    S: Array, B: Array, joint: Joint, start: tuple[Array, Array]
) -> tuple[Array, Array, Certificate]:
    """Omega and Theta that minimise `joint` with B held fixed, by the route that `joint` names.

    Each with exact zeros where it has some: an inverse of the inverse would have lost them.
    """
    A = np.eye(len(S)) - B
    residual = A.T @ S @ A
    residual = (residual + residual.T) / 2
    if joint.route == "covariance":
        Omega, certificate = covariance(residual, joint.noise_step(B), start[0])
        return Omega, _inverse(Omega), certificate
    Theta, certificate = precision(residual, joint.noise_step(B), start[1])
    return _inverse(Theta), Theta, certificate


def _inverse(matrix: Array) -> Array:
    inverse = np.linalg.inv(matrix)
    return np.asarray((inverse + inverse.T) / 2)


def _diagonal(Theta: Array) -> Array:
    """Theta, its diagonal alone where it is diagonal, which decouples the columns."""
    diagonal = np.diag(Theta)
    return np.array(diagonal) if np.array_equal(Theta, np.diag(diagonal)) else Theta
