"""The studies by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from dagdecor.errors import OptionError, named
from dagdecor.simulate import Latents
from dagdecor.study.designs import Design, FromLatents, FromRegime, confounding, regime

DENSITIES = (0.0, 0.2, 0.4, 0.6, 0.8)
DATA = Path("data")  # where `dagdecor data` writes unless it is told otherwise
QUICK_DRAWS, QUICK_LIMIT = 2, 10.0


@dataclass(frozen=True)
class Study:
    """Designs along an axis.

    Parameters
    ----------
    name, summary
        What it is called, and one line for a person.
    axis
        What varies, as a figure's label says it.
    designs
        Their `axis` values are all numbers, or all words.
    """

    name: str
    summary: str
    axis: str
    designs: tuple[Design, ...]

    @property
    def ordered(self) -> bool:
        """Whether the axis is one of numbers."""
        return all(isinstance(design.axis, int | float) for design in self.designs)

    @property
    def values(self) -> tuple[float | str, ...]:
        """The places on the axis, in the order of the designs."""
        return tuple(dict.fromkeys(design.axis for design in self.designs))

    def at(self, values: Sequence[float | str]) -> Study:
        """The same study at these places of its axis only."""
        for value in values:
            if value not in self.values:
                allowed = ", ".join(f"{other}" for other in self.values)
                raise OptionError("at", value, f"places of the axis {self.axis!r}: {allowed}")
        kept = tuple(design for design in self.designs if design.axis in values)
        return replace(self, designs=kept)

    def quick(self) -> Study:
        """First, middle and last place of an axis of numbers; of one of words all."""
        if not self.ordered or len(self.values) <= 3:
            return self
        values = self.values
        return self.at([values[0], values[len(values) // 2], values[-1]])


@dataclass(frozen=True)
class Plan:
    """A study before its data are read: summary, axis, and how its designs are made."""

    summary: str
    axis: str
    designs: Callable[[Path], Sequence[Design]]


def named_study(name: str, data: Path = DATA) -> Study:
    """The study of that name; `data` is the folder that `dagdecor data` wrote to."""
    if name not in STUDIES:
        raise OptionError("study", name, f"one of {named(STUDIES, limit=len(STUDIES))}")
    plan = STUDIES[name]
    return Study(name, plan.summary, plan.axis, tuple(plan.designs(data)))


def _regimes(*, scale: bool) -> tuple[Design, ...]:
    labelled: list[tuple[str, str, dict[str, Any]]] = [
        ("paper", "paper", {}),
        ("local", "local", {}),
        ("moderate", "moderate, n 200", {"n": 200}),
        ("moderate", "moderate, n 1000", {"n": 1000}),
        ("pervasive", "pervasive, n 200", {"n": 200}),
        ("pervasive", "pervasive, n 1000", {"n": 1000}),
        ("abic", "abic, p 10", {"p": 10}),
        ("abic", "abic, p 15", {"p": 15}),
        ("rbap", "rbap, p 6, 3 edges", {"p": 6, "edges": 3}),
        ("rbap", "rbap, p 8, 12 edges", {"p": 8, "edges": 12}),
        ("rbap", "rbap, p 10, n 500", {"p": 10, "n": 500}),
        ("rbap", "rbap, p 10, n 50000", {"p": 10, "n": 50_000}),
        ("wide", "wide, p 50", {"p": 50}),
    ]
    return tuple(regime(name, label, scale=scale, **more) for name, label, more in labelled)


def _graph_densities(_: Path) -> list[Design]:
    return [
        Design(f"graph density {density:g}", density, FromLatents(density, Latents(5, 8, 0.15)))
        for density in (0.05, 0.1, 0.2, 0.3, 0.4)
    ]


def _ranks(_: Path) -> list[Design]:
    return [
        Design(f"{rank} hidden causes", rank, FromLatents(0.1, Latents(rank, 8, 0.15)))
        for rank in (1, 3, 5, 10, 15)
    ]


def _dimensions(_: Path) -> list[Design]:
    return [
        Design(f"wide, p {p}", p, FromRegime("wide", p // 10, 3 / p, {"p": p}))
        for p in (50, 100, 200, 500)
    ]


def _networks(data: Path) -> Sequence[Design]:
    from dagdecor.study.networks import network_designs

    return network_designs(data)


def _sachs(data: Path) -> Sequence[Design]:
    from dagdecor.study.sachs import sachs_designs

    return sachs_designs(data)


STUDIES: Mapping[str, Plan] = MappingProxyType(
    {
        "paper": Plan(
            "the paper's comparison: p 20, n 200, 5 weak hidden causes of rising reach",
            "confounding density",
            lambda _: [confounding(density) for density in DENSITIES],
        ),
        "paper-scaled": Plan(
            "the same on columns of unit variance",
            "confounding density",
            lambda _: [confounding(density, scale=True) for density in DENSITIES],
        ),
        "regimes": Plan(
            "every regime of dagdecor.simulate, raw", "regime", lambda _: _regimes(scale=False)
        ),
        "scaled": Plan(
            "every regime on columns of unit variance", "regime", lambda _: _regimes(scale=True)
        ),
        "graph-density": Plan(
            "the paper's design with rising density of directed edges",
            "density of directed edges",
            _graph_densities,
        ),
        "rank": Plan(
            "the paper's design with a rising number of hidden causes", "hidden causes", _ranks
        ),
        "dimension": Plan(
            "twice as many columns as rows, one edge a column, strong local hidden causes",
            "columns (rows: half as many)",
            _dimensions,
        ),
        "networks": Plan(
            "networks fitted to real tables, with nodes hidden at random",
            "network and share of its nodes that is hidden",
            _networks,
        ),
        "sachs": Plan(
            "the protein table of Sachs et al. against its consensus graph of 20 edges",
            "treatment of the columns",
            _sachs,
        ),
    }
)
