"""People check a model: they judge pairs that it judged, without seeing what it said.

Half of the pairs are drawn by lot from all, and tell how often people agree with the model: those of the audit, which
are such, and others that it answered where these are too few. The other half are from its last questions, where what it
compared was near, and any judge agrees less; they are told of apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordain._types import Vector
from ordain.audit import Share
from ordain.audit.share import TIE
from ordain.judge.plan import APART, Plan
from ordain.judge.run import Run
from ordain.preference.journal import Answer, Question, places_of

LATE = 3
"""The last one in so many of the questions are late."""

Pair = tuple[int, int]


def model_answers(run: Run) -> tuple[dict[Pair, float], dict[Pair, float], dict[Pair, float]]:
    """What the model said of pairs drawn by lot, of all others, asked as such or in lists, and of the last of these."""
    audit, others = dict[Pair, float](), dict[Pair, float]()
    for number, plan in enumerate(run.plans, 1):
        if plan.ranker == "audit":
            audit.update(said for question in run.store.answered(number) for said in _pairs_in(*question))
        elif plan.ranker not in APART:
            others.update(said for question in run.store.answered(number) for said in _pairs_in(*question))
    late = dict(list(others.items())[-(len(others) // LATE) :])
    return audit, others, late


def check_plan(run: Run, count: int, seed: int) -> Plan:
    """A plan that asks people so many of the pairs that the model answered, each in random order."""
    audit, others, late = model_answers(run)
    rng = np.random.default_rng([seed, count])
    lot = _drawn(audit, -(-count // 2), rng)
    lot += _drawn({pair: said for pair, said in others.items() if pair not in lot}, -(-count // 2) - len(lot), rng)
    near = _drawn({pair: said for pair, said in late.items() if not {pair, pair[::-1]} & {*lot}}, count - len(lot), rng)
    if not lot:
        raise ValueError(f"the run {run.store.path} must have answers to check. It has none. Start it first.")
    shown = [list(pair if rng.random() < 0.5 else pair[::-1]) for pair in lot + near]
    wanted = {"check": count, "by_lot": len(lot)}
    return Plan("check", run.n, seed, budget=len(shown), wanted=wanted, questions=shown)


def _drawn(said: dict[Pair, float], count: int, rng: np.random.Generator) -> list[Pair]:
    """Some of the pairs that were decided, by lot."""
    decided = [pair for pair, answer in said.items() if abs(answer - 0.5) > TIE]
    return [decided[place] for place in rng.permutation(len(decided))[: max(count, 0)]]


def _pairs_in(question: Question, answer: Answer) -> list[tuple[Pair, float]]:
    """The pairs of a question, and how surely the first of each came before the second."""
    places = places_of(answer)
    if len(question) == 2:
        return [((question[0], question[1]), float(places[1]))]
    first, second = np.triu_indices(len(question), k=1)
    ahead = places[second] - places[first]
    return [
        ((question[i], question[j]), float(0.5 + np.sign(by) / 2))
        for i, j, by in zip(first.tolist(), second.tolist(), ahead.tolist(), strict=True)
        if not np.isnan(by)
    ]


@dataclass(frozen=True)
class Check:
    """How people agree with the model, on pairs by lot and on late ones, and how they agree with the order.

    `side` is how often, where they disagree, people took the left one; `longer` how often the model took the longer.
    """

    by_lot: Share
    late: Share
    order: Share
    side: Share
    longer: Share

    def sentences(self) -> list[str]:
        """In plain words."""
        low, high = (max(-1.0, 2 * end - 1) for end in (self.by_lot.low, self.by_lot.high))
        said = [
            f"On pairs drawn by lot people agree with the model on {self.by_lot}. Beyond chance that is "
            f"{2 * self.by_lot.value - 1:.2f}, from {low:.2f} to {high:.2f}, where coins have 0 and one mind has 1."
            if self.by_lot.of
            else "People have answered no pair drawn by lot yet."
        ]
        if self.late.of:
            said.append(f"On near pairs of its last questions they agree on {self.late}.")
        if self.order.of:
            said.append(
                f"With the order they agree on {self.order}: so many of all pairs stand as people would have them."
            )
        if self.side.of and self.side.p_value < 0.05:
            side = "left" if self.side.value > 0.5 else "right"
            said.append(f"Where they disagree people lean to the {side} one (p = {self.side.p_value:.2g}).")
        if self.longer.of and self.longer.p_value < 0.05:
            length = "longer" if self.longer.value > 0.5 else "shorter"
            said.append(f"Where they disagree the model takes the {length} text (p = {self.longer.p_value:.2g}).")
        return said

    def as_json(self) -> dict[str, Any]:
        """As plain data."""
        parts = {
            "by_lot": self.by_lot,
            "late": self.late,
            "order": self.order,
            "side": self.side,
            "longer": self.longer,
        }
        return {
            name: {"value": of.value if of.of else None, "low": of.low, "high": of.high, "of": of.of}
            for name, of in parts.items()
        }


def check_of(run: Run, number: int, order: Vector) -> Check:
    """What people said in the check of this plan, beside the model's answers and the order."""
    plan = run.plans[number - 1]
    audit, others, _ = model_answers(run)
    model = {**others, **audit}
    by_lot = {tuple(one) for one in (plan.questions or [])[: (plan.wanted or {}).get("by_lot", 0)]}
    people = [(shown, said) for shown, said in run.store.answered(number) if not isinstance(said, tuple)]
    rows = [(shown, said, _said(model, shown), shown in by_lot) for shown, said in people]
    apart = [(shown, said) for shown, said, other, _ in rows if (said - 0.5) * (other - 0.5) < 0]
    places = np.argsort(order)
    put_first = [float(places[shown[0]] < places[shown[1]]) for shown, _, _, lot in rows if lot]
    lengths = [len(run.store.items[shown[0]].text) - len(run.store.items[shown[1]].text) for shown, _ in apart]
    longer = [(said < 0.5) == (length > 0) for (_, said), length in zip(apart, lengths, strict=True) if length]
    return Check(
        _agreement([said for _, said, _, lot in rows if lot], [other for _, _, other, lot in rows if lot]),
        _agreement([said for _, said, _, lot in rows if not lot], [other for _, _, other, lot in rows if not lot]),
        _agreement([said for _, said, _, lot in rows if lot], put_first),
        Share(float(sum(said > 0.5 for _, said in apart)), len(apart)),
        Share(float(sum(longer)), len(longer)),
    )


def _said(model: dict[Pair, float], shown: Sequence[int]) -> float:
    """What the model said of a pair, whichever way round it was asked."""
    first, second = shown
    return model[first, second] if (first, second) in model else 1 - model[second, first]


def _agreement(people: Sequence[float], others: Sequence[float]) -> Share:
    """How often two say the same; a tie agrees by half with either side."""
    part = sum(said * (other > 0.5) + (1 - said) * (other < 0.5) for said, other in zip(people, others, strict=True))
    return Share(float(part), len(people))
