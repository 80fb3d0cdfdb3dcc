"""Answers that have to be awaited: coroutines that run side by side in a thread with an event loop of its own.

So a caller needs no loop, and one that runs already, as in a notebook, is not disturbed.
"""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from inspect import CORO_CREATED, getcoroutinestate, isawaitable, iscoroutine
from queue import SimpleQueue
from typing import Any

PATIENCE = 5.0
"""Seconds in which what was cancelled should have let go of the thread; it ends later if not."""


class Loop:
    """An event loop in a thread, from the first thing to await until the context is left or this object ends.

    Or one that runs already, in another thread than where answers are waited for; that is not ended.
    """

    def __init__(self, running: asyncio.AbstractEventLoop | None = None) -> None:
        self.end: Callable[[], Any] | None = None
        self.running = running

    def __enter__(self) -> Loop:
        return self

    def __exit__(self, *error: object) -> None:
        if self.end is not None:
            self.end()
            self.end = None

    def started(self) -> asyncio.AbstractEventLoop:
        """The loop, which runs."""
        if self.running is not None:
            return self.running
        if self.end is None:
            started: SimpleQueue[asyncio.AbstractEventLoop] = SimpleQueue()
            thread = threading.Thread(target=_run, args=(started,), name="ordain", daemon=True)
            thread.start()
            self.loop = started.get()
            self.end = weakref.finalize(self, _end, thread, self.loop)
        return self.loop

    def arriving(self, awaitables: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """The place and value of each, as they come; the first error cancels the others and is raised after them."""
        loop = self.started()
        places = {
            asyncio.run_coroutine_threadsafe(_value(awaitable), loop): place
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
            if any(future.cancelled() for future in places):
                loop.call_soon_threadsafe(_close, awaitables)
        if error is not None:
            raise error

    def each(self, calls: Iterator[Any]) -> Iterator[tuple[int, Any]]:
        """The place and value of each call as it comes: one after the other, or all together if they are awaited."""
        first = next(calls)
        if isawaitable(first):
            yield from self.arriving([first, *calls])
        else:
            yield 0, first
            yield from enumerate(calls, start=1)

    def settled(self, value: Any) -> Any:
        """The value, awaited if need be."""
        return next(found for _, found in self.arriving([value])) if isawaitable(value) else value


def _cancel(futures: Any) -> None:
    for future in futures:
        future.cancel()


def _close(awaitables: Sequence[Any]) -> None:
    """Say of those that were cancelled before they began that nobody will wait for them."""
    for one in awaitables:
        if iscoroutine(one) and getcoroutinestate(one) == CORO_CREATED:
            one.close()


def _run(started: SimpleQueue[asyncio.AbstractEventLoop]) -> None:
    with asyncio.Runner() as runner:
        started.put(runner.get_loop())
        runner.get_loop().run_forever()


def _end(thread: threading.Thread, loop: asyncio.AbstractEventLoop) -> None:
    loop.call_soon_threadsafe(loop.stop)
    if thread is not threading.current_thread():  # where the loop's object may be found to be garbage
        thread.join(PATIENCE)


async def _value(given: Any) -> Any:
    return await given if isawaitable(given) else given
