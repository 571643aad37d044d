"""Verdicts on one graph: proven flags, published counts, and a second method for every flag."""

import json
import re
from functools import cache
from itertools import combinations, permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagdecor import errors
from dagdecor.graph import MixedGraph
from dagdecor.identify import ParameterPoint, field, identifiability, paper_rank_test
from dagdecor.identify.halftrek import infinite_to_one, unsolved_nodes
from dagdecor.identify.jacobian import full_rank
from dagdecor.identify.part import whole

VECTORS = Path(__file__).parents[2] / "shared" / "vectors" / "identifiability.json"
# Marks of a pair in causal order, a bow being both.
NONE, EDGE, ARC, BOW = range(4)
FLAGS = ("bow_free", "globally_identifiable", "half_trek_identifiable", "jacobian_full_rank")


def named_graph(p, directed, bidirected):
    names = [f"x{place}" for place in range(p)]
    return MixedGraph(
        names,
        [(names[a], names[b]) for a, b in directed],
        [(names[a], names[b]) for a, b in bidirected],
    )


def marked_graph(order, marks):
    pairs = list(zip(combinations(order, 2), marks, strict=True))
    return named_graph(
        len(order),
        [pair for pair, mark in pairs if mark in {EDGE, BOW}],
        [pair for pair, mark in pairs if mark in {ARC, BOW}],
    )


