"""Files from strangers, and names that other programs would obey."""

import csv
import io
import json
import pickle
import time
import warnings
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagdecor
from dagdecor import Decor, document, errors
from dagdecor.cli.output import text
from dagdecor.fit import Fit
from dagdecor.graph import MixedGraph
from dagdecor.report import summary, write_result
from dagdecor.report.cells import cell, plain
from dagdecor.report.files import result_files

SCHEMAS = {
    path.stem: json.loads(path.read_text())
    for path in (Path(dagdecor.__file__).parent / "schemas").glob("*.json")
}
FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "'=1", "''-x", "=cmd|' /C calc'!A0"]


def obeys(kind, body):
    validator = jsonschema.Draft202012Validator(SCHEMAS[f"{kind}-1"])
    return validator.is_valid(body)


def fitted(names=("a", "b", "c"), **options):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3)) + rng.standard_normal((60, 1))
    X = X @ [[1, 1, 0], [0, 1, 0], [0, 0, 1]]
    if options.get("missing"):
        X[::7, 1] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = pd.DataFrame(X, columns=pd.Index(list(names), dtype=object))
        return Decor(**{"search": False, **options}).fit(frame).fit_


@pytest.mark.parametrize("options", [{}, {"missing": "em"}, {"missing": "drop"}, {"search": True}])
def test_what_is_written_obeys_its_schema(options):
    fit = fitted(**options)
    for kind, document_text in (("fit", fit.to_json()), ("graph", fit.graph.to_json())):
        jsonschema.Draft202012Validator.check_schema(SCHEMAS[f"{kind}-1"])
        jsonschema.validate(json.loads(document_text), SCHEMAS[f"{kind}-1"])


def test_a_number_that_is_not_finite_does_not_stop_the_writing():
    fit = fitted()
    claim = dagdecor.Certificate(dagdecor.Status.FAILED, "gap", np.inf, 1e-8, 3, -np.inf)
    text_of = Fit(**{**vars(fit), "certificates": {"refit": claim}}).to_json()
    assert obeys("fit", json.loads(text_of))
    assert np.isnan(Fit.from_json(text_of).certificate.residual)


BODIES = [json.loads(fitted(missing="em").to_json()), json.loads(fitted(search=True).to_json())]
WRONG = [None, True, "1", "x", -1, 1.5, [], [[]], [True], ["1"], {}, {"a": 1}, 10**400]


def places(value, way=()):
    """Every path into a document that `WRONG` may replace, lists of alike things by their first."""
    inner = value.items() if isinstance(value, dict) else list(enumerate(value))[:1]
    for key, held in inner:
        yield (*way, key)
        if isinstance(held, dict | list):
            yield from places(held, (*way, key))


@pytest.mark.parametrize("body", BODIES, ids=["em", "search"])
def test_the_reader_refuses_all_that_the_schema_refuses(body):
    tried = refused = 0
    accepted = []
    for way in places(body):
        for wrong in WRONG:
            changed = json.loads(json.dumps(body))
            inner = changed
            for key in way[:-1]:
                inner = inner[key]
            inner[way[-1]] = wrong
            tried += 1
            if not obeys("fit", changed):
                refused += 1
                try:
                    Fit.from_json(json.dumps(changed))
                    accepted.append((way, wrong))
                except errors.BadDocument:
                    pass
    assert not accepted
    assert tried > refused > 200


@given(st.recursive(st.none() | st.integers() | st.text(), lambda x: st.lists(x, max_size=3)))
@settings(max_examples=100)
def test_a_graph_that_the_schema_refuses_is_refused(junk):
    for field in ("names", "directed", "bidirected", "version"):
        body = {**json.loads(MixedGraph("ab", [("a", "b")]).to_json()), field: junk}
        if not obeys("graph", body):
            with pytest.raises(errors.BadDocument):
                MixedGraph.from_json(json.dumps(body))


@pytest.mark.parametrize(
    "content",
    [
        "[" * 10_000_000,
        '{"a":' * 3_000_000,
        '{"format": "dagdecor.fit", "n": ' + "9" * 1_000_000 + "}",
        '"' + "\\" * 5_000_001,
        '{"a": "' + "[" * 10_000_000,
    ],
    ids=["lists", "mappings", "digits", "backslashes", "open string"],
)
def test_a_bomb_is_refused_at_once(content):
    start = time.process_time()
    with pytest.raises(errors.BadDocument):
        Fit.from_json(content)
    assert time.process_time() - start < 5


def test_depth_is_counted_outside_strings():
    assert document._depth('{"a[[[[": ["\\"[[", [1]]}') == 3
    assert document._depth("[" * document.DEPTH) == document.DEPTH


def test_a_file_larger_than_the_limit_is_not_even_read(tmp_path):
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(document.LIMIT + 1)  # sparse: it takes no room
    start = time.process_time()
    with pytest.raises(errors.UnreadableFile, match="larger than 512 MiB"):
        text(path)
    assert time.process_time() - start < 1


def test_reading_never_unpickles(tmp_path, monkeypatch):
    def forbidden(*given, **options):
        raise AssertionError("unpickled")

    monkeypatch.setattr(pickle, "load", forbidden)
    monkeypatch.setattr(pickle, "loads", forbidden)
    bomb = pickle._dumps(pd.DataFrame({"a": [1.0]}))
    path = tmp_path / "t.csv"
    path.write_bytes(bomb)
    with pytest.raises(errors.DagdecorError):
        dagdecor.data.read_table(path)
    with pytest.raises(errors.BadDocument):
        Fit.from_json(bomb.decode("latin-1"))


@given(st.text(max_size=6) | st.sampled_from(FORMULAS))
@settings(max_examples=200)
def test_no_cell_begins_like_a_formula_and_every_name_comes_back(name):
    assert plain(cell(name)) == name
    assert not cell(name).startswith(("=", "+", "-", "@", "\t", "\r"))


def test_written_tables_hold_no_formula_and_nothing_outside_them():
    names = FORMULAS[:3]
    files = result_files(fitted(names))
    for file in ("weights.csv", "noise_covariance.csv"):
        rows = list(csv.reader(io.StringIO(files[file])))
        assert [plain(text_of) for text_of in rows[0][1:]] == names
        assert [plain(row[0]) for row in rows[1:]] == names
        assert all(row[0][0] == "'" for row in rows[1:])
    assert json.loads(files["graph.json"])["names"] == names


def test_any_name_is_written_and_nothing_reaches_the_terminal(tmp_path):
    names = ["\ud800", "\x1b[31mred", "../../etc/passwd"]
    fit = fitted(names)
    written = write_result(fit, tmp_path / "result")
    assert sorted(path.name for path in (tmp_path / "result").iterdir()) == sorted(
        path.name for path in written
    )
    assert list(tmp_path.iterdir()) == [tmp_path / "result"]
    assert Fit.from_json((tmp_path / "result" / "fit.json").read_text()).graph == fit.graph
    assert all(line.isprintable() for line in summary(fit).split("\n"))
    told = Fit(**{**vars(fit), "settings": {"knowledge": {"exogenous": ["\x1b[31mred"]}}})
    assert "prior knowledge" in summary(told)
    assert "\x1b" not in summary(told)
