"""Votes on pairs of items, equal ones counted together: what every board is made from.

A row stands for some people who all gave the same answer to the same question. `people` is how many they are, `times`
how often each of them gave it, and `worth` how many independent answers one time is worth: 1 for a vote on a pair,
3/(k + 1) for each pair of a ballot of k items. Rows of one cluster, which is a judge or a ballot, come from the same
people; without clusters each row is by people of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ordain._types import Mask, Pairs, Vector


@dataclass(frozen=True)
class Votes:
    """Votes on pairs of items.

    Parameters
    ----------
    items : tuple
        Names of the items, any hashables; the other arrays know them by number.
    left, right : integer arrays
        The two items of each row, in the order shown where `shown` says so.
    answers : array
        1 where the left one won, 0 where the right one did, ½ for a tie; also chances between.
    people, times, worth : arrays
        How many gave this answer, how often each of them, and how many independent answers one time is worth.
    clusters : integer array, optional
        Numbers 0, 1, … of the judge or the ballot that each row belongs to; `people` is the same in all rows of one.
    judges : tuple, optional
        The judges' names by the number of their cluster; None where clusters are ballots nobody signed.
    groups : integer array, optional
        Numbers of the groups, each of which has a board of its own.
    group_names : tuple
        Their names.
    days : array, optional
        When each vote was cast, in days.
    shown : bool
        Whether left and right say in which order the two were shown.
    """

    items: tuple[Any, ...]
    left: Vector
    right: Vector
    answers: Vector
    people: Vector
    times: Vector
    worth: Vector
    clusters: Vector | None = None
    judges: tuple[Any, ...] | None = None
    groups: Vector | None = None
    group_names: tuple[Any, ...] = ()
    days: Vector | None = None
    shown: bool = True

    def __len__(self) -> int:
        return len(self.left)

    @cached_property
    def pairs(self) -> Pairs:
        """The two items of each row."""
        return np.column_stack((self.left, self.right))

    @cached_property
    def counts(self) -> Vector:
        """How many votes each row stands for."""
        return self.people * self.times

    @cached_property
    def weights(self) -> Vector:
        """How many independent answers each row is worth."""
        return self.counts * self.worth

    def take(self, rows: Vector | Mask) -> Votes:
        """Some of the rows; items, judges and groups keep their numbers."""
        arrays = ("left", "right", "answers", "people", "times", "worth", "clusters", "groups", "days")
        some: dict[str, Any] = {name: of[rows] for name in arrays if (of := getattr(self, name)) is not None}
        return replace(self, **some)

    def by_group(self) -> Iterator[tuple[Any, Votes]]:
        """Each group's name and votes, and at last, nameless, all of them; the items are those voted on."""
        if self.groups is not None:
            for number, name in enumerate(self.group_names):
                yield name, self.take(self.groups == number).of_items_seen()
        yield "", self

    def of_items_seen(self) -> Votes:
        """The same votes, with only the items that stand in one."""
        seen, numbers = np.unique(self.pairs, return_inverse=True)
        left, right = numbers.reshape(-1, 2).T
        return replace(self, items=tuple(self.items[item] for item in seen), left=left, right=right)
