"""Where the graph step on a device begins: orders from a central path and from variances."""

from __future__ import annotations

from typing import Any

import numpy as np

from dagdecor.device.machine import Matrix, Tensor
from dagdecor.device.problem import Order, Problem, places
from dagdecor.solve.directed import COUPLED_EFFORT, DEFAULTS, MANY, lawful
from dagdecor.solve.order_kernels import source_order

STEPS = 30  # of the lassos at each weight of the path


def starts(problem: Problem, acyclicity: str, given: Matrix | None) -> list[tuple[Order, Tensor]]:
    """Orders, and a B along each: of `given` alone beyond MANY columns, if it is allowed."""
    machine, p = problem.machine, len(problem.S)
    found: list[tuple[Order, Tensor]] = []
    if given is not None:
        order = _sorted(problem, given * given)
        if _is_allowed(problem, order, given):
            found.append((order, machine.tensor(given)))
    if found and p > MANY:
        return found
    B = _path(problem, acyclicity)
    strength = B.square() * problem.S.diagonal()[:, None] * problem.precisions
    path, residual = _sorted(problem, machine.array(strength)), _residual_order(problem)
    orders = [path, residual]
    if problem.Theta.ndim == 2:  # coupled columns have more minima: see `solve.directed`
        orders += [np.arange(p), residual[::-1].copy(), path[::-1].copy()]
        orders = orders[: max(2, COUPLED_EFFORT // p)]
    if problem.before is not None:
        orders = [lawful(order, problem.before.T.copy()) for order in orders]
    nothing = machine.torch.zeros_like(problem.S)
    return found + [(order, nothing) for order in orders]


def _sorted(problem: Problem, strength: Matrix) -> Order:
    """Next the node with the least strength from nodes not yet placed, after those it must."""
    if problem.before is not None:
        strength = np.where(problem.before, np.inf, strength)
    order: Order = source_order(np.ascontiguousarray(strength))
    return order


def _is_allowed(problem: Problem, order: Order, B: Matrix) -> bool:
    """Whether B follows the order and the order what is fixed, and B has no barred entry."""
    above, below = np.nonzero(B)
    place = places(order)
    finite = np.isfinite(problem.machine.array(problem.weights)[above, below])
    return problem.is_lawful(order) and bool(((place[above] < place[below]) & finite).all())


def _path(problem: Problem, acyclicity: str) -> Tensor:
    """The end of the path argmin_B mu (loss + l1) + h(B*B), mu falling, h by its tangent."""
    B = problem.machine.torch.zeros_like(problem.S)
    for mu in DEFAULTS.path:
        ridge = _slope(problem.machine.torch, B.square(), acyclicity) * (2 / mu)
        B, _ = problem.lassos(problem.weights, ridge).solve(B, 0.0, STEPS)
    return B


def _slope(torch: Any, W: Tensor, acyclicity: str) -> Tensor:
    """dh/dW >= 0 at W, or at the first of W / 2, W / 4, ... where it is finite."""
    while True:
        steep = torch.linalg.matrix_exp(W).T if acyclicity == "expm" else _inverse(torch, W)
        if bool(torch.isfinite(steep).all()):
            return steep.clamp(min=0.0)
        W = 0.5 * W


def _inverse(torch: Any, W: Tensor) -> Tensor:
    """inv(I - W)', infinite where I - W is no M-matrix; see `problem.acyclicity.LogDet`."""
    eye = torch.eye(len(W), dtype=W.dtype, device=W.device)
    inverse, failed = torch.linalg.inv_ex(eye - W)
    is_one = int(failed) == 0 and bool(inverse.sum(1).min() > 0)
    return inverse.T if is_one else torch.full_like(W, float("inf"))


def _residual_order(problem: Problem) -> Order:
    """Next the node with the least Theta_jj Var(x_j | nodes before), by a pivoted Cholesky."""
    torch, S = problem.machine.torch, problem.S
    rows, left = torch.zeros_like(S), S.diagonal().clone()
    placed = torch.zeros(len(S), dtype=torch.bool, device=S.device)
    order = torch.zeros(len(S), dtype=torch.int64, device=S.device)
    for k in range(len(S)):
        best = torch.where(placed, float("inf"), problem.precisions * left).argmin()
        order[k], placed[best] = best, True
        rest = S[best] - rows[:k, best] @ rows[:k]
        pivot = torch.where(left[best] > 1e-10 * S[best, best], left[best], float("inf"))
        rows[k] = pivot.rsqrt() * rest
        left -= rows[k].square()
    return np.asarray(problem.machine.array(order))
