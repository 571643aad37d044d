"""Moments and settings to a fit; each stage of the method alone."""

from dagdecor.estimator.estimate import continued, estimate
from dagdecor.estimator.other_marks import alternatives, with_alternatives
from dagdecor.estimator.settings import Settings
from dagdecor.estimator.stages import refit, solve_covariance, solve_directed, solve_precision

__all__ = [
    "Settings",
    "alternatives",
    "continued",
    "estimate",
    "refit",
    "solve_covariance",
    "solve_directed",
    "solve_precision",
    "with_alternatives",
]
