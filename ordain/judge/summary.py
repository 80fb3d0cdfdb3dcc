"""What a run says of itself: what it took, how the judge behaved, how far the order can be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeGuard

import numpy as np

from ordain._types import Answers, Pairs
from ordain.audit import Agreement, JudgeReport, Share, agreement, contradictions, first_shown
from ordain.audit.circles import Cyclicity, cyclicity
from ordain.judge.forecast import money
from ordain.judge.outcome import Outcome
from ordain.judge.plan import SORTS, Audit, Plan, audit_of
from ordain.judge.run import Run
from ordain.judge.spending import Spending
from ordain.judge.store import ANSWER, FAULT, REFUSED, SKIPPED, UNREADABLE, UNSENT
from ordain.preference import Spent, list_pairs
from ordain.preference.journal import Answer, places_of
from ordain.preference.questions import padded
from ordain.rank.blended.learned import Learned

TRIPLES = 30
"""Triples from which on circles are told of."""

DOUBT = 2.0
"""Standard deviations below the circles that coins make from which on it is hardly by chance."""


@dataclass(frozen=True)
class Lists:
    """How lists came back: of how many pairs the one shown earlier came first, and how many lists came as shown."""

    earlier: Share
    as_shown: int
    lists: int

    def __str__(self) -> str:
        return (
            f"Of two items in a list the one shown earlier came first in {self.earlier.value:.1%} of "
            f"{self.earlier.of:,} pairs; {self.as_shown:,} of {self.lists:,} lists came back as they were shown."
        )


@dataclass(frozen=True)
class Summary:
    """Everything that is told of a run, once an order can be given."""

    run: Run
    outcome: Outcome
    spending: Spending
    priced: bool = False
    top: int | None = None

    @property
    def plan(self) -> Plan:
        """The last plan that gives an order."""
        return [plan for plan in self.run.plans if plan.orders or plan.ranker == "again"][-1]

    @property
    def asked_pairs(self) -> tuple[Pairs, Answers]:
        """Everything that was asked as a pair, the audit included, as shown, and the answers; no check by people."""
        said = [
            one
            for number, plan in enumerate(self.run.plans, 1)
            for one in self.run.store.answered(number)
            if not isinstance(one[1], tuple) and plan.ranker != "check"
        ]
        return np.array([shown for shown, _ in said]).reshape(-1, 2), np.array(
            [answer for _, answer in said], dtype=float
        )

    @property
    def audit(self) -> Audit | None:
        """The audit, if there was one."""
        plans = [plan for plan in self.run.plans if plan.ranker == "audit"]
        return audit_of(plans[0]) if plans else None

    def audited(self, pairs: Pairs) -> tuple[Pairs, Answers]:
        """Those of the audit's pairs that were answered, and the answers."""
        number = 1 + [plan.ranker for plan in self.run.plans].index("audit")
        answers = dict(self.run.store.answered(number))
        some = [tuple(pair) for pair in pairs.tolist() if tuple(pair) in answers]
        return np.array(some).reshape(-1, 2), np.array([answers[pair] for pair in some], dtype=float)

    @cached_property
    def agreement(self) -> Agreement | None:
        """How far the order, made without them, agrees with the judge on pairs kept back; None before there is one."""
        if self.audit is None or not self.run.said_to_rankers():
            return None
        pairs, answers = self.audited(self.audit.independent)
        order = self.outcome.order if self.plan.ranker in SORTS else self.run.order_without_audit()
        return agreement(order, pairs, answers) if len(pairs) else None

    @property
    def judge(self) -> JudgeReport | None:
        """How the judge behaved on pairs: for the first shown, against itself, and in circles if triples tell."""
        pairs, answers = self.asked_pairs
        if not len(pairs):
            return None
        return JudgeReport(len(pairs), first_shown(pairs, answers), contradictions(pairs, answers), self.cycles)

    @property
    def cycles(self) -> Cyclicity:
        """Circles among the triples of the audit, if there are enough of them."""
        triples = self.audited(self.audit.triples) if self.audit is not None else (np.empty((0, 2)), np.empty(0))
        if len(triples[1]) < 3 * TRIPLES:
            return Cyclicity(0, 0, True)
        return cyclicity(triples[0], triples[1], np.random.default_rng(0))

    @property
    def lists(self) -> Lists | None:
        """How lists came back."""
        said = [(shown, answer) for shown, answer in self.outcome.said if _ranks_some(answer)]
        if not said:
            return None
        size = max(len(shown) for shown, _ in said)
        shown = padded([np.array(one) for one, _ in said], size)
        places = padded([np.array(answer, dtype=float) for _, answer in said], size)
        _, answers, _ = list_pairs(shown, places)
        as_shown = sum(1 for _, answer in said if list(answer) == sorted(answer) and len(set(answer)) == len(answer))
        return Lists(Share(float((answers > 0.5).sum()), int((answers != 0.5).sum())), as_shown, len(said))

    def outcomes(self) -> dict[str, int]:
        """How many requests ended in which way; `uncertain` are those of which nothing is known."""
        found = dict.fromkeys((UNREADABLE, FAULT, UNSENT, REFUSED, SKIPPED), 0)
        for entry in self.run.store.entries:
            if entry.replied is not None and entry.replied.outcome in found:
                found[entry.replied.outcome] += 1
        return found | {"uncertain": len(self.run.store.uncertain)}

    def sentences(self) -> list[str]:
        """The whole of it in plain words."""
        return [
            *self._cost(),
            *self._trouble(),
            *self._order(),
            *self._learned(),
            *self._behaviour(),
        ]

    def _cost(self) -> list[str]:
        """What it took."""
        requests = self.spending.requests
        read, written = self.spending.tokens
        tokens = f", {read:,} tokens read and {written:,} written" if read or written else ""
        cost = f", {money(self.spending.cost)} in all" if self.priced else ""
        return [f"{_many(requests, 'request')}{tokens}{cost}."]

    def _trouble(self) -> list[str]:
        """What went wrong on the way, and what was done about it."""
        ends, said, ended = self.outcomes(), [], [one.replied for one in self.run.store.entries if one.replied]
        if ends[FAULT] or ends[UNSENT]:
            faulty = _many(ends[FAULT] + ends[UNSENT], "request")
            said.append(f"{faulty} met a fault of the line or the server and were repeated.")
        if ends[UNREADABLE]:
            ties = sum(1 for one in ended if one.outcome == UNREADABLE and one.answer is not None)
            said.append(
                f"{_many(ends[UNREADABLE], 'reply', 'replies')} could not be read; {_many(ties, 'question')} had none "
                "that could, also when asked again, and count as ties."
            )
        missing, repeated, invented = np.array([one.noted or (0, 0, 0) for one in ended]).reshape(-1, 3).sum(axis=0)
        if missing or repeated or invented:
            said.append(
                f"In lists {missing:,} labels were missing, {repeated:,} there twice and {invented:,} invented."
            )
        if ends["uncertain"]:
            were = "was" if ends["uncertain"] == 1 else "were"
            said.append(f"{_many(ends['uncertain'], 'request')} {were} sent and never answered, as far as is known.")
        return said + self._settled()

    def _settled(self) -> list[str]:
        """What plans settled on the way."""
        said = []
        if sizes := [plan.shorter for plan in self.run.plans if plan.shorter]:
            shorter = ", then ".join("pairs" if size == 2 else f"lists of {size}" for size in sizes)
            said.append(f"More than one list in five could not be read, so that the model was asked {shorter}.")
        said += [value for (_, name), value in sorted(self.run.store.decisions.items()) if name == "size"]
        return said

    def _order(self) -> list[str]:
        """Which ranker made the order, how it agrees with the judge, and what its top is worth."""
        said = [self.made_by]
        if self.agreement is not None:
            agreed = str(self.agreement)
            before = f"Before the audit's pairs were taken into it, {agreed[0].lower()}{agreed[1:]}"
            said.append(agreed if self.plan.ranker in SORTS else before)
        k = self.top
        surely, expected = (self.outcome.surely_in(k), self.outcome.expected_in(k)) if k else (None, None)
        if k and surely is not None:
            more = "" if expected is None else f", and {expected:.1f} are expected to"
            said.append(f"Of the first {k}, {surely} surely belong there at {self.outcome.level:.0%}{more}.")
        if (chance := self.sure) is not None:
            said.append(
                f"It ended early: with a chance of {100 * chance:.0f} in 100 no other item wins against one of the "
                f"first {k} more than 55 times in 100. That saved about {self.saved:,} requests."
            )
        return said

    @cached_property
    def learned(self) -> Learned | None:
        """What was learned without the audit's pairs; None where it does not learn or nothing was said."""
        return self.run.learned(audit=False)

    @cached_property
    def alone(self) -> Agreement | None:
        """How far the order of items alone, without their features, agrees with the judge on the same pairs."""
        if self.learned is None or self.audit is None:
            return None
        pairs, answers = self.audited(self.audit.independent)
        order = np.argsort(-self.learned.alone.scores, kind="stable")
        return agreement(order, pairs, answers) if len(pairs) else None

    def _learned(self) -> list[str]:
        """What it was learned from, and whether that helped."""
        if (known := self.run.learns_from) is None:
            return []
        said = [str(known), *known.dropped]
        if self.learned is not None:
            said.append(str(self.learned))
        if self.alone is not None and self.learned is not None and self.learned.helped:
            said.append(f"Items alone, without features, would agree on {Share.__str__(self.alone)}.")
        never = self.outcome.shown == 0
        if never.any():
            last = "last, as they came" if np.isnan(self.outcome.scores[never]).any() else "by what was learned"
            many = np.count_nonzero(never)
            said.append(f"{many:,} of {self.run.n:,} items were never asked about; they are ranked {last}.")
        return said

    @cached_property
    def whole(self) -> bool:
        """Whether the sort has come to its end: no question of it lacks an answer."""
        lacking: list[int] = []

        def nothing(batch: Pairs) -> Answers:
            lacking.append(len(batch))
            raise Spent

        self.run.play(self.run.plans.index(self.plan) + 1, nothing)
        return not any(lacking)

    @property
    def sure(self) -> float | None:
        """The chance at which the last plan ended, if it did for that."""
        return self.run.store.decisions.get((len(self.run.plans), "sure"))

    @property
    def saved(self) -> int:
        """Requests of the last plan that were not needed."""
        plan = self.plan
        asked = sum(1 for _ in self.run.store.keys(len(self.run.plans)))
        times = 2 if plan.both_orders else 1
        return max(0, round(times * (plan.budget or 0) / plan.each) - asked)

    @property
    def made_by(self) -> str:
        """Which ranker made the order, and what it promises."""
        if self.plan.ranker not in SORTS:
            how = "lists, as a model of all answers has it" if self.plan.asks_lists else "a model of all answers"
            how = how if self.plan.learn is None else f"one model of features and items, learned from {how}"
            return f"The order is by {how} ({self.plan.ranker})."
        if not self.whole:
            return (
                "The order is QuickSort's as far as it came: it was ended before its end, and so it promises nothing."
            )
        return (
            "The order is QuickSort's: its expected loss, over the choice of pivots, is at most twice that of the "
            "judge's own answers, and equal to it where items are only good or bad [AilonMohri10]."
        )

    def _behaviour(self) -> list[str]:
        """How the judge behaved."""
        said = [] if self.judge is None else [str(self.judge), *self._circles()]
        return said + ([str(self.lists)] if self.lists is not None else [])

    def _circles(self) -> list[str]:
        """That the judge goes in circles as coins do, where the audit's triples tell that already."""
        if not self.cycles.triples or (self.judge is not None and self.judge.character):
            return []
        like_coins = self.cycles.beyond_chance > -DOUBT
        return ["That is about as many as coins make: the answers look random or circular."] if like_coins else []

    def reasons(self, k: int) -> dict[str, str]:
        """For the items at the top, by id, the last sentence of reason that was given where the item won."""
        found: dict[str, str] = {}
        first = set(self.outcome.order[:k].tolist())
        for entry in self.run.store.entries:
            replied, shown = entry.replied, entry.asked.key[1]
            if replied is None or replied.why is None or replied.outcome != ANSWER or replied.answer is None:
                continue
            places = places_of(replied.answer)
            best = [item for item, place in zip(shown, places, strict=True) if place == np.nanmin(places)]
            if len(best) == 1 and best[0] in first:
                found[self.run.store.items[best[0]].id] = replied.why
        return found

    def as_json(self) -> dict[str, Any]:
        """The same as plain data."""
        report, found = self.judge, self.agreement
        return {
            "items": self.run.n,
            "question": self.run.store.facts["question"],
            "requests": self.spending.requests,
            "tokens_read": self.spending.tokens[0],
            "tokens_written": self.spending.tokens[1],
            "cost": self.spending.cost if self.priced else None,
            "ends": self.outcomes(),
            "ranker": self.plan.ranker,
            "list_size": self.plan.size if self.plan.asks_lists else 2,
            "audit": None if found is None else _share(found),
            "judge": None if report is None else {
                "pairs": report.answers,
                "first_shown": _share(report.first),
                "contradictions": _share(report.contradictions),
                "character": report.character,
                "triples": report.cycles.triples,
                "cyclic": None if not report.cycles.triples else report.cycles.value,
            },
            "lists": None if self.lists is None else {
                "lists": self.lists.lists, "as_shown": self.lists.as_shown, "earlier": _share(self.lists.earlier)
            },
            "top": self.top,
            "surely_in_top": self.outcome.surely_in(self.top) if self.top else None,
            "expected_in_top": self.outcome.expected_in(self.top) if self.top else None,
            "sure": self.sure,
            "learned": None if self.learned is None else {
                "from": str(self.run.learns_from), "helped": self.learned.helped, "gain": self.learned.gain,
                "items_alone": None if self.alone is None else _share(self.alone),
            },
            "sentences": self.sentences(),
        }  # fmt: skip


def _ranks_some(answer: Answer) -> TypeGuard[tuple[float, ...]]:
    """Whether an answer is the order of a list of which something could be read."""
    return isinstance(answer, tuple) and not np.isnan(answer).all()


def _share(of: Share) -> dict[str, Any]:
    """A share as plain data; null for one of nothing."""
    nothing = not of.of
    return {"value": None if nothing else of.value, "low": of.low, "high": of.high, "of": of.of, "level": of.level}


def _many(count: int, what: str, several: str | None = None) -> str:
    return f"{count:,} {what if count == 1 else several or what + 's'}"
