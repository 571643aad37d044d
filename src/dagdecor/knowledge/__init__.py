"""What is known about the graph before the data are seen: rules by name, and as masks."""

from dagdecor.knowledge.files import read_knowledge
from dagdecor.knowledge.rules import Rules
from dagdecor.knowledge.stated import Knowledge

__all__ = ["Knowledge", "Rules", "read_knowledge"]
