"""Lassos of many columns at once: proximal gradient steps, each one product of matrices."""

from __future__ import annotations

from typing import Any, NamedTuple

from dagdecor.device.machine import Tensor

POWER = 30  # steps of the power method
MARGIN = 1.05  # on what it finds, which lies below the largest eigenvalue
CHECK = 10  # steps between looks at the progress


class Lassos(NamedTuple):
    """argmin_B .5 tr(S B K B') - <L, B> + sum weights |B| + .5 sum ridge B*B, for B (p, t).

    Parameters
    ----------
    S, L, weights, ridge
        (p, p) and thrice (p, t), on the device; infinite weights bar entries, `ridge` may be 0.
    K
        (t,), or (t, t) where the columns depend on each other.
    curvature
        A bound of the eigenvalues of the loss, in units of S_ii K_tt.
    """

    torch: Any
    S: Tensor
    L: Tensor
    K: Tensor
    weights: Tensor
    ridge: Tensor
    curvature: float

    @property
    def scales(self) -> Tensor:
        """(p, t) S_ii K_tt."""
        return self.torch.outer(self.S.diagonal(), _diagonal(self.K))

    def descent(self, B: Tensor) -> Tensor:
        """The negative gradient of the quadratic part, without the ridge."""
        SB = self.S @ B
        return self.L - (SB * self.K if self.K.ndim == 1 else SB @ self.K)

    def values(self, B: Tensor, G: Tensor) -> Tensor:
        """(t,) what each column adds to the objective, with G the descent at B."""
        penalty = self.torch.where(B != 0, self.weights * B.abs(), 0.0)
        return (penalty - 0.5 * B * (self.L + G)).sum(0)

    def solve(self, B: Tensor, tolerance: float, steps: int) -> tuple[Tensor, int]:
        """From B; until a step moves no entry by more than `tolerance` deviations of the loss.

        Momentum (Beck and Teboulle 2009), started anew where it leads uphill (O'Donoghue and
        Candes 2015): in each column by itself where they are independent.
        """
        torch = self.torch
        rate = self.curvature * self.scales
        bar = self.weights / (rate + self.ridge)
        Y, t = B, torch.ones(B.shape[1], dtype=B.dtype, device=B.device)
        for step in range(1, steps + 1):
            moved = (rate * Y + self.descent(Y)) / (rate + self.ridge)
            after = moved.sign() * (moved.abs() - bar).clamp(min=0.0)
            uphill = (rate * (Y - after) * (after - B)).sum(0)
            uphill = uphill if self.K.ndim == 1 else uphill.sum().expand_as(t)
            t = torch.where(uphill > 0, 1.0, t)
            faster = (1 + (1 + 4 * t * t).sqrt()) / 2
            change = after - B
            Y, B, t = after + (t - 1) / faster * change, after, faster
            if step % CHECK == 0 and float((change.abs() * rate.sqrt()).max()) <= tolerance:
                return B, step
        return B, steps


def curvature(torch: Any, S: Tensor, K: Tensor) -> float:
    """Largest eigenvalue of S and K, each scaled to a unit diagonal, multiplied."""
    return _largest(torch, S) * (1.0 if K.ndim == 1 else _largest(torch, K))


def _largest(torch: Any, matrix: Tensor) -> float:
    d = matrix.diagonal().sqrt()
    x = torch.ones(len(d), dtype=d.dtype, device=d.device)
    # Signs of the strongest row: the leading eigenvector's are seldom all the same.
    x = x * (matrix / d)[(matrix / d / d[:, None]).square().sum(1).argmax()]
    for _ in range(POWER):
        x = (matrix @ (x / d)) / d
        size = x.norm()
        x = x / size
    return MARGIN * float(size)


def _diagonal(K: Tensor) -> Tensor:
    return K if K.ndim == 1 else K.diagonal()
