"""Fit tables made to break a fit, for minutes or by number, and count what came of it.

python bench/fuzz.py --minutes 10 --workers 2
python bench/fuzz.py --number 1000000
"""

import argparse
import json
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from adversary import KINDS, Broken, Recipe, drawn, outcome

BATCH = 25


def batch(seed: int, first: int, size: int, search: float) -> tuple[Counter[str], list[str]]:
    """Outcomes of the tables first, first + 1, ... of a campaign, and the sentences of the rest."""
    counts: Counter[str] = Counter()
    broken = []
    for number in range(first, first + size):
        recipe = drawn(np.random.default_rng([seed, number]), search)
        counts[f"tried, {recipe.kind}"] += 1
        try:
            counts[outcome(recipe, again=number % 4 == 0)] += 1
        except Broken as failure:
            counts["OTHER"] += 1
            broken.append(f"{number}: {failure}")
    return counts, broken


def campaign(options: argparse.Namespace) -> int:
    """Batches until the time or the number is over; prints a table, returns the other outcomes."""
    end = time.monotonic() + 60 * options.minutes if options.minutes else np.inf
    total: Counter[str] = Counter()
    first = seen = 0
    started = time.monotonic()
    with ProcessPoolExecutor(options.workers) as pool:
        waiting = []
        while waiting or (first < options.number and time.monotonic() < end):
            while (
                len(waiting) < 2 * options.workers
                and first < options.number
                and time.monotonic() < end
            ):
                size = min(BATCH, options.number - first)
                waiting.append(pool.submit(batch, options.seed, first, size, options.search))
                first += size
            counts, broken = waiting.pop(0).result()
            total += counts
            for sentence in broken[: max(0, 40 - seen)]:
                print(sentence[:600], flush=True)
            seen += len(broken)
    report(total, first, time.monotonic() - started, options)
    return seen


def report(total: Counter[str], tried: int, seconds: float, options: argparse.Namespace) -> None:
    """What was tried and what came of it."""
    print(f"{tried} tables in {seconds:.0f} s, seed {options.seed}, {options.workers} workers;")
    print(f"the score search on {options.search:.1%} of them, every fourth fitted twice\n")
    print("| outcome | tables |\n|---|---:|")
    kinds = {f"tried, {kind}" for kind in KINDS}
    for word, count in total.most_common():
        if word not in kinds and word != "OTHER":
            print(f"| {word} | {count} |")
    print(f"| **any other outcome** | **{total['OTHER']}** |\n")
    print("kinds: " + ", ".join(f"{kind} {total[f'tried, {kind}']}" for kind in KINDS))


def main() -> None:
    """Options in, a table out; exit code 1 when anything else than a fit or a refusal came."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=0.0, help="stop after so many (0: never)")
    parser.add_argument("--number", type=int, default=1_000_000, help="stop after so many tables")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--search", type=float, default=0.005, help="share with the score search")
    parser.add_argument("--recipe", help="fit one recipe again: its values as a JSON document")
    options = parser.parse_args()
    if options.recipe:
        print(outcome(Recipe(**json.loads(options.recipe))))
        return
    sys.exit(1 if campaign(options) else 0)


if __name__ == "__main__":
    main()
