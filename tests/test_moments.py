"""Moments: numerically honest, read-only, and refused when they cannot be."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagdecor import errors
from dagdecor.moments import Moments


@given(st.integers(2, 30), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_they_are_the_textbook_moments(n, p, seed):
    X = np.random.default_rng(seed).standard_normal((n, p))
    moments = Moments.from_data(X)
    np.testing.assert_allclose(moments.mean, X.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(moments.S, np.cov(X.T, ddof=0).reshape(p, p), atol=1e-12)


def test_a_large_mean_costs_no_digits():
    X = np.random.default_rng(0).standard_normal((500, 3))
    far = Moments.from_data(X + 1e8)
    np.testing.assert_allclose(far.S, Moments.from_data(X).S, rtol=1e-6, atol=1e-7)


def test_arrays_are_read_only_and_the_input_is_copied():
    S = np.eye(2)
    moments = Moments.from_covariance(S, 10)
    S[0, 0] = 5.0
    assert moments.S[0, 0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        moments.S[0, 0] = 2.0


def test_columns_are_selected_by_name():
    moments = Moments.from_covariance([[2.0, 0.5], [0.5, 3.0]], 9, ["a", "b"], mean=[1, 2])
    chosen = moments.select(["b", "a"])
    assert chosen.S.tolist() == [[3.0, 0.5], [0.5, 2.0]]
    assert chosen.mean.tolist() == [2.0, 1.0]
    with pytest.raises(errors.UnknownName, match="unknown column 'z'"):
        moments.select(["z"])


def collinear(kind):
    X = pd.DataFrame(np.random.default_rng(0).standard_normal((50, 3)), columns=list("abc"))
    return {
        "sum": X.assign(d=X.a + 2 * X.b),
        "copy": X.assign(d=X.c),
        "scaled copy": X.assign(d=-3 * X.c + 7),
    }[kind]


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("sum", r"'[abd]' is an exact linear combination of '[abd]', '[abd]'"),
        ("copy", r"'[cd]' is an exact linear combination of '[cd]'"),
        ("scaled copy", r"'[cd]' is an exact linear combination of '[cd]'"),
    ],
)
def test_collinear_columns_are_named(kind, sentence):
    with pytest.raises(errors.CollinearColumns, match=sentence):
        Moments.from_data(collinear(kind))


def test_fewer_rows_than_columns_are_fine_but_copies_are_not():
    X = np.random.default_rng(0).standard_normal((5, 12))
    assert Moments.from_data(X).p == 12
    X[:, 7] = X[:, 2]
    with pytest.raises(errors.CollinearColumns, match=r"'x7' .* 'x2'"):
        Moments.from_data(X)


@pytest.mark.parametrize(
    ("S", "n", "error", "sentence"),
    [
        ([[1.0, 0.5], [0.2, 1.0]], 9, errors.BadCovariance, "not symmetric: .*0.5.*0.2"),
        ([[1.0, 2.0], [2.0, 1.0]], 9, errors.BadCovariance, "not positive semidefinite"),
        ([[1.0, 0.0], [0.0, -1.0]], 9, errors.BadCovariance, "negative variance at 'x1'"),
        ([[1.0, np.nan], [np.nan, 1.0]], 9, errors.BadCovariance, "missing or infinite"),
        ([[1.0, 0.0], [0.0, 0.0]], 9, errors.ConstantColumn, "'x1'"),
        ([[1.0, 0.0]], 9, errors.BadShape, "square"),
        ([[1.0]], 1, errors.TooFewRows, "n_samples=1"),
        ([[1.0, 1.0], [1.0, 1.0]], 9, errors.CollinearColumns, "exact linear combination"),
    ],
)
def test_impossible_covariances_are_refused(S, n, error, sentence):
    with pytest.raises(error, match=sentence):
        Moments.from_covariance(S, n)
