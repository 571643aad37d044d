"""The commands about a fit's trust: effects, and confidence with its resumption."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from test_cli import dagdecor, too_wide

import dagdecor as dd

DRAW = dd.simulate.draw("four-node", seed=1)
FAST = ("--effort", 0.05, "--workers", 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("trust")
    DRAW.X.to_csv(place / "data.csv", index=False)
    fit = dd.refit(DRAW.X, DRAW.graph)
    (place / "fit.json").write_text(fit.to_json())
    return place


def test_effects_of_a_folder_or_a_file(folder, tmp_path):
    run = dagdecor("effects", folder, "--level", 0.9, "--out", tmp_path / "effects.csv")
    assert run.returncode == 0, run.stderr
    assert "90% intervals" in run.stdout
    assert "do not account for its selection" in run.stdout
    assert not too_wide(run.stdout)
    assert (tmp_path / "effects.csv").read_text().startswith("cause,effect,direct,total,error")
    answer = json.loads(dagdecor("effects", folder / "fit.json", "--json").stdout)
    assert {(row["cause"], row["effect"]) for row in answer["effects"]} >= set(DRAW.graph.directed)
    refused = dagdecor("effects", folder / "nothing.json")
    assert refused.returncode == 2
    assert "no such file" in refused.stderr


def test_confidence_writes_and_resumes(folder, tmp_path):
    out = tmp_path / "sure"
    first = dagdecor("confidence", folder / "data.csv", "--draws", 2, "--out", out, *FAST)
    assert first.returncode == 0, first.stderr
    kept = (out / "draws.jsonl").read_bytes()
    second = dagdecor("confidence", folder / "data.csv", "--draws", 4, "--out", out, *FAST)
    assert second.returncode == 0, second.stderr
    assert (out / "draws.jsonl").read_bytes().startswith(kept)
    found = dd.Confidence.from_json((out / "confidence.json").read_text())
    assert found.draws == 4
    assert (out / "confidence.csv").read_text().startswith("a,b,none,->,<-,<->")
    other = dagdecor("confidence", folder / "data.csv", "--seed", 3, "--out", out, *FAST)
    assert other.returncode == 2
    assert "another table" in other.stderr


def test_an_interrupt_keeps_what_is_finished(folder, tmp_path):
    out = tmp_path / "sure"
    command = [sys.executable, "-m", "dagdecor", "confidence", folder / "data.csv"]
    command += ["--draws", 500, "--out", out, *FAST]
    child = subprocess.Popen(
        list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    draws = out / "draws.jsonl"
    while not draws.exists() or draws.read_bytes().count(b"\n") < 3:
        assert child.poll() is None
        time.sleep(0.02)
    os.kill(child.pid, signal.SIGINT)
    _, said = child.communicate(timeout=120)
    assert child.returncode == 130
    assert "goes on from" in said
    found = dd.Confidence.from_json((out / "confidence.json").read_text())
    assert 2 <= found.draws < 500
