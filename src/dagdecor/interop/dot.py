"""Mixed graphs in Graphviz's DOT language."""

from __future__ import annotations

import re

import numpy.typing as npt

from dagdecor.interop.parts import Marks, weighted

# Control characters would end a line or a C string; a lone surrogate cannot be written as UTF-8.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def to_dot(
    graph: Marks,
    weights: npt.ArrayLike | None = None,
    noise_covariance: npt.ArrayLike | None = None,
) -> str:
    r"""DOT text: a -> b as a solid arrow, a <-> b dashed with two heads.

    Given B or Omega, (p, p) in the order of the graph's names, edges carry their entry to three
    significant digits. Distinct names stay distinct whatever characters they hold.

    Examples
    --------
    >>> from dagdecor import MixedGraph
    >>> graph = MixedGraph(["a", 'say "b"'], bidirected=[("a", 'say "b"')])
    >>> print(to_dot(graph, noise_covariance=[[1.0, 0.25], [0.25, 1.0]]), end="")
    digraph {
      "a";
      "say \"b\"";
      "a" -> "say \"b\"" [dir=both, style=dashed, label="0.25"];
    }
    """
    lines = [f"  {_quoted(name)};" for name in graph.names]
    for (first, second), kind, entry in weighted(graph, weights, noise_covariance):
        marks = ["dir=both", "style=dashed"] if kind == "bidirected" else []
        label = [] if entry is None else [f'label="{entry:.3g}"']
        listed = f" [{', '.join([*marks, *label])}]" if marks or label else ""
        lines.append(f"  {_quoted(first)} -> {_quoted(second)}{listed};")
    return "\n".join(["digraph {", *lines, "}"]) + "\n"


def _quoted(name: str) -> str:
    r"""The name as a DOT string.

    A backslash is doubled because Graphviz shows a node's name as its label, where \n and \N have
    meanings, and because a last one would swallow the closing quote.
    """
    text = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return '"' + _UNPRINTABLE.sub(lambda found: f"\\x{ord(found[0]):04x}", text) + '"'
