"""The covariance route against majorise-minimise and proximal gradient, as a Markdown table.

python bench/covariance.py [--seeds 3] [--p 20 100 200 500] [--multiples 1 0.3] [--rivals-to 200]

S as in bench/precision.py: the covariance of n = 10 p rows, a sparse Omega; the penalty is a
multiple of sqrt(log p / n). `plain` is proximal gradient with a step that is halved where the
objective falls too little; `spectral` is the same from Barzilai and Borwein's two steps in turn;
`majorise` is Bien and Tibshirani 2011: logdet(Omega) is replaced by its tangent and the convex
rest solved by accelerated proximal gradient. All start from the diagonal, as ours does, and stop
at a residual of 1e-6 or at a limit of iterations. The residual of every Omega is computed by one
function: the largest entry by which a proximal step of length one would move it. Seconds are CPU
seconds of one thread, means over seeds; residuals are the worst; "above ours" is the largest
excess of a rival's objective.
"""

from __future__ import annotations

import argparse
import os
import time

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
from precision import draw, heading
from scipy.linalg import lapack

from dagdecor.solve.covariance import covariance

TARGET = 1e-6


def shrink(X, amount):
    return np.sign(X) * np.maximum(np.abs(X) - amount, 0)


def smooth(S, Omega):
    """tr(S Omega^-1) + logdet(Omega) and its gradient."""
    M, logdet = inverse(Omega)
    return (np.inf, None) if M is None else (np.vdot(S, M) + logdet, M - sandwich(M, S))


def sandwich(M, S):
    """M S M, exactly symmetric: Cholesky would not see the other triangle drift away."""
    half = M @ S @ M
    return (half + half.T) / 2


def inverse(Omega):
    """Inverse and log-determinant by Cholesky, None where Omega is not positive definite."""
    factor, failed = lapack.dpotrf(Omega.T, lower=1)
    if failed or not np.isfinite(factor).all():
        return None, -np.inf
    half = lapack.dpotri(factor, lower=1)[0]
    return np.tril(half) + np.tril(half, -1).T, 2 * np.log(np.diag(factor)).sum()


def objective(S, P, Omega):
    return smooth(S, Omega)[0] + np.sum(P * np.abs(Omega))


def residual(S, P, Omega):
    gradient = smooth(S, Omega)[1]
    return np.abs(Omega - shrink(Omega - gradient, P)).max()


def plain(S, P, limit=3000, *, spectral=False):
    """Proximal gradient, the step only ever halved, or the ratio of the last moves."""
    Omega, step = np.diag(np.diag(S)), 1.0
    value, gradient = smooth(S, Omega)
    for count in range(limit):
        if np.abs(Omega - shrink(Omega - gradient, P)).max() <= TARGET:
            break
        while True:
            moved = shrink(Omega - step * gradient, step * P)
            move = moved - Omega
            following = smooth(S, moved)
            bound = value + np.sum(gradient * move) + np.sum(move * move) / (2 * step)
            if following[0] <= bound + 1e-13 * abs(value):
                break
            step /= 2
        change = following[1] - gradient
        turn = np.vdot(move, change)
        if spectral and turn > 0:
            long, short = np.vdot(move, move) / turn, turn / np.vdot(change, change)
            step = short if count % 2 else long
        Omega, (value, gradient) = moved, following
    return Omega


def spectral(S, P):
    return plain(S, P, spectral=True)


def majorise(S, P, outer=200, inner=200):
    """argmin of tr(S Omega^-1) + tr(M Omega) + P |Omega| with M = inv(Omega) of the last round."""
    Omega, step = np.diag(np.diag(S)), 1.0
    for _ in range(outer):
        if residual(S, P, Omega) <= TARGET:
            break
        tangent = inverse(Omega)[0]
        Omega, step = convex_rest(S, P, tangent, Omega, step, inner)
    return Omega


def convex_rest(S, P, tangent, Omega, step, limit):
    """Accelerated proximal gradient with restarts, to a hundredth of its first move."""

    def rest(X):
        M, _ = inverse(X)
        if M is None:
            return np.inf, None
        return np.vdot(S, M) + np.vdot(tangent, X), tangent - sandwich(M, S)

    # Never above 1: once moves are lost in rounding, the test below would let any step pass.
    ahead, momentum, first, step = Omega, 1.0, None, min(2 * step, 1.0)
    for _ in range(limit):
        value, gradient = rest(ahead)
        if gradient is None:
            ahead, momentum = Omega, 1.0
            continue
        while True:
            moved = shrink(ahead - step * gradient, step * P)
            move = moved - ahead
            bound = value + np.sum(gradient * move) + np.sum(move * move) / (2 * step)
            if rest(moved)[0] <= bound + 1e-13 * abs(value):
                break
            step /= 2
        change = np.abs(moved - Omega).max()
        first = change if first is None else first
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        if np.sum((ahead - moved) * (moved - Omega)) > 0:
            following, momentum = 1.0, 1.0
        ahead = moved + (momentum - 1) / following * (moved - Omega)
        Omega, momentum = moved, following
        if change <= 0.01 * first:
            break
    return Omega, step


def ours(S, P):
    return covariance(S, P).value


def timed(solve, S, P, repeats):
    """CPU seconds, the least of some runs, objective and residual."""
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        Omega = solve(S, P)
        best = min(best, time.process_time() - start)
    return best, objective(S, P, Omega), residual(S, P, Omega)


def row(p, multiple, options):
    """One line of the table."""
    P = np.full((p, p), multiple * np.sqrt(np.log(p) / (10 * p)))
    np.fill_diagonal(P, 0)
    solvers = {"ours": ours}
    if p <= options.rivals_to:
        solvers |= {"plain": plain, "spectral": spectral, "majorise": majorise}
    found = {name: [] for name in solvers}
    for seed in range(options.seeds):
        S = draw(p, seed)
        for name, solve in solvers.items():
            found[name].append(timed(solve, S, P, 3 if name == "ours" else 1))
    values = {name: np.array(results) for name, results in found.items()}
    cells = [str(p), f"{multiple:g}", f"{values['ours'][:, 1].mean():.6f}"]
    for name in ("ours", "plain", "spectral", "majorise"):
        if name not in values:
            cells += ["-"] * 2
            continue
        seconds, _, worst = values[name].T
        cells.append(f"{seconds.mean():.4f} ({worst.max():.1e})")
        if name != "ours":
            cells.append(f"{(values[name][:, 1] - values['ours'][:, 1]).max():+.1e}")
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--p", type=int, nargs="+", default=[20, 100, 200, 500])
    parser.add_argument("--multiples", type=float, nargs="+", default=[1.0, 0.3])
    parser.add_argument("--rivals-to", type=int, default=500, help="largest p for the rivals")
    options = parser.parse_args()
    print(f"{heading()[0]}; seeds 0 to {options.seeds - 1}; seconds (residual)\n")
    print("| p | penalty | objective | ours | plain | above ours |", end=" ")
    print("spectral | above ours | majorise | above ours |\n" + "|---" * 10 + "|")
    ours(np.eye(3) + 0.5, np.full((3, 3), 0.1))  # compiles
    for p in options.p:
        for multiple in options.multiples:
            print(row(p, multiple, options), flush=True)


if __name__ == "__main__":
    main()
