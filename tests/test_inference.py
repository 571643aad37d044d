"""Standard errors and total effects: derivatives, closed forms, coverage, honest refusals."""

import dataclasses
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from strategies import (
    Free,
    graph_masks,
    implied_covariance,
    objective,
    parameters,
    sample_covariance,
    seeds,
)

import dagdecor as dd
from dagdecor.errors import NoStandardErrors, OptionError, UnknownName
from dagdecor.inference import information


def jacobian(function, x, step=1e-5):
    columns = []
    for k in range(len(x)):
        change = np.zeros_like(x)
        change[k] = step
        columns.append((function(x + change) - function(x - change)) / (2 * step))
    return np.stack(columns, axis=-1)


@given(graph_masks(2, 5), seeds())
def test_derivatives_agree_with_finite_differences(masks, seed):
    B, Omega = parameters(*masks, seed)
    S = sample_covariance(*parameters(*masks, seed + 1), 50, seed)
    plain = Free(*masks)
    graph = dd.MixedGraph.from_matrices(*masks)
    x = plain.vector(B, Omega)
    slope, hessian = information.curvature(S, B, Omega, information.Free.of(graph))
    numeric = jacobian(lambda v: np.array(objective(*plain.matrices(v), S)), x)
    np.testing.assert_allclose(slope, numeric, rtol=1e-5, atol=1e-5 * (1 + abs(numeric).max()))
    second = jacobian(lambda v: plain.value_and_gradient(v, S)[1], x)
    np.testing.assert_allclose(hessian, second, rtol=1e-5, atol=1e-5 * (1 + abs(second).max()))


def fitted(directed=(), bidirected=(), n=400, seed=0, names="abcd"):
    graph = dd.MixedGraph(names, map(tuple, directed), map(tuple, bidirected))
    B, Omega = parameters(graph.directed_matrix, graph.bidirected_matrix, seed)
    S = sample_covariance(B, Omega, n, seed)
    return dd.refit(dd.Moments.from_covariance(S, n, names=graph.names), graph)


def test_without_hidden_causes_the_errors_are_those_of_regression():
    fit = fitted(["ab", "ac", "bd", "cd"])
    errors = dd.standard_errors(fit)
    S, graph = fit.sample_covariance, fit.graph
    for name in graph.names:
        j = graph.names.index(name)
        parents = [graph.names.index(parent) for parent in graph.parents(name)]
        known = fit.noise_covariance[j, j] * np.linalg.inv(S[np.ix_(parents, parents)]) / fit.n
        np.testing.assert_allclose(errors.weights[parents, j], np.sqrt(np.diag(known)), rtol=1e-6)
        assert errors.noise_covariance[j, j] == pytest.approx(
            fit.noise_covariance[j, j] * np.sqrt(2 / fit.n), rel=1e-6
        )
    assert errors.identified
    assert "every value" in errors.status


def test_the_total_effect_of_a_chain_has_its_closed_form():
    fit = fitted(["ab", "bc"], names="abc")
    found, errors = dd.total_effects(fit, level=0.9), dd.standard_errors(fit)
    first, second = fit.weights[0, 1], fit.weights[1, 2]
    sobel = np.hypot(first * errors.weights[1, 2], second * errors.weights[0, 1])
    assert found.total[0, 2] == pytest.approx(first * second)
    assert found.total_error[0, 2] == pytest.approx(sobel, rel=1e-6)
    np.testing.assert_allclose(found.direct_error, errors.weights)
    lower, upper = found.interval("a", "c")
    assert upper - lower == pytest.approx(2 * norm.ppf(0.95) * sobel, rel=1e-6)
    assert found.total[2, 0] == found.total_error[2, 0] == 0.0


@given(graph_masks(2, 6), seeds())
def test_total_effects_agree_with_a_numeric_delta_method(masks, seed):
    graph = dd.MixedGraph.from_matrices(*masks)
    S = sample_covariance(*parameters(*masks, seed), 300, seed)
    fit = dd.refit(dd.Moments.from_covariance(S, 300, names=graph.names), graph)
    if not fit.certificate.converged:
        return
    errors = dd.standard_errors(fit)
    plain, e = Free(*masks), len(graph.directed)
    x = plain.vector(fit.weights, fit.noise_covariance)
    unit = np.eye(len(graph.names))
    slopes = jacobian(lambda v: np.linalg.inv(unit - plain.matrices(v)[0]), x)[..., :e]
    variance = np.einsum("ijk,kl,ijl->ij", slopes, errors.covariance[:e, :e], slopes)
    found = dd.total_effects(fit)
    np.testing.assert_allclose(found.total_error**2, variance, rtol=1e-4, atol=1e-9)
    np.testing.assert_allclose(found.total, np.linalg.inv(unit - fit.weights) - unit, atol=1e-12)


@given(st.floats(0.01, 100.0))
def test_errors_follow_the_units(unit):
    fit = fitted(["ab", "bc"], ["cd"])
    scale = np.array([unit, 1.0, 1.0, 1.0])
    S = fit.sample_covariance * np.outer(scale, scale)
    other = dd.refit(dd.Moments.from_covariance(S, fit.n, names=fit.graph.names), fit.graph)
    one, two = dd.standard_errors(fit), dd.standard_errors(other)
    np.testing.assert_allclose(two.weights, one.weights / scale[:, None] * scale, rtol=1e-4)


