"""Precision and recall along a ranked list, with their intervals, drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ordain._checks import check_labels, check_scores
from ordain._types import Labels, Scores, Vector
from ordain.evaluation.along_list import AlongList, along_list
from ordain.report import drawing
from ordain.report.estimator_scores import scores_of

STEPS = 120
"""Lengths of the list at which it is looked at, at most."""


def lengths(scores: Vector, most: int = STEPS) -> Vector:
    """Lengths of the list, more of them at its top, none of which cuts rows of equal score apart.

    Examples
    --------
    >>> lengths(np.array([3.0, 2, 2, 1]))
    array([1, 3, 4])
    """
    ranked = np.sort(scores)[::-1]
    whole = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]) + 1, len(ranked))
    wanted = np.unique(np.geomspace(1, len(ranked), most).round().astype(int))
    return np.unique(whole[np.minimum(np.searchsorted(whole, wanted), len(whole) - 1)])


@dataclass
class TopOfListDisplay:
    """How many of the first k rows are positive, and how many of the positives they hold, as k grows.

    Parameters
    ----------
    along : AlongList
        The figures with their intervals, each for its own k.
    prevalence : float
        The share of positives in all rows: what a list in any order would hold.
    level : float
        Confidence of each interval.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> axes, rng = Figure().subplots(), np.random.default_rng(0)
    >>> labels = np.arange(200) % 2
    >>> display = TopOfListDisplay.from_predictions(labels, labels + rng.normal(size=200), ax=axes)
    >>> display.along.k[-1], display.prevalence
    (np.int64(200), 0.5)
    """

    along: AlongList
    prevalence: float
    level: float = 0.95

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels,
        y_score: Scores,
        *,
        level: float = 0.95,
        positive: Any = None,
        clusters: Any = None,
        ax: Any = None,
    ) -> TopOfListDisplay:
        """Draw the figures of labels and scores; `clusters` are rows of one person or unit."""
        mask = check_labels(y_true, positive)
        scores = check_scores(y_score, len(mask))
        along = along_list(mask, scores, lengths(scores), level=level, clusters=clusters)
        return cls(along, float(mask.mean()), level).plot(ax)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Labels, *, ax: Any = None, **options: Any) -> TopOfListDisplay:
        """Draw the figures of what a fitted estimator gives to rows."""
        return cls.from_predictions(y, scores_of(estimator, X), ax=ax, **options)

    def plot(self, ax: Any = None) -> TopOfListDisplay:
        """Draw on axes, new ones unless given; they are in `ax_` then."""
        found = self.along
        with drawing.styled():
            self.ax_ = drawing.axes_of(ax, 6.0, 3.4)
            drawing.plain(self.ax_)
            self.ax_.axhline(self.prevalence, color=drawing.MUTED, linewidth=0.9, linestyle=(0, (2, 3)))
            for name, color in (("precision", drawing.FIRST), ("recall", drawing.SECOND)):
                low, high = getattr(found, f"{name}_low"), getattr(found, f"{name}_high")
                known = ~np.isnan(low)
                self.ax_.fill_between(found.k[known], low[known], high[known], color=color, alpha=0.16, linewidth=0)
                self.ax_.plot(found.k, getattr(found, name), color=color, linewidth=1.8, label=name)
            self.ax_.set(xlabel="first k rows of the list", ylim=(0, 1.02), xlim=(max(1, found.k[0]), found.k[-1]))
            self.ax_.set_xscale("log")
            self.ax_.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
            drawing.percent_axis(self.ax_.yaxis)
            self.ax_.legend(loc="best")
        return self
