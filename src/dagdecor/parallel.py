"""Many independent calls at once: over processes of this machine, or over a Dask cluster.

Every call runs with one BLAS thread, wherever it runs, so that the number of workers changes
nothing but the time: the same items give the same bits, in the order of the items.
"""

from __future__ import annotations

import os
import signal
import threading
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from dagdecor.errors import MissingPackage, OptionError, WorkerLost

if TYPE_CHECKING:
    from distributed import Client

Item = TypeVar("Item")
Result = TypeVar("Result")
Progress = Callable[[int, int], object]
Outcome = tuple[Any, list[tuple[str, type[Warning]]]]
_TURN = threading.RLock()


def each(
    work: Callable[..., Result],
    items: Iterable[Item],
    *,
    shared: Mapping[str, Any] | None = None,
    workers: int | None = None,
    cluster: Client | None = None,
    progress: Progress | None = None,
) -> list[Result]:
    """[work(item, **shared) for item in items], computed side by side.

    Warnings of the calls come out here, whichever process gave them; the first failure is raised
    and the calls that have not begun are dropped.

    Parameters
    ----------
    work
        A function; what it returns travels back by pickle. It draws no random numbers of its
        own: put a seed into each item (`numpy.random.SeedSequence.spawn`).
    items
        What differs between the calls.
    shared
        What does not: keyword arguments of every call. Arrays in it are mapped into the
        workers' memory once, read-only, and are not copied for each call.
    workers
        Processes; None for one a core, 1 for none besides this one.
    cluster
        A `distributed.Client`: the calls run on its workers instead, which need the package too
        and serve best with one thread each.
    progress
        Called as progress(done, total) here after each call that ended.

    Examples
    --------
    >>> each(pow, [2, 3], shared={"exp": 2}, workers=1)
    [4, 9]
    """
    calls, common = list(items), dict(shared or {})
    count = cores() if workers is None else workers
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise OptionError("workers", workers, "None or a whole number >= 1")
    if cluster is not None:
        outcomes = _on_cluster(cluster, work, calls, common, progress)
    else:
        found = _outcomes(work, calls, common, min(count, len(calls)))
        outcomes = _counted(found, len(calls), progress)
    for _, given in outcomes:
        for message, category in given:
            warnings.warn(message, category, stacklevel=2)
    return [result for result, _ in outcomes]


def stream(
    work: Callable[..., Result],
    items: Iterable[Item],
    *,
    shared: Mapping[str, Any] | None = None,
    workers: int | None = None,
) -> Generator[Result, None, None]:
    """What `each` returns, one by one in the order of the items; closing it drops the rest.

    Warnings of a call come out before its result.

    Examples
    --------
    >>> results = stream(pow, [2, 3, 4], shared={"exp": 2}, workers=1)
    >>> next(results)
    4
    >>> results.close()
    """
    calls = list(items)
    found = _outcomes(work, calls, dict(shared or {}), min(workers or cores(), len(calls)))
    with closing(found):
        for result, given in found:
            for message, category in given:
                warnings.warn(message, category, stacklevel=2)
            yield result


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _call(work: Callable[..., Any], item: Any, common: Mapping[str, Any]) -> Outcome:
    """One call on one BLAS thread, and what it warned of.

    Both settings belong to the whole process: a Dask worker of several threads takes turns.
    """
    from threadpoolctl import threadpool_limits

    with _TURN, threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = work(item, **common)
    return result, [(str(warning.message), warning.category) for warning in caught]


def _outcomes(
    work: Callable[..., Any], calls: list[Any], common: Mapping[str, Any], workers: int
) -> Generator[Outcome, None, None]:
    """In the order of the items, each as soon as it and those before it are there."""
    if workers <= 1:
        yield from (_call(work, item, common) for item in calls)
        return
    from joblib import Parallel, delayed, parallel_config
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    with parallel_config(backend="loky", inner_max_num_threads=1), _deaf_children():
        pool = Parallel(
            n_jobs=workers,
            return_as="generator",
            batch_size=1,
            mmap_mode="r",
            initializer=_turn_deaf,  # of those that start later
        )
        found = pool(delayed(_call)(work, item, common) for item in calls)
    try:
        for outcome in found:  # noqa: UP028 - so that `found` is closed below, not before
            yield outcome
    except TerminatedWorkerError:
        raise WorkerLost from None
    finally:
        with warnings.catch_warnings():  # joblib regrets the calls that are dropped
            warnings.simplefilter("ignore", UserWarning)
            found.close()


def _turn_deaf() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Processes started inside ignore Ctrl-C, which a terminal sends to all: this one decides."""
    before = signal.getsignal(signal.SIGINT)
    if before is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _counted(found: Iterator[Outcome], total: int, progress: Progress | None) -> list[Outcome]:
    outcomes: list[Outcome] = []
    for outcome in found:
        outcomes.append(outcome)
        if progress is not None:
            progress(len(outcomes), total)
    return outcomes


def _on_cluster(
    cluster: Client,
    work: Callable[..., Any],
    calls: list[Any],
    common: Mapping[str, Any],
    progress: Progress | None,
) -> list[Outcome]:
    """The same on Dask workers; what is shared is sent to each of them once."""
    try:
        from distributed import KilledWorker, as_completed
    except ImportError:
        raise MissingPackage("distributed", "a cluster", "dask") from None
    sent = cluster.scatter(common, broadcast=True, hash=False) if common else {}
    futures = [cluster.submit(_call, work, item, sent, pure=False) for item in calls]
    try:
        for done, future in enumerate(as_completed(futures), start=1):
            if future.status == "error":
                raise future.exception()
            if progress is not None:
                progress(done, len(calls))
        return list(cluster.gather(futures))
    except KilledWorker:
        raise WorkerLost from None
    finally:
        cluster.cancel(futures)
