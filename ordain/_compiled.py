"""Loops compiled by numba, and how many threads they get."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba import get_num_threads, njit

from ordain._one_thread import at_most

FAST = {"reassoc", "contract", "nsz", "arcp"}
"""What the compiler may do with sums marked so: change their order, but not drop the checks for nan."""

ALONE = 200_000
"""With fewer rows one thread does all."""

BLOCK, PIECE = 256, 32768
"""Rows that are summed one after the other, and rows that one thread takes at a time."""


def compiled(**options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Numba's compiler, which keeps its work on disk where it finds a folder to write to."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        try:
            return njit(cache=True, nogil=True, **options)(function)
        except RuntimeError:
            return njit(nogil=True, **options)(function)

    return decorate


@contextmanager
def threads_for(rows: int) -> Iterator[None]:
    """One thread for few rows: waking another takes longer than they do, much longer on a busy machine."""
    with at_most(1 if rows < ALONE else get_num_threads()):
        yield
