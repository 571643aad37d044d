"""Seconds until the first answer: import, help, and the compilation of kernels on an empty cache.

python bench/first_use.py

CPU seconds of processes of their own, wall seconds in brackets; nothing else should run.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time

from stopwatch import machine

DRAW = """
import dagdecor as dd
m = dd.Moments.from_data(dd.simulate.draw("four-node", seed=0).X)
"""
STEPS = {
    "dagdecor.Decor().fit": "dd.Decor().fit(m)",
    "and Decor(search=False)": "dd.Decor(search=False).fit(m)",
    "and its covariance route": "dd.Decor(search=False, route='covariance').fit(m)",
    "and refit": "dd.refit(m, dd.MixedGraph(m.names, [m.names[:2]], [m.names[2:]]))",
}


def taken(*command, **environment):
    """CPU and wall seconds of a command."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [sys.executable, *command],
        env={**os.environ, **environment},
        check=True,
        capture_output=True,
    )
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - begin
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def main():
    """A row a command; each step of the last four finds the kernels of the steps before it."""
    print(machine())
    print("\n| first use of | CPU s (wall s) |\n|---|---:|")
    for name, command in (
        ("import dagdecor", ("-c", "import dagdecor")),
        ("dagdecor --help", ("-m", "dagdecor", "--help")),
    ):
        cpu, wall = min(taken(*command) for _ in range(3))
        print(f"| {name} | {cpu:.2f} ({wall:.2f}) |", flush=True)
    total = 0.0
    with tempfile.TemporaryDirectory() as cache:
        for name, step in STEPS.items():
            first = taken("-c", DRAW + step, DAGDECOR_CACHE=cache)
            again = taken("-c", DRAW + step, DAGDECOR_CACHE=cache)
            total += first[0] - again[0]
            print(f"| {name}, compiling | {first[0]:.1f} ({first[1]:.1f}) |")
            print(f"| the same, compiled | {again[0]:.1f} ({again[1]:.1f}) |", flush=True)
    print(f"\nall kernels of these: {total:.0f} CPU seconds of compilation")


if __name__ == "__main__":
    main()
