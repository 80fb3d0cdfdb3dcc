"""Which export of votes a table is, told by the names of its columns: which column is what.

Each export is a line of a table: what it is, and the columns it must have. Names are looked at in lower case. The first
line that fits is taken, and what was taken for what is said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

import polars as pl

from ordain.tables.batches import Batch
from ordain.tables.messages import listed

Unfold = Callable[[Batch, Mapping[str, str]], pl.DataFrame]
"""Makes plain rows of a batch: one column for each role, and `row`, the row of the batch that it comes from."""


@dataclass(frozen=True)
class Layout:
    """What the columns of a table of votes are.

    Parameters
    ----------
    what : str
        What the table is, in a message; empty where options said it.
    roles : dict
        Role → column: left, right, winner, left_score, right_score, order, …, weight, judge, group, date.
    shown : bool
        Whether left and right are the order in which the two were shown.
    left_won : bool
        Whether the left column is the winners'.
    dropped : tuple
        Words for votes that say nothing.
    home : bool
        Whether the left one plays at home: A is the other one, and dates are written with the day first.
    signed : bool
        Whether a file that names no voter may be one voter's; results of matches and elections are not.
    unfold : function, optional
        What makes plain rows of nested ones.
    """

    what: str = ""
    roles: Mapping[str, str] = field(default_factory=dict)
    shown: bool = True
    left_won: bool = False
    dropped: tuple[str, ...] = ()
    home: bool = False
    signed: bool = True
    unfold: Unfold | None = None

    @property
    def columns(self) -> list[str]:
        """The columns it needs."""
        return list(dict.fromkeys(self.roles.values()))


@dataclass(frozen=True)
class Named:
    """The columns that options named; None where they did not."""

    left: str | None = None
    right: str | None = None
    winner: str | None = None
    loser: str | None = None
    left_score: str | None = None
    right_score: str | None = None
    order: str | None = None
    weight: str | None = None
    judge: str | None = None
    group: str | None = None
    date: str | None = None

    @property
    def roles(self) -> dict[str, str]:
        """Role → column, of those that were named."""
        return {one.name: column for one in fields(self) if (column := getattr(self, one.name)) is not None}


ASIDE = ("weight", "judge", "group", "date")
"""What may be said of any vote."""

WAYS = {
    frozenset(("left", "right", "winner")): Layout(),
    frozenset(("left", "right", "left_score", "right_score")): Layout(),
    frozenset(("winner", "loser")): Layout(shown=False, left_won=True),
    frozenset(("order",)): Layout(shown=False, signed=False),
}
"""The ways of naming who won."""

_HOW = "--left, --right and --winner; --left, --right, --left-score and --right-score; --winner and --loser; or --order"


def layout_of(name: str, names: Sequence[str], named: Named) -> Layout:
    """What the columns of a table are, by what was named, and else by what is known."""
    aside = {role: column for role, column in named.roles.items() if role in ASIDE}
    outcome = {role: column for role, column in named.roles.items() if role not in ASIDE}
    if outcome:
        found = _asked(outcome)
    else:
        raise ValueError(
            f"{name} must hold votes in a form that is known. Got the columns {listed(names, 8)}. Name them: {_HOW}."
        )
    return replace(found, roles=dict(found.roles) | aside)


def _asked(outcome: dict[str, str]) -> Layout:
    """The layout that options ask for."""
    found = WAYS.get(frozenset(outcome))
    if found is None:
        got = ", ".join(f"--{role.replace('_', '-')}" for role in outcome)
        raise ValueError(f"who won must be named in one way: {_HOW}. Got {got}.")
    if found.left_won:
        outcome = {"left": outcome["winner"], "right": outcome["loser"]}
    return replace(found, roles=outcome)
