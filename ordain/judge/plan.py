"""A plan: which ranker orders the items of a run, with which budget and seed; it is in the run and runs again from it.

A run has one or more. Another budget, another top or shorter lists append a plan, whose ranker starts from what was
answered before. The audit's random pairs are a plan of their own, and so are the questions of another run, asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import asdict, dataclass
from math import ceil
from typing import Any

import numpy as np

from ordain._types import Answers, Pairs
from ordain.audit import held_back, random_triples
from ordain.audit.drawn import pair_keys
from ordain.preference import Known, Spent
from ordain.preference.journal import places_of
from ordain.preference.questions import blank, padded
from ordain.rank import bradley_terry, field, list_field, list_window, quicksort, top_k, window
from ordain.rank.blended.known_features import Features
from ordain.rank.insertion import insert
from ordain.rank.list_model import weighted_pairs
from ordain.rank.list_size import USUAL
from ordain.rank.lists import Size
from ordain.rank.play import Order, Ranker

LISTS, SORTS, ASKS = (
    ("list_window", "list_field"),
    ("quicksort", "top_k"),
    ("audit", "again", "ahead", "overlap", "check"),
)
"""Rankers that ask lists; that have the promises of a sort; and what only asks and orders nothing."""

APART = ("audit", "check")
"""Whose answers are no part of the order."""


@dataclass(frozen=True)
class Plan:
    """What is asked, and in which way.

    Parameters
    ----------
    ranker : str
        ``list_window``, ``list_field``, ``window``, ``field``, ``quicksort``, ``top_k``, ``insert``; or what orders
        nothing: ``audit``, ``again``; ``ahead``, ``overlap`` and ``check``, which people are asked.
    n, seed : int
        Number of items; the seed from which all is drawn.
    budget : int, optional
        Texts that lists show, calls of the others; triples and pairs of an audit.
    top : int, optional
        How many of the best are wanted.
    size : int or "auto"
        The most items in a list.
    both_orders : bool
        Whether each pair is asked both ways round.
    spare : bool
        Whether requests that were kept for retries are spent in the last round.
    wanted : dict
        What was asked for on the command line: the same again goes on with the plan, anything else makes another.
    questions : list, optional
        What is asked again.
    new : int, optional
        How many of the items, the last ones, are to be placed among the others.
    shorter : int, optional
        The size to which lists were shortened, as longer ones could not be read.
    learn : dict, optional
        From what it is learned to order also what is never asked about, see :mod:`ordain.judge.item_features`.
    """

    ranker: str
    n: int
    seed: int
    budget: int | None = None
    top: int | None = None
    size: Size = 10
    both_orders: bool = False
    spare: bool = False
    wanted: dict[str, Any] | None = None
    questions: list[list[int]] | None = None
    new: int | None = None
    shorter: int | None = None
    learn: dict[str, Any] | None = None

    @property
    def asks_lists(self) -> bool:
        """Whether it asks for orders."""
        return self.ranker in LISTS

    @property
    def orders(self) -> bool:
        """Whether an order comes of it."""
        return self.ranker not in ASKS

    @property
    def each(self) -> float:
        """What a question of the last round takes of the budget: one call, or the texts that a list has on average."""
        if not self.asks_lists:
            return 1.0
        size = USUAL if self.size == "auto" else self.size
        last = min(self.n, max(2 * self.top, size)) if self.ranker == "list_field" and self.top else self.n
        return max(2.0, last / ceil(last / size))

    @property
    def settings(self) -> dict[str, Any]:
        """As it is in the run."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True)
class Audit:
    """Pairs kept back from the ranker: `triples` has three for each three items, `pairs` are drawn one by one."""

    triples: Pairs
    pairs: Pairs

    @property
    def all(self) -> Pairs:
        """Every pair, in the order asked."""
        return np.concatenate((self.triples, self.pairs))

    @property
    def independent(self) -> Pairs:
        """Pairs that are drawn by lot independently: of each triple one, and the others."""
        return np.concatenate((self.triples[::3], self.pairs))


