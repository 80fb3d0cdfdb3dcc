"""What is shown while a command works: on standard error, and only on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

REFRESH = 2
"""How often a second what is shown is drawn anew."""


@contextmanager
def working(what: str) -> Iterator[None]:
    """Say on standard error, if that is a terminal, what takes a moment."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(what, refresh_per_second=REFRESH):
        yield


@contextmanager
def steps(total: int | None) -> Iterator[Callable[[str], None]]:
    """A function to call before each step with what it is; shown on standard error with an estimate, on a terminal."""
    console = Console(stderr=True)
    columns = [TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()]
    with _progress(columns, console) as progress:
        task = progress.add_task("", total=total)
        done = -1

        def step(what: str) -> None:
            nonlocal done
            done += 1
            progress.update(task, description=what, completed=done if total is None else min(done, total - 1))

        yield step


@contextmanager
def counting(what: str) -> Iterator[Callable[[int], None]]:
    """A function to call with how many more are done; shown on standard error, on a terminal."""
    console = Console(stderr=True)
    columns = [TextColumn(what), TextColumn("{task.completed:,}"), TimeElapsedColumn()]
    with _progress(columns, console) as progress:
        task = progress.add_task("", total=None)
        yield lambda more: progress.advance(task, more)


@contextmanager
def numbered(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """A function to call with the number of what is done; shown as :func:`counting` does, of so many if that is known.

    Where something begins again, as after the loss of a worker, what is shown does not go back.
    """
    console, most = Console(stderr=True), 0
    ending = [TimeElapsedColumn()] if total is None else [BarColumn(), TaskProgressColumn(), TimeRemainingColumn()]
    with _progress([TextColumn(what, markup=False), TextColumn("{task.completed:,}"), *ending], console) as progress:
        task = progress.add_task("", total=total)

        def done(number: int) -> None:
            nonlocal most
            most = max(most, number)
            progress.update(task, completed=most)

        yield done


@contextmanager
def share_done(what: str) -> Iterator[Callable[[float], None]]:
    """A function to call with the share that is done; shown on standard error with an estimate, on a terminal."""
    console = Console(stderr=True)
    columns = [TextColumn(what, markup=False), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()]
    with _progress(columns, console) as progress:
        task = progress.add_task("", total=1.0)
        yield lambda share: progress.update(task, completed=share)


class Requests:
    """What is shown of requests: how many are done, at which rate, what is left, and who is at the top."""

    def __init__(self, progress: Progress, total: int, seen: bool) -> None:
        self._progress, self.seen = progress, seen
        self._task = progress.add_task("Asking", total=total, cost="", top="")

    def update(self, done: int, cost: str) -> None:
        """So many requests were made, at this cost."""
        self._progress.update(self._task, completed=done, cost=cost)

    def top(self, names: str) -> None:
        """These are at the top at present."""
        self._progress.update(self._task, top=f"now on top: {names}")

    def held_up(self) -> None:
        """Say that Ctrl-C waits for what is out."""
        self._progress.console.print("Waiting for the requests that are out. Ctrl-C again leaves them.", markup=False)


@contextmanager
def requesting(total: int) -> Iterator[Requests]:
    """Shown on standard error, on a terminal, while requests are made."""
    console = Console(stderr=True)
    columns = [
        TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:,} of {task.total:,} requests"),
        TextColumn("{task.fields[cost]}"), TimeRemainingColumn(), TextColumn("{task.fields[top]}", markup=False),
    ]  # fmt: skip
    with _progress(columns, console) as progress:
        yield Requests(progress, total, console.is_terminal)


def _progress(columns: Sequence[ProgressColumn], console: Console) -> Progress:
    """Drawn twice a second: drawing takes time from the work it tells of."""
    return Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal, refresh_per_second=REFRESH
    )
