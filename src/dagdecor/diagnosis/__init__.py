"""A table before the fit: what would stop it, what would mislead it, what to do about it."""

from dagdecor.diagnosis.findings import Diagnosis, Finding
from dagdecor.diagnosis.look import diagnose
from dagdecor.diagnosis.scale import explained, sortability

__all__ = ["Diagnosis", "Finding", "diagnose", "explained", "sortability"]
