"""A scheduler of Dask and workers without anybody who starts others in their place, each a process of its own."""

import asyncio
import logging
from multiprocessing import get_context, set_forkserver_preload
from pathlib import Path

from ordain.engine.cluster import LOADED


def begun(what, *of):
    """A process of its own that is a scheduler or a worker."""
    set_forkserver_preload(LOADED)
    process = get_context("forkserver").Process(target=_run, args=(what, *of), daemon=True)
    process.start()
    return process


def _run(what, *of):
    logging.disable()
    asyncio.run(what(*of))


async def scheduler(file: Path) -> None:
    """A scheduler, which says in a file where it is."""
    from distributed import Scheduler

    async with Scheduler(host="127.0.0.1", port=0, dashboard=False, scheduler_file=str(file)) as here:
        await here.finished()


async def worker(file: Path) -> None:
    """A worker of the scheduler that has written the file."""
    from distributed import Worker

    async with Worker(scheduler_file=str(file), host="127.0.0.1", nthreads=1, local_directory=str(file.parent)) as here:
        await here.finished()
