"""The workers of a Dask cluster: one that runs at an address, or one that is started here."""

from __future__ import annotations

import logging
import multiprocessing
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any

from ordain import __version__
from ordain.engine.undisturbed import undisturbed

SECONDS = 10
"""So long a scheduler has to answer."""

UNWATCHED = {
    "distributed.admin.tick.interval": "10s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.worker.profile.enabled": False,
}
"""Processes of Dask else watch themselves up to a hundred times in a second, for a page that nobody opens here."""

LOADED = ["distributed", "numba", "sklearn.base"]
"""What workers of this machine share; not Polars, which starts threads, nor XGBoost, which knows its first thread."""


@contextmanager
def cluster(where: str) -> Iterator[Any]:
    """A client of the cluster at an address, or of `local:N`, N worker processes that end with it."""
    try:
        distributed = installed()
    except ImportError as missing:
        raise ValueError(str(missing)) from None
    if where.startswith("local:"):
        with _own_client(distributed, where) as client:
            check_workers(client)
            yield client
        return
    try:
        client = distributed.Client(where, timeout=SECONDS)
    except (OSError, ValueError, TimeoutError):
        advice = "Is the scheduler running there? local:4 starts four workers here."
        raise ValueError(
            f"--dask must be the address of a Dask scheduler, or local:N. Got {where!r}. {advice}"
        ) from None
    with _quiet(), client, _one_line(client, where):
        check_workers(client)
        yield client


@contextmanager
def _one_line(client: Any, where: str) -> Iterator[None]:
    """A scheduler that is lost, in one line."""
    try:
        yield
    except BaseException as wrong:
        cancelled = type(wrong).__name__.endswith("CancelledError")
        if isinstance(wrong, KeyboardInterrupt) or not (cancelled or client.status != "running"):
            raise
        raise ValueError(
            f"the scheduler at {where} must stay until the end. Got none. Start it, and try again."
        ) from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what Dask logs of a scheduler that is lost, which is told in one line."""
    logs = [logging.getLogger(name) for name in ("distributed", "distributed.client", "tornado", "asyncio")]
    before = [log.level for log in logs]
    for log in logs:
        log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for log, level in zip(logs, before, strict=True):
            log.setLevel(level)


def installed() -> Any:
    """Dask's distributed, which is loaded when it is asked for."""
    try:
        import distributed
        import xgboost  # noqa: F401
    except ImportError as missing:
        raise ImportError('--dask needs Dask and XGBoost. Install them: pip install "ordain[dask]"') from missing
    return distributed


def current() -> Any:
    """The client that a program has made."""
    try:
        return installed().get_client()
    except ValueError:
        must = "Dask collections and paths of files need a client of a cluster. Got none"
        raise ValueError(f"{must}. Make one first: distributed.Client(address), or distributed.Client().") from None


def workers_of(client: Any) -> list[str]:
    """The workers there are, in order; those of `scheduler_info` are gone while the client refreshes it."""
    try:
        return sorted(client.nthreads())
    except OSError:
        raise installed().CancelledError("the scheduler is gone") from None


def check_workers(client: Any) -> None:
    """Every worker has ordain, in this version."""
    found = client.run(_version)
    if not found:
        raise ValueError("a Dask cluster must have workers. Got none. Start some, and give the address again.")
    for worker, version in found.items():
        if version != __version__:
            got = f"Got {f'version {version}' if version else 'none'} on {worker}"
            raise ValueError(f"every worker must have ordain {__version__}. {got}. Install it there.")


def _version() -> str | None:
    """The version that a worker has; it is sent by value, so that it runs where there is none."""
    try:
        import ordain
    except ImportError:
        return None
    return ordain.__version__


_version.__module__ = "__main__"  # what stands there is pickled whole, and not by its name


@contextmanager
def _own_client(distributed: Any, where: str) -> Iterator[Any]:
    """A client of workers that are started here; they are ended, whenever it is stopped."""
    held = ExitStack()
    try:
        with undisturbed():
            held.enter_context(import_module("dask").config.set(UNWATCHED | copied()))
            here = held.enter_context(_local(distributed, where))
            client = held.enter_context(distributed.Client(here))
        yield client
    finally:
        with undisturbed():
            held.close()


def _local(distributed: Any, where: str) -> Any:
    count = where.removeprefix("local:")
    if not count.isdigit() or not 1 <= int(count) <= 256:
        raise ValueError(f"--dask local:N needs a number of workers, 1 to 256. Got {where!r}. Try local:4.")
    settings = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "host": "127.0.0.1"}
    return distributed.LocalCluster(n_workers=int(count), silence_logs=logging.CRITICAL, **settings)


def copied() -> dict[str, str]:
    """The setting that makes workers copies of one process that has loaded what they need, where that is safe."""
    if sys.platform != "linux":
        return {}
    setting = {"distributed.worker.multiprocessing-method": "forkserver"}
    with import_module("dask").config.set(setting):
        installed().utils.get_mp_context()  # tells Dask's own list, once, which is longer
    multiprocessing.set_forkserver_preload(LOADED)
    return setting
