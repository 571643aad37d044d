"""What each single change of the marks would gain, in closed form, from one set of moments."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagdecor.compiled import compiled
from dagdecor.search.latent_fit_kernels import noise_of, sizes_of, where, where_in_column
from dagdecor.search.latent_loading_kernels import LEAST_CURVATURE
from dagdecor.search.latent_state import Array, State
from dagdecor.search.residual_kernels import invert

Integers = npt.NDArray[np.int64]

LEAST_PART = 1e-9  # of a variance: below it a candidate parent is a combination of the others
LEAST_MEAN = 1e-6  # of a latent's unit variance: below it nothing is known of its mean


class Cross(NamedTuple):
    """Moments of x, e, of the means m = V L'e / s2 of the latents, and of t = Theta e.

    V (Q, Q) = cov(f | e); Theta (p, p); M (2p + Q, Q) = cov((x, e, m), m); T (2p + Q, p) =
    cov((x, e, m), t); C (p, p) = cov(t) = Theta EE Theta.
    """

    V: Array
    Theta: Array
    M: Array
    T: Array
    C: Array


class Node(NamedTuple):
    """Node j regressed on y: its parents and the means of its latents given the other nodes.

    theta (K,) its weights and loadings; x (p, K) = cov(x, y); m (Q, K) = cov(means, y); D (K, K)
    the inverse of the curvature; u (Q,) = cov(f | other nodes) l; rest = R, variance = v of
    the deviance R / v + log v.
    """

    parents: Integers
    latents: Integers
    theta: Array
    x: Array
    m: Array
    D: Array
    u: Array
    rest: float
    variance: float


class Gains(NamedTuple):
    """Changes of n (R / v + log v), prices apart.

    add (p, p) of an edge i -> j at [i, j], drop (p, p) what an edge is worth, join (p, Q) of a
    loading, leave (p, Q) what a loading is worth.
    """

    add: Array
    drop: Array
    join: Array
    leave: Array


@compiled
def times(A: Array, B: Array) -> Array:
    """A B, A (m, k) with zeros, B (k, q)."""
    product = np.zeros((len(A), B.shape[1]))
    for i in range(len(A)):
        for k in range(len(B)):
            x = A[i, k]
            if x != 0.0:
                for j in range(B.shape[1]):
                    product[i, j] += x * B[k, j]
    return product


@compiled
def transposed(A: Array, scale: float) -> Array:
    """A' / scale, C-contiguous."""
    other = np.zeros((A.shape[1], len(A)))
    for i in range(len(A)):
        for j in range(A.shape[1]):
            other[j, i] = A[i, j] / scale
    return other


@compiled
def residual_of(A: Array, B: Array, C: Array, scale: float) -> Array:
    """(A - B C) / scale, all (m, q), (m, k), (k, q)."""
    product = times(B, C)
    for i in range(len(product)):
        for j in range(product.shape[1]):
            product[i, j] = (A[i, j] - product[i, j]) / scale
    return product


@compiled
def cross_of(S: Array, state: State) -> Cross:
    """All from E = cov((x, e, m), e): m = W e, W = V L' / s2, and t = (e - L m) / s2."""
    noise = noise_of(S, state)
    L, SE, EE, s2 = state.L, noise.SE, noise.EE, state.variance[0]
    p, Q = L.shape
    W = transposed(times(L, noise.V), s2)
    H = times(W, EE)
    E, unit = np.zeros((2 * p + Q, p)), np.zeros((p, p))
    for j in range(p):
        unit[j, j] = 1.0
        for i in range(p):
            E[i, j], E[p + i, j] = SE[i, j], EE[i, j]
        for k in range(Q):
            E[2 * p + k, j] = H[k, j]
    M = times(E, transposed(W, 1.0))
    T = residual_of(E, M, transposed(L, 1.0), s2)
    C = residual_of(T[p : 2 * p], L, T[2 * p :], s2)
    return Cross(noise.V, residual_of(unit, L, W, s2), M, T, C)


@compiled
def node_of(S: Array, state: State, cross: Cross, j: int) -> Node:
    """The regression of node j at the present parameters.

    The means given the other nodes are m - u t_j, so their moments come from those of m and t.
    """
    B, L, V, M, T = state.B, state.L, cross.V, cross.M, cross.T
    p, Q = L.shape
    parents, latents = where_in_column(state.edges, j), where(state.loads[j])
    d = len(parents)
    K = d + len(latents)
    u, variance = _given_others(V, L[j], state.variance[0])
    theta, x, m = np.zeros(K), np.zeros((p, K)), np.zeros((Q, K))
    for a in range(d):
        i = parents[a]
        theta[a] = B[i, j]
        for c in range(p):
            x[c, a] = S[c, i]
        for k in range(Q):
            m[k, a] = M[i, k] - u[k] * T[i, j]
    for a in range(d, K):
        k = latents[a - d]
        theta[a] = L[j, k]
        for c in range(p):
            x[c, a] = M[c, k] - u[k] * T[c, j]
        for r in range(Q):
            m[r, a] = _mean_covariance(cross, u, j, k, r)
    D = _moments_of(x, m, parents, latents)
    rest = S[j, j]
    for a in range(K):
        rest -= 2.0 * theta[a] * x[j, a]
        for c in range(K):
            rest += theta[a] * D[a, c] * theta[c]
    bend = max(1.0 - rest / variance, LEAST_CURVATURE)
    for a in range(d, K):
        for c in range(d, K):
            k, r = latents[a - d], latents[c - d]
            D[a, c] += bend * (V[k, r] + u[k] * u[r] / variance)
    invert(D, K)
    return Node(parents, latents, theta, x, m, D, u, rest, variance)


