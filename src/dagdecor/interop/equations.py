"""Structural equations as lavaan and semopy write them: y ~ x, x ~~ y."""

from __future__ import annotations

import re
from itertools import combinations

from dagdecor.interop.naming import identifiers, key_lines, read_key, restored
from dagdecor.interop.parts import Edge, Marks, Parts, not_one_graph

_STATEMENT = re.compile(r"\s*([A-Za-z_.][\w.]*)\s*(~~|~|=~|<~|:=|==)\s*(.*?)\s*")
_TERM = re.compile(r"(?:(?P<factor>[^*]+?)\s*\*\s*)?(?P<name>[A-Za-z_.][\w.]*|1)")


def to_lavaan(graph: Marks) -> str:
    """Y ~ x for x -> y, x ~~ y for x <-> y, every variance, 0 where lavaan would add a covariance.

    Names that are no identifiers are replaced; comment lines keep the key (see `identifiers`).
    Call `sem(model, data, fixed.x = FALSE)`, or lavaan takes the covariance of the exogenous
    columns from the data.

    >>> from dagdecor import MixedGraph
    >>> print(to_lavaan(MixedGraph(["a", "b", "my c"], [("a", "b")], [("b", "my c")])), end="")
    # name v3 = "my c"
    b ~ a
    b ~~ v3
    a ~~ a
    b ~~ b
    v3 ~~ v3
    a ~~ 0*v3
    """
    word = identifiers(graph.names)
    return _text(word, [*_regressions(graph, word), *_covariances(graph, word)])


def to_semopy(graph: Marks) -> str:
    """The same statements, and regressions of 0 that make semopy read them as the graph.

    semopy forgets a column that no regression mentions. An arc between a column without effects
    and one with effects it takes for correlated measurement errors, which reach no descendant:
    Sigma = Lambda C Psi C' Lambda' + Theta, C = (I - B)^-1, has in Theta what touches a column
    without effects. A regression of 0 on that column puts it, and its arcs, into B and Psi.

    >>> from dagdecor import MixedGraph
    >>> print(to_semopy(MixedGraph(["a", "b", "c"], [("a", "b")])), end="")
    b ~ a
    c ~ 0*a
    a ~~ a
    b ~~ b
    c ~~ c
    a ~~ 0*c
    b ~~ 0*c
    >>> print(to_semopy(MixedGraph(["a", "b", "c"], [("a", "b")], [("a", "c")])).split()[:6])
    ['b', '~', 'a', 'a', '~', '0*c']
    """
    word = identifiers(graph.names)
    zeros = [f"{word[a]} ~ 0*{word[b]}" for a, b in _zeros(graph)]
    return _text(word, [*_regressions(graph, word), *zeros, *_covariances(graph, word)])


def _zeros(graph: Marks) -> list[Edge]:
    """(effect, cause) of the regressions of 0 that semopy needs."""
    causing = {first for first, _ in graph.directed}
    arcs = [pair for a, b in graph.bidirected for pair in ((a, b), (b, a))]
    partner = {b: a for a, b in arcs if a in causing and b not in causing}
    seen = {end for edge in graph.directed for end in edge} | set(partner)
    lone = [name for name in graph.names if name not in seen]
    others = [next((b for b in graph.names if b != a), a) for a in lone]
    mentioned = [(a, b) for a, b in zip(lone, others, strict=True) if a != b]
    return [(a, b) for b, a in partner.items()] + mentioned


def _text(word: dict[str, str], lines: list[str]) -> str:
    return "\n".join([*key_lines(word), *lines]) + "\n"


def _regressions(graph: Marks, word: dict[str, str]) -> list[str]:
    sources: dict[str, list[str]] = {}
    for first, second in graph.directed:
        sources.setdefault(second, []).append(word[first])
    return [f"{word[y]} ~ {' + '.join(xs)}" for y, xs in sources.items()]


def _covariances(graph: Marks, word: dict[str, str]) -> list[str]:
    """Arcs and variances; 0 between columns without causes, and between those without effects.

    Both tools give such pairs free covariances of their own accord.
    """
    caused = {second for _, second in graph.directed}
    causing = {first for first, _ in graph.directed}
    first = [name for name in graph.names if name not in caused]
    last = [name for name in graph.names if name not in causing]
    joined = {frozenset(edge) for edge in graph.bidirected}
    pairs = dict.fromkeys([*combinations(first, 2), *combinations(last, 2)])
    return [
        *(f"{word[a]} ~~ {word[b]}" for a, b in graph.bidirected),
        *(f"{word[name]} ~~ {word[name]}" for name in graph.names),
        *(f"{word[a]} ~~ 0*{word[b]}" for a, b in pairs if frozenset((a, b)) not in joined),
    ]


def from_lavaan(text: str) -> Parts:
    """Read regressions and covariances; latent variables (=~) and constraints are refused.

    >>> from_lavaan("y ~ 0.5*x + z; x ~~ z; x ~~ 0*y")[:3]
    (('y', 'x', 'z'), (('x', 'y'), ('z', 'y')), (('x', 'z'),))
    """
    return _read("lavaan", text)


def from_semopy(text: str) -> Parts:
    """The same statements as semopy writes them.

    >>> from_semopy("y ~ x").directed
    (('x', 'y'),)
    """
    return _read("semopy", text)


def _read(tool: str, text: str) -> Parts:
    key = read_key(tool, text)
    names: list[str] = []
    arrows: list[Edge] = []
    arcs: list[Edge] = []
    for line in re.split(r"[;\n]", re.sub(r"[#!][^\n]*", "", text)):
        if not line.strip():
            continue
        statement = _STATEMENT.fullmatch(line)
        if statement is None or statement[2] not in {"~", "~~"}:
            raise not_one_graph(tool, f"{line.strip()!r} is neither y ~ x nor x ~~ y")
        left = key.get(statement[1], statement[1])
        for right in _terms(tool, statement[3]):
            name = restored([right[0]], key)[0]
            if right == ("1", ""):
                continue  # an intercept
            names += [left, name]
            if statement[2] == "~":
                arrows += [] if right[1] == "0" else [(name, left)]
            elif name != left and right[1] != "0":
                arcs.append((left, name))
    return Parts.of_edges(names, arrows, arcs)


def _terms(tool: str, text: str) -> list[tuple[str, str]]:
    """(name, factor) of a right-hand side; factor is "0" where the term is fixed to zero."""
    found = []
    for term in text.split("+"):
        match = _TERM.fullmatch(term.strip())
        if match is None:
            raise not_one_graph(tool, f"{term.strip()!r} is not a name or a factor times a name")
        factor = match["factor"] or ""
        zero = re.fullmatch(r"[+-]?0*\.?0*", factor) is not None and "0" in factor
        found.append((match["name"], "0" if zero else factor))
    return found
