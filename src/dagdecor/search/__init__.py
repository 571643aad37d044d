"""Score search over bow-free graphs: which effects and which hidden causes pay their price."""

from dagdecor.search.choose import Found, Task, search

__all__ = ["Found", "Task", "search"]
