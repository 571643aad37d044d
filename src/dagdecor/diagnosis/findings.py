"""What a look at a table says: findings by severity, numbers, advice."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

SEVERITIES = ("stop", "warning", "note")
WIDTH = 80


@dataclass(frozen=True)
class Finding:
    """One thing seen in a table.

    Parameters
    ----------
    kind
        A word for programs: "missing", "collinear", "outliers" and so on.
    severity
        "stop": a fit refuses the table as it is; "warning": a fit may be misled; "note": worth
        knowing.
    sentence
        What was seen, with the columns or rows.
    advice
        What to do about it; may be empty.
    columns, rows
        The columns meant, and the rows, counted from 1.
    """

    kind: str
    severity: str
    sentence: str
    advice: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.sentence}: {self.advice}" if self.advice else self.sentence


@dataclass(frozen=True)
class Diagnosis:
    """Findings about a table, the gravest first, and the numbers behind them.

    Parameters
    ----------
    n, p
        Rows and columns of the table, also those that could not be looked at.
    findings
        What was found.
    measures
        Numbers by name; `docs/check-your-data.md` says what each is.
    recommendation
        Plain words: whether to scale, what to drop or repair.
    """

    n: int
    p: int
    findings: tuple[Finding, ...]
    measures: Mapping[str, float] = field(default_factory=dict)
    recommendation: str = ""

    def of(self, severity: str) -> tuple[Finding, ...]:
        """The findings of one severity."""
        return tuple(finding for finding in self.findings if finding.severity == severity)

    @property
    def can_fit(self) -> bool:
        """Whether nothing stops a fit."""
        return not self.of("stop")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for a JSON document."""
        return {
            "n": self.n,
            "p": self.p,
            "can_fit": self.can_fit,
            "findings": [
                {key: list(v) if isinstance(v, tuple) else v for key, v in asdict(f).items()}
                for f in self.findings
            ],
            "measures": dict(self.measures),
            "recommendation": self.recommendation,
        }

    def to_json(self) -> str:
        """The same as text."""
        return json.dumps(self.to_dict(), indent=1, allow_nan=False)

    def __str__(self) -> str:
        lines = [f"{self.p} column{'s' * (self.p != 1)}, {self.n} row{'s' * (self.n != 1)}"]
        for finding in self.findings:
            lines += textwrap.wrap(f"{finding.severity}: {finding}", WIDTH, subsequent_indent="  ")
        if not self.findings:
            lines.append("nothing found that stops or misleads a fit")
        lines += ["", *textwrap.wrap(self.recommendation, WIDTH)]
        return "\n".join(lines).rstrip()


def sorted_findings(findings: list[Finding]) -> tuple[Finding, ...]:
    """The gravest first, otherwise as they came."""
    return tuple(sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity)))
