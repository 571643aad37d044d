"""Noise step, precision route: the graphical lasso, a column at a time, block by block."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from dagdecor.certificate import Certificate, Solution, Status
from dagdecor.solve.definite import Definite, Matrix
from dagdecor.solve.precision_kernels import precision_sweep
from dagdecor.solve.scaling import allowed, scaled
from dagdecor.solve.support import lower, newton_direction

MEASURE = "duality gap per column"
COARSEST = 0.1  # accuracy of the column steps far from the optimum
SLOW = 0.2  # a sweep that leaves more of the gap than this is followed by a Newton step


def precision(
    S: npt.ArrayLike,
    penalty: float | npt.ArrayLike,
    start: npt.ArrayLike | None = None,
    tolerance: float = 1e-6,
    max_iterations: int = 1000,
) -> Solution:
    """argmin over Theta > 0 of tr(S Theta) - logdet(Theta) + sum_{i != j} penalty_ij |Theta_ij|.

    S (p, p) covariance, singular or not; penalty a number or symmetric (p, p), its diagonal
    unread, inf where Theta is zero. `start` (p, p) counts if it is positive definite with these
    entries zero. Convex: the certificate is the duality gap over p, which does not depend on
    the columns' units; an iteration is a sweep over the columns. Friedman, Hastie, Tibshirani
    2008; solved by the primal column steps (P-GLasso) of Mazumder, Hastie 2012.
    """
    problem = scaled(S, penalty)
    # With R = S / dd' the minimiser is dd' Theta, so a penalty in the units of S is P / dd' here.
    P = np.divide(problem.penalty, problem.units, out=problem.penalty)
    guess = allowed(start, problem.units, P)
    alone, groups = _groups(problem.R, P)
    places = [np.ix_(group, group) for group in groups]
    blocks = [_Block(problem.R[at], P[at]) for at in places]
    guesses = [None if guess is None else guess[at] for at in places]
    deviations = problem.deviations
    del S, problem, P, guess  # the blocks have copies, and need the room
    parts = []
    while blocks:
        parts.append(blocks.pop(0).solve(guesses.pop(0), tolerance, max_iterations))
    objective = alone + sum(part.objective for part in parts)
    objective += 2 * float(np.log(deviations).sum())
    certificate = _certificate(parts, len(deviations), tolerance, objective)
    Theta = np.eye(len(deviations))
    for at, part in zip(places, parts, strict=True):
        Theta[at] = part.value
    Theta /= np.outer(deviations, deviations)
    return Solution(Theta, certificate)


def _groups(R: Matrix, P: Matrix) -> tuple[int, list[npt.NDArray[np.intp]]]:
    """Number of columns that stay alone, and the larger connected components of |R_ij| > P_ij.

    Entries between components are zero at the optimum, and each component is a problem of its
    own (Witten, Friedman, Simon 2011; Mazumder, Hastie 2012, JMLR): with W zero there,
    |R_ij - W_ij| <= P_ij holds for any matrix of penalties.
    """
    count, label = connected_components(csr_array(np.abs(R) > P), directed=False)
    sizes = np.bincount(label, minlength=count)
    groups = np.split(np.argsort(label, kind="stable"), np.cumsum(sizes)[:-1])
    return int((sizes == 1).sum()), [group for group in groups if len(group) > 1]


@dataclass(frozen=True, eq=False)
class _Part:
    value: Matrix
    gap: float
    objective: float
    iterations: int
    status: Status


@dataclass(frozen=True, eq=False)
class _Block:
    """One connected problem on the correlation scale."""

    R: Matrix
    P: Matrix

    def solve(self, guess: Matrix | None, tolerance: float, limit: int) -> _Part:
        """Sweep over the columns until the gap is at most tolerance * p."""
        p = len(self.R)
        point = Definite.first((guess,)) or self._start()
        del guess
        iteration, last = 0, math.inf
        while True:
            Theta, W, value = point.matrix, point.inverse(), self._value(point)
            del point  # its factor is as large as what is worked on
            gap = value - self._bound(Theta, W)
            if gap <= tolerance * p:
                return _Part(Theta, gap, value, iteration, Status.CONVERGED)
            if iteration == limit:
                return _Part(Theta, gap, value, iteration, Status.LIMIT)
            following = self._sweep(Theta, W, min(COARSEST, 0.1 * math.sqrt(gap / p)))
            iteration += 1
            if following is None or self._value(following) >= value:
                return _Part(Theta, gap, value, iteration, Status.STALLED)
            point = following
            del following
            if gap > SLOW * last:
                Theta, value = point.matrix, self._value(point)
                del point
                point = self._newton(Theta, W, value)
            last = gap

    def _start(self) -> Definite:
        """inv(W) on the support of W, which is R moved towards the diagonal by the penalty.

        Optimal for two columns and without a penalty, where optimality alone fixes W; else near
        the optimum. The identity where W or the result is not definite, or worse.
        """
        identity = Definite.identity(len(self.R))
        W = Definite.of(self.R - np.clip(self.R, -self.P, self.P))
        if W is None:
            return identity
        point = Definite.of(np.where(W.matrix != 0, W.inverse(), 0.0))
        if point is None or self._value(point) > self._value(identity):
            return identity
        return point

    def _value(self, point: Definite | None) -> float:
        if point is None:
            return math.inf
        Theta, on = point.matrix, point.matrix != 0  # inf * 0 is 0 here
        penalty = float(np.dot(self.P[on], np.abs(Theta[on])))
        return float(np.vdot(self.R, Theta)) + penalty - point.logdet

    def _bound(self, Theta: Matrix, W: Matrix) -> float:
        """Dual value logdet(V) + p at one V > 0 with V_ii = R_ii, |V_ij - R_ij| <= P_ij.

        A proof: for such V and every X > 0, tr(R X) + sum P |X| >= tr(V X), and tr(V X) - logdet X
        is at least logdet(V) + p, so no X has an objective below this bound. V is W clipped into
        the feasible box, except that on the support of Theta it takes the value which optimality
        asks of W; the gap is then tr(V Theta) - p - logdet(V Theta), of second order in V - W.
        """
        V, on = W - self.R, Theta != 0
        np.clip(V, -self.P, self.P, out=V)
        V[on] = self.P[on] * np.sign(Theta[on])
        V += self.R
        # Far from the optimum V may not be definite: the box is convex, so move to a point that is.
        point = Definite.of(V) or self._safer(V)
        return -math.inf if point is None else point.logdet + len(W)

    def _safer(self, V: Matrix) -> Definite | None:
        safe = self._safe_shift() + self.R
        return Definite.first(V + t * (safe - V) for t in (0.1, 0.5, 1.0))

    def _safe_shift(self) -> Matrix:
        """V - R for V = (1 - t) R + t I, t the largest in the box: definite if t > 0 or R is."""
        apart = np.eye(len(self.R)) - self.R
        beyond = np.abs(apart) > self.P
        t = np.min(self.P[beyond] / np.abs(apart[beyond]), initial=1.0)
        return np.asarray(t * apart)

    def _sweep(self, Theta: Matrix, W: Matrix, accuracy: float) -> Definite | None:
        """The point after a sweep; its inverse, but for rounding, takes the place of W."""
        following, column = Theta.copy(), 0
        while True:
            column = precision_sweep(self.R, self.P, following, W, accuracy, column)
            point = Definite.of(following)
            if point is None or column == len(W):
                return point
            np.copyto(W, point.inverse())

    def _newton(self, Theta: Matrix, W: Matrix, value: float) -> Definite:
        """The point after a Newton step on its support, Theta itself where that leads nowhere."""
        on = Theta != 0
        gradient = self.R[on] - W[on] + self.P[on] * np.sign(Theta[on])

        def between(M: Matrix) -> Callable[[Matrix], Matrix]:
            return lambda E: np.matmul(M @ E, M, out=E)

        D = newton_direction(Theta, gradient, between(W), between(Theta))
        moved = lower(Theta, D, lambda X: self._value(Definite.of(X)), value)
        del D
        # Never None: Theta was positive definite when its value was computed.
        return cast("Definite", Definite.first((moved, Theta)))


def _certificate(parts: list[_Part], p: int, tolerance: float, objective: float) -> Certificate:
    """The gaps of the blocks add up to the gap of the whole."""
    gap = max(sum(part.gap for part in parts) / p, 0.0)
    iterations = max((part.iterations for part in parts), default=0)
    claim = Certificate.judge(MEASURE, gap, tolerance, iterations, objective)
    stalled = any(part.status is Status.STALLED for part in parts)
    return replace(claim, status=Status.STALLED) if stalled and not claim.converged else claim
