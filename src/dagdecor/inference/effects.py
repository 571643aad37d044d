"""Total effects along all directed paths, with delta-method intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dagdecor import document
from dagdecor.errors import UnknownName
from dagdecor.fit import Fit
from dagdecor.inference.information import Inverse
from dagdecor.inference.standard import determined, quantile

if TYPE_CHECKING:
    import pandas as pd

Array = npt.NDArray[np.float64]

VERSION = 1
NULL = 1e-4  # of a gradient's length along a direction without information: then NaN
SELECTION = "Intervals hold the graph fixed; they do not account for its selection."


@dataclass(frozen=True, eq=False)
class TotalEffects:
    """Direct effects B and total effects T - I = (I-B)^-1 - I; arrays are read-only.

    Parameters
    ----------
    names, n, level
        Columns, rows, and the level of the intervals.
    direct, total
        (p, p); [i, j] is the effect of i on j, along the edge, along all directed paths.
    direct_error, total_error
        (p, p) standard errors: zero where no path leads, NaN where the data do not determine
        the effect.
    """

    names: tuple[str, ...]
    n: int
    level: float
    direct: Array
    total: Array
    direct_error: Array
    total_error: Array

    def __post_init__(self) -> None:
        for name in ("direct", "total", "direct_error", "total_error"):
            array = np.array(getattr(self, name), dtype=np.float64)
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    def interval(self, cause: str, effect: str) -> tuple[float, float]:
        """The interval of the total effect of one column on another."""
        i, j = (self._place(name) for name in (cause, effect))
        reach = quantile(self.level) * self.total_error[i, j]
        return float(self.total[i, j] - reach), float(self.total[i, j] + reach)

    def to_frame(self) -> pd.DataFrame:
        """A row a pair with a directed path, the largest total effect first."""
        import pandas as pd

        rows = [
            (
                self.names[i],
                self.names[j],
                self.direct[i, j],
                self.total[i, j],
                self.total_error[i, j],
                *self.interval(self.names[i], self.names[j]),
            )
            for i, j in np.argwhere((self.total_error != 0) | (self.total != 0))
        ]
        rows.sort(key=lambda row: -abs(row[3]))
        columns = ["cause", "effect", "direct", "total", "error", "lower", "upper"]
        frame: pd.DataFrame = pd.DataFrame(rows, columns=columns)
        return frame

    def to_json(self) -> str:
        """A versioned JSON document, a list of pairs with a path; null is not determined."""
        rows = self.to_frame().to_dict("records")
        effects = [{str(key): _plain(value) for key, value in row.items()} for row in rows]
        body = {"names": list(self.names), "n": self.n, "level": self.level, "effects": effects}
        return document.write("effects", VERSION, body)

    def __str__(self) -> str:
        frame = self.to_frame()
        if not len(frame):
            return "no effects: the graph has no directed edge"
        table = frame.to_string(index=False, float_format=lambda x: f"{x:.3g}")
        lines = [f"total effects with {100 * self.level:g}% intervals, {self.n} rows", "", table]
        if np.isnan(self.total_error).any():
            lines.append("NaN: the data do not determine this effect on this graph.")
        return "\n".join([*lines, "", SELECTION])

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise UnknownName(name, self.names)
        return self.names.index(name)


def total_effects(fit: Fit, level: float = 0.95) -> TotalEffects:
    """T - I = (I-B)^-1 - I, with var(T_ij) = g' C g, g_kl = T_ik T_lj (delta method).

    C is the covariance of the weights from the observed information (`standard_errors`). The
    graph is held fixed: that it was selected from the same data is not accounted for.

    Examples
    --------
    >>> import dagdecor as dd
    >>> S = [[1.0, 0.5, 0.5], [0.5, 1.25, 1.25], [0.5, 1.25, 2.25]]
    >>> moments = dd.Moments.from_covariance(S, n=400, names=["a", "b", "c"])
    >>> chain = dd.MixedGraph(["a", "b", "c"], directed=[("a", "b"), ("b", "c")])
    >>> effects = dd.total_effects(dd.refit(moments, chain))
    >>> float(effects.total[0, 2].round(6)), [round(x, 3) for x in effects.interval("a", "c")]
    (0.5, [0.393, 0.607])
    """
    quantile(level)
    free, found = determined(fit)
    p, e = len(fit.graph.names), len(free.edges)
    T = np.linalg.inv(np.eye(p) - fit.weights)
    reached = _paths(fit.graph.directed_matrix)
    pairs = np.argwhere(reached)
    gradients = T[pairs[:, :1], free.edges[:, 0]] * T[free.edges[:, 1], pairs[:, 1:]]
    gradients *= _between(reached, pairs, free.edges)
    total, direct = np.zeros((2, p, p))
    total[tuple(pairs.T)] = _errors(gradients, found, e)
    direct[tuple(free.edges.T)] = _errors(np.eye(e), found, e)
    effect = np.where(reached, T, 0.0)
    return TotalEffects(fit.graph.names, fit.n, level, fit.weights, effect, direct, total)


def _errors(gradients: Array, found: Inverse, e: int) -> Array:
    """sqrt(g' C g) for each row g (k, e); NaN where g moves along what has no information."""
    variance = np.einsum("ij,jk,ik->i", gradients, found.covariance[:e, :e], gradients)
    scaled = gradients * found.unit[:e]
    lost = np.linalg.norm(scaled @ found.missing[:e], axis=1)
    size = np.linalg.norm(scaled, axis=1)
    return np.where(lost > NULL * size, np.nan, np.sqrt(variance))


def _paths(edges: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """[i, j]: a directed path leads from i to j, i != j."""
    reach = edges.copy()
    for k in range(len(edges)):
        reach |= reach[:, k, None] & reach[k]
    return np.asarray(reach)


def _between(
    reached: npt.NDArray[np.bool_], pairs: npt.NDArray[np.int64], edges: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """(pairs, edges): the edge lies on a path of the pair; elsewhere rounding would not be zero."""
    at = reached | np.eye(len(reached), dtype=np.bool_)
    after, before = at[pairs[:, :1], edges[:, 0]], at[edges[:, 1], pairs[:, 1:]]
    return np.asarray(after & before, dtype=np.bool_)


def _plain(value: Any) -> Any:
    """A number that JSON knows."""
    if isinstance(value, str):
        return value
    return None if np.isnan(value) else float(value)
