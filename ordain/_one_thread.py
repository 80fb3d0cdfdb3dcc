"""Fewer threads: where loops run side by side, or the machine is busy, threads wait for each other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


@cache
def _pools() -> ThreadpoolController:
    return ThreadpoolController()


def one_blas_thread() -> Any:
    """A context in which BLAS has one thread."""
    return _pools().limit(limits=1, user_api="blas")


@contextmanager
def at_most(threads: int) -> Iterator[None]:
    """No more threads than so many for compiled loops."""
    from numba import get_num_threads, set_num_threads

    before = get_num_threads()
    set_num_threads(min(threads, before))
    try:
        yield
    finally:
        set_num_threads(before)
