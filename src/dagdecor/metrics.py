"""Two graphs, or two matrices, to numbers: how far an estimate is from the truth."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt

from dagdecor.errors import BadCovariance, BadShape, GraphError, named
from dagdecor.graph import MixedGraph

Marks = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Comparison:
    """What a learned graph got right.

    Precision, recall and F1 of an empty set: 1.0 when there was nothing to find and nothing was
    found, 0.0 when only one of the two sets is empty.

    Parameters
    ----------
    directed_f1, directed_precision, directed_recall
        Of directed edges, as ordered pairs.
    bidirected_f1, bidirected_precision, bidirected_recall
        Of bidirected edges, as unordered pairs.
    skeleton_f1
        Of unordered pairs with any mark.
    tpr
        True edges found over true edges, which is `directed_recall` under its other name.
    fpr
        Wrong directed edges over ordered pairs that carry no true edge.
    pair_shd
        Unordered pairs whose mark (none, ->, <-, <->, or a bow of two of them) differs.
    """

    directed_f1: float
    directed_precision: float
    directed_recall: float
    bidirected_f1: float
    bidirected_precision: float
    bidirected_recall: float
    skeleton_f1: float
    tpr: float
    fpr: float
    pair_shd: int

    def to_dict(self) -> dict[str, float]:
        """Plain values by name."""
        return asdict(self)


def compare(true_graph: MixedGraph, learned_graph: MixedGraph) -> Comparison:
    """Count what the learned graph shares with the true one; columns are matched by name.

    Examples
    --------
    >>> truth = MixedGraph(["a", "b", "c"], [("a", "b")], [("b", "c")])
    >>> learned = MixedGraph(["c", "b", "a"], [("a", "b"), ("c", "b")])
    >>> scores = compare(truth, learned)
    >>> scores.directed_precision, scores.skeleton_f1, scores.pair_shd
    (0.5, 1.0, 1)
    """
    arrows, arcs = true_graph.directed_matrix, true_graph.bidirected_matrix
    found_arrows, found_arcs = _in_order_of(true_graph, learned_graph)
    off_diagonal = len(arrows) * (len(arrows) - 1)
    wrong = int((found_arrows & ~arrows).sum())
    empty_places = off_diagonal - int(arrows.sum())
    precision, recall, f1 = _scores(arrows, found_arrows)
    arc_precision, arc_recall, arc_f1 = _scores(np.triu(arcs), np.triu(found_arcs))
    _, _, skeleton_f1 = _scores(_pairs(arrows, arcs), _pairs(found_arrows, found_arcs))
    return Comparison(
        directed_f1=f1,
        directed_precision=precision,
        directed_recall=recall,
        bidirected_f1=arc_f1,
        bidirected_precision=arc_precision,
        bidirected_recall=arc_recall,
        skeleton_f1=skeleton_f1,
        tpr=recall,
        fpr=wrong / empty_places if empty_places else 0.0,
        pair_shd=int(_pairs(arrows ^ found_arrows, arcs ^ found_arcs).sum()),
    )


def relative_error(true: npt.ArrayLike, estimated: npt.ArrayLike) -> float:
    """|estimated - true|_F / |true|_F; for true = 0 it is 0 if estimated = 0, else infinite."""
    target, guess = np.asarray(true, dtype=np.float64), np.asarray(estimated, dtype=np.float64)
    if target.shape != guess.shape:
        raise BadShape(f"the matrices differ in shape: {target.shape} and {guess.shape}")
    distance, size = float(np.linalg.norm(guess - target)), float(np.linalg.norm(target))
    if size == 0:
        return 0.0 if distance == 0 else float("inf")
    return distance / size


def divergence(true_covariance: npt.ArrayLike, fitted_covariance: npt.ArrayLike) -> float:
    """KL(N(0, T) || N(0, F)) = (tr(F^-1 T) - p + logdet F - logdet T) / 2, in nats.

    T, F (p, p) positive definite.
    """
    from scipy.linalg import solve_triangular

    T, F = _factor("true", true_covariance), _factor("fitted", fitted_covariance)
    if T.shape != F.shape:
        raise BadShape(f"the covariances differ in shape: {T.shape} and {F.shape}")
    M = np.tril(solve_triangular(F, T, lower=True))
    # With m = diag(M), every term m^2 - 1 - 2 log m and every squared entry below the diagonal
    # is at least 0, so that laws that nearly agree lose no digits.
    m = np.diag(M)
    diagonal = (m - 1) * (m + 1) - 2 * np.log(m)
    below = float((np.tril(M, -1) ** 2).sum())
    return 0.5 * (float(np.maximum(diagonal, 0.0).sum()) + below)


def _in_order_of(true_graph: MixedGraph, learned_graph: MixedGraph) -> tuple[Marks, Marks]:
    place = {name: index for index, name in enumerate(learned_graph.names)}
    missing = [name for name in true_graph.names if name not in place]
    known = set(true_graph.names)
    surplus = [name for name in learned_graph.names if name not in known]
    if missing or surplus:
        only = [
            f"only the {which} graph has {named(names)}"
            for which, names in (("true", missing), ("learned", surplus))
            if names
        ]
        raise GraphError(f"the graphs have different columns: {'; '.join(only)}")
    order = [place[name] for name in true_graph.names]
    at = np.ix_(order, order)
    return learned_graph.directed_matrix[at], learned_graph.bidirected_matrix[at]


def _scores(true: Marks, found: Marks) -> tuple[float, float, float]:
    """Precision, recall and F1 of the True entries."""
    shared, wanted, given = int((true & found).sum()), int(true.sum()), int(found.sum())
    if wanted == 0 and given == 0:
        return 1.0, 1.0, 1.0
    return (
        shared / given if given else 0.0,
        shared / wanted if wanted else 0.0,
        2 * shared / (wanted + given),
    )


def _pairs(arrows: Marks, arcs: Marks) -> Marks:
    """Pairs, once each, that have a True in one of the three places where a mark may stand."""
    return np.triu(arrows | arrows.T | arcs)


def _factor(which: str, covariance: npt.ArrayLike) -> npt.NDArray[np.float64]:
    matrix = np.asarray(covariance, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise BadShape(f"a covariance is a square matrix, the {which} one has {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise BadCovariance(f"({which}) has missing or infinite entries")
    scale = np.sqrt(np.abs(np.diag(matrix)))
    if (np.abs(matrix - matrix.T) > 1e-8 * np.outer(scale, scale)).any():
        raise BadCovariance(f"({which}) is not symmetric")
    try:
        return np.asarray(np.linalg.cholesky(matrix))
    except np.linalg.LinAlgError:
        raise BadCovariance(f"({which}) is not positive definite") from None
