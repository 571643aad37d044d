"""A seed becomes a table with the graph and the parameters that made it."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dagdecor.errors import OptionError, named
from dagdecor.graph import MixedGraph, default_names
from dagdecor.simulate.laws import Law
from dagdecor.simulate.regimes import CASES, Regime

if TYPE_CHECKING:
    import pandas as pd

LARGEST = 20_000  # columns; no table with more is ever read
# Keeps these streams apart from those of other generators that start from the same small seed,
# such as a bootstrap of the very table that is drawn here.
DOMAIN = 0x6465636F72


@dataclass(frozen=True, eq=False)
class Draw:
    """A table and its truth: rows of `values` follow x = x B + e, e ~ N(0, Omega).

    Parameters
    ----------
    regime, seed
        Where it came from.
    graph
        The true graph; its names are the columns'.
    values
        (n, p) the rows.
    weights
        (p, p) B; [i, j] is the direct effect of i on j, in the units of the table.
    noise_covariance
        (p, p) Omega, in the units of the table; exactly zero off the graph.
    """

    regime: str
    seed: int
    graph: MixedGraph
    values: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    noise_covariance: npt.NDArray[np.float64]

    def __post_init__(self) -> None:
        for name in ("values", "weights", "noise_covariance"):
            array = np.array(getattr(self, name), dtype=np.float64)
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.values)

    @property
    def X(self) -> pd.DataFrame:  # noqa: N802 - the table's name everywhere
        """The rows as a new frame at each call, so that no caller can change the truth."""
        import pandas as pd

        frame: pd.DataFrame = pd.DataFrame(self.values, columns=list(self.graph.names), copy=True)
        return frame

    @property
    def covariance(self) -> npt.NDArray[np.float64]:
        """(p, p) Sigma = (I-B)^-T Omega (I-B)^-1, the law of a row."""
        T = np.linalg.inv(np.eye(len(self.weights)) - self.weights)
        return np.asarray(T.T @ self.noise_covariance @ T)


def draw(
    regime: str | Regime,
    seed: int = 0,
    *,
    scaled: bool = False,
    n: int | None = None,
    p: int | None = None,
    density: float | None = None,
    edges: int | None = None,
) -> Draw:
    """Draw a confounded table of one of the `REGIMES`, or of the case "four-node".

    The columns stand in a random order, so that they say nothing about the causal one. The graph
    depends on the seed and the options, never on n or on `scaled`.

    Parameters
    ----------
    regime
        A name of `REGIMES`, or a `Regime` of your own.
    seed
        The same regime, options and seed give the same bytes on the same machine.
    scaled
        Divide each column by its sample standard deviation (divisor n); B and Omega follow.
    n, p
        Rows and columns; each regime has its own defaults.
    density
        "paper" only: the share of columns that a hidden cause loads on (default .4).
    edges
        "rbap" only: the number of edges, and of bidirected edges (default p).

    Examples
    --------
    >>> sample = draw("local", seed=0)
    >>> sample.X.shape, sample.graph.is_bow_free
    ((1000, 20), True)
    """
    label, case = _labelled(regime)
    options = {"p": p, "density": density, "edges": edges}
    given = {name: value for name, value in options.items() if value is not None}
    for name, value in given.items():
        if name not in case.options:
            having = [other for other, held in CASES.items() if name in held.options]
            raise OptionError(name, value, f"it with {named(having)}: {label!r} does not have it")
    columns = _whole("p", given.pop("p", case.p), case.smallest, LARGEST)
    rows = _whole("n", case.n(columns) if n is None else n, 2)
    if edges is not None:
        given["edges"] = _whole("edges", edges, 0)
    number = _whole("seed", seed, 0)
    structure, sampling = (
        np.random.default_rng(stream)
        for stream in np.random.SeedSequence([DOMAIN, number]).spawn(2)
    )
    names, law = _named_law(structure, case, columns, given)
    values = _rows(sampling, law, rows)
    if scaled:
        values, law = _unit_variance(values, law)
    graph = MixedGraph.from_matrices(law.B, law.Omega, names)
    return Draw(label, number, graph, values, law.B, law.Omega)


def four_node(seed: int = 0, n: int = 1000) -> Draw:
    """A -> B -> C -> D, B <-> D; weights 1, -1.5, 1, variances 1.2, 1, 1, 1, covariance .6.

    The case of the ABIC literature (Bhattacharya et al. 2021).
    """
    return draw("four-node", seed, n=n)


def _labelled(regime: str | Regime) -> tuple[str, Regime]:
    """The regime, and what a draw from it is called."""
    if isinstance(regime, Regime):
        return regime.summary, regime
    if regime not in CASES:
        raise OptionError("regime", regime, f"one of {named(CASES)}")
    return regime, CASES[regime]


def _named_law(
    rng: np.random.Generator, case: Regime, p: int, options: dict[str, float]
) -> tuple[tuple[str, ...], Law]:
    """Names, and the law with its columns in their final order."""
    if case.names:
        return case.names, case.law(rng, p)
    place = rng.permutation(p)  # before the law: densities of one seed share order and edges
    law = case.law(rng, p, **options)
    at = np.ix_(place, place)
    return default_names(p), Law(law.B[at], law.Omega[at])


def _rows(rng: np.random.Generator, law: Law, n: int) -> npt.NDArray[np.float64]:
    """X (n, p) = E (I-B)^-1, the rows of E independent N(0, Omega)."""
    p = len(law.B)
    E = rng.standard_normal((n, p)) @ np.linalg.cholesky(law.Omega).T
    return np.asarray(np.linalg.solve((np.eye(p) - law.B).T, E.T).T)


def _unit_variance(X: npt.NDArray[np.float64], law: Law) -> tuple[npt.NDArray[np.float64], Law]:
    """X_ij / s_j, B_ij s_i / s_j, Omega_ij / (s_i s_j), s the deviations with divisor n."""
    s = X.std(axis=0)
    return X / s, Law(law.B * s[:, None] / s, law.Omega / np.outer(s, s))


def _whole(option: str, value: float, least: int, most: int | None = None) -> int:
    """The option as an int, or the sentence that says what it may be."""
    allowed = f"a whole number {f'from {least} to {most}' if most else f'not below {least}'}"
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise OptionError(option, value, allowed) from None
    if isinstance(value, bool) or number < least or (most is not None and number > most):
        raise OptionError(option, value, allowed)
    return number
