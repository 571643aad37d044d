"""DAG-GNN and GraN-DAG of gCastle, at the package's defaults; slow, and they bring torch."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from dagdecor.baselines.protocol import Baseline, Found, Setting
from dagdecor.baselines.quiet import quiet
from dagdecor.baselines.reading import thresholded
from dagdecor.data import Table
from dagdecor.graph import MixedGraph


def dag_gnn(table: Table, random_state: int) -> Found:
    """Yu, Chen, Gao, Yu 2019: a variational autoencoder with a weighted adjacency matrix."""
    with _still():
        from castle.algorithms import DAG_GNN

        model = DAG_GNN(seed=random_state)
        model.learn(_centred(table))
    return _found(model, table)


def gran_dag(table: Table, random_state: int) -> Found:
    """Lachapelle, Brouillard, Deleu, Lacoste-Julien 2020: a network for each column."""
    with _still():
        from castle.algorithms import GraNDAG

        model = GraNDAG(input_dim=len(table.names), random_seed=random_state)
        model.learn(_centred(table))
    return _found(model, table)


def _centred(table: Table) -> Any:
    return table.values - table.values.mean(axis=0)


@contextmanager
def _still() -> Iterator[None]:
    """Quiet, without log lines, and with torch's default type, which the package changes, back."""
    import torch

    level, kind = logging.root.manager.disable, torch.get_default_dtype()
    logging.disable(logging.CRITICAL)
    try:
        with quiet():
            yield
    finally:
        logging.disable(level)
        torch.set_default_dtype(kind)


def _found(model: Any, table: Table) -> Found:
    """[i, j] of the package is i -> j, and marks an edge without a weight."""
    edges = thresholded(np.asarray(model.causal_matrix, dtype=np.float64))
    return Found(MixedGraph.from_matrices(edges, names=table.names))


BASELINES = (
    Baseline(
        "dag-gnn",
        "DAG-GNN: an autoencoder with a weighted adjacency matrix",
        dag_gnn,
        Setting("evidence lower bound", "none", ".3"),
        needs="table",
        takes=("random_state",),
        packages=("castle", "torch"),
        extra="deep",
    ),
    Baseline(
        "gran-dag",
        "GraN-DAG: a neural network for each column",
        gran_dag,
        Setting("Gaussian likelihood of networks", "none", "1e-4 during training, then Jacobians"),
        needs="table",
        takes=("random_state",),
        packages=("castle", "torch"),
        extra="deep",
    ),
)
