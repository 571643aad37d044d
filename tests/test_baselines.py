"""The protocol of the rivals, how their output is read, and every rival on known answers."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import dag_masks

import dagdecor as dd
from dagdecor.baselines import RIVALS, Baseline, Setting, reading, sorting
from dagdecor.baselines.protocol import by_name
from dagdecor.data import Table
from dagdecor.errors import DataError, MissingPackage, OptionError
from dagdecor.graph import MixedGraph
from dagdecor.moments import Moments

BUILT_IN = [name for name, rival in RIVALS.items() if not rival.packages]


def collider(n=2000, seed=0, noise="normal"):
    """A -> B <- C, of rising variance along the arrows; C, B, A is the order of the columns."""
    rng = np.random.default_rng(seed)
    E = rng.normal(size=(n, 3)) if noise == "normal" else rng.uniform(-1.7, 1.7, (n, 3))
    values = np.column_stack([E[:, 0], 1.5 * E[:, 2] - 1.2 * E[:, 0] + E[:, 1], E[:, 2]])
    return Table(values, ("C", "B", "A"))


# --- the protocol ------------------------------------------------------------------------------


def test_a_found_value_cannot_be_written_to():
    found = dd.baselines.fit("variance-sort", collider())
    with pytest.raises(ValueError, match="read-only"):
        found.weights[0, 1] = 1.0


def test_every_rival_states_its_facts():
    for name, rival in RIVALS.items():
        assert rival.name == name == name.lower()
        assert rival.summary
        assert rival.needs in {"moments", "table"}
        assert set(rival.takes) <= {"latents", "density", "random_state"}
        assert rival.setting.loss
        assert rival.setting.penalty
        assert bool(rival.packages) == bool(rival.extra)
    assert set(dd.baselines.names(ready=True)) >= set(BUILT_IN)
    assert dd.baselines.names() == tuple(RIVALS)


@pytest.mark.parametrize("name", list(RIVALS))
def test_the_page_states_the_facts_of_every_rival(name):
    facts = RIVALS[name].setting
    row = f"| `{name}` | {facts.loss} | {facts.penalty} | {facts.threshold} | {facts.centring} |"
    page = Path(__file__).parents[1] / "docs" / "study" / "rivals.md"
    assert row.replace("|det|", r"\|det\|") in page.read_text(encoding="utf-8")


def test_an_unknown_name_lists_the_rivals():
    with pytest.raises(OptionError, match="notears-paper"):
        dd.baselines.fit("nothing", collider())


def test_two_of_one_name_are_refused():
    with pytest.raises(OptionError, match="no other baseline"):
        by_name([RIVALS["notears"], RIVALS["notears"]])


def a_baseline(method=None, **facts):
    return Baseline("mine", "a test's", method or (lambda data: data), Setting("-", "-"), **facts)


def test_an_absent_package_says_how_to_get_it():
    absent = a_baseline(packages=("no_such_package",), extra="baselines")
    assert absent.missing == ("no_such_package",)
    with pytest.raises(MissingPackage, match=r"no_such_package.*dagdecor\[baselines\]"):
        absent.fit(collider())


def test_moments_do_not_serve_a_method_that_needs_rows():
    with pytest.raises(DataError, match="needs the rows"):
        a_baseline(needs="table").fit(Moments.from_data(collider()))


def test_data_arrive_as_what_the_method_needs():
    table = collider()
    assert isinstance(a_baseline().fit(table), Moments)
    assert a_baseline(needs="table").fit(table) is table
    assert a_baseline(needs="table").fit(table.values).names == ("x0", "x1", "x2")


def test_facts_of_the_design_are_given_to_those_who_are_told():
    told = a_baseline(lambda _, **given: given, takes=("latents", "random_state"))
    assert told.told == ("latents",)
    assert told.fit(collider(), latents=5, density=0.2, random_state=7) == {
        "latents": 5,
        "random_state": 7,
    }
    with pytest.raises(OptionError, match=r"latents=None.*is told it"):
        told.fit(collider())


# --- reading -----------------------------------------------------------------------------------


def colliders(edges):
    """Unshielded i -> k <- j."""
    adjacent = edges | edges.T
    return {
        (i, k, j)
        for k in range(len(edges))
        for i in np.flatnonzero(edges[:, k])
        for j in np.flatnonzero(edges[:, k])
        if i < j and not adjacent[i, j]
    }


def class_marks(edges):
    """(adjacent, pointed) that all Markov equivalent orientations share, by enumeration."""
    pairs = np.argwhere(np.triu(edges | edges.T))
    wanted, shared = colliders(edges), np.ones_like(edges)
    for bits in range(2 ** len(pairs)):
        other = np.zeros_like(edges)
        for bit, (i, j) in enumerate(pairs):
            other[(j, i) if bits >> bit & 1 else (i, j)] = True
        if reading.is_acyclic(other) and colliders(other) == wanted:
            shared &= other
    return np.stack([edges | edges.T, shared], axis=-1)


@settings(max_examples=60)
@given(edges=dag_masks(most=5))
def test_a_member_of_a_cpdag_has_its_skeleton_and_colliders(edges):
    marks = class_marks(edges)
    graph, turned = reading.member(marks, [f"x{j}" for j in range(len(edges))])
    found = graph.directed_matrix
    assert turned == 0
    assert not graph.bidirected
    assert not (marks[..., 1] & ~found).any()
    np.testing.assert_array_equal(found | found.T, edges | edges.T)
    assert colliders(found) == colliders(edges)


def test_marks_of_a_pag_are_read_by_one_rule():
    marks = np.zeros((4, 4, 2), dtype=bool)
    for i, j, at_i, at_j in [(0, 1, False, True), (1, 2, True, True), (0, 3, False, False)]:
        marks[i, j] = True, at_j
        marks[j, i] = True, at_i
    graph, turned = reading.member(marks, "abcd")
    assert ("a", "b") in graph.directed
    assert graph.bidirected == (("b", "c"),)
    assert {frozenset(edge) for edge in graph.directed} == {frozenset("ab"), frozenset("ad")}
    assert turned == 0


def test_marks_in_a_circle_are_turned_as_little_as_possible():
    marks = np.zeros((3, 3, 2), dtype=bool)
    for i, j in [(0, 1), (1, 2), (2, 0)]:
        marks[i, j], marks[j, i] = (True, True), (True, False)
    graph, turned = reading.member(marks, "abc")
    assert turned == 1
    assert len(graph.directed) == 3


@given(p=st.integers(1, 7), seed=st.integers(0, 2**20), threshold=st.floats(0, 1))
def test_thresholds_cut_the_smallest_entries_until_no_circle_is_left(p, seed, threshold):
    B = np.random.default_rng(seed).normal(size=(p, p))
    kept = reading.thresholded(B, threshold)
    assert reading.is_acyclic(kept != 0)
    np.testing.assert_array_equal(kept[kept != 0], B[kept != 0])
    sizes = np.sort(np.abs(B[~np.eye(p, dtype=bool) & (np.abs(B) > threshold)]))
    for cut in np.concatenate(([0.0], sizes)):  # one entry at a time, as the original
        plain = np.where((np.abs(B) > max(cut, threshold)) & ~np.eye(p, dtype=bool), B, 0.0)
        if reading.is_acyclic(plain != 0):
            break
    np.testing.assert_array_equal(kept, plain)


# --- every rival that needs no package ---------------------------------------------------------

# Others need more columns, or read no direction from scales: see test_baselines_own.
ELSEWHERE = ("decamf", "spectral", "decor-2s", "decor-rounds")
IDENTIFIED = [name for name in BUILT_IN if not name.startswith(ELSEWHERE)]


@pytest.mark.parametrize("name", IDENTIFIED)
def test_a_collider_points_the_right_way(name):
    found = dd.baselines.fit(name, collider(), latents=1, density=0.2)
    assert found.graph == MixedGraph(("C", "B", "A"), [("A", "B"), ("C", "B")])
    if found.weights is not None:
        np.testing.assert_array_equal(found.weights != 0, found.graph.directed_matrix)


# --- sorted regressions ------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_sorted_regressions_agree_with_causaldisco(seed):
    theirs = pytest.importorskip("CausalDisco.baselines", reason="CausalDisco is not installed")
    X = dd.simulate.draw("paper", seed=seed, n=60 if seed % 2 else 200, p=10).values
    for name, rule in [
        ("variance-sort", theirs.var_sort_regress),
        ("r2-sort", theirs.r2_sort_regress),
    ]:
        np.testing.assert_allclose(dd.baselines.fit(name, X).weights, rule(X), atol=1e-8)


def test_the_share_of_explained_variance_is_that_of_a_regression():
    X = collider().values
    S = np.cov(X.T, bias=True)
    centred = X - X.mean(axis=0)
    for j in range(3):
        others = np.delete(centred, j, axis=1)
        left = np.linalg.lstsq(others, centred[:, j], rcond=None)[1][0]
        share = 1 - left / np.sum(centred[:, j] ** 2)
        np.testing.assert_allclose(sorting.explained(S)[j], share)
