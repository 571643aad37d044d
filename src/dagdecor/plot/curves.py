"""Curves: criteria along a path of penalties, and shares beside what was true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dagdecor.plot.canvas import ARC, INK, check_kind, figure, rendered
from dagdecor.tune import PenaltyPath

LOOKS = ("-o", "--s", ":^", "-.D", "-v")


def path(found: PenaltyPath, kind: str = "svg") -> bytes:
    """Both criteria and the number of marks along the penalties; dotted at each best."""
    check_kind(kind)
    drawn = figure((6.4, 5.2), "drawing a path")
    frame = found.to_frame()
    factors = frame["factor"].to_numpy()
    panels = [("ebic", "extended BIC", INK), ("held_out", "log-likelihood, held out", ARC)]
    panels = [panel for panel in panels if frame[panel[0]].notna().any()]
    grid = drawn.subplots(len(panels) + 1, 1, sharex=True, squeeze=False)[:, 0]
    for axes, (column, label, colour) in zip(grid, panels, strict=False):
        axes.plot(factors, frame[column], "-o", color=colour, markersize=3)
        if column == "held_out":
            low, high = (frame[column] + sign * frame["held_out_error"] for sign in (-1, 1))
            axes.fill_between(factors, low, high, color=colour, alpha=0.15, linewidth=0)
        axes.axvline(found.factors[found.best_place(column)], color=colour, linestyle=":")
        axes.set_ylabel(label)
    for column, look in (("edges", "-o"), ("arcs", "--s")):
        label = "->" if column == "edges" else "<->"
        grid[-1].plot(factors, frame[column], look, color=INK, markersize=3, label=label)
    grid[-1].set(xscale="log", xlabel="multiple of the automatic penalty", ylabel="marks")
    grid[-1].legend(frameon=False)
    return rendered(drawn, kind)


def reliability(
    curves: Mapping[str, Sequence[tuple[float, float, int]]], kind: str = "svg"
) -> bytes:
    """Rate of right marks over the share given: points (mean share, rate, marks) for each label.

    A point's area grows with the logarithm of the marks that it stands for.
    """
    check_kind(kind)
    drawn = figure((5.2, 5.0), "drawing reliability")
    axes: Any = drawn.subplots()
    axes.plot([0, 1], [0, 1], color="0.7", linewidth=1, zorder=1)
    for place, (label, points) in enumerate(curves.items()):
        shares, rates, counts = zip(*points, strict=True)
        line = axes.plot(shares, rates, LOOKS[place % len(LOOKS)], label=label, markersize=4)[0]
        sizes = [8 * len(str(count)) ** 2 for count in counts]
        axes.scatter(shares, rates, s=sizes, color=line.get_color(), alpha=0.35, linewidth=0)
    axes.set(xlabel="share given", ylabel="rate of right marks", xlim=(-0.02, 1.02))
    axes.set_ylim(-0.02, 1.02)
    axes.legend(frameon=False, loc="upper left")
    return rendered(drawn, kind)
