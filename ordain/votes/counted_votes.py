"""Votes counted as they come: rows that are equal become one, so that memory grows with what differs.

Items, judges, groups and ballots are numbered as they appear; at the end they are put into the order of their names,
and the rows too, so that the same votes in another order, or in other files, give the same record.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from ordain._types import Vector
from ordain.votes.ballots import ballot_pairs, in_order
from ordain.votes.cast_votes import Votes

NOBODY = -1
"""The number of the judge, or the group, that a vote does not name."""

KEYS = ("judge", "group", "day")
"""What may tell equal answers apart."""

_FIRST = 1 << 18


class Numbering:
    """Names and their numbers, as they come."""

    def __init__(self) -> None:
        self.known: dict[Any, int] = {}

    def of(self, series: pl.Series) -> Vector:
        """The numbers of the names in a column."""
        different = series.unique()
        numbers = [self.number(name) for name in different.to_list()]
        return series.replace_strict(different, pl.Series(numbers, dtype=pl.Int32), return_dtype=pl.Int32).to_numpy()

    def number(self, name: Any) -> int:
        """The number of one name."""
        return self.known.setdefault(name, len(self.known))

    def sorted(self) -> tuple[tuple[Any, ...], Vector]:
        """The names in their order, and the place of each number among them; nobody stays nobody."""
        names = in_order(self.known)
        places = np.full(len(names) + 1, NOBODY)
        places[[self.known[name] for name in names]] = np.arange(len(names))
        return tuple(names), places


class Tally:
    """Rows with a count, equal ones together. They are brought together whenever they have doubled."""

    def __init__(self) -> None:
        self._parts: list[pl.DataFrame] = []
        self._held, self._most = 0, _FIRST

    def add(self, rows: pl.DataFrame) -> None:
        """More rows; the column `count` says how often each came."""
        self._parts.append(rows)
        self._held += rows.height
        if self._held > self._most:
            self._most = max(_FIRST, 2 * self.rows.height)

    @property
    def rows(self) -> pl.DataFrame:
        """All rows that differ; without columns where none came."""
        if len(self._parts) > 1:
            self._parts = [together(pl.concat(self._parts))]
            self._held = self._parts[0].height
        return self._parts[0] if self._parts else pl.DataFrame()


def together(rows: pl.DataFrame) -> pl.DataFrame:
    """Equal rows as one, their counts added."""
    return rows.group_by(pl.exclude("count")).agg(pl.col("count").sum())


class CountedVotes:
    """Votes by numbers: `pairs` of left, right, answer, `ballots` of ballot; both with judge, group, day and count."""

    def __init__(self) -> None:
        self.items, self.judges, self.groups, self.orders = Numbering(), Numbering(), Numbering(), Numbering()
        self.pairs, self.ballots = Tally(), Tally()

    def votes(self, *, dated: bool, shown: bool) -> Votes:
        """The record of them."""
        items, place = self.items.sorted()
        rows = pl.concat([self._pairs(place), self._ballots(dict(zip(items, range(len(items)), strict=True)))])
        judges, groups = self.judges.sorted()[0], self.groups.sorted()[0]
        return recorded(rows, items, judges, groups, dated=dated, shown=shown)

    def _sorted(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The rows with the judges and groups by the order of their names."""
        places = {"judge": self.judges.sorted()[1], "group": self.groups.sorted()[1]}
        return rows.with_columns(pl.Series(name, place[rows[name]]) for name, place in places.items())

    def _pairs(self, place: Vector) -> pl.DataFrame:
        """Votes on pairs, in order."""
        if not self.pairs.rows.height:
            return _NONE
        rows = self._sorted(self.pairs.rows)
        sides = (pl.Series(side, place[rows[side]]) for side in ("left", "right"))
        rows = rows.with_columns(*sides, worth=pl.lit(1.0), ballot=pl.lit(NOBODY, pl.Int64))
        keys = [key for key in KEYS if rows[key].n_unique() > 1]
        return rows.select(_NONE.columns).cast(_NONE.schema).sort("left", "right", "answer", *keys)

    def _ballots(self, numbers: dict[Any, int]) -> pl.DataFrame:
        """Ballots as their pairs, in order."""
        if not self.ballots.rows.height:
            return _NONE
        orders, place = self.orders.sorted()
        rows = self._sorted(self.ballots.rows)
        rows = rows.with_columns(pl.Series("ballot", place[rows["ballot"]])).sort("ballot", *KEYS)
        pairs = ballot_pairs([orders[number] for number in rows["ballot"]], numbers)
        of = rows.select(*KEYS, "count")[pairs["ballot"].to_numpy()]
        return pairs.with_columns(of.iter_columns()).select(_NONE.columns).cast(_NONE.schema)


_NONE = pl.DataFrame(
    schema={"left": pl.Int64, "right": pl.Int64, "answer": pl.Float64, "worth": pl.Float64, "ballot": pl.Int64}
    | {"judge": pl.Int64, "group": pl.Int64, "day": pl.Float64, "count": pl.Float64}
)


def recorded(
    rows: pl.DataFrame,
    items: tuple[Any, ...],
    judges: tuple[Any, ...] = (),
    groups: tuple[Any, ...] = (),
    *,
    dated: bool = False,
    shown: bool = True,
) -> Votes:
    """The record of rows that differ: left, right, answer, worth, ballot, judge, group, day, count."""
    signed, count = (rows["judge"] != NOBODY).to_numpy(), rows["count"].to_numpy()
    clusters, names = _clusters(rows, judges)
    votes = Votes(
        items=items,
        left=rows["left"].to_numpy(),
        right=rows["right"].to_numpy(),
        answers=rows["answer"].to_numpy(),
        people=np.where(signed, 1.0, count),
        times=np.where(signed, count, 1.0),
        worth=rows["worth"].to_numpy(),
        clusters=clusters,
        judges=names,
        groups=rows["group"].to_numpy() if groups else None,
        group_names=groups,
        days=rows["day"].to_numpy() if dated else None,
        shown=shown,
    )
    seen = np.bincount(votes.left, minlength=len(items)) + np.bincount(votes.right, minlength=len(items))
    return votes if seen.all() else votes.of_items_seen()


def _clusters(rows: pl.DataFrame, judges: tuple[Any, ...]) -> tuple[Vector | None, tuple[Any, ...] | None]:
    """Judges by number, then ballots nobody signed, then other votes nobody signed, each on its own; their names."""
    ballot, judge = rows["ballot"].to_numpy(), rows["judge"].to_numpy()
    if not judges and (ballot == NOBODY).all():
        return None, None
    most = rows.height
    own = np.where(ballot != NOBODY, ballot, most + np.arange(most))
    alone = judge == NOBODY
    clusters = judge.copy()
    _, numbers = np.unique(own[alone], return_inverse=True)
    clusters[alone] = len(judges) + numbers
    return clusters, judges + (None,) * int(numbers.max(initial=-1) + 1) if judges else None
