"""Graphs in the hands of the other packages themselves; each test needs its package.

The suite has networkx; `make test-interop` runs this file where the others are.
"""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given
from strategies import WITH_BOWS, mixed_graphs

import dagdecor as dd
from dagdecor.errors import MissingPackage, UnreadableGraph
from dagdecor.graph import MixedGraph

pytestmark = pytest.mark.filterwarnings("default")
HOSTILE = MixedGraph(
    ['say "hi"', "a -> b", "<b>&amp;</b>", "\N{SNOWMAN}\n", ""],
    [('say "hi"', "a -> b"), ("a -> b", "")],
    [("<b>&amp;</b>", "\N{SNOWMAN}\n"), ("", "\N{SNOWMAN}\n")],
)


def package(name):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(name)
    except ImportError:
        pytest.skip(f"{name} is not installed here: make test-interop")


@given(mixed_graphs(marks=WITH_BOWS))
def test_networkx(graph):
    nx = package("networkx")
    found = graph.to_networkx()
    assert MixedGraph.from_networkx(found) == graph
    plain = nx.DiGraph([(a, b) for a, b, kind in found.edges(data="kind") if kind == "directed"])
    plain.add_nodes_from(graph.names)
    assert set(nx.ancestors(plain, graph.names[-1])) == set(graph.ancestors(graph.names[-1])) - {
        graph.names[-1]
    }


def test_networkx_carries_weights():
    package("networkx")
    graph = MixedGraph("abc", [("a", "b")], [("b", "c")])
    found = graph.to_networkx([[0, 2, 0]] + [[0] * 3] * 2, np.full((3, 3), 0.5))
    assert found.edges["a", "b", "directed"]["weight"] == 2
    assert found.edges["b", "c", "bidirected"]["weight"] == 0.5
    with pytest.raises(UnreadableGraph, match="undirected"):
        MixedGraph.from_networkx(found.to_undirected())


@given(mixed_graphs(marks=WITH_BOWS))
def test_networkx_reads_our_gml_and_we_read_its(graph):
    nx = package("networkx")
    found = nx.parse_gml(graph.to_gml())
    assert MixedGraph.from_networkx(found) == graph
    assert MixedGraph.from_gml("\n".join(nx.generate_gml(found))) == graph


def test_hostile_names_pass_through_networkx():
    nx = package("networkx")
    found = nx.parse_gml(HOSTILE.to_gml())
    assert MixedGraph.from_networkx(found) == HOSTILE
    assert MixedGraph.from_gml("\n".join(nx.generate_gml(found))) == HOSTILE
    assert MixedGraph.from_networkx(HOSTILE.to_networkx()) == HOSTILE
    assert MixedGraph.from_dowhy(HOSTILE.to_dowhy()) == HOSTILE


@given(mixed_graphs(marks=WITH_BOWS))
def test_dowhy_graph_has_a_node_for_each_hidden_cause(graph):
    package("networkx")
    found = graph.to_dowhy()
    hidden = [node for node, seen in found.nodes(data="observed") if seen == "no"]
    assert len(hidden) == len(graph.bidirected)
    assert not set(hidden) & set(graph.names)
    assert MixedGraph.from_dowhy(found) == graph


def test_a_hidden_name_of_ours_is_not_taken():
    package("networkx")
    graph = MixedGraph(["U1", "b"], bidirected=[("U1", "b")])
    assert set(graph.to_dowhy().nodes) == {"U1", "b", "U2"}


def test_dowhy_estimates_an_effect():
    dowhy = package("dowhy")
    graph = MixedGraph(["z", "x", "y"], [("z", "x"), ("x", "y")], [("x", "y")])
    B = np.array([[0, 1.0, 0], [0, 0, 2.0], [0, 0, 0]])
    Omega = np.eye(3)
    Omega[1, 2] = Omega[2, 1] = 0.6
    rng = np.random.default_rng(0)
    X = rng.multivariate_normal(np.zeros(3), Omega, 4000) @ np.linalg.inv(np.eye(3) - B)
    import pandas as pd

    frame = pd.DataFrame(X, columns=list(graph.names))
    model = dowhy.CausalModel(frame, treatment="x", outcome="y", graph=graph.to_dowhy())
    assert MixedGraph.from_dowhy(model) == graph
    target = model.identify_effect(proceed_when_unidentifiable=True)
    assert target.get_backdoor_variables() in ([], None)  # the bow leaves only the instrument
    answer = model.estimate_effect(target, method_name="iv.instrumental_variable")
    assert answer.value == pytest.approx(2.0, abs=0.1)
    biased = np.linalg.lstsq(X[:, [1]], X[:, 2], rcond=None)[0][0]
    assert abs(biased - 2.0) > 0.2


