"""Who beat whom, in the order of a ranking, drawn: what goes against the order stands below the diagonal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordain._types import Vector
from ordain.report import drawing

MOST = 30
"""Items that are drawn."""


@dataclass
class TournamentDisplay:
    """The share of votes that each row's item won against each column's, both in ranked order.

    A ring marks a pair in which the lower item won more often: every circle of three has one at least.

    Parameters
    ----------
    wins : array of shape (n_items, n_items)
        How often the row's item beat the column's, a tie counting half; in ranked order.
    names : sequence
        The items.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> wins = np.array([[0, 3, 1], [1, 0, 4], [3, 0, 0]])
    >>> display = TournamentDisplay(wins, "abc").plot(Figure().subplots())
    >>> display.upsets, display.circles
    ([(2, 0)], [(0, 1, 2)])
    """

    wins: Vector
    names: Sequence[Any]

    @classmethod
    def from_votes(cls, votes: Any, order: Vector, *, ax: Any = None) -> TournamentDisplay:
        """Draw votes, the items in an order."""
        return cls(wins_in_order(votes, order), [votes.items[item] for item in order[:MOST]]).plot(ax)

    @classmethod
    def from_board(cls, board: Any, *, ax: Any = None) -> TournamentDisplay:
        """Draw the votes behind a board that `ordain.leaderboard` gave."""
        return cls.from_votes(board.source, board.order, ax=ax)

    @property
    def shares(self) -> Vector:
        """The share won of each pair, NaN where two were not compared."""
        total = self.wins + self.wins.T
        return np.divide(self.wins, total, out=np.full(total.shape, np.nan), where=total > 0)

    @property
    def upsets(self) -> list[tuple[int, int]]:
        """Pairs (lower, higher) in which the lower one won more often."""
        lower, higher = np.nonzero(np.tril(np.nan_to_num(self.shares) > 0.5, -1))
        return list(zip(lower.tolist(), higher.tolist(), strict=True))

    @property
    def circles(self) -> list[tuple[int, int, int]]:
        """Triples in which each beat the next more often, and the last the first."""
        beats = np.nan_to_num(self.shares) > 0.5
        n = len(beats)
        found = {tuple(sorted((a, b, c))) for c, a in self.upsets for b in range(n) if (beats[a, b] and beats[b, c])}
        return sorted(found)  # type: ignore[arg-type]

    def plot(self, ax: Any = None) -> TournamentDisplay:
        """Draw on axes, new ones unless given; they are in `ax_` then."""
        n = len(self.wins)
        size = max(2.6, 0.23 * n + 1.6)
        with drawing.styled():
            self.ax_ = drawing.axes_of(ax, size, size)
            shares = self.shares
            for row, column in zip(*np.nonzero(~np.isnan(shares)), strict=True):
                share = float(shares[row, column])
                color = drawing.FIRST if share >= 0.5 else drawing.SECOND
                weight = 0.06 + 0.84 * abs(2 * share - 1)
                at = (column - 0.47, row - 0.47)
                self.ax_.add_patch(_square(at, color, weight))
            for lower, higher in self.upsets:
                self.ax_.plot([higher], [lower], "o", markerfacecolor="none", color=drawing.INK, markersize=5)
            labels = [drawing.drawn_name(name, 18) for name in self.names]
            self.ax_.set_yticks(range(n), labels, parse_math=False)
            self.ax_.set_xticks(range(n), labels, rotation=90, parse_math=False)
            self.ax_.xaxis.tick_top()
            self.ax_.tick_params(length=0)
            self.ax_.set(xlim=(-0.6, n - 0.4), ylim=(n - 0.4, -0.6))
            self.ax_.set_aspect("equal")
            self.ax_.spines[:].set_visible(False)
        return self


def wins_in_order(votes: Any, order: Vector, most: int = MOST) -> Vector:
    """How often each of the first items beat each other one, in an order."""
    place = np.full(len(votes.items), most)
    place[order[:most]] = np.arange(len(order[:most]))
    left, right = place[votes.left], place[votes.right]
    size = min(most, len(order))
    inside = (left < size) & (right < size)
    wins = np.zeros((size, size))
    counts = votes.weights[inside]
    np.add.at(wins, (left[inside], right[inside]), counts * votes.answers[inside])
    np.add.at(wins, (right[inside], left[inside]), counts * (1 - votes.answers[inside]))
    return wins


def _square(at: tuple[float, float], color: str, weight: float) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle(at, 0.94, 0.94, facecolor=color, alpha=weight, linewidth=0)
