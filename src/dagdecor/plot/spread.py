"""Things on a line, as near as may be to where they are wanted, and not on top of each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def spread(wanted: Sequence[float] | Array, gap: float) -> Array:
    """Argmin sum (y_k - wanted_k)^2 subject to y_{k+1} - y_k >= gap; wanted rises.

    Isotonic regression of wanted_k - k gap, by pooling of adjacent violators.

    >>> spread([0.5, 0.5, 2.0], 1.0).tolist()
    [0.0, 1.0, 2.0]
    """
    steps = gap * np.arange(len(wanted), dtype=np.float64)
    pools: list[tuple[float, int]] = []
    for value in np.asarray(wanted, dtype=np.float64) - steps:
        mean, size = float(value), 1
        while pools and pools[-1][0] > mean:
            other, more = pools.pop()
            mean, size = (mean * size + other * more) / (size + more), size + more
        pools.append((mean, size))
    return np.repeat([mean for mean, _ in pools], [size for _, size in pools]) + steps
