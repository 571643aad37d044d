"""The search with explicit hidden causes: likelihood, gains, moves, walks."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from dagdecor.search import latent_move_kernels as mk
from dagdecor.search.latent_fit_kernels import noise_of, price, refit
from dagdecor.search.latent_gain_kernels import cross_of, node_of
from dagdecor.search.latent_search import (
    Effort,
    Prices,
    State,
    blank,
    climb,
    copied,
    explore,
    sample,
    score,
)
from dagdecor.search.latent_shake import shake

N = 400.0


def prices(p, edge=8.0, loading=5.0, latent=4.0):
    table = loading * np.arange(p + 2.0) + latent
    table[0] = 0.0
    return Prices(edge * np.arange(p * (p - 1) // 2 + 3.0), table)


def deviance(S, state, n=N):
    p = len(S)
    A = np.eye(p) - state.B
    Omega = state.variance[0] * np.eye(p) + state.L @ state.L.T
    _, logdet = np.linalg.slogdet(Omega)
    return n * (np.trace(np.linalg.solve(Omega, A.T @ S @ A)) + logdet)


def cost(state, table):
    sizes = state.loads.sum(axis=0)
    return table.edge[state.edges.sum()] + table.latent[sizes].sum()


def state_of(p, Q, edges, latents, variance=1.0):
    state = blank(variance * np.eye(p), Q)
    for i, j in edges:
        state.edges[i, j] = True
    for k, nodes in enumerate(latents):
        state.loads[list(nodes), k] = True
    return state


def drawn(p, seed, n=int(N), latents=2):
    """S of a random confounded sample."""
    rng = np.random.default_rng(seed)
    B = np.triu((rng.random((p, p)) < 0.3) * rng.uniform(0.4, 0.9, (p, p)), 1)
    L = np.zeros((p, latents))
    for k in range(latents):
        L[rng.choice(p, min(3, p), replace=False), k] = rng.normal(0, 0.8, min(3, p))
    E = rng.standard_normal((n, p)) * 0.5 + rng.standard_normal((n, latents)) @ L.T
    X = E @ np.linalg.inv(np.eye(p) - B)
    return np.cov(X.T, bias=True).reshape(p, p)


def assert_lawful(state):
    """Acyclic, bow-free, parameters zero off the marks."""
    p = len(state.edges)
    power = np.linalg.matrix_power(np.eye(p) + state.edges, p)
    closed = (power > 0) & (power.T > 0)
    assert (closed == np.eye(p, dtype=bool)).all()
    shared = state.loads.astype(int) @ state.loads.T.astype(int) > 0
    assert not (shared & state.edges).any()
    assert not state.B[~state.edges].any()
    assert not state.L[~state.loads].any()
    assert all(np.isfinite(part).all() for part in state)


# --- fit ------------------------------------------------------------------------------------------


CASES = [
    (3, [(0, 1), (1, 2)], []),
    (4, [(0, 1)], [(1, 2, 3)]),
    (4, [(0, 2), (1, 3)], [(0, 1), (2, 3)]),
    (5, [(0, 4), (1, 4)], [(0, 1, 2), (2, 3)]),
]


def direct_minimum(S, state):
    """-2 log-likelihood minimised by L-BFGS over the free values, from several starts."""
    rng = np.random.default_rng(0)
    e, m = int(state.edges.sum()), int(state.loads.sum())

    def value(x):
        trial = copied(state)
        trial.B[state.edges] = x[:e]
        trial.L[state.loads] = x[e : e + m]
        trial.variance[0] = np.exp(x[-1])
        return deviance(S, trial)

    starts = [0.5 * rng.standard_normal(e + m + 1) for _ in range(6)]
    options = {"maxiter": 2000, "ftol": 1e-14, "gtol": 1e-8}
    return min(minimize(value, x, method="L-BFGS-B", options=options).fun for x in starts)


@pytest.mark.parametrize(("p", "edges", "latents"), CASES)
def test_score_is_the_minimum_that_lbfgs_finds(p, edges, latents):
    S = drawn(p, 3)
    state = state_of(p, 3, edges, latents)
    state.L[state.loads] = 0.3 * np.random.default_rng(1).standard_normal(state.loads.sum())
    table = prices(p)
    found = score(S, N, state, table)
    assert found == pytest.approx(deviance(S, state) + cost(state, table), abs=1e-6)
    assert deviance(S, state) == pytest.approx(direct_minimum(S, state), rel=1e-6)
    assert price(state, table) == cost(state, table)


def test_every_refit_lowers_the_score():
    S, table = drawn(6, 4), prices(6)
    state = state_of(6, 3, [(0, 3), (1, 4)], [(0, 1, 2), (2, 3, 4, 5)])
    state.L[state.loads] = 0.2
    everyone = np.ones(6, dtype=bool)
    scores = [refit(S, N, state, table, everyone, 1e-9) for _ in range(20)]
    assert scores[0] > scores[-1] + 1.0
    assert (np.diff(scores) <= 1e-9 * abs(scores[0])).all()


def test_only_flagged_nodes_change():
    S, table = drawn(5, 5), prices(5)
    state = state_of(5, 2, [(0, 1), (0, 2)], [])
    score(S, N, state, table)
    state.B[0, 1] = state.B[0, 2] = 0.123
    nodes = np.array([False, True, False, False, False])
    refit(S, N, state, table, nodes, 1e-9)
    assert state.B[0, 2] == 0.123
    assert state.B[0, 1] == pytest.approx(S[0, 1] / S[0, 0])


def test_score_is_equivariant_under_relabelling():
    S, table = drawn(6, 6), prices(6)
    state = state_of(6, 2, [(0, 3), (3, 5)], [(0, 1, 2), (4, 5)])
    state.L[state.loads] = 0.3
    order = np.random.default_rng(2).permutation(6)
    pair = np.ix_(order, order)
    other = State(
        *(np.ascontiguousarray(part) for part in (
            state.edges[pair], state.loads[order], state.B[pair], state.L[order], state.variance,
        ))
    )  # fmt: skip
    other = copied(other)
    first = score(S, N, state, table)
    assert score(np.ascontiguousarray(S[pair]), N, other, table) == pytest.approx(first, rel=1e-8)


# --- gains ----------------------------------------------------------------------------------------


def fitted(seed, p=6):
    S, table = drawn(p, seed), prices(p)
    state = state_of(p, 4, [(0, 3), (1, 4), (3, 5)], [(0, 1, 2), (2, 3, 4)])
    state.L[state.loads] = 0.3
    score(S, N, state, table)
    return S, state, table


def listed(S, state, table, least=-1e6):
    moves = mk.no_moves(*state.L.shape, least)
    mk.list_moves(S, N, state, table, moves)
    count = moves.listed[0]
    rows = [tuple(int(x) for x in row) for row in moves.place[:count]]
    return dict(zip(rows, zip(moves.gain[:count], moves.start[:count], strict=True), strict=True))


def test_cross_moments_are_those_of_the_definition():
    S, state, _ = fitted(7)
    p = len(S)
    cross, noise = cross_of(S, state), noise_of(S, state)
    Theta = np.linalg.inv(state.variance[0] * np.eye(p) + state.L @ state.L.T)
    EE = (np.eye(p) - state.B).T @ S @ (np.eye(p) - state.B)
    np.testing.assert_allclose(noise.EE, EE, atol=1e-12)
    np.testing.assert_allclose(cross.Theta, Theta, atol=1e-9)
    np.testing.assert_allclose(cross.C, Theta @ EE @ Theta, atol=1e-9)


@pytest.mark.parametrize("j", range(6))
def test_a_nodes_regression_is_the_conditional_law_given_the_others(j):
    S, state, _ = fitted(8)
    node = node_of(S, state, cross_of(S, state), j)
    others = [i for i in range(6) if i != j]
    Omega = state.variance[0] * np.eye(6) + state.L @ state.L.T
    EE = (np.eye(6) - state.B).T @ S @ (np.eye(6) - state.B)
    slope = np.linalg.solve(Omega[np.ix_(others, others)], Omega[others, j])
    contrast = np.zeros(6)
    contrast[j], contrast[others] = 1.0, -slope
    assert node.variance == pytest.approx(Omega[j, j] - Omega[j, others] @ slope)
    assert node.rest == pytest.approx(contrast @ EE @ contrast)


def test_gains_of_births_and_deaths_are_exact_while_all_else_is_held():
    S, state, table = fitted(9)
    before = deviance(S, state) + cost(state, table)
    moves = listed(S, state, table)
    kinds = set()
    for (kind, a, b), (gain, start) in moves.items():
        if kind in {mk.PAIR, mk.SINGLE, mk.DEATH}:
            after = copied(state)
            mk.make(after, np.array([kind, a, b]), start)
            # a birth that hardly gains starts from a larger loading than its best
            if kind == mk.DEATH or gain + table.latent[2] > 0.01 * N:
                change = before - deviance(S, after) - cost(after, table)
                assert change == pytest.approx(gain, abs=1e-6 * abs(before))
                kinds.add(kind)
    assert {mk.DEATH, mk.PAIR} <= kinds


def test_gains_of_edges_into_nodes_without_latents_are_exact_at_the_held_variance():
    S, state, table = fitted(10)
    before = deviance(S, state) + cost(state, table)
    seen = 0
    for (kind, a, b), (gain, start) in listed(S, state, table).items():
        if kind in {mk.ADD, mk.DROP} and not state.loads[b].any():
            after = copied(state)
            mk.make(after, np.array([kind, a, b]), start)
            parents = np.flatnonzero(after.edges[:, b])
            after.B[parents, b] = np.linalg.solve(S[np.ix_(parents, parents)], S[parents, b])
            change = before - deviance(S, after) - cost(after, table)
            assert change == pytest.approx(gain, abs=1e-6 * abs(before))
            seen += 1
    assert seen >= 3


@pytest.mark.parametrize("seed", range(11, 15))
def test_gains_tell_what_a_refit_finds(seed):
    S, state, table = fitted(seed)
    before = score(S, N, state, table)
    rows = []
    for move, (gain, start) in listed(S, state, table).items():
        after = copied(state)
        nodes = mk.make(after, np.array(move), start)
        assert_lawful(after)
        rows.append((move[0], gain, before - refit(S, N, after, table, nodes, 1e-3)))
    kind, promised, found = np.array(rows).T
    edge = kind <= mk.REVERSE
    clipped = np.clip([promised[edge], found[edge]], -100, 100)
    assert np.corrcoef(clipped)[0, 1] > 0.95
    held = (kind == mk.DEATH) | (kind == mk.PAIR) | (kind == mk.SINGLE)
    assert (found[held] >= promised[held] - 0.05).all()
    best = promised.argmax()
    assert promised[best] < 1.0 or found[best] > 0.5 * promised[best]


# --- structures -----------------------------------------------------------------------------------


def test_marks_stay_lawful_through_thousands_of_blows():
    S, table = drawn(7, 20), prices(7, 2.0, 1.0, 1.0)
    state, rng = blank(S, 5), np.random.default_rng(20)
    seen = np.zeros(2, dtype=int)
    for turn in range(3000):
        if turn % 50 == 0:
            climb(S, N, state, table)
        shake(S, state, rng)
        assert_lawful(state)
        seen += [state.edges.any(), state.loads.any()]
    assert (seen > 500).all()


def test_marks_stay_lawful_through_random_moves():
    S, table = drawn(6, 21), prices(6, 1.0, 0.5, 0.5)
    state, rng = blank(S, 4), np.random.default_rng(21)
    moves, kinds = mk.no_moves(6, 4, -1e9), set()
    for turn in range(1500):
        mk.list_moves(S, N, state, table, moves)
        row = rng.integers(moves.listed[0])
        kinds.add(int(moves.place[row, 0]))
        nodes = mk.make(state, moves.place[row], moves.start[row])
        assert_lawful(state)
        if turn % 5 == 0:
            refit(S, N, state, table, nodes, 0.05)
    assert kinds == set(range(10))


def structures(p):
    """Every bow-free graph of p nodes with at most one latent."""
    pairs = list(itertools.permutations(range(p), 2))
    latents = [()] + [c for r in range(1, p + 1) for c in itertools.combinations(range(p), r)]
    for chosen in itertools.product((False, True), repeat=len(pairs)):
        edges = [pair for pair, take in zip(pairs, chosen, strict=True) if take]
        A = np.zeros((p, p), dtype=int)
        for i, j in edges:
            A[i, j] = 1
        if np.linalg.matrix_power(A, p).any():
            continue
        for latent in latents:
            if not any(i in latent and j in latent for i, j in edges):
                yield state_of(p, 1, edges, [latent] if latent else [])


def best_score(S, state, table):
    rng = np.random.default_rng(0)
    found = []
    for _ in range(4 if state.loads.sum() > 1 else 1):
        state.L[state.loads] = 0.5 * rng.standard_normal(state.loads.sum())
        found.append(score(S, N, state, table))
    return min(found)


def small(seed, n=int(N)):
    """S of three nodes, the last two confounded and one of them an effect of the first."""
    rng = np.random.default_rng(seed)
    f = rng.standard_normal(n)
    x = rng.standard_normal(n)
    y = 0.25 * x + rng.standard_normal(n) + 0.35 * f
    z = rng.standard_normal(n) + 0.35 * f
    return np.cov(np.array([x, y, z]), bias=True)


@pytest.mark.parametrize("seed", range(4))
def test_exploring_finds_the_best_of_all_structures(seed):
    S, table = drawn(3, 30 + seed, latents=1), prices(3)
    every = [best_score(S, state, table) for state in structures(3)]
    assert len(every) > 60
    state = blank(S, 1)
    found = explore(S, N, state, table, Effort(400, 2.0), np.random.default_rng(seed))
    assert found == pytest.approx(min(every), abs=0.1)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_jump_process_has_the_law_of_the_scores(seed):
    S, table = small(seed), prices(3, 6.0, 2.0, 2.0)
    edge, arc, total = np.zeros((3, 3)), np.zeros((3, 3)), 0.0
    states = list(structures(3))
    scores = np.array([best_score(S, state, table) for state in states])
    for state, weight in zip(states, np.exp(-0.5 * (scores - scores.min())), strict=True):
        total += weight
        edge += weight * state.edges
        arc += weight * (state.loads @ state.loads.T)
    np.fill_diagonal(arc, 0.0)
    edge, arc = edge / total, arc / total
    assert ((edge > 0.05) & (edge < 0.95)).any()
    assert ((arc > 0.05) & (arc < 0.95)).any()
    shares = sample(S, N, blank(S, 1), table, 6000, np.random.default_rng(seed))
    np.testing.assert_allclose(shares.edge, edge, atol=0.1)
    np.testing.assert_allclose(shares.arc, arc, atol=0.1)
    assert shares.time > 0.0


# --- walks ----------------------------------------------------------------------------------------


def test_a_climb_ends_below_its_start_at_a_local_optimum():
    S, table = drawn(8, 40), prices(8)
    state = blank(S, 4)
    start = score(S, N, copied(state), table)
    end = climb(S, N, state, table)
    assert end < start - 50.0
    assert end == pytest.approx(deviance(S, state) + cost(state, table), abs=1e-6 * abs(end))
    assert climb(S, N, state, table) >= end - 1.0
    assert_lawful(state)


def test_exploring_never_ends_above_a_climb_and_returns_its_states_score():
    S, table = drawn(8, 41), prices(8)
    first, second = blank(S, 4), blank(S, 4)
    top = climb(S, N, first, table)
    found = explore(S, N, second, table, Effort(40, 2.0), np.random.default_rng(0))
    assert found <= top
    assert found == pytest.approx(deviance(S, second) + cost(second, table), abs=1e-6 * abs(found))


def test_hidden_causes_are_found_and_told_from_effects():
    rng = np.random.default_rng(42)
    f = rng.standard_normal((4000, 1))
    E = 0.5 * rng.standard_normal((4000, 5)) + f @ np.array([[0.8, -0.7, 0.9, 0.0, 0.0]])
    B = np.zeros((5, 5))
    B[0, 3], B[3, 4] = 0.7, -0.6
    S = np.cov((E @ np.linalg.inv(np.eye(5) - B)).T, bias=True)
    state = blank(S, 3)
    explore(S, 4000, state, prices(5, 12.0, 10.0, 5.0), Effort(60, 2.0), rng)
    assert (state.edges == (B != 0)).all()
    arcs = state.loads.astype(int) @ state.loads.T.astype(int) > 0
    assert arcs[0, 1]
    assert arcs[1, 2]
    assert not arcs[3:].any()


def test_one_seed_gives_one_result():
    S, table = drawn(7, 43), prices(7)

    def run(seed):
        state, rng = blank(S, 3), np.random.default_rng(seed)
        found = explore(S, N, state, table, Effort(15, 2.0), rng)
        shares = sample(S, N, state, table, 100, rng)
        return found, shares.time, shares.edge.tobytes(), state.L.tobytes()

    assert run(1) == run(1)
    assert run(1)[1:] != run(2)[1:]


def test_inputs_are_left_alone_and_any_layout_and_count_will_do():
    S, table = drawn(5, 44), prices(5)
    given = np.asfortranarray(S)
    given.flags.writeable = False
    first = climb(given, 400, blank(S, 2), table)
    assert first == climb(S, 400.0, blank(S, 2), table)
    assert (given == S).all()


@pytest.mark.parametrize("p", [1, 2])
def test_the_smallest_problems(p):
    S, table, rng = drawn(p, 45, latents=1), prices(p), np.random.default_rng(0)
    state = blank(S, 2)
    assert np.isfinite(explore(S, N, state, table, Effort(20, 2.0), rng))
    shares = sample(S, N, state, table, 50, rng)
    assert_lawful(state)
    assert ((shares.edge >= 0) & (shares.edge <= 1) & (shares.arc >= 0) & (shares.arc <= 1)).all()


def test_fewer_rows_than_columns():
    S, table, rng = drawn(16, 46, n=6), prices(16, 9.0, 7.0, 6.0), np.random.default_rng(0)
    state = blank(S, 6)
    assert np.isfinite(explore(S, 6.0, state, table, Effort(5, 2.0), rng))
    assert np.isfinite(sample(S, 6.0, state, table, 30, rng).edge).all()
    assert_lawful(state)


def test_more_columns_than_bits_in_a_word():
    S, table, rng = drawn(70, 47), prices(70, 14.0, 12.0, 10.0), np.random.default_rng(0)
    state = blank(S, 8)
    found = explore(S, N, state, table, Effort(1, 2.0), rng)
    assert found < score(S, N, blank(S, 8), table)
    assert state.edges[64:].any() or state.edges[:, 64:].any()
    assert_lawful(state)


def test_shares_count_edges_and_pairs_that_share_a_latent():
    S = drawn(3, 48, latents=1)
    state = state_of(3, 1, [(0, 1)], [(1, 2)])
    state.L[state.loads] = 0.5
    shares = sample(S, 1e5, state, prices(3, 1.0, 1.0, 1.0), 1, np.random.default_rng(0))
    expected = np.zeros((3, 3))
    expected[1, 2] = expected[2, 1] = 1.0
    assert (shares.arc == expected).all()
    assert shares.edge[0, 1] == 1.0
    assert shares.edge.sum() == 1.0
