"""The graphical lasso: proved by the gap, one answer with another solver, closed forms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagdecor.certificate import Status
from dagdecor.errors import BadCovariance, OptionError
from dagdecor.solve.precision import precision
from dagdecor.solve.precision_kernels import precision_sweep
from dagdecor.solve.support import newton_direction

few = settings(max_examples=25, deadline=None, derandomize=True)


@st.composite
def covariances(draw, smallest=1, largest=12):
    """(p, p) sample covariance in mixed units; of rank n - 1 < p in half of the draws."""
    p = draw(st.integers(smallest, largest))
    n = draw(st.sampled_from([p // 2 + 2, 3 * p + 5]))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    X = rng.standard_normal((n, p)) @ (np.eye(p) + 0.5 * rng.standard_normal((p, p)))
    X = (X - X.mean(axis=0)) * 10.0 ** rng.uniform(-2, 2, p)
    return X.T @ X / n


def units(S):
    return np.sqrt(np.outer(np.diag(S), np.diag(S)))


def weights(penalty, p):
    P = np.array(np.broadcast_to(penalty, (p, p)), dtype=float)
    np.fill_diagonal(P, 0.0)
    return P


def objective(S, P, Theta):
    sign, logdet = np.linalg.slogdet(Theta)
    assert sign > 0
    on = Theta != 0
    return np.sum(S * Theta) - logdet + np.sum(P[on] * np.abs(Theta[on]))


def dual(S, P, Theta):
    """logdet(V) + p at the clipped inverse, shrunk towards diag(S) until positive definite."""
    V = S + np.clip(np.linalg.inv(Theta) - S, -P, P)
    np.linalg.cholesky(V)
    return np.linalg.slogdet(V)[1] + len(S)


def assert_is_precision(Theta, p):
    assert Theta.shape == (p, p)
    assert np.array_equal(Theta, Theta.T)
    np.linalg.cholesky(Theta)


@few
@given(covariances(), st.sampled_from([0.05, 0.1, 0.3, 0.6, 0.9, 1.2]))
def test_the_gap_is_closed_at_every_penalty(S, share):
    P = weights(share * units(S), len(S))
    Theta, certificate = precision(S, P)
    assert certificate.converged
    assert 0 <= certificate.residual <= 1e-6
    assert_is_precision(Theta, len(S))
    assert certificate.objective == pytest.approx(objective(S, P, Theta), abs=1e-8)
    # A looser bound than the certificate's own, hence the wider margin; its gap shrinks with ours.
    tight = precision(S, P, tolerance=1e-10)
    assert objective(S, P, tight.value) - dual(S, P, tight.value) <= 1e-4 * len(S)
    assert certificate.objective - tight.certificate.objective <= 1.001e-6 * len(S) + 1e-9


@few
@given(covariances(largest=8), st.sampled_from([0.1, 0.3, 0.7]))
def test_optimality_conditions_hold_entry_by_entry(S, share):
    P = weights(share * units(S), len(S))
    Theta = precision(S, P, tolerance=1e-11).value
    slack = (S - np.linalg.inv(Theta)) / units(S)
    on = (Theta != 0) & ~np.eye(len(S), dtype=bool)
    assert np.abs(np.diag(slack)).max() <= 1e-4
    assert np.abs(slack[on] + share * np.sign(Theta[on])).max(initial=0) <= 1e-4
    assert np.abs(slack[Theta == 0]).max(initial=0) <= share + 1e-4


@pytest.mark.parametrize("penalty", [0.02, 0.1, 0.3])
@pytest.mark.parametrize("seed", [0, 1])
def test_agrees_with_scikit_learn(penalty, seed):
    from sklearn.covariance import graphical_lasso

    rng = np.random.default_rng(seed)
    X = rng.standard_normal((60, 8)) @ (np.eye(8) + 0.4 * rng.standard_normal((8, 8)))
    S = np.cov(X.T, bias=True)
    # Its penalty, too, leaves the diagonal alone and counts each pair twice.
    theirs = graphical_lasso(S, penalty, tol=1e-10, enet_tol=1e-12, max_iter=1000)[1]
    theirs = (theirs + theirs.T) / 2
    ours, certificate = precision(S, penalty, tolerance=1e-10)
    P = weights(penalty, 8)
    assert certificate.objective <= objective(S, P, theirs) + 1e-9
    assert np.abs(ours - theirs).max() <= 1e-4 * np.abs(ours).max()


@few
@given(covariances(), st.sampled_from([1.0, 1.5]))
def test_beyond_the_largest_covariance_nothing_is_left(S, excess):
    largest = np.abs(S - np.diag(np.diag(S))).max()
    Theta, certificate = precision(S, excess * largest)
    assert np.array_equal(Theta, np.diag(np.diag(Theta)))
    assert np.allclose(np.diag(Theta), 1 / np.diag(S), rtol=1e-12)
    assert certificate.converged
    assert certificate.iterations == 0


def test_just_below_the_largest_covariance_one_pair_is_left():
    S = np.array([[2.0, 0.6, 0.1], [0.6, 1.0, 0.2], [0.1, 0.2, 3.0]])
    Theta = precision(S, 0.59).value
    assert np.count_nonzero(Theta) == 5
    assert Theta[0, 1] < 0


def test_without_a_penalty_it_is_the_inverse():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((50, 9))
    S = X.T @ X / 50
    Theta, certificate = precision(S, 0.0)
    assert np.allclose(Theta, np.linalg.inv(S), rtol=1e-9, atol=1e-12)
    assert certificate.converged


@pytest.mark.parametrize("penalty", [0.0, 0.2, 0.69, 0.7, 2.0, np.inf])
def test_two_columns_in_closed_form(penalty):
    S = np.array([[2.0, -0.7], [-0.7, 1.0]])
    W = S.copy()
    W[0, 1] = W[1, 0] = -max(0.7 - penalty, 0.0)
    solution = precision(S, penalty)
    assert np.allclose(solution.value, np.linalg.inv(W), rtol=1e-12)
    assert solution.certificate.converged


def test_one_column():
    Theta, certificate = precision([[4.0]], 1.0)
    assert Theta.tolist() == [[0.25]]
    assert certificate.converged
    assert certificate.objective == pytest.approx(1 + np.log(4))


@few
@given(covariances(smallest=3), st.integers(0, 10_000))
def test_infinite_penalties_are_exact_zeros(S, seed):
    p = len(S)
    barred = np.triu(np.random.default_rng(seed).random((p, p)) < 0.4, 1)
    barred |= barred.T
    P = np.where(barred, np.inf, 0.1 * units(S))
    Theta, certificate = precision(S, P, tolerance=1e-9)
    assert certificate.converged
    assert_is_precision(Theta, p)
    assert not Theta[barred].any()
    slack = np.abs(S - np.linalg.inv(Theta)) / units(S)
    assert slack[~barred].max() <= 0.1 + 1e-3


@few
@given(covariances(smallest=2), st.sampled_from([0.1, 0.4]))
def test_a_warm_restart_is_at_once_done(S, share):
    P = share * units(S)
    first = precision(S, P)
    again = precision(S, P, start=first.value)
    assert again.certificate.converged
    assert again.certificate.iterations <= 1
    assert again.certificate.objective <= first.certificate.objective + 1e-9


@few
@given(covariances(smallest=3, largest=8), st.integers(0, 10_000))
def test_any_feasible_start_is_left_downwards(S, seed):
    p = len(S)
    A = np.random.default_rng(seed).standard_normal((p, p))
    start = (A @ A.T / p + 0.1 * np.eye(p)) / units(S)
    P = weights(0.2 * units(S), p)
    for sweeps in (0, 1, 2, 1000):
        certificate = precision(S, P, start=start, max_iterations=sweeps).certificate
        assert certificate.objective <= objective(S, P, start) + 1e-9
    assert certificate.converged


@few
@given(covariances(smallest=2), st.integers(0, 10_000))
def test_relabelled_columns_give_the_relabelled_matrix(S, seed):
    order = np.random.default_rng(seed).permutation(len(S))
    P = 0.2 * units(S)
    one = precision(S, P, tolerance=1e-11).value
    two = precision(S[np.ix_(order, order)], P[np.ix_(order, order)], tolerance=1e-11).value
    difference = (one[np.ix_(order, order)] - two) * units(S)[np.ix_(order, order)]
    assert np.abs(difference).max() <= 1e-3


@few
@given(covariances(smallest=2), st.lists(st.integers(-20, 20), min_size=12, max_size=12))
def test_the_units_of_a_column_change_nothing_but_the_units(S, powers):
    # Powers of two are exact, so that every step must be the same to the last bit.
    c = 2.0 ** np.array(powers[: len(S)])
    C = np.outer(c, c)
    P = 0.2 * units(S)
    one, two = precision(S, P), precision(C * S, C * P)
    assert np.array_equal(two.value * C, one.value)
    assert two.certificate.residual == one.certificate.residual
    assert two.certificate.iterations == one.certificate.iterations
    shift = 2 * np.log(c).sum()
    assert two.certificate.objective == pytest.approx(one.certificate.objective + shift, abs=1e-9)


def test_strongly_correlated_columns_converge():
    p = 30
    S = 0.98 ** np.abs(np.subtract.outer(np.arange(p), np.arange(p)))
    for penalty in (0.02, 0.1, 0.5):
        assert precision(S, penalty).certificate.converged


@pytest.mark.parametrize("sweeps", [0, 1, 3])
@pytest.mark.parametrize("rows", [10, 200])
def test_the_limit_is_reported_with_a_finite_gap_that_holds(sweeps, rows):
    rng = np.random.default_rng(rows)
    X = rng.standard_normal((rows, 1)) + 0.3 * rng.standard_normal((rows, 30))
    S = X.T @ X / rows
    certificate = precision(S, 0.05, max_iterations=sweeps).certificate
    lowest = precision(S, 0.05).certificate.objective
    assert certificate.status is Status.LIMIT
    assert certificate.iterations == sweeps
    assert 1e-6 < certificate.residual < np.inf
    assert certificate.objective - lowest <= 30 * certificate.residual


def test_no_proof_is_claimed_where_no_minimum_exists():
    S = np.ones((3, 3))
    solution = precision(S, 0.0, max_iterations=20)
    assert not solution.certificate.converged
    assert np.isfinite(solution.value).all()


def test_a_sweep_stops_where_the_inverse_has_drifted():
    R = 0.5 ** np.abs(np.subtract.outer(np.arange(6), np.arange(6)))
    P = weights(0.05, 6)
    Theta = np.linalg.inv(R)
    W = R.copy()
    assert precision_sweep(R, P, Theta.copy(), W.copy(), 1e-3, 0) == 6
    W[3] *= 1 + 1e-6
    stopped = Theta.copy()
    # The first column is trusted: it has just been given an inverse computed anew.
    assert precision_sweep(R, P, stopped, W, 1e-3, 2) == 3
    assert np.array_equal(stopped[np.ix_([0, 1], [0, 1])], Theta[np.ix_([0, 1], [0, 1])])


def test_the_newton_direction_solves_the_equations_of_the_support():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((5, 20))
    W = A @ A.T / 20
    X = np.eye(5)
    X[0, 3] = X[3, 0] = X[1, 2] = X[2, 1] = 0.2
    G = rng.standard_normal((5, 5))
    G = G + G.T
    Theta = np.linalg.inv(W)
    D = newton_direction(X, G[X != 0], lambda E: W @ E @ W, lambda E: Theta @ E @ Theta)
    on = X != 0
    assert not D[~on].any()
    left = (W @ D @ W + G)[on]
    assert np.abs(left).max() <= 0.05 * np.abs(G).max()


@pytest.mark.parametrize(
    "penalty", [-1.0, np.nan, np.ones(3), np.array([[0.0, 1, 2], [2, 0, 1], [1, 1, 0]])]
)
def test_impossible_penalties_are_refused(penalty):
    with pytest.raises(OptionError, match="penalty"):
        precision(np.eye(3), penalty)


@pytest.mark.parametrize(
    "S",
    [np.zeros((0, 0)), np.ones((2, 3)), [[1.0, 0.5], [0.2, 1.0]], np.diag([1.0, 0.0]), [[np.nan]]],
)
def test_what_is_no_covariance_is_refused(S):
    with pytest.raises(BadCovariance):
        precision(S, 0.1)
