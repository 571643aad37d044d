"""What a report says, as one frozen value: whoever knows more than the fit hands it in here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from dagdecor.evidence import MARKS, Shares
from dagdecor.fit import Fit

if TYPE_CHECKING:
    import pandas as pd

Array = npt.NDArray[np.float64]
OF_SEARCH = (
    "the share of graphs with this mark, among graphs weighted by their score in the search; "
    "where the search chose explicit hidden causes by itself, the mean under both noise models. "
    "It tells how sure the search is, not that its model is right"
)


@dataclass(frozen=True)
class EdgeRow:
    """A mark of the graph with its number, and what is known about it.

    Parameters
    ----------
    first, second, kind
        The names, and "directed" (first -> second) or "bidirected" (first <-> second).
    value
        The effect B_ij, or the noise covariance Omega_ij.
    strength
        Between columns of unit variance: the standardised effect, or the noise correlation.
    error
        Standard error of `value`.
    confidence
        From 0 to 1; what it means is said once, in `Content.meaning`.
    shares
        Of the pair's four marks, read from first to second: none, ->, <-, <->.
    as_good
        Other marks of the pair that fit about as well, read from first to second; None where
        nobody asked.
    """

    first: str
    second: str
    kind: Literal["directed", "bidirected"]
    value: float
    strength: float
    error: float | None = None
    confidence: float | None = None
    shares: tuple[float, float, float, float] | None = None
    as_good: tuple[str, ...] | None = None

    @property
    def mark(self) -> str:
        """-> or <->."""
        return "->" if self.kind == "directed" else "<->"


@dataclass(frozen=True)
class Finding:
    """One sentence about the data, from a diagnosis."""

    level: Literal["fine", "note", "warning"]
    sentence: str


@dataclass(frozen=True, eq=False)
class Content:
    """Everything that a report shows; None where nobody asked the question.

    Parameters
    ----------
    fit
        The fit.
    edges
        Its marks, effects before hidden causes, strongest first.
    title
        A line for the top; the data file's name, say.
    meaning
        What `confidence` of an edge counts, in a sentence without its full stop.
    findings
        The diagnosis of the data.
    """

    fit: Fit
    edges: tuple[EdgeRow, ...]
    title: str = ""
    meaning: str = ""
    findings: tuple[Finding, ...] | None = None

    def frame(self) -> pd.DataFrame:
        """The edges as a table, a row a mark."""
        import pandas as pd

        columns = ["from", "mark", "to", "value", "strength", "error", "confidence", "as good"]
        rows = [
            (e.first, e.mark, e.second, e.value, e.strength, e.error, e.confidence, _listed(e))
            for e in self.edges
        ]
        frame = pd.DataFrame(rows, columns=columns, dtype=object)  # strings refuse lone surrogates
        numbers = dict.fromkeys(("value", "strength", "error", "confidence"), float)
        typed: pd.DataFrame = frame.astype(numbers)
        return typed


def content(
    fit: Fit,
    *,
    errors: tuple[Array, Array] | None = None,
    confidence: Shares | None = None,
    meaning: str = "",
    findings: Sequence[Finding] | None = None,
    as_good: Mapping[tuple[str, str, str], Sequence[str]] | None = None,
    title: str = "",
) -> Content:
    """Put together what is known about a fit.

    Parameters
    ----------
    fit
        The fit.
    errors
        Standard errors of B and of Omega, (p, p) each; NaN where there is none.
    confidence
        Shares of marks, from resampling for instance; without it, those of the search if the fit
        has them.
    meaning
        What these shares count, in a sentence; needed with `confidence`.
    findings, title
        As in `Content`.
    as_good
        By (first, mark, second), the other marks of the pair that fit about as well: none, ->,
        <- or <->, read from first to second. An edge that is not named has none. Without it,
        those of the fit if it has them.
    """
    shares = fit.shares if confidence is None else confidence
    searched = OF_SEARCH if shares is not None else ""
    return Content(
        fit=fit,
        edges=edge_rows(fit, errors, shares, as_good),
        title=title,
        meaning=searched if confidence is None else meaning,
        findings=None if findings is None else tuple(findings),
    )


def edge_rows(
    fit: Fit,
    errors: tuple[Array, Array] | None = None,
    shares: Shares | None = None,
    as_good: Mapping[tuple[str, str, str], Sequence[str]] | None = None,
) -> tuple[EdgeRow, ...]:
    """The marks of a fit, effects before hidden causes, strongest first."""
    place = {name: index for index, name in enumerate(fit.graph.names)}
    found: list[EdgeRow] = []
    for kind, edges, values, strengths, error in (
        ("directed", fit.graph.directed, fit.weights, fit.standardised_weights, 0),
        ("bidirected", fit.graph.bidirected, fit.noise_covariance, fit.noise_correlation, 1),
    ):
        rows = []
        for first, second in edges:
            pair = (place[first], place[second])
            known = None if shares is None else shares.of(first, second)
            mark = "->" if kind == "directed" else "<->"
            rows.append(
                EdgeRow(
                    first,
                    second,
                    kind,  # type: ignore[arg-type]
                    float(values[pair]),
                    float(strengths[pair]),
                    None if errors is None else _number(errors[error][pair]),
                    None if known is None else known[mark],
                    None if known is None else tuple(known[each] for each in MARKS),  # type: ignore[arg-type]
                    _as_good(fit, as_good, (first, mark, second)),
                )
            )
        rows.sort(key=lambda row: -abs(row.strength))
        found += rows
    return tuple(found)


def _as_good(
    fit: Fit,
    told: Mapping[tuple[str, str, str], Sequence[str]] | None,
    edge: tuple[str, str, str],
) -> tuple[str, ...] | None:
    if told is not None:
        return tuple(told.get(edge, ()))
    first, mark, second = edge
    return None if fit.alternatives is None else fit.rivals(first, second, mark)


def _listed(row: EdgeRow) -> str | None:
    return None if row.as_good is None else ", ".join(row.as_good)


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
