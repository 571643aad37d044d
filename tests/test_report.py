"""The report says what the fit says, whatever its columns are called, in a browser too."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from browser import CHROMIUM, page
from strategies import parameters
from test_interop import HOSTILE

import dagdecor as dd
from dagdecor.errors import OutputExists
from dagdecor.report import Finding, content, html, write_report, write_result

BROWSER = pytest.mark.skipif(not CHROMIUM, reason="no Chromium on this machine")
TRICKY = [*HOSTILE, "</script><script>document.title='owned'</script>", "__DATA__", "a\u202eb"]
TRICKY += ["<img src=x onerror=document.title='owned'>", "\N{PILE OF POO} \N{ZERO WIDTH JOINER}"]


def fit_of(names, density=1.3, seed=0, shares=True):
    """A fit of a random bow-free graph over the names, with made-up shares."""
    rng = np.random.default_rng(seed)
    p = len(names)
    order = rng.permutation(p)
    pairs = rng.integers(0, p, (int(density * p), 2))
    directed, bidirected = np.zeros((2, p, p), dtype=bool)
    for k, (i, j) in enumerate(pairs):
        if order[i] < order[j] and not bidirected[i, j]:
            if k % 3:
                directed[i, j] = True
            elif not directed[i, j]:
                bidirected[i, j] = bidirected[j, i] = True
    B, Omega = parameters(directed, bidirected, seed)
    graph = dd.MixedGraph.from_matrices(B, Omega - np.diag(np.diag(Omega)), names)
    known = rng.uniform(0.05, 0.95, (p, p))
    known = np.triu(known) + np.triu(known, 1).T
    found = dd.Shares.of_marks(names, known * directed, known * bidirected) if shares else None
    return dd.Fit(graph, B, Omega, np.zeros(p), 1000, {}, settings={"seed": 0}, shares=found)


def data_of(text):
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    return json.loads(found[1])


def test_every_edge_has_its_numbers():
    fit = fit_of([f"x{k}" for k in range(8)], 2.0)
    errors = np.full((8, 8), 0.25)
    a, b = (fit.graph.names.index(name) for name in fit.graph.directed[0])
    errors[a, b] = np.nan
    rows = content(fit, errors=(errors, errors)).edges
    assert len(rows) == len(fit.graph.directed) + len(fit.graph.bidirected)
    for row in rows:
        i, j = fit.graph.names.index(row.first), fit.graph.names.index(row.second)
        directed = row.kind == "directed"
        assert row.value == (fit.weights if directed else fit.noise_covariance)[i, j]
        sd = np.sqrt(np.diag(fit.covariance if directed else fit.noise_covariance))
        expected = row.value * sd[i] / sd[j] if directed else row.value / sd[i] / sd[j]
        assert row.strength == pytest.approx(expected)
        assert row.error == (None if (i, j) == (a, b) and directed else 0.25)
        assert row.confidence == fit.shares.of(row.first, row.second)[row.mark]
        assert row.shares == tuple(fit.shares.of(row.first, row.second).values())
    sizes = [abs(row.strength) for row in rows if row.kind == "directed"]
    assert sizes == sorted(sizes, reverse=True)


def test_what_is_handed_in_is_said():
    fit = fit_of(["a", "b", "c"], 3.0)
    row = content(fit).edges[0]
    told = content(
        fit,
        confidence=fit.shares,
        meaning="the share of 100 resamples",
        findings=[Finding("warning", "column a is skewed")],
        as_good={(row.first, row.mark, row.second): ["<-", "none"]},
        title="my table",
    )
    data = data_of(html(told))
    assert data["title"] == "my table"
    assert data["meaning"] == "the share of 100 resamples"
    assert data["findings"] == [["warning", "column a is skewed"]]
    found = {(e["a"], e["b"], e["hidden"]): e["asGood"] for e in data["edges"]}
    pair = (fit.graph.names.index(row.first), fit.graph.names.index(row.second))
    assert found.pop((*pair, row.mark == "<->")) == ["<-", "none"]
    assert all(other == [] for other in found.values())
    bare = data_of(html(content(fit_of(["a", "b", "c"], 3.0, shares=False))))
    assert bare["findings"] is None
    assert {edge["confidence"] for edge in bare["edges"]} == {None}
    frame = told.frame()
    assert list(frame.columns[:3]) == ["from", "mark", "to"]
    assert sorted(frame["as good"]) == [*[""] * (len(frame) - 1), "<-, none"]
    assert len(frame) == len(told.edges)
    assert frame["error"].isna().all()


def test_no_name_is_markup():
    text = html(content(fit_of(TRICKY), title="</title><script>alert(1)</script>"))
    assert text.isascii()
    assert [node["name"] for node in data_of(text)["nodes"]] == TRICKY
    assert text.count("<script") == text.count("</script") == 2
    assert "onerror" in text
    assert "<img" not in text
    assert not re.search(r'(src|href)\s*=\s*["\']?\s*(https?:)?//', text)


def test_a_report_is_not_overwritten_unasked(tmp_path):
    fit = fit_of(["a", "b"], 3.0)
    place = tmp_path / "r.html"
    write_report(fit, place)
    with pytest.raises(OutputExists):
        write_report(fit, place)
    write_report(fit, place, force=True)
    files = {path.name for path in write_result(fit, tmp_path / "result")}
    assert {"report.html", "edges.csv", "fit.json", "graph.dot"} <= files


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """Open a fit's report in a browser; the profile is thrown away."""

    def opener(fit):
        folder = tmp_path_factory.mktemp("report")
        write_report(fit, folder / "report.html")
        return page((folder / "report.html").as_uri(), folder / "profile")

    return opener


