"""How empty cells were dealt with: a value that moments and fits carry along."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dagdecor import document
from dagdecor.certificate import Certificate
from dagdecor.errors import BadDocument

METHODS = ("error", "drop", "em")


@dataclass(frozen=True)
class Missing:
    """Empty cells of the table that moments were taken from.

    Parameters
    ----------
    method
        "drop" or "em".
    rows
        Rows of the table. The n of the moments is what they are worth: the complete rows after
        "drop", rows times the mean share of information after "em".
    counts
        Empty cells of each column that has any.
    certificate
        Of "em": the length of its last step, in deviations.
    """

    method: str
    rows: int
    counts: Mapping[str, int]
    certificate: Certificate | None = None

    def __str__(self) -> str:
        cells = sum(self.counts.values())
        return f"{cells} empty cell{'' if cells == 1 else 's'} in {self.rows} rows, {self.method}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as they stand in a document."""
        proof = None if self.certificate is None else self.certificate.to_dict()
        return {
            "method": self.method,
            "rows": self.rows,
            "counts": dict(self.counts),
            "certificate": proof,
        }

    @classmethod
    def from_dict(cls, body: Any, kind: str) -> Missing:
        """Inverse of `to_dict`, for a document of that kind."""
        try:
            proof = body["certificate"]
            counts = document.mapping(kind, body, "counts")
            return cls(
                METHODS[METHODS.index(body["method"], 1)],
                document.whole(kind, body, "rows"),
                {name: document.whole(kind, counts, name, 0) for name in counts},
                None if proof is None else Certificate.from_dict(proof),
            )
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            if isinstance(error, BadDocument):
                raise
            raise BadDocument(kind, f'"missing" is wrong ({error})') from None
