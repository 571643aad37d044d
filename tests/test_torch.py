"""The dense steps by torch: the same problem, the same certificates, nearly the same minimum.

On torch's CPU, and on a GPU where there is one. `make test-gpu` makes the environment.
"""

import importlib.util
import sys

import numpy as np
import pytest

import dagdecor as dd
from dagdecor.device import PROCESSOR, steps
from dagdecor.errors import MissingPackage, NoDevice
from dagdecor.graph import MixedGraph
from dagdecor.problem import loss, penalty

HAS_TORCH = importlib.util.find_spec("torch") is not None
needs_torch = pytest.mark.skipif(not HAS_TORCH, reason="torch is not installed: make test-gpu")
CLOSE = 2e-3


def devices():
    """Where the tests run."""
    if not HAS_TORCH:
        return ["torch-cpu"]
    import torch

    return ["torch-cpu", "cuda"] if torch.cuda.is_available() else ["torch-cpu"]


def problem(seed, p, kind):
    """S of 10 p rows, a Theta, and weights that leave about an edge a node."""
    drawn = dd.simulate.draw("wide", seed, p=p, n=10 * p)
    S = dd.Moments.from_data(drawn.values).S
    rng = np.random.default_rng(seed)
    Theta = rng.uniform(2, 6, p)
    if kind == "full":
        A = rng.normal(size=(p, 3 * p)) / np.sqrt(3 * p)
        A = A @ A.T
        Theta = np.where(np.abs(A) > 0.1, A, 0.0) + np.eye(p)
        Theta *= 4
    weights = 2 * np.sqrt(np.log(p) / (10 * p)) * np.sqrt(np.diag(S))[:, None]
    return S, Theta, np.broadcast_to(weights, (p, p))


def graph_step(device, S, Theta, weights, start=None, required=None):
    return steps(device).graph(S, Theta, weights, "logdet", start, required)


@needs_torch
@pytest.mark.parametrize("device", devices())
@pytest.mark.parametrize("kind", ["diagonal", "full"])
@pytest.mark.parametrize("p", [50, 100])
def test_the_graph_step_comes_to_the_same_objective(device, kind, p):
    S, Theta, weights = problem(p, p, kind)
    B, proof = graph_step(device, S, Theta, weights)
    ours = graph_step("cpu", S, Theta, weights).certificate
    assert proof.converged, str(proof)
    assert proof.measure == ours.measure
    assert proof.tolerance == ours.tolerance
    assert proof.objective <= ours.objective * (1 + CLOSE)
    value = loss.value(S, B, Theta) + penalty.value(B, weights)
    assert proof.objective == pytest.approx(value, rel=1e-10)
    assert MixedGraph.from_matrices(B).order  # refuses a cycle
    # Stationary on some order that B follows: the wishes that are left close a cycle with B.
    wish = penalty.violation(B, loss.gradient(S, B, Theta), weights) > 1e-6
    np.fill_diagonal(wish, val=False)
    assert not (wish & (B != 0)).any()
    assert MixedGraph.from_matrices((B != 0) | wish.T).order


@needs_torch
@pytest.mark.parametrize("measure", ["logdet", "expm"])
def test_few_columns_and_a_start_that_is_never_left_upwards(measure):
    for p in (1, 2, 5):
        S = np.eye(p) + 0.5
        B, proof = steps("torch-cpu").graph(
            S, np.ones(p), np.full((p, p), 0.1), measure, None, None
        )
        again = graph_step("torch-cpu", S, np.ones(p), np.full((p, p), 0.1), start=B)
        assert again.certificate.objective <= proof.objective * (1 + 1e-12)
        ours = graph_step("cpu", S, np.ones(p), np.full((p, p), 0.1)).certificate.objective
        assert proof.objective == pytest.approx(ours, rel=1e-9)


@needs_torch
def test_what_is_barred_stays_out_and_what_is_required_keeps_its_order():
    S, Theta, weights = problem(3, 50, "full")
    plain = graph_step("torch-cpu", S, Theta, weights).value
    turned = (plain != 0).T  # every edge the other way round
    barred = np.where(turned.T, np.inf, weights)
    free = np.where(turned, 0.0, barred)
    B, proof = graph_step("torch-cpu", S, Theta, free, required=turned)
    assert proof.converged
    assert not B[turned.T].any()
    assert B[turned].all()
    order = MixedGraph.from_matrices((B != 0) | turned).order
    assert len(order) == 50


@needs_torch
@pytest.mark.parametrize("device", devices())
@pytest.mark.parametrize("share", [0.05, 0.3, 2.0])
def test_the_noise_step_meets_the_same_gap(device, share):
    S, _, _ = problem(7, 60, "diagonal")
    P = share * np.sqrt(np.outer(np.diag(S), np.diag(S)))
    P[0, 1] = P[1, 0] = np.inf
    Theta, proof = steps(device).precision(S, P, None)
    theirs = PROCESSOR.precision(S, P, None).certificate
    assert proof.converged, str(proof)
    assert (proof.measure, proof.tolerance) == (theirs.measure, theirs.tolerance)
    assert proof.objective == pytest.approx(theirs.objective, abs=2e-6 * 60)
    assert Theta[0, 1] == 0.0
    np.linalg.cholesky(Theta)
    again = steps(device).precision(S, P, Theta).certificate
    assert again.iterations == 0


@needs_torch
def test_a_singular_covariance_without_a_penalty_is_no_proof():
    proof = steps("torch-cpu").precision(np.ones((3, 3)), np.zeros((3, 3)), None).certificate
    assert not proof.converged


@needs_torch
@pytest.mark.parametrize("device", devices())
@pytest.mark.parametrize("route", ["precision", "covariance"])
def test_two_stages_end_at_the_same_objective(device, route):
    moments = dd.Moments.from_data(dd.simulate.draw("wide", 5, p=60, n=600).values)
    options = {"search": False, "rounds": 1, "noise_start": "diagonal"}
    here = dd.Decor(route, device=device, **options).fit(moments).fit_
    there = dd.Decor(route, **options).fit(moments).fit_
    assert all(proof.converged for proof in here.certificates.values())
    assert here.trace[-1] <= there.trace[-1] + CLOSE * abs(there.trace[-1])
    assert here.settings["device"] == device


def test_without_torch_the_way_to_it_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    drawn = dd.simulate.draw("four-node", seed=1)
    with pytest.raises(MissingPackage, match=r"device='cuda' needs .*torch.*dagdecor\[gpu\]"):
        dd.Decor(device="cuda").fit(drawn.X)


@needs_torch
@pytest.mark.skipif("cuda" in devices(), reason="there is a CUDA device")
def test_without_a_gpu_there_is_a_sentence():
    drawn = dd.simulate.draw("four-node", seed=1)
    with pytest.raises(NoDevice, match="finds no CUDA device here; use device='cpu'"):
        dd.Decor(search=False, device="cuda").fit(drawn.X)
