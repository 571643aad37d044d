"""Other marks: equivalent graphs score alike with free variances, and scale decides otherwise."""

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import graph_masks, implied_covariance, parameters, seeds

import dagdecor as dd
from dagdecor.errors import BadDocument, GraphError, UnknownName
from dagdecor.estimator.other_marks import scored
from dagdecor.evidence import Alternatives
from dagdecor.search import latent_search, mixed_search
from dagdecor.search.pinned import walker
from dagdecor.search.prices import edge_prices, latent_prices
from dagdecor.search.profile import profile

N = 1000


def population(graph, seed, n=N):
    S = implied_covariance(*parameters(graph.directed_matrix, graph.bidirected_matrix, seed))
    return dd.refit(dd.Moments.from_covariance(S, n, names=graph.names), graph)


def mark_of(graph, a, b):
    marks = {(a, b) in graph.directed: "->", (b, a) in graph.directed: "<-"}
    arc = {(a, b), (b, a)} & set(graph.bidirected)
    return "<->" if arc else marks.get(True, "none")


def with_mark(graph, a, b, mark):
    """The graph with another mark on the pair, None where that closes a cycle."""
    arrows = [edge for edge in graph.directed if set(edge) != {a, b}]
    arcs = [edge for edge in graph.bidirected if set(edge) != {a, b}]
    arrows += [(a, b)] if mark == "->" else [(b, a)] if mark == "<-" else []
    arcs += [(a, b)] if mark == "<->" else []
    try:
        return dd.MixedGraph(graph.names, arrows, arcs)
    except dd.errors.CyclicGraph:
        return None


@settings(max_examples=25)
@given(graph_masks(3, 4), seeds())
def test_a_mark_that_an_equivalent_graph_has_costs_nothing(masks, seed):
    graph = dd.MixedGraph.from_matrices(*masks, list("abcd")[: len(masks[0])])
    fit = population(graph, seed)
    moments = dd.Moments.from_covariance(fit.sample_covariance, N, names=graph.names)
    found, marks = scored(fit), len(graph.directed) + len(graph.bidirected)
    tables = {"->": found.edge, "<-": found.edge.T, "<->": found.arc}
    unit = np.log(np.diag(fit.sample_covariance)).sum()
    own_score = N * (fit.certificate.objective - unit) + edge_prices(N, len(graph.names))[marks]
    for a, b in [*graph.directed, *graph.bidirected]:
        own = mark_of(graph, a, b)
        for mark in {"->", "<-", "<->"} - {own}:
            other = with_mark(graph, a, b, mark)
            if other is None or not dd.equivalent(graph, other):
                continue
            # Equivalence is of equations: Omega > 0 may still exclude this very covariance.
            worse = dd.refit(moments, other).certificate.objective - fit.certificate.objective
            place = graph.names.index(a), graph.names.index(b)
            assert tables[mark][place] < own_score + N * max(worse, 0.0) + 1e-3
            assert tables[own][place] < own_score + 1e-3


@pytest.mark.parametrize(
    ("directed", "bidirected"),
    [("ab bc", ""), ("ab cb", ""), ("ab bc cd", "ac"), ("ab ac bd cd", ""), ("ab cd", "bd")],
)
def test_a_mark_that_no_equivalent_graph_has_costs_something(directed, bidirected):
    graph = dd.MixedGraph("abcd", map(tuple, directed.split()), map(tuple, bidirected.split()))
    found = dd.alternatives(population(graph, 3, n=10**5))
    members = dd.equivalence_class(graph)
    for a, b in [*graph.directed, *graph.bidirected]:
        have = {mark_of(member, a, b) for member in members}
        for mark, difference in found.of(a, b).items():
            if mark in have:
                assert difference < 1e-3  # also when other pairs have to change their marks
            else:
                assert difference > 2.0


def test_equal_variances_tell_equivalent_graphs_apart():
    graph = dd.MixedGraph("abc", map(tuple, ("ab", "bc")))
    B = 0.8 * graph.directed_matrix
    S = implied_covariance(B, np.eye(3))
    free = dd.alternatives(dd.refit(dd.Moments.from_covariance(S, N, names="abc"), graph))
    assert abs(free.of("a", "b")["<-"]) < 1e-3
    state = latent_search.blank(S, 4)
    state.edges[:], state.B[:] = graph.directed_matrix, B
    prices = latent_search.Prices(edge_prices(N, 3), latent_prices(N, 3))
    one = profile(S, N, state, prices, [(0, 1), (1, 2)])
    assert one.edge[1, 0] > one.edge[0, 1] + 10
    near = mixed_search.blank(S)
    near.edges[:], near.B[:] = graph.directed_matrix, B
    for spread, least in ((0.0, -1e-3), (1.0, 5.0)):
        charged = mixed_search.Prices(edge_prices(N, 3), edge_prices(N, 3), spread)
        table = profile(S, N, near, charged, [(0, 1)])
        assert table.edge[1, 0] - table.edge[0, 1] > least
        assert spread or table.edge[1, 0] - table.edge[0, 1] < 1e-3


