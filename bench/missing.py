"""What empty cells cost: accuracy with cells removed at random, beside complete tables.

python bench/missing.py [--draws 8] [--first 7000] [--share 0.2] [--only local]

"fewer rows" is a complete table of as many rows of the same draw as EM says that its table is
worth: if EM's count is right, both are equally hard.
"""

import argparse
import warnings

import numpy as np

import dagdecor as dd
from dagdecor.errors import DataError

DESIGNS = {"local": {}, "moderate": {}, "four-node": {}}
TABLES = ("complete", "em", "fewer rows", "drop")


def scored(drawn, X, missing):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dd.errors.NotConverged)
        fit = dd.Decor(missing=missing).fit(X).fit_
    found = dd.metrics.compare(drawn.graph, fit.graph)
    return found.directed_f1, found.bidirected_f1, found.pair_shd, fit.n


def emptied(X, share, seed):
    rng = np.random.default_rng([seed, 1])
    return X.mask(rng.random(X.shape) < share)


def fewer(drawn, share, seed):
    """The first rows of the complete table, as many as EM counts in the emptied one."""
    worth = dd.Moments.from_data(emptied(drawn.X, share, seed), missing="em").n
    return drawn.X.head(worth)


def row_of(name, drawing, label, seeds, share):
    rows = []
    for seed in seeds:
        drawn = dd.simulate.draw(name, seed=seed, **drawing)
        try:
            if label == "complete":
                rows.append(scored(drawn, drawn.X, "error"))
            elif label == "fewer rows":
                rows.append(scored(drawn, fewer(drawn, share, seed), "error"))
            else:
                rows.append(scored(drawn, emptied(drawn.X, share, seed), label))
        except DataError:
            continue  # refused
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=8)
    parser.add_argument("--first", type=int, default=7000)
    parser.add_argument("--share", type=float, default=0.2)
    parser.add_argument("--only", nargs="*", default=list(DESIGNS))
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.draws)
    print(f"dagdecor {dd.__version__}, {options.share:.0%} of the cells empty")
    print(f"seeds {seeds[0]} to {seeds[-1]}\n")
    print("| design | table | directed F1 | bidirected F1 | SHD | n |\n|---|---|---|---|---|---|")
    for name in options.only:
        for label in TABLES:
            rows = row_of(name, DESIGNS[name], label, seeds, options.share)
            if len(rows) < len(seeds):
                left = len(seeds) - len(rows)
                print(f"| {name} | {label} | {left} refused | | | |", flush=True)
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
