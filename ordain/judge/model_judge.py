"""A language model as a judge: one question, asked until it is answered, every request and reply of it in the run.

What may pass is waited for and asked again: limits of rate, faults of the server, a line that breaks. What will not
pass stops the run, which can go on later. A reply that cannot be read is asked for once more and then counts as a tie;
it is never guessed. All retries are here, and each of them is a request of its own in the run.
"""

from __future__ import annotations

import asyncio
import json
import math
import random
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ordain.judge.list_verdict import read_list
from ordain.judge.llm import Client
from ordain.judge.pair_chance import pair_chance
from ordain.judge.pair_verdict import read_pair
from ordain.judge.pool import Pool, Stopped
from ordain.judge.prompt import Prompt, fence_mark, prompt_hash
from ordain.judge.reply import Passing, Refused, Reply
from ordain.judge.spending import Spending
from ordain.judge.store import ANSWER, FAULT, REFUSED, UNREADABLE, UNSENT, Asked, Entry, Key, Replied, Store
from ordain.judge.verdict import Verdict
from ordain.judge.waiting import backoff
from ordain.judge.without_thoughts import without_reasoning
from ordain.preference import Spent
from ordain.preference.journal import Answer

TRIES = 8
"""Faults in a row, of one question, after which the run stops; limits of rate count only while nobody gets through."""

LIMITED = 429
"""The status of a limit of rate, which other questions that got through have used up."""

READINGS = 2
"""Replies to one question that cannot be read, after which it is a tie."""

RECENT, BAD = 50, 10
"""Of so many replies to pairs at most so many may be unreadable."""

LISTS, BAD_LISTS, NONE_OF = 20, 4, 3
"""Of so many lists at most so many may be unreadable, and of the first three one must be readable."""

Wait = Callable[[int, float], float]
"""From the number of faults and a number drawn from [0, 1) to seconds."""


class TooLong(Exception):  # noqa: N818
    """The model cannot put lists of this length in order: more than one in five cannot be read."""


