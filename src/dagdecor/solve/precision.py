"""Noise step, precision route: the graphical lasso, a column at a time, block by block."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
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
    P = problem.penalty / problem.units
    guess = allowed(start, problem.units, P)
    Theta = np.eye(len(P))
    parts = []
    alone, blocks = _blocks(problem.R, P)
    for block in blocks:
        at = np.ix_(block, block)
        inner = None if guess is None else guess[at]
        part = _Block(problem.R[at], P[at]).solve(inner, tolerance, max_iterations)
        Theta[at] = part.value
        parts.append(part)
    objective = alone + sum(part.objective for part in parts)
    objective += 2 * float(np.log(problem.deviations).sum())
    return Solution(Theta / problem.units, _certificate(parts, len(P), tolerance, objective))


def _blocks(R: Matrix, P: Matrix) -> tuple[int, list[npt.NDArray[np.intp]]]:
    """Number of columns that stay alone, and the larger connected components of |R_ij| > P_ij.

    Entries between components are zero at the optimum, and each component is a problem of its
    own (Witten, Friedman, Simon 2011; Mazumder, Hastie 2012, JMLR): with W zero there,
    |R_ij - W_ij| <= P_ij holds for any matrix of penalties.
    """
    count, label = connected_components(np.abs(R) > P, directed=False)
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
        iteration, status, last = 0, Status.LIMIT, math.inf
        while True:
            W = point.inverse()
            value = self._value(point)
            gap = value - self._bound(point.matrix, W)
            if gap <= tolerance * p:
                status = Status.CONVERGED
            if status is not Status.LIMIT or iteration == limit:
                return _Part(point.matrix, gap, value, iteration, status)
            following = self._sweep(point.matrix, W, min(COARSEST, 0.1 * math.sqrt(gap / p)))
            iteration += 1
            if following is None or self._value(following) >= value:
                status = Status.STALLED
            else:
                point = self._newton(following) if gap > SLOW * last else following
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

    def _cost(self, Theta: Matrix) -> Matrix:
        return np.where(Theta != 0, self.P, 0.0)  # inf * 0 is 0 here

    def _value(self, point: Definite | None) -> float:
        if point is None:
            return math.inf
        Theta = point.matrix
        penalty = np.vdot(self._cost(Theta), np.abs(Theta))
        return float(np.vdot(self.R, Theta) + penalty) - point.logdet

    def _bound(self, Theta: Matrix, W: Matrix) -> float:
        """Dual value logdet(V) + p at one V > 0 with V_ii = R_ii, |V_ij - R_ij| <= P_ij.

        A proof: for such V and every X > 0, tr(R X) + sum P |X| >= tr(V X), and tr(V X) - logdet X
        is at least logdet(V) + p, so no X has an objective below this bound. V is W clipped into
        the feasible box, except that on the support of Theta it takes the value which optimality
        asks of W; the gap is then tr(V Theta) - p - logdet(V Theta), of second order in V - W.
        """
        inside = np.clip(W - self.R, -self.P, self.P)
        shift = np.where(Theta != 0, self._cost(Theta) * np.sign(Theta), inside)
        # Far from the optimum V may not be definite: the box is convex, so move to a point that is.
        safe = self._safe_shift()
        V = Definite.first(self.R + shift + t * (safe - shift) for t in (0.0, 0.1, 0.5, 1.0))
        return -math.inf if V is None else V.logdet + len(W)

    def _safe_shift(self) -> Matrix:
        """V - R for V = (1 - t) R + t I, t the largest in the box: definite if t > 0 or R is."""
        apart = np.eye(len(self.R)) - self.R
        beyond = np.abs(apart) > self.P
        t = np.min(self.P[beyond] / np.abs(apart[beyond]), initial=1.0)
        return np.asarray(t * apart)

    def _sweep(self, Theta: Matrix, W: Matrix, accuracy: float) -> Definite | None:
        following, column = Theta.copy(), 0
        while True:
            column = precision_sweep(self.R, self.P, following, W, accuracy, column)
            point = Definite.of(following)
            if point is None or column == len(W):
                return point
            W = point.inverse()

    def _newton(self, point: Definite) -> Definite:
        """The point after a Newton step on its support, itself where that leads nowhere."""
        Theta, W = point.matrix, point.inverse()
        gradient = self.R - W + self._cost(Theta) * np.sign(Theta)
        D = newton_direction(Theta, gradient, lambda E: W @ E @ W, lambda E: Theta @ E @ Theta)
        moved = lower(Theta, D, lambda X: self._value(Definite.of(X)), self._value(point))
        return point if moved is None else Definite.of(moved) or point


def _certificate(parts: list[_Part], p: int, tolerance: float, objective: float) -> Certificate:
    """The gaps of the blocks add up to the gap of the whole."""
    gap = max(sum(part.gap for part in parts) / p, 0.0)
    iterations = max((part.iterations for part in parts), default=0)
    claim = Certificate.judge(MEASURE, gap, tolerance, iterations, objective)
    stalled = any(part.status is Status.STALLED for part in parts)
    return replace(claim, status=Status.STALLED) if stalled and not claim.converged else claim
