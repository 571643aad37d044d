"""The precision route's noise step on a device: proximal gradient steps over Theta > 0."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dagdecor.certificate import Certificate, Solution, Status
from dagdecor.device.machine import Machine, Tensor
from dagdecor.solve.precision import MEASURE
from dagdecor.solve.scaling import allowed, scaled

HALVINGS = 40
SHORTEST, LONGEST = 1e-6, 1e6  # steps, in units where the variances are one


class _Point(NamedTuple):
    """Theta > 0, its inverse, and the objective."""

    Theta: Tensor
    W: Tensor
    value: float


class _Problem(NamedTuple):
    """tr(R Theta) - logdet Theta + sum P |Theta| on the correlation scale."""

    torch: Any
    R: Tensor
    P: Tensor

    def at(self, Theta: Tensor) -> _Point | None:
        """The point, None where Theta is not positive definite."""
        factor, failed = self.torch.linalg.cholesky_ex(Theta)
        if int(failed):
            return None
        penalty = self.torch.where(Theta != 0, self.P * Theta.abs(), 0.0)
        value = (self.R * Theta + penalty).sum() - 2 * factor.diagonal().log().sum()
        W = self.torch.cholesky_inverse(factor)
        return _Point(Theta, (W + W.T) / 2, float(value))

    def bound(self, point: _Point) -> float:
        """logdet(V) + p at a V of the dual; see `solve.precision`, which proves it."""
        torch, Theta = self.torch, point.Theta
        inside = (point.W - self.R).clamp(-self.P, self.P)
        V = self.R + torch.where(Theta != 0, self.P * Theta.sign(), inside)
        apart = torch.eye(len(V), dtype=V.dtype, device=V.device) - self.R
        room = torch.where(apart.abs() > self.P, self.P / apart.abs(), 1.0).min()
        safe = self.R + room.clamp(max=1.0) * apart
        for share in (0.0, 0.1, 0.5, 1.0):
            factor, failed = torch.linalg.cholesky_ex(V + share * (safe - V))
            if not int(failed):
                return float(2 * factor.diagonal().log().sum()) + len(V)
        return -float("inf")

    def lower(self, point: _Point, step: float) -> tuple[_Point, float] | None:
        """The first of a step, half of it, ... that keeps what a gradient step promises."""
        slope = self.R - point.W
        for _ in range(HALVINGS):
            moved = point.Theta - step * slope
            moved = moved.sign() * (moved.abs() - step * self.P).clamp(min=0.0)
            after = self.at(moved)
            if after is not None and after.value < point.value:
                return after, step
            step /= 2
        return None


def precision(
    machine: Machine,
    S: npt.ArrayLike,
    penalty: float | npt.ArrayLike,
    start: npt.ArrayLike | None = None,
    tolerance: float = 1e-6,
    max_iterations: int = 2000,
) -> Solution:
    """argmin over Theta > 0 of tr(S Theta) - logdet(Theta) + sum_{i != j} penalty_ij |Theta_ij|.

    The problem, the arguments and the certificate of `solve.precision.precision`; an iteration
    is a proximal gradient step (Rolfs, Rajaratnam, Guillot, Wong, Maleki 2012) of the length of
    Barzilai and Borwein 1988.
    """
    posed = scaled(S, penalty)
    P = posed.penalty / posed.units
    problem = _Problem(machine.torch, machine.tensor(posed.R), machine.tensor(P))
    guess = allowed(start, posed.units, P)
    first = None if guess is None else problem.at(machine.tensor(guess))
    found, gap, steps, status = _descend(
        problem, first or _diagonal(problem), tolerance * len(P), max_iterations
    )
    Theta, objective = machine.array(found.Theta), found.value
    objective += 2 * float(np.log(posed.deviations).sum())
    residual = max(gap / len(P), 0.0)
    claim = Certificate(status, MEASURE, residual, tolerance, steps, objective)
    return Solution(Theta / posed.units, claim)


def _diagonal(problem: _Problem) -> _Point:
    eye = problem.torch.eye(len(problem.R), dtype=problem.R.dtype, device=problem.R.device)
    return _Point(eye, eye, float(len(eye)))


def _descend(
    problem: _Problem, point: _Point, tolerance: float, limit: int
) -> tuple[_Point, float, int, Status]:
    """Steps until the gap is within tolerance; the point, its gap, their number, how it ended."""
    length = 1.0
    for step in range(limit + 1):
        gap = point.value - problem.bound(point)
        if gap <= tolerance:
            return point, gap, step, Status.CONVERGED
        if step == limit:
            break
        lowered = problem.lower(point, length)
        if lowered is None:
            return point, gap, step, Status.STALLED
        after, length = lowered
        change, turn = after.Theta - point.Theta, point.W - after.W
        bend = float((change * turn).sum())
        if bend > 0:
            length = min(max(float(change.square().sum()) / bend, SHORTEST), LONGEST)
        point = after
    return point, gap, limit, Status.LIMIT