def edges_seen(found):
    return found.run("document.querySelectorAll('#graph g[data-edge]:not(.off)').length")


def rows_seen(found, table="edges"):
    return found.run(f"document.querySelectorAll('#{table} tbody tr:not(.off)').length")


def move(found, name, value):
    found.run(
        f"{name}.value = {json.dumps(value)}; {name}.dispatchEvent(new Event('input')); undefined"
    )


@BROWSER
def test_a_report_loads_filters_searches_sorts_and_drags(opened):
    fit = fit_of([f"x{k}" for k in range(10)], 2.0)
    known = [row.confidence for row in content(fit).edges]
    with opened(fit) as found:
        assert edges_seen(found) == rows_seen(found) == len(known)
        for least in (0.3, 0.6, 1.0):
            move(found, "slider", str(least))
            kept = sum(value >= least for value in known)
            assert edges_seen(found) == rows_seen(found) == kept
        move(found, "slider", "0")
        move(found, "search", "X3")
        assert rows_seen(found, "columns") == 1
        assert found.run("document.querySelectorAll('.node.found').length") == 1
        move(found, "search", "")
        found.run("document.querySelectorAll('#edges th')[6].click()")
        cells = "[...document.querySelectorAll('#edges tbody tr')].map(r => r.cells[6].textContent)"
        shown = [float(text) for text in found.run(cells)]
        assert shown == sorted(shown, reverse=True)
        place = found.run(
            "(() => { const b = nodes[0].group.getBoundingClientRect();"
            " return [b.x + b.width / 2, b.y + b.height / 2, nodes[0].px]; })()"
        )
        found.mouse("mouseMoved", *place[:2])
        assert found.run("document.getElementById('tip').hidden") is False
        assert "x0" in found.run("document.getElementById('tip').textContent")
        found.mouse("mousePressed", *place[:2], button="left", clickCount=1)
        found.mouse("mouseMoved", place[0] + 60, place[1], button="left")
        found.mouse("mouseReleased", place[0] + 60, place[1], button="left", clickCount=1)
        assert found.run("nodes[0].px") > place[2] + 20
        scale = found.run("view.scale")
        found.mouse("mouseWheel", *place[:2], deltaX=0, deltaY=-200)
        assert found.run("view.scale") > scale
        assert found.complaints == []


