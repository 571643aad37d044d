"""The frozen value that comes out of an estimate: graph, matrices, proof, settings, version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dagdecor import __version__, document
from dagdecor.certificate import Certificate
from dagdecor.errors import BadDocument, GraphError
from dagdecor.evidence import Alternatives, Shares
from dagdecor.graph import MixedGraph
from dagdecor.missing import Missing
from dagdecor.moments import Moments, constant

if TYPE_CHECKING:
    import pandas as pd

VERSION = 1


@dataclass(frozen=True, eq=False)
class Fit:
    """A mixed graph with its parameters: x = mean + (x - mean) B + e, e ~ N(0, Omega).

    Parameters
    ----------
    graph
        The learned or given graph.
    weights
        (p, p) B; [i, j] is the direct effect of i on j.
    noise_covariance
        (p, p) Omega; positive definite, zero off the graph.
    mean
        (p,) the columns' means.
    n
        Rows that the estimate rests on.
    certificates
        What is proved about each step, by its name, in the order in which they ran.
    trace
        Objective after each half step of the alternation.
    verdict
        What the covariance can tell about the parameters, in a sentence (see `identifiability`).
    settings
        Every option and every number that "auto" was resolved to.
    sample_covariance
        (p, p) S of the table that was fitted, divisor n: what standard errors are computed from.
        None in a fit that was written without it.
    shares
        Posterior shares of every mark of every pair, from the search; None without a search.
        Where the search chose explicit hidden causes by itself, the mean under both noise models;
        the graph is decided under the chosen one alone.
    missing
        How empty cells were dealt with; None where there were none. After "em", `n` is what the
        rows are worth.
    alternatives
        How much worse the best graph with another mark on a pair fits, from the search; None
        where it was not computed.
    """

    graph: MixedGraph
    weights: npt.NDArray[np.float64]
    noise_covariance: npt.NDArray[np.float64]
    mean: npt.NDArray[np.float64]
    n: int
    certificates: Mapping[str, Certificate]
    trace: tuple[float, ...] = ()
    verdict: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    version: str = __version__
    sample_covariance: npt.NDArray[np.float64] | None = None
    shares: Shares | None = None
    missing: Missing | None = None
    alternatives: Alternatives | None = None

    def __post_init__(self) -> None:
        for name in ("weights", "noise_covariance", "mean", "sample_covariance"):
            if getattr(self, name) is None:
                continue
            object.__setattr__(self, name, constant(getattr(self, name)))

    @property
    def certificate(self) -> Certificate:
        """What is proved about the last step: the refit, unless it was switched off."""
        return list(self.certificates.values())[-1]

    @property
    def noise_precision(self) -> npt.NDArray[np.float64]:
        """(p, p) Theta = inv(Omega)."""
        return np.asarray(np.linalg.inv(self.noise_covariance))

    @property
    def covariance(self) -> npt.NDArray[np.float64]:
        """(p, p) Sigma = (I-B)^-T Omega (I-B)^-1, the law of a row."""
        T = np.linalg.inv(np.eye(len(self.weights)) - self.weights)
        return np.asarray(T.T @ self.noise_covariance @ T)

    @property
    def standardised_weights(self) -> npt.NDArray[np.float64]:
        """(p, p) B_ij sd_i / sd_j: effects between columns of unit variance."""
        scale = np.sqrt(np.diag(self.covariance))
        return np.asarray(self.weights * scale[:, None] / scale)

    @property
    def noise_correlation(self) -> npt.NDArray[np.float64]:
        """(p, p) Omega_ij / sqrt(Omega_ii Omega_jj)."""
        scale = np.sqrt(np.diag(self.noise_covariance))
        return np.asarray(self.noise_covariance / scale[:, None] / scale)

    @property
    def moments(self) -> Moments:
        """The moments of the table that was fitted, where S was kept."""
        if self.sample_covariance is None:
            raise GraphError("the fit was written without its sample covariance")
        return Moments(self.n, self.mean, self.sample_covariance, self.graph.names)

    @property
    def parameters(self) -> int:
        """Free numbers: one an edge, one an arc, one variance and one mean a column."""
        return len(self.graph.directed) + len(self.graph.bidirected) + 2 * len(self.graph.names)

    def log_likelihood(self, moments: Moments) -> float:
        """Mean log-likelihood of a row of the table that `moments` came from.

        -(p log 2 pi + logdet Sigma + tr(Sigma^-1 (S + d d'))) / 2, d the difference of means.
        """
        if moments.names != self.graph.names:
            raise GraphError(
                f"the columns differ: fitted on {self.graph.names}, given {moments.names}"
            )
        residual = np.eye(moments.p) - self.weights
        shift = moments.mean - self.mean
        spread = moments.S + np.outer(shift, shift)
        _, logdet = np.linalg.slogdet(self.noise_covariance)
        inner = residual.T @ spread @ residual
        trace = float(np.trace(np.linalg.solve(self.noise_covariance, inner)))
        return -0.5 * (moments.p * float(np.log(2 * np.pi)) + float(logdet) + trace)

    def sample(
        self, n: int, random_state: int | np.random.Generator = 0
    ) -> npt.NDArray[np.float64]:
        """(n, p) rows drawn from the fitted law."""
        rng = np.random.default_rng(random_state)
        noise = rng.standard_normal((n, len(self.mean)))
        errors = noise @ np.linalg.cholesky(self.noise_covariance).T
        T = np.linalg.inv(np.eye(len(self.weights)) - self.weights)
        return np.asarray(self.mean + errors @ T)

    def to_json(self) -> str:
        """A versioned JSON document; `from_json` restores the same numbers to the last bit."""
        body = {
            **self.graph.to_dict(),
            "weights": self.weights.tolist(),
            "noise_covariance": self.noise_covariance.tolist(),
            "mean": self.mean.tolist(),
            "n": self.n,
            "certificates": {name: c.to_dict() for name, c in self.certificates.items()},
            "trace": list(self.trace),
            "verdict": self.verdict,
            "settings": dict(self.settings),
            "dagdecor": self.version,
        }
        if self.sample_covariance is not None:
            body["sample_covariance"] = self.sample_covariance.tolist()
        if self.shares is not None:
            body["shares"] = self.shares.to_dict()
        if self.missing is not None:
            body["missing"] = self.missing.to_dict()
        if self.alternatives is not None:
            body["alternatives"] = self.alternatives.to_dict()
        return document.write("fit", VERSION, body)

    @classmethod
    def from_json(cls, text: str) -> Fit:
        """Inverse of `to_json`; checks everything, executes nothing."""
        body = document.read("fit", VERSION, text)
        graph = MixedGraph.from_dict(body, "fit")
        count = len(graph.names)
        try:
            fit = cls(
                graph=graph,
                weights=_numbers(body, "weights", (count, count)),
                noise_covariance=_numbers(body, "noise_covariance", (count, count)),
                mean=_numbers(body, "mean", (count,)),
                n=document.whole("fit", body, "n"),
                certificates={
                    str(name): Certificate.from_dict(values)
                    for name, values in document.mapping("fit", body, "certificates").items()
                },
                trace=tuple(_trace(body["trace"])),
                verdict=document.string("fit", body, "verdict"),
                settings=document.mapping("fit", body, "settings"),
                version=document.string("fit", body, "dagdecor"),
                **_optional(body, graph.names),
            )
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            if isinstance(error, BadDocument):
                raise
            raise BadDocument("fit", f"a field is missing or wrong ({error})") from None
        _check_matrices(fit)
        return fit

    def rivals(self, a: str, b: str, mark: str) -> tuple[str, ...]:
        """Marks of the pair that fit as well as `mark`, read from a to b; see `Alternatives`."""
        return () if self.alternatives is None else self.alternatives.rivals(a, b, mark)

    def to_frame(self) -> pd.DataFrame:
        """A row an edge: a, mark, b, value (B or Omega), and the marks that fit as well.

        Beside them the posterior share of the mark, where the search gave one.
        """
        import pandas as pd

        place = {name: index for index, name in enumerate(self.graph.names)}
        rows = []
        for mark, edges, matrix in (
            ("->", self.graph.directed, self.weights),
            ("<->", self.graph.bidirected, self.noise_covariance),
        ):
            for a, b in edges:
                share = np.nan if self.shares is None else self.shares.of(a, b)[mark]
                also = ", ".join(self.rivals(a, b, mark))
                rows.append((a, mark, b, matrix[place[a], place[b]], share, also))
        columns = ["a", "mark", "b", "value", "share", "fits as well"]
        frame: pd.DataFrame = pd.DataFrame(rows, columns=columns)
        return frame

    def __str__(self) -> str:
        marks = [(a, "->", b) for a, b in self.graph.directed]
        marks += [(a, "<->", b) for a, b in self.graph.bidirected]
        lines = []
        for a, mark, b in marks:
            also = ", ".join(self.rivals(a, b, mark))
            lines.append(f"{a} {mark} {b}" + (f"   ({also} fits as well)" if also else ""))
        return "\n".join(lines) or str(self.graph)


def _optional(body: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """The fields that a fit may be without."""
    fields: dict[str, Any] = {}
    if "sample_covariance" in body:
        fields["sample_covariance"] = _numbers(body, "sample_covariance", (len(names),) * 2)
    if "shares" in body:
        fields["shares"] = Shares.from_dict(names, body["shares"], "fit")
    if "missing" in body:
        fields["missing"] = Missing.from_dict(body["missing"], "fit")
    if "alternatives" in body:
        fields["alternatives"] = Alternatives.from_dict(names, body["alternatives"], "fit")
    return fields


def _numbers(body: dict[str, Any], name: str, shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    array = document.numbers(body[name])
    if array.shape != shape or not np.isfinite(array).all():
        raise BadDocument("fit", f'"{name}" must hold finite numbers of shape {shape}')
    return array


def _trace(values: object) -> list[float]:
    array = document.numbers(values)
    if array.ndim != 1:
        raise ValueError("the trace is no list of numbers")
    return [float(value) for value in array]


def _check_matrices(fit: Fit) -> None:
    """Refuse effects and noise that the graph does not have, and noise that is no covariance."""
    off = ~fit.graph.bidirected_matrix & ~np.eye(len(fit.mean), dtype=bool)
    Omega = fit.noise_covariance
    if fit.weights[~fit.graph.directed_matrix].any() or Omega[off].any():
        raise BadDocument("fit", "its matrices have entries where its graph has no edge")
    scale = np.sqrt(np.abs(np.diag(Omega)))
    lowest = -1.0
    if np.array_equal(Omega, Omega.T) and (np.diag(Omega) > 0).all():
        lowest = float(np.linalg.eigvalsh(Omega / scale / scale[:, None])[0])
    if lowest <= 0:
        raise BadDocument("fit", "its noise covariance is not symmetric and positive definite")
