"""How much worse the best graph with another mark on a pair would fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dagdecor import document
from dagdecor.errors import BadDocument, GraphError
from dagdecor.evidence.pairs import MARKS, Pairs

if TYPE_CHECKING:
    import pandas as pd

Array = npt.NDArray[np.float64]

EVIDENCE = 2.0  # log units: a mark within so many of the chosen one fits as well; odds of 7 to 1


@dataclass(frozen=True, eq=False)
class Alternatives(Pairs):
    """Differences of the best scores with each mark on a pair, in log units; read-only arrays.

    A difference d says that the best graph found with that mark on the pair is exp(d) times less
    supported than the best one found with the mark that the fit has there: zero for that mark,
    negative where another is better. The graphs found come from short searches that leave the
    pair alone and change what is around it. NaN where nothing was computed.

    Parameters
    ----------
    names
        The columns, in the order of the matrices.
    directed
        (p, p), [i, j] of i -> j.
    bidirected, absent
        (p, p) symmetric, of i <-> j and of no mark.
    criterion
        What was scored, in words.
    """

    criterion: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))
        p = len(self.names)
        for field in ("directed", "bidirected", "absent"):
            array = np.array(getattr(self, field), dtype=np.float64)
            if array.shape != (p, p):
                raise GraphError(f'the differences "{field}" must be ({p}, {p}) numbers')
            array.flags.writeable = False
            object.__setattr__(self, field, array)

    def rivals(self, a: str, b: str, mark: str, evidence: float = EVIDENCE) -> tuple[str, ...]:
        """Marks of the pair other than `mark` that fit as well, read from a to b, best first."""
        found = [(d, m) for m, d in self.of(a, b).items() if m != mark and d < evidence]
        return tuple(name for _, name in sorted(found))

    def frame(self) -> pd.DataFrame:
        """A row a pair that was computed: columns a, b and the four marks, from a to b."""
        import pandas as pd

        kept = [row for row in self.rows() if not np.isnan(row[2:]).all()]
        frame: pd.DataFrame = pd.DataFrame(kept, columns=["a", "b", *MARKS])
        return frame

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, as they stand in a document, None for NaN; the names are the document's."""
        fields = ("directed", "bidirected", "absent")
        body = {field: [list(map(_plain, row)) for row in getattr(self, field)] for field in fields}
        return {**body, "criterion": self.criterion}

    @classmethod
    def from_dict(cls, names: Sequence[str], body: object, kind: str) -> Alternatives:
        """Inverse of `to_dict`, for a document of that kind."""
        try:
            values: Any = body
            directed, bidirected, absent = (
                document.numbers(values[key], gaps=True)
                for key in ("directed", "bidirected", "absent")
            )
            criterion = document.string(kind, values, "criterion")
            return cls(tuple(names), directed, bidirected, absent, criterion)
        except (GraphError, KeyError, TypeError, ValueError) as error:
            raise BadDocument(kind, f"its alternatives are missing or wrong ({error})") from None

    def __str__(self) -> str:
        table = self.frame().to_string(index=False, float_format=lambda x: f"{x:.1f}")
        return f"log units behind the mark of the graph, {self.criterion}\n{table}"


def _plain(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
