"""Seconds of all verdicts on one random graph: python bench/identify.py"""

from __future__ import annotations

import itertools
import platform
import statistics
import time

import numpy as np

from dagdecor.graph import MixedGraph
from dagdecor.identify import equivalence_class, equivalent, identifiability
from dagdecor.identify.jacobian import full_rank
from dagdecor.identify.part import whole

SEEDS = range(5)
SIZES = [
    # p, directed, bidirected, bows possible
    (100, 200, 50, True),
    (100, 200, 50, False),
    (100, 1000, 1000, True),
    (1000, 2000, 500, True),
    (1000, 2000, 2000, True),
    (1000, 3000, 3000, False),
]


def random_graph(p, directed, bidirected, seed, *, bows):
    rng = np.random.default_rng(seed)
    order = rng.permutation(p)
    pairs = np.stack([order[half] for half in np.triu_indices(p, 1)], axis=1)
    place = rng.permutation(len(pairs))
    arcs = rng.permutation(len(pairs))[:bidirected] if bows else place[directed:][:bidirected]
    names = [f"x{number}" for number in range(p)]
    edges = (
        [(names[a], names[b]) for a, b in pairs[chosen]] for chosen in (place[:directed], arcs)
    )
    return MixedGraph(names, *edges)


def bow_chain(p):
    names = [f"x{number}" for number in range(p)]
    steps = list(itertools.pairwise(names))
    return MixedGraph(names, steps, steps)


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def row(label, times):
    print(f"| {label} | {statistics.median(times):.3f} | {max(times):.3f} |")


def main():
    # scipy's flow is loaded once; the first row would carry it otherwise.
    identifiability(bow_chain(4))
    print(f"{platform.processor() or platform.machine()}, Python {platform.python_version()}\n")
    print("| task | median s | longest s |\n|---|---|---|")
    for p, directed, bidirected, bows in SIZES:
        graphs = [random_graph(p, directed, bidirected, seed, bows=bows) for seed in SEEDS]
        label = f"verdicts, p={p}, {directed} ->, {bidirected} <->{'' if bows else ', bow-free'}"
        row(label, [seconds(lambda g=graph: identifiability(g)) for graph in graphs])
    for p in (100, 1000):
        row(
            f"verdicts, p={p}, a chain of bows",
            [seconds(lambda p=p: identifiability(bow_chain(p)))],
        )
    part = whole(random_graph(1000, 1000, 500, 0, bows=True))
    everyone = set(range(part.count))
    row(
        "Jacobian of every node, p=1000, 1000 ->, 500 <->",
        [seconds(lambda: full_rank(part, everyone))],
    )
    for p in (12, 40):
        graphs = [random_graph(p, p, p, seed, bows=False) for seed in SEEDS]
        row(f"equivalent, p={p}", [seconds(lambda g=graph: equivalent(g, g)) for graph in graphs])
    path = [(f"x{a}", f"x{a + 1}") for a in range(4)]
    names = [f"x{number}" for number in range(5)]
    row("class of a path, p=5", [seconds(lambda: equivalence_class(MixedGraph(names, path)))])


if __name__ == "__main__":
    main()
