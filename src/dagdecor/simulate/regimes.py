"""The regimes that accuracy is reported on: their sizes, their options, and their laws."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from dagdecor.errors import OptionError
from dagdecor.simulate.laws import Latents, Law, Marks, four_node_law, latent_law, mixed_law

DENSITY = 0.1  # of directed edges, where p is 20


@dataclass(frozen=True)
class Regime:
    """One row of the table: `law(rng, p, **options)`, default sizes, and what may be chosen.

    Parameters
    ----------
    summary
        One line for a person.
    law
        Draws the parameters, columns in causal order.
    p, smallest
        Columns, and the fewest that the design allows.
    n
        Rows, from p.
    options
        What `draw` may set beside n.
    names
        Of the columns, for a case without chance; otherwise x0, x1, ... in a random order.
    """

    summary: str
    law: Callable[..., Law]
    p: int = 20
    smallest: int = 2
    n: Callable[[int], int] = lambda _: 1000
    options: tuple[str, ...] = ("p",)
    names: tuple[str, ...] = ()


def _paper(rng: np.random.Generator, p: int, density: float = 0.4) -> Law:
    if not 0 <= density <= 1:
        raise OptionError("density", density, "a number from 0 to 1")
    return latent_law(rng, p, DENSITY, Latents(5, _share(p, density), 0.15))


def _local(rng: np.random.Generator, p: int) -> Law:
    return latent_law(rng, p, DENSITY, Latents(10, 2, 0.7))


def _moderate(rng: np.random.Generator, p: int) -> Law:
    return latent_law(rng, p, DENSITY, Latents(5, 4, 0.5))


def _pervasive(rng: np.random.Generator, p: int) -> Law:
    return latent_law(rng, p, DENSITY, Latents(3, _share(p, 0.8), 0.5))


def _wide(rng: np.random.Generator, p: int) -> Law:
    one_edge_a_node = 2 / (p - 1)
    return latent_law(rng, p, one_edge_a_node, Latents(p // 10, 3, 0.7))


def _abic(rng: np.random.Generator, p: int) -> Law:
    total = min(2 * p, p * (p - 1) // 2)
    directed = round(0.6 * total)
    return mixed_law(rng, p, Marks(directed, total - directed, (0.5, 2.0), (0.4, 0.7), (0.7, 1.2)))


def _rbap(rng: np.random.Generator, p: int, edges: int | None = None) -> Law:
    most = p * (p - 1) // 4
    count = p if edges is None else edges
    if not 0 <= count <= most:
        raise OptionError(
            "edges", count, f"0 to {most}: {p} columns have {p * (p - 1) // 2} pairs to hold both"
        )
    return mixed_law(rng, p, Marks(count, count, (0.6, 1.0), (0.3, 0.5), (1.0, 1.0)))


def _four_node(_: np.random.Generator, p: int) -> Law:  # noqa: ARG001 - p is 4
    return four_node_law()


def _share(p: int, part: float) -> int:
    """floor(p part), where .29 of 100 is 29 although its product in floats is less."""
    return math.floor(p * part + 1e-9)


def latent_regime(
    summary: str, probability: float, latents: Latents, *, p: int = 20, n: int = 200
) -> Regime:
    """The design of "paper" with other numbers: edges of that probability, those hidden causes.

    >>> four = latent_regime("four causes", 0.1, Latents(count=4, nodes=5, deviation=0.5))
    >>> four.p, four.n(four.p)
    (20, 200)
    """
    if not 0 <= probability <= 1:
        raise OptionError("probability", probability, "a number from 0 to 1")
    if not 0 <= latents.nodes <= p:
        raise OptionError("nodes", latents.nodes, f"0 to {p}, the number of columns")

    def law(rng: np.random.Generator, p: int) -> Law:
        return latent_law(rng, p, probability, latents)

    return Regime(summary, law, p=p, n=lambda _: n, options=())


REGIMES: Mapping[str, Regime] = MappingProxyType(
    {
        "paper": Regime(
            "weak confounding of chosen density, as in the source paper",
            _paper,
            n=lambda _: 200,
            options=("p", "density"),
        ),
        "local": Regime("strong hidden causes of two columns each", _local),
        "moderate": Regime("hidden causes of four columns each", _moderate, smallest=4),
        "pervasive": Regime("hidden causes of most columns", _pervasive),
        "abic": Regime("bow-free graphs of average degree 4, strong weights", _abic, p=10),
        "rbap": Regime(
            "bow-free graphs with as many bidirected edges as edges",
            _rbap,
            p=10,
            smallest=5,
            options=("p", "edges"),
        ),
        "wide": Regime("fewer rows than columns", _wide, p=100, smallest=50, n=lambda p: p // 2),
    }
)

CASES: Mapping[str, Regime] = MappingProxyType(
    {
        **REGIMES,
        "four-node": Regime(
            "A -> B -> C -> D with B <-> D",
            _four_node,
            p=4,
            options=(),
            names=("A", "B", "C", "D"),
        ),
    }
)
