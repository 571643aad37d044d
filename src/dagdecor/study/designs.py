"""Where the tables of a study come from: a seed in, a table with its truth out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from dagdecor.data import Table
from dagdecor.graph import MixedGraph
from dagdecor.simulate import Draw, Latents, draw, latent_regime

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Case:
    """A table, its truth, and what some methods are told about it.

    Parameters
    ----------
    table, graph
        The rows, and the true graph over their columns.
    weights, noise_covariance
        (p, p) true B and Omega in the table's units, where they are known.
    latents, density
        Number of hidden causes and share of columns under each, for methods that are told them.
    arcs_known
        False where the truth says nothing about hidden causes: no bidirected score then.
    """

    table: Table
    graph: MixedGraph
    weights: Array | None = None
    noise_covariance: Array | None = None
    latents: int | None = None
    density: float | None = None
    arcs_known: bool = True


@dataclass(frozen=True)
class Design:
    """One place on the axis of a study.

    Parameters
    ----------
    name
        Unique within the study: rows are found again by it.
    axis
        Where its scores stand: a number, or a word for designs without an order.
    make
        seed -> Case; the same seed gives the same case in any process.
    facet
        Designs of one facet share a table and a picture.
    most_draws
        How many different draws there are; None for any number.
    """

    name: str
    axis: float | str
    make: Callable[[int], Case]
    facet: str = "raw"
    most_draws: int | None = None


@dataclass(frozen=True)
class FromRegime:
    """Draws of a regime of `dagdecor.simulate`, with the facts that hold for all of them."""

    regime: str
    latents: int
    density: float
    options: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, seed: int) -> Case:
        """The draw of that seed."""
        return _case(draw(self.regime, seed, **self.options), self.latents, self.density)


@dataclass(frozen=True)
class FromLatents:
    """Draws of the paper's design with other numbers of edges and hidden causes."""

    probability: float
    latents: Latents
    p: int = 20
    n: int = 200

    def __call__(self, seed: int) -> Case:
        """The draw of that seed."""
        regime = latent_regime("paper", self.probability, self.latents, p=self.p, n=self.n)
        return _case(draw(regime, seed), self.latents.count, self.latents.nodes / self.p)


def _case(drawn: Draw, latents: int, density: float) -> Case:
    return Case(
        Table(drawn.values, drawn.graph.names),
        drawn.graph,
        drawn.weights,
        drawn.noise_covariance,
        latents,
        density,
    )


def scaled(case: Case) -> Case:
    """The same case on columns of unit variance: X_ij / s_j, B_ij s_i / s_j, Omega_ij / (s_i s_j).

    s are the deviations of the table's own columns, with divisor n.
    """
    s = case.table.values.std(axis=0)
    B, Omega = case.weights, case.noise_covariance
    return Case(
        Table(case.table.values / s, case.table.names),
        case.graph,
        None if B is None else B * s[:, None] / s,
        None if Omega is None else Omega / np.outer(s, s),
        case.latents,
        case.density,
        case.arcs_known,
    )


# --- the regimes ---------------------------------------------------------------------------------


def regime(name: str, label: str = "", *, scale: bool = False, **options: Any) -> Design:
    """A design on the axis of regimes."""
    label = label or name
    facet = "scaled" if scale else "raw"
    latents, density = _facts(name, options)
    make = FromRegime(name, latents, density, {**options, **({"scaled": True} if scale else {})})
    return Design(f"{label}, {facet}", label, make, facet)


def confounding(density: float, *, scale: bool = False) -> Design:
    """A design on the paper's axis: the share of columns that each hidden cause loads on."""
    facet = "scaled" if scale else "raw"
    options = {"density": density, **({"scaled": True} if scale else {})}
    make = FromRegime("paper", 5, density, options)
    return Design(f"paper, density {density:g}, {facet}", density, make, facet)


def _facts(name: str, options: Mapping[str, Any]) -> tuple[int, float]:
    """(hidden causes, share of columns under each); an arc without a cause counts as one of two."""
    p = int(options.get("p", {"abic": 10, "rbap": 10, "wide": 100}.get(name, 20)))
    total = min(2 * p, p * (p - 1) // 2)
    arcs = {"abic": total - round(0.6 * total), "rbap": int(options.get("edges", p))}
    if name in arcs:
        return arcs[name], 2 / p
    return {
        "paper": (5, float(options.get("density", 0.4))),
        "local": (10, 0.1),
        "moderate": (5, 0.2),
        "pervasive": (3, 0.8),
        "wide": (p // 10, 3 / p),
    }[name]
