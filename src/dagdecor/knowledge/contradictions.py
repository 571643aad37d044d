"""Two rules that no graph can obey together, found and named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagdecor.errors import Contradiction, CyclicGraph
from dagdecor.graph import MixedGraph
from dagdecor.knowledge.marks import Mark

if TYPE_CHECKING:
    from dagdecor.knowledge.stated import Knowledge


def refuse_contradictions(known: Knowledge) -> None:
    """Raise `Contradiction` with the first two rules that exclude each other."""
    seen: dict[str, int] = {}
    for number, group in enumerate(known.tiers, start=1):
        for name in group:
            if name in seen:
                raise Contradiction(f"tier {seen[name]}", f"tier {number}, both with {name!r}")
            seen[name] = number
    forbidden, pairs = set(known.forbidden), dict[frozenset[str], Mark]()
    for mark in known.required:
        if mark in forbidden:
            raise Contradiction(f"required '{mark}'", f"forbidden '{mark}'")
        if mark.pair in pairs:
            other = pairs[mark.pair]
            why = "a pair carries one mark" if "<->" in (mark.kind, other.kind) else "a cycle"
            raise Contradiction(f"required '{other}'", f"required '{mark}' ({why})")
        pairs[mark.pair] = mark
        _check_names(mark, known)
    _check_cycle([mark for mark in known.required if mark.kind == "->"])


def _check_names(mark: Mark, known: Knowledge) -> None:
    """A required mark against the rules about its ends."""
    if mark.kind == "<->":
        for end in (mark.a, mark.b):
            if end in known.unconfounded:
                raise Contradiction(f"required '{mark}'", f"unconfounded {end!r}")
        return
    if mark.b in known.exogenous:
        raise Contradiction(f"required '{mark}'", f"exogenous {mark.b!r}")
    rank = known.rank
    if mark.a in rank and mark.b in rank and rank[mark.a] > rank[mark.b]:
        raise Contradiction(
            f"required '{mark}'",
            f"tiers ({mark.a!r} in tier {rank[mark.a] + 1}, {mark.b!r} in tier {rank[mark.b] + 1})",
        )


def _check_cycle(arrows: list[Mark]) -> None:
    ends = sorted({end for mark in arrows for end in (mark.a, mark.b)})
    try:
        MixedGraph(ends, [(mark.a, mark.b) for mark in arrows])
    except CyclicGraph as error:
        steps = [f"'{a} -> {b}'" for a, b in zip(error.cycle, error.cycle[1:], strict=False)]
        rest = f"required {', '.join(steps[:-1])}"
        raise Contradiction(rest, f"required {steps[-1]} (a cycle)") from None
