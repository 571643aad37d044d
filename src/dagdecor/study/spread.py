"""Tasks to rows, as they finish: over processes of this machine, or over a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from dagdecor.errors import MissingPackage
from dagdecor.study.seat import Task, attempt, close_all

if TYPE_CHECKING:
    from distributed import Client

Row = dict[str, Any]


def here(tasks: Sequence[Task], jobs: int) -> Iterator[Row]:
    """Rows in the order in which they finish; each of the `jobs` threads waits for a process.

    Threads, because the processes belong to the seats: one that is killed for its time, or by
    the system for its memory, must take nothing with it but its own fit.
    """
    from joblib import Parallel, delayed

    pool = Parallel(
        n_jobs=min(jobs, len(tasks)),
        backend="threading",
        return_as="generator_unordered",
        batch_size=1,
        pre_dispatch="n_jobs",
    )
    try:
        yield from pool(delayed(attempt)(task) for task in tasks)
    finally:
        close_all()


def on_cluster(tasks: Sequence[Task], cluster: Client) -> Iterator[Row]:
    """The same on Dask workers; the tasks of a worker that dies are done by the others.

    A row is yielded when its future is finished and never before, so that a fit that ran twice,
    because its first worker died, still gives one row.
    """
    try:
        from distributed import KilledWorker, as_completed
    except ImportError:
        raise MissingPackage("distributed", "a cluster", "dask") from None
    futures = {cluster.submit(attempt, task, pure=False): task for task in tasks}
    try:
        for future in as_completed(list(futures)):
            task = futures.pop(future)
            if future.status == "error":
                error = future.exception()
                if not isinstance(error, KilledWorker):
                    raise error
                yield {**task.row, "status": "lost", "message": _killed(error)}
            else:
                yield future.result()
            future.release()
    finally:
        cluster.cancel(list(futures))
        cluster.run(close_all, on_error="ignore")


def _killed(error: Any) -> str:
    return f"the Dask workers that tried it died ({error.allowed_failures + 1} of them)"
