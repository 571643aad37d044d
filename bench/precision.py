"""The precision route against gglasso and scikit-learn: seconds and gap, as a Markdown table.

python bench/precision.py [--seeds 3] [--p 20 100 200 500] [--multiples 1 0.3] [--scikit-to 200]

S is the covariance of n = 10 p rows with Omega = diag(U[.7, 1.2]) + L L', L holding p / 2 latents
on about two columns each, N(0, .7^2). The penalty is a multiple of sqrt(log p / n). The gap of
every Theta is computed by one function, at the better of two dual points, and divided by p.
gglasso's ADMM runs at its default tolerances, and at the loosest of 1e-4, 1e-5, ... that brings
its gap to 1e-6 (only that run is counted). Seconds are CPU seconds of one thread, means over seeds;
the gap is the worst.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import platform
import time
import warnings
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np

from dagdecor.solve.precision import precision

TARGET = 1e-6


def draw(p, seed):
    """(p, p) covariance of residuals with a sparse noise covariance."""
    rng = np.random.default_rng([seed, p])
    L = rng.normal(0, 0.7, (p, p // 2)) * (rng.random((p, p // 2)) < 2 / p)
    Omega = np.diag(rng.uniform(0.7, 1.2, p)) + L @ L.T
    X = rng.standard_normal((10 * p, p)) @ np.linalg.cholesky(Omega).T
    X -= X.mean(axis=0)
    return X.T @ X / len(X)


def log_determinant(matrix):
    """Log-determinant, minus infinity where the matrix is not positive definite."""
    try:
        return 2 * np.log(np.diag(np.linalg.cholesky(matrix))).sum()
    except np.linalg.LinAlgError:
        return -np.inf


def gap(S, penalty, Theta):
    """Duality gap over p, for any symmetric Theta."""
    Theta = (Theta + Theta.T) / 2
    P = np.full(S.shape, penalty)
    np.fill_diagonal(P, 0)
    logdet = log_determinant(Theta)
    if not np.isfinite(logdet):
        return np.inf
    primal = np.sum(S * Theta) + np.sum(P * np.abs(Theta)) - logdet
    clipped = np.clip(np.linalg.inv(Theta) - S, -P, P)
    exact = np.where(Theta != 0, P * np.sign(Theta), clipped)
    dual = max(log_determinant(S + clipped), log_determinant(S + exact)) + len(S)
    return (primal - dual) / len(S)


def ours(S, penalty):
    return precision(S, penalty).value


def admm(S, penalty, **tolerances):
    from gglasso.solver.single_admm_solver import ADMM_SGL

    with contextlib.redirect_stdout(io.StringIO()):
        found, _ = ADMM_SGL(S, penalty, np.eye(len(S)), max_iter=20_000, **tolerances)
    return found["Theta"]


def scikit(S, penalty):
    from sklearn.covariance import graphical_lasso

    return graphical_lasso(S, penalty, max_iter=1000)[1]


def timed(solve, S, penalty, repeats=1, **options):
    """CPU seconds, the least of some runs, and the gap; None where the solver gives up."""
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        try:
            Theta = solve(S, penalty, **options)
        except (FloatingPointError, np.linalg.LinAlgError):
            return None
        best = min(best, time.process_time() - start)
    return best, gap(S, penalty, Theta)


def admm_to_target(S, penalty, repeats):
    """The loosest tolerance that meets the target, timed once it is known."""
    for exponent in range(4, 13):
        tolerances = {"tol": 10.0**-exponent, "rtol": 10.0**-exponent}
        if gap(S, penalty, admm(S, penalty, **tolerances)) <= TARGET:
            return timed(admm, S, penalty, repeats, **tolerances)
    return None


def cell(results):
    """Mean seconds and worst gap."""
    if not results or None in results:
        return "-"
    seconds = np.mean([result[0] for result in results])
    return f"{seconds:.4f} ({max(result[1] for result in results):.1e})"


def row(p, multiple, options, rivals):
    """One line of the table."""
    penalty = float(multiple * np.sqrt(np.log(p) / (10 * p)))
    repeats = 5 if p <= 200 else 2
    found = {name: [] for name in ("ours", "admm", "target", "scikit")}
    partners = []
    for seed in range(options.seeds):
        S = draw(p, seed)
        partners.append((np.count_nonzero(ours(S, penalty)) - p) / p)
        found["ours"].append(timed(ours, S, penalty, repeats))
        if "gglasso" in rivals:
            found["admm"].append(timed(admm, S, penalty, repeats))
            found["target"].append(admm_to_target(S, penalty, repeats))
        if "scikit-learn" in rivals and p <= options.scikit_to:
            found["scikit"].append(timed(scikit, S, penalty))
    ratio = "-"
    if found["target"] and None not in found["target"]:
        theirs = np.mean([result[0] for result in found["target"]])
        ratio = f"{theirs / np.mean([result[0] for result in found['ours']]):.1f}x"
    cells = [str(p), f"{multiple:g}", f"{np.mean(partners):.1f}", *map(cell, found.values()), ratio]
    return "| " + " | ".join(cells) + " |"


def heading():
    """Machine and versions, and the rivals that are installed."""
    name = platform.processor()
    place = Path("/proc/cpuinfo")
    if place.exists():
        lines = place.read_text().splitlines()
        name = next((line.split(": ")[1] for line in lines if "model name" in line), name)
    wanted = ["numpy", "scipy", "numba", "gglasso", "scikit-learn"]
    rivals = [package for package in wanted if installed(package)]
    versions = [f"{package} {installed(package) or 'absent'}" for package in wanted]
    versions.append(f"Python {platform.python_version()}")
    return f"{name}, {os.cpu_count()} cores, {', '.join(versions)}", rivals


def installed(package):
    """Version of a package, None where it is absent."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--p", type=int, nargs="+", default=[20, 100, 200, 500])
    parser.add_argument("--multiples", type=float, nargs="+", default=[1.0, 0.3])
    parser.add_argument("--scikit-to", type=int, default=200, help="largest p for scikit-learn")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    place, rivals = heading()
    print(f"{place}; seeds 0 to {options.seeds - 1}; seconds (gap)\n")
    print("| p | penalty | partners | ours | gglasso, default | gglasso to 1e-6 |", end=" ")
    print("scikit-learn, default | gglasso to 1e-6 / ours |\n" + "|---" * 8 + "|")
    S = draw(20, 0)
    ours(S, 0.1)  # both compile on the first call
    if "gglasso" in rivals:
        admm(S, 0.1)
    if "scikit-learn" in rivals:
        scikit(S, 0.1)
    for p in options.p:
        for multiple in options.multiples:
            print(row(p, multiple, options, rivals), flush=True)


if __name__ == "__main__":
    main()
