"""The graph step's problem as it lies on a device."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dagdecor.device.columns import Lassos, curvature
from dagdecor.device.machine import Machine, Matrix, Tensor

Order = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Problem:
    """.5 tr(S (I-B) Theta (I-B)') + sum weights |B| over acyclic B (p, p).

    Parameters
    ----------
    machine
        Where the tensors are.
    S, Theta, weights
        (p, p), but Theta (p,) where it is diagonal; infinite weights bar entries.
    before
        (p, p) [i, j]: i stands before j in every order; None for no such pair.
    curvature
        As in `Lassos`.
    """

    machine: Machine
    S: Tensor
    Theta: Tensor
    weights: Tensor
    before: Flags | None
    curvature: float

    @classmethod
    def on(
        cls,
        machine: Machine,
        S: Matrix,
        precision: Matrix,
        penalty: Matrix,
        required: Flags | None,
    ) -> Problem:
        """The problem of `solve.directed.directed`, sent to a machine."""
        matrix, Theta = machine.tensor((S + S.T) / 2), machine.tensor(precision)
        weights = machine.tensor(np.broadcast_to(penalty, S.shape))
        weights.fill_diagonal_(float("inf"))
        before = required if required is not None and required.any() else None
        bound = curvature(machine.torch, matrix, Theta)
        return cls(machine, matrix, Theta, weights, before, bound)

    @property
    def precisions(self) -> Tensor:
        """(p,) the diagonal of Theta."""
        return self.Theta if self.Theta.ndim == 1 else self.Theta.diagonal()

    @property
    def constant(self) -> float:
        """The objective without edges."""
        if self.Theta.ndim == 1:
            return 0.5 * float((self.S.diagonal() * self.Theta).sum())
        return 0.5 * float((self.S * self.Theta).sum())

    def lassos(self, weights: Tensor, ridge: Tensor | float = 0.0) -> Lassos:
        """The columns of B under other weights."""
        L = self.S * self.Theta if self.Theta.ndim == 1 else self.S @ self.Theta
        ridge = self.machine.torch.as_tensor(ridge, dtype=L.dtype, device=L.device)
        return Lassos(self.machine.torch, self.S, L, self.Theta, weights, ridge, self.curvature)

    def along(self, order: Order) -> Tensor:
        """The weights, infinite against the order."""
        at = self.machine.tensor(places(order))
        return self.machine.torch.where(at[:, None] < at, self.weights, float("inf"))

    def is_lawful(self, order: Order) -> bool:
        """Whether every pair whose order is fixed stands as it must."""
        at = places(order)
        return self.before is None or not (self.before & (at[:, None] > at)).any()


def places(order: Order) -> Order:
    """(p,) of each node in the order."""
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return place
