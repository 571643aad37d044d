"""One graph from shares: the most probable marks, never a cycle, never two marks on a pair."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import graph_masks, seeds

from dagdecor.search.average import decide


def shares(p, **given):
    edge, arc = np.zeros((2, p, p))
    for pair, share in given.get("edges", {}).items():
        edge[pair] = share
    for (i, j), share in given.get("arcs", {}).items():
        arc[i, j] = arc[j, i] = share
    return edge, arc


@st.composite
def random_shares(draw):
    """Shares as a sampler gives them: those of the marks of a pair add up to 1 at most."""
    p = draw(st.integers(1, 8))
    rng = np.random.default_rng(draw(seeds()))
    four = rng.dirichlet(np.full(4, 0.3), size=(p, p))
    upper = np.triu(np.ones((p, p), dtype=bool), 1)
    edge = np.where(upper, four[..., 0], 0.0) + np.where(upper, four[..., 1], 0.0).T
    arc = np.where(upper, four[..., 2], 0.0)
    return edge, arc + arc.T


def longest_path_is_finite(edges):
    return not np.any(np.linalg.matrix_power(edges.astype(float), len(edges)))


def absent(edge, arc):
    return 1 - edge - edge.T - arc


@given(graph_masks(1, 7))
def test_a_graph_that_all_draws_agree_on_is_returned(masks):
    edges, arcs = decide(masks[0].astype(float), masks[1].astype(float))
    assert np.array_equal(edges, masks[0])
    assert np.array_equal(arcs, masks[1])


@given(random_shares())
def test_the_graph_is_sound_and_made_of_most_probable_marks(given_shares):
    edge, arc = given_shares
    edges, arcs = decide(edge, arc)
    assert edges.dtype == arcs.dtype == np.bool_
    assert longest_path_is_finite(edges)
    assert np.array_equal(arcs, arcs.T)
    assert not np.any(arcs & (edges | edges.T))
    for i, j in np.argwhere(edges):
        assert edge[i, j] > absent(edge, arc)[i, j]
        assert edge[i, j] >= max(edge[j, i], arc[i, j])
    for i, j in np.argwhere(arcs):
        assert arc[i, j] > absent(edge, arc)[i, j]
        assert arc[i, j] >= max(edge[i, j], edge[j, i])


@given(random_shares())
def test_what_is_left_out_is_too_rare_or_closes_a_cycle(given_shares):
    edge, arc = given_shares
    edges, arcs = decide(edge, arc)
    none = absent(edge, arc)
    p = len(edge)
    reach = np.linalg.matrix_power(np.eye(p) + edges, p) > 0
    for i in range(p):
        for j in range(p):
            best = edge[i, j] > max(edge[j, i], arc[i, j], none[i, j])
            if best and not edges[i, j]:
                assert reach[j, i]
            if arc[i, j] > max(edge[i, j], edge[j, i], none[i, j]):
                assert arcs[i, j]


def test_the_least_probable_edge_of_a_cycle_goes():
    cycle = {(0, 1): 0.9, (1, 2): 0.8, (2, 0): 0.7}
    edges, arcs = decide(*shares(3, edges=cycle))
    assert edges.tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
    assert not arcs.any()


def test_a_pair_takes_its_most_probable_mark():
    edge, arc = shares(2, edges={(0, 1): 0.3, (1, 0): 0.2}, arcs={(0, 1): 0.4})
    edges, arcs = decide(edge, arc)
    assert not edges.any()
    assert arcs.tolist() == [[0, 1], [1, 0]]
    edges, arcs = decide(0.7 * edge, 0.7 * arc)  # none has .37, <-> has .28
    assert not edges.any()
    assert not arcs.any()


@pytest.mark.parametrize("back", [False, True])
def test_the_edge_keeps_its_direction(back):
    pair = (1, 0) if back else (0, 1)
    edges, _ = decide(*shares(2, edges={pair: 0.6}))
    assert np.argwhere(edges).tolist() == [list(pair)]


def test_one_column():
    edges, arcs = decide(np.zeros((1, 1)), np.zeros((1, 1)))
    assert edges.shape == arcs.shape == (1, 1)
    assert not edges.any()
