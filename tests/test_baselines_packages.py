"""Adapters to other packages: which way their edges point, on 3 nodes with a known answer."""

import numpy as np
import pytest
from test_baselines import collider

import dagdecor as dd
from dagdecor.baselines import RIVALS
from dagdecor.baselines.causal_learn import heads
from dagdecor.data import Table
from dagdecor.errors import MissingPackage
from dagdecor.moments import Moments

PACKAGED = [name for name, rival in RIVALS.items() if rival.packages]
NON_GAUSSIAN = ("direct-lingam", "parce-lingam", "abic-lingam")
DEEP = ("dag-gnn", "gran-dag")
POINTS = {("A", "B"), ("C", "B")}


def fit(name, data):
    """The rival's result, or a skip that names what is absent."""
    rival = RIVALS[name]
    if rival.missing:
        pytest.skip(f"not installed: {', '.join(rival.missing)} (make test-baselines installs it)")
    return rival.fit(data)


def hidden_cause(noise, n=1000):
    """P <-> Q with instruments: A -> P, B -> Q."""
    E = noise(size=(n, 5))
    P, Q = E[:, 0] + 1.2 * E[:, 3] + 1.2 * E[:, 4], E[:, 1] + 1.2 * E[:, 3] + 1.2 * E[:, 2]
    return Table(np.column_stack([P, Q, E[:, 4], E[:, 2]]), ("P", "Q", "A", "B"))


@pytest.mark.parametrize("name", PACKAGED)
def test_an_absent_package_names_its_extra(name):
    rival = RIVALS[name]
    if not rival.missing:
        pytest.skip(f"installed: {', '.join(rival.packages)}")
    with pytest.raises(MissingPackage, match=rf"dagdecor\[{rival.extra}\]"):
        rival.fit(collider())


@pytest.mark.parametrize("name", [name for name in PACKAGED if name not in NON_GAUSSIAN + DEEP])
def test_a_collider_points_the_right_way(name, capfd):
    found = fit(name, collider())
    assert set(found.graph.directed) == POINTS
    assert not found.graph.bidirected
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", NON_GAUSSIAN)
def test_non_gaussian_noise_points_the_right_way(name, capfd):
    found = fit(name, collider(n=400, noise="uniform"))
    assert set(found.graph.directed) == POINTS
    assert not found.graph.bidirected
    np.testing.assert_allclose(found.weights[[2, 0], [1, 1]], [1.5, -1.2], atol=0.2)
    assert capfd.readouterr() == ("", "")


@pytest.mark.timeout(1800)  # the packages' own numbers of epochs
@pytest.mark.parametrize("name", DEEP)
def test_networks_point_the_right_way(name, capfd):
    found = fit(name, collider(n=300))
    import torch

    assert set(found.graph.directed) >= POINTS
    assert torch.get_default_dtype() is torch.float32
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("name", "n"), [("parce-lingam", 2000), ("abic-lingam", 600)])
def test_a_hidden_cause_is_bidirected_by_non_gaussian_methods(name, n):
    values = np.random.default_rng(1).uniform(-1.7, 1.7, size=(n, 4))
    table = Table(values[:, :3] + values[:, [3]] * [1.0, 1.0, 0.0], ("P", "Q", "R"))
    assert fit(name, table).graph == dd.MixedGraph(("P", "Q", "R"), [], [("P", "Q")])


def test_fci_finds_a_hidden_cause_by_its_instruments():
    found = fit("fci", hidden_cause(np.random.default_rng(0).normal))
    assert found.graph.bidirected == (("P", "Q"),)
    assert set(found.graph.directed) == {("A", "P"), ("B", "Q")}


def test_low_rank_plus_sparse_sees_past_a_pervasive_cause():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(500, 12)) + rng.normal(size=(500, 1))
    values[:, 1] += 1.2 * values[:, 2] - 1.2 * values[:, 0]
    table = Table(values, tuple(f"x{k}" for k in range(12)))
    past, into = fit("lrps-ges", table).graph, fit("ges", table).graph
    assert len(past.directed) < len(into.directed)


def test_ges_and_pc_agree_on_rows_and_on_moments():
    table = collider()
    assert fit("ges", Moments.from_data(table)).graph == fit("pc", table).graph


def test_marks_of_causal_learn_are_read_at_the_end_that_they_stand_at():
    graph = np.zeros((3, 3), dtype=int)
    graph[1, 0], graph[0, 1] = 1, -1  # 0 -> 1
    graph[1, 2], graph[2, 1] = 1, 2  # 2 o-> 1
    found = heads(graph)
    assert found[0, 1].all()
    assert found[2, 1].all()
    assert found[1, 0].tolist() == [True, False]
    assert not found[0, 2].any()


@pytest.mark.parametrize("name", ["dagma", "direct-lingam", "pc"])
def test_the_caller_s_rows_are_not_touched(name):
    table = collider(n=200)
    shifted = Table(table.values + 5.0, table.names)
    before = shifted.values.copy()
    fit(name, shifted)
    np.testing.assert_array_equal(shifted.values, before)
