"""Scores in points, as chess players know them: so many for odds of ten to one, one item having a given number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ordain._near import did_you_mean
from ordain.votes.board import Leaderboard


@dataclass(frozen=True)
class Points:
    """score ↦ factor · score + shift; scores are natural logarithms of odds.

    Examples
    --------
    >>> Points(400 / math.log(10), 1000).of_row({"score": math.log(10), "standard_error": 0.1})["score"]
    1400.0
    """

    factor: float = 1.0
    shift: float = 0.0

    def of_row(self, row: dict[str, Any]) -> dict[str, Any]:
        """A row of a board in points; a method without scores, or without errors, has no points for them."""
        changed = dict(row)
        if row["score"] is not None:
            changed["score"] = self.factor * row["score"] + self.shift
        if row["standard_error"] is not None:
            changed["standard_error"] = self.factor * row["standard_error"]
        return changed


def points_of(board: Leaderboard, scale: float | None, anchor: str | None) -> Points:
    """Points as typed: `scale` of them for odds of ten to one, `anchor` is NAME=X; without it the mean has none."""
    if scale is None and anchor is None:
        return Points()
    if scale is None or not 0 < scale < math.inf:
        raise ValueError(f"--scale must be a number above 0, also where --anchor is given. Got {scale}. Elo's is 400.")
    if board.fit is None:
        raise ValueError(f"--scale is for scores that are odds. Got --method {board.method}. Use bradley_terry.")
    factor = scale / math.log(10)
    if anchor is None:
        return Points(factor)
    name, _, value = anchor.rpartition("=")
    names = [str(item) for item in board.items]
    if name not in names or not _is_number(value):
        hint = did_you_mean(name, names) or f" Write {names[0]}=1000, say."
        raise ValueError(f"--anchor must be an item of the board and a number, NAME=X. Got {anchor!r}.{hint}")
    return Points(factor, float(value) - factor * float(board.scores[names.index(name)]))


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
