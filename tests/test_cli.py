"""The command line as a user meets it: files out, one sentence and exit code 2 on a refusal."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from dagdecor.fit import Fit
from dagdecor.graph import MixedGraph


def dagdecor(*arguments, cwd=None):
    return subprocess.run(
        [sys.executable, "-m", "dagdecor", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        timeout=600,
    )


def too_wide(text, *paths):
    """Lines of more than 80 characters that are not just a path of the user's."""
    own = set(map(str, paths))
    return [line for line in text.splitlines() if len(line) > 80 and line not in own]


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    folder = tmp_path_factory.mktemp("drawn")
    data, truth = folder / "data.csv", folder / "truth.json"
    run = dagdecor("simulate", "local", "--seed", 3, "--out", data, "--truth", truth)
    assert run.returncode == 0, run.stderr
    return folder


def test_from_a_drawn_table_to_scores(drawn, tmp_path):
    out = tmp_path / ("a long name" * 9)
    run = dagdecor("fit", drawn / "data.csv", "--out", out)
    assert run.returncode == 0, run.stderr
    assert "20 columns, 1000 rows" in run.stdout
    assert not too_wide(run.stdout, out)
    assert f"written to\n{out}\n" in run.stdout
    files = {path.name for path in out.iterdir()}
    expected = {"graph.json", "graph.dot", "weights.csv", "noise_covariance.csv", "fit.json"}
    expected |= {"report.html", "edges.csv"}
    assert files == expected
    graph = MixedGraph.from_json((out / "graph.json").read_text())
    weights = pd.read_csv(out / "weights.csv", index_col=0)
    assert list(weights.columns) == list(weights.index) == list(graph.names)
    np.testing.assert_array_equal(weights.to_numpy() != 0, graph.directed_matrix)
    assert Fit.from_json((out / "fit.json").read_text()).graph == graph
    scored = dagdecor("compare", drawn / "truth.json", out / "graph.json")
    assert scored.returncode == 0, scored.stderr
    assert "directed_f1" in scored.stdout


def test_the_same_seed_writes_the_same_bytes(drawn, tmp_path):
    dagdecor("simulate", "local", "--seed", 3, "--out", tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (drawn / "data.csv").read_bytes()


def test_a_taken_folder_is_refused_before_the_work(drawn, tmp_path):
    keep = tmp_path / "result" / "mine.txt"
    keep.parent.mkdir()
    keep.write_text("keep me")
    refused = dagdecor("fit", drawn / "data.csv", "--out", keep.parent)
    assert refused.returncode == 2
    assert "not empty" in refused.stderr
    assert [path.name for path in keep.parent.iterdir()] == ["mine.txt"]
    forced = dagdecor("fit", drawn / "data.csv", "--out", keep.parent, "--force")
    assert forced.returncode == 0, forced.stderr
    assert keep.read_text() == "keep me"
    assert (keep.parent / "graph.json").exists()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "no such file"),
        ("", "it is empty"),
        ("a,b\n1,2\n", "1 sample"),
        ("a,b\n1,2\n3\n", "line 3 has 1 cells"),
        ("a,b\n1,x\n3,y\n", "column 'b' is not numeric"),
        ("a,a\n1,2\n3,5\n", "unique"),
        ("a,b\n1,2\n3,2\n", "column 'b' is constant"),
        ("a,b\n1,2\n3,\n", "missing values"),
        ("a,b\n1,2\n2,4\n3,6\n5,10\n", "exact linear combination"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_written(tmp_path, content, sentence):
    data = tmp_path / "bad.csv"
    if content is not None:
        data.write_text(content)
    run = dagdecor("fit", data, "--out", tmp_path / "result")
    assert run.returncode == 2
    assert sentence in run.stderr
    assert "Traceback" not in run.stderr
    assert len(run.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "result").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--route", "sideways"), "route='sideways' is not possible: use 'precision'"),
        (("--bow", "penalty"), "route='covariance'"),
        (("--rounds", "0"), "rounds=0"),
        (("--lambda-noise", "-1"), "lambda_noise=-1"),
    ],
)
def test_bad_options_are_refused_in_a_sentence(drawn, arguments, sentence):
    run = dagdecor("fit", drawn / "data.csv", *arguments)
    assert run.returncode == 2
    assert sentence in run.stderr


