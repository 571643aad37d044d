"""Explore with each noise model, choose one by evidence, average over what fits nearly as well."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from dagdecor.course import Course
from dagdecor.knowledge import Rules
from dagdecor.moments import of_one_variance
from dagdecor.search import latent_search, mixed_search
from dagdecor.search.average import decide
from dagdecor.search.ordered import ordered
from dagdecor.search.pinned import walker
from dagdecor.search.prices import arc_prices, edge_prices, latent_prices
from dagdecor.search.profile import Profile, profile

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

EXPLORED = 60  # columns; beyond, a search only improves what is proposed
LATENTS = 14
SPARSE_ITERATIONS, LATENT_ITERATIONS, LAST_ITERATIONS = 400, 250, 500
LATENT_BLANKS = 3  # starts from no marks
STEPS, PARTS = 5000, 5  # of the jump process that is averaged over; looks at the clock
STEPS_AN_ITERATION = 12  # that take as long
TEMPERATURE, COOL = 2.0, 1.0
CRITERIA = {
    "latent": "one error variance and explicit hidden causes, the search's score",
    "sparse": "error variances pulled together, the search's score",
    "scaled": "free error variances, the search's score",
}


@dataclass(frozen=True)
class Task:
    """What is searched: S (p, p), n, which noise model, until when, and what is known.

    `rules` are None where nothing is known. `share` of the usual iterations are spent; `compare`
    asks for the scores of other marks. `proposed` (p, p) are edges to start from too, acyclic and
    obeying the rules.
    """

    S: Array
    n: int
    noise_model: str
    course: Course
    rng: np.random.Generator
    rules: Rules | None = None
    proposed: Flags | None = None
    share: float = 1.0
    compare: bool = False

    @property
    def scaled(self) -> bool:
        """Columns of one variance carry no evidence in their scale."""
        return of_one_variance(self.S)

    @property
    def effort(self) -> float:
        """Share of the iterations at p = 20 that are spent; larger problems afford fewer."""
        return self.share * min(1.0, 20 / len(self.S))

    @property
    def polishes(self) -> bool:
        """Whether there are so many columns that no search starts from no marks."""
        return self.proposed is not None and len(self.S) > EXPLORED

    @property
    def latents(self) -> int:
        """Most hidden causes that a state has room for."""
        return max(LATENTS, len(self.S) // 4)

    @property
    def explores_latents(self) -> bool:
        """Whether explicit hidden causes are tried."""
        return self.noise_model == "latent" or (self.noise_model == "auto" and not self.scaled)

    @property
    def latent_starts(self) -> int:
        """How many states the search with explicit hidden causes starts from."""
        return 1 + (0 if self.polishes else LATENT_BLANKS + 1) + (self.proposed is not None)

    def iterations(self, usual: int) -> int:
        """Of an exploration that takes so many at p = 20."""
        return max(1, round(usual * self.effort))

    @property
    def part(self) -> int:
        """Steps of the course that a part of an average takes; whole, so that they add up."""
        return max(1, self.iterations(STEPS // PARTS) // STEPS_AN_ITERATION)

    def plan(self) -> None:
        """Tell the course what there is to do."""
        steps = self.iterations(SPARSE_ITERATIONS) + PARTS * self.part
        if self.explores_latents:
            steps += PARTS * self.part if self.noise_model == "auto" else 0
            steps += self.latent_starts * self.iterations(LATENT_ITERATIONS)
            steps += self.iterations(LAST_ITERATIONS)
        self.course.plan(steps)


@dataclass(frozen=True, eq=False)
class Candidate:
    """One noise model's best: its state, extended-BIC score, plain BIC, and prices."""

    state: Any
    score: float
    bic: float
    prices: Any


