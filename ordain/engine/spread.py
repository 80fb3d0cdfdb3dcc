"""The same function on every worker that has rows, joined by a collective; begun again where a worker is lost.

Rows come as futures, one for each part of the table, and stay where they are. What a worker has said last is kept by
the scheduler, so the next try goes on from there.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, redirect_stdout, suppress
from functools import partial
from io import StringIO
from typing import Any
from urllib.parse import urlsplit

from ordain._one_thread import at_most
from ordain.engine.cluster import installed, workers_of
from ordain.engine.collective import Collective

TRIES = 5
"""So often workers may be lost."""

LOOK = 0.2
"""Seconds between two looks at the workers."""

PATIENCE = 30.0
"""Seconds without any worker before it is said: those that watch over workers start others sooner."""

GONE = (
    "data must be such that Dask can compute it again when a worker is lost. Got a part that is gone. "
    "Read it from files, or scatter it again."
)

Work = Callable[[Any, list[Any], Any], Any]
"""Takes the engine, the parts that are here, and what was said last, None at first; gives the result."""

_trackers: list[Any] = []


class LostError(Exception):
    """A worker is gone."""


def spread(
    client: Any, work: Work, parts: list[Any], *, topic: str = "ordain", report: Callable[[Any], None] | None = None
) -> Any:
    """What `work` gives, on the first worker; `parts` are futures, none of them empty. `report` hears what is said."""
    why = ""
    with _heard(client, topic, report):
        for _ in range(TRIES):
            try:
                return _once(client, work, _settled(client, parts), topic)
            except LostError as lost:
                why = str(lost)
                time.sleep(LOOK)
    raise ValueError(f"workers must stay for a while. Got {TRIES} losses, the last: {why}. Look at their memory.")


@contextmanager
def _heard(client: Any, topic: str, report: Callable[[Any], None] | None) -> Iterator[None]:
    """Let `report` hear what workers say on a topic."""
    if report is None:
        yield
        return
    client.subscribe_topic(topic, lambda event: report(event[1]))
    try:
        yield
    finally:
        client.unsubscribe_topic(topic)


def gathered(client: Any, tasks: list[Any], report: Callable[[float], None] | None = None) -> list[Any]:
    """The results of tasks; `report` is told which share of them is done."""
    with one_line(client):
        _await(client, tasks, report)
        return _brought(client, tasks, lambda: _await(client, tasks))


@contextmanager
def one_line(client: Any) -> Iterator[None]:
    """Data and workers that are gone for good, in one line; who knows the address of a lost scheduler tells that."""
    distributed = installed()
    try:
        yield
    except distributed.scheduler.KilledWorker as killed:
        got = f"Got {killed.allowed_failures + 1} losses at one task, the last of {killed.last_worker.address}"
        raise ValueError(f"workers must stay for a while. {got}. Look at their memory.") from None
    except distributed.CancelledError:
        if client.status != "running":
            raise
        raise ValueError(GONE) from None


def _await(client: Any, tasks: list[Any], report: Callable[[float], None] | None = None) -> None:
    """Wait until all tasks are done, or one has failed, as long as there are workers."""
    alive = time.monotonic()
    while True:
        states = [task.status for task in tasks]
        waiting = sum(state in ("pending", "lost") for state in states)
        if report:
            report(1 - waiting / max(len(tasks), 1))
        if "cancelled" in states:
            raise installed().CancelledError
        if not waiting or "error" in states:
            return
        with suppress(TimeoutError):
            installed().wait(tasks, LOOK)
        if workers_of(client):
            alive = time.monotonic()
        elif time.monotonic() - alive > PATIENCE:
            must = "a Dask cluster must have workers until the end"
            raise ValueError(f"{must}. Got none for {PATIENCE:g} s. Start some, and try again.")


def say(topic: str, said: Any) -> None:
    """Tell the scheduler how far this worker is."""
    installed().get_worker().log_event(topic, said)


def last_said(client: Any, topic: str) -> Any:
    """What was said last on a topic, None if nothing."""
    said = client.get_events(topic)
    return said[-1][1] if said else None


def _once(client: Any, work: Work, homes: dict[str, list[Any]], topic: str) -> Any:
    workers = sorted(homes)
    options: dict[str, Any] = {"allow_other_workers": False, "pure": False}
    joining = client.submit(_track, len(workers), workers=workers[:1], **options)
    arguments, started = _result(client, [joining], workers[:1])[0], last_said(client, topic)
    tasks = [
        client.submit(_joined, work, arguments, number, started, *homes[worker], workers=[worker], **options)
        for number, worker in enumerate(workers)
    ]
    try:
        return _result(client, tasks, workers)[0]
    finally:
        client.cancel(tasks, force=True)


def _result(client: Any, tasks: list[Any], workers: list[str]) -> list[Any]:
    """The results of tasks that only these workers can do."""
    distributed = installed()
    while True:
        try:
            done = distributed.wait(tasks, LOOK)
        except TimeoutError:
            done = None
        except distributed.CancelledError:
            if client.status != "running":
                raise
            raise LostError("a part is gone") from None
        _look(client, tasks, workers)
        if done is not None:
            return _brought(client, tasks, lambda: _look(client, tasks, workers))


def _look(client: Any, tasks: list[Any], workers: list[str]) -> None:
    """Raise what has gone wrong with tasks, or with workers that must stay."""
    alive = workers_of(client)
    if any(task.status == "error" for task in tasks):
        _raise([task for task in tasks if task.status == "error"])
    if not all(worker in alive for worker in workers) or any(task.status in ("lost", "cancelled") for task in tasks):
        raise LostError("a worker is gone")


def _brought(client: Any, tasks: list[Any], look: Callable[[], None]) -> list[Any]:
    """The results of tasks that are done; as who has them may be lost meanwhile, one looks now and then."""
    seconds = LOOK
    while True:
        try:
            return list(client.sync(partial(client.gather, tasks, asynchronous=True), callback_timeout=seconds))
        except TimeoutError:
            look()
            seconds *= 2


def _raise(failed: list[Any]) -> None:
    """The error of a task; it is that of a lost worker if the collective broke."""
    for error in (task.exception() for task in failed):
        if not type(error).__module__.startswith(("xgboost", "distributed")):
            raise error
    raise LostError(" ".join(str(failed[0].exception()).partition("Stack trace")[0].split())[:160])


def _settled(client: Any, parts: list[Any]) -> dict[str, list[Any]]:
    """The parts by the worker that has them, once they are there."""
    with one_line(client):
        _await(client, parts)
        for part in parts:
            if part.status == "error":
                raise part.exception()
    homes: dict[str, list[Any]] = {}
    held = client.who_has(parts)
    for part in parts:
        owners = held.get(part.key) or ()
        if not owners:
            raise LostError("a part is gone")
        homes.setdefault(min(owners), []).append(part)
    return homes


def _track(count: int) -> dict[str, Any]:
    """Start what tells the workers of each other, here, for so many of them."""
    from xgboost.tracker import RabitTracker

    host = urlsplit(installed().get_worker().address).hostname or "127.0.0.1"
    tracker = RabitTracker(count, host, sortby="task")
    tracker.start()
    _trackers[:] = [tracker]
    return dict(tracker.worker_args())


def _joined(work: Work, arguments: dict[str, Any], number: int, said: Any, *parts: Any) -> Any:
    """Do the work with the others; the first of all gives the result."""
    from xgboost.collective import CommunicatorContext

    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())  # of others that are gone, which is found here
        warnings.filterwarnings("ignore", module="xgboost")
        with _hushed():  # XGBoost says who it is
            stack.enter_context(CommunicatorContext(**arguments, dmlc_task_id=f"{number:06d}", dmlc_retry=1))
        stack.enter_context(at_most(installed().get_worker().state.nthreads))  # the other cores are for other workers
        engine = Collective()
        found = work(engine, list(parts), said)
        return found if engine.rank == 0 else None


def _hushed() -> AbstractContextManager[Any]:
    """Standard output kept back, unless it is also that of other workers and of the user, being one process."""
    own = not installed().get_worker().address.startswith("inproc:")
    return redirect_stdout(StringIO()) if own else nullcontext()
