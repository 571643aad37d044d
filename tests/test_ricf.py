"""The maximum-likelihood fit on a given graph: optimal, equivariant, and honest when it fails."""

import time

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import (
    Free,
    best_of_lbfgs,
    dag_masks,
    graph_masks,
    implied_covariance,
    mixed_graphs,
    objective,
    parameters,
    positive_definite,
    sample_covariance,
    seeds,
)

from dagdecor.certificate import Status
from dagdecor.errors import BadCovariance
from dagdecor.graph import MixedGraph
from dagdecor.solve import ricf_kernels as kernels
from dagdecor.solve.ricf import ricf


@st.composite
def problems(draw, least=1, most=7, n=200):
    """(S, directed, bidirected): the moments of n rows of a model on a bow-free graph."""
    directed, bidirected = draw(graph_masks(least, most))
    seed = draw(seeds())
    return sample_covariance(*parameters(directed, bidirected, seed), n, seed), directed, bidirected


def masks(names, directed=(), bidirected=()):
    graph = MixedGraph(list(names), directed=directed, bidirected=bidirected)
    return graph.directed_matrix, graph.bidirected_matrix


# --- optimality ---------------------------------------------------------------------------------


@given(problems(least=2, most=7))
@settings(max_examples=60)
def test_no_start_of_lbfgs_ends_lower_and_the_best_ends_there_too(problem):
    fitted = ricf(*problem)
    assert fitted.certificate.converged
    assert fitted.certificate.objective == pytest.approx(best_of_lbfgs(*problem), abs=1e-6)


@given(problems())
def test_the_certificate_names_the_objective_of_the_returned_matrices(problem):
    fitted = ricf(*problem)
    value = objective(fitted.weights, fitted.noise_covariance, problem[0])
    assert fitted.certificate.objective == pytest.approx(value, abs=1e-10)


@given(problems())
def test_the_answer_lies_on_the_graph_exactly(problem):
    S, directed, bidirected = problem
    B, Omega, _ = ricf(S, directed, bidirected)
    assert (B[~directed] == 0).all()
    assert (Omega[~(bidirected | np.eye(len(S), dtype=bool))] == 0).all()
    assert (Omega == Omega.T).all()
    assert np.linalg.eigvalsh(Omega)[0] > 0


@given(problems(most=5), st.sampled_from([0, 500]))
def test_the_residual_is_the_scaled_gradient_of_finite_differences(problem, limit):
    S, directed, bidirected = problem
    _, _, certificate = fitted = ricf(S, directed, bidirected, max_iterations=limit)
    free = Free(directed, bidirected)
    deviations = np.sqrt(np.diag(fitted.noise_covariance))
    scale = free.vector(deviations / np.sqrt(np.diag(S))[:, None], np.outer(deviations, deviations))
    x = free.vector(fitted.weights, fitted.noise_covariance)
    slopes = [
        (objective(*free.matrices(x + h), S) - objective(*free.matrices(x - h), S)) / 2e-5
        for h in 1e-5 * np.diag(scale)
    ]
    assert np.abs(slopes).max() == pytest.approx(certificate.residual, abs=1e-6)
    assert certificate.converged == (certificate.residual <= 1e-8)


@given(problems(), seeds())
def test_the_objective_falls_at_every_step_from_any_start(problem, seed):
    S, directed, bidirected = problem
    point = parameters(directed, bidirected, seed)
    values = [objective(*point, S)]
    for _ in range(6):
        point = ricf(S, directed, bidirected, start=point, max_iterations=1)[:2]
        values.append(objective(*point, S))
    assert (np.diff(values) <= 1e-12 * (1 + np.abs(values[0]))).all()


@given(problems())
def test_a_warm_start_is_recognised(problem):
    first = ricf(*problem)
    again = ricf(*problem, start=first[:2])
    assert again.certificate.iterations <= 1
    np.testing.assert_allclose(again.weights, first.weights, atol=1e-7)


