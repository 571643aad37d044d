"""Mixed graphs as Tetrad's text files."""

from __future__ import annotations

import re

from dagdecor.interop.naming import percent, unpercent
from dagdecor.interop.parts import Edge, Marks, Parts, not_one_graph

_EDGE = re.compile(r"\s*\d+\.\s+(\S+)\s+(\S+)\s+(\S+)(?:\s.*)?")


def to_tetrad(graph: Marks) -> str:
    """Graph Nodes and numbered Graph Edges: A --> B, A <-> B.

    Semicolons, commas, white space, quotes and unprintable characters are written as %XX.

    >>> from dagdecor import MixedGraph
    >>> print(to_tetrad(MixedGraph(["a", "b"], [("a", "b")])), end="")
    Graph Nodes:
    a;b
    <BLANKLINE>
    Graph Edges:
    1. a --> b
    """
    word = {name: percent(name, " ;,\"'") or "%" for name in graph.names}
    edges = [f"{word[a]} --> {word[b]}" for a, b in graph.directed]
    edges += [f"{word[a]} <-> {word[b]}" for a, b in graph.bidirected]
    numbered = [f"{number}. {edge}" for number, edge in enumerate(edges, start=1)]
    return (
        "\n".join(["Graph Nodes:", ";".join(word.values()), "", "Graph Edges:", *numbered]) + "\n"
    )


def from_tetrad(text: str) -> Parts:
    r"""Read the text; edges with circles or without heads are refused.

    >>> from_tetrad("Graph Nodes:\na;b\n\nGraph Edges:\n1. a <-> b\n").bidirected
    (('a', 'b'),)
    """
    lines = [line for line in text.splitlines() if line.strip()]
    heads = [line.strip().lower() for line in lines]
    if "graph nodes:" not in heads or "graph edges:" not in heads:
        raise not_one_graph("Tetrad", "it lacks the lines 'Graph Nodes:' and 'Graph Edges:'")
    first, second = heads.index("graph nodes:"), heads.index("graph edges:")
    names = [_name(word) for line in lines[first + 1 : second] for word in re.split("[;,]", line)]
    arrows: list[Edge] = []
    arcs: list[Edge] = []
    for line in lines[second + 1 :]:
        match = _EDGE.fullmatch(line)
        if match is None:
            break  # Tetrad adds attributes and scores after the edges
        left, mark, right = _name(match[1]), match[2], _name(match[3])
        if mark in {"-->", "<--"}:
            arrows.append((left, right) if mark == "-->" else (right, left))
        elif mark == "<->":
            arcs.append((left, right))
        else:
            raise not_one_graph(
                "Tetrad", f"the edge {left!r} {mark} {right!r} is neither --> nor <->: orient it"
            )
    return Parts.of_edges(names, arrows, arcs)


def _name(word: str) -> str:
    return "" if word.strip() == "%" else unpercent(word.strip())
