"""Maximum likelihood of B, L and the common variance on given marks, one node at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagdecor.compiled import compiled
from dagdecor.search.latent_loading_kernels import Loading, improve_loadings
from dagdecor.search.latent_state import Array, Flags, Prices, State
from dagdecor.search.residual_kernels import invert, refresh_column, residual_moments

Integers = npt.NDArray[np.int64]

LEAST_VARIANCE = 1e-6  # of the smallest in S: below it n < p would let the likelihood diverge
MOST_SWEEPS = 5


class Noise(NamedTuple):
    """SE = S (I-B), EE = (I-B)' S (I-B), both (p, p); V (Q, Q) = cov(f | e), f the latents."""

    SE: Array
    EE: Array
    V: Array


class Ends(NamedTuple):
    """Node j, its parents with their least squares weights, its latents."""

    j: int
    parents: Integers
    latents: Integers
    weights: Array


@compiled
def where(flags: Flags) -> Integers:
    """Places of the true flags, flags (k,)."""
    places = np.zeros(len(flags), np.int64)
    count = 0
    for i in range(len(flags)):
        if flags[i]:
            places[count] = i
            count += 1
    return places[:count]


@compiled
def where_in_column(flags: Flags, j: int) -> Integers:
    """Places of the true flags of flags[:, j]; a strided view would compile `where` anew."""
    places = np.zeros(len(flags), np.int64)
    count = 0
    for i in range(len(flags)):
        if flags[i, j]:
            places[count] = i
            count += 1
    return places[:count]


@compiled
def sizes_of(loads: Flags) -> Integers:
    """Loadings of each latent, (Q,)."""
    sizes = np.zeros(loads.shape[1], np.int64)
    for i in range(len(loads)):
        for k in range(loads.shape[1]):
            if loads[i, k]:
                sizes[k] += 1
    return sizes


@compiled
def edge_count(edges: Flags) -> int:
    """Edges in all."""
    count = 0
    for i in range(len(edges)):
        for j in range(len(edges)):
            if edges[i, j]:
                count += 1
    return count


@compiled
def price(state: State, prices: Prices) -> float:
    """What the marks of a state cost."""
    sizes, latent = sizes_of(state.loads), prices.latent
    total = prices.edge[edge_count(state.edges)]
    for k in range(len(sizes)):
        total += latent[sizes[k]]
    return float(total)


@compiled
def condition(state: State, V: Array) -> float:
    """V = (I + L'L / s2)^-1, (Q, Q), written in place; returns logdet(I + L'L / s2)."""
    L, s2 = state.L, state.variance[0]
    active = where(sizes_of(state.loads) > 0)
    m = len(active)
    G = np.zeros((m, m))
    for a in range(m):
        G[a, a] = 1.0
    for i in range(len(L)):
        for a in range(m):
            x = L[i, active[a]] / s2
            if x != 0.0:
                for b in range(m):
                    G[a, b] += x * L[i, active[b]]
    logdet = invert(G, m)
    for a in range(len(V)):
        for b in range(len(V)):
            V[a, b] = 1.0 if a == b else 0.0
    for a in range(m):
        for b in range(m):
            V[active[a], active[b]] = G[a, b]
    return logdet


@compiled
def noise_of(S: Array, state: State) -> Noise:
    """Residual moments and the covariance of the latents given the residuals."""
    p, Q = state.L.shape
    noise = Noise(np.zeros((p, p)), np.zeros((p, p)), np.zeros((Q, Q)))
    residual_moments(S, state.B, noise.SE, noise.EE)
    condition(state, noise.V)
    return noise


@compiled
def trace(state: State, noise: Noise) -> float:
    """tr(EE Theta) = (tr EE - tr(V L' EE L) / s2) / s2."""
    L, EE, V, s2 = state.L, noise.EE, noise.V, state.variance[0]
    p, Q = L.shape
    total = 0.0
    T = np.zeros((Q, p))  # L' EE
    for i in range(p):
        total += EE[i, i]
        for k in range(Q):
            x = L[i, k]
            if x != 0.0:
                for a in range(p):
                    T[k, a] += x * EE[i, a]
    for i in range(p):
        for k in range(Q):
            x = L[i, k] / s2
            if x != 0.0:
                for m in range(Q):
                    total -= x * V[k, m] * T[m, i]
    return float(total / s2)


# --- one node: its weights and its loadings, all else held ---------------------------------------


@compiled
def shift(V: Array, loading: Array, s2: float, sign: float) -> None:
    """V + sign u u' / (s2 - sign l'u), u = V l, in place, V (Q, Q) = cov(f | e), l = L[j].

    1 forgets e_j: V becomes cov(f | e without e_j). -1 then recalls it, at new loadings l.
    """
    Q = len(V)
    u = np.zeros(Q)
    left = s2
    for a in range(Q):
        x = loading[a]
        if x != 0.0:
            for b in range(Q):
                u[b] += V[a, b] * x
    for a in range(Q):
        left -= sign * u[a] * loading[a]
    left = max(left, 1e-10 * s2)
    for a in range(Q):
        x = sign * u[a] / left
        if x != 0.0:
            for b in range(Q):
                V[a, b] += x * u[b]