def test_nominal_intervals_cover_on_the_true_graph():
    """60 draws, 14 values each: a share outside [.9, .985] has odds of less than 1 in 1000."""
    graph = dd.MixedGraph("abcdef", map(tuple, ("ab", "bc", "cd", "ae")), map(tuple, ("ac", "ef")))
    masks = graph.directed_matrix, graph.bidirected_matrix
    B, Omega = parameters(*masks, 5)
    free = information.Free.of(graph)
    truth, inside = free.values(B, Omega), []
    for seed in range(60):
        S = sample_covariance(B, Omega, 1000, seed)
        fit = dd.refit(dd.Moments.from_covariance(S, 1000, names=graph.names), graph)
        frame = dd.standard_errors(fit).to_frame()
        inside.append((frame["lower"] <= truth) & (truth <= frame["upper"]))
    assert 0.9 < np.mean(inside) < 0.985


def test_what_the_data_do_not_determine_is_nan_and_said():
    bow = dd.MixedGraph("abc", [("a", "b"), ("b", "c")], [("a", "b")])
    S = implied_covariance(*parameters(bow.directed_matrix, bow.bidirected_matrix, 0))
    fit = dd.refit(dd.Moments.from_covariance(S, 100, names=bow.names), bow)
    errors, effects = dd.standard_errors(fit), dd.total_effects(fit)
    assert not errors.identified
    assert np.isnan(errors.weights[0, 1])
    assert np.isnan(errors.noise_covariance[0, 1])
    assert errors.weights[1, 2] > 0
    assert "do not determine a -> b, a <-> b" in errors.status
    assert np.isnan(effects.total_error[0, [1, 2]]).all()
    assert effects.total_error[1, 2] == pytest.approx(errors.weights[1, 2])
    assert "NaN" in str(effects)
    assert '"error": null' in effects.to_json()


def test_a_fit_that_is_no_maximum_is_refused():
    draw = dd.simulate.draw("four-node", seed=1)
    penalised = dd.Decor(search=False, refit=False).fit(draw.X).fit_
    with pytest.raises(NoStandardErrors, match="no maximum"):
        dd.standard_errors(penalised)
    without = dataclasses.replace(fitted(["ab"]), sample_covariance=None)
    with pytest.raises(NoStandardErrors, match="sample covariance"):
        dd.total_effects(without)


def test_tables_words_and_refusals():
    draw = dd.simulate.draw("four-node", seed=1)
    effects = dd.Decor(random_state=0).fit(draw.X).effects()
    frame = effects.to_frame()
    assert list(frame.columns) == ["cause", "effect", "direct", "total", "error", "lower", "upper"]
    assert frame["total"].abs().is_monotonic_decreasing
    assert "do not account for its selection" in str(effects)
    empty = dd.total_effects(fitted())
    assert "no effects" in str(empty)
    with pytest.raises(OptionError, match="level=95"):
        dd.total_effects(fitted(["ab"]), level=95)
    with pytest.raises(UnknownName, match="'z'"):
        effects.interval("A", "z")
    assert "variance" in str(dd.standard_errors(fitted(["ab"])))


@pytest.mark.parametrize(
    ("directed", "bidirected"),
    [
        (["ab", "ac", "bd", "cd"], ["bc"]),
        (["ab", "bc", "bd"], ["cd"]),
        (["ab", "bc", "cd"], []),
        # an arc between a column without effects and one with: semopy alone would take it for
        # correlated measurement errors, another model (see `to_semopy`)
        (["ab", "bc", "cd"], ["bd"]),
        (["ab", "bc", "bd"], ["ac", "cd"]),
    ],
)
def test_errors_agree_with_semopy(directed, bidirected):
    semopy = pytest.importorskip("semopy", reason="semopy is not installed")
    draw = fitted(directed, bidirected, n=600)
    table = pd.DataFrame(draw.sample(600, random_state=3), columns=list("abcd"))
    fit = dd.refit(table, draw.graph)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = semopy.Model(draw.graph.to_semopy())
        model.fit(table)
        theirs = model.inspect(information="observed")
    theirs = theirs[theirs["Std. Err"] != "-"]  # of what is free
    assert len(theirs) == len(directed) + len(bidirected) + 4
    ours = {(r.a, r.mark, r.b): r for r in dd.standard_errors(fit).to_frame().itertuples()}
    for _, row in theirs.iterrows():
        a, b = (row["rval"], row["lval"]) if row["op"] == "~" else sorted(row[["lval", "rval"]])
        mark = "->" if row["op"] == "~" else "variance" if a == b else "<->"
        found, error = ours[a, mark, b], row["Std. Err"]  # their optimiser stops a little early
        assert found.estimate == pytest.approx(row["Estimate"], abs=0.05 * error)
        assert found.error == pytest.approx(error, rel=5e-3)
