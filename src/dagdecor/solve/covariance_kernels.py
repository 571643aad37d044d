"""Compiled sweep of the covariance route: each row and column of Omega minimised in turn."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dagdecor.compiled import compiled
from dagdecor.solve.column_kernels import dot, drift, lasso, multiply, project

Array = npt.NDArray[np.float64]
DRIFT = 1e-9


@compiled
def _shorten(room: Array, before: Array, after: Array, s: float) -> bool:
    """Cut the move of (t, u), stacked (2, p), where u_k^2 = room_k s for some k; whether it was."""
    length = 1.0
    for k in range(len(room)):
        old, new = before[1, k], after[1, k]
        limit = np.sqrt(max(room[k] * s, 0.0))
        if abs(new) > limit and abs(new) > abs(old):
            length = min(length, max((np.sign(new) * limit - old) / (new - old), 0.0))
    if length == 1.0:
        return False
    for i in range(2):
        for k in range(len(room)):
            after[i, k] = before[i, k] + length * (after[i, k] - before[i, k])
    return True


@compiled
def _update(inverses: Array, column: Array, u: Array, g: Array, c: float, s: float) -> None:
    """M = K + u u' / s and Q = M R M, where u = K t - e_j, g = K R u and c = u' R u."""
    M, Q = inverses[0], inverses[1]
    m, h, w = column[0], column[1], column[5]
    for k in range(len(u)):
        g[k] = g[k] / s + u[k] * (0.5 * c / (s * s))
    for a in range(len(u)):
        ua, ga, ma, ha = u[a], g[a], m[a], h[a]
        us, m2 = ua / s, 2.0 * ma
        for b in range(len(u)):
            M[a, b] += us * u[b] - m2 * w[b]
            Q[a, b] += ua * g[b] + ga * u[b] - ma * h[b] - ha * m[b]


@compiled
def covariance_sweep(
    P: Array, Omega: Array, inverses: Array, caps: Array, accuracy: float, begin: int
) -> int:
    """Columns from `begin` on; Omega and inverses = (M, Q) = (inv(Omega), M R M) in place.

    With K the inverse of Omega without row and column j, t its column, R_jj = 1 and
    s = Omega_jj - t' K t > 0 the variance of noise j given the others, the objective is
    log s + (t' A t - 2 b' t + 1) / s + 2 P_j' |t| + const, A = K R K, b = K R_j (Wang 2014):
    a lasso in t, then a closed form in s. Both steps keep inv(Omega)_kk <= caps_k,
    a convex set, by stopping at its border. Returns the column it stopped before: p, or the one
    where M has drifted from the inverse.
    """
    p = len(P)
    M, Q = inverses[0], inverses[1]
    # Rows of `column`: m, h, b, l as in `lasso`, then m and m / 2 m_j, which turn M into K.
    column, v, room = np.zeros((6, p)), np.zeros(p), np.zeros(p)
    before, after = np.zeros((2, p)), np.zeros((2, p))
    t, u = after[0], after[1]
    for j in range(begin, p):
        multiply(M, Omega[j], v)
        if j > begin and drift(v, j) > DRIFT:
            return j
        s = 1.0 / M[j, j]
        for k in range(p):
            t[k] = Omega[j, k] if k != j else 0.0
            before[0, k], before[1, k] = t[k], -M[j, k] * s
            column[0, k] = column[4, k] = M[j, k]
            column[1, k] = (Q[j, k] - M[j, k] * (0.5 * Q[j, j] * s)) * s
            column[3, k] = P[j, k] * s
            column[5, k] = M[j, k] * (0.5 * s)
            room[k] = caps[k] - (M[k, k] - M[j, k] * M[j, k] * s)
        multiply(Q, t, v)
        along, across = dot(column[0], t), dot(column[1], t)
        # K R (K t - e_j) = A t - b is a combination of what Q and M hold: R is not needed.
        for k in range(p):
            image = v[k] - column[0, k] * across - column[1, k] * along
            column[2, k] = image + (Q[j, k] - M[j, k] * Q[j, j] * s) * s
        lasso(Q, column, t, v, j, accuracy * np.sqrt(s))
        multiply(M, t, u)
        project(column[4:], t, u)
        u[j] = -1.0
        if _shorten(room, before, after, s):
            multiply(Q, t, v)
        project(column, t, v)
        c, least = 1.0, 0.0
        for k in range(p):
            c += t[k] * (v[k] - 2.0 * column[2, k])
            v[k] -= column[2, k]
            if room[k] > 0.0:
                least = max(least, u[k] * u[k] / room[k])
        s = max(c, min(least, s))
        t[j] = s + dot(t, u)
        for k in range(p):
            Omega[j, k] = t[k]
            Omega[k, j] = t[k]
        _update(inverses, column, u, v, c, s)
    return p
