"""Edge confidence: the shares of each mark over resampled tables."""

from dagdecor.confidence.plan import Plan
from dagdecor.confidence.result import Confidence
from dagdecor.confidence.run import confidence

__all__ = ["Confidence", "Plan", "confidence"]
