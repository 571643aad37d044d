"""Mixed graphs: what they refuse, what they know, and what survives when columns are hidden."""

import dataclasses
import itertools
import json
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components
from strategies import WITH_BOWS, graph_masks, mixed_graphs

from dagdecor.errors import BadDocument, CyclicGraph, DuplicateNames, GraphError, UnknownName
from dagdecor.graph import MixedGraph, default_names, latent_projection, m_separated

WITH_ANY_BOWS = mixed_graphs(1, 7, WITH_BOWS)
NAMES = st.lists(st.text(max_size=6), unique=True, max_size=5)


# --- what is refused ----------------------------------------------------------------------------


def test_a_cycle_is_shown_from_start_to_end():
    with pytest.raises(CyclicGraph, match=r"form a cycle: a -> c -> b -> a$"):
        MixedGraph("dabc", directed=[("d", "a"), ("a", "c"), ("c", "b"), ("b", "a")])


@given(graph_masks(2, 7), st.data())
def test_an_edge_back_to_an_ancestor_is_a_cycle_along_edges(masks, data):
    graph = MixedGraph.from_matrices(*masks)
    later = data.draw(st.sampled_from(graph.names))
    earlier = data.draw(st.sampled_from(graph.ancestors(later)))
    edges = {*graph.directed, (later, earlier)}
    if later == earlier:
        with pytest.raises(GraphError, match="cannot have an edge to itself"):
            MixedGraph(graph.names, edges)
        return
    with pytest.raises(CyclicGraph) as caught:
        MixedGraph(graph.names, edges)
    cycle = str(caught.value).split(": ")[1].split(" -> ")
    assert cycle[0] == cycle[-1]
    assert set(itertools.pairwise(cycle)) <= edges
    assert len(set(cycle)) == len(cycle) - 1


@pytest.mark.parametrize(
    ("edges", "error", "sentence"),
    [
        ([("a", "z")], UnknownName, "unknown column 'z': the columns are 'a', 'b'"),
        ([("b", "b")], GraphError, "'b' cannot have an edge to itself"),
        ([("a", "b", "a")], GraphError, "an edge is a pair of names"),
        (["ab"], GraphError, "an edge is a pair of names, not 'ab'"),
    ],
)
def test_an_edge_that_cannot_be_is_named(edges, error, sentence):
    with pytest.raises(error, match=sentence):
        MixedGraph("ab", directed=edges)
    with pytest.raises(error, match=sentence):
        MixedGraph("ab", bidirected=edges)


def test_names_must_be_unique():
    with pytest.raises(DuplicateNames, match=r"these are not: 'a'$"):
        MixedGraph("aba")


@pytest.mark.parametrize("ask", ["parents", "children", "siblings", "ancestors", "descendants"])
def test_a_question_about_an_unknown_name_is_refused(ask):
    with pytest.raises(UnknownName, match="unknown column 'z'"):
        getattr(MixedGraph("ab"), ask)("z")


def test_matrices_of_other_shapes_are_refused():
    with pytest.raises(GraphError, match="square and alike"):
        MixedGraph.from_matrices(np.zeros((2, 3)))
    with pytest.raises(GraphError, match="square and alike"):
        MixedGraph.from_matrices(np.zeros((2, 2)), np.zeros((3, 3)))
    with pytest.raises(GraphError, match="1 names for 2 columns"):
        MixedGraph.from_matrices(np.zeros((2, 2)), names=["a"])


def test_nothing_can_be_changed():
    graph = MixedGraph("ab", directed=[("a", "b")])
    with pytest.raises(dataclasses.FrozenInstanceError):
        graph.names = ("b", "a")
    for matrix in (graph.directed_matrix, graph.bidirected_matrix):
        with pytest.raises(ValueError, match="read-only"):
            matrix[0, 1] = False


# --- what a graph knows -------------------------------------------------------------------------


@given(graph_masks(1, 7, WITH_BOWS))
def test_the_matrices_come_back(masks):
    graph = MixedGraph.from_matrices(*masks)
    assert graph.names == default_names(len(masks[0]))
    np.testing.assert_array_equal(graph.directed_matrix, masks[0])
    np.testing.assert_array_equal(graph.bidirected_matrix, masks[1])


@given(WITH_ANY_BOWS, st.randoms(use_true_random=False))
def test_order_and_repetition_of_edges_do_not_matter(graph, random):
    directed = [*graph.directed, *graph.directed]
    bidirected = [*graph.bidirected, *(edge[::-1] for edge in graph.bidirected)]
    random.shuffle(directed)
    random.shuffle(bidirected)
    again = MixedGraph(graph.names, directed, bidirected)
    assert again == graph
    assert hash(again) == hash(graph)
    assert str(again) == str(graph)


@given(WITH_ANY_BOWS)
def test_neighbours_read_off_the_matrices(graph):
    for place, name in enumerate(graph.names):
        for found, column in (
            (graph.parents(name), graph.directed_matrix[:, place]),
            (graph.children(name), graph.directed_matrix[place]),
            (graph.siblings(name), graph.bidirected_matrix[place]),
        ):
            assert found == tuple(np.array(graph.names)[column])


