"""Rankers that average: rounds of comparisons where they tell most, under a Bradley–Terry model of all the answers.

Where the judge errs on each pair by itself, a model of all answers orders better than a sort at the same price. There
is no proof, and no protection against systematic errors as QuickSort has; the audit tells which of two orders agrees
better with the judge. Both rankers plan their rounds for a given budget of calls. They never ask a pair twice, as a
judge may well say again what it said, so they stop early when all pairs are asked. A pair is shown in random order,
and the model fits what the first place is worth, see :mod:`ordain.rank.bradley_terry.posterior`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ordain._types import Answers, Pairs, Vector
from ordain.preference import Known, Spent
from ordain.preference.journal import pairs_among
from ordain.rank.blended.blend import Blend
from ordain.rank.blended.known_features import Features
from ordain.rank.blended.so_far import SoFar
from ordain.rank.blended.telling import most_telling
from ordain.rank.bradley_terry.links import Graph
from ordain.rank.bradley_terry.mode import Fit, information, likeliest
from ordain.rank.bradley_terry.noise import LAPSES, SPREADS, Noise
from ordain.rank.play import Order, Ranker

NARROWEST = 3
"""The last window, in places."""

SHRINK = 1.6
"""How much smaller each field is than the one before."""

OPTIMISM = 2.0
"""Standard errors by which an item may be better than its score and so stay in the field."""

EARLY = 0.7
"""The calls of a round are as this power of its size. Where a judge errs, most of what is lost is lost early."""

LATE = 10
"""The pairs of the last field are one part in so many of the budget, if that is more than the pairs of 2k items."""


CHOICE = 4
"""Where something is known of the items, so many pairs are drawn for each that is asked: the one that tells most."""

WIDE = 200
"""Where something is known, so many calls are for any pairs, before a window is."""


class Round(NamedTuple):
    """Compare the `size` items that may be best with those up to `span` places away in the order so far."""

    size: int
    span: int

    @property
    def pairs(self) -> int:
        """Number of pairs of places that are at most `span` apart."""
        span = min(self.span, self.size - 1)
        return self.size * span - span * (span + 1) // 2


def window(
    n: int,
    rng: np.random.Generator,
    budget: int,
    *,
    known: Known | None = None,
    avoid: Pairs | None = None,
    spare: Callable[[], int] | None = None,
    features: Features | None = None,
    report: Callable[[Any], Any] | None = None,
) -> Ranker:
    """All items in order: random pairs, then pairs within a window of the order so far that shrinks from n/2 to 3.

    There are about log₂ n + 1 batches and a fit after each. Far pairs find everyone's rough place, near pairs then
    settle the order where it is still open. The batches are equal, unless a narrow window has too few pairs.

    Parameters
    ----------
    n : int
        Number of items.
    rng : numpy.random.Generator
        Draws the pairs, the order in which they are shown, and the order of equal scores.
    budget : int
        Number of calls, at best n log₂ n or more.
    known : mapping, optional
        Answers from before, to pairs as they were shown: the model starts from them, and none is asked again. If every
        item is in one, there is no random round.
    avoid : integer array of shape (m, 2), optional
        Pairs that are never asked, either way round.
    spare : callable, optional
        Called once, before the last round: how many calls beyond the budget may be made in it. Where it has too few
        pairs for them it is wider.
    features : Features, optional
        What is known of the items beforehand: the model is then that of :mod:`ordain.rank.blended.blend`, also items
        never asked about are ordered, and of the pairs that might be asked those are that tell most.
    report : callable, optional
        Told what was learned, if there are features: a :class:`ordain.rank.blended.learned.Learned`, in words by str.

    Examples
    --------
    >>> from ordain.rank import play
    >>> play(window(5, np.random.default_rng(0), budget=10), lambda pairs: pairs[:, 0] < pairs[:, 1])
    array([0, 1, 2, 3, 4])
    """
    rounds = [Round(n, n), *_narrowing(n, int(np.ceil(np.log2(max(n, 2)))))]
    if features is not None:
        rounds = _wide_first(rounds, budget)
    return (yield from _played(n, rng, budget, rounds, _state(n, known, avoid, features, report), spare))


def field(
    n: int,
    k: int,
    rng: np.random.Generator,
    budget: int,
    *,
    known: Known | None = None,
    avoid: Pairs | None = None,
    spare: Callable[[], int] | None = None,
    features: Features | None = None,
    report: Callable[[Any], Any] | None = None,
) -> Ranker:
    """The best k first: random pairs among a field that shrinks from all items to 2k, then a shrinking window in it.

    The field is made anew for each round from the items whose scores, raised by two standard errors, are highest. So an
    item comes back if those that beat it turn out to be good. The larger the field, the more calls it has, but fewer
    for each item. With a large budget the last field is larger than 2k. The other items follow as far as the model
    knows them.

    Parameters
    ----------
    n, k : int
        Number of items, and how many of the best are wanted.
    rng, known, avoid, spare, features, report
        As for :func:`window`.
    budget : int
        Number of calls, at best 2 n or more.

    Examples
    --------
    >>> from ordain.rank import play
    >>> play(field(100, 3, np.random.default_rng(0), budget=300), lambda pairs: pairs[:, 0] < pairs[:, 1])[:3]
    array([0, 1, 2])
    """
    if not 1 <= k <= n:
        raise ValueError(f"k must lie from 1 to the {n} items. Got {k}.")
    last = min(max(2 * k, int(np.sqrt(2 * max(budget, 0) / LATE))), n)
    sizes = np.geomspace(n, last, 1 + int(np.ceil(np.log(n / last) / np.log(SHRINK)))).round().astype(int).tolist()
    rounds = [*(Round(size, size) for size in sizes), *_narrowing(last, 3)]
    return (yield from _played(n, rng, budget, rounds, _state(n, known, avoid, features, report), spare))


def _narrowing(size: int, rounds: int) -> list[Round]:
    """Rounds with windows from half of the items to the narrowest."""
    if size <= 2 * NARROWEST:
        return []
    return [Round(size, int(span)) for span in np.geomspace(size / 2, NARROWEST, rounds).round()]


def _wide_first(rounds: Sequence[Round], budget: int) -> list[Round]:
    """The same, the first without a window: pairs that look even to the features hardly tell whether these are true."""
    before = np.cumsum([0, *_shares(rounds, budget)[:-1]])
    return [
        Round(stage.size, stage.size) if start < WIDE else stage for stage, start in zip(rounds, before, strict=True)
    ]


def _played(
    n: int,
    rng: np.random.Generator,
    budget: int,
    rounds: Sequence[Round],
    state: _State,
    spare: Callable[[], int] | None,
) -> Ranker:
    """Ask the rounds, fit the model after each, and order by its scores."""
    if budget < 0:
        raise ValueError(f"budget must not be negative. Got {budget}. It is the number of calls.")
    if len(rounds) > 1 and np.isin(np.arange(n), state.pairs).all():
        rounds = rounds[1:]
    for place, (stage, calls) in enumerate(zip(rounds, _shares(rounds, budget), strict=True)):
        more = spare() if spare is not None and place == len(rounds) - 1 else 0
        asked = state.unasked(stage, calls + more, rng)
        while more and len(asked) < calls + more and stage.size < n:
            stage = Round(min(2 * stage.size, n), 2 * stage.span)
            asked = state.unasked(stage, calls + more, rng)
        if not len(asked):
            continue
        try:
            state.learn(asked, (yield asked))
        except Spent as out:
            state.learn(asked, out.answers if out.answers.size else np.full(len(asked), np.nan))
            break
    return state.order(rng)


class _State:
    """What was answered so far, and what the model makes of it."""

    def __init__(self, n: int, known: Known | None, avoid: Pairs | None) -> None:
        none = np.empty((0, 2), dtype=np.intp)
        self.n, self.pairs, self.answers, self.avoid = n, none, np.empty(0), none if avoid is None else avoid
        self.fit, self.scores, self.raised = Fit(np.zeros(n + 1)), np.zeros(n), np.zeros(n)
        if before := pairs_among(known or {}):
            self.learn(np.array(list(before), dtype=np.intp), np.array(list(before.values())))

    def unasked(self, stage: Round, calls: int, rng: np.random.Generator) -> Pairs:
        """Up to `calls` pairs of a round that were not asked and need not be avoided."""
        members = _sorted(_sorted(np.arange(self.n), self.raised, rng)[: stage.size], self.scores, rng)
        return _unasked(members, stage, calls, np.append(self.pairs, self.avoid, axis=0), rng)

    def learn(self, asked: Pairs, given: Answers) -> None:
        """Fit the model to all answers."""
        came = ~np.isnan(given)
        self.pairs, self.answers = np.append(self.pairs, asked[came], axis=0), np.append(self.answers, given[came])
        self.refit()

    def refit(self) -> None:
        """Fit the scores; raise them by what they may be better."""
        graph = Graph(self.pairs, self.answers, self.n, position=True)
        self.fit = likeliest(graph, Noise(SPREADS, LAPSES), self.fit)
        self.scores = self.fit.scores
        self.raised = self.scores + OPTIMISM / np.sqrt(information(graph, self.fit).diagonal[:-1])

    def order(self, rng: np.random.Generator) -> Order:
        """The items by their scores."""
        return _sorted(np.arange(self.n), self.scores, rng)


class _Blended(_State):
    """The same where something is known of the items: features and items in one model."""

    def __init__(
        self, n: int, known: Known | None, avoid: Pairs | None, features: Features, report: Callable[[Any], Any] | None
    ) -> None:
        self.so_far, self.report = SoFar(features), report
        self.blend: Blend | None = None
        super().__init__(n, known, avoid)

    def unasked(self, stage: Round, calls: int, rng: np.random.Generator) -> Pairs:
        """Of several times as many pairs those that tell most."""
        if self.blend is None:
            return super().unasked(stage, calls, rng)
        return most_telling(self.blend, super().unasked(stage, CHOICE * calls, rng), calls)

    def refit(self) -> None:
        if not len(self.answers):
            return
        self.blend = self.so_far.learn(self.pairs, self.answers)
        self.scores = self.blend.scores
        self.raised = self.scores + OPTIMISM * self.blend.standard_errors

    def order(self, rng: np.random.Generator) -> Order:
        """By the features if they helped, else by items alone; those of which nothing is known last, as given."""
        if self.blend is None:
            return np.arange(self.n)
        found = self.so_far.learned(self.pairs, self.answers)
        if self.report is not None:
            self.report(found)
        return found.order


def _state(
    n: int, known: Known | None, avoid: Pairs | None, features: Features | None, report: Callable[[Any], Any] | None
) -> _State:
    """What is known at the start."""
    return _State(n, known, avoid) if features is None else _Blended(n, known, avoid, features, report)


def _shares(rounds: Sequence[Round], budget: int) -> list[int]:
    """Calls of each round, by its size, at most half of its pairs; the first has what is left."""
    weights, calls = np.array([float(stage.size) for stage in rounds]) ** EARLY, []
    for place in range(len(rounds) - 1, 0, -1):
        share = int(budget * weights[place] / weights[: place + 1].sum())
        calls.append(min(share, rounds[place].pairs // 2))
        budget -= calls[-1]
    return [min(budget, rounds[0].pairs), *calls[::-1]]


def _unasked(members: Order, stage: Round, calls: int, asked: Pairs, rng: np.random.Generator) -> Pairs:
    """Up to `calls` new pairs of members at most the span apart, further where these are used up; shown either way."""
    known = _keys(asked)
    if stage.pairs > 4 * (calls + len(known)):  # most pairs drawn are new
        pairs = np.empty((0, 2), dtype=np.intp)
        while len(pairs) < calls:
            pairs = _new(np.append(pairs, members[_drawn(stage, calls, rng)], axis=0), known)[:calls]
    else:
        pairs = _new(members[_every(stage, calls + len(known), rng)], known)[:calls]
    return np.where(rng.random((len(pairs), 1)) < 0.5, pairs[:, ::-1], pairs)


def _drawn(stage: Round, count: int, rng: np.random.Generator) -> Pairs:
    """Random pairs of places, each place as often as any other; a span beyond half of the places is no limit."""
    half = stage.size // 2
    shuffled = rng.permuted(np.tile(np.arange(stage.size), (-(-count // half), 1)), axis=1)
    if stage.span > half:
        return shuffled[:, : 2 * half].reshape(-1, 2)[:count]
    here = shuffled.ravel()[:count]
    apart = rng.integers(1, stage.span + 1, count) * rng.choice([-1, 1], count)
    there = np.where((here + apart < 0) | (here + apart >= stage.size), here - apart, here + apart)
    return np.column_stack((here, there))


def _every(stage: Round, enough: int, rng: np.random.Generator) -> Pairs:
    """All pairs of places within the span in random order, then further ones, nearest first, until there are enough."""
    wide = stage
    while wide.pairs < enough and wide.span < wide.size:
        wide = Round(wide.size, 2 * wide.span)
    reach = max(0, min(wide.span, wide.size - 1))
    here = np.repeat(np.arange(wide.size), reach)
    there = here + np.tile(np.arange(1, reach + 1), wide.size)
    places = np.column_stack((here, there))[there < wide.size]
    apart = np.maximum(places[:, 1] - places[:, 0], stage.span)
    return places[np.argsort(apart + rng.random(len(places)), kind="stable")]


def _new(pairs: Pairs, known: Vector) -> Pairs:
    """The pairs that are not known, each once, in their order."""
    keys = _keys(pairs)
    first = np.sort(np.unique(keys, return_index=True)[1])
    return pairs[first[~np.isin(keys[first], known)]]


def _keys(pairs: Pairs) -> Vector:
    """One number per pair, whichever way round it is."""
    return (pairs.min(axis=1) << 32) + pairs.max(axis=1)


def _sorted(items: Vector, scores: Vector, rng: np.random.Generator) -> Order:
    """The items by their scores, ties by lot."""
    lot = rng.permutation(items)
    return lot[np.argsort(-scores[lot], kind="stable")]
