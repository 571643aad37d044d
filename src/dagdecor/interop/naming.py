"""Names in formats that do not take every name: percent signs, or identifiers with a key."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from dagdecor.errors import UnreadableGraph

_ESCAPED = re.compile("%([0-9A-Fa-f]{2})")
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_KEY = re.compile(r'^#\s*name\s+([A-Za-z]\w*)\s*=\s*("(?:[^"\\]|\\.)*")\s*$', re.MULTILINE)
# Words that R or lavaan's syntax reads as something else.
_TAKEN = frozenset(
    (
        *("NA", "NULL", "TRUE", "FALSE", "Inf", "NaN", "if", "else", "in", "repeat", "while"),
        *("function", "for", "next", "break", "start", "equal", "level", "group"),
    )
)


def percent(name: str, unsafe: str) -> str:
    """The name with unsafe and unprintable characters as the %XX of their UTF-8 bytes.

    A percent sign that would read as such an escape is escaped itself; `unpercent` is the inverse.

    >>> percent('a;b "50%"', ' ;'), unpercent("a%3Bb")
    ('a%3Bb%20"50%"', 'a;b')
    """
    protected = _ESCAPED.sub(lambda found: "%25" + found[1], name)
    return "".join(c if c.isprintable() and c not in unsafe else _bytes(c) for c in protected)


def _bytes(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))


def unpercent(text: str) -> str:
    """Inverse of `percent`; a name that it cannot have written stays what it is.

    >>> unpercent("100%ED")
    '100%ED'
    """
    if not _ESCAPED.search(text):
        return text
    raw = text.encode("utf-8", "surrogatepass")
    raw = re.sub(rb"%([0-9A-Fa-f]{2})", lambda found: bytes.fromhex(found[1].decode()), raw)
    try:
        return raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return text


def identifiers(names: Sequence[str]) -> dict[str, str]:
    """An identifier for every name: the name itself where it is one, else v1, v2, ...

    >>> identifiers(["age", "blood pressure", "start"])
    {'age': 'age', 'blood pressure': 'v2', 'start': 'v3'}
    """
    kept = {name for name in names if _PLAIN.fullmatch(name) and name not in _TAKEN}
    chosen: dict[str, str] = {}
    for place, name in enumerate(names, start=1):
        proposal = name if name in kept else f"v{place}"
        while name not in kept and proposal in kept:
            proposal += "_"
        kept.add(proposal)
        chosen[name] = proposal
    return chosen


def key_lines(chosen: dict[str, str]) -> list[str]:
    """Comment lines that say which identifier stands for which name, in ASCII."""
    return [f"# name {word} = {json.dumps(name)}" for name, word in chosen.items() if word != name]


def read_key(tool: str, text: str) -> dict[str, str]:
    """Identifier -> name, from the comment lines."""
    try:
        return {word: json.loads(name) for word, name in _KEY.findall(text)}
    except ValueError as error:
        raise UnreadableGraph(tool, f"a comment '# name' gives no JSON text ({error})") from None


def restored(words: Iterable[str], key: dict[str, str]) -> tuple[str, ...]:
    """Names for identifiers that the key knows, the others unchanged."""
    return tuple(key.get(word, word) for word in words)
