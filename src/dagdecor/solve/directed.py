"""The graph step: an acyclic B by a central path, an ordered lasso, and moves over orders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagdecor.certificate import Certificate, Solution
from dagdecor.solve.lasso_kernels import Forms, Terms, settle
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
    """A B and the order that it follows."""

    B: Matrix
    order: Order
    objective: float


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
    if required is not None:
        terms.before[:] = required[columns].T
    first = None if start is None else np.asarray(start, dtype=np.float64)
    found = _solve(
        forms, terms, slope, None if first is None else _allowed(first[columns], terms), settings
    )
    B = np.empty_like(found.value)
    B[columns] = found.value
    return Solution(B, found.certificate)


def _solve(
    forms: Forms,
    terms: Terms,
    slope: Callable[[Matrix], Matrix],
    given: Matrix | None,
    settings: DirectedSettings,
) -> Solution:
    """The search from several orders, and the certified end of it."""
    starts: list[tuple[Order, Matrix]] = []
    if given is None or len(given) <= MANY:
        order, limits = _path(forms, terms, slope, settings)
        nothing = np.zeros(forms.S.shape)  # memory of no size, as long as it is only read
        orders = [lawful(each, terms.before) for each in _first_orders(forms, order)]
        starts += [(each, nothing) for each in orders]
    else:
        limits = _limits(forms, terms, _state(forms, given), settings)
    if given is not None:
        starts.append((source_order(_ordered_weights(given, terms.before)), given))
    del given
    best = min(_candidates(forms, terms, starts, limits), key=lambda each: each.objective)
    state, order = _state(forms, best.B), best.order
    del best
    _stand(terms, order)
    _moves(forms, terms, (state, order), limits)
    return _finish(forms, terms, state, settings)


def _symmetric(matrix: Matrix) -> Matrix:
    symmetric: Matrix = np.add(matrix, matrix.T, dtype=np.float64)
    symmetric *= 0.5
    return symmetric


def _arrays(
    S: Matrix,
    Theta: Matrix,
    penalty: float | Matrix,
    columns: tuple[npt.NDArray[np.intp], ...],
) -> tuple[Forms, Terms]:
    """The kernels' arrays, their rows and columns in the order of `columns`; all is open."""
    p = len(S)
    noise = np.diag(Theta[columns[1][0]]) if Theta.ndim == 1 else _symmetric(Theta)[columns]
    weights = np.array(np.broadcast_to(penalty, (p, p))[columns].T, dtype=np.float64, order="C")
    np.fill_diagonal(weights, np.inf)
    before, place = np.zeros((p, p), dtype=np.bool_), np.zeros(p, dtype=np.int64)
    terms = Terms(weights, np.zeros((p, p)), before, place)
    forms = Forms(np.ascontiguousarray(_symmetric(S)[columns]), np.ascontiguousarray(noise))
    return forms, terms


def _is_coupled(forms: Forms) -> bool:
    """Whether Theta is not diagonal, so that the columns of B depend on each other."""
    return bool(np.count_nonzero(forms.Theta) > np.count_nonzero(np.diag(forms.Theta)))


