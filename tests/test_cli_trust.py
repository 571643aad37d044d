"""The commands about a fit's trust: effects, and confidence with its resumption."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import pytest
from test_cli import dagdecor, too_wide
from typer.testing import CliRunner

import dagdecor as dd
from dagdecor.cli import app
from dagdecor.cli.interrupts import requested

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


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupt_keeps_what_is_finished(folder, tmp_path, workers):
    out = tmp_path / "sure"
    command = [sys.executable, "-m", "dagdecor", "confidence", folder / "data.csv"]
    command += ["--draws", 500, "--out", out, "--effort", 0.05, "--workers", workers]
    child = subprocess.Popen(
        list(map(str, command)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    draws = out / "draws.jsonl"
    while not draws.exists() or draws.read_bytes().count(b"\n") < 3:
        assert child.poll() is None
        time.sleep(0.02)
    os.killpg(child.pid, signal.SIGINT)  # as a terminal does: to the worker processes too
    _, said = child.communicate(timeout=120)
    assert child.returncode == 130, said
    assert "goes on from" in said
    assert "Traceback" not in said
    found = dd.Confidence.from_json((out / "confidence.json").read_text())
    assert 2 <= found.draws < 500


def test_the_first_interrupt_is_a_request_and_the_second_is_obeyed():
    before = signal.getsignal(signal.SIGINT)
    with requested() as asked:
        assert not asked.is_set()
        os.kill(os.getpid(), signal.SIGINT)
        assert asked.is_set()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interrupted_fit_is_written_and_says_so(folder, tmp_path, monkeypatch):
    @contextmanager
    def interrupted():
        asked = threading.Event()
        asked.set()
        yield asked

    monkeypatch.setattr("dagdecor.cli.fit.requested", interrupted)
    run = CliRunner().invoke(app, ["fit", str(folder / "data.csv"), "--out", str(tmp_path / "cut")])
    assert run.exit_code == 130, run.output
    fit = dd.Fit.from_json((tmp_path / "cut" / "fit.json").read_text())
    assert fit.certificates["search"].status is dd.Status.LIMIT
    assert "search stopped at the limit: share left undone" in run.output
