"""Tables with empty cells to mean and covariance, and what that cost."""

from dagdecor.missing.record import METHODS, Missing

__all__ = ["METHODS", "Missing"]
