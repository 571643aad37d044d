"""Tables and figures of a study say what its rows say."""

import json
import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import study_methods as made

from dagdecor import errors, study
from dagdecor.study import rows as rows_file
from dagdecor.study import tables
from dagdecor.study.curves import LOWER_IS_BETTER, Axis, apart, looks
from dagdecor.study.report import write_report

PLAN = study.named_study("paper").at([0.0, 0.4])
F1 = {  # method: place on the axis: F1 of each draw, or how the fit ended
    "decor": {0.0: [0.9, 0.7, 0.8], 0.4: [0.5, "timed out", 0.7]},
    "rival": {0.0: [0.1, 0.2, 0.6], 0.4: ["failed", "failed", "failed"]},
}


def a_row(method, axis, draw, value):
    done = not isinstance(value, str)
    return {
        "study": "paper",
        "design": f"paper, density {axis:g}, raw",
        "draw": draw,
        "method": method,
        "facet": "raw",
        "axis": axis,
        "status": "done" if done else value,
        "message": "",
        "limit": 7.0,
        "seconds": 0.25,
        "loss": "1/2n",
        "penalty": ".1",
        "threshold": ".3",
        "centring": "columns centred",
        "told": "latents" if method == "rival" else "",
        "versions": {"numpy": "2.0", "scipy": "1.9" if draw else "1.8"},
        **({"directed_f1": value, "pair_shd": int(100 * value)} if done else {}),
    }


@pytest.fixture
def finished(tmp_path):
    rows = [
        a_row(method, axis, draw, value)
        for method, places in F1.items()
        for axis, values in places.items()
        for draw, value in enumerate(values)
    ]
    path = tmp_path / rows_file.FILE
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    methods = [made.method(name, made.empty) for name in F1]
    return study.Campaign(PLAN, tmp_path, methods, draws=3)


def cells_of(page, title):
    """The cells of a Markdown table by method."""
    lines = page.split(f"## {title}\n\n")[1].split("\n\n")[0].splitlines()
    found = [[part.strip() for part in line.strip("|").split("|")] for line in lines]
    return {line[0]: line[1:] for line in found}


def test_means_and_standard_errors_are_those_by_hand(finished):
    write_report(finished, figures=False)
    page = (finished.folder / "table.md").read_text()
    table = cells_of(page, "F1 of directed edges, raw")
    assert table["confounding density"] == ["0", "0.4"]
    # 0.9 0.7 0.8: deviation 0.1; 0.5 0.7: deviation sqrt(.02), two draws
    assert table["decor"] == [
        f"0.800 ({0.1 / math.sqrt(3):.3f})",
        f"0.600 ({math.sqrt(0.02 / 2):.3f}) 2/3",
    ]
    # 0.1 0.2 0.6: mean 0.3, deviation sqrt(.14 / 2)
    assert table["rival"] == [f"0.300 ({math.sqrt(0.07 / 3):.3f})", "failed"]
    assert cells_of(page, "Pair SHD, raw")["decor"][0] == f"80.0 ({10 / math.sqrt(3):.3f})"


def test_the_summary_has_the_best_first_and_what_is_not_done(finished):
    text = tables.summary(finished.rows())
    assert [line.split() for line in text.splitlines()[1:]] == [
        ["F1", "F1", "<->", "SHD", "seconds", "done"],
        ["decor", "0.720", "-", "72.0", "0.250", "5/6"],
        ["rival", "0.300", "-", "30.0", "0.250", "3/6"],
    ]
    assert max(map(len, text.splitlines())) <= 80


