"""Classes of bow-free graphs: published counts, two theorems, and the fit of one to the other."""

from functools import cache
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import least_squares

from dagdecor import errors
from dagdecor.graph import MixedGraph
from dagdecor.identify import equivalence_class, equivalent
from dagdecor.identify.equivalence import _contains, _law
from dagdecor.identify.marks import Marked

NAMES = ("a", "b", "c", "d", "e")


def graph_of(directed, bidirected=(), names=NAMES[:4]):
    return MixedGraph(names, [tuple(e) for e in directed], [tuple(e) for e in bidirected])


@cache
def every_bow_free_graph(p):
    """All bow-free graphs over p columns, in any order."""
    names, pairs = NAMES[:p], list(combinations(NAMES[:p], 2))
    found = []
    for marks in product(range(4), repeat=len(pairs)):
        directed = [
            pair if mark == 1 else pair[::-1]
            for pair, mark in zip(pairs, marks, strict=True)
            if mark in {1, 2}
        ]
        try:
            found.append(
                MixedGraph(
                    names,
                    directed,
                    [pair for pair, mark in zip(pairs, marks, strict=True) if mark == 3],
                )
            )
        except errors.CyclicGraph:
            continue
    return found


@cache
def classes(p):
    """The partition that `equivalence_class` makes."""
    left = {(g.directed, g.bidirected): g for g in every_bow_free_graph(p)}
    found = []
    while left:
        members = equivalence_class(next(iter(left.values())))
        for member in members:
            # A member that was taken by another class, or listed twice, is not there any more.
            del left[member.directed, member.bidirected]
        found.append(members)
    return found


def skeleton(graph):
    return {frozenset(edge) for edge in (*graph.directed, *graph.bidirected)}


def colliders(graph, *, shielded):
    """Triples with two arrowheads at the middle; only those with ends apart unless `shielded`."""
    adjacent = skeleton(graph)
    return {
        (frozenset((a, b)), c)
        for c in graph.names
        for a, b in combinations(sorted({*graph.parents(c), *graph.siblings(c)}), 2)
        if shielded or frozenset((a, b)) not in adjacent
    }


@st.composite
def bow_free_graphs(draw, least=2, most=6):
    p = draw(st.integers(least, most))
    order = draw(st.permutations([f"x{place}" for place in range(p)]))
    pairs = [(pair, draw(st.integers(0, 2))) for pair in combinations(order, 2)]
    return MixedGraph(
        sorted(order), [e for e, mark in pairs if mark == 1], [e for e, mark in pairs if mark == 2]
    )


def test_the_classes_over_three_columns():
    sizes = [len(members) for members in classes(3)]
    assert len(every_bow_free_graph(3)) == sum(sizes) == 62
    assert sorted(sizes) == [1, 3, 3, 3, 4, 4, 4, 5, 5, 5, 25]


def test_the_classes_over_four_columns():
    sizes = [len(members) for members in classes(4)]
    assert len(every_bow_free_graph(4)) == sum(sizes) == 3608
    assert len(sizes) == 368
    assert max(sizes) == 543


def test_members_have_equally_many_edges_and_the_same_v_structures():
    for members in classes(4):
        assert len({len(g.directed) + len(g.bidirected) for g in members}) == 1
        assert len({frozenset(skeleton(g)) for g in members}) == 1
        assert len({frozenset(colliders(g, shielded=False)) for g in members}) == 1


def test_the_same_collider_triples_are_enough():
    taken = {}
    for number, members in enumerate(classes(4)):
        for graph in members:
            key = frozenset(skeleton(graph)), frozenset(colliders(graph, shielded=True))
            assert taken.setdefault(key, number) == number
    assert len(taken) > len(classes(4))


def test_v_structures_are_not_enough():
    one = graph_of(["ab", "ac", "ad", "bc", "bd"])
    other = graph_of(["ac", "bd", "da"], ["ab", "bc"])
    assert skeleton(one) == skeleton(other)
    assert colliders(one, shielded=False) == colliders(other, shielded=False)
    assert not equivalent(one, other)


def test_all_pairs_over_three_columns_without_the_skeletons_shortcut():
    """The field test alone, asked of all 62 x 62 pairs with equally many edges."""
    number = {
        (g.directed, g.bidirected): place
        for place, members in enumerate(classes(3))
        for g in members
    }
    marked = [
        (Marked.of(g, g.names), number[g.directed, g.bidirected]) for g in every_bow_free_graph(3)
    ]
    rng = np.random.default_rng(3)
    for one, here in marked:
        law = _law(one, rng)
        for other, there in marked:
            if len(one.marks) == len(other.marks):
                assert _contains(other, law) == (here == there)


