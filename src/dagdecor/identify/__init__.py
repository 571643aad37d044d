"""What a covariance can say: about the parameters of one graph, and between two graphs."""

from dagdecor.identify.equivalence import equivalence_class, equivalent
from dagdecor.identify.point import Point, paper_rank_test
from dagdecor.identify.verdict import Identifiability, identifiability
from dagdecor.identify.witness import ParameterPoint, Witness

__all__ = [
    "Identifiability",
    "ParameterPoint",
    "Point",
    "Witness",
    "equivalence_class",
    "equivalent",
    "identifiability",
    "paper_rank_test",
]
