"""The graph step on a device: orders from a path, moves judged together, one certified end."""

from __future__ import annotations

from dagdecor.certificate import Certificate, Solution
from dagdecor.device.machine import Machine, Matrix
from dagdecor.device.moves import Found, improved
from dagdecor.device.path import starts
from dagdecor.device.problem import Flags, Problem
from dagdecor.solve.directed import DEFAULTS, MEASURE

LOT = 200  # steps of the last lasso between looks at its certificate
LIMIT = 20_000


def directed(
    machine: Machine,
    S: Matrix,
    precision: Matrix,
    penalty: Matrix,
    acyclicity: str,
    start: Matrix | None = None,
    required: Flags | None = None,
) -> Solution:
    """argmin_B .5 tr(S (I-B) Theta (I-B)') + sum_ij penalty_ij |B_ij| over acyclic B (p, p).

    The problem, the arguments and the claim of `solve.directed.directed` (`acyclicity` by name),
    another way: all columns at once, and moves of single nodes, each judged by itself and the
    best taken together.
    """
    problem = Problem.on(machine, S, precision, penalty, required)
    found = (improved(problem, *each) for each in starts(problem, acyclicity, start))
    return _finish(problem, min(found, key=lambda each: each.objective))


def _finish(problem: Problem, found: Found) -> Solution:
    """Solve for B on the order found to the last digits, and certify it."""
    torch, weights = problem.machine.torch, problem.along(found.order)
    lassos, B, steps = problem.lassos(weights), found.B, 0
    deviations = problem.S.diagonal().sqrt()
    units = torch.outer(deviations, problem.precisions * deviations)
    residual = float("inf")
    while residual > DEFAULTS.tolerance and steps < LIMIT:
        B, more = lassos.solve(B, 0.0, LOT)
        steps += more
        G = lassos.descent(B)
        slack = (G.abs() - weights).clamp(min=0.0)
        distance = torch.where(B == 0, slack, (G - B.sign() * weights).abs())
        residual = float((distance / units).max())
    objective = problem.constant + float(lassos.values(B, G).sum())
    certificate = Certificate.judge(MEASURE, residual, DEFAULTS.tolerance, steps, objective)
    return Solution(problem.machine.array(B), certificate)