def test_the_page_states_settings_seeds_ends_and_versions(finished):
    write_report(finished, figures=False)
    page = (finished.folder / "table.md").read_text()
    settings = cells_of(page, "Settings")
    assert settings["method"] == ["loss", "penalty", "threshold", "centring", "is told"]
    assert settings["rival"] == ["1/2n", ".1", ".3", "columns centred", "latents"]
    assert settings["decor"][-1] == "-"
    for line in (
        "- seeds of the draws: 0 to 2",
        "- status: done (8 fits), timed out (1 fits), failed (3 fits)",
        "- limit: 7 s a fit",
        "- numpy: 2.0",
        "- scipy: 1.8 (4 fits), 1.9 (8 fits)",
    ):
        assert line in page.splitlines()
    assert "Not finished" not in page
    more = study.Campaign(PLAN, finished.folder, finished.methods, draws=4)
    write_report(more, figures=False)
    assert "Not finished: 4 of 16 fits" in (finished.folder / "table.md").read_text()


def test_methods_of_another_environment_stay_in_the_table(finished):
    alone = study.Campaign(PLAN, finished.folder, finished.methods[:1], draws=3)
    write_report(alone, figures=False)
    table = cells_of((finished.folder / "table.md").read_text(), "F1 of directed edges, raw")
    assert list(table)[2:] == ["decor", "rival"]
    fewer = study.Campaign(PLAN, finished.folder, finished.methods, draws=1)
    write_report(fewer, figures=False)
    table = cells_of((finished.folder / "table.md").read_text(), "F1 of directed edges, raw")
    assert table["decor"] == ["0.900", "0.500"]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_tidy_rows_hold_every_fit(finished, kind):
    if kind == "parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    write_report(finished, kind, figures=False)
    path = finished.folder / f"rows.{kind}"
    frame = pd.read_csv(path) if kind == "csv" else pd.read_parquet(path)
    assert len(frame) == 12
    decor = frame[(frame.method == "decor") & (frame.axis == 0.4)]
    np.testing.assert_array_equal(decor.directed_f1, [0.5, np.nan, 0.7])
    assert decor.status.tolist() == ["done", "timed out", "done"]
    assert frame.versions[0] == "numpy 2.0, scipy 1.8"
    with pytest.raises(errors.OptionError, match="table='xls'"):
        write_report(finished, "xls")


def test_figures_are_written_with_every_method_in_them(finished):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    written = {path.name: path for path in write_report(finished)}
    for name in ("raw-overview", "raw-directed_f1", "raw-pair_shd", "raw-seconds"):
        assert written[f"{name}.png"].read_bytes().startswith(b"\x89PNG")
        text = written[f"{name}.svg"].read_text()
        assert ">decor<" in text
        assert ">rival<" in text
        assert "confounding density" in text
    before = written["raw-overview.svg"].read_bytes()
    write_report(finished)
    assert written["raw-overview.svg"].read_bytes() == before


def test_a_method_without_any_result_is_named_in_the_figure(finished):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    path = finished.folder / rows_file.FILE
    kept = [line for line in path.read_text().splitlines() if '"rival"' in line]
    path.write_text("\n".join(line for line in kept if '"failed"' in line) + "\n")
    (overview,) = (p for p in write_report(finished) if p.name == "raw-seconds.svg")
    assert "no result: decor, rival" in overview.read_text()


