"""The walk over graphs that every noise model shares: shake, climb, accept, return."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
State = TypeVar("State")

FIRST, NEXT = 10, 3  # steps a node of the first climb, and of one after a shake
LEAST_FALL = 1e-3  # of the score that is an improvement
FAR = 15.0  # above the best score, from where on an exploration may return to it
RETURN = 0.1  # probability that it does


def _always() -> bool:
    return True


class Effort(NamedTuple):
    """How long to explore, and how much worse a score may be kept at the start of it.

    Parameters
    ----------
    iterations
        At most.
    temperature
        Mean of the loss of score that is accepted at first; it falls to nothing.
    go_on
        Asked after each iteration: whether there is time for another.
    """

    iterations: int
    temperature: float
    go_on: Callable[[], bool] = _always


class Shares(NamedTuple):
    """Shares of the time that a jump process spends with a mark present.

    Parameters
    ----------
    edge
        (p, p), of i -> j at [i, j].
    arc
        (p, p) symmetric, of i <-> j.
    time
        Shares of several runs are averaged with it as weight.
    """

    edge: Array
    arc: Array
    time: float


class Ground(Generic[State]):
    """A state and what can be done to it, all in place.

    Parameters
    ----------
    state
        The graph and its parameters.
    climb
        Greedy search from here with at most so many steps a node; the score at its end.
    shake
        A random blow.
    twin, assign
        A copy that shares nothing; assign(to, given) copies in place.
    """

    def __init__(
        self,
        state: State,
        climb: Callable[[int], float],
        shake: Callable[[], None],
        twin: Callable[[State], State],
        assign: Callable[[State, State], None],
    ) -> None:
        self.state, self.climb, self.shake = state, climb, shake
        self.twin, self.assign = twin, assign


def explore(ground: Ground[State], effort: Effort, rng: np.random.Generator) -> float:
    """Iterated local search: shake, climb, accept by a falling temperature.

    Ends at the best state found and returns its score.
    """
    state = ground.state
    current = best = ground.climb(FIRST)
    kept, held = ground.twin(state), ground.twin(state)
    for iteration in range(effort.iterations):
        ground.assign(kept, state)
        for _ in range(1 + (rng.random() < 0.4) + (rng.random() < 0.2)):
            ground.shake()
        found = ground.climb(NEXT)
        temperature = effort.temperature * (1.0 - iteration / effort.iterations)
        if found < current + temperature * rng.exponential():
            current = found
            if found < best - LEAST_FALL:
                best = found
                ground.assign(held, state)
        else:
            ground.assign(state, kept)
        if current > best + FAR and rng.random() < RETURN:
            current = best
            ground.assign(state, held)
        if not effort.go_on():
            break
    ground.assign(state, held)
    return best
