"""Prior knowledge as it is stated, by names; contradictions are refused at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dagdecor.errors import BadKnowledge, UnknownName, nearest
from dagdecor.knowledge.contradictions import refuse_contradictions
from dagdecor.knowledge.marks import Mark, groups, marks, names
from dagdecor.knowledge.rules import Rules

FIELDS = ("required", "forbidden", "tiers", "unconfounded", "exogenous")


@dataclass(frozen=True, init=False)
class Knowledge:
    """What is known of the graph before the data are seen; every fit with it obeys it exactly.

    Parameters
    ----------
    required
        Marks that the graph must have, each the only mark of its pair: "a -> b", or the pair
        ("a", "b"), is an arrow; "a <-> b", or ("a", "<->", "b"), a hidden common cause.
    forbidden
        Marks that it must not have, written alike. Each bars that mark alone: a forbidden
        "a -> b" leaves "b -> a" and "a <-> b" open.
    tiers
        Groups of names from first to last. No arrow leads from a later group into an earlier
        one; arrows inside a group, and <-> between any groups, stay open. Names that are in no
        group are not restricted.
    unconfounded
        Names that share no hidden cause with any other column: no <-> at them.
    exogenous
        Names that no other column causes: no arrow into them. <-> stays open, since something
        outside the table may drive them together with others; a randomised column is both
        exogenous and unconfounded.

    Examples
    --------
    >>> known = Knowledge(required=["a -> b"], tiers=[["a"], ["b", "c"]], unconfounded="a")
    >>> print(known)
    required a -> b; tiers a | b, c; unconfounded a
    """

    required: tuple[Mark, ...]
    forbidden: tuple[Mark, ...]
    tiers: tuple[tuple[str, ...], ...]
    unconfounded: tuple[str, ...]
    exogenous: tuple[str, ...]

    def __init__(
        self,
        required: Iterable[Any] = (),
        forbidden: Iterable[Any] = (),
        tiers: Iterable[Any] = (),
        unconfounded: Iterable[str] = (),
        exogenous: Iterable[str] = (),
    ) -> None:
        object.__setattr__(self, "required", marks("required", required))
        object.__setattr__(self, "forbidden", marks("forbidden", forbidden))
        object.__setattr__(self, "tiers", groups("tiers", tiers))
        object.__setattr__(self, "unconfounded", names("unconfounded", unconfounded))
        object.__setattr__(self, "exogenous", names("exogenous", exogenous))
        refuse_contradictions(self)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every name that a rule mentions, once."""
        ends = (end for mark in (*self.required, *self.forbidden) for end in (mark.a, mark.b))
        listed = (name for group in self.tiers for name in group)
        return tuple(dict.fromkeys((*ends, *listed, *self.unconfounded, *self.exogenous)))

    @property
    def rank(self) -> dict[str, int]:
        """The number of each name's tier."""
        return {name: number for number, group in enumerate(self.tiers) for name in group}

    def check(self, columns: Sequence[str]) -> None:
        """Refuse a name that is not among these columns."""
        there = set(columns)
        for name in self.columns:
            if name not in there:
                raise UnknownName(name, columns)

    def rules(self, columns: Sequence[str]) -> Rules:
        """The same as masks over these columns."""
        self.check(columns)
        place = {name: index for index, name in enumerate(columns)}
        rules = Rules.none(len(columns))
        tier = np.array([self.rank.get(name, -1) for name in columns])
        rules.may_lead[(tier[:, None] > tier) & (tier >= 0)] = False
        rules.may_lead[:, [place[name] for name in self.exogenous]] = False
        for name in self.unconfounded:
            rules.bar_arcs(place[name])
        for mark in self.forbidden:
            rules.bar(place[mark.a], place[mark.b], arc=mark.kind == "<->")
        for mark in self.required:
            rules.fix(place[mark.a], place[mark.b], arc=mark.kind == "<->")
        return rules

    def to_dict(self) -> dict[str, list[Any]]:
        """Plain lists of the fields that say something, as a knowledge file holds them."""
        given: dict[str, list[Any]] = {
            "required": [list(mark) for mark in self.required],
            "forbidden": [list(mark) for mark in self.forbidden],
            "tiers": [list(group) for group in self.tiers],
            "unconfounded": list(self.unconfounded),
            "exogenous": list(self.exogenous),
        }
        return {field: value for field, value in given.items() if value}

    @classmethod
    def from_dict(cls, body: object) -> Knowledge:
        """Inverse of `to_dict`; a field that is not one of the five is refused."""
        if not isinstance(body, Mapping):
            raise BadKnowledge(f"a mapping of {', '.join(FIELDS)} is wanted, not {body!r:.60}")
        for field in body:
            if field not in FIELDS:
                raise BadKnowledge(f"unknown field {field!r}{nearest(field, FIELDS)}")
        return cls(**{field: () if value is None else value for field, value in body.items()})

    def __str__(self) -> str:
        said = {
            "required": ", ".join(map(str, self.required)),
            "forbidden": ", ".join(map(str, self.forbidden)),
            "tiers": " | ".join(", ".join(group) for group in self.tiers),
            "unconfounded": ", ".join(self.unconfounded),
            "exogenous": ", ".join(self.exogenous),
        }
        return "; ".join(f"{field} {text}" for field, text in said.items() if text) or "nothing"
