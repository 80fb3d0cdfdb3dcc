"""Rankers that ask for orders: a question shows up to `size` items, and its answer is their places.

Ten items in one question tell far more per text read than five pairs, if the judge bears it, see the row X-list of the
theorems and :mod:`ordain.rank.list_size`. What a batch of lists and its answers look like is said in
:mod:`ordain.preference.questions`; where all lists are of two items it is one of pairs. The budget is in texts, the
lengths of all lists together. When it is spent early, :class:`ordain.preference.Spent` is thrown into the rankers.

Both fit the weighted pairs of :mod:`ordain.rank.list_model` after each round, and order in the end as it says. There
is no proof and no protection against systematic errors as QuickSort has. Items of which nothing was said come last, by
lot.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Literal

import numpy as np

from ordain._types import Answers, Pairs, Vector
from ordain.preference import Known, Spent
from ordain.preference.journal import places_of
from ordain.preference.questions import blank, padded, places_in
from ordain.rank.blended.blend import Blend
from ordain.rank.blended.known_features import Features
from ordain.rank.blended.said_in_lists import counted_once, learned_once
from ordain.rank.blended.so_far import SoFar
from ordain.rank.bradley_terry.mode import Fit, information
from ordain.rank.list_model import luce_fit, pairs_fit, weighted_pairs
from ordain.rank.list_size import ENOUGH, SHARE, USUAL, told_by_size, trial_lists
from ordain.rank.play import Order, Ranker

Lists = list[Vector]
"""The items of each question, as it shows them."""

Size = int | Literal["auto"]
"""The most items in a list."""

OPTIMISM = 2.0
"""Standard errors by which an item may be better than its score and so stay in the field."""

LAST = 3
"""Rounds within the last field."""

SHOWINGS = 3
"""How often items that fit in one list are shown, in different orders."""

IDLE = 100
"""How often lists are drawn of which none is new before there are taken to be no more."""


def list_window(
    n: int,
    rng: np.random.Generator,
    budget: int,
    size: Size = 10,
    *,
    report: Callable[[Any], Any] | None = None,
    known: Known | None = None,
    spare: Callable[[], int] | None = None,
    features: Features | None = None,
) -> Ranker:
    """All items in order: random lists, then lists of neighbours in the order so far, from ever less far around.

    There are ⌈log₂(n/size)⌉ + 1 rounds of equal cost, but all items are in the first. In the others an item's place is
    shifted by up to a span that falls from n/4 to size/2, and the order is cut into lists. If all items fit in one
    list, it is asked in up to three different orders.

    Parameters
    ----------
    n : int
        Number of items.
    rng : numpy.random.Generator
        Draws the lists, the order in which each is shown, and the order of equal scores.
    budget : int
        Number of texts shown, at best 12 n or more.
    size : int or "auto"
        The most items in a list, at least 2. ``"auto"`` tries 2, 5 and 10 on a twentieth of a budget of 4,000 texts or
        more and takes what tells most, from 2 to 10, see :mod:`ordain.rank.list_size`; it is 10 with less.
    report : callable, optional
        Told in a sentence which size was taken, if it was tried, and what was learned, as :func:`window` tells it.
    known : mapping, optional
        Answers from before, to lists and pairs as they were shown: the model starts from them, and none is asked again
        as it was shown. If something was said of every item, there is no random round.
    spare : callable, optional
        Called once, before the last round: how many texts beyond the budget may be shown in it.
    features : Features, optional
        What is known of the items beforehand: the model is then that of :mod:`ordain.rank.blended.blend`, and not all
        items need be shown.

    Examples
    --------
    >>> from ordain.rank import play
    >>> play(list_window(30, np.random.default_rng(0), budget=300), lambda lists: np.where(lists < 0, np.nan, lists))
    array([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16,
           17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29])
    """
    log = Log(n, rng, budget, size, known, features, report)
    if n <= log.size:
        log.left += 0 if spare is None else spare()
        yield from log.ask(_turned(rng.permutation(n), log.left, log.known))
        return log.final_order()
    if not (yield from log.sized(size, report)):
        return log.final_order()
    size = log.size
    rounds = int(np.ceil(np.log2(n / size))) + 1
    spans = np.append(np.inf, np.geomspace(max(n / 4, size / 2), size / 2, rounds - 1))
    spans = spans[1:] if log.known_all else spans
    for place, span in enumerate(spans.tolist()):
        log.left += spare() if spare is not None and place == len(spans) - 1 else 0
        texts = max(log.left // (len(spans) - place), n if np.isinf(span) and features is None else 0)
        if not (yield from log.ask(log.drawn(log.order(log.scores), span, texts))):
            break
    return log.final_order()


def list_field(
    n: int,
    k: int,
    rng: np.random.Generator,
    budget: int,
    size: Size = 10,
    *,
    report: Callable[[Any], Any] | None = None,
    known: Known | None = None,
    spare: Callable[[], int] | None = None,
    features: Features | None = None,
) -> Ranker:
    """The best k first: random lists from a field that halves from all items to 2k or a list, and three rounds in that.

    The field is made anew for each round from the items whose scores, raised by two standard errors, are highest. The
    texts of a round are as the root of its field, but each of its items is shown at least once; where the budget does
    not allow this the fields shrink faster. The other items follow as far as the model knows them. If 2k is n or more,
    this is :func:`list_window`.

    Parameters
    ----------
    n, k : int
        Number of items, and how many of the best are wanted.
    rng, size, report, known, spare, features
        As for :func:`list_window`.
    budget : int
        Number of texts shown, at best 4 n or more.

    Examples
    --------
    >>> from ordain.rank import play
    >>> order = play(list_field(100, 3, np.random.default_rng(0), budget=400), lambda lists: lists.astype(float))
    >>> order[:3]
    array([0, 1, 2])
    """
    if not 1 <= k <= n:
        raise ValueError(f"k must lie from 1 to the {n} items. Got {k}.")
    if 2 * k >= n or n <= _longest(size):
        return (
            yield from list_window(n, rng, budget, size, report=report, known=known, spare=spare, features=features)
        )
    log = Log(n, rng, budget, size, known, features, report)
    if not (yield from log.sized(size, report)):
        return log.final_order()
    fields = _fields(n, max(2 * k, log.size), log.left)
    fields = fields[1:] if log.known_all else fields
    roots = np.sqrt(fields)
    for place, field in enumerate(fields):
        log.left += spare() if spare is not None and place == len(fields) - 1 else 0
        texts = max(int(log.left * roots[place] / roots[place:].sum()), field if features is None else 0)
        if not (yield from log.ask(log.drawn(log.order(log.raised)[:field], np.inf, texts))):
            break
    return log.final_order()


class Log:
    """What was asked and said so far, what the model makes of it, and the texts that are left."""

    def __init__(
        self,
        n: int,
        rng: np.random.Generator,
        budget: int,
        size: Size,
        known: Known | None = None,
        features: Features | None = None,
        report: Callable[[Any], Any] | None = None,
    ) -> None:
        if budget < 0:
            raise ValueError(f"budget must not be negative. Got {budget}. It is the number of texts shown.")
        self.n, self.rng, self.left, self.size = n, rng, int(budget), _longest(size)
        self.known = dict(known or {})
        self.lists: Lists = [np.array(question, dtype=np.intp) for question in self.known]
        self.places: Lists = [places_of(answer) for answer in self.known.values()]
        self.seen, self.scores, self.raised = np.zeros(n, dtype=int), np.zeros(n), np.zeros(n)
        self.fit: Fit | None = None
        self.so_far, self.report = None if features is None else SoFar(features), report
        self.blend: Blend | None = None
        if self.lists:
            self.seen += np.bincount(np.concatenate(self.lists), minlength=n)
            self.learn()
        self.known_all = bool(self.lists) and bool(np.isfinite(self.scores).all())

    def sized(self, size: Size, report: Callable[[Any], Any] | None) -> Generator[Pairs, Answers, bool]:
        """Try several sizes if that is asked for and affordable, take the best; whether there may be more to ask."""
        if size != "auto" or self.left < ENOUGH:
            return True
        showings = self.left / self.n
        going = yield from self.ask(trial_lists(self.n, self.rng, int(SHARE * self.left)))
        tried = told_by_size(self.lists, self.places, showings=showings)
        self.size = tried.best
        if report is not None:
            report(str(tried))
        return going

    def ask(self, lists: Lists) -> Generator[Pairs, Answers, bool]:
        """Ask, and fit the model to all that was said; whether there may be more to ask."""
        if not lists:
            return True
        batch = padded(lists, max(map(len, lists)))
        try:
            given, spent = (yield batch), False
        except Spent as out:
            given, spent = out.answers if out.answers.size else blank(batch), True
        self.lists, self.places = self.lists + lists, self.places + places_in(batch, given)
        self.left -= sum(map(len, lists))
        self.seen += np.bincount(np.concatenate(lists), minlength=self.n)
        self.learn()
        return not spent

    def learn(self) -> None:
        """Scores, and scores raised by standard errors; those of which nothing was said are lowest."""
        if self.so_far is not None:
            return self._blend(self.so_far)
        graph, self.fit = pairs_fit(self.lists, self.places, self.n, self.fit)
        unknown = np.bincount(np.append(graph.first, graph.second), minlength=self.n) == 0
        self.scores = np.where(unknown, -np.inf, self.fit.scores)
        self.raised = self.fit.scores + OPTIMISM / np.sqrt(information(graph, self.fit).diagonal[:-1])

    def _blend(self, so_far: SoFar) -> None:
        """The same where something is known of the items: all have scores, and errors."""
        said = counted_once(weighted_pairs(self.lists, self.places), self.n, self.blend)
        if not len(said.answers):
            return
        self.blend = so_far.learn(said.pairs, said.answers, said.weights)
        self.scores = self.blend.scores
        self.raised = self.scores + OPTIMISM * self.blend.standard_errors

    def order(self, scores: Vector) -> Order:
        """The items by these scores, ties by lot."""
        lot = self.rng.permutation(self.n)
        return lot[np.argsort(-scores[lot], kind="stable")]

    def final_order(self) -> Order:
        """The items by the model that is to be believed."""
        if self.so_far is not None:
            if self.blend is None:
                return np.arange(self.n)
            said = weighted_pairs(self.lists, self.places)
            found = learned_once(said, self.so_far.features, self.so_far.both, self.so_far.alone)
            if self.report is not None:
                self.report(found)
            return found.order
        luce = luce_fit(self.lists, self.places, self.n)
        scores = self.scores if luce is None else np.where(np.isinf(self.scores), -np.inf, luce.x[: self.n])
        return self.order(scores)

    def drawn(self, members: Order, span: float, texts: int) -> Lists:
        """Lists of members that are near in their order, as many as have so many texts; the least shown first."""
        lists, texts, idle = list[Vector](), min(texts, self.left), 0
        while texts >= 2 and idle < IDLE:
            before, parts = texts, _cut(members, span, self.size, self.rng)
            often = np.array([self.seen[part].mean() for part in parts])
            for part in np.lexsort((self.rng.random(len(parts)), often)).tolist():
                shown = self.rng.permutation(parts[part])[:texts]
                if len(shown) >= 2 and tuple(shown.tolist()) not in self.known:
                    lists.append(shown)
                    texts -= len(shown)
            idle = idle + 1 if texts == before else 0
        return lists


def mean_length(n: int, size: int, budget: int, k: int | None = None) -> float:
    """Items in a list on average: what a round shows is cut into lists of about equal length from 2 to `size`.

    Examples
    --------
    >>> mean_length(100, 10, 1200), mean_length(12, 10, 144), mean_length(100, 10, 800, k=6).__round__(1)
    (10.0, 6.0, 7.9)
    """
    whole = k is None or 2 * k >= n or n <= size
    fields = np.array([n] if whole or k is None else _fields(n, max(2 * k, size), budget))
    texts, lengths = np.sqrt(fields), np.maximum(fields / np.ceil(fields / size), 2)
    return float(texts.sum() / (texts / lengths).sum())


def _longest(size: Size) -> int:
    """The most items in a list."""
    size = USUAL if size == "auto" else size
    if isinstance(size, str) or size < 2 or int(size) != size:
        raise ValueError(
            f"size must be a whole number, 2 or more, or 'auto'. Got {size}. It is the most items in a list."
        )
    return int(size)


def _cut(members: Order, span: float, size: int, rng: np.random.Generator) -> Lists:
    """All members in lists of about equal length, each shifted by up to `span` places in their order before."""
    n = len(members)
    shifted = rng.random(n) if np.isinf(span) else np.arange(n) + rng.uniform(-span, span, n)
    mixed = members[np.argsort(shifted)]
    parts = -(-n // size)
    ends = -(-n * np.arange(1, parts + 1) // parts)
    starts = np.minimum(np.append(0, ends[:-1]), ends - 2)  # one that would be alone has a neighbour with it
    return [mixed[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


def _turned(items: Order, budget: int, known: Known) -> Lists:
    """The items in up to three different orders, everyone at different places, as the budget allows; none is known."""
    n = len(items)
    if n < 2 or budget < n:
        lists = [items[:budget]] if min(n, budget) >= 2 else []
    else:
        times = min(SHOWINGS, n, budget // n)
        lists = [np.roll(items, turn * n // times) for turn in range(times)]
    return [shown for shown in lists if tuple(shown.tolist()) not in known]


def _fields(n: int, last: int, budget: int) -> list[int]:
    """Sizes that halve from n to the last, or fall faster if their sum is beyond the budget; the last three times."""
    factor = 2
    while True:
        sizes = [n]
        while sizes[-1] > last:
            sizes.append(max(last, -(-sizes[-1] // factor)))
        sizes += [last] * (LAST - 1)
        if sum(sizes) <= budget or factor >= n:
            return sizes
        factor *= 2