@pytest.mark.parametrize(
    ("directed", "bidirected", "seed"),
    [
        (["01", "02", "03", "04", "12", "23", "34"], ["13", "14", "24"], 1427),
        (["02", "12", "13", "23", "34"], ["01", "03", "04", "14", "24"], 2984),
    ],
)
def test_a_valley_without_a_bottom_is_left_by_another_start(directed, bidirected, seed):
    D, U = masks("01234", [tuple(e) for e in directed], [tuple(e) for e in bidirected])
    S = sample_covariance(*parameters(D, U, seed), 15, seed)
    least_squares = ricf(S, D, np.zeros_like(U))[:2]
    fallen = ricf(S, D, U, start=least_squares).certificate
    assert fallen.status is Status.LIMIT
    certificate = ricf(S, D, U).certificate
    assert certificate.converged
    assert certificate.objective < fallen.objective - 1e-3


def test_the_same_input_gives_the_same_bits():
    D, U = masks("abcd", [("a", "b"), ("b", "c"), ("c", "d")], [("b", "d")])
    S = sample_covariance(*parameters(D, U, 3), 100, 3)
    first, second = ricf(S, D, U), ricf(S, D, U)
    assert first.certificate == second.certificate
    assert (first.weights == second.weights).all()
    assert (first.noise_covariance == second.noise_covariance).all()


# --- closed forms and known models ----------------------------------------------------------------


@given(dag_masks(), st.data())
def test_without_arcs_it_is_least_squares(directed, data):
    p = len(directed)
    S = data.draw(positive_definite(p))
    B, Omega, certificate = ricf(S, directed, np.zeros((p, p), dtype=bool))
    assert certificate.converged
    assert certificate.iterations == 0
    for j in range(p):
        above = np.flatnonzero(directed[:, j])
        weights = np.linalg.solve(S[np.ix_(above, above)], S[above, j])
        np.testing.assert_allclose(B[above, j], weights, rtol=1e-8, atol=1e-10)
        assert Omega[j, j] == pytest.approx(S[j, j] - S[above, j] @ weights, rel=1e-9)


@given(st.integers(1, 7), st.data())
def test_the_complete_bidirected_graph_gives_the_covariance_itself(p, data):
    S = data.draw(positive_definite(p))
    fitted = ricf(S, np.zeros((p, p), dtype=bool), ~np.eye(p, dtype=bool))
    np.testing.assert_allclose(fitted.noise_covariance, S, atol=1e-8)


@given(graph_masks(2, 6, marks=("directed", "bidirected")), st.data())
def test_a_saturated_identifiable_model_reproduces_the_covariance(pair, data):
    directed, bidirected = ancestral(*pair)
    complete = directed | directed.T | bidirected | np.eye(len(directed), dtype=bool)
    assume(complete.all())
    S = data.draw(positive_definite(len(directed)))
    B, Omega, certificate = ricf(S, directed, bidirected)
    assert certificate.converged
    np.testing.assert_allclose(implied_covariance(B, Omega), S, atol=1e-7)


def ancestral(directed, bidirected):
    """The graph without arcs between a node and its ancestor; what is left is identifiable."""
    graph = MixedGraph.from_matrices(directed, bidirected)
    kept = [
        (first, second)
        for first, second in graph.bidirected
        if first not in graph.ancestors(second) and second not in graph.ancestors(first)
    ]
    smaller = MixedGraph(graph.names, graph.directed, kept)
    return smaller.directed_matrix, smaller.bidirected_matrix


@given(graph_masks(2, 7), seeds())
def test_an_identifiable_model_is_found_from_its_own_covariance(pair, seed):
    directed, bidirected = ancestral(*pair)
    truth = parameters(directed, bidirected, seed)
    S = implied_covariance(*truth)
    fitted = ricf(S, directed, bidirected, tolerance=1e-10)
    np.testing.assert_allclose(fitted.weights, truth[0], atol=1e-6)
    np.testing.assert_allclose(fitted.noise_covariance, truth[1], atol=1e-6)


def test_the_four_node_case_of_the_literature():
    D, U = masks("abcd", [("a", "b"), ("b", "c"), ("c", "d")], [("b", "d")])
    B, Omega = np.zeros((4, 4)), np.diag([1.2, 1.0, 1.0, 1.0])
    B[0, 1], B[1, 2], B[2, 3] = 1.0, -1.5, 1.0
    Omega[1, 3] = Omega[3, 1] = 0.6
    fitted = ricf(implied_covariance(B, Omega), D, U)
    np.testing.assert_allclose(fitted.weights, B, atol=1e-8)
    np.testing.assert_allclose(fitted.noise_covariance, Omega, atol=1e-8)


