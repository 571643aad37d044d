"""Noise step, covariance route: the sparse covariance, a column at a time."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from dagdecor.certificate import Certificate, Solution, Status
from dagdecor.solve.covariance_kernels import covariance_sweep
from dagdecor.solve.definite import Definite, Matrix
from dagdecor.solve.scaling import allowed, scaled
from dagdecor.solve.support import lower, newton_direction

MEASURE = "stationarity residual"
COARSEST = 0.1  # accuracy of the column steps far from a stationary point
SLOW = 0.2  # a sweep that leaves more of the residual than this is followed by a Newton step
SINGULAR = 1e10  # inv(R)_jj beyond which column j is taken to be explained by the others
CLEAR = 1.001  # how far a cap stays above the matrix that it has to admit


def covariance(
    S: npt.ArrayLike,
    penalty: float | npt.ArrayLike,
    start: npt.ArrayLike | None = None,
    tolerance: float = 1e-6,
    max_iterations: int = 1000,
    floor: float = 1e-2,
) -> Solution:
    """argmin over Omega > 0 of tr(S Omega^-1) + logdet(Omega) + sum_{i!=j} penalty_ij |Omega_ij|.

    S (p, p) covariance; penalty a number or symmetric (p, p), its diagonal unread, inf where
    Omega is zero. Bien, Tibshirani 2011, by the column steps of Wang 2014. Not
    convex: a stationary point, reached from `start` or from the diagonal of S, and never above
    it. `start` (p, p) counts if it is positive definite with the barred entries zero.

    The certificate is max_ij sqrt(a_ij) |Omega_ij - prox_ij(Omega_ij - G_ij / a_ij)|, where G is
    the gradient of the first two terms, a_ij = M_ii M_jj + M_ij^2 their Fisher information (M_ii^2
    on the diagonal), M = Omega^-1, and prox_ij shrinks by penalty_ij / a_ij: zero at stationary
    points only, free of units; its square is about what the best single entry could still gain.

    The objective of a singular S (n < p) falls without end as Omega becomes singular. So the
    share of each noise's variance S_jj that the other noises leave unexplained, 1 / (S_jj M_jj),
    is kept at `floor` or above; where S or the start leaves less, that is the bound, so that no
    stationary point of a regular S is cut off. A descent that ends at this border has no
    stationary point to offer: its status is STALLED, and a larger penalty is the remedy.
    """
    problem = scaled(S, penalty)
    # With R = S / dd' the minimiser is Omega / dd', so a penalty in the units of S is P dd' here.
    noise = _Noise(problem.R, problem.penalty * problem.units)
    point = noise.start(allowed(start, 1 / problem.units, noise.P))
    solution = noise.descend(point, noise.caps(point, floor), tolerance, max_iterations)
    objective = solution.certificate.objective + 2 * float(np.log(problem.deviations).sum())
    return Solution(
        solution.value * problem.units, replace(solution.certificate, objective=objective)
    )


@dataclass(frozen=True, eq=False)
class _State:
    """A point with M = inv(Omega) and Q = M R M stacked, its objective and its residual."""

    point: Definite
    inverses: Matrix
    objective: float
    residual: float

    def improves(self, other: _State) -> bool:
        """Whether the objective is lower, or the same to rounding and the residual smaller."""
        rounding = 1e-15 * (float(np.abs(self.inverses[0]).sum()) + abs(other.objective))
        fall = other.objective - self.objective
        return fall > rounding or (fall >= -rounding and self.residual < other.residual)


@dataclass(frozen=True, eq=False)
class _Noise:
    """The problem on the correlation scale."""

    R: Matrix
    P: Matrix

    def start(self, guess: Matrix | None) -> Definite:
        """The guess, the minimiser R where nothing is penalised, or the diagonal."""
        free = self.R if self._demands() is not None and not self.P.any() else None
        return Definite.first((guess, free)) or Definite.identity(len(self.R))

    def _demands(self) -> Matrix | None:
        """(p,) the diagonal of inv(R); None where R is singular but for rounding."""
        point = Definite.of(self.R)
        demands = None if point is None else np.diag(point.inverse())
        return None if demands is None or demands.max() > SINGULAR else demands

    def caps(self, point: Definite, floor: float) -> Matrix:
        """(p,) largest inv(Omega)_jj allowed: 1 / floor, or what R or the start needs.

        At a stationary point 1 / M_jj is the variance under R of a linear prediction's error, so
        it cannot be less than that of the best one, 1 / inv(R)_jj.
        """
        needed, demands = np.diag(point.inverse()), self._demands()
        if demands is not None:
            needed = np.maximum(needed, demands)
        return np.maximum(1 / floor, CLEAR * needed)

    def descend(self, point: Definite, caps: Matrix, tolerance: float, limit: int) -> Solution:
        """Sweep over the columns until the residual is within tolerance."""
        state, iteration, stalled, last = self._state(point), 0, False, math.inf
        while not stalled and state.residual > tolerance and iteration < limit:
            following = self._sweep(state, caps, min(COARSEST, 0.1 * state.residual))
            iteration += 1
            if following is None or not following.improves(state):
                stalled = True
            else:
                slow = state.residual > SLOW * last
                last = state.residual
                state = self._newton(following, caps) if slow else following
        claim = Certificate.judge(MEASURE, state.residual, tolerance, iteration, state.objective)
        if stalled and not claim.converged:
            claim = replace(claim, status=Status.STALLED)
        return Solution(state.point.matrix, claim)

    def _state(self, point: Definite) -> _State:
        Omega, M = point.matrix, point.inverse()
        half = M @ self.R @ M
        Q = (half + half.T) / 2
        cost = np.where(Omega != 0, self.P, 0.0)  # inf * 0 is 0 here
        objective = float(np.vdot(self.R, M) + np.vdot(cost, np.abs(Omega))) + point.logdet
        a = np.outer(np.diag(M), np.diag(M)) + M * M
        np.fill_diagonal(a, np.diag(M) ** 2)
        moved = Omega - (M - Q) / a
        shrunk = np.sign(moved) * np.maximum(np.abs(moved) - self.P / a, 0.0)
        residual = float((np.sqrt(a) * np.abs(Omega - shrunk)).max())
        return _State(point, np.stack((M, Q)), objective, residual)

    def _sweep(self, state: _State, caps: Matrix, accuracy: float) -> _State | None:
        Omega, inverses, column = state.point.matrix.copy(), state.inverses.copy(), 0
        while True:
            column = covariance_sweep(self.P, Omega, inverses, caps, accuracy, column)
            point = Definite.of(Omega)
            if point is None:
                return None
            following = self._state(point)
            if column == len(Omega):
                return following
            inverses = following.inverses

    def _newton(self, state: _State, caps: Matrix) -> _State:
        """The state after a Newton step on its support, itself where that leads nowhere."""
        Omega, (M, Q) = state.point.matrix, state.inverses
        cost = np.where(Omega != 0, self.P, 0.0)

        def hessian(D: Matrix) -> Matrix:
            half = Q @ D @ M
            return np.asarray(half + half.T - M @ D @ M)

        def value(X: Matrix) -> float:
            point = Definite.of(X)
            if point is None or (np.diag(point.inverse()) > caps).any():
                return math.inf
            return self._state(point).objective

        gradient = (M - Q + cost * np.sign(Omega))[Omega != 0]
        D = newton_direction(Omega, gradient, hessian, lambda E: Omega @ E @ Omega)
        point = Definite.first([lower(Omega, D, value, state.objective)])
        return state if point is None else self._state(point)
