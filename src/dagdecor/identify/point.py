"""What one parameter point says: whether another one on its graph has the same covariance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import lapack

from dagdecor.errors import BadCovariance, GraphError, named
from dagdecor.graph import MixedGraph
from dagdecor.identify.part import Part, whole

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Point:
    """The margins of a parameter point against a second point with the same covariance.

    For node v, the nodes pre(v) before it in `order`, its parents P(v) and siblings S(v), the
    coefficients into v solve Cov(e_w, x_P(v)) b = Cov(e_w, x_v) for w in pre(v) minus S(v). When
    every matrix Omega[pre(v) minus S(v), pre(v)] T[pre(v), P(v)] has full column rank, no other
    point on the graph has this covariance (after Drton, Foygel and Sullivant 2011).

    Parameters
    ----------
    order
        The topological order; the margins depend on it.
    matrices
        The matrix of every node that has parents; rows and columns in the order of `order`.
    margins
        The smallest singular value of each; 0.0 when it has fewer rows than columns.
    unique
        True when every margin exceeds what rounding can leave of a zero.
    smallest_eigenvalue, largest_eigenvalue
        Of Omega.
    effect_norm
        |T - I|_2, T = (I-B)^-1.
    bow_free
        The bound is sufficient only without bows.
    """

    order: tuple[str, ...]
    matrices: Mapping[str, Array]
    margins: Mapping[str, float]
    unique: bool
    smallest_eigenvalue: float
    largest_eigenvalue: float
    effect_norm: float
    bow_free: bool

    @property
    def margin(self) -> float | None:
        """The smallest of the margins; None when no node has parents."""
        return min(self.margins.values(), default=None)

    @property
    def bound(self) -> float:
        """lambda_min(Omega) / lambda_max(Omega)."""
        return self.smallest_eigenvalue / self.largest_eigenvalue

    @property
    def bound_holds(self) -> bool:
        """|T - I|_2 < lambda_min / lambda_max on a bow-free graph: enough for `unique`."""
        return self.bow_free and self.effect_norm < self.bound

    def to_dict(self) -> dict[str, Any]:
        """Plain values, without the matrices."""
        return {
            "order": list(self.order),
            "margins": dict(self.margins),
            "margin": self.margin,
            "unique": self.unique,
            "smallest_eigenvalue": self.smallest_eigenvalue,
            "largest_eigenvalue": self.largest_eigenvalue,
            "effect_norm": self.effect_norm,
            "bound": self.bound,
            "bound_holds": self.bound_holds,
        }


def point(graph: MixedGraph, weights: npt.ArrayLike, noise_covariance: npt.ArrayLike) -> Point:
    """Every quantity of `Point`, from B and Omega (p, p) in the order of the graph's columns."""
    part = whole(graph)
    effects, noise = _ordered(graph, weights, noise_covariance)
    matrices = _nodewise(part, effects, noise, shift=0)
    eigenvalues = np.linalg.eigvalsh(noise)
    effect_norm = float(np.linalg.norm(effects - np.eye(part.count), 2))
    return Point(
        order=part.labels,
        matrices=matrices,
        margins={name: _smallest(matrix) for name, matrix in matrices.items()},
        unique=_full_rank(part, effects, noise, shift=0),
        smallest_eigenvalue=float(eigenvalues[0]),
        largest_eigenvalue=float(eigenvalues[-1]),
        effect_norm=effect_norm,
        bow_free=graph.is_bow_free,
    )


def paper_rank_test(
    graph: MixedGraph, weights: npt.ArrayLike, noise_covariance: npt.ArrayLike
) -> bool:
    """rank Omega[[v] minus S(v), [v]] T[[v], P(v)] = |P(v)| at every v, [v] = pre(v) and v.

    For comparison only. This is the rank test of the DECOR paper, equation (rank-cond), and it
    is off by one: the row of v itself, Cov(e_v, x_P(v)), is no equation for the coefficients,
    and with it the test passes a bow, a -> b with a <-> b, whose coefficient no covariance
    determines. `identifiability` uses the rows before v.
    """
    effects, noise = _ordered(graph, weights, noise_covariance)
    return _full_rank(whole(graph), effects, noise, shift=1)


