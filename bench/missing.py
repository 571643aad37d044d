"""What empty cells cost: accuracy with cells removed at random, beside the complete table.

python bench/missing.py [--draws 8] [--first 7000] [--share 0.2]
"""

import argparse
import warnings

import numpy as np

import dagdecor as dd
from dagdecor.errors import DataError

DESIGNS = {"local": {}, "moderate": {}, "four-node": {}}


def scored(drawn, X, missing):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dd.errors.NotConverged)
        fit = dd.Decor(missing=missing).fit(X).fit_
    found = dd.metrics.compare(drawn.graph, fit.graph)
    return found.directed_f1, found.bidirected_f1, found.pair_shd, fit.n


def emptied(X, share, seed):
    rng = np.random.default_rng([seed, 1])
    return X.mask(rng.random(X.shape) < share)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=8)
    parser.add_argument("--first", type=int, default=7000)
    parser.add_argument("--share", type=float, default=0.2)
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.draws)
    print(f"dagdecor {dd.__version__}, {options.share:.0%} of the cells empty")
    print(f"seeds {seeds[0]} to {seeds[-1]}\n")
    print("| design | table | directed F1 | bidirected F1 | SHD | n |\n|---|---|---|---|---|---|")
    for name, drawing in DESIGNS.items():
        for label in ("complete", "em", "drop"):
            rows, refused = [], 0
            for seed in seeds:
                drawn = dd.simulate.draw(name, seed=seed, **drawing)
                X = drawn.X if label == "complete" else emptied(drawn.X, options.share, seed)
                try:
                    rows.append(scored(drawn, X, "error" if label == "complete" else label))
                except DataError:
                    refused += 1
            if not rows:
                print(f"| {name} | {label} | refused | | | |", flush=True)
                continue
            mean = np.mean(rows, axis=0)
            error = np.std(rows, axis=0, ddof=1) / np.sqrt(len(rows))
            print(
                f"| {name} | {label} | {mean[0]:.3f} ({error[0]:.3f}) | {mean[1]:.3f} "
                f"({error[1]:.3f}) | {mean[2]:.1f} ({error[2]:.1f}) | {mean[3]:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
