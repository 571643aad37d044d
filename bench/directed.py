"""The graph step against NOTEARS and DAGMA: seconds and objective, as a Markdown table.

python bench/directed.py [--seeds 10] [--first 0] [--p 20 100]
    [--rivals notears dagma] [--full] [--each]

Designs: `wide` draws one expected edge a node, weights U[.5, 2] of random sign, unit noise;
`paper` edge probability .1, weights U[.3, .8], noise variance .15. n = 200 at p = 20, else 1000.
Penalty `scaled` is sqrt(log p / n) times the noise deviation. Every method's B is reduced to an
order by the smallest threshold that makes it acyclic, and the lasso is refitted on that order.
Seconds are CPU seconds of one thread. `--full` weighs the loss by a random sparse precision.
"""

from __future__ import annotations

import argparse
import os

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
import scipy
from stopwatch import machine, timed

import dagdecor
from dagdecor.baselines.notears import notears
from dagdecor.problem.acyclicity import acyclicity
from dagdecor.solve.directed import directed

SLOPE = acyclicity("logdet").slope
DESIGNS = {"wide": (0.5, 2.0, 1.0), "paper": (0.3, 0.8, 0.15)}


def draw(design, p, n, seed):
    """Centred rows, and the noise variance."""
    rng = np.random.default_rng([seed, p, sorted(DESIGNS).index(design)])
    low, high, variance = DESIGNS[design]
    probability = 2 / (p - 1) if design == "wide" else 0.1
    B = np.triu(rng.random((p, p)) < probability, 1) * rng.uniform(low, high, (p, p))
    B *= rng.choice([-1, 1], (p, p))
    place = rng.permutation(p)
    B = B[np.ix_(place, place)]
    X = rng.normal(0, variance**0.5, (n, p)) @ np.linalg.inv(np.eye(p) - B)
    return X - X.mean(axis=0), variance


def draw_precision(p, variance, seed):
    """(p, p) sparse, diagonally dominant, one expected partner on either side of a node."""
    rng = np.random.default_rng([seed, p, 77])
    chosen = np.triu(rng.random((p, p)) < 2 / p, 1)
    half = chosen * rng.uniform(0.2, 0.6, (p, p)) * rng.choice([-1, 1], (p, p))
    off = half + half.T
    return (off + np.diag(np.abs(off).sum(axis=0) + rng.uniform(0.5, 1, p))) / variance


def topological_order(W):
    """Order of the nodes of an acyclic W, or None."""
    left, order = (W != 0).sum(axis=0), []
    ready = [j for j in range(len(W)) if left[j] == 0]
    while ready:
        node = ready.pop()
        order.append(node)
        for child in np.flatnonzero(W[node]):
            left[child] -= 1
            if left[child] == 0:
                ready.append(child)
    return order if len(order) == len(W) else None


def order_of(B):
    """The order of B under the smallest threshold that makes it acyclic."""
    sizes = np.concatenate([[0.0], np.unique(np.abs(B[B != 0]))])
    low, high = -1, len(sizes) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if topological_order(np.where(np.abs(B) > sizes[middle], B, 0)) is None:
            low = middle
        else:
            high = middle
    return topological_order(np.where(np.abs(B) > sizes[high], B, 0))


def refitted(S, precision, penalty, B):
    """The objective of the lasso on the order of B."""
    place = np.argsort(order_of(B))
    weights = np.where(place[:, None] < place, penalty, np.inf)
    return directed(S, precision, weights, SLOPE).certificate.objective


def run_dagma(X, penalty):
    from dagma import linear
    from tqdm import tqdm

    linear.tqdm = lambda *args, **options: tqdm(*args, disable=True, **options)
    return linear.DagmaLinear("l2").fit(X.copy(), lambda1=penalty, w_threshold=0.0)


def row(design, p, rule, seed, options):
    """Seconds and refitted objective by method, on one data set."""
    n = 200 if p == 20 else 1000
    X, variance = draw(design, p, n, seed)
    S = X.T @ X / n
    penalty = 0.1 if rule == "0.1" else float(np.sqrt(np.log(p) / n * variance))
    precision = draw_precision(p, variance, seed) if options.full else None
    calls = {"ours": lambda: directed(S, precision, penalty, SLOPE).value}
    if "notears" in options.rivals:
        calls["notears"] = lambda: notears(S, penalty, precision).value
    if "dagma" in options.rivals:
        calls["dagma"] = lambda: run_dagma(X, penalty)
    found = {}
    for name, call in calls.items():
        B, seconds = timed(call, 5 if name == "ours" else 1)
        found[name] = (seconds, refitted(S, precision, penalty, B))
        if options.each:
            print(f"<!-- {design} p={p} {rule} seed {seed}: {name}", end=" ")
            print(f"{seconds:.4f} s, objective {found[name][1]:.6f} -->", flush=True)
    return found


def summary(design, p, rule, options):
    """One line of the table."""
    rows = [
        row(design, p, rule, seed, options)
        for seed in range(options.first, options.first + options.seeds)
    ]
    mean = {name: np.mean([found[name][0] for found in rows]) for name in rows[0]}
    rivals = [name for name in mean if name != "ours"]
    cells = [design, str(p), rule, f"{1e3 * mean['ours']:.2f}"]
    cells += [
        f"{mean[name]:.2f} ({mean[name] / mean['ours']:.0f}x)" if name in mean else ""
        for name in ("notears", "dagma")
    ]
    if rivals:
        best = np.array([min(found[name][1] for name in rivals) for found in rows])
        ours = np.array([found["ours"][1] for found in rows])
        gaps = 100 * (ours / best - 1)
        cells += [f"{gaps.max():+.3f} %", f"{gaps.mean():+.3f} %"]
        cells.append(f"{np.sum(gaps <= 1e-7)} of {len(gaps)}")
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--p", type=int, nargs="+", default=[20, 100])
    parser.add_argument("--penalties", nargs="+", default=["scaled", "0.1"])
    parser.add_argument("--rivals", nargs="*", default=["notears", "dagma"])
    parser.add_argument("--full", action="store_true", help="a full precision; no DAGMA")
    parser.add_argument("--each", action="store_true", help="print every data set too")
    options = parser.parse_args()
    versions = f"dagdecor {dagdecor.__version__}, numpy {np.__version__}, scipy {scipy.__version__}"
    if options.full:
        options.rivals = [name for name in options.rivals if name != "dagma"]
    if "dagma" in options.rivals:
        try:
            from importlib.metadata import version

            versions += f", dagma {version('dagma')}"
        except ImportError:
            options.rivals.remove("dagma")
            versions += ", dagma absent (pip install dagma)"
    print(
        f"{machine()}; {versions}; seeds {options.first} to {options.first + options.seeds - 1}; ",
        end="",
    )
    print("full precision" if options.full else "identity precision", end="\n\n")
    print("| design | p | penalty | ours, ms | NOTEARS, s | DAGMA, s |", end=" ")
    print("largest gap to the better rival | mean gap | at or below |\n" + "|---" * 9 + "|")
    directed(np.eye(2), None, 0.1, SLOPE)  # compiles
    for p in options.p:
        for rule in options.penalties:
            for design in DESIGNS:
                print(summary(design, p, rule, options), flush=True)


if __name__ == "__main__":
    main()
