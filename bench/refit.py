"""Maximum likelihood on a given graph, against L-BFGS and ananke: a Markdown table.

python bench/refit.py [--p 5 10 20 50] [--seeds 10] [--starts 4] [--ananke-python PATH]

Bow-free graphs of average degree 4 in random column order, 60 % of the edges directed with weights
U[.5, 1.5] of random sign, bidirected U[.3, .7], diagonal U[.7, 1.2] raised until the smallest
eigenvalue is .1; n = 1000 rows. L-BFGS minimises the same likelihood over all free values with the
exact gradient, on columns of unit variance, from least squares and from random starts, each start
taken up again until it gains less than 1e-12. ananke's LinearGaussianSEM runs with its own
defaults under the interpreter given, which needs ananke-causal, numpy < 2, scipy < 1.15; as it
divides by degrees of freedom, its Omega is first multiplied by the best constant. Objective:
tr(S (I-B) Omega^-1 (I-B)') + logdet Omega. CPU seconds of one thread, ours the least of 5.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
import scipy
from scipy.optimize import minimize
from stopwatch import machine, timed

import dagdecor
from dagdecor.solve.ricf import ricf

ROWS = 1000


def draw(p, seed):
    """Centred rows and the two masks."""
    rng = np.random.default_rng([seed, p])
    chosen = np.triu(rng.random((p, p)) < min(1.0, 4 / (p - 1)), 1)
    straight = rng.random((p, p)) < 0.6
    B = (chosen & straight) * rng.uniform(0.5, 1.5, (p, p)) * rng.choice([-1, 1], (p, p))
    half = (chosen & ~straight) * rng.uniform(0.3, 0.7, (p, p)) * rng.choice([-1, 1], (p, p))
    Omega = half + half.T + np.diag(rng.uniform(0.7, 1.2, p))
    Omega += max(0.0, 0.1 - np.linalg.eigvalsh(Omega)[0]) * np.eye(p)
    place = np.ix_(order := rng.permutation(p), order)
    B, Omega = B[place], Omega[place]
    noise = rng.standard_normal((ROWS, p)) @ np.linalg.cholesky(Omega).T
    X = noise @ np.linalg.inv(np.eye(p) - B)
    return X - X.mean(axis=0), B != 0, (Omega != 0) & ~np.eye(p, dtype=bool)


def objective(B, Omega, S):
    """tr(S (I-B) Omega^-1 (I-B)') + logdet Omega; inf unless Omega > 0."""
    try:
        half = np.linalg.cholesky(Omega)
    except np.linalg.LinAlgError:
        return np.inf
    A = np.linalg.solve(half, (np.eye(len(B)) - B).T)
    return float(np.sum((A @ S) * A) + 2 * np.log(np.diag(half)).sum())


class Free:
    """The free values of a graph as one vector."""

    def __init__(self, directed, bidirected):
        self.edges, self.arcs = np.nonzero(directed), np.nonzero(np.triu(bidirected))
        self.sizes = np.cumsum([len(self.edges[0]), len(self.arcs[0])])
        self.p = len(directed)

    def matrices(self, vector):
        weights, shared, own = np.split(vector, self.sizes)
        B, Omega = np.zeros((self.p, self.p)), np.diag(own)
        B[self.edges] = weights
        Omega[self.arcs] = Omega[self.arcs[::-1]] = shared
        return B, Omega

    def loss(self, vector, S):
        """The objective and its gradient; a wall, which line searches survive, where it is inf."""
        B, Omega = self.matrices(vector)
        value = objective(B, Omega, S)
        if not np.isfinite(value):
            return 1e6, np.zeros_like(vector)
        Theta, A = np.linalg.inv(Omega), np.eye(self.p) - B
        dB, dOmega = -2 * S @ A @ Theta, Theta - Theta @ A.T @ S @ A @ Theta
        return value, np.concatenate((dB[self.edges], 2 * dOmega[self.arcs], np.diag(dOmega)))


def lbfgs(S, directed, bidirected, starts):
    """Objective at the end of each start."""
    scale = np.sqrt(np.diag(S))
    R, free, rng = S / np.outer(scale, scale), Free(directed, bidirected), np.random.default_rng(0)
    settings = {"maxiter": 5000, "maxfun": 20000, "ftol": 1e-15, "gtol": 1e-9, "maxcor": 30}
    ends = []
    for k in range(starts):
        weights = rng.normal(0, 0.3, len(free.edges[0]))
        if k == 0:
            weights = ricf(R, directed, np.zeros_like(bidirected)).weights[free.edges]
        arcs, own = np.zeros(len(free.arcs[0])), rng.uniform(0.3, 1.5, len(S))
        x, last, before = np.concatenate((weights, arcs, own)), 1e9, np.inf
        while before - last > 1e-12:
            end = minimize(
                free.loss, x, (R,), jac=True, method="L-BFGS-B", options=settings
            )  # fmt: skip
            x, before, last = end.x, last, end.fun
        ends.append(last + 2 * np.log(scale).sum())
    return np.array(ends)


def ananke(python, problems):
    """(results by problem, versions) from the other interpreter."""
    with tempfile.TemporaryDirectory() as folder:
        given, results = Path(folder) / "problems.npz", Path(folder) / "results.npz"
        names = ("X", "directed", "bidirected")
        np.savez(given, **{
            f"{name}_{k}": value
            for k, problem in enumerate(problems)
            for name, value in zip(names, problem, strict=True)
        })  # fmt: skip
        worker = Path(__file__).with_name("ananke_fit.py")
        subprocess.run([python, "-W", "ignore", str(worker), str(given), str(results)], check=True)
        found = dict(np.load(results))
    fits = {
        k: tuple(found[f"{name}_{k}"] for name in ("weights", "noise", "seconds"))
        for k in range(len(problems))
        if f"weights_{k}" in found
    }
    return fits, str(found["versions"])


def at_its_best(B, Omega, S):
    """The objective with Omega multiplied by the best constant."""
    A = np.eye(len(B)) - B
    share = np.trace(np.linalg.solve(Omega, A.T @ S @ A)) / len(B)
    return objective(B, share * Omega, S)


def lines(p, options):
    """One line of the table, and ananke's versions."""
    problems = [draw(p, seed) for seed in range(options.seeds)]
    fits, versions = ananke(options.ananke_python, problems) if options.ananke_python else ({}, "")
    seconds, proofs, gaps, agree, slow, rival = [], [], [], [], [], []
    for k, (X, directed, bidirected) in enumerate(problems):
        S = X.T @ X / ROWS
        fitted, spent = timed(lambda S=S, D=directed, U=bidirected: ricf(S, D, U), 5)
        ends, longer = timed(lambda S=S, D=directed, U=bidirected: lbfgs(S, D, U, options.starts))
        ours = objective(fitted.weights, fitted.noise_covariance, S)
        seconds.append(spent)
        proofs.append(fitted.certificate)
        gaps.append(ours - ends.min())
        agree.append(np.mean(ends - ours < 1e-6))
        slow.append(longer)
        if k in fits:
            rival.append((ours - at_its_best(*fits[k][:2], S), float(fits[k][2])))
    cells = [str(p), f"{1e3 * np.mean(seconds):.2f}", f"{1e3 * max(seconds):.2f}"]
    cells.append(f"{sum(proof.converged for proof in proofs)} of {len(proofs)}")
    cells += [f"{max(proof.residual for proof in proofs):.0e}", f"{np.mean(slow):.2f}"]
    cells += [f"{max(gaps):+.1e}", f"{100 * np.mean(agree):.0f} %"]
    if rival:
        differences, spent = np.array(rival).T
        cells += [f"{spent.mean():.2f}", f"{differences.max():+.1e}", f"{differences.mean():+.1e}"]
        cells.append(f"{np.sum(differences <= 0)} of {len(differences)}")
    return "| " + " | ".join(cells) + " |", versions


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--p", type=int, nargs="+", default=[5, 10, 20, 50])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--starts", type=int, default=4, help="of L-BFGS")
    parser.add_argument("--ananke-python", help="interpreter of an environment with ananke")
    options = parser.parse_args()
    ricf(np.eye(2), *np.zeros((2, 2, 2), dtype=bool))  # compiles
    header = ["p", "ours, ms", "slowest, ms", "converged", "largest gradient", "L-BFGS, s"]
    header += ["ours - best start, largest", "starts within 1e-6"]
    if options.ananke_python:
        header += ["ananke, s", "ours - ananke, largest", "mean", "at or below"]
    print("| " + " | ".join(header) + " |\n" + "|---" * len(header) + "|")
    versions = ""
    for p in options.p:
        line, versions = lines(p, options)
        print(line, flush=True)
    print(f"\n{machine()}; dagdecor {dagdecor.__version__}, numpy {np.__version__}, ", end="")
    print(f"scipy {scipy.__version__}; seeds 0 to {options.seeds - 1}", end="")
    print(f"; beside it {versions}" if versions else "; ananke not run")


if __name__ == "__main__":
    main()
