"""Prior knowledge: what it says, what it refuses, and that nothing that is learned breaks it."""

import json
import sys
import warnings
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from test_directed import a_precision, lasso_on_order, order_of, sample_covariance
from test_estimator import check_result, table

import dagdecor as dd
from dagdecor.errors import (
    BadKnowledge,
    Contradiction,
    MissingPackage,
    NotConverged,
    OptionError,
    UnknownName,
)
from dagdecor.knowledge import Rules
from dagdecor.problem import loss, penalty
from dagdecor.problem.acyclicity import acyclicity
from dagdecor.search import latent_search, mixed_search
from dagdecor.search.prices import arc_prices, edge_prices, latent_prices
from dagdecor.solve.directed import directed


@st.composite
def knowledge(draw, p):
    """Rules over x0, x1, ... that do not contradict each other, most kinds at once."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    names = [f"x{j}" for j in range(p)]
    order = [names[j] for j in rng.permutation(p)]
    cut = int(rng.integers(0, p + 1))
    tiers = [group for group in (order[:cut], order[cut:]) if group][: int(rng.integers(3))]
    required, forbidden, open_names = [], [], set(names)
    for place, b in enumerate(order):
        for a in order[:place]:
            kind = rng.choice(["", "", "", "->", "<->", "not ->", "not <-", "not <->"])
            if kind in {"->", "<->"}:
                required.append((a, str(kind), b))
                open_names -= {b} if kind == "->" else {a, b}
            elif kind:
                forbidden.append((a, str(kind[4:]), b))
    free = sorted(open_names)
    exogenous = [n for n in free if rng.random() < 0.3]
    shared = {n for mark in required if mark[1] == "<->" for n in (mark[0], mark[2])}
    unconfounded = [n for n in names if n not in shared and rng.random() < 0.2]
    return dd.Knowledge(required, forbidden, tiers, unconfounded, exogenous)


def assert_obeyed(graph, known):
    """Read from the statement alone, not from the masks."""
    marks = [(a, "->", b) for a, b in graph.directed]
    marks += [(min(pair), "<->", max(pair)) for pair in graph.bidirected]
    assert set(map(tuple, known.required)) <= set(marks)
    assert not set(map(tuple, known.forbidden)) & set(marks)
    for a, kind, b in marks:
        if kind == "->":
            assert b not in known.exogenous
            assert known.rank.get(b, 0) >= known.rank.get(a, 0) or not {a, b} <= set(known.rank)
        else:
            assert not {a, b} & set(known.unconfounded)


@settings(max_examples=60)
@given(
    st.integers(2, 6).flatmap(lambda p: st.tuples(st.just(p), knowledge(p))),
    st.integers(0, 2**32 - 1),
    st.sampled_from(["precision", "covariance"]),
    st.sampled_from(["reconcile", "penalty", "none"]),
    st.booleans(),
    st.booleans(),
)
def test_the_continuous_estimator_obeys(case, seed, route, bow, refit, diagonal):
    p, known = case
    options = {"bow": bow if route == "covariance" else "reconcile", "refit": refit, "rounds": 2}
    start = "diagonal" if diagonal else "scaled-identity"
    model = dd.Decor(route, search=False, noise_start=start, knowledge=known, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        fit = model.fit(table(seed, 40, p)).fit_
    check_result(fit, bow_free=bow != "none")
    assert_obeyed(fit.graph, known)
    assert np.isfinite(fit.trace).all()  # no barred entry on the way, where its weight is infinite
    assert (np.diff(fit.trace) <= 1e-8 * (1 + np.abs(fit.trace[1:]))).all()


@settings(max_examples=30)
@given(
    st.integers(2, 6).flatmap(lambda p: st.tuples(st.just(p), knowledge(p))),
    st.integers(0, 2**32 - 1),
    st.sampled_from(["latent", "sparse", "auto"]),
)
def test_the_search_obeys(case, seed, noise_model):
    p, known = case
    model = dd.Decor(noise_model=noise_model, max_seconds=0.05, knowledge=known)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        fit = model.fit(table(seed, 60, p)).fit_
    check_result(fit)
    assert_obeyed(fit.graph, known)
    marks = {(a, "->", b): fit.shares.of(a, b)["->"] for a, _, b in known.forbidden}
    for mark in known.forbidden:
        assert mark.kind == "<->" or marks[(mark.a, "->", mark.b)] == 0


def obeys(edges, arcs, rules):
    return (
        not (edges & ~rules.may_lead).any()
        and not (arcs & ~rules.may_share).any()
        and (edges | ~rules.must_lead).all()
        and (arcs | ~rules.must_share).all()
        and not (edges & arcs).any()
    )


def shared(state):
    together = state.loads.astype(int) @ state.loads.T > 0
    return together & ~np.eye(len(together), dtype=bool)


@settings(max_examples=25)
@given(
    st.integers(3, 6).flatmap(lambda p: st.tuples(st.just(p), knowledge(p))),
    st.integers(0, 2**32 - 1),
    st.booleans(),
)
def test_a_walk_and_the_jump_process_obey(case, seed, latent):
    """Chunk after chunk of a walk and of the jump process, as they hand the state on."""
    p, known = case
    rules = known.rules([f"x{j}" for j in range(p)])
    S = dd.Moments.from_data(table(seed, 80, p)).S
    rng = np.random.default_rng(seed)
    edge = edge_prices(80, p)
    if latent:
        walk, state = latent_search, latent_search.lawful(S, 6, rules)
        prices = walk.Prices(edge, latent_prices(80, p))
    else:
        walk, state = mixed_search, mixed_search.lawful(S, rules)
        prices = walk.Prices(edge, arc_prices(80, p, 0.25), 1.0)
    for _ in range(4):
        walk.explore(S, 80, state, prices, walk.Effort(5, 2.0), rng, rules)
        walk.sample(S, 80, state, prices, 20, rng, rules)
        arcs = shared(state) if latent else state.arcs
        assert obeys(state.edges, arcs, rules)
        assert len(order_of(state.edges)) == p
        assert np.isfinite(walk.score(S, 80, state, prices))


@pytest.mark.parametrize("kind", ["none", "diagonal", "full"])
@pytest.mark.parametrize("seed", range(6))
def test_the_graph_step_is_near_the_best_of_all_lawful_orders(kind, seed):
    p, rng = 5, np.random.default_rng(seed)
    S, precision = sample_covariance(seed, p), a_precision(kind, seed, p)
    place = rng.permutation(p)
    required = np.zeros((p, p), bool)
    required[place[:2], place[1:3]] = True
    weights = np.where(required, 0.0, 0.1)
    weights[place[3], place[4]] = np.inf
    found = directed(S, precision, weights, acyclicity("logdet").slope, required=required)
    order = order_of((found.value != 0) | required)
    assert len(order) == p
    assert (found.value[required] != 0).all()
    assert found.value[place[3], place[4]] == 0
    best = min(
        loss.value(S, B, precision) + penalty.value(B, weights)
        for B in (
            lasso_on_order(S, precision, weights, list(order))
            for order in permutations(range(p))
            if all(order.index(i) < order.index(j) for i, j in np.argwhere(required))
        )
    )
    assert best * (1 - 1e-9) <= found.certificate.objective <= best * 1.02


@pytest.mark.parametrize("options", [{}, {"search": False}, {"search": False, "rounds": 1}])
def test_knowledge_of_nothing_changes_no_bit(options):
    X = dd.simulate.draw("four-node", seed=9200).X
    none, empty = (dd.Decor(knowledge=k, **options).fit(X).fit_ for k in (None, dd.Knowledge()))
    assert none.to_json() == empty.to_json()


@pytest.mark.parametrize("noise_model", ["latent", "sparse"])
def test_masks_that_bar_nothing_change_no_bit_of_a_search(noise_model):
    """The search with rules that are all open walks as the search without."""
    S = dd.Moments.from_data(dd.simulate.draw("abic", seed=9201, p=6).X).S
    walk = latent_search if noise_model == "latent" else mixed_search
    edge, rest = edge_prices(500, 6), latent_prices(500, 6)
    prices = (
        walk.Prices(edge, rest)
        if noise_model == "latent"
        else walk.Prices(edge, arc_prices(500, 6, 0.25), 1.0)
    )
    ends = []
    for rules in (None, Rules.none(6)):
        state = walk.blank(S, 6) if noise_model == "latent" else walk.blank(S)
        rng = np.random.default_rng(0)
        score = walk.explore(S, 500, state, prices, walk.Effort(20, 2.0), rng, rules)
        shares = walk.sample(S, 500, state, prices, 50, rng, rules)
        ends.append((score, shares.time, shares.edge.tobytes(), shares.arc.tobytes()))
    assert ends[0] == ends[1]


def test_the_same_knowledge_and_seed_give_the_same_fit():
    drawn = dd.simulate.draw("four-node", seed=9202)
    known = dd.Knowledge(tiers=[["A", "B"], ["C", "D"]])
    one, two = (dd.Decor(knowledge=known).fit(drawn.X).fit_.to_json() for _ in range(2))
    assert one == two
    assert dd.Fit.from_json(one).settings["knowledge"] == known.to_dict()


def test_true_knowledge_does_not_harm_and_mostly_helps():
    """Two tiers, two required marks, on unseen draws; both estimators."""
    gains = []
    for seed in range(9210, 9214):
        drawn = dd.simulate.draw("abic", seed=seed)
        truth, order = drawn.graph, drawn.graph.order
        causes = [(a, "<->", b) for a, b in truth.bidirected[:1]]
        known = dd.Knowledge([*truth.directed[:1], *causes], tiers=[order[:5], order[5:]])
        options = {"noise_model": "sparse"} if seed < 9212 else {"search": False}
        before, after = (
            dd.metrics.compare(truth, dd.Decor(knowledge=k, **options).fit(drawn.X).graph_)
            for k in (None, known)
        )
        assert after.directed_f1 >= before.directed_f1
        assert after.pair_shd <= before.pair_shd
        gains.append(after.directed_f1 - before.directed_f1)
    assert np.mean(gains) > 0


def test_tiers_leave_hidden_causes_open_between_any_groups():
    drawn = dd.simulate.draw("four-node", seed=1)
    known = dd.Knowledge(tiers=[["D"], ["A", "B", "C"]])
    assert ("B", "D") in dd.Decor(knowledge=known).fit(drawn.X).graph_.bidirected


def test_the_estimator_keeps_knowledge_as_scikit_learn_asks():
    known = dd.Knowledge(required=["a -> b"])
    assert clone(dd.Decor(knowledge=known)).knowledge == known
    with pytest.raises(OptionError, match=r"knowledge='a -> b' is not possible"):
        dd.Decor(knowledge="a -> b").fit(np.eye(4))


# --- statements ---------------------------------------------------------------------------------


def test_marks_are_read_in_every_spelling():
    known = dd.Knowledge(required=["a->b", "c <- b", ("d", "<->", "c"), ("a", "d")], exogenous="a")
    assert list(map(str, known.required)) == ["a -> b", "b -> c", "c <-> d", "a -> d"]
    assert known.exogenous == ("a",)
    assert dd.Knowledge(required=["c <-> d", ("d", "<->", "c")]).required == (("c", "<->", "d"),)
    assert dd.Knowledge(forbidden=[(0, 1)]).forbidden == (("0", "->", "1"),)
    assert str(dd.Knowledge()) == "nothing"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"required": ["a -> b"], "forbidden": [("a", "b")]}, ["required 'a -> b'", "forbidden"]),
        ({"required": ["a <-> b"], "forbidden": ["b <-> a"]}, ["required 'a <-> b'", "forbidden"]),
        ({"required": ["a -> b", "b -> a"]}, ["required 'a -> b'", "required 'b -> a' (a cycle)"]),
        (
            {"required": ["a -> b", "b -> c", "c -> a"]},
            ["required 'a -> b', 'b -> c'", "required 'c -> a' (a cycle)"],
        ),
        ({"required": ["a -> b", "a <-> b"]}, ["required 'a <-> b' (a pair carries one mark)"]),
        ({"required": ["a -> b"], "exogenous": ["b"]}, ["required 'a -> b'", "exogenous 'b'"]),
        ({"required": ["a <-> b"], "unconfounded": ["b"]}, ["'a <-> b'", "unconfounded 'b'"]),
        (
            {"required": ["a -> b"], "tiers": [["b"], ["a"]]},
            ["required 'a -> b'", "tiers ('a' in tier 2, 'b' in tier 1)"],
        ),
        ({"tiers": [["a", "b"], ["b"]]}, ["tier 1 and tier 2, both with 'b'"]),
    ],
)
def test_a_contradiction_names_both_rules(given, words):
    with pytest.raises(Contradiction) as caught:
        dd.Knowledge(**given)
    assert all(word in str(caught.value) for word in words), caught.value


@pytest.mark.parametrize(
    "given",
    [
        {"required": ["a"]},
        {"required": ["a -> b -> c"]},
        {"required": ["a -> "]},
        {"required": [("a", "causes", "b")]},
        {"required": [3]},
        {"required": 3},
        {"required": [("a", "a")]},
        {"required": {"a": "b"}},
        {"required": [{"a": "b"}]},
        {"required": [("a", None)]},
        {"tiers": 1},
        {"tiers": [[True]]},
        {"exogenous": [["a"]]},
    ],
)
def test_what_is_no_knowledge_is_refused(given):
    with pytest.raises(BadKnowledge):
        dd.Knowledge(**given)


def test_an_unknown_name_is_answered_with_the_nearest():
    X = dd.simulate.draw("four-node", seed=0).X.rename(columns={"A": "income"})
    for options in ({}, {"search": False}):
        with pytest.raises(UnknownName, match=r"unknown column 'incme': did you mean 'income'\?"):
            dd.Decor(knowledge=dd.Knowledge(exogenous=["incme"]), **options).fit(X)


# --- files --------------------------------------------------------------------------------------

YAML = """
# what the laboratory knows
required:
  - a -> b
  - [c, <->, d]
