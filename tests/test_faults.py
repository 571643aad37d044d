"""Killed, out of room, forbidden, cut off: no file is half written, and one sentence says why."""

import errno
import json
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dagdecor import Decor
from dagdecor.errors import OutputExists
from dagdecor.fit import Fit
from dagdecor.report import write_result
from dagdecor.report.files import write_file
from dagdecor.report.folder import repair, write_folder

COMMAND = [sys.executable, "-m", "dagdecor"]
FILES = {
    "report.html",
    "graph.json",
    "graph.dot",
    "edges.csv",
    "weights.csv",
    "noise_covariance.csv",
    "fit.json",
}


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 4)) @ np.triu(rng.random((4, 4)) + 0.5)
    path = tmp_path_factory.mktemp("faults") / "data.csv"
    pd.DataFrame(X, columns=list("abcd")).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def fit(table):
    return Decor(search=False).fit(pd.read_csv(table)).fit_


def whole(folder):
    """Whether a folder is absent, or complete and readable, once a run has looked at it."""
    if not folder.exists():
        return True
    repair(folder)
    names = {path.name for path in folder.iterdir()}
    return names >= FILES and len(Fit.from_json((folder / "fit.json").read_text()).mean) == 4


def run(*arguments, **options):
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=600,
        **options,
    )  # fmt: skip


def test_a_fit_killed_at_random_moments_leaves_no_half_folder(table, tmp_path):
    """The long form, with figures, is `make faults`."""
    moments = random.Random(0)
    out = tmp_path / "result"
    for _ in range(3):
        process = subprocess.Popen(
            [*COMMAND, "fit", str(table), "--no-search", "--out", str(out), "--force"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(moments.uniform(0.1, 2.5))
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert whole(out)
    assert run("fit", table, "--no-search", "--out", out, "--force").returncode == 0
    assert whole(out)


# Writes the same result over and over, so that a kill falls into the writing itself.
WRITER = """
import sys
from pathlib import Path
from dagdecor.errors import OutputExists
from dagdecor.fit import Fit
from dagdecor.report import write_result
fit = Fit.from_json(Path(sys.argv[1]).read_text())
turn = 0
write_result(fit, Path(sys.argv[2]) / "first")  # with the imports that this takes
print("go", flush=True)
while True:
    write_result(fit, Path(sys.argv[2]) / f"result{turn % 50}", force=True)
    turn += 1
"""


def test_a_kill_in_the_middle_of_writing_leaves_whole_folders(fit, tmp_path):
    source = tmp_path / "fit.json"
    source.write_text(fit.to_json())
    moments = random.Random(1)
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(source), str(tmp_path)], stdout=subprocess.PIPE
    )
    assert process.stdout.readline() == b"go\n"
    time.sleep(moments.uniform(0.02, 0.4))
    process.kill()
    process.wait()
    process.stdout.close()
    folders = list(tmp_path.glob("result*"))
    assert folders
    assert all(whole(folder) for folder in folders)


