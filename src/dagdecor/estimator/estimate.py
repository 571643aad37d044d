"""Moments and settings in, a fit out: the one place where the parts of the method meet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from dagdecor.certificate import Certificate, Status
from dagdecor.course import Course
from dagdecor.device import Steps, steps
from dagdecor.errors import BadCovariance, NoRemainder
from dagdecor.estimator import scale
from dagdecor.estimator.alternation import Alternation, alternate
from dagdecor.estimator.canonical import canonical
from dagdecor.estimator.other_marks import differences
from dagdecor.estimator.reconcile import (
    Thresholds,
    correlation,
    masks,
    obeying,
    one_channel,
    standardised,
)
from dagdecor.estimator.settings import Settings
from dagdecor.evidence import Shares
from dagdecor.fit import Fit
from dagdecor.graph import MixedGraph
from dagdecor.identify import identifiability
from dagdecor.knowledge import Rules
from dagdecor.moments import Moments
from dagdecor.problem.joint import Joint
from dagdecor.search import Found, Task, search
from dagdecor.solve.ricf import ricf

Array = npt.NDArray[np.float64]
SEARCH_COLUMNS = 300
FEW_COLUMNS = 30  # up to here a search finds as much from no marks as from a proposal


def estimate(
    moments: Moments,
    settings: Settings,
    *,
    quick: float | None = None,
    course: Course | None = None,
) -> Fit:
    """A graph by search or by the paper's rounds, then maximum likelihood on it.

    `quick` is for fits that are repeated: the share of the search's iterations, without the
    scores of other marks. `course` by default is `settings.max_seconds` long.
    """
    course = course or Course(settings.max_seconds)
    steps(settings.device)  # refuses what is not there, also where the search needs no device
    if not (settings.search and searchable(moments)):
        return continued(moments, settings, course=course)[0]
    settings.known.check(moments.names)
    form = canonical(moments)
    graph, found = searched(form.moments, form.settings(settings), course, quick)
    graph = _named(graph, moments)
    weights, covariance, certificates = most_likely(graph, moments.S)
    if course.left > 0:
        certificates["search"] = _cut_short(course, found)
    compared = None
    if found.profile is not None:
        compared = differences(found.profile, graph, found.criterion, form.restored)
    return replace(
        _fit(moments, settings, graph, weights, covariance, certificates),
        shares=Shares.of_marks(
            moments.names, form.restored(found.edge_share), form.restored(found.arc_share)
        ),
        alternatives=compared,
    )


def _cut_short(course: Course, found: Found) -> Certificate:
    """What is said of a search that had to end before its plan was done."""
    return Certificate(
        Status.LIMIT, "share left undone", course.left, 0.0, int(course.done), found.score
    )


def continued(
    moments: Moments,
    settings: Settings,
    factor: float = 1.0,
    given: Array | None = None,
    course: Course | None = None,
) -> tuple[Fit, Array]:
    """The fit by the paper's rounds, and the B, in canonical form, with which they ended.

    On a path the penalties are multiplied by `factor`, and the rounds start from the B of those
    with another factor: `given`, of the same moments and settings.
    """
    course = course or Course(settings.max_seconds)
    settings.known.check(moments.names)
    form = canonical(moments)
    graph, rounds = alternated(form.moments, form.settings(settings), course, (factor, given))
    graph, B, certificates = _named(graph, moments), rounds.B, rounds.certificates
    trace = tuple(form.objective(value) for value in rounds.trace)
    if settings.refit:
        del form, rounds  # what follows is about the table's own columns, and needs the room
        weights, covariance, refit = most_likely(graph, moments.S)
    else:
        weights = np.where(graph.directed_matrix, form.restored(B), 0.0)
        Omega = form.restored(rounds.Omega) * form.unit
        covariance, refit = _masked(Omega, graph.bidirected_matrix), {}
    fit = _fit(moments, settings, graph, weights, covariance, {**certificates, **refit})
    return replace(fit, trace=trace), B


def _fit(
    moments: Moments,
    settings: Settings,
    graph: MixedGraph,
    weights: Array,
    covariance: Array,
    certificates: Mapping[str, Certificate],
) -> Fit:
    """What every fit holds."""
    if moments.missing is not None and moments.missing.certificate is not None:
        certificates = {"missing values": moments.missing.certificate, **certificates}
    return Fit(
        graph,
        weights,
        covariance,
        moments.mean,
        moments.n,
        certificates,
        verdict=identifiability(graph, weights, covariance).sentence,
        settings=settings.to_dict(),
        sample_covariance=moments.S,
        missing=moments.missing,
    )


def searchable(moments: Moments) -> bool:
    """Whether a score search is affordable, and its likelihood bounded by rows enough."""
    return 2 <= moments.p <= SEARCH_COLUMNS and moments.n >= 2 * moments.p


def searched(
    moments: Moments, settings: Settings, course: Course, quick: float | None = None
) -> tuple[MixedGraph, Found]:
    """The graph that the score search decides upon, and what it was decided by."""
    rng = np.random.default_rng(settings.random_state or 0)
    rules = settings.known.rules(moments.names)
    share, compare = (1.0, True) if quick is None else (quick, False)
    proposed = None
    if moments.p > FEW_COLUMNS:
        proposed = alternated(moments, settings, course)[0].directed_matrix
    task = Task(
        moments.S,
        moments.n,
        settings.noise_model,
        course,
        rng,
        rules if rules.bind else None,
        proposed,
        share=share,
        compare=compare,
    )
    found = search(task)
    return MixedGraph.from_matrices(found.edges, found.arcs, moments.names), found


def alternated(
    moments: Moments,
    settings: Settings,
    course: Course,
    path: tuple[float, Array | None] = (1.0, None),
) -> tuple[MixedGraph, Alternation]:
    """The graph of the paper's rounds, and the matrices that they ended with.

    `path`: a multiple of the penalties, and B to start from. Omega always starts afresh: from one
    that was fitted to few edges, and explains the others as noise, no round finds them.
    """
    S, n = moments.S, moments.n
    rules = settings.known.rules(moments.names)
    computed = steps(settings.device)
    noise = start_noise(S, n, settings, rules, computed)
    joint = objective(S, n, noise, settings, rules).times(path[0])
    start = np.zeros(S.shape) if path[1] is None else path[1]
    given = (start, np.broadcast_to(noise, len(S)))
    try:
        result = alternate(S, joint, given, computed, settings.rounds, settings.acyclicity, course)
    except BadCovariance as error:
        if error.column is None:
            raise
        raise NoRemainder(moments.names[error.column], n, moments.p) from None
    return select(result, moments, settings, rules), result


def start_noise(S: Array, n: int, settings: Settings, rules: Rules, computed: Steps) -> Array:
    """(p,) error variances of the first graph step, (1,) a common one."""
    if settings.noise_start == "diagonal":
        return np.array(np.diag(S))
    return np.array([scale.common_noise(S, n, settings.acyclicity, rules, computed)])


def objective(S: Array, n: int, noise: Array, settings: Settings, rules: Rules) -> Joint:
    """The joint objective with every "auto" resolved; its weights do not change afterwards.

    Prior knowledge enters as infinite weights, and as none for what is required.
    """
    p = len(S)
    if settings.lambda_directed == "auto":
        directed = scale.directed_penalty(S, noise, n)
    elif settings.noise_start == "diagonal":
        directed = float(settings.lambda_directed) * scale.relative(S)
    else:
        directed = np.array(float(settings.lambda_directed))
    if settings.lambda_noise == "auto":
        penalty = scale.noise_penalty(noise, n, p, settings.route)
    else:
        penalty = np.array(float(settings.lambda_noise))
    bow = np.array(settings.lambda_bow if settings.bow == "penalty" else 0.0)
    return Joint(
        settings.route,
        scale.known_effects(directed, rules),
        scale.known_causes(penalty, rules, settings.route),
        bow,
        rules.must_lead,
    )


def select(result: Alternation, moments: Moments, settings: Settings, rules: Rules) -> MixedGraph:
    """Threshold both matrices, keep to what is known, and leave each pair one channel."""
    floors = _floors(result, moments, settings)
    directed, bidirected = obeying(*masks(result.B, result.Omega, floors), rules)
    if settings.bow != "none":
        directed, bidirected = one_channel(
            directed,
            bidirected,
            standardised(result.B, moments.S),
            correlation(result.Omega),
            settings.bow_ratio,
        )
    return MixedGraph.from_matrices(directed, bidirected, moments.names)


def _floors(result: Alternation, moments: Moments, settings: Settings) -> Thresholds:
    """Thresholds with "auto" resolved to the correlation that pays for an edge.

    Residual deviations, not those of Omega: a single pass keeps the same B on both routes.
    """
    n, p = moments.n, moments.p
    A = np.eye(p) - result.B
    residual = np.sqrt(np.sum(A * (moments.S @ A), axis=0))
    noise = np.sqrt(np.diag(result.Omega))
    directed = settings.threshold_directed
    bidirected = settings.threshold_noise
    return Thresholds(
        scale.smallest_effect(n, p) * residual / moments.deviations[:, None]
        if directed == "auto"
        else float(directed),
        scale.smallest_correlation(n, p) * np.outer(noise, noise)
        if bidirected == "auto"
        else float(bidirected),
    )


def most_likely(graph: MixedGraph, S: Array) -> tuple[Array, Array, dict[str, Certificate]]:
    """B and Omega of maximum likelihood on the graph, and what is proved about them."""
    weights, covariance, certificate = ricf(S, graph.directed_matrix, graph.bidirected_matrix)
    for matrix in (weights, covariance):
        matrix.flags.writeable = False
    return weights, covariance, {"refit": certificate}


def _named(graph: MixedGraph, moments: Moments) -> MixedGraph:
    """The same graph with the columns in the table's own order."""
    return MixedGraph(moments.names, graph.directed, graph.bidirected)


def _masked(Omega: Array, bidirected: npt.NDArray[np.bool_]) -> Array:
    """Omega with the pairs off the graph at zero, the others shrunk until it is positive definite.

    Flooring eigenvalues, as the paper has it, would put the removed pairs back.
    """
    diagonal = np.diag(np.diag(Omega))
    off = np.where(bidirected, Omega, 0.0)
    scaled = correlation(np.diag(np.diag(Omega)) + off) * np.sign(off)
    lowest = float(np.linalg.eigvalsh(scaled)[0]) if len(Omega) else 0.0
    shrink = min(1.0, 0.99 / -lowest) if lowest < 0 else 1.0
    return np.asarray(diagonal + shrink * off)
