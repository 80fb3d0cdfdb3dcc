"""The folds of a comparison, and the candidates that are fitted to them side by side until they are dropped."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ordain._types import Vector
from ordain.choice.candidates import Candidate, Manner
from ordain.choice.clock import Clock
from ordain.choice.compared import HeldOut, Trial
from ordain.choice.contest import Contest, Setting
from ordain.choice.fold import Fold
from ordain.choice.goal import Goal
from ordain.choice.race import behind
from ordain.choice.workers import Workers, cores
from ordain.learn.scorer import Step
from ordain.rows.draw import worth
from ordain.rows.record import Rows

SCOUTED = 2
"""Folds on which manners of growing trees are tried."""

GROWTH = 0.5
"""For k times as many rows k to this power times as many trees are best."""

Report = Callable[[str], None]
Split = tuple[int, Vector, Vector]
"""The round of a fold, the rows to fit to, and the rows to measure on."""


class Comparison:
    """Folds of some rows of a table, and candidates that are fitted to them side by side."""

    def __init__(
        self,
        table: Rows,
        part: Rows,
        splits: list[Split],
        goal: Goal,
        seed: int,
        clock: Clock,
        report: Report,
    ) -> None:
        self.table, self.part, self.goal, self.seed, self.clock, self.report = table, part, goal, seed, clock, report
        self.rounds = np.array([number for number, *_ in splits])
        self.folds = [Fold(part, train, test) for _, train, test in splits]

    def run(self, contests: list[Contest], threads: Workers, race: bool) -> int:
        """Fit all but those that are dropped to every fold; how many folds there was time for.

        The first candidate with trees is the scout: on the first folds it tries the manners of growing them. The others
        follow in the best one.
        """
        first = range(min(SCOUTED, len(self.folds)))
        growing = [one for one in contests if one.candidate.model == "boosted"]
        plain = [one for one in contests if one not in growing]
        for fold in first:
            self._fit(threads, fold, [(one, Manner()) for one in plain])
            for one in growing[:1]:
                for manners in self._scouted(one, fold):
                    self._fit(threads, fold, [(one, manner) for manner in manners])
        for fold in first:
            self._fit(threads, fold, [(one, growing[0].best(first).manner) for one in growing[1:]])
            self._drop(contests, range(fold + 1) if race else ())
            self.folds[fold].release()
        for fold in range(len(first), len(self.folds)):
            going = [one for one in contests if not one.dropped]
            if self._costs(going) > self._spare(going):
                return fold
            self._fit(threads, fold, [(one, one.best(first).manner) for one in going])
            self._drop(contests, range(fold + 1) if race else ())
            self.folds[fold].release()
        return len(self.folds)

    def _scouted(self, scout: Contest, fold: int) -> Iterator[list[Manner]]:
        """The manners to try on a fold: at first every depth, then the best one in other ways; later the best two."""
        if fold > 0:
            yield [setting.manner for setting in scout.ranked(range(fold))[:2]]
            return
        yield scout.candidate.manners(*self.part.features.shape)
        best = scout.best([0]).manner
        yield [best._replace(whole=True)] + [best._replace(means=True)] * bool(self.folds[0].preparation.many_valued)

    def _fit(self, threads: Workers, number: int, wanted: list[tuple[Contest, Manner]]) -> None:
        """Walk the paths of candidates on a fold, side by side; those that there is no time for are dropped."""
        fold, wanted = self.folds[number], self._affordable(number, [of for of in wanted if not of[0].dropped])
        for one, manner in wanted:
            fold.prepare(one.candidate.model, manner)

        def walk(task: tuple[Contest, Manner]) -> tuple[list[Step], float]:
            (contest, manner), start = task, time.perf_counter()
            path = fold.path(contest.candidate, manner, self.seed)
            return contest.walk(
                path, manner, lambda: threads.going() and self.clock.left > 0
            ), time.perf_counter() - start

        for (contest, manner), (path, seconds) in threads.map(walk, wanted):
            if number not in contest.folds:
                self.report(f"fold {number + 1} of {len(self.folds)}, {contest.candidate.name}")
            contest.add(manner, number, path, seconds)

    def _affordable(self, number: int, wanted: list[tuple[Contest, Manner]]) -> list[tuple[Contest, Manner]]:
        """Those that there is time for on a fold; the most complex are dropped first, the first one never."""
        kept = list(wanted)
        while len(kept) > 1 and self._costs([one for one, _ in kept]) > self._spare([one for one, _ in kept]):
            one, _ = kept.pop()
            if number not in one.folds and one not in [of for of, _ in kept]:
                self._leave(one, "there was no time for it")
        return kept

    def _costs(self, contests: list[Contest]) -> float:
        """The seconds that a further fold is expected to take."""
        known = [one.seconds / len(one.folds) for one in contests if one.folds] or [0.0]
        return sum(one.seconds / len(one.folds) if one.folds else max(known) for one in contests) / cores()

    def _spare(self, contests: list[Contest]) -> float:
        """The seconds left, but for those that fitting one of them to all rows is expected to take."""
        known = [one.seconds / len(one.folds) for one in contests if one.folds] or [0.0]
        return self.clock.left - max(known) * len(self.table) / (len(self.part) * 0.8)

    def _drop(self, contests: list[Contest], seen: Sequence[int]) -> None:
        """Drop the candidates that are clearly behind on the folds seen."""
        live = [one for one in contests if not one.dropped]
        if not 0 < len(seen) < len(self.folds) or not all(self.folds[fold].parts for fold in seen):
            return
        figures = np.array([self._on_parts(one, seen) for one in live])
        for one, of, leader in zip(live, figures, behind(figures), strict=True):
            if leader is not None:
                by = float(np.mean(figures[leader] - of))
                self._leave(one, f"{by:.4f} below {live[leader].candidate.name} on the first {_folds(len(seen))}")

    def _leave(self, contest: Contest, why: str) -> None:
        """Drop a candidate."""
        contest.dropped = why
        for _ in range(len(contest.folds), len(self.folds)):
            self.report(f"{contest.candidate.name} is left out")

    def _on_parts(self, contest: Contest, seen: Sequence[int]) -> list[float]:
        best = contest.best(seen)
        on_folds = (self.folds[fold].on_parts(contest.scores(fold, best), self.goal, self.table) for fold in seen)
        return [figure for figures in on_folds for figure in figures]

    def trial(self, contest: Contest) -> Trial:
        """What is worth keeping of a candidate; on each fold it has the setting that is best on others of the round."""
        if not contest.folds:
            return Trial(contest.candidate, dropped=contest.dropped)
        seen, best = contest.folds, contest.best(contest.folds)
        figures = []
        for fold in seen:
            others = [one for one in seen if one != fold and self.rounds[one] == self.rounds[fold]]
            scores = contest.scores(fold, contest.best(others or [fold]))
            figures.append(self.folds[fold].figures(scores, self.goal, self.table))
        goal, area, *top = (np.array(column) for column in zip(*figures, strict=True))
        of = (best.manner, self._setting(contest.candidate, best.value), self._held_out(contest, best))
        return Trial(contest.candidate, goal, area, top[0] if top else None, contest.seconds, *of, contest.dropped)

    def _setting(self, candidate: Candidate, value: float) -> float:
        """A penalty or a number of trees for all rows.

        What a mean over n rows wants of a penalty falls as 1/n, of trees it rises as a power of n.
        """
        ratio = 1.0
        if self.part is not self.table:
            grouped = self.table.groups is not None
            ratio = len(self.table) / len(self.part) if grouped else worth(self.table.labels, len(self.part))
        if candidate.model == "linear":
            return value / ratio
        count = int(np.count_nonzero(self.rounds == 0))
        return float(round(value * (ratio * count / (count - 1)) ** GROWTH))

    def _held_out(self, contest: Contest, best: Setting) -> HeldOut | None:
        """Scores of rows by models of pairs that have not seen them, and the labels and weights of these rows."""
        if contest.dropped or contest.candidate.reduction != "pairwise" or contest.candidate.graded:
            return None
        once = [fold for fold in contest.folds if self.rounds[fold] == 0]
        tests = [self.folds[fold].test for fold in once]
        weights = None if self.part.weights is None else np.concatenate([test.weights for test in tests])
        scores = np.concatenate([contest.scores(fold, best) for fold in once])
        return scores, np.concatenate([test.labels for test in tests]), weights


def _folds(count: int) -> str:
    return "fold" if count == 1 else f"{count} folds"
