"""All that is worth saying of some votes: their board, boards of groups, and what was looked at beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ordain.votes.board import Leaderboard, board_of
from ordain.votes.cast_votes import Votes
from ordain.votes.circularity import Circularity, circularity
from ordain.votes.drift import Drift, drift, faded
from ordain.votes.held_out import MethodsCompared, compare_methods
from ordain.votes.judge_flips import flips
from ordain.votes.judges_table import JudgesTable, judges_table
from ordain.votes.methods import named
from ordain.votes.next_votes import NextVote, next_votes
from ordain.votes.points import Points

SUGGESTED = 10
"""So many further votes are named."""


@dataclass(frozen=True)
class Account:
    """The board of all votes, the boards of groups by name, and what was asked for beside them."""

    board: Leaderboard
    groups: dict[str, Leaderboard]
    circles: Circularity | None = None
    further: Sequence[NextVote] = ()
    compared: MethodsCompared | None = None
    judges: JudgesTable | None = None
    drifted: Drift | None = None

    @property
    def counted(self) -> str:
        """How many votes, by whom, on what."""
        judges = "" if self.voters is None else f" of {_many(self.voters, 'judge')}"
        return f"{_many(float(self.board.source.counts.sum()), 'vote')}{judges} on {_many(len(self.board), 'item')}."

    @property
    def voters(self) -> int | None:
        """How many judges voted; None where nobody signed."""
        votes = self.board.source
        return None if votes.judges is None or votes.clusters is None else len(np.unique(votes.clusters))

    @property
    def opening(self) -> list[str]:
        """The sentences before the board."""
        groups = [f"{name}: {sentence}" for name, board in self.groups.items() for sentence in board.sentences()[:1]]
        assumed = [] if self.board.method == "bradley_terry" else [str(named(self.board.method))]
        return [*groups, *self.board.sentences(), *assumed]

    @property
    def closing(self) -> list[str]:
        """The sentences after it."""
        circles = [] if self.circles is None else [str(self.circles)]
        drifted = [] if self.drifted is None else [str(self.drifted)]
        judges = [] if self.judges is None else [str(self.judges)]
        further = "; ".join(f"{vote.first} and {vote.second}" for vote in self.further)
        asked = [f"Further votes that would tell most: {further}."] if further else []
        two = flips(self.board.source, level=self.board.level)
        apart = [] if two is None else [str(two)]
        return [*self._tiers, *self.board.notices, *circles, *drifted, *apart, *judges, *asked]

    @property
    def _tiers(self) -> list[str]:
        """What tiers are, where there are several."""
        if self.board.fit is None or self.board.tier.max() == 1:
            return []
        return [
            "A tier ends before the first item surely below its first; items of different tiers may still be level."
        ]

    def rows(self, points: Points) -> list[dict[str, Any]]:
        """The rows of all boards, items as text; with groups the board of all votes is last, its group empty."""
        boards = [*self.groups.items(), ("", self.board)] if self.groups else [(None, self.board)]
        return [
            ({} if name is None else {"group": name}) | points.of_row(row | {"item": str(row["item"])})
            for name, board in boards
            for row in board.rows()
        ]

    def as_json(self, points: Points) -> dict[str, Any]:
        """Everything, as plain data."""
        two = flips(self.board.source, level=self.board.level)
        return {
            "flips": None if two is None else two.as_json(),
            "method": self.board.method,
            "level": self.board.level,
            "votes": float(self.board.source.counts.sum()),
            "judges_counted": self.voters,
            "sentences": [*self.opening, *self.closing],
            "board": self.rows(points),
            "circularity": None if self.circles is None else asdict(self.circles),
            "next_votes": [[str(vote.first), str(vote.second)] for vote in self.further],
            "drift": None if self.drifted is None else self.drifted.as_json(),
            "compared": None if self.compared is None else self.compared.as_json(),
            "judges": None if self.judges is None else self.judges.rows(),
        }


def account_of(
    votes: Votes,
    *,
    method: str = "bradley_terry",
    level: float = 0.95,
    position: bool = True,
    half_life: str | None = None,
    compare: bool = False,
    judged: bool = False,
    seed: int = 0,
) -> Account:
    """Make the boards, and look at what was asked for.

    Circles and further votes are those of all votes together, where a model was fitted to them.
    """
    drifted = None if votes.days is None else drift(votes, level=level, position=position, seed=seed)
    if drifted is not None and half_life is not None:
        votes = drifted.votes if half_life == "auto" else faded(votes, days_of(half_life))
    *groups, (_, whole) = votes.by_group()
    options: dict[str, Any] = {"method": method, "level": level, "position": position, "seed": seed}
    board = board_of(whole, **options)
    fit = board.fit
    return Account(
        board=board,
        groups={str(name): board_of(some, **options) for name, some in groups},
        circles=None if fit is None else circularity(whole, fit, seed=seed),
        further=() if fit is None else next_votes(whole, fit, count=SUGGESTED),
        compared=compare_methods(whole, level=level, position=position, seed=seed) if compare else None,
        judges=judges_table(whole, fit, level=level) if judged and fit is not None else None,
        drifted=drifted,
    )


def days_of(half_life: str) -> float:
    """A half-life as typed, in days.

    Examples
    --------
    >>> days_of("365")
    365.0
    """
    try:
        days = float(half_life)
    except ValueError:
        days = math.nan
    if not 0 < days < math.inf:
        raise ValueError(f"--half-life must be auto or a number of days above 0. Got {half_life!r}.")
    return days


def _many(count: float, what: str) -> str:
    return f"{count:,.10g} {what}{'s' * (count != 1)}"
