"""Fits ananke's LinearGaussianSEM to stored problems: python ananke_fit.py PROBLEMS RESULTS.

Runs in an environment of its own (ananke-causal, numpy < 2, scipy < 1.15) and imports nothing of
dagdecor. PROBLEMS (npz) holds X_k, directed_k, bidirected_k; RESULTS gets weights_k (transposed
to i -> j in [i, j]), noise_k and seconds_k for each k that did not fail, and the versions.
"""

import sys
import time
from importlib.metadata import version

import numpy as np
import pandas as pd
from ananke.graphs import ADMG
from ananke.models import LinearGaussianSEM


def fit(X, directed, bidirected):
    names = [f"x{place}" for place in range(X.shape[1])]
    graph = ADMG(
        names,
        di_edges=[(names[i], names[j]) for i, j in np.argwhere(directed)],
        bi_edges=[(names[i], names[j]) for i, j in np.argwhere(np.triu(bidirected))],
    )
    model = LinearGaussianSEM(graph)
    place = [list(graph.vertices).index(name) for name in names]
    frame = pd.DataFrame(X, columns=names)[list(graph.vertices)]
    start = time.process_time()
    model.fit(frame)
    seconds = time.process_time() - start
    return model.B_.T[np.ix_(place, place)], model.omega_[np.ix_(place, place)], seconds


def main(problems, results):
    given, found = np.load(problems), {}
    for k in range(len(given.files) // 3):
        try:
            answer = fit(given[f"X_{k}"], given[f"directed_{k}"], given[f"bidirected_{k}"])
        except Exception as error:  # noqa: BLE001 - whatever a rival raises is its result
            print(f"problem {k}: {type(error).__name__} {error}", file=sys.stderr)
            continue
        for name, value in zip(("weights", "noise", "seconds"), answer):  # noqa: B905
            found[f"{name}_{k}"] = value
    packages = ("ananke-causal", "numpy", "scipy")
    found["versions"] = ", ".join(f"{name} {version(name)}" for name in packages)
    np.savez(results, **found)


if __name__ == "__main__":
    main(*sys.argv[1:])
