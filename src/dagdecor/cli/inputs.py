"""Graphs and fits that a command is given, in whatever file they stand."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dagdecor.cli.output import text
from dagdecor.errors import OptionError, UnreadableFile

if TYPE_CHECKING:
    from dagdecor.fit import Fit
    from dagdecor.graph import MixedGraph


def fit_or_graph(path: Path, kind: str | None = None) -> Fit | MixedGraph:
    """A fit or graph of a result folder, a JSON document, or another tool's file; - is stdin.

    The kind of a file is told by its ending unless it is given.
    """
    from dagdecor.interop import TEXTS

    place = path / "fit.json" if path.is_dir() else path
    if kind is None:
        kind = next((name for name, form in TEXTS.items() if place.suffix in form.endings), "json")
    if kind != "json" and kind not in TEXTS:
        raise OptionError("from", kind, f"json, {', '.join(TEXTS)}")
    content = _content(place)
    return _of_json(content) if kind == "json" else _of_text(content, kind)


def fit_of(path: Path) -> Fit:
    """The fit of a result folder or of its fit.json; - is stdin."""
    from dagdecor.fit import Fit

    return Fit.from_json(_content(path / "fit.json" if path.is_dir() else path))


def graph_of(path: Path, kind: str | None = None) -> MixedGraph:
    """The same, and of a fit its graph."""
    from dagdecor.graph import MixedGraph

    found = fit_or_graph(path, kind)
    return found if isinstance(found, MixedGraph) else found.graph


def _content(place: Path) -> str:
    if str(place) != "-":
        return text(place)
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableFile("standard input", str(error)) from None


def _of_json(content: str) -> Fit | MixedGraph:
    from dagdecor.fit import Fit
    from dagdecor.graph import MixedGraph

    if '"dagdecor.fit"' in content[:200]:
        return Fit.from_json(content)
    return MixedGraph.from_json(content)


def _of_text(content: str, kind: str) -> MixedGraph:
    from dagdecor.graph import MixedGraph
    from dagdecor.interop import TEXTS

    return MixedGraph.from_parts(TEXTS[kind].read(content))
