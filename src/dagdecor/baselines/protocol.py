"""What every rival is: a name, the facts of its setting, and data in, a mixed graph out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from dagdecor.certificate import Certificate, Status
from dagdecor.data import Table, table
from dagdecor.errors import DataError, MissingPackage, OptionError
from dagdecor.graph import MixedGraph
from dagdecor.moments import Moments

Array = npt.NDArray[np.float64]
FACTS = ("latents", "density")  # of the design; only rivals that are told them may use them


@dataclass(frozen=True, eq=False)
class Found:
    """What a rival returned.

    Parameters
    ----------
    graph
        Its graph; bidirected edges where the method knows them.
    weights, noise_covariance
        (p, p) B with [i, j] for i -> j, and Omega, zero off the graph, where the method has them.
    status
        How its solver ended; None where the method or its package does not say.
    statement
        The certificate, or what the method says about its end, in a sentence.
    """

    graph: MixedGraph
    weights: Array | None = None
    noise_covariance: Array | None = None
    status: Status | None = None
    statement: str = ""

    def __post_init__(self) -> None:
        for name in ("weights", "noise_covariance"):
            given = getattr(self, name)
            if given is not None:
                array = np.array(given, dtype=np.float64)
                array.flags.writeable = False
                object.__setattr__(self, name, array)

    @classmethod
    def certified(
        cls, graph: MixedGraph, certificate: Certificate, weights: Array | None = None
    ) -> Found:
        """A result with the status and the sentence of a certificate."""
        return cls(graph, weights, None, certificate.status, str(certificate))


@dataclass(frozen=True)
class Setting:
    """The facts that move scores by more than methods differ, as a table states them."""

    loss: str
    penalty: str
    threshold: str = "none"
    centring: str = "columns centred"


@dataclass(frozen=True)
class Baseline:
    """A rival with one setting.

    Parameters
    ----------
    name
        Lower case, words joined by dashes; `-paper` marks the paper's shared setting.
    summary
        One line for a person.
    method
        (data, **given) -> Found, where data is what `needs` says and `given` what `takes` says.
    setting
        Loss scale, penalty, threshold, centring.
    needs
        "moments" or "table": whether second moments suffice.
    takes
        Which of latents (number of hidden causes), density (share of columns under each) and
        random_state the method is given. The first two are facts of the design: an oracle's.
    packages, extra
        Modules that must be importable, and the optional extra that brings them.
    latent
        Whether the method can return bidirected edges.
    """

    name: str
    summary: str
    method: Callable[..., Found]
    setting: Setting
    needs: str = "moments"
    takes: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    extra: str = ""
    latent: bool = False

    @property
    def told(self) -> tuple[str, ...]:
        """The facts of the design that the method is told and no user would know."""
        return tuple(fact for fact in self.takes if fact in FACTS)

    @property
    def missing(self) -> tuple[str, ...]:
        """Modules that are needed and absent; without them `fit` raises MissingPackage."""
        return tuple(name for name in self.packages if find_spec(name) is None)

    def fit(
        self,
        data: object,
        *,
        latents: int | None = None,
        density: float | None = None,
        random_state: int = 0,
    ) -> Found:
        """Run the method on a `Table`, `Moments`, a DataFrame or an array.

        `latents` and `density` are read only by methods that are told them, `random_state` by
        methods that draw random numbers.
        """
        for package in self.missing:
            raise MissingPackage(package, f"the baseline {self.name!r}", self.extra)
        facts: dict[str, Any] = {"latents": latents, "density": density}
        for fact in self.told:
            if facts[fact] is None:
                raise OptionError(fact, None, f"a number: {self.name!r} is told it")
        given = {**facts, "random_state": random_state}
        return self.method(
            self._read(data), **{name: value for name, value in given.items() if name in self.takes}
        )

    def _read(self, data: object) -> Table | Moments:
        if self.needs == "moments":
            return data if isinstance(data, Moments) else Moments.from_data(data)
        if isinstance(data, Moments):
            raise DataError(
                f"the baseline {self.name!r} needs the rows of the table, and was given Moments"
            )
        return data if isinstance(data, Table) else table(data)


def by_name(baselines: Sequence[Baseline]) -> dict[str, Baseline]:
    """Baselines by name; two of one name are refused."""
    found: dict[str, Baseline] = {}
    for baseline in baselines:
        if baseline.name in found:
            raise OptionError("name", baseline.name, "a name that no other baseline has")
        found[baseline.name] = baseline
    return found
