"""Moves of single nodes over an order: all that promise something are judged together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dagdecor.device.columns import Lassos
from dagdecor.device.machine import Tensor
from dagdecor.device.problem import Order, Problem, places
from dagdecor.solve.directed import DEFAULTS

WISHES = 3  # targets that a node tries, one after the other
TRIAL = 20  # steps of the lassos by which a move is judged
SETTLE = 60  # of those after some have been taken
CLOSE = 1e-5  # change of an entry, in deviations of the loss, that ends them early
SHARE = 0.3  # of what moves promise each by itself that they must keep together
ROUNDS = 1000
LOT = 4096  # columns that are judged at once


class Found(NamedTuple):
    """An order, the B along it, and its objective."""

    order: Order
    B: Tensor
    objective: float


class Move(NamedTuple):
    """A node goes just behind its target, or just before it; the columns that this changes."""

    fall: float
    node: int
    target: int
    right: bool
    columns: frozenset[int]


class _Tasks(NamedTuple):
    """Columns to be solved again (t,), the move that each belongs to, entries opened and shut."""

    columns: Tensor
    owners: Tensor
    opened: Tensor
    shut: Tensor


def improved(problem: Problem, order: Order, B: Tensor) -> Found:
    """The B that moves reach from an order and a B along it, until none lowers the objective."""
    here = _settled(problem, order, B, 4 * SETTLE)
    floor = 10 * DEFAULTS.gain * abs(here.objective) / len(order)
    wish = 0
    for _ in range(ROUNDS):
        after = _step(problem, here, wish, floor)
        here, wish = (after, 0) if after is not None else (here, wish + 1)
        if wish == min(WISHES, len(order)):
            break
    return here


def _settled(problem: Problem, order: Order, B: Tensor, steps: int) -> Found:
    """B, cut to the order and solved along it."""
    torch, weights = problem.machine.torch, problem.along(order)
    lassos = problem.lassos(weights)
    B, _ = lassos.solve(torch.where(torch.isfinite(weights), B, 0.0), CLOSE, steps)
    return Found(order, B, problem.constant + float(lassos.values(B, lassos.descent(B)).sum()))


def _step(problem: Problem, here: Found, wish: int, floor: float) -> Found | None:
    """The best moves, half as many until they keep what they promise; None where none does."""
    moves = _compatible([move for move in _judged(problem, here, wish) if move.fall > floor])
    while moves:
        order = _moved(here.order, moves)
        least = max(floor, SHARE * sum(move.fall for move in moves))
        if problem.is_lawful(order):
            after = _settled(problem, order, here.B, SETTLE)
            if after.objective < here.objective - least:
                return after
        moves = moves[: len(moves) // 2]
    return None


def _judged(problem: Problem, here: Found, wish: int) -> list[Move]:
    """Each node to the edge that it most wishes for, or the next on its list, both ways."""
    torch, machine = problem.machine.torch, problem.machine
    at = machine.tensor(places(here.order))
    lassos = problem.lassos(problem.weights)
    G = lassos.descent(here.B)
    excess = (G.abs() - problem.weights).clamp(min=0.0)
    promise = torch.where(at[:, None] > at, excess.square() / lassos.scales, 0.0)
    ways: list[tuple[int, int, bool]] = []
    tasks: list[_Tasks] = []
    for right in (True, False):
        best, target = promise.kthvalue(len(at) - wish, dim=0 if right else 1)
        movers = torch.nonzero(best > 0).flatten()
        goal = at[target[movers]]
        ahead, back = (at[movers], goal) if right else (goal - 1, at[movers] - 1)
        passed = (at[:, None] > ahead) & (at[:, None] <= back)
        tasks += _tasks(problem, (here.B, excess), movers, passed, right=right)
        tasks[-2:] = [each._replace(owners=each.owners + len(ways)) for each in tasks[-2:]]
        ways += [(node, int(target[node]), right) for node in movers.tolist()]
    if not ways:
        return []
    whole = _Tasks(*(torch.cat(parts, dim=-1) for parts in zip(*tasks, strict=True)))
    falls = _falls(problem, here.B, G, at, whole)
    total = torch.zeros(len(ways), dtype=falls.dtype, device=falls.device)
    total = total.index_add(0, whole.owners, falls).tolist()
    changed = [{node} for node, _, _ in ways]
    for column, owner in zip(whole.columns.tolist(), whole.owners.tolist(), strict=True):
        changed[owner].add(column)
    return [
        Move(fall, *way, frozenset(columns))
        for fall, way, columns in zip(total, ways, changed, strict=True)
    ]


def _tasks(
    problem: Problem, state: tuple[Tensor, Tensor], movers: Tensor, passed: Tensor, *, right: bool
) -> list[_Tasks]:
    """Of moves (m,) past nodes (p, m): the movers' own columns, and those of nodes passed.

    To the right, a node wins those that it passes as parents and is lost to its children there;
    to the left, it loses parents, and is won by the nodes that wish for it.
    """
    torch = problem.machine.torch
    B, excess = state
    owners, nothing = torch.arange(len(movers), device=B.device), torch.zeros_like(passed)
    own = _Tasks(movers, owners, *((passed, nothing) if right else (nothing, passed)))
    concerned = (B[movers] != 0) if right else (excess[movers] > 0)
    owner, column = torch.nonzero(concerned & passed.T, as_tuple=True)
    mover = torch.zeros((len(B), len(owner)), dtype=torch.bool, device=B.device)
    mover[movers[owner], torch.arange(len(owner), device=B.device)] = True
    nothing = torch.zeros_like(mover)
    return [own, _Tasks(column, owner, *((nothing, mover) if right else (mover, nothing)))]


def _falls(problem: Problem, B: Tensor, G: Tensor, at: Tensor, tasks: _Tasks) -> Tensor:
    """(t,) at least so much each column gains or loses, all others held fixed."""
    torch = problem.machine.torch
    zero = torch.zeros((), dtype=B.dtype, device=B.device)
    falls = [zero.expand(0)]
    for lot in torch.arange(len(tasks.columns), device=B.device).split(LOT):
        columns = tasks.columns[lot]
        b, g, theta = B[:, columns], G[:, columns], problem.precisions[columns]
        allowed = (at[:, None] < at[columns]) | tasks.opened[:, lot]
        weights = problem.weights[:, columns]
        L = g + (problem.S @ b) * theta
        old = Lassos(torch, problem.S, L, theta, weights, zero, problem.curvature)
        open_ = allowed & ~tasks.shut[:, lot]
        new = old._replace(weights=torch.where(open_, weights, float("inf")))
        after, _ = new.solve(torch.where(open_, b, 0.0), 0.0, TRIAL)
        falls.append(old.values(b, g) - new.values(after, new.descent(after)))
    return torch.cat(falls)


def _compatible(moves: list[Move]) -> list[Move]:
    """The best first, each that changes no column of one before."""
    chosen, taken = [], set[int]()
    for move in sorted(moves, key=lambda each: -each.fall):
        if taken.isdisjoint(move.columns):
            chosen.append(move)
            taken |= move.columns
    return chosen


def _moved(order: Order, moves: list[Move]) -> Order:
    """The order after the moves, without those that others have made needless."""
    nodes = order.tolist()
    for move in moves:
        start, goal = nodes.index(move.node), nodes.index(move.target)
        if (start < goal) == move.right:
            nodes.insert(goal, nodes.pop(start))
    return np.array(nodes, dtype=np.int64)
