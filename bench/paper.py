"""F1 of the paper's settings on its design, in both readings of the diagonal start.

python bench/paper.py [--draws 100] [--first 2000]
"""

import argparse

import numpy as np

import dagdecor as dd

PUBLISHED = {0.0: 0.43, 0.2: 0.45, 0.4: 0.52, 0.6: 0.43, 0.8: 0.47}


def to_the_letter(moments):
    """Weighted loss, unweighted penalty, threshold .3."""
    variances = np.diag(moments.S)
    weights = dd.solve_directed(moments.S, precision=1 / variances, penalty=0.05)
    return dd.MixedGraph.from_matrices(np.abs(weights) >= 0.3, names=moments.names)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--first", type=int, default=2000)
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.draws)
    print(f"dagdecor {dd.__version__}, numpy {np.__version__}, seeds {seeds[0]} to {seeds[-1]}\n")
    print("| density | independent run | standardised penalty | to the letter |\n|---|---|---|---|")
    for density, published in PUBLISHED.items():
        scores = []
        for seed in seeds:
            drawn = dd.simulate.draw("paper", seed=seed, density=density)
            moments = dd.Moments.from_data(drawn.X)
            ours = dd.Decor.paper(confounding_density=density).fit(moments).graph_
            graphs = (ours, to_the_letter(moments))
            scores.append([dd.metrics.compare(drawn.graph, g).directed_f1 for g in graphs])
        mean, error = np.mean(scores, axis=0), np.std(scores, axis=0) / np.sqrt(len(seeds))
        cells = " | ".join(f"{m:.3f} ({e:.3f})" for m, e in zip(mean, error, strict=True))
        print(f"| {density} | {published} | {cells} |")


if __name__ == "__main__":
    main()
