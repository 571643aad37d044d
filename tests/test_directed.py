"""The graph step: acyclic always, stationary on its order, close to the best of all orders."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagdecor.baselines.notears import notears
from dagdecor.graph import MixedGraph
from dagdecor.problem import loss, penalty
from dagdecor.problem.acyclicity import acyclicity
from dagdecor.solve.directed import directed

SLOPE = acyclicity("logdet").slope
KINDS = ["none", "diagonal", "full"]
seeds = st.integers(0, 2**20)


def sample_covariance(seed, p, n=None):
    """S of n rows from a random linear model with about one edge a node."""
    rng = np.random.default_rng(seed)
    n = n or 10 * p
    B = np.triu(rng.random((p, p)) < 2 / p, 1) * rng.uniform(0.4, 1.5, (p, p))
    B *= rng.choice([-1, 1], (p, p))
    place = rng.permutation(p)
    B = B[np.ix_(place, place)]
    X = rng.normal(size=(n, p)) @ np.linalg.inv(np.eye(p) - B)
    X -= X.mean(axis=0)
    return X.T @ X / n


def a_precision(kind, seed, p):
    rng = np.random.default_rng([seed, 1])
    if kind == "none":
        return None
    if kind == "diagonal":
        return rng.uniform(0.5, 2, p)
    A = rng.normal(size=(p, 3 * p))
    return A @ A.T / (3 * p)


def objective(S, B, precision, weights):
    return loss.value(S, B, precision) + penalty.value(B, weights)


def order_of(B):
    """A topological order; MixedGraph refuses a cycle."""
    names = [str(j) for j in range(len(B))]
    return [int(name) for name in MixedGraph.from_matrices(B, names=names).order]


def lasso_on_order(S, precision, weights, order):
    """Ordered lasso by proximal gradient with momentum and restarts: slow, and not our code."""
    p = len(S)
    place = np.argsort(order)
    barred = np.where(place[:, None] < place, weights, np.inf)
    Theta = np.ones(p) if precision is None else precision
    Theta = np.diag(Theta) if Theta.ndim == 1 else Theta
    step = 1 / (np.linalg.eigvalsh(S)[-1] * np.linalg.eigvalsh(Theta)[-1])
    B = Z = np.zeros((p, p))
    t = 1.0
    for _ in range(20000):
        after = penalty.prox(Z - step * loss.gradient(S, Z, Theta), barred, step)
        if np.vdot(Z - after, after - B) > 0:
            t = 1.0
        faster = (1 + (1 + 4 * t * t) ** 0.5) / 2
        Z = after + (t - 1) / faster * (after - B)
        moved = np.abs(after - B).max()
        B, t = after, faster
        if moved < 1e-12:
            break
    return B


@given(
    seed=seeds,
    p=st.integers(1, 7),
    n=st.integers(2, 40),
    kind=st.sampled_from(KINDS),
    level=st.sampled_from([0.0, 0.01, 0.1, 1.0]),
    name=st.sampled_from(["logdet", "expm"]),
)
@settings(max_examples=150, deadline=None)
def test_the_answer_is_acyclic_certified_and_repeatable(seed, p, n, kind, level, name):
    S, precision = sample_covariance(seed, p, n), a_precision(kind, seed, p)
    B, proof = directed(S, precision, level, acyclicity(name).slope)
    assert len(order_of(B)) == p
    assert np.isfinite(B).all()
    assert proof.objective == pytest.approx(objective(S, B, precision, level), rel=1e-9, abs=1e-12)
    assert proof.objective <= objective(S, np.zeros((p, p)), precision, level) * (1 + 1e-12)
    assert proof.measure == "stationarity given the order"
    again = directed(S, precision, level, acyclicity(name).slope).value
    np.testing.assert_array_equal(again, B)
    if level > 0 or n > 3 * p:
        assert proof.converged, str(proof)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("matrix", [False, True])
@pytest.mark.parametrize("p", [6, 15])
def test_stationary_and_optimal_on_its_order(kind, matrix, p):
    S, precision = sample_covariance(3, p), a_precision(kind, 3, p)
    weights = np.random.default_rng(0).uniform(0.05, 0.3, (p, p)) if matrix else 0.1
    B, proof = directed(S, precision, weights, SLOPE)
    assert proof.converged, str(proof)
    order = stationary_order(S, B, precision, weights)
    refit = lasso_on_order(S, precision, weights, order)
    assert proof.objective == pytest.approx(objective(S, refit, precision, weights), rel=1e-9)
    np.testing.assert_allclose(B, refit, atol=1e-6)


def stationary_order(S, B, precision, weights):
    """An order that B follows and on which it is stationary; MixedGraph refuses if none is."""
    gap = penalty.violation(B, loss.gradient(S, B, precision), weights) > 1e-7
    np.fill_diagonal(gap, val=False)
    assert not (gap & (B != 0)).any()
    # An edge i -> j that is absent and would lower the objective must be against the order.
    return order_of((B != 0) | gap.T)


@pytest.mark.parametrize("kind", KINDS)
def test_close_to_the_best_of_all_orders(kind):
    gaps = []
    for seed in range(40):
        p = 3 + seed % 2
        S, precision = sample_covariance(seed, p, 30), a_precision(kind, seed, p)
        best = min(
            objective(S, lasso_on_order(S, precision, 0.1, list(order)), precision, 0.1)
            for order in permutations(range(p))
        )
        found = directed(S, precision, 0.1, SLOPE).certificate.objective
        gaps.append(found / best - 1)
    gaps = np.array(gaps)
    assert gaps.min() > -1e-9
    assert gaps.max() < 2e-3
    assert np.mean(gaps < 1e-6) >= 0.9


@given(seed=seeds, p=st.integers(2, 8))
@settings(max_examples=20, deadline=None)
def test_a_diagonal_precision_in_either_form(seed, p):
    S, precision = sample_covariance(seed, p), a_precision("diagonal", seed, p)
    one = directed(S, precision, 0.1, SLOPE).value
    other = directed(S, np.diag(precision), 0.1, SLOPE).value
    np.testing.assert_array_equal(one, other)
    plain = directed(S, None, 0.1, SLOPE).value
    np.testing.assert_array_equal(directed(S, np.eye(p), 0.1, SLOPE).value, plain)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(8))
def test_relabelling_relabels_the_answer(kind, seed):
    p = 12
    S, precision = sample_covariance(seed, p), a_precision(kind, seed, p)
    place = np.random.default_rng(seed).permutation(p)
    moved = precision
    if precision is not None:
        moved = precision[place] if precision.ndim == 1 else precision[np.ix_(place, place)]
    weights = np.random.default_rng(seed).uniform(0.05, 0.2, (p, p))
    here = directed(S, precision, weights, SLOPE)
    there = directed(S[np.ix_(place, place)], moved, weights[np.ix_(place, place)], SLOPE)
    assert here.certificate.objective == pytest.approx(there.certificate.objective, rel=1e-12)
    np.testing.assert_allclose(here.value[np.ix_(place, place)], there.value, atol=1e-12)


@given(seed=seeds, kind=st.sampled_from(KINDS), shrink=st.floats(0.1, 2))
@settings(max_examples=40, deadline=None)
def test_never_worse_than_an_acyclic_start(seed, kind, shrink):
    p = 6
    S, precision = sample_covariance(seed, p), a_precision(kind, seed, p)
    # A start that is good for another precision, as in the alternation.
    start = shrink * directed(S, a_precision("full", seed + 1, p), 0.05, SLOPE).value
    found = directed(S, precision, 0.1, SLOPE, start=start)
    assert found.certificate.objective <= objective(S, start, precision, 0.1) * (1 + 1e-12)
    again = directed(S, precision, 0.1, SLOPE, start=found.value)
    assert again.certificate.objective <= found.certificate.objective * (1 + 1e-12)


def test_a_cyclic_or_forbidden_start_is_ignored():
    S = sample_covariance(5, 4)
    plain = directed(S, None, 0.1, SLOPE).value
    np.testing.assert_array_equal(directed(S, None, 0.1, SLOPE, start=np.ones((4, 4))).value, plain)
    weights = np.full((4, 4), 0.1)
    weights[0, 1] = np.inf
    start = np.zeros((4, 4))
    start[0, 1] = 1.0
    assert directed(S, None, weights, SLOPE, start=start).value[0, 1] == 0.0


@pytest.mark.parametrize("kind", ["none", "diagonal"])
def test_without_penalty_it_is_least_squares_on_the_order(kind):
    p = 6
    S, precision = sample_covariance(2, p, 200), a_precision(kind, 2, p)
    B, proof = directed(S, precision, 0.0, SLOPE)
    assert proof.converged
    order = order_of(B)
    for k, node in enumerate(order):
        before = order[:k]
        expected = np.linalg.solve(S[np.ix_(before, before)], S[before, node])
        np.testing.assert_allclose(B[before, node], expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_a_penalty_beyond_its_maximum_leaves_nothing(kind):
    p = 8
    S, precision = sample_covariance(4, p), a_precision(kind, 4, p)
    gradient = np.abs(loss.gradient(S, np.zeros((p, p)), precision))
    np.fill_diagonal(gradient, 0.0)
    assert not directed(S, precision, gradient.max() * 1.001, SLOPE).value.any()
    assert directed(S, precision, gradient.max() * 0.9, SLOPE).value.any()


@given(seed=seeds, kind=st.sampled_from(KINDS))
@settings(max_examples=30, deadline=None)
def test_forbidden_edges_stay_exactly_zero(seed, kind):
    p = 7
    forbidden = np.random.default_rng(seed).random((p, p)) < 0.5
    S, precision = sample_covariance(seed, p), a_precision(kind, seed, p)
    B, proof = directed(S, precision, np.where(forbidden, np.inf, 0.05), SLOPE)
    assert (B[forbidden] == 0.0).all()
    assert proof.converged
    everything = directed(S, precision, np.full((p, p), np.inf), SLOPE).value
    assert not everything.any()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("level", [0.0, 0.05])
def test_more_columns_than_rows(kind, level):
    p = 30
    S, precision = sample_covariance(1, p, 15), a_precision(kind, 1, p)
    B, proof = directed(S, precision, level, SLOPE)
    assert order_of(B)
    assert np.isfinite(proof.objective)
    assert proof.objective >= -1e-9
    assert proof.converged or level == 0.0


def test_a_covariance_that_rounding_made_indefinite():
    S = sample_covariance(6, 10, 5)
    S -= 1e-13 * np.eye(10)
    assert np.linalg.eigvalsh(S)[0] < 0
    B, proof = directed(S, None, 0.02, SLOPE)
    assert proof.converged
    assert order_of(B)


def test_one_and_two_columns():
    assert directed(np.array([[2.0]]), None, 0.1, SLOPE).value.tolist() == [[0.0]]
    S = np.array([[1.0, 0.9], [0.9, 2.0]])
    # 0 -> 1 has residual variances 1, 1.19; 1 -> 0 has .595, 2: the first costs less.
    found = directed(S, None, 0.1, SLOPE).value
    np.testing.assert_allclose(found, [[0, 0.8], [0, 0]], atol=1e-10)


@pytest.mark.parametrize("kind", ["none", "full"])
def test_not_above_notears(kind):
    for seed in range(3):
        p = 8
        S, precision = sample_covariance(seed, p, 100), a_precision(kind, seed, p)
        rival = notears(S, 0.1, precision)
        assert rival.certificate.converged
        weight = np.sort(np.abs(rival.value), axis=None)
        cut = next(w for w in weight if is_acyclic(rival.value, w))
        order = order_of(np.where(np.abs(rival.value) > cut, rival.value, 0.0))
        refit = lasso_on_order(S, precision, 0.1, order)
        ours = directed(S, precision, 0.1, SLOPE).certificate.objective
        assert ours <= objective(S, refit, precision, 0.1) * 1.002


def is_acyclic(B, cut):
    kept = np.abs(B) > cut
    return not np.trace(np.linalg.matrix_power(np.eye(len(B)) + kept, len(B)) - np.eye(len(B)))
