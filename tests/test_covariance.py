"""The sparse covariance: stationary, never above its start, closed forms at the ends."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from dagdecor.certificate import Status
from dagdecor.errors import BadCovariance, OptionError
from dagdecor.solve.covariance import covariance
from dagdecor.solve.covariance_kernels import covariance_sweep

few = settings(max_examples=25, deadline=None, derandomize=True)


@st.composite
def covariances(draw, smallest=1, largest=10, rows=(3, 30)):
    """(p, p) covariance of rows[0] p + 5 or rows[1] p + 5 rows, in mixed units.

    The law's condition number, but for the units, is at most 100: where a column is all but a
    combination of others (one part in 10^4) and hardly penalised, sweeps may need more than the
    limit, and the certificate says so.
    """
    p = draw(st.integers(smallest, largest))
    n = draw(st.sampled_from(rows)) * p + 5
    return covariance_of_rows(p, n, draw(st.integers(0, 10_000)))


def covariance_of_rows(p, n, seed):
    rng = np.random.default_rng(seed)
    rotation, _ = np.linalg.qr(rng.standard_normal((p, p)))
    X = rng.standard_normal((n, p)) * 10.0 ** -rng.uniform(0, 1, p) @ rotation
    X = (X - X.mean(axis=0)) * 10.0 ** rng.uniform(-2, 2, p)
    return X.T @ X / n


def singular(p, n, seed):
    X = np.random.default_rng(seed).standard_normal((n, p))
    X -= X.mean(axis=0)
    return X.T @ X / n


def units(S):
    return np.sqrt(np.outer(np.diag(S), np.diag(S)))


def scaled_penalty(S, share):
    """Penalty that shrinks correlations by about `share`."""
    P = share / units(S)
    np.fill_diagonal(P, 0.0)
    return P


def objective(S, P, Omega):
    sign, logdet = np.linalg.slogdet(Omega)
    assert sign > 0
    on = Omega != 0
    off = on & ~np.eye(len(S), dtype=bool)
    P = np.broadcast_to(P, S.shape)
    return np.trace(np.linalg.solve(Omega, S)) + logdet + np.sum(P[off] * np.abs(Omega[off]))


def assert_is_covariance(Omega, p):
    assert Omega.shape == (p, p)
    assert np.array_equal(Omega, Omega.T)
    np.linalg.cholesky(Omega)


def random_start(S, seed):
    p = len(S)
    A = np.random.default_rng(seed).standard_normal((p, p))
    return (A @ A.T / p + 0.1 * np.eye(p)) * units(S)


@few
@given(covariances(), st.sampled_from([0.01, 0.05, 0.1, 0.3, 0.6, 1.2]))
def test_the_residual_is_met_at_every_penalty(S, share):
    P = scaled_penalty(S, share)
    Omega, certificate = covariance(S, P)
    assert certificate.converged
    assert 0 <= certificate.residual <= 1e-6
    assert_is_covariance(Omega, len(S))
    assert certificate.objective == pytest.approx(objective(S, P, Omega), abs=1e-8)
    assert certificate.objective <= objective(S, P, np.diag(np.diag(S))) + 1e-9


@few
@given(covariances(), st.sampled_from([0.02, 0.1, 0.3]))
def test_optimality_conditions_hold_entry_by_entry(S, share):
    Omega = covariance(S, scaled_penalty(S, share), tolerance=1e-8).value
    M = np.linalg.inv(Omega)
    gradient = (M - M @ S @ M) * units(S)
    on = (Omega != 0) & ~np.eye(len(S), dtype=bool)
    size = np.abs(M * units(S)).max()
    assert np.abs(np.diag(gradient)).max() <= 1e-6 * size
    assert np.abs(gradient[on] + share * np.sign(Omega[on])).max(initial=0) <= 1e-6 * size
    assert np.abs(gradient[Omega == 0]).max(initial=0) <= share + 1e-6 * size


@few
@given(covariances(smallest=2), st.sampled_from([0.01, 0.1, 0.3]), st.integers(0, 10_000))
def test_no_direction_leads_down(S, share, seed):
    P = scaled_penalty(S, share)
    Omega, certificate = covariance(S, P, tolerance=1e-8)
    rng = np.random.default_rng(seed)
    for density in (0.1, 0.5, 1.0):
        D = rng.standard_normal(S.shape) * (rng.random(S.shape) < density)
        D = (D + D.T) * units(S)
        assert objective(S, P, Omega + 1e-5 * D) >= certificate.objective - 1e-8


@pytest.mark.parametrize("share", [0.02, 0.1, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_not_above_a_quasi_newton_run_from_the_same_start(share, seed):
    p = 6
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((80, p)) @ (np.eye(p) + 0.4 * rng.standard_normal((p, p)))
    S = np.cov(X.T, bias=True)
    lower = np.tril_indices(p)

    # Omega = U - V with U, V >= 0 off the diagonal makes the penalty linear.
    def unpack(x):
        half = np.zeros((p, p))
        half[lower] = x[: len(lower[0])] - x[len(lower[0]) :]
        return half + np.tril(half, -1).T

    off = lower[0] != lower[1]

    def value(x):
        Omega = unpack(x)
        if np.linalg.eigvalsh(Omega)[0] <= 1e-8:
            return 1e10, np.zeros_like(x)
        M = np.linalg.inv(Omega)
        G = (M - M @ S @ M)[lower] * np.where(off, 2.0, 1.0)
        parts = x[: len(off)] + x[len(off) :]
        f = np.trace(S @ M) + np.linalg.slogdet(Omega)[1] + 2 * share * parts[off].sum()
        slope = np.where(off, 2 * share, 0.0)
        return f, np.concatenate([G + slope, -G + slope])

    start = np.diag(np.diag(S))[lower]
    bounds = [(0, None)] * (2 * len(start))
    x0 = np.concatenate([start, np.zeros_like(start)])
    options = {"maxiter": 5000, "maxfun": 50_000, "ftol": 1e-15, "gtol": 1e-9}
    theirs = minimize(value, x0, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    ours = covariance(S, share).certificate
    assert ours.converged
    assert theirs.fun < value(x0)[0]
    assert ours.objective <= theirs.fun + 1e-8


def test_not_above_a_long_proximal_gradient_run_from_the_same_start():
    rng = np.random.default_rng(7)
    p = 15
    X = rng.standard_normal((150, p)) @ (np.eye(p) + 0.3 * rng.standard_normal((p, p)))
    S = np.corrcoef(X.T)
    P = np.full((p, p), 0.1)
    np.fill_diagonal(P, 0.0)
    Omega, step = np.eye(p), 1e-3
    for _ in range(20_000):
        M = np.linalg.inv(Omega)
        moved = Omega - step * (M - M @ S @ M)
        Omega = np.sign(moved) * np.maximum(np.abs(moved) - step * P, 0.0)
    certificate = covariance(S, P).certificate
    assert certificate.objective <= objective(S, P, Omega) + 1e-8


def test_without_a_penalty_it_is_the_covariance():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((50, 9)) @ (np.eye(9) + 0.5 * rng.standard_normal((9, 9)))
    S = X.T @ X / 50
    for start in (None, np.diag(np.diag(S))):
        Omega, certificate = covariance(S, 0.0, start=start)
        assert certificate.converged
        assert np.abs((Omega - S) / units(S)).max() <= 1e-5


@few
@given(covariances(), st.sampled_from([1.0, 1.5]))
def test_beyond_the_largest_correlation_the_diagonal_is_kept(S, excess):
    largest = np.abs(S / units(S) - np.eye(len(S))).max()
    Omega, certificate = covariance(S, scaled_penalty(S, excess * largest))
    assert np.array_equal(Omega, np.diag(np.diag(Omega)))
    assert np.allclose(np.diag(Omega), np.diag(S), rtol=1e-12)
    assert certificate.converged
    assert certificate.iterations == 0


@pytest.mark.parametrize("penalty", [0.02, 0.1, 0.3, 0.69, 0.71, np.inf])
def test_two_columns_against_the_equation_of_the_correlation(penalty):
    # With R = [[1, r], [r, 1]] the solution is [[a, x], [x, a]]; a and x are found on a fine grid.
    r = 0.7
    Omega, certificate = covariance([[1.0, r], [r, 1.0]], penalty, tolerance=1e-8)
    a, x = Omega[0, 0], Omega[0, 1]
    assert certificate.converged
    assert Omega[1, 1] == pytest.approx(a, abs=1e-8)
    if penalty >= r:
        assert (a, x) == (1.0, 0.0)
        return
    M = np.linalg.inv(Omega)
    G = M - M @ np.array([[1.0, r], [r, 1.0]]) @ M
    assert G[0, 0] == pytest.approx(0.0, abs=1e-7)
    assert G[0, 1] == pytest.approx(-penalty, abs=1e-7)
    x_grid, a_grid = np.meshgrid(np.linspace(-0.69, 0.69, 401), np.linspace(0.7, 1.3, 401))
    d = a_grid**2 - x_grid**2
    values = 2 * (a_grid - r * x_grid) / d + np.log(d) + 2 * penalty * np.abs(x_grid)
    assert certificate.objective <= values.min() + 1e-12


def test_one_column():
    Omega, certificate = covariance([[4.0]], 1.0)
    assert Omega.tolist() == [[4.0]]
    assert certificate.converged
    assert certificate.objective == pytest.approx(1 + np.log(4))


@few
@given(covariances(smallest=3), st.integers(0, 10_000))
def test_infinite_penalties_are_exact_zeros(S, seed):
    p = len(S)
    barred = np.triu(np.random.default_rng(seed).random((p, p)) < 0.4, 1)
    barred |= barred.T
    P = np.where(barred, np.inf, 0.05 / units(S))
    for start in (None, random_start(S, seed)):
        Omega, certificate = covariance(S, P, start=start)
        assert certificate.converged
        assert_is_covariance(Omega, p)
        assert not Omega[barred].any()
        untouched = covariance(S, P, start=start, max_iterations=0)
        assert not untouched.value[barred].any()
        assert np.isfinite(untouched.certificate.objective)


@few
@given(covariances(smallest=2), st.sampled_from([0.05, 0.2]))
def test_a_warm_restart_is_at_once_done(S, share):
    P = scaled_penalty(S, share)
    first = covariance(S, P)
    again = covariance(S, P, start=first.value)
    assert again.certificate.converged
    assert again.certificate.iterations <= 1
    near = covariance(S, 1.001 * P, start=first.value)
    assert near.certificate.iterations <= max(covariance(S, 1.001 * P).certificate.iterations, 1)


@few
@given(covariances(smallest=3, largest=8, rows=(0, 3)), st.integers(0, 10_000))
def test_any_feasible_start_is_left_downwards(S, seed):
    P = scaled_penalty(S, 0.1)
    start = random_start(S, seed)
    last = objective(S, P, start)
    for sweeps in (0, 1, 2, 5, 200):
        value = covariance(S, P, start=start, max_iterations=sweeps).certificate.objective
        assert value <= last + 1e-9
        last = value


@few
@given(covariances(smallest=2), st.integers(0, 10_000))
def test_relabelled_columns_give_the_relabelled_matrix(S, seed):
    order = np.random.default_rng(seed).permutation(len(S))
    at = np.ix_(order, order)
    P = scaled_penalty(S, 0.1)
    one, two = covariance(S, P), covariance(S[at], P[at])
    # Not convex: two orders may end in different minima, of which the test says nothing.
    assume(abs(one.certificate.objective - two.certificate.objective) < 1e-6)
    assert np.abs((one.value[at] - two.value) / units(S)[at]).max() <= 1e-4


@few
@given(covariances(smallest=2), st.lists(st.integers(-20, 20), min_size=10, max_size=10))
def test_the_units_of_a_column_change_nothing_but_the_units(S, powers):
    # Powers of two are exact, so that every step must be the same to the last bit.
    c = 2.0 ** np.array(powers[: len(S)])
    C = np.outer(c, c)
    P = scaled_penalty(S, 0.1)
    one, two = covariance(S, P), covariance(C * S, P / C)
    assert np.array_equal(two.value, C * one.value)
    assert two.certificate.residual == one.certificate.residual
    assert two.certificate.iterations == one.certificate.iterations
    shift = 2 * np.log(c).sum()
    assert two.certificate.objective == pytest.approx(one.certificate.objective + shift, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_fewer_rows_than_columns_with_a_large_penalty(seed):
    S = singular(100, 50, seed)
    largest = np.abs(S / units(S) - np.eye(100)).max()
    Omega, certificate = covariance(S, scaled_penalty(S, 0.95 * largest))
    assert certificate.converged
    assert_is_covariance(Omega, 100)
    assert np.count_nonzero(Omega) > 100


@pytest.mark.parametrize("seed", range(4))
def test_a_ridge_gives_fewer_rows_than_columns_a_minimum(seed):
    S = singular(20, 10, seed)
    S += 0.1 * np.diag(np.diag(S))
    Omega, certificate = covariance(S, scaled_penalty(S, 0.1))
    assert certificate.converged
    assert_is_covariance(Omega, 20)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("floor", [1e-3, 1e-2, 1e-1])
def test_without_a_minimum_the_descent_stalls_at_the_floor(seed, floor):
    S = singular(12, 6, seed)
    P = scaled_penalty(S, 0.05)
    Omega, certificate = covariance(S, P, floor=floor)
    assert certificate.status is Status.STALLED
    assert certificate.residual > 1e-3
    assert_is_covariance(Omega, 12)
    unexplained = 1 / (np.diag(S) * np.diag(np.linalg.inv(Omega)))
    assert unexplained.min() >= floor * (1 - 1e-6)
    assert unexplained.min() <= floor * (1 + 1e-3)
    assert certificate.objective < objective(S, P, np.diag(np.diag(S)))


def test_the_floor_cuts_off_no_minimum_of_a_regular_covariance():
    S = np.array([[1.0, 0.9999, 0.0], [0.9999, 1.0, 0.3], [0.0, 0.3, 1.2]])
    S[0, 2] = S[2, 0] = 0.3
    for penalty in (0.0, 1e-3):
        start = np.diag(np.diag(S))
        Omega, certificate = covariance(S, penalty, start=start, floor=0.5)
        assert certificate.converged
        assert 1 / np.linalg.inv(Omega)[0, 0] < 1e-2


@pytest.mark.parametrize("seed", range(20))
def test_as_many_rows_as_columns_are_singular_up_to_rounding(seed):
    S = singular(8, 8, seed)
    Omega, certificate = covariance(S, scaled_penalty(S, 0.02))
    assert certificate.status is Status.STALLED
    assert (1 / (np.diag(S) * np.diag(np.linalg.inv(Omega)))).min() >= 0.0099


def test_a_sweep_stops_where_the_inverse_has_drifted():
    R = 0.5 ** np.abs(np.subtract.outer(np.arange(6), np.arange(6)))
    P, caps = scaled_penalty(R, 0.05), np.full(6, 100.0)
    M = np.linalg.inv(R)
    inverses = np.stack((M, M @ R @ M))
    assert covariance_sweep(P, R.copy(), inverses.copy(), caps, 1e-3, 0) == 6
    inverses[0, 4] *= 1 + 1e-6
    assert covariance_sweep(P, R.copy(), inverses, caps, 1e-3, 3) == 4


def test_the_limit_is_reported_with_its_residual():
    S = 0.9 ** np.abs(np.subtract.outer(np.arange(10), np.arange(10)))
    certificate = covariance(S, 0.05, max_iterations=2).certificate
    assert certificate.status is Status.LIMIT
    assert certificate.iterations == 2
    assert certificate.residual > 1e-6


@pytest.mark.parametrize("penalty", [-1.0, np.nan, np.ones(3)])
def test_impossible_penalties_are_refused(penalty):
    with pytest.raises(OptionError, match="penalty"):
        covariance(np.eye(3), penalty)


def test_what_is_no_covariance_is_refused():
    with pytest.raises(BadCovariance, match="symmetric"):
        covariance([[1.0, 0.5], [0.2, 1.0]], 0.1)
