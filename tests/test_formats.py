"""Text and matrices of other tools: all comes back, what is no mixed graph is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import WITH_BOWS, mixed_graphs
from test_interop import HOSTILE

from dagdecor.errors import BadShape, CyclicGraph, DagdecorError, GraphError, UnreadableGraph
from dagdecor.graph import MixedGraph
from dagdecor.interop import TEXTS, identifiers

SMALL = MixedGraph("abc", [("a", "b")], [("b", "c")])
BOW_FREE_ONLY = {"pcalg"}


def same(one, other):
    """Equal graphs, whatever the order of the columns: equations do not keep it."""
    return (
        set(one.names) == set(other.names)
        and set(one.directed) == set(other.directed)
        and {frozenset(e) for e in one.bidirected} == {frozenset(e) for e in other.bidirected}
    )


def again(graph, kind):
    return MixedGraph.from_parts(TEXTS[kind].read(TEXTS[kind].write(graph)))


@pytest.mark.parametrize("kind", TEXTS)
@given(graph=mixed_graphs(marks=WITH_BOWS))
def test_a_graph_comes_back(kind, graph):
    if kind in BOW_FREE_ONLY and not graph.is_bow_free:
        with pytest.raises(GraphError, match="one mark a pair"):
            again(graph, kind)
    else:
        assert same(again(graph, kind), graph)


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("name", HOSTILE, ids=lambda name: ascii(name[:20]))
def test_a_hostile_name_comes_back(kind, name):
    if kind == "pcalg" and name in {"\ud800", "\x00", "\r\n"}:
        pytest.skip("a CSV file holds no such name")
    graph = MixedGraph([name, "other", "v1"], [(name, "other")], [("v1", "other")])
    assert same(again(graph, kind), graph)


@given(names=st.lists(st.text(max_size=8), min_size=2, max_size=4, unique=True))
@pytest.mark.parametrize("kind", sorted(set(TEXTS) - {"pcalg"}))
def test_any_names_come_back(kind, names):
    graph = MixedGraph(names, [(names[0], names[1])], [(names[0], names[-1])])
    assert same(again(graph, kind), graph)


def test_every_text_word_for_word():
    written = {kind: text.write(SMALL) for kind, text in TEXTS.items()}
    assert written == {
        "dot": 'digraph {\n  "a";\n  "b";\n  "c";\n  "a" -> "b";\n'
        '  "b" -> "c" [dir=both, style=dashed];\n}\n',
        "gml": 'graph [\n  directed 1\n  multigraph 1\n  node [ id 0 label "a" ]\n'
        '  node [ id 1 label "b" ]\n  node [ id 2 label "c" ]\n'
        '  edge [ source 0 target 1 key "directed" kind "directed" ]\n'
        '  edge [ source 1 target 2 key "bidirected" kind "bidirected" ]\n]\n',
        "dagitty": 'dag {\n  "a"\n  "b"\n  "c"\n  "a" -> "b"\n  "b" <-> "c"\n}\n',
        "lavaan": "b ~ a\nb ~~ c\na ~~ a\nb ~~ b\nc ~~ c\na ~~ 0*c\n",
        "semopy": "b ~ a\nc ~ 0*a\nb ~~ c\na ~~ a\nb ~~ b\nc ~~ c\na ~~ 0*c\n",
        "tetrad": "Graph Nodes:\na;b;c\n\nGraph Edges:\n1. a --> b\n2. b <-> c\n",
        "pcalg": ",a,b,c\na,0,2,0\nb,3,0,2\nc,0,2,0\n",
    }


def test_methods_and_functions_are_the_same():
    for kind, text in TEXTS.items():
        if kind != "pcalg":
            assert getattr(SMALL, f"to_{kind}")() == text.write(SMALL)
            assert same(getattr(MixedGraph, f"from_{kind}")(text.write(SMALL)), SMALL)


def test_what_graphviz_and_dagitty_write_is_read():
    dot = """/* c */ strict digraph "G" { graph [bb="0,0"]; node [shape=box]; rankdir=LR
    a; b [label="x y"]; a -> b -> "c d" [weight=2.5]; b -> a2 [dir=back]; a -> e [dir=both];
    // end
    }"""
    graph = MixedGraph.from_dot(dot)
    assert graph.names == ("a", "b", "c d", "a2", "e")
    assert set(graph.directed) == {("a", "b"), ("b", "c d"), ("a2", "b")}
    assert graph.bidirected == (("a", "e"),)
    dagitty = MixedGraph.from_dagitty(
        'dag {\nbb="0,0,1,1"\nx [exposure,pos="0.1,-.2"]\n"y z" [outcome]\nx -> "y z" <- u <-> x\n}'
    )
    assert dagitty.directed == (("x", "y z"), ("u", "y z"))
    assert dagitty.bidirected == (("x", "u"),)
    assert MixedGraph.from_dagitty('dag { 1st -> "a \\"b\\"" }').names == ("1st", 'a "b"')
    hidden = MixedGraph.from_dagitty("dag { u [latent,pos=1] x <- u -> y }")
    assert (hidden.names, hidden.bidirected) == (("x", "y"), (("x", "y"),))


def test_what_lavaan_and_tetrad_write_is_read():
    graph = MixedGraph.from_lavaan("# c\ny ~ 1 + b1*x + 0*w ! d\n y~~x2 ; y ~~ y; x ~~ 0*w")
    assert graph.names == ("y", "x", "w", "x2")
    assert graph.directed == (("x", "y"),)
    assert graph.bidirected == (("y", "x2"),)
    tetrad = MixedGraph.from_tetrad(
        "Graph Nodes:\nX1,X2;X3\n\nGraph Edges:\n1. X1 <-- X2 \n2. X2 <-> X3 dd\n\nBIC: -12"
    )
    assert tetrad.directed == (("X2", "X1"),)
    assert tetrad.bidirected == (("X2", "X3"),)


@pytest.mark.parametrize(
    ("kind", "text", "sentence"),
    [
        ("dot", "graph { a -- b }", "does not begin with digraph"),
        ("dot", "digraph { a -- b }", "neither -> nor <->"),
        ("dot", "digraph { a -> b [dir=none] }", "neither -> nor <->"),
        ("dot", "digraph { a -> }", "a name was expected"),
        ("dot", "digraph { subgraph x { a } }", "a name was expected"),
        ("dot", "digraph { a:n -> b }", "port"),
        ("dot", "digraph { a", "brace is missing"),
        ("dot", "digraph { a [x=", "ends in the middle"),
        ("dot", "digraph { } rest", "follows the last brace"),
        ("dot", 'digraph { "a }', "cannot read it"),
        ("dagitty", "graph { a b }", "does not begin with dag"),
        ("dagitty", "pdag { a -- b }", "neither -> nor <->"),
        ("dagitty", "dag { a @-> b }", "neither -> nor <->"),
        ("gml", "graph [ node [ id 0 ] ]", "undirected"),
        ("gml", "nothing here", "does not hold one graph"),
        ("gml", "graph [ directed 1", "bracket is missing"),
        ("gml", "graph [ directed 1 ] ]", "does not hold one graph"),
        ("gml", "graph [ directed ]", "has no value"),
        ("gml", 'graph [ name "x ]', "quotation mark"),
        ("gml", "graph [ directed 1 edge [ source 0 target 1 ] ]", "not there"),
        ("gml", "a [ " * 60 + "]" * 60, "nested deeper"),
        ("lavaan", "f =~ x1 + x2", "neither y ~ x nor x ~~ y"),
        ("lavaan", "y ~ x:z", "is not a name"),
        ("tetrad", "1. a --> b", "it lacks the lines"),
        ("tetrad", "Graph Nodes:\na;b\nGraph Edges:\n1. a o-> b", "neither --> nor <->"),
        ("pcalg", ",a,b\na,0,1\nb,2,0\n", "orient the edge first"),
        ("pcalg", ",a,b\na,0,x\nb,2,0\n", "not a table of codes"),
        ("pcalg", ",a,b\na,0\nb,2,0\n", "not square"),
        ("pcalg", ",a\rb\n", "not a table of codes"),
        ("gml", "graph [ directed 1 node 7 ]", "a node is not in brackets"),
        ("lavaan", '# name v1 = "\\q"\ny ~ v1', "no JSON text"),
    ],
)
def test_what_is_no_mixed_graph_is_refused(kind, text, sentence):
    with pytest.raises(UnreadableGraph, match=sentence):
        MixedGraph.from_parts(TEXTS[kind].read(text))


@pytest.mark.parametrize("kind", TEXTS)
@given(data=st.data())
def test_a_text_changed_anywhere_is_a_graph_or_refused(kind, data):
    """Led by what it reaches, and for minutes: `make fuzz-readers`."""
    text = TEXTS[kind].write(MixedGraph([*"abc", "a b", "50%ED"], [("a", "b")], [("b", "50%ED")]))
    first, last = sorted(data.draw(st.integers(0, len(text))) for _ in range(2))
    patch = data.draw(st.text("ab 01[]{}\"'%ED,;:#*~-<>=\\\r\n", max_size=4))
    try:
        told = str(
            MixedGraph.from_parts(TEXTS[kind].read(text[:first] + patch + text[last:])).order
        )
    except DagdecorError as refusal:
        told = str(refusal)
    assert 0 < len(told) < 4000


def test_a_cycle_in_another_language_is_refused():
    with pytest.raises(CyclicGraph):
        MixedGraph.from_dagitty("dag { a -> b -> a }")


def test_lingam_points_the_other_way():
    B = np.array([[0, 0.5, 0], [0, 0, 0], [0, 0, 0]])
    matrix = SMALL.to_lingam(B)
    assert matrix[1, 0] == 0.5
    assert np.isnan(matrix[[1, 2], [2, 1]]).all()
    assert MixedGraph.from_lingam(matrix, "abc") == SMALL
    assert MixedGraph.from_lingam(pd.DataFrame(matrix, columns=list("abc"))) == SMALL
    assert same(MixedGraph.from_lingam(SMALL.to_lingam(), "abc"), SMALL)
    matrix[1, 2] = 0
    with pytest.raises(UnreadableGraph, match="both be NaN"):
        MixedGraph.from_lingam(matrix)


def test_matrices_of_another_shape_are_refused():
    with pytest.raises(BadShape, match="square"):
        MixedGraph.from_pcalg(np.zeros((2, 3)))
    with pytest.raises(BadShape, match="1 names for 2"):
        MixedGraph.from_pcalg(np.zeros((2, 2)), ["a"])


@given(st.lists(st.text(max_size=6), max_size=8, unique=True))
def test_identifiers_are_distinct_words(names):
    found = identifiers(names)
    assert list(found) == names
    assert len(set(found.values())) == len(names)
    assert all(word.isidentifier() and word.isascii() for word in found.values())