@compiled
def _given_others(V: Array, loading: Array, s2: float) -> tuple[Array, float]:
    """u = cov(f | other nodes) l and the variance s2 + l'u, from V = cov(f | e), l = L[j]."""
    Q = len(V)
    u = np.zeros(Q)
    for a in range(Q):
        x = loading[a]
        if x != 0.0:
            for b in range(Q):
                u[b] += V[a, b] * x
    left = s2
    for a in range(Q):
        left -= u[a] * loading[a]
    left = max(left, 1e-10 * s2)
    for a in range(Q):
        u[a] *= s2 / left
    return u, s2 * s2 / left


@compiled
def _mean_covariance(cross: Cross, u: Array, j: int, k: int, r: int) -> float:
    """cov of m_k - u_k t_j and m_r - u_r t_j."""
    M, T, first = cross.M, cross.T, 2 * len(cross.C)
    covariance = M[first + k, r] - u[k] * T[first + r, j] - u[r] * T[first + k, j]
    return float(covariance + u[k] * u[r] * cross.C[j, j])


@compiled
def _moments_of(x: Array, m: Array, parents: Integers, latents: Integers) -> Array:
    """cov(y), (K, K), gathered from the rows of the regressors."""
    u, K = len(parents), len(parents) + len(latents)
    D = np.zeros((K, K))
    for c in range(K):
        for a in range(u):
            D[a, c] = x[parents[a], c]
        for t in range(len(latents)):
            D[u + t, c] = m[latents[t], c]
    return D


@compiled
def gains_of(S: Array, n: float, state: State, cross: Cross) -> Gains:
    """Gains of every edge and loading, each node's other parameters refitted."""
    edges, loads = state.edges, state.loads
    p, Q = loads.shape
    add, drop = np.zeros((p, p)), np.zeros((p, p))
    join, leave = np.zeros((p, Q)), np.zeros((p, Q))
    sizes = sizes_of(loads)
    for j in range(p):
        node = node_of(S, state, cross, j)
        parents, latents, theta, D = node.parents, node.latents, node.theta, node.D
        d, scale = len(parents), n / node.variance
        for a in range(d):
            drop[parents[a], j] = scale * theta[a] ** 2 / D[a, a]
        for a in range(d, len(theta)):
            leave[j, latents[a - d]] = scale * theta[a] ** 2 / D[a, a]
        for i in range(p):
            if i != j and not edges[i, j]:
                part, covariance = _partial(node, node.x[i], S[i, i], S[i, j])
                if part > LEAST_PART * S[i, i]:
                    add[i, j] = scale * covariance**2 / part
        for k in range(Q):
            if sizes[k] > 0 and not loads[j, k]:
                join[j, k] = n * _joining(node, cross, j, k)
    return Gains(add, drop, join, leave)


@compiled
def _partial(node: Node, y: Array, square: float, covariance: float) -> tuple[float, float]:
    """Variance of a candidate left by the regressors, its covariance with the residual."""
    theta, D = node.theta, node.D
    for a in range(len(y)):
        covariance -= theta[a] * y[a]
        for c in range(len(y)):
            square -= y[a] * D[a, c] * y[c]
    return square, covariance


@compiled
def _joining(node: Node, cross: Cross, j: int, k: int) -> float:
    """Fall of R / v + log v when node j loads on latent k, the best of three step lengths."""
    R, v, u = node.rest, node.variance, node.u[k]
    bend = 1.0 - R / v
    own = cross.V[k, k] + u * u / v
    square = _mean_covariance(cross, node.u, j, k, k)
    slope = cross.M[j, k] - u * cross.T[j, j]
    curvature, slope = _partial(node, node.m[k], square + max(bend, 0.0) * own, slope - bend * u)
    curvature = max(curvature, LEAST_MEAN)
    best = 0.0
    for step in (1.0, 0.5, 1.6):
        loading = step * slope / curvature
        spread = v + 2.0 * loading * u + loading**2 * own
        rest = (
            R
            - 2.0 * loading * (slope + bend * u)
            + loading**2 * max(curvature - max(bend, 0.0) * own, 0.0)
        )
        best = max(best, R / v + np.log(v) - rest / spread - np.log(spread))
    return best