@dataclass(frozen=True, eq=False)
class Found:
    """Marks decided upon, (p, p), posterior shares, and the model chosen, which decided.

    Where explicit hidden causes were chosen over the sparse model, and not asked for, the shares
    are the mean of those under both.
    `score` is that of the best graph, from which the shares were averaged, `criterion` says in
    words what was scored. `profile` holds the best scores with each mark on the joined pairs, if
    they were asked for.
    """

    edges: Flags
    arcs: Flags
    edge_share: Array
    arc_share: Array
    noise_model: str
    criterion: str
    score: float
    profile: Profile | None = None


def search(task: Task) -> Found:
    """The most probable mark of each pair, none included, under the noise model chosen."""
    task.plan()
    sparse = _sparse(task)
    model, best = "sparse", sparse
    if task.explores_latents:
        latent = _latent(task, sparse)
        # The sum of both criteria: the extended BIC prices the choice of marks, the plain one the
        # p - 1 variances that only the sparse model has; either alone errs on some designs.
        both = (latent.score - sparse.score) + (latent.bic - sparse.bic)
        if task.noise_model == "latent" or both < 0:
            model, best = "latent", latent
    start = walker(best.state).copied(best.state)  # the average walks away from it, in place
    edge_share, arc_share = _average(task, best)
    edges, arcs = decide(*_fixed_first(edge_share, arc_share, task.rules))
    scores = None
    if task.compare and not task.polishes:
        joined = [(int(i), int(j)) for i, j in np.argwhere(np.triu(edges | edges.T | arcs))]
        scores = profile(task.S, task.n, start, best.prices, joined, task.course, task.rules)
    if task.explores_latents and task.noise_model == "auto":
        if model == "latent":
            # Each model alone is too sure of its marks (docs/bench/calibration.md).
            edge_share, arc_share = _halved((edge_share, arc_share), _average(task, sparse))
        else:
            task.course.step(PARTS * task.part)  # planned, and not needed
    criterion = CRITERIA["scaled" if model == "sparse" and task.scaled else model]
    return Found(edges, arcs, edge_share, arc_share, model, criterion, best.score, scores)


def _halved(one: tuple[Array, Array], other: tuple[Array, Array]) -> tuple[Array, Array]:
    """The mean of the shares of two models."""
    return (one[0] + other[0]) / 2, (one[1] + other[1]) / 2


def _fixed_first(edge_share: Array, arc_share: Array, rules: Rules | None) -> tuple[Array, Array]:
    """The shares with those of fixed marks above all others, so that they are settled first."""
    if rules is None:
        return edge_share, arc_share
    return np.where(rules.must_lead, 2.0, edge_share), np.where(rules.must_share, 2.0, arc_share)


def _sparse(task: Task) -> Candidate:
    """Sparse Omega, its variances pulled together as far as the data let them."""
    S, n, p = task.S, task.n, len(task.S)
    gamma, spread = (0.5, 0.0) if task.scaled else (0.25, 1.0)
    prices = mixed_search.Prices(edge_prices(n, p), arc_prices(n, p, gamma), spread)
    state = mixed_search.lawful(S, task.rules or Rules.none(p))
    if task.polishes and task.proposed is not None:
        state.edges[:] |= task.proposed
    score = _explored(mixed_search, task, state, prices, SPARSE_ITERATIONS, TEMPERATURE)
    edges, arcs = int(state.edges.sum()), int(state.arcs.sum()) // 2
    likelihood = mixed_search.score(
        S, n, state, mixed_search.Prices(0 * prices.edge, 0 * prices.arc, 0.0)
    )
    comparable = score - prices.arc[arcs] + arc_prices(n, p, 0.5)[arcs]
    return Candidate(state, comparable, likelihood + np.log(n) * (edges + arcs + p), prices)


