"""The protein table of Sachs et al. 2005, and the consensus graph that it is compared with.

Eleven proteins in single cells. The table that all share has 7466 rows of 14 experiments; the
853 rows of the first one, without an intervention on a protein, come first: the observational rows.
The consensus has 20 edges, as NOTEARS and most that followed count; others count 17 or 18.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dagdecor.data import Table, read_table
from dagdecor.errors import BadShape, DataAbsent
from dagdecor.graph import MixedGraph
from dagdecor.study.designs import Case, Design, scaled

PROTEINS = ("raf", "mek", "plc", "pip2", "pip3", "erk", "akt", "pka", "pkc", "p38", "jnk")
ROWS, OBSERVATIONAL = 7466, 853
TABLE, CONSENSUS = "sachs_observational.csv", "sachs_consensus.json"
TREATMENTS = ("raw", "scaled", "log")
_CHILDREN = {
    "raf": ("mek",),
    "mek": ("erk",),
    "plc": ("pip2", "pkc"),
    "pip2": ("pkc",),
    "pip3": ("akt", "pip2", "plc"),
    "erk": ("akt",),
    "pka": ("akt", "erk", "jnk", "mek", "p38", "raf"),
    "pkc": ("jnk", "mek", "p38", "pka", "raf"),
}


def consensus() -> MixedGraph:
    """The 20 edges; the consensus says nothing about hidden causes."""
    return MixedGraph(
        PROTEINS, [(cause, effect) for cause, below in _CHILDREN.items() for effect in below]
    )


@dataclass(frozen=True, eq=False)
class Sachs:
    """The one real table, as it is, on columns of unit variance, or in logarithms."""

    rows: Table
    treatment: str

    def __call__(self, seed: int) -> Case:  # noqa: ARG002 - there is one table
        """The table and the consensus."""
        values = np.log(self.rows.values) if self.treatment == "log" else self.rows.values
        case = Case(Table(values, self.rows.names), consensus(), arcs_known=False)
        return scaled(case) if self.treatment == "scaled" else case


def sachs_designs(folder: Path) -> tuple[Design, ...]:
    """The table in each treatment."""
    path = folder / TABLE
    if not path.is_file():
        raise DataAbsent("the table of Sachs et al.", folder, "sachs")
    found = read_table(path)
    if found.values.shape != (OBSERVATIONAL, len(PROTEINS)) or found.names != PROTEINS:
        raise BadShape(
            f"{path} has shape {found.values.shape} and columns {', '.join(found.names)}: "
            f"{OBSERVATIONAL} rows of {', '.join(PROTEINS)} are expected"
        )
    return tuple(
        Design(f"sachs, {treatment}", treatment, Sachs(found, treatment), "all", most_draws=1)
        for treatment in TREATMENTS
    )
