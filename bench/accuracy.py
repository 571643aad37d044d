"""Accuracy of the default on every regime, beside the continuous estimator.

python bench/accuracy.py [--draws 8] [--first 0] [--only local abic]

Prices and iteration counts of the search were chosen on draws 1000 to 1011.
"""

import argparse
import time

import numpy as np

import dagdecor as dd
from dagdecor.simulate.laws import Latents

# The paper's design at confounding density .4 with three times its edges.
DENSE = dd.simulate.latent_regime("dense", 0.3, Latents(count=5, nodes=8, deviation=0.15))

# name: regime, its options, and the bars for directed F1 and bidirected F1
ROWS = {
    "paper 0": ("paper", {"density": 0.0}, 0.96, None),
    "paper .2": ("paper", {"density": 0.2}, 0.92, None),
    "paper .4": ("paper", {"density": 0.4}, 0.88, None),
    "paper .6": ("paper", {"density": 0.6}, 0.86, None),
    "paper .8": ("paper", {"density": 0.8}, 0.84, None),
    "local": ("local", {}, 0.86, 0.75),
    "moderate": ("moderate", {}, 0.82, 0.60),
    "moderate n=200": ("moderate", {"n": 200}, 0.65, 0.30),
    "pervasive": ("pervasive", {}, 0.70, 0.40),
    "abic": ("abic", {}, 0.85, 0.60),
    "scaled paper .4": ("paper", {"density": 0.4, "scaled": True}, 0.75, None),
    "scaled local": ("local", {"scaled": True}, 0.55, 0.20),
    "four-node": ("four-node", {}, None, None),
}
MORE = {  # columns; only where --only names them
    "local p=50": ("local", {"p": 50}, None, None),
    "pervasive p=50": ("pervasive", {"p": 50}, None, None),
    "local p=100": ("local", {"p": 100}, None, None),
    "edge density .3": (DENSE, {}, None, None),
}
MODELS = {"default": {}, "continuous": {"search": False}}


def scored(regime, options, seeds, settings):
    rows = []
    for seed in seeds:
        drawn = dd.simulate.draw(regime, seed=seed, **options)
        start = time.process_time()
        graph = dd.Decor(**settings).fit(drawn.X).graph_
        seconds = time.process_time() - start
        found = dd.metrics.compare(drawn.graph, graph)
        exact = float(graph == drawn.graph)
        rows.append((found.directed_f1, found.bidirected_f1, found.pair_shd, exact, seconds))
    return np.array(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=8)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=list(ROWS))
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.draws)
    for settings in MODELS.values():  # compile before the clock runs
        dd.Decor(**settings).fit(dd.simulate.draw("local", seed=999_999).X)
    print(f"dagdecor {dd.__version__}, numpy {np.__version__}, seeds {seeds[0]} to {seeds[-1]}\n")
    print("| regime | settings | directed F1 | bar | bidirected F1 | bar | SHD | exact | CPU s |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in options.only:
        regime, drawing, directed, bidirected = {**ROWS, **MORE}[name]
        for label, settings in MODELS.items():
            rows = scored(regime, drawing, seeds, settings)
            mean, error = rows.mean(axis=0), rows.std(axis=0, ddof=1) / np.sqrt(len(rows))
            print(
                f"| {name} | {label} | {mean[0]:.3f} ({error[0]:.3f}) | {directed or '-'} "
                f"| {mean[1]:.3f} ({error[1]:.3f}) | {bidirected or '-'} | {mean[2]:.1f} "
                f"| {rows[:, 3].sum():.0f}/{len(rows)} | {mean[4]:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