# --- symmetries -----------------------------------------------------------------------------------


@given(problems(least=2), st.data())
def test_relabelling_the_columns_relabels_the_answer(problem, data):
    order = np.array(data.draw(st.permutations(range(len(problem[0])))))
    place = np.ix_(order, order)
    first = ricf(*problem, tolerance=1e-10)
    second = ricf(*(matrix[place] for matrix in problem), tolerance=1e-10)
    assert second.certificate.objective == pytest.approx(first.certificate.objective, abs=1e-9)
    np.testing.assert_allclose(second.weights, first.weights[place], atol=1e-5)
    np.testing.assert_allclose(second.noise_covariance, first.noise_covariance[place], atol=1e-5)


@given(problems(), st.integers(-6, 6), seeds())
def test_rescaling_the_columns_rescales_the_answer(problem, decades, seed):
    S, directed, bidirected = problem
    d = 10.0 ** np.random.default_rng(seed).uniform(-abs(decades), abs(decades), len(S))
    first = ricf(S, directed, bidirected)
    second = ricf(S * np.outer(d, d), directed, bidirected)
    assert second.certificate.converged == first.certificate.converged
    shift = second.certificate.objective - first.certificate.objective
    assert shift == pytest.approx(2 * np.log(d).sum(), abs=1e-8)
    np.testing.assert_allclose(second.weights * d[:, None] / d, first.weights, atol=1e-6)
    np.testing.assert_allclose(
        second.noise_covariance / np.outer(d, d), first.noise_covariance, atol=1e-6
    )


@given(mixed_graphs(2, 7), seeds())
def test_a_district_is_fitted_from_itself_and_its_parents(graph, seed):
    directed, bidirected = graph.directed_matrix, graph.bidirected_matrix
    S = sample_covariance(*parameters(directed, bidirected, seed), 200, seed)
    whole = ricf(S, directed, bidirected)
    total = 0.0
    for district in graph.districts:
        inside = [graph.names.index(name) for name in district]
        kept = np.flatnonzero(directed[:, inside].any(axis=1) | np.isin(graph.names, district))
        place, mine = np.ix_(kept, kept), np.isin(kept, inside)
        part = ricf(S[place], directed[place] * mine, bidirected[place] & np.outer(mine, mine))
        np.testing.assert_allclose(part.weights[:, mine], whole.weights[place][:, mine], atol=1e-6)
        total += part.certificate.objective - np.sum(np.log(np.diag(S)[kept[~mine]]) + 1)
    assert total == pytest.approx(whole.certificate.objective, abs=1e-8)


# --- hard cases -----------------------------------------------------------------------------------


@given(st.integers(2, 5), st.data())
def test_bows_are_fitted_and_nothing_is_lost_by_them(p, data):
    S = data.draw(positive_definite(p))
    directed, bidirected = np.triu(np.ones((p, p), dtype=bool), 1), ~np.eye(p, dtype=bool)
    B, Omega, certificate = ricf(S, directed, bidirected)
    assert certificate.objective == pytest.approx(np.linalg.slogdet(S)[1] + p, abs=1e-8)
    np.testing.assert_allclose(implied_covariance(B, Omega), S, atol=1e-6)


def test_collinear_parents_share_the_weight():
    half = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    S = (half.T @ half)[np.ix_([0, 0, 1, 2], [0, 0, 1, 2])]
    D, U = masks("abcd", [("a", "d"), ("b", "d"), ("c", "d")])
    B, _, certificate = ricf(S, D, U)
    np.testing.assert_allclose(B[:, 3], [0.25, 0.25, 0.0, 0.0], atol=1e-9)
    assert certificate.converged


def wide(n, p, seed):
    X = np.random.default_rng(seed).standard_normal((n, p))
    X -= X.mean(axis=0)
    return X.T @ X / n


@given(st.integers(3, 6), seeds())
def test_more_parents_than_rows_fail_with_a_floor_and_finite_numbers(n, seed):
    p = n + 2
    directed = np.zeros((p, p), dtype=bool)
    directed[:-1, -1] = True
    B, Omega, certificate = ricf(wide(n, p, seed), directed, np.zeros((p, p), dtype=bool))
    assert certificate.status is Status.FAILED
    assert np.isfinite(certificate.objective)
    assert np.isfinite(B).all()
    assert 0 < Omega[-1, -1] < 1e-4


