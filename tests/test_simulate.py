"""Every regime draws what its row of the table says, and the truth that comes with it is true."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from dagdecor.errors import OptionError
from dagdecor.graph import MixedGraph
from dagdecor.simulate import REGIMES, Draw, Latents, draw, four_node, latent_regime
from dagdecor.simulate.laws import MARGIN, NOISE

# Events that a true law produces less than once in 10^8 tests: the seeds are fixed, the bound
# says that no seed had to be looked for.
DEVIATIONS = 6.0

DESIGNS = [
    ("paper", {}),
    ("paper", {"density": 0.0}),
    ("paper", {"density": 0.8}),
    ("paper", {"p": 7, "density": 1.0}),
    ("local", {}),
    ("moderate", {}),
    ("moderate", {"n": 200}),
    ("pervasive", {}),
    ("abic", {}),
    ("abic", {"p": 15}),
    ("rbap", {}),
    ("rbap", {"p": 6, "edges": 3}),
    ("rbap", {"p": 8, "edges": 12}),
    ("wide", {"p": 50}),
    ("four-node", {}),
]


def label(value):
    return value if isinstance(value, str) else ",".join(f"{k}={v}" for k, v in value.items())


def upper(matrix):
    return matrix[np.triu_indices(len(matrix), 1)]


# --- the truth is lawful -----------------------------------------------------------------------


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize(("regime", "options"), DESIGNS, ids=label)
def test_truth_is_acyclic_bow_free_and_positive_definite(regime, options, scaled):
    for seed in range(5):
        sample = draw(regime, seed, scaled=scaled, **options)
        B, Omega = sample.weights, sample.noise_covariance
        order = [sample.graph.names.index(name) for name in sample.graph.order]
        assert not np.tril(B[np.ix_(order, order)]).any()
        assert not ((B != 0) & (Omega != 0)).any()
        assert np.array_equal(Omega, Omega.T)
        assert np.linalg.eigvalsh(Omega)[0] > 0
        assert sample.graph == MixedGraph.from_matrices(B, Omega, sample.graph.names)
        assert sample.graph.is_bow_free
        assert sample.X.shape == (sample.n, len(sample.graph.names))


@pytest.mark.parametrize(
    ("regime", "lowest"),
    [(name, MARGIN if name in {"abic", "rbap"} else NOISE) for name in REGIMES],
)
def test_noise_keeps_its_margin(regime, lowest):
    for seed in range(20):
        assert np.linalg.eigvalsh(draw(regime, seed).noise_covariance)[0] >= lowest - 1e-12


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize(("regime", "options"), DESIGNS, ids=label)
def test_rows_follow_the_implied_law(regime, options, scaled):
    # Whitened rows are independent N(0, 1): entries of W'W/n deviate by sqrt(1/n), on the
    # diagonal by sqrt(2/n), those of the mean by sqrt(1/n).
    n = 20_000
    sample = draw(regime, 1, scaled=scaled, **{**options, "n": n})
    B, Omega = sample.weights, sample.noise_covariance
    residual = np.eye(len(B)) - B
    precision = residual @ np.linalg.inv(Omega) @ residual.T
    assert np.allclose(sample.covariance @ precision, np.eye(len(B)), atol=1e-9)
    W = np.linalg.solve(np.linalg.cholesky(sample.covariance), sample.X.to_numpy().T).T
    spread = W.T @ W / n - np.eye(len(B))
    assert np.abs(W.mean(axis=0)).max() < DEVIATIONS * np.sqrt(1 / n)
    assert np.abs(upper(spread)).max() < DEVIATIONS * np.sqrt(1 / n)
    assert np.abs(np.diag(spread)).max() < DEVIATIONS * np.sqrt(2 / n)


def test_four_node_case_has_the_published_parameters():
    sample = four_node(seed=3)
    assert str(sample.graph) == "A -> B\nB -> C\nC -> D\nB <-> D"
    assert sample.n == 1000
    # By hand: B = A + e, C = -1.5 B + e, D = C + e with cov(e_B, e_D) = .6.
    expected = [
        [1.2, 1.2, -1.8, -1.8],
        [1.2, 2.2, -3.3, -2.7],
        [-1.8, -3.3, 5.95, 5.05],
        [-1.8, -2.7, 5.05, 5.15],
    ]
    assert np.allclose(sample.covariance, expected, atol=1e-12)
    assert np.array_equal(draw("four-node", seed=3).values, sample.values)


# --- units -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("regime", "options"), DESIGNS, ids=label)
def test_scaled_draw_is_the_raw_one_in_other_units(regime, options):
    raw, scaled = (draw(regime, 2, scaled=units, **options) for units in (False, True))
    s = np.sqrt(((raw.values - raw.values.mean(axis=0)) ** 2).mean(axis=0))
    assert np.allclose(scaled.values.var(axis=0), 1, atol=1e-12)
    assert np.allclose(scaled.values * s, raw.values)
    assert scaled.graph == raw.graph
    for i, j in np.ndindex(raw.weights.shape):
        assert scaled.weights[i, j] == pytest.approx(raw.weights[i, j] * s[i] / s[j])
        expected = raw.noise_covariance[i, j] / (s[i] * s[j])
        assert scaled.noise_covariance[i, j] == pytest.approx(expected)
    assert np.allclose(scaled.covariance, raw.covariance / np.outer(s, s))


# --- column order ------------------------------------------------------------------------------


def leaning(B):
    """Rank correlation of a column's place with its number of ancestors."""
    reach = np.linalg.inv(np.eye(len(B)) - (B != 0) / len(B)) > 1e-12
    depth = reach.sum(axis=0)
    return stats.spearmanr(depth, np.arange(len(B))).statistic if np.ptp(depth) else 0.0


