"""One fit of one method to one case, as the flat row that a study keeps."""

from __future__ import annotations

import random
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from typing import Any

import numpy as np
import numpy.typing as npt

from dagdecor.baselines import Baseline, Found
from dagdecor.errors import DagdecorError
from dagdecor.metrics import compare, divergence, relative_error
from dagdecor.simulate import draw
from dagdecor.study.designs import Case

Array = npt.NDArray[np.float64]
SCORES = (
    "directed_f1",
    "directed_precision",
    "directed_recall",
    "bidirected_f1",
    "bidirected_precision",
    "bidirected_recall",
    "skeleton_f1",
    "tpr",
    "fpr",
    "pair_shd",
    "weights_error",
    "noise_error",
    "divergence",
)
CORE = ("dagdecor", "numpy", "scipy", "numba", "scikit-learn")


def warm_up(method: Baseline) -> None:
    """Let the method import and compile on a small table, so that no clock counts that."""
    small = draw("paper", 0, p=4, n=40, density=0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            method.fit(small.X, latents=1, density=0.5, random_state=0)
        except Exception:  # noqa: BLE001 - the fit that counts will say what is wrong
            return


def fitted(make: Callable[[int], Case], method: Baseline, seed: int) -> dict[str, Any]:
    """The columns of a row that a fit decides: status, times, scores, sizes."""
    case = make(seed)
    sizes = {
        "n": len(case.table.values),
        "p": len(case.table.names),
        "edges": len(case.graph.directed),
        "arcs": len(case.graph.bidirected) if case.arcs_known else None,
    }
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - for packages that draw from it
    start, cpu = time.perf_counter(), time.process_time()
    found, outcome = _tried(case, method, seed)
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu
    if found is not None:
        try:
            outcome = {**outcome, **scores(case, found)}
        except Exception as error:  # noqa: BLE001 - a result that cannot be scored is a failure
            outcome = {"status": "failed", "message": _sentence(error)}
    return {
        **outcome,
        "seconds": round(seconds, 6),
        "cpu_seconds": round(cpu_seconds, 6),
        **sizes,
        "versions": versions(method.packages),
    }


def _tried(case: Case, method: Baseline, seed: int) -> tuple[Found | None, dict[str, Any]]:
    """What the method returned, if anything, and how it ended."""
    unknown = [fact for fact in method.told if getattr(case, fact) is None]
    if unknown:  # of a real table nobody knows them
        message = f"the method is told {' and '.join(unknown)}, which is unknown here"
        return None, {"status": "not told", "message": message}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = method.fit(
                case.table, latents=case.latents, density=case.density, random_state=seed
            )
        except Exception as error:  # noqa: BLE001 - whatever a method does, its row says so
            return None, {"status": "failed", "message": _sentence(error)}
    return found, {"status": "done", "message": found.statement}


def scores(case: Case, found: Found) -> dict[str, Any]:
    """Numbers by name; None where the method or the truth has nothing to compare."""
    values: dict[str, Any] = dict(compare(case.graph, found.graph).to_dict())
    if not case.arcs_known:
        values.update(dict.fromkeys((name for name in values if name.startswith("bi")), None))
    values["ended"] = None if found.status is None else str(found.status)
    values["found_edges"] = len(found.graph.directed)
    values["found_arcs"] = len(found.graph.bidirected)
    return {**values, **_parameters(case, found)}


def _parameters(case: Case, found: Found) -> dict[str, float | None]:
    """|B - B_true|_F / |B_true|_F, the same of Omega, and KL(true law || fitted law)."""
    order = [found.graph.names.index(name) for name in case.table.names]
    at = np.ix_(order, order)
    B = None if found.weights is None else found.weights[at]
    Omega = None if found.noise_covariance is None else found.noise_covariance[at]
    return {
        "weights_error": _error(case.weights, B),
        "noise_error": _error(case.noise_covariance, Omega),
        "divergence": _divergence((case.weights, case.noise_covariance), (B, Omega)),
    }


def _error(true: Array | None, found: Array | None) -> float | None:
    if true is None or found is None:
        return None
    return _finite(relative_error(true, found))


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _divergence(
    true: tuple[Array | None, Array | None], found: tuple[Array | None, Array | None]
) -> float | None:
    laws = [_covariance(*law) for law in (true, found)]
    if laws[0] is None or laws[1] is None:
        return None
    try:
        return _finite(divergence(laws[0], laws[1]))
    except DagdecorError:  # a covariance that no law has
        return None


def _covariance(B: Array | None, Omega: Array | None) -> Array | None:
    """Sigma = (I-B)^-T Omega (I-B)^-1."""
    if B is None or Omega is None:
        return None
    T = np.linalg.inv(np.eye(len(B)) - B)
    return np.asarray(T.T @ Omega @ T)


def _sentence(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:400]


@lru_cache
def versions(packages: tuple[str, ...]) -> Mapping[str, str]:
    """Versions of Python, of what we stand on, and of a method's own packages."""
    homes = packages_distributions() if packages else {}
    names = [*CORE, *(homes.get(package, [package])[0] for package in packages)]
    found = {"python": sys.version.split()[0]}
    for name in names:
        found[name] = _version(name)
    return found


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"
