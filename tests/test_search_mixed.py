"""Search with sparse noise covariance: exact scores, honest promises, the best graph, its law."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from strategies import (
    best_of_lbfgs,
    graph_masks,
    objective,
    parameters,
    positive_definite,
    sample_covariance,
    seeds,
)

from dagdecor.search import mixed_search as mixed
from dagdecor.search.mixed_fit_kernels import MARGIN, keep_definite
from dagdecor.search.mixed_move_kernels import (
    ADD,
    DROP,
    JOIN,
    KINDS,
    PART,
    REVERSE,
    TO_ARC,
    TO_EDGE,
    move,
    offers,
)
from dagdecor.search.mixed_shake import shake
from dagdecor.search.mixed_state import Prices, State, blank, price, spread_price
from dagdecor.search.walk import Effort
from dagdecor.simulate import draw, four_node

NO_MARKS, EDGES, BACK, ARCS = range(4)


def prices(p, edge=8.0, arc=10.0, spread=0.0):
    k = np.arange(p * (p - 1) // 2 + 2)
    return Prices(edge * k, arc * k, spread)


def state_of(edges, arcs, S):
    """The marks with no effect yet."""
    return State(edges.copy(), arcs.copy(), np.zeros_like(S), np.diag(np.diag(S)).copy())


def marks_of(state):
    return state.edges.tobytes() + state.arcs.tobytes()


def moments(drawn):
    X = drawn.values - drawn.values.mean(axis=0)
    return X.T @ X / len(X), len(X)


@st.composite
def problems(draw, least=2, most=5, n=200):
    edges, arcs = draw(graph_masks(least, most))
    seed = draw(seeds())
    return sample_covariance(*parameters(edges, arcs, seed), n, seed), n, edges, arcs


def assert_sound(state):
    """Acyclic, bow-free, symmetric, Omega > 0, parameters zero off the marks."""
    p = len(state.B)
    paths = np.linalg.matrix_power(np.eye(p) + state.edges, p)
    assert not np.any((paths > 0) & (paths.T > 0) & ~np.eye(p, dtype=bool))
    assert not np.any(state.edges & state.edges.T)
    assert not np.any(state.arcs & (state.edges | state.edges.T))
    assert np.array_equal(state.arcs, state.arcs.T)
    assert not np.any(np.diag(state.edges) | np.diag(state.arcs))
    assert np.all((state.B == 0) | state.edges)
    assert np.all((state.Omega == 0) | state.arcs | np.eye(p, dtype=bool))
    assert np.linalg.eigvalsh(state.Omega)[0] > 0


def structures(p):
    """All bow-free acyclic graphs: a mark for each pair."""
    pairs = list(itertools.combinations(range(p), 2))
    for marks in itertools.product(range(4), repeat=len(pairs)):
        edges, arcs = np.zeros((2, p, p), dtype=bool)
        for (i, j), mark in zip(pairs, marks, strict=True):
            edges[i, j], edges[j, i] = mark == EDGES, mark == BACK
            arcs[i, j] = arcs[j, i] = mark == ARCS
        if not np.any(np.linalg.matrix_power(edges.astype(float), p)):
            yield edges, arcs


def all_scores(S, n, cost):
    """[(score, edges, arcs)] of all structures, each from a blank start."""
    return [
        (mixed.score(S, n, state_of(edges, arcs, S), cost), edges, arcs)
        for edges, arcs in structures(len(S))
    ]


# --- score ----------------------------------------------------------------------------------------


@given(problems(), st.floats(0.0, 20.0), st.floats(0.0, 20.0))
def test_the_score_is_the_likelihood_at_its_optimum_and_the_prices(problem, edge, arc):
    S, n, edges, arcs = problem
    state = state_of(edges, arcs, S)
    found = mixed.score(S, n, state, prices(len(S), edge, arc))
    marks = edge * edges.sum() + arc * arcs.sum() / 2
    assert found == pytest.approx(n * best_of_lbfgs(S, edges, arcs) + marks, abs=1e-3)
    assert found == pytest.approx(n * objective(state.B, state.Omega, S) + marks, abs=1e-6)
    assert_sound(state)


@given(problems(), seeds())
def test_the_score_does_not_depend_on_the_order_of_the_columns(problem, seed):
    S, n, edges, arcs = problem
    at = np.random.default_rng(seed).permutation(len(S))
    at = np.ix_(at, at)
    cost = prices(len(S), spread=1.0)
    one = mixed.score(S, n, state_of(edges, arcs, S), cost)
    other = mixed.score(S[at].copy(), n, state_of(edges[at], arcs[at], S[at]), cost)
    assert other == pytest.approx(one, abs=1e-3)


@given(st.lists(st.floats(-2.0, 2.0), min_size=1, max_size=6), st.sampled_from([2, 50, 1000]))
def test_the_price_of_spread_is_the_least_over_the_scale_of_the_prior(logs, n):
    logs = np.array(logs)
    p, apart = len(logs), float(np.sum((logs - logs.mean()) ** 2))
    least = minimize_scalar(
        lambda u: p * np.log(n / 2 * np.exp(u)) + apart / np.exp(u),
        bounds=(np.log(2 / n), 12.0), method="bounded", options={"xatol": 1e-9},
    ).fun  # fmt: skip
    found = spread_price(float(logs.sum()), float((logs**2).sum()), p, float(n))
    assert found == pytest.approx(least, abs=1e-5)


def test_equal_variances_cost_nothing_and_a_weight_of_zero_charges_nothing():
    state = blank(2.5 * np.eye(4))
    assert price(100.0, state, prices(4, spread=1.0)) == 0.0
    unequal = blank(np.diag([1.0, 10.0, 100.0]))
    assert price(100.0, unequal, prices(3, spread=0.0)) == 0.0
    assert price(100.0, unequal, prices(3, spread=2.0)) == pytest.approx(
        2 * price(100.0, unequal, prices(3, spread=1.0))
    )
    assert price(100.0, unequal, prices(3, spread=1.0)) > 3.0


# --- promises of moves ----------------------------------------------------------------------------


def open_moves(state, S, n, cost):
    table = offers(S, float(n), state, cost)
    return table, [tuple(map(int, at)) for at in np.argwhere(table > -np.inf)]


@given(problems(least=2, most=5))
@settings(max_examples=25)
def test_a_refit_after_a_move_finds_what_was_promised_or_more(problem):
    S, n, edges, arcs = problem
    cost, state = prices(len(S)), state_of(edges, arcs, S)
    before = mixed.score(S, n, state, cost)
    table, moves = open_moves(state, S, n, cost)
    lone = ~arcs.any(axis=0)
    for kind, i, j in moves:
        after = State(*(a.copy() for a in state))
        move(after, kind, i, j)
        found = before - mixed.score(S, n, after, cost)
        one_end = kind in (ADD, DROP) and lone[j]
        if one_end or (kind == REVERSE and lone[i] and lone[j]):
            assert table[kind, i, j] == pytest.approx(found, abs=1e-3)
        elif kind in (ADD, DROP, JOIN):
            assert table[kind, i, j] <= found + 1e-3


def residual_variance(S, state, j, parents, siblings):
    """Of x_j given parents and Z_s, s its siblings; Z = Omega_{-j,-j}^-1 e_{-j}, e = x (I-B)."""
    others = np.delete(np.arange(len(S)), j)
    Z = np.linalg.inv(state.Omega[np.ix_(others, others)]) @ (np.eye(len(S)) - state.B)[:, others].T
    T = np.vstack((np.eye(len(S))[parents], Z[np.isin(others, siblings)]))
    return S[j, j] - T @ S[:, j] @ np.linalg.solve(T @ S @ T.T, T @ S[:, j])


def one_step(S, n, state, edges, arcs, j):
    """The fall of -2 log-likelihood once node j alone is fitted to the new marks."""
    before, after = (
        residual_variance(S, state, j, np.flatnonzero(e[:, j]), np.flatnonzero(a[:, j]))
        for e, a in ((state.edges, state.arcs), (edges, arcs))
    )
    return n * np.log(before / after)


@given(problems(least=2, most=6))
def test_a_promise_is_the_gain_of_the_best_step_of_one_node(problem):
    S, n, edges, arcs = problem
    cost, state = prices(len(S), 0.0, 0.0), state_of(edges, arcs, S)
    mixed.score(S, n, state, cost)
    table, moves = open_moves(state, S, n, cost)
    for kind, i, j in moves:
        after = State(*(a.copy() for a in state))
        move(after, kind, i, j)
        ends = one_step(S, n, state, *after[:2], i), one_step(S, n, state, *after[:2], j)
        best = sum(ends) if kind == REVERSE else max(ends) if kind in {JOIN, PART} else ends[1]
        assert table[kind, i, j] == pytest.approx(best, rel=1e-5, abs=1e-4)


def test_a_move_names_the_whole_districts_that_it_touches():
    edges, arcs = np.zeros((2, 6, 6), dtype=bool)
    for i in range(3):
        arcs[i, i + 1] = arcs[i + 1, i] = True
    edges[4, 3] = True
    S = sample_covariance(*parameters(edges, arcs, 2), 100, 2)
    for kind, i, j, touched in (
        (PART, 1, 2, "111100"), (TO_EDGE, 2, 1, "111100"), (JOIN, 3, 5, "111101"),
        (ADD, 4, 5, "000001"), (DROP, 4, 3, "111100"), (REVERSE, 4, 3, "111110"),
        (TO_ARC, 4, 3, "111110"),
    ):  # fmt: skip
        found = move(state_of(edges, arcs, S), kind, i, j)
        assert "".join(str(int(node)) for node in found) == touched


def test_the_spread_is_promised_exactly_where_no_siblings_are():
    edges, arcs = np.zeros((2, 4, 4), dtype=bool)
    edges[0, 1] = edges[1, 2] = edges[0, 3] = True
    S = sample_covariance(*parameters(edges, arcs, 5), 300, 5)
    cost, state = prices(4, spread=1.0), state_of(edges, arcs, S)
    before = mixed.score(S, 300, state, cost)
    table, moves = open_moves(state, S, 300, cost)
    for kind, i, j in moves:
        if kind in (ADD, DROP, REVERSE):
            after = State(*(a.copy() for a in state))
            move(after, kind, i, j)
            found = before - mixed.score(S, 300, after, cost)
            assert table[kind, i, j] == pytest.approx(found, abs=1e-4)


@given(problems(least=1, most=4))
def test_exactly_the_moves_that_keep_the_graph_sound_are_open(problem):
    S, n, edges, arcs = problem
    p = len(S)
    sound = {e.tobytes() + a.tobytes() for e, a in structures(p)}
    state = state_of(edges, arcs, S)
    mixed.score(S, n, state, prices(p))
    _, moves = open_moves(state, S, n, prices(p))
    reached = set()
    for kind, i, j in moves:
        after = State(*(a.copy() for a in state))
        move(after, kind, i, j)
        assert_sound(after)
        reached.add(marks_of(after))
    near = set()
    for e, a in structures(p):
        code = e.astype(int) + 2 * a
        now = edges.astype(int) + 2 * arcs
        if np.sum(np.triu((code != now) | (code.T != now.T), 1)) == 1:
            near.add(e.tobytes() + a.tobytes())
    assert len(reached) == len(moves)
    assert reached == near & sound


def test_each_kind_of_move_has_its_opposite():
    edges, arcs = np.zeros((2, 3, 3), dtype=bool)
    edges[0, 1], arcs[1, 2], arcs[2, 1] = True, True, True
    S = sample_covariance(*parameters(edges, arcs, 1), 100, 1)
    start = state_of(edges, arcs, S)
    for kind, i, j, back in (
        (ADD, 0, 2, (DROP, 0, 2)), (DROP, 0, 1, (ADD, 0, 1)), (REVERSE, 0, 1, (REVERSE, 1, 0)),
        (JOIN, 0, 2, (PART, 0, 2)), (PART, 1, 2, (JOIN, 1, 2)), (TO_ARC, 0, 1, (TO_EDGE, 0, 1)),
        (TO_EDGE, 2, 1, (TO_ARC, 2, 1)),
    ):  # fmt: skip
        state = State(*(a.copy() for a in start))
        assert move(state, kind, i, j)[j]
        assert marks_of(state) != marks_of(start)
        move(state, *back)
        assert marks_of(state) == marks_of(start)
    assert KINDS == 7


@given(st.integers(1, 6).flatmap(positive_definite), seeds())
def test_cutting_arcs_keeps_omega_definite_with_a_margin(Omega, seed):
    p = len(Omega)
    off = np.random.default_rng(seed).random((p, p)) < 0.5
    off = np.triu(off, 1)
    cut = np.where(off | off.T, 0.0, Omega)
    kept = cut.copy()
    keep_definite(kept, np.ones(p, dtype=bool))
    pivots = np.diag(np.linalg.cholesky(kept)) ** 2
    assert np.all(pivots >= (1 - 1e-9) * MARGIN * np.diag(cut))
    assert np.array_equal(np.diag(kept), np.diag(cut))
    assert np.all(np.abs(kept) <= np.abs(cut) + 1e-15)
    try:
        safe = np.all(np.diag(np.linalg.cholesky(cut)) ** 2 > 1.01 * MARGIN * np.diag(cut))
    except np.linalg.LinAlgError:
        safe = False
    if safe:
        assert np.array_equal(kept, cut)


@pytest.mark.parametrize("kind", [PART, TO_EDGE])
def test_a_cut_that_leaves_omega_indefinite_is_made_good(kind):
    Omega = np.array([[1.0, 0.8, 0.6], [0.8, 1.0, 0.8], [0.6, 0.8, 1.0]])
    arcs = ~np.eye(3, dtype=bool)
    state = State(np.zeros_like(arcs), arcs, np.zeros((3, 3)), Omega.copy())
    move(state, kind, 0, 2)
    Omega[0, 2] = Omega[2, 0] = 0.0
    assert np.linalg.eigvalsh(Omega)[0] < 0
    assert_sound(state)


# --- walks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_exploring_three_columns_finds_the_best_of_all_structures(seed, spread):
    rng = np.random.default_rng(seed)
    edges, arcs = list(structures(3))[rng.integers(62)]
    S = sample_covariance(*parameters(edges, arcs, seed), 150, seed)
    cost = prices(3, 5.0, 6.0, spread)
    state = blank(S)
    found = mixed.explore(S, 150, state, cost, Effort(60, 2.0), rng)
    scores = all_scores(S, 150, cost)
    assert len(scores) == 62
    assert found == pytest.approx(min(score for score, *_ in scores), abs=0.02)
    assert found == pytest.approx(mixed.score(S, 150, state, cost), abs=0.02)


@pytest.mark.parametrize("seed", range(3))
def test_the_shares_are_the_posterior_weights_of_all_structures(seed):
    rng = np.random.default_rng(seed)
    edges, arcs = list(structures(3))[rng.integers(62)]
    S = sample_covariance(*parameters(edges, arcs, seed), 60, seed)
    cost = prices(3, 3.0, 4.0, 1.0)
    scores = all_scores(S, 60, cost)
    weights = np.array([score for score, *_ in scores])
    weights = np.exp(-(weights - weights.min()) / 2)
    weights /= weights.sum()
    edge = sum(w * e for w, (_, e, _) in zip(weights, scores, strict=True))
    arc = sum(w * a for w, (_, _, a) in zip(weights, scores, strict=True))
    shares = mixed.sample(S, 60, blank(S), cost, 60_000, rng)
    assert shares.edge == pytest.approx(edge, abs=0.04)
    assert shares.arc == pytest.approx(arc, abs=0.04)
    assert shares.time > 0


@given(st.integers(1, 6), seeds())
@settings(max_examples=15)
def test_states_stay_sound_over_thousands_of_random_steps(p, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((40, p)) @ rng.standard_normal((p, p))
    S, cost = X.T @ X / 40, prices(p, 1.0, 1.0, 1.0)
    state = blank(S)
    for _ in range(10):
        shares = mixed.sample(S, 40, state, cost, 100, rng)
        assert_sound(state)
        assert np.array_equal(shares.arc, shares.arc.T)
        assert np.all((shares.edge + shares.edge.T + shares.arc) <= 1 + 1e-9)
        for _ in range(20):
            shake(state, rng)
            assert_sound(state)


def test_a_climb_only_lowers_the_score_and_ends_where_no_promise_is_kept():
    S, n = moments(draw("moderate", 3, p=8))
    cost, state = prices(8, spread=1.0), blank(S)
    start = mixed.score(S, n, state, cost)
    found = mixed.climb(S, n, state, cost)
    assert found < start - 10
    assert mixed.climb(S, n, state, cost) <= found + 1e-6
    assert_sound(state)
    table, moves = open_moves(state, S, n, cost)
    for kind, i, j in moves:
        if table[kind, i, j] > 0.1:
            after = State(*(a.copy() for a in state))
            move(after, kind, i, j)
            assert mixed.score(S, n, after, cost) > found - 0.05


def test_the_same_seed_gives_the_same_walk_and_the_callers_tables_are_kept():
    S, n = moments(draw("local", 3, p=8))
    S.flags.writeable = False
    cost = prices(8, spread=1.0)
    runs = []
    for _ in range(2):
        state, rng = blank(S), np.random.default_rng(7)
        found = mixed.explore(S, n, state, cost, Effort(15, 2.0), rng)
        shares = mixed.sample(S, n, state, cost, 200, rng)
        runs.append((found, marks_of(state), shares.edge.tobytes(), shares.arc.tobytes()))
    assert runs[0] == runs[1]


def test_the_four_node_case_is_found_exactly():
    drawn = four_node(seed=3)
    S, n = moments(drawn)
    state, rng = blank(S), np.random.default_rng(0)
    cost = prices(4, np.log(n) + 2 * np.log(4), np.log(n) + np.log(4) + 2, 1.0)
    mixed.explore(S, n, state, cost, Effort(60, 2.0), rng)
    assert np.array_equal(state.edges, drawn.graph.directed_matrix)
    assert np.array_equal(state.arcs, drawn.graph.bidirected_matrix)


@pytest.mark.parametrize("p", [1, 2])
def test_one_and_two_columns(p):
    S = np.array([[1.0, 0.6], [0.6, 1.0]])[:p, :p].copy()
    state, rng = blank(S), np.random.default_rng(0)
    found = mixed.explore(S, 100, state, prices(p), Effort(5, 1.0), rng)
    shares = mixed.sample(S, 100, state, prices(p), 2000, rng)
    marks = p - 1
    assert found == pytest.approx(100 * (p + marks * np.log(1 - 0.36)) + 8 * marks, abs=1e-6)
    assert shares.edge.sum() + shares.arc.sum() / 2 == pytest.approx(marks, abs=1e-2)
    if p == 2:  # both directions fit alike, the arc costs 2 more
        assert shares.edge[0, 1] / shares.arc[0, 1] == pytest.approx(np.e, rel=0.2)


@pytest.mark.parametrize("n", [2, 6])
def test_fewer_rows_than_columns(n):
    rng = np.random.default_rng(n)
    X = rng.standard_normal((n, 12))
    X -= X.mean(axis=0)
    S = X.T @ X / n
    state, cost = blank(S), prices(12, 8.0, 10.0, 1.0)
    found = mixed.explore(S, n, state, cost, Effort(5, 2.0), rng)
    mixed.sample(S, n, state, cost, 100, rng)
    assert np.isfinite(found)
    assert_sound(state)


def test_seventy_columns():
    drawn = draw("wide", 3, p=70, n=400)
    S, n = moments(drawn)
    state = blank(S)
    cost = prices(70, np.log(n) + 2 * np.log(70), np.log(n) + np.log(70) + 2, 1.0)
    mixed.climb(S, n, state, cost)
    assert_sound(state)
    true = drawn.graph.directed_matrix | drawn.graph.directed_matrix.T
    adjacent = state.edges | state.edges.T | state.arcs
    assert (adjacent & true).sum() > 0.7 * true.sum()
