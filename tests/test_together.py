"""Many fits at once, many in a row, on other threads: the same bits, and nothing left behind."""

import gc
import multiprocessing
import os
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from dagdecor import Decor, simulate
from dagdecor.certificate import Certificate, Status
from dagdecor.errors import NotConverged

SEEDS = range(4)


def fit_of(seed):
    """The document of a fit: the continuous estimator on 6 columns, and the search on 3."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((80, 6)) @ np.linalg.inv(np.eye(6) - np.triu(rng.random((6, 6)), 1))
    documents = []
    for search, columns in ((False, 6), (True, 2)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotConverged)
            model = Decor(search=search, random_state=seed).fit(X[:, :columns])
        documents.append(model.fit_.to_json())
    return documents


@pytest.fixture(scope="module")
def alone():
    return [fit_of(seed) for seed in SEEDS]


def test_the_same_seed_gives_the_same_bits(alone):
    assert [fit_of(seed) for seed in SEEDS] == alone


def available(method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system cannot {method}")
    return multiprocessing.get_context(method).Pool(2)


@pytest.mark.filterwarnings("ignore")  # threads share the filters that `fit_of` sets
def test_fits_in_threads_and_other_processes_at_once_are_the_fits_alone(alone):
    with available("fork") as forked, available("spawn") as spawned:
        elsewhere = [pool.map_async(fit_of, SEEDS) for pool in (forked, spawned)]
        with ThreadPoolExecutor(4) as threads:
            assert list(threads.map(fit_of, [*SEEDS, *SEEDS])) == [*alone, *alone]
        for found in elsewhere:
            assert found.get(timeout=240) == alone


def test_another_number_of_blas_threads_gives_the_same_graph():
    X = simulate.draw("wide", seed=1, n=400, p=70).X  # large enough for BLAS to share the work
    found = []
    for threads in (1, 2, 3):
        with threadpool_limits(threads), warnings.catch_warnings():
            warnings.simplefilter("ignore", NotConverged)
            assert {pool["num_threads"] for pool in threadpool_info()} == {threads}
            found.append(Decor(search=False, rounds=1).fit(X).graph_)
    assert found[0] == found[1] == found[2]
    assert found[0].directed


def surroundings():
    state = np.random.get_state()  # noqa: NPY002 - the global state is what must stay
    return (
        (state[0], state[1].tobytes(), state[2:]),
        list(warnings.filters),
        [pool["num_threads"] for pool in threadpool_info()],
        np.geterr(),
        dict(os.environ),
        str(Path.cwd()),
        threading.active_count(),
    )


def test_a_fit_leaves_its_surroundings_as_they_were():
    fit_of(0)
    np.random.seed(3)  # noqa: NPY002
    before = surroundings()
    fit_of(1)
    assert surroundings() == before


def test_global_random_numbers_change_nothing(alone):
    np.random.seed(99)  # noqa: NPY002
    assert fit_of(0) == alone[0]


@pytest.mark.parametrize("factor", [1e-6, 1e6, 1e12])
@pytest.mark.parametrize("search", [False, True])
def test_another_unit_of_all_columns_gives_the_same_graph(factor, search):
    for seed in range(3):
        drawn = simulate.draw("four-node", seed=seed, n=300)
        X = np.asarray(drawn.X)[:, : 3 if search else 4]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotConverged)
            small, large = (
                Decor(search=search, noise_model="sparse").fit(table).graph_
                for table in (X, X * factor)
            )
        assert small == large


def test_no_claim_of_convergence_above_the_tolerance_can_be_made():
    with pytest.raises(ValueError, match="above"):
        Certificate(Status.CONVERGED, "gap", 2e-6, 1e-6, 3, 0.0)
    with pytest.raises(ValueError, match="above"):
        Certificate(Status.CONVERGED, "gap", float("nan"), 1e-6, 3, 0.0)
    statuses = {status.value for status in Status}
    assert statuses == {"converged", "stopped at the limit", "stalled", "failed"}


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts by Linux's /proc")
def test_memory_and_file_handles_stay_flat():
    def resident():
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 5)) @ np.triu(rng.random((5, 5)))
    model = Decor(search=False)

    def fits(count):
        for _ in range(count):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", NotConverged)
                model.fit(X).fit_.to_json()
        gc.collect()
        return resident(), len(os.listdir("/proc/self/fd"))  # noqa: PTH208

    before, handles = fits(60)
    after, later = fits(180)
    assert later == handles
    assert after - before < 4 * 2**20