def _first_orders(forms: Forms, path: Order) -> list[Order]:
    """Where the search starts: from more places when columns are few and coupled.

    Coupled columns have more minima, and few of them leave the time to see them.
    """
    residual = residual_order(forms)
    if not _is_coupled(forms):
        return [path, residual]
    every = [path, residual, np.arange(len(path)), residual[::-1].copy(), path[::-1].copy()]
    return every[: max(2, COUPLED_EFFORT // len(path))]


def _allowed(B: Matrix, terms: Terms) -> Matrix | None:
    """B if it is acyclic, with the pairs whose order is fixed, and zero where it is forbidden."""
    order = source_order(_ordered_weights(B, terms.before))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    above, below = np.nonzero(B)
    lawful = (place[above] < place[below]) & np.isfinite(terms.weights[below, above])
    return B if lawful.all() else None


def _ordered_weights(B: Matrix, before: Flags) -> Matrix:
    """B*B, infinite where the order of a pair is fixed: what `source_order` sorts by."""
    weights = np.multiply(B, B, order="C")
    weights[before.T] = np.inf
    return weights


def lawful(order: Order, before: Flags) -> Order:
    """The order with each node moved behind those that must stand before it."""
    if not before.any():
        return order
    left, placed = list(order), list[np.int64]()
    while left:
        node = next(j for j in left if not before[j, left].any())
        left.remove(node)
        placed.append(node)
    return np.array(placed, dtype=np.int64)


def _state(forms: Forms, B: Matrix) -> Matrix:
    """(B', (S (I-B) Theta)') stacked, contiguous."""
    state = np.empty((2, *B.shape))
    state[0] = B.T
    _refresh(forms, state)
    return state


def _refresh(forms: Forms, state: Matrix) -> None:
    """Compute G' anew, in place: a search leaves rounding in it."""
    SA = forms.S @ state[0].T
    np.subtract(forms.S, SA, out=SA)
    np.matmul(forms.Theta, SA.T, out=state[1])


def _objective(terms: Terms, state: Matrix) -> float:
    """.5 <I-B, S (I-B) Theta> + sum_ij weights_ij |B_ij|."""
    kept = state[0] != 0
    fit = np.trace(state[1]) - np.vdot(state[0], state[1])
    return 0.5 * float(fit) + float(np.vdot(terms.weights[kept], np.abs(state[0][kept])))


def _path(
    forms: Forms, terms: Terms, slope: Callable[[Matrix], Matrix], settings: DirectedSettings
) -> tuple[Order, Matrix]:
    """Order of the end of the path argmin_B mu (loss + l1) + h(B*B), mu falling; kernel limits.

    h is replaced by its tangent in W = B*B, which makes a step an elastic net with the ridge
    weights 2 slope / mu; columns are solved once a step, the path needs no more.
    """
    state = _state(forms, np.zeros(forms.S.shape))
    limits = _limits(forms, terms, state, settings)
    ridged = terms._replace(ridge=np.empty_like(terms.ridge))
    for step, mu in enumerate(settings.path):
        with np.errstate(over="ignore"):  # an infinite weight bars the edge
            np.multiply(_tangent((state[0] * state[0]).T, slope).T, 2 / mu, out=ridged.ridge)
        settle(forms, ridged, state, limits[1], 1)
        if step == 0:
            limits = _limits(forms, terms, state, settings)
    del ridged
    limits = _limits(forms, terms, state, settings)
    strength = np.outer(np.diag(forms.S), np.diag(forms.Theta))
    strength *= (state[0] * state[0]).T
    order: Order = source_order(strength)
    return order, limits


def _tangent(W: Matrix, slope: Callable[[Matrix], Matrix]) -> Matrix:
    """The slope at W, or at the first of W / 2, W / 4, ... where it is finite."""
    steepness = slope(W)
    while not np.isfinite(steepness).all():
        W *= 0.5
        steepness = slope(W)
    return steepness


def _limits(forms: Forms, terms: Terms, state: Matrix, settings: DirectedSettings) -> Matrix:
    """The kernels' `limits`, from settings relative to the mean objective of a column."""
    floor = 1e-12 * float(np.vdot(np.diag(forms.S), np.diag(forms.Theta)))
    column = max(_objective(terms, state), floor) / len(state[0])
    gain, detour = settings.gain, settings.detour
    if _is_coupled(forms):
        gain, detour = settings.coupled_gain, settings.coupled_detour
    reach = max(1, REACH // len(state[0]))
    bounded = 0.0 if _is_coupled(forms) else 1.0
    return np.array([column * gain, column * detour, column * settings.strength, reach, bounded])


def _candidates(
    forms: Forms, terms: Terms, starts: list[tuple[Order, Matrix]], limits: Matrix
) -> Iterator[_Candidate]:
    """The best B that moves of single nodes reach from each order and a B along it."""
    # Moves of several nodes are kept for the best candidate.
    single = limits * np.array([1.0, 1.0, np.inf, 1.0, 1.0])
    while starts:
        order, B = starts.pop(0)
        state = _state(forms, B)
        del B  # as large as what the search itself needs
        _stand(terms, order)
        settle(forms, terms, state, limits[0], 20)
        _moves(forms, terms, (state, order), single)
        found = _Candidate(state[0].T.copy(), order, _objective(terms, state))
        del state
        yield found
        del found


def _stand(terms: Terms, order: Order) -> None:
    """Open what follows the order, and nothing else."""
    terms.place[order] = np.arange(len(order))


def _moves(forms: Forms, terms: Terms, at: tuple[Matrix, Order], limits: Matrix) -> None:
    """Insertions; where Theta couples the columns, all are solved again until no move is left.

    `at`: the state and its order, both changed in place.
    """
    state, order = at
    waiting = np.ones(len(order), dtype=np.bool_)
    while reorder(forms, terms, state, order, waiting, limits) > 0 and _is_coupled(forms):
        if settle(forms, terms, state, limits[0], 20) == 1:
            return
        waiting[:] = True


def _finish(forms: Forms, terms: Terms, state: Matrix, settings: DirectedSettings) -> Solution:
    """Solve for B on its order to the last digits, in place, and certify it."""
    _refresh(forms, state)
    deviations, scales = np.sqrt(np.diag(forms.S)), np.diag(forms.Theta)
    accuracy = (0.1 * settings.tolerance) ** 2 * float((scales * deviations * deviations).min())
    rounds = settle(forms, terms, state, accuracy, settings.rounds)
    _refresh(forms, state)
    residual = _residual(forms, terms, state)
    certificate = Certificate.judge(
        MEASURE, residual, settings.tolerance, rounds, _objective(terms, state)
    )
    return Solution(np.ascontiguousarray(state[0].T), certificate)


def _residual(forms: Forms, terms: Terms, state: Matrix) -> float:
    """Largest subgradient distance of an open entry i -> j over Theta_jj sqrt(S_ii S_jj)."""
    deviations, residual = np.sqrt(np.diag(forms.S)), 0.0
    for j, weights in enumerate(terms.weights):
        allowed = (terms.place < terms.place[j]) & np.isfinite(weights)
        b, g, l1 = state[0, j, allowed], state[1, j, allowed], weights[allowed]
        distance = np.where(b == 0, np.maximum(np.abs(g) - l1, 0.0), np.abs(g - np.sign(b) * l1))
        units = forms.Theta[j, j] * deviations[j] * deviations[allowed]
        residual = float(np.maximum(residual, np.max(distance / units, initial=0.0)))
    return residual
