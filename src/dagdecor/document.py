"""Versioned JSON documents: small, plain, checked; reading one never executes anything."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import numpy.typing as npt

from dagdecor.errors import BadDocument

LIMIT = 512 * 1024 * 1024
DEPTH = 12
_MARK = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]', re.DOTALL)  # a string, or a bracket


def write(kind: str, version: int, body: dict[str, Any]) -> str:
    """JSON text of `body` under the header that `read` asks for."""
    return json.dumps(
        {"format": f"dagdecor.{kind}", "version": version, **body},
        indent=1,
        allow_nan=False,
        default=lambda number: number.item(),  # a numpy number among the options
    )


def read(kind: str, version: int, text: str) -> dict[str, Any]:
    """Parse and check the header; the caller checks the body's fields."""
    if len(text) > LIMIT:
        raise BadDocument(kind, f"it is larger than {LIMIT // 2**20} MiB")
    if _depth(text) > DEPTH:
        raise BadDocument(kind, f"it is nested deeper than {DEPTH} levels")
    try:
        body = json.loads(text, parse_constant=_refuse_constant)
    except ValueError as error:
        raise BadDocument(kind, f"it is not JSON ({error})") from None
    if not isinstance(body, dict) or body.get("format") != f"dagdecor.{kind}":
        raise BadDocument(kind, f'it lacks "format": "dagdecor.{kind}"')
    if body.get("version") != version or isinstance(body["version"], bool):
        raise BadDocument(kind, f"its version is {body.get('version')!r}, this is {version}")
    return body


def strings(kind: str, body: dict[str, Any], field: str) -> tuple[str, ...]:
    """The list of strings under `field`."""
    values = body.get(field)
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise BadDocument(kind, f'"{field}" must be a list of strings')
    return tuple(values)


def string(kind: str, body: dict[str, Any], field: str) -> str:
    """The text under `field`."""
    value = body.get(field)
    if not isinstance(value, str):
        raise BadDocument(kind, f'"{field}" must be a string')
    return value


def mapping(kind: str, body: dict[str, Any], field: str) -> dict[str, Any]:
    """The mapping under `field`."""
    value = body.get(field)
    if not isinstance(value, dict):
        raise BadDocument(kind, f'"{field}" must be a mapping')
    return value


def numbers(values: object, *, gaps: bool = False) -> npt.NDArray[np.float64]:
    """Nested lists of numbers as an array; numpy alone would read true and "1" as 1.

    With `gaps`, null stands for NaN.
    """
    kinds = {int, float, type(None)} if gaps else {int, float}
    if not _numeric(values, kinds):
        raise ValueError("not all of it is numbers")
    try:
        return np.array(values, dtype=np.float64)
    except OverflowError:
        raise ValueError("a number is too large") from None


def _numeric(values: object, kinds: set[type]) -> bool:
    return isinstance(values, list) and all(
        type(value) in kinds or _numeric(value, kinds) for value in values
    )


def whole(kind: str, body: dict[str, Any], field: str, least: int = 1) -> int:
    """The whole number under `field`."""
    value = body.get(field)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise BadDocument(kind, f'"{field}" must be a whole number of at least {least}')
    return value


def pairs(kind: str, body: dict[str, Any], field: str) -> list[tuple[str, str]]:
    """The list of two-string lists under `field`."""
    values = body.get(field)
    good = isinstance(values, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(end, str) for end in pair)
        for pair in values
    )
    if not good:
        raise BadDocument(kind, f'"{field}" must be a list of [name, name] pairs')
    return [(first, second) for first, second in values]  # type: ignore[union-attr]


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number that JSON knows")


def _depth(text: str) -> int:
    """Deepest nesting of brackets outside strings, or the first depth beyond DEPTH."""
    deepest = level = 0
    for found in _MARK.finditer(text):
        mark = found[0]
        if mark in "[{":
            level += 1
            deepest = max(deepest, level)
            if deepest > DEPTH:
                return deepest
        elif mark in "]}":
            level -= 1
    return deepest
