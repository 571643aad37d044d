"""Mixed graphs in dagitty's language."""

from __future__ import annotations

from dagdecor.interop.naming import percent
from dagdecor.interop.parts import Marks


def to_dagitty(graph: Marks) -> str:
    """dag { "a" -> "b" "a" <-> "c" }, one statement a line.

    Quotes, backslashes and unprintable characters of a name are written as %XX.

    >>> from dagdecor import MixedGraph
    >>> print(to_dagitty(MixedGraph(["a", "b c"], bidirected=[("a", "b c")])), end="")
    dag {
      "a"
      "b c"
      "a" <-> "b c"
    }
    """
    word = {name: '"' + percent(name, '"\\') + '"' for name in graph.names}
    lines = [
        *word.values(),
        *(f"{word[first]} -> {word[second]}" for first, second in graph.directed),
        *(f"{word[first]} <-> {word[second]}" for first, second in graph.bidirected),
    ]
    return "\n".join(["dag {", *(f"  {line}" for line in lines), "}"]) + "\n"
