"""The flat public list, and a start that costs nothing."""

import subprocess
import sys

import pytest

import dagdecor as dd

PUBLIC = [
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


def test_the_public_list_is_this_one():
    assert dd.__all__ == PUBLIC
    assert all(hasattr(dd, name) for name in PUBLIC)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = dd.nothing


@pytest.mark.parametrize("start", ["import dagdecor", "import dagdecor.cli"])
def test_the_start_loads_nothing_heavy(start):
    probe = f"{start}; import sys; print(*sorted(m.split('.')[0] for m in sys.modules))"
    run = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    heavy = {"numba", "sklearn", "scipy", "pandas", "matplotlib"}
    assert not heavy & set(run.stdout.split())
