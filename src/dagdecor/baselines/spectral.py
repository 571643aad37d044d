"""Spectral deconfounding: the trim transform, then NOTEARS (Cevid, Buehlmann, Meinshausen 2020)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from dagdecor.baselines import notears
from dagdecor.baselines.protocol import Baseline, Found, Setting
from dagdecor.moments import Moments

Matrix = npt.NDArray[np.float64]


def trimmed(S: Matrix, n: int) -> Matrix:
    """V diag(min(d, median d)) V' of S = V diag(d) V' (p, p), from n rows.

    The covariance of F X for the trim transform F, which caps the singular values of the centred
    X at their median. With n <= p the median is over the n - 1 that are not zero.
    """
    values, vectors = np.linalg.eigh(S)
    cap = np.sqrt(np.maximum(values[-min(n - 1, len(values)) :], 0.0))
    return np.asarray((vectors * np.clip(values, 0.0, np.median(cap) ** 2)) @ vectors.T)


def half(moments: Moments) -> Found:
    """The paper's shared penalty."""
    return notears.half(_trimmed(moments))


def scaled(moments: Moments) -> Found:
    """Penalty in units of the noise that is left; trimming shrinks all weights, so a low cut."""
    left = _trimmed(moments)
    return notears.found(left, notears.in_noise_units(left), 0.02)


def _trimmed(moments: Moments) -> Moments:
    return replace(moments, S=trimmed(moments.S, moments.n))


_PAPER = Setting("1/2n", ".1", ".3", "columns centred, singular values trimmed at the median")
BASELINES = (
    Baseline(
        "spectral-notears-paper",
        "spectral deconfounding, then NOTEARS with the paper's shared penalty",
        half,
        _PAPER,
    ),
    Baseline(
        "spectral-notears",
        "spectral deconfounding, then NOTEARS with a penalty in units of the noise",
        scaled,
        replace(_PAPER, penalty="s_i s sqrt(log p / n), s by the scaled lasso", threshold=".02"),
    ),
)
