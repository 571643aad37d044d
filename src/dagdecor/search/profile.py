"""The lowest score found with each mark on each pair of columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from dagdecor.course import Course
from dagdecor.knowledge import Rules
from dagdecor.search.pinned import Mark, Marks, walker
from dagdecor.search.residual_kernels import Array

Pairs = Sequence[tuple[int, int]]
Wanted = tuple[tuple[int, int], Mark]

SAME = 4.0  # of -2 log-likelihood: a graph within so much of the best fits as well


class Profile(NamedTuple):
    """Lowest -2 log-likelihood + prices of the graphs visited; inf where none had that mark.

    Parameters
    ----------
    edge
        (p, p), with i -> j.
    arc, absent
        (p, p) symmetric, with i <-> j and with no mark on the pair.
    """

    edge: Array
    arc: Array
    absent: Array


def profile(
    S: Array,
    n: int,
    state: Any,
    prices: Any,
    pairs: Pairs,
    course: Course | None = None,
    rules: Rules | None = None,
) -> Profile:
    """min over graphs with mark m on pair (i, j) of the score, by climbs from the given state.

    From the state as it is, with every other mark put on every one of the pairs, a climb of a few
    moves leaves that pair alone; each graph that a climb ends at counts for all of its pairs.
    Then the same from the graphs that turned out to fit as well, near what they changed. What
    a longer search would find is not excluded. Graphs that break the rules do not count. Pairs
    that the course leaves undone are inf at marks that were not met by chance.
    """
    S, prices, walk = np.array(S, np.float64, order="C"), _exact(prices), walker(state)
    found = Profile(*np.full((3, *S.shape), np.inf))
    best = walk.score(S, float(n), state, prices)
    _enter(found, walk.marks(state), best)
    waiting, seen, climbs = [(state, list(pairs))], {_key(walk.marks(state))}, 0
    while waiting and climbs <= walk.later:
        start, near = waiting.pop(0)
        first = start is state
        for pair, mark in _missing(found, walk.marks(start), near, best + SAME):
            if (course and course.over) or not (first or climbs < walk.later):
                return found
            for other in walk.forced(S, start, pair, mark):
                climbs += not first
                walk.climb(S, float(n), other, prices, pair)
                score, marks = walk.score(S, float(n), other, prices), walk.marks(other)
                if not _obeys(marks, rules):
                    continue
                _enter(found, marks, score)
                best = min(best, score)
                if score < best + SAME and _key(marks) not in seen:
                    seen.add(_key(marks))
                    waiting.append((other, _near(marks, walk.marks(state), pairs)))
    return found


def _missing(found: Profile, here: Marks, pairs: Pairs, enough: float) -> Iterator[Wanted]:
    """Marks that a state has not, on those pairs, and that no graph as good has had so far."""
    for i, j in pairs:
        absent = not (here.edges[i, j] or here.edges[j, i] or here.arcs[i, j])
        for pair, mark, table, already in (
            ((i, j), "->", found.edge, here.edges[i, j]),
            ((j, i), "->", found.edge, here.edges[j, i]),
            ((i, j), "<->", found.arc, here.arcs[i, j]),
            ((i, j), "none", found.absent, absent),
        ):
            if not already and not table[pair] < enough:
                yield pair, mark


def _near(marks: Marks, given: Marks, pairs: Pairs) -> list[tuple[int, int]]:
    """The pairs that meet a column whose marks differ from the given ones."""
    differ = (marks.edges != given.edges) | (marks.arcs != given.arcs)
    moved = differ.any(axis=0) | differ.any(axis=1)
    return [(i, j) for i, j in pairs if moved[i] or moved[j]]


def _obeys(marks: Marks, rules: Rules | None) -> bool:
    """Whether a graph has all marks that are fixed and none that is barred."""
    if rules is None:
        return True
    may_lead, may_share, must_lead, must_share = rules
    barred = (marks.edges & ~may_lead) | (marks.arcs & ~may_share)
    lacking = (must_lead & ~marks.edges) | (must_share & ~marks.arcs)
    return not (barred | lacking).any()


def _key(marks: Marks) -> bytes:
    return np.concatenate(marks).tobytes()


def _exact(prices: Any) -> Any:
    """Prices as the kernels are compiled for them: writeable, contiguous, floats."""
    fields = [np.array(part, np.float64) if np.ndim(part) else float(part) for part in prices]
    return type(prices)(*fields)


def _enter(found: Profile, marks: Marks, score: float) -> None:
    """Lower the entries of all marks of a state to its score."""
    absent = ~(marks.edges | marks.edges.T | marks.arcs)
    for table, flags in zip(found, (marks.edges, marks.arcs, absent), strict=True):
        table[flags] = np.minimum(table[flags], score)
