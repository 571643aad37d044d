"""Whatever the table, the file or the document: a sound result, or a refusal of ours.

The long campaign over the same recipes is `make fuzz`.
"""

import json
import warnings

import numpy as np
import pytest
from adversary import CHOICES, DTYPES, HOLDERS, KINDS, NAMES, Broken, Recipe, drawn, outcome, sound
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import seeds

from dagdecor import Decor, errors
from dagdecor.data import read_table
from dagdecor.errors import DagdecorError
from dagdecor.fit import Fit
from dagdecor.graph import MixedGraph
from dagdecor.knowledge import Knowledge, read_knowledge

RECIPES = st.builds(
    Recipe,
    seed=seeds(),
    n=st.integers(0, 40),
    p=st.integers(1, 6),
    kind=st.sampled_from(KINDS),
    power=st.integers(-12, 12),
    dtype=st.sampled_from(DTYPES),
    holder=st.sampled_from(HOLDERS),
    names=st.sampled_from(NAMES),
    options=st.fixed_dictionaries(
        {}, optional={option: st.sampled_from(values) for option, values in CHOICES.items()}
    ),
)


@given(RECIPES)
@settings(max_examples=250)
# What the campaign found and what was mended:
@example(Recipe(seed=1, n=40, p=4, kind="columns of any scale", power=11))
@example(Recipe(seed=1, n=40, p=2, kind="huge cell"))
@example(Recipe(seed=1, n=20, p=3, kind="denormal"))
@example(Recipe(seed=1, n=30, p=4, holder="frame", names="mixed"))
@example(Recipe(seed=1, n=2, p=25))
@example(Recipe(seed=485926730, n=2, p=3, kind="cauchy", options={"bow": "none"}))
@example(
    Recipe(
        seed=249865777, n=2, p=5, kind="cauchy",
        options={"lambda_noise": 0.1, "acyclicity": "expm"},
    )
)  # fmt: skip
def test_a_table_is_fitted_or_refused(recipe):
    assert outcome(recipe)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_table_is_fitted_or_refused_at_any_scale(kind):
    found = {outcome(Recipe(1, 30, 3, kind, power), again=False) for power in (-12, 0, 12)}
    assert found
    unfit = {
        "all zero": "ConstantColumn", "constant column": "ConstantColumn",
        "copy": "CollinearColumns", "sum": "CollinearColumns", "empty cells": "MissingValues",
        "empty column": "MissingValues", "infinite cell": "InfiniteValues",
    }  # fmt: skip
    assert kind not in unfit or found == {unfit[kind]}


def test_the_search_too_fits_or_refuses():
    rng = np.random.default_rng(7)
    recipes = [drawn(rng, search=1.0) for _ in range(8)]
    assert all(outcome(recipe, again=False) for recipe in recipes)
    assert outcome(Recipe(0, 30, 2, "hidden", search=True)).startswith("fit")


def test_the_judge_finds_fault():
    X = np.random.default_rng(0).standard_normal((50, 3)) @ [[1, 1, 0], [0, 1, 1], [0, 0, 1]]
    fit = Decor(search=False).fit(X).fit_
    sound(fit, Recipe())
    for broken in (
        {"weights": np.full((3, 3), 0.5)},
        {"noise_covariance": -np.eye(3)},
        {"noise_covariance": np.full((3, 3), np.nan)},
    ):
        with pytest.raises(Broken):
            sound(Fit(**{**vars(fit), **broken}), Recipe())


def test_units_that_no_double_holds_are_refused_by_name():
    X = np.random.default_rng(0).standard_normal((30, 2))
    with pytest.raises(errors.UnitsApart, match="column 'x1' varies more than 1e30 times"):
        Decor().fit(X * [1, 1e40])
    with pytest.raises(errors.TinyVariation, match="column 'x0' varies by less than"):
        Decor().fit(X * [1e-200, 1])
    with pytest.raises(errors.NoRemainder, match="explained without remainder: 2 rows"):
        Decor().fit(np.random.default_rng(0).standard_normal((2, 25)))


def answer(call, *given):
    """The call's answer, or our refusal in a sentence; nothing else may happen, nor be warned."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return call(*given)
        except DagdecorError as error:
            if 0 < len(str(error)) < 4000:
                return None
            raise


ROWS = st.lists(
    st.lists(st.sampled_from(["1", "2.5", "-3e7", "", "nan", "inf", '"', "x", "1e400", " 4"])),
    max_size=5,
).map(lambda rows: "a,b,c\n" + "\n".join(",".join(row) for row in rows))


@given(st.one_of(st.binary(max_size=200), ROWS.map(str.encode), st.text(max_size=99).map(ascii)))
@settings(max_examples=300)
@example(b"a,b\n" + b"1," * 5)
@example(b"\xef\xbb\xbfa,b\n1,2\n3,4\n")
@example(b"\xff\xfea\0,\0b\0")
@example(b'"a\n1\n2\n')
@example(b"\r")
def test_any_bytes_are_a_table_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    table = answer(read_table, path)
    assert table is None or np.isfinite(table.values).all()


@given(st.one_of(st.binary(max_size=200), st.text(max_size=200).map(str.encode)))
@settings(max_examples=150)
@example(b"required: [a -> b]")
@example(b"&a [*a, *a]")
@example(b"!!python/object/apply:os.system ['false']")
@example(b"{" * 3000)
@example(b"- " * 3000)
def test_any_bytes_are_knowledge_or_refused(tmp_path_factory, content):
    for suffix in ("json", "yaml"):
        path = tmp_path_factory.getbasetemp() / f"any.{suffix}"
        path.write_bytes(content)
        known = answer(read_knowledge, path)
        assert known is None or isinstance(known, Knowledge)


def document():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3)) + rng.standard_normal((60, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Decor(search=False).fit(X @ [[1, 1, 0], [0, 1, 0], [0, 0, 1]]).fit_.to_json()


DOCUMENT = document()
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


def places(value, way=()):
    """Every path into a document."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, held in inner:
        yield (*way, key)
        if isinstance(held, dict | list):
            yield from places(held, (*way, key))


@given(st.data())
@settings(max_examples=300)
def test_a_document_changed_anywhere_is_read_or_refused(data):
    body = json.loads(DOCUMENT)
    way = data.draw(st.sampled_from(list(places(body))))
    inner = body
    for key in way[:-1]:
        inner = inner[key]
    if data.draw(st.booleans()):
        inner[way[-1]] = data.draw(JUNK)
    else:
        del inner[way[-1]]
    fit = answer(Fit.from_json, json.dumps(body))
    if fit is not None:
        sound(fit, Recipe())
        assert answer(Fit.from_json, fit.to_json()).to_json() == fit.to_json()


@given(st.text(max_size=60))
def test_any_text_is_a_graph_or_refused(text):
    assert answer(MixedGraph.from_json, text) is None
