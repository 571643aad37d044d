"""The rivals of our own: gradients, optimality, and hidden causes that are removed."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.optimize import approx_fprime
from strategies import objective, positive_definite, seeds

import dagdecor as dd
from dagdecor.baselines import bow_free, decamf, descent, golem, low_rank_plus_sparse, spectral
from dagdecor.data import Table
from dagdecor.moments import Moments
from dagdecor.solve.precision import precision
from dagdecor.solve.ricf import ricf

COLLIDER = {("C", "B"), ("A", "B")}


def pervasive(scale=1.0, n=400, p=20):
    """A -> B <- C among columns that one hidden cause moves alike."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(n, p)) + 2.0 * rng.normal(size=(n, 1))
    values[:, 1] += 1.2 * values[:, 2] - 1.2 * values[:, 0]
    return Table(scale * values, ("C", "B", "A", *(f"x{k}" for k in range(p - 3))))


# --- the measure of cycles ---------------------------------------------------------------------


@pytest.mark.parametrize("size", [0.5, 30.0])
def test_the_measure_of_cycles_is_finite_and_falls_towards_acyclic(size):
    B = size * np.random.default_rng(0).normal(size=(4, 4)) * (1 - np.eye(4))
    h, slope = descent.cycles(B)
    assert np.isfinite(h)
    assert h > 0
    numeric = approx_fprime(B.ravel(), lambda x: descent.cycles(x.reshape(4, 4))[0], 1e-7)
    if size < 1:
        np.testing.assert_allclose(slope.ravel(), numeric, rtol=1e-4, atol=1e-5)
    assert descent.cycles(0.9 * B)[0] < h
    assert descent.cycles(np.triu(B, 1))[0] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("name", ["golem-ev", "golem-nv"])
def test_golem_survives_fewer_rows_than_columns(name):
    found = dd.baselines.fit(name, pervasive(n=5, p=6))
    assert found.graph.directed
    assert np.isfinite(found.weights).all()


# --- GOLEM -------------------------------------------------------------------------------------


@pytest.mark.parametrize("likelihood", [golem.equal, golem.unequal])
def test_the_gradient_of_golem_is_that_of_its_value(likelihood):
    rng = np.random.default_rng(3)
    S, B = np.cov(rng.normal(size=(5, 40))), 0.3 * rng.normal(size=(5, 5))
    _, slope = likelihood(S, B)
    numeric = approx_fprime(B.ravel(), lambda x: likelihood(S, x.reshape(5, 5))[0], 1e-7)
    np.testing.assert_allclose(slope.ravel(), numeric, rtol=1e-5, atol=1e-5)


@given(S=positive_definite(4), seed=seeds())
@settings(max_examples=20)
def test_golem_is_the_likelihood_with_its_variances_profiled(S, seed):
    B = np.triu(np.random.default_rng(seed).normal(size=(4, 4)), 1)
    left = np.diag((np.eye(4) - B).T @ S @ (np.eye(4) - B))
    free = 0.5 * (objective(B, np.diag(left), S) - 4)
    common = 0.5 * (objective(B, np.mean(left) * np.eye(4), S) - 4)
    np.testing.assert_allclose(golem.unequal(S, B)[0], free, atol=1e-8)
    np.testing.assert_allclose(golem.equal(S, B)[0], common + 2 * np.log(4), atol=1e-8)


@pytest.mark.parametrize("name", ["golem-ev-paper", "golem-ev", "golem-nv-paper", "golem-nv"])
def test_golem_ends_where_nothing_falls_and_below_the_truth(name):
    draw = dd.simulate.draw("paper", seed=1, density=0.0)
    moments = Moments.from_data(draw.X)
    likelihood, penalty = {
        "golem-ev-paper": (golem.equal, 0.1),
        "golem-ev": (golem.equal, 0.02),
        "golem-nv-paper": (golem.unequal, 0.1),
        "golem-nv": (golem.unequal, 0.002),
    }[name]
    end = golem.golem(moments.S, likelihood, penalty, draw.weights)
    there = likelihood(moments.S, draw.weights)[0] + penalty * np.abs(draw.weights).sum()
    assert end.objective < there
    assert end.slope < golem.SLOPE
    found = dd.baselines.fit(name, moments)
    assert found.status is dd.Status.CONVERGED
    assert dd.metrics.compare(draw.graph, found.graph).directed_f1 > 0.7


