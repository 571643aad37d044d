"""What a fitted graph says about its numbers: standard errors, and total effects with intervals."""

from dagdecor.inference.effects import TotalEffects, total_effects
from dagdecor.inference.standard import StandardErrors, errors_of, standard_errors

__all__ = ["StandardErrors", "TotalEffects", "errors_of", "standard_errors", "total_effects"]
