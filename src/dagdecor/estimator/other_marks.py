"""From scores with each mark to differences beside the graph of a fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from dagdecor.errors import GraphError
from dagdecor.evidence import Alternatives
from dagdecor.fit import Fit
from dagdecor.graph import MixedGraph
from dagdecor.knowledge import Knowledge
from dagdecor.search.mixed_search import Prices, State
from dagdecor.search.prices import edge_prices
from dagdecor.search.profile import Profile, profile

Array = npt.NDArray[np.float64]

MOST_COLUMNS = 60
FREE = "free error variances, extended BIC"


def alternatives(fit: Fit) -> Alternatives:
    """min over graphs with another mark on a pair of -log likelihood + price, beside the fit's.

    For every pair that the fit's graph joins; error variances are free and any mark costs
    log n / 2 + log p, so that a graph with the same laws has the difference zero. The graphs
    come from short searches around the fit's graph, and obey what the fit was told.

    Examples
    --------
    >>> import dagdecor as dd
    >>> S = [[1.0, 0.8, 0.5], [0.8, 2.0, 1.2], [0.5, 1.2, 2.0]]
    >>> moments = dd.Moments.from_covariance(S, n=1000, names=["a", "b", "c"])
    >>> graph = dd.MixedGraph(["a", "b", "c"], directed=[("a", "b"), ("b", "c")])
    >>> found = dd.alternatives(dd.refit(moments, graph))
    >>> found.rivals("a", "b", "->")
    ('<-', '<->')
    """
    if not fit.graph.is_bow_free:
        first, second = fit.graph.bows[0]
        raise GraphError(
            f"{first!r} and {second!r} carry both an edge and a bidirected edge (a bow): "
            "alternatives are compared between bow-free graphs"
        )
    if fit.sample_covariance is None:
        raise GraphError("the fit was written without its sample covariance: fit the table again")
    return differences(scored(fit), fit.graph, FREE)


def scored(fit: Fit) -> Profile:
    """The lowest scores with each mark of each joined pair: columns of unit variance, free noise.

    n (tr(R (I-B) Theta (I-B)') + logdet Omega) + k (log n + 2 log p), k the marks of any kind.
    """
    S = np.asarray(fit.sample_covariance)
    sd = np.sqrt(np.diag(S))
    R, graph, p = S / sd / sd[:, None], fit.graph, len(sd)
    state = State(
        np.array(graph.directed_matrix),
        np.array(graph.bidirected_matrix),
        np.array(fit.weights * sd[:, None] / sd, order="C"),
        np.array(fit.noise_covariance / sd / sd[:, None], order="C"),
    )
    price = edge_prices(fit.n, p)
    told = fit.settings.get("knowledge")
    rules = Knowledge.from_dict(told).rules(graph.names) if told else None
    return profile(R, fit.n, state, Prices(price, price, 0.0), joined(graph), rules=rules)


def with_alternatives(fit: Fit) -> Fit:
    """The fit with its alternatives, where they are defined and can be afforded."""
    ready = fit.alternatives is None and fit.sample_covariance is not None
    few = len(fit.graph.names) <= MOST_COLUMNS and fit.n >= 2 * len(fit.graph.names)
    if not (ready and few and fit.graph.is_bow_free):
        return fit
    return replace(fit, alternatives=alternatives(fit))


def joined(graph: MixedGraph) -> list[tuple[int, int]]:
    """Places (i, j), i < j, of the pairs with a mark."""
    arrows = graph.directed_matrix
    marks = np.triu(arrows | arrows.T | graph.bidirected_matrix)
    return [(int(i), int(j)) for i, j in np.argwhere(marks)]


def differences(
    found: Profile,
    graph: MixedGraph,
    criterion: str,
    restored: Callable[[Array], Array] = np.asarray,
) -> Alternatives:
    """Half of the scores' differences from the mark that the graph has; NaN on other pairs.

    `restored` brings the profile's matrices into the order of the graph's columns.
    """
    edge, arc, absent = (restored(part) for part in found)
    arrows, arcs = graph.directed_matrix, graph.bidirected_matrix
    own = np.where(arrows, edge, np.where(arrows.T, edge.T, np.where(arcs, arc, np.nan)))
    own[~np.isfinite(own)] = np.nan
    behind = [(part - own) / 2 for part in (edge, arc, absent)]
    for part in behind:
        part[~np.isfinite(part)] = np.nan
    return Alternatives(graph.names, behind[0], behind[1], behind[2], criterion)