def _nodewise(part: Part, effects: Array, noise: Array, *, shift: int) -> dict[str, Array]:
    """Omega[pre(v) minus S(v), pre(v)] T[pre(v), P(v)] of every node v that has parents."""
    cross = noise @ effects
    return {
        part.labels[node]: cross[
            np.ix_([w for w in range(node + shift) if w not in part.siblings[node]], parents)
        ]
        for node, parents in enumerate(part.parents)
        if parents
    }


def _smallest(matrix: Array) -> float:
    """The smallest singular value as a map of columns: 0.0 when there are too few rows."""
    rows, columns = matrix.shape
    return float(np.linalg.svd(matrix, compute_uv=False)[-1]) if rows >= columns else 0.0


def _full_rank(part: Part, effects: Array, noise: Array, *, shift: int) -> bool:
    """True when all matrices have full column rank beyond rounding, in units of the noise.

    With every column in units of its noise's standard deviation the answer does not depend on
    the columns' units: both matrices are brought to them, in place.
    """
    scale = np.sqrt(np.diag(noise))
    effects *= np.outer(scale, 1 / scale)
    noise /= np.outer(scale, scale)
    # Omega T is computed to within p eps |Omega| |T| in the Frobenius norm.
    floor = part.count * np.finfo(np.float64).eps * np.linalg.norm(noise) * np.linalg.norm(effects)
    matrices = _nodewise(part, effects, noise, shift=shift).values()
    return all(_smallest(matrix) > floor for matrix in matrices)


def _ordered(
    graph: MixedGraph, weights: npt.ArrayLike, noise_covariance: npt.ArrayLike
) -> tuple[Array, Array]:
    """T = (I-B)^-1 and Omega, checked against the graph, rows and columns in `graph.order`."""
    count = len(graph.names)
    coefficients = _square("weights", weights, count)
    noise = _square("noise_covariance", noise_covariance, count)
    _refuse_off(graph, "weights", coefficients, graph.directed_matrix)
    _refuse_off(
        graph, "noise_covariance", noise, graph.bidirected_matrix | np.eye(count, dtype=bool)
    )
    scale = np.sqrt(np.abs(np.diag(noise)))
    apart = noise - noise.T
    if (np.abs(apart, out=apart) > 1e-8 * np.outer(scale, scale)).any():
        raise BadCovariance("(of the noise) is not symmetric")
    try:
        np.linalg.cholesky(noise)
    except np.linalg.LinAlgError:
        raise BadCovariance("(of the noise) is not positive definite") from None
    place = {name: number for number, name in enumerate(graph.names)}
    order = [place[name] for name in graph.order]
    at = np.ix_(order, order)
    return _effects(coefficients[at]), noise[at]


def _effects(B: Array) -> Array:
    """(I-B)^-1 for B with entries above the diagonal only, in place of B."""
    np.negative(B, out=B)
    np.fill_diagonal(B, 1.0)
    inverse, _ = lapack.dtrtri(np.ascontiguousarray(B).T, lower=1, overwrite_c=1)
    return np.asarray(inverse.T)


def _square(which: str, matrix: npt.ArrayLike, count: int) -> Array:
    array = np.asarray(matrix, dtype=np.float64)
    if array.shape != (count, count):
        raise GraphError(f"{which} must have shape {(count, count)}, not {array.shape}")
    if not np.isfinite(array).all():
        raise GraphError(f"{which} has missing or infinite entries")
    return array


def _refuse_off(
    graph: MixedGraph, which: str, matrix: Array, allowed: npt.NDArray[np.bool_]
) -> None:
    off = np.argwhere((matrix != 0) & ~allowed)
    if len(off):
        pair = named(graph.names[place] for place in off[0])
        raise GraphError(f"{which} is not 0 at {pair}, where the graph has no edge")
