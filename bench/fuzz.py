"""Fit tables made to break a fit, for minutes or by number, and count what came of it.

python bench/fuzz.py --minutes 10 --workers 2
python bench/fuzz.py --number 1000000
"""

import argparse
import faulthandler
import json
import sys
import time
from collections import Counter
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from adversary import KINDS, Broken, Recipe, drawn, outcome

BATCH = 50
AGAIN = 10  # every tenth table is fitted twice
HANGS = 600.0  # seconds after which a fit is an outcome that nobody wants; the first ones compile


@dataclass
class Campaign:
    """What came of some tables: outcomes, the sentences of the unwanted, the slowest table."""

    counts: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    slowest: tuple[float, str] = (0.0, "")

    def add(self, other: "Campaign") -> None:
        """Take in what came of other tables."""
        self.counts += other.counts
        self.broken += other.broken
        self.slowest = max(self.slowest, other.slowest)

    def tried(self) -> int:
        """Number of tables."""
        return sum(self.counts[f"tried, {kind}"] for kind in KINDS)


def batch(options: argparse.Namespace, first: int, end: float) -> Campaign:
    """The tables first, first + 1, ... of a campaign, until the clock shows `end`."""
    done = Campaign()
    for number in range(first, min(first + BATCH, options.number)):
        if time.time() > end:
            break
        recipe = drawn(np.random.default_rng([options.seed, number]), options.search, options.large)
        done.counts[f"tried, {recipe.kind}"] += 1
        faulthandler.dump_traceback_later(HANGS)  # says where, if it never comes back
        started = time.process_time()
        try:
            word = outcome(recipe, again=number % AGAIN == 0)
        except Broken as failure:
            word = "OTHER"
            done.broken.append(f"{number}: {failure}")
        seconds = time.process_time() - started
        faulthandler.cancel_dump_traceback_later()
        if seconds > HANGS and word != "OTHER":
            word = "OTHER"
            done.broken.append(f"{number}: took {seconds:.0f} s: {recipe}")
        done.counts[word] += 1
        done.slowest = max(done.slowest, (seconds, f"{number}: {recipe}"))
    return done


def campaign(options: argparse.Namespace) -> int:
    """Batches until the time or the number is over; prints a table, returns the other outcomes."""
    started = time.time()
    end = started + 60 * options.minutes if options.minutes else np.inf
    total, first, seen = Campaign(), 0, 0
    with ProcessPoolExecutor(options.workers) as pool:
        waiting: list[Future[Campaign]] = []
        while waiting or (first < options.number and time.time() < end):
            while len(waiting) < 2 * options.workers and first < options.number:
                waiting.append(pool.submit(batch, options, first, end))
                first += BATCH
            total.add(waiting.pop(0).result())
            for sentence in total.broken[seen:40]:
                print(sentence[:600], flush=True)
            seen = len(total.broken)
            if time.time() > end:
                first = options.number
    report(total, time.time() - started, options)
    return seen


def report(total: Campaign, seconds: float, options: argparse.Namespace) -> None:
    """What was tried and what came of it."""
    print(f"{total.tried()} tables in {seconds:.0f} s, seed {options.seed}, ", end="")
    print(f"{options.workers} workers;\nthe score search on {options.search:.2%} of them, ", end="")
    print(f"7 to 29 columns on {options.large:.1%}, every tenth fitted twice\n")
    print("| outcome | tables |\n|---|---:|")
    kinds = {f"tried, {kind}" for kind in KINDS}
    for word, count in total.counts.most_common():
        if word not in kinds and word != "OTHER":
            print(f"| {word} | {count} |")
    print(f"| **any other outcome** | **{total.counts['OTHER']}** |\n")
    print("kinds: " + ", ".join(f"{kind} {total.counts[f'tried, {kind}']}" for kind in KINDS))
    print(f"slowest, {total.slowest[0]:.1f} s: {total.slowest[1][:500]}")


def main() -> None:
    """Options in, a table out; exit code 1 when anything else than a fit or a refusal came."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=0.0, help="stop after so many (0: never)")
    parser.add_argument("--number", type=int, default=1_000_000, help="stop after so many tables")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--search", type=float, default=0.001, help="share with the score search")
    parser.add_argument("--large", type=float, default=0.005, help="share of 7 to 29 columns")
    parser.add_argument("--recipe", help="fit one recipe again: its values as a JSON document")
    options = parser.parse_args()
    if options.recipe:
        print(outcome(Recipe(**json.loads(options.recipe))))
        return
    sys.exit(1 if campaign(options) else 0)


if __name__ == "__main__":
    main()
