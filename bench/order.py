"""What the true order of the columns would cost: why a better search finds no better graph.

python bench/order.py [--p 100 200 500] [--draws 3] [--seed 0]

Regime "wide", n = 10 p, the first graph step with the true mean error variance. Its objective
and F1 beside those of the same penalised regressions along the true order, and of a search whose
blocks of nodes pass any number of others.
"""

from __future__ import annotations

import argparse
import os

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from stopwatch import machine

import dagdecor as dd
from dagdecor.estimator import scale
from dagdecor.problem.acyclicity import acyclicity
from dagdecor.solve import directed as graph_step


def solved(drawn, moments):
    """Objective, directed and skeleton F1 of the search, of one without bounds, of the truth."""
    S, n, p = moments.S, moments.n, moments.p
    noise = np.array([np.diag(drawn.noise_covariance).mean()])
    weights = np.broadcast_to(0.5 * scale.directed_penalty(S, noise, n), (p, p))
    place = {name: k for k, name in enumerate(drawn.graph.order)}
    at = np.array([place[name] for name in moments.names])
    floor = scale.smallest_effect(n, p) * np.sqrt(noise) / moments.deviations[:, None]

    def found(penalty, reach=graph_step.REACH):
        usual, graph_step.REACH = graph_step.REACH, reach
        slope = acyclicity("logdet").slope
        B, proof = graph_step.directed(S, np.full(p, 1 / noise[0]), penalty, slope)
        graph_step.REACH = usual
        kept = np.where(np.abs(B) >= floor, B, 0.0)
        graph = dd.MixedGraph.from_matrices(kept, names=moments.names)
        scores = dd.metrics.compare(drawn.graph, graph)
        return proof.objective, scores.directed_f1, scores.skeleton_f1

    barred = np.where(at[:, None] < at, weights, np.inf)
    return {"search": found(weights), "any reach": found(weights, p * p), "truth": found(barred)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--p", type=int, nargs="+", default=[100, 200, 500])
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    last = options.seed + options.draws - 1
    print(
        f"{machine()}; dagdecor {dd.__version__}; wide, n = 10 p, seeds {options.seed} to {last}\n"
    )
    heads = ["p", "order", "objective over the search's, %", "directed F1", "skeleton F1"]
    print("| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    for p in options.p:
        rows = {}
        for seed in range(options.seed, last + 1):
            drawn = dd.simulate.draw("wide", seed, p=p, n=10 * p)
            every = solved(drawn, dd.Moments.from_data(drawn.values))
            for name, (value, *scores) in every.items():
                off = 100 * (value / every["search"][0] - 1)
                rows.setdefault(name, []).append((off, *scores))
        for name, found in rows.items():
            off, directed, skeleton = np.mean(found, axis=0)
            print(f"| {p} | {name} | {off:+.2f} | {directed:.3f} | {skeleton:.3f} |", flush=True)


if __name__ == "__main__":
    main()
