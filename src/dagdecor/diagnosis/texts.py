"""Columns that hold text: codes beside numbers, numbers in a foreign spelling, or words."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy.typing as npt

from dagdecor.diagnosis.findings import Finding
from dagdecor.errors import NotNumeric, named

CODES = 3  # different texts at most among numbers, that stand for something else
SPELT = re.compile(r"[-+]?(\d{1,3}( \d{3})+|\d)[\d.,']*\s*%?")  # 12,5 or 1,234.5 or 12 %
SHOWN = 8

Refused = list[tuple[str, npt.NDArray[Any], NotNumeric]]


def look_at_texts(refused: Refused, columns: int) -> list[Finding]:
    """Findings about the columns (name, cells, refusal) of a table of so many that are no numbers.

    Columns of one fault are told together.
    """
    codes, spelt, words = [], [], []
    for name, cells, refusal in refused:
        texts = [cell.strip() for cell in cells if isinstance(cell, str)]
        strange = Counter(text for text in texts if not _plain(text))
        if not strange:
            words.append((name, str(refusal)))
        elif len(strange) <= CODES and 2 * sum(strange.values()) < len(cells):
            listed = ", ".join(f"{text[:40]!r} {count}" for text, count in strange.most_common())
            codes.append((name, listed))
        elif all(SPELT.fullmatch(text) for text in strange):
            spelt.append((name, repr(next(iter(strange))[:40])))
        else:
            words.append((name, str(refusal)))
    return [
        *_together(codes, "text among numbers", "if it stands for no value, empty these cells"),
        *_together(
            spelt, "numbers with more than digits and a point", "write plain numbers, with a point"
        ),
        *_words(words, alone=columns == 1),
    ]


def _plain(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _together(told: list[tuple[str, str]], what: str, advice: str) -> list[Finding]:
    if not told:
        return []
    listed = ", ".join(f"{named([name])} ({text})" for name, text in told[:SHOWN])
    more = f" and {len(told) - SHOWN} more columns" if len(told) > SHOWN else ""
    columns = tuple(name for name, _ in told)
    return [Finding("text", "stop", f"{what}: {listed}{more}", advice, columns)]


def _words(told: list[tuple[str, str]], *, alone: bool) -> list[Finding]:
    """The reader's own sentence about the first column, and the names of the others."""
    if not told:
        return []
    columns = tuple(name for name, _ in told)
    sentence = told[0][1].removesuffix(": encode or drop it")
    if len(told) > 1:
        sentence += f"; nor {'is' if len(told) == 2 else 'are'} {named(columns[1:])}"
    advice = f"encode or drop {named(columns)}"
    if alone:
        advice = "the only column; are the cells parted by something else than , ; or tabs?"
    return [Finding("text", "stop", sentence, advice, columns)]
