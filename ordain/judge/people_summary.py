"""What a run that people judged says of itself: how many answers it took, how each judge answered, who disagrees.

A judge's agreement with the rest is that of :mod:`ordain.votes.judges_table`: the share of decided answers that go to
the item ahead on a board made without them. Median times have the interval between two order statistics that holds for
any distribution. Where two people judged a pair, a tie beside a decision counts as half an agreement.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.special import bdtr

from ordain.audit import JudgeReport, Share
from ordain.judge.person import least_seconds
from ordain.judge.store import ANSWER, PASSED, Entry
from ordain.judge.summary import Summary
from ordain.rank.bradley_terry.posterior import bradley_terry
from ordain.votes.cast_votes import Votes
from ordain.votes.judges_table import JudgesTable, judges_table

NAMED = 20
"""Judges that are told of in words; the rest is in the JSON."""


class Median(NamedTuple):
    """The middle of some numbers and where it may lie; no ends where they are too few to say."""

    value: float
    low: float | None
    high: float | None

    def __str__(self) -> str:
        ends = "" if self.low is None else f" ({self.low:.1f} to {self.high:.1f})"
        return f"{self.value:.1f}{ends}"


def median_of(numbers: list[float], level: float = 0.95) -> Median | None:
    """The median with its interval: from the k-th to the k-th last number, k that of a coin; None of nothing.

    Examples
    --------
    >>> print(median_of([2.0, 3.0, 5.0, 1.0, 4.0, 6.0, 7.0, 9.0, 8.0]))
    5.0 (2.0 to 8.0)
    """
    if not numbers:
        return None
    ordered, n = sorted(numbers), len(numbers)
    k = int(np.searchsorted(bdtr(np.arange(n + 1), n, 0.5), (1 - level) / 2))
    ends = (ordered[k - 1], ordered[-k]) if k else (None, None)
    return Median(float(np.median(ordered)), *ends)


@dataclass(frozen=True)
class JudgeTold:
    """One person: answers, agreement with the rest if there are others, left answers, time, and how many too fast."""

    name: str
    answers: int
    agreement: Share | None
    left: Share
    seconds: Median | None
    fast: int

    def __str__(self) -> str:
        said = [f"{self.answers:,} {'answer' if self.answers == 1 else 'answers'}"]
        said += [] if self.seconds is None else [f"median time {self.seconds} s"]
        said += [] if self.agreement is None or not self.agreement.of else [f"agrees with the rest on {self.agreement}"]
        said += [f"took the left one in {self.left}"] if self.left.of else []
        said += [f"{self.fast:,} came too fast to have been read"] if self.fast else []
        return f"{self.name}: {'; '.join(said)}."

    def as_json(self) -> dict[str, Any]:
        """As plain data."""
        time = self.seconds
        return {
            "judge": self.name,
            "answers": self.answers,
            "agreement": None if self.agreement is None else _share(self.agreement),
            "left": _share(self.left),
            "seconds": None if time is None else {"median": time.value, "low": time.low, "high": time.high},
            "too_fast": self.fast,
        }


@dataclass(frozen=True)
class PeopleSummary(Summary):
    """Everything that is told of a run that people judged."""

    @cached_property
    def answers(self) -> list[Entry]:
        """The last answer to each question, but for what checks a model."""
        found = {}
        for entry in self.run.store.entries:
            kind = self.run.store.plans[entry.asked.key[0] - 1]["ranker"]
            if entry.replied is not None and kind != "check" and isinstance(entry.replied.answer, float):
                found[entry.asked.key] = entry
        return [entry for entry in found.values() if entry.replied is not None and entry.replied.outcome == ANSWER]

    @property
    def passed(self) -> int:
        """Pairs that everybody passed over."""
        last = {one.asked.key: one.replied.outcome for one in self.run.store.entries if one.replied is not None}
        return Counter(last.values())[PASSED]

    @property
    def judge(self) -> JudgeReport | None:
        """How people leaned to a side, and circles; that two of them differ is no contradiction of either."""
        report = super().judge
        return None if report is None else replace(report, contradictions=Share(0, 0, report.contradictions.level))

    @cached_property
    def judges(self) -> list[JudgeTold]:
        """Each person."""
        table = self._table
        return [
            self._told(name, None if table is None else table.judges[place].agreement) for place, name in self._names
        ]

    @property
    def _names(self) -> list[tuple[int, str]]:
        return list(enumerate(sorted({entry.asked.who for entry in self.answers})))

    @property
    def _table(self) -> JudgesTable | None:
        """The table of the judges, where there are two or more."""
        numbers = {name: number for number, name in self._names}
        if len(numbers) < 2:
            return None
        left, right = np.array([entry.asked.key[1] for entry in self.answers]).T
        said, one = np.array([_said(entry) for entry in self.answers]), np.ones(len(left))
        of = np.array([numbers[entry.asked.who] for entry in self.answers])
        votes = Votes(tuple(range(self.run.n)), left, right, said, one, one, one, of, tuple(numbers))
        fit = bradley_terry(votes.pairs, said, self.run.n, lapse=None)
        return judges_table(votes, fit, level=self.outcome.level)

    def _told(self, name: str, agreement: Share | None) -> JudgeTold:
        mine = [entry for entry in self.answers if entry.asked.who == name]
        decided = [_said(entry) for entry in mine if _said(entry) != 0.5]
        timed = [(entry, entry.replied.seconds) for entry in mine if entry.replied is not None]
        times = [seconds for _, seconds in timed if seconds is not None]
        fast = sum(1 for entry, seconds in timed if seconds is not None and seconds < self._least(entry))
        left = Share(sum(decided), len(decided), self.outcome.level)
        return JudgeTold(name, len(mine), agreement, left, median_of(times, self.outcome.level), fast)

    def _least(self, entry: Entry) -> float:
        """Seconds in which a pair can hardly be read."""
        return least_seconds(self.run.store.items[item] for item in entry.asked.key[1])

    @cached_property
    def two_people(self) -> Share:
        """How far the first two who judged a pair agree."""
        pairs = dict[frozenset[int], dict[str, float]]()
        for entry in self.answers:
            first, second = entry.asked.key[1]
            said = _said(entry) if first < second else 1 - _said(entry)
            pairs.setdefault(frozenset((first, second)), {}).setdefault(entry.asked.who, said)
        both = [list(said.values())[:2] for said in pairs.values() if len(said) > 1]
        return Share(sum(1 - abs(one - other) for one, other in both), len(both), self.outcome.level)

    def _cost(self) -> list[str]:
        """What it took."""
        many, people = len(self.answers), len(self._names)
        by = "" if people < 2 else f" by {people} people"
        said = [f"{many:,} {'answer' if many == 1 else 'answers'}{by}."]
        if self.passed:
            said.append(f"{self.passed:,} {'pair was' if self.passed == 1 else 'pairs were'} passed over by everybody.")
        return said

    def _trouble(self) -> list[str]:
        return []

    def _behaviour(self) -> list[str]:
        """How people judged, and how far they agree."""
        said = [*super()._behaviour(), *map(str, self.judges[:NAMED])]
        if len(self.judges) > NAMED:
            said.append(f"{len(self.judges) - NAMED:,} more people judged; --json tells of all.")
        if self.two_people.of:
            said.append(f"Two people agree on {self.two_people} pairs that both judged.")
        return said

    def as_json(self) -> dict[str, Any]:
        """The same as plain data."""
        machine = ("requests", "tokens_read", "tokens_written", "cost", "ends", "list_size", "lists", "sure")
        found = {name: value for name, value in super().as_json().items() if name not in machine}
        people = {"people": [one.as_json() for one in self.judges], "two_people": _share(self.two_people)}
        return {"answers": len(self.answers), "passed": self.passed} | people | found


def _said(entry: Entry) -> float:
    """What was answered to a pair."""
    return float(entry.replied.answer) if entry.replied is not None else float("nan")  # type: ignore[arg-type]


def _share(of: Share) -> dict[str, Any]:
    """A share as plain data; null for one of nothing."""
    return {"value": of.value if of.of else None, "low": of.low, "high": of.high, "of": of.of, "level": of.level}
