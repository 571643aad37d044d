"""Single stages for those who need one: the graph step, the noise step, the refit."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dagdecor.certificate import Solution
from dagdecor.errors import BadShape, OptionError
from dagdecor.fit import Fit
from dagdecor.graph import MixedGraph
from dagdecor.identify import identifiability
from dagdecor.moments import Moments
from dagdecor.problem.acyclicity import acyclicity as acyclicity_named
from dagdecor.solve.covariance import covariance
from dagdecor.solve.directed import directed
from dagdecor.solve.precision import precision
from dagdecor.solve.ricf import ricf

Array = npt.NDArray[np.float64]


def solve_directed(
    S: npt.ArrayLike,
    precision: npt.ArrayLike | None = None,
    penalty: float | npt.ArrayLike = 0.1,
    acyclicity: str = "logdet",
) -> Array:
    """Minimise .5 tr((I-B)' S (I-B) Theta) + penalty |B|_1 over acyclic B: Stage 1 alone.

    Parameters
    ----------
    S
        (p, p) covariance.
    precision
        Theta: (p,) diagonal, (p, p), or None for the identity.
    penalty
        A number or (p, p) weights; an infinite weight forbids the edge.
    acyclicity
        "logdet" or "expm": the smooth measure of cycles that leads to the order.

    Returns
    -------
    ndarray
        (p, p) B; [i, j] is i -> j. It is exactly acyclic and no single move of a node within
        its order improves it; a global optimum is not claimed.

    Examples
    --------
    >>> S = [[1.0, 2.0], [2.0, 5.0]]
    >>> solve_directed(S, penalty=0.5).round(6).tolist()
    [[0.0, 1.5], [0.0, 0.0]]
    """
    if acyclicity not in {"logdet", "expm"}:
        raise OptionError("acyclicity", acyclicity, "'logdet' or 'expm'")
    matrix = _covariance(S)
    theta = None if precision is None else np.asarray(precision, dtype=np.float64)
    weights = _weights(penalty, len(matrix))
    return directed(matrix, theta, weights, acyclicity_named(acyclicity).slope).value


def solve_precision(S: npt.ArrayLike, penalty: float | npt.ArrayLike = 0.1) -> Solution:
    """Minimise tr(S Theta) - logdet Theta + penalty |Theta_off|_1: the convex noise step.

    Returns
    -------
    Solution
        `value` Theta and `certificate`, whose residual is the relative duality gap.

    Examples
    --------
    >>> Theta, certificate = solve_precision([[1.0, 0.5], [0.5, 1.0]], penalty=0.5)
    >>> Theta.round(6).tolist(), certificate.converged
    ([[1.0, 0.0], [0.0, 1.0]], True)
    """
    matrix = _covariance(S)
    return precision(matrix, _weights(penalty, len(matrix)))


def solve_covariance(S: npt.ArrayLike, penalty: float | npt.ArrayLike = 0.1) -> Solution:
    """Minimise tr(S Omega^-1) + logdet Omega + penalty |Omega_off|_1: the other noise step.

    The problem is not convex; the start is the diagonal of S and the certificate's residual is a
    stationarity residual.

    Returns
    -------
    Solution
        `value` Omega and `certificate`.
    """
    matrix = _covariance(S)
    return covariance(matrix, _weights(penalty, len(matrix)))


def refit(moments: Moments | object, graph: MixedGraph) -> Fit:
    """Maximum likelihood on a given graph, by residual iterative conditional fitting.

    Parameters
    ----------
    moments
        `Moments`, or a table that they are taken from. Columns are matched by name; columns
        that the graph does not name are left out.
    graph
        The graph to fit. With bows the likelihood may have no unique maximum.

    Returns
    -------
    Fit
        Its certificate holds the norm of the likelihood's gradient.
    """
    given = moments if isinstance(moments, Moments) else Moments.from_data(moments)
    chosen = given.select(graph.names)
    weights, noise, certificate = ricf(chosen.S, graph.directed_matrix, graph.bidirected_matrix)
    verdict = identifiability(graph, weights, noise).sentence
    return Fit(
        graph,
        weights,
        noise,
        chosen.mean,
        chosen.n,
        {"refit": certificate},
        verdict=verdict,
        sample_covariance=chosen.S,
        missing=chosen.missing,
    )


def _covariance(S: npt.ArrayLike) -> Array:
    # A noise step may be asked for on a singular matrix: n is declared small enough for that.
    return Moments.from_covariance(S, n=2).S


def _weights(penalty: float | npt.ArrayLike, p: int) -> float | Array:
    weights = np.asarray(penalty, dtype=np.float64)
    if weights.ndim and weights.shape != (p, p):
        raise BadShape(f"the penalty has shape {weights.shape}: give a number or ({p}, {p})")
    if np.isnan(weights).any() or (weights < 0).any():
        raise OptionError("penalty", penalty, "numbers >= 0")
    return weights if weights.ndim else float(weights)
