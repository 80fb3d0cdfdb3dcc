"""One file of votes, read in batches and counted.

Equal rows of a batch are counted together before anything is made of them, so that the time per vote is that of reading
and counting it. What only the whole file tells, such as whether A is away, is settled at its end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from ordain._types import Vector
from ordain.tables.batches import Batch, text_batches
from ordain.tables.frames import Table, name_of
from ordain.tables.header import BLANKS
from ordain.tables.messages import shown
from ordain.tables.reading import DATES, Reading
from ordain.votes.ballots import written_ballot
from ordain.votes.counted_votes import NOBODY, CountedVotes, Tally, together
from ordain.votes.exports import Layout, Named, layout_of
from ordain.votes.nested_exports import by_role, judged
from ordain.votes.outcomes import DROPPED, EITHER, Words
from ordain.votes.scored_outcomes import Fault, by_chance, by_ones, by_points, by_share, finite, weights
from ordain.votes.vote_days import Days

WEIGHTS = ("weight", "weights", "votes")
"""Columns that may say how many votes a row stands for, which only an option can tell."""


class VoteFile:
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
        if self.layout.unfold is judged and not self._ballots.rows.height:
            self.layout = replace(self.layout, shown=True)
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
        weighted = "weight" in self.layout.roles
        self._uncounted = [name for name in names if name.lower() in WEIGHTS and not weighted]
        self._words = Words(self._ties, self.layout.dropped, self.layout.home)
        usual = self._reading.dates or (DATES[0] if self.layout.home else None)
        self._days = Days(self.layout.roles.get("date", ""), usual)
        return self.layout.columns

    def _add(self, batch: Batch) -> None:
        """Count the votes of a batch."""
        for rows in _kinds(self._plain(batch)):
            if rows.height:
                self._add_rows(self._distinct(rows, batch), batch)

    def _add_rows(self, rows: pl.DataFrame, batch: Batch) -> None:
        """Count votes that are all ballots, or all on pairs."""
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
            return by_role(batch, roles)
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
                self._dropped["rows of weight 0"] += none
                rows = rows.filter(pl.col("weight") > 0)
            count = pl.col("weight").sum()
        return rows.group_by(pl.exclude("row", "weight")).agg(count=count, row=pl.col("row").min()).sort("row")

    def _fault_of(self, batch: Batch, rows: pl.DataFrame) -> Fault:
        return lambda index, text: batch.fault(int(rows["row"][index]), text)

    def _check_filled(self, cells: pl.Series, role: str, fault: Fault) -> None:
        """No name may be blank."""
        blank = (cells.str.strip_chars(BLANKS) == "").fill_null(value=True)
        if blank.any():
            what = {"left": "an item", "right": "an item", "order": "a ballot", "judge": "who voted"}
            must = f"column {self.layout.roles.get(role, role)!r} must hold {what.get(role, f'a {role}')}"
            raise fault(int(blank.arg_max() or 0), f"{must}. Got an empty cell. Fill it in, or remove the row.")

    def _add_pairs(self, rows: pl.DataFrame, batch: Batch, fault: Fault) -> None:
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

    def _answers(self, rows: pl.DataFrame, sides: tuple[Vector, Vector], batch: Batch, fault: Fault) -> Vector:
        """Who won, by whichever columns say so."""
        roles = self.layout.roles
        if self.layout.left_won:
            return np.ones(rows.height)
        if "left_score" in roles:
            return by_points(*(finite(rows[side], roles[side], fault) for side in ("left_score", "right_score")))
        if "one_left" in roles:
            ones = [rows[role].alias(column) for role, column in roles.items() if role.startswith("one_")]
            return by_ones(ones, fault)
        if "share" in rows.columns:
            return by_share(rows["share"], "p_left", fault)
        if "chance" in roles:
            answers = by_chance(rows["chance"], roles["chance"], fault)
            self._dropped["rows without a preference"] += int(rows["count"].to_numpy()[answers == DROPPED].sum())
            return answers
        return self._by_words(rows, sides, batch)

    def _by_words(self, rows: pl.DataFrame, sides: tuple[Vector, Vector], batch: Batch) -> Vector:
        """Who won, by the names and words of one column."""
        winner = rows["winner"].fill_null("")
        values = winner.unique(maintain_order=True)
        places = winner.replace_strict(values, np.arange(len(values)), return_dtype=pl.Int64).to_numpy()
        named = np.array([self._counted.items.known.get(value, NOBODY) for value in values])
        column = self.layout.roles.get("winner", "winner")

        def where(index: int) -> str:
            return f"{batch.where(int(rows['row'][index]))}: column {column!r}"

        return self._words.answers(sides, places, values.to_list(), named, rows["count"].to_numpy(), where)

    def _add_ballots(self, rows: pl.DataFrame, fault: Fault) -> None:
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

    def _aside(self, rows: pl.DataFrame, fault: Fault) -> list[pl.Series]:
        """Who voted, for which board, and when, as numbers, where the file says so; and the counts."""
        found = [rows["count"]]
        for role, numbering in (("judge", self._counted.judges), ("group", self._counted.groups)):
            if role in rows.columns:
                found.append(pl.Series(role, numbering.of(rows[role])))
        if "date" in rows.columns:
            days = self._days.read(rows["date"], fault)
            found += [pl.Series(f"day{order}", values) for order, values in enumerate(days)]
        return found

    @property
    def _signs(self) -> bool:
        """Whether the file itself is the judge."""
        roles = self.layout.roles
        return bool(self._signature) and self.layout.signed and "weight" not in roles and "judge" not in roles

    def _settled(self, rows: pl.DataFrame, a: float) -> pl.DataFrame:
        """The rows with what only the whole file tells: what A means, which part of a date comes first, who signs."""
        day = f"day{self._days.order(self.name)}" if "date" in self.layout.roles else None
        signature = self._counted.judges.number(self._signature) if self._signs else NOBODY
        what = [pl.col("ballot")] if "ballot" in rows.columns else [pl.col("left", "right", "answer")]
        rows = rows.select(
            *what,
            judge="judge" if "judge" in rows.columns else pl.lit(signature, pl.Int32),
            group="group" if "group" in rows.columns else pl.lit(NOBODY, pl.Int32),
            day=day or pl.lit(float("nan")),
            count="count",
        )
        if "answer" in rows.columns:
            rows = rows.with_columns(pl.col("answer").replace(EITHER, a))
        return together(rows)

    def _said(self, a: float) -> str:
        """What was taken for what."""
        roles = self.layout.roles
        dropped = (f"dropped {what}: {count:,}" for what, count in sorted(self._dropped.items()) if count)
        parts = [*self._words.said(a), *dropped]
        what = self.layout.what or f"{self._total:,.10g} {'ballots' if 'order' in roles else 'votes'}"
        if "judge" in roles and self.layout.what:
            parts.append(f"{roles['judge']} says who voted")
        if self._signs:
            parts.append(f"all by {self._signature}")
        parts += [f"{name} left aside (--weight {name} would count it)" for name in self._uncounted]
        start = f"{self.name}: " if self._signature else ""
        columns = dict.fromkeys(column for role, column in roles.items() if role not in ("judge", "weight", "group"))
        return f"{start}{', '.join(columns)}: {what}" + (f"; {', '.join(parts)}" if parts else "")


def _kinds(rows: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The rows, or, where a file has both, ballots and votes on pairs apart."""
    if not {"order", "left"} <= set(rows.columns):
        yield rows
        return
    yield rows.filter(pl.col("order").is_not_null()).drop("left", "right", "share")
    yield rows.filter(pl.col("order").is_null()).drop("order")
