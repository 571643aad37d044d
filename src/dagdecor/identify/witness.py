"""Two parameter points on one graph with one covariance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dagdecor.graph import Edge
from dagdecor.identify.obstruction import Obstruction
from dagdecor.identify.part import Part

Array = npt.NDArray[np.float64]


class ParameterPoint(NamedTuple):
    """(B, Omega), both (p, p)."""

    weights: Array
    noise_covariance: Array

    @property
    def covariance(self) -> Array:
        """Sigma = (I-B)^-T Omega (I-B)^-1."""
        effects = np.linalg.inv(np.eye(len(self.weights)) - self.weights)
        return np.asarray(effects.T @ self.noise_covariance @ effects)


@dataclass(frozen=True)
class Witness:
    """Why a graph is not globally identifiable, with numbers that prove it.

    With coefficient 1 on the arborescence, and a noise covariance that is the Laplacian of the
    tree without the sink's row, every node of the set but the sink has total effect 1 on the
    sum of the sink's parents, and that sum has noise covariance 0 with every node that is not
    beside the sink. So the sink's coefficients can all move by 1, and only the noise covariances
    with the nodes beside it, from 1/2 to -1/2, notice. Nodes outside the set stay apart: no
    effects, unit noise. All entries are multiples of 1/4, so that nothing is rounded.

    Parameters
    ----------
    names
        The graph's columns, in the order of the matrices.
    nodes, sink
        The set that carries both trees, and where its directed one ends.
    arborescence
        Directed edges: one from each node of the set but the sink, all leading to the sink.
    tree
        Bidirected edges that connect the set.
    """

    names: tuple[str, ...]
    nodes: tuple[str, ...]
    sink: str
    arborescence: tuple[Edge, ...]
    tree: tuple[Edge, ...]

    @cached_property
    def first(self) -> ParameterPoint:
        """Sink's coefficients 1, noise covariances with the nodes beside it 1/2."""
        return self._point(1.0, 0.5)

    @cached_property
    def second(self) -> ParameterPoint:
        """Sink's coefficients 2, noise covariances with the nodes beside it -1/2."""
        return self._point(2.0, -0.5)

    @property
    def discrepancy(self) -> float:
        """Largest difference of the two covariances, relative to their largest entry."""
        first, second = self.first.covariance, self.second.covariance
        return float(np.abs(first - second).max() / np.abs(first).max())

    def _point(self, coefficient: float, noise_with_sink: float) -> ParameterPoint:
        place = {name: number for number, name in enumerate(self.names)}
        weights = np.zeros((len(place), len(place)))
        noise = np.eye(len(place))
        for name in self.nodes:
            noise[place[name], place[name]] = 0.0
        for first, second in self.tree:
            one, other = place[first], place[second]
            noise[one, one] += 1.0
            noise[other, other] += 1.0
            noise[one, other] = noise[other, one] = -1.0
        sink = place[self.sink]
        beside = noise[:, sink] == -1.0
        noise[beside, sink] = noise[sink, beside] = noise_with_sink
        # The sink's variance beyond what the nodes beside it explain, a quarter each, is 1.
        noise[sink, sink] = 1.0 + beside.sum() / 4
        for first, second in self.arborescence:
            weights[place[first], place[second]] = coefficient if second == self.sink else 1.0
        return ParameterPoint(_frozen(weights), _frozen(noise))

    def to_dict(self) -> dict[str, Any]:
        """Plain values; the points' matrices are those of `nodes`, the rest has no effects."""
        place = {name: number for number, name in enumerate(self.names)}
        at = np.ix_([place[name] for name in self.nodes], [place[name] for name in self.nodes])
        return {
            "nodes": list(self.nodes),
            "sink": self.sink,
            "arborescence": [list(edge) for edge in self.arborescence],
            "tree": [list(edge) for edge in self.tree],
            "points": [
                {
                    "weights": point.weights[at].tolist(),
                    "noise_covariance": point.noise_covariance[at].tolist(),
                }
                for point in (self.first, self.second)
            ],
        }


def witness(names: tuple[str, ...], part: Part, obstruction: Obstruction) -> Witness:
    """The obstruction by name, everything in column order."""
    column = {name: number for number, name in enumerate(names)}
    place = [column[label] for label in part.labels]

    def edges(found: tuple[tuple[int, int], ...], *, directed: bool) -> tuple[Edge, ...]:
        pairs = ((place[a], place[b]) for a, b in found)
        ordered = sorted(pairs if directed else ((min(pair), max(pair)) for pair in pairs))
        return tuple((names[a], names[b]) for a, b in ordered)

    return Witness(
        names=names,
        nodes=tuple(names[number] for number in sorted(place[node] for node in obstruction.nodes)),
        sink=part.labels[obstruction.sink],
        arborescence=edges(obstruction.arborescence, directed=True),
        tree=edges(obstruction.tree, directed=False),
    )


def _frozen(matrix: Array) -> Array:
    matrix.flags.writeable = False
    return matrix
