"""Numbers, sizes and signs of what a regime draws are those of its row in the table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dagdecor.simulate import REGIMES, draw
from dagdecor.simulate.laws import (
    MARGIN,
    NOISE,
    Latents,
    latent_law,
    raised,
    without_bows,
)

# Events that a true law produces less than once in 10^8 tests: the seeds are fixed, the bound
# says that no seed had to be looked for.
DEVIATIONS = 6.0

LATENT = {
    "paper": (5, 8, 0.15),
    "local": (10, 2, 0.7),
    "moderate": (5, 4, 0.5),
    "pervasive": (3, 16, 0.5),
}


def upper(matrix):
    return matrix[np.triu_indices(len(matrix), 1)]


# --- what the table says -----------------------------------------------------------------------


def test_default_sizes_are_those_of_the_table():
    shapes = {name: draw(name).X.shape for name in REGIMES}
    assert shapes == {
        "paper": (200, 20),
        "local": (1000, 20),
        "moderate": (1000, 20),
        "pervasive": (1000, 20),
        "abic": (1000, 10),
        "rbap": (1000, 10),
        "wide": (50, 100),
    }
    assert draw("wide", p=61).n == 30


def test_sparse_weights_have_their_count_range_and_signs():
    draws = [draw("local", seed, n=2).weights for seed in range(200)]
    counts = np.array([(B != 0).sum() for B in draws])
    assert abs(counts.mean() - 19) < DEVIATIONS * np.sqrt(190 * 0.1 * 0.9 / len(draws))
    assert counts.var() == pytest.approx(190 * 0.1 * 0.9, rel=0.5)
    weights = np.concatenate([B[B != 0] for B in draws])
    assert stats.kstest(np.abs(weights), stats.uniform(0.3, 0.5).cdf).pvalue > 1e-8
    assert stats.binomtest(int((weights > 0).sum()), len(weights)).pvalue > 1e-8


def test_wide_graphs_have_one_edge_a_node():
    counts = np.array([len(draw("wide", seed, n=2).graph.directed) for seed in range(60)])
    assert abs(counts.mean() - 100) < DEVIATIONS * np.sqrt(100 / len(counts))


@pytest.mark.parametrize("regime", [*LATENT, "wide"])
def test_hidden_causes_have_the_stated_rank(regime):
    q = LATENT[regime][0] if regime in LATENT else 10
    for seed in range(10):
        Omega = draw(regime, seed, n=2).noise_covariance
        assert np.linalg.matrix_rank(Omega - NOISE * np.eye(len(Omega)), tol=1e-10) <= q


@pytest.mark.parametrize("regime", list(LATENT))
def test_hidden_causes_have_the_stated_number_size_and_reach(regime, monkeypatch):
    seen = []
    monkeypatch.setattr(
        "dagdecor.simulate.regimes.latent_law",
        lambda rng, p, probability, latents: (
            seen.append((probability, latents)) or latent_law(rng, p, 0.0, latents)
        ),
    )
    q, nodes, deviation = LATENT[regime]
    draws = [draw(regime, seed, n=2).noise_covariance for seed in range(100)]
    assert set(seen) == {(0.1, Latents(q, nodes, deviation))}
    squares = np.array([np.trace(Omega) - NOISE * len(Omega) for Omega in draws])
    # A sum of q * nodes squares of N(0, deviation^2).
    spread = np.sqrt(2 * q * nodes / len(draws))
    assert abs(squares.mean() / deviation**2 - q * nodes) < DEVIATIONS * spread


def test_one_hidden_cause_joins_every_two_of_its_nodes():
    law = latent_law(np.random.default_rng(0), 12, 0.0, Latents(1, 5, 1.0))
    assert (upper(law.Omega) != 0).sum() == 10
    assert not law.B.any()


def test_density_is_the_share_of_columns_that_a_hidden_cause_loads_on(monkeypatch):
    nothing = draw("paper", density=0.0)
    assert np.array_equal(nothing.noise_covariance, NOISE * np.eye(20))
    seen = []
    monkeypatch.setattr(
        "dagdecor.simulate.regimes.latent_law",
        lambda rng, p, probability, latents: (
            seen.append(latents.nodes) or latent_law(rng, p, probability, latents)
        ),
    )
    for p, density in ((20, 0.2), (20, 0.4), (20, 0.6), (20, 0.8), (7, 0.5), (100, 0.29), (9, 1)):
        draw("paper", n=2, p=p, density=density)
    assert seen == [4, 8, 12, 16, 3, 29, 9]  # .29 * 100 is 28.999... in floats


@pytest.mark.parametrize(("p", "directed", "bidirected"), [(10, 12, 8), (15, 18, 12), (3, 2, 1)])
def test_abic_counts_and_ranges(p, directed, bidirected):
    weights, covariances = [], []
    for seed in range(60):
        sample = draw("abic", seed, n=2, p=p)
        Omega, variances = sample.noise_covariance, np.diag(sample.noise_covariance)
        assert len(sample.graph.directed) == directed
        assert len(sample.graph.bidirected) == bidirected
        assert variances.min() >= 0.7
        assert np.ptp(variances) <= 0.5
        lowest = np.linalg.eigvalsh(Omega)[0]
        assert variances.max() <= 1.2 or lowest == pytest.approx(MARGIN)
        weights.extend(sample.weights[sample.weights != 0])
        covariances.extend(upper(Omega)[upper(Omega) != 0])
    for values, low, high in ((weights, 0.5, 2.0), (covariances, 0.4, 0.7)):
        assert stats.kstest(np.abs(values), stats.uniform(low, high - low).cdf).pvalue > 1e-8
        assert stats.binomtest(int((np.array(values) > 0).sum()), len(values)).pvalue > 1e-8


@pytest.mark.parametrize(("p", "edges"), [(6, 3), (6, None), (8, 12), (10, 5), (10, 15)])
def test_rbap_counts_and_ranges(p, edges):
    weights, covariances, raises = [], [], []
    for seed in range(40):
        sample = draw("rbap", seed, n=2, p=p, edges=edges)
        Omega, variances = sample.noise_covariance, np.diag(sample.noise_covariance)
        assert len(sample.graph.directed) == len(sample.graph.bidirected) == (edges or p)
        assert np.ptp(variances) == 0
        lowest = np.linalg.eigvalsh(Omega)[0]
        assert variances[0] == 1 or lowest == pytest.approx(MARGIN)
        raises.append(variances[0] - 1)
        weights.extend(sample.weights[sample.weights != 0])
        covariances.extend(upper(Omega)[upper(Omega) != 0])
    assert min(raises) >= 0
    for values, low, high in ((weights, 0.6, 1.0), (covariances, 0.3, 0.5)):
        assert stats.kstest(np.abs(values), stats.uniform(low, high - low).cdf).pvalue > 1e-8
        assert stats.binomtest(int((np.array(values) > 0).sum()), len(values)).pvalue > 1e-8


def test_diagonal_is_raised_only_as_far_as_needed():
    assert np.array_equal(raised(np.eye(3)), np.eye(3))
    lifted = raised(np.array([[1.0, 2.0], [2.0, 1.0]]))
    assert np.allclose(lifted, [[2 + MARGIN, 2], [2, 2 + MARGIN]])


# --- the bow clean-up --------------------------------------------------------------------------


@st.composite
def edges_and_loadings(draw_from):
    p = draw_from(st.integers(2, 7))
    q = draw_from(st.integers(0, 5))
    rng = np.random.default_rng(draw_from(st.integers(0, 2**32)))
    edges, loads = draw_from(st.floats(0, 1)), draw_from(st.floats(0, 1))
    B = np.triu(rng.random((p, p)) < edges, 1) * 0.5
    return B, rng.standard_normal((p, q)) * (rng.random((p, q)) < loads)


@given(edges_and_loadings())
@settings(max_examples=150, deadline=None)
def test_clean_up_leaves_no_bow_and_touches_only_children(problem):
    B, L = problem
    before = L.copy()
    cleared = without_bows(B, L)
    shared = (cleared != 0).astype(int) @ (cleared != 0).T
    assert not shared[B != 0].any()
    assert np.array_equal(L, before)
    changed = cleared != L
    assert not cleared[changed].any()
    assert not changed[~(B != 0).any(axis=0)].any()
    assert np.array_equal(without_bows(B, cleared), cleared)


def test_clean_up_clears_the_common_loadings_of_the_child_alone():
    B = np.zeros((3, 3))
    B[0, 1] = 0.5
    L = np.array([[1.0, 0.0], [2.0, 3.0], [4.0, 5.0]])
    assert without_bows(B, L).tolist() == [[1, 0], [0, 3], [4, 5]]
