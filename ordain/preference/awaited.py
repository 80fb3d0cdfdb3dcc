"""Answers that have to be awaited: coroutines that run side by side in a thread with an event loop of its own.

So a caller needs no loop, and one that runs already, as in a notebook, is not disturbed.
"""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed
from inspect import isawaitable
from queue import SimpleQueue
from typing import Any


class Loop:
    """An event loop in a thread, which ends with this object."""

    def __init__(self) -> None:
        started: SimpleQueue[asyncio.AbstractEventLoop] = SimpleQueue()
        threading.Thread(target=_run, args=(started,), name="ordain", daemon=True).start()
        self.loop = started.get()
        weakref.finalize(self, self.loop.call_soon_threadsafe, self.loop.stop)

    def arriving(self, awaitables: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """The place and value of each, as they come; the first error cancels the others and is raised after them."""
        places = {
            asyncio.run_coroutine_threadsafe(_value(awaitable), self.loop): place
            for place, awaitable in enumerate(awaitables)
        }
        error = None
        try:
            for future in as_completed(places):
                if future.cancelled():
                    continue
                if future.exception() is None:
                    yield places[future], future.result()
                elif error is None:
                    error = future.exception()
                    _cancel(places)
        finally:
            _cancel(places)
        if error is not None:
            raise error


def _cancel(futures: Any) -> None:
    for future in futures:
        future.cancel()


def _run(started: SimpleQueue[asyncio.AbstractEventLoop]) -> None:
    with asyncio.Runner() as runner:
        started.put(runner.get_loop())
        runner.get_loop().run_forever()


async def _value(given: Any) -> Any:
    return await given if isawaitable(given) else given
