"""Column names as cells of a CSV file, which a spreadsheet must not take for formulas."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

# What spreadsheets take for the beginning of a formula, behind any number of our own marks.
_FORMULA = re.compile("'*[=+\\-@\t\r]")


def cell(name: str) -> str:
    """The name, behind an apostrophe where it begins like a formula.

    A name that already begins with apostrophes and then like a formula gets one more, so that
    `plain` gives every name back; graph.json holds all names as they are.

    >>> cell("=1+1"), cell("age"), cell("'=x")
    ("'=1+1", 'age', "''=x")
    """
    return f"'{name}" if _FORMULA.match(name) else name


def guarded(frame: pd.DataFrame, columns: Sequence[str]) -> str:
    """The text of a CSV file; the columns that hold names go through `cell`."""
    import pandas as pd

    # as objects: a column of strings refuses lone surrogates
    safe = {
        column: pd.Series([cell(name) for name in frame[column]], frame.index, dtype=object)
        for column in columns
    }
    return str(frame.assign(**safe).to_csv(index=False))


def plain(text: str) -> str:
    """The name that `cell` wrote.

    >>> plain("'=1+1"), plain("'quoted'")
    ('=1+1', "'quoted'")
    """
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text
