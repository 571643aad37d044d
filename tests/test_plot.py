"""Pictures: deterministic, complete, safe with hostile names; the layout obeys the order."""

import numpy as np
import pytest
from hypothesis import given
from strategies import mixed_graphs

import dagdecor as dd
from dagdecor.errors import OptionError
from dagdecor.plot import WHAT, draw, layout, picture, save
from dagdecor.plot.routes import Boxes, routes


@pytest.fixture(scope="module")
def fit():
    return dd.Decor(search=False).fit(dd.simulate.draw("local", seed=4).X).fit_


@pytest.fixture(scope="module")
def searched():
    return dd.Decor(random_state=0).fit(dd.simulate.draw("four-node", seed=1).X)


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_the_same_fit_gives_the_same_bytes(fit, kind):
    one = picture(fit, kind)
    assert one == picture(fit, kind)
    assert len(one) > 1000


@pytest.mark.parametrize("what", WHAT)
def test_an_estimator_draws_itself(searched, tmp_path, what):
    figure = searched.plot(what, tmp_path / "x.svg")
    assert (tmp_path / "x.svg").read_bytes() == picture(searched.fit_, "svg", what)
    assert figure._repr_png_().startswith(b"\x89PNG")
    titles = [axis.get_title() for axis in figure.axes]
    assert len(titles) == {"graph": 1, "matrix": 3, "confidence": 3}[what]


def test_a_heat_map_shows_the_numbers_in_causal_order(searched):
    fit = searched.fit_
    order = [fit.graph.names.index(name) for name in fit.graph.order]
    shown = draw(fit, "matrix").axes[0].images[0].get_array()
    np.testing.assert_array_equal(shown, fit.standardised_weights[np.ix_(order, order)])
    frames = draw(fit, "confidence").axes[0].patches
    assert len(frames) == len(fit.graph.directed)


def test_what_cannot_be_drawn_is_refused(fit, searched, tmp_path):
    with pytest.raises(OptionError, match="what='word'"):
        draw(fit, "word")
    with pytest.raises(OptionError, match="what='matrix'"):
        draw(fit.graph, "matrix")
    with pytest.raises(OptionError, match="what='confidence'"):
        draw(fit, "confidence")
    with pytest.raises(OptionError, match="ends in"):
        save(fit, tmp_path / "x.txt")


def curve(points):
    """Points on a chain of cubic curves."""
    t = np.linspace(0, 1, 30)[:, None]
    parts = [points[k : k + 4] for k in range(0, len(points) - 1, 3)]
    return np.vstack(
        [
            (1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * b + 3 * t**2 * (1 - t) * c + t**3 * d
            for a, b, c, d in parts
        ]
    )


@given(mixed_graphs(least=2, most=12))
def test_no_edge_runs_through_a_box(graph):
    widths = np.array([0.085 * len(name) + 0.24 for name in graph.names])
    boxes = Boxes(layout(graph) * (widths.max() + 0.42, 0.95), widths, 0.27)
    pairs = [*np.argwhere(graph.directed_matrix), *np.argwhere(np.triu(graph.bidirected_matrix))]
    pairs = [(int(i), int(j)) for i, j in pairs]
    for (i, j), way in zip(pairs, routes(boxes, pairs), strict=True):
        assert (len(way) - 1) % 3 == 0
        upper, lower = (i, j) if boxes.places[i, 1] >= boxes.places[j, 1] else (j, i)
        if boxes.places[i, 1] != boxes.places[j, 1]:
            assert abs(way[0, 0] - boxes.places[upper, 0]) < widths[upper] / 2
            assert abs(way[-1, 0] - boxes.places[lower, 0]) < widths[lower] / 2
        inside = (
            np.abs(curve(way)[:, None] - boxes.places)
            < np.column_stack([widths / 2, np.full(len(widths), 0.135)]) - 1e-6
        )
        assert not inside.all(axis=2).any()


def test_a_large_graph_fills_a_page_and_not_a_line():
    star = dd.MixedGraph(
        [f"x{k}" for k in range(90)], directed=[("x0", f"x{k}") for k in range(1, 60)]
    )
    width, height = np.ptp(layout(star, 2.0), axis=0) + 1
    assert 1 <= width / height <= 4


def test_parts_stand_apart_and_loners_last():
    names = [f"x{k}" for k in range(9)]
    graph = dd.MixedGraph(names, [("x0", "x1"), ("x2", "x3")], [("x3", "x4"), ("x5", "x6")])
    places = layout(graph)
    assert (places[[7, 8], 1] < places[:7, 1].min()).all()
    parts = [[0, 1], [2, 3, 4], [5, 6]]
    for part in parts:
        assert np.ptp(places[part], axis=0).max() <= 2
        for other in parts:
            apart = np.abs(places[part][:, None] - places[other]).max(axis=2)
            assert part is other or apart.min() >= 1


def test_neighbours_of_a_large_graph_stand_near_each_other():
    rng = np.random.default_rng(0)
    names = [f"x{k}" for k in range(200)]
    graph = dd.MixedGraph(names, [(names[rng.integers(k)], names[k]) for k in range(1, 200)])
    places = layout(graph)
    starts, ends = (places[k] for k in np.argwhere(graph.directed_matrix).T)
    assert np.linalg.norm(starts - ends, axis=1).mean() < 3


def test_every_column_is_named(fit):
    text = picture(fit).decode()
    assert all(f">{name}<" in text for name in fit.graph.names)


def test_hostile_names_stay_text():
    names = ["<script>alert(1)</script>", 'a"b', "$x^2$", "n\new", "\u2603" * 5000]
    text = picture(dd.MixedGraph(names, directed=[(names[0], names[1])])).decode()
    assert "<script>" not in text


@given(mixed_graphs())
def test_children_stand_below_their_parents(graph):
    places = layout(graph)
    assert len(np.unique(places, axis=0)) == len(places)
    for i, j in np.argwhere(graph.directed_matrix):
        assert places[j, 1] < places[i, 1]


def test_unknown_kinds_are_refused(fit):
    with pytest.raises(OptionError, match="kind='gif'"):
        picture(fit, "gif")
