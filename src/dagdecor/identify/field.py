"""Exact arithmetic modulo the prime 2^31 - 1: what is proved here holds without rounding."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Residues = npt.NDArray[np.int64]
PRIME = 2**31 - 1
PANEL = 64


def draw(rng: np.random.Generator, *shape: int) -> Residues:
    """Residues that are not 0, each equally likely."""
    return rng.integers(1, PRIME, size=shape)


def product(left: Residues, right: Residues) -> Residues:
    """Left @ right mod PRIME; (m, k) @ (k, n) with k below 2^21.

    The factors are split into 16-bit halves, whose products a float sums exactly, and
    2^32 = 2 mod PRIME.
    """
    high, low = (left >> 16).astype(np.float64), (left & 0xFFFF).astype(np.float64)
    above, below = (right >> 16).astype(np.float64), (right & 0xFFFF).astype(np.float64)
    outer = (high @ above).astype(np.int64) % PRIME
    cross = (high @ below + low @ above).astype(np.int64) % PRIME
    inner = (low @ below).astype(np.int64)
    return np.asarray((2 * outer + (cross << 16) + inner) % PRIME)


def full_column_rank(matrix: Residues) -> bool:
    """True when no combination of the columns vanishes mod PRIME, by elimination in panels."""
    rest = matrix % PRIME
    rows, columns = rest.shape
    if rows < columns:
        return False
    for start in range(0, columns, PANEL):
        stop = min(start + PANEL, columns)
        if not _eliminate(rest, start, stop):
            return False
        right = rest[start:stop, stop:]
        for column in range(start, stop):
            below = rest[column + 1 : stop, [column]]
            right[column - start + 1 :] -= below * right[column - start] % PRIME
            right[column - start + 1 :] %= PRIME
        corner = rest[stop:, stop:]
        corner -= product(rest[stop:, start:stop], right)
        corner %= PRIME
    return True


def _eliminate(rest: Residues, start: int, stop: int) -> bool:
    """One panel in place, its multipliers left below the diagonal; False when a pivot is 0."""
    for column in range(start, stop):
        pivot = column + int((rest[column:, column] != 0).argmax())
        if rest[pivot, column] == 0:
            return False
        if pivot != column:
            rest[[column, pivot]] = rest[[pivot, column]]
        below = rest[column + 1 :, column]
        below *= pow(int(rest[column, column]), -1, PRIME)
        below %= PRIME
        panel = rest[column + 1 :, column + 1 : stop]
        panel -= below[:, None] * rest[column, column + 1 : stop] % PRIME
        panel %= PRIME
    return True


def solve(rows: list[list[int]], unknowns: int) -> list[int] | None:
    """The x with A x = y, for rows [A | y]; None when there is no x or more than one."""
    rest = list(rows)
    if len(rest) < unknowns:
        return None
    for column in range(unknowns):
        pivot = next((k for k in range(column, len(rest)) if rest[k][column]), None)
        if pivot is None:
            return None
        rest[column], rest[pivot] = rest[pivot], rest[column]
        inverse = pow(rest[column][column], -1, PRIME)
        top = rest[column] = [value * inverse % PRIME for value in rest[column]]
        for k, row in enumerate(rest):
            factor = row[column]
            if k != column and factor:
                rest[k] = [(a - factor * b) % PRIME for a, b in zip(row, top, strict=True)]
    if any(row[-1] for row in rest[unknowns:]):
        return None
    return [row[-1] for row in rest[:unknowns]]
