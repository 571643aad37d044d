"""Conditional fitting of a bow-free graph in place: node by node, from where it stands.

The kernels of `solve.ricf_kernels` fit one district, repacked, to the optimum. A search takes a
few steps after each move, on whole (p, p) arrays, and reads the gains of the next moves from the
very regressions of those steps; so it has its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagdecor.compiled import compiled
from dagdecor.search.mixed_state import Prices, State, price
from dagdecor.search.residual_kernels import (
    Array,
    Flags,
    invert,
    refresh_column,
    residual_moments,
)

Indices = npt.NDArray[np.int64]

LEAST_SHARE = 1e-6  # of its variance that a node keeps to itself
LEAST_OWN = 1e-4  # share of its noise variance that a node with siblings keeps given theirs
PATIENCE = 0.4  # fall of the score that a fit may take, in sweeps of least fall, before it ends
MARGIN = 0.02  # share of its variance that a node keeps when arcs have been cut off


class View(NamedTuple):
    """Moments of x and e = x (I-B) at the present parameters, all (p, p).

    S = Cov(x), SE = Cov(x, e), EE = Cov(e), Theta = Omega^-1; G = SE Theta = Cov(x, Theta e) and
    H = Theta EE Theta = Cov(Theta e), both valid only where `fill` was last asked for them;
    F (p,) is its scratch.
    """

    S: Array
    SE: Array
    EE: Array
    Theta: Array
    G: Array
    H: Array
    F: Array


class Regression(NamedTuple):
    """The conditional step of one node: least squares on `variables`.

    A variable below p is a column of the table, a parent; p + s is the pseudo-variable
    Z_s = (Omega_{-j,-j}^-1 e_{-j})_s of a sibling s, that is (Theta e)_s - ratio_s (Theta e)_j.
    `inverse` is that of their covariance, `residual` the variance that they leave.
    """

    variables: Indices
    inverse: Array
    slopes: Array
    residual: float
    ratio: Array


@compiled
def look(S: Array, state: State) -> tuple[View, float]:
    """The moments at the parameters of the state, and logdet Omega."""
    p = len(S)
    view = View(
        S,
        np.empty((p, p)),
        np.empty((p, p)),
        state.Omega.copy(),
        np.empty((p, p)),
        np.empty((p, p)),
        np.empty(p),
    )
    residual_moments(S, state.B, view.SE, view.EE)
    return view, invert(view.Theta, p)


@compiled
def fill(view: View, nodes: Indices, last: int) -> None:
    """G at (nodes, columns), H at (columns, columns); the columns are the `last` of the nodes."""
    SE, EE, Theta, G, H, F = view.SE, view.EE, view.Theta, view.G, view.H, view.F
    p, apart = len(SE), len(nodes) - last
    for a in range(apart, len(nodes)):
        s = nodes[a]
        for i in range(p):
            F[i] = 0.0  # Theta EE, row s
        for b in range(len(nodes)):
            G[nodes[b], s] = 0.0
        for c in range(p):
            t = Theta[s, c]
            if t != 0.0:
                for i in range(p):
                    F[i] += t * EE[c, i]
                for b in range(len(nodes)):
                    G[nodes[b], s] += t * SE[nodes[b], c]
        for b in range(apart, a + 1):
            total = 0.0
            for c in range(p):
                total += Theta[nodes[b], c] * F[c]
            H[s, nodes[b]] = H[nodes[b], s] = total


@compiled
def covariance(view: View, ratio: Array, j: int, u: int, v: int) -> float:
    """Cov of two variables in the sense of `Regression`, of node j; G and H filled."""
    p = len(ratio)
    if u >= p > v:
        u, v = v, u
    if v < p:
        return float(view.S[u, v])
    b = v - p
    if u < p:
        return float(view.G[u, b] - ratio[b] * view.G[u, j])
    a = u - p
    crossed = view.H[a, j] - ratio[a] * view.H[j, j]
    return float(view.H[a, b] - ratio[a] * view.H[j, b] - ratio[b] * crossed)


@compiled
def family(state: State, j: int, nodes: Indices) -> int:
    """Write the parents of j, then its siblings, then -1 to nodes (p,); how many parents."""
    p, k = len(nodes), 0
    for i in range(p):
        if state.edges[i, j]:
            nodes[k] = i
            k += 1
    parents = k
    for i in range(p):
        if state.arcs[i, j]:
            nodes[k] = i
            k += 1
    if k < p:
        nodes[k] = -1
    return parents


@compiled
def regress(view: View, state: State, j: int) -> Regression:
    """argmin_a Var(x_j - sum_u a_u u) over parents and pseudo-variables u of node j."""
    p = len(view.S)
    variables = np.empty(p, np.int64)
    parents = family(state, j, variables)
    k = parents
    while k < p and variables[k] >= 0:
        variables[k] += p
        k += 1
    ratio = np.empty(p)
    for i in range(p):
        ratio[i] = view.Theta[i, j] / view.Theta[j, j]
    inverse, slopes, target = np.empty((k, k)), np.zeros(k), np.empty(k)
    for a in range(k):
        target[a] = covariance(view, ratio, j, j, variables[a])
        for b in range(a + 1):
            inverse[a, b] = inverse[b, a] = covariance(view, ratio, j, variables[a], variables[b])
    invert(inverse, k)
    residual = view.S[j, j]
    for a in range(k):
        for b in range(k):
            slopes[a] += inverse[a, b] * target[b]
        residual -= slopes[a] * target[a]
    residual = max(residual, LEAST_SHARE * view.S[j, j])
    return Regression(variables[:k], inverse, slopes, residual, ratio)


@compiled
def _step(view: View, state: State, j: int, siblings: int) -> float:
    """argmin of the deviance over column j of B and row j of Omega; returns logdet's change.

    Drton, Eichler, Richardson 2009, section 4.
    """
    p = len(view.S)
    if siblings > 0:
        nodes = np.empty(p, np.int64)
        parents = family(state, j, nodes)
        nodes[parents + siblings] = j
        fill(view, nodes[: parents + siblings + 1], siblings + 1)
    found = regress(view, state, j)
    v = _pull(view.Theta, found, j)
    own = left = found.residual
    for k in range(len(found.variables)):
        if found.variables[k] >= p:
            own += found.slopes[k] * v[found.variables[k] - p]
    if siblings > 0 and not left >= LEAST_OWN * own:
        return 0.0  # rather no step than an Omega that is singular in floats
    for k in range(len(found.variables)):
        u = found.variables[k]
        if u < p:
            state.B[u, j] = found.slopes[k]
        else:
            state.Omega[j, u - p] = state.Omega[u - p, j] = found.slopes[k]
    state.Omega[j, j] = own
    change = np.log(left * view.Theta[j, j])
    refresh_column(view.S, state.B, view.SE, view.EE, j)
    _replace(view.Theta, v, left, j)
    return float(change)


@compiled
def _pull(Theta: Array, found: Regression, j: int) -> Array:
    """Omega_{-j,-j}^-1 times row j of Omega as the regression has it, and -1 at j."""
    p = len(Theta)
    v = np.zeros(p)
    for k in range(len(found.variables)):
        s = found.variables[k] - p
        if s >= 0:
            for t in range(p):
                v[t] += found.slopes[k] * (Theta[s, t] - found.ratio[s] * Theta[j, t])
    v[j] = -1.0
    return v


@compiled
def _replace(Theta: Array, v: Array, left: float, j: int) -> None:
    """Omega^-1 after row j of Omega has changed; v its `_pull`, left = Var(e_j | e_-j)."""
    p, row = len(Theta), Theta[j].copy()
    for s in range(p):
        if v[s] != 0.0 or row[s] != 0.0:
            gained, lost = v[s] / left, row[s] / row[j]
            for t in range(p):
                Theta[s, t] += gained * v[t] - lost * row[t]


@compiled
def refit(
    S: Array, n: float, state: State, prices: Prices, touched: Flags, tolerance: float
) -> float:
    """The score, n (tr(Theta EE) + logdet Omega) + prices, after conditional steps in place.

    Sweeps over the touched nodes, (p,), whole districts, until one lowers the score by less than
    `tolerance`, or for PATIENCE / tolerance of them.
    """
    p = len(S)
    view, logdet = look(S, state)
    siblings = np.zeros(p, np.int64)
    for i in range(p):
        for j in range(p):
            siblings[j] += state.arcs[i, j]
    value, sweep, moved = np.inf, 0, True
    while moved and sweep < PATIENCE / tolerance:
        moved = False
        for j in range(p):
            # a node without siblings is done after one step
            if touched[j] and (sweep == 0 or siblings[j] > 0):
                logdet += _step(view, state, j, siblings[j])
                moved = True
        before, trace = value, 0.0
        for i in range(p):
            for j in range(p):
                trace += view.Theta[i, j] * view.EE[i, j]
        value = n * (trace + logdet)
        moved = moved and before - value >= tolerance
        sweep += 1
    return value + price(n, state, prices)


@compiled
def keep_definite(Omega: Array, touched: Flags) -> None:
    """Shrink rows until each touched node keeps MARGIN of its variance given those before it.

    To be called after arcs were cut off; touched (p,), whole districts. One pass of Cholesky's
    factorisation, whose row scales with the row of Omega.
    """
    p = len(Omega)
    L = np.zeros((p, p))
    for i in range(p):
        if not touched[i]:
            continue
        explained = 0.0
        for j in range(i):
            if touched[j]:
                left = Omega[i, j]
                for k in range(j):
                    left -= L[i, k] * L[j, k]
                L[i, j] = left / L[j, j]
                explained += L[i, j] ** 2
        most = (1.0 - MARGIN) * Omega[i, i]
        if explained > most:
            shrink = np.sqrt(most / explained)
            for j in range(i):
                L[i, j] *= shrink
                Omega[i, j] *= shrink
                Omega[j, i] = Omega[i, j]
            explained = most
        L[i, i] = np.sqrt(Omega[i, i] - explained)