@given(graph_masks(3, 6), seeds())
def test_forced_marks_are_there_and_the_graph_stays_lawful(masks, seed):
    S = implied_covariance(*parameters(*masks, seed))
    mixed = mixed_search.blank(S)
    mixed.edges[:], mixed.arcs[:] = masks
    latent = latent_search.blank(S, 10)
    latent.edges[:] = masks[0]
    for k, pair in enumerate(np.argwhere(np.triu(masks[1]))[:9]):
        latent.loads[pair, k] = True
    for state in (mixed, latent):
        walk = walker(state)
        for pair, mark in [((0, 1), "->"), ((1, 0), "->"), ((0, 1), "<->"), ((0, 1), "none")]:
            for other in walk.forced(S, state, pair, mark):
                edges, arcs = walk.marks(other)
                graph = dd.MixedGraph.from_matrices(edges, arcs)  # refuses a cycle
                assert graph.is_bow_free
                assert edges[pair] == (mark == "->")
                assert arcs[pair] == (mark == "<->")
                assert not edges[pair[::-1]]


@pytest.fixture(scope="module")
def fit():
    draw = dd.simulate.draw("abic", seed=1, p=10)
    return dd.Decor(random_state=0).fit(draw.X).fit_


def test_a_fit_by_search_says_what_else_fits(fit):
    frame = fit.alternatives.frame()
    assert len(frame) == len(fit.graph.directed) + len(fit.graph.bidirected)
    text = str(fit)
    for row in fit.to_frame().itertuples():
        line = f"{row.a} {row.mark} {row.b}"
        rivals = fit.alternatives.rivals(row.a, row.b, row.mark)
        assert row._6 == ", ".join(rivals)
        assert (f"{line}   ({row._6} fits as well)" in text) == bool(rivals)
        assert fit.alternatives.of(row.a, row.b)[row.mark] == 0.0
    assert str(fit.alternatives).startswith("log units")


def test_columns_of_one_variance_do_not_say_where_a_chain_begins():
    rng = np.random.default_rng(0)
    a = rng.standard_normal(500)
    b = a + rng.standard_normal(500)
    X = np.column_stack([a, b])
    fit = dd.refit(X / X.std(axis=0), dd.MixedGraph(["x0", "x1"], [("x0", "x1")]))
    fit = dataclasses.replace(fit, alternatives=dd.alternatives(fit))
    assert set(fit.rivals("x0", "x1", "->")) == {"<-", "<->"}
    assert str(fit).startswith("x0 -> x1   (<-, <-> fits as well)") or "<->, <-" in str(fit)


def test_documents_keep_them_and_refuse_wrong_ones(fit):
    again = dd.Fit.from_json(fit.to_json())
    np.testing.assert_array_equal(again.alternatives.directed, fit.alternatives.directed)
    assert again.alternatives.criterion == fit.alternatives.criterion
    body = json.loads(fit.to_json())
    body["alternatives"]["absent"] = [[0.0]]
    with pytest.raises(BadDocument, match="alternatives"):
        dd.Fit.from_json(json.dumps(body))


def test_refusals(fit):
    bow = dd.MixedGraph("ab", [("a", "b")], [("a", "b")])
    S = np.array([[1.0, 0.5], [0.5, 1.0]])
    with pytest.raises(GraphError, match="a bow"):
        dd.alternatives(dd.refit(dd.Moments.from_covariance(S, 50, names="ab"), bow))
    with pytest.raises(GraphError, match="sample covariance"):
        dd.alternatives(dataclasses.replace(fit, sample_covariance=None))
    with pytest.raises(UnknownName):
        fit.alternatives.of("x0", "nothing")
    with pytest.raises(GraphError, match="itself"):
        fit.alternatives.of("x0", "x0")
    with pytest.raises(GraphError, match="must be"):
        Alternatives(("a", "b"), np.zeros(3), np.zeros((2, 2)), np.zeros((2, 2)), "none")


def test_a_mark_that_is_forbidden_is_no_rival():
    S = [[1.0, 0.8, 0.5], [0.8, 2.0, 1.2], [0.5, 1.2, 2.0]]
    moments = dd.Moments.from_covariance(S, n=1000, names=["a", "b", "c"])
    free = dd.Decor(search=False).fit(moments).fit_
    told = dd.Knowledge(forbidden=["b -> a", "a <-> b"])
    bound = dd.Decor(search=False, knowledge=told).fit(moments).fit_
    assert ("a", "b") in free.graph.directed
    assert ("a", "b") in bound.graph.directed
    assert np.isfinite(dd.alternatives(free).of("a", "b")["<-"])
    found = dd.alternatives(bound).of("a", "b")
    assert np.isnan([found["<-"], found["<->"]]).all()
