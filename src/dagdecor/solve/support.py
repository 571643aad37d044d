"""Newton steps on the support of a sparse matrix, for where sweeps over the columns crawl."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dagdecor.solve.definite import Matrix

STEPS = 100
ACCURACY = 1e-4  # of the linear solve, squared and preconditioned, as a share of its start
HALVINGS = 8


def newton_direction(
    X: Matrix,
    gradient: Matrix,
    hessian: Callable[[Matrix], Matrix],
    inverse: Callable[[Matrix], Matrix],
) -> Matrix:
    """argmin_D <G, D> + <D, H D> / 2 over symmetric D (p, p) that are zero where X is.

    `gradient` is G where X is not zero, row by row. Conjugate gradients, preconditioned by an
    approximate inverse of H on all matrices; they end early where the curvature is not positive,
    so that the direction leads down in any case. Both maps may overwrite what they are given.
    """
    on = X != 0
    E = np.zeros(X.shape)

    def image(of: Callable[[Matrix], Matrix], values: Matrix) -> Matrix:
        """A map of matrices as one of the values on the support."""
        E.fill(0.0)
        E[on] = values
        return np.asarray(of(E)[on])

    D, residual = np.zeros_like(gradient), -gradient
    step = image(inverse, residual)
    size = first = float(np.vdot(residual, step))
    for _ in range(STEPS):
        curved = image(hessian, step)
        curvature = float(np.vdot(step, curved))
        if size <= ACCURACY * first or curvature <= 0:
            break
        D += size / curvature * step
        residual -= size / curvature * curved
        following = image(inverse, residual)
        size, before = float(np.vdot(residual, following)), size
        step = following + size / before * step
    E.fill(0.0)
    E[on] = D
    E += E.T
    E *= 0.5
    return E


def lower(X: Matrix, D: Matrix, value: Callable[[Matrix], float], highest: float) -> Matrix | None:
    """The first of X + D, X + D/2, ... with a value below `highest`; entries stop at zero."""
    for halving in range(HALVINGS):
        moved = X + 0.5**halving * D
        moved[moved * X < 0] = 0.0
        if value(moved) < highest:
            return moved
    return None
