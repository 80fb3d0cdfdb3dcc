"""From what is typed to what is asked: the items as they are shown, the words, who is asked, and the run's file."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from ordain.judge.adding import insertion_calls, with_added
from ordain.judge.endpoint import KEY, Endpoint, endpoint_of
from ordain.judge.forecast import Forecast, cut_items, forecast, longest_list, money, request_cost, request_reserve
from ordain.judge.judged_items import Item, question_of, read_items
from ordain.judge.known_beforehand import Learning
from ordain.judge.plan import Plan
from ordain.judge.prompt import LABELS, Prompt
from ordain.judge.run import Run, items_hash
from ordain.judge.shares import Shares
from ordain.judge.spending import Price, Spending, price_of
from ordain.judge.wanted import PAIRS, USUAL, Wanted, kept_learning
from ordain.tables import Reading

CHARACTERS = 12_000
"""The most characters of items in one request, where nothing else is said: some 3,000 tokens, which all models read."""


@dataclass(frozen=True)
class Typed:
    """The options of the command, as they were typed."""

    items: str | None = None
    ask: str | None = None
    llm: str | None = None
    model: str | None = None
    run: str | None = None
    out: str | None = None
    report: str | None = None
    id_column: str | None = None
    text: str | None = None
    top: int | None = None
    list_size: str | None = None
    pairs: bool = False
    guarantee: bool = False
    both_orders: bool = False
    budget: int | None = None
    max_cost: float | None = None
    price: str | None = None
    sure: float | None = None
    why: bool = False
    again: bool = False
    prompt: str | None = None
    system: str | None = None
    temperature: float | None = None
    max_tokens: int = 1000
    extra: str | None = None
    key_env: str | None = None
    proxy: str | None = None
    insecure: bool = False
    timeout: float = 120.0
    concurrency: int = 8
    max_chars: int = CHARACTERS
    cut: bool = False
    on_uncertain: str = "retry"
    add: bool = False
    learn: bool = False
    embeddings: str | None = None
    start: str | None = None
    save: str | None = None
    check_count: int | None = None
    image: str | None = None
    markdown: bool = False
    share: str | None = None
    overlap: float = 0.0
    host: str = "127.0.0.1"
    port: int = 8765
    seed: int = 0
    reading: Reading = field(default_factory=Reading)

    def check(self) -> Typed:
        """Refuse what does not go together; itself."""
        clashes = [
            (self.guarantee and self.list_size is not None, "--guarantee is QuickSort on pairs. Got --list"),
            (self.guarantee and self.sure is not None, "--guarantee runs to its end. Got --sure"),
            (self.pairs and self.list_size is not None, "--pairs asks two at a time. Got --list"),
            (
                self.both_orders and not (self.pairs or self.guarantee),
                "--both-orders is for pairs. Got lists: add --pairs",
            ),
            (
                self.both_orders and self.guarantee,
                "--guarantee shows each pair once, in random order. Got --both-orders",
            ),
            (self.learn and self.guarantee, "--learn orders by a model. Got --guarantee, which promises a sort"),
            (self.learn and self.sure is not None, "--learn spends its budget. Got --sure"),
            (self.learn and (self.add or self.again), "--learn is for a list that is judged. Got --add or --again"),
        ]
        for clash, sentence in clashes:
            if clash:
                raise ValueError(f"{sentence}. Leave one of them out.")
        self.check_learning()
        if self.sure is not None and (self.top is None or not 0 < self.sure < 1):
            raise ValueError("--sure must be a chance below 1, as 0.95, and needs --top K. Add --top.")
        if self.max_cost is not None and self.price is None:
            raise ValueError(
                "--max-cost needs to know what tokens cost. Got no --price. Add --price IN,OUT for a million."
            )
        if self.max_cost is not None and not 0 < self.max_cost < math.inf:
            raise ValueError(f"--max-cost must be an amount of money above 0. Got {self.max_cost}.")
        if self.top is not None and self.top < 1:
            raise ValueError(f"--top must be 1 or more. Got {self.top}.")
        if self.concurrency < 1:
            raise ValueError(f"--concurrency must be 1 or more. Got {self.concurrency}.")
        return self

    def check_learning(self) -> None:
        """What belongs to --learn needs it; a run that learned can still be saved."""
        for name, given in (("--embeddings", self.embeddings), ("--start", self.start)):
            if given is not None and not self.learn:
                raise ValueError(f"{name} is what --learn learns from. Got it alone. Add --learn.")
        if self.save is not None and not self.learn and self.items is not None:
            raise ValueError("--save keeps what --learn learned. Got it alone. Add --learn.")
        if self.save is not None and "{" in self.text_column:
            must = "--save needs texts that are in one column"
            raise ValueError(f"{must}. Got the template {self.text!r}. Put them into one, or leave --save out.")

    def learning(self, items: Sequence[Item]) -> dict[str, Any] | None:
        """From what it is learned, as plans keep it; all that can be wrong with it is said now."""
        if not self.learn:
            return None
        return kept_learning(Learning.of(self.start, self.embeddings, items, texts=not self.shows_files))

    @property
    def shows_files(self) -> bool:
        """Whether the items are the pictures of a folder, which have no text but the names of their files."""
        return self.image is not None and self.items is not None and Path(self.items).is_dir()

    @property
    def place(self) -> str:
        """The file of the run: as named, or called after the items."""
        if self.run is not None:
            return self.run
        if self.items is None:
            raise ValueError(
                "ITEMS or --run must be given. Got neither. Name a file with items, or the run to go on with."
            )
        if self.add or self.check_count is not None:
            raise ValueError("--add and --check need --run, the run that they go on with. Got none. Add --run FILE.")
        return (
            "items.run" if self.items == "-" else f"{Path(self.items).resolve().name.partition('.')[0] or 'items'}.run"
        )

    @property
    def text_column(self) -> str:
        """What a column of texts is called where a table is scored by what was learned."""
        return self.text or "text"

    @property
    def again_place(self) -> str:
        """The file of the run in which the questions of another are asked again."""
        source = Path(self.place)
        return str(source.with_name(f"{source.stem}-again{source.suffix}"))

    @property
    def size(self) -> Any:
        """How many items are shown at a time."""
        if self.pairs or self.guarantee:
            return PAIRS
        if self.list_size in (None, "auto"):
            return "auto"
        try:
            size = int(self.list_size or "")
        except ValueError:
            size = 0
        if not PAIRS <= size <= len(LABELS):
            raise ValueError(f"--list must be auto or a number from 2 to {len(LABELS)}. Got {self.list_size}.")
        return size

    @property
    def prices(self) -> Price | None:
        """The price of tokens, if it is known."""
        return None if self.price is None else price_of(self.price)


@dataclass(frozen=True)
class Prepared:
    """All that is known before the first request: what is asked of whom in which words, and what it will take."""

    typed: Typed
    items: list[Item]
    shown: list[Item]
    question: str
    endpoint: Endpoint
    prompt: Prompt
    wanted: Wanted
    said: list[str]

    @property
    def judge(self) -> dict[str, Any]:
        """Who is asked, and how, as the run keeps it: another judge does not go on with it.

        How long replies and items may be is no part of it: where they were too long, a run goes on with other limits.
        """
        words = {"system": self.prompt.system, "prompt": self.prompt.template, "why": self.prompt.why}
        return {name: of for name, of in self.endpoint.identity.items() if name != "max_tokens"} | words

    @property
    def texts(self) -> list[str]:
        """What is shown of each item."""
        return [item.text for item in self.shown]

    def spending(self) -> Spending:
        """The limits, with nothing spent."""
        return Spending(budget=self.wanted.budget, price=self.typed.prices, most=self.typed.max_cost)

    def forecast(self) -> Forecast:
        """What is still to be asked, beyond what the run holds if there is one."""
        return forecast(self.texts, self.prompt, self._shares(), self.typed.prices)

    def _shares(self) -> Shares:
        """Requests that are still to be made: of the run that is asked again, of a plan that goes on, or of a new."""
        if self.typed.add:
            with Run.look(self.typed.place) as run:
                return Shares(0, insertion_calls(run.n, max(1, len(self.items) - run.n)), 0, PAIRS)
        if self.typed.again:
            with Run.look(self.typed.place) as source:
                questions = asked_again(source).questions or []
            return _less(Shares(0, len(questions), 0, max(map(len, questions))), made_before(self.typed.again_place))
        if not (spent := made_before(self.typed.place)):
            return self.wanted.shares(len(self.items))
        with Run.look(self.typed.place) as run:
            going_on = any(plan.wanted == self.wanted.kept for plan in run.plans[-1:])
        return _less(self.wanted.shares(len(self.items)), spent) if going_on else self.wanted.shares(run.n, spent)


def prepared(typed: Typed, environ: Mapping[str, str] = os.environ) -> Prepared:
    """Read and check everything, before anything is sent or written."""
    endpoint = _endpoint(typed.check(), environ)
    items, question, said = _asked_about(typed)
    if typed.top is not None and typed.top > len(items):
        raise ValueError(f"--top must be at most the number of items, {len(items)}. Got {typed.top}.")
    template = None if typed.prompt is None else question_of(f"@{typed.prompt}")
    prompt = Prompt(question, typed.system, template, typed.why)
    size = USUAL if typed.size == "auto" else typed.size
    shown, cut = cut_items(items, typed.max_chars, size) if typed.cut else (items, None)
    longest, shorter = longest_list(shown, typed.max_chars, size)
    fit, learn = min(longest, len(LABELS)), typed.learning(items)
    wanted = Wanted(typed.top, typed.size, typed.guarantee, typed.both_orders, typed.budget, fit, learn)
    wanted = _within(typed, wanted, shown, prompt)
    return Prepared(typed, items, shown, question, endpoint, prompt, wanted, [*said, *filter(None, (cut, shorter))])


def _endpoint(typed: Typed, environ: Mapping[str, str]) -> Endpoint:
    """Where requests go; the key is for the host that was typed, and no other."""
    if typed.llm is None or typed.model is None:
        raise ValueError("--llm and --model must be given to ask a language model. Got one without the other.")
    return endpoint_of(
        typed.llm, typed.model, key_env=typed.key_env or KEY, environ=environ, temperature=typed.temperature,
        max_tokens=typed.max_tokens, extra=typed.extra, timeout=typed.timeout, proxy=typed.proxy,
        insecure=typed.insecure,
    )  # fmt: skip


def _asked_about(typed: Typed) -> tuple[list[Item], str, list[str]]:
    """The items and the question, as typed, or else those of the run; items to be added come after its own."""
    if typed.add:
        items, said = read_items(typed.items or "-", id_column=typed.id_column, text=typed.text, reading=typed.reading)
        with Run.look(typed.place) as run:
            return with_added(run, items), run.store.facts["question"], said
    if typed.items is not None:
        if typed.ask is None:
            raise ValueError('--ask must say what to judge by. Got nothing. Add --ask "Which is better?"')
        items, said = read_items(typed.items, id_column=typed.id_column, text=typed.text, reading=typed.reading)
        return items, question_of(typed.ask), said
    with Run.look(typed.place) as run:
        question = run.store.facts["question"] if typed.ask is None else question_of(typed.ask)
        return run.store.items, question, []


def _within(typed: Typed, wanted: Wanted, shown: list[Item], prompt: Prompt) -> Wanted:
    """The same within a budget of requests that the money allows."""
    if typed.max_cost is None or typed.prices is None:
        return wanted
    texts, size = [item.text for item in shown], min(wanted.most, len(shown))
    reserve = typed.prices.of(request_reserve(texts, prompt, size, typed.max_tokens))
    if reserve > typed.max_cost:
        raise ValueError(
            f"--max-cost must be {reserve:.2g} or more, which one request may cost at most. Got "
            f"{typed.max_cost:g}. Lower --max-tokens, show fewer items at a time, or allow more."
        )
    each = request_cost(texts, prompt, size, typed.prices)
    afforded = 1 + int((typed.max_cost - reserve) / each) if each else None
    usual = Wanted(**{**asdict(wanted), "budget": None}).shares(len(shown)).requests
    budgets = [one for one in (typed.budget, afforded) if one is not None]
    if not budgets or (typed.budget is None and afforded is not None and afforded >= 2 * usual):
        return wanted
    return _afforded(typed, Wanted(**{**asdict(wanted), "budget": min(budgets)}), len(shown), each)


def _afforded(typed: Typed, wanted: Wanted, n: int, each: float) -> Wanted:
    """The same, unless the money is too little to show every item once, and it is the money that is."""
    try:
        wanted.shares(n)
    except ValueError:
        if wanted.budget == typed.budget:
            raise
        raise ValueError(
            f"--max-cost must be enough to show each of the {n} items once. Got {typed.max_cost:g}, which is for "
            f"{wanted.budget} requests of about {money(each)}. Allow more, or lower --max-tokens."
        ) from None
    return wanted


def opened(work: Prepared) -> Run:
    """The run, begun or gone on with; it must be about the same."""
    return _opened_at(work.typed.place, work)


def _opened_at(place: str, work: Prepared) -> Run:
    """The run in this file; a new one if there is none."""
    if Path(place).exists() or Path(place).is_symlink():
        run = Run.open(place)
        try:
            same = {} if work.typed.add else {"items": items_hash(work.items)}
            run.check_same(**same, question=work.question, judge=work.judge)
        except ValueError:
            run.close()
            raise
        return run
    return Run.create(place, work.items, work.question, judge=work.judge, seed=work.typed.seed)


def made_before(place: str) -> int:
    """Requests that a run has made already; none if there is no run."""
    if not Path(place).exists():
        return 0
    with Run.look(place) as found:
        return Spending().recall(found.store.entries).requests


def _less(shares: Shares, spent: int) -> Shares:
    """What is left of shares of which so many requests were made, the audit's first."""
    left = max(0, shares.requests - spent)
    ranker = min(shares.ranker, max(0, left - shares.kept))
    return replace(shares, audit=max(0, shares.audit - spent), ranker=ranker, kept=min(shares.kept, left))


def opened_again(work: Prepared) -> Run:
    """A run of its own for all questions of another, begun or gone on with; both must be about the same."""
    with Run.look(work.typed.place) as source:
        source.check_same(items=items_hash(work.items), question=work.question)
        plan = asked_again(source)
    run = _opened_at(work.typed.again_place, work)
    run.planned(plan)
    return run


def asked_again(source: Run) -> Plan:
    """A plan that asks all questions of a run once more."""
    questions = {key[1] for number in range(1, len(source.plans) + 1) for key in source.store.keys(number)}
    if not questions:
        raise ValueError(f"the run {source.store.path} must have questions to ask again. It has none. Start it first.")
    listed = [list(question) for question in sorted(questions)]
    return Plan("again", source.n, source.store.facts["seed"], wanted={"again": True}, questions=listed)
