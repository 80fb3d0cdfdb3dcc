"""The items at the top as the answers so far have it, quickly, to be shown while a run goes on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ordain._types import Pairs
from ordain.preference.questions import lists_in, places_in
from ordain.rank.bradley_terry.mode import information
from ordain.rank.list_model import PairsFit, pairs_fit


def top_so_far(asked: Sequence[Pairs], given: Sequence[Any], n: int, k: int) -> list[int]:
    """The numbers of the k items with the highest scores, by all batches and their answers; the unknown come last.

    Examples
    --------
    >>> top_so_far([np.array([[0, 1], [2, 1], [2, 0]])], [np.array([1.0, 1.0, 1.0])], n=3, k=2)
    [2, 0]
    """
    graph, fit = fit_so_far(asked, given, n)
    unknown = np.bincount(np.append(graph.first, graph.second), minlength=n) == 0
    return np.lexsort((-fit.scores, unknown))[:k].tolist()


def fit_so_far(asked: Sequence[Pairs], given: Sequence[Any], n: int) -> PairsFit:
    """The model of all batches and their answers."""
    lists = [one for batch in asked for one in lists_in(batch)]
    places = [one for batch, said in zip(asked, given, strict=True) for one in places_in(batch, said)]
    return pairs_fit(lists, places, n)


def place_error(found: PairsFit) -> float:
    """By how many places an item may be off, on average: how many others are within its standard error, about."""
    scores = np.sort(found.fit.scores)
    errors = 1 / np.sqrt(information(found.graph, found.fit).diagonal[:-1])
    low, high = (np.searchsorted(scores, found.fit.scores + sign * errors) for sign in (-1, 1))
    return float(np.mean(high - low) / 2)
