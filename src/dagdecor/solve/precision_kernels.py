"""Compiled sweep of the precision route: each row and column of Theta minimised in turn."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dagdecor.compiled import compiled
from dagdecor.solve.column_kernels import add, dot, drift, lasso, multiply, project

Array = npt.NDArray[np.float64]
DRIFT = 1e-9


@compiled
def precision_sweep(R: Array, P: Array, Theta: Array, W: Array, accuracy: float, begin: int) -> int:
    """Columns from `begin` on, Theta and W = inv(Theta) in place; the column it stopped before.

    With K the inverse of Theta without row and column j, t its column and R_jj = 1, the
    objective is t' K t + 2 R_j' t + 2 P_j' |t| + const at the best Theta_jj = 1 + t' K t, which
    keeps Theta positive definite and W_jj = 1 (P-GLasso, Mazumder, Hastie 2012). Stops before
    p where W has drifted from the inverse and must be computed anew.
    """
    p = len(R)
    column, t, u = np.zeros((4, p)), np.zeros(p), np.zeros(p)
    for j in range(begin, p):
        multiply(W, Theta[j], u)
        if j > begin and drift(u, j) > DRIFT:
            return j
        add(W[j], -Theta[j, j], u)
        for k in range(p):
            t[k] = Theta[j, k]
            column[0, k] = W[j, k]
            column[1, k] = W[j, k] * (0.5 / W[j, j])
            column[2, k] = -R[j, k]
            column[3, k] = P[j, k]
        t[j] = 0.0
        if not lasso(W, column, t, u, j, accuracy):
            continue
        # inv(Theta) = K + u u' with u = K t - e_j, where K = W - w w' / w_j.
        project(column, t, u)
        t[j] = 1.0 + dot(t, u)
        u[j] = -1.0
        for k in range(p):
            Theta[j, k] = t[k]
            Theta[k, j] = t[k]
            a, b = u[k], 2.0 * column[0, k]
            for i in range(p):
                W[k, i] += a * u[i] - b * column[1, i]
    return p
