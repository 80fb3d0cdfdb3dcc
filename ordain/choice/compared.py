"""What follows from a comparison on the same folds: how far apart candidates are, which one is picked, in one sentence.

On fold k a candidate's figure is taken beside that of the candidate which is best on the other folds of the round: the
best of several looks better than it is on the folds that made it the best, on a fold that did not it cannot. d_k is
their difference, with the standard error e and the interval of :mod:`ordain.bounds.paired_folds`.

Picked is the simplest candidate that no simpler one outscores and for which d ≤ e/2; at last that is the best one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any

import numpy as np

from ordain._types import Vector
from ordain.bounds.paired_folds import Difference, best_elsewhere
from ordain.choice.candidates import Candidate, Manner
from ordain.choice.goal import Goal

MARGIN = 0.5
"""A simpler candidate may be below by so many standard errors."""


HeldOut = tuple[Vector, Vector, Vector | None]
"""Scores of rows by models that have not seen them, labels and weights."""


@dataclass(frozen=True)
class Trial:
    """A candidate and its figures on each fold it was fitted on; where it was dropped on the way, why.

    Beside them the seconds it took, the manner and the setting that are best for all rows, and scores of rows held out,
    to which the probabilities of pairs are fitted.
    """

    candidate: Candidate
    goal: Vector = field(default_factory=lambda: np.empty(0))
    auc: Vector = field(default_factory=lambda: np.empty(0))
    top: Vector | None = None
    seconds: float = 0.0
    manner: Manner = field(default_factory=Manner)
    setting: float | None = None
    held_out: HeldOut | None = None
    dropped: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Means over folds, and the setting."""
        return {
            "name": self.candidate.name,
            "goal": _mean_of(self.goal),
            "auc": _mean_of(self.auc),
            "top": _mean_of(self.top),
            "seconds": round(self.seconds, 2),
            "folds": len(self.goal),
            "dropped": self.dropped,
            **self.candidate.described(self.manner, self.setting),
        }


@dataclass(frozen=True)
class Choice:
    """All trials in the order of simplicity, and what follows; only the simplest, without figures, without folds.

    Parameters
    ----------
    goal : Goal
        What they are compared by.
    trials : list of Trial
        Each with its candidate, its figures on every fold and the seconds it took.
    rows : int
        Rows that took part.
    rounds : array
        Of every fold the how manieth dealing of the rows it is of.
    left_out : int
        Folds that there was no time for.

    Examples
    --------
    >>> figures = {"balanced": np.array([0.7, 0.8, 0.75]), "pairwise": np.array([0.8, 0.9, 0.86])}
    >>> trials = [Trial(Candidate("linear", name), of, of, None, 0.1) for name, of in figures.items()]
    >>> choice = Choice(Goal("auc"), trials, rows=300, rounds=np.zeros(3, int))
    >>> choice.picked.candidate.name, round(choice.above(trials[0]).mean, 3)
    ('linear pairwise', 0.103)
    """

    goal: Goal
    trials: list[Trial]
    rows: int
    rounds: Vector
    left_out: int = 0

    @property
    def compared(self) -> bool:
        """Whether there were folds."""
        return len(self.rounds) > 0

    @property
    def folds(self) -> int:
        """How many folds a round has."""
        return int(np.bincount(self.rounds).max())

    @property
    def done(self) -> Vector:
        """The rounds of the folds that there was time for."""
        return self.rounds[: len(self.rounds) - self.left_out]

    @property
    def best(self) -> Trial:
        """The one with the highest mean, the simplest of equals."""
        return max(self.finished, key=_mean) if self.compared else self.trials[0]

    @cached_property
    def finished(self) -> list[Trial]:
        """Those that were fitted on every fold."""
        return [trial for trial in self.trials if trial.dropped is None]

    @property
    def picked(self) -> Trial:
        """The simplest that no simpler one outscores and that is below by at most half a standard error."""
        return next(trial for trial in self._leaders if trial is self.best or self._near(trial))

    @property
    def _leaders(self) -> list[Trial]:
        """Those that no simpler one outscores or equals."""
        return [one for k, one in enumerate(self.finished) if all(_mean(one) > _mean(of) for of in self.finished[:k])]

    def _near(self, trial: Trial) -> bool:
        apart = self.above(trial)
        return apart.mean <= MARGIN * apart.error

    @cached_property
    def _reference(self) -> Vector:
        """On every fold the figure of the candidate that is best on the other folds of the round."""
        return best_elsewhere(np.array([trial.goal for trial in self.finished]), self.done)

    def above(self, trial: Trial) -> Difference:
        """How far the candidate that is best on the other folds is above a trial."""
        return Difference.of(self._reference[: len(trial.goal)] - trial.goal, self.folds)

    def __str__(self) -> str:
        name, best, goal = self.picked.candidate.name, self.best, self.goal
        if not self.compared:
            return (
                "Nothing could be compared: folds take three rows of each class, or three groups that have pairs, and "
                f"a column of use in each. {name} is the simplest: it is picked."
            )
        if len(self.trials) == 1:
            return f"{name} was the only candidate: its {goal} is {_mean(best):.4f}."
        if self.picked is best is self.finished[0]:
            return f"{name} has the highest {goal}, and is the simplest: it is picked."
        if self.picked is best:
            return (
                f"{name} has the highest {goal}; each simpler one is below by more than half a standard error, or "
                "outscored by one still simpler: it is picked."
            )
        apart = self.above(self.picked)
        return (
            f"{best.candidate.name} has the highest {goal}; {name} is the simplest that is below by at most half a "
            f"standard error ({apart.mean:.4f}, standard error {apart.error:.4f}): it is picked."
        )

    def _repr_html_(self) -> str:
        if not self.compared:
            return f"<p>{escape(str(self))}</p>"
        heads = "".join(
            f"<th>{name}</th>" for name in ("candidate", escape(str(self.goal)), "below the best", "seconds")
        )
        rows = "".join(self._html_row(trial) for trial in self.trials if len(trial.goal))
        table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
        return f"{table}<p>{escape(str(self))}</p>"

    def _html_row(self, trial: Trial) -> str:
        apart = self.above(trial)
        below = (
            f"dropped: {trial.dropped}" if trial.dropped else f"{apart.mean:.4f} [{apart.low:+.4f}, {apart.high:+.4f}]"
        )
        cells = (trial.candidate.name, f"{_mean(trial):.4f}", below, f"{trial.seconds:.1f}")
        return f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"

    def as_json(self) -> dict[str, Any]:
        """Everything, as plain data."""
        found = [trial.as_json() | self._below(trial) for trial in self.trials if self.compared]
        about = {"goal": str(self.goal), "rows": self.rows, "picked": self.picked.candidate.name}
        return about | {"folds": len(self.done), "folds_left_out": self.left_out, "trials": found}

    def _below(self, trial: Trial) -> dict[str, float | None]:
        """How far below the best it is; None where one fold or none cannot tell."""
        apart = self.above(trial) if len(trial.goal) else Difference(*[math.nan] * 4)
        named = {"below_best": apart.mean, "error": apart.error, "low": apart.low, "high": apart.high}
        return {name: None if math.isnan(value) else value for name, value in named.items()}


def _mean(trial: Trial) -> float:
    return float(np.mean(trial.goal))


def _mean_of(values: Vector | None) -> float | None:
    return None if values is None or not len(values) else float(np.mean(values))
