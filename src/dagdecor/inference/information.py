"""The observed information of B and Omega on a graph, and its inverse where there is one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagdecor.graph import MixedGraph

Array = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

SINGULAR = 1e-9  # curvature, per unit of each value's own, that is no information


class Free(NamedTuple):
    """The free values in their order: a weight an edge, a covariance an arc, the variances.

    Parameters
    ----------
    edges
        (e, 2) source and target.
    pairs
        (a + p, 2) ends of each arc, then each column twice.
    """

    edges: Places
    pairs: Places

    @classmethod
    def of(cls, graph: MixedGraph) -> Free:
        """Those of a graph."""
        own = np.repeat(np.arange(len(graph.names)), 2).reshape(-1, 2)
        arcs = np.argwhere(np.triu(graph.bidirected_matrix))
        return cls(np.argwhere(graph.directed_matrix), np.vstack((arcs, own)))

    def values(self, B: Array, Omega: Array) -> Array:
        """(e + a + p,) read off both matrices."""
        return np.concatenate((B[tuple(self.edges.T)], Omega[tuple(self.pairs.T)]))


class Curvature(NamedTuple):
    """First and second derivatives in the free values."""

    gradient: Array
    hessian: Array


class Inverse(NamedTuple):
    """(m, m) covariance of the estimates; `known` (m,) says which of them the data determine.

    `missing` (m, k) spans the directions without information, orthonormal where each value is
    counted in its `unit` (m,); `lowest` is the least curvature there.
    """

    covariance: Array
    known: npt.NDArray[np.bool_]
    missing: Array
    unit: Array
    lowest: float


def curvature(S: Array, B: Array, Omega: Array, free: Free) -> Curvature:
    """Derivatives of f = tr(S (I-B) Theta (I-B)') + logdet Omega, B acyclic.

    With P = Theta (I-B)' S and Q = P (I-B) Theta: df/dB_jk = -2 P_kj, df/dOmega_ab =
    2 (Theta - Q)_ab, half of it for a variance. Second derivatives, H_ab = e_a e_b' + e_b e_a':
    weights 2 S_jl Theta_km; weight and pair 2 (P_aj Theta_bk + P_bj Theta_ak); pairs
    2 X_ab, X = Theta H Q + Q H Theta - Theta H Theta; each halved for a pair that is a variance.
    """
    Theta = np.linalg.inv(Omega)
    A = np.eye(len(S)) - B
    P = Theta @ A.T @ S
    Q = P @ A @ Theta
    j, k = free.edges.T
    a, b = free.pairs.T
    half = np.where(a == b, 0.5, 1.0)
    weights = 2 * S[np.ix_(j, j)] * Theta[np.ix_(k, k)]
    mixed = P[np.ix_(a, j)] * Theta[np.ix_(b, k)] + P[np.ix_(b, j)] * Theta[np.ix_(a, k)]
    mixed = 2 * half[:, None] * mixed
    aa, ab, ba, bb = (np.ix_(x, y) for x, y in ((a, a), (a, b), (b, a), (b, b)))
    noise = Theta[aa] * (Q[bb] - Theta[bb]) + Q[aa] * Theta[bb]
    noise += Theta[ab] * (Q[ba] - Theta[ba]) + Q[ab] * Theta[ba]
    noise *= 2 * np.outer(half, half)
    gradient = np.concatenate((-2 * P[k, j], 2 * half * (Theta - Q)[a, b]))
    return Curvature(gradient, np.block([[weights, mixed.T], [mixed, noise]]))


def inverse(hessian: Array, n: int) -> Inverse:
    """(n hessian / 2)^-1, the asymptotic covariance, where the data determine a value.

    -log likelihood is n f / 2. Without information in some direction the inverse is that of the
    others; a value is known when no such direction moves it.
    """
    unit = 1 / np.sqrt(np.diag(hessian))
    values, vectors = np.linalg.eigh(hessian * unit * unit[:, None])
    kept = values > SINGULAR
    spread = vectors[:, kept] / np.sqrt(values[kept]) * unit[:, None]
    missing = vectors[:, ~kept]
    known = np.linalg.norm(missing, axis=1) < np.sqrt(SINGULAR)
    lowest = float(values[0]) if len(values) else 1.0
    return Inverse(2 / n * spread @ spread.T, known, missing, unit, lowest)
