"""Random graphs, matrices and parameters for the tests, and the likelihood written out plainly."""

import numpy as np
from hypothesis import strategies as st
from scipy.optimize import minimize

from dagdecor.graph import MixedGraph

MARKS = ("none", "directed", "bidirected")
WITH_BOWS = (*MARKS, "bow")


def seeds():
    """Seeds for numbers whose shape does not matter to a shrinking example."""
    return st.integers(0, 2**32 - 1)


@st.composite
def graph_masks(draw, least=1, most=7, marks=MARKS):
    """(directed, bidirected) boolean masks of an acyclic graph in a random column order.

    Bow-free unless `marks` is WITH_BOWS; a DAG with ("none", "directed").
    """
    p = draw(st.integers(least, most))
    order = draw(st.permutations(range(p)))
    directed, bidirected = np.zeros((2, p, p), dtype=bool)
    for place, second in enumerate(order):
        for first in order[:place]:
            mark = draw(st.sampled_from(marks))
            directed[first, second] = mark in {"directed", "bow"}
            bidirected[first, second] = mark in {"bidirected", "bow"}
    return directed, bidirected | bidirected.T


def dag_masks(least=1, most=7):
    """(p, p) boolean masks of acyclic graphs."""
    return graph_masks(least, most, ("none", "directed")).map(lambda pair: pair[0])


def mixed_graphs(least=1, most=7, marks=MARKS):
    """`MixedGraph`s over x0, x1, ..., bow-free unless `marks` is WITH_BOWS."""
    return graph_masks(least, most, marks).map(lambda pair: MixedGraph.from_matrices(*pair))


@st.composite
def positive_definite(draw, p, condition=100.0):
    """(p, p) with eigenvalues from 1 / condition to 1 and random eigenvectors."""
    rng = np.random.default_rng(draw(seeds()))
    rotation, _ = np.linalg.qr(rng.standard_normal((p, p)))
    values = condition ** -rng.uniform(size=p)
    values[0] = 1.0
    values[-1] = 1.0 / condition if p > 1 else 1.0
    matrix = (rotation * values) @ rotation.T
    return (matrix + matrix.T) / 2


def parameters(directed, bidirected, seed):
    """(B, Omega) on the masks: |weights| in [.3, 1], noise correlations up to .7 and Omega > 0."""
    rng = np.random.default_rng(seed)
    p = len(directed)
    signs = rng.choice([-1.0, 1.0], size=(2, p, p))
    B = np.where(directed, rng.uniform(0.3, 1.0, (p, p)) * signs[0], 0.0)
    half = np.triu(rng.uniform(0.3, 0.7, (p, p)) * signs[1], 1)
    Omega = np.where(bidirected, half + half.T, 0.0) + np.eye(p)
    lowest = np.linalg.eigvalsh(Omega)[0]
    Omega += max(0.0, 0.2 - lowest) * np.eye(p)
    scale = rng.uniform(0.5, 1.5, p)
    return B, Omega * np.outer(scale, scale)


def implied_covariance(B, Omega):
    """Sigma = (I-B)^-T Omega (I-B)^-1."""
    T = np.linalg.inv(np.eye(len(B)) - B)
    return T.T @ Omega @ T


def sample_covariance(B, Omega, n, seed):
    """S = Xc'Xc / n of n rows of the model."""
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal((n, len(B))) @ np.linalg.cholesky(Omega).T
    X = noise @ np.linalg.inv(np.eye(len(B)) - B)
    X -= X.mean(axis=0)
    return X.T @ X / n


def objective(B, Omega, S):
    """tr(S (I-B) Omega^-1 (I-B)') + logdet Omega; inf unless Omega > 0."""
    try:
        half = np.linalg.cholesky(Omega)
    except np.linalg.LinAlgError:
        return np.inf
    A = np.linalg.solve(half, (np.eye(len(B)) - B).T)
    return float(np.sum((A @ S) * A) + 2 * np.log(np.diag(half)).sum())


class Free:
    """The free values of a graph as one vector, for optimisers that know nothing of graphs."""

    def __init__(self, directed, bidirected):
        self.edges = np.nonzero(directed)
        self.arcs = np.nonzero(np.triu(bidirected, 1))
        self.sizes = np.cumsum([len(self.edges[0]), len(self.arcs[0])])
        self.p = len(directed)

    def matrices(self, vector):
        weights, shared, own = np.split(vector, self.sizes)
        B, Omega = np.zeros((self.p, self.p)), np.diag(own)
        B[self.edges] = weights
        Omega[self.arcs] = Omega[self.arcs[::-1]] = shared
        return B, Omega

    def vector(self, B, Omega):
        return np.concatenate((B[self.edges], Omega[self.arcs], np.diag(Omega)))

    def value_and_gradient(self, vector, S):
        B, Omega = self.matrices(vector)
        value = objective(B, Omega, S)
        if not np.isfinite(value):
            return 1e6, np.zeros_like(vector)  # inf would end the line search for good
        Theta, A = np.linalg.inv(Omega), np.eye(self.p) - B
        slope = Theta - Theta @ A.T @ S @ A @ Theta
        steep = -2 * S @ A @ Theta
        return value, np.concatenate((steep[self.edges], 2 * slope[self.arcs], np.diag(slope)))


def best_of_lbfgs(S, directed, bidirected, starts=4):
    """Lowest objective that L-BFGS reaches from several starts, each restarted until it is done."""
    scale = np.sqrt(np.diag(S))
    free, rng = Free(directed, bidirected), np.random.default_rng(0)
    found = []
    for k in range(starts):
        B = np.where(directed, rng.normal(0, 0.4, directed.shape), 0.0) * (k > 0)
        x, last = free.vector(B, np.diag(rng.uniform(0.3, 1.2, len(S)))), np.inf
        for _ in range(30):
            end = minimize(
                free.value_and_gradient, x, (S / np.outer(scale, scale),), jac=True,
                method="L-BFGS-B", options={"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-9},
            )  # fmt: skip
            x, before, last = end.x, last, end.fun
            if before - last < 1e-12:
                break
        found.append(last)
    return min(found) + 2 * np.log(scale).sum()
