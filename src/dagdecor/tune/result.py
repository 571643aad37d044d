"""The value of a path: a row a penalty, and the fit behind each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dagdecor import document
from dagdecor.errors import OptionError
from dagdecor.fit import Fit

if TYPE_CHECKING:
    import pandas as pd

VERSION = 1
SHOWN = {
    "factor": "{:.4g}",
    "log_likelihood": "{:.3f}",
    "ebic": "{:.1f}",
    "held_out": "{:.3f}",
    "error": "{:.3f}",
}
CRITERIA = ("ebic", "held_out")


@dataclass(frozen=True, eq=False)
class PenaltyPath:
    """Fits of the continuous estimator along its penalties, the strongest first.

    Parameters
    ----------
    factors
        Multiples of the model's penalties, of edges and of the noise alike.
    fits
        One each.
    ebic
        -2 log-likelihood + (edges + arcs) (log n + 2 log p), of the refit on each graph.
    held_out, held_out_error
        Mean log-likelihood of a row that the fit has not seen, over the folds, and its standard
        error; empty without folds.
    """

    factors: tuple[float, ...]
    fits: tuple[Fit, ...]
    ebic: tuple[float, ...]
    held_out: tuple[float, ...] = ()
    held_out_error: tuple[float, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """A row a penalty: factor, edges, arcs, log_likelihood, ebic, held_out, held_out_error."""
        import pandas as pd

        none = (np.nan,) * len(self.factors)
        columns = {
            "factor": self.factors,
            "edges": [len(fit.graph.directed) for fit in self.fits],
            "arcs": [len(fit.graph.bidirected) for fit in self.fits],
            "log_likelihood": [_log_likelihood(fit) for fit in self.fits],
            "ebic": self.ebic,
            "held_out": self.held_out or none,
            "held_out_error": self.held_out_error or none,
        }
        frame: pd.DataFrame = pd.DataFrame(columns)
        return frame

    def to_json(self) -> str:
        """A versioned JSON document: the rows of the table, and the best factor by criterion."""
        rows = [
            {str(key): _plain(value) for key, value in row.items()}
            for row in self.to_frame().to_dict("records")
        ]
        best = {name: self.factors[self.best_place(name)] for name in self._criteria()}
        names = list(self.fits[0].graph.names)
        return document.write("path", VERSION, {"names": names, "path": rows, "best": best})

    def best(self, criterion: str = "ebic") -> Fit:
        """The fit of the least extended BIC, or of the most held-out likelihood."""
        return self.fits[self.best_place(criterion)]

    def best_place(self, criterion: str = "ebic") -> int:
        """Its place on the path."""
        if criterion not in CRITERIA:
            raise OptionError("criterion", criterion, "'ebic' or 'held_out'")
        if criterion == "ebic":
            return int(np.argmin(self.ebic))
        if not self.held_out:
            raise OptionError("criterion", criterion, "'ebic': this path was made without folds")
        return int(np.argmax(self.held_out))

    def __str__(self) -> str:
        frame = self.to_frame().dropna(axis=1, how="all")
        frame = frame.rename(columns={"held_out_error": "error"})
        frame["best"] = ""
        for criterion in self._criteria():
            frame.loc[self.best_place(criterion), "best"] += f"{criterion} "
        shown = {name: form.format for name, form in SHOWN.items() if name in frame}
        text = frame.to_string(index=False, formatters=shown)
        return "\n".join(line.rstrip() for line in text.splitlines())

    def _criteria(self) -> tuple[str, ...]:
        return CRITERIA[: 1 + bool(self.held_out)]


def _plain(value: float) -> float | None:
    """A number that JSON knows."""
    return value if np.isfinite(value) else None


def _log_likelihood(fit: Fit) -> float:
    """Mean log-likelihood of a row of the table that was fitted."""
    return fit.log_likelihood(fit.moments)
