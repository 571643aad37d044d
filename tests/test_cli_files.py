"""Tables of any kind in; pictures, other languages and JSON out; exit codes as documented."""

import io
import json
import os
import pty
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import dagdecor as dd
from dagdecor.cli import app
from dagdecor.errors import (
    MissingPackage,
    NotNumeric,
    OptionError,
    UnknownName,
    UnreadableFile,
)
from dagdecor.graph import MixedGraph
from dagdecor.interop import TEXTS
from dagdecor.sources import read_source

COMMAND = [sys.executable, "-m", "dagdecor"]


def dagdecor(*arguments, text=None):
    """Run in this process, where a refusal is an exception; quicker than a process each."""
    run = CliRunner().invoke(app, list(map(str, arguments)), input=text)
    if run.exception is not None and not isinstance(run.exception, SystemExit):
        raise run.exception
    return run


@pytest.fixture(scope="module")
def frame():
    return dd.simulate.draw("four-node", seed=1).X


@pytest.fixture(scope="module")
def result(frame, tmp_path_factory):
    folder = tmp_path_factory.mktemp("result")
    frame.to_csv(folder / "d.csv", index=False)
    dagdecor("fit", folder / "d.csv", "--out", folder / "r")
    return folder / "r"


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet", "feather", "xlsx"])
def test_every_kind_of_table_is_read(frame, tmp_path, kind):
    place = tmp_path / f"table.{kind}"
    write = {
        "csv": lambda: frame.to_csv(place, index=False),
        "tsv": lambda: frame.to_csv(place, index=False, sep="\t"),
        "parquet": lambda: frame.to_parquet(place),
        "feather": lambda: frame.to_feather(place),
        "xlsx": lambda: frame.to_excel(place, index=False),
    }
    write[kind]()
    table = read_source(place)
    assert list(table.columns) == list(frame.columns)
    np.testing.assert_allclose(table.to_numpy(), frame.to_numpy(), rtol=1e-12)
    misnamed = tmp_path / "misnamed"
    place.rename(misnamed)
    assert list(read_source(misnamed).columns) == list(table.columns)


@pytest.mark.parametrize(
    ("start", "sentence"),
    [
        (b"PAR1 and no more", "no whole Parquet file"),
        (b"ARROW1 and no more", "no whole Feather file"),
        (b"PK\x03\x04 and no more", "no whole Excel file"),
        (b"\xd0\xcf\x11\xe0 and more", "old Excel file"),
        (b"\x00\x01\x02", "binary file"),
    ],
)
def test_a_broken_file_is_refused_in_a_sentence(tmp_path, start, sentence):
    place = tmp_path / "broken"
    place.write_bytes(start)
    with pytest.raises(UnreadableFile, match=sentence):
        read_source(place)


def test_an_absent_reader_is_named(frame, tmp_path, monkeypatch):
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingPackage, match=r"dagdecor\[excel\]"):
        read_source(tmp_path / "t.xlsx")


def test_standard_input_and_json(frame, monkeypatch):
    text = frame.to_csv(index=False)
    run = dagdecor("fit", "-", "--json", text=text)
    fit = dd.Fit.from_json(run.stdout)
    assert fit.graph == dd.Decor(random_state=0).fit(frame).graph_
    with pytest.raises(UnreadableFile, match="cannot read 'standard input': it is empty"):
        dagdecor("fit", "-", text="")
    monkeypatch.setattr("sys.stdin", io.StringIO())
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    with pytest.raises(UnreadableFile, match="nothing is piped"):
        read_source("-")


def test_other_commands_speak_json(result, tmp_path):
    drawn = tmp_path / "d.csv"
    run = dagdecor("simulate", "four-node", "--out", drawn, "--json")
    assert json.loads(run.stdout)["columns"] == 4
    scores = json.loads(dagdecor("compare", result, result / "graph.json", "--json").stdout)
    assert scores["directed_f1"] == 1


@pytest.mark.parametrize("kind", ["json", *TEXTS])
def test_convert_there_and_back(result, tmp_path, kind):
    graph = MixedGraph.from_json((result / "graph.json").read_text())
    out = tmp_path / "converted"
    dagdecor("convert", result, "--to", kind, "--out", out)
    back = MixedGraph.from_json(dagdecor("convert", out, "--from", kind, "--to", "json").stdout)
    assert set(back.directed) == set(graph.directed)
    assert {frozenset(e) for e in back.bidirected} == {frozenset(e) for e in graph.bidirected}
    printed = dagdecor("convert", "-", "--to", kind, text=graph.to_json()).stdout
    assert printed == out.read_text()
    if kind != "json":
        named = out.rename(tmp_path / f"g{TEXTS[kind].endings[0]}")
        assert dagdecor("convert", named, "--to", "dot").stdout.count("->") == len(
            graph.directed + graph.bidirected
        )


