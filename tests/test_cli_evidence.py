"""The commands about what else would fit: other marks on a pair, other penalties."""

import json
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

import dagdecor as dd
from dagdecor.cli import main
from dagdecor.cli.progress import counting
from dagdecor.report import OtherMarks

DRAW = dd.simulate.draw("four-node", seed=1)


class Run(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def dagdecor(capsys, monkeypatch):
    """The command in this process: a process of its own costs a second."""

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["dagdecor", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main()
        return Run(int(end.value.code or 0), *capsys.readouterr())

    return run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("evidence")
    DRAW.X.to_csv(place / "data.csv", index=False)
    holes = DRAW.X.mask(np.random.default_rng(0).random(DRAW.X.shape) < 0.02)
    holes.to_csv(place / "holes.csv", index=False)
    (place / "fit.json").write_text(dd.Decor(random_state=0).fit(DRAW.X).fit_.to_json())
    (place / "graph.json").write_text(DRAW.graph.to_json())
    return place


def test_alternatives_of_a_result(dagdecor, folder, tmp_path):
    out = tmp_path / "others.csv"
    run = dagdecor("alternatives", folder, "--out", out)
    assert run.returncode == 0, run.stderr
    assert max(map(len, run.stdout.split("written to")[0].splitlines())) <= 80
    fit = dd.Fit.from_json((folder / "fit.json").read_text())
    free = dd.alternatives(fit)
    assert f"searched: {fit.alternatives.criterion}" in run.stdout
    assert f"free: {free.criterion}" in run.stdout
    frame = pd.read_csv(out, keep_default_na=False)
    assert len(frame) == 3 * (len(fit.graph.directed) + len(fit.graph.bidirected))
    for row in frame.itertuples():
        assert float(row.free) == pytest.approx(free.of(row.a, row.b)[row.other])
        assert float(row.searched) == pytest.approx(fit.alternatives.of(row.a, row.b)[row.other])
        assert row.other != row.mark
    answer = json.loads(dagdecor("alternatives", folder / "fit.json", "--json").stdout)
    assert answer["format"] == "dagdecor.alternatives"
    assert [row["free"] for row in answer["alternatives"]] == pytest.approx(list(frame["free"]))
    assert dagdecor("alternatives", folder, "--out", out).returncode == 2  # it is there already
    refused = dagdecor("alternatives", folder / "graph.json")
    assert refused.returncode == 2
    assert "not a dagdecor fit" in refused.stderr


def test_confidence_speaks_json(dagdecor, folder):
    fast = ("--draws", 1, "--effort", 0.05, "--workers", 1, "--json")
    run = dagdecor("confidence", folder / "data.csv", *fast)
    assert dd.Confidence.from_json(run.stdout).draws == 1


def test_what_rests_on_the_noise_model_is_named():
    chain = dd.MixedGraph(["A", "B", "C"], directed=[("A", "B"), ("B", "C")])
    S = [[1.0, 0.8, 0.64], [0.8, 1.64, 1.312], [0.64, 1.312, 2.0496]]  # unit noise, effects .8
    moments = dd.Moments.from_covariance(S, n=1000, names=["A", "B", "C"])
    fit = dd.Decor(random_state=0).fit(moments).fit_
    assert fit.graph == chain
    told = OtherMarks(fit, dd.alternatives(fit))
    assert told.by_assumption() == ["A -> B", "B -> C"]
    assert "clear by the noise model only: A -> B, B -> C" in str(told)
    alone = OtherMarks(dd.refit(moments, chain), dd.alternatives(fit))
    assert list(alone.scores) == ["free"]
    assert alone.by_assumption() == []
    empty = dd.refit(moments, dd.MixedGraph("ABC"))
    assert "no edge" in str(OtherMarks(empty, dd.alternatives(empty)))


def test_path_writes_the_table_and_the_best_fit(dagdecor, folder, tmp_path):
    out = tmp_path / "path"
    options = ("--factors", "2,1,0.5", "--folds", 3, "--by", "held_out")
    run = dagdecor("path", folder / "data.csv", *options, "--out", out)
    assert run.returncode == 0, run.stderr
    assert max(map(len, run.stdout.split("written to")[0].splitlines())) <= 80
    found = dd.Decor().path(DRAW.X, [2, 1, 0.5], folds=3)
    assert str(found) in run.stdout
    frame = pd.read_csv(out / "path.csv")
    np.testing.assert_allclose(frame.to_numpy(), found.to_frame().to_numpy())
    best = dd.Fit.from_json((out / "best.json").read_text())
    assert best.graph == found.best("held_out").graph
    assert json.loads((out / "path.json").read_text())["best"] == {
        "ebic": found.factors[found.best_place()],
        "held_out": found.factors[found.best_place("held_out")],
    }
    assert (out / "path.svg").read_bytes().startswith(b"<?xml")
    answer = dagdecor("path", folder / "data.csv", "--factors", 1, "--folds", 0, "--json").stdout
    assert json.loads(answer)["path"][0]["held_out"] is None
    assert dagdecor("path", folder / "data.csv", "--out", out).returncode == 2


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--factors", "1,x"), "factors='1,x'"),
        (("--by", "aic"), "by='aic'"),
        (("--folds", 0, "--by", "held_out"), "without folds"),
        (("--missing", "em", "--folds", 3), "where cells are empty"),
        ((), "missing"),
    ],
)
def test_path_refuses_in_a_sentence(dagdecor, folder, options, told):
    table = folder / ("holes.csv" if "--missing" in options or not options else "data.csv")
    refused = dagdecor("path", table, "--factors", 1, *options)
    assert refused.returncode == 2
    assert told in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_path_through_empty_cells(folder):
    holes = pd.read_csv(folder / "holes.csv")
    em = dd.Decor(missing="em").path(holes, [1.0])
    assert em.held_out == ()
    assert em.fits[0].missing.method == "em"
    drop = dd.Decor(missing="drop").path(holes, [1.0], folds=3)
    whole = dd.Decor().path(holes.dropna(), [1.0], folds=3)
    assert drop.held_out == whole.held_out
    told = []
    dd.Decor(missing="drop").path(holes, [2, 1], folds=2, progress=lambda *at: told.append(at))
    assert told == [(done, 6) for done in range(1, 7)]
    with counting("fits") as progress:
        progress(1, 6)  # no terminal here: silent
