"""A study keeps one row a fit, whatever the fit does and whenever the run ends."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import study_methods as made

from dagdecor import errors, study
from dagdecor.baselines import RIVALS
from dagdecor.study import rows as rows_file
from dagdecor.study.fitting import SCORES
from dagdecor.study.methods import OWN, chosen
from dagdecor.study.progress import Pace
from dagdecor.study.rows import Rows

PLAN = study.named_study("paper").at([0.0, 0.4])


def campaign(folder, *methods, **options):
    given = {"study": PLAN, "draws": 1, "limit": 120.0, **options}
    return study.Campaign(folder=folder, methods=methods, **given)


def by_method(rows):
    return {row["method"]: row for row in rows}


def line_of(row):
    return {name: row[name] for name in rows_file.KEY}


# --- rows ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """One run with every way in which a fit can end, beside a healthy method."""
    methods = [
        made.EMPTY,
        made.method("refuse", made.refuse),
        made.method("crash", made.crash),
        made.method("chatter", made.chatter),
        made.method("alien", made.alien),
        made.method("drawn", made.drawn, takes=("random_state",)),
        made.method("told", lambda _, latents: 1 / (latents - 5), takes=("latents",)),
    ]
    folder = tmp_path_factory.mktemp("outcomes")
    one = {"study": PLAN.at([0.4]), "seed": 3}
    rows = campaign(folder, *methods, **one).run(jobs=2)
    hanging = [
        made.method("hang", made.hang),
        made.method("hang-in-the-kernel", made.hang_in_the_kernel),
    ]
    start = time.monotonic()
    rows += campaign(folder, *hanging, **one, limit=5.0).run(jobs=2)
    return by_method(rows), time.monotonic() - start, folder


def test_every_fit_has_a_row_that_says_how_it_ended(outcomes):
    rows = outcomes[0]
    assert {name: row["status"] for name, row in rows.items()} == {
        "empty": "done",
        "refuse": "failed",
        "hang": "timed out",
        "hang-in-the-kernel": "timed out",
        "crash": "lost",
        "chatter": "done",
        "alien": "failed",
        "drawn": "done",
        "told": "failed",
    }
    assert rows["refuse"]["message"] == "ValueError: this table is not to my taste"
    assert rows["hang"]["message"] == "stopped after 5 seconds"
    assert "SIGKILL" in rows["crash"]["message"]
    assert "different columns" in rows["alien"]["message"]
    assert rows["told"]["message"].startswith("ZeroDivisionError")  # latents=5 arrived


def test_the_time_limit_holds(outcomes):
    rows, seconds, _ = outcomes
    assert rows["hang"]["seconds"] == rows["hang-in-the-kernel"]["seconds"] == 5.0
    assert seconds < 300  # two hanging methods and the starts of processes, on a busy machine


def test_a_row_holds_scores_versions_seed_and_settings(outcomes):
    row = outcomes[0]["empty"]
    assert row["directed_f1"] == row["tpr"] == row["fpr"] == 0.0
    assert row["pair_shd"] == row["edges"] + row["arcs"]
    assert row["weights_error"] == pytest.approx(1.0)
    assert {*SCORES} <= {*row}
    assert row["draw"] == 3
    assert row["loss"] == "none"
    assert row["versions"]["dagdecor"]
    assert outcomes[0]["hang"]["versions"]["numpy"]
    assert (row["n"], row["p"]) == (200, 20)


def test_the_same_seed_gives_the_same_answer_in_any_process(outcomes, tmp_path):
    before = outcomes[0]["drawn"]
    again = campaign(
        tmp_path,
        made.method("drawn", made.drawn, takes=("random_state",)),
        study=PLAN.at([0.4]),
        seed=3,
    ).run(jobs=1)[0]
    assert again["message"] == before["message"] == "3"
    assert again["fpr"] == before["fpr"]


def test_tables_are_those_that_anybody_can_draw(tmp_path):
    import dagdecor as dd

    (row,) = campaign(tmp_path, *chosen(["decor-continuous"]), study=PLAN.at([0.4]), seed=5).run(
        jobs=1
    )
    drawn = dd.simulate.draw("paper", seed=5, density=0.4)
    graph = dd.Decor(search=False).fit(drawn.X).graph_
    scores = dd.metrics.compare(drawn.graph, graph).to_dict()
    assert {name: row[name] for name in scores} == scores
    assert row["divergence"] > 0


# --- going on ------------------------------------------------------------------------------------


def test_a_finished_run_repeats_nothing(tmp_path):
    one = campaign(tmp_path, made.EMPTY)
    first = one.run(jobs=1)
    bytes_before = (tmp_path / rows_file.FILE).read_bytes()
    seen = []
    assert one.run(jobs=1, watch=seen.append) == first
    assert not seen
    more = campaign(tmp_path, made.EMPTY, draws=2)
    assert more.left() == 2
    more.run(jobs=1, watch=seen.append)
    assert [row["draw"] for row in seen] == [1, 1]
    assert (tmp_path / rows_file.FILE).read_bytes().startswith(bytes_before)


def test_a_torn_last_line_is_cut_off_and_its_fit_repeated(tmp_path):
    one = campaign(tmp_path, made.EMPTY, draws=2)
    whole = one.run(jobs=1)
    path = tmp_path / rows_file.FILE
    lines = path.read_bytes().splitlines(keepends=True)
    for torn in (lines[3][:40], lines[3][:-1], b"\0" * 80 + b"\n"):
        path.write_bytes(b"".join(lines[:3]) + torn)
        assert len(one.rows()) == 3
        again = one.run(jobs=1)
        assert [line_of(row) for row in again] == [line_of(row) for row in whole]
        assert path.read_bytes().count(b"\n") == 4


def test_a_line_that_is_no_row_is_named_and_nothing_is_lost(tmp_path):
    campaign(tmp_path, made.EMPTY).run(jobs=1)
    path = tmp_path / rows_file.FILE
    spoilt = b'{"a": 1}\n' + path.read_bytes()
    path.write_bytes(spoilt)
    with pytest.raises(errors.BadRows, match="line 1 of"):
        campaign(tmp_path, made.EMPTY, draws=2).run(jobs=1)
    assert path.read_bytes() == spoilt


def test_a_folder_of_another_study_is_refused(tmp_path):
    campaign(tmp_path, made.EMPTY).run(jobs=1)
    other = study.named_study("rank").at([1])
    with pytest.raises(errors.BadRows):
        campaign(tmp_path, made.EMPTY, study=other).run(jobs=1)


def test_two_runs_do_not_share_a_folder(tmp_path):
    with Rows(tmp_path / rows_file.FILE), pytest.raises(errors.FolderInUse, match="another run"):
        campaign(tmp_path, made.EMPTY).run(jobs=1)


def test_what_a_smaller_limit_stopped_is_tried_again(tmp_path):
    slow = campaign(tmp_path, made.SLOW, study=PLAN.at([0.4]), limit=0.05)
    assert [row["status"] for row in slow.run(jobs=1)] == ["timed out"]
    assert slow.run(jobs=1)[0]["limit"] == 0.05
    patient = campaign(tmp_path, made.SLOW, study=PLAN.at([0.4]), limit=120.0)
    (row,) = patient.run(jobs=1)
    assert (row["status"], row["limit"]) == ("done", 120.0)


RUN = """
import sys
sys.path.insert(0, {tests!r})
import study_methods as made
from dagdecor import study
plan = study.named_study("paper").at([0.0, 0.4])
campaign = study.Campaign(plan, {folder!r}, (made.SLOW,), draws=20)
campaign.run(jobs=2)
"""


def children(pid):
    """Processes that a process started; by Linux's account of them."""
    found = Path(f"/proc/{pid}/task/{pid}/children")
    tasks = Path(f"/proc/{pid}/task")
    if not found.exists():
        pytest.skip("no /proc with children on this system")
    return [
        int(child) for task in tasks.iterdir() for child in (task / "children").read_text().split()
    ]


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except FileNotFoundError:
        return False


