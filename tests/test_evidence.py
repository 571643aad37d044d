"""Shares of marks: four numbers a pair that sum to one, read from either end, kept in documents."""

import json

import numpy as np
import pytest

import dagdecor as dd
from dagdecor.errors import BadDocument, GraphError, UnknownName
from dagdecor.evidence import MARKS


@pytest.fixture(scope="module")
def fit():
    draw = dd.simulate.draw("four-node", seed=1)
    return dd.Decor(noise_model="sparse", random_state=0).fit(draw.X).fit_


def test_the_search_hands_its_posterior_shares_to_the_fit(fit):
    frame = fit.shares.frame()
    assert list(frame.columns) == ["a", "b", *MARKS]
    assert len(frame) == 6
    np.testing.assert_allclose(frame[list(MARKS)].sum(axis=1), 1.0)
    for a, b in fit.graph.directed:  # each mark was chosen because none has a larger share
        assert fit.shares.of(a, b)["->"] == max(fit.shares.of(a, b).values())
    for a, b in fit.graph.bidirected:
        assert fit.shares.of(a, b)["<->"] == max(fit.shares.of(a, b).values())


def test_shares_are_the_mean_of_both_models_and_one_decides():
    draw = dd.simulate.draw("local", seed=3, p=6, n=400)
    both = dd.Decor(random_state=0).fit(draw.X).fit_
    assert "explicit hidden causes" in both.alternatives.criterion
    alone = dd.Decor(random_state=0, noise_model="latent").fit(draw.X).fit_
    assert both.graph == alone.graph
    for field in ("directed", "bidirected", "absent"):
        other = 2 * getattr(both.shares, field) - getattr(alone.shares, field)
        assert other.min() > -1e-9
        assert other.max() < 1 + 1e-9
    assert (both.shares.directed != alone.shares.directed).any()


def test_shares_do_not_depend_on_the_order_of_the_columns(fit):
    draw = dd.simulate.draw("four-node", seed=1)
    turned = dd.Decor(noise_model="sparse", random_state=0).fit(draw.X[list("CADB")]).fit_
    for a, b in [("A", "B"), ("D", "B"), ("C", "A")]:
        assert turned.shares.of(a, b) == fit.shares.of(a, b)


def test_a_pair_reads_from_either_end(fit):
    forth, back = fit.shares.of("A", "B"), fit.shares.of("B", "A")
    assert (forth["->"], forth["<-"]) == (back["<-"], back["->"])
    assert (forth["none"], forth["<->"]) == (back["none"], back["<->"])
    with pytest.raises(UnknownName, match="'E'"):
        fit.shares.of("A", "E")
    with pytest.raises(GraphError, match="itself"):
        fit.shares.of("A", "A")


def test_a_document_keeps_shares_and_the_sample_covariance(fit):
    again = dd.Fit.from_json(fit.to_json())
    np.testing.assert_array_equal(again.sample_covariance, fit.sample_covariance)
    for field in ("directed", "bidirected", "absent"):
        np.testing.assert_array_equal(getattr(again.shares, field), getattr(fit.shares, field))


def test_a_document_without_them_is_read(fit):
    body = json.loads(fit.to_json())
    del body["shares"], body["sample_covariance"]
    again = dd.Fit.from_json(json.dumps(body))
    assert again.shares is None
    assert again.sample_covariance is None
    assert dd.Fit.from_json(again.to_json()).graph == fit.graph


@pytest.mark.parametrize("wrong", [None, [], {"directed": [[0.0]]}, "shape", "range"])
def test_wrong_shares_in_a_document_are_refused(fit, wrong):
    body = json.loads(fit.to_json())
    if wrong == "range":
        body["shares"]["directed"][0][1] = 1.5
    elif wrong == "shape":
        body["shares"]["absent"] = [[0.0]]
    else:
        body["shares"] = wrong
    with pytest.raises(BadDocument, match="shares"):
        dd.Fit.from_json(json.dumps(body))


def test_the_continuous_estimator_has_no_shares():
    draw = dd.simulate.draw("four-node", seed=1)
    fit = dd.Decor(search=False).fit(draw.X).fit_
    assert fit.shares is None
    np.testing.assert_array_equal(fit.sample_covariance, dd.Moments.from_data(draw.X).S)
