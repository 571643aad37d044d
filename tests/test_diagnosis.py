"""A look at a table before the fit: each fault is found, clean tables raise no alarm."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import dag_masks, seeds

import dagdecor as dd
from dagdecor.diagnosis import explained
from dagdecor.errors import GraphError, UnknownName
from dagdecor.estimator.estimate import SEARCH_COLUMNS


def clean(n=300, p=5, seed=0):
    """Independent of every fault: correlated normal columns of one size."""
    rng = np.random.default_rng([7, seed])
    X = rng.standard_normal((n, p)) @ (np.eye(p) + 0.3 * rng.standard_normal((p, p)))
    return pd.DataFrame(X, columns=list("abcdefgh"[:p]))


def kinds(X, severity=None):
    return {f.kind for f in dd.diagnose(X).findings if severity in {None, f.severity}}


def finding(X, kind):
    (found,) = [f for f in dd.diagnose(X).findings if f.kind == kind]
    return found


def test_clean_tables_of_unseen_draws_raise_no_alarm():
    alarmed = 0
    for name, options in {"local": {}, "moderate": {"n": 200}, "four-node": {"n": 50}}.items():
        for seed in range(9300, 9320):
            found = dd.diagnose(dd.simulate.draw(name, seed=seed, **options).X)
            alarmed += any(f.severity != "note" for f in found.findings)
            assert found.can_fit
    assert alarmed <= 2


@settings(max_examples=60)
@given(dag_masks(least=2, most=6), seeds())
def test_sortability_agrees_with_causaldisco(edges, seed):
    analytics = pytest.importorskip("CausalDisco.analytics")
    X = clean(60, len(edges), seed).to_numpy()
    graph = dd.MixedGraph.from_matrices(edges)
    ours = dd.sortability(graph, dd.Moments.from_data(X))
    if edges.any():
        assert ours["variance"] == pytest.approx(analytics.var_sortability(X, edges))
        assert ours["r2"] == pytest.approx(analytics.r2_sortability(X, edges, tol=1e-12))
    else:
        assert np.isnan(list(ours.values())).all()
    np.testing.assert_allclose(explained(np.cov(X.T)), analytics.r2coeff(X.T), atol=1e-10)


def test_sortability_by_hand_with_a_tie():
    graph = dd.MixedGraph(["a", "b", "c"], directed=[("a", "b"), ("b", "c")])
    moments = dd.Moments.from_covariance(np.diag([1.0, 1.0, 2.0]), n=9, names=["a", "b", "c"])
    # a -> b ties, b -> c rises, the path a -> b -> c rises
    assert dd.sortability(graph, moments)["variance"] == pytest.approx(2.5 / 3)


def test_a_graph_adds_its_sortability_to_the_measures():
    drawn = dd.simulate.draw("paper", seed=9301, density=0.0)
    raw = dd.diagnose(drawn.X, drawn.graph).measures["sortability_variance"]
    scaled = dd.diagnose(drawn.X / drawn.X.std(), drawn.graph).measures["sortability_variance"]
    assert raw > 0.6
    assert raw != scaled
    with pytest.raises(UnknownName):
        dd.diagnose(clean(), drawn.graph)
    with pytest.raises(GraphError, match="two complete rows"):
        dd.diagnose(clean().head(1), dd.MixedGraph(["a"]))


def test_scaled_columns_and_columns_in_units_of_their_own_are_told_apart():
    X = clean()
    assert "scale" not in kinds(X)
    assert "one variance" in finding(X / X.std(ddof=0), "scale").sentence
    wide = finding(X * [1, 1e3, 1, 1, 1], "scale")
    assert wide.severity == "warning"
    assert dd.diagnose(X * [1, 1e3, 1, 1, 1]).recommendation.startswith("Scale (X / X.std())")
    noise = np.random.default_rng(0).standard_normal((2000, 6))
    chain = noise @ np.linalg.inv(np.eye(6) - np.diag(np.full(5, 1.4), 1))
    assert dd.diagnose(chain).measures["variance_r2_agreement"] > 0.5


@pytest.mark.parametrize(("noise", "severity"), [(0.0, "stop"), (1e-3, "warning")])
def test_near_collinear_columns_are_named_with_their_partners(noise, severity):
    X = clean()
    X["f"] = X.a - 2 * X.c + noise * np.random.default_rng(1).standard_normal(len(X))
    found = finding(X, "collinear")
    assert found.severity == severity
    assert set(found.columns) == {"a", "c", "f"}
    assert dd.diagnose(X).measures["largest_inflation"] > 1000
    if severity == "stop":
        with pytest.raises(dd.errors.CollinearColumns):
            dd.Decor().fit(X)


def test_several_collinear_groups_are_each_named():
    X = clean(p=4)
    X["e"], X["f"] = X.a * 2, -X.b
    found = [set(f.columns) for f in dd.diagnose(X).findings if f.kind == "collinear"]
    assert {frozenset(f) for f in found} == {frozenset("ae"), frozenset("bf")}


def test_heavy_tails_and_outliers_are_named():
    X = clean()
    X["b"] = np.random.default_rng(3).standard_t(2, len(X))
    assert finding(X, "tails").columns == ("b",)
    Y = clean()
    Y.loc[[16, 99], "d"] = [60.0, -80.0]
    found = finding(Y, "outliers")
    assert (found.rows, found.columns) == ((17, 100), ("d",))


def test_discrete_and_mixed_columns_are_named():
    X = clean()
    X["b"] = (X.b > 0).astype(float)
    X["c"] = np.maximum(X.c, 0)
    X["d"] = X.d.round(3)  # rounded, still continuous
    found = finding(X, "discrete")
    assert found.columns == ("b", "c")
    assert "'b' has 2 values" in found.sentence
    assert "'c' is 0 in" in found.sentence


def test_time_order_sorted_rows_and_copies_are_suspected():
    steps = np.random.default_rng(5).standard_normal((300, 3))
    walk = pd.DataFrame(np.cumsum(steps, axis=0), columns=list("abc"))
    assert finding(walk, "order").columns == ("a", "b", "c")
    series = clean()
    for row in range(1, len(series)):
        series.loc[row, "a"] += 0.5 * series.loc[row - 1, "a"]
    assert finding(series, "order").columns == ("a",)
    by_column = clean().sort_values("c")
    assert finding(by_column, "sorted").columns == ("c",)
    assert "order" not in kinds(by_column)
    copied = pd.concat([clean(), clean().iloc[[4, 9]]])
    assert finding(copied, "copies").rows == (301, 302)


def test_a_code_for_unknown_is_no_outlier():
    X = clean()
    X.loc[[3, 50, 120, 121], "c"] = -999.0
    found = finding(X, "codes")
    assert (found.severity, found.columns) == ("warning", ("c",))
    assert "-999 in 4 rows" in found.sentence
    assert not kinds(X) & {"tails", "outliers"}
    X.loc[4, "c"] = 70.0
    assert finding(X, "outliers").rows == (5,)
    two = clean()
    two.loc[[3, 50], "c"] = -999.0
    assert finding(two, "outliers").rows == (4, 51)


def test_a_running_number_is_named():
    X = clean().assign(id=range(300, 0, -1))
    found = finding(X, "counter")
    assert (found.severity, found.columns) == ("warning", ("id",))
    assert "sorted" not in kinds(X)


def test_a_header_of_numbers_is_suspected():
    X = clean()
    assert "names" not in kinds(X.set_axis(range(5), axis=1))
    found = finding(X.set_axis(["0.12", "-3.4e-05", "1.5", "b", "c"], axis=1), "names")
    assert (found.severity, len(found.columns)) == ("warning", 3)


def test_text_is_told_apart_by_what_is_to_be_done():
    X = clean().astype(object)
    X.loc[[1, 2], "a"] = "?"
    X["b"] = [f"{value:.2f}".replace(".", ",") for value in X.b]
    X["c"] = [f"{value:.0f}%" for value in X.c]
    X["d"], X["e"] = "no", "yes"
    codes, spelt, words = (f for f in dd.diagnose(X).findings if f.kind == "text")
    assert (codes.columns, spelt.columns, words.columns) == (("a",), ("b", "c"), ("d", "e"))
    assert "'?' 2" in codes.sentence
    assert "nor is 'e'" in words.sentence
    assert dd.diagnose(X).p == 5
    assert kinds(X) == {"text"}
    alone = finding(pd.DataFrame({"a b c": ["1 2 3", "4 5 6"]}), "text")
    assert "parted by something else" in alone.advice


def test_mostly_empty_columns_and_single_rows():
    X = clean()
    X.loc[:199, "b"] = np.nan
    assert "drop 'b', more than half empty" in finding(X, "missing").advice
    assert {f.kind for f in dd.diagnose(clean().head(1)).findings} == {"size"}
    assert str(dd.diagnose(clean().head(1))).startswith("5 columns, 1 row\n")


def test_rows_against_columns():
    assert finding(clean(9, 5), "size").severity == "warning"
    assert finding(clean(20, 5), "size").severity == "note"
    wide = np.random.default_rng(0).standard_normal((1600, SEARCH_COLUMNS + 1))
    assert f"up to {SEARCH_COLUMNS}" in finding(wide, "size").sentence


def test_what_stops_a_fit_is_found_all_at_once_with_its_columns():
    X = clean()
    X["text"] = ["no"] * len(X)
    X["flat"] = 3.0
    X.loc[3, "a"] = np.nan
    X.loc[5, "b"] = np.inf
    X.insert(0, "c", X.c, allow_duplicates=True)
    found = dd.diagnose(X)
    stops = {f.kind: f.columns for f in found.of("stop") if f.kind != "collinear"}
    assert stops == {
        "text": ("text",),
        "names": ("c",),
        "infinite": ("b",),
        "missing": ("a",),
        "constant": ("flat",),
    }
    assert not found.can_fit
    assert "Before a fit" in found.recommendation
    with pytest.raises(dd.errors.DataError):
        dd.Decor().fit(X)


@settings(max_examples=60)
@given(
    st.integers(0, 6),
    st.integers(0, 4),
    st.lists(
        st.sampled_from([0.0, 1.0, -1.0, np.nan, np.inf, 1e200, 2.5]), min_size=24, max_size=24
    ),
)
def test_any_table_is_diagnosed_and_a_fit_agrees_on_what_stops(n, p, cells):
    X = np.array(cells[: n * p]).reshape(n, p)
    found = dd.diagnose(X)
    assert json.loads(found.to_json())["can_fit"] == found.can_fit
    assert max(map(len, str(found).splitlines())) <= 80
    try:
        dd.Moments.from_data(X)
        refused = False
    except dd.errors.DataError:
        refused = True
    if found.can_fit:
        assert not refused


def test_moments_are_diagnosed_as_far_as_they_say_something():
    moments = dd.Moments.from_data(clean() * [1, 1e3, 1, 1, 1])
    assert {f.kind for f in dd.diagnose(moments).findings} == {"scale"}
    assert dd.diagnose(moments).to_dict()["measures"]["deviation_ratio"] > 100