@pytest.mark.parametrize("after", range(len(FILES) + 1))
def test_a_full_disk_leaves_what_was_there(fit, tmp_path, monkeypatch, after):
    out, written = tmp_path / "result", []
    write = Path.write_bytes

    def limited(path, data):
        if len(written) == after:
            write(path, data[: len(data) // 2])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        written.append(path)
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", limited)
    if after == len(FILES):
        write_result(fit, out)
        assert whole(out)
        return
    with pytest.raises(OSError, match="No space left"):
        write_result(fit, out)
    assert not list(tmp_path.iterdir())
    out.mkdir()
    (out / "fit.json").write_text("kept")
    written.clear()
    with pytest.raises(OSError, match="No space left"):
        write_result(fit, out, force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["result"]
    assert [path.read_text() for path in out.iterdir()] == ["kept"]


OLD = {"a": "old", "b": "old", "gone": "old"}
NEW = {"a": "new", "b": "new", "c": "new"}
MINE = {"mine.txt": "mine", "kept/mine.txt": "mine"}


def contents(folder):
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in folder.rglob("*")
        if path.is_file() and not path.relative_to(folder).parts[0].startswith(".")
    }


def killed_before(step, call, *given):
    """Call in another process, which dies before its `step`-th change of the disk; if it did."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    done = 0

    def counted(change):
        def changed(*arguments, **options):
            nonlocal done
            done += 1
            if done > step:
                os._exit(9)
            return change(*arguments, **options)

        return changed

    for name in ("write_bytes", "rename", "unlink", "rmdir", "chmod"):
        setattr(Path, name, counted(getattr(Path, name)))
    try:
        call(*given)
    finally:
        os._exit(0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a copy of this process")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # fork beside threads
def test_a_kill_anywhere_in_a_replacement_mixes_nothing_and_is_repaired(tmp_path):
    ends = []
    for step in range(50):
        folder = tmp_path / f"result{step}"
        write_folder(OLD, folder)
        (folder / "kept").mkdir()
        for name, text in MINE.items():
            (folder / name).write_text(text)
        killed = killed_before(step, lambda out=folder: write_folder(NEW, out, force=True))
        found = contents(folder)
        assert MINE.items() <= found.items()
        assert len({found[name] for name in NEW if name in found}) < 2
        with pytest.raises(OutputExists):  # and it looks whether there is something to repair
            write_folder(NEW, folder)
        old, new = {**OLD, **MINE}, {**NEW, **MINE, "gone": "old"}
        assert contents(folder) in (old, new)
        ends.append(contents(folder) == new)
        write_folder(NEW, folder, force=True)
        assert contents(folder) == new
        assert len(list(folder.iterdir())) == len(new)  # nothing hidden is left
        if not killed:
            break
    assert not killed
    assert ends == sorted(ends)
    assert 0 < sum(ends) < len(ends)


def test_many_runs_into_one_folder_leave_the_files_of_one(tmp_path):
    folder = tmp_path / "result"
    write_folder(OLD, folder)
    names = [f"{place}.txt" for place in range(6)]

    def write(turn):
        write_folder(dict.fromkeys(names, str(turn)), folder, force=True)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(40)))
    assert len({(folder / name).read_text() for name in names}) == 1
    assert {path.name for path in folder.iterdir()} == {*OLD, *names}


def test_a_folder_of_the_name_of_a_file_is_refused_before_anything_goes(tmp_path):
    write_folder(OLD, tmp_path / "result")
    (tmp_path / "result" / "c").mkdir()
    with pytest.raises(OutputExists):
        write_folder(NEW, tmp_path / "result", force=True)
    assert contents(tmp_path / "result") == OLD


def test_one_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    place = tmp_path / "data.csv"
    write_file("old", place)

    def fail(*given):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="No space left"):
        write_file("new", place)
    assert place.read_text() == "old"
    assert list(tmp_path.iterdir()) == [place]


def test_a_disk_that_is_really_full_is_one_sentence(table, tmp_path):
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with Path("/dev/full").open("w") as full:
        told = subprocess.run(
            [*COMMAND, "fit", str(table), "--no-search", "--out", str(tmp_path / "result")],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=600,
        )  # fmt: skip
    assert told.returncode == 2
    assert "No space left" in told.stderr
    assert told.stderr.count("\n") == 1
    assert whole(tmp_path / "result")
    assert (tmp_path / "result").exists()


def test_a_folder_that_cannot_be_written_is_one_sentence(table, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    told = run("fit", table, "--no-search", "--out", tmp_path / "file" / "result")
    assert told.returncode == 2
    assert told.stderr.count("\n") == 1
    assert "Traceback" not in told.stderr
    if os.geteuid() != 0:  # the superuser may write anywhere
        locked = tmp_path / "locked"
        locked.mkdir(mode=0o500)
        told = run("fit", table, "--no-search", "--out", locked / "result")
        assert told.returncode == 2
        assert "Permission denied" in told.stderr
        assert not list(locked.iterdir())


def test_a_pipe_that_closes_ends_quietly_and_the_files_are_there(table, tmp_path):
    out = tmp_path / "result"
    process = subprocess.Popen(
        [*COMMAND, "fit", str(table), "--no-search", "--out", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()
    error = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait() in {1, 141}
    assert error == ""
    assert whole(out)
    assert out.exists()


SMALL_KERNEL = """
import numpy as np
from dagdecor.search.residual_kernels import invert
M = np.eye(3) + 0.5
print([invert(M, 3), *M.ravel().tolist()], flush=True)
"""


def compiling(cache, before="", **environment):
    return subprocess.Popen(
        [sys.executable, "-c", before + SMALL_KERNEL],
        env={**os.environ, "DAGDECOR_CACHE": str(cache), **environment},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_two_processes_fill_the_compile_cache_at_once_and_a_third_uses_it(tmp_path):
    both = [process.communicate() for process in [compiling(tmp_path), compiling(tmp_path)]]
    answers = {out for out, _ in both}
    assert len(answers) == 1
    assert json.loads(answers.copy().pop())
    third = compiling(tmp_path)
    out, told = third.communicate()
    assert third.returncode == 0
    assert {out} == answers
    assert told == ""


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_a_damaged_compile_cache_is_made_anew(tmp_path, suffix):
    answers = {compiling(tmp_path).communicate()[0]}
    damaged = list(tmp_path.rglob(f"*.{suffix}"))
    assert damaged
    before = {path: path.read_bytes() for path in damaged}
    for path in damaged:  # a bad disk, or a machine that lost its power
        path.write_bytes(before[path][: len(before[path]) // 2])
    out, told = compiling(tmp_path).communicate()
    assert {out} == answers, told
    assert all(len(path.read_bytes()) > len(before[path]) // 2 for path in damaged)


FULL_CACHE = """
import errno
from numba.core import caching
def fail(*given): raise OSError(errno.ENOSPC, "No space left on device")
caching.IndexDataCacheFile._save_data = fail
"""


def test_a_disk_too_full_for_the_compile_cache_is_done_without(tmp_path):
    process = compiling(tmp_path, FULL_CACHE)
    out, told = process.communicate()
    assert process.returncode == 0, told
    assert json.loads(out)


@pytest.mark.parametrize("place", ["chosen", "home"])
def test_a_cache_that_cannot_be_written_is_done_without(tmp_path, place):
    (tmp_path / "file").write_text("not a folder")
    home = {"HOME": str(tmp_path / "file"), "XDG_CACHE_HOME": "", "DAGDECOR_CACHE": ""}
    chosen = {"DAGDECOR_CACHE": str(tmp_path / "file")}
    process = compiling(tmp_path, **(chosen if place == "chosen" else home))
    out, told = process.communicate()
    assert process.returncode == 0
    assert json.loads(out)
    assert "not kept: no writable cache folder" in told