@compiled
def _mean_weights(L: Array, s2: float, V: Array, latents: Integers, j: int) -> Array:
    """W (k, p): E(f_k | e without e_j) = W e, V = cov(f | e without e_j)."""
    p, Q = L.shape
    W = np.zeros((len(latents), p))
    for a in range(p):
        if a != j:
            for c in range(Q):
                x = L[a, c] / s2
                if x != 0.0:
                    for t in range(len(latents)):
                        W[t, a] += x * V[c, latents[t]]
    return W


@compiled
def _own_inverse(S: Array, parents: Integers) -> Array:
    """inv(S_parents)."""
    u = len(parents)
    P = np.zeros((u, u))
    for a in range(u):
        for c in range(u):
            P[a, c] = S[parents[a], parents[c]]
    invert(P, u)
    return P


@compiled
def update_node(S: Array, state: State, noise: Noise, j: int) -> None:
    """argmin over B[:, j] and L[j] of tr(EE Theta) + logdet Omega; `noise` is kept up to date."""
    B, L, s2, V = state.B, state.L, state.variance[0], noise.V
    parents, latents = where_in_column(state.edges, j), where(state.loads[j])
    P = _own_inverse(S, parents)
    u, k = len(parents), len(latents)
    weights = np.zeros(u)
    for a in range(u):
        for c in range(u):
            weights[a] += P[a, c] * S[parents[c], j]
    if k > 0:
        shift(V, L[j], s2, 1.0)
        W = _mean_weights(L, s2, V, latents, j)
        A = _on_parents(noise.SE, P, W, parents)
        loadings = np.zeros(k)
        for t in range(k):
            loadings[t] = L[j, latents[t]]
        node = Ends(j, parents, latents, weights)
        improve_loadings(_loading_problem(S, noise, W, A, node, s2), loadings)
        for t in range(k):
            L[j, latents[t]] = loadings[t]
            for a in range(u):
                weights[a] -= A[a, t] * loadings[t]
        shift(V, L[j], s2, -1.0)
    for a in range(u):
        B[parents[a], j] = weights[a]
    refresh_column(S, B, noise.SE, noise.EE, j)


@compiled
def _covariance(SE: Array, W: Array, i: int, t: int) -> float:
    """cov(x_i, W_t e)."""
    total = 0.0
    for a in range(len(SE)):
        if W[t, a] != 0.0:
            total += SE[i, a] * W[t, a]
    return total


@compiled
def _on_parents(SE: Array, P: Array, W: Array, parents: Integers) -> Array:
    """A (u, k): the regression of the means W e on the parents."""
    u, k = len(parents), len(W)
    A = np.zeros((u, k))
    for c in range(u):
        for t in range(k):
            x = _covariance(SE, W, parents[c], t)
            for a in range(u):
                A[a, t] += P[a, c] * x
    return A


@compiled
def _loading_problem(S: Array, noise: Noise, W: Array, A: Array, node: Ends, s2: float) -> Loading:
    """The deviance of a node in its loadings; noise.V without its residual."""
    SE, EE, V, parents, latents, j = noise.SE, noise.EE, noise.V, node.parents, node.latents, node.j
    u, k, p = len(parents), len(latents), len(S)
    s, D, U = np.zeros(k), np.zeros((k, k)), np.zeros((k, k))
    for t in range(k):
        image = np.zeros(p)  # EE W_t
        for b in range(p):
            x = W[t, b]
            if x != 0.0:
                for a in range(p):
                    image[a] += x * EE[b, a]
        s[t] = _covariance(SE, W, j, t)
        for r in range(k):
            U[t, r] = V[latents[t], latents[r]]
            for a in range(p):
                D[t, r] += image[a] * W[r, a]
        for c in range(u):
            x = _covariance(SE, W, parents[c], t)
            s[t] -= A[c, t] * S[parents[c], j]
            for r in range(k):
                D[t, r] -= x * A[c, r]
    rest = S[j, j]
    for a in range(u):
        rest -= node.weights[a] * S[parents[a], j]
    return Loading(rest, s2, s, D, U)


# --- all nodes ------------------------------------------------------------------------------------


@compiled
def rescale(S: Array, state: State, tr: float) -> float:
    """Omega times tr / p, tr = tr(EE Theta), its best multiple; returns tr(EE Theta) after it."""
    L = state.L
    p, Q = L.shape
    least = S[0, 0]
    for i in range(p):
        least = min(least, S[i, i])
    factor = max(tr / p, LEAST_VARIANCE * least / state.variance[0])
    state.variance[0] *= factor
    root = np.sqrt(factor)
    for i in range(p):
        for k in range(Q):
            L[i, k] *= root
    return float(tr / factor)


@compiled
def refit(
    S: Array, n: float, state: State, prices: Prices, nodes: Flags, tolerance: float
) -> float:
    """The score, n (tr(EE Theta) + logdet Omega) + prices, after sweeps over the flagged nodes.

    Stops when a sweep gains less than `tolerance`. Nodes without latents are regressions, done
    once.
    """
    p = len(S)
    noise = noise_of(S, state)
    value = np.inf
    for sweep in range(MOST_SWEEPS):
        before = value
        for j in range(p):
            if nodes[j] and (sweep == 0 or len(where(state.loads[j])) > 0):
                update_node(S, state, noise, j)
        logdet = condition(state, noise.V)
        tr = rescale(S, state, trace(state, noise))
        value = n * (tr + logdet + p * np.log(state.variance[0]))
        if before - value < tolerance:
            break
    return float(value + price(state, prices))
