"""Files of votes → :class:`Votes`, and sentences on what was understood.

A file is read in batches. Equal rows of a batch are counted together before anything is made of them, so that the time
per vote is that of reading and counting it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from ordain._types import Vector
from ordain.tables.batches import Batch, text_batches
from ordain.tables.frames import Table, name_of
from ordain.tables.header import BLANKS
from ordain.tables.messages import listed, shown
from ordain.tables.reading import DATES, Reading
from ordain.votes.ballots import written_ballot
from ordain.votes.counted_votes import NOBODY, CountedVotes, Tally, together
from ordain.votes.exports import Layout, Named, layout_of
from ordain.votes.outcomes import DROPPED, EITHER, Words
from ordain.votes.record import Votes
from ordain.votes.scored_outcomes import by_chance, by_ones, by_points, finite, weights
from ordain.votes.vote_days import Days

ALWAYS = 5
"""So many votes, all for the left one, are worth a word."""


def read_votes(
    files: Sequence[Table],
    *,
    left: str | None = None,
    right: str | None = None,
    winner: str | None = None,
    loser: str | None = None,
    left_score: str | None = None,
    right_score: str | None = None,
    order: str | None = None,
    ties: Sequence[str] = (),
    weight: str | None = None,
    judge: str | None = None,
    group: str | None = None,
    date: str | None = None,
    reading: Reading | None = None,
) -> tuple[Votes, list[str]]:
    """The votes in some files, and sentences on what was taken for what.

    Without names of columns each file must be an export that is known. Memory grows with the votes that differ.

    Parameters
    ----------
    files : sequence of paths or frames
        Tables of any format; `-` is standard input. What is named holds for all of them.
    left, right, winner : str, optional
        Columns of the two items of a vote, and of who won: an item of the row, or a word such as left, b or tie.
    loser : str, optional
        With `winner`, and without `left` and `right`: columns of the item that won and of the one that lost.
    left_score, right_score : str, optional
        Columns of the points of both items, instead of `winner`.
    order : str, optional
        A column of ballots: JSON lists, in which lists are ties, or names with > and = between.
    ties : sequence of str
        More words for a tie.
    weight : str, optional
        A column of how many votes a row stands for: of as many people, or of its judge.
    judge, group, date : str, optional
        Columns of who voted, of the board a vote belongs to, and of when it was cast.
    reading : Reading, optional
        How to read the files.

    Examples
    --------
    >>> frame = pl.DataFrame({"x": ["a", "b"], "y": ["c", "a"], "won": ["c", "draw"]})
    >>> votes, sentences = read_votes([frame], left="x", right="y", winner="won")
    >>> votes.items, votes.pairs.tolist(), votes.answers.tolist()
    (('a', 'b', 'c'), [[0, 2], [1, 0]], [0.0, 0.5])
    >>> print(*sentences)
    x, y, won: 2 votes; 1 by name, 1 'draw' as ties
    """
    named = Named(left, right, winner, loser, left_score, right_score, order, weight, judge, group, date)
    reading, counted = reading or Reading(), CountedVotes()
    if not len(files):
        raise ValueError("at least one file of votes must be given. Got none. Name one.")
    signatures = _signatures(files)
    parts = [_File(file, counted, named, ties, reading, sign) for file, sign in zip(files, signatures, strict=True)]
    sentences = [part.read() for part in parts]
    layouts = [part.layout for part in parts]
    votes = counted.votes(dated=date is not None, shown=all(layout.shown for layout in layouts))
    return votes, sentences + _noticed(votes, layouts)


def always_left(votes: Votes) -> bool:
    """Whether the left item won whenever one did, so that its strength cannot be told from its place."""
    decided = votes.answers != 0.5
    return bool(votes.shown and votes.counts[decided].sum() >= ALWAYS and (votes.answers[decided] > 0.5).all())


class _File:
    """One file, batch by batch."""

    def __init__(
        self, table: Table, counted: CountedVotes, named: Named, ties: Sequence[str], reading: Reading, signature: str
    ) -> None:
        self._table, self._counted, self._named, self._ties = table, counted, named, ties
        self._reading, self._signature = reading, signature
        self.name = "standard input" if name_of(table) == "-" else name_of(table)
        self.layout = Layout()
        self._pairs, self._ballots = Tally(), Tally()
        self._dropped: Counter[str] = Counter()
        self._total = 0.0

    def read(self) -> str:
        """Count all of it; a sentence on it."""
        for batch in text_batches(self._table, self._pick, self._reading):
            self._add(batch)
        self._words.settle(self._counted.items.known)
        if not self._pairs.rows.height and not self._ballots.rows.height:
            raise ValueError(f"{self.name} must hold a vote. {self._said(0.0)}. Is it the right file?")
        a = self._words.away(self.name)
        for own, all_of in ((self._pairs, self._counted.pairs), (self._ballots, self._counted.ballots)):
            if own.rows.height:
                all_of.add(self._settled(own.rows, a))
        return self._said(a)

    def _pick(self, names: Sequence[str]) -> list[str]:
        """The columns to read, once the names are known."""
        self.layout = layout_of(self.name, names, self._named)
        self._words = Words(self._ties, self.layout.dropped, self.layout.home)
        usual = self._reading.dates or (DATES[0] if self.layout.home else None)
        self._days = Days(self.layout.roles.get("date", ""), usual)
        return self.layout.columns

    def _add(self, batch: Batch) -> None:
        """Count the votes of a batch."""
        rows = self._plain(batch)
        rows = self._distinct(rows, batch) if rows.height else rows
        if not rows.height:
            return
        fault = self._fault_of(batch, rows)
        for role in ("left", "right", "order", "judge", "group", "date"):
            if role in rows.columns:
                self._check_filled(rows[role], role, fault)
        if "order" in rows.columns:
            self._add_ballots(rows, fault)
        else:
            self._add_pairs(rows, batch, fault)

    def _plain(self, batch: Batch) -> pl.DataFrame:
        """The rows of a batch, a column for each role, and `row`."""
        roles = self.layout.roles
        if self.layout.unfold is None:
            return batch.frame.select(**{role: pl.col(name) for role, name in roles.items()}).with_row_index("row")
        rows, dropped = self.layout.unfold(batch, roles)
        self._dropped += dropped
        return rows

    def _distinct(self, rows: pl.DataFrame, batch: Batch) -> pl.DataFrame:
        """Rows that differ, with how many votes each stands for, and the first row of the batch that has it."""
        count = pl.len().cast(pl.Float64)
        if "weight" in rows.columns:
            column = self.layout.roles["weight"]
            values = weights(rows["weight"], column, lambda index, text: batch.fault(rows["row"][index], text))
            rows = rows.with_columns(weight=values)
            if none := int((values == 0).sum()):
                self._dropped["of weight 0"] += none
                rows = rows.filter(pl.col("weight") > 0)
            count = pl.col("weight").sum()
        return rows.group_by(pl.exclude("row", "weight")).agg(count=count, row=pl.col("row").min()).sort("row")

    def _fault_of(self, batch: Batch, rows: pl.DataFrame) -> Callable[[int, str], ValueError]:
        return lambda index, text: batch.fault(int(rows["row"][index]), text)

    def _check_filled(self, cells: pl.Series, role: str, fault: Callable[[int, str], ValueError]) -> None:
        """No name may be blank."""
        blank = (cells.str.strip_chars(BLANKS) == "").fill_null(value=True)
        if blank.any():
            what = {"left": "an item", "right": "an item", "order": "a ballot", "judge": "who voted"}
            must = f"column {self.layout.roles.get(role, role)!r} must hold {what.get(role, f'a {role}')}"
            raise fault(int(blank.arg_max() or 0), f"{must}. Got an empty cell. Fill it in, or remove the row.")

    def _add_pairs(self, rows: pl.DataFrame, batch: Batch, fault: Callable[[int, str], ValueError]) -> None:
        """Count votes on pairs."""
        same = rows["left"] == rows["right"]
        if same.any():
            index = int(same.arg_max() or 0)
            raise fault(index, f"two items must be compared. Got {shown(rows['left'][index])} twice. Remove the row.")
        items = self._counted.items.of(pl.concat([rows["left"], rows["right"]]))
        left, right = items[: rows.height], items[rows.height :]
        answers = self._answers(rows, (left, right), batch, fault)
        coded = pl.DataFrame({"left": left, "right": right, "answer": answers})
        kept = answers != DROPPED
        if not kept.all():
            rows, coded = rows.filter(kept), coded.filter(kept)
        if rows.height:
            self._total += float(rows["count"].to_numpy().sum())
            self._pairs.add(together(coded.with_columns(self._aside(rows, fault))))

    def _answers(
        self, rows: pl.DataFrame, sides: tuple[Vector, Vector], batch: Batch, fault: Callable[[int, str], ValueError]
    ) -> Vector:
        """Who won, by whichever columns say so."""
        roles = self.layout.roles
        if self.layout.left_won:
            return np.ones(rows.height)
        if "left_score" in roles:
            return by_points(*(finite(rows[side], roles[side], fault) for side in ("left_score", "right_score")))
        if "one_left" in roles:
            ones = [rows[role].alias(column) for role, column in roles.items() if role.startswith("one_")]
            return by_ones(ones, fault)
        if "chance" in roles:
            answers = by_chance(rows["chance"], roles["chance"], fault)
            self._dropped["without a preference"] += int(rows["count"].to_numpy()[answers == DROPPED].sum())
            return answers
        winner = rows["winner"].fill_null("")
        values = winner.unique(maintain_order=True)
        places = winner.replace_strict(values, np.arange(len(values)), return_dtype=pl.Int64).to_numpy()
        named = np.array([self._counted.items.known.get(value, NOBODY) for value in values])
        column = roles.get("winner", "winner")

        def where(index: int) -> str:
            return f"{batch.where(int(rows['row'][index]))}: column {column!r}"

        return self._words.answers(sides, places, values.to_list(), named, rows["count"].to_numpy(), where)

    def _add_ballots(self, rows: pl.DataFrame, fault: Callable[[int, str], ValueError]) -> None:
        """Count ballots; those of one item say nothing."""
        column, numbers = self.layout.roles.get("order", "order"), []
        for index, text in enumerate(rows["order"]):
            try:
                ballot = written_ballot(text)
            except ValueError as error:
                raise fault(index, f"column {column!r} {error}.") from None
            single = sum(map(len, ballot)) < 2
            numbers.append(NOBODY if single else self._counted.orders.number(ballot))
            if single:
                self._dropped["ballots of one item"] += round(rows["count"][index])
            for name in (name for level in ballot for name in level if not single):
                self._counted.items.number(name)
        kept = np.array(numbers) != NOBODY
        rows = rows.filter(kept)
        if rows.height:
            self._total += float(rows["count"].to_numpy().sum())
            coded = pl.DataFrame({"ballot": np.array(numbers, np.int64)[kept]})
            self._ballots.add(together(coded.with_columns(self._aside(rows, fault))))

    def _aside(self, rows: pl.DataFrame, fault: Callable[[int, str], ValueError]) -> list[pl.Series]:
        """Who voted, for which board, and when, as numbers; and the counts."""
        nobody, never = np.full(rows.height, NOBODY, np.int32), np.full(rows.height, np.nan)
        judges, groups = self._counted.judges, self._counted.groups
        judge = judges.of(rows["judge"]) if "judge" in rows.columns else nobody
        if "judge" not in rows.columns and self._signs:
            judge = np.full(rows.height, judges.number(self._signature), np.int32)
        group = groups.of(rows["group"]) if "group" in rows.columns else nobody
        days = self._days.read(rows["date"], fault) if "date" in rows.columns else (never, never)
        return [
            pl.Series("judge", judge),
            pl.Series("group", group),
            *(pl.Series(f"day{order}", values) for order, values in enumerate(days)),
            rows["count"],
        ]

    @property
    def _signs(self) -> bool:
        """Whether the file itself is the judge."""
        return bool(self._signature) and self.layout.signed and "weight" not in self.layout.roles

    def _settled(self, rows: pl.DataFrame, a: float) -> pl.DataFrame:
        """The rows with what only the whole file tells: what A means, and which part of a date comes first."""
        day = self._days.order(self.name) if "date" in self.layout.roles else 0
        rows = rows.rename({f"day{day}": "day"}).drop(f"day{1 - day}")
        if "answer" in rows.columns:
            rows = rows.with_columns(answer=pl.col("answer").replace(EITHER, a))
        return together(rows)

    def _said(self, a: float) -> str:
        """What was taken for what."""
        roles = self.layout.roles
        parts = [*self._words.said(a), *(f"{count:,} {what} dropped" for what, count in self._dropped.items() if count)]
        what = self.layout.what or f"{self._total:,.10g} {'ballots' if 'order' in roles else 'votes'}"
        if "judge" in roles and self.layout.what:
            parts.append(f"{roles['judge']} says who voted")
        if "judge" not in roles and self._signs:
            parts.append(f"all by {self._signature}")
        start = f"{self.name}: " if self._signature else ""
        columns = ", ".join(column for role, column in roles.items() if role not in ("judge", "weight", "group"))
        return f"{start}{columns}: {what}" + (f"; {', '.join(parts)}" if parts else "")


def _signatures(files: Sequence[Table]) -> list[str]:
    """What each of several files is called as a judge: its name without the ending, or its path if names are alike."""
    if len(files) < 2:
        return [""] * len(files)
    names = [
        Path(file).name.partition(".")[0] if isinstance(file, (str, os.PathLike)) else f"table {place}"
        for place, file in enumerate(files, 1)
    ]
    return names if len(set(names)) == len(names) else [str(file) for file in files]


def _noticed(votes: Votes, layouts: Sequence[Layout]) -> list[str]:
    """Sentences on what may not be as it seems."""
    sentences = []
    alike: dict[str, list[str]] = {}
    for item in votes.items:
        alike.setdefault("".join(str(item).split()).casefold(), []).append(item)
    sets = [names for names in alike.values() if len(names) > 1]
    if sets:
        more = f" ({len(sets)} such sets)" if len(sets) > 1 else ""
        sentences.append(f"{listed(sets[0], 3)} differ only by case or spaces and are different items{more}.")
    if always_left(votes):
        count = f"{votes.counts[votes.answers != 0.5].sum():,.10g}"
        sentences.append(
            f"The left item won all {count} votes that somebody won, so its place cannot be told from its strength. "
            "Add --no-position if left is just where winners are written."
        )
    if len({layout.shown for layout in layouts}) > 1:
        sentences.append("Some files do not tell which item was shown first, so no position is fitted.")
    return sentences