# --- low rank plus sparse ----------------------------------------------------------------------


@pytest.mark.parametrize(("sparse", "trace"), [(0.02, 0.1), (0.1, 0.3), (0.3, 0.4)])
def test_low_rank_plus_sparse_meets_its_optimality(sparse, trace):
    R = Moments.from_data(dd.simulate.draw("paper", seed=0, p=8).X).correlation()
    parts = low_rank_plus_sparse.decompose(R, sparse, trace, tolerance=1e-8)
    assert low_rank_plus_sparse.violation(R, parts, sparse, trace) < 1e-6
    np.testing.assert_allclose(parts.A, parts.A.T, atol=1e-12)
    assert np.linalg.eigvalsh(parts.L)[0] > -1e-12
    away = parts._replace(A=parts.A + 0.01 * np.eye(8))
    assert low_rank_plus_sparse.violation(R, away, sparse, trace) > 1e-4


def test_without_a_low_rank_it_is_the_graphical_lasso():
    R = Moments.from_data(dd.simulate.draw("paper", seed=0, p=8).X).correlation()
    parts = low_rank_plus_sparse.decompose(R, 0.1, 100.0, tolerance=1e-9)
    assert not parts.L.any()
    np.testing.assert_allclose(parts.A, precision(R, 0.1, tolerance=1e-11).value, atol=1e-4)


def test_one_strong_hidden_cause_is_the_low_rank():
    R = Moments.from_data(pervasive()).correlation()
    parts = low_rank_plus_sparse.decompose(R, 0.05, 0.3)
    assert np.linalg.matrix_rank(parts.L, tol=1e-6) == 1
    direction = np.linalg.eigh(parts.L)[1][:, -1]
    assert np.abs(direction[3:]).min() > 0.1


# --- hidden causes removed before NOTEARS ------------------------------------------------------


@pytest.mark.parametrize("rank", [0, 1, 3])
def test_removed_components_are_those_of_the_rows(rank):
    moments = Moments.from_data(pervasive(n=50, p=6))
    X = pervasive(n=50, p=6).values
    U, d, Vt = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    d[:rank] = 0
    left = (U * d) @ Vt
    np.testing.assert_allclose(
        decamf.without_components(moments.S, rank), left.T @ left / 50, atol=1e-10
    )


@pytest.mark.parametrize(("n", "p"), [(50, 6), (50, 7), (8, 12)])
def test_trimming_caps_the_singular_values_of_the_rows_at_their_median(n, p):
    X = pervasive(n=n, p=p).values
    U, d, Vt = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    cap = np.median(d[: min(n - 1, p)])
    left = (U * np.minimum(d, cap)) @ Vt
    S = Moments.from_data(pervasive(n=n, p=p)).S
    np.testing.assert_allclose(spectral.trimmed(S, n), left.T @ left / n, atol=1e-10)


@pytest.mark.parametrize("name", ["decamf-r1-paper", "decamf-paper", "decamf-r1", "decamf"])
def test_removing_a_pervasive_cause_leaves_the_collider(name):
    assert set(dd.baselines.fit(name, pervasive(), latents=1).graph.directed) == COLLIDER


def test_a_pervasive_cause_that_is_left_in_ties_other_columns():
    assert set(dd.baselines.fit("golem-ev", pervasive()).graph.directed) - COLLIDER


@pytest.mark.parametrize("name", ["spectral-notears-paper", "spectral-notears"])
def test_trimming_leaves_the_collider_and_what_it_ties(name):
    found = dd.baselines.fit(name, pervasive(scale=3.0)).graph
    assert set(found.directed) >= COLLIDER
    assert {end for edge in found.directed for end in edge} == {"A", "B", "C"}


