"""What marks cost: the extended BIC, and its counterpart for hidden causes of many columns."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

Array = npt.NDArray[np.float64]

TIE = 2.0  # i -> j and i <-> j often fit alike; the edge is then preferred
SETS = 7.5  # log n over this weighs the choice of a latent's columns: 1 at n = 1800


def edge_prices(n: int, p: int) -> Array:
    """k (log n + 2 log p) for k = 0, 1, ...: the extended BIC with gamma = 1/2.

    Foygel and Drton 2010, equation 3.
    """
    return np.asarray(_counts(p) * (np.log(n) + 2 * np.log(p)))


def arc_prices(n: int, p: int, gamma: float) -> Array:
    """k (log n + 4 gamma log p + TIE): the extended BIC of bidirected edges."""
    return np.asarray(_counts(p) * (np.log(n) + 4 * gamma * np.log(p) + TIE))


def latent_prices(n: int, p: int) -> Array:
    """m log n + 2 g (log C(p, m) + log p), g = log n / SETS, for m loadings; nothing for none.

    The second part is the code length of a set: a uniform size, then a uniform set of that size.
    """
    m = np.arange(p + 2)
    inside = np.minimum(m, p)
    sets = gammaln(p + 1) - gammaln(inside + 1) - gammaln(p - inside + 1)
    prices = m * np.log(n) + 2 * np.log(n) / SETS * (sets + np.log(p))
    prices[0] = 0.0
    return np.asarray(prices)


def _counts(p: int) -> Array:
    return np.arange(p * (p - 1) // 2 + 3, dtype=np.float64)
