"""Readers of the two languages that write `kind { a -> b [attributes] }`: DOT and dagitty."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from dagdecor.interop.naming import unpercent
from dagdecor.interop.parts import Edge, Parts, not_one_graph

_TOKEN = re.compile(
    r"""\s+ | //[^\n]* | /\*.*?\*/ | (?<![^\n])\#[^\n]*
    | "(?P<quoted>(?:[^"\\]|\\.)*)"
    | (?P<edge><->|->|<-|--|@-@|@->|<-@)
    | (?P<mark>[{}\[\];,=:])
    | (?P<word>-?[\w.%]+)""",
    re.VERBOSE | re.DOTALL,
)
_DOT_ESCAPE = re.compile(r'\\(?:x([0-9a-f]{4})|([\\"n]))', re.DOTALL)
LATENT = {"latent", "l", "unobserved", "u"}
Token = tuple[str, str]


def from_dot(text: str) -> Parts:
    """Read DOT: -> is directed, and bidirected where an edge says dir=both; -- is refused.

    >>> from_dot('digraph { a -> b -> c; a -> c [dir=both] }')[:3]
    (('a', 'b', 'c'), (('a', 'b'), ('b', 'c')), (('a', 'c'),))
    """
    return _Reader("DOT", _tokens("DOT", text, _dot_name), {"digraph"}).parts()


def from_dagitty(text: str) -> Parts:
    """Read dagitty: -> and <- are directed, <-> is bidirected, [latent] hidden; others are refused.

    >>> from_dagitty('dag { x [exposure] x -> y <- u; y <-> z }').bidirected
    (('y', 'z'),)
    """
    kinds = {"dag", "mag", "pdag", "pag", "digraph"}
    return _Reader("dagitty", _tokens("dagitty", text, _dagitty_name), kinds).parts()


def _dagitty_name(quoted: str) -> str:
    return unpercent(quoted.replace('\\"', '"'))


def _dot_name(quoted: str) -> str:
    def meaning(found: re.Match[str]) -> str:
        return chr(int(found[1], 16)) if found[1] else {"n": "\n"}.get(found[2], found[2])

    return _DOT_ESCAPE.sub(meaning, quoted)


def _tokens(tool: str, text: str, name: Callable[[str], str]) -> list[Token]:
    place, found = 0, []
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise not_one_graph(tool, f"cannot read it from {text[place : place + 30]!r} on")
        place = match.end()
        kind = match.lastgroup
        if kind is not None:
            found.append((kind, name(match[kind]) if kind == "quoted" else match[kind]))
    return found


@dataclass
class _Reader:
    """One pass over the statements between the outer braces."""

    tool: str
    tokens: list[Token]
    kinds: set[str]
    place: int = 0
    names: list[str] = field(default_factory=list)
    arrows: list[Edge] = field(default_factory=list)
    arcs: list[Edge] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)

    def parts(self) -> Parts:
        self._header()
        while self._peek() != ("mark", "}"):
            if self.place >= len(self.tokens):
                raise not_one_graph(self.tool, "its last brace is missing")
            self._statement()
        if self.place + 1 < len(self.tokens):
            raise not_one_graph(self.tool, "something follows the last brace")
        return Parts.of_edges(self.names, self.arrows, self.arcs, self.hidden)

    def _header(self) -> None:
        words = []
        while self._peek()[0] in {"word", "quoted"}:
            words.append(self._next()[1].lower())
        kind = words[1] if words[:1] == ["strict"] and len(words) > 1 else "".join(words[:1])
        if kind not in self.kinds or self._next() != ("mark", "{"):
            raise not_one_graph(self.tool, f"it does not begin with {min(self.kinds)} {{")

    def _statement(self) -> None:
        if self._peek() in {("mark", ";"), ("mark", ",")}:
            self._next()
            return
        chain, edges = [self._name()], []
        while self._peek()[0] == "edge":
            edges.append(self._next()[1])
            chain.append(self._name())
        if not edges and self._peek() == ("mark", "="):
            self._next()
            self._next()
            return
        attributes = self._attributes()
        if not edges and chain[0].lower() in {"graph", "node", "edge", "bb"} and attributes:
            return
        self.names += chain
        if self.tool == "dagitty" and not edges and LATENT & set(attributes):
            self.hidden.append(chain[0])
        for first, mark, second in zip(chain, edges, chain[1:], strict=False):
            self._edge(first, mark, second, attributes)

    def _edge(self, first: str, mark: str, second: str, attributes: dict[str, str]) -> None:
        if mark == "<-":
            self.arrows.append((second, first))
        elif mark == "<->" or (mark == "->" and attributes.get("dir") == "both"):
            self.arcs.append((first, second))
        elif mark == "->" and attributes.get("dir", "forward") == "forward":
            self.arrows.append((first, second))
        elif mark == "->" and attributes["dir"] == "back":
            self.arrows.append((second, first))
        else:
            raise not_one_graph(
                self.tool,
                f"the edge between {first!r} and {second!r} is neither -> nor <->: orient it first",
            )

    def _name(self) -> str:
        kind, text = self._next()
        if kind not in {"word", "quoted"} or (kind == "word" and text.lower() == "subgraph"):
            raise not_one_graph(self.tool, f"a name was expected, not {text!r}")
        if self.tool == "DOT" and self._peek() == ("mark", ":"):
            raise not_one_graph(self.tool, f"{text!r} has a port, which is not supported")
        return text

    def _attributes(self) -> dict[str, str]:
        found: dict[str, str] = {}
        while self._peek() == ("mark", "["):
            self._next()
            inside: list[str] = []
            while self._peek() != ("mark", "]"):
                inside.append(self._next()[1])
            self._next()
            for place, text in enumerate(inside):
                if text == "=" and 0 < place < len(inside) - 1:
                    found[inside[place - 1]] = inside[place + 1]
                elif text not in {"=", ",", ";"}:
                    found.setdefault(text, "")
        return found

    def _peek(self) -> Token:
        return self.tokens[self.place] if self.place < len(self.tokens) else ("end", "")

    def _next(self) -> Token:
        token = self._peek()
        if token[0] == "end":
            raise not_one_graph(self.tool, "it ends in the middle")
        self.place += 1
        return token
