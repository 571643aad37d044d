"""Ways of the edges between the boxes: from border to border, through the gaps of the rows.

An edge is a chain of cubic curves, (3k + 1, 2) points, from its upper end to its lower one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Pair = tuple[int, int]
Point = tuple[float, float]
PORT = 0.11  # between two ends on one border
CLEAR = 0.08  # between an edge and a box that it passes
LANE = 0.07  # between two edges that pass through one gap


@dataclass(frozen=True, eq=False)
class Boxes:
    """Centres (p, 2) in rows, widths (p,), and the height that all share."""

    places: Array
    widths: Array
    height: float

    @property
    def rows(self) -> Array:
        """Heights of the rows, from the highest to the lowest."""
        return np.unique(self.places[:, 1])[::-1]

    def in_row(self, y: float) -> Array:
        """(k, 2) intervals that a row's boxes cover, with the clearance, from left to right."""
        here = np.flatnonzero(self.places[:, 1] == y)
        here = here[np.argsort(self.places[here, 0])]
        half = self.widths[here] / 2 + CLEAR
        return np.column_stack([self.places[here, 0] - half, self.places[here, 0] + half])


def routes(boxes: Boxes, pairs: Sequence[Pair]) -> list[Array]:
    """The points of each pair's curves; the first point is at the end that stands higher."""
    downward = [_downward(boxes, pair) for pair in pairs]
    ports = _ports(boxes, downward)
    taken: dict[float, list[float]] = {float(y): [] for y in boxes.rows}
    return [
        _level(boxes, ports[k])
        if _is_level(boxes, pair)
        else _descent(boxes, ports[k], _between(boxes, pair), taken)
        for k, pair in enumerate(downward)
    ]


def _downward(boxes: Boxes, pair: Pair) -> Pair:
    """The pair from the higher place to the lower, from the left to the right in a row."""
    i, j = pair
    first, second = boxes.places[i], boxes.places[j]
    turned = first[1] < second[1] or (first[1] == second[1] and first[0] > second[0])
    return (j, i) if turned else (i, j)


def _is_level(boxes: Boxes, pair: Pair) -> bool:
    return bool(boxes.places[pair[0], 1] == boxes.places[pair[1], 1])


def _ports(boxes: Boxes, pairs: Sequence[Pair]) -> list[tuple[Point, Point]]:
    """Where each edge leaves and arrives: side by side, in the order of where they lead."""
    ends: dict[tuple[int, int], list[tuple[float, int, int]]] = {}
    for k, (i, j) in enumerate(pairs):
        side = 1 if _is_level(boxes, (i, j)) else -1
        ends.setdefault((i, side), []).append((boxes.places[j, 0], k, 0))
        ends.setdefault((j, 1), []).append((boxes.places[i, 0], k, 1))
    found: dict[tuple[int, int], Point] = {}
    for (node, side), here in ends.items():
        step = min(PORT, (boxes.widths[node] - 0.14) / max(1, len(here) - 1))
        for rank, (_, k, end) in enumerate(sorted(here)):
            x = boxes.places[node, 0] + (rank - (len(here) - 1) / 2) * step
            found[k, end] = (float(x), float(boxes.places[node, 1] + side * boxes.height / 2))
    return [(found[k, 0], found[k, 1]) for k in range(len(pairs))]


def _between(boxes: Boxes, pair: Pair) -> list[float]:
    high, low = boxes.places[pair[0], 1], boxes.places[pair[1], 1]
    return [float(y) for y in boxes.rows if low < y < high]


def _level(boxes: Boxes, ends: tuple[Point, Point]) -> Array:
    """Above the row; below the next row, unless it is the highest."""
    (x0, y0), (x1, y1) = ends
    rows = boxes.rows
    rise = 0.2 + 0.22 * abs(x1 - x0)
    above = rows[rows > y0]
    room = (above[-1] - y0 - boxes.height / 2) if len(above) else np.inf
    rise = min(rise, room, 1.9)
    inward = 0.12 * (x1 - x0)
    return np.array([(x0, y0), (x0 + inward, y0 + rise), (x1 - inward, y1 + rise), (x1, y1)])


def _descent(
    boxes: Boxes, ends: tuple[Point, Point], rows: list[float], taken: dict[float, list[float]]
) -> Array:
    """S-curves between the rows, straight down through the gaps of those that are passed."""
    (x, y), (x1, y1) = ends
    points: list[Point] = [(x, y)]
    for row in rows:
        wanted = x + (x1 - x) * (y - row) / (y - y1)
        across = _gap(boxes.in_row(row), taken[row], wanted)
        taken[row].append(across)
        half = boxes.height / 2 + 0.02
        points += [*_bend(points[-1], (across, row + half)), (across, row + half)]
        points += [(across, row + half / 3), (across, row - half / 3), (across, row - half)]
        x, y = across, row - half
    points += [*_bend(points[-1], (x1, y1)), (x1, y1)]
    return np.array(points)


def _bend(start: Point, end: Point) -> tuple[Point, Point]:
    """Inner points of a curve that leaves and arrives vertically."""
    half = 0.5 * (end[1] - start[1])
    return (start[0], start[1] + half), (end[0], end[1] - half)


def _gap(covered: Array, taken: list[float], wanted: float) -> float:
    """The free place nearest to the wanted one: in no box, a lane away from other edges."""
    places = list(_nearby(covered, wanted))
    free = [place for place in places if _free(covered, taken, place)]
    # a crowded gap is shared: through a box is worse
    return next(iter(free or [place for place in places if _free(covered, [], place)]))


def _nearby(covered: Array, wanted: float) -> Iterator[float]:
    """The wanted place, then borders of boxes and lanes beside them, the nearest first."""
    places = [wanted]
    for border, away in [*((a, -LANE) for a, _ in covered), *((b, LANE) for _, b in covered)]:
        places += [float(border + lane * away) for lane in range(4)]
    places += [wanted + lane * LANE for lane in (-2, -1, 1, 2)]
    yield from sorted(places, key=lambda place: (abs(place - wanted), place))


def _free(covered: Array, taken: list[float], place: float) -> bool:
    inside = ((covered[:, 0] < place - 1e-9) & (place + 1e-9 < covered[:, 1])).any()
    return not inside and all(abs(place - other) > LANE - 1e-9 for other in taken)
