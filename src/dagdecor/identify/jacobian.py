"""Is (B, Omega) -> Sigma finite-to-one near almost every point: the exact rank of its Jacobian."""

from __future__ import annotations

import numpy as np

from dagdecor.identify import field
from dagdecor.identify.field import Residues
from dagdecor.identify.part import Part

SEED = 20110602
TRIES = 2


def full_rank(part: Part, nodes: set[int]) -> bool:
    """True when the coefficients into `nodes` are locally determined, the others being known.

    Omega = (I-B)' Sigma (I-B) must vanish off the graph. Its derivative at a pair {v, w} along
    u -> v is -Cov(x_u, e_w), and along u -> w it is -Cov(x_u, e_v); full rank is full column
    rank of that matrix at almost every point. A yes is certain: a rank mod a prime is at most
    the rank. A no is wrong only if both draws are roots of a polynomial of degree below
    2 columns (nodes + 2), for which the chance is that degree over 2^31, squared (Schwartz and
    Zippel).
    """
    columns = sum(len(part.parents[node]) for node in nodes)
    pairs = sum(part.count - 1 - len(part.siblings[node]) for node in range(part.count)) // 2
    if columns > pairs:
        return False
    rng = np.random.default_rng(SEED)
    return any(_full_rank_at_random(part, nodes, columns, rng) for _ in range(TRIES))


def _full_rank_at_random(
    part: Part, nodes: set[int], columns: int, rng: np.random.Generator
) -> bool:
    cross = _cross_covariance(part, rng)
    for node in nodes:
        others = [w for w in range(part.count) if w != node and w not in part.siblings[node]]
        if not field.full_column_rank(cross[np.ix_(part.parents[node], others)].T):
            return False
    return field.full_column_rank(_sketch(part, nodes, cross, field.draw(rng, columns, part.count)))


def _cross_covariance(part: Part, rng: np.random.Generator) -> Residues:
    """Cov(x_u, e_w) = (T' Omega)[u, w] at a random point, T = (I-B)^-1; (p, p) residues."""
    count = part.count
    effects = np.eye(count, dtype=np.int64)
    for node, parents in enumerate(part.parents):
        for parent, weight in zip(parents, field.draw(rng, len(parents)), strict=True):
            effects[:, node] = (effects[:, node] + weight * effects[:, parent]) % field.PRIME
    noise = np.diag(field.draw(rng, count))
    for node in range(count):
        for other in sorted(part.siblings[node]):
            if other < node:
                noise[node, other] = noise[other, node] = field.draw(rng, 1)[0]
    return field.product(effects.T, noise)


def _sketch(part: Part, nodes: set[int], cross: Residues, forms: Residues) -> Residues:
    """As many random combinations of the Jacobian's rows as it has columns, of the same rank.

    forms (k, p) f: the row of pair {v, w} is taken f_v f_w times. Such products span all
    combinations and form an irreducible variety, so that random ones are independent on the
    column space. The sum over w of f_w Cov(x_u, e_w) is then one matrix product.
    """
    sums = field.product(forms, cross.T)
    blocks = []
    for node in sorted(nodes):
        parents = list(part.parents[node])
        beside = [node, *sorted(part.siblings[node])]
        bound = field.product(forms[:, beside], cross[np.ix_(parents, beside)].T)
        free = (sums[:, parents] - bound) % field.PRIME
        blocks.append(forms[:, [node]] * free % field.PRIME)
    return np.concatenate(blocks, axis=1)