tiers:
  - [a]
  - [b, c]
unconfounded: a
exogenous:
"""


def test_a_file_says_the_same_in_yaml_and_json(tmp_path):
    known = dd.Knowledge(["a -> b", "c <-> d"], tiers=["a", ["b", "c"]], unconfounded="a")
    (tmp_path / "k.yaml").write_text(YAML)
    (tmp_path / "k.json").write_text(json.dumps(known.to_dict()))
    (tmp_path / "empty.yml").write_text("")
    assert dd.read_knowledge(tmp_path / "k.yaml") == known
    assert dd.read_knowledge(tmp_path / "k.json") == known
    assert dd.read_knowledge(tmp_path / "empty.yml") == dd.Knowledge()


@pytest.mark.parametrize(
    ("name", "text", "word"),
    [
        ("k.yaml", "requird: [a -> b]", "did you mean 'required'"),
        ("k.yaml", "- a -> b", "a mapping of required"),
        ("k.yaml", "required: [a", "not YAML"),
        ("k.yaml", "required: !!python/object/apply:os.getcwd []", "not YAML"),
        ("k.yaml", "[" * 5000, "not YAML"),
        ("k.json", "[" * 500_000, "not JSON"),
        ("k.json", "{", "not JSON"),
        ("k.json", '{"required": [["a", "b"], ["b", "a"]]}', "contradict"),
        ("k.txt", "", "a .yaml or .json file"),
        ("k.yaml", None, "there is no such file"),
        ("", None, "it is a folder"),
    ],
)
def test_a_bad_file_is_one_sentence(tmp_path, name, text, word):
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=word) as caught:
        dd.read_knowledge(tmp_path / name)
    assert isinstance(caught.value, dd.errors.DagdecorError)
    assert "\n" not in str(caught.value)


def test_without_pyyaml_a_yaml_file_says_what_to_install_and_json_works(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    (tmp_path / "k.yaml").write_text("exogenous: a")
    (tmp_path / "k.json").write_text('{"exogenous": "a"}')
    with pytest.raises(MissingPackage, match=r"pyyaml.*dagdecor\[yaml\]"):
        dd.read_knowledge(tmp_path / "k.yaml")
    assert dd.read_knowledge(tmp_path / "k.json").exogenous == ("a",)
