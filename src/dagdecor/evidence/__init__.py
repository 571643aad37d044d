"""What speaks for the mark of each pair of columns: values only, computed elsewhere."""

from dagdecor.evidence.alternatives import EVIDENCE, Alternatives
from dagdecor.evidence.pairs import MARKS
from dagdecor.evidence.shares import Shares

__all__ = ["EVIDENCE", "MARKS", "Alternatives", "Shares"]
