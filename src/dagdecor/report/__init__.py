"""A fit in words, in files, and as an interactive page."""

from dagdecor.report.content import Content, EdgeRow, Finding, content, edge_rows
from dagdecor.report.files import write_report, write_result
from dagdecor.report.html import html
from dagdecor.report.others import OtherMarks
from dagdecor.report.words import scores, summary, verdict

__all__ = [
    "Content",
    "EdgeRow",
    "Finding",
    "OtherMarks",
    "content",
    "edge_rows",
    "html",
    "scores",
    "summary",
    "verdict",
    "write_report",
    "write_result",
]
