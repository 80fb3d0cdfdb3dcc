"""A preference that the workers of a Dask cluster answer, some pairs each: for item sets too large for one process."""

from __future__ import annotations

import numpy as np

from ordain._types import Answers, Pairs
from ordain.engine.cluster import current
from ordain.preference.answers import Preference

PIECE = 1 << 16
"""Pairs of a task."""


def on_workers(prefer: Preference, *, size: int = PIECE) -> Preference:
    """The preference, its batches cut into tasks of `size` pairs for the workers of the current client.

    A ranker such as QuickSort asks one batch a level, so a million items are about fifty rounds of tasks. What the
    preference holds, a classifier and its items, goes to every worker once.
    """
    client = current()
    held = client.scatter(prefer, broadcast=True)

    def answers(pairs: Pairs) -> Answers:
        pieces = [pairs[start : start + size] for start in range(0, len(pairs), size)]
        tasks = [client.submit(_answered, held, piece, pure=False) for piece in pieces]
        return np.concatenate([np.empty(0), *client.gather(tasks)])

    return answers


def _answered(prefer: Preference, pairs: Pairs) -> Answers:
    return np.asarray(prefer(pairs), dtype=float)