class ModelJudge:
    """Asks a language model about items of a run.

    Parameters
    ----------
    store : Store
        The run.
    client : Client
        Sends a request, once.
    prompt : Prompt
        How a question is put into words.
    texts : list of str
        What is shown of each item.
    spending : Spending
        What may still be spent.
    pool : Pool
        Where it waits.
    logprobs : bool
        Ask for the chances of the two answers to a pair.
    wait : callable
        How long to wait after faults that do not say it.
    """

    def __init__(
        self,
        store: Store,
        client: Client,
        prompt: Prompt,
        texts: list[str],
        *,
        spending: Spending,
        pool: Pool,
        logprobs: bool = True,
        wait: Wait = backoff,
    ) -> None:
        self.store, self.client, self.prompt, self.texts = store, client, prompt, texts
        self.spending, self.pool, self.logprobs, self.wait = spending, pool, logprobs, wait
        self._secret = bytes.fromhex(store.facts["secret"])
        self._quiet_until = 0.0
        self._out, self._came, self._freed = 0, 0, asyncio.Event()
        self.forget()

    def forget(self) -> None:
        """Look anew at how many replies can be read, as where lists have become shorter."""
        self._pairs: deque[bool] = deque(maxlen=RECENT)
        self._lists: deque[bool] = deque(maxlen=LISTS)

    async def __call__(self, key: Key) -> Answer:
        """The answer to a question; it is in the run when it is returned."""
        faults = came = 0
        while True:
            await self.pool.pause(self._quiet_until - self.pool.loop.time())
            messages = self.messages(key)
            await self._affordable(self.reserve(messages))
            try:
                with self._counted_as_out():
                    answer = await self._asked(key, messages)
            except Passing as fault:
                faults = 1 if fault.status == LIMITED and self._came > came else faults + 1
                came = self._came
                await self._waited(fault, faults)
            else:
                if answer is not None:
                    return answer

    def messages(self, key: Key) -> list[dict[str, str]]:
        """A question in words, its items fenced by a mark that none of them holds."""
        texts = [self.texts[item] for item in key[1]]
        turn = 0
        while (mark := fence_mark(self._secret, *key, turn)) in "\n".join(texts):
            turn += 1
        return self.prompt.messages(texts, mark)

    def reserve(self, messages: list[dict[str, str]]) -> tuple[int, int]:
        """The most tokens that a request may take: as many to read as it has bytes, and what may be written."""
        return len(json.dumps(messages, ensure_ascii=False).encode()), self.client.endpoint.max_tokens

    async def _affordable(self, reserved: tuple[int, int]) -> None:
        """Wait until a request may be sent; what comes back may cost less than was reserved for it."""
        while not self.spending.allows(reserved):
            if not self._out:
                raise Spent
            await self._freed.wait()
            await self.pool.pause(0)

    @contextmanager
    def _counted_as_out(self) -> Iterator[None]:
        """While it is out; then those who wait for its reserve look again, however it ended."""
        self._out += 1
        try:
            yield
        finally:
            self._out -= 1
            self._freed.set()
            self._freed = asyncio.Event()

    async def _asked(self, key: Key, messages: list[dict[str, str]]) -> Answer | None:
        """What one request gives, written down: an answer, or None where it has to be asked again."""
        entry = await self._begun(key, messages)
        logprobs = self.logprobs and len(key[1]) == 2
        try:
            reply = await self.client.send(messages, logprobs=logprobs)
        except Passing as fault:
            await self._ended(entry, Replied(FAULT if fault.sent else UNSENT), fault.raw or str(fault))
            raise
        except Refused as refused:
            await self._ended(entry, Replied(REFUSED), refused.raw or str(refused))
            if not (logprobs and refused.about == "logprobs"):
                raise Stopped(str(refused)) from None
            self.logprobs = False
            return None
        self._came += 1
        return await self._read(key, entry, reply)

    async def _begun(self, key: Key, messages: list[dict[str, str]]) -> Entry:
        """The request, written down; it counts before anything is awaited."""
        who = self.client.endpoint.model
        asked = Asked(key, len(self.store.attempts(key)), who, prompt_hash(messages), self.reserve(messages))
        done = self.store.intend(asked)
        self.spending.began(self.store.entries[-1])
        return await _done(done)

    async def _read(self, key: Key, entry: Entry, reply: Reply) -> Answer | None:
        """What a reply says, written down; a tie where it is the last that cannot be read."""
        verdict = self._verdict(key, reply)
        before = [one.replied.outcome for one in self.store.attempts(key) if one.replied]
        last = before.count(UNREADABLE) + 1 >= READINGS
        answer = verdict.answer if verdict.readable or not last else _tie(len(key[1]))
        await self._ended(entry, _replied(verdict, answer, reply), reply.raw)
        self._check_readable(key, verdict, reply)
        return answer

    async def _ended(self, entry: Entry, replied: Replied, raw: str) -> None:
        """Write down how a request ended."""
        await _done(self.store.end(entry, replied, raw))
        self.spending.ended(entry)

    async def _waited(self, fault: Passing, faults: int) -> None:
        """Wait as long as was asked for, all together, or longer from fault to fault; or give up."""
        if faults >= TRIES:
            raise Stopped(f"{fault} This was so {faults} times in a row.")
        if fault.after:
            self._quiet_until = max(self._quiet_until, self.pool.loop.time() + fault.after)
        await self.pool.pause(fault.after or self.wait(faults, random.random()))

    def _verdict(self, key: Key, reply: Reply) -> Verdict:
        """What a reply says; of a pair the chance of the first, where the model tells it."""
        text, many = without_reasoning(reply.text), len(key[1])
        if many > 2:
            return read_list(text, many, why=self.prompt.why)
        verdict = read_pair(text, why=self.prompt.why)
        chance = pair_chance(reply.logprobs) if verdict.answer in (0.0, 1.0) and reply.logprobs else None
        return verdict if chance is None else Verdict(chance, why=verdict.why)

    def _check_readable(self, key: Key, verdict: Verdict, reply: Reply) -> None:
        """Give up on a model whose replies cannot be read, on long lists earlier than on pairs."""
        if len(key[1]) > 2:
            self._lists.append(not verdict.readable)
            bad = sum(self._lists)
            if bad > BAD_LISTS or bad == len(self._lists) >= NONE_OF:
                raise TooLong
            return
        self._pairs.append(not verdict.readable)
        if sum(self._pairs) > BAD:
            cut = " Replies were cut off: try a larger --max-tokens." if reply.finish == "length" else ""
            raise Stopped(
                f"replies must say A or B. More than {BAD} of the last {len(self._pairs)} could not be read; the last "
                f"was {_short(reply.text)}.{cut} Try another --model or --prompt in another run."
            )


def _replied(verdict: Verdict, answer: Answer | None, reply: Reply) -> Replied:
    """The end of a request that was replied to."""
    known = reply.tokens_in is not None and reply.tokens_out is not None
    return Replied(
        ANSWER if verdict.readable else UNREADABLE,
        answer,
        (reply.tokens_in or 0, reply.tokens_out or 0) if known else None,
        (verdict.missing, verdict.repeated, verdict.invented),
        verdict.why,
        reply.seconds,
    )


def _tie(items: int) -> Answer:
    """What counts where nothing could be read: of a pair ½, of a list nothing."""
    return 0.5 if items == 2 else (math.nan,) * items


def _short(text: str) -> str:
    """The beginning of a reply, in one line."""
    return ascii(" ".join(text.split())[:80])


async def _done(future: Any) -> Any:
    """What another thread has done."""
    return await asyncio.wrap_future(future)
