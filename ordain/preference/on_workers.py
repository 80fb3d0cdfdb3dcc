"""A preference between rows that the workers of a Dask cluster hold, some each: for more than one process holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Any

import numpy as np

from ordain._types import Answers, Pairs, Vector
from ordain.engine.cluster import current
from ordain.preference.answers import Preference

Compare = Callable[[Any, Pairs], Answers]
"""From rows, and pairs of their numbers, to answers."""


def on_workers(compare: Compare, parts: Sequence[Any], sizes: Sequence[int]) -> Preference:
    """The preference by `compare` between the rows of futures, so many in each, numbered one after the other.

    A pair is answered where that of its rows is which fewer pairs of the batch name; the other one, in QuickSort the
    pivot, is sent there. So a worker holds its own parts and, for a while, as many rows of others as pairs it is asked;
    here are only numbers and answers. A level of QuickSort is one batch, so a million rows are some fifty rounds.
    """
    client = current()
    held, ends = client.submit(copy, compare, pure=False), np.cumsum(sizes)

    def chosen(rows: Vector) -> Iterator[tuple[int, Vector]]:
        """The parts that hold rows, which are in their order, and the places of these there."""
        owners = np.searchsorted(ends, rows, side="right")
        for part in np.unique(owners):
            yield int(part), rows[owners == part] - (ends[part] - sizes[part])

    def answers(pairs: Pairs) -> Answers:
        homes = np.searchsorted(ends, _rarer(pairs), side="right")
        asked = [np.flatnonzero(homes == home) for home in np.unique(homes)]
        tasks = []
        for some in asked:
            rows = np.unique(pairs[some])
            taken = [client.submit(_taken, parts[part], places, pure=False) for part, places in chosen(rows)]
            told = np.searchsorted(rows, pairs[some])
            tasks.append(client.submit(_answered, held, told, *taken, pure=False))
        given = np.empty(len(pairs))
        for some, found in zip(asked, client.gather(tasks), strict=True):
            given[some] = found
        return given

    return answers


def _rarer(pairs: Pairs) -> Vector:
    """Of each pair the row that fewer pairs name."""
    _, codes, counts = np.unique(pairs, return_inverse=True, return_counts=True)
    named = counts[codes.reshape(pairs.shape)]
    return np.where(named[:, 0] <= named[:, 1], pairs[:, 0], pairs[:, 1])


def _taken(part: Any, places: Vector) -> Any:
    return part[places]


def _answered(compare: Compare, pairs: Pairs, *taken: Any) -> Answers:
    return compare(np.concatenate(taken), pairs)
