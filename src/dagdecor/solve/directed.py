"""The graph step: an acyclic B by a central path, an ordered lasso, and moves over orders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagdecor.certificate import Certificate, Solution
from dagdecor.solve.lasso_kernels import settle
from dagdecor.solve.order_kernels import reorder, residual_order, source_order

Matrix = npt.NDArray[np.float64]
Order = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
MEASURE = "stationarity given the order"
COUPLED_EFFORT = 60  # columns times starts of the search, when Theta is not diagonal
MANY = 100  # columns from which on a search starts from one order where it is given a B
REACH = 20_000  # columns times nodes that several may pass together


@dataclass(frozen=True)
class DirectedSettings:
    """How far to search, all relative to the objective of a column.

    Parameters
    ----------
    tolerance
        Of the certificate: subgradient distance of entry i -> j over Theta_jj sqrt(S_ii S_jj).
    path
        The falling weights mu of mu * (loss + l1) + h(B*B), one solve each.
    gain
        Smallest fall that counts as one while orders are compared.
    detour
        How far above its start the objective may stand during a move.
    coupled_gain, coupled_detour
        The same for a Theta that is not diagonal, where a look at an order costs more.
    strength
        Theta_jj S_ii B_ij^2 of an edge i -> j from which on its ends also move together.
    rounds
        Most passes of the final solve.
    """

    tolerance: float = 1e-8
    path: tuple[float, ...] = (1.0, 0.25, 0.06, 0.016, 0.004, 0.001)
    gain: float = 1e-5
    detour: float = 0.03
    coupled_gain: float = 1e-4
    coupled_detour: float = 0.1
    strength: float = 0.03
    rounds: int = 1000


DEFAULTS = DirectedSettings()


class _Candidate(NamedTuple):
    """Kernel arrays of a B and the order that it follows; see `lasso_kernels`."""

    terms: Matrix
    state: Matrix
    order: Order

    @property
    def objective(self) -> float:
        """.5 tr(S (I-B) Theta (I-B)') + sum_ij penalty_ij |B_ij|."""
        return _objective(self.terms, self.state)


def directed(
    S: Matrix,
    precision: Matrix | None,
    penalty: float | Matrix,
    slope: Callable[[Matrix], Matrix],
    start: Matrix | None = None,
    settings: DirectedSettings = DEFAULTS,
    required: Flags | None = None,
) -> Solution:
    """argmin_B .5 tr(S (I-B) Theta (I-B)') + sum_ij penalty_ij |B_ij| over acyclic B (p, p).

    A local minimum over orders, stationary given its order, not worse than an acyclic `start`.

    Parameters
    ----------
    S
        (p, p) covariance.
    precision
        Theta: None for the identity, (p,) for a diagonal, (p, p) in full.
    penalty
        A number or (p, p); +inf forbids an edge. The diagonal is always forbidden.
    slope
        W -> dh/dW of an acyclicity measure h, for W = B*B; infinite outside its domain.
    start
        (p, p) an earlier B; a cyclic or forbidden one is ignored.
    settings
        Tolerances and limits of the search.
    required
        (p, p) acyclic, [i, j]: every order looked at has i before j, so that i -> j closes no
        cycle with what is found. None for no such pair.
    """
    Theta = np.ones(len(S)) if precision is None else np.asarray(precision, dtype=np.float64)
    scales = Theta if Theta.ndim == 1 else np.diag(Theta)
    # Columns enter in an order of their own, so that a relabelling changes nothing.
    by_size = np.argsort(np.linalg.norm(_symmetric(S), axis=1) * scales, kind="stable")
    columns = np.ix_(by_size, by_size)
    forms, terms = _arrays(S, Theta, penalty, columns)
    first = None if start is None else np.asarray(start, dtype=np.float64)[columns]
    if required is not None:
        terms[3] = required[columns].T
    found = _solve(forms, terms, slope, first, settings)
    B = np.empty_like(found.value)
    B[columns] = found.value
    return Solution(B, found.certificate)


def _solve(
    forms: Matrix,
    terms: Matrix,
    slope: Callable[[Matrix], Matrix],
    start: Matrix | None,
    settings: DirectedSettings,
) -> Solution:
    """The search from several orders, and the certified end of it.

    `terms` (4, p, p): as for the kernels, with nothing barred yet. There is one for all orders.
    """
    given = start if start is not None and _is_allowed(start, terms) else None
    firsts: list[tuple[Order, Matrix]] = []
    if given is None or len(given) <= MANY:
        order, limits = _path(forms, terms, slope, settings)
        nothing = np.zeros_like(terms[2])  # memory of no size until it is written to
        firsts += [(_lawful(order, terms[3]), nothing) for order in _first_orders(forms, order)]
    else:
        limits = _limits(forms, terms, _state(forms, given), settings)
    if given is not None:
        firsts.append((source_order(_ordered_weights(given, terms[3])), given))
    best = _search(forms, terms, *firsts[0], limits)
    for order, B in firsts[1:]:
        candidate = _search(forms, terms, order, B, limits)
        best = min(best, candidate, key=lambda found: found.objective)
        del candidate
    _bar(terms, best.order)
    _moves(forms, best, limits)
    return _finish(forms, best, settings)


def _symmetric(matrix: Matrix) -> Matrix:
    return np.asarray((matrix + matrix.T) / 2, dtype=np.float64)


def _arrays(
    S: Matrix,
    Theta: Matrix,
    penalty: float | Matrix,
    columns: tuple[npt.NDArray[np.intp], ...],
) -> tuple[Matrix, Matrix]:
    """(S, Theta) stacked, both exactly symmetric, and `terms` (4, p, p), with nothing barred."""
    p = len(S)
    forms, terms = np.zeros((2, p, p)), np.zeros((4, p, p))
    forms[0] = _symmetric(S)[columns]
    forms[1] = np.diag(Theta[columns[1][0]]) if Theta.ndim == 1 else _symmetric(Theta)[columns]
    terms[2] = np.broadcast_to(penalty, (p, p))[columns].T
    np.fill_diagonal(terms[2], np.inf)
    terms[0] = terms[2]
    return forms, terms


def _is_coupled(forms: Matrix) -> bool:
    """Whether Theta is not diagonal, so that the columns of B depend on each other."""
    return bool(np.count_nonzero(forms[1]) > np.count_nonzero(np.diag(forms[1])))


def _first_orders(forms: Matrix, path: Order) -> list[Order]:
    """Where the search starts: from more places when columns are few and coupled.

    Coupled columns have more minima, and few of them leave the time to see them.
    """
    residual = residual_order(forms)
    if not _is_coupled(forms):
        return [path, residual]
    every = [path, residual, np.arange(len(path)), residual[::-1].copy(), path[::-1].copy()]
    return every[: max(2, COUPLED_EFFORT // len(path))]


def _is_allowed(B: Matrix, terms: Matrix) -> bool:
    """Whether B is acyclic, with the pairs whose order is fixed, and zero where it is forbidden."""
    order = source_order(_ordered_weights(B, terms[3]))
    sorted_B = B[np.ix_(order, order)]
    return not np.tril(sorted_B).any() and bool(np.isfinite(terms[2].T[B != 0]).all())


def _ordered_weights(B: Matrix, before: Matrix) -> Matrix:
    """B*B, infinite where the order of a pair is fixed: what `source_order` sorts by."""
    return np.ascontiguousarray(np.where(before.T > 0, np.inf, B * B))


def _lawful(order: Order, before: Matrix) -> Order:
    """The order with each node moved behind those that must stand before it."""
    if not before.any():
        return order
    left, placed = list(order), list[np.int64]()
    while left:
        node = next(j for j in left if not before[j, left].any())
        left.remove(node)
        placed.append(node)
    return np.array(placed, dtype=np.int64)


def _state(forms: Matrix, B: Matrix) -> Matrix:
    """(B', (S (I-B) Theta)') stacked, contiguous."""
    return np.stack([B.T, forms[1] @ (forms[0] - forms[0] @ B).T])


def _objective(terms: Matrix, state: Matrix) -> float:
    """.5 <I-B, S (I-B) Theta> + sum_ij weights_ij |B_ij|."""
    kept = state[0] != 0
    fit = np.trace(state[1]) - np.vdot(state[0], state[1])
    return 0.5 * float(fit) + float(np.vdot(terms[2][kept], np.abs(state[0][kept])))


def _path(
    forms: Matrix, terms: Matrix, slope: Callable[[Matrix], Matrix], settings: DirectedSettings
) -> tuple[Order, Matrix]:
    """Order of the end of the path argmin_B mu (loss + l1) + h(B*B), mu falling; kernel limits.

    h is replaced by its tangent in W = B*B, which makes a step an elastic net with the ridge
    weights 2 slope / mu; columns are solved once a step, the path needs no more.
    """
    state = _state(forms, np.zeros_like(terms[1]))
    limits = _limits(forms, terms, state, settings)
    for step, mu in enumerate(settings.path):
        W = (state[0] * state[0]).T
        steepness = slope(W)
        while not np.isfinite(steepness).all():
            W *= 0.5
            steepness = slope(W)
        np.multiply(steepness.T, 2 / mu, out=terms[1])
        settle(forms, terms, state, limits[1], 1)
        if step == 0:
            limits = _limits(forms, terms, state, settings)
    terms[1] = 0.0
    strength = (state[0] * state[0]).T * np.outer(np.diag(forms[0]), np.diag(forms[1]))
    order: Order = source_order(np.ascontiguousarray(strength))
    return order, _limits(forms, terms, state, settings)


def _limits(forms: Matrix, terms: Matrix, state: Matrix, settings: DirectedSettings) -> Matrix:
    """The kernels' `limits`, from settings relative to the mean objective of a column."""
    floor = 1e-12 * float(np.vdot(np.diag(forms[0]), np.diag(forms[1])))
    column = max(_objective(terms, state), floor) / len(state[0])
    gain, detour = settings.gain, settings.detour
    if _is_coupled(forms):
        gain, detour = settings.coupled_gain, settings.coupled_detour
    reach = max(1, REACH // len(state[0]))
    bounded = 0.0 if _is_coupled(forms) else 1.0
    return np.array([column * gain, column * detour, column * settings.strength, reach, bounded])


def _search(forms: Matrix, terms: Matrix, order: Order, B: Matrix, limits: Matrix) -> _Candidate:
    """The best B that moves of single nodes reach from an order and a B along it."""
    _bar(terms, order)
    candidate = _Candidate(terms, _state(forms, B), order)
    settle(forms, terms, candidate.state, limits[0], 20)
    # Moves of several nodes are kept for the best candidate.
    _moves(forms, candidate, limits * np.array([1.0, 1.0, np.inf, 1.0, 1.0]))
    return candidate


def _bar(terms: Matrix, order: Order) -> None:
    """The weights, infinite against the order."""
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    terms[0] = np.where(place[:, None] > place, terms[2], np.inf)


def _moves(forms: Matrix, candidate: _Candidate, limits: Matrix) -> None:
    """Insertions; where Theta couples the columns, all are solved again until no move is left."""
    terms, state, order = candidate
    waiting = np.ones(len(order), dtype=np.bool_)
    while reorder(forms, terms, state, order, waiting, limits) > 0 and _is_coupled(forms):
        if settle(forms, terms, state, limits[0], 20) == 1:
            return
        waiting[:] = True


def _finish(forms: Matrix, best: _Candidate, settings: DirectedSettings) -> Solution:
    """Solve for B on the order found to the last digits, and certify it."""
    terms = best.terms
    state = _state(forms, best.state[0].T)  # afresh: the search has left rounding in G
    deviations = np.sqrt(np.diag(forms[0]))
    units = np.outer(np.diag(forms[1]) * deviations, deviations)
    accuracy = (0.1 * settings.tolerance) ** 2 * float(np.diag(units).min())
    rounds = settle(forms, terms, state, accuracy, settings.rounds)
    state = _state(forms, state[0].T)
    allowed = np.isfinite(terms[0])
    b, g, l1 = state[0][allowed], state[1][allowed], terms[0][allowed]
    distance = np.where(b == 0, np.maximum(np.abs(g) - l1, 0.0), np.abs(g - np.sign(b) * l1))
    residual = float(np.max(distance / units[allowed], initial=0.0))
    certificate = Certificate.judge(
        MEASURE, residual, settings.tolerance, rounds, _objective(terms, state)
    )
    return Solution(np.ascontiguousarray(state[0].T), certificate)
