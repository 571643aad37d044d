"""Other marks of every pair that a graph joins, by the search's score and with free variances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dagdecor import document
from dagdecor.evidence import EVIDENCE, MARKS, Alternatives
from dagdecor.fit import Fit
from dagdecor.report.words import shortened, wrapped

if TYPE_CHECKING:
    import pandas as pd

VERSION = 1
EDGES = 22  # letters of an edge in a table


@dataclass(frozen=True, eq=False)
class OtherMarks:
    """What else would fit, as `dagdecor alternatives` tells it.

    Parameters
    ----------
    fit
        Whose graph is looked at; its own alternatives are those of the score that chose it.
    free
        The same without the assumption about the error variances.
    """

    fit: Fit
    free: Alternatives

    @property
    def scores(self) -> dict[str, Alternatives]:
        """By column name, one or two: "searched" where the fit comes from a search, and "free"."""
        own = self.fit.alternatives
        if own is None or own.criterion == self.free.criterion:
            return {"free": self.free}
        return {"searched": own, "free": self.free}

    def to_frame(self) -> pd.DataFrame:
        """A row an edge and another mark: a, mark, b, other, and its difference by each score."""
        import pandas as pd

        rows = [
            (a, mark, b, other, *(found.of(a, b)[other] for found in self.scores.values()))
            for a, mark, b in self._edges()
            for other in MARKS
            if other != mark
        ]
        columns = ["a", "mark", "b", "other", *self.scores]
        frame: pd.DataFrame = pd.DataFrame(rows, columns=columns)
        return frame

    def to_json(self) -> str:
        """A versioned JSON document; null is not computed."""
        rows = [
            {str(key): _plain(value) for key, value in row.items()}
            for row in self.to_frame().to_dict("records")
        ]
        body = {
            "names": list(self.fit.graph.names),
            "evidence": EVIDENCE,
            "criteria": {name: found.criterion for name, found in self.scores.items()},
            "alternatives": rows,
        }
        return document.write("alternatives", VERSION, body)

    def by_assumption(self) -> list[str]:
        """Edges whose every other mark is clear to the search, and open with free variances."""
        if "searched" not in self.scores:
            return []
        searched, free = self.scores["searched"], self.scores["free"]
        return [
            f"{a} {mark} {b}"
            for a, mark, b in self._edges()
            if not searched.rivals(a, b, mark) and free.rivals(a, b, mark)
        ]

    def __str__(self) -> str:
        if not self._edges():
            return "no other marks: the graph has no edge"
        lines = [f"log units behind the mark of the graph; * fits as well (below {EVIDENCE:g})"]
        for name, found in self.scores.items():
            lines += ["", *wrapped(name, found.criterion), *_table(found, self._edges())]
        told = self.by_assumption()
        if told:
            lines += ["", *wrapped("clear by the noise model only", ", ".join(told))]
        return "\n".join(lines)

    def _edges(self) -> list[tuple[str, str, str]]:
        graph = self.fit.graph
        arrows = [(a, "->", b) for a, b in graph.directed]
        return arrows + [(a, "<->", b) for a, b in graph.bidirected]


def _table(found: Alternatives, edges: list[tuple[str, str, str]]) -> list[str]:
    """A line an edge; a dot stands at the edge's own mark."""
    labels = [shortened(f"{a} {mark} {b}", EDGES) for a, mark, b in edges]
    width = max(map(len, labels))
    lines = [" " * width + "".join(f"{mark:>9} " for mark in MARKS).rstrip()]
    for label, (a, own, b) in zip(labels, edges, strict=True):
        cells = [_cell(value, own=mark == own) for mark, value in found.of(a, b).items()]
        lines.append((f"{label:<{width}}" + "".join(cells)).rstrip())
    return lines


def _cell(value: float, *, own: bool) -> str:
    if own:
        return f"{'.':>9} "
    if np.isnan(value):
        return f"{'?':>9} "
    return f"{value:>9.1f}" + ("*" if value < EVIDENCE else " ")


def _plain(value: Any) -> Any:
    """What JSON knows."""
    if isinstance(value, str):
        return value
    return float(value) if np.isfinite(value) else None
