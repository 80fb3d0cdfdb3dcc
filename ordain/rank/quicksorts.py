"""Sorting by a preference that may be cyclic or random: QuickSort, the top k, and several QuickSorts averaged.

The loss of QuickSort is on average at most twice that of the preference, and exactly that of the preference if the
truth has two grades [AilonMohri10]_; it asks at most 2(n + 1)H_n - 4n pairs on average, whatever the preference. Both
are expectations: a single run can be unlucky.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ordain._checks import check_numbers
from ordain._types import Answers, Pairs, Scores, Vector
from ordain.preference import Spent
from ordain.rank.play import Order, Ranker, advance, fairly


class Blocks(NamedTuple):
    """Sets of items still to be sorted, one after the other in `items`; block b fills the places from starts[b] on.

    Every block is in random order, which the split keeps, so its first item is a random pivot.
    """

    items: Vector
    starts: Vector
    sizes: Vector

    @property
    def firsts(self) -> Vector:
        """Where each block begins in `items`."""
        return np.cumsum(self.sizes) - self.sizes

    @property
    def places(self) -> Vector:
        """The places of the order that each item's block fills."""
        return np.repeat(self.starts - self.firsts, self.sizes) + np.arange(len(self.items))

    def where(self, chosen: Vector) -> Blocks:
        """The chosen blocks only."""
        kept = np.flatnonzero(np.repeat(chosen, self.sizes))
        return Blocks(self.items[kept], self.starts[chosen], self.sizes[chosen])


def quicksort(n: int, rng: np.random.Generator) -> Ranker:
    """Randomised QuickSort [AilonMohri10]_: a random pivot, and v goes before it with probability h(v, pivot).

    All blocks of a level are asked in one batch, about 2 log₂ n batches in all. No pair is asked twice.

    Parameters
    ----------
    n : int
        Number of items.
    rng : numpy.random.Generator
        Draws the pivots, the order in which a pair is shown, and a coin for each fractional answer.

    Examples
    --------
    >>> from ordain.rank import play
    >>> play(quicksort(4, np.random.default_rng(0)), lambda pairs: pairs[:, 0] < pairs[:, 1])
    array([0, 1, 2, 3])
    """
    return (yield from top_k(n, n, rng))


def top_k(n: int, k: int, rng: np.random.Generator) -> Ranker:
    """QuickSort of the blocks that reach into the first k places, O(n + k log k) calls on average [AilonMohri10]_.

    The first k of the order have the law of those of the full sort; the others follow as far as they were sorted.

    Examples
    --------
    >>> from ordain.rank import play
    >>> play(top_k(9, 2, np.random.default_rng(0)), lambda pairs: pairs[:, 0] > pairs[:, 1])[:2]
    array([8, 7])
    """
    order = np.empty(n, dtype=np.intp)
    blocks = Blocks(rng.permutation(n), np.zeros(1, dtype=np.intp), np.array([n]))
    while len((blocks := _settle(order, blocks, k)).items):
        firsts = blocks.firsts
        pivots, rest = blocks.items[firsts], np.delete(blocks.items, firsts)
        try:
            answers = yield from fairly(rest, np.repeat(pivots, blocks.sizes - 1), rng)
        except Spent as spent:
            order[blocks.places] = _half_split(blocks, np.sign(spent.answers - rng.random(len(rest))))
            return order
        won = rng.random(len(rest)) < answers
        left = np.add.reduceat(won, firsts - np.arange(len(firsts)), dtype=np.intp)
        order[blocks.starts + left] = pivots
        blocks = Blocks(
            rest[np.concatenate((np.flatnonzero(won), np.flatnonzero(~won)))],
            np.concatenate((blocks.starts, blocks.starts + left + 1)),
            np.concatenate((left, blocks.sizes - 1 - left)),
        )
    return order


def averaged_quicksort(n: int, rng: np.random.Generator, runs: int = 5) -> Ranker:
    """Items by their mean place in `runs` independent QuickSorts, asked side by side, ties by lot.

    Averaging lessens what is luck in one run, at `runs` times the calls. The guarantee of a single QuickSort is not
    proved for the average.
    """
    orders = yield from _together([quicksort(n, child) for child in rng.spawn(runs)])
    places = np.sum([np.argsort(order) for order in orders], axis=0)
    return np.lexsort((rng.random(n), places))


def by_scores(scores: Scores, rng: np.random.Generator) -> Order:
    """The order of a preference that is a scorer: one score per item, no comparison, ties by lot [Balcan08]_.

    The tournament of a scorer is transitive, so this is the order of DEGREE, and its loss is that of the scorer.
    """
    values = check_numbers(scores, "scores")
    lot = rng.permutation(len(values))
    return lot[np.argsort(values[lot], kind="stable")][::-1]


def _settle(order: Order, blocks: Blocks, k: int) -> Blocks:
    """Write blocks of one item, or beyond the first k, to their places in `order`; return the others."""
    open_blocks = (blocks.sizes > 1) & (blocks.starts < k)
    settled = blocks.where(~open_blocks)
    order[settled.places] = settled.items
    return blocks.where(open_blocks)


def _half_split(blocks: Blocks, outcomes: Vector) -> Vector:
    """The items of every block: winners over the pivot, it and those of which nothing is known, losers."""
    rank = np.zeros(len(blocks.items))
    rank[np.delete(np.arange(len(rank)), blocks.firsts)] = -np.nan_to_num(outcomes)
    return blocks.items[np.lexsort((rank, np.repeat(np.arange(len(blocks.sizes)), blocks.sizes)))]


def _together(rankers: Sequence[Ranker]) -> Generator[Pairs, Answers, list[Order]]:
    """The orders of several rankers, whose batches are asked as one."""
    orders: dict[int, Order] = {}
    replies: dict[int, Any] = dict.fromkeys(range(len(rankers)))
    while replies:
        batches: dict[int, Pairs] = {}
        for number, reply in replies.items():
            try:
                batches[number] = advance(rankers[number], reply)
            except StopIteration as finished:
                orders[number] = finished.value
        ends = np.cumsum([len(pairs) for pairs in batches.values()])[:-1]
        try:
            answers = (yield np.concatenate(list(batches.values()))) if batches else np.empty(0)
            replies = dict(zip(batches, np.split(answers, ends), strict=False))
        except Spent as spent:
            replies = dict(zip(batches, map(Spent, np.split(spent.answers, ends)), strict=False))
    return [orders[number] for number in range(len(rankers))]
