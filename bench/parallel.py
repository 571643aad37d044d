"""Many fits over processes: seconds of the confidence of marks with one process and with more.

python bench/parallel.py [--draws 100] [--regime local] [--workers 1 2]

Seconds on the clock; the machine must be otherwise idle. The first call of each number of workers
is not counted: it starts the processes. "near" is the ratio over the number of workers.
"""

from __future__ import annotations

import argparse
import os
import time

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from stopwatch import machine

import dagdecor as dd


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--regime", default="local")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    options = parser.parse_args()
    drawn = dd.simulate.draw(options.regime, 0)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(
        f"{machine()}; dagdecor {dd.__version__}; {options.regime}, {options.draws} draws; ", end=""
    )
    print(f"load before {load:.1f}\n")
    print("| workers | s | times faster | near | same shares |\n|---|---|---|---|---|")
    first = None
    for workers in options.workers:
        model = dd.Decor()
        model.confidence(drawn.X, draws=2 * workers, n_jobs=workers)
        begin = time.perf_counter()
        found = model.confidence(drawn.X, draws=options.draws, n_jobs=workers)
        took = time.perf_counter() - begin
        first = first or (took, found)
        ratio = first[0] / took
        same = first[1].shares.to_dict() == found.shares.to_dict()
        cells = f"{took:.1f} | {ratio:.2f} | {ratio / workers:.2f}"
        print(f"| {workers} | {cells} | {'yes' if same else 'no'} |", flush=True)


if __name__ == "__main__":
    main()
