"""Shares over resampled tables: the same bits whatever the workers, after a kill, or in parts."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

import dagdecor as dd
from dagdecor.confidence.plan import Plan
from dagdecor.confidence.resample import resampled, wishart
from dagdecor.errors import BadDocument, NoDraws, OptionError, OtherDraws

TABLE = dd.simulate.draw("four-node", seed=1).X
MODEL = dd.Decor()
FAST = {"effort": 0.05, "n_jobs": 1}


def same(one, two):
    for field in ("shares", "posterior"):
        for part in ("directed", "bidirected", "absent"):
            np.testing.assert_array_equal(
                getattr(getattr(one, field), part), getattr(getattr(two, field), part)
            )
    assert one.draws == two.draws


@pytest.fixture(scope="module")
def six():
    return MODEL.confidence(TABLE, 6, **FAST)


def test_a_clear_graph_comes_back(six):
    frame = six.to_frame()
    np.testing.assert_allclose(frame[["none", "->", "<-", "<->"]].sum(axis=1), 1.0)
    truth = dd.simulate.draw("four-node", seed=1).graph
    found = {(row.a, row.mark, row.b) for row in six.edges(0.8).itertuples()}
    assert found == {(a, "->", b) for a, b in truth.directed} | {("B", "<->", "D")}
    assert "6 resampled tables of 1000 rows" in str(six)
    assert six.marks == pytest.approx(4, abs=1)


@pytest.mark.parametrize("scaled", [True, False])
def test_draws_of_a_scaled_table_are_scaled(monkeypatch, scaled):
    seen = []

    def note(moments, settings, **more):
        seen.append(np.diag(moments.S))
        return dd.refit(moments, dd.simulate.draw("four-node", seed=1).graph)

    monkeypatch.setattr("dagdecor.confidence.run.estimate", note)
    table = TABLE / TABLE.std() if scaled else TABLE
    MODEL.confidence(table, 3, **FAST)
    assert len(seen) == 3
    assert all(np.allclose(variances, 1, atol=1e-9) == scaled for variances in seen)


def test_two_workers_give_the_same_bits(six):
    same(MODEL.confidence(TABLE, 6, effort=0.05, n_jobs=2), six)


def test_a_resumed_run_gives_the_same_shares(six, tmp_path):
    place = tmp_path / "draws.jsonl"
    MODEL.confidence(TABLE, 3, **FAST, checkpoint=place)
    kept = place.read_bytes()
    place.write_bytes(kept[:-40])  # a kill in the middle of a line
    steps = []
    whole = MODEL.confidence(
        TABLE, 6, **FAST, checkpoint=place, progress=lambda *step: steps.append(step)
    )
    same(whole, six)
    assert steps == [(2, 6), (3, 6), (4, 6), (5, 6), (6, 6)]
    assert place.read_bytes().startswith(kept[:-40])  # only appended to
    again = MODEL.confidence(TABLE, 6, **FAST, checkpoint=place, max_seconds=0)
    same(again, six)


def test_a_checkpoint_of_something_else_is_refused(tmp_path):
    place = tmp_path / "draws.jsonl"
    MODEL.confidence(TABLE, 1, **FAST, checkpoint=place)
    before = place.read_bytes()
    for other in ({"random_state": 5}, {"method": "stability"}):
        with pytest.raises(OtherDraws, match="another table"):
            MODEL.confidence(TABLE, 1, **FAST, checkpoint=place, **other)
    with pytest.raises(OtherDraws):
        MODEL.confidence(TABLE * 2, 1, **FAST, checkpoint=place)
    foreign = tmp_path / "mine.txt"
    foreign.write_text("a letter\nof two lines\n")
    with pytest.raises(OtherDraws):
        MODEL.confidence(TABLE, 1, **FAST, checkpoint=foreign)
    assert foreign.read_text() == "a letter\nof two lines\n"
    assert place.read_bytes() == before


def test_a_killed_process_loses_no_finished_draw(tmp_path):
    place = tmp_path / "draws.jsonl"
    TABLE.to_csv(tmp_path / "data.csv", index=False)
    code = (
        "import dagdecor as dd, pandas as pd\n"
        f"X = pd.read_csv({str(tmp_path / 'data.csv')!r})\n"
        f"dd.Decor().confidence(X, 500, effort=.05, n_jobs=1, checkpoint={str(place)!r})\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code])
    while not place.exists() or place.read_bytes().count(b"\n") < 4:
        assert child.poll() is None
        time.sleep(0.02)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    table = pd.read_csv(tmp_path / "data.csv")
    kept = place.read_bytes()
    same(MODEL.confidence(table, 6, **FAST, checkpoint=place), MODEL.confidence(table, 6, **FAST))
    assert place.read_bytes().startswith(kept)


def test_a_time_budget_counts_what_is_finished():
    found = MODEL.confidence(TABLE, 50, **FAST, max_seconds=0)
    assert found.draws == 1
    assert found.asked == 50
    assert "49 of 50 not drawn" in str(found)


def test_half_samples_come_in_complementary_pairs_and_have_a_bound():
    moments = dd.Moments.from_data(TABLE)
    rows = TABLE.to_numpy()
    one, two = (resampled(draw, "stability", 0, moments, rows) for draw in (2, 3))
    assert one.n == two.n == 500
    np.testing.assert_allclose((one.mean + two.mean) / 2, moments.mean)
    found = MODEL.confidence(TABLE, 4, method="stability", **FAST)
    assert found.expected_false(0.9) == pytest.approx(found.marks**2 / (0.8 * 18))
    assert "false marks expected" in str(found)
    with pytest.raises(OptionError, match=r"share=0\.5"):
        found.expected_false(0.5)
    with pytest.raises(OptionError, match="need rows"):
        MODEL.confidence(moments, 2, method="stability", **FAST)


@pytest.mark.parametrize("n", [3, 5, 200])
def test_wishart_draws_have_the_moments_of_resampled_rows(n):
    S = np.array([[2.0, 0.8, 0.0, 0.1], [0.8, 1.0, 0.3, 0.0], [0, 0.3, 1.5, 0], [0.1, 0, 0, 0.7]])
    moments = dd.Moments(n, np.arange(4.0), S, tuple("abcd"))
    draws = [wishart(moments, np.random.default_rng(seed)) for seed in range(4000)]
    found = np.array([draw.S for draw in draws])
    expected = (n - 1) / n * S
    spread = np.sqrt((n - 1) * (S**2 + np.outer(np.diag(S), np.diag(S)))) / n
    assert (np.abs(found.mean(axis=0) - expected) < 5 * spread / np.sqrt(4000)).all()
    np.testing.assert_allclose(found.std(axis=0), spread, rtol=0.12)
    means = np.array([draw.mean for draw in draws])
    np.testing.assert_allclose(np.cov(means.T), S / n, atol=0.1 * 2 / n + 1e-3)


def test_moments_are_drawn_when_rows_are_not_there():
    found = MODEL.confidence(dd.Moments.from_data(TABLE), 3, **FAST)
    assert found.draws == 3
    assert found.shares.of("A", "B")["->"] == 1.0


def test_the_continuous_estimator_has_no_posterior():
    found = dd.Decor(search=False).confidence(TABLE, 4, n_jobs=1)
    assert found.posterior is None
    assert "posterior" not in str(found)
    again = dd.Confidence.from_json(found.to_json())
    assert again.posterior is None


def test_tables_that_cannot_be_fitted_are_counted():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.standard_normal(40), "b": 0.0})
    X.loc[7, "b"] = 1.0  # absent from a bootstrap table with probability exp(-1)
    found = dd.Decor(search=False).confidence(X, 12, n_jobs=1)
    assert found.failed + found.draws == 12
    assert 1 <= found.failed <= 11
    assert "could not be fitted" in str(found)
    one = next(k for k in range(20) if _misses(k))
    with pytest.raises(NoDraws, match="constant"):
        dd.Decor(search=False).confidence(X, 1, n_jobs=1, random_state=one)


def _misses(seed):
    return 7 not in np.random.default_rng([seed, 0]).integers(40, size=40)


def test_a_document_restores_the_same_numbers(six):
    again = dd.Confidence.from_json(six.to_json())
    same(again, six)
    assert str(again) == str(six)
    body = json.loads(six.to_json())
    for wrong in ({"draws": None}, {"shares": 3}, {"posterior": {}}):
        with pytest.raises(BadDocument):
            dd.Confidence.from_json(json.dumps({**body, **wrong}))


@pytest.mark.parametrize(
    "option",
    [
        {"draws": 0},
        {"method": "jackknife"},
        {"effort": 0.0},
        {"effort": 2},
        {"n_jobs": 0},
        {"random_state": -1},
        {"max_seconds": -1.0},
    ],
)
def test_bad_options_are_refused(option):
    with pytest.raises(OptionError, match=next(iter(option))):
        Plan(**option)


def test_n_jobs_counts_as_in_scikit_learn():
    assert [Plan(n_jobs=k).workers(4) for k in (1, 3, -1, -2, -9)] == [1, 3, 4, 3, 1]