def test_an_option_that_was_of_no_use_is_named(tmp_path):
    data = tmp_path / "data.csv"
    dagdecor("simulate", "four-node", "--out", data)
    run = dagdecor("fit", data, "--rounds", 2, "--lambda-noise", 0.3)
    assert run.returncode == 0
    assert "--rounds, --lambda-noise not used: only with --no-search" in run.stderr
    used = dagdecor("fit", data, "--rounds", 2, "--no-search")
    assert "not used" not in used.stderr


def test_identify_answers_for_graphs_and_for_fits(drawn, tmp_path):
    chain = MixedGraph("abcd", map(tuple, ("ab", "bc", "cd")), map(tuple, ("ac", "ad", "bd")))
    place = tmp_path / "chain.json"
    place.write_text(chain.to_json())
    run = dagdecor("identify", place)
    assert run.returncode == 0, run.stderr
    assert "globally identifiable   no" in run.stdout
    assert "bow-free                yes" in run.stdout
    assert "same covariance" in run.stdout
    assert not too_wide(run.stdout)
    answer = json.loads(dagdecor("identify", place, "--json").stdout)
    assert answer["globally_identifiable"] is False
    fitted = dagdecor("fit", drawn / "data.csv", "--out", tmp_path / "result")
    assert "identifiability: " in fitted.stdout
    assert "margin" in dagdecor("identify", tmp_path / "result" / "fit.json").stdout


def test_the_version_is_printed():
    run = dagdecor("--version")
    assert run.returncode == 0
    assert run.stdout.startswith("dagdecor 0.")


def test_a_bad_graph_document_is_refused(drawn, tmp_path):
    other = tmp_path / "other.json"
    other.write_text(json.dumps({"format": "something"}))
    run = dagdecor("compare", drawn / "truth.json", other)
    assert run.returncode == 2
    assert "not a dagdecor graph document" in run.stderr


def test_the_demo_writes_a_report_folder(tmp_path):
    run = dagdecor("demo", "--out", tmp_path / "demo")
    assert run.returncode == 0, run.stderr
    files = {path.name for path in (tmp_path / "demo").iterdir()}
    assert {
        "data.csv",
        "truth.json",
        "graph.json",
        "graph.svg",
        "summary.txt",
        "report.html",
    } <= files


def test_a_knowledge_file_is_obeyed_and_a_contradiction_is_one_sentence(tmp_path):
    data, out = tmp_path / "data.csv", tmp_path / "result"
    dagdecor("simulate", "four-node", "--out", data)
    (tmp_path / "known.yaml").write_text("required: [D -> A]\nexogenous: D\n")
    run = dagdecor("fit", data, "--knowledge", tmp_path / "known.yaml", "--no-search", "--out", out)
    assert run.returncode == 0, run.stderr
    graph = MixedGraph.from_json((out / "graph.json").read_text())
    assert ("D", "A") in graph.directed
    assert "prior knowledge: required D -> A; exogenous D" in run.stdout
    assert graph.parents("D") == ()
    (tmp_path / "bad.json").write_text('{"required": ["A -> B"], "forbidden": ["A -> B"]}')
    refused = dagdecor("fit", data, "--knowledge", tmp_path / "bad.json")
    assert refused.returncode == 2
    assert "required 'A -> B' and forbidden 'A -> B'" in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_check_names_the_faults_and_fit_prints_the_warnings(tmp_path):
    data = tmp_path / "data.csv"
    dagdecor("simulate", "four-node", "--out", data, "--truth", tmp_path / "truth.json")
    clean = dagdecor("check", data, "--graph", tmp_path / "truth.json")
    assert clean.returncode == 0, clean.stderr
    assert "sortability_variance" in clean.stdout
    table = pd.read_csv(data)
    table.loc[6, "B"] = 1000.0
    table.to_csv(data, index=False)
    warned = dagdecor("fit", data, "--no-search")
    assert warned.returncode == 0
    assert "warning: outliers in row 7 ('B')" in warned.stderr
    table.loc[6, "B"] = np.nan
    table.to_csv(data, index=False)
    refused = dagdecor("fit", data)
    assert refused.returncode == 2
    assert "'B' 1; pass missing='em'" in refused.stderr
    filled = dagdecor("fit", data, "--no-search", "--missing", "em")
    assert filled.returncode == 0, filled.stderr
    assert "1000 rows (999 is their worth)" in filled.stdout
    table["E"], table["F"] = "text", table.A
    table.to_csv(data, index=False)
    stopped = dagdecor("check", data, "--json")
    assert stopped.returncode == 1
    kinds = {each["kind"]: each["severity"] for each in json.loads(stopped.stdout)["findings"]}
    assert kinds["text"] == kinds["collinear"] == "stop"
