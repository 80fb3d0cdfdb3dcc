"""The AUC of rows that are with many workers: the one of all of them, not a mean of theirs.

Scores of the smaller class go round, some at a time, and each worker counts how many of its others they beat: whole
numbers, so the sum is exact and the quotient is the float that one machine finds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ordain._types import Mask, Vector
from ordain.engine import Engine
from ordain.measure.area import doubled_wins, splits, weighted_wins
from ordain.measure.spread_ladder import ROUND, exact_sum


def spread_auc(
    classes: Vector, scores: Vector, *, weights: Any = None, groups: Any = None, graded: bool = False, engine: Engine
) -> float:
    """The AUC of the rows of all workers; those of a group are with one worker, their codes are its own.

    Examples
    --------
    >>> from ordain.engine import LOCAL
    >>> spread_auc(np.array([True, False, True, False]), np.array([3.0, 2, 1, 0]), engine=LOCAL)
    0.75
    """
    kinds = engine.distinct(classes)
    classes = np.searchsorted(kinds, classes) if graded else classes
    wins: Any = 0
    pairs: Any = 0
    for mask, held in _problems(classes, groups, len(kinds) - 1, engine):
        of = None if weights is None else weights[held]
        won, counted = _wins(mask, scores[held], of, None if groups is None else groups[held], engine)
        wins, pairs = wins + won, pairs + counted
    if not pairs:
        raise ValueError("a group with both classes must exist. Got none, so there is no pair to compare.")
    return float(wins / pairs)


def _problems(classes: Vector, groups: Any, top: int, engine: Engine) -> Iterator[tuple[Mask, Vector]]:
    """Two-class problems, each with the rows that belong to it."""
    if classes.dtype == bool or groups is not None:
        yield classes, np.arange(len(classes))
        return
    for mask, part in splits(classes, None, top):
        assert part is not None
        for kind in engine.distinct(part).tolist():
            held = np.flatnonzero(part == kind)
            yield mask[held], held


def _wins(mask: Vector, scores: Vector, weights: Any, groups: Any, engine: Engine) -> tuple[Any, Any]:
    """Doubled wins and doubled pairs over all workers."""
    if groups is not None and weights is None:
        won, counted = doubled_wins(mask, scores, groups)
        return exact_sum(won, engine), exact_sum(counted, engine)
    if groups is not None:
        unit = float(engine.max(weights.max()))
        return tuple(engine.sum(np.array(_within(mask, scores, weights / unit, groups))).tolist())
    mass = np.ones(len(mask), np.int64) if weights is None else weights
    above, below = engine.sum(np.array([mass[mask].sum(), mass[~mask].sum()])).tolist()
    few, many = (mask, ~mask) if above <= below else (~mask, mask)
    beaten = _beaten(scores, mass, few, many, engine)
    won = engine.sum(beaten) if weights is not None else exact_sum(int(beaten), engine)
    pairs = 2 * above * below
    return (won if above <= below else pairs - won), pairs


def _within(mask: Vector, scores: Vector, weights: Vector, groups: Vector) -> tuple[float, float]:
    """Doubled wins and pair weights of the groups that are here."""
    won = counted = 0.0
    for side, part in splits(mask, groups):
        assert part is not None
        factor = 4.0 ** int(np.frexp(weights.max())[1])
        some, all_of = weighted_wins(side, scores, weights, part)
        won, counted = won + factor * some.high, counted + factor * all_of.high
    return won, counted


def _beaten(scores: Vector, mass: Vector, few: Mask, many: Mask, engine: Engine) -> Any:
    """Σ over the few, of all workers, of the mass of the many here that they beat, doubled, a tie counting once."""
    order = np.argsort(scores[many])
    ladder, sums = scores[many][order], np.append(0, np.cumsum(mass[many][order]))
    own, held = scores[few], mass[few]
    beaten: Any = 0
    for start in range(0, int(engine.max(len(own))), ROUND):
        sent, weight = (engine.together(x[start : start + ROUND]) for x in (own, held))
        under = sums[np.searchsorted(ladder, sent, "left")] + sums[np.searchsorted(ladder, sent, "right")]
        beaten = beaten + (weight * under).sum()
    return beaten
