"""The search with explicit hidden causes: its state, its prices, and what it hands back."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


class State(NamedTuple):
    """x = x B + e, e ~ N(0, s2 I + L L'): marks and parameters, all written in place.

    Each used column of L is a hidden cause, a latent; the nodes that it loads on are bidirected
    pair by pair. No pair carries both an edge and a bidirected mark; the edges are acyclic.

    Parameters
    ----------
    edges, loads
        (p, p) and (p, Q), where B and L may differ from zero; Q is the most latents there can be.
    B, L
        (p, p), (p, Q), exactly zero elsewhere.
    variance
        (1,) s2.
    """

    edges: Flags
    loads: Flags
    B: Array
    L: Array
    variance: Array


class Prices(NamedTuple):
    """What marks cost, on the scale of -2 log-likelihood, by their number.

    Parameters
    ----------
    edge
        [k] the price of k edges, k up to p (p - 1) / 2 + 1.
    latent
        [m] the price of a latent with m loadings, m up to p + 1; [0] is 0.
    """

    edge: Array
    latent: Array


def blank(S: Array, latents: int) -> State:
    """No marks, room for that many latents, the common variance at the smallest of S."""
    p = len(S)
    return State(
        np.zeros((p, p), np.bool_),
        np.zeros((p, latents), np.bool_),
        np.zeros((p, p)),
        np.zeros((p, latents)),
        np.array([np.diag(S).min()]),
    )


def copied(state: State) -> State:
    """A state that shares no memory with this one."""
    edges, loads, B, L, variance = state
    return State(edges.copy(), loads.copy(), B.copy(), L.copy(), variance.copy())
