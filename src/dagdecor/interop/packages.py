"""Graph objects of other Python packages, each imported when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import Any

import numpy.typing as npt

from dagdecor.errors import MissingPackage
from dagdecor.interop.parts import Edge, Marks, Parts, not_one_graph, weighted


def to_networkx(
    graph: Marks,
    weights: npt.ArrayLike | None = None,
    noise_covariance: npt.ArrayLike | None = None,
) -> Any:
    """A MultiDiGraph; an edge's key and `kind` are "directed" or "bidirected".

    A bidirected edge stands once, in column order. Given B or Omega, edges carry `weight`.
    """
    nx = _networkx("a networkx graph")
    found = nx.MultiDiGraph()
    found.add_nodes_from(graph.names)
    for (first, second), kind, entry in weighted(graph, weights, noise_covariance):
        weight = {} if entry is None else {"weight": entry}
        found.add_edge(first, second, key=kind, kind=kind, **weight)
    return found


def from_networkx(graph: Any) -> Parts:
    """Read a DiGraph or MultiDiGraph: bidirected where an edge's `kind` or `type` says so.

    Nodes with observed="no" are hidden, as DoWhy marks them.
    """
    return _read("networkx", graph)


def to_dowhy(graph: Marks) -> Any:
    """A networkx DiGraph in which a node of its own, observed="no", stands for each a <-> b."""
    nx = _networkx("a DoWhy graph")
    found = nx.DiGraph()
    found.add_nodes_from(graph.names, observed="yes")
    found.add_edges_from(graph.directed)
    free = (name for number in count(1) if (name := f"U{number}") not in set(graph.names))
    for (first, second), name in zip(graph.bidirected, free, strict=False):
        found.add_node(name, observed="no")
        found.add_edges_from([(name, first), (name, second)])
    return found


def from_dowhy(model: Any) -> Parts:
    """Read a CausalModel, a CausalGraph or a DiGraph; unobserved nodes are hidden."""
    inner = getattr(model, "_graph", model)
    return _read("DoWhy", getattr(inner, "_graph", inner))


def to_pgmpy(graph: Marks) -> Any:
    """A pgmpy.base.ADMG."""
    try:
        from pgmpy.base import ADMG
    except ImportError:
        raise MissingPackage("pgmpy", "a pgmpy graph", "interop") from None
    found = ADMG(list(graph.directed), list(graph.bidirected))
    found.add_nodes_from(graph.names)
    return found


def from_pgmpy(graph: Any) -> Parts:
    """Read an ADMG or a DAG; its latents are hidden."""
    parts = _read("pgmpy", graph)
    latents = {str(name) for name in getattr(graph, "latents", ())} | set(parts.hidden)
    return parts._replace(hidden=tuple(name for name in parts.names if name in latents))


def to_causal_learn(graph: Marks) -> Any:
    """A causallearn GeneralGraph: graph[j, i] = 1 and graph[i, j] = -1 for i -> j."""
    try:
        from causallearn.graph.Edge import Edge as Line
        from causallearn.graph.Endpoint import Endpoint
        from causallearn.graph.GeneralGraph import GeneralGraph
        from causallearn.graph.GraphNode import GraphNode
    except ImportError:
        raise MissingPackage("causal-learn", "a causal-learn graph", "interop") from None
    nodes = {name: GraphNode(name) for name in graph.names}
    found = GeneralGraph(list(nodes.values()))
    for first, second in graph.directed:
        found.add_edge(Line(nodes[first], nodes[second], Endpoint.TAIL, Endpoint.ARROW))
    for first, second in graph.bidirected:
        found.add_edge(Line(nodes[first], nodes[second], Endpoint.ARROW, Endpoint.ARROW))
    return found


def from_causal_learn(graph: Any) -> Parts:
    """Read a GeneralGraph, or what a search returns with one; circles are refused."""
    graph = getattr(graph, "G", graph)
    arrows: list[Edge] = []
    arcs: list[Edge] = []
    for edge in graph.get_graph_edges():
        pair = (str(edge.get_node1().get_name()), str(edge.get_node2().get_name()))
        marks = (edge.get_endpoint1().name, edge.get_endpoint2().name)
        if marks == ("ARROW", "ARROW"):
            arcs.append(pair)
        elif marks in {("TAIL", "ARROW"), ("ARROW", "TAIL")}:
            arrows.append(pair if marks[0] == "TAIL" else (pair[1], pair[0]))
        else:
            raise _unoriented("causal-learn", pair)
    names = tuple(str(node.get_name()) for node in graph.get_nodes())
    return Parts(names, tuple(arrows), tuple(arcs))


def to_ananke(graph: Marks) -> Any:
    """An ananke ADMG."""
    try:
        from ananke.graphs import ADMG
    except ImportError:
        # it wants numpy < 2, so no extra of ours can bring it
        raise MissingPackage("ananke-causal", "an ananke graph", "") from None
    return ADMG(list(graph.names), list(graph.directed), list(graph.bidirected))


def from_ananke(graph: Any) -> Parts:
    """Read an ADMG; undirected edges are refused."""
    for edge in getattr(graph, "ud_edges", ()):
        raise _unoriented("ananke", edge)
    return Parts(
        tuple(graph.vertices), _pairs(graph.di_edges), _pairs(getattr(graph, "bi_edges", ()))
    )


def _read(tool: str, graph: Any) -> Parts:
    """The parts of a directed networkx graph, and its unobserved nodes."""
    if not graph.is_directed():
        raise not_one_graph(tool, "its edges are undirected: pass a DiGraph or MultiDiGraph")
    arrows: list[Edge] = []
    arcs: dict[frozenset[str], Edge] = {}
    for first, second, data in graph.edges(data=True):
        pair = (str(first), str(second))
        if "bidirected" in {data.get("kind"), data.get("type")}:
            arcs.setdefault(frozenset(pair), pair)
        else:
            arrows.append(pair)
    hidden = [str(node) for node, data in graph.nodes(data=True) if data.get("observed") == "no"]
    names = tuple(map(str, graph.nodes))
    return Parts(names, tuple(arrows), tuple(arcs.values()), tuple(hidden))


def _pairs(edges: Iterable[Any]) -> tuple[Edge, ...]:
    return tuple((str(first), str(second)) for first, second in edges)


def _unoriented(tool: str, pair: Any) -> Exception:
    first, second = pair
    return not_one_graph(
        tool, f"the edge between {first!r} and {second!r} is neither -> nor <->: orient it first"
    )


def _networkx(purpose: str) -> Any:
    try:
        import networkx as nx
    except ImportError:
        raise MissingPackage("networkx", purpose, "interop") from None
    return nx