def test_an_axis_of_words_is_a_grid_best_method_first(tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    plan = study.named_study("regimes").at(["paper", "wide, p 50"])
    shd = {  # the second is better where both have a result; the third has none
        "slow": {"paper": 30, "wide, p 50": "timed out"},
        "quick": {"paper": 25, "wide, p 50": 90},
        "broken": {"paper": "failed", "wide, p 50": "failed"},
    }
    rows = [
        {
            **a_row(method, 0.0, 0, value if isinstance(value, str) else value / 100),
            "study": "regimes",
            "design": f"{place}, raw",
            "axis": place,
        }
        for method, places in shd.items()
        for place, value in places.items()
    ]
    (tmp_path / rows_file.FILE).write_text("".join(json.dumps(row) + "\n" for row in rows))
    methods = [made.method(name, made.empty) for name in shd]
    written = {p.name: p for p in write_report(study.Campaign(plan, tmp_path, methods, draws=1))}
    assert "raw-overview.svg" not in written
    text = written["raw-pair_shd.svg"].read_text()
    places = [text.index(f">{name}<") for name in ("quick", "slow", "broken")]
    assert places == sorted(places)
    for cell in (">30<", ">25<", ">90<", ">time<", ">fail<"):
        assert cell in text


def test_labels_keep_apart_in_order_and_as_near_as_they_can():
    rng = np.random.default_rng(0)
    for count in (1, 2, 9, 21):
        wanted = np.sort(rng.random(count))
        found = np.array(apart(wanted.tolist(), 0.04))
        assert (np.diff(found) >= 0.04 - 1e-5).all()
        assert found.min() >= 0
        assert found.max() <= 1 + 1e-9
        grid = np.sum((found - wanted) ** 2)
        for _ in range(200):  # no feasible neighbour is nearer
            other = found + rng.normal(0, 0.01, count)
            if (np.diff(other) >= 0.04).all() and other.min() >= 0 and other.max() <= 1:
                assert np.sum((other - wanted) ** 2) >= grid - 1e-4


def test_twenty_methods_look_different():
    names = [f"{family}-{kind}" for family in "abcdefghij" for kind in ("one", "two", "three")]
    found = looks([*names, "decor", "decor-continuous"])
    assert len({(look.colour, str(look.style), look.marker) for look in found.values()}) == 32
    assert found["a-one"].colour == found["a-two"].colour != found["b-one"].colour


def test_places_on_the_axis():
    assert Axis((0.0, 0.2, 0.4), "").places == [0.0, 0.2, 0.4]
    assert Axis((50, 100, 500), "").places == [0.0, 1.0, 2.0]
    assert Axis((0.5, 10), "").names == ["0.5", "10"]
    assert set(tables.MEASURES) > LOWER_IS_BETTER


# --- the command ---------------------------------------------------------------------------------


def dagdecor(*arguments, cwd):
    return subprocess.run(
        [sys.executable, "-m", "dagdecor", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        timeout=600,
    )


def test_the_command_runs_a_study_with_a_method_of_ones_own(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from dagdecor.baselines import Baseline, Found, Setting\n"
        "from dagdecor.graph import MixedGraph\n\n"
        "def fit(moments):\n"
        "    return Found(MixedGraph(moments.names))\n\n"
        "METHOD = Baseline('mine', 'no edges', fit, Setting('none', 'none'))\n"
    )
    command = ("study", "paper", "--quick", "--draws", 1, "--seed", 4, "--jobs", 1)
    run = dagdecor(*command, "--methods", "mine:METHOD,variance-sort", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "fits: 6 done" in run.stdout
    best, other = (run.stdout.index(f"  {name} ") for name in ("variance-sort", "mine"))
    assert best < other
    assert max(map(len, run.stdout.splitlines())) <= 80
    folder = tmp_path / "study-paper-quick"
    rows = rows_file.read(folder / rows_file.FILE)
    assert {(row["method"], row["axis"], row["draw"], row["limit"]) for row in rows} == {
        (method, axis, 4, 10.0) for method in ("mine", "variance-sort") for axis in (0.0, 0.4, 0.8)
    }
    assert "mine" in (folder / "table.md").read_text()


def test_the_command_names_studies_and_methods(tmp_path):
    run = dagdecor("study", "--list", cwd=tmp_path)
    assert run.returncode == 0
    for name in study.STUDIES:
        assert f"  {name} " in run.stdout
    assert "variance-sort" in run.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("nothing",), "study='nothing' is not possible"),
        (("paper", "--methods", "nothing"), "methods='nothing'"),
        (("paper", "--at", "7"), "at='7'"),
        (("paper", "--table", "xls"), "table='xls'"),
        (("sachs", "--data", "none"), "fetch it with 'dagdecor data sachs --out none'"),
        (("networks", "--data", "none"), "dagdecor[networks]"),
    ],
)
def test_what_cannot_be_run_is_refused_in_a_sentence(tmp_path, arguments, sentence):
    run = dagdecor("study", *arguments, cwd=tmp_path)
    assert run.returncode == 2
    assert sentence in run.stderr
    assert len(run.stderr.strip().splitlines()) == 1
    assert not list(tmp_path.iterdir())
