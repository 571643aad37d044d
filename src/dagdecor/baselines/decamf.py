"""DECAMF-linear: principal components removed, then NOTEARS, as the source paper reduces it.

Agrawal, Squires, Prasad, Uhler 2023, in the linear form of arXiv 2510.02117, section 5.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from dagdecor.baselines import notears
from dagdecor.baselines.protocol import Baseline, Found, Setting
from dagdecor.moments import Moments

Matrix = npt.NDArray[np.float64]


def without_components(S: Matrix, rank: int) -> Matrix:
    """V diag(d_1, .., d_(p-rank), 0, .., 0) V' of S = V diag(d) V' (p, p), d rising."""
    values, vectors = np.linalg.eigh(S)
    values[len(values) - min(rank, len(values) - 1) :] = 0.0
    return np.asarray((vectors * values) @ vectors.T)


def half(moments: Moments, latents: int) -> Found:
    """The paper's shared penalty."""
    return notears.half(_residual(moments, latents))


def scaled(moments: Moments, latents: int) -> Found:
    """Penalty in units of the noise of the table; what is left is singular and has less."""
    return notears.found(_residual(moments, latents), notears.in_noise_units(moments), 0.15)


def _residual(moments: Moments, rank: int) -> Moments:
    return replace(moments, S=without_components(moments.S, rank))


_PAPER = Setting("1/2n", ".1", ".3", "columns centred, principal components removed")
_OWN = replace(
    _PAPER, penalty="s_i s sqrt(log p / n), s by the scaled lasso before removal", threshold=".15"
)
BASELINES = (
    Baseline(
        "decamf-r1-paper",
        "one principal component removed, then NOTEARS with the paper's shared penalty",
        partial(half, latents=1),
        _PAPER,
    ),
    Baseline(
        "decamf-paper",
        "as many components removed as there are hidden causes, then NOTEARS, shared penalty",
        half,
        _PAPER,
        takes=("latents",),
    ),
    Baseline(
        "decamf-r1",
        "one principal component removed, then NOTEARS with a penalty in units of the noise",
        partial(scaled, latents=1),
        _OWN,
    ),
    Baseline(
        "decamf",
        "as many components removed as there are hidden causes, then NOTEARS in units of the noise",
        scaled,
        _OWN,
        takes=("latents",),
    ),
)