@st.composite
def graphs(draw, least=2, most=7, marks=(NONE, EDGE, ARC, BOW)):
    p = draw(st.integers(least, most))
    order = draw(st.permutations(range(p)))
    return marked_graph(order, [draw(st.sampled_from(marks)) for _ in range(p * (p - 1) // 2)])


def random_graph(seed, p, edges, arcs, *, bows=True):
    rng = np.random.default_rng(seed)
    order = rng.permutation(p)
    pairs = np.array([(order[i], order[j]) for i, j in combinations(range(p), 2)])
    place = rng.permutation(len(pairs))
    again = rng.permutation(len(pairs))[:arcs] if bows else place[edges : edges + arcs]
    return named_graph(p, pairs[place[:edges]], pairs[again])


@cache
def every_graph(p):
    """Each graph over p nodes in one topological order, with its verdict."""
    return [
        (graph, identifiability(graph))
        for marks in product(range(4), repeat=p * (p - 1) // 2)
        for graph in [marked_graph(range(p), marks)]
    ]


def indices(graph):
    place = {name: number for number, name in enumerate(graph.names)}
    parents = {place[v]: {place[u] for u in graph.parents(v)} for v in graph.names}
    siblings = {place[v]: {place[u] for u in graph.siblings(v)} for v in graph.names}
    return parents, siblings


def parameters(graph, seed, effect=1.0):
    """(B, Omega) at random on the graph, Omega with eigenvalues from 0.2."""
    rng = np.random.default_rng(seed)
    p = len(graph.names)
    weights = graph.directed_matrix * rng.uniform(-effect, effect, (p, p))
    half = np.triu(graph.bidirected_matrix * rng.uniform(-0.9, 0.9, (p, p)))
    noise = half + half.T + np.diag(rng.uniform(0.5, 1.5, p))
    return weights, noise + max(0.0, 0.2 - np.linalg.eigvalsh(noise)[0]) * np.eye(p)


# --- flags against proofs and counts -------------------------------------------------------------


def test_the_vectors():
    if not VECTORS.exists():
        pytest.skip("the vectors of proven flags are not beside this checkout")
    for case in json.loads(VECTORS.read_text(encoding="utf-8")):
        verdict = identifiability(named_graph(case["p"], case["directed"], case["bidirected"]))
        wanted = [case[key] for key in ("bow_free", "global", "htc_identifiable")]
        assert [getattr(verdict, flag) for flag in FLAGS] == [*wanted, case["jacobian_full_rank"]]


@pytest.mark.parametrize(
    ("p", "counts"),
    [
        (2, (4, 3, 3, 3, 3)),
        (3, (64, 27, 27, 31, 31)),
        (4, (4096, 729, 725, 1246, 1252)),
    ],
)
def test_the_published_counts(p, counts):
    verdicts = [verdict for _, verdict in every_graph(p)]
    found = [sum(getattr(verdict, flag) for verdict in verdicts) for flag in FLAGS]
    assert (len(verdicts), *found) == counts


def test_what_the_criterion_leaves_open_over_four_nodes():
    verdicts = [verdict for _, verdict in every_graph(4)]
    assert [
        sum(v.half_trek == answer for v in verdicts) for answer in ("yes", "no", "unknown")
    ] == [
        1246,
        2844,
        6,
    ]


@given(graphs())
def test_each_verdict_implies_the_next(graph):
    verdict = identifiability(graph)
    assert verdict.bow_free == graph.is_bow_free
    assert verdict.bow_free or not verdict.globally_identifiable
    assert verdict.half_trek_identifiable or not verdict.bow_free
    assert verdict.half_trek == "yes" or not verdict.half_trek_identifiable
    assert verdict.jacobian_full_rank or verdict.half_trek != "yes"
    assert not (verdict.jacobian_full_rank and verdict.half_trek == "no")
    assert (verdict.witness is None) == verdict.globally_identifiable


@given(graphs(), st.randoms(use_true_random=False))
def test_verdicts_do_not_depend_on_the_columns_order(graph, random):
    names = list(graph.names)
    random.shuffle(names)
    one, other = (
        identifiability(g) for g in (graph, MixedGraph(names, graph.directed, graph.bidirected))
    )
    for flag in (*FLAGS, "half_trek"):
        assert getattr(one, flag) == getattr(other, flag)


def test_a_decomposition_proves_more_than_the_whole_graph():
    graph = named_graph(
        5,
        [(0, 1), (0, 2), (1, 2), (1, 3), (1, 4), (2, 3), (3, 4)],
        [(0, 3), (1, 2), (1, 4)],
    )
    verdict = identifiability(graph)
    assert (verdict.half_trek, verdict.half_trek_identifiable) == ("yes", False)
    assert numeric_full_rank(graph)


# --- globally identifiable: all node sets, and the witness ---------------------------------------


def obstructed(graph):
    """By every node set: its bidirected part is connected, its directed part has one sink."""
    parents, siblings = indices(graph)

    def spans(root, steps, among):
        found, waiting = {root}, [root]
        while waiting:
            for node in (steps[waiting.pop()] & among) - found:
                found.add(node)
                waiting.append(node)
        return found == among

    return any(
        spans(sink, siblings, set(nodes)) and spans(sink, parents, set(nodes))
        for size in range(2, len(parents) + 1)
        for nodes in combinations(parents, size)
        for sink in nodes
    )


def test_global_identifiability_by_all_node_sets():
    for graph, verdict in every_graph(4):
        assert verdict.globally_identifiable != obstructed(graph)


@given(graphs(least=5, marks=(NONE, EDGE, ARC)))
def test_global_identifiability_by_all_node_sets_of_bow_free_graphs(graph):
    assert identifiability(graph).globally_identifiable != obstructed(graph)


def check_witness(graph):
    found = identifiability(graph).witness
    assert found is not None
    nodes = set(found.nodes)
    assert len(nodes) >= 2
    assert set(found.arborescence) <= set(graph.directed)
    assert set(found.tree) <= set(graph.bidirected)
    # One edge out of every node but the sink, without a cycle: all of them lead to the sink.
    assert sorted(first for first, _ in found.arborescence) == sorted(nodes - {found.sink})
    assert {second for _, second in found.arborescence} <= nodes
    joined = {found.sink}
    for _ in nodes:
        joined |= {end for edge in found.tree if joined & set(edge) for end in edge}
    assert joined == nodes
    assert len(found.tree) == len(nodes) - 1
    off_directed = ~graph.directed_matrix
    off_bidirected = ~graph.bidirected_matrix & ~np.eye(len(graph.names), dtype=bool)
    for point in (found.first, found.second):
        assert not point.weights[off_directed].any()
        assert not point.noise_covariance[off_bidirected].any()
        np.testing.assert_array_equal(point.noise_covariance, point.noise_covariance.T)
        np.linalg.cholesky(point.noise_covariance)
    one, other = found.first.covariance, found.second.covariance
    assert np.abs(one - other).max() <= 1e-10 * np.abs(one).max()
    assert found.discrepancy <= 1e-10
    assert np.abs(found.first.weights - found.second.weights).max() == 1.0
    return found


def test_every_witness_over_four_nodes():
    seen = 0
    for graph, verdict in every_graph(4):
        if not verdict.globally_identifiable:
            check_witness(graph)
            seen += 1
    assert seen == 4096 - 725


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(
    ("p", "edges", "arcs", "bows"),
    [(8, 12, 12, False), (20, 60, 50, False), (60, 300, 300, False), (60, 120, 90, True)],
)
def test_witnesses_of_random_graphs(seed, p, edges, arcs, bows):
    graph = random_graph(seed, p, edges, arcs, bows=bows)
    if identifiability(graph).globally_identifiable:
        assert p == 8
        return
    check_witness(graph)


@pytest.mark.parametrize("p", [4, 10, 60, 120])
def test_a_witness_that_needs_every_node(p):
    path = [(node, node + 1) for node in range(p - 1)]
    star = [(node, p - 1) for node in range(p - 2)]
    graph = named_graph(p, path, [*star, (0, p - 2)])
    assert graph.is_bow_free
    assert check_witness(graph).nodes == graph.names
    assert identifiability(named_graph(p, path[1:], [*star, (0, p - 2)])).globally_identifiable


def test_no_node_of_a_witness_can_be_spared():
    for seed in range(10):
        graph = random_graph(seed, 12, 25, 20, bows=False)
        found = identifiability(graph).witness
        if found is None:
            continue
        for spared in found.nodes:
            kept = set(found.nodes) - {spared}
            inner = MixedGraph(
                sorted(kept),
                [edge for edge in graph.directed if kept.issuperset(edge)],
                [edge for edge in graph.bidirected if kept.issuperset(edge)],
            )
            found_inside = identifiability(inner).witness
            assert found_inside is None or found_inside.sink != found.sink


# --- half-trek: every path system ----------------------------------------------------------------


def half_treks(parents, siblings, start):
    """Right sides of every half-trek from a node, as (end, nodes of the right side)."""
    found, waiting = [], [(node, (node,)) for node in (start, *siblings[start])]
    while waiting:
        end, right = waiting.pop()
        found.append((end, frozenset(right)))
        waiting += [(child, (*right, child)) for child in parents if end in parents[child]]
    return found


def start_sets(parents, siblings, node):
    """Every Y of the criterion for a node: joined to its parents without sided intersection."""
    others = [w for w in parents if w != node and w not in siblings[node]]
    treks = {w: half_treks(parents, siblings, w) for w in others}

    def joined(starts, ends, used):
        if not starts:
            return True
        return any(
            joined(starts[1:], ends - {end}, used | right)
            for end, right in treks[starts[0]]
            if end in ends and not used & right
        )

    return [
        set(starts)
        for starts in combinations(others, len(parents[node]))
        if joined(starts, frozenset(parents[node]), frozenset())
    ]


def brute_half_trek(graph):
    """The criterion by every order and path system, and the infinite-to-one one by every family."""
    parents, siblings = indices(graph)
    sets = {node: start_sets(parents, siblings, node) for node in parents}
    reached = {
        node: {end for end, _ in half_treks(parents, siblings, node)} - siblings[node] - {node}
        for node in parents
    }
    identifiable = any(
        all(
            any(starts & reached[node] <= set(order[:place]) for starts in sets[node])
            for place, node in enumerate(order)
        )
        for order in permutations(parents)
    )
    infinite = not any(
        all(not (w in family[v] and v in family[w]) for v, w in combinations(parents, 2))
        for family in product(*sets.values())
    )
    return identifiable, infinite


@pytest.mark.parametrize("p", [2, 3])
def test_half_trek_by_every_path_system(p):
    for graph, verdict in every_graph(p):
        identifiable, infinite = brute_half_trek(graph)
        assert verdict.half_trek_identifiable == identifiable
        assert (verdict.half_trek == "no") == infinite


def test_half_trek_by_every_path_system_over_four_nodes():
    for graph, verdict in every_graph(4)[::7]:
        identifiable, infinite = brute_half_trek(graph)
        assert verdict.half_trek_identifiable == identifiable
        assert (verdict.half_trek == "no") == infinite


def test_the_flow_leaves_open_what_every_family_leaves_open():
    seen = {True: 0, False: 0}
    for graph, verdict in every_graph(4):
        part = whole(graph)
        unsolved = unsolved_nodes(part)
        if unsolved:
            infinite = infinite_to_one(part, unsolved)
            assert infinite == (verdict.half_trek == "no")
            seen[infinite] += 1
    assert seen == {True: 2844, False: 6}


# --- Jacobian: floats on the whole map, and the sketch on all nodes ------------------------------


def numeric_full_rank(graph, seed=0):
    """Rank of (B, Omega) -> Sigma by singular values at a random point, no reduction."""
    weights, noise = parameters(graph, seed)
    p = len(weights)
    effects = np.linalg.inv(np.eye(p) - weights)
    sigma = effects.T @ noise @ effects
    columns = []
    for a, b in np.argwhere(graph.directed_matrix):
        step = np.outer(sigma[:, a], effects[b])
        columns.append(step + step.T)
    for a, b in np.argwhere(np.triu(graph.bidirected_matrix) | np.eye(p, dtype=bool)):
        step = np.outer(effects[a], effects[b])
        columns.append(step + step.T)
    upper = np.triu_indices(p)
    jacobian = np.array([column[upper] for column in columns])
    values = np.linalg.svd(jacobian, compute_uv=False)
    return len(values) == len(columns) and values[-1] > 1e-9 * values[0]


def test_the_jacobian_by_singular_values_over_four_nodes():
    for graph, verdict in every_graph(4):
        assert verdict.jacobian_full_rank == any(numeric_full_rank(graph, s) for s in range(3))


@given(graphs(least=5))
def test_the_jacobian_by_singular_values(graph):
    wanted = any(numeric_full_rank(graph, seed) for seed in range(3))
    assert identifiability(graph).jacobian_full_rank == wanted


@given(graphs(least=5, most=9))
def test_the_jacobian_without_the_half_trek_shortcut(graph):
    everyone = set(range(len(graph.names)))
    assert identifiability(graph).jacobian_full_rank == full_rank(whole(graph), everyone)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (64, 64), (65, 65), (200, 130)])
def test_ranks_over_the_field(rows, columns):
    rng = np.random.default_rng(0)
    matrix = rng.integers(0, field.PRIME, (rows, columns))
    assert field.full_column_rank(matrix)
    thin = matrix[:, : columns - 1]
    dependent = field.product(thin, rng.integers(0, field.PRIME, (columns - 1, columns)))
    assert not field.full_column_rank(dependent)
    assert columns == 1 or not field.full_column_rank(matrix[: columns - 1])


def test_products_over_the_field():
    rng = np.random.default_rng(1)
    left, right = (rng.integers(field.PRIME - 9, field.PRIME, (40, 40)) for _ in range(2))
    exact = left.astype(object) @ right.astype(object) % field.PRIME
    np.testing.assert_array_equal(field.product(left, right), exact.astype(np.int64))


# --- parameter points ----------------------------------------------------------------------------

CHAIN = named_graph(4, [(0, 1), (1, 2), (2, 3)], [(0, 2), (0, 3), (1, 3)])


def chain_point(last, w03, w13):
    weights, noise = np.zeros((4, 4)), np.eye(4)
    weights[0, 1], weights[1, 2], weights[2, 3] = 2, -1, last
    for (a, b), value in {(0, 2): 0.5, (0, 3): w03, (1, 3): w13}.items():
        noise[a, b] = noise[b, a] = value
    return ParameterPoint(weights, noise)


def test_the_counterexample_to_the_papers_theorem():
    one, other = chain_point(1 / 2, 1 / 4, 1 / 4), chain_point(1 / 8, -5 / 16, -1 / 8)
    # Every number is a multiple of 1/128, so that the equality is exact.
    np.testing.assert_array_equal(one.covariance, other.covariance)
    lowest = [np.linalg.eigvalsh(point.noise_covariance)[0] for point in (one, other)]
    assert lowest == pytest.approx([0.428, 0.407], abs=5e-4)
    for point in (one, other):
        verdict = identifiability(CHAIN, *point)
        assert (verdict.bow_free, verdict.globally_identifiable) == (True, False)
        assert verdict.half_trek == "yes"
        assert not verdict.point.unique
        assert verdict.point.margins["x3"] == pytest.approx(0, abs=1e-12)
        assert verdict.point.smallest_eigenvalue > 0.4
        assert not verdict.point.bound_holds
        assert paper_rank_test(CHAIN, *point)
    assert set(check_witness(CHAIN).nodes) == set(CHAIN.names)


def test_the_papers_rank_test_passes_a_bow_and_ours_does_not():
    bow = named_graph(2, [(0, 1)], [(0, 1)])
    point = np.array([[0, 0.1], [0, 0]]), np.array([[1, 0.2], [0.2, 1]])
    found = identifiability(bow, *point).point
    assert paper_rank_test(bow, *point)
    assert (found.unique, found.margin) == (False, 0.0)
    assert found.matrices["x1"].shape == (0, 1)
    # The inequality of the bound is true here, and says nothing, because of the bow.
    assert found.effect_norm < found.bound
    assert not found.bound_holds


def test_an_instrument_identifies_a_bow_at_the_point():
    graph = named_graph(3, [(0, 1), (1, 2)], [(1, 2)])
    weights = np.array([[0, 0.5, 0], [0, 0, 2.0], [0, 0, 0]])
    noise = np.array([[2.0, 0, 0], [0, 1, 0.5], [0, 0.5, 1]])
    found = identifiability(graph, weights, noise).point
    assert found.order == ("x0", "x1", "x2")
    # Cov(e_0, x_0) = 2 and Cov(e_0, x_1) = 2 * 0.5.
    assert found.margins == pytest.approx({"x1": 2.0, "x2": 1.0})
    weights[0, 1] = 0
    assert not identifiability(graph, weights, noise).point.unique


@given(graphs(most=6), st.integers(0, 2**32 - 1))
def test_the_matrices_are_the_formula(graph, seed):
    weights, noise = parameters(graph, seed)
    found = identifiability(graph, weights, noise).point
    effects = np.linalg.inv(np.eye(len(weights)) - weights)
    place = {name: number for number, name in enumerate(graph.names)}
    for number, name in enumerate(found.order):
        before = [place[other] for other in found.order[:number]]
        parents = [place[other] for other in found.order if other in graph.parents(name)]
        rows = [w for w in before if graph.names[w] not in graph.siblings(name)]
        if not parents:
            assert name not in found.margins
            continue
        matrix = noise[np.ix_(rows, before)] @ effects[np.ix_(before, parents)]
        np.testing.assert_allclose(found.matrices[name], matrix, atol=1e-12)
        wide = len(rows) < len(parents)
        smallest = 0.0 if wide else np.linalg.svd(matrix, compute_uv=False)[-1]
        assert found.margins[name] == pytest.approx(smallest, abs=1e-12)


@given(graphs(most=6), st.integers(0, 2**32 - 1))
def test_a_unique_point_is_recovered_from_its_covariance(graph, seed):
    weights, noise = parameters(graph, seed)
    found = identifiability(graph, weights, noise).point
    if not found.unique or found.margin is None or found.margin < 1e-3:
        return
    sigma = ParameterPoint(weights, noise).covariance
    place = {name: number for number, name in enumerate(graph.names)}
    recovered = np.zeros_like(weights)
    for number, name in enumerate(found.order):
        parents = [place[other] for other in graph.parents(name)]
        rows = [place[w] for w in found.order[:number] if w not in graph.siblings(name)]
        residuals = (np.eye(len(sigma)) - recovered)[:, rows]
        left, right = residuals.T @ sigma[:, parents], residuals.T @ sigma[:, place[name]]
        recovered[parents, place[name]] = np.linalg.lstsq(left, right, rcond=None)[0]
    np.testing.assert_allclose(recovered, weights, atol=1e-6)


@given(graphs(marks=(NONE, EDGE, ARC)), st.integers(0, 2**32 - 1), st.floats(0.001, 0.3))
def test_the_bound_is_sufficient(graph, seed, effect):
    found = identifiability(graph, *parameters(graph, seed, effect)).point
    assert found.unique or not found.bound_holds
    assert found.bound_holds == (found.effect_norm < found.bound)
    margin = found.smallest_eigenvalue - found.largest_eigenvalue * found.effect_norm
    assert found.margin is None or found.margin >= margin - 1e-12


def test_the_bound_holds_for_small_effects():
    graph = random_graph(0, 6, 7, 6, bows=False)
    assert identifiability(graph, *parameters(graph, 0, 0.01)).point.bound_holds
    assert not identifiability(graph, *parameters(graph, 0, 3.0)).point.bound_holds


@given(graphs(most=6), st.integers(0, 2**32 - 1))
def test_units_do_not_decide(graph, seed):
    weights, noise = parameters(graph, seed)
    unit = 10.0 ** np.random.default_rng(seed).integers(-6, 7, len(weights))
    scaled = identifiability(graph, weights / unit[:, None] * unit, noise * np.outer(unit, unit))
    assert scaled.point.unique == identifiability(graph, weights, noise).point.unique


def test_extreme_units_do_not_decide():
    graph = named_graph(4, [(0, 1), (1, 2), (2, 3)], [(0, 2)])
    weights, noise = parameters(graph, 1)
    unit = np.array([1e-8, 1e8, 1.0, 1e-8])
    args = weights / unit[:, None] * unit, noise * np.outer(unit, unit)
    assert identifiability(graph, *args).point.unique
    flat = CHAIN, *chain_point(1 / 2, 1 / 4, 1 / 4)
    args = flat[1] / unit[:, None] * unit, flat[2] * np.outer(unit, unit)
    assert not identifiability(CHAIN, *args).point.unique


# --- words and refusals --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("directed", "bidirected", "sentence"),
    [
        ([(0, 1)], [], "every covariance of this graph has one set of parameters"),
        ([(0, 1)], [(0, 1)], "have infinitely many sets of parameters"),
        ([(0, 1), (1, 2)], [(1, 2)], "almost every .* has one set of parameters, some have two"),
        (
            [(0, 1), (0, 2), (0, 3)],
            [(0, 1), (0, 2), (0, 3)],
            "almost every .* has finitely many sets of parameters",
        ),
    ],
)
def test_the_verdict_in_words_and_in_a_document(directed, bidirected, sentence):
    graph = named_graph(4, directed, bidirected)
    weights, noise = parameters(graph, 0)
    alone, pointed = identifiability(graph), identifiability(graph, weights, noise)
    assert str(alone) == alone.sentence
    assert "\n" not in pointed.sentence
    assert re.search(sentence, alone.sentence)
    assert pointed.sentence.startswith(alone.sentence)
    for verdict in (alone, pointed):
        values = json.loads(json.dumps(verdict.to_dict(), allow_nan=False))
        assert values["half_trek"] == verdict.half_trek
        assert (values["witness"] is None) == verdict.globally_identifiable
        assert (values["point"] is None) == (verdict.point is None)


def test_the_sentence_of_a_point():
    one = identifiability(CHAIN, *chain_point(1 / 2, 1 / 4, 1 / 4))
    assert "this set may not be the only one" in one.sentence
    weights, noise = chain_point(1 / 2, 1 / 4, 1 / 4)
    weights[0, 1] = 1.0
    # Cov(e_2, x_2) = 1 + w02 b01 b12 = 1/2 is the smallest of the three margins.
    assert (
        "this set is the only one (margin 0.5 at 'x3')"
        in identifiability(CHAIN, weights, noise).sentence
    )


@pytest.mark.parametrize(
    ("weights", "noise", "error", "sentence"),
    [
        (np.zeros((2, 2)), None, errors.OptionError, "noise_covariance=None"),
        (None, np.eye(2), errors.OptionError, "weights=None"),
        (np.zeros((3, 3)), np.eye(2), errors.GraphError, r"weights must have shape \(2, 2\)"),
        (np.array([[0, 0], [1, 0]]), np.eye(2), errors.GraphError, "not 0 at 'x1', 'x0'"),
        (np.zeros((2, 2)), np.ones((2, 2)), errors.GraphError, "noise_covariance is not 0 at"),
        (np.full((2, 2), np.nan), np.eye(2), errors.GraphError, "missing or infinite"),
        (np.zeros((2, 2)), -np.eye(2), errors.BadCovariance, "not positive definite"),
    ],
)
def test_what_is_no_parameter_point_is_refused(weights, noise, error, sentence):
    with pytest.raises(error, match=sentence):
        identifiability(named_graph(2, [(0, 1)], []), weights, noise)


def test_an_asymmetric_noise_covariance_is_refused():
    graph = named_graph(2, [], [(0, 1)])
    with pytest.raises(errors.BadCovariance, match="not symmetric"):
        identifiability(graph, np.zeros((2, 2)), np.array([[1, 0.5], [0.1, 1]]))


def test_graphs_without_edges_or_columns():
    for p in (0, 1, 3):
        verdict = identifiability(named_graph(p, [], []))
        assert verdict.globally_identifiable
        assert verdict.jacobian_full_rank
    found = identifiability(named_graph(1, [], []), [[0]], [[2]]).point
    assert (found.unique, found.margin, found.bound_holds) == (True, None, True)
