"""A board: items from the best down, how sure each score is, which ranks each may have, and who may be level.

The scores are those of :mod:`ordain.rank.bradley_terry`, spread and lapses fitted, and the position where the votes
say in which order two items were shown. Items that no chain of votes links are in different parts: each part has ranks
and tiers of its own, and a mean score of zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ordain._checks import check_share
from ordain._types import Vector
from ordain.rank.blended.doubted import Doubted
from ordain.rank.blended.known_features import given_features
from ordain.rank.blended.learned import learned
from ordain.rank.bradley_terry.noise import Noise, won
from ordain.rank.bradley_terry.posterior import BradleyTerry
from ordain.tables.plain_rows import plain_rows
from ordain.votes import board_shown
from ordain.votes.cast_votes import Votes
from ordain.votes.learned_ranks import learned_ranks
from ordain.votes.linked_parts import parts
from ordain.votes.methods import Ranked, ranked
from ordain.votes.rank_intervals import ranks
from ordain.votes.sandwich import FEW, Errors, errors_of
from ordain.votes.vote_arrays import votes_of
from ordain.votes.win_chains import beaten_by
from ordain.votes.win_chance import WinChance

CLEAR = 2.0
"""A side is said to matter from so many standard errors on."""


@dataclass(frozen=True)
class Leaderboard:
    """What votes say of the items, from the best down, one part after the other; all arrays are in this order.

    `order` is the items' numbers in `source`, the votes. `part`, `rank` and `tier` count from 1. `chance` is that of
    beating an average item of the part. What a method has no value for is NaN. `notices` are sentences to be read.

    Examples
    --------
    >>> board = leaderboard(["ant", "ant", "bee"], ["bee", "cat", "cat"], ["ant", "ant", "tie"])
    >>> board.items[0], board.wins.tolist()
    ('ant', [2, 0, 0])
    """

    items: tuple[Any, ...]
    order: Vector
    part: Vector
    rank: Vector
    tier: Vector
    scores: Vector
    standard_errors: Vector
    rank_low: Vector
    rank_high: Vector
    wins: Vector
    losses: Vector
    ties: Vector
    votes: Vector
    chance: Vector
    method: str
    level: float
    source: Votes = field(repr=False)
    fit: BradleyTerry | None = field(default=None, repr=False)
    errors: Errors | None = field(default=None, repr=False)
    notices: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.items)

    def rows(self) -> list[dict[str, Any]]:
        """A dictionary for each item, from the best down; None where the method has no value."""
        columns: dict[str, Any] = {
            "rank": self.rank, "item": self.items, "part": self.part, "tier": self.tier, "score": self.scores,
            "standard_error": self.standard_errors, "rank_low": self.rank_low, "rank_high": self.rank_high,
            "wins": self.wins, "losses": self.losses, "ties": self.ties, "votes": self.votes, "chance": self.chance,
        }  # fmt: skip
        return plain_rows(columns)

    def may_be_first(self, part: int = 1) -> tuple[Any, ...]:
        """The items of a part that may be its first, from the best score down."""
        first = np.flatnonzero((self.part == part) & (self.rank_low == 1))
        return tuple(self.items[place] for place in first)

    def win_chance(self, a: Any, b: Any) -> WinChance:
        """The chance that `a` beats `b`, whoever is shown first, with an interval at the level of the board.

        The interval is that of the difference of their scores, with as few lapses as the votes allow. The difference
        has no end where no chain of wins leads from the weaker item to the stronger, as where that one never lost: no
        strength is too great for the votes.

        Examples
        --------
        >>> one = np.ones(4)
        >>> votes = Votes(("a", "b", "c"), np.array([0, 0, 1, 2]), np.array([1, 2, 2, 1]), one, one, one, one)
        >>> print(board_of(votes, position=False).win_chance("a", "c"))
        a beats c with chance 0.51, 95% confidence interval 0.02 to 1.00.
        """
        if self.fit is None or self.errors is None:
            raise ValueError(f"{self.method} gives no chances. Use bradley_terry.")
        first, second = self._number(a), self._number(b)
        if self.errors.parts[first] != self.errors.parts[second]:
            raise ValueError(f"{a!r} and {b!r} cannot be compared, as no chain of votes links them. Add votes that do.")
        difference = self.fit.scores[first] - self.fit.scores[second]
        share = (1 + self.level) / 2
        half = self.errors.quantile(share) * np.sqrt(self.errors.of_difference(first, second))
        middle = self.errors.fit.scores[first] - self.errors.fit.scores[second]
        low = min(difference, middle - half) if beaten_by(self.source, first)[second] else -np.inf
        high = max(difference, middle + half) if beaten_by(self.source, second)[first] else np.inf
        lapses = self.fit.lapse, self.errors.least_lapse(share)
        bottom = min(_chance(low, lapse) for lapse in lapses)
        top = max(_chance(high, lapse) for lapse in lapses)
        return WinChance(a, b, _chance(difference, self.fit.lapse), bottom, top, self.level)

    def _number(self, item: Any) -> int:
        if item not in self.source.items:
            raise ValueError(f"there is no item {item!r} on the board. Its items are named as in the votes.")
        return self.source.items.index(item)

    def __str__(self) -> str:
        return board_shown.text(self.sentences(), self.rows(), self.notices)

    def _repr_html_(self) -> str:
        return board_shown.html(self.sentences(), self.rows(), self.notices)

    def sentences(self) -> list[str]:
        """Who may be first in each of the first parts; whom the top is ahead of and what a place is worth in the first.

        And what the left side is worth, where that is clear.
        """
        if self.fit is None:
            return []
        shown = [part for part in np.unique(self.part) if np.count_nonzero(self.part == part) > 1][: board_shown.NAMED]
        of = [f" of part {part}" if len(np.unique(self.part)) > 1 else "" for part in shown]
        said = [
            board_shown.who_may_be_first(self.may_be_first(part), self.level, where)
            for part, where in zip(shown, of, strict=True)
        ]
        scores = self.scores[self.part == 1]
        gap = (scores[0] - scores[-1]) / max(len(scores) - 1, 1)
        worth = f"{100 * _chance(gap, self.fit.lapse):.0f} times in 100"
        said.append(f"An item beats the next one {worth} on average{' in part 1' if len(of) > 1 else ''}.")
        if self.rank_high[0] > 1:
            behind, others = len(scores) - int(self.rank_high[0]), len(scores) - 1
            said.insert(1, f"{self.items[0]}, on top, is surely ahead of {behind} of {others} others.")
        return said + ([self._side()] if abs(self.fit.position) > CLEAR * self.fit.position_error > 0 else [])

    def _side(self) -> str:
        """What standing left is worth."""
        chance = 0.5 if self.fit is None else _chance(self.fit.position, self.fit.lapse)
        return f"Of two items alike the left one wins {100 * chance:.0f} times in 100; the scores allow for that."


def board_of(
    votes: Votes, *, method: str = "bradley_terry", level: float = 0.95, position: bool = True, seed: int = 0
) -> Leaderboard:
    """The board of recorded votes.

    Parameters
    ----------
    votes : Votes
        Who was compared with whom, how often and by whom, and who won.
    method : str
        How the items are ordered.
    level : float
        Confidence of the intervals of ranks, of all of them together.
    position : bool
        Fit what it is worth to be shown first, where the votes say who was.
    seed : int
        Of the draws behind the intervals of ranks.

    Examples
    --------
    >>> one = np.ones(4)
    >>> votes = Votes(("a", "b", "c"), np.array([0, 0, 1, 2]), np.array([1, 2, 2, 1]), one, one, one, one)
    >>> board_of(votes).items
    ('a', 'b', 'c')
    """
    check_share(level, "level")
    if not len(votes):
        raise ValueError("there must be a vote to make a board of. Got none. Is the file right?")
    of, found = parts(votes), ranked(votes, method, position=position, seed=seed)
    if found.fit is None:
        return _plain_board(votes, found, of, level)
    errors = errors_of(found.fit, votes, of)
    order = np.lexsort((np.arange(len(of)), -found.fit.scores, of))
    low, high, tier = ranks(votes, order, errors, level, seed)
    return Leaderboard(
        **_counted(votes, order, of),
        tier=tier,
        scores=found.fit.scores[order],
        standard_errors=errors.standard_errors[order],
        rank_low=low,
        rank_high=high,
        chance=won(found.fit.scores[order], Noise(found.fit.spread, found.fit.lapse)),
        method=method,
        level=level,
        source=votes,
        fit=found.fit,
        errors=errors,
        notices=tuple(_notices(votes, of, errors)),
    )


def leaderboard(
    left: Any = None,
    right: Any = None,
    winner: Any = None,
    *,
    orders: Any = None,
    weights: Any = None,
    judges: Any = None,
    method: str = "bradley_terry",
    level: float = 0.95,
    position: bool = True,
    features: Mapping[Any, Any] | None = None,
) -> Leaderboard:
    """The board of votes given as columns: who is better, how sure, and who cannot be told apart.

    Items that no chain of votes links are in different parts, each with ranks of its own. All ranks lie within their
    `rank_low` and `rank_high` together, at the level asked; items of different tiers need not all be told apart.

    Parameters
    ----------
    left, right : columns of hashables
        The two items of each vote, in the order shown.
    winner : column
        The name of one of them, or a word such as left, right, a, b or tie.
    orders : sequence of sequences, optional
        Ballots instead of the three: items from the best to the worst, lists in them are ties.
    weights : column of numbers, optional
        How many votes each row stands for: of as many people, or of its judge.
    judges : column of hashables, optional
        Who voted. Votes of one judge belong together, and errors hold that.
    method : str
        ``bradley_terry``, ``degree``, ``feedback_arc_set`` or ``quicksort``. Only the first knows errors.
    level : float
        Confidence, in (0, 1).
    position : bool
        Fit what it is worth to be shown first. Say False if left and right are not the order shown.
    features : mapping of an item to its numbers, optional
        What is known of every item of the votes, and of more: features and items are then one model, also items without
        a vote are ranked, and a notice says whether the features helped. `method` must be ``bradley_terry``; what the
        first place is worth is fitted. Judges are not told apart.

    Examples
    --------
    >>> board = leaderboard(["x", "x", "y", "z"] * 20, ["y", "z", "z", "x"] * 20, ["x", "x", "y", "x"] * 20)
    >>> board.items, board.wins.tolist(), board.tier.tolist()
    (('x', 'y', 'z'), [60, 20, 0], [1, 1, 2])
    >>> print(leaderboard(orders=[["x", "y", "z"], ["x", ["y", "z"]]], method="degree"))
    rank  item  ranks  tier  score  wins  losses  ties  chance
       1  x                  +1.00     4       0     0
       2  y                  +0.38     1       2     1
       3  z                  +0.12     0       3     1

    >>> sizes = {name: [float(place)] for place, name in enumerate("abcdefgh")}
    >>> board = leaderboard(list("bcfafd") * 9, list("adedbf") * 9, list("bdfdff") * 9, features=sizes)
    >>> board.items[0], board.notices
    ('h', ('The features helped: with them the answers are e^3.4 times likelier than with items alone.',))
    """
    votes = votes_of(left, right, winner, orders=orders, weights=weights, judges=judges)
    if features is not None:
        return _learned_board(votes, features, method, level)
    return board_of(votes, method=method, level=level, position=position)


def _learned_board(votes: Votes, features: Mapping[Any, Any], method: str, level: float) -> Leaderboard:
    """The board by features and items in one model."""
    if method != "bradley_terry":
        raise ValueError(f"method must be bradley_terry where features are given. Got {method!r}. Leave one out.")
    check_share(level, "level")
    lacking = [item for item in votes.items if item not in features]
    if lacking:
        raise ValueError(f"features must have every item of the votes. It lacks {len(lacking)}, as {lacking[0]!r}.")
    every = tuple(dict.fromkeys((*votes.items, *features)))
    votes, known = replace(votes, items=every), given_features([features[one] for one in every], len(every))
    found = learned(votes.pairs, votes.answers, known, votes.weights)
    order, scores = found.order, found.scores[found.order]
    doubted, scored = Doubted.of(found.model), order[: np.count_nonzero(~np.isnan(scores))]
    errors = np.where(np.isnan(scores), np.nan, doubted.standard_errors[order])
    low, high, tier = learned_ranks(len(order), doubted.by_each(scored), level)
    return Leaderboard(
        **_counted(votes, order, np.zeros(len(every), dtype=np.intp)),
        tier=tier,
        scores=scores,
        standard_errors=errors,
        rank_low=low,
        rank_high=high,
        chance=won(scores, Noise(1.0, found.model.spreads.lapse)),
        method="features",
        level=level,
        source=votes,
        notices=(str(found),),
    )


def _plain_board(votes: Votes, found: Ranked, of: Vector, level: float) -> Leaderboard:
    """The board of a method that knows no errors: what it has no value for is NaN."""
    order = found.order[np.argsort(of[found.order], kind="stable")]
    none = np.full(len(of), np.nan)
    return Leaderboard(
        **_counted(votes, order, of),
        tier=none,
        scores=none if found.scores is None else found.scores[order],
        standard_errors=none,
        rank_low=none,
        rank_high=none,
        chance=none,
        method=found.method,
        level=level,
        source=votes,
        notices=(*_notices(votes, of), *([found.notice] if found.notice else [])),
    )


def _counted(votes: Votes, order: Vector, of: Vector) -> dict[str, Any]:
    """What every method's board has: who is in which part, at which rank, and what was voted."""
    n, counts = len(of), votes.counts

    def of_each(rows_left: Vector, rows_right: Vector) -> Vector:
        left = np.bincount(votes.left, counts * rows_left, n)
        total = (left + np.bincount(votes.right, counts * rows_right, n))[order]
        return total.astype(np.int64) if (total == total.round()).all() else total

    won, lost, tied = votes.answers > 0.5, votes.answers < 0.5, votes.answers == 0.5
    starts = np.append(0, np.cumsum(np.bincount(of)))
    return {
        "items": tuple(votes.items[item] for item in order),
        "order": order,
        "part": 1 + of[order],
        "rank": 1 + np.arange(n) - starts[of[order]],
        "wins": of_each(won, lost),
        "losses": of_each(lost, won),
        "ties": of_each(tied, tied),
        "votes": of_each(np.ones(len(votes)), np.ones(len(votes))),
    }


def _notices(votes: Votes, of: Vector, errors: Errors | None = None) -> list[str]:
    found = []
    if len(np.unique(of)) > 1:
        found.append(
            f"{len(np.unique(of))} parts: no chain of votes links their items, so they are ranked apart and their "
            "scores must not be compared."
        )
    if errors is None:
        return found
    if votes.judges is not None and votes.clusters is not None and errors.judges == 0:
        found.append("One judge gave all votes: they count as independent, and say nothing of what others would say.")
    if 1 < errors.judges < FEW:
        found.append(
            f"Only {errors.judges} judges: errors are those of independent votes times one design effect, with "
            f"t on {errors.judges - 1} degrees of freedom. From {FEW} judges on each item has its own."
        )
    return found


def _chance(difference: float, lapse: float) -> float:
    """The chance to win by the difference of the scores."""
    return float(won(np.array(difference), Noise(1.0, lapse)))