def _latent(task: Task, sparse: Candidate) -> Candidate:
    """Explicit hidden causes and one error variance; of several starts the best goes on."""
    n, p = task.n, len(task.S)
    prices = latent_search.Prices(edge_prices(n, p), latent_prices(n, p))
    tried: list[tuple[float, int, Any]] = []
    for state, rng in _latent_starts(task, sparse, float(prices.edge[1])):
        if tried and task.course.over:
            break
        here = replace(task, rng=rng)
        score = _explored(latent_search, here, state, prices, LATENT_ITERATIONS, TEMPERATURE)
        tried.append((score, len(tried), state))
    state = min(tried)[2]
    score = _explored(latent_search, task, state, prices, LAST_ITERATIONS, COOL)
    free = int(state.edges.sum()) + int(state.loads.sum())
    sizes = state.loads.sum(axis=0)
    cost = prices.edge[int(state.edges.sum())] + float(prices.latent[sizes].sum())
    return Candidate(state, score, score - cost + np.log(n) * (free + 1), prices)


def _explored(
    walk: Any, task: Task, state: Any, prices: Any, iterations: int, temperature: float
) -> float:
    """Explore until the iterations or the time are over; the score."""
    effort = walk.Effort(task.iterations(iterations), temperature, task.course.step)
    return float(walk.explore(task.S, task.n, state, prices, effort, task.rng, task.rules))


def _average(task: Task, best: Candidate) -> tuple[Array, Array]:
    """Posterior shares of every mark, from a jump process that starts at the best graph."""
    walk = mixed_search if isinstance(best.state, mixed_search.State) else latent_search
    steps = task.iterations(STEPS // PARTS)
    shares: list[Any] = []
    for _ in range(PARTS):
        shares.append(
            walk.sample(task.S, task.n, best.state, best.prices, steps, task.rng, task.rules)
        )
        if not task.course.step(task.part):
            break
    times = np.array([share.time for share in shares])
    weights = times / times.sum()
    edge = np.tensordot(weights, np.array([share.edge for share in shares]), 1)
    arc = np.tensordot(weights, np.array([share.arc for share in shares]), 1)
    return edge, arc


def _latent_starts(
    task: Task, sparse: Candidate, price: float
) -> list[tuple[latent_search.State, np.random.Generator]]:
    """States to start from, each with its random numbers.

    The sparse graph; no marks, several times, for few columns; the proposed edges, for many; for
    few, regressions in an order, aside: where they do not win, all is as without them.
    """
    rules = task.rules or Rules.none(len(task.S))
    starts = [(_as_latents(task, sparse.state, rules), task.rng)]
    if not task.polishes:
        starts += [(_lawful(task, rules, None), task.rng) for _ in range(LATENT_BLANKS)]
    if task.proposed is not None:
        starts.append((_lawful(task, rules, task.proposed), task.rng))
    if not task.polishes:
        edges = ordered(task.S, task.n, price, rules)
        starts.append((_lawful(task, rules, edges), task.rng.spawn(1)[0]))
    return starts


def _lawful(task: Task, rules: Rules, edges: Flags | None) -> latent_search.State:
    """These edges and what is fixed, nothing else."""
    state = latent_search.lawful(task.S, task.latents, rules)
    if edges is not None:
        state.edges[:] |= edges
    return state


def _as_latents(task: Task, state: mixed_search.State, rules: Rules) -> latent_search.State:
    """Each strong arc as a latent of two columns; every arc that is fixed."""
    S = task.S
    found = latent_search.blank(S, task.latents + int(rules.must_share.sum()) // 2)
    found.edges[:], found.B[:] = state.edges, state.B
    found.variance[0] = min(np.diag(S).min(), float(np.median(np.diag(state.Omega))))
    scale = np.sqrt(np.diag(state.Omega))
    strength = np.triu(np.abs(state.Omega) / scale / scale[:, None], 1) * state.arcs
    order = np.argsort(-strength, axis=None, kind="stable")[: task.latents - 2]
    for k, place in enumerate(order):
        i, j = divmod(int(place), len(S))
        if strength[i, j] == 0.0:
            break
        size = np.sqrt(abs(state.Omega[i, j]))
        found.loads[[i, j], k] = True
        found.L[i, k], found.L[j, k] = size, size * np.sign(state.Omega[i, j])
    latent_search.complete(S, found, rules)
    return found
