"""Random parameters of x = x B + e, e ~ N(0, Omega), with the columns in causal order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Range = tuple[float, float]

WEIGHTS: Range = (0.3, 0.8)
NOISE = 0.15  # variance of the noise that no latent explains
MARGIN = 0.1  # smallest eigenvalue of an Omega whose diagonal had to be raised


@dataclass(frozen=True, eq=False)
class Law:
    """(p, p) strictly upper triangular B, and (p, p) positive definite Omega; no bows."""

    B: Array
    Omega: Array


@dataclass(frozen=True)
class Latents:
    """So many hidden causes, each with N(0, deviation^2) loadings on so many nodes."""

    count: int
    nodes: int
    deviation: float


@dataclass(frozen=True)
class Marks:
    """Numbers of edges and of bidirected edges, and the ranges that their parameters come from."""

    directed: int
    bidirected: int
    weights: Range
    covariances: Range
    variances: Range


def latent_law(rng: np.random.Generator, p: int, probability: float, latents: Latents) -> Law:
    """Omega = .15 I + L L', L (p, q) after the bow clean-up; B has independent edges.

    B, Omega (p, p). The paper's section 5, corrected: x = x B + e in place of its transpose.
    """
    edges = np.triu(rng.random((p, p)) < probability, 1)
    B = np.zeros((p, p))
    B[edges] = _signed(rng, WEIGHTS, int(edges.sum()))
    L = without_bows(B, _loadings(rng, p, latents))
    return Law(B, NOISE * np.eye(p) + L @ L.T)


def mixed_law(rng: np.random.Generator, p: int, marks: Marks) -> Law:
    """Edges and bidirected edges on disjoint pairs, uniform among all such placements.

    B, Omega (p, p); the design of Bhattacharya et al. 2021 (ABIC) and of its successors.
    """
    rows, columns = np.triu_indices(p, 1)
    pairs = rng.choice(len(rows), marks.directed + marks.bidirected, replace=False)
    arrows, arcs = pairs[: marks.directed], pairs[marks.directed :]
    B, Omega = np.zeros((p, p)), np.zeros((p, p))
    B[rows[arrows], columns[arrows]] = _signed(rng, marks.weights, len(arrows))
    Omega[rows[arcs], columns[arcs]] = _signed(rng, marks.covariances, len(arcs))
    return Law(B, raised(Omega + Omega.T + np.diag(rng.uniform(*marks.variances, p))))


def four_node_law() -> Law:
    """A -> B -> C -> D, B <-> D: bow-free, and not ancestral, since B is an ancestor of D."""
    B = np.diag([1.0, -1.5, 1.0], 1)
    Omega = np.diag([1.2, 1.0, 1.0, 1.0])
    Omega[1, 3] = Omega[3, 1] = 0.6
    return Law(B, Omega)


def without_bows(B: Array, L: Array) -> Array:
    """(p, q) loadings; for every i -> j row j is zero on the latents that load on i.

    One sweep is enough: a loading that is zero stays zero, so a pair once apart stays apart.
    """
    L = L.copy()
    for i, j in np.argwhere(B):
        L[j, L[i] != 0] = 0.0
    return L


def raised(Omega: Array) -> Array:
    """Omega + c I, c >= 0 the least that makes the smallest eigenvalue at least MARGIN."""
    lowest = float(np.linalg.eigvalsh(Omega)[0])
    return np.asarray(Omega + max(0.0, MARGIN - lowest) * np.eye(len(Omega)))


def _loadings(rng: np.random.Generator, p: int, latents: Latents) -> Array:
    L = np.zeros((p, latents.count))
    for k in range(latents.count):
        nodes = rng.choice(p, latents.nodes, replace=False)
        L[nodes, k] = rng.normal(0.0, latents.deviation, latents.nodes)
    return L


def _signed(rng: np.random.Generator, sizes: Range, count: int) -> Array:
    return np.asarray(rng.uniform(*sizes, count) * rng.choice([-1.0, 1.0], count))
