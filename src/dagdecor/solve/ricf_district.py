"""One district as the fit sees it: its moments, its free values, their gradient and curvature."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagdecor.compiled import compiled
from dagdecor.solve.ricf_linear import invert, product

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


class District(NamedTuple):
    """Moments and edges, numbered inside: the d nodes first, then their parents outside."""

    R: FloatArray  # (m, m) S scaled to unit diagonal
    unit: FloatArray  # (e + a + d,) one unit of each free value in the units of S
    source: IntArray  # (e,) edge source -> target
    target: IntArray  # (e,)
    first: IntArray  # (a + d,) ends of each arc, then each node twice, for its variance
    second: IntArray  # (a + d,)


class State(NamedTuple):
    """Free values (weights, arcs, variances) and what follows from them; kernels write to it."""

    values: FloatArray  # (e + a + d,)
    A: FloatArray  # (d, m) residual i is A[i] x: one at i, minus the weights into i
    Omega: FloatArray  # (d, d)
    Theta: FloatArray  # (d, d) its inverse


class Slopes(NamedTuple):
    """Gradient per natural scale of each value, and its ingredients."""

    gradient: FloatArray  # (e + a + d,)
    scale: FloatArray  # (e + a + d,)
    P: FloatArray  # (d, m) Theta A R
    Q: FloatArray  # (d, d) Theta A R A' Theta
    residual: float  # largest absolute entry of the gradient


@compiled
def gather(S: FloatArray, nodes: IntArray, edges: IntArray, arcs: IntArray) -> District:
    """The district of `nodes` in its own numbering; a variance of zero stays zero."""
    d, e, a = len(nodes), len(edges), len(arcs)
    place, members = -np.ones(len(S), np.int64), np.empty(d + e, np.int64)
    source, target = np.empty(e, np.int64), np.empty(e, np.int64)
    first, second = np.empty(a + d, np.int64), np.empty(a + d, np.int64)
    for i in range(d):
        place[nodes[i]] = first[a + i] = second[a + i] = i
        members[i] = nodes[i]
    m = d
    for k in range(e):
        if place[edges[k, 0]] < 0:
            place[edges[k, 0]] = m
            members[m] = edges[k, 0]
            m += 1
        source[k], target[k] = place[edges[k, 0]], place[edges[k, 1]]
    for k in range(a):
        first[k], second[k] = place[arcs[k, 0]], place[arcs[k, 1]]
    R, deviations, unit = np.empty((m, m)), np.ones(m), np.empty(e + a + d)
    for i in range(m):
        if S[members[i], members[i]] > 0.0:
            deviations[i] = np.sqrt(S[members[i], members[i]])
        for j in range(i + 1):
            R[i, j] = S[members[i], members[j]] / (deviations[i] * deviations[j])
            R[j, i] = R[i, j]
    for k in range(e):
        unit[k] = deviations[target[k]] / deviations[source[k]]
    for k in range(a + d):
        unit[e + k] = deviations[first[k]] * deviations[second[k]]
    return District(R, unit, source, target, first, second)


@compiled
def refresh(district: District, state: State) -> float:
    """tr(A R A' Theta) + logdet Omega at state.values, the rest renewed; inf unless Omega > 0."""
    A, Omega, Theta, e = state.A, state.Omega, state.Theta, len(district.source)
    for k in range(len(district.first)):
        s, t = district.first[k], district.second[k]
        Omega[s, t] = Omega[t, s] = state.values[e + k]
        A[s, s] = A[t, t] = 1.0
    for k in range(e):
        A[district.target[k], district.source[k]] = -state.values[k]
    for i in range(len(Omega)):
        for j in range(len(Omega)):
            Theta[i, j] = Omega[i, j]
    deviance = invert(Theta)
    if deviance == np.inf:
        return deviance
    C, H = product(A, district.R), product(Theta, A)
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            deviance += C[i, j] * H[i, j]
    return deviance


@compiled
def slopes_of(district: District, state: State) -> Slopes:
    """dB = -2 P', dOmega = Theta - Q, each times the natural scale of the value.

    That is sd_k for a weight into k (x has unit variances inside), sd_k sd_l for an arc, with sd
    the square roots of Omega's diagonal; so the gradient does not depend on any unit.
    """
    Theta, Omega, values = state.Theta, state.Omega, state.values
    e, d = len(district.source), len(Theta)
    P = product(Theta, product(state.A, district.R))
    F = P[:, :d].copy()  # P A'
    for k in range(e):
        for i in range(d):
            F[i, district.target[k]] -= values[k] * P[i, district.source[k]]
    Q = product(F, Theta)
    gradient, scale = np.empty(len(values)), np.empty(len(values))
    residual = 0.0
    for k in range(len(values)):
        if k < e:
            j, t = district.source[k], district.target[k]
            scale[k] = np.sqrt(Omega[t, t])
            gradient[k] = -2.0 * P[t, j] * scale[k]
        else:
            s, t = district.first[k - e], district.second[k - e]
            scale[k] = np.sqrt(Omega[s, s] * Omega[t, t])
            gradient[k] = (1.0 if s == t else 2.0) * (Theta[s, t] - Q[s, t]) * scale[k]
        if not abs(gradient[k]) <= residual:  # so that a NaN shows
            residual = abs(gradient[k])
    return Slopes(gradient, scale, P, Q, residual)


@compiled
def curvature(district: District, state: State, slopes: Slopes) -> FloatArray:
    """Upper half of the second derivative, in the scales of `slopes`; T is Theta.

    Weights (j, k), (l, m): 2 R_jl T_km. Weight and pair (a, b): 2 (P_aj T_bk + P_bj T_ak).
    Pairs (a, b), (c, d): 2 X_ab, X = T H Q + Q H T - T H T, H = e_c e_d' + e_d e_c'. Halved for
    each pair that is a variance.
    """
    T, P, Q, R = state.Theta, slopes.P, slopes.Q, district.R
    e, count = len(district.source), len(state.values)
    result = np.empty((count, count))
    for x in range(count):
        for y in range(x, count):
            a = district.source[x] if x < e else district.first[x - e]
            b = district.target[x] if x < e else district.second[x - e]
            c = district.source[y] if y < e else district.first[y - e]
            d = district.target[y] if y < e else district.second[y - e]
            if y < e:
                value = R[a, c] * T[b, d]
            elif x < e:
                value = P[c, a] * T[d, b] + P[d, a] * T[c, b]
            else:
                value = T[a, c] * (Q[d, b] - T[d, b]) + Q[a, c] * T[d, b]
                value += T[a, d] * (Q[c, b] - T[c, b]) + Q[a, d] * T[c, b]
            half = (0.5 if a == b else 1.0) * (0.5 if c == d else 1.0)
            result[x, y] = 2.0 * half * value * slopes.scale[x] * slopes.scale[y]
    return result
