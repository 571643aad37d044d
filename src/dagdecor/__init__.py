"""dagdecor: causal graphs from a table when hidden common causes are feared.

>>> import dagdecor as dd
>>> draw = dd.simulate.draw("local", seed=0)
>>> model = dd.Decor().fit(draw.X)
>>> scores = dd.metrics.compare(draw.graph, model.graph_)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dagdecor import baselines, errors, metrics, plot, report, simulate, study
    from dagdecor.certificate import Certificate, Solution, Status
    from dagdecor.confidence import Confidence
    from dagdecor.decor import Decor
    from dagdecor.diagnosis import Diagnosis, diagnose, sortability
    from dagdecor.estimator import (
        alternatives,
        refit,
        solve_covariance,
        solve_directed,
        solve_precision,
    )
    from dagdecor.evidence import Alternatives, Shares
    from dagdecor.fit import Fit
    from dagdecor.graph import MixedGraph, latent_projection, m_separated
    from dagdecor.identify import (
        Identifiability,
        equivalence_class,
        equivalent,
        identifiability,
        paper_rank_test,
    )
    from dagdecor.inference import StandardErrors, TotalEffects, standard_errors, total_effects
    from dagdecor.knowledge import Knowledge, read_knowledge
    from dagdecor.moments import Moments
    from dagdecor.streaming import stream_moments
    from dagdecor.tune import PenaltyPath

__version__ = "0.1.0"

# Every public name and its room. A room is imported when a name of it is first asked for, so that
# `import dagdecor` costs nothing and numba and scikit-learn are loaded when they are needed.
_ROOMS = {
    "Alternatives": "evidence",
    "Certificate": "certificate",
    "Confidence": "confidence",
    "Decor": "decor",
    "Diagnosis": "diagnosis",
    "Fit": "fit",
    "Identifiability": "identify",
    "Knowledge": "knowledge",
    "MixedGraph": "graph",
    "Moments": "moments",
    "PenaltyPath": "tune",
    "Shares": "evidence",
    "Solution": "certificate",
    "StandardErrors": "inference",
    "Status": "certificate",
    "TotalEffects": "inference",
    "alternatives": "estimator",
    "baselines": "",
    "diagnose": "diagnosis",
    "equivalence_class": "identify",
    "equivalent": "identify",
    "errors": "",
    "identifiability": "identify",
    "latent_projection": "graph",
    "m_separated": "graph",
    "metrics": "",
    "paper_rank_test": "identify",
    "plot": "",
    "read_knowledge": "knowledge",
    "refit": "estimator",
    "report": "",
    "simulate": "",
    "solve_covariance": "estimator",
    "solve_directed": "estimator",
    "solve_precision": "estimator",
    "sortability": "diagnosis",
    "study": "",
    "standard_errors": "inference",
    "stream_moments": "streaming",
    "total_effects": "inference",
}

__all__ = [
    "Alternatives",
    "Certificate",
    "Confidence",
    "Decor",
    "Diagnosis",
    "Fit",
    "Identifiability",
    "Knowledge",
    "MixedGraph",
    "Moments",
    "PenaltyPath",
    "Shares",
    "Solution",
    "StandardErrors",
    "Status",
    "TotalEffects",
    "alternatives",
    "baselines",
    "diagnose",
    "equivalence_class",
    "equivalent",
    "errors",
    "identifiability",
    "latent_projection",
    "m_separated",
    "metrics",
    "paper_rank_test",
    "plot",
    "read_knowledge",
    "refit",
    "report",
    "simulate",
    "solve_covariance",
    "solve_directed",
    "solve_precision",
    "sortability",
    "standard_errors",
    "stream_moments",
    "study",
    "total_effects",
]


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module 'dagdecor' has no attribute {name!r}")
    room = importlib.import_module(f"dagdecor.{_ROOMS[name] or name}")
    return getattr(room, name) if _ROOMS[name] else room


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
