"""The terms of the objective, against finite differences and against their own definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dagdecor.errors import OptionError
from dagdecor.problem import loss, penalty
from dagdecor.problem.acyclicity import Expm, LogDet, acyclicity

P = 4
matrices = arrays(np.float64, (P, P), elements=st.floats(-2, 2, width=32))
seeds = st.integers(0, 2**20)


def spd(seed, p=P):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(p, 2 * p))
    return A @ A.T / (2 * p)


def slopes(function, at, step=1e-6):
    """Central differences of a function of a matrix."""
    result = np.zeros_like(at)
    for index in np.ndindex(at.shape):
        change = np.zeros_like(at)
        change[index] = step
        result[index] = (function(at + change) - function(at - change)) / (2 * step)
    return result


@pytest.mark.parametrize("kind", ["none", "diagonal", "full"])
@given(B=matrices, seed=seeds)
@settings(max_examples=20, deadline=None)
def test_loss_value_and_gradient(kind, B, seed):
    S, Theta = spd(seed), spd(seed + 1)
    precision = {"none": None, "diagonal": np.diag(Theta), "full": Theta}[kind]
    weight = {"none": np.eye(P), "diagonal": np.diag(np.diag(Theta)), "full": Theta}[kind]
    residual = np.eye(P) - B
    expected = 0.5 * np.trace(S @ residual @ weight @ residual.T)
    assert loss.value(S, B, precision) == pytest.approx(expected, rel=1e-10, abs=1e-10)
    numeric = slopes(lambda at: loss.value(S, at, precision), B, 1e-4)
    np.testing.assert_allclose(loss.gradient(S, B, precision), numeric, atol=1e-6, rtol=1e-6)


def test_penalty_value_counts_a_forbidden_zero_as_nothing():
    B = np.array([[0.0, -2.0], [0.0, 0.0]])
    assert penalty.value(B, np.array([[np.inf, 3.0], [np.inf, np.inf]])) == 6.0
    assert penalty.value(B, 0.5) == 1.0
    assert penalty.value(B.T, np.array([[0.0, 0.0], [np.inf, 0.0]])) == np.inf


@given(B=matrices, seed=seeds, step=st.floats(0.1, 3))
@settings(max_examples=50, deadline=None)
def test_prox_is_its_argmin(B, seed, step):
    weights = np.random.default_rng(seed).uniform(0, 1, (P, P))
    weights[0, 1] = np.inf
    found = penalty.prox(B, weights, step)
    grid = np.linspace(-3, 3, 601)[:, None, None] * np.ones((P, P))
    with np.errstate(invalid="ignore"):
        price = np.where(grid == 0, 0.0, weights * np.abs(grid))
        here = np.where(found == 0, 0.0, weights * np.abs(found))
    assert found[0, 1] == 0
    least = (0.5 * (grid - B) ** 2 + step * price).min(axis=0)
    assert (0.5 * (found - B) ** 2 + step * here <= least + 1e-12).all()


@given(B=matrices, seed=seeds)
@settings(max_examples=50, deadline=None)
def test_violation_vanishes_exactly_at_a_fixed_point_of_the_prox_step(B, seed):
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.1, 1, (P, P))
    target = penalty.prox(B, weights)
    # B -> prox(B) minimises .5 |C - B|^2 + |C|_weights, whose smooth gradient is C - B.
    np.testing.assert_allclose(penalty.violation(target, target - B, weights), 0, atol=1e-12)
    moved = target + 0.1
    away = penalty.violation(moved, moved - B, weights)
    fixed = np.isclose(penalty.prox(B, weights), moved)
    assert (away[~fixed] > 0).all()


def test_violation_of_a_forbidden_entry():
    weights = np.array([[np.inf, np.inf]])
    found = penalty.violation(np.array([[0.0, 1.0]]), np.array([[5.0, 0.0]]), weights)
    assert found.tolist() == [[0.0, np.inf]]


@pytest.mark.parametrize("name", ["logdet", "expm"])
@given(seed=seeds)
@settings(max_examples=20, deadline=None)
def test_slope_is_the_derivative_and_not_negative(name, seed):
    W = np.random.default_rng(seed).uniform(0, 0.2, (P, P))
    measure = acyclicity(name)
    np.testing.assert_allclose(measure.slope(W), slopes(measure.value, W), rtol=1e-5, atol=1e-7)
    assert (measure.slope(W) >= 0).all()


@pytest.mark.parametrize("name", ["logdet", "expm"])
@given(seed=seeds)
@settings(max_examples=20, deadline=None)
def test_zero_exactly_on_acyclic_matrices(name, seed):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.uniform(0.5, 2, (P, P)), 1)
    place = rng.permutation(P)
    measure = acyclicity(name)
    assert measure.value(W[np.ix_(place, place)]) == pytest.approx(0, abs=1e-10)
    W[P - 1, 0] = 0.01
    assert measure.value(W) > 1e-4


def test_logdet_ends_where_the_spectral_radius_reaches_s():
    ring = np.array([[0.0, 1.0], [1.0, 0.0]])
    for scale, inside in [(0.99, True), (1.0, False), (1.01, False), (30.0, False)]:
        assert np.isfinite(LogDet().value(scale * ring)) == inside
        assert np.isfinite(LogDet().slope(scale * ring)).all() == inside
    assert np.isfinite(LogDet(s=2.0).value(1.9 * ring))
    # Two rings outside the domain: the determinant is positive, the matrix is no M-matrix.
    two = np.kron(np.eye(2), 2 * ring)
    assert LogDet().value(two) == np.inf


def test_names_of_the_measures():
    assert acyclicity("logdet") == LogDet()
    assert acyclicity("expm") == Expm()
    with pytest.raises(OptionError, match="logdet"):
        acyclicity("trace")
