"""What is known of a candidate while it is compared: its path of settings on every fold, and the setting that is best.

A linear model has a path of penalties, trees have one of their number, for each manner of growing them. The setting is
the best by the mean over folds. On a fold the figure is that of the setting which is best on the other folds of the
round, so choosing it flatters no candidate, however long its path.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

import numpy as np

from ordain._types import Vector
from ordain.choice.candidates import Candidate, Manner
from ordain.learn.scorer import Step

PATIENCE = {"linear": 2, "boosted": 4}
"""So many settings after the best one a path ends: for trees at about one and a half times as many."""

FURTHER = 3
"""So many settings after the one that is best by the folds seen so far the path on another fold ends, at the latest."""

LEAST = {"linear": 5, "boosted": 13}
"""So many settings a path has at least, for trees to 67 of them: the figures of few rows jump."""

BEHIND = 3
"""So many settings in a row below those of a rival a path may have."""


class Setting(NamedTuple):
    """A manner, and how far along its path: the place, and the penalty or number of trees there."""

    manner: Manner
    place: int
    value: float


@dataclass
class Contest:
    """A candidate, its paths by manner and fold, the seconds they took, and why it was dropped, if it was."""

    candidate: Candidate
    paths: dict[Manner, dict[int, list[Step]]] = field(default_factory=dict)
    seconds: float = 0.0
    dropped: str | None = None

    def add(self, manner: Manner, fold: int, path: list[Step], seconds: float) -> None:
        """A path that was walked."""
        self.paths.setdefault(manner, {})[fold] = path
        self.seconds += seconds

    @property
    def pace(self) -> float:
        """The seconds that a path took on average; nan where none was walked."""
        return self.seconds / (sum(map(len, self.paths.values())) or math.nan)

    @property
    def folds(self) -> list[int]:
        """The folds it was fitted on."""
        return sorted({fold for paths in self.paths.values() for fold in paths})

    def ranked(self, folds: Iterable[int]) -> list[Setting]:
        """The best setting of each manner that has seen all of some folds, the best manner first, the usual of equals.

        Neighbours on a path share most of what they are, so a mean over folds counts with those beside it.
        """
        found, folds = [], list(folds)
        for manner, paths in self.paths.items():
            if all(fold in paths for fold in folds):
                place, worth = self._top(manner, folds)
                found.append((worth, Setting(manner, place, paths[folds[0]][place].setting)))
        return [setting for _, setting in sorted(found, key=lambda one: -one[0])]

    def _top(self, manner: Manner, folds: list[int]) -> tuple[int, float]:
        """The best place on a path by the mean over folds, and its worth."""
        paths = [self.paths[manner][fold] for fold in folds]
        length = min(map(len, paths))
        means = np.mean([[step.worth for step in path[:length]] for path in paths], axis=0)
        place = int(np.argmax(smoothed(means)))
        return place, float(means[place])

    def best(self, folds: Iterable[int]) -> Setting:
        """The setting that is best by the mean over some folds."""
        return self.ranked(folds)[0]

    def reach(self, manner: Manner) -> int | None:
        """How many settings may matter on a further fold; None where no fold was seen."""
        if not (seen := list(self.paths.get(manner, ()))):
            return None
        return max(self._top(manner, seen)[0] + 1 + FURTHER, LEAST[self.candidate.model])

    def scores(self, fold: int, setting: Setting) -> Vector:
        """What a setting gives to a fold; the last one there where its path ended before, since it had fallen."""
        path = self.paths[setting.manner][fold]
        return path[min(setting.place, len(path) - 1)].scores


def smoothed(values: Vector) -> Vector:
    """Means of each with its neighbours; at an end with itself.

    Examples
    --------
    >>> smoothed(np.array([0.0, 3.0, 0.0, 0.0]))
    array([1., 1., 1., 0.])
    """
    padded = np.pad(values, 1, mode="edge")
    return (padded[:-2] + padded[1:-1] + padded[2:]) / 3


class Walk(NamedTuple):
    """A path to walk on a fold: so many settings at most, and no further than a rival on the same fold is not ahead.

    Trees are walked to the end where other folds tell how far: one that ends sooner by chance would cut the mean short.
    """

    contest: Contest
    manner: Manner
    fold: int
    most: int | None = None
    rival: Sequence[Step] = ()

    def steps(self, path: Iterator[Step], going: Callable[[], bool]) -> list[Step]:
        """The steps, as far as they may matter."""
        model = self.contest.candidate.model
        least = self.most if self.most and model == "boosted" else LEAST[model]
        return walked(islice(path, self.most), PATIENCE[model], least, going, self.rival)


def walked(
    path: Iterator[Step], patience: int, least: int, going: Callable[[], bool], rival: Sequence[Step] = ()
) -> list[Step]:
    """The first steps of a path, and on until so many did not rise above the best, or work should not go on.

    It ends too where BEHIND of them in a row are below those of the rival at the same settings.
    """
    steps, best, below = list[Step](), 0, 0
    for step in path:
        steps.append(step)
        if step.worth > steps[best].worth:
            best = len(steps) - 1
        below = below + 1 if len(steps) <= len(rival) and step.worth < rival[len(steps) - 1].worth else 0
        if (len(steps) >= least and (len(steps) - 1 - best >= patience or below >= BEHIND)) or not going():
            break
    return steps
