"""A study on a Dask cluster whose worker is killed midway: no row is lost, none is doubled."""

import os
import signal
import subprocess
import sys
import warnings

import pytest
import study_methods as made

from dagdecor import study
from dagdecor.study import rows as rows_file

pytest.importorskip("distributed", reason="distributed is not installed")


@pytest.fixture(scope="module")
def machines():
    from distributed import LocalCluster

    with (
        warnings.catch_warnings(),
        LocalCluster(
            n_workers=3,
            threads_per_worker=1,
            dashboard_address=None,
            processes=True,
            silence_logs=50,
        ) as cluster,
    ):
        warnings.simplefilter("ignore")
        yield cluster


def test_a_killed_worker_costs_no_row_and_doubles_none(machines, tmp_path):
    from distributed import Client

    plan = study.named_study("paper").at([0.0, 0.4])
    methods = (made.SLOW, made.EMPTY, made.method("refuse", made.refuse))
    campaign = study.Campaign(plan, tmp_path, methods, draws=6, limit=20.0)
    seen = []

    with Client(machines) as client:
        pids = list(client.run(os.getpid).values())

        def watch(row):
            seen.append(rows_file.key(row))
            if len(seen) == 6:
                os.kill(pids[0], signal.SIGKILL)

        rows = campaign.run(cluster=client, watch=watch)
        after = list(client.run(os.getpid).values())
    assert pids[0] not in after  # it really died, whether or not another took its place
    assert len(seen) == len(set(seen)) == len(rows) == 36
    assert (tmp_path / rows_file.FILE).read_bytes().count(b"\n") == 36
    ends = {(row["method"], row["status"]) for row in rows}
    assert ends == {("slow", "done"), ("empty", "done"), ("refuse", "failed")}


def test_the_command_runs_on_a_scheduler(machines, tmp_path):
    run = subprocess.run(
        [
            *(sys.executable, "-m", "dagdecor", "study", "paper", "--at", "0.4", "--draws", "2"),
            *("--methods", "variance-sort,r2-sort", "--out", str(tmp_path / "out")),
            *("--backend", "dask", "--scheduler", machines.scheduler_address),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert run.returncode == 0, run.stderr
    assert "fits: 4 done" in run.stdout
    assert len(rows_file.read(tmp_path / "out" / rows_file.FILE)) == 4


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--backend", "dask"), "--backend dask and --scheduler ADDRESS together"),
        (("--scheduler", "tcp://127.0.0.1:1"), "--backend dask and --scheduler ADDRESS together"),
        (("--backend", "smoke"), "use 'joblib' or 'dask'"),
    ],
)
def test_half_of_the_two_options_is_refused(tmp_path, arguments, sentence):
    run = subprocess.run(
        [sys.executable, "-m", "dagdecor", "study", "paper", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert run.returncode == 2
    assert sentence in run.stderr
    assert not list(tmp_path.iterdir())