def audit_of(plan: Plan) -> Audit:
    """The pairs of an audit: half in random triples, so that circles can be seen; none of them twice.

    Examples
    --------
    >>> audit = audit_of(Plan("audit", n=100, seed=0, budget=20))
    >>> len(audit.all), len(audit.triples), len(audit.independent)
    (20, 9, 14)
    """
    rng, count = np.random.default_rng([plan.seed, 0]), plan.budget or 0
    triples = np.empty((0, 2), dtype=np.int64)
    while len(triples) < count // 2 // 3 * 3:  # at most half of all pairs, so there always is one more
        three = random_triples(plan.n, 1, rng)
        if not np.isin(pair_keys(three), pair_keys(triples)).any():
            triples = np.append(triples, three, axis=0)
    every = held_back(plan.n, min(count + len(triples), plan.n * (plan.n - 1) // 2), rng) if count else triples
    others = every[~np.isin(pair_keys(every), pair_keys(triples))]
    return Audit(triples, others[: count - len(triples)])


def ranker_of(
    plan: Plan,
    known: Known,
    avoid: Pairs,
    *,
    spare: Callable[[], int] | None = None,
    report: Callable[[str], Any] | None = None,
    features: Features | None = None,
) -> Ranker:
    """The ranker of a plan. `known` are answers from before, `avoid` pairs that it must not ask."""
    rng = np.random.default_rng([plan.seed, 1])
    budget, top = plan.budget or 0, min(plan.top or plan.n, plan.n)
    if plan.ranker in ASKS:
        return asked_only(audit_of(plan).all if plan.ranker == "audit" else batch_of(plan.questions or []), plan.n)
    if plan.ranker == "insert":
        return insertion_of(plan, known, rng)
    if plan.ranker == "quicksort":
        return quicksort(plan.n, rng)
    if plan.ranker == "top_k":
        return top_k(plan.n, top, rng)
    common: dict[str, Any] = {"known": known, "spare": spare, "features": features}
    if plan.asks_lists:
        common["report"] = report if features is None else None
    else:
        common["avoid"] = avoid
    if plan.ranker == "list_window":
        return list_window(plan.n, rng, budget, plan.size, **common)
    if plan.ranker == "list_field":
        return list_field(plan.n, top, rng, budget, plan.size, **common)
    if plan.ranker == "window":
        return window(plan.n, rng, budget, **common)
    return field(plan.n, top, rng, budget, **common)


def insertion_of(plan: Plan, known: Known, rng: np.random.Generator) -> Ranker:
    """Places the new items among the others, whose scores are those of all answers before."""
    old = plan.n - (plan.new or 0)
    said = {question: answer for question, answer in known.items() if max(question) < old}
    pairs = weighted_pairs([np.array(one) for one in said], [places_of(answer) for answer in said.values()])
    fit = bradley_terry(pairs.pairs, pairs.answers, old, weights=pairs.weights, lapse=None)
    return insert(fit.scores, plan.n - old, rng, error=float(np.median(fit.standard_errors)), lapse=fit.lapse)


def asked_only(batch: Pairs, n: int) -> Ranker:
    """Questions that are asked in one batch, of which no order comes."""
    with suppress(Spent):
        yield batch
    return np.arange(n)


def batch_of(questions: list[list[int]]) -> Pairs:
    """Questions of any lengths as one batch."""
    if not questions:
        return np.empty((0, 2), dtype=np.intp)
    return padded([np.array(one) for one in questions], max(map(len, questions)))


def until(ranker: Ranker, enough: Callable[[list[Pairs], list[Answers]], bool]) -> Generator[Pairs, Answers, Order]:
    """`ranker`, that ends after the round in which `enough` holds of all batches so far and their answers."""
    asked: list[Pairs] = []
    given: list[Answers] = []
    try:
        batch = next(ranker)
    except StopIteration as finished:
        return finished.value
    while True:
        try:
            reply = yield batch
        except Spent as spent:
            return _ended(ranker, spent)
        asked.append(batch)
        given.append(reply)
        try:
            batch = ranker.send(reply)
        except StopIteration as finished:
            return finished.value
        if enough(asked, given):
            return _ended(ranker, Spent(blank(batch)))


def _ended(ranker: Ranker, spent: Spent) -> Order:
    """The order of a ranker that is out of calls."""
    try:
        ranker.throw(spent)
    except StopIteration as finished:
        return finished.value
    raise RuntimeError("a ranker must return its order when Spent is thrown into it. Got another batch.")