@BROWSER
def test_the_keyboard_is_enough_and_paper_gets_the_whole_graph(opened):
    with opened(fit_of([f"x{k}" for k in range(14)], 2.0)) as found:
        place = "JSON.stringify([view.x, view.y, view.scale])"
        whole = found.run(place)
        found.run("search.focus()")
        found.type("x1")
        found.key("Enter")
        assert found.run("chosen.name") == "x1"
        assert "standard deviation" in found.run("document.getElementById('tip').textContent")
        found.key("Enter")
        assert found.run("chosen.name") == "x10"
        found.run("window.dispatchEvent(new Event('beforeprint'))")
        assert found.run("ground.hasAttribute('transform')") is False
        box = "(() => { const b = picture.viewBox.baseVal, g = ground.getBBox();"
        box += " return b.width >= g.width && b.height >= g.height; })()"
        assert found.run(box) is True
        assert found.run("document.querySelectorAll('.dim').length") == 0
        found.run("window.dispatchEvent(new Event('afterprint'))")
        assert found.run("document.querySelectorAll('.dim').length") > 0
        found.key("Escape")
        assert found.run("chosen === null && search.value === ''") is True
        found.run("picture.focus()")
        found.key("0")
        assert found.run(place) == whole
        found.key("ArrowRight")
        found.key("+")
        assert found.run(place) != whole
        found.run("document.querySelector('#edges th').focus()")
        found.key(" ")
        first = "[...document.querySelectorAll('#edges tbody tr')].map(r => r.cells[0].textContent)"
        names = found.run(first)
        assert names == sorted(names, key=lambda name: int(name[1:]))
        assert found.complaints == []


@BROWSER
def test_a_hover_over_an_edge_tells_its_numbers(opened):
    fit = fit_of(["a", "b", "c"], 4.0)
    row = content(fit).edges[0]
    told = content(fit, as_good={(row.first, row.mark, row.second): ["<-"]})
    with opened(told) as found:
        assert found.run("document.querySelectorAll('#alternatives li').length") == 1
        x, y = found.run(
            "(() => { const t = edges[0].touch; const m = t.getScreenCTM();"
            " const p = t.getPointAtLength(t.getTotalLength() / 2).matrixTransform(m);"
            " return [p.x, p.y]; })()"
        )
        found.mouse("mouseMoved", x, y)
        text = found.run("document.getElementById('tip').textContent")
        assert all(
            word in text
            for word in ("standard error", "confidence", "instead: no mark", "good\u2190")
        )
        assert found.complaints == []


@BROWSER
def test_hostile_names_stay_names_in_a_browser(opened):
    with opened(fit_of(TRICKY, 2.0)) as found:
        assert found.complaints == []
        assert found.run("document.title") == "dagdecor report"
        assert found.run("document.querySelectorAll('img, body script').length") == 2
        assert found.run("document.querySelectorAll('.node').length") == len(TRICKY)
        wide = "Math.max(...nodes.map(n => n.group.querySelector('text').textContent.length))"
        assert found.run(wide) <= 20
        assert found.run("document.documentElement.scrollWidth <= window.innerWidth") is True


@BROWSER
def test_three_hundred_columns_are_readable(opened):
    with opened(fit_of([f"gene{k}" for k in range(300)], 1.5)) as found:
        assert found.complaints == []
        apart = (
            "(() => { const r = [...document.querySelectorAll('.node rect')]"
            ".map(n => n.getBoundingClientRect());"
            " let hits = 0; for (let i = 0; i < 300; i++) for (let j = 0; j < i; j++)"
            " hits += r[i].left < r[j].right && r[j].left < r[i].right"
            " && r[i].top < r[j].bottom && r[j].top < r[i].bottom; return hits; })()"
        )
        assert found.run(apart) == 0
        assert found.run("SIZE * view.scale") > 5.5
        behind = (
            "edges.filter((e) => { const total = e.touch.getTotalLength();"
            " return [...Array(60).keys()].some((k) => {"
            " const p = e.touch.getPointAtLength((total * (k + 0.5)) / 60);"
            " return nodes.some((n) => n !== e.from && n !== e.to"
            " && Math.abs(n.px - p.x) < n.width / 2 && Math.abs(n.py - p.y) < n.height / 2);"
            " }); }).length"
        )
        assert found.run(behind) <= 0.02 * found.run("edges.length")
        assert found.run("document.getElementById('shown').textContent").endswith("edges")


@BROWSER
def test_without_confidence_the_slider_rests(opened):
    with opened(fit_of(["a", "b", "c"], 3.0, shares=False)) as found:
        assert found.run("slider.disabled") is True
        assert "No confidence" in found.run("document.getElementById('meaning').textContent")
        assert found.complaints == []
