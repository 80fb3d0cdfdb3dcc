"""Parts of a table that workers hold, and how the rows of a group or a cluster are brought to one of them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ordain._types import Vector
from ordain.engine.cluster import workers_of
from ordain.engine.spread import gathered
from ordain.rows.draw import hashes


class Part(NamedTuple):
    """Some rows of a table that is spread, and the number of each among all.

    Groups and clusters are whole numbers once they are known everywhere by the same ones.
    """

    X: Any
    y: Any
    weights: Any = None
    groups: Any = None
    clusters: Any = None
    numbers: Any = None

    @property
    def units(self) -> Any:
        """What must be with one worker."""
        return self.clusters if self.groups is None else self.groups

    def take(self, rows: Vector) -> Part:
        """Some of the rows."""
        return Part(*(None if of is None else of[rows] for of in self))


def dealt(client: Any, parts: list[Any]) -> list[Any]:
    """The rows of futures of parts dealt out anew, those of a unit into one part."""
    workers = workers_of(client)
    pieces = [[client.submit(_piece, part, k, len(workers), pure=False) for part in parts] for k in range(len(workers))]
    joined = [
        client.submit(stacked, *of, workers=[worker], allow_other_workers=True, pure=False)
        for of, worker in zip(pieces, workers, strict=True)
    ]
    return [part for part, rows in zip(joined, gathered(client, client.map(_length, joined)), strict=True) if rows]


def stacked(*parts: Part) -> Part:
    """Parts as one."""

    def both(of: tuple[Any, ...]) -> Any:
        return None if of[0] is None else sparse.vstack(of, "csr") if sparse.issparse(of[0]) else np.concatenate(of)

    return Part(*map(both, zip(*parts, strict=True)))


def common_codes(values: Sequence[Sequence[Hashable]]) -> list[Vector]:
    """Of lists of values, for each value its number among the different ones of all, in the order they come.

    Examples
    --------
    >>> [codes.tolist() for codes in common_codes([["b", "a"], ["a", "c"]])]
    [[0, 1], [1, 2]]
    """
    known: dict[Hashable, int] = {}
    return [np.array([known.setdefault(value, len(known)) for value in of], np.int64) for of in values]


def _piece(part: Part, number: int, places: int) -> Part:
    """The rows whose units go to one of so many places."""
    return part.take(np.flatnonzero(hashes(part.units) % np.uint64(places) == number))


def _length(part: Part) -> int:
    return len(part.y)
