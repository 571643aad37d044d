"""The value of a confidence run: shares of marks, and what they rest on."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from dagdecor import document
from dagdecor.errors import BadDocument, GraphError, OptionError
from dagdecor.evidence import MARKS, Shares

if TYPE_CHECKING:
    import pandas as pd

VERSION = 1
SHOWN = 40
NUMBERS = ("draws", "asked", "failed", "n", "random_state")


@dataclass(frozen=True, eq=False)
class Confidence:
    """Shares of each mark of each pair over fits to resampled tables.

    Parameters
    ----------
    shares
        Of the graphs that the fits decided upon: how often a pair got each mark.
    posterior
        The mean over the draws of the posterior shares of the search; None without a search.
    method
        "bootstrap" or "stability".
    draws, asked, failed
        Finished and counted; asked for; resampled tables that could not be fitted.
    n
        Rows of the table.
    random_state, effort
        Seed of the draws, share of the search's iterations in each.
    marks
        Mean number of marks of a fitted graph.
    """

    shares: Shares
    posterior: Shares | None
    method: str
    draws: int
    asked: int
    failed: int
    n: int
    random_state: int
    effort: float
    marks: float

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return self.shares.names

    def to_frame(self) -> pd.DataFrame:
        """A row a pair: a, b and the share of each mark, from a to b."""
        return self.shares.frame()

    def edges(self, least: float = 0.5) -> pd.DataFrame:
        """Marks with at least that share, the surest first: a, mark, b, share, posterior."""
        import pandas as pd

        rows = []
        for a, b in combinations(self.names, 2):
            shares = self.shares.of(a, b)
            posterior = self.posterior.of(a, b) if self.posterior else dict.fromkeys(MARKS, np.nan)
            for mark in MARKS[1:]:
                if shares[mark] >= least and shares[mark] > 0:
                    ends = (b, "->", a) if mark == "<-" else (a, mark, b)
                    rows.append((*ends, shares[mark], posterior[mark]))
        rows.sort(key=lambda row: -row[3])
        frame: pd.DataFrame = pd.DataFrame(rows, columns=["a", "mark", "b", "share", "posterior"])
        return frame

    def expected_false(self, share: float) -> float:
        """q^2 / ((2 share - 1) M): a bound on the expected number of unstable marks kept.

        For stability selection and shares above one half; q marks a fit on half of the rows, M = 3
        p (p-1) / 2 marks that could be. Shah and Samworth 2013, theorem 1: it bounds the marks
        that a half sample selects with less than average probability q / M, without conditions.
        Under the exchangeability of Meinshausen and Buehlmann 2010 those are the false marks.
        """
        if self.method != "stability":
            raise OptionError("method", self.method, "'stability': the bound is for half samples")
        if isinstance(share, bool) or not 0.5 < share <= 1:
            raise OptionError("share", share, "a number above 0.5 and at most 1")
        p = len(self.names)
        return self.marks**2 / ((2 * share - 1) * (3 * p * (p - 1) / 2))

    def to_json(self) -> str:
        """A versioned JSON document; `from_json` restores the same numbers."""
        body: dict[str, Any] = {"names": list(self.names), "shares": self.shares.to_dict()}
        if self.posterior is not None:
            body["posterior"] = self.posterior.to_dict()
        fields = ("method", *NUMBERS, "effort", "marks")
        return document.write(
            "confidence", VERSION, {**body, **{field: getattr(self, field) for field in fields}}
        )

    @classmethod
    def from_json(cls, text: str) -> Confidence:
        """Inverse of `to_json`; checks everything, executes nothing."""
        body = document.read("confidence", VERSION, text)
        names = document.strings("confidence", body, "names")
        posterior = None
        if "posterior" in body:
            posterior = Shares.from_dict(names, body["posterior"], "confidence")
        try:
            draws, asked, failed, n, seed = (int(body[field]) for field in NUMBERS)
            return cls(
                shares=Shares.from_dict(names, body.get("shares"), "confidence"),
                posterior=posterior,
                method=str(body["method"]),
                draws=draws,
                asked=asked,
                failed=failed,
                n=n,
                random_state=seed,
                effort=float(body["effort"]),
                marks=float(body["marks"]),
            )
        except (GraphError, KeyError, TypeError, ValueError) as error:
            if isinstance(error, BadDocument):
                raise
            raise BadDocument("confidence", f"a field is missing or wrong ({error})") from None

    def __str__(self) -> str:
        kind = "resampled tables" if self.method == "bootstrap" else "half samples"
        head = f"{self.draws} {kind} of {self.n} rows, {len(self.names)} columns"
        if self.draws + self.failed < self.asked:
            head += f"; {self.asked - self.draws - self.failed} of {self.asked} not drawn"
        if self.failed:
            head += f"; {self.failed} could not be fitted"
        frame = self.edges()
        if not len(frame):
            return f"{head}\nno mark has a share of one half"
        shown = frame.head(SHOWN).copy()
        if self.posterior is None:
            shown = shown.drop(columns="posterior")
        lines = [head, "", shown.to_string(index=False, float_format=lambda x: f"{x:.2f}")]
        if len(frame) > SHOWN:
            lines.append(f"... and {len(frame) - SHOWN} more")
        if self.method == "stability":
            bound = self.expected_false(0.9)
            lines.append(f"\nshare >= 0.9: at most {bound:.2g} false marks expected")
        return "\n".join(lines)