@given(WITH_ANY_BOWS)
def test_the_order_is_the_first_topological_one(graph):
    left, order = list(graph.names), []
    while left:
        free = [name for name in left if not set(graph.parents(name)) & set(left)]
        order.append(free[0])
        left.remove(free[0])
    assert graph.order == tuple(order)


@given(WITH_ANY_BOWS)
def test_ancestors_and_descendants_are_the_powers_of_the_matrix(graph):
    p = len(graph.names)
    reach = np.linalg.matrix_power(np.eye(p) + graph.directed_matrix, p) > 0
    for place, name in enumerate(graph.names):
        assert graph.ancestors(name) == tuple(np.array(graph.names)[reach[:, place]])
        assert graph.descendants(name) == tuple(np.array(graph.names)[reach[place]])
    assert graph.ancestors(*graph.names) == graph.names
    assert graph.ancestors() == ()


@given(WITH_ANY_BOWS)
def test_districts_are_the_components_of_the_arcs(graph):
    _, labels = connected_components(graph.bidirected_matrix, directed=False)
    places = {name: labels[place] for place, name in enumerate(graph.names)}
    assert len(graph.districts) == labels.max() + 1
    for district in graph.districts:
        assert len({places[name] for name in district}) == 1
        assert list(district) == sorted(district, key=graph.names.index)
    assert sorted(sum(graph.districts, ())) == sorted(graph.names)


@given(WITH_ANY_BOWS)
def test_bows_are_the_pairs_with_both_marks(graph):
    both = graph.directed_matrix & graph.bidirected_matrix
    assert {(graph.names.index(a), graph.names.index(b)) for a, b in graph.bows} == {
        (int(i), int(j)) for i, j in np.argwhere(both)
    }
    assert graph.is_bow_free == (not both.any())


def test_a_graph_prints_its_edges():
    graph = MixedGraph("abc", directed=[("c", "a")], bidirected=[("b", "a")])
    assert str(graph) == "c -> a\na <-> b"
    assert str(MixedGraph("ab")) == "(no edges)"


# --- documents ----------------------------------------------------------------------------------


@given(graph_masks(1, 5, WITH_BOWS), st.data())
def test_json_brings_the_same_graph_back(masks, data):
    p = len(masks[0])
    names = data.draw(st.lists(st.text(max_size=6), min_size=p, max_size=p, unique=True))
    graph = MixedGraph.from_matrices(*masks, names=names)
    assert MixedGraph.from_json(graph.to_json()) == graph


GOOD = {"format": "dagdecor.graph", "version": 1, "names": ["a", "b"], "directed": []}
WRONG = [
    {**GOOD, "bidirected": [["a"]]},
    {**GOOD, "bidirected": [["a", 1]]},
    {**GOOD, "bidirected": {"a": "b"}},
    {**GOOD, "bidirected": ["ab"]},
    {**GOOD, "bidirected": [["a", "z"]]},
    {**GOOD, "bidirected": [["a", "a"]]},
    {**GOOD, "bidirected": [], "names": "ab"},
    {**GOOD, "bidirected": [], "names": ["a", "a"]},
    {**GOOD, "bidirected": [], "names": [1, 2]},
    {**GOOD, "bidirected": [], "directed": [["a", "b"], ["b", "a"]]},
    {**GOOD, "bidirected": [], "version": 2},
    {**GOOD, "bidirected": [], "format": "dagdecor.fit"},
    GOOD,
    [GOOD],
    "graph",
    None,
]
HOSTILE = [
    "",
    "{",
    "\0",
    "[" * 10**6,
    '{"a":' * 10**6,
    '{"format": NaN}',
    '{"version": ' + "9" * 10**5 + "}",
    json.dumps({**GOOD, "bidirected": []})[:-1] + ', "x": ' + "[" * 500 + "]" * 500 + "}",
]


@pytest.mark.parametrize("text", [*map(json.dumps, WRONG), *HOSTILE], ids=lambda text: text[:40])
def test_a_document_that_is_no_graph_is_refused_at_once(text):
    begin = time.process_time()
    with pytest.raises(BadDocument, match="this is not a dagdecor graph document: "):
        MixedGraph.from_json(text)
    assert time.process_time() - begin < 2.0


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@given(st.fixed_dictionaries({"names": NAMES | JSON, "directed": JSON, "bidirected": JSON}))
def test_any_body_is_a_graph_or_a_bad_document(body):
    text = json.dumps({"format": "dagdecor.graph", "version": 1, **body})
    try:
        graph = MixedGraph.from_json(text)
    except BadDocument:
        return
    assert list(graph.names) == body["names"]


# --- separation ---------------------------------------------------------------------------------


