"""Scores agree with their definitions, spelled out pair by pair, and with hand-computed cases."""

from __future__ import annotations

from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagdecor.errors import BadCovariance, BadShape, GraphError
from dagdecor.graph import MixedGraph
from dagdecor.metrics import Comparison, compare, divergence, relative_error

NAMES = ("a", "b", "c", "d", "e", "f")


@st.composite
def graphs(draw_from, names):
    """Any mixed graph on the names, bows included, columns in any order."""
    order = draw_from(st.permutations(names))
    pairs = list(combinations(order, 2))
    arrows = draw_from(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    arcs = draw_from(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return MixedGraph(draw_from(st.permutations(names)), arrows, arcs)


@st.composite
def two_graphs(draw_from):
    names = NAMES[: draw_from(st.integers(1, len(NAMES)))]
    return draw_from(graphs(names)), draw_from(graphs(names))


# --- definitions -------------------------------------------------------------------------------


def ratio(part, whole, *, both_empty):
    if both_empty:
        return 1.0
    return len(part) / len(whole) if whole else 0.0


def scores(true, found):
    empty = not true and not found
    precision = ratio(true & found, found, both_empty=empty)
    recall = ratio(true & found, true, both_empty=empty)
    total = precision + recall
    return precision, recall, 2 * precision * recall / total if total else 0.0


def marks(graph, first, second):
    """What stands between two names."""
    return {
        "->": (first, second) in graph.directed,
        "<-": (second, first) in graph.directed,
        "<->": {(first, second), (second, first)} & set(graph.bidirected) != set(),
    }


def by_definition(true, found):
    arrows, found_arrows = set(true.directed), set(found.directed)
    arcs, found_arcs = ({frozenset(e) for e in g.bidirected} for g in (true, found))
    skeleton = {frozenset(e) for e in true.directed} | arcs
    found_skeleton = {frozenset(e) for e in found.directed} | found_arcs
    precision, recall, f1 = scores(arrows, found_arrows)
    arc_precision, arc_recall, arc_f1 = scores(arcs, found_arcs)
    places = [pair for pair in permutations(true.names, 2) if pair not in arrows]
    wrong = [pair for pair in places if pair in found_arrows]
    return Comparison(
        directed_f1=f1,
        directed_precision=precision,
        directed_recall=recall,
        bidirected_f1=arc_f1,
        bidirected_precision=arc_precision,
        bidirected_recall=arc_recall,
        skeleton_f1=scores(skeleton, found_skeleton)[2],
        tpr=recall,
        fpr=len(wrong) / len(places) if places else 0.0,
        pair_shd=sum(
            marks(true, *pair) != marks(found, *pair) for pair in combinations(true.names, 2)
        ),
    )


@given(two_graphs())
@settings(max_examples=200, deadline=None)
def test_every_score_is_its_definition(pair):
    assert compare(*pair).to_dict() == pytest.approx(by_definition(*pair).to_dict())


@given(two_graphs())
@settings(max_examples=100, deadline=None)
def test_swapping_the_graphs_swaps_precision_and_recall(pair):
    there, back = compare(*pair), compare(*reversed(pair))
    assert there.directed_precision == back.directed_recall
    assert there.bidirected_precision == back.bidirected_recall
    for name in ("directed_f1", "bidirected_f1", "skeleton_f1", "pair_shd"):
        assert getattr(there, name) == getattr(back, name)


@given(two_graphs())
@settings(max_examples=100, deadline=None)
def test_scores_stay_within_their_bounds(pair):
    count = len(pair[0].names)
    values = compare(*pair).to_dict()
    assert 0 <= values.pop("pair_shd") <= count * (count - 1) // 2
    assert all(0 <= value <= 1 for value in values.values())
    same = compare(pair[0], pair[0]).to_dict()
    assert (same.pop("pair_shd"), same.pop("fpr")) == (0, 0)
    assert set(same.values()) == {1.0}


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_pair_distance_is_a_metric(data):
    first, second, third = (data.draw(graphs(NAMES[:4])) for _ in range(3))
    direct = compare(first, third).pair_shd
    assert direct <= compare(first, second).pair_shd + compare(second, third).pair_shd
    same_marks = (set(first.directed), {frozenset(e) for e in first.bidirected}) == (
        set(third.directed),
        {frozenset(e) for e in third.bidirected},
    )
    assert (direct == 0) == same_marks


@given(two_graphs(), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_new_names_and_other_column_orders_change_nothing(pair, random):
    fresh = [f"column {place}" for place in range(len(pair[0].names))]
    random.shuffle(fresh)
    rename = dict(zip(pair[0].names, fresh, strict=True))
    moved = []
    for graph in pair:
        names = list(rename.values())
        random.shuffle(names)
        edges = [[(rename[a], rename[b]) for a, b in e] for e in (graph.directed, graph.bidirected)]
        moved.append(MixedGraph(names, *edges))
    assert compare(*moved) == compare(*pair)


# --- by hand -----------------------------------------------------------------------------------


def test_scores_by_hand():
    truth = MixedGraph("abcd", [("a", "b"), ("b", "c"), ("c", "d")], [("b", "d")])
    found = MixedGraph("abcd", [("a", "b"), ("c", "b"), ("b", "d")], [("c", "d"), ("a", "c")])
    # Right: a -> b. Turned: b - c. Wrong kind: b - d, c - d. Surplus: a - c. Missing: none.
    assert compare(truth, found) == Comparison(
        directed_f1=1 / 3,
        directed_precision=1 / 3,
        directed_recall=1 / 3,
        bidirected_f1=0.0,
        bidirected_precision=0.0,
        bidirected_recall=0.0,
        skeleton_f1=8 / 9,
        tpr=1 / 3,
        fpr=2 / 9,
        pair_shd=4,
    )


def test_a_bow_is_a_mark_of_its_own():
    bow = MixedGraph("ab", [("a", "b")], [("a", "b")])
    for other in (
        MixedGraph("ab"),
        MixedGraph("ab", [("a", "b")]),
        MixedGraph("ab", [("b", "a")]),
        MixedGraph("ab", bidirected=[("a", "b")]),
        MixedGraph("ab", [("b", "a")], [("a", "b")]),
    ):
        assert compare(bow, other).pair_shd == 1
        assert compare(other, bow).pair_shd == 1


def test_empty_sets():
    nothing, arrow = MixedGraph("ab"), MixedGraph("ab", [("a", "b")])
    perfect, surplus, missed = (
        compare(nothing, nothing),
        compare(nothing, arrow),
        compare(arrow, nothing),
    )
    assert (perfect.directed_f1, perfect.tpr, perfect.fpr, perfect.bidirected_f1) == (1, 1, 0, 1)
    assert (surplus.directed_f1, surplus.tpr, surplus.fpr, surplus.skeleton_f1) == (0, 0, 0.5, 0)
    assert (missed.directed_f1, missed.directed_precision, missed.tpr, missed.fpr) == (0, 0, 0, 0)


def test_columns_are_matched_by_name():
    truth = MixedGraph(["a", "b", "c"], [("a", "b")], [("b", "c")])
    found = MixedGraph(["c", "a", "b"], [("a", "b")], [("b", "c")])
    assert compare(truth, found).pair_shd == 0


def test_different_columns_are_refused_by_name():
    with pytest.raises(GraphError, match=r"only the true graph has 'b'; only the learned .* 'c'"):
        compare(MixedGraph("ab"), MixedGraph("ac"))
    with pytest.raises(GraphError, match=r"columns: only the learned graph has 'c'$"):
        compare(MixedGraph("ab"), MixedGraph("abc"))


def test_two_thousand_columns():
    names = [f"x{place}" for place in range(2000)]
    chain = MixedGraph(names, list(pairwise(names)))
    turned = MixedGraph(names[::-1], list(pairwise(names[::-1])))
    scores = compare(chain, turned)
    assert scores.pair_shd == 1999
    assert scores.fpr == 1999 / (2000 * 1999 - 1999)
    assert (scores.directed_f1, scores.skeleton_f1) == (0, 1)


# --- matrices ----------------------------------------------------------------------------------


def test_relative_error_by_hand():
    assert relative_error([[3.0, 0.0], [0.0, 4.0]], [[3.0, 1.0], [0.0, 4.0]]) == pytest.approx(0.2)
    assert relative_error([[2.0]], [[2.0]]) == 0
    assert relative_error(np.zeros((2, 2)), np.zeros((2, 2))) == 0
    assert relative_error(np.zeros((2, 2)), np.eye(2)) == np.inf
    assert relative_error(np.eye(3), np.zeros((3, 3))) == 1
    with pytest.raises(BadShape, match=r"\(2, 2\) and \(3, 3\)"):
        relative_error(np.eye(2), np.eye(3))


@pytest.mark.parametrize(("true", "fitted"), [(1.0, 2.0), (2.0, 1.0), (1e-6, 1e6), (5.0, 5.0)])
def test_divergence_in_one_dimension(true, fitted):
    expected = 0.5 * (true / fitted - 1 - np.log(true / fitted))
    assert divergence([[true]], [[fitted]]) == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("r", [-0.9, 0.0, 0.3, 0.999])
def test_divergence_of_a_correlation_is_the_mutual_information(r):
    true = [[4.0, 2 * 3 * r], [2 * 3 * r, 9.0]]
    assert divergence(true, np.diag([4.0, 9.0])) == pytest.approx(-0.5 * np.log(1 - r**2))
    backwards = 0.5 * (2 / (1 - r**2) - 2 + np.log(1 - r**2))
    assert divergence(np.diag([4.0, 9.0]), true) == pytest.approx(backwards)


@st.composite
def two_covariances(draw_from):
    p = draw_from(st.integers(1, 6))
    rng = np.random.default_rng(draw_from(st.integers(0, 2**32)))
    factors = rng.standard_normal((2, p, p + 2))
    return [F @ F.T + 0.1 * np.eye(p) for F in factors], rng.standard_normal((p, p)) + 4 * np.eye(p)


@given(two_covariances())
@settings(max_examples=100, deadline=None)
def test_divergence_is_its_formula_and_ignores_units(problem):
    (T, F), A = problem
    trace = np.trace(np.linalg.solve(F, T))
    expected = (trace - len(T) + np.linalg.slogdet(F)[1] - np.linalg.slogdet(T)[1]) / 2
    assert divergence(T, F) == pytest.approx(expected, rel=1e-8)
    assert divergence(T, F) > 0
    assert divergence(T, T) < 1e-13
    if np.linalg.cond(A) < 1e3:
        assert divergence(A @ T @ A.T, A @ F @ A.T) == pytest.approx(divergence(T, F), rel=1e-6)


def test_divergence_of_nearly_equal_laws_keeps_its_digits():
    T = np.diag([1.0, 2.0, 5.0])
    assert divergence(T, T * (1 + 1e-6)) == pytest.approx(3 * 1e-12 / 4, rel=1e-5)


@pytest.mark.parametrize(
    ("true", "fitted", "words"),
    [
        (np.eye(2), [[1.0, 2.0], [2.0, 1.0]], r"\(fitted\) is not positive definite"),
        (np.zeros((2, 2)), np.eye(2), r"\(true\) is not positive definite"),
        (np.eye(2), [[1.0, 0.5], [0.0, 1.0]], r"\(fitted\) is not symmetric"),
        ([[np.nan]], [[1.0]], r"\(true\) has missing"),
    ],
)
def test_divergence_refuses_what_is_no_covariance(true, fitted, words):
    with pytest.raises(BadCovariance, match=words):
        divergence(true, fitted)


def test_divergence_refuses_shapes_that_do_not_fit():
    with pytest.raises(BadShape, match=r"\(2, 2\) and \(3, 3\)"):
        divergence(np.eye(2), np.eye(3))
    with pytest.raises(BadShape, match="square"):
        divergence(np.ones((2, 3)), np.eye(3))
