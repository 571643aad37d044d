"""From matrices to a graph: what is too weak goes, and no pair keeps two channels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dagdecor.knowledge import Rules

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Thresholds:
    """Smallest |B_ij| and |Omega_ij| that count as an edge: numbers or (p, p) arrays."""

    directed: float | Array
    noise: float | Array


def standardised(B: Array, S: Array) -> Array:
    """|B_ij| sd_i / sd_j: deviations of j per deviation of i."""
    scale = np.sqrt(np.diag(S))
    return np.asarray(np.abs(B) * scale[:, None] / scale)


def correlation(Omega: Array) -> Array:
    """|Omega_ij| / sqrt(Omega_ii Omega_jj), zero diagonal."""
    scale = np.sqrt(np.diag(Omega))
    matrix = np.abs(Omega) / scale / scale[:, None]
    np.fill_diagonal(matrix, 0.0)
    return np.asarray(matrix)


def masks(B: Array, Omega: Array, thresholds: Thresholds) -> tuple[Mask, Mask]:
    """Entries of B and off-diagonal entries of Omega that are not zero and reach the threshold."""
    directed = (np.abs(B) >= thresholds.directed) & (B != 0)
    bidirected = (np.abs(Omega) >= thresholds.noise) & (Omega != 0)
    np.fill_diagonal(bidirected, val=False)
    return directed, bidirected | bidirected.T


def obeying(directed: Mask, bidirected: Mask, rules: Rules) -> tuple[Mask, Mask]:
    """Without what is barred, with what is fixed.

    A fixed mark is its pair's only one, so that no later choice between channels can drop it.
    """
    return (
        (directed & rules.may_lead) | rules.must_lead,
        (bidirected & rules.may_share) | rules.must_share,
    )


def one_channel(
    directed: Mask, bidirected: Mask, strength: Array, noise: Array, ratio: float
) -> tuple[Mask, Mask]:
    """Keep the edge of a bow where strength_ij >= ratio * noise_ij, else the bidirected edge.

    `strength` is a standardised coefficient, `noise` a noise correlation, so that neither
    depends on the columns' units (paper, practical enforcement of bow-freeness).
    """
    loses = directed & bidirected & (strength < ratio * noise)
    kept = directed & ~loses
    return kept, bidirected & ~(kept | kept.T)
