"""The comparison of models as dots with intervals, drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ordain.report import drawing
from ordain.report.dots import Dot, draw_dots


@dataclass
class ComparisonDisplay:
    """How far each candidate is below the best, on the same folds, with the interval of the paired difference.

    Parameters
    ----------
    comparison : dict
        Plain data, as :meth:`ordain.Choice.as_json` gives it and the summary of a model keeps it.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> trials = [{"name": "linear balanced", "below_best": 0.0, "low": -0.01, "high": 0.01, "goal": 0.8}]
    >>> comparison = {"goal": "auc", "picked": "linear balanced", "trials": trials}
    >>> ComparisonDisplay(comparison).plot(Figure().subplots()).dots[0].name
    'linear balanced'
    """

    comparison: dict[str, Any]

    @classmethod
    def from_choice(cls, choice: Any, *, ax: Any = None) -> ComparisonDisplay:
        """Draw a comparison that `ordain.choose` gave, or that a fitted model has."""
        return cls(choice.as_json()).plot(ax)

    @property
    def dots(self) -> list[Dot]:
        """The candidates that were compared to the end; minus how far below the best each is."""
        known = [of for of in self.comparison["trials"] if of.get("below_best") is not None and not of.get("dropped")]
        picked = self.comparison["picked"]
        return [Dot(of["name"], -of["below_best"], -of["high"], -of["low"], of["name"] == picked) for of in known]

    def plot(self, ax: Any = None) -> ComparisonDisplay:
        """Draw on axes, new ones unless given; they are in `ax_` then."""
        with drawing.styled():
            self.ax_ = drawing.axes_of(ax, 6.0, 0.9 + 0.32 * len(self.dots))
            draw_dots(self.ax_, self.dots, label=f"{self.comparison['goal']} beside the best on other folds", zero=True)
        return self
