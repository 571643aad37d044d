"""Fewer rows than columns: F1 of the continuous fit beside its rivals and beside the true order.

python bench/wide.py [--p 50 100 200] [--draws 6] [--seed 200] [--rivals ...]

Regime "wide", n = p / 2. "true order" is no method: the penalised regressions of the graph step
along an order that nobody knows, at the same penalty and with the true mean error variance; what
it misses is not for want of an order. NOTEARS takes minutes a draw from 100 columns on. Means
over draws, and CPU seconds a draw of one thread.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from stopwatch import machine

import dagdecor as dd
from dagdecor.estimator import scale

RIVALS = ("notears", "notears-paper", "variance-sort", "r2-sort")


def along_the_truth(drawn, moments):
    """The graph of the penalised regressions on the nodes that truly come before."""
    p, place = moments.p, {name: k for k, name in enumerate(drawn.graph.order)}
    at = np.array([place[name] for name in moments.names])
    noise = np.array([np.diag(drawn.noise_covariance).mean()])
    weights = 0.5 * scale.directed_penalty(moments.S, noise, moments.n)
    barred = np.where(at[:, None] < at, weights, np.inf)
    B = dd.solve_directed(moments.S, np.full(p, 1 / noise[0]), barred)
    return dd.MixedGraph.from_matrices(B, names=moments.names)


def methods(drawn, moments, rivals):
    """Name to a call that finds a graph."""
    found = {
        "decor": lambda: dd.Decor(search=False).fit(moments).graph_,
        "decor, one round": lambda: dd.Decor(search=False, rounds=1).fit(moments).graph_,
    }
    for name in rivals:
        found[name] = lambda name=name: dd.baselines.fit(name, moments).graph
    return {**found, "true order": lambda: along_the_truth(drawn, moments)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--p", type=int, nargs="+", default=[50, 100, 200])
    parser.add_argument("--draws", type=int, default=6)
    parser.add_argument("--seed", type=int, default=200)
    parser.add_argument("--rivals", nargs="*", choices=dd.baselines.names(), default=RIVALS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    last = options.seed + options.draws - 1
    print(
        f"{machine()}; dagdecor {dd.__version__}; wide, n = p / 2, seeds {options.seed} to {last}\n"
    )
    heads = ["p", "n", "method", "directed F1", "bidirected F1", "skeleton F1", "CPU s"]
    print("| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    for p in options.p:
        rows = {}
        for seed in range(options.seed, last + 1):
            drawn = dd.simulate.draw("wide", seed, p=p, n=p // 2)
            moments = dd.Moments.from_data(drawn.values)
            for name, find in methods(drawn, moments, options.rivals).items():
                begin = time.process_time()
                found = dd.metrics.compare(drawn.graph, find())
                scores = (found.directed_f1, found.bidirected_f1, found.skeleton_f1)
                rows.setdefault(name, []).append((*scores, time.process_time() - begin))
        for name, scores in rows.items():
            cells = [f"{value:.3f}" for value in np.mean(scores, axis=0)]
            print("| " + " | ".join([str(p), str(p // 2), name, *cells]) + " |", flush=True)


if __name__ == "__main__":
    main()