@pytest.mark.parametrize("regime", list(REGIMES))
def test_column_order_says_nothing_about_the_causal_order(regime):
    count = 40 if regime == "wide" else 120
    p = {"p": 50} if regime == "wide" else {}
    seen = np.array([leaning(draw(regime, seed, n=2, **p).weights) for seed in range(count)])
    assert abs(seen.mean()) < DEVIATIONS * seen.std() / np.sqrt(count)
    in_order = REGIMES[regime].law(np.random.default_rng(0), draw(regime, n=2, **p).X.shape[1])
    assert leaning(in_order.B) > 0.3  # what a leak would look like
    assert seen.std() > 0.05


# --- seeds -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("regime", "options"), DESIGNS, ids=label)
def test_same_seed_same_bytes_and_other_seed_other_rows(regime, options):
    first, again, other = (draw(regime, seed, **options) for seed in (5, 5, 6))
    for name in ("values", "weights", "noise_covariance"):
        assert getattr(first, name).tobytes() == getattr(again, name).tobytes()
    assert first.graph == again.graph
    assert not np.array_equal(first.values, other.values)


@pytest.mark.parametrize("regime", list(REGIMES))
def test_rows_and_units_leave_the_graph_alone(regime):
    few, many = draw(regime, 4, n=10), draw(regime, 4, n=400)
    assert few.graph == many.graph == draw(regime, 4, n=10, scaled=True).graph
    assert np.array_equal(few.weights, many.weights)
    assert np.array_equal(few.noise_covariance, many.noise_covariance)
    assert (few.n, many.n) == (10, 400)


def test_densities_of_one_seed_share_their_edges():
    draws = [draw("paper", 8, density=density) for density in (0.0, 0.4, 0.8)]
    assert draws[0].graph.directed
    assert all(np.array_equal(each.weights, draws[0].weights) for each in draws)


def test_seeds_of_every_size_are_distinct():
    seeds = [0, 1, 2**32, 2**64 + 1, 10**30]
    assert len({draw("rbap", seed, n=2).values.tobytes() for seed in seeds}) == len(seeds)


# --- refusals ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("regime", "options", "words"),
    [
        ("locl", {}, ["locl", *REGIMES, "four-node"]),
        ("local", {"density": 0.4}, ["density", "local", "paper"]),
        ("wide", {"edges": 4}, ["edges", "wide", "rbap"]),
        ("paper", {"edges": 4}, ["edges", "paper", "rbap"]),
        ("four-node", {"p": 4}, ["p=4", "four-node"]),
        ("paper", {"density": 1.01}, ["density", "0 to 1"]),
        ("paper", {"density": -0.1}, ["density", "0 to 1"]),
        ("paper", {"density": float("nan")}, ["density", "0 to 1"]),
        ("paper", {"p": 1}, ["p=1", "from 2"]),
        ("moderate", {"p": 3}, ["p=3", "from 4"]),
        ("wide", {"p": 49}, ["p=49", "from 50"]),
        ("local", {"p": 20_001}, ["p=20001", "20000"]),
        ("local", {"n": 1}, ["n=1", "not below 2"]),
        ("local", {"n": 10.0}, ["n=10.0", "whole"]),
        ("local", {"n": True}, ["n=True", "whole"]),
        ("local", {"seed": -1}, ["seed=-1", "not below 0"]),
        ("rbap", {"p": 6, "edges": 9}, ["edges=9", "0 to 7", "15 pairs"]),
        ("rbap", {"edges": -1}, ["edges=-1"]),
    ],
)
def test_what_cannot_be_is_refused_by_name(regime, options, words):
    with pytest.raises(OptionError) as caught:
        draw(regime, **options)
    assert all(word in str(caught.value) for word in words)


# --- the value ---------------------------------------------------------------------------------


def test_no_caller_can_change_a_draw():
    sample = draw("rbap", n=5)
    frame = sample.X
    kept = sample.values.copy()
    frame.iloc[0, 0] = 99.0
    assert np.array_equal(sample.X.to_numpy(), kept)
    assert list(frame.columns) == [f"x{place}" for place in range(10)]
    for name in ("values", "weights", "noise_covariance"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(sample, name)[0, 0] = 1.0
    with pytest.raises(AttributeError):
        sample.seed = 1
    assert isinstance(sample, Draw)
    assert (sample.regime, sample.seed, sample.n) == ("rbap", 0, 5)


def test_numpy_integers_are_whole_numbers():
    sample = draw("rbap", np.int64(3), n=np.int32(7), p=np.int64(6))
    assert sample.X.shape == (7, 6)
    assert type(sample.seed) is int


def test_drawing_loads_pandas_only_for_the_frame():
    code = (
        "import sys, dagdecor.simulate as s; d = s.draw('rbap', n=5); "
        "assert 'pandas' not in sys.modules and 'scipy' not in sys.modules; "
        "d.X; assert 'pandas' in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_regime_of_ones_own_is_drawn_like_a_named_one():
    own = latent_regime("mine", 0.1, Latents(5, 8, 0.15))
    sample, named = draw(own, 3), draw("paper", 3, density=0.4)
    assert sample.regime == "mine"
    assert sample.graph == named.graph
    np.testing.assert_array_equal(sample.values, named.values)
    assert draw(latent_regime("mine", 0.1, Latents(2, 3, 0.5), p=9, n=40), 0).X.shape == (40, 9)
    with pytest.raises(OptionError, match="'mine' does not have it"):
        draw(own, p=30)
    with pytest.raises(OptionError, match="probability=1"):
        latent_regime("mine", 1.5, Latents(5, 8, 0.15))
    with pytest.raises(OptionError, match="nodes=21"):
        latent_regime("mine", 0.1, Latents(5, 21, 0.15))
