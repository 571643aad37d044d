"""Of many graphs over the same columns, the share that gives a pair each mark."""

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

ROUNDING = 1e-9  # of shares that were averaged in floats


@dataclass(frozen=True, eq=False)
class Shares(Pairs):
    """Shares of the marks of every pair of columns, each from 0 to 1; arrays are read-only.

    Parameters
    ----------
    names
        The columns, in the order of the matrices.
    directed
        (p, p), [i, j] the share of i -> j.
    bidirected, absent
        (p, p) symmetric, the shares of i <-> j and of no mark; zero diagonals. The four shares of
        a pair sum to 1, unless the graphs may have bows: then a pair can carry two marks.

    Examples
    --------
    >>> shares = Shares.of_marks(["a", "b"], [[0, 0.7], [0.1, 0]], [[0, 0.1], [0.1, 0]])
    >>> {mark: round(share, 3) for mark, share in shares.of("b", "a").items()}
    {'none': 0.1, '->': 0.1, '<-': 0.7, '<->': 0.1}
    """

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))
        p = len(self.names)
        for field in ("directed", "bidirected", "absent"):
            array = np.array(getattr(self, field), dtype=np.float64)
            inside = array.shape == (p, p) and ((array >= 0) & (array <= 1)).all()
            if not inside:
                raise GraphError(f'the shares "{field}" must be ({p}, {p}) numbers from 0 to 1')
            array.flags.writeable = False
            object.__setattr__(self, field, array)

    @classmethod
    def of_marks(
        cls, names: Sequence[str], directed: npt.ArrayLike, bidirected: npt.ArrayLike
    ) -> Shares:
        """Shares of bow-free graphs, where what no mark takes is the share of none."""
        arrows, arcs = np.clip(directed, 0.0, 1.0), np.clip(bidirected, 0.0, 1.0)
        absent = 1.0 - arrows - arrows.T - arcs
        absent[np.abs(absent) < ROUNDING] = 0.0
        np.fill_diagonal(absent, 0.0)
        return cls(tuple(names), arrows, arcs, absent)

    def frame(self) -> pd.DataFrame:
        """A row a pair: columns a, b and the four marks, from a to b."""
        import pandas as pd

        frame: pd.DataFrame = pd.DataFrame(self.rows(), columns=["a", "b", *MARKS])
        return frame

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, as they stand in a document; the names are the document's own."""
        fields = ("directed", "bidirected", "absent")
        return {field: getattr(self, field).tolist() for field in fields}

    @classmethod
    def from_dict(cls, names: Sequence[str], body: object, kind: str) -> Shares:
        """Inverse of `to_dict`, for a document of that kind."""
        try:
            fields = [
                document.numbers(body[key])  # type: ignore[index]
                for key in ("directed", "bidirected", "absent")
            ]
            return cls(tuple(names), *fields)
        except (GraphError, KeyError, TypeError, ValueError) as error:
            raise BadDocument(kind, f"its shares are missing or wrong ({error})") from None
