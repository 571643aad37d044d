"""Other tools' formats, over plain names and edges; `MixedGraph` has a method for each.

This room stands below `graph`: it writes whatever has names, directed and bidirected edges, and
what it reads becomes a graph, with every check, one room above.
"""

from dagdecor.interop.braces import from_dagitty, from_dot
from dagdecor.interop.dagitty import to_dagitty
from dagdecor.interop.dot import to_dot
from dagdecor.interop.equations import from_lavaan, from_semopy, to_lavaan, to_semopy
from dagdecor.interop.gml import from_gml, to_gml
from dagdecor.interop.matrices import from_lingam, from_pcalg, to_lingam, to_pcalg
from dagdecor.interop.naming import identifiers
from dagdecor.interop.packages import (
    from_ananke,
    from_causal_learn,
    from_dowhy,
    from_networkx,
    from_pgmpy,
    to_ananke,
    to_causal_learn,
    to_dowhy,
    to_networkx,
    to_pgmpy,
)
from dagdecor.interop.parts import Marks, Parts
from dagdecor.interop.tetrad import from_tetrad, to_tetrad
from dagdecor.interop.texts import TEXTS, Text

__all__ = [
    "TEXTS",
    "Marks",
    "Parts",
    "Text",
    "from_ananke",
    "from_causal_learn",
    "from_dagitty",
    "from_dot",
    "from_dowhy",
    "from_gml",
    "from_lavaan",
    "from_lingam",
    "from_networkx",
    "from_pcalg",
    "from_pgmpy",
    "from_semopy",
    "from_tetrad",
    "identifiers",
    "to_ananke",
    "to_causal_learn",
    "to_dagitty",
    "to_dot",
    "to_dowhy",
    "to_gml",
    "to_lavaan",
    "to_lingam",
    "to_networkx",
    "to_pcalg",
    "to_pgmpy",
    "to_semopy",
    "to_tetrad",
]
