"""DAGMA of the package dagma: least squares with a log-determinant (Bello et al. 2022)."""

from __future__ import annotations

from functools import partial

import numpy as np

from dagdecor.baselines.protocol import Baseline, Found, Setting
from dagdecor.baselines.quiet import quiet
from dagdecor.baselines.reading import thresholded
from dagdecor.data import Table
from dagdecor.graph import MixedGraph


def dagma(table: Table, penalty: float) -> Found:
    """The package's defaults but for the penalty."""
    from dagma.linear import DagmaLinear

    with quiet():
        model = DagmaLinear(loss_type="l2")
        # It centres the given array in place, and writes to its own default list of s.
        scales = [1.0, 0.9, 0.8, 0.7, 0.6]
        model.fit(table.values.copy(), lambda1=penalty, w_threshold=0.0, s=scales)
    B = thresholded(np.asarray(model.W_est), 0.3)
    graph = MixedGraph.from_matrices(B, names=table.names)
    return Found(graph, B, statement=f"log-determinant of cycles {float(model.h_final):.1e}")


_CUTS = ".3, then the smallest entries until there is no cycle"
BASELINES = (
    Baseline(
        "dagma-paper",
        "DAGMA with the paper's shared penalty",
        partial(dagma, penalty=0.1),
        Setting("1/2n", ".1", _CUTS),
        needs="table",
        packages=("dagma",),
        extra="baselines",
    ),
    Baseline(
        "dagma",
        "DAGMA with its package's own penalty",
        partial(dagma, penalty=0.03),
        Setting("1/2n", ".03", _CUTS),
        needs="table",
        packages=("dagma",),
        extra="baselines",
    ),
)
