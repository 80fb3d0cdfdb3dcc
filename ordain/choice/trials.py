"""The folds of a comparison, and the candidates that are fitted to them side by side until they are dropped."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ordain._types import Vector
from ordain.choice.candidates import SOME_ROWS, Candidate, Manner
from ordain.choice.clock import Clock
from ordain.choice.compared import HeldOut, Trial
from ordain.choice.contest import Contest, Setting, Walk
from ordain.choice.fold import Fold
from ordain.choice.goal import Goal
from ordain.choice.race import CHANCE, behind, surely_below
from ordain.choice.workers import Workers, cores
from ordain.learn.scorer import Step
from ordain.rows.draw import worth_of
from ordain.rows.elsewhere import Elsewhere
from ordain.rows.record import Rows

SCOUTED = 2
"""Folds on which manners of growing trees are tried."""

GROWTH = 0.5
"""For k times as many rows k to this power times as many trees are best: on five sets, an eighth of the rows and all,
at depths 4 and 6, the power was between 0 and 0.8, 0.54 at the median."""

AT_LAST = 1.25
"""A tree at last takes so many times as long as one of a path, with as many rows: it has more bins."""

Report = Callable[[str], None]
Split = tuple[int, Vector, Vector]
"""The round of a fold, the rows to fit to, and the rows to measure on."""


class Comparison:
    """Folds of some rows of a table, and candidates that are fitted to them side by side."""

    def __init__(
        self,
        table: Rows | Elsewhere,
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
        self.slowest = 0.0

    def run(self, contests: list[Contest], threads: Workers, race: bool) -> int:
        """Fit all but those that are dropped to every fold; how many folds there was time for.

        The first candidate with trees is the scout: on the first folds it tries the manners of growing them. The others
        follow in the best one, as far as it got, while those that go on anyway are fitted to the rest of the round.
        """
        first = range(min(SCOUTED, len(self.folds)))
        growing = [one for one in contests if one.candidate.model == "boosted"]
        leading = [one for one in contests if one not in growing[1:]]
        scouting = self._scouted(growing[0], first) if growing else iter([])
        for fold in first:
            plain = [Walk(one, Manner(), fold) for one in contests if one not in growing]
            self._fit(threads, plain + next(scouting, []))
        for walks in scouting:
            self._fit(threads, walks)
        if race:
            self._drop(leading, first)
        if growing[1:]:
            rest = [] if self.clock.limited else self._further(leading, first, next(self._waves(len(first)), range(0)))
            self._fit(threads, self._following(growing, first) + rest)
        done = self._over(contests, len(first), race)
        for folds in self._waves(done):
            going = [one for one in contests if not one.dropped]
            if self._costs(going) > self._spare(going):
                return done
            self._fit(threads, self._further(going, first, folds))
            done = self._over(contests, folds.stop, race)
        return done

    def _further(self, contests: list[Contest], first: Sequence[int], folds: Sequence[int]) -> list[Walk]:
        """Further folds for those that are not dropped, in the manner that was best on the first ones."""
        chosen = [(one, one.best(first).manner) for one in contests if not one.dropped]
        left = [(one, best, fold) for fold in folds for one, best in chosen if fold not in one.folds]
        return [Walk(one, best, fold, one.reach(best)) for one, best, fold in left]

    def _following(self, growing: list[Contest], first: Sequence[int]) -> list[Walk]:
        """The first folds for candidates with trees as the scout among them found best, as far as it got.

        Where it was dropped, so are they.
        """
        scout, *others = growing
        if scout.dropped:
            for one in others:
                self._leave(one, f"as {scout.candidate.name}, which it follows")
            return []
        best = scout.best(first).manner
        most = scout.reach(best)
        return [Walk(one, best, fold, most) for fold in first for one in others]

    def _over(self, contests: list[Contest], done: int, race: bool) -> int:
        """So many folds are done: forget their matrices, and drop who is clearly behind."""
        if race:
            self._drop(contests, range(done))
        for fold in self.folds[:done]:
            fold.release()
        return done

    def _waves(self, done: int) -> Iterator[range]:
        """Further folds that are fitted to side by side: all of a round, or one where time is limited."""
        while done < len(self.folds):
            end = done + 1 if self.clock.limited else int(np.searchsorted(self.rounds, self.rounds[done], "right"))
            yield range(done, end)
            done = end

    def _scouted(self, scout: Contest, first: Sequence[int]) -> Iterator[list[Walk]]:
        """The manners to try: on a fold two depths, then the better one in other ways, then these together.

        On the next fold the best two are tried again, or on the next two the best.
        """
        usual, flat, deep = scout.candidate.manners
        yield [Walk(scout, usual, 0), Walk(scout, flat, 0)]
        if scout.dropped:
            return
        best = scout.best([0]).manner
        ways = [best._replace(whole=True)] + [best._replace(means=True)] * bool(self.folds[0].preparation.many_valued)
        ways += [best._replace(leafwise=True)] * (len(self.table) < SOME_ROWS)
        yield [Walk(scout, of, 0, rival=scout.paths[best][0]) for of in ways + [deep] * (best == usual)]
        ranked = [setting.manner for setting in scout.ranked([0])]
        ahead = ranked[: ranked.index(best)]
        better = [of for of in ahead if of != deep]
        both = [_together(best, better)] * (len(better) > 1)
        if deep in ahead:
            both += [of._replace(depth=deep.depth) for of in better[:1]]
        yield [Walk(scout, of, 0, rival=scout.paths[ranked[0]][0]) for of in both]
        for fold in first[1:]:
            found = [setting.manner for setting in self._even(scout, range(fold))]
            further = [fold + 1] * (len(found) == 1 and fold + 1 in next(self._waves(fold)))
            yield [Walk(scout, of, number, scout.reach(of)) for of in found for number in (fold, *further)]

    def _even(self, scout: Contest, seen: Sequence[int]) -> list[Setting]:
        """The best manners of some folds, two of them unless the second is clearly behind."""
        first, second, *_ = scout.ranked(seen)
        if not all(self.folds[fold].parts for fold in seen):
            return [first, second]
        best, other = (np.array(self._on_parts(scout, seen, setting)) for setting in (first, second))
        return [first] + [second] * (not surely_below(other - best, CHANCE["manner"]))

    def _fit(self, threads: Workers, wanted: list[Walk]) -> None:
        """Walk paths side by side, the longest first; candidates that there is no time for are dropped."""
        walks = sorted(self._affordable(wanted), key=lambda walk: walk.contest.candidate.model == "linear")
        needs = {(walk.contest.candidate.model, walk.manner.means): walk.manner for walk in walks}
        numbers = list(dict.fromkeys(walk.fold for walk in walks))

        def prepare(number: int) -> None:
            for (model, _), manner in needs.items():
                self.folds[number].prepare(model, manner)

        def walk_on(walk: Walk) -> tuple[list[Step], float]:
            start = time.perf_counter()
            path = self.folds[walk.fold].path(walk.contest.candidate, walk.manner, self.seed)
            steps = walk.steps(path, lambda: threads.going() and self._left(time.perf_counter() - start) > 0)
            return steps, time.perf_counter() - start

        list(threads.map(prepare, numbers))
        for walk, (path, seconds) in threads.map(walk_on, walks):
            if walk.fold not in walk.contest.folds:
                self.report(f"fold {walk.fold + 1} of {len(self.folds)}, {walk.contest.candidate.name}")
            walk.contest.add(walk.manner, walk.fold, path, seconds)
            self.slowest = max(self.slowest, seconds)

    def _affordable(self, wanted: list[Walk]) -> list[Walk]:
        """Those that there is time for; the most complex candidates are dropped first, the first one never."""
        kept = [walk for walk in wanted if not walk.contest.dropped]
        for walk in reversed(kept[1:]):
            contests = [of.contest for of in kept]
            if self._costs(contests) <= self._spare(contests):
                break
            others = [of for of in kept if of is not walk]
            if walk.fold in walk.contest.folds or any(
                of.contest is walk.contest and of.fold == walk.fold for of in others
            ):
                kept = others
            elif walk.contest is not kept[0].contest and not walk.contest.dropped:
                self._leave(walk.contest, "there was no time for it")
                kept = [of for of in kept if of.contest is not walk.contest]
        return kept

    def _costs(self, contests: list[Contest]) -> float:
        """The seconds that a path of each is expected to take: what nothing is known of, as long as any took."""
        return sum(one.pace if one.folds else self.slowest for one in contests) / cores()

    def _spare(self, contests: list[Contest]) -> float:
        """The seconds left if one of them is fitted to all rows."""
        return self._left(max(one.pace if one.folds else self.slowest for one in contests))

    def _left(self, seconds: float) -> float:
        """The seconds left if one that took so many on a fold is fitted to all rows, learning slower."""
        times = Manner().times(Manner().at_last(*self.table.features.shape).rate)
        return self.clock.left - AT_LAST * times * seconds * len(self.table) / (len(self.part) * 0.8)

    def _drop(self, contests: list[Contest], seen: Sequence[int]) -> None:
        """Drop the candidates that are clearly behind on the folds seen."""
        live = [one for one in contests if not one.dropped]
        if len(seen) == len(self.folds) or not all(self.folds[fold].parts for fold in seen):
            return
        figures = np.array([self._on_parts(one, seen, one.best(seen)) for one in live])
        growing = [one for one in contests if one.candidate.model == "boosted"]
        leaders = behind(figures, [one in growing[1:] for one in live])
        for one, of, leader in zip(live, figures, leaders, strict=True):
            if leader is not None:
                by = float(np.mean(figures[leader] - of))
                self._leave(one, f"{by:.4f} below {live[leader].candidate.name} on the first {_folds(len(seen))}")

    def _leave(self, contest: Contest, why: str) -> None:
        """Drop a candidate."""
        contest.dropped = why
        for _ in range(len(contest.folds), len(self.folds)):
            self.report(f"{contest.candidate.name} is left out")

    def _on_parts(self, contest: Contest, seen: Sequence[int], setting: Setting) -> list[float]:
        """The goal on the parts of folds."""
        on_folds = (self.folds[fold].on_parts(contest.scores(fold, setting), self.goal, self.table) for fold in seen)
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
        manner = best.manner.at_last(*self.table.features.shape)
        setting = self._setting(contest.candidate, best.value, times=best.manner.times(manner.rate))
        of = (manner, setting, self._held_out(contest, best), contest.dropped)
        return Trial(contest.candidate, goal, area, top[0] if top else None, contest.seconds, *of)

    def _setting(self, candidate: Candidate, value: float, times: float) -> float:
        """A penalty, or a number of trees, so many times as many since they learn slower, for all rows.

        What a mean over n rows wants of a penalty falls as 1/n, of trees it rises as a power of n.
        """
        ratio = 1.0
        if self.part is not self.table:
            size = len(self.part)
            ratio = len(self.table) / size if self.table.grouped else worth_of(self.table.counts, size)
        if candidate.model == "linear":
            return value / ratio
        count = int(np.count_nonzero(self.rounds == 0))
        return float(round(value * times * (ratio * count / (count - 1)) ** GROWTH))

    def _held_out(self, contest: Contest, best: Setting) -> HeldOut | None:
        """Scores of rows by models of pairs that have not seen them, and the labels and weights of these rows."""
        if contest.dropped or contest.candidate.reduction != "pairwise" or contest.candidate.graded:
            return None
        once = [fold for fold in contest.folds if self.rounds[fold] == 0]
        tests = [self.folds[fold].test for fold in once]
        weights = None if self.part.weights is None else np.concatenate([test.weights for test in tests])
        scores = np.concatenate([contest.scores(fold, best) for fold in once])
        return scores, np.concatenate([test.labels for test in tests]), weights


def _together(best: Manner, better: list[Manner]) -> Manner:
    """What is different in each of these, all at once."""
    return best._replace(
        **{name: of for one in better for name, of in (one._asdict().items() - best._asdict().items())}
    )


def _folds(count: int) -> str:
    return "fold" if count == 1 else f"{count} folds"
