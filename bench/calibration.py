"""Are marks given .9 right nine times in ten? Reliability of shares on drawn tables.

python bench/calibration.py [--tables 6] [--draws 25] [--first 0] [--effort 0.25] [--only local]

For every ordered mark of every pair (->, <-, <->) of every table: the share it is given, by the
search's posterior on the table, by the marks of the bootstrap fits, by the mean posterior of the
bootstrap fits, by half samples, and by the mean of the first two; and whether the true graph has
it. Prints the tables of docs/bench/calibration.md; --picture FILE draws the reliability.
"""

import argparse
import itertools
import time
from pathlib import Path

import numpy as np

import dagdecor as dd
from dagdecor.plot import reliability

REGIMES = {
    "abic": ("abic", {"p": 10}),
    "local": ("local", {}),
    "paper .4": ("paper", {"density": 0.4}),
    "moderate n=200": ("moderate", {"n": 200}),
}
LEVELS = np.array([0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0 + 1e-9])
KINDS = ("posterior", "bootstrap", "mean posterior", "combined", "half samples")


def flat(shares):
    pairs = np.triu_indices(len(shares.names), 1)
    rows = (shares.directed[pairs], shares.directed.T[pairs], shares.bidirected[pairs])
    return np.concatenate(rows)


def truth(graph):
    pairs = np.triu_indices(len(graph.names), 1)
    arrows = graph.directed_matrix
    return np.concatenate((arrows[pairs], arrows.T[pairs], graph.bidirected_matrix[pairs]))


def given(table, draws, effort):
    """The shares of every kind for one table."""
    model = dd.Decor(random_state=0)
    posterior = flat(model.fit(table).fit_.shares)
    options = {"draws": draws, "effort": effort, "n_jobs": 1}
    boot = model.confidence(table, **options)
    half = model.confidence(table, method="stability", **options)
    marks, mean = flat(boot.shares), flat(boot.posterior)
    return [posterior, marks, mean, (posterior + marks) / 2, flat(half.shares)]


def rows_of(shares, right):
    """(mean share, rate of right marks, count) by level."""
    place = np.digitize(shares, LEVELS) - 1
    found = []
    for level in range(len(LEVELS) - 1):
        here = place == level
        if here.any():
            found.append((shares[here].mean(), right[here].mean(), int(here.sum())))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=6)
    parser.add_argument("--draws", type=int, default=25)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--effort", type=float, default=0.25)
    parser.add_argument("--only", nargs="*", default=list(REGIMES))
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.tables)
    print(f"dagdecor {dd.__version__}, numpy {np.__version__}, tables {seeds[0]} to {seeds[-1]},")
    print(f"{options.draws} draws each, effort {options.effort}\n")
    print("| regime | kind | Brier | log score | share >= .9: right | marks |")
    print("|---|---|---|---|---|---|")
    everything = {kind: ([], []) for kind in KINDS}
    start = time.process_time()
    for name in options.only:
        regime, drawing = REGIMES[name]
        drawn = [dd.simulate.draw(regime, seed=seed, **drawing) for seed in seeds]
        shares = [given(draw.X, options.draws, options.effort) for draw in drawn]
        right = np.concatenate([truth(draw.graph) for draw in drawn])
        for kind, values in zip(KINDS, map(np.concatenate, zip(*shares, strict=True)), strict=True):
            everything[kind][0].append(values)
            everything[kind][1].append(right)
            report(name, kind, values, right)
    pooled = {kind: tuple(map(np.concatenate, pair)) for kind, pair in everything.items()}
    for kind, pair in pooled.items():
        report("all", kind, *pair)
    print("\n| share given | " + " | ".join(f"{kind}: right (marks)" for kind in KINDS) + " |")
    print("|---" * (len(KINDS) + 1) + "|")
    for low, high in itertools.pairwise(LEVELS):
        cells = []
        for values, right in pooled.values():
            here = (values >= low) & (values < high)
            cells.append(f"{right[here].mean():.2f} ({here.sum()})" if here.any() else "-")
        print(f"| {low:.2f} to {high:.2f} | " + " | ".join(cells) + " |")
    print(f"\n{time.process_time() - start:.0f} CPU seconds")
    if options.picture:
        curves = {kind: rows_of(*pair) for kind, pair in pooled.items()}
        options.picture.write_bytes(reliability(curves, "svg"))


def report(name, kind, values, right):
    brier = np.mean((values - right) ** 2)
    clipped = np.clip(values, 0.005, 0.995)
    score = -np.mean(np.where(right, np.log(clipped), np.log(1 - clipped)))
    sure = values >= 0.9
    rate = f"{right[sure].mean():.2f}" if sure.any() else "-"
    print(f"| {name} | {kind} | {brier:.4f} | {score:.4f} | {rate} | {sure.sum()} |", flush=True)


if __name__ == "__main__":
    main()
