"""Rows a second and memory of the moments in one pass, beside the bare read plus one dsyrk.

python bench/rows.py [--rows 2000000] [--columns 50]

A Parquet file of standard normal rows with means of 1e8 at every other column is written to a
temporary folder. "bare" reads the same chunks into one buffer and adds X'X by dsyrk, which is
neither centred nor checked. Wall seconds of one thread, the least of three runs; memory is what
the first run of `stream_moments` added to the process, before anything else was read.
"""

from __future__ import annotations

import argparse
import os

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy.linalg.blas import dsyrk
from stopwatch import machine

import dagdecor as dd
from dagdecor.streaming.parts import CELLS


def write(place, rows, columns):
    rng = np.random.default_rng(0)
    names = [f"x{j}" for j in range(columns)]
    shift = np.where(np.arange(columns) % 2, 1e8, 0.0)
    schema = pa.schema([(name, pa.float64()) for name in names])
    with pq.ParquetWriter(place, schema, use_dictionary=False) as file:
        for first in range(0, rows, 100_000):
            X = rng.standard_normal((min(100_000, rows - first), columns)) + shift
            file.write_batch(pa.record_batch(list(X.T.copy()), names=names))


def bare(place, columns):
    height = CELLS // columns
    buffer, total = np.empty((height, columns), order="F"), np.zeros((columns, columns), order="F")
    file = pq.ParquetFile(place)
    for group in range(file.num_row_groups):
        for batch in file.iter_batches(height, row_groups=[group]):
            rows = buffer[: batch.num_rows]
            for j in range(columns):
                rows[:, j] = batch.column(j).to_numpy()
            total = dsyrk(1.0, rows, beta=1.0, c=total, trans=1, overwrite_c=True)
    return total


def peak():
    text = Path("/proc/self/status").read_text()
    return int(text.split("VmHWM:")[1].split()[0]) / 1024


def least(call):
    """Least wall seconds of three, and MiB by which the first run raised the peak."""
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew; Linux only
    before, seconds, growth = peak(), [], 0.0
    for run in range(3):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
        growth = peak() - before if run == 0 else growth
    return min(seconds), growth


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--columns", type=int, default=50)
    options = parser.parse_args()
    pa.set_cpu_count(1)
    print(f"{machine()}; dagdecor {dd.__version__}, numpy {np.__version__}, pyarrow ", end="")
    print(f"{pa.__version__}; {options.rows} x {options.columns}\n")
    print("| what | s | million rows a s | share of the bare speed | MiB |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "rows.parquet"
        write(place, options.rows, options.columns)
        dd.stream_moments(np.random.default_rng(0).normal(size=(99, 3)))  # imports
        calls = {
            "stream_moments": lambda: dd.stream_moments(place),
            "bare read and dsyrk": lambda: bare(place, options.columns),
        }
        found = {name: least(call) for name, call in calls.items()}
        fastest = found["bare read and dsyrk"][0]
        for name, (seconds, growth) in found.items():
            memory = f"{growth:.0f}" if name == "stream_moments" else ""
            print(f"| {name} | {seconds:.2f} | {options.rows / seconds / 1e6:.2f} ", end="")
            print(f"| {fastest / seconds:.2f} | {memory} |")


if __name__ == "__main__":
    main()
