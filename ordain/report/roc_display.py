"""The ROC curve with its band, drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ordain._types import Labels, Scores
from ordain.bounds.interval import auc_interval
from ordain.bounds.roc_band import RocBand, roc_band
from ordain.certificate import Interval
from ordain.report import drawing
from ordain.report.estimator_scores import scores_of

DRAWN = np.unique(
    np.concatenate((np.linspace(0, 1, 161), np.geomspace(1e-4, 0.5, 60), 1 - np.geomspace(1e-4, 0.5, 60)))
)
"""False positive rates at which a curve is drawn."""


@dataclass
class RocDisplay:
    """The ROC curve of a ranking, with a band that holds all of the true curve at once.

    Parameters
    ----------
    band : RocBand
        Curve and band.
    auc : float
        The area under the curve.
    interval : Interval, optional
        That of the AUC.
    name : str, optional
        Whose curve it is.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> axes, rng = Figure().subplots(), np.random.default_rng(0)
    >>> labels = np.arange(200) % 2
    >>> display = RocDisplay.from_predictions(labels, labels + rng.normal(size=200), ax=axes)
    >>> round(display.auc, 3)
    0.804
    """

    band: RocBand
    auc: float
    interval: Interval | None = None
    name: str | None = None

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels,
        y_score: Scores,
        *,
        level: float = 0.95,
        positive: Any = None,
        name: str | None = None,
        ax: Any = None,
        **style: Any,
    ) -> RocDisplay:
        """Draw the curve of labels and scores; `level` is that of band and interval, `style` goes to the line."""
        band = roc_band(y_true, y_score, level=level, positive=positive)
        interval = auc_interval(y_true, y_score, level=level, positive=positive)
        return cls(band, interval.value, interval, name).plot(ax, **style)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Labels, *, name: str | None = None, ax: Any = None, **options: Any
    ) -> RocDisplay:
        """Draw the curve of what a fitted estimator gives to rows; options as for :meth:`from_predictions`."""
        name = type(estimator).__name__ if name is None else name
        return cls.from_predictions(y, scores_of(estimator, X), name=name, ax=ax, **options)

    def plot(self, ax: Any = None, *, name: str | None = None, color: str = drawing.FIRST, **style: Any) -> RocDisplay:
        """Draw on axes, new ones unless given; they are in `ax_` then, the line in `line_`."""
        name = self.name if name is None else name
        with drawing.styled():
            self.ax_ = drawing.axes_of(ax, 4.6, 4.4)
            drawing.plain(self.ax_)
            self.ax_.plot([0, 1], [0, 1], color=drawing.MUTED, linewidth=0.9, linestyle=(0, (2, 3)))
            edges = self.band.lower(DRAWN), self.band.upper(DRAWN)
            self.ax_.fill_between(DRAWN, *edges, color=color, alpha=0.16, linewidth=0)
            said = "" if name is None else f"{drawing.drawn_name(name)}, "
            label = f"{said}AUC {self.auc:.3f}"
            points = np.concatenate(([0.0], self.band.found(DRAWN)))
            at = np.concatenate(([0.0], DRAWN))
            (self.line_,) = self.ax_.plot(at, points, color=color, **{"linewidth": 1.8, "label": label} | style)
            self.ax_.set(xlabel="negatives let in", ylabel="positives found", xlim=(0, 1), ylim=(0, 1.005))
            self.ax_.set_aspect("equal")
            drawing.percent_axis(self.ax_.xaxis)
            drawing.percent_axis(self.ax_.yaxis)
            self.ax_.legend(loc="lower right")
        return self
