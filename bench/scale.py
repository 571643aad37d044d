"""Seconds, memory, F1 and objective of the continuous fit over the number of columns.

python bench/scale.py [--p 100 200 500 1000] [--seed 0] [--regime wide] [--kind precision]

Regime "wide" with n = 10 p: one expected edge a node, a hidden cause of three nodes for every ten.
`--kind` is "precision" or "covariance" (five rounds, every option as it comes), or "paper" (one
round, the paper's settings). CPU seconds of one thread; every size in a process of its own, for
the sake of memory: its peak above what stood before the fit, in arrays of p x p doubles. The
exponent is that of seconds = c p^e, by least squares of logarithms over the sizes of 200 and more.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
import scipy
from stopwatch import machine

import dagdecor as dd
import dagdecor.estimator.estimate  # a function of the same name hides the module
from dagdecor.estimator import alternation

estimate = sys.modules["dagdecor.estimator.estimate"]

MODELS = {
    "precision": lambda: dd.Decor(search=False),
    "covariance": lambda: dd.Decor("covariance", search=False),
    "paper": dd.Decor.paper,
}
PARTS = {
    "start": (estimate, "start_noise"),
    "graph": (alternation, "graph_step"),
    "noise": (alternation, "noise_step"),
    "refit": (estimate, "ricf"),
    "verdict": (estimate, "identifiability"),
}


def watched(seconds):
    """Every part of the fit adds its CPU seconds to `seconds`."""

    def watch(room, name, part):
        inner = getattr(room, name)

        def call(*given, **options):
            begin = time.process_time()
            result = inner(*given, **options)
            seconds[part] += time.process_time() - begin
            return result

        setattr(room, name, call)

    for part, (room, name) in PARTS.items():
        seconds[part] = 0.0
        watch(room, name, part)


def status(line):
    """Bytes that the system tells of this process: VmRSS now, VmHWM at the peak."""
    text = Path("/proc/self/status").read_text()
    return 1024 * int(text.split(f"{line}:")[1].split()[0])


def moments_of(options, p):
    """The truth, and the moments of its rows."""
    drawn = dd.simulate.draw(options.regime, options.seed, p=p, n=options.rows * p // 10)
    return drawn.graph, dd.Moments.from_data(drawn.values)


def one(options, p):
    """One size, measured here."""
    warnings.simplefilter("ignore")
    MODELS[options.kind]().fit(dd.simulate.draw("wide", 1, p=50, n=500).X)  # compiles
    truth, moments = moments_of(options, p)
    seconds = {}
    watched(seconds)
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew; Linux only
    before, begin, wall = status("VmRSS"), time.process_time(), time.perf_counter()
    fit = MODELS[options.kind]().fit(moments).fit_
    total, wall = time.process_time() - begin, time.perf_counter() - wall
    peak = status("VmHWM")
    scores = dd.metrics.compare(truth, fit.graph)
    return {
        **seconds,
        "total": total,
        "wall": wall,
        "memory": (peak - before) / (8 * p * p),
        "directed": scores.directed_f1,
        "bidirected": scores.bidirected_f1,
        "skeleton": scores.skeleton_f1,
        "objective": fit.trace[-1],
        "converged": all(each.converged for each in fit.certificates.values()),
    }


def apart(options, p):
    """One size, measured in a process of its own."""
    given = ["--one", str(p), "--seed", str(options.seed), "--regime", options.regime]
    given += ["--kind", options.kind, "--rows", str(options.rows)]
    # glibc otherwise keeps the freed rows, and the fit would seem to need no memory.
    said = subprocess.run(
        [sys.executable, __file__, *given],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536"},
    )
    return json.loads(said.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--p", type=int, nargs="+", default=[100, 200, 500, 1000])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--regime", default="wide")
    parser.add_argument("--rows", type=int, default=100, help="n over p, times ten")
    parser.add_argument("--kind", choices=sorted(MODELS), default="precision")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(one(options, options.one)))
        return
    versions = f"dagdecor {dd.__version__}, numpy {np.__version__}, scipy {scipy.__version__}"
    print(f"{machine()}; {versions}; {options.regime}, n = {options.rows / 10:g} p, ", end="")
    print(f"seed {options.seed}, {options.kind}\n")
    parts = list(PARTS)
    heads = ["p", *(f"{part}, s" for part in parts), "total, s", "p x p doubles", "directed F1"]
    heads += ["bidirected F1", "skeleton F1", "objective", "certified"]
    print("| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    totals = []
    for p in options.p:
        found = apart(options, p)
        totals.append(found["total"])
        cells = [str(p), *(f"{found[part]:.2f}" for part in [*parts, "total"])]
        cells += [f"{found['memory']:.1f}"]
        cells += [f"{found[kind]:.3f}" for kind in ("directed", "bidirected", "skeleton")]
        cells += [f"{found['objective']:.3f}", "yes" if found["converged"] else "no"]
        print("| " + " | ".join(cells) + " |", flush=True)
    large = np.array(options.p) >= 200
    if large.sum() > 1:
        logs = np.log(np.array(options.p)[large]), np.log(np.array(totals)[large])
        print(f"\nseconds grow as p^{np.polyfit(*logs, 1)[0]:.2f} from p = 200 on")


if __name__ == "__main__":
    main()
