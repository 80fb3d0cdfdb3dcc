"""Questions asked side by side: several are out at a time, and answers come as they arrive.

When one fails no further one is begun, but those that are out are awaited: what was paid for is not thrown away. So it
is at Ctrl-C too; a second one leaves at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

from ordain.preference import Spent

SLICE = 0.2
"""Seconds after which one who waits looks whether to go on."""


class Stopped(Exception):  # noqa: N818
    """Nothing more is to be asked; the message says why, in one line."""


class _Left(Stopped):
    """A question that waited to be asked again when another one ended it all."""


class Pool:
    """At most `width` questions out at a time, in an event loop that runs in another thread.

    As a context it is left when nothing is out any more. `held_up` is told when Ctrl-C has to wait for some that are.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, width: int, held_up: Callable[[], None] = lambda: None) -> None:
        self.loop, self.width, self.held_up = loop, width, held_up
        self.stopping = False
        self._workers: list[Future[None]] = []

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *error: object) -> None:
        self._settle()

    def answers(self, ask: Callable[[Any], Awaitable[Any]], keys: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """The place and answer of each, as they come; what went wrong is raised after what was out has come."""
        came: SimpleQueue[tuple[int, Any] | None] = SimpleQueue()
        todo, errors = iter(enumerate(keys)), list[Exception]()

        async def work() -> None:
            for place, key in todo:
                if self.stopping:
                    return
                try:
                    came.put((place, await ask(key)))
                except Exception as error:
                    errors.append(error)
                    self.stopping = True

        self.stopping, self._workers = False, []
        try:
            for _ in range(min(self.width, len(keys))):
                self._workers.append(asyncio.run_coroutine_threadsafe(work(), self.loop))
                self._workers[-1].add_done_callback(lambda _: came.put(None))
            for _ in list(self._workers):
                while (one := _next(came)) is not None:
                    yield one
        except (KeyboardInterrupt, GeneratorExit):
            self._settle()
            raise
        if errors:
            raise min(errors, key=_weight)

    def _settle(self) -> None:
        """Begin nothing more, and wait for what is out; but once: who is interrupted in this leaves."""
        self.stopping = True
        workers, self._workers = self._workers, []
        if all(worker.done() for worker in workers):
            return
        self.held_up()
        try:
            while wait(workers, SLICE).not_done:
                pass
        except KeyboardInterrupt:
            for worker in workers:
                worker.cancel()  # before connections are closed, which would look like a fault of the line
            raise

    async def pause(self, seconds: float) -> None:
        """Wait, unless nothing more is to be asked."""
        end = self.loop.time() + seconds
        while True:
            if self.stopping:
                raise _Left("stopped before it was asked again.")
            if (left := end - self.loop.time()) <= 0:
                return
            await asyncio.sleep(min(left, SLICE))


def _next(came: SimpleQueue[Any]) -> Any:
    """What comes next. Waiting is in slices: where a library has a handler of its own, Ctrl-C does not end a wait."""
    while True:
        with suppress(Empty):
            return came.get(timeout=SLICE)


def _weight(error: Exception) -> int:
    """Which of several errors is told: not one that follows from another, nor the end of the budget before a fault."""
    return 2 if isinstance(error, _Left) else int(isinstance(error, Spent))
