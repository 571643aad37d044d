"""Are marks given .9 right nine times in ten? Reliability of shares on drawn tables.

python bench/calibration.py [--tables 10] [--draws 12] [--halves 0] [--effort 0.25] [--first 0]
                            [--only local] [--keep FOLDER] [--picture FILE]

For every ordered mark of every pair (->, <-, <->) of every table: the share it is given, by the
search's posterior on the table under the noise model that was chosen (as with
noise_model="latent" or "sparse"), by `fit.shares`, which average both, by the marks of the
bootstrap fits, by the mean of their shares, and by half samples; and whether the true graph has
it. Prints the tables of docs/bench/calibration.md, and the CPU time of a draw. A folder that keeps
the draws lets the bench go on after a stop.
"""

import argparse
import itertools
import json
import time
from pathlib import Path

import numpy as np

import dagdecor as dd
from dagdecor.plot import reliability

REGIMES = {
    "paper .4": ("paper", {"density": 0.4}),
    "moderate n=200": ("moderate", {"n": 200}),
    "local": ("local", {}),
    "pervasive": ("pervasive", {}),
    "abic": ("abic", {"p": 10}),
}
LEVELS = np.array([0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0 + 1e-9])


def flat(shares):
    pairs = np.triu_indices(len(shares.names), 1)
    rows = (shares.directed[pairs], shares.directed.T[pairs], shares.bidirected[pairs])
    return np.concatenate(rows)


def truth(graph):
    pairs = np.triu_indices(len(graph.names), 1)
    arrows = graph.directed_matrix
    return np.concatenate((arrows[pairs], arrows.T[pairs], graph.bidirected_matrix[pairs]))


def given(table, options, keep):
    """The shares of every kind for one table; what is in `keep` already is read from there."""
    found = fitted(table, keep)
    for method, draws in (("bootstrap", options.draws), ("stability", options.halves)):
        if draws:
            file = None if keep is None else Path(f"{keep}-{method}-{options.effort:g}.jsonl")
            asked = {"method": method, "effort": options.effort, "checkpoint": file}
            model = dd.Decor(random_state=0)
            drawn = model.confidence(table, draws, n_jobs=1, **asked)
            found["half samples" if method == "stability" else method] = flat(drawn.shares)
            if method == "bootstrap":
                found["mean of shares"] = flat(drawn.posterior)
    return found


def fitted(table, keep):
    """The shares of the fit, and of a fit with the noise model that it chose."""
    file = None if keep is None else Path(f"{keep}-fit.json")
    if file is not None and file.exists():
        kept = json.loads(file.read_text(encoding="utf-8"))
        return {kind: np.array(values) for kind, values in kept.items()}
    fit = dd.Decor(random_state=0).fit(table).fit_
    chosen = "latent" if "hidden causes" in fit.alternatives.criterion else "sparse"
    alone = dd.Decor(random_state=0, noise_model=chosen).fit(table).fit_
    found = {"one model": flat(alone.shares), "both models": flat(fit.shares)}
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        kept = {kind: values.tolist() for kind, values in found.items()}
        file.write_text(json.dumps(kept), encoding="utf-8")
    return found


def rows_of(shares, right):
    """(mean share, rate of right marks, count) by level."""
    place = np.digitize(shares, LEVELS) - 1
    found = []
    for level in range(len(LEVELS) - 1):
        here = place == level
        if here.any():
            found.append((shares[here].mean(), right[here].mean(), int(here.sum())))
    return found


def scores(values, right):
    """Brier score, log score, the marks given .9 or more, and how many of them are right."""
    brier = np.mean((values - right) ** 2)
    clipped = np.clip(values, 0.005, 0.995)
    log = -np.mean(np.where(right, np.log(clipped), np.log(1 - clipped)))
    sure = values >= 0.9
    return brier, log, int(sure.sum()), int(right[sure].sum())


def report(name, kind, tables):
    """A line for (shares, truth) of several tables; the error of the rate is that over tables."""
    values, right = map(np.concatenate, zip(*tables, strict=True))
    brier, log, marks, good = scores(values, right)
    each = np.array([scores(*table)[2:] for table in tables])
    rate = f"{good / marks:.2f} ({spread(each):.2f})" if marks else "-"
    print(f"| {name} | {kind} | {brier:.4f} | {log:.4f} | {rate} | {marks} |", flush=True)


def spread(each):
    """Standard error of a ratio of sums, each row (below, above), over independent rows."""
    below, above = each.T
    rate = above.sum() / below.sum()
    return np.sqrt(((above - rate * below) ** 2).sum()) / below.sum()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=10)
    parser.add_argument("--draws", type=int, default=12)
    parser.add_argument("--halves", type=int, default=0)
    parser.add_argument("--effort", type=float, default=0.25)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=list(REGIMES))
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.tables)
    print(f"dagdecor {dd.__version__}, numpy {np.__version__}, tables {seeds[0]} to {seeds[-1]},")
    print(
        f"{options.draws} bootstrap draws, {options.halves} half samples, effort {options.effort}\n"
    )
    print("| regime | kind | Brier | log score | share >= .9: right | marks |")
    print("|---|---|---|---|---|---|")
    everything = {}
    start = time.process_time()
    for name in options.only:
        regime, drawing = REGIMES[name]
        here = {}
        for seed in seeds:
            drawn = dd.simulate.draw(regime, seed=seed, **drawing)
            keep = None if options.keep is None else options.keep / f"{name}-{seed}"
            for kind, shares in given(drawn.X, options, keep).items():
                here.setdefault(kind, []).append((shares, truth(drawn.graph)))
        for kind, tables in here.items():
            report(name, kind, tables)
            everything.setdefault(kind, []).extend(tables)
    for kind, tables in everything.items():
        report("all", kind, tables)
    pooled = {
        kind: tuple(map(np.concatenate, zip(*tables, strict=True)))
        for kind, tables in everything.items()
    }
    print("\n| share given | " + " | ".join(f"{kind}: right (marks)" for kind in pooled) + " |")
    print("|---" * (len(pooled) + 1) + "|")
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


if __name__ == "__main__":
    main()
