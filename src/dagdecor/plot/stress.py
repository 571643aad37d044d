"""Places of a connected graph whose distances are those of its marks, in rows below the parents."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from itertools import product

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import cdist

from dagdecor.plot.spread import spread

Array = npt.NDArray[np.float64]
Cells = npt.NDArray[np.bool_]
Edges = npt.NDArray[np.intp]
EDGE = 1.2  # wanted length of an edge, in rows
FACTORS = (1.0, 0.85, 0.7, 0.6, 0.5, 0.4)  # of width and of height, to fit the page
FREE = 1.3  # width of a page over that of one without free places
ROOMY = 16.0  # nodes in a row that a page holds at full size
WORK = 3e7  # distances in all turns together


def places_of(near: Cells, directed: Cells, aspect: float) -> Array:
    """(p, 2) places from (0, 0) on; the second is a row, and rows grow downward."""
    edges = np.argwhere(directed)
    drawn = _majorised(near, edges)
    page = float(max(ROOMY, FREE * np.sqrt(aspect * len(near))))
    best, least = drawn, np.inf
    for wide, high in sorted(product(FACTORS, FACTORS), key=math.prod, reverse=True):
        found = _in_rows(drawn * (wide, high), directed, round(page))
        width, height = 1 + found.max(axis=0)
        size = max(page, float(width), aspect * float(height))
        if size < least:
            best, least = found, size
        if size == page:
            break
    return best


def _in_rows(drawn: Array, directed: Cells, most: int) -> Array:
    rows = _rows(drawn[:, 1] - drawn[:, 1].min(), directed, most)
    across = np.empty(len(drawn))
    for row in np.unique(rows):
        here = np.flatnonzero(rows == row)
        here = here[np.argsort(drawn[here, 0], kind="stable")]
        across[here] = spread(drawn[here, 0], 1.0)
    return np.column_stack([across - across.min(), rows])


def _majorised(near: Cells, edges: Edges) -> Array:
    """Min sum_ij (|z_i - z_j| / d_ij - 1)^2 by majorisation (Gansner et al. 2004), arrows down."""
    distances = EDGE * shortest_path(near, directed=False, unweighted=True)
    np.fill_diagonal(distances, 1.0)
    weights = 1 / distances**2
    np.fill_diagonal(weights, 0.0)
    factor = cho_factor(np.diag(weights.sum(axis=1)) - weights + 1.0)
    z = _start(distances, edges)
    for _ in range(int(np.clip(WORK / len(z) ** 2, 10, 200))):
        pull = -weights * distances / np.maximum(cdist(z, z), 1e-9)
        np.fill_diagonal(pull, 0.0)
        np.fill_diagonal(pull, -pull.sum(axis=1))
        z = cho_solve(factor, pull @ z)
        _lower(z[:, 1], edges)
    return z


def _start(distances: Array, edges: Edges) -> Array:
    """Classical scaling, turned so that the arrows point down on average."""
    squares = np.square(distances - np.diag(np.diag(distances)))
    centred = squares - squares.mean(axis=0)
    values, vectors = np.linalg.eigh(-0.5 * (centred - centred.mean(axis=1, keepdims=True)))
    z = vectors[:, :-3:-1] * np.sqrt(np.maximum(values[:-3:-1], 0.01))
    z = z * np.where(z[np.abs(z).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0)
    x, y = (z[edges[:, 1]] - z[edges[:, 0]]).sum(axis=0)
    length = np.hypot(x, y)
    turn = np.array([[y, x], [-x, y]]) / length if length > 1e-6 else np.eye(2)
    return np.asarray(z @ turn)


def _lower(y: Array, edges: Edges) -> None:
    """Push the ends of arrows apart, in place, that are less than a row long."""
    for _ in range(3):
        short = np.maximum(0.0, 1.0 - (y[edges[:, 1]] - y[edges[:, 0]]))
        ends = np.concatenate([edges[:, 0], edges[:, 1]])
        total = np.bincount(ends, np.concatenate([-short, short]), minlength=len(y))
        number = np.bincount(ends, np.tile(short > 0, 2), minlength=len(y))
        y += total / np.maximum(2 * number, 1)


def _rows(wanted: Array, directed: Cells, most: int) -> Array:
    """The nearest row to the wanted height, but below the parents and with room for one more."""
    rows = np.rint(wanted).astype(np.intp)
    waiting = directed.sum(axis=0)
    ready = [(wanted[node], node) for node in np.flatnonzero(waiting == 0)]
    heapq.heapify(ready)
    filled: Counter[int] = Counter()
    while ready:
        node = heapq.heappop(ready)[1]
        while filled[rows[node]] >= most:
            rows[node] += 1
        filled[rows[node]] += 1
        for child in np.flatnonzero(directed[node]):
            rows[child] = max(rows[child], rows[node] + 1)
            waiting[child] -= 1
            if waiting[child] == 0:
                heapq.heappush(ready, (wanted[child], child))
    # a row that nothing came to leaves no gap
    return np.unique(rows, return_inverse=True)[1].reshape(-1).astype(np.float64)
