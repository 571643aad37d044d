"""The penalty of the continuous estimator: every choice side by side."""

from dagdecor.tune.path import path
from dagdecor.tune.result import PenaltyPath

__all__ = ["PenaltyPath", "path"]
