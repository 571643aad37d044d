"""The methods by which a graph speaks to other tools; the languages are in `interop`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dagdecor import interop
from dagdecor.interop import Parts

if TYPE_CHECKING:
    from dagdecor.graph.mixed import Edge, MixedGraph


class Formats:
    """to_* and from_* of `MixedGraph`.

    A reader refuses what is not one mixed graph (circles, undirected edges, cycles). Names that a
    format cannot hold are escaped, or replaced by the `identifiers`; the readers restore them.
    """

    names: tuple[str, ...]
    directed: tuple[Edge, ...]
    bidirected: tuple[Edge, ...]

    @classmethod
    def from_parts(cls, parts: Parts) -> MixedGraph:
        """The graph of what a reader found."""
        raise NotImplementedError

    def identifiers(self) -> dict[str, str]:
        """Name -> the identifier that lavaan and semopy know it by; rename a table's columns so."""
        return interop.identifiers(self.names)

    # --- languages -------------------------------------------------------------------------

    def to_dot(
        self, weights: npt.ArrayLike | None = None, noise_covariance: npt.ArrayLike | None = None
    ) -> str:
        """Graphviz: a <-> b has two heads and is dashed; B and Omega become labels."""
        return interop.to_dot(self, weights, noise_covariance)

    @classmethod
    def from_dot(cls, text: str) -> MixedGraph:
        """From Graphviz's DOT; an edge is bidirected where it says dir=both."""
        return cls.from_parts(interop.from_dot(text))

    def to_gml(
        self, weights: npt.ArrayLike | None = None, noise_covariance: npt.ArrayLike | None = None
    ) -> str:
        """GML, with `kind` and `weight` of every edge."""
        return interop.to_gml(self, weights, noise_covariance)

    @classmethod
    def from_gml(cls, text: str) -> MixedGraph:
        """From GML; an edge is bidirected where its `kind` says so."""
        return cls.from_parts(interop.from_gml(text))

    def to_dagitty(self) -> str:
        """dag { "a" -> "b" "a" <-> "c" }, for dagitty in R or in a browser."""
        return interop.to_dagitty(self)

    @classmethod
    def from_dagitty(cls, text: str) -> MixedGraph:
        """From dagitty's language; latent columns are projected out."""
        return cls.from_parts(interop.from_dagitty(text))

    def to_lavaan(self) -> str:
        """Y ~ x and x ~~ y; call `sem(model, data, fixed.x = FALSE)`."""
        return interop.to_lavaan(self)

    @classmethod
    def from_lavaan(cls, text: str) -> MixedGraph:
        """From lavaan's equations between observed columns."""
        return cls.from_parts(interop.from_lavaan(text))

    def to_semopy(self) -> str:
        """Y ~ x and x ~~ y, for `semopy.Model`."""
        return interop.to_semopy(self)

    @classmethod
    def from_semopy(cls, text: str) -> MixedGraph:
        """From semopy's equations between observed columns."""
        return cls.from_parts(interop.from_semopy(text))

    def to_tetrad(self) -> str:
        """Tetrad's text file."""
        return interop.to_tetrad(self)

    @classmethod
    def from_tetrad(cls, text: str) -> MixedGraph:
        """From Tetrad's text file."""
        return cls.from_parts(interop.from_tetrad(text))

    # --- matrices --------------------------------------------------------------------------

    def to_pcalg(self) -> npt.NDArray[np.int64]:
        """(p, p) amat.pag of pcalg: [a, b] = 2 and [b, a] = 3 for a -> b, 2 and 2 for a <-> b."""
        return interop.to_pcalg(self)

    @classmethod
    def from_pcalg(cls, matrix: npt.ArrayLike, names: Sequence[str] | None = None) -> MixedGraph:
        """From an amat.pag; the names of a DataFrame's columns unless given."""
        return cls.from_parts(interop.from_pcalg(matrix, names))

    def to_lingam(self, weights: npt.ArrayLike | None = None) -> npt.NDArray[np.float64]:
        """(p, p) adjacency_matrix_ of lingam: [i, j] is j -> i, NaN in both cells for i <-> j."""
        return interop.to_lingam(self, weights)

    @classmethod
    def from_lingam(cls, matrix: npt.ArrayLike, names: Sequence[str] | None = None) -> MixedGraph:
        """From an adjacency_matrix_."""
        return cls.from_parts(interop.from_lingam(matrix, names))

    # --- objects ---------------------------------------------------------------------------

    def to_networkx(
        self, weights: npt.ArrayLike | None = None, noise_covariance: npt.ArrayLike | None = None
    ) -> Any:
        """A MultiDiGraph; `kind` of an edge is "directed" or "bidirected"."""
        return interop.to_networkx(self, weights, noise_covariance)

    @classmethod
    def from_networkx(cls, graph: Any) -> MixedGraph:
        """From a DiGraph or MultiDiGraph; nodes with observed="no" are projected out."""
        return cls.from_parts(interop.from_networkx(graph))

    def to_dowhy(self) -> Any:
        """A DiGraph with an unobserved node for each a <-> b, for `dowhy.CausalModel(graph=)`."""
        return interop.to_dowhy(self)

    @classmethod
    def from_dowhy(cls, model: Any) -> MixedGraph:
        """From a CausalModel or its graph; unobserved nodes are projected out."""
        return cls.from_parts(interop.from_dowhy(model))

    def to_pgmpy(self) -> Any:
        """A pgmpy.base.ADMG."""
        return interop.to_pgmpy(self)

    @classmethod
    def from_pgmpy(cls, graph: Any) -> MixedGraph:
        """From an ADMG or a DAG of pgmpy; latents are projected out."""
        return cls.from_parts(interop.from_pgmpy(graph))

    def to_causal_learn(self) -> Any:
        """A GeneralGraph of causal-learn."""
        return interop.to_causal_learn(self)

    @classmethod
    def from_causal_learn(cls, graph: Any) -> MixedGraph:
        """From a GeneralGraph, or from the result of a search that holds one."""
        return cls.from_parts(interop.from_causal_learn(graph))

    def to_ananke(self) -> Any:
        """An ADMG of ananke."""
        return interop.to_ananke(self)

    @classmethod
    def from_ananke(cls, graph: Any) -> MixedGraph:
        """From an ADMG of ananke."""
        return cls.from_parts(interop.from_ananke(graph))
