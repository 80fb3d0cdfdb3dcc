"""`ordain.sort` and `ordain.top_k`: any items, best first, by any way of telling which of two comes first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ordain.preference import Preference, budgeted, from_function
from ordain.rank import quicksorts
from ordain.rank.averaging import window
from ordain.rank.least_disagreement import degree, feedback_arc_set, greedy
from ordain.rank.play import Ranker, play

METHODS: dict[str, Callable[[int, np.random.Generator], Ranker]] = {
    "quicksort": quicksorts.quicksort,
    "averaged_quicksort": quicksorts.averaged_quicksort,
    "degree": degree,
    "greedy": greedy,
    "feedback_arc_set": feedback_arc_set,
}
"""The rankers that `sort` knows by name and that need no budget."""


def sort(
    items: Iterable[Any],
    prefer: Callable[[Any, Any], Any],
    *,
    seed: int | None = None,
    method: str = "quicksort",
    budget: int | None = None,
) -> list[Any]:
    """The items, best first, by a preference that may contradict itself.

    QuickSort is the default because what it promises holds for every judge: its expected loss is at most twice the
    judge's own, exactly the judge's own if items are only good or bad, and it asks at most 2(n + 1)H_n - 4n pairs on
    average, in about 2 log₂ n batches [AilonMohri10]_. Where the judge's errors are independent, ``window`` is better
    at equal cost, and promises nothing.

    Parameters
    ----------
    items : iterable
    prefer : callable
        `prefer(a, b)` is True, or near 1, if `a` should come before `b`. A fraction is a coin with that chance of True;
        if it is a probability you believe in, `prefer(a, b) > 0.5` loses less. Each pair is shown in random order. A
        function marked with :func:`ordain.preference.batch` gets all pairs of a level at once.
    seed : int, optional
        The same seed and answers give the same order.
    method : str
        ``quicksort``, ``averaged_quicksort``; ``window``, which needs a budget; or, asking all n(n - 1)/2 pairs,
        ``degree``, ``greedy``, ``feedback_arc_set``.
    budget : int, optional
        The most calls of `prefer`; when they are spent, the best order so far is returned.

    Examples
    --------
    >>> sort(["fig", "banana", "pear"], lambda a, b: len(a) > len(b))
    ['banana', 'pear', 'fig']
    """
    listed = _listed(items)
    ranker = _ranker(method, len(listed), np.random.default_rng(seed), budget)
    order = play(ranker, _judge(listed, prefer, budget))
    return [listed[item] for item in order.tolist()]


def top_k(
    items: Iterable[Any],
    prefer: Callable[[Any, Any], Any],
    k: int,
    *,
    seed: int | None = None,
    budget: int | None = None,
) -> list[Any]:
    """The k best items, best first, in O(n + k log k) calls on average: the first k that :func:`sort` would give.

    Parameters as for :func:`sort`.

    Examples
    --------
    >>> top_k(range(100), lambda a, b: a > b, k=3)
    [99, 98, 97]
    """
    listed = _listed(items)
    if not 1 <= k <= len(listed) or int(k) != k:
        raise ValueError(f"k must be a whole number from 1 to the number of items, {len(listed)}. Got {k}.")
    order = play(quicksorts.top_k(len(listed), int(k), np.random.default_rng(seed)), _judge(listed, prefer, budget))
    return [listed[item] for item in order[: int(k)].tolist()]


def _ranker(method: str, n: int, rng: np.random.Generator, budget: int | None) -> Ranker:
    """The ranker of this name; the window plans for its budget."""
    if method in METHODS:
        return METHODS[method](n, rng)
    if method != "window":
        raise ValueError(f"method must be one of {', '.join(METHODS)}, window. Got {method!r}.")
    if budget is None:
        raise ValueError("method 'window' must be given a budget. Got none. Try n log2(n) calls for n items, or more.")
    return window(n, rng, budget)


def _listed(items: Iterable[Any]) -> Any:
    """Items that can be taken by number; arrays stay arrays, for functions that take batches."""
    return items if isinstance(items, np.ndarray) else list(items)


def _judge(items: Any, prefer: Callable[[Any, Any], Any], budget: int | None) -> Preference:
    judge = from_function(items, prefer)
    return judge if budget is None else budgeted(judge, budget)
