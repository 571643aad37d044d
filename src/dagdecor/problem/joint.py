"""The joint objective of graph and noise, and the penalties that each half step sees of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from dagdecor.problem import loss, penalty

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Joint:
    """Twice the penalised negative log-likelihood per row, as a function of B and Omega.

    tr(S (I-B) Theta (I-B)') + logdet Omega + sum directed_ij |B_ij| + sum_{i!=j} noise_ij |M_ij|
    + sum_{i<j} bow_ij (|B_ij| + |B_ji|) |Omega_ij|, where M is Omega on the covariance route and
    Theta on the precision route (paper, the objective before Stage 1 and the two of Stage 2).

    Parameters
    ----------
    route
        "covariance" or "precision": the matrix that the noise penalty acts on.
    directed, noise, bow
        Weights, (p, p) or what broadcasts to it; `bow` is symmetric, and zero on the precision
        route. Infinite ones bar an entry.
    required
        (p, p), the entries of B that the graph must have; None for none.
    """

    route: str
    directed: Array
    noise: Array
    bow: Array
    required: Flags | None = None

    def times(self, factor: float) -> Joint:
        """The same with the weights of the edges and of the noise multiplied."""
        return replace(self, directed=factor * self.directed, noise=factor * self.noise)

    def value(self, S: Array, B: Array, M: Array) -> float:
        """Objective at (B, M); B must be acyclic and M positive definite."""
        covariance = self.route == "covariance"
        Theta: Array = np.asarray(np.linalg.inv(M)) if covariance else M
        logdet = float(np.linalg.slogdet(M)[1])
        off = M.copy()
        np.fill_diagonal(off, 0.0)
        penalties = penalty.value(B, self.directed) + penalty.value(off, self.noise)
        if self.bow.any():
            penalties += 0.5 * float(np.sum(self.bow * _both_ways(B) * np.abs(M)))
        return 2 * loss.value(S, B, Theta) + (logdet if covariance else -logdet) + penalties

    def directed_step(self, M: Array) -> Array:
        """Weights of |B_ij| in half of the objective, M held fixed; as `directed`, or (p, p)."""
        weights = self.directed + self.bow * np.abs(M) if self.bow.any() else self.directed
        return np.asarray(0.5 * weights)

    def noise_step(self, B: Array) -> Array:
        """(p, p) weights of |M_ij|, i != j, with B held fixed."""
        weights = self.noise + 0.5 * self.bow * _both_ways(B) if self.bow.any() else self.noise
        return np.broadcast_to(weights, B.shape)


def _both_ways(B: Array) -> Array:
    """|B_ij| + |B_ji|."""
    size = np.abs(B)
    return np.asarray(size + size.T)
