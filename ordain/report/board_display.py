"""A board as dots with intervals, and the ranks each item may have, drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scipy.special import ndtri

from ordain.report import drawing
from ordain.report.dots import Dot, draw_dots

MOST = 40
"""Items that are drawn."""


@dataclass
class LeaderboardDisplay:
    """The scores of items with their intervals, from the best down, and the ranks that each may have.

    Parameters
    ----------
    rows : sequence of dict
        As :meth:`ordain.Leaderboard.rows` gives them: `item`, `score`, `standard_error`, `rank_low`, `rank_high`.
    level : float
        Confidence of the intervals of the scores, each by itself; the ranks hold together at that of the board.

    Examples
    --------
    >>> import ordain
    >>> from matplotlib.figure import Figure
    >>> board = ordain.leaderboard(["x", "x", "y"] * 9, ["y", "z", "z"] * 9, ["x", "x", "y"] * 9)
    >>> display = LeaderboardDisplay.from_board(board, ax=Figure().subplots())
    >>> [dot.name for dot in display.dots]
    ['1 x', '2 y', '3 z']
    """

    rows: Sequence[dict[str, Any]]
    level: float = 0.95

    @classmethod
    def from_board(cls, board: Any, *, ax: Any = None) -> LeaderboardDisplay:
        """Draw a board that `ordain.leaderboard` gave."""
        return cls(board.rows(), board.level).plot(ax)

    @property
    def dots(self) -> list[Dot]:
        """The first items that have scores; a line shows where the true score may be."""
        known = [row for row in self.rows if row["score"] is not None][:MOST]
        z = float(ndtri((1 + self.level) / 2))
        errors = [row["standard_error"] if row["standard_error"] is not None else float("nan") for row in known]
        return [
            Dot(
                f"{row['rank']} {drawing.drawn_name(row['item'])}",
                row["score"],
                row["score"] - z * error,
                row["score"] + z * error,
                row["rank_low"] == 1,
            )
            for row, error in zip(known, errors, strict=True)
        ]

    def plot(self, ax: Any = None) -> LeaderboardDisplay:
        """Draw on axes, new ones unless given; they are in `ax_` then. Items that may be first stand out."""
        dots = self.dots
        known = [row for row in self.rows if row["score"] is not None][:MOST]
        with drawing.styled():
            self.ax_ = drawing.axes_of(ax, 6.0, 0.9 + 0.26 * len(dots))
            draw_dots(self.ax_, dots, label="score")
            for place, row in enumerate(reversed(known)):
                if row["rank_low"] is not None:
                    ranks = f"{row['rank_low']:.0f}–{row['rank_high']:.0f}"
                    right = self.ax_.get_yaxis_transform()
                    self.ax_.text(1.02, place, ranks, transform=right, va="center", fontsize=8, color=drawing.MUTED)
            if any(row["rank_low"] is not None for row in known):
                self.ax_.set_title("ranks each may have, at the right", loc="right", fontsize=8, color=drawing.MUTED)
        return self
