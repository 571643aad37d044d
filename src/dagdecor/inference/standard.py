"""Standard errors of B and Omega on the fitted graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dagdecor.errors import NoStandardErrors, OptionError
from dagdecor.fit import Fit
from dagdecor.graph import MixedGraph
from dagdecor.inference.information import Free, Inverse, curvature, inverse

if TYPE_CHECKING:
    import pandas as pd

Array = npt.NDArray[np.float64]

DISTANCE = 0.01  # log-likelihood that a Newton step may still gain at what is called a maximum


@dataclass(frozen=True, eq=False)
class StandardErrors:
    """Standard errors of maximum likelihood on a given graph; arrays are read-only.

    Parameters
    ----------
    graph, n
        The graph that is held fixed, and the rows.
    weights, noise_covariance
        (p, p) standard errors of B and of Omega: zero where the graph fixes the entry, NaN where
        the data do not determine it.
    estimates
        (m,) the free values: a weight an edge, a covariance an arc, a variance a column, in the
        order of `graph.directed`, `graph.bidirected` and `graph.names`.
    covariance
        (m, m) their asymptotic covariance; rows of values that are not determined are NaN.
    status
        A sentence: whether the data determine every value, and which not.
    """

    graph: MixedGraph
    n: int
    weights: Array
    noise_covariance: Array
    estimates: Array
    covariance: Array
    status: str

    def __post_init__(self) -> None:
        for name in ("weights", "noise_covariance", "estimates", "covariance"):
            getattr(self, name).flags.writeable = False

    @property
    def identified(self) -> bool:
        """Whether the data determine every value on the graph."""
        return not bool(np.isnan(self.covariance).any())

    def to_frame(self, level: float = 0.95) -> pd.DataFrame:
        """A row a free value: a, mark, b, estimate, error, and the interval of that level."""
        import pandas as pd

        marks = [(a, "->", b) for a, b in self.graph.directed]
        marks += [(a, "<->", b) for a, b in self.graph.bidirected]
        marks += [(a, "variance", a) for a in self.graph.names]
        frame: pd.DataFrame = pd.DataFrame(marks, columns=["a", "mark", "b"])
        frame["estimate"], frame["error"] = self.estimates, np.sqrt(np.diag(self.covariance))
        reach = quantile(level) * frame["error"]
        frame["lower"], frame["upper"] = frame["estimate"] - reach, frame["estimate"] + reach
        return frame

    def __str__(self) -> str:
        table = self.to_frame().to_string(index=False, float_format=lambda x: f"{x:.4g}")
        return f"{table}\n{self.status}"


def standard_errors(fit: Fit) -> StandardErrors:
    """sqrt(diag((n H / 2)^-1)), H the second derivative of the deviance at the fit.

    The observed information of the Gaussian likelihood on the graph of the fit. The graph is held
    fixed: that it was selected from the same data is not accounted for.

    Parameters
    ----------
    fit
        A maximum-likelihood fit that keeps its sample covariance, as `Decor` and `refit` return
        it.

    Examples
    --------
    >>> import dagdecor as dd
    >>> S = [[1.0, 0.8], [0.8, 1.64]]
    >>> moments = dd.Moments.from_covariance(S, n=100, names=["a", "b"])
    >>> fit = dd.refit(moments, dd.MixedGraph(["a", "b"], directed=[("a", "b")]))
    >>> float(dd.standard_errors(fit).weights[0, 1].round(6))  # sqrt(1 / (100 * 1))
    0.1
    """
    free, found = determined(fit)
    rows = np.where(found.known, 0.0, np.nan)
    covariance = found.covariance + rows + rows[:, None]
    errors = np.sqrt(np.diag(covariance))
    p, e = len(fit.graph.names), len(free.edges)
    weights, noise = np.zeros((2, p, p))
    weights[tuple(free.edges.T)] = errors[:e]
    noise[tuple(free.pairs.T)] = noise[tuple(free.pairs.T[::-1])] = errors[e:]
    values = free.values(fit.weights, fit.noise_covariance)
    return StandardErrors(
        fit.graph, fit.n, weights, noise, values, covariance, _status(fit.graph, found)
    )


def errors_of(fit: Fit) -> tuple[Array, Array] | None:
    """Standard errors of B and of Omega for a report; None where the fit has none."""
    try:
        found = standard_errors(fit)
    except NoStandardErrors:
        return None
    return found.weights, found.noise_covariance


def determined(fit: Fit) -> tuple[Free, Inverse]:
    """The free values and their covariance; refuses a fit that is no maximum of its likelihood."""
    if fit.sample_covariance is None:
        raise NoStandardErrors("it was written without its sample covariance: fit the table again")
    free = Free.of(fit.graph)
    slope, hessian = curvature(fit.sample_covariance, fit.weights, fit.noise_covariance, free)
    found = inverse(hessian, fit.n)
    # A Newton step on n f / 2 gains g' H^-1 g n / 4 = (n/2)^2 g' C g / 2.
    gain = (fit.n / 2) ** 2 * float(slope @ found.covariance @ slope) / 2
    if found.lowest < -1e-6 or not gain < DISTANCE:
        raise NoStandardErrors(
            "it is no maximum of the likelihood on its graph (penalised, cut, or not converged): "
            "use refit=True, or `dagdecor.refit` on its graph"
        )
    return free, found


def quantile(level: float) -> float:
    """z with P(|N(0, 1)| <= z) = level."""
    from scipy.special import ndtri

    if isinstance(level, bool) or not 0 < level < 1:
        raise OptionError("level", level, "a number between 0 and 1, such as 0.95")
    return float(ndtri(0.5 + level / 2))


def _status(graph: MixedGraph, found: Inverse) -> str:
    if found.known.all():
        return (
            "the data determine every value on this graph; errors hold the graph fixed and do "
            "not account for its selection"
        )
    labels = [f"{a} -> {b}" for a, b in graph.directed]
    labels += [f"{a} <-> {b}" for a, b in graph.bidirected]
    labels += [f"variance of {a}" for a in graph.names]
    lost = [label for label, known in zip(labels, found.known, strict=True) if not known]
    shown = ", ".join(lost[:6]) + (f" and {len(lost) - 6} more" if len(lost) > 6 else "")
    return f"the information is singular: the data do not determine {shown}; their errors are NaN"
