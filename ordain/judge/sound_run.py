"""What a run may hold, looked at once when it is opened: a database can be whole, and what stands in it not.

Whoever hands over a run, or mends one by hand, may leave anything in its cells. So each value is held to what ordain
writes, and nobody who reads the run has to ask again: the items of a question exist, an answer has a place for each or
is a chance, and a plan wants what there can be.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from ordain.judge.plan import ASKS, LISTS, SORTS, Plan
from ordain.judge.store import ENDS, Entry, Store
from ordain.preference.journal import Answer, Question

RANKERS = {*LISTS, *SORTS, *ASKS, "window", "field", "insert"}
"""Those that a plan may name."""

FACTS = {"question": str, "judge": dict, "items": str, "seed": int, "secret": str}
"""What every run is about."""

PLAN = {
    "ranker": str, "n": int, "seed": int, "budget": int, "top": int, "size": (int, str), "both_orders": bool,
    "spare": bool, "wanted": dict, "questions": list, "new": int, "shorter": int, "learn": dict,
}  # fmt: skip
"""What the settings of a plan are."""

LEARN = {"start": str, "embeddings": str, "digest": str, "texts": bool}
DECISIONS = {"spare": int, "size": str, "sure": (int, float)}
"""From what a plan learns, and what one settles."""

MOST = 2**53
"""No number of tokens, texts or questions is as large, nor a time in seconds."""

Looked = Iterator[tuple[str, bool]]
"""What was looked at, and whether it can be so; after the first that cannot nothing more is looked at."""


def check_run(store: Store) -> None:
    """Refuse a run that holds what no run does."""
    for what, right in _looked_at(store):
        if not right:
            must = f"{store.path} must be a whole run"
            raise ValueError(f"{must}. It is damaged ({what} cannot be as it is). Take a copy that is not.")


def _looked_at(store: Store) -> Looked:
    yield from _facts(store.facts)
    yield "the number of its items", len(store.items) >= 2
    for item in store.items:
        yield f"the item {item.id[:40]!r}", _of_kind(item.id, str) and _of_kind(item.text, str) and _named(item.rest)
    for number, settings in enumerate(store.plans, 1):
        yield f"plan {number}", _is_plan(settings, len(store.items))
    yield "the order of its plans", all(one["n"] <= other["n"] for one, other in pairwise(store.plans))
    for (plan, name), value in store.decisions.items():
        yield f"what plan {plan} settled", _is_count(plan) and _of_kind(value, DECISIONS.get(name, object))
    for entry in store.entries:
        yield f"request {entry.number}", _is_request(entry, store.plans)
        yield f"the end of request {entry.number}", _is_end(entry)


def _facts(facts: dict[str, Any]) -> Looked:
    for name, kind in FACTS.items():
        yield f"its {name}", _of_kind(facts.get(name), kind)
    yield "its seed", facts["seed"] >= 0
    yield "its secret", re.fullmatch("[0-9a-f]{64}", facts["secret"]) is not None


def _of_kind(value: Any, kind: Any) -> bool:
    """Whether a value is of a type, or of one of several; true and false are no numbers."""
    return isinstance(value, kind) and (kind is bool or kind is object or not isinstance(value, bool))


def _is_count(value: Any, least: int = 0) -> bool:
    return _of_kind(value, int) and least <= value < MOST


def _is_amount(value: Any) -> bool:
    return _of_kind(value, (int, float)) and 0 <= value < MOST


def _named(rest: Any) -> bool:
    """Whether these are the other columns of an item: text, or nothing."""
    return isinstance(rest, dict) and all(value is None or isinstance(value, str) for value in rest.values())


def _is_plan(settings: Any, items: int) -> bool:
    """Whether these are the settings of a plan for so many items."""
    if not isinstance(settings, dict) or not {"ranker", "n", "seed"} <= settings.keys() <= PLAN.keys():
        return False
    if not all(_of_kind(value, PLAN[name]) for name, value in settings.items()):
        return False
    plan = Plan(**settings)
    if plan.ranker not in RANKERS or not 2 <= plan.n <= items or plan.seed < 0:
        return False
    least = {"budget": 0, "top": 1, "shorter": 2, "new": 1, **({} if plan.size == "auto" else {"size": 2})}
    if not all(_is_count(settings.get(name, at_least), at_least) for name, at_least in least.items()):
        return False
    if plan.ranker == "audit" and (plan.budget or 0) > plan.n * (plan.n - 1) // 2:
        return False
    learn = plan.learn or {}
    known = learn.keys() <= LEARN.keys() and all(
        one is None or _of_kind(one, LEARN[name]) for name, one in learn.items()
    )
    asked = all(isinstance(one, list) and _is_question(tuple(one), plan.n) for one in plan.questions or [])
    return known and asked and (plan.new or 0) <= plan.n - 2 and _is_count((plan.wanted or {}).get("by_lot", 0))


def _is_question(question: Question, items: int) -> bool:
    """Whether these are two or more different items."""
    real = all(_of_kind(item, int) and 0 <= item < items for item in question)
    return real and 2 <= len(question) == len(set(question))


def _is_request(entry: Entry, plans: list[dict[str, Any]]) -> bool:
    plan, question, time = entry.asked.key
    if not (_is_count(plan, 1) and plan <= len(plans) and _is_question(question, plans[plan - 1]["n"])):
        return False
    written = isinstance(entry.asked.who, str) and isinstance(entry.asked.prompt, str)
    counts = all(map(_is_count, (entry.number, time, entry.asked.attempt))) and _are_counts(entry.asked.reserved, 2)
    return written and counts and _is_amount(entry.at)


def _is_end(entry: Entry) -> bool:
    """Whether a request ended so, if it did."""
    end = entry.replied
    if end is None:
        return True
    counts = (end.tokens is None or _are_counts(end.tokens, 2)) and (end.noted is None or _are_counts(end.noted, 3))
    answered = end.answer is None or _is_answer(end.answer, len(entry.asked.key[1]))
    timed = end.seconds is None or _is_amount(end.seconds)
    return end.outcome in ENDS and counts and answered and timed and (end.why is None or isinstance(end.why, str))


def _are_counts(values: Any, many: int) -> bool:
    return len(values) == many and all(map(_is_count, values))


def _is_answer(answer: Answer, items: int) -> bool:
    """Whether it is a chance, of a pair, or has a place, or NaN, for each item of a list."""
    if not isinstance(answer, tuple):
        return items == 2 and 0 <= answer <= 1
    placed = (_of_kind(place, (int, float)) and (math.isnan(place) or 0 <= place < items) for place in answer)
    return len(answer) == items and all(placed)
