"""Calls side by side: same answers, same order, same warnings, shared memory, failures by name."""

import os
import warnings

import numpy as np
import pytest

from dagdecor import errors, parallel


def weigh(item, matrix):
    return float((matrix @ np.full(len(matrix), item)).sum()), os.getpid()


def threads(_):
    from threadpoolctl import threadpool_info

    np.ones((2, 2)) @ np.ones((2, 2))
    return max(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")


def grumble(item):
    if item == 1:
        warnings.warn("one is odd", errors.NotConverged, stacklevel=1)
    return item


def refuse(item):
    if item == 3:
        raise errors.TooFewRows(item)
    return item


def vanish(_):
    os._exit(9)


def is_mapped(_, matrix):
    return isinstance(matrix, np.memmap), matrix.flags.writeable


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with (
        warnings.catch_warnings(),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True
        ) as machines,
        distributed.Client(machines) as client,
    ):
        warnings.simplefilter("ignore")
        yield client


def test_processes_give_what_one_process_gives_in_order():
    matrix = np.random.default_rng(0).standard_normal((400, 400))
    shared, items = {"matrix": matrix}, [0.1 * k for k in range(7)]
    alone = parallel.each(weigh, items, shared=shared, workers=1)
    both = parallel.each(weigh, items, shared=shared, workers=2)
    assert [value for value, _ in both] == [value for value, _ in alone]
    assert {place for _, place in alone} == {os.getpid()}
    assert os.getpid() not in {place for _, place in both}


def test_large_arrays_are_mapped_and_read_only():
    matrix = np.zeros((400, 400))
    assert parallel.each(is_mapped, [0, 1], shared={"matrix": matrix}, workers=2) == [
        (True, False),
        (True, False),
    ]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_call_has_one_blas_thread(workers):
    assert parallel.each(threads, [0, 1], workers=workers) == [1, 1]


@pytest.mark.parametrize("workers", [1, 2])
def test_warnings_and_failures_come_out_here(workers):
    with pytest.warns(errors.NotConverged, match="one is odd"):
        assert parallel.each(grumble, [0, 1, 2], workers=workers) == [0, 1, 2]
    with pytest.raises(errors.TooFewRows, match="3 samples"):
        parallel.each(refuse, range(5), workers=workers)


@pytest.mark.parametrize("workers", [1, 2])
def test_progress_counts_to_the_total(workers):
    seen = []
    parallel.each(abs, [-1, 2, -3], workers=workers, progress=lambda *now: seen.append(now))
    assert seen == [(1, 3), (2, 3), (3, 3)]
    assert parallel.each(abs, [], workers=workers) == []


def test_a_lost_worker_is_named_so():
    with pytest.raises(errors.WorkerLost, match="fewer workers"):
        parallel.each(vanish, [0, 1], workers=2)


@pytest.mark.parametrize("workers", [0, -1, 1.5, True])
def test_impossible_numbers_of_workers_are_refused(workers):
    with pytest.raises(errors.OptionError, match="workers="):
        parallel.each(abs, [1], workers=workers)


def test_a_cluster_gives_the_same(cluster):
    matrix = np.random.default_rng(0).standard_normal((400, 400))
    shared, items = {"matrix": matrix}, [0.1 * k for k in range(5)]
    alone = parallel.each(weigh, items, shared=shared, workers=1)
    seen = []
    spread = parallel.each(
        weigh, items, shared=shared, cluster=cluster, progress=lambda *now: seen.append(now)
    )
    assert [value for value, _ in spread] == [value for value, _ in alone]
    assert len({place for _, place in spread} - {os.getpid()}) == 2
    assert seen[-1] == (5, 5)
    assert parallel.each(threads, [0], cluster=cluster) == [1]


def test_a_failure_on_a_cluster_is_raised_here(cluster):
    with pytest.raises(errors.TooFewRows, match="3 samples"):
        parallel.each(refuse, range(5), cluster=cluster)
    with pytest.warns(errors.NotConverged, match="one is odd"):
        assert parallel.each(grumble, [0, 1], cluster=cluster) == [0, 1]
