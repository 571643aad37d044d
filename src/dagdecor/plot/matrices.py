"""Matrices as pictures: effects and noise correlations, and the shares of every mark."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dagdecor.errors import OptionError
from dagdecor.fit import Fit
from dagdecor.plot.canvas import GRID, INK, figure, label

Array = npt.NDArray[np.float64]
WRITTEN = 15  # columns up to which the cells hold their numbers


def matrix(fit: Fit) -> Any:
    """Heat maps in causal order: standardised effects, row -> column, and noise correlations."""
    effects, shared = fit.standardised_weights, fit.noise_correlation.copy()
    np.fill_diagonal(shared, 0.0)
    panels = [("effect of row on column, standardised", effects), ("noise correlation", shared)]
    return _panels(fit, panels, "RdBu_r", -1.0)


def confidence(fit: Fit) -> Any:
    """Two heat maps in causal order: the shares of row -> column and of row <-> column.

    Framed cells are the marks of the graph.
    """
    if fit.shares is None:
        raise OptionError("what", "confidence", "a fit of the search, which keeps shares of marks")
    panels = [
        ("share of row \u2192 column", fit.shares.directed),
        ("share of row \u2194 column", fit.shares.bidirected),
    ]
    return _panels(fit, panels, "Blues", 0.0)


def _panels(fit: Fit, panels: list[tuple[str, Array]], colours: str, least: float) -> Any:
    names = fit.graph.names
    order = [names.index(name) for name in fit.graph.order]
    labels = [label(names[place]) for place in order]
    side = max(2.6, 0.26 * len(labels) + 0.5)
    drawn = figure((2 * side + 1.3, side + 0.9), "drawing a matrix")
    marks = (fit.graph.directed_matrix, fit.graph.bidirected_matrix)
    grid = np.ix_(order, order)
    axes = drawn.subplots(1, 2, sharey=True, gridspec_kw={"wspace": 0.08})
    image = None
    for axis, (title, values), chosen in zip(axes, panels, marks, strict=True):
        image = axis.imshow(values[grid], cmap=colours, vmin=least, vmax=1.0)
        _dress(axis, title, labels)
        if least == 0.0:
            _frames(axis, chosen[grid])
        if len(labels) <= WRITTEN:
            _numbers(axis, values[grid], least)
    bar = drawn.colorbar(image, ax=axes, fraction=0.02, pad=0.015, aspect=30)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=7, length=2, colors=INK)
    return drawn


def _dress(axis: Any, title: str, labels: list[str]) -> None:
    """Names along both sides, thin lines between the cells."""
    count = len(labels)
    size = 8 if count <= 30 else max(3.0, 240 / count)
    axis.set_title(title, fontsize=9, color=INK, pad=8)
    axis.set_xticks(range(count), labels, rotation=90, fontsize=size, color=INK)
    axis.set_yticks(range(count), labels, fontsize=size, color=INK)
    axis.set_xticks(np.arange(count + 1) - 0.5, minor=True)
    axis.set_yticks(np.arange(count + 1) - 0.5, minor=True)
    axis.grid(which="minor", color=GRID, linewidth=0.4)
    axis.tick_params(which="both", length=0)
    for side in axis.spines.values():
        side.set_color(GRID)


def _numbers(axis: Any, values: Array, least: float) -> None:
    for i, j in np.argwhere(np.abs(values) >= 0.005):
        dark = abs(values[i, j]) > (0.6 if least else 0.55)
        text = f"{values[i, j]:.2f}".replace("0.", ".").replace("-", "\u2212")
        axis.text(
            j, i, text, ha="center", va="center", fontsize=5.5, color="white" if dark else INK
        )


def _frames(axis: Any, chosen: npt.NDArray[np.bool_]) -> None:
    from matplotlib.patches import Rectangle

    for i, j in np.argwhere(chosen):
        axis.add_patch(
            Rectangle((j - 0.5, i - 0.5), 1, 1, fill=False, edgecolor=INK, linewidth=1.1)
        )
