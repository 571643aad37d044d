"""Residual iterative conditional fitting of one district, with Newton steps where it is slow."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dagdecor.compiled import compiled
from dagdecor.moments import COLLINEAR
from dagdecor.solve.ricf_district import (
    District,
    Slopes,
    State,
    curvature,
    gather,
    refresh,
    slopes_of,
)
from dagdecor.solve.ricf_linear import least_pivot, product, regress, solve

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

CONVERGED, LIMIT, STALLED, UNBOUNDED = 0, 1, 2, 3

ROUNDING = 1e-14  # a change of the deviance below this share of it is not seen


@compiled
def fit_district(
    S: FloatArray,
    nodes: IntArray,
    edges: IntArray,
    arcs: IntArray,
    start: FloatArray,
    tolerance: float,
    max_iterations: int,
) -> tuple[FloatArray, float, float, int, int]:
    """argmin over the free values of tr(A' S A Omega^-1) + logdet Omega, for one district.

    S (p, p); nodes (d,), edges (e, 2) into them, arcs (a, 2) between them, numbered as the
    columns of S, all writeable and C-contiguous (np.argwhere is not: it would compile anew);
    start (e + a + d,) weights, arcs, variances, or empty. Returns the values in that order, the
    deviance, the unit-free gradient, iterations, and a status. UNBOUNDED, at once, with deviance
    inf: S of the nodes given their outer parents is singular. Drton, Eichler, Richardson 2009.
    """
    district = gather(S, nodes, edges, arcs)
    d, count, unit = len(nodes), len(district.unit), district.unit
    values = start / unit if len(start) > 0 else np.zeros(count)
    state = State(values, np.zeros((d, len(district.R))), np.zeros((d, d)), np.empty((d, d)))
    if not least_pivot(district.R.copy(), d, COLLINEAR) > COLLINEAR:
        return start, np.inf, np.inf, 0, UNBOUNDED
    deviance = refresh(district, state)
    if deviance == np.inf:  # then least squares on the parents, uncorrelated noise
        for k in range(count):
            values[k] = 1.0 if k >= count - d else 0.0
        refresh(district, state)
        _sweep(district, state, 0)
        deviance = refresh(district, state)
    slopes = slopes_of(district, state)
    iterations = idle = 0
    while not slopes.residual <= tolerance and iterations < max_iterations and idle < 3:
        iterations += 1
        before = deviance
        blur = ROUNDING * (d + abs(before))
        origin = values.copy()
        _sweep(district, state, len(arcs))
        deviance = refresh(district, state)
        if not deviance <= before + blur:  # a regression on collinear columns lost its digits
            _assign(values, origin)
            deviance = refresh(district, state)
        slopes = slopes_of(district, state)
        # the first sweep alone chooses the valley: full steps from afar end in worse ones
        if slopes.residual > tolerance and iterations > 1:
            deviance = _newton(district, state, slopes, deviance)
            slopes = slopes_of(district, state)
        idle = idle + 1 if before - deviance <= blur else 0
    for i in range(d):
        deviance += np.log(unit[count - d + i])
    status = CONVERGED if slopes.residual <= tolerance else STALLED if idle == 3 else LIMIT
    return values * unit, deviance, slopes.residual, iterations, status


@compiled
def _assign(values: FloatArray, given: FloatArray) -> None:
    """Copy in place; a loop, since numba's own assignment takes a second to compile."""
    for k in range(len(values)):
        values[k] = given[k]


@compiled
def _newton(district: District, state: State, slopes: Slopes, deviance: float) -> float:
    """One damped, backtracked Newton step on all free values; returns the deviance after it."""
    second = curvature(district, state, slopes)
    damping = 0.0
    step = -slopes.gradient
    while not solve(second, damping, step):
        damping = max(1e-4, 10.0 * damping)
        if damping > 1e6:
            return deviance
        step = -slopes.gradient
    fall = 0.0
    for k in range(len(step)):
        fall -= step[k] * slopes.gradient[k]
    origin = state.values.copy()
    # near the end the fall drowns in rounding and the full step is right
    blur = ROUNDING * (len(state.Theta) + abs(deviance))
    length = 1.0
    while length > 1e-6:
        _assign(state.values, origin + length * slopes.scale * step)
        trial = refresh(district, state)
        if trial <= deviance - 1e-4 * length * fall + blur:
            return trial
        length *= 0.5
    _assign(state.values, origin)
    return refresh(district, state)


# --- one node: least squares on parents and pseudo-variables --------------------------------------


@compiled
def _sweep(district: District, state: State, arcs: int) -> None:
    """Each node in turn: argmin of the deviance over the weights into it and its row of Omega.

    Node i is regressed on its parents and, when `arcs` are counted, on the pseudo-variables
    Z_s = (Omega_{-i,-i}^-1 e_{-i})_s of its siblings s; `state` must be fresh.
    """
    R = district.R
    for i in range(len(state.Theta)):
        free, other, u = _touching(district, i, arcs)
        W = _regressors(state, i, other, u)
        V = product(W, R)
        M, r = np.zeros((len(W), len(W))), np.empty(len(W))
        for k in range(len(W)):
            r[k] = V[k, i]
            for t in range(len(W)):
                for j in range(len(R)):
                    M[k, t] += V[k, j] * W[t, j]
        x = regress(M, r)
        left = R[i, i]
        for k in range(len(r)):
            left -= 2.0 * x[k] * r[k]
            for t in range(len(r)):
                left += x[k] * M[k, t] * x[t]
        if left > 0.0:
            for k in range(len(r)):
                state.values[free[k]] = x[k]
            _replace(state, i, other, u, x, left)
            state.values[len(state.values) - len(state.Theta) + i] = state.Omega[i, i]


@compiled
def _touching(district: District, i: int, arcs: int) -> tuple[IntArray, IntArray, int]:
    """Free values at node i, the other end of each, and how many of them are weights."""
    e = len(district.source)
    free, other = np.empty(e + arcs, np.int64), np.empty(e + arcs, np.int64)
    count = 0
    for k in range(e):
        if district.target[k] == i:
            free[count], other[count] = k, district.source[k]
            count += 1
    u = count
    for k in range(arcs):
        s, t = district.first[k], district.second[k]
        if (s == i) != (t == i):
            free[count], other[count] = e + k, s + t - i
            count += 1
    return free[:count], other[:count], u


@compiled
def _regressors(state: State, i: int, other: IntArray, u: int) -> FloatArray:
    """W, whose rows times x are the u parents and the pseudo-variables of the siblings."""
    A, Theta = state.A, state.Theta
    W = np.zeros((len(other), A.shape[1]))
    for k in range(len(other)):
        s = other[k]
        if k < u:
            W[k, s] = 1.0
        for t in range(len(Theta) if k >= u else 0):
            share = Theta[s, t] - Theta[s, i] * Theta[i, t] / Theta[i, i]
            if t != i:
                for j in range(A.shape[1]):
                    W[k, j] += share * A[t, j]
    return W


@compiled
def _replace(state: State, i: int, other: IntArray, u: int, x: FloatArray, left: float) -> None:
    """Write the regression x of node i with residual variance `left` to A, Omega and Theta."""
    A, Omega, Theta = state.A, state.Omega, state.Theta
    d, pivot = len(Theta), Theta[i, i]
    row, v = np.empty(d), np.zeros(d)  # v: Omega_{-i,-i}^-1 times the new row of Omega
    for k in range(len(other)):
        s = other[k]
        if k < u:
            A[i, s] = -x[k]
        else:
            Omega[i, s] = Omega[s, i] = x[k]
            for t in range(d):
                v[t] += x[k] * (Theta[s, t] - Theta[s, i] * Theta[i, t] / pivot)
    Omega[i, i] = left
    for k in range(u, len(other)):
        Omega[i, i] += x[k] * v[other[k]]
    v[i] = -1.0
    for t in range(d):
        row[t] = Theta[i, t]
    for s in range(d):
        for t in range(d):
            Theta[s, t] += v[s] * v[t] / left - row[s] * row[t] / pivot
