"""The graph step and the precision route's noise step of a fit, where it is to be computed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagdecor.certificate import Solution
from dagdecor.problem.acyclicity import acyclicity as measure_named
from dagdecor.solve.directed import directed
from dagdecor.solve.precision import precision

Matrix = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
DEVICES = ("cpu", "cuda", "torch-cpu")


class Steps(NamedTuple):
    """How B is found, and how Theta.

    `graph` takes S, Theta, the penalty, the acyclicity by name, a start and what is required;
    `precision` S, the penalty and a start.
    """

    graph: Callable[[Matrix, Matrix, Matrix, str, Matrix | None, Flags | None], Solution]
    precision: Callable[[Matrix, Matrix, Matrix], Solution]


def steps(device: str) -> Steps:
    """Compiled kernels for "cpu", else dense work by torch, which is imported here only."""
    if device == "cpu":
        return PROCESSOR
    from dagdecor.device import graph, noise
    from dagdecor.device.machine import Machine

    machine = Machine.named(device)
    return Steps(partial(graph.directed, machine), partial(noise.precision, machine))


def _directed(
    S: Matrix,
    Theta: Matrix,
    penalty: Matrix,
    acyclicity: str,
    start: Matrix | None,
    required: Flags | None,
) -> Solution:
    slope = measure_named(acyclicity).slope
    return directed(S, Theta, penalty, slope, start, required=required)


PROCESSOR = Steps(_directed, precision)
