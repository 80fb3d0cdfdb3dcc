"""A judging run: items, a question, and every answer so far, in one file that survives everything.

A ranker runs over what the run holds and asks only what is missing. So the same call goes on with a run that was
stopped, killed or out of money, and asks nothing twice.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import secrets
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from ordain import __version__
from ordain._json import written
from ordain._types import Pairs
from ordain.audit import withheld
from ordain.judge.judged_items import Item
from ordain.judge.known_beforehand import Learning
from ordain.judge.learned_outcome import learned_from, learned_outcome
from ordain.judge.outcome import Outcome, order_of, outcome_of
from ordain.judge.plan import APART, SORTS, Plan, audit_of, ranker_of, until
from ordain.judge.recorded import InBatches, PlanJournal
from ordain.judge.run_file import alone, check_ours, looked_at, opened
from ordain.judge.shares import Shares
from ordain.judge.sound_run import check_run
from ordain.judge.store import Store, made
from ordain.judge.sure import Certain, chance_of_top, chance_of_top_by_pairs
from ordain.judge.wanted import PAIRS, USUAL, Wanted, kept_learning
from ordain.preference import (
    Known,
    Preference,
    Spent,
    Stream,
    Wrapper,
    arriving,
    from_function,
    from_order,
    journalled,
    remembering,
    rounded,
    symmetrised,
)
from ordain.preference.awaited import Loop
from ordain.preference.journal import Answer, Question, pairs_among, places_of
from ordain.preference.questions import lists_in, places_in
from ordain.rank.blended.learned import Learned
from ordain.rank.lists import Size
from ordain.rank.play import Order, play

if TYPE_CHECKING:
    from ordain.judge.item_features import ItemFeatures


class Run:
    """A run that is open for this process alone; a context that closes it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Run.create(f"{folder}/words.run", ["pear", "fig", "banana"], "Which word is longer?") as run:
    ...         run.rank(lambda a, b: len(a.text) > len(b.text)).ids
    ['3', '1', '2']
    """

    def __init__(self, store: Store, held: ExitStack | None = None) -> None:
        self.store, self._held = store, held or ExitStack()
        self.said: list[str] = []
        self._features: dict[Learning, ItemFeatures] = {}

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        items: Sequence[Item | str],
        question: str,
        *,
        judge: dict[str, Any] | None = None,
        seed: int = 0,
    ) -> Run:
        """A new run. `items` are records or texts, whose ids then count from 1; `judge` says who is asked."""
        given = [one if isinstance(one, Item) else Item(str(place), one) for place, one in enumerate(items, 1)]
        _check_items(given)
        facts = {
            "question": question,
            "judge": judge or {},
            "items": items_hash(given),
            "seed": seed,
            "secret": secrets.token_hex(32),
            "ordain": __version__,
        }
        with ExitStack() as held:
            held.enter_context(alone(path))
            store = made(path, given, facts)
            held.callback(store.close)
            return cls(store, held.pop_all())

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Run:
        """A run that exists, to be gone on with."""
        with ExitStack() as held:
            check_ours(path)
            held.enter_context(alone(path))
            store = Store(path, opened(path))
            held.callback(store.close)
            check_run(store)
            return cls(store, held.pop_all())

    @classmethod
    def look(cls, path: str | os.PathLike[str]) -> Run:
        """A run that exists, only to be read; another process may work on it."""
        with ExitStack() as held:
            store = Store(path, looked_at(path))
            held.callback(store.close)
            check_run(store)
            return cls(store, held.pop_all())

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._held.close()

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.store.items)

    @property
    def plans(self) -> list[Plan]:
        """What was planned, one after the other."""
        return [Plan(**settings) for settings in self.store.plans]

    @property
    def audit_pairs(self) -> Pairs:
        """Pairs that are kept back from the rankers."""
        found = [audit_of(plan).all for plan in self.plans if plan.ranker == "audit"]
        return np.concatenate(found) if found else np.empty((0, 2), dtype=np.int64)

    def item_features(self, plan: Plan) -> ItemFeatures | None:
        """What is known of the items beforehand, where a plan learns from it."""
        if plan.learn is None:
            return None
        learning = Learning(**plan.learn)
        if learning not in self._features:
            self._features[learning] = learning.features(self.store.items)
        return self._features[learning]

    @property
    def learns_from(self) -> ItemFeatures | None:
        """The same for the last plan that gives an order."""
        ordering = [plan for plan in self.plans if plan.orders]
        return self.item_features(ordering[-1]) if ordering else None

    def learned(self, *, audit: bool = True) -> Learned | None:
        """What the answers teach of all items, those of the audit among them or not; None where it does not learn."""
        if (known := self.learns_from) is None:
            return None
        apart = ("check",) if audit else APART
        said = [one for number, plan in enumerate(self.plans, 1) if plan.ranker not in apart
                for one in self.store.answered(number)]  # fmt: skip
        return learned_from(said, known.features)

    def check_same(self, **facts: Any) -> None:
        """Refuse to go on with other items, another question or another judge than those the run was begun with."""
        for name, value in facts.items():
            before = self.store.facts[name]
            if value == before or (name == "items" and value == items_hash(self.store.items)):  # some were added
                continue
            what = name if name != "judge" else f"judge ({', '.join(_differing(before, value))})"
            raise ValueError(
                f"the run {self.store.path} must be gone on with as it was begun. The {what} changed. Type the command "
                "as before, or name another file with --run."
            )

    def known(self, before: int) -> Known:
        """What rankers asked in the plans before this one, and the answers."""
        found: Known = {}
        for number, plan in enumerate(self.plans[: before - 1], 1):
            if plan.ranker not in APART:
                found.update(self.store.answered(number))
        return found

    def planned(self, plan: Plan) -> int:
        """The number of the plan to go on with: the last one, if that is what was wanted then, or a new one."""
        for number in range(len(self.store.plans), 0, -1):
            before = self.plans[number - 1]
            if (before.orders or before.ranker == "again") and before.ranker != "insert":
                if before.wanted == plan.wanted:
                    return number
                break
        seeded = replace(plan, seed=plan.seed + (0 if plan.ranker in SORTS else len(self.store.plans)))
        return self.store.add_plan(seeded.settings)

    def audited(self, count: int) -> int | None:
        """The number of the plan of an audit of so many pairs, or of the one that was made before; None for none."""
        for number, plan in enumerate(self.plans, 1):
            if plan.ranker == "audit":
                return number
        seed = self.store.facts["seed"]
        return self.store.add_plan(Plan("audit", self.n, seed, count).settings) if count else None

    def play(
        self,
        number: int,
        missing: Preference | None,
        *,
        sure: float | None = None,
        spare: Callable[[], int] | None = None,
        tell: Callable[[list[Pairs], list[Any]], Any] | None = None,
    ) -> Order:
        """Let the ranker of a plan run over the run; what it lacks is asked of `missing`, or not at all.

        With `sure` it ends after the round in which the first K are the best with this chance. `spare` says how many
        requests beyond those of the plan may be spent in its last round, and `tell` is told all batches and answers
        after each.
        """
        plan = self.plans[number - 1]
        known = self.known(number)
        judge: Preference = journalled(missing, PlanJournal(self.store, number, known if plan.asks_lists else None))
        if plan.both_orders:
            judge = symmetrised(judge)
        if plan.ranker in SORTS:
            judge = withheld(rounded(remembering(judge, {**pairs_among(known)})), self.audit_pairs)

        def left() -> int:
            return int(self.store.decide(number, "spare", spare() if spare is not None else 0) * plan.each)

        beforehand = self.item_features(plan)
        ranker = ranker_of(
            plan, known, self.audit_pairs, spare=left if plan.spare else None, report=self._note(number),
            features=None if beforehand is None else beforehand.features,
        )  # fmt: skip
        if plan.orders and (sure is not None or tell is not None):
            ranker = until(ranker, lambda asked, given: self._enough(plan, number, asked, given, sure, tell))
        return play(ranker, judge)

    def rank(
        self,
        prefer: Callable[[Item, Item], Any] | None = None,
        *,
        order: Callable[[list[Item]], Any] | None = None,
        top: int | None = None,
        size: Size = USUAL,
        budget: int | None = None,
        guarantee: bool = False,
        learn: Learning | None = None,
        who: str = "judge",
        loop: Loop | None = None,
    ) -> Outcome:
        """Rank the items by a judge of one's own, and keep what it says; to be called again after a failure.

        Parameters
        ----------
        prefer, order : callable
            One of the two, as for :func:`ordain.sort`, on the items: records with `id`, `text` and `rest`. Either may
            be asynchronous, or marked with :func:`ordain.preference.batch` to be given all questions of a round.
        top : int, optional
            How many of the best are wanted.
        size : int or "auto"
            How many items `order` is given at a time.
        budget : int, optional
            The most questions, the audit's among them.
        guarantee : bool
            Sort by QuickSort, on pairs, for what it promises.
        learn : Learning, optional
            Learn from the items' columns and texts to order also those that are never asked about.
        who : str
            The judge's name in the run.
        loop : Loop, optional
            Where what is asynchronous runs.

        Returns
        -------
        Outcome
        """
        if (prefer is None) == (order is None):
            raise ValueError(
                f"either prefer(a, b) or order(list) must be given. Got {'both' if prefer else 'neither'}."
            )
        with loop or Loop() as awaited:
            judge: Any = None if prefer is None else from_function(self.store.items, prefer, loop=awaited)
            judge = judge or from_order(self.store.items, order or sorted, loop=awaited)
            wanted = Wanted(top, PAIRS if order is None else size, guarantee, budget=budget, learn=kept_learning(learn))
            for number in self.prepared(wanted):
                asked = InBatches(self.store, number, judge, who)
                if budget is None:
                    self.play(number, asked)
                else:
                    self.play(number, AtMost(asked, self, budget), spare=partial(self.spare, number, budget))
        return self.outcome()

    async def rank_async(self, *arguments: Any, **options: Any) -> Outcome:
        """The same as :meth:`rank`, awaited: a judge that is asynchronous runs in the loop of the caller."""
        loop = Loop(asyncio.get_running_loop())
        return await asyncio.to_thread(lambda: self.rank(*arguments, **options, loop=loop))

    def prepared(self, wanted: Wanted, shares: Shares | None = None) -> list[int]:
        """The numbers of the plans that give what is wanted, those to be played: the audit's first."""
        shares = shares or wanted.shares(self.n, self.taken if any(plan.orders for plan in self.plans) else 0)
        audit = self.audited(shares.audit)
        return [*([audit] if audit else []), self.planned(wanted.plan(self.n, self.store.facts["seed"], shares))]

    @property
    def taken(self) -> int:
        """Questions that were answered, or that are the audit's and will be asked."""
        counts = {number: sum(1 for _ in self.store.answered(number)) for number in range(1, len(self.plans) + 1)}
        return sum(
            max(counts[number], plan.budget or 0) if plan.ranker == "audit" else counts[number]
            for number, plan in enumerate(self.plans, 1)
        )

    def spare(self, number: int, budget: int) -> int:
        """Questions of a budget that are left beyond those that a plan has still to ask."""
        plan = self.plans[number - 1]
        shown = [len(key[1]) if plan.asks_lists else 1 for key in self.store.keys(number)]
        own = max(0, (plan.budget or 0) - sum(shown))
        return max(0, budget - self.taken - ceil(own / plan.each))

    def outcome(self, *, level: float = 0.95) -> Outcome:
        """The order that the answers give so far, those of the audit among them, and how sure it is."""
        numbered = list(enumerate(self.plans, 1))
        ordering = [number for number, plan in numbered if plan.orders or plan.ranker == "again"]
        if not ordering:
            raise ValueError(
                f"the run {self.store.path} must have a plan to give an order. It has none. Start it first."
            )
        last = ordering[-1]
        sorted_by = self.play(last, None) if self.plans[last - 1].ranker in SORTS else None
        told = [one for number, plan in numbered if plan.ranker != "check" for one in self.store.told(number)]
        said, judges = [one[:2] for one in told], [one[2] for one in told]
        if self.plans[last - 1].learn is not None:
            return learned_outcome(self.store.items, said, self.learned(), level)
        return outcome_of(self.store.items, said, sorted_by, judges=judges, seed=self.store.facts["seed"], level=level)

    def order_without_audit(self, first: int | None = None) -> Order:
        """The order that the answers to the rankers alone give, or the first of them: what the audit is an audit of."""
        said = self.said_to_rankers()[:first]
        if (known := self.learns_from) is None:
            return order_of(self.n, said)
        found = learned_from(said, known.features)
        return np.arange(self.n) if found is None else found.order

    def said_to_rankers(self) -> list[tuple[Question, Answer]]:
        """The questions of the plans that give an order, with their answers, in the order of these."""
        return [one for number, plan in enumerate(self.plans, 1) if plan.ranker not in APART
                for one in self.store.answered(number)]  # fmt: skip

    def _note(self, number: int) -> Callable[[str], Any]:
        """What keeps a sentence on what a plan settled."""
        return lambda sentence: self.store.decide(number, "size", sentence)

    def _enough(
        self, plan: Plan, number: int, asked: list[Pairs], given: list[Any], sure: float | None, tell: Any
    ) -> bool:
        """Whether the first K are the best with the chance wanted, by the answers to all batches."""
        if tell is not None:
            tell(asked, given)
        if sure is None:
            return False
        chances = _by_lists if plan.asks_lists else _by_pairs
        chance = chances(self.known(number), asked, given, self.n, min(plan.top or 1, self.n)).chance
        if chance >= sure:
            self.store.decide(number, "sure", round(chance, 4))
        return chance >= sure


