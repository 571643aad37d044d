"""Mixed graphs as GML, the way networkx writes it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy.typing as npt

from dagdecor.interop.parts import Edge, Marks, Parts, not_one_graph, weighted

_TOKEN = re.compile(r'\s+|#[^\n]*|"(?P<text>[^"]*)"|(?P<mark>[\[\]])|(?P<word>[^\s"\[\]]+)')
_REFERENCE = re.compile(r"&#(\d+);|&(quot|amp|lt|gt|apos);")
_NAMED = {"quot": '"', "amp": "&", "lt": "<", "gt": ">", "apos": "'"}
DEPTH = 50


def to_gml(
    graph: Marks,
    weights: npt.ArrayLike | None = None,
    noise_covariance: npt.ArrayLike | None = None,
) -> str:
    """A directed multigraph; every edge has `kind`, and `weight` when B or Omega is given.

    A bidirected edge stands once. Characters outside printable ASCII are character references.

    >>> from dagdecor import MixedGraph
    >>> print(to_gml(MixedGraph(["a", "b"], bidirected=[("a", "b")])).splitlines()[-2].strip())
    edge [ source 0 target 1 key "bidirected" kind "bidirected" ]
    """
    place = {name: index for index, name in enumerate(graph.names)}
    lines = [f'  node [ id {index} label "{_escaped(name)}" ]' for name, index in place.items()]
    for (first, second), kind, entry in weighted(graph, weights, noise_covariance):
        weight = "" if entry is None else f" weight {float(entry)!r}"
        ends = f"source {place[first]} target {place[second]}"
        lines.append(f'  edge [ {ends} key "{kind}" kind "{kind}"{weight} ]')
    return "\n".join(["graph [", "  directed 1", "  multigraph 1", *lines, "]"]) + "\n"


def from_gml(text: str) -> Parts:
    """Read GML: an edge is bidirected where its `kind` says so; `label` is the name.

    >>> from_gml('graph [ directed 1 node [ id 7 label "a" ] node [ id 9 label "b" ] '
    ...          'edge [ source 7 target 9 ] ]').directed
    (('a', 'b'),)
    """
    tokens = list(_tokens(text))
    found, place = _block([*tokens, ("mark", "]")], 0, 0)
    graphs = [value for key, value in found if key == "graph"]
    if place != len(tokens) + 1 or len(graphs) != 1 or not isinstance(graphs[0], list):
        raise not_one_graph("GML", "it does not hold one graph [ ... ]")
    body = graphs[0]
    if str(dict(body).get("directed", "0")) != "1":
        raise not_one_graph("GML", "its edges are undirected: orient them first (directed 1)")
    nodes = _entries(body, "node")
    names = {str(node.get("id")): str(node.get("label", node.get("id"))) for node in nodes}
    arrows: list[Edge] = []
    arcs: list[Edge] = []
    for edge in _entries(body, "edge"):
        ends = (str(edge.get("source")), str(edge.get("target")))
        if not set(ends) <= set(names):
            raise not_one_graph("GML", f"an edge names a node that is not there: {ends}")
        pair = (names[ends[0]], names[ends[1]])
        (arcs if edge.get("kind") == "bidirected" else arrows).append(pair)
    # a node a label: two of one name are refused where the graph is built
    return Parts(tuple(names.values()), tuple(arrows), tuple(arcs))


def _entries(body: list[tuple[str, Any]], kind: str) -> list[dict[str, Any]]:
    values = [value for key, value in body if key == kind]
    if not all(isinstance(value, list) for value in values):
        raise not_one_graph("GML", f"a {kind} is not in brackets")
    return [dict(value) for value in values]


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise not_one_graph("GML", "a quotation mark is missing")
        place = match.end()
        if match.lastgroup is not None:
            kind = match.lastgroup
            yield kind, _plain(match[kind]) if kind == "text" else match[kind]


def _block(
    tokens: list[tuple[str, str]], place: int, depth: int
) -> tuple[list[tuple[str, Any]], int]:
    """Keys with values or blocks up to the closing bracket, and the place after it."""
    if depth > DEPTH:
        raise not_one_graph("GML", f"it is nested deeper than {DEPTH} levels")
    found: list[tuple[str, Any]] = []
    while place < len(tokens) and tokens[place] != ("mark", "]"):
        (kind, key), value = tokens[place], tokens[place + 1 : place + 2]
        if kind != "word" or not value or value[0] == ("mark", "]"):
            raise not_one_graph("GML", f"the key {key!r} has no value")
        if value[0] == ("mark", "["):
            block, place = _block(tokens, place + 2, depth + 1)
            found.append((key, block))
        else:
            found.append((key, value[0][1]))
            place += 2
    if place >= len(tokens):
        raise not_one_graph("GML", "a bracket is missing")
    return found, place + 1


def _escaped(name: str) -> str:
    return "".join(c if " " <= c <= "~" and c not in '"&' else f"&#{ord(c)};" for c in name)


def _plain(text: str) -> str:
    def meaning(found: re.Match[str]) -> str:
        return _NAMED[found[2]] if found[2] else chr(min(int(found[1]), 0x10FFFF))

    return _REFERENCE.sub(meaning, text)
