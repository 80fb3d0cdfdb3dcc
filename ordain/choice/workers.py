"""Work side by side: one thread a core, each task on one. It is quicker than each task on all cores, and a busy machine
slows it down by no more than its share."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from typing import TypeVar

from ordain._one_thread import one_blas_thread

Task = TypeVar("Task")
Result = TypeVar("Result")
Going = Callable[[], bool]


class Workers:
    """Threads that take tasks; told to stop, they are not `going` any more, which a task should ask now and then."""

    def __init__(self, pool: ThreadPoolExecutor | None) -> None:
        self.pool, self.stopped = pool, threading.Event()

    def going(self) -> bool:
        """Whether work should go on."""
        return not self.stopped.is_set()

    def map(self, work: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[tuple[Task, Result]]:
        """Each task with its result, in their order, whichever is done first."""
        tasks = list(tasks)
        yield from zip(tasks, (self.pool.map if self.pool else map)(work, tasks), strict=True)


@contextmanager
def workers() -> Iterator[Workers]:
    """As many as there are cores; left by an error or a key, they stop soon."""
    pool = ThreadPoolExecutor(cores()) if cores() > 1 and _safe_loops() else None
    found = Workers(pool)
    try:
        with one_blas_thread():
            yield found
    finally:
        found.stopped.set()
        if pool:
            pool.shutdown(cancel_futures=True)


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _safe_loops() -> bool:
    """Whether numba can run its parallel loops from several threads: it takes OpenMP or TBB for that."""
    for layer in ("omppool", "tbbpool"):
        try:
            import_module(f"numba.np.ufunc.{layer}")
        except ImportError:
            continue
        return True
    return False
