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

    Conjugate gradients, preconditioned by an approximate inverse of H on all matrices; they end
    early where the curvature is not positive, so that the direction leads down in any case.
    """
    on = X != 0
    D = np.zeros_like(X)
    residual = np.where(on, -gradient, 0.0)
    step = np.where(on, inverse(residual), 0.0)
    size = first = float(np.vdot(residual, step))
    for _ in range(STEPS):
        image = np.where(on, hessian(step), 0.0)
        curvature = float(np.vdot(step, image))
        if size <= ACCURACY * first or curvature <= 0:
            break
        D += size / curvature * step
        residual -= size / curvature * image
        following = np.where(on, inverse(residual), 0.0)
        size, before = float(np.vdot(residual, following)), size
        step = following + size / before * step
    return np.asarray((D + D.T) / 2)


def lower(X: Matrix, D: Matrix, value: Callable[[Matrix], float], highest: float) -> Matrix | None:
    """The first of X + D, X + D/2, ... with a value below `highest`; entries stop at zero."""
    for halving in range(HALVINGS):
        moved = X + 0.5**halving * D
        moved[np.sign(moved) != np.sign(X)] = 0.0
        if value(moved) < highest:
            return moved
    return None
