"""Linear algebra on one thread: where loops run side by side, or the machine is busy, threads wait for each other."""

from __future__ import annotations

from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


@cache
def _pools() -> ThreadpoolController:
    return ThreadpoolController()


def one_blas_thread() -> Any:
    """A context in which BLAS has one thread."""
    return _pools().limit(limits=1, user_api="blas")
