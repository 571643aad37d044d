"""Empty cells: EM against closed forms and a direct maximum, what rows are worth, refusals."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from strategies import seeds

import dagdecor as dd
from dagdecor.certificate import Status
from dagdecor.data import table
from dagdecor.errors import (
    CollinearColumns,
    ConstantColumn,
    EmptyColumn,
    MissingValues,
    NeverTogether,
    NotConverged,
    OptionError,
    TooFewForEM,
    TooFewRows,
)
from dagdecor.missing.em import expected_moments
from dagdecor.report import summary


def drawn(n, p, share, seed):
    """Correlated normal rows in units of their own, cells emptied at random."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) @ (np.eye(p) + 0.5 * rng.standard_normal((p, p)))
    X = X * np.exp(rng.standard_normal(p)) + 10 * rng.standard_normal(p)
    return np.where(rng.random((n, p)) < share, np.nan, X), X


def deviance(X, mean, S):
    """Mean of -2 log-likelihood of the cells there, row by row, constants dropped."""
    total = 0.0
    for row in X:
        o = ~np.isnan(row)
        d = row[o] - mean[o]
        total += d @ np.linalg.solve(S[np.ix_(o, o)], d) + np.linalg.slogdet(S[np.ix_(o, o)])[1]
    return total / len(X)


def test_a_monotone_pattern_has_anderson_s_closed_form():
    """y is there in some rows, x in all: the regression where both are, the moments of x."""
    X, _ = drawn(200, 2, 0.0, 1)
    X[X[:, 0] > np.quantile(X[:, 0], 0.6), 1] = np.nan  # depends on what is seen: at random
    both = X[~np.isnan(X[:, 1])]
    slope = np.cov(both.T)[0, 1] / np.cov(both.T)[0, 0]
    left = np.mean((both[:, 1] - both[:, 1].mean() - slope * (both[:, 0] - both[:, 0].mean())) ** 2)
    mean = both[:, 1].mean() + slope * (X[:, 0].mean() - both[:, 0].mean())
    variance = X[:, 0].var()
    moments = dd.Moments.from_data(X, missing="em")
    np.testing.assert_allclose(moments.mean, [X[:, 0].mean(), mean], rtol=1e-6)
    expected = [[variance, slope * variance], [slope * variance, left + slope**2 * variance]]
    np.testing.assert_allclose(moments.S, expected, rtol=1e-6)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_em_is_the_maximum_that_lbfgs_finds(seed):
    X, _ = drawn(60, 3, 0.25, seed)
    X = X[~np.isnan(X).all(axis=1)]
    units = np.nanstd(X, axis=0)
    Z = (X - np.nanmean(X, axis=0)) / units
    lower = np.tril_indices(3)

    def value(v):
        half = np.zeros((3, 3))
        half[lower] = v[3:]
        return deviance(Z, v[:3], half @ half.T + 1e-12 * np.eye(3))

    start = np.concatenate((np.zeros(3), np.eye(3)[lower]))
    best = minimize(value, start, method="L-BFGS-B", options={"maxiter": 5000, "ftol": 1e-15})
    found = expected_moments(table(X, gaps=True))
    assert found.certificate.converged
    there = (~np.isnan(X)).mean(axis=0)
    ours = found.certificate.objective
    assert ours == pytest.approx(deviance(X, found.mean, found.S), abs=1e-9)
    assert ours == pytest.approx(best.fun + 2 * np.log(units) @ there, abs=1e-6)


@settings(max_examples=30)
@given(seeds(), st.integers(1, 5), st.floats(0.0, 0.4))
def test_units_and_rows_orders_do_not_matter_and_the_worth_is_a_share(seed, p, share):
    X, _ = drawn(80, p, share, seed)
    X[:2] = np.random.default_rng(seed).standard_normal((2, p))  # some whole rows
    one = dd.Moments.from_data(X, missing="em")
    two = dd.Moments.from_data((3.0 * X + 1)[::-1], missing="em")
    np.testing.assert_allclose(two.S, 9 * one.S, rtol=1e-5, atol=1e-5 * np.diag(one.S).max())
    assert abs(one.n - two.n) <= 1
    assert 2 <= one.n <= 80
    assert np.linalg.eigvalsh(one.correlation())[0] > 0
    assert (one.missing is None) == (not np.isnan(X).any())


