"""An engine of many processes, each with some of the rows, that add what they have by XGBoost's collective."""

from __future__ import annotations

from typing import Any

import numpy as np

from ordain._types import Vector
from ordain.engine.combined import Engine


class Collective(Engine):
    """The processes that have joined; made within a `CommunicatorContext` of XGBoost."""

    alone = False

    def __init__(self) -> None:
        from xgboost import collective

        self._collective, self._ways = collective, collective.Op
        self.rank, self.size = collective.get_rank(), collective.get_world_size()

    def sum(self, x: Any) -> Any:
        return self._reduced(x, self._ways.SUM)

    def max(self, x: Any) -> Any:
        return self._reduced(x, self._ways.MAX)

    def min(self, x: Any) -> Any:
        return self._reduced(x, self._ways.MIN)

    def parts(self, x: Vector) -> list[Vector]:
        """Each puts its own into a row of zeros that is long enough for all, and these are added."""
        bits = x.view(np.uint8) if x.dtype == bool else x
        lengths = np.zeros(self.size, np.int64)
        lengths[self.rank] = len(x)
        ends = np.cumsum(self.sum(lengths))
        everything = np.zeros((int(ends[-1]), *x.shape[1:]), bits.dtype)
        everything[ends[self.rank] - len(x) : ends[self.rank]] = bits
        found = self.sum(everything) if everything.size else everything
        return np.split(found.view(bool) if x.dtype == bool else found, ends[:-1])

    def _reduced(self, x: Any, how: Any) -> Any:
        array = np.asarray(x)
        flat = np.ascontiguousarray(array.astype(np.uint8) if array.dtype == bool else array).ravel()
        found = self._collective.allreduce(flat, how).reshape(array.shape)
        return found if array.ndim else found[()].item()
