"""The two-stage fit by compiled kernels and by torch, on its CPU and on a GPU if there is one.

python bench/gpu.py [--p 200 500] [--devices cpu torch-cpu cuda] [--seed 0] [--rounds 1]

Regime "wide" with n = 10 p, one round (the paper's two stages), seconds on the clock, with all the
threads that the environment leaves. The first column of the objectives is the reference: how far
the others end from it, for the graph step alone on the same problem and for the whole fit, whose
two starts differ a little. A device that is not there is named and left out.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from stopwatch import machine

import dagdecor as dd
from dagdecor.device import DEVICES, steps
from dagdecor.errors import DagdecorError


def there(name):
    """Whether a device can be used; says why it cannot."""
    try:
        steps(name)
    except DagdecorError as error:
        print(f"left out: {error}\n")
        return False
    return True


def title():
    try:
        import torch
    except ImportError:
        return f"{machine()}; dagdecor {dd.__version__}, no torch"
    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else "no CUDA device"
    versions = f"dagdecor {dd.__version__}, torch {torch.__version__}"
    return f"{machine()}; {gpu}; {versions}, {torch.get_num_threads()} threads"


def graph_step(device, moments):
    """Seconds and objective of the graph step with one common error variance."""
    S, p = moments.S, moments.p
    variance = 0.25 * float(np.mean(np.diag(S)))
    weights = np.sqrt(np.log(p) / moments.n * np.diag(S) / variance)[:, None]
    begin = time.perf_counter()
    found = steps(device).graph(S, np.full(p, 1 / variance), weights, "logdet", None, None)
    return time.perf_counter() - begin, found.certificate.objective


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--p", type=int, nargs="+", default=[200, 500])
    parser.add_argument("--devices", nargs="+", choices=DEVICES, default=list(DEVICES))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(title() + "\n")
    devices = [name for name in options.devices if there(name)]
    small = dd.simulate.draw("wide", 1, p=50, n=500)
    for device in devices:  # compiles, and wakes the device
        dd.Decor(search=False, device=device).fit(small.X)
    heads = ["p", "device", "graph step, s", "its objective", "off, %", "fit, s", "times faster"]
    heads += ["objective", "off, %", "directed F1", "certified"]
    print("| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    for p in options.p:
        drawn = dd.simulate.draw("wide", options.seed, p=p, n=10 * p)
        moments, first = dd.Moments.from_data(drawn.values), None
        for device in devices:
            seconds, step = graph_step(device, moments)
            begin = time.perf_counter()
            model = dd.Decor(search=False, rounds=options.rounds, device=device)
            fit = model.fit(moments).fit_
            took, value = time.perf_counter() - begin, fit.trace[-1]
            first = first or (step, took, value)
            row = [str(p), device, f"{seconds:.2f}", f"{step:.4f}"]
            row += [f"{100 * (step / first[0] - 1):+.3f}", f"{took:.2f}", f"{first[1] / took:.2f}"]
            row += [f"{value:.4f}", f"{100 * (value - first[2]) / abs(first[2]):+.3f}"]
            row += [f"{dd.metrics.compare(drawn.graph, fit.graph).directed_f1:.3f}"]
            row += ["yes" if all(c.converged for c in fit.certificates.values()) else "no"]
            print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
