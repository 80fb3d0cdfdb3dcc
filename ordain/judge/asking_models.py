"""The plans of a run, asked of a language model, until there is an order or nothing more may be asked."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from ordain.judge.endpoint import Endpoint
from ordain.judge.llm import Client
from ordain.judge.model_judge import ModelJudge, TooLong
from ordain.judge.plan import Plan
from ordain.judge.pool import Pool, Stopped
from ordain.judge.prompt import Prompt
from ordain.judge.recorded import SideBySide
from ordain.judge.run import Run
from ordain.judge.spending import Spending
from ordain.judge.store import SKIPPED, Key, Replied
from ordain.judge.wanted import PAIRS, USUAL
from ordain.preference.awaited import Loop
from ordain.preference.journal import Answer
from ordain.rank.play import Order

SHORTER = {10: 5, 5: PAIRS}
"""What lists become that cannot be read."""


@dataclass(frozen=True)
class Watch:
    """Who is told of each answer, of all batches after a round, and when Ctrl-C has to wait."""

    answered: Callable[[], Any] = lambda: None
    round: Callable[[list[Any], list[Any]], Any] | None = None
    held_up: Callable[[], Any] = lambda: None


@dataclass(frozen=True)
class Asking:
    """How a run is asked: where, in which words, what texts are shown, and what may be spent."""

    run: Run
    endpoint: Endpoint
    prompt: Prompt
    texts: list[str]
    spending: Spending
    concurrency: int = 8
    sure: float | None = None

    def play(self, numbers: list[int], watch: Watch) -> Order:
        """Play the plans one after the other; the order of the last. Lists that cannot be read become shorter."""
        with (
            Loop() as loop,
            _connected(Client(self.endpoint, concurrency=self.concurrency), loop.started()) as client,
            Pool(loop.started(), self.concurrency, watch.held_up) as pool,
        ):
            judge = ModelJudge(
                self.run.store, client, self.prompt, self.texts,
                spending=self.spending, pool=pool, logprobs=self.endpoint.logprobs,
            )  # fmt: skip
            for number in numbers:
                order = self._played(number, judge, pool, watch)
        return order

    def _played(self, number: int, judge: ModelJudge, pool: Pool, watch: Watch) -> Order:
        """The order of a plan, or of one with shorter lists in its place."""

        async def ask(key: Key) -> Answer:
            answer = await judge(key)
            watch.answered()
            return answer

        missing = SideBySide(self.run.store, number, pool, ask)
        try:
            order = self.run.play(number, missing, sure=self.sure, spare=lambda: self._spare(number), tell=watch.round)
            if not self._unreadable(number):
                return order
        except TooLong:
            if not self.run.plans[number - 1].asks_lists:
                raise Stopped(
                    "lists must come back in an order that can be read. More than one in five could not be. Ask "
                    "another --model, or about fewer items at a time."
                ) from None
        judge.forget()
        plan = self.run.plans[number - 1]
        return self._played(self.run.store.add_plan(self._shorter(plan, number).settings), judge, pool, watch)

    def _unreadable(self, number: int) -> bool:
        """Whether a plan of a few lists has ended with more than one in five that nothing could be read from."""
        if not self.run.plans[number - 1].asks_lists:
            return False
        answers = [answer for _, answer in self.run.store.answered(number) if isinstance(answer, tuple)]
        return sum(1 for answer in answers if all(map(math.isnan, answer))) > len(answers) / 5

    def _shorter(self, plan: Plan, number: int) -> Plan:
        """The same plan with shorter lists, and what is left of its budget."""
        size = USUAL if plan.size == "auto" else plan.size
        shorter = SHORTER.get(size, 5 if size > 5 else PAIRS)
        shown = sum(len(key[1]) for key in self.run.store.keys(number))
        texts = max((plan.budget or 0) - shown, 4 * plan.n)
        changed: dict[str, Any] = {"size": shorter, "shorter": shorter, "seed": plan.seed + 1}
        if shorter > PAIRS:
            return replace(plan, budget=texts, **changed)
        ranker = {"list_window": "window", "list_field": "field"}[plan.ranker]
        return replace(plan, ranker=ranker, budget=texts // PAIRS, **changed)

    def _spare(self, number: int) -> int:
        """Requests, or pairs of them where each is asked both ways, left beyond those that the plan still has."""
        plan, asked = self.run.plans[number - 1], sum(1 for _ in self.run.store.keys(number))
        times = 2 if plan.both_orders else 1
        planned = round(times * (plan.budget or 0) / plan.each)
        return max(0, (self.spending.left or 0) - max(0, planned - asked)) // times


def settle_uncertain(run: Run, *, skip: bool) -> int:
    """Give up, if asked to, what was sent and never answered: it counts as ties. How many there are."""
    found = run.store.uncertain
    for entry in found if skip else []:
        items = len(entry.asked.key[1])
        answer: Answer = 0.5 if items == PAIRS else (float("nan"),) * items
        run.store.end(entry, Replied(SKIPPED, answer)).result()
    return len(found)


@contextmanager
def _connected(client: Client, loop: asyncio.AbstractEventLoop) -> Iterator[Client]:
    """The client, whose connections belong to the loop."""
    asyncio.run_coroutine_threadsafe(client.__aenter__(), loop).result()
    try:
        yield client
    finally:
        asyncio.run_coroutine_threadsafe(client.__aexit__(None, None, None), loop).result(5)
