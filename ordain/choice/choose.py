"""Which model ranks best on a table: candidates compared on the same folds, and the simplest that is as good is picked.

On every fold each candidate is fitted to the other folds, preparation included, along its path of settings
(:mod:`ordain.choice.contest`), and scores the fold. Candidates that are clearly behind are dropped on the way
(:mod:`ordain.choice.race`); :class:`ordain.choice.compared.Choice` says what follows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ordain._types import Vector
from ordain.choice.candidates import Candidate
from ordain.choice.clock import Clock
from ordain.choice.compared import Choice, Trial
from ordain.choice.contest import Contest
from ordain.choice.goal import Goal
from ordain.choice.trials import Comparison, Report, Split
from ordain.choice.workers import workers
from ordain.prepare import Preparation
from ordain.rows.elsewhere import Elsewhere
from ordain.rows.folds import folds
from ordain.rows.record import Rows

FOLDS = 5
COMPARED_ROWS = 25_000
"""Rows that take part in the comparison, at most; all of a rare class up to half of them."""

RARE_ROWS, ROUNDS = 300, 2
"""With fewer rows than the first outside the largest class, the folds are drawn this often."""


def choose(
    rows: Rows | Elsewhere,
    tried: list[Candidate],
    goal: Goal,
    *,
    seed: int = 0,
    race: bool = True,
    clock: Clock | None = None,
    report: Report | None = None,
) -> Choice:
    """Compare the candidates on the same folds; `report` is told what is done.

    Without three rows (or clusters) of each class, or three groups that have pairs, nothing can be compared, and the
    simplest candidate is picked. Without a race none is dropped on the way. A clock with a limit is kept by leaving out
    candidates, then folds, so that time is left to fit the one that is picked.
    """
    goal.check(len(rows), graded=rows.graded, parted=rows.weighted or rows.grouped, weighted=rows.weighted)
    part = rows.some(COMPARED_ROWS, seed)
    splits = _splits(part, seed)
    if not splits:
        simplest = Trial(tried[0], manner=tried[0].manners[0].at_last(*rows.features.shape))
        return Choice(goal, [simplest], len(part), np.empty(0, int))
    comparison = Comparison(rows, part, splits, goal, seed, clock or Clock(), report or (lambda what: None))
    contests = [Contest(candidate) for candidate in tried]
    with workers() as threads:
        done = comparison.run(contests, threads, race)
    trials = [comparison.trial(contest) for contest in contests]
    return Choice(goal, trials, len(part), comparison.rounds, len(splits) - done)


def steps(rows: Rows | Elsewhere, tried: list[Candidate]) -> int:
    """How often :func:`choose` reports."""
    return len(_splits(rows.some(COMPARED_ROWS, 0), 0)) * len(tried)


def fitted(trial: Trial, rows: Rows, seed: int, preparation: Preparation | None = None) -> tuple[Preparation, Any]:
    """The preparation and the ranker, both learned from these rows, with the setting a trial found to be best.

    A preparation that was learned before, from more rows, may be given.
    """
    candidate, preparation = trial.candidate, preparation or Preparation.learn(rows.features, rows.labels)
    if trial.manner.means:
        preparation, X = preparation.with_means(rows)
    else:
        X = preparation.matrix(rows.features, candidate.model)
    ranker = candidate.ranker(X.shape, preparation.categorical, seed, trial.manner, trial.setting)
    of = candidate.rows(rows)
    ranker.fit(X, of.labels, sample_weight=of.weights, groups=of.groups, clusters=of.clusters)
    if trial.held_out is not None:
        ranker.calibrate(*trial.held_out)
    return preparation, ranker


def _splits(rows: Rows, seed: int) -> list[Split]:
    """The round, rows to fit to and rows to measure on; none where they would leave no column of use."""
    outside = len(rows) - np.unique(rows.labels, return_counts=True)[1].max()
    dealings = range(ROUNDS if outside < RARE_ROWS else 1)
    splits = [(k, *fold) for k in dealings for fold in folds(rows.units, FOLDS, seed + k)]
    return splits if len(rows) >= RARE_ROWS or all(_of_use(rows, train) for _, train, _ in splits) else []


def _of_use(rows: Rows, train: Vector) -> bool:
    """Whether some of few rows have a column of use, where all of them have."""
    try:
        Preparation.learn(rows.features[train], rows.labels[train])
    except ValueError:
        return False
    return True
