"""Scores of two classes that are with many workers, those of each class sorted: who beats whom, where the first k end.

Scores of the smaller class go round, some at a time. Each worker finds their places among its others: whole numbers,
so their sums are exact, and what one row wins is known wherever it is. Beside the scores, which are sorted in place by
those who want to save memory, that takes 8 bytes for each row of the smaller class and 4 for each of the larger one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ordain._types import Mask, Vector
from ordain.engine import LOCAL, Engine

ROUND = 1 << 18
"""Scores that a worker sends round at a time."""

SIDES: tuple[Any, Any] = ("left", "right")
LEAST, MOST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


class Ladder:
    """The sorted scores of the positives and of the negatives that are here, and how many there are with all workers.

    Examples
    --------
    >>> ladder = Ladder(np.array([1.0, 3.0]), np.array([0.0, 2.0]))
    >>> ladder.wins() / (2 * 2 * 2)
    0.75
    """

    def __init__(self, positives: Vector, negatives: Vector, engine: Engine = LOCAL) -> None:
        self.positives, self.negatives, self.engine = positives, negatives, engine
        self.m, self.n = engine.sum(np.array([len(positives), len(negatives)])).tolist()
        self.swapped = self.n < self.m
        self._beaten, self._steps = _places(*self._both, engine)

    @property
    def _both(self) -> tuple[Vector, Vector]:
        """The smaller class and the larger one."""
        return (self.negatives, self.positives) if self.swapped else (self.positives, self.negatives)

    def wins(self) -> int:
        """2·wins + ties of the positives of all workers."""
        return exact_sum(sum(int(part.sum()) for part in self.placed(positive=True)), self.engine)

    def placed(self, *, positive: bool) -> Iterator[Vector]:
        """Each row's doubled part in the wins, as :func:`~ordain.measure.area.placements` has it, some at a time.

        They are those of the class that is asked for, in the order of its scores.
        """
        return self._of_many() if positive == self.swapped else self._of_few()

    def _of_few(self) -> Iterator[Vector]:
        """Twice the others below, or where the few are negatives, above."""
        for start in range(0, len(self._beaten), ROUND):
            part = self._beaten[start : start + ROUND]
            yield 2 * self.m - part if self.swapped else part

    def _of_many(self) -> Iterator[Vector]:
        """Twice the few above, or where they are negatives, below: each of them took a step where it has its place."""
        gone = 0
        for start in range(0, len(self._steps) - 1, ROUND):
            below = gone + np.cumsum(self._steps[start : min(start + ROUND, len(self._steps) - 1)], dtype=np.int64)
            yield below if self.swapped else 2 * self.m - below
            gone = int(below[-1])

    def above(self, borders: Vector) -> Vector:
        """For each score the positives above it and from it on, and so the negatives: whole numbers, a line each."""
        found = [len(of) - np.searchsorted(of, borders, side) for of in self.classes for side in reversed(SIDES)]
        return self.engine.sum(np.array(found))

    @property
    def classes(self) -> tuple[Vector, Vector]:
        """The scores of positives and of negatives here."""
        return self.positives, self.negatives


class Border(NamedTuple):
    """Where the first k rows end: the last score, the expected positives, and whether no tie lies across."""

    score: Vector
    hits: Vector
    whole: Mask


def first_rows(ladder: Ladder, k: Vector) -> Border:
    """The border of the first k rows of all workers, for each k."""
    scores = largest(ladder.classes, k, ladder.engine)
    above, reached, false_above, false = ladder.above(scores)
    start, end = above + false_above, reached + false
    return Border(scores, above + (k - start) * (reached - above) / (end - start), end == k)


def found_at(ladder: Ladder, alarms: Vector) -> Vector:
    """What share of the positives is found as these shares of the negatives, below 1, are let in: the ROC curve.

    Examples
    --------
    >>> found_at(Ladder(np.array([1.0, 2.0]), np.array([0.0, 1.0])), np.array([0.25, 0.75]))
    array([0.75, 1.  ])
    """
    room = alarms * ladder.n
    border = largest([ladder.negatives], room.astype(np.int64) + 1, ladder.engine)
    above, reached, false, tied = ladder.above(border)
    return (above + (reached - above) * (room - false) / (tied - false)) / ladder.m


def ladder_partial_auc(ladder: Ladder, max_fpr: float) -> float:
    """What :func:`ordain.measure.partial_auc` gives, for a rate below 1."""
    limit = max_fpr * ladder.n
    border = largest([ladder.negatives], np.array([int(limit) + 1]), ladder.engine)
    above, reached, false, tied = ladder.above(border)[:, 0].tolist()
    first, won, start = int(np.searchsorted(ladder.negatives, border[0], "right")), 0, 0
    for part in ladder.placed(positive=False):
        won, start = won + int(part[max(first - start, 0) :].sum()), start + len(part)
    reach = limit - false
    rest = reach * (above + (reached - above) * reach / (2 * (tied - false)))
    return (exact_sum(won, ladder.engine) / 2 + rest) / (limit * ladder.m)


def row_placements(mask: Mask, scores: Vector, engine: Engine) -> tuple[Vector, Ladder]:
    """What :func:`~ordain.measure.area.placements` gives, of the rows here among those of all workers; their ladder."""
    rows = [np.flatnonzero(side) for side in (mask, ~mask)]
    rows = [of[np.argsort(scores[of])] for of in rows]
    ladder = Ladder(scores[rows[0]], scores[rows[1]], engine)
    counts = np.empty(len(scores), np.int64)
    for of, positive in zip(rows, (True, False), strict=True):
        counts[of] = np.concatenate([np.empty(0, np.int64), *ladder.placed(positive=positive)])
    return counts, ladder


def largest(sorted_scores: Any, k: Vector, engine: Engine) -> Vector:
    """The k-th largest score of all workers for each k, by bisection of the bits of numbers: at most 64 sums."""
    known = [of for of in sorted_scores if len(of)]
    kind = sorted_scores[0].dtype
    ends = _keys(np.array([min(of[0] for of in known), max(of[-1] for of in known)], kind)) if known else (MOST, LEAST)
    low, high = (np.full(len(k), end) for end in (engine.min(int(ends[0])), engine.max(int(ends[1]))))
    while (low < high).any():
        middle = (low | high) - ((low ^ high) >> 1)
        borders = _scores(middle, kind)
        reached = engine.sum(sum(len(of) - np.searchsorted(of, borders, "left") for of in sorted_scores)) >= k
        low, high = np.where(reached, middle, low), np.where(reached, high, middle - 1)
    return _scores(low, kind)


def exact_sum(count: int, engine: Engine) -> int:
    """The sum of whole numbers of any size."""
    high, low = engine.sum(np.array([count >> 40, count & (2**40 - 1)])).tolist()
    return (high << 40) + low


def _places(few: Vector, many: Vector, engine: Engine) -> tuple[Vector, Vector]:
    """Twice the many of all workers below each of the few here, ties counting once; how the few of all step here.

    A score s of the few steps on the place before the first of the many that is s or above, and on that before the
    first above s: so 2·#(few > t) + #(few = t) are the steps after the place of t.
    """
    total = int(engine.sum(len(few)))
    beaten, steps = np.empty(len(few), np.int64), np.zeros(len(many) + 1, np.uint32 if total < 2**31 else np.uint64)
    for start in range(0, int(engine.max(len(few))), ROUND):
        parts = engine.parts(few[start : start + ROUND])
        first = sum(map(len, parts[: engine.rank]))
        places = [np.concatenate([np.searchsorted(many, part, side) for part in parts]) for side in SIDES]
        for of in places:
            np.add.at(steps, of, steps.dtype.type(1))
        beaten[start : start + ROUND] = engine.sum(places[0] + places[1])[first : first + len(parts[engine.rank])]
    return beaten, steps


def _keys(scores: Vector) -> Vector:
    """Whole numbers in the order of the scores: those of float64 are made of its bits."""
    return _turned((scores + 0.0).view(np.int64)) if scores.dtype == np.float64 else scores


def _scores(keys: Vector, kind: Any) -> Vector:
    return _turned(keys).view(np.float64) if kind == np.float64 else keys


def _turned(bits: Vector) -> Vector:
    """Of numbers below 0 all bits but the sign, as those of a larger size come first."""
    return np.where(bits < 0, bits ^ MOST, bits)
