"""Tables: what is read, what is refused, and the sentence that says why."""

import numpy as np
import pandas as pd
import pytest

from dagdecor import errors
from dagdecor.data import read_table, rows, table

GOOD = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [0.0, 5.0, 1.0]})


def test_a_frame_keeps_its_names_and_is_not_changed():
    before = GOOD.copy()
    checked = table(GOOD)
    checked.values[0, 0] = 99.0
    assert checked.names == ("a", "b")
    pd.testing.assert_frame_equal(GOOD, before)


def test_an_array_gets_names_and_is_copied():
    array = np.array([[1.0, 2.0], [3.0, 5.0]])
    array.flags.writeable = False
    checked = table(array)
    assert checked.names == ("x0", "x1")
    assert not np.shares_memory(checked.values, array)


@pytest.mark.parametrize(
    "values",
    [
        np.array([[1, 2], [3, 5], [0, 1]], dtype=np.int32),
        np.array([[True, False], [False, False], [True, True]]),
        np.array([[1, 2], [3, 5], [0, 1]], dtype=np.float32, order="F"),
        np.array([[1, 2], [3, 5], [0, 1]], dtype=object),
    ],
)
def test_other_dtypes_become_doubles(values):
    checked = table(values)
    assert checked.values.dtype == np.float64
    np.testing.assert_array_equal(checked.values, values.astype(float))


def test_nullable_and_multiindex_columns():
    frame = pd.DataFrame({("u", 1): [1, 2, 3], ("u", 2): [0.5, 0.0, 2.0]}).astype(
        {("u", 1): "Int64", ("u", 2): "Float64"}
    )
    checked = table(frame)
    assert checked.names == ("u/1", "u/2")
    np.testing.assert_array_equal(checked.values, [[1, 0.5], [2, 0], [3, 2]])


@pytest.mark.parametrize(
    ("X", "error", "sentence"),
    [
        (GOOD.assign(t=["x", "y", "z"]), errors.NotNumeric, r"column 't' .*row 1 .* text 'x'"),
        (GOOD.assign(t=pd.Timestamp("2026-01-01")), errors.NotNumeric, "column 't'.*dates"),
        (GOOD.assign(c=[1j, 2, 3]), errors.NotNumeric, "Complex data not supported"),
        (GOOD.assign(c=[1, None, np.nan]), errors.MissingValues, r"\(NaN\) per column: 'c' 2"),
        (GOOD.assign(c=[1.0, np.inf, 2]), errors.InfiniteValues, "inf.* column 'c'"),
        (GOOD.assign(c=[1e200, 1.0, 2]), errors.InfiniteValues, "column 'c'"),
        (GOOD.assign(c=7.0), errors.ConstantColumn, "column 'c' is constant"),
        (GOOD.set_axis(["a", "a"], axis=1), errors.DuplicateNames, "these are not: 'a'"),
        (GOOD.iloc[:1], errors.TooFewRows, "1 sample .*at least 2 rows"),
        (GOOD.iloc[:0], errors.TooFewRows, "0 samples"),
        (GOOD.iloc[:, :0], errors.BadShape, "no columns"),
        (np.arange(3.0), errors.BadShape, "Reshape your data"),
        (np.zeros((2, 20_001)), errors.TooManyColumns, "20001 columns, the limit is 20000"),
    ],
)
def test_bad_tables_are_refused_by_name(X, error, sentence):
    with pytest.raises(error, match=sentence):
        table(X)


def test_rows_to_score_may_be_one_and_at_rest():
    assert rows(GOOD.iloc[:1]).values.shape == (1, 2)


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("separator", [",", "\t", ";"])
def test_files_are_read_with_their_separator(tmp_path, separator):
    text = f"a{separator}b\n1{separator}2\n3{separator}5\n\n4{separator}1\n"
    checked = read_table(write(tmp_path / "t.csv", text))
    assert checked.names == ("a", "b")
    np.testing.assert_array_equal(checked.values, [[1, 2], [3, 5], [4, 1]])


@pytest.mark.parametrize(
    ("content", "error", "sentence"),
    [
        ("", errors.UnreadableFile, "it is empty"),
        ("\n\n", errors.UnreadableFile, "it is empty"),
        ("a,b\n", errors.TooFewRows, "0 samples"),
        ("a,b\n1,2\n", errors.TooFewRows, "1 sample "),
        ("a,b\n1,2\n3\n", errors.UnreadableFile, "line 3 has 1 cells, the header has 2"),
        ("a,b\n1,2,9\n3,4\n", errors.UnreadableFile, "line 2 has 3 cells"),
        (b"\x00\x01\x02PK", errors.UnreadableFile, "binary"),
        (b"a,b\n1,\xff\xfe\n", errors.UnreadableFile, "not a text table"),
        ("a,a\n1,2\n3,4\n", errors.DuplicateNames, "'a'"),
        ("a,b\n1,2\n3,word\n", errors.NotNumeric, "column 'b'.*row 2 .*'word'"),
        ("a,b\n1,2\n3,\n4,5\n", errors.MissingValues, "'b' 1"),
        ("a,b\n1,2\n3,inf\n4,5\n", errors.InfiniteValues, "'b'"),
    ],
)
def test_bad_files_are_refused_by_cause(tmp_path, content, error, sentence):
    with pytest.raises(error, match=sentence):
        read_table(write(tmp_path / "bad.csv", content))


def test_absent_files_and_folders_are_refused(tmp_path):
    with pytest.raises(errors.UnreadableFile, match="no such file"):
        read_table(tmp_path / "nowhere.csv")
    with pytest.raises(errors.UnreadableFile, match="it is a folder"):
        read_table(tmp_path)


def test_every_refusal_is_one_of_ours_and_a_value_error():
    refusals = [
        value
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, errors.DataError)
    ]
    assert len(refusals) > 10
    assert all(issubclass(value, ValueError) for value in refusals)