@given(graph_masks(6, 8, marks=("directed", "bidirected", "bidirected")), seeds())
def test_a_large_district_of_few_rows_fails_and_stays_positive_definite(pair, seed):
    directed, bidirected = pair
    S = wide(4, len(directed), seed)
    start = (np.zeros(S.shape), np.diag(np.diag(S)))
    B, Omega, certificate = ricf(S, directed, bidirected, start=start)
    assume(certificate.status is not Status.CONVERGED)
    assert certificate.status in {Status.FAILED, Status.LIMIT}
    assert np.isfinite([B, Omega]).all()
    assert np.linalg.eigvalsh(Omega / np.sqrt(np.outer(np.diag(Omega), np.diag(Omega))))[0] > 0
    assert certificate.objective <= objective(*start, S)
    assert certificate.objective == pytest.approx(objective(B, Omega, S), rel=1e-6, abs=1e-6)


def test_small_districts_of_a_wide_table_converge():
    p, n = 40, 12
    S = wide(n, p, 0)
    directed, bidirected = np.zeros((2, p, p), dtype=bool)
    for i in range(0, p - 3, 3):
        directed[i, i + 1] = directed[i, i + 3] = True
        bidirected[i + 1, i + 2] = bidirected[i + 2, i + 1] = True
    assert ricf(S, directed, bidirected).certificate.converged


def test_a_start_that_is_not_positive_definite_is_ignored():
    D, U = masks("abc", [("a", "b")], [("b", "c")])
    S = sample_covariance(*parameters(D, U, 1), 50, 1)
    ruined = (np.ones((3, 3)), np.ones((3, 3)) - 2 * np.eye(3))
    first, second = ricf(S, D, U), ricf(S, D, U, start=ruined)
    assert (first.noise_covariance == second.noise_covariance).all()


def test_a_better_start_survives_the_variance_floor():
    D, U = masks("ab", [("a", "b")])
    S = np.ones((2, 2))
    start = (np.array([[0.0, 1.0], [0.0, 0.0]]), np.diag([1.0, 1e-9]))
    B, Omega, certificate = ricf(S, D, U, start=start)
    assert certificate.status is Status.FAILED
    assert (start[0] == B).all()
    assert (start[1] == Omega).all()


def test_numbers_that_are_not_finite_are_refused():
    with pytest.raises(BadCovariance):
        ricf(np.array([[np.nan]]), *np.zeros((2, 1, 1), dtype=bool))


def test_too_few_iterations_are_admitted():
    D, U = masks("abcd", [("a", "b"), ("b", "c"), ("c", "d")], [("b", "d"), ("a", "c")])
    S = sample_covariance(*parameters(D, U, 5), 100, 5)
    certificate = ricf(S, D, U, max_iterations=1).certificate
    assert certificate.status is Status.LIMIT
    assert certificate.residual > certificate.tolerance


def test_fifty_columns_take_well_under_a_second():
    rng = np.random.default_rng(0)
    p = 50
    marks = np.triu(rng.choice(3, p=[0.9, 0.06, 0.04], size=(p, p)), 1)
    directed, bidirected = marks == 1, (marks == 2) | (marks == 2).T
    S = sample_covariance(*parameters(directed, bidirected, 0), 500, 0)
    ricf(S, directed, bidirected)  # compiles
    begin = time.process_time()
    certificate = ricf(S, directed, bidirected).certificate
    assert time.process_time() - begin < 1.0
    assert certificate.converged


def test_the_kernel_alone_serves_a_search():
    D, U = masks("abc", [("a", "b")], [("b", "c")])
    S = sample_covariance(*parameters(D, U, 2), 50, 2)
    values, deviance, residual, _, status = kernels.fit_district(
        S, np.array([1, 2]), np.array([[0, 1]]), np.array([[1, 2]]), np.empty(0), 1e-8, 100
    )
    whole = ricf(S, D, U)
    assert status == kernels.CONVERGED
    assert residual <= 1e-8
    assert deviance == pytest.approx(whole.certificate.objective - np.log(S[0, 0]) - 1)
    np.testing.assert_allclose(
        values,
        [whole.weights[0, 1], *whole.noise_covariance[[1, 1, 2], [2, 1, 2]]],
    )
