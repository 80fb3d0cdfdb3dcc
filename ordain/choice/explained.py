"""What the model that is picked rests on, found while it is fitted: on rows held out, for little of the time."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

from ordain.choice.candidates import BINS, RATES
from ordain.choice.choose import fitted
from ordain.choice.compared import Trial
from ordain.explain.explanation import Explanation
from ordain.explain.pieces import pieces
from ordain.explain.shuffled import HeldOut, explanation, some_rows
from ordain.prepare import Preparation
from ordain.rows.folds import folds
from ordain.rows.record import Rows

ROWS, HALF = {"linear": 3_000, "boosted": 2_500}, 1_000
"""Rows that take part, at most; of trees no more than half of the rows, where that is as many as the second."""

FOLDS, HELD, PARTS = 3, {"linear": 3, "boosted": 1}, {"linear": 4, "boosted": 10}
"""Folds, how many of them are held out one after the other, and parts of each over which the intervals are."""

DEALS = {"linear": 2, "boosted": 1}
"""How often a column is shuffled."""

SCORES = 20_000
"""Scores that may be taken on a fold, one for each row and column."""


def explained(trial: Trial, rows: Rows, preparation: Preparation, ranker: Any, seed: int) -> Explanation | None:
    """What a model rests on that was picked and fitted to all rows; None where rows are too few to hold some out.

    The candidate is fitted anew to the other folds, trees as fast as in the comparison, and each column is shuffled on
    the one held out.
    """
    kind = trial.candidate.model
    most = ROWS[kind] if kind == "linear" else min(ROWS[kind], max(len(rows) // 2, HALF))
    part = rows.some(most, seed)
    splits = folds(part.units, FOLDS, seed)[: HELD[kind]]
    known = None if trial.manner.means else preparation  # but for means it holds nothing of the labels
    held = [_held_out(_quick(trial), part.take(train), part.take(test), known, seed) for train, test in splits]
    some = part.some(1000, seed)
    whole = HeldOut(some, pieces(preparation, ranker, some.features), preparation)
    return explanation(held, whole, parts=PARTS[kind], deals=DEALS[kind], seed=seed) if held else None


def _held_out(trial: Trial, train: Rows, test: Rows, known: Preparation | None, seed: int) -> HeldOut:
    """A fold with the model fitted to the others; what that warns of, the fit to all rows has said."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        preparation, ranker = fitted(trial, train, seed, known)
    test = some_rows(test, len(preparation.columns), SCORES, seed)
    return HeldOut(test, pieces(preparation, ranker, test.features), preparation)


def _quick(trial: Trial) -> Trial:
    """The same with trees that learn as fast as in the comparison, and so are fewer."""
    if trial.candidate.model == "linear":
        return trial
    rate = RATES["compared"]
    trees = None if trial.setting is None else max(1.0, round(trial.setting * trial.manner.times(rate)))
    manner = trial.manner._replace(rate=rate, bins=BINS["compared"])
    return replace(trial, manner=manner, setting=trees, held_out=None)
