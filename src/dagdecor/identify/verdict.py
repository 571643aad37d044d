"""What a covariance can say about the parameters of one graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy.typing as npt

from dagdecor.errors import OptionError, named
from dagdecor.graph import MixedGraph
from dagdecor.identify.halftrek import infinite_to_one, unsolved_nodes
from dagdecor.identify.jacobian import full_rank
from dagdecor.identify.obstruction import find_obstruction
from dagdecor.identify.part import Part, mixed_components, whole
from dagdecor.identify.point import Point, point
from dagdecor.identify.witness import Witness, witness

Answer = Literal["yes", "no", "unknown"]


@dataclass(frozen=True, eq=False)
class Identifiability:
    """The verdicts on one graph: global, then bow-free, half-trek, Jacobian, each implies the next.

    All of them are about the parameters (B, Omega) on this graph. Other graphs may have the same
    covariances: see `equivalent`.

    Parameters
    ----------
    globally_identifiable
        No covariance has two parameter points.
    bow_free
        No pair carries both an edge and a bidirected edge; then almost every covariance of the
        graph has one parameter point.
    half_trek
        "yes": proved that almost every covariance has one point; "no": proved that it has
        infinitely many; "unknown": the criterion decides neither. It is asked of every mixed
        component by itself (Tian's decomposition), which proves a little more than asking the
        graph whole.
    half_trek_identifiable
        The yes of the criterion as published, asked of the graph whole: it implies a "yes".
    jacobian_full_rank
        Almost every covariance has finitely many parameter points.
    witness
        Two points with one covariance, when the graph is not globally identifiable.
    point
        The margins of the given parameters, when some were given.
    """

    globally_identifiable: bool
    bow_free: bool
    half_trek: Answer
    half_trek_identifiable: bool
    jacobian_full_rank: bool
    witness: Witness | None = None
    point: Point | None = None

    @property
    def sentence(self) -> str:
        """The verdict in plain words, on one line."""
        if self.point is None or not (self.jacobian_full_rank and self.point.margins):
            return _of_graph(self)
        return f"{_of_graph(self)}; {_of_point(self.point)}"

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for a JSON document."""
        return {
            "globally_identifiable": self.globally_identifiable,
            "bow_free": self.bow_free,
            "half_trek": self.half_trek,
            "half_trek_identifiable": self.half_trek_identifiable,
            "jacobian_full_rank": self.jacobian_full_rank,
            "witness": self.witness.to_dict() if self.witness else None,
            "point": self.point.to_dict() if self.point else None,
            "sentence": self.sentence,
        }


def identifiability(
    graph: MixedGraph,
    weights: npt.ArrayLike | None = None,
    noise_covariance: npt.ArrayLike | None = None,
) -> Identifiability:
    """What the covariance can say about B and Omega on this graph, and at this point if given.

    Examples
    --------
    >>> bow = MixedGraph(["a", "b"], directed=[("a", "b")], bidirected=[("a", "b")])
    >>> verdict = identifiability(bow)
    >>> verdict.jacobian_full_rank, verdict.half_trek, verdict.witness.discrepancy
    (False, 'no', 0.0)
    >>> print(identifiability(MixedGraph(["a", "b"], directed=[("a", "b")])))
    every covariance of this graph has one set of parameters
    """
    if (weights is None) != (noise_covariance is None):
        missing = "weights" if weights is None else "noise_covariance"
        raise OptionError(missing, None, "both matrices of a parameter point, or neither")
    part = whole(graph)
    obstruction = find_obstruction(part)
    half_trek, finite = _generic(part)
    return Identifiability(
        globally_identifiable=obstruction is None,
        bow_free=graph.is_bow_free,
        half_trek=half_trek,
        half_trek_identifiable=half_trek == "yes" and not unsolved_nodes(part),
        jacobian_full_rank=finite,
        witness=None if obstruction is None else witness(graph.names, part, obstruction),
        point=(
            None
            if weights is None or noise_covariance is None
            else point(graph, weights, noise_covariance)
        ),
    )


def _generic(part: Part) -> tuple[Answer, bool]:
    """The half-trek answer and the Jacobian's, from the mixed components that carry bows.

    A component without bows, and any that the half-trek criterion solves, has full rank; one of
    full rank cannot be infinite-to-one. What is left is decided for its unsolved nodes.
    """
    answers: set[Answer] = set()
    finite = True
    for component in mixed_components(part):
        unsolved = unsolved_nodes(component)
        if not unsolved:
            continue
        if full_rank(component, unsolved):
            answers.add("unknown")
        else:
            finite = False
            answers.add("no" if infinite_to_one(component, unsolved) else "unknown")
    if "no" in answers:
        return "no", finite
    return "unknown" if answers else "yes", finite


def _of_graph(verdict: Identifiability) -> str:
    if verdict.globally_identifiable:
        return "every covariance of this graph has one set of parameters"
    if verdict.half_trek == "yes":
        return "almost every covariance of this graph has one set of parameters, some have two"
    if verdict.jacobian_full_rank:
        return "almost every covariance of this graph has finitely many sets of parameters"
    return "the covariances of this graph have infinitely many sets of parameters"


def _of_point(found: Point) -> str:
    node, margin = min(found.margins.items(), key=lambda item: item[1])
    claim = "this set is the only one" if found.unique else "this set may not be the only one"
    return f"{claim} (margin {margin:.2g} at {named([node])})"
