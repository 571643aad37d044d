"""Which criterion chooses the penalty better: extended BIC, held-out likelihood, or the automatic?

python bench/criterion.py [--draws 8] [--first 200]

Directed and bidirected F1 of the continuous estimator along `Decor.path`, at the penalty that each
criterion prefers, at the automatic one, and at the best in hindsight.
"""

import argparse

import numpy as np

import dagdecor as dd

ROWS = {
    "paper 0": ("paper", {"density": 0.0}),
    "paper .4": ("paper", {"density": 0.4}),
    "paper .8": ("paper", {"density": 0.8}),
    "local": ("local", {}),
    "moderate n=200": ("moderate", {"n": 200}),
    "abic": ("abic", {}),
    "scaled paper .4": ("paper", {"density": 0.4, "scaled": True}),
}
CHOICES = ("automatic", "extended BIC", "held out", "best in hindsight")


def chosen(regime, options, seed):
    """(4, 2) directed and bidirected F1 by choice."""
    drawn = dd.simulate.draw(regime, seed=seed, **options)
    path = dd.Decor(search=False).path(drawn.X)
    scores = [dd.metrics.compare(drawn.graph, fit.graph) for fit in path.fits]
    f1 = np.array([(each.directed_f1, each.bidirected_f1) for each in scores])
    places = [
        int(np.argmin(np.abs(np.log(path.factors)))),
        path.best_place("ebic"),
        path.best_place("held_out"),
        int(f1[:, 0].argmax()),
    ]
    return f1[places]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=8)
    parser.add_argument("--first", type=int, default=200)
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.draws)
    print(f"dagdecor {dd.__version__}, numpy {np.__version__}, seeds {seeds[0]} to {seeds[-1]}\n")
    print("| regime | " + " | ".join(f"{name}: ->, <->" for name in CHOICES) + " |")
    print("|---|" + "---|" * len(CHOICES))
    for name, (regime, drawing) in ROWS.items():
        rows = np.array([chosen(regime, drawing, seed) for seed in seeds])
        mean = rows.mean(axis=0)
        error = rows.std(axis=0, ddof=1) / np.sqrt(len(rows))
        cells = [
            f"{mean[k, 0]:.3f} ({error[k, 0]:.3f}), {mean[k, 1]:.3f}" for k in range(len(CHOICES))
        ]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