@given(mixed_graphs(marks=WITH_BOWS))
def test_pgmpy(graph):
    package("pgmpy.base")
    found = graph.to_pgmpy()
    assert set(found.nodes) == set(graph.names)
    assert all(found.get_district([name]) for name in graph.names)
    again = MixedGraph.from_pgmpy(found)
    assert set(again.directed) == set(graph.directed)
    assert {frozenset(e) for e in again.bidirected} == {frozenset(e) for e in graph.bidirected}


def test_pgmpy_latents_are_projected_out():
    base = package("pgmpy.base")
    found = base.DAG([("h", "a"), ("h", "b"), ("a", "c")], latents={"h"})
    graph = MixedGraph.from_pgmpy(found)
    assert graph.bidirected == (("a", "b"),)
    assert graph.directed == (("a", "c"),)


@given(mixed_graphs(marks=WITH_BOWS))
def test_causal_learn(graph):
    package("causallearn.graph.GeneralGraph")
    found = graph.to_causal_learn()
    assert MixedGraph.from_causal_learn(found) == graph
    codes = found.graph
    for i, j in np.argwhere(graph.directed_matrix & ~graph.bidirected_matrix):
        assert (codes[j, i], codes[i, j]) == (1, -1)


def test_causal_learn_text_is_tetrads():
    package("causallearn.graph.GeneralGraph")
    graph = MixedGraph("abc", [("a", "b")], [("b", "c")])
    assert MixedGraph.from_tetrad(str(graph.to_causal_learn())) == graph


def test_a_circle_of_causal_learn_is_refused():
    package("causallearn.graph.GeneralGraph")
    from causallearn.graph.Edge import Edge
    from causallearn.graph.Endpoint import Endpoint

    found = MixedGraph("ab").to_causal_learn()
    found.add_edge(Edge(*found.get_nodes(), Endpoint.CIRCLE, Endpoint.ARROW))
    with pytest.raises(UnreadableGraph, match="orient it first"):
        MixedGraph.from_causal_learn(found)


@given(mixed_graphs(marks=WITH_BOWS))
def test_ananke(graph):
    package("ananke.graphs")
    found = graph.to_ananke()
    districts = {frozenset(district) for district in found.districts}
    assert districts == {frozenset(district) for district in graph.districts}
    assert MixedGraph.from_ananke(found) == graph


def test_lingam_reads_our_matrix_as_we_mean_it():
    package("lingam")
    from lingam.utils import make_dot

    graph = MixedGraph("abc", [("a", "b")], [("b", "c")])
    matrix = graph.to_lingam(np.triu(np.full((3, 3), 0.5), 1))
    drawn = str(make_dot(np.nan_to_num(matrix), labels=list("abc")))
    assert "a -> b" in drawn
    assert MixedGraph.from_lingam(matrix, "abc") == graph


@pytest.mark.parametrize("seed", range(7))
def test_a_semopy_model_of_our_graph_has_our_likelihood(seed):
    semopy = package("semopy")
    import pandas as pd

    names = ["age", "blood pressure", "C", "x3", "alone"]
    rng = np.random.default_rng(seed)
    order = rng.permutation(4)
    pairs = [(names[order[i]], names[order[j]]) for i in range(4) for j in range(i + 1, 4)]
    marks = rng.choice(["->", "<->", ""], size=len(pairs), p=[0.5, 0.25, 0.25])
    graph = MixedGraph(
        names,
        [pair for pair, mark in zip(pairs, marks, strict=True) if mark == "->"],
        [pair for pair, mark in zip(pairs, marks, strict=True) if mark == "<->"],
    )
    B = np.where(graph.directed_matrix, 0.7, 0.0)
    Omega = np.where(graph.bidirected_matrix, 0.3, 0.0) + np.eye(5)
    X = rng.multivariate_normal(np.zeros(5), Omega, 2000) @ np.linalg.inv(np.eye(5) - B)
    frame = pd.DataFrame(X, columns=names)
    moments = dd.Moments.from_data(frame)
    ours = dd.refit(moments, graph)
    model = semopy.Model(graph.to_semopy())
    model.fit(frame.rename(columns=graph.identifiers()))
    words = [graph.identifiers()[name] for name in names]
    Sigma = model.calc_sigma()[0]
    place = [model.vars["observed"].index(word) for word in words]
    Sigma = Sigma[np.ix_(place, place)]
    theirs = np.linalg.slogdet(Sigma)[1] + np.trace(np.linalg.solve(Sigma, moments.S))
    known = np.linalg.slogdet(ours.covariance)[1]
    known += np.trace(np.linalg.solve(ours.covariance, moments.S))
    assert theirs == pytest.approx(known, abs=1e-5)
    assert MixedGraph.from_semopy(graph.to_semopy()).names  # and the text is read back