def wait_until(condition, seconds=120.0):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


def test_a_killed_run_goes_on_and_leaves_no_process_behind(tmp_path):
    source = RUN.format(tests=str(Path(__file__).parent), folder=str(tmp_path))
    run = subprocess.Popen([sys.executable, "-c", source])
    path = tmp_path / rows_file.FILE
    assert wait_until(lambda: path.exists() and path.read_bytes().count(b"\n") >= 6, 600.0)
    fitting = children(run.pid)
    run.kill()
    run.communicate()
    assert len(fitting) == 2
    assert wait_until(lambda: not any(map(is_alive, fitting)))
    kept = [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
    assert 6 <= len(kept) < 40
    seen = []
    rows = campaign(tmp_path, made.SLOW, draws=20).run(jobs=2, watch=seen.append)
    assert len(seen) == 40 - len(kept)
    assert len({rows_file.key(row) for row in rows}) == 40
    assert path.read_bytes().count(b"\n") == 40


def test_an_interrupt_keeps_and_reports_what_is_finished(tmp_path):
    command = ["study", "paper", "--methods", "study_methods:SLOW", "--draws", "20", "--out"]
    run = subprocess.Popen(
        [sys.executable, "-m", "dagdecor", *command, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    path = tmp_path / rows_file.FILE
    assert wait_until(lambda: path.exists() and path.read_bytes().count(b"\n") >= 6, 600.0)
    fitting = children(run.pid)
    run.send_signal(signal.SIGINT)
    said, complaints = run.communicate(timeout=300)
    assert run.returncode == 130
    kept = path.read_bytes().count(b"\n")
    # Before it, where the machine is slow: lines of progress, or of a cache that is being made.
    last = complaints.splitlines()[-1]
    assert last == f"stopped with {100 - kept} fits left: the same command goes on"
    assert "Traceback" not in complaints
    assert f"fits: {kept} done" in said
    assert f"{100 - kept} of 100 fits" in (tmp_path / "table.md").read_text()
    assert not any(map(is_alive, fitting))


# --- what takes part -----------------------------------------------------------------------------


def test_our_own_and_all_installed_rivals_take_part():
    names = [method.name for method in chosen()]
    assert names[:2] == ["decor", "decor-continuous"]
    assert set(names) == {m.name for m in OWN} | {
        name for name, rival in RIVALS.items() if not rival.missing
    }


def test_a_method_of_ones_own_comes_by_its_place(monkeypatch):
    found = chosen(["study_methods:EMPTY", "decor"])
    assert [method.name for method in found] == ["empty", "decor"]
    for wrong, sentence in [
        ("study_methods:missing", "can be imported"),
        ("study_methods:SETTING", "not of a Setting"),
        ("nothing", "one of 'decor'"),
    ]:
        with pytest.raises(errors.OptionError, match=sentence):
            chosen([wrong])
    with pytest.raises(errors.OptionError, match="once"):
        chosen(["decor", "decor"])
    absent = made.method("absent", made.empty, packages=("no_such_package",), extra="x")
    with pytest.raises(errors.MissingPackage, match="no_such_package"):
        chosen([absent])


@pytest.mark.parametrize("wrong", [{"draws": 0}, {"seed": -1}, {"limit": 0.0}])
def test_impossible_options_are_refused(tmp_path, wrong):
    with pytest.raises(errors.OptionError, match=next(iter(wrong))):
        campaign(tmp_path, made.EMPTY, **wrong)
    with pytest.raises(errors.OptionError, match="jobs=0"):
        campaign(tmp_path, made.EMPTY).run(jobs=0)


def test_time_left_is_counted_method_by_method():
    from collections import Counter

    pace = Pace(jobs=2)
    assert pace.left(Counter(quick=3)) is None
    for name, seconds in [("quick", 1.0), ("quick", 3.0), ("slow", 50.0)]:
        pace.saw({"method": name, "seconds": seconds})
    assert pace.left(Counter(quick=3, slow=1)) == (3 * 2.0 + 50.0) / 2
    assert pace.left(Counter(new=1)) == 18.0 / 2