@pytest.mark.parametrize("large", [False, True])
def test_columns_are_left_out_and_scaled(frame, tmp_path, monkeypatch, large):
    monkeypatch.setattr("dagdecor.streaming.is_large", lambda data: large)
    table = frame * [1000, 1, 1, 0.01]
    table.insert(0, "id", [f"row {k}" for k in range(len(table))])
    table.to_csv(tmp_path / "d.csv", index=False)
    table.to_parquet(tmp_path / "d.parquet")
    with pytest.raises(NotNumeric, match="'id'"):
        dagdecor("fit", tmp_path / "d.csv", "--no-search")
    with pytest.raises(UnknownName, match="'idd': did you mean 'id'"):
        dagdecor("fit", tmp_path / "d.csv", "--drop", "idd")
    expected = dd.Decor(search=False).fit(dd.Moments.from_data(frame).scaled())
    for place in (tmp_path / "d.csv", tmp_path / "d.parquet"):
        run = dagdecor("fit", place, "--drop", "id", "--scaled", "--no-search", "--json")
        found = dd.Fit.from_json(run.stdout)
        assert found.graph == expected.graph_
        np.testing.assert_allclose(found.weights, expected.weights_, atol=1e-6)
        np.testing.assert_allclose(np.diag(found.sample_covariance), 1.0)
    assert dagdecor("check", tmp_path / "d.csv", "--drop", "id").exit_code == 0


def test_a_decimal_comma_is_named(tmp_path):
    (tmp_path / "d.csv").write_text("a;b\n1,5;2\n2,5;3\n4,0;1\n")
    with pytest.raises(NotNumeric, match="'1,5', with a decimal comma: write points"):
        dagdecor("fit", tmp_path / "d.csv")


def test_convert_refuses_what_it_does_not_know(result):
    with pytest.raises(OptionError, match="to='word'"):
        dagdecor("convert", result, "--to", "word")
    with pytest.raises(OptionError, match="from='word'"):
        dagdecor("convert", result, "--to", "dot", "--from", "word")


@pytest.mark.parametrize("what", ["graph", "matrix", "confidence"])
def test_plot_writes_the_kind_that_the_ending_names(result, tmp_path, what):
    starts = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}
    for kind, start in starts.items():
        out = tmp_path / f"x.{kind}"
        dagdecor("plot", result, "--out", out, "--what", what)
        assert out.read_bytes().startswith(start)
    with pytest.raises(dd.errors.OutputExists):
        dagdecor("plot", result, "--out", out)
    with pytest.raises(OptionError, match=r"ends in \.svg"):
        dagdecor("plot", result, "--out", tmp_path / "x.gif")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(("--version",), 0), (("convert", "absent.json", "--to", "dot"), 2), (("nothing",), 2)],
)
def test_exit_codes(arguments, code):
    run = subprocess.run([*COMMAND, *arguments], capture_output=True, check=False)
    assert run.returncode == code
    assert b"Traceback" not in run.stderr


def read_until(terminal, wanted):
    seen, end = b"", time.monotonic() + 300
    while wanted not in seen:
        assert time.monotonic() < end, seen
        seen += terminal.read(4096)
    return seen


def test_an_interrupt_is_one_line_and_130_and_a_line_shows_progress(tmp_path):
    rng = np.random.default_rng(0)
    mix = rng.standard_normal((50, 50)) * (rng.random((50, 50)) < 0.15) + np.eye(50)
    pd.DataFrame(rng.standard_normal((400, 50)) @ mix).to_csv(tmp_path / "d.csv", index=False)
    ours, theirs = pty.openpty()
    run = subprocess.Popen(
        [*COMMAND, "fit", tmp_path / "d.csv", "--out", tmp_path / "r"],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "COLUMNS": "80", "TERM": "xterm"},
    )
    os.close(theirs)
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        before = read_until(terminal, b"learning the graph")
        run.send_signal(signal.SIGINT)
        before += read_until(terminal, b"again ends at once")
        run.send_signal(signal.SIGINT)
        after = read_until(terminal, b"stopped")
        assert run.wait(timeout=300) == 130
    run.stdout.close()
    assert b"Traceback" not in before + after
    assert not (tmp_path / "r").exists()
