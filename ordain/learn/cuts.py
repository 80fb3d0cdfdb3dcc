"""Where trees may split a column: at all its values where they are few, else at exact quantiles and heavy values.

Quantiles are places in the order of all rows. A value that more rows have than a bin is for is one bin, so that the
others share the bins that are left. Neither depends on which worker has which rows: the same trees grow here and there.
Columns are in the float32 that XGBoost keeps. Alone, a sort finds the value at a place; many
workers halve the numbers that it may be, bit by bit, by adding how much each has up to the middle.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ordain._types import Vector
from ordain.engine import LOCAL, Engine

BITS = 24
"""Weights are whole numbers up to 2 to this, so that sums of them are exact in any order."""

HELD = 1 << 22
"""Numbers that are sorted at a time, at most, or one column."""


HEAVY = 16
"""A value with more weight than a bin has on average takes a cut; one with less than that by this factor does not."""


class Ordered(NamedTuple):
    """The different values of a column, in order, and the weight of all up to each."""

    keys: Vector
    weight: Vector

    @property
    def total(self) -> int:
        """The weight of all."""
        return int(self.weight[-1]) if len(self.weight) else 0

    def up_to(self, keys: Vector) -> Vector:
        """The weight of what is at most so large."""
        return np.append(0, self.weight)[np.searchsorted(self.keys, keys.astype(np.uint32), "right")]

    def without(self, keys: Vector) -> Ordered:
        """The others."""
        kept = np.ones(len(self.keys), bool)
        kept[np.searchsorted(self.keys, keys[np.isin(keys, self.keys)])] = False
        return Ordered(self.keys[kept], np.cumsum(np.diff(self.weight, prepend=0)[kept]))


def cuts(columns: Sequence[Any], weights: Vector | None, most: int, engine: Engine = LOCAL) -> list[Vector]:
    """For each column, given as a function, where each of `most` bins at most begins, and its greatest value last.

    Examples
    --------
    >>> [found.tolist() for found in cuts([lambda: np.array([3.0, 1, 2, 1]), lambda: np.arange(9.0)], None, 4)]
    [[1.0, 2.0, 3.0], [0.0, 2.0, 4.0, 6.0, 8.0]]
    """
    whole, found = _whole(weights, engine), []
    step = max(1, HELD // int(engine.max(len(columns[0]()) if columns else 1)))
    for start in range(0, len(columns), step):
        some = [_ordered(column(), whole) for column in columns[start : start + step]]
        found += _cut(some, most, engine)
    return found


def _cut(columns: list[Ordered], most: int, engine: Engine) -> list[Vector]:
    """The cuts of some columns."""
    found = _distinct([column.keys[: most + 1] for column in columns], engine)
    many = [k for k, keys in enumerate(found) if len(keys) > most]
    heavy = _heavy([columns[k] for k in many], most, engine)
    others = [columns[k].without(keys) for k, keys in zip(many, heavy, strict=True)]
    light = _quantiles(others, np.array([most + 1 - len(keys) for keys in heavy]), engine)
    for k, *keys in zip(many, heavy, light, strict=True):
        found[k] = np.unique(np.concatenate(keys))
    return [_number(keys) for keys in found]


def _distinct(keys: list[Vector], engine: Engine) -> list[Vector]:
    """The different keys of each column that any worker has."""
    numbered = np.concatenate([np.uint64(k) << np.uint64(32) | own for k, own in enumerate(keys)])
    values = numbered if engine.alone else engine.distinct(numbered)
    places = np.searchsorted(values >> np.uint64(32), np.arange(len(keys) + 1))
    return [values[a:b].astype(np.uint32) for a, b in pairwise(places)]


def _heavy(columns: list[Ordered], most: int, engine: Engine) -> list[Vector]:
    """The values of each column that have more weight than a bin, once those with even more have theirs.

    What weighs more than a share of all rows does so of the rows of some worker.
    """
    if not columns:
        return []
    own = [column.keys[np.diff(column.weight, prepend=0) > column.total // (HEAVY * most)] for column in columns]
    found = _distinct(own, engine)
    weights = engine.sum(np.concatenate([[c.total, *_of(c, keys)] for c, keys in zip(columns, found, strict=True)]))
    heavy, start = [], 0
    for keys in found:
        total, *each = weights[start : start + len(keys) + 1].tolist()
        heavy.append(keys[_filled(np.array(each, np.int64), total, most)])
        start += len(keys) + 1
    return heavy


def _of(column: Ordered, keys: Vector) -> Vector:
    """The weight of each value."""
    before = np.where(keys > 0, column.up_to(keys - np.uint32(1)), 0)
    return column.up_to(keys) - before


def _filled(weights: Vector, total: int, most: int) -> Vector:
    """Which of some values take a bin each, the others sharing the bins that are left; two of these at least."""
    taken = np.zeros(len(weights), bool)
    while True:
        rest, left = total - int(weights[taken].sum()), most - np.count_nonzero(taken)
        more = ~taken & (weights * left > rest) & (weights > total // (HEAVY * most))
        if not more.any() or np.count_nonzero(taken | more) > most - 2:
            return taken
        taken |= more


def _quantiles(columns: list[Ordered], counts: Vector, engine: Engine) -> list[Vector]:
    """Keys at the places 0, W/(c - 1), 2W/(c - 1), … of columns of weight W, the last place being the greatest."""
    if not columns:
        return []
    weight = engine.sum(np.array([column.total for column in columns]))[:, None]
    parts = counts[:, None] - 1
    k = np.minimum(np.arange(counts.max()), parts)
    places = np.minimum(weight // parts * k + weight % parts * k // parts, weight - 1)
    if engine.alone:
        pairs = zip(columns, places, strict=True)
        return [column.keys[np.searchsorted(column.weight, place, "right")] for column, place in pairs]
    low, high = np.zeros(places.shape, np.uint64), np.full(places.shape, 2**32 - 1, np.uint64)
    for _ in range(32):
        middle = (low + high) // np.uint64(2)
        reached = engine.sum(np.array([c.up_to(keys) for c, keys in zip(columns, middle, strict=True)])) > places
        low, high = np.where(reached, low, middle + np.uint64(1)), np.where(reached, middle, high)
    return list(low.astype(np.uint32))


def _ordered(values: Vector, weights: Vector | None) -> Ordered:
    """The column in order, without what is missing."""
    keys = _key(values)
    known = keys <= _key(np.array([np.inf]))[0]
    keys = keys[known]
    if weights is None:
        keys, weight = np.sort(keys), np.arange(1, len(keys) + 1)
    else:
        order = np.argsort(keys)
        keys, weight = keys[order], np.cumsum(weights[known][order])
    last = np.append(keys[1:] != keys[:-1], True)[: len(keys)]
    return Ordered(keys[last], weight[last])


def _whole(weights: Vector | None, engine: Engine) -> Vector | None:
    """Weights as whole numbers; small whole ones stay in proportion."""
    if weights is None:
        return None
    largest = int(np.frexp(float(engine.max(weights.max())))[1])
    return np.maximum(np.rint(np.ldexp(weights, BITS - largest)), 1).astype(np.int64)


def _key(values: Vector) -> Vector:
    """Whole numbers in the order of the numbers as float32, those of nan last."""
    with np.errstate(over="ignore"):
        bits = (values.astype(np.float32) + np.float32(0)).view(np.uint32)  # -0.0 + 0.0 = 0.0
    bits = np.where(np.isnan(values), np.uint32(0x7FC00000), bits)
    return np.where(bits >> np.uint32(31), ~bits, bits | np.uint32(1 << 31))


def _number(keys: Vector) -> Vector:
    """The numbers that have these keys."""
    bits = np.where(keys >> np.uint32(31), keys & np.uint32(0x7FFFFFFF), ~keys)
    return bits.view(np.float32)
