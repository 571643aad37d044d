"""How often nominal intervals hold the truth, on the true graph.

python bench/intervals.py [--draws 500] [--n 1000] [--level 0.95]

Regimes of the study; the parameters of each draw are those of its seed, 0 and on.
"""

import argparse

import numpy as np

import dagdecor as dd

REGIMES = {"abic": {"p": 10}, "local": {}, "moderate": {}, "rbap": {}}


def covered(regime, options, seeds, level):
    """Shares of weights, noise values and total effects inside; refits that did not converge."""
    inside, left_out = ([], [], []), 0
    for seed in seeds:
        drawn = dd.simulate.draw(regime, seed=seed, **options)
        fit = dd.refit(drawn.X, drawn.graph)
        if not fit.certificate.converged:
            left_out += 1
            continue
        frame = dd.standard_errors(fit).to_frame(level)
        B, Omega = drawn.weights, drawn.noise_covariance
        place = {name: index for index, name in enumerate(fit.graph.names)}
        for row in frame.itertuples():
            truth = (B if row.mark == "->" else Omega)[place[row.a], place[row.b]]
            inside[row.mark != "->"].append(row.lower <= truth <= row.upper)
        total = np.linalg.inv(np.eye(len(B)) - B)
        for row in dd.total_effects(fit, level).to_frame().itertuples():
            truth = total[place[row.cause], place[row.effect]]
            inside[2].append(row.lower <= truth <= row.upper)
    return [np.mean(part) for part in inside], left_out


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=500)
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--level", type=float, default=0.95)
    options = parser.parse_args()
    seeds = range(options.draws)
    print(
        f"dagdecor {dd.__version__}, n = {options.n}, level {options.level}, {len(seeds)} draws\n"
    )
    print("| regime | effects B | noise Omega | total effects | not converged |")
    print("|---|---|---|---|---|")
    for regime, extra in REGIMES.items():
        shares, left_out = covered(regime, {"n": options.n, **extra}, seeds, options.level)
        cells = " | ".join(f"{share:.3f}" for share in shares)
        print(f"| {regime} | {cells} | {left_out} |", flush=True)


if __name__ == "__main__":
    main()
