"""`ordain status`: what a judging run is about, how far it is, and what is uncertain."""

from __future__ import annotations

from typing import Any

from ordain.commands.console import print_json, say, visible
from ordain.judge.run import Run
from ordain.judge.spending import Spending
from ordain.judge.store import Entry

NAMED = 10
"""Uncertain requests that are listed."""


def run(place: str, *, as_json: bool = False) -> None:
    """Read and tell."""
    with Run.look(place) as found:
        facts = _facts(found)
        uncertain = [_question(found, entry) for entry in found.store.uncertain]
    if as_json:
        print_json(facts | {"uncertain": uncertain})
        return
    judge = facts["judge"].get("model") or "a judge of one's own"
    say(
        visible(f"{facts['items']:,} items, judged by {judge}: {facts['question']}"),
        f"{facts['requests']:,} requests, {facts['answers']:,} answers, {facts['tokens_read']:,} tokens read and "
        f"{facts['tokens_written']:,} written.",
    )
    for number, plan in enumerate(facts["plans"], 1):
        say(f"Plan {number}: {plan['ranker']}, {plan['answered']:,} questions answered.")
    if not uncertain:
        say("Nothing is uncertain.")
        return
    say(f"{len(uncertain):,} requests were sent and are not answered; the same command asks them again:")
    say(*(visible(f"  {' | '.join(one['shown'])} (attempt {one['attempt']})") for one in uncertain[:NAMED]))


def _facts(found: Run) -> dict[str, Any]:
    """What the run is, as plain data; its secret is not in it."""
    spending = Spending().recall(found.store.entries)
    plans = [
        {
            "ranker": plan.ranker,
            "top": plan.top,
            "budget": plan.budget,
            "answered": sum(1 for _ in found.store.answered(number)),
        }
        for number, plan in enumerate(found.plans, 1)
    ]
    return {
        "run": found.store.path,
        "items": found.n,
        "question": found.store.facts["question"],
        "judge": found.store.facts["judge"],
        "seed": found.store.facts["seed"],
        "requests": spending.requests,
        "answers": sum(plan["answered"] for plan in plans),
        "tokens_read": spending.tokens[0],
        "tokens_written": spending.tokens[1],
        "plans": plans,
    }


def _question(found: Run, entry: Entry) -> dict[str, Any]:
    shown = [found.store.items[item].id for item in entry.asked.key[1]]
    return {"shown": shown, "plan": entry.asked.key[0], "attempt": entry.asked.attempt, "at": entry.at}
