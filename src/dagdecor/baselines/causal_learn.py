"""GES, PC and FCI of causal-learn; undecided marks are read as `reading` says."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dagdecor.baselines.protocol import Baseline, Found, Setting
from dagdecor.baselines.quiet import quiet
from dagdecor.baselines.reading import member
from dagdecor.data import Table
from dagdecor.moments import Moments

LEVEL = 0.05  # of every independence test: the package's default
ARROW = 1  # the package's number for an arrowhead


def ges(moments: Moments) -> Found:
    """Greedy equivalence search by the Gaussian BIC (Chickering 2002)."""
    return _found(ges_graph(moments.S, moments.n), moments.names, "CPDAG")


def ges_graph(S: npt.NDArray[np.float64], n: int) -> Any:
    """The package's CPDAG of the Gaussian BIC, S (p, p) from n rows."""
    from causallearn.search.ScoreBased.GES import ges as search

    with quiet():
        return search(cov=np.array(S), n=n, score_func="local_score_BIC_from_cov")["G"]


def pc(table: Table) -> Found:
    """The PC algorithm with Fisher's z (Spirtes, Glymour, Scheines 2000)."""
    from causallearn.search.ConstraintBased.PC import pc as search

    with quiet():
        found = search(table.values.copy(), LEVEL, "fisherz", show_progress=False)
    return _found(found.G, table.names, "CPDAG")


def fci(table: Table) -> Found:
    """Fast causal inference with Fisher's z (Spirtes, Glymour, Scheines 2000)."""
    from causallearn.search.ConstraintBased.FCI import fci as search

    with quiet():
        found, _ = search(table.values.copy(), "fisherz", LEVEL, show_progress=False)
    return _found(found, table.names, "PAG")


def _found(graph: Any, names: tuple[str, ...], kind: str) -> Found:
    learned, turned = member(heads(graph.graph), names)
    return Found(learned, statement=f"a member of the {kind}; {turned} edges turned for it")


def heads(matrix: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """(p, p, 2) for `reading.member` from the package's matrix, [j, i] the mark at j of i - j."""
    return np.stack([matrix != 0, matrix.T == ARROW], axis=-1)


_TESTS = Setting("tests of partial correlation", "level .05")
BASELINES = (
    Baseline(
        "ges",
        "greedy equivalence search by BIC, a member of its class",
        ges,
        Setting("Gaussian BIC", ".5 log n an edge"),
        packages=("causallearn",),
        extra="baselines",
    ),
    Baseline(
        "pc",
        "PC with Fisher's z, a member of its class",
        pc,
        _TESTS,
        needs="table",
        packages=("causallearn",),
        extra="baselines",
    ),
    Baseline(
        "fci",
        "FCI with Fisher's z, a member of its class",
        fci,
        _TESTS,
        needs="table",
        packages=("causallearn",),
        extra="baselines",
        latent=True,
    ),
)
