"""Marks and names as people write them: "a -> b", ("a", "b"), ("a", "<->", "b")."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from dagdecor.errors import BadKnowledge

_ARROW = re.compile(r"(<->|->|<-)")


class Mark(NamedTuple):
    """A mark of one pair: a -> b, or a <-> b with the names in alphabetical order."""

    a: str
    kind: str
    b: str

    @property
    def pair(self) -> frozenset[str]:
        """Both ends."""
        return frozenset((self.a, self.b))

    def __str__(self) -> str:
        return f"{self.a} {self.kind} {self.b}"


def marks(option: str, given: object) -> tuple[Mark, ...]:
    """Every mark of an option, once, in the order given."""
    return tuple(dict.fromkeys(_mark(option, entry) for entry in _listed(option, given)))


def names(option: str, given: object) -> tuple[str, ...]:
    """Every name of an option, once, in the order given."""
    return tuple(dict.fromkeys(_name(option, entry) for entry in _listed(option, given)))


def groups(option: str, given: object) -> tuple[tuple[str, ...], ...]:
    """Groups of names, each a list or one name."""
    return tuple(names(option, group) for group in _listed(option, given))


def _listed(option: str, given: object) -> list[object]:
    if isinstance(given, str):
        return [given]
    if isinstance(given, Iterable) and not isinstance(given, bytes | dict):
        return list(given)
    raise BadKnowledge(f"{option} must be a list, not {given!r}")


def _mark(option: str, entry: object) -> Mark:
    wrong = f"{option}: {entry!r} is not a mark: write 'a -> b', 'a <-> b' or a pair of names"
    if isinstance(entry, str):
        parts: list[object] = [part.strip() for part in _ARROW.split(entry)]
    elif isinstance(entry, Iterable) and not isinstance(entry, bytes | dict):
        parts = list(entry)
    else:
        raise BadKnowledge(wrong)
    if len(parts) == 2:
        parts.insert(1, "->")
    if len(parts) != 3 or parts[1] not in ("->", "<-", "<->") or "" in parts:
        raise BadKnowledge(wrong)
    a, kind, b = _name(option, parts[0]), str(parts[1]), _name(option, parts[2])
    if a == b:
        raise BadKnowledge(f"{option}: {a!r} cannot have a mark with itself")
    if kind == "<->":
        return Mark(min(a, b), kind, max(a, b))
    return Mark(a, "->", b) if kind == "->" else Mark(b, "->", a)


def _name(option: str, entry: object) -> str:
    """The text of a name; columns without names of their own are numbered."""
    if isinstance(entry, str) and entry:
        return entry
    if isinstance(entry, int) and not isinstance(entry, bool):
        return str(entry)
    raise BadKnowledge(f"{option}: {entry!r} is not a column name (put it in quotes if it is)")