LAVAAN = """
library(lavaan)
given <- commandArgs(trailingOnly = TRUE)
model <- paste(readLines("model.lav"), collapse = "\\n")
fit <- sem(model, read.csv("data.csv"), fixed.x = FALSE, information = "observed")
found <- parameterEstimates(fit)
write.csv(found[found$se > 0, c("lhs", "op", "rhs", "est", "se")], "found.csv", row.names = FALSE)
cat(format(as.numeric(logLik(fit)), digits = 17), fitMeasures(fit, "npar"))
"""


def in_lavaan(graph, frame, folder):
    """The log-likelihood of our export in R, and lhs, op, rhs, est, se in our names."""
    import pandas as pd

    command = shutil.which("Rscript")
    if command is None:
        pytest.skip("R is not installed here")
    known = subprocess.run([command, "-e", "library(lavaan)"], capture_output=True, check=False)
    if known.returncode != 0:
        pytest.skip("R has no package lavaan here")
    (folder / "model.lav").write_text(graph.to_lavaan())
    (folder / "fit.R").write_text(LAVAAN)
    frame.rename(columns=graph.identifiers()).to_csv(folder / "data.csv", index=False)
    run = [command, "--vanilla", "fit.R"]
    said = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=True).stdout
    found = pd.read_csv(folder / "found.csv", keep_default_na=False)
    back = {word: name for name, word in graph.identifiers().items()}
    found[["lhs", "rhs"]] = found[["lhs", "rhs"]].replace(back)
    likelihood, parameters = map(float, said.split())
    assert parameters == len(found)
    return likelihood, found


@pytest.mark.parametrize("regime", ["four-node", "local", "paper"])
def test_lavaan_fits_our_graph_as_we_do(regime, tmp_path):
    draw = dd.simulate.draw(regime, seed=1)
    frame = draw.X.rename(columns=lambda name: f"{name}: <mg/l>")
    known = draw.graph
    graph = MixedGraph.from_matrices(known.directed_matrix, known.bidirected_matrix, list(frame))
    likelihood, found = in_lavaan(graph, frame, tmp_path)
    moments = dd.Moments.from_data(frame)
    ours = dd.refit(moments, graph)
    Sigma, p = ours.covariance, len(graph.names)
    deviance = p * np.log(2 * np.pi) + np.linalg.slogdet(Sigma)[1]
    deviance += np.trace(np.linalg.solve(Sigma, moments.S))
    assert likelihood == pytest.approx(-moments.n / 2 * deviance, abs=1e-4)
    assert len(found) == len(graph.directed) + len(graph.bidirected) + p
    errors = dd.standard_errors(ours)
    for row in found.itertuples():
        i, j = graph.names.index(row.rhs), graph.names.index(row.lhs)
        value, error = (
            (ours.weights, errors.weights)
            if row.op == "~"
            else (ours.noise_covariance, errors.noise_covariance)
        )
        assert row.est == pytest.approx(value[i, j], abs=1e-4)
        assert row.se == pytest.approx(error[i, j], abs=1e-4)


@pytest.mark.parametrize(
    ("module", "method"),
    [
        ("networkx", "to_networkx"),
        ("networkx", "to_dowhy"),
        ("pgmpy.base", "to_pgmpy"),
        ("causallearn.graph.Edge", "to_causal_learn"),
        ("ananke.graphs", "to_ananke"),
    ],
)
def test_an_absent_package_is_named(monkeypatch, module, method):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingPackage, match=r"pip install"):
        getattr(MixedGraph("ab"), method)()
