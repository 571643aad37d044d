"""Draw, fit, count: the same shares whatever the number of workers, and after any interruption."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from dagdecor.confidence.checkpoint import Checkpoint, key_of
from dagdecor.confidence.plan import Plan, Progress
from dagdecor.confidence.resample import resampled
from dagdecor.confidence.result import Confidence
from dagdecor.course import Course
from dagdecor.data import Table
from dagdecor.errors import DataError, NoDraws, OptionError
from dagdecor.estimator import Settings, estimate
from dagdecor.evidence import Shares
from dagdecor.moments import Moments, of_one_variance
from dagdecor.parallel import cores, stream

Array = npt.NDArray[np.float64]
MOST_SEED = 2**32


def confidence(
    source: Table | Moments, settings: Settings, plan: Plan, progress: Progress | None = None
) -> Confidence:
    """Shares of each mark over fits to resampled tables, as `Decor.confidence` describes."""
    moments = _moments(source, settings)
    rows = None if isinstance(source, Moments) else np.asarray(source.values, dtype=np.float64)
    if plan.method == "stability" and (rows is None or len(rows) < 4):
        raise OptionError("method", "stability", "'bootstrap': half samples need rows, at least 4")
    fixed = replace(settings, random_state=None, max_seconds=None)
    done = _finished(moments, rows, fixed, plan)
    shared = {
        "moments": moments,
        "rows": rows,
        "settings": fixed,
        "plan": replace(plan, checkpoint=None, max_seconds=None),
    }
    found = dict(done.draws) if isinstance(done, Checkpoint) else {}
    missing = [draw for draw in range(plan.draws) if draw not in found]
    course = Course.here(plan.max_seconds)
    if progress is not None:
        progress(plan.draws - len(missing), plan.draws)
    late = bool(found) and plan.max_seconds == 0
    results = stream(
        one_draw, [] if late else missing, shared=shared, workers=plan.workers(cores())
    )
    try:
        for count, draw in enumerate(results, start=1 + plan.draws - len(missing)):
            found[draw["draw"]] = draw
            if isinstance(done, Checkpoint):
                done.add(draw)
            if progress is not None:
                progress(count, plan.draws)
            if course.over:
                break
    finally:
        results.close()
    return counted(moments, plan, [found[draw] for draw in sorted(found) if draw < plan.draws])


def _moments(source: Table | Moments, settings: Settings) -> Moments:
    if isinstance(source, Moments):
        return source
    return Moments.from_data(source, missing=settings.missing)


def one_draw(
    draw: int, moments: Moments, rows: Array | None, settings: Settings, plan: Plan
) -> dict[str, Any]:
    """One resampled fit, as it stands in a checkpoint: its marks and its posterior shares."""
    try:
        sample = resampled(draw, plan.method, plan.random_state, moments, rows)
        if of_one_variance(moments.S):  # who scales the table would have scaled the draw
            sample = sample.scaled()
        seed = int(np.random.default_rng([plan.random_state, draw, 1]).integers(MOST_SEED))
        fit = estimate(sample, replace(settings, random_state=seed), quick=plan.effort)
    except DataError as error:
        return {"draw": draw, "failed": str(error)}
    body = {
        "draw": draw,
        "edges": np.argwhere(fit.graph.directed_matrix).tolist(),
        "arcs": np.argwhere(fit.graph.bidirected_matrix).tolist(),
    }
    if fit.shares is not None:
        body["edge_shares"] = _sparse(fit.shares.directed)
        body["arc_shares"] = _sparse(fit.shares.bidirected)
    return body


def counted(moments: Moments, plan: Plan, draws: list[dict[str, Any]]) -> Confidence:
    """The shares over finished draws, added up in the order of the draws."""
    kept = [draw for draw in draws if "failed" not in draw]
    if not kept:
        raise NoDraws(draws[0]["failed"] if draws else "no draw was finished in time")
    names, p = moments.names, moments.p
    edge, arc, edge_share, arc_share = np.zeros((4, p, p))
    both = True
    for draw in kept:
        for matrix, pairs in ((edge, draw["edges"]), (arc, draw["arcs"])):
            for i, j in pairs:
                matrix[i, j] += 1
        both = both and "edge_shares" in draw
        for matrix, key in ((edge_share, "edge_shares"), (arc_share, "arc_shares")):
            for i, j, value in draw.get(key, ()):
                matrix[i, j] += value
    count = len(kept)
    posterior = Shares.of_marks(names, edge_share / count, arc_share / count) if both else None
    marks = (edge.sum() + arc.sum() / 2) / count
    return Confidence(
        shares=Shares.of_marks(names, edge / count, arc / count),
        posterior=posterior,
        method=plan.method,
        draws=count,
        asked=plan.draws,
        failed=len(draws) - count,
        n=moments.n,
        random_state=plan.random_state,
        effort=float(plan.effort),
        marks=float(marks),
    )


def _finished(
    moments: Moments, rows: Array | None, settings: Settings, plan: Plan
) -> Checkpoint | None:
    """The checkpoint with the draws that it holds, None where none is kept."""
    if plan.checkpoint is None:
        return None
    values = {
        "names": moments.names,
        "n": moments.n,
        "settings": settings.to_dict(),
        "method": plan.method,
        "effort": float(plan.effort),
        "random_state": plan.random_state,
    }
    return Checkpoint(plan.checkpoint, key_of(values, moments.S if rows is None else rows))


def _sparse(matrix: Array) -> list[tuple[int, int, float]]:
    return [(int(i), int(j), float(matrix[i, j])) for i, j in np.argwhere(matrix)]
