"""The frozen result: likelihood, sampling, documents."""

import json

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from dagdecor import errors
from dagdecor.certificate import Certificate, Status
from dagdecor.fit import Fit
from dagdecor.graph import MixedGraph
from dagdecor.moments import Moments


@pytest.fixture
def fit():
    graph = MixedGraph(["a", "b", "c"], directed=[("a", "b")], bidirected=[("b", "c")])
    weights = np.array([[0, 0.7, 0], [0, 0, 0], [0, 0, 0]])
    noise = np.array([[1.0, 0, 0], [0, 2.0, 0.6], [0, 0.6, 0.5]])
    certificate = Certificate.judge("gradient", 1e-9, 1e-8, 3, -1.0)
    return Fit(
        graph, weights, noise, np.array([1.0, -2.0, 0.5]), 40, {"refit": certificate}, (3.0, 2.5)
    )


def test_the_likelihood_is_scipys(fit):
    X = np.random.default_rng(0).standard_normal((30, 3)) + fit.mean
    law = multivariate_normal(fit.mean, fit.covariance)
    moments = Moments.from_data(X, names=["a", "b", "c"])
    assert fit.log_likelihood(moments) == pytest.approx(law.logpdf(X).mean(), abs=1e-12)


def test_the_implied_law_follows_the_convention(fit):
    A = np.eye(3) - fit.weights
    precision = A @ fit.noise_precision @ A.T
    np.testing.assert_allclose(np.linalg.inv(fit.covariance), precision, atol=1e-12)


def test_samples_follow_the_law_and_their_seed(fit):
    rows = fit.sample(200_000, random_state=1)
    np.testing.assert_allclose(np.cov(rows.T), fit.covariance, atol=0.03)
    np.testing.assert_allclose(rows.mean(axis=0), fit.mean, atol=0.02)
    np.testing.assert_array_equal(fit.sample(5, random_state=1), fit.sample(5, random_state=1))


def test_a_document_restores_every_bit(fit):
    again = Fit.from_json(fit.to_json())
    assert again.graph == fit.graph
    for name in ("weights", "noise_covariance", "mean"):
        np.testing.assert_array_equal(getattr(again, name), getattr(fit, name))
    assert again.certificates == fit.certificates
    assert (again.n, again.trace, again.version) == (fit.n, fit.trace, fit.version)
    assert again.to_json() == fit.to_json()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"format": "dagdecor.graph"}, 'lacks "format"'),
        ({"version": 99}, "its version is 99"),
        ({"weights": [[1.0]]}, '"weights" must hold finite numbers'),
        ({"mean": None}, '"mean" must hold|field is missing or wrong'),
        ({"certificates": []}, '"certificates" must be a mapping'),
        ({"names": ["a", "b", 3]}, '"names" must be a list of strings'),
        ({"directed": [["a", "b"], ["b", "a"]]}, "cycle: a -> b -> a|cycle: b -> a -> b"),
        ({"bidirected": [["a", "nobody"]]}, "unknown column 'nobody'"),
    ],
)
def test_wrong_documents_are_refused(fit, change, sentence):
    body = {**json.loads(fit.to_json()), **change}
    with pytest.raises(errors.BadDocument, match=sentence):
        Fit.from_json(json.dumps(body))


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", "[" * 100_000, '{"a": NaN}'])
def test_what_is_no_document_is_refused_quickly(text):
    with pytest.raises(errors.BadDocument):
        Fit.from_json(text)


def test_other_columns_are_refused(fit):
    with pytest.raises(errors.GraphError, match="the columns differ"):
        fit.log_likelihood(Moments.from_covariance(np.eye(3), 9))


def test_only_a_met_tolerance_counts_as_converged():
    assert Certificate.judge("gap", 1e-7, 1e-6, 4, 1.0).converged
    assert Certificate.judge("gap", 2e-6, 1e-6, 4, 1.0).status is Status.LIMIT
    assert Certificate.judge("gap", float("nan"), 1e-6, 4, 1.0).status is Status.FAILED
    assert not Certificate.judge("gap", 2e-6, 1e-6, 4, 1.0).converged
