"""Many methods on many designs, one row a fit, in a folder that a killed run goes on with.

>>> named_study("paper").values
(0.0, 0.2, 0.4, 0.6, 0.8)
"""

from dagdecor.study.campaign import Campaign
from dagdecor.study.designs import Case, Design
from dagdecor.study.methods import chosen
from dagdecor.study.report import write_report
from dagdecor.study.studies import STUDIES, Study, named_study

__all__ = [
    "STUDIES",
    "Campaign",
    "Case",
    "Design",
    "Study",
    "chosen",
    "named_study",
    "write_report",
]
