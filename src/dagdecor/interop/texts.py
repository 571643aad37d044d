"""The formats that are plain text, by name: how each is written, read, and named as a file."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from dagdecor.interop.braces import from_dagitty, from_dot
from dagdecor.interop.dagitty import to_dagitty
from dagdecor.interop.dot import to_dot
from dagdecor.interop.equations import from_lavaan, from_semopy, to_lavaan, to_semopy
from dagdecor.interop.gml import from_gml, to_gml
from dagdecor.interop.matrices import from_pcalg, to_pcalg
from dagdecor.interop.parts import Marks, Parts, not_one_graph
from dagdecor.interop.tetrad import from_tetrad, to_tetrad


@dataclass(frozen=True)
class Text:
    """A writer, a reader, and the endings by which a file of the format is known."""

    write: Callable[[Marks], str]
    read: Callable[[str], Parts]
    endings: tuple[str, ...]


def _write_pcalg(graph: Marks) -> str:
    """The amat.pag as CSV with names in the first line and column."""
    lines = io.StringIO()
    table = csv.writer(lines, lineterminator="\n")
    table.writerow(["", *graph.names])
    for name, row in zip(graph.names, to_pcalg(graph).tolist(), strict=True):
        table.writerow([name, *row])
    return lines.getvalue()


def _read_pcalg(text: str) -> Parts:
    try:
        rows = [row for row in csv.reader(io.StringIO(text)) if row]
        names, codes = rows[0][1:], [[float(cell) for cell in row[1:]] for row in rows[1:]]
    except (csv.Error, IndexError, ValueError) as error:
        raise not_one_graph("pcalg", f"it is not a table of codes ({error})") from None
    if {len(row) for row in codes} - {len(codes)}:
        raise not_one_graph("pcalg", "its table of codes is not square")
    return from_pcalg(codes, names)


TEXTS: Mapping[str, Text] = MappingProxyType(
    {
        "dot": Text(to_dot, from_dot, (".dot", ".gv")),
        "gml": Text(to_gml, from_gml, (".gml",)),
        "dagitty": Text(to_dagitty, from_dagitty, (".dagitty",)),
        "lavaan": Text(to_lavaan, from_lavaan, (".lav", ".lavaan")),
        "semopy": Text(to_semopy, from_semopy, (".semopy",)),
        "tetrad": Text(to_tetrad, from_tetrad, (".tetrad", ".txt")),
        "pcalg": Text(_write_pcalg, _read_pcalg, (".csv",)),
    }
)
