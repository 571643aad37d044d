"""Where accuracy stops: optimiser or criterion? The search from nothing beside one from the truth.

python bench/limits.py [--draws 12] [--first 1000]

Scores are -2 log-likelihood + prices, above (+) or below (-) that of the truth. "from truth": the
search and the averaging start at the true graph; "from nothing": the default. On scaled columns
the sparse model is searched, else the latent one, whatever the evidence says. "residuals": F1 of
bidirected edges when the true B is given and residual correlations are cut at 3 / sqrt(n).
"""

import argparse

import numpy as np

import dagdecor as dd
from dagdecor.course import Course
from dagdecor.search import choose, latent_search, mixed_search
from dagdecor.simulate import laws, sample

ROWS = {
    "paper .4": ("paper", {"density": 0.4}),
    "local": ("local", {}),
    "scaled paper .4": ("paper", {"density": 0.4, "scaled": True}),
}
kept = {}
without_bows = laws.without_bows


def keeping(B, L):
    """The loadings are no part of a draw: they are caught where they are made."""
    kept["L"] = without_bows(B, L)
    return kept["L"]


def drawn(regime, seed, options):
    """A draw, and its true loadings in the order of its columns."""
    draw = dd.simulate.draw(regime, seed=seed, **options)
    structure = np.random.SeedSequence([sample.DOMAIN, seed]).spawn(2)[0]
    place = np.random.default_rng(structure).permutation(len(draw.weights))
    return draw, kept["L"][place]


def f1(true, found):
    total = true.sum() + found.sum()
    return 2 * (true & found).sum() / total if total else 1.0


def scores(draw, shares):
    edges, arcs = choose.decide(*shares)
    true = np.triu(draw.noise_covariance != 0, 1)
    return f1(draw.weights != 0, edges), f1(true, np.triu(arcs, 1))


def truth(draw, L, S, scaled):
    if scaled:
        state = mixed_search.blank(S)
        state.edges[:], state.B[:] = draw.weights != 0, draw.weights
        return state
    state = latent_search.blank(S, choose.LATENTS)
    state.edges[:], state.B[:] = draw.weights != 0, draw.weights
    used = np.flatnonzero(L.any(axis=0))
    state.loads[:, : len(used)], state.L[:, : len(used)] = L[:, used] != 0, L[:, used]
    state.variance[0] = laws.NOISE
    return state


def measured(regime, seed, options):
    draw, L = drawn(regime, seed, options)
    moments = dd.Moments.from_data(draw.X)
    S, n, scaled = np.array(moments.S), moments.n, options.get("scaled", False)
    tasks = [choose.Task(S, n, "auto", Course(), np.random.default_rng(seed)) for seed in (0, 5)]
    found = choose._sparse(tasks[0])
    if not scaled:
        found = choose._latent(tasks[0], found)
    walk = mixed_search if scaled else latent_search
    state = truth(draw, L, S, scaled)
    level = walk.score(S, n, state, found.prices)
    best = choose._explored(walk, tasks[1], state, found.prices, choose.LAST_ITERATIONS, 1.0)
    start = choose.Candidate(state, best, best, found.prices)
    forth = scores(draw, choose._average(tasks[0], found))
    back = scores(draw, choose._average(tasks[1], start))
    A = np.eye(len(S)) - draw.weights
    R = A.T @ S @ A
    cut = np.abs(R) > 3 / np.sqrt(n) * np.sqrt(np.outer(np.diag(R), np.diag(R)))
    given = f1(np.triu(draw.noise_covariance != 0, 1), np.triu(cut, 1))
    return best - level, found.score - level, *back, *forth, given


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=12)
    parser.add_argument("--first", type=int, default=1000)
    options = parser.parse_args()
    laws.without_bows = keeping
    seeds = range(options.first, options.first + options.draws)
    print(f"dagdecor {dd.__version__}, numpy {np.__version__}, seeds {seeds[0]} to {seeds[-1]}\n")
    print("| regime | score from truth | from nothing | F1 from truth: ->, <-> ", end="")
    print("| from nothing: ->, <-> | residuals: <-> | nothing better / within 5 |")
    print("|---|---|---|---|---|---|---|")
    for name, (regime, drawing) in ROWS.items():
        rows = np.array([measured(regime, seed, drawing) for seed in seeds])
        a, b, c, d, e, f, g = rows.mean(axis=0)
        gap = rows[:, 1] - rows[:, 0]
        near = f"{(gap < 0).sum()} / {(np.abs(gap) < 5).sum()} of {len(rows)}"
        cells = (f"{a:+.0f}", f"{b:+.0f}", f"{c:.3f}, {d:.3f}", f"{e:.3f}, {f:.3f}", f"{g:.3f}")
        print(f"| {name} | " + " | ".join(cells) + f" | {near} |", flush=True)


if __name__ == "__main__":
    main()
