"""The path of penalties: what it measures is what the fits say, and its ends are right."""

import numpy as np
import pytest

import dagdecor as dd
from dagdecor.errors import OptionError
from dagdecor.plot import path as picture_of
from dagdecor.plot import reliability

DRAW = dd.simulate.draw("local", seed=0, p=8, n=400)


@pytest.fixture(scope="module")
def found():
    return dd.Decor().path(DRAW.X, [0.25, 1.0, 50.0, 4.0], folds=3)


def test_a_row_a_penalty_the_strongest_first(found):
    frame = found.to_frame()
    assert frame["factor"].tolist() == [50.0, 4.0, 1.0, 0.25]
    assert frame["edges"].iloc[0] == frame["arcs"].iloc[0] == 0
    assert frame["edges"].iloc[-1] > 0
    moments = dd.Moments.from_data(DRAW.X)
    for fit, row in zip(found.fits, frame.itertuples(), strict=True):
        free = len(fit.graph.directed) + len(fit.graph.bidirected)
        assert row.edges + row.arcs == free
        assert row.log_likelihood == pytest.approx(fit.log_likelihood(moments))
        price = free * (np.log(400) + 2 * np.log(8))
        assert row.ebic == pytest.approx(-2 * 400 * row.log_likelihood + price)
        assert fit.settings["penalty_factor"] == row.factor
        fall = np.diff(fit.trace)
        assert (fall < 1e-9 * abs(fit.trace[0])).all()


def test_the_first_fit_of_a_path_is_that_of_the_model():
    alone = dd.Decor(search=False).fit(DRAW.X).fit_
    (first,) = dd.Decor().path(DRAW.X, [1.0], folds=0).fits
    assert first.graph == alone.graph
    np.testing.assert_array_equal(first.weights, alone.weights)


def test_the_held_out_likelihood_is_that_of_unseen_rows(found):
    rows = DRAW.X.to_numpy()
    folds = np.array_split(np.random.default_rng(0).permutation(400), 3)
    scores = []
    for inside in folds:
        outside = np.setdiff1d(np.arange(400), inside)
        model = dd.Decor(search=False, lambda_directed=1e6, lambda_noise=1e6)
        fit = model.fit(dd.Moments.from_data(rows[outside])).fit_
        scores.append(fit.log_likelihood(dd.Moments.from_data(rows[inside])))
    assert found.held_out[0] == pytest.approx(np.mean(scores))
    assert found.held_out_error[0] == pytest.approx(np.std(scores, ddof=1) / np.sqrt(3))


def test_the_best_fits(found):
    assert found.best() is found.fits[int(np.argmin(found.ebic))]
    assert found.best("held_out") is found.fits[int(np.argmax(found.held_out))]
    assert "ebic" in str(found)
    with pytest.raises(OptionError, match="criterion='aic'"):
        found.best("aic")


def test_moments_have_no_folds():
    found = dd.Decor().path(dd.Moments.from_data(DRAW.X), [1.0, 2.0])
    assert found.held_out == ()
    assert found.to_frame()["held_out"].isna().all()
    assert "held_out" not in str(found)
    with pytest.raises(OptionError, match="without folds"):
        found.best("held_out")
    with pytest.raises(OptionError, match="folds=3"):
        dd.Decor().path(dd.Moments.from_data(DRAW.X), folds=3)


@pytest.mark.parametrize("factors", [[], [0.0], [1.0, np.nan], [[1.0]]])
def test_bad_factors_are_refused(factors):
    with pytest.raises(OptionError, match="factors"):
        dd.Decor().path(DRAW.X, factors)


@pytest.mark.parametrize("folds", [1, -2, 300, True])
def test_bad_folds_are_refused(folds):
    with pytest.raises(OptionError, match="folds"):
        dd.Decor().path(DRAW.X, [1.0], folds=folds)


def test_pictures_are_the_same_twice(found):
    one = picture_of(found)
    assert one == picture_of(found)
    assert b"extended BIC" in one
    assert b"held out" in one
    bare = picture_of(dd.Decor().path(DRAW.X, [1.0, 2.0], folds=0))
    assert b"held out" not in bare
    curve = {"posterior": [(0.1, 0.2, 40), (0.9, 0.8, 12)]}
    assert reliability(curve) == reliability(curve)
    with pytest.raises(OptionError, match="kind"):
        picture_of(found, "gif")


@pytest.mark.parametrize("seed", [3, 4])
def test_a_path_from_strong_penalties_finds_what_a_single_fit_finds(seed):
    """An Omega that was fitted where no edge is left explains the edges as noise for good."""
    draw = dd.simulate.draw("paper", seed=seed, density=0.0)
    alone = dd.Decor(search=False).fit(draw.X).graph_
    last = dd.Decor(search=False).path(draw.X, factors=(4.0, 2.0, 1.0), folds=0).fits[-1].graph
    assert dd.metrics.compare(alone, last).directed_f1 > 0.95
