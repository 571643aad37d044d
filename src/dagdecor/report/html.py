"""The interactive report: one html file, no network, every name only ever text."""

from __future__ import annotations

import base64
import hashlib
import json
import platform
import re
from importlib import resources
from typing import Any

import numpy as np

from dagdecor.identify import identifiability
from dagdecor.plot import layout
from dagdecor.report.content import Content

MANY = 60  # columns beyond which graph.js writes smaller
SCREEN = 1.88  # width of the picture over its height
SCRIPTS = ("text.js", "graph.js", "pointer.js", "tables.js", "page.js")


def html(content: Content) -> str:
    """The text of the report, in ASCII.

    Names reach the page as JSON alone, in which <, > and & are escaped, and from there as text
    nodes. The policy in its head lets no script run but the one that was packed.
    """
    script = "\n".join(_part(name) for name in SCRIPTS)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    # each slot stands once, and its text is never searched for another
    slots = {
        "__POLICY__": f"sha256-{digest}",
        "__STYLE__": _part("page.css"),
        "__DATA__": _json(_data(content)),
        "__SCRIPT__": script,
    }
    parts = re.split("(" + "|".join(slots) + ")", _part("page.html"))
    return "".join(slots.get(part, part) for part in parts)


def _part(name: str) -> str:
    return (
        resources.files("dagdecor.report")
        .joinpath("page")
        .joinpath(name)
        .read_text(encoding="ascii")
    )


def _json(data: object) -> str:
    r"""JSON that cannot end a script element: ASCII, with <, > and & as \uXXXX."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _data(content: Content) -> dict[str, Any]:
    fit = content.fit
    verdict = identifiability(fit.graph, fit.weights, fit.noise_covariance)
    return {
        "title": content.title,
        "rows": fit.n,
        "nodes": _nodes(content),
        "edges": _edges(content),
        "meaning": content.meaning,
        "findings": _findings(content),
        "verdict": [
            verdict.sentence,
            ["one set of parameters for every covariance", verdict.globally_identifiable],
            ["at most one mark a pair (bow-free)", verdict.bow_free],
            ["almost every covariance has one set (half-trek)", verdict.half_trek],
            ["finitely many sets (Jacobian of full rank)", verdict.jacobian_full_rank],
        ],
        "certificates": [[step, str(found)] for step, found in fit.certificates.items()],
        "settings": [[name, _shown(value)] for name, value in fit.settings.items()],
        "versions": [
            ["dagdecor", fit.version],
            ["Python", platform.python_version()],
            ["numpy", np.__version__],
        ],
    }


def _nodes(content: Content) -> list[dict[str, Any]]:
    fit = content.fit
    places = layout(fit.graph, _aspect(fit.graph.names))
    variance = np.diag(fit.covariance if fit.sample_covariance is None else fit.sample_covariance)
    left = np.diag(fit.noise_covariance) / np.diag(fit.covariance)
    return [
        {
            "name": name,
            "x": round(float(places[k, 0]), 3),
            "y": round(float(-places[k, 1]), 3),
            "mean": float(fit.mean[k]),
            "sd": float(np.sqrt(variance[k])),
            "explained": float(max(0.0, 1.0 - left[k])),
        }
        for k, name in enumerate(fit.graph.names)
    ]


def _aspect(names: tuple[str, ...]) -> float:
    """How many columns fit beside each other on a screen, over how many fit below each other."""
    letters, size, down, free = (9, 11, 62, 30) if len(names) > MANY else (16, 13, 92, 48)
    across = 0.64 * size * min(letters, max(map(len, names), default=1)) + free
    return SCREEN * down / across


def _edges(content: Content) -> list[dict[str, Any]]:
    place = {name: index for index, name in enumerate(content.fit.graph.names)}
    return [
        {
            "a": place[row.first],
            "b": place[row.second],
            "hidden": row.kind == "bidirected",
            "value": row.value,
            "strength": row.strength,
            "error": row.error,
            "confidence": row.confidence,
            "shares": row.shares,
            "asGood": row.as_good,
        }
        for row in content.edges
    ]


def _findings(content: Content) -> list[list[str]] | None:
    if content.findings is None:
        return None
    return [[finding.level, finding.sentence] for finding in content.findings]


def _shown(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