def test_what_rows_are_worth():
    """Independent columns: a covariance is told by the rows that hold both; a copy tells all."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20_000, 2))
    X[rng.random(X.shape) < 0.2] = np.nan
    assert dd.Moments.from_data(X, missing="em").n / 20_000 == pytest.approx(0.64, abs=0.02)
    Y = rng.standard_normal((2000, 1)) + 0.02 * rng.standard_normal((2000, 3))
    Y[rng.random(Y.shape) < 0.2] = np.nan
    assert dd.Moments.from_data(Y, missing="em").n / 2000 > 0.97


def test_the_worth_predicts_the_error_of_a_covariance():
    """Variance of S_12 over many tables: with the empty cells it is that of `n` complete rows."""
    errors, worth = [], []
    for seed in range(300):
        rng = np.random.default_rng([seed, 5])
        X = rng.standard_normal((150, 2)) @ np.array([[1.0, 0.5], [0.0, 1.0]])
        X[rng.random(150) < 0.4, 1] = np.nan
        moments = dd.Moments.from_data(X, missing="em")
        errors.append(moments.S[0, 1] - 0.5)
        worth.append(moments.n)
    variance_of_one_row = 1.0 * 1.25 + 0.5**2
    assert np.mean(worth) == pytest.approx(variance_of_one_row / np.var(errors), rel=0.25)


def test_without_empty_cells_every_method_is_the_same():
    X = dd.simulate.draw("four-node", seed=2).X
    plain, dropped, em = (dd.Moments.from_data(X, missing=m) for m in ("error", "drop", "em"))
    for other in (dropped, em):
        assert (other.n, other.missing) == (plain.n, None)
        np.testing.assert_array_equal(other.S, plain.S)


def test_drop_keeps_the_complete_rows_and_says_so():
    X, _ = drawn(90, 3, 0.1, 4)
    whole = X[~np.isnan(X).any(axis=1)]
    moments = dd.Moments.from_data(X, missing="drop")
    assert (moments.n, moments.missing.rows) == (len(whole), 90)
    assert sum(moments.missing.counts.values()) == np.isnan(X).sum()
    np.testing.assert_array_equal(moments.S, dd.Moments.from_data(whole).S)


@pytest.mark.parametrize("search", [True, False])
def test_a_fit_carries_what_was_missing(search):
    truth = dd.simulate.draw("four-node", seed=9400)
    rng = np.random.default_rng(0)
    X = truth.X.mask(rng.random(truth.X.shape) < 0.2)
    fit = dd.Decor(search=search, missing="em").fit(X).fit_
    assert fit.missing.rows == 1000
    assert 600 < fit.n < 1000
    assert next(iter(fit.certificates)) == "missing values"
    again = dd.Fit.from_json(fit.to_json())
    assert again.missing == fit.missing
    assert f"1000 rows ({fit.n} is their worth)" in summary(fit)


def test_a_fifth_of_the_cells_at_random_costs_little_on_unseen_draws():
    exact = []
    for seed in range(9410, 9414):
        truth = dd.simulate.draw("four-node", seed=seed)
        rng = np.random.default_rng([seed, 1])
        X = truth.X.mask(rng.random(truth.X.shape) < 0.2)
        found = dd.Decor(missing="em").fit(X).graph_
        exact.append(dd.metrics.compare(truth.graph, found).pair_shd)
    assert np.mean(exact) <= 0.5


def test_a_descent_cut_short_says_so_in_the_fit():
    X, _ = drawn(100, 3, 0.3, 5)
    cut = expected_moments(table(X, gaps=True), limit=2).certificate
    assert cut.status is Status.LIMIT
    moments = dd.Moments.from_data(X, missing="em")
    short = replace(moments, missing=replace(moments.missing, certificate=cut))
    with pytest.warns(NotConverged, match="missing values"):
        dd.Decor(search=False).fit(short)


@pytest.mark.parametrize(
    ("cells", "error", "words"),
    [
        ([[1, np.nan], [2, np.nan], [3, np.nan]], EmptyColumn, "'x1' holds no value"),
        ([[1, np.nan], [2, np.nan], [np.nan, 1], [np.nan, 2]], NeverTogether, "both 'x0' and 'x1'"),
        ([[1, 2], [2, np.nan]], ConstantColumn, "'x1' is constant"),
        ([[1, 2], [2, 5], [np.nan, np.nan]], TooFewForEM, "2 rows that hold a value"),
        ([[np.nan, np.nan]] * 3, EmptyColumn, "'x0', 'x1'"),
    ],
)
def test_what_no_likelihood_settles_is_refused_by_name(cells, error, words):
    with pytest.raises(error, match=words):
        dd.Moments.from_data(np.array(cells, dtype=float), missing="em")


def test_missing_cells_are_refused_by_default_with_the_way_out():
    X = pd.DataFrame({"a": [1.0, np.nan, 3.0], "b": [1.0, 2.0, 1.0]})
    with pytest.raises(MissingValues, match="'a' 1; pass missing='em' or missing='drop'"):
        dd.Decor().fit(X)
    with pytest.raises(OptionError, match="missing='mean'"):
        dd.Moments.from_data(X, missing="mean")
    with pytest.raises(OptionError, match="missing='mean'"):
        dd.Decor(missing="mean").fit(X)
    with pytest.raises(TooFewRows, match=r"1 complete sample .* or missing='em'"):
        dd.Moments.from_data(X.assign(b=[1.0, 2.0, np.nan]), missing="drop")
    copies = np.array([[1.0, 1], [2, 2], [3, np.nan], [4, 4]])
    with pytest.raises(CollinearColumns, match=r"'x1'|'x0'"):
        dd.Moments.from_data(copies, missing="em")
