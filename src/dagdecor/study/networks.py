"""Linear Gaussian networks that were fitted to real tables, with some of their nodes hidden."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt

from dagdecor.data import Table
from dagdecor.errors import BadDocument, DataAbsent
from dagdecor.graph import MixedGraph, latent_projection
from dagdecor.study.designs import Case, Design, scaled

Array = npt.NDArray[np.float64]
NETWORKS = ("ecoli70", "magic-niab", "magic-irri", "arth150")
ROWS = 500
HIDDEN = (0.0, 0.1, 0.2)
DOMAIN = 0x6E6574  # keeps these streams apart from others that start from the same small seed


@dataclass(frozen=True)
class Network:
    """Names, edges (from, to, weight) by position, and the variance of each node's noise."""

    name: str
    nodes: tuple[str, ...]
    edges: tuple[tuple[int, int, float], ...]
    variances: tuple[float, ...]

    @property
    def weights(self) -> Array:
        """(p, p) B, [i, j] for i -> j."""
        B = np.zeros((len(self.nodes), len(self.nodes)))
        for i, j, weight in self.edges:
            B[i, j] = weight
        return B


def read_network(name: str, folder: Path) -> Network:
    """The network from `folder`, or else from an installed pgmpy, which is not imported."""
    for place in (folder, *_installed()):
        path = place / f"{name}.json"
        if path.is_file():
            return _parsed(name, path.read_text(encoding="utf-8"))
    otherwise = "pip install 'dagdecor[networks]'"
    raise DataAbsent(f"the network {name!r}", folder, "networks", otherwise)


def _installed() -> list[Path]:
    found = find_spec("pgmpy")
    roots = found.submodule_search_locations if found else None
    return [Path(root) / "utils" / "example_models" for root in roots or ()]


def _parsed(name: str, text: str) -> Network:
    try:
        body = json.loads(text)
        nodes = tuple(str(node) for node in body["nodes"])
        place = {node: index for index, node in enumerate(nodes)}
        edges = tuple(
            (place[parent], place[node], float(given["coefficients"][parent][0]))
            for node, given in body["cpds"].items()
            for parent in given["parents"]
        )
        variances = tuple(float(body["cpds"][node]["variance"][0]) for node in nodes)
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise BadDocument("network", f"{name}: {type(error).__name__} {error}") from None
    return Network(name, nodes, edges, variances)


@dataclass(frozen=True)
class Hiding:
    """Draws of a network with a share of its nodes hidden; truth is the latent projection.

    A seed chooses the hidden nodes, the order of the columns and the rows.
    """

    network: Network
    share: float
    n: int = ROWS
    scale: bool = False

    def __call__(self, seed: int) -> Case:
        """The draw of that seed."""
        rng = np.random.default_rng([DOMAIN, seed])
        p = len(self.network.nodes)
        order = rng.permutation(p)
        count = math.floor(p * self.share + 0.5)
        gone, kept = order[:count], order[count:]
        B, variances = self.network.weights, np.array(self.network.variances)
        E = rng.standard_normal((self.n, p)) * np.sqrt(variances)
        X = np.linalg.solve((np.eye(p) - B).T, E.T).T[:, kept]
        weights, Omega = projected(B, np.diag(variances), gone, kept)
        names = np.array(self.network.nodes)
        whole = MixedGraph.from_matrices(B, names=self.network.nodes)
        truth = latent_projection(whole, names[gone].tolist())
        graph = MixedGraph(names[kept].tolist(), truth.directed, truth.bidirected)
        arcs = graph.bidirected_matrix | np.eye(p - count, dtype=bool)
        case = Case(
            Table(X, graph.names),
            graph,
            np.where(graph.directed_matrix, weights, 0.0),  # rounding is not an edge
            np.where(arcs, Omega, 0.0),
            latents=count,
            density=_reach(B, gone, kept),
        )
        return scaled(case) if self.scale else case


def projected(
    B: Array, Omega: Array, gone: npt.NDArray[np.intp], kept: npt.NDArray[np.intp]
) -> tuple[Array, Array]:
    """B_oo + B_oh (I - B_hh)^-1 B_ho, and the covariance of e_o + e_h (I - B_hh)^-1 B_ho.

    B, Omega (p, p); gone h and kept o are positions. Substitution of x_h into the equations of x_o.
    """
    oo, oh, hh = (np.ix_(kept, kept), np.ix_(kept, gone), np.ix_(gone, gone))
    M = np.linalg.solve(np.eye(len(gone)) - B[hh], B[np.ix_(gone, kept)])
    cross = Omega[oh] @ M
    return B[oo] + B[oh] @ M, Omega[oo] + cross + cross.T + M.T @ Omega[hh] @ M


def _reach(B: Array, gone: npt.NDArray[np.intp], kept: npt.NDArray[np.intp]) -> float:
    """Mean share of the kept columns that are children of a hidden one; 0 without hidden ones."""
    return float((B[np.ix_(gone, kept)] != 0).mean()) if len(gone) else 0.0


def network_designs(folder: Path) -> tuple[Design, ...]:
    """Every network, raw and scaled, with rising shares of hidden nodes."""
    found = []
    for name in NETWORKS:
        network = read_network(name, folder)
        for scale in (False, True):
            facet = "scaled" if scale else "raw"
            for share in HIDDEN:
                axis = f"{name}, {share:.0%} hidden"
                make = Hiding(network, share, scale=scale)
                found.append(Design(f"{axis}, {facet}", axis, make, facet))
    return tuple(found)
