"""What other tools read says the same as the graph, whatever its columns are called."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagdecor.errors import BadShape
from dagdecor.graph import MixedGraph
from dagdecor.interop import to_dot

HOSTILE = [
    'say "hi"',
    '"',
    "\\",
    "ends with \\",
    '\\"',
    "\\N",
    "\\n",
    "\n",
    "\r\n",
    "\x00",
    "\\x0000",
    "<script>alert(1)</script>",
    "<b>html</b>",
    '"]; evil -> node; "',
    "a -> b",
    "// comment",
    "/* comment",
    "# line",
    "graph",
    "{}",
    "&lt;",
    "\N{SNOWMAN}\N{PILE OF POO}",
    "\u2028",
    "\ud800",
    "",
    " ",
    "x" * 10_000,
]

# DOT as far as Graphviz's lexer reads it: in a string only \" is an escape, and \\ is kept whole.
TOKEN = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|([A-Za-z]+)|(->|[{}\[\];,=]))')
ESCAPE = re.compile(r'\\(?:x([0-9a-f]{4})|([\\"n]))')


def tokens(text):
    place, found = 0, []
    text = text.rstrip()
    while place < len(text):
        match = TOKEN.match(text, place)
        assert match, f"not DOT: {text[place : place + 40]!r}"
        found.append(("name", match[1]) if match[1] is not None else ("mark", match[2] or match[3]))
        place = match.end()
    return found


def plain(quoted):
    def meaning(found):
        return chr(int(found[1], 16)) if found[1] else {"n": "\n"}.get(found[2], found[2])

    return ESCAPE.sub(meaning, quoted)


def statements(text):
    """(nodes, edges) of a DOT file; an edge is (tail, head, attributes)."""
    found = tokens(text)
    assert found[:2] == [("mark", "digraph"), ("mark", "{")]
    assert found[-1] == ("mark", "}")
    nodes, edges, current = [], [], []
    for token in found[2:-1]:
        if token != ("mark", ";"):
            current.append(token)
            continue
        names = [plain(value) for kind, value in current[:3] if kind == "name"]
        if len(current) == 1:
            nodes += names
        else:
            assert current[1] == ("mark", "->")
            edges.append((*names, attributes(current[3:])))
        current = []
    assert not current
    return nodes, edges


def attributes(listed):
    if not listed:
        return {}
    assert (listed[0], listed[-1]) == (("mark", "["), ("mark", "]"))
    inner = [value for _, value in listed[1:-1]]
    assert all(inner[place + 1] == "=" for place in range(0, len(inner), 4))
    assert all(comma == "," for comma in inner[3::4])
    return dict(zip(inner[::4], inner[2::4], strict=True))


def read(text):
    nodes, edges = statements(text)
    arrows = [edge[:2] for edge in edges if edge[2].get("dir") != "both"]
    arcs = [edge[:2] for edge in edges if edge[2].get("dir") == "both"]
    return MixedGraph(nodes, arrows, arcs)


def test_a_small_graph_word_for_word():
    graph = MixedGraph("abc", [("a", "b")], [("b", "c")])
    B = np.zeros((3, 3))
    B[0, 1] = -1234.56
    Omega = np.eye(3)
    Omega[1, 2] = Omega[2, 1] = 0.0123456
    assert to_dot(graph, B, Omega) == (
        "digraph {\n"
        '  "a";\n'
        '  "b";\n'
        '  "c";\n'
        '  "a" -> "b" [label="-1.23e+03"];\n'
        '  "b" -> "c" [dir=both, style=dashed, label="0.0123"];\n'
        "}\n"
    )
    assert "label" not in to_dot(graph)
    assert '"a" -> "b";' in to_dot(graph)


def test_labels_belong_to_their_edges():
    graph = MixedGraph("abc", [("c", "a"), ("c", "b")], [("b", "a")])
    B = np.arange(9.0).reshape(3, 3)
    Omega = B + B.T
    _, edges = statements(to_dot(graph, B, Omega))
    labels = {edge[:2]: edge[2]["label"] for edge in edges}
    assert labels == {("c", "a"): "6", ("c", "b"): "7", ("a", "b"): "4"}
    assert [edge[2].get("style") for edge in edges] == [None, None, "dashed"]


@pytest.mark.parametrize("name", HOSTILE, ids=lambda name: ascii(name[:20]))
def test_a_hostile_name_is_only_a_name(name):
    graph = MixedGraph([name, "other"], [(name, "other")], [("other", name)])
    text = to_dot(graph, np.ones((2, 2)), np.ones((2, 2)))
    assert read(text) == graph
    assert text.encode("utf-8")
    assert len(text.splitlines()) == 6
    assert all(character.isprintable() for line in text.split("\n") for character in line)


def test_hostile_names_together_stay_apart():
    graph = MixedGraph(HOSTILE, list(zip(HOSTILE, HOSTILE[1:], strict=False)))  # noqa: RUF007
    assert read(to_dot(graph)) == graph


@given(st.lists(st.text(max_size=8), min_size=1, max_size=5, unique=True), st.randoms())
@settings(max_examples=200, deadline=None)
def test_any_graph_comes_back(names, random):
    pairs = [(a, b) for place, a in enumerate(names) for b in names[place + 1 :]]
    arrows = [pair for pair in pairs if random.random() < 0.5]
    arcs = [pair for pair in pairs if random.random() < 0.5]
    graph = MixedGraph(names, arrows, arcs)
    assert read(to_dot(graph)) == graph


def test_matrices_of_another_size_are_refused():
    graph = MixedGraph("ab")
    with pytest.raises(BadShape, match=r"needs \(2, 2\), not \(3, 3\)"):
        to_dot(graph, np.eye(3))
    with pytest.raises(BadShape, match=r"needs \(2, 2\), not \(2,\)"):
        to_dot(graph, noise_covariance=[1.0, 2.0])
