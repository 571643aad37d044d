"""Memory and open files over many fits in one process.

python bench/endurance.py --fits 10000
"""

import argparse
import gc
import os
import sys
import time
import warnings
from pathlib import Path

import numpy as np

from dagdecor import Decor
from dagdecor.errors import NotConverged
from dagdecor.fit import Fit


def figures() -> tuple[float, int]:
    """Resident MiB, open file handles."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20, len(list(Path("/proc/self/fd").iterdir()))


def main() -> None:
    """Print a row at each tenth; exit code 1 where memory or handles grew after the first."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--fits", type=int, default=10_000)
    parser.add_argument("--allowed", type=float, default=8.0, help="MiB of growth that pass")
    options = parser.parse_args()
    warnings.simplefilter("ignore", NotConverged)
    rng = np.random.default_rng(0)
    for search in (False, True):  # what is loaded once is no leak
        Decor(search=search).fit(rng.standard_normal((60, 3)))
    rows, started = [], time.perf_counter()
    print("| fits | MiB | handles | seconds |\n|---:|---:|---:|---:|")
    for number in range(1, options.fits + 1):
        p = int(rng.integers(2, 7))
        X = rng.standard_normal((int(rng.integers(20, 200)), p)) @ np.triu(rng.random((p, p)) + 0.1)
        Fit.from_json(Decor(search=number % 500 == 0 and p < 4).fit(X).fit_.to_json())
        if number % max(1, options.fits // 10) == 0:
            rows.append(figures())
            seconds = time.perf_counter() - started
            print(f"| {number} | {rows[-1][0]:.1f} | {rows[-1][1]} | {seconds:.0f} |", flush=True)
    grown, more = rows[-1][0] - rows[1][0], rows[-1][1] - rows[1][1]
    print(f"\nfrom the second row to the last: {grown:+.1f} MiB, {more:+d} handles")
    sys.exit(1 if grown > options.allowed or more else 0)


if __name__ == "__main__":
    main()
