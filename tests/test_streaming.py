"""Moments in one pass: the same numbers as in one piece, from every source, however it is cut."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagdecor import errors
from dagdecor.moments import Moments
from dagdecor.streaming import is_large, parts, passes, stream_moments

NAMES = ["a", "b", "c"]


def table(n=400, mean=0.0, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, 3)) @ np.triu(np.ones((3, 3))) + mean
    return pd.DataFrame(X, columns=NAMES)


def assert_same(found, frame, tolerance=1e-12):
    whole = Moments.from_data(frame)
    assert (found.n, found.names) == (whole.n, whole.names)
    np.testing.assert_allclose(found.mean, whole.mean, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.S, whole.S, rtol=tolerance, atol=tolerance)


@given(
    cuts=st.lists(st.integers(0, 60), max_size=9),
    seed=st.integers(0, 2**20),
    mean=st.sampled_from([0.0, -3.0, 1e4]),
)
@settings(max_examples=40, deadline=None)
def test_any_cut_gives_the_moments_of_the_whole(cuts, seed, mean):
    frame = table(60, mean, seed)
    edges = [0, *sorted(cuts), 60]
    pieces = [frame.iloc[a:b] for a, b in itertools.pairwise(edges)]
    assert_same(stream_moments(pieces), frame, 1e-9)


def test_a_mean_of_1e8_costs_no_digits():
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(200_000, 2))
    X = Z + 1e8
    exact = (X - 1e8) - (X - 1e8).mean(axis=0)
    S = exact.T @ exact / len(X)
    found = stream_moments(np.array_split(X, 777))
    np.testing.assert_allclose(found.S, S, rtol=1e-9, atol=1e-9)
    # The textbook formula has lost everything here.
    assert abs((X**2).mean(axis=0) - X.mean(axis=0) ** 2 - np.diag(S)).max() > 0.1


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(parts, "CELLS", 90)


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet"])
def test_files_in_chunks_with_progress(kind, tmp_path, small_chunks):
    frame, place, seen = table(), tmp_path / f"table.{kind}", []
    if kind == "parquet":
        frame.to_parquet(place)
    else:
        frame.to_csv(place, sep="," if kind == "csv" else "\t", index=False)
    found = stream_moments(place, progress=lambda rows, share: seen.append((rows, share)))
    assert_same(found, frame)
    assert [rows for rows, _ in seen] == [*range(30, 400, 30), 400]
    assert seen[-1][1] == 1.0
    assert all(0 < share <= 1 for _, share in seen)
    chosen = stream_moments(place, ["c", "a"])
    assert_same(chosen, frame[["c", "a"]])
    with pytest.raises(ValueError, match="z"):
        stream_moments(place, ["z"])


def test_arrow_tables_batches_and_readers():
    import pyarrow as pa

    frame = table()
    arrow = pa.Table.from_pandas(frame)
    assert_same(stream_moments(arrow), frame)
    assert_same(stream_moments(arrow.to_batches(max_chunksize=17)), frame)
    assert_same(stream_moments(arrow.to_reader(max_chunksize=17)), frame)
    integers = pa.table({"a": [1, 2, 4], "b": [0.5, None, 1.0]})
    assert stream_moments(integers, missing="drop").n == 2
    with pytest.raises(errors.NotNumeric, match="'t'"):
        stream_moments(pa.table({"t": ["x", "y"]}))


def test_a_parquet_file_is_held_one_row_group_at_a_time(tmp_path):
    import pyarrow as pa

    frame, place = table(100_000), tmp_path / "table.parquet"
    frame.to_parquet(place, row_group_size=2500)
    usual = pa.default_memory_pool()
    watched = pa.proxy_memory_pool(usual)
    pa.set_memory_pool(watched)
    try:
        found = stream_moments(place)
    finally:
        pa.set_memory_pool(usual)
    assert_same(found, frame, 1e-9)
    assert 0 < watched.max_memory() < 0.25 * frame.to_numpy().nbytes


def test_dask_frames_and_arrays():
    import dask
    import dask.array
    import dask.dataframe

    frame = table()
    with dask.config.set(scheduler="synchronous"):
        assert_same(stream_moments(dask.dataframe.from_pandas(frame, npartitions=7)), frame)
        blocks = dask.array.from_array(frame.to_numpy(), chunks=(70, 2))
        found = stream_moments(blocks)
        assert found.names == ("x0", "x1", "x2")
        np.testing.assert_allclose(found.S, Moments.from_data(frame).S, atol=1e-12)
        one = stream_moments(dask.dataframe.from_pandas(frame, npartitions=3), ["b", "a"])
        assert_same(one, frame[["b", "a"]])


def test_rows_with_gaps_are_refused_or_left_out():
    frame = table()
    frame.loc[[3, 200], "b"] = np.nan
    pieces = np.array_split(frame.to_numpy(), 9)
    with pytest.raises(errors.MissingValues, match="'x1' 2"):
        stream_moments(pieces)
    found = stream_moments([frame.iloc[:150], frame.iloc[150:]], missing="drop")
    assert_same(found, frame.dropna())
    assert found.missing.to_dict() == Moments.from_data(frame, missing="drop").missing.to_dict()
    with pytest.raises(errors.OptionError, match="'error' or 'drop'"):
        stream_moments(pieces, missing="em")


@pytest.mark.parametrize(
    ("change", "failure"),
    [
        (lambda X: X.assign(b=4.0), errors.ConstantColumn),
        (lambda X: X.assign(b=X.a * 2), errors.CollinearColumns),
        (lambda X: X.assign(b=X.b.where(X.index != 77, np.inf)), errors.InfiniteValues),
        (lambda X: X.assign(b=X.b.where(X.index != 77, 1e200)), errors.InfiniteValues),
        (lambda X: X.iloc[:1], errors.TooFewRows),
        (lambda X: X.iloc[:0], errors.TooFewRows),
        (lambda X: X.assign(b="text"), errors.NotNumeric),
    ],
)
def test_what_cannot_be_learned_from_is_refused(change, failure):
    frame = change(table())
    with pytest.raises(failure):
        stream_moments([frame.iloc[:50], frame.iloc[50:]])


def test_parts_with_other_columns_and_things_that_are_no_table():
    with pytest.raises(errors.BadShape, match="a part has the columns"):
        stream_moments([table(), table()[["b", "a", "c"]]])
    with pytest.raises(errors.BadShape, match="cannot read rows from int"):
        stream_moments(7)
    with pytest.raises(errors.TooFewRows):
        stream_moments([])


def test_a_file_that_cannot_be_read(tmp_path):
    place = tmp_path / "no.parquet"
    with pytest.raises(errors.UnreadableFile, match=r"no\.parquet"):
        stream_moments(place)
    place.write_bytes(b"PAR1 and nothing more")
    with pytest.raises(errors.UnreadableFile, match=r"no\.parquet"):
        stream_moments(place)


def test_the_command_reads_large_files_in_chunks_by_itself(tmp_path, monkeypatch, capsys):
    from dagdecor.cli.reading import read_moments

    frame, text = table(), tmp_path / "table.csv"
    frame.to_csv(text, index=False)
    assert not is_large(text)
    monkeypatch.setattr(passes, "LARGE_TEXT", 100)
    assert is_large(text)
    assert_same(read_moments(text, "error")[0], frame)
    assert "read 400 rows in chunks" in capsys.readouterr().err
    binary = tmp_path / "table.parquet"
    frame.to_parquet(binary)
    assert_same(read_moments(binary, "error")[0], frame)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(passes, "LARGE_PARQUET", 100)
    assert_same(read_moments(binary, "error")[0], frame)
    assert "read 400 rows in chunks" in capsys.readouterr().err