# --- greedy bow-free search --------------------------------------------------------------------


def bic(S, n, edges, arcs):
    marks = edges.sum() + arcs.sum() // 2
    return n * ricf(S, edges, arcs).certificate.objective + np.log(n) * marks


@pytest.mark.parametrize("seed", range(3))
def test_no_change_of_one_mark_lowers_the_score_of_the_greedy_search(seed):
    draw = dd.simulate.draw("rbap", seed=seed, p=5, n=500, edges=3)
    S = Moments.from_data(draw.X).S.copy()
    graph = bow_free.Graph(*np.zeros((2, 5, 5), dtype=bool))
    score = bow_free.descend(graph, bow_free.Scores(S, 500))
    np.testing.assert_allclose(score, bic(S, 500, graph.edges, graph.arcs), atol=0.01)
    for i, j in itertools.combinations(range(5), 2):
        for mark in range(4):
            other = bow_free.Graph(graph.edges.copy(), graph.arcs.copy())
            if other.allows(i, j, mark):
                other.put(i, j, mark)
                assert bic(S, 500, other.edges, other.arcs) > score - 0.02


def test_the_greedy_search_finds_the_four_node_graph_or_its_equal():
    draw = dd.simulate.draw("four-node", seed=1, n=5000)
    found = dd.baselines.fit("bow-free-bic", draw.X).graph
    moments = Moments.from_data(draw.X)
    scores = [
        bic(moments.S, 5000, graph.directed_matrix, graph.bidirected_matrix)
        for graph in (found, draw.graph)
    ]
    assert found.is_bow_free
    assert scores[0] <= scores[1] + 0.01


def test_rounding_does_not_decide_between_graphs_of_one_law(monkeypatch):
    monkeypatch.setattr(bow_free, "MOST", 3)
    S = Moments.from_data(dd.simulate.draw("rbap", seed=1, p=5, n=500, edges=3).X).S
    rng = np.random.default_rng(0)
    found = []
    for _ in range(6):
        noise = 1e-13 * rng.normal(size=S.shape)
        end = bow_free.search(S * (1 + noise + noise.T), 500, np.random.default_rng(0))
        found.append((end.edges.tolist(), end.arcs.tolist()))
    assert all(other == found[0] for other in found)


def test_marks_that_close_a_circle_are_refused():
    graph = bow_free.Graph(*np.zeros((2, 3, 3), dtype=bool))
    graph.put(0, 1, bow_free.EDGE)
    graph.put(1, 2, bow_free.EDGE)
    assert not graph.allows(0, 2, bow_free.BACK)
    assert graph.allows(0, 2, bow_free.EDGE)
    assert graph.allows(0, 1, bow_free.BACK)
    graph.put(0, 2, bow_free.EDGE)
    assert not graph.allows(0, 2, bow_free.BACK)


# --- DECOR -------------------------------------------------------------------------------------


@pytest.mark.parametrize("route", ["covariance", "precision"])
def test_the_paper_s_settings_are_those_of_the_class(route):
    draw = dd.simulate.draw("paper", seed=0, density=0.2)
    ours = dd.Decor.paper(route, 0.2).fit(draw.X).graph_
    assert dd.baselines.fit(f"decor-2s-{route}-adaptive-paper", draw.X, density=0.2).graph == ours
    fixed = dd.Decor.paper(route).fit(draw.X).graph_
    assert dd.baselines.fit(f"decor-2s-{route}-paper", draw.X).graph == fixed


def test_by_turns_the_noise_step_changes_the_graph():
    draw = dd.simulate.draw("paper", seed=0, density=0.4)
    once, turns = (
        dd.baselines.fit(f"decor-{name}-precision-paper", draw.X).graph for name in ("2s", "rounds")
    )
    assert once.directed != turns.directed