class AtMost(Wrapper):
    """A judge who is asked no more than a budget of questions of a run leaves, then :class:`Spent` is raised."""

    def __init__(self, prefer: Preference, run: Run, budget: int) -> None:
        super().__init__(prefer)
        self.run, self.budget = run, budget

    def through(self, prefer: Preference, pairs: Pairs) -> Stream:
        afforded = pairs[: max(0, self.budget - self.run.taken)]
        yield from arriving(prefer, afforded)
        if len(afforded) < len(pairs):
            raise Spent


def _by_lists(known: Known, asked: list[Pairs], given: list[Any], n: int, k: int) -> Certain:
    """How sure the first k are by all lists, those known before and those of the batches."""
    lists, places = [np.array(one) for one in known], [places_of(answer) for answer in known.values()]
    for batch, answers in zip(asked, given, strict=True):
        lists, places = lists + lists_in(batch), places + places_in(batch, answers)
    return chance_of_top(lists, places, n, k)


def _by_pairs(known: Known, asked: list[Pairs], given: list[Any], n: int, k: int) -> Certain:
    """The same for pairs, whose answers may be fractions."""
    before = pairs_among(known)
    pairs = np.concatenate([np.array(list(before), dtype=np.intp).reshape(-1, 2), *asked])
    return chance_of_top_by_pairs(pairs, np.concatenate([[*before.values()], *given]), n, k)


def _check_items(items: Sequence[Item]) -> None:
    """At least two items, whose other columns can be kept."""
    if len(items) < 2:
        raise ValueError(f"there must be two items or more to judge. Got {len(items)}.")
    for one, name, value in ((item, *column) for item in items for column in item.rest.items()):
        if value is not None and not isinstance(value, str):
            must = f"the column {name!r} of the item {one.id!r} must be text or None"
            raise ValueError(f"{must}. Got {value!r:.40}. Write it as text.")


def items_hash(items: Sequence[Item]) -> str:
    """What tells these items from others."""
    return hashlib.sha256(written([asdict(item) for item in items])).hexdigest()


def _differing(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """The names under which two records differ."""
    return [name for name in {**before, **now} if before.get(name) != now.get(name)]