def test_a_larger_model_contains_a_smaller_one_and_not_the_reverse():
    chain, full = graph_of(["ab", "bc"], names="abc"), graph_of(["ab", "bc", "ac"], names="abc")
    marked = [Marked.of(graph, ("a", "b", "c")) for graph in (chain, full)]
    laws = [_law(graph, np.random.default_rng(0)) for graph in marked]
    assert _contains(marked[1], laws[0])
    assert not _contains(marked[0], laws[1])
    assert not equivalent(chain, full)


def misfit(graph, sigma, seed):
    """Smallest max |Sigma(B, Omega) - sigma| over the graph's parameters, from several starts."""
    p = len(graph.names)
    arrows = np.nonzero(graph.directed_matrix)
    arcs = np.nonzero(np.triu(graph.bidirected_matrix) | np.eye(p, dtype=bool))
    upper = np.triu_indices(p)

    def residual(values):
        weights, noise = np.zeros((p, p)), np.zeros((p, p))
        weights[arrows] = values[: len(arrows[0])]
        noise[arcs] = noise[arcs[::-1]] = values[len(arrows[0]) :]
        effects = np.linalg.inv(np.eye(p) - weights)
        return (effects.T @ noise @ effects - sigma)[upper]

    rng = np.random.default_rng(seed)
    best = np.inf
    for _ in range(8):
        start = rng.normal(size=len(arrows[0]) + len(arcs[0]))
        found = least_squares(residual, start, xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=400)
        best = min(best, np.abs(found.fun).max())
        if best < 1e-9:
            break
    return best


def test_a_graph_fits_the_laws_of_its_class_and_no_others():
    rng = np.random.default_rng(11)
    graphs = [g for g in every_bow_free_graph(4) if len(skeleton(g)) == 5]
    outcomes = []
    while len(outcomes) < 24:
        one = graphs[rng.integers(len(graphs))]
        marked = Marked.of(one, one.names)
        others = [other.graph() for other in marked.alternatives()]
        other = others[rng.integers(len(others))]
        weights = one.directed_matrix * rng.uniform(0.5, 1.0, (4, 4))
        half = np.triu(one.bidirected_matrix * rng.uniform(0.2, 0.4, (4, 4)))
        effects = np.linalg.inv(np.eye(4) - weights)
        sigma = effects.T @ (half + half.T + np.diag(rng.uniform(1.0, 1.5, 4))) @ effects
        outcomes.append(equivalent(one, other))
        assert (misfit(other, sigma, 0) < 1e-8) == outcomes[-1]
    assert 4 <= sum(outcomes) <= 20


@given(bow_free_graphs(), st.randoms(use_true_random=False))
def test_a_graph_is_equivalent_to_itself_in_any_column_order(graph, random):
    names = list(graph.names)
    random.shuffle(names)
    assert equivalent(graph, MixedGraph(names, graph.directed, graph.bidirected))


@given(bow_free_graphs(4, 4), st.data())
def test_equivalence_has_no_direction_and_its_class_agrees(one, data):
    marked = Marked.of(one, one.names)
    others = [marked, *marked.alternatives()]
    other = others[data.draw(st.integers(0, len(others) - 1))].graph()
    verdict = equivalent(one, other)
    assert equivalent(other, one) == verdict
    assert (other in equivalence_class(one)) == verdict


def test_a_class_begins_with_its_graph_and_keeps_the_column_order():
    graph = MixedGraph(["z", "a"], [("z", "a")])
    members = equivalence_class(graph)
    assert members[0] == graph
    assert [str(member) for member in members] == ["z -> a", "a -> z", "z <-> a"]
    assert {member.names for member in members} == {("z", "a")}


def test_classes_over_five_columns():
    pairs = list(combinations(NAMES, 2))
    members = equivalence_class(MixedGraph(NAMES, pairs[2:]))
    assert len(members) == len(set(members)) == 576
    assert all(equivalent(members[0], member) for member in members[::48])


@pytest.mark.parametrize("p", [12, 40])
def test_larger_graphs(p):
    rng = np.random.default_rng(p)
    names = [f"x{place}" for place in range(p)]
    pairs = [(names[i], names[j]) for i, j in combinations(range(p), 2)]
    chosen = rng.permutation(len(pairs))[: 2 * p]
    directed = [pairs[k] for k in chosen[:p]]
    graph = MixedGraph(names, directed, [pairs[k] for k in chosen[p:]])
    assert equivalent(graph, graph)
    turned = MixedGraph(names, directed, [pairs[k] for k in chosen[p + 1 :]])
    assert not equivalent(graph, turned)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: equivalent(graph_of(["ab"]), graph_of(["ab"], ["ab"])), r"'a' and 'b' carry both"),
        (lambda: equivalence_class(graph_of(["ab"], ["ab"])), r"\(a bow\)"),
        (lambda: equivalent(graph_of([]), graph_of([], names="abc")), "different columns"),
        (lambda: equivalence_class(graph_of([], names="abcdef")), "at most 5 columns.* has 6"),
    ],
)
def test_what_cannot_be_answered_is_refused(call, sentence):
    with pytest.raises(errors.GraphError, match=sentence):
        call()
