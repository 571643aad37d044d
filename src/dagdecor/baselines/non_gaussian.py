"""DirectLiNGAM, BottomUpParceLiNGAM and ABICLiNGAM of lingam, at the package's defaults."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dagdecor.baselines.protocol import Baseline, Found, Setting
from dagdecor.baselines.quiet import quiet
from dagdecor.baselines.reading import thresholded
from dagdecor.data import Table
from dagdecor.graph import MixedGraph

Array = npt.NDArray[np.float64]


def direct(table: Table, random_state: int) -> Found:
    """Shimizu et al. 2011: non-Gaussian noise, no hidden causes."""
    from lingam import DirectLiNGAM

    with quiet():
        model = DirectLiNGAM(random_state=random_state).fit(table.values.copy())
    return _found(model.adjacency_matrix_, table)


def parce(table: Table, random_state: int) -> Found:
    """Tashiro, Shimizu, Hyvarinen 2014: an order from below, as far as tests support it."""
    from lingam import BottomUpParceLiNGAM

    with quiet():
        model = BottomUpParceLiNGAM(random_state=random_state).fit(table.values.copy())
    return _found(model.adjacency_matrix_, table)


def abic(table: Table, random_state: int) -> Found:
    """Morinishi and Shimizu 2025: bow-free graphs by descent; it does not centre by itself."""
    from lingam import ABICLiNGAM

    centred = table.values - table.values.mean(axis=0)
    with quiet():
        model = ABICLiNGAM(seed=random_state).fit(centred)
    return _found(model.adjacency_matrix_, table)


def _found(adjacency: Array, table: Table) -> Found:
    """[i, j] of the package is j -> i, and NaN in both cells a hidden cause, or no order."""
    arcs = np.isnan(adjacency) | np.isnan(adjacency.T)
    B = thresholded(np.where(arcs, 0.0, adjacency).T)
    return Found(MixedGraph.from_matrices(B, arcs, table.names), B)


BASELINES = (
    Baseline(
        "direct-lingam",
        "DirectLiNGAM: orders by non-Gaussian noise, no hidden causes",
        direct,
        Setting("pairwise likelihood ratios, then least squares", "adaptive lasso, least BIC"),
        needs="table",
        takes=("random_state",),
        packages=("lingam",),
        extra="lingam",
    ),
    Baseline(
        "parce-lingam",
        "BottomUpParceLiNGAM: non-Gaussian noise, columns without an order are bidirected",
        parce,
        Setting("HSIC tests, then least squares", "level .1 / (p - 1); adaptive lasso, least BIC"),
        needs="table",
        takes=("random_state",),
        packages=("lingam",),
        extra="lingam",
        latent=True,
    ),
    Baseline(
        "abic-lingam",
        "ABICLiNGAM: bow-free graphs by descent",
        abic,
        Setting("1/2n on parents and pseudo-variables", ".05", ".05 of weights and of Omega"),
        needs="table",
        takes=("random_state",),
        packages=("lingam",),
        extra="lingam",
        latent=True,
    ),
)