def open_by_definition(graph, first, second, given):
    """Some simple path from first to second is open given: the definition, path by path."""
    ways = {name: [] for name in graph.names}  # (neighbour, arrowhead here, arrowhead there)
    for a, b in graph.directed:
        ways[a].append((b, False, True))
        ways[b].append((a, True, False))
    for a, b in graph.bidirected:
        ways[a].append((b, True, True))
        ways[b].append((a, True, True))
    above = graph.ancestors(*given)

    def further(path, arrived):
        if path[-1] == second:
            return True
        for name, leaving, arriving in ways[path[-1]]:
            collider = arrived and leaving
            passable = path[-1] in above if collider else path[-1] not in given
            fresh = name not in path and (len(path) == 1 or passable)
            if fresh and further([*path, name], arriving):
                return True
        return False

    return further([first], False)


@st.composite
def questions(draw, least=2, most=5):
    """A graph, two of its names and a set of others."""
    graph = draw(mixed_graphs(least, most, WITH_BOWS))
    first, second, *rest = draw(st.permutations(graph.names))
    return graph, first, second, draw(st.sets(st.sampled_from(rest))) if rest else set()


@given(questions())
@settings(max_examples=400)
def test_separation_is_its_definition(question):
    graph, first, second, given = question
    answer = m_separated(graph, first, second, given)
    assert answer == (not open_by_definition(graph, first, second, given))
    assert answer == m_separated(graph, second, first, given)


@given(questions(3, 7), st.data())
def test_sets_are_separated_when_all_their_pairs_are(question, data):
    graph, _, _, given = question
    free = [name for name in graph.names if name not in given]
    side = data.draw(st.lists(st.booleans(), min_size=len(free), max_size=len(free)))
    left = [name for name, taken in zip(free, side, strict=True) if taken]
    right = [name for name in free if name not in left]
    pairs = all(m_separated(graph, a, b, given) for a in left for b in right)
    assert m_separated(graph, left, right, given) == pairs


def test_a_name_is_not_separated_from_itself():
    assert not m_separated(MixedGraph("ab"), "a", ["a", "b"])


@pytest.mark.parametrize("place", range(3))
def test_separation_refuses_unknown_names(place):
    names = ["a", "b", "a"]
    names[place] = "z"
    with pytest.raises(UnknownName, match="unknown column 'z'"):
        m_separated(MixedGraph("ab"), *names)


def test_a_chain_of_many_nodes_is_answered_at_once():
    names = default_names(3000)
    graph = MixedGraph(names, list(itertools.pairwise(names)))
    begin = time.process_time()
    assert not m_separated(graph, names[0], names[-1])
    assert m_separated(graph, names[0], names[-1], names[1500])
    assert time.process_time() - begin < 2.0


# --- latent projection ----------------------------------------------------------------------------


@given(questions(3, 7), st.data())
@settings(max_examples=200)
def test_separations_among_the_kept_survive_hiding(question, data):
    graph, first, second, given = question
    others = [name for name in graph.names if name not in {first, second, *given}]
    hidden = data.draw(st.sets(st.sampled_from(others))) if others else set()
    projected = latent_projection(graph, hidden)
    assert projected.names == tuple(name for name in graph.names if name not in hidden)
    assert m_separated(projected, first, second, given) == m_separated(graph, first, second, given)


@given(questions(3, 7), st.data())
def test_hiding_at_once_or_one_by_one_is_the_same(question, data):
    graph = question[0]
    hidden = data.draw(st.lists(st.sampled_from(graph.names), unique=True))
    step = graph
    for name in hidden:
        step = latent_projection(step, name)
    assert step == latent_projection(graph, hidden)


@given(questions(2, 7))
def test_hiding_the_causes_behind_the_arcs_gives_the_arcs_back(question):
    graph = question[0]
    causes = [f"cause of {a}, {b}" for a, b in graph.bidirected]
    pairs = zip(causes, graph.bidirected, strict=True)
    edges = [(cause, end) for cause, arc in pairs for end in arc]
    canonical = MixedGraph([*causes, *graph.names], [*graph.directed, *edges])
    assert latent_projection(canonical, causes) == graph
    assert latent_projection(graph, []) == graph


@pytest.mark.parametrize(
    ("directed", "bidirected", "printed"),
    [
        (["ah", "hb"], [], "a -> b"),
        (["ha", "hb"], [], "a <-> b"),
        (["ah", "bh"], [], "(no edges)"),
        (["hb"], ["ah"], "a <-> b"),
        (["ah"], ["hb"], "(no edges)"),
        (["ha", "kb"], ["hk"], "a <-> b"),
        (["hk", "ka", "kb"], [], "a <-> b"),
        (["ah", "hb"], ["ah"], "a -> b\na <-> b"),
    ],
)
def test_what_a_hidden_node_leaves_behind(directed, bidirected, printed):
    graph = MixedGraph("abhk", [tuple(e) for e in directed], [tuple(e) for e in bidirected])
    assert str(latent_projection(graph, ["h", "k"])) == printed


def test_projection_refuses_unknown_names():
    with pytest.raises(UnknownName, match="unknown column 'z'"):
        latent_projection(MixedGraph("ab"), "z")
