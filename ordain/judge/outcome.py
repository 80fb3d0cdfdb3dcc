"""The order that the answers of a run give, and how sure it is: what `ordain judge` writes.

Averaging rankers order by a model of all answers to their questions, whichever plan asked them: Bradley–Terry for
pairs, and for lists what :mod:`ordain.rank.list_model` believes. Ranks and tiers hold for the whole list, as those of a
board do. A sort has its own order, and no scores: its promise is about the order as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ordain._types import Mask, Vector
from ordain.judge.judged_items import Item
from ordain.preference.journal import Answer, Question, places_of
from ordain.rank.bradley_terry.links import DENSE
from ordain.rank.bradley_terry.posterior import BradleyTerry, bradley_terry
from ordain.rank.list_model import ListFit, WeightedPairs, list_fit, weighted_pairs
from ordain.rank.play import Order
from ordain.tables.plain_rows import plain_rows
from ordain.votes.cast_votes import Votes
from ordain.votes.linked_parts import parts
from ordain.votes.rank_intervals import ranks
from ordain.votes.sandwich import FEW, Errors, errors_of

DRAWS = 2000
"""Draws from which it is said how many of the first K are expected to belong there."""


@dataclass(frozen=True)
class Outcome:
    """The items best first. Arrays are in this order; what there is no value for is NaN: of a sort, of items never said
    anything of, which come last.

    `said` is each question with its answer, `order` the items' numbers, `errors` what the model doubts.
    """

    items: Sequence[Item]
    said: Sequence[tuple[Question, Answer]]
    order: Order
    scores: Vector
    standard_errors: Vector
    rank_low: Vector
    rank_high: Vector
    tier: Vector
    wins: Vector
    losses: Vector
    ties: Vector
    shown: Vector
    level: float = 0.95
    errors: Errors | None = field(default=None, repr=False)

    @property
    def ids(self) -> list[str]:
        """The items' ids, best first."""
        return [self.items[item].id for item in self.order]

    def rows(self) -> list[dict[str, Any]]:
        """A dictionary for each item, best first, with the item's other columns; None where there is no value."""
        ranked = [self.items[item] for item in self.order]
        arrays: dict[str, Any] = {
            "rank": range(1, len(ranked) + 1), "id": [one.id for one in ranked], "text": [one.text for one in ranked],
            "tier": _whole(self.tier), "score": self.scores, "standard_error": self.standard_errors,
            "rank_low": _whole(self.rank_low), "rank_high": _whole(self.rank_high),
            "wins": self.wins, "losses": self.losses, "ties": self.ties, "shown": self.shown,
        }  # fmt: skip
        return [row | _renamed(one.rest, arrays) for row, one in zip(plain_rows(arrays), ranked, strict=True)]

    def votes(self) -> Votes:
        """The answers as votes on pairs of the items' numbers, named by their ids."""
        return replace(weighed(self.said).votes(len(self.items)), items=tuple(one.id for one in self.items))

    def surely_in(self, k: int) -> int | None:
        """How many of the first k surely belong there, by their ranks; None for a sort."""
        return None if np.isnan(self.rank_high).all() else int(np.count_nonzero(self.rank_high[:k] <= k))

    @cached_property
    def _drawn(self) -> Vector | None:
        """Draws of all scores, in the order of the items here."""
        if self.errors is None or self.errors.n > DENSE:
            return None
        covariance = self.errors.covariances[0][np.ix_(self.order, self.order)]
        normal = np.random.default_rng(0).standard_normal((DRAWS, len(self.order)))
        return self.errors.fit.scores[self.order] + normal @ np.linalg.cholesky(covariance).T

    def expected_in(self, k: int) -> float | None:
        """How many of the first k are expected to belong there; None for a sort and beyond 2,000 items."""
        if self._drawn is None:
            return None
        k = min(k, len(self.order))
        least = -np.partition(-self._drawn, k - 1, axis=1)[:, k - 1 : k]
        return float((self._drawn[:, :k] >= least).mean(axis=0).sum())


def outcome_of(
    items: Sequence[Item],
    said: Sequence[tuple[Question, Answer]],
    sorted_by: Order | None = None,
    *,
    judges: Sequence[str] = (),
    seed: int = 0,
    level: float = 0.95,
) -> Outcome:
    """The outcome of questions and their answers; of a sort, with the order that it gave.

    Where many people judged, twenty or more, `judges` says who gave each answer, and errors hold that theirs belong
    together. With fewer the order is that of these judges, and so are its errors.

    Examples
    --------
    >>> items = [Item("a", "fig"), Item("b", "pear"), Item("c", "banana")]
    >>> outcome_of(items, [((0, 1), 0.0), ((2, 1), 1.0), ((2, 0, 1), (0.0, 2.0, 1.0))]).ids
    ['c', 'b', 'a']
    """
    n, every = len(items), weighed(said)
    shown = np.bincount([item for question, _ in said for item in question], minlength=n)
    if sorted_by is not None or not len(every.said.answers):
        order, none = np.arange(n) if sorted_by is None else sorted_by, np.full(n, np.nan)
        won, lost, tied = counts_of(every, order, n)
        return Outcome(items, said, order, none, none, none, none, none, won, lost, tied, shown[order], level)
    votes = every.votes(n, judges)
    linked = parts(votes)
    fit = bradley_terry(votes.pairs, votes.answers, n, weights=votes.weights, lapse=None)
    errors = errors_of(fit, votes, linked)
    scores, uncertain = (np.where(every.unknown(n), np.nan, of) for of in _scores(said, n, fit, errors))
    order = np.argsort(-scores, kind="stable")
    return Outcome(
        items, said, order, scores[order], uncertain[order], *_ranks(votes, order, errors, level, seed),
        *counts_of(every, order, n), shown[order], level, errors,
    )  # fmt: skip


def order_of(n: int, said: Sequence[tuple[Question, Answer]]) -> Order:
    """The order alone that questions and their answers give; items of which nothing was said come last."""
    every = weighed(said)
    if not len(every.said.answers):
        return np.arange(n)
    pairs, answers, weights = every.said
    fit = _fit_of_lists(said, n) if _has_lists(said) else bradley_terry(pairs, answers, n, weights=weights, lapse=None)
    scores = fit.scores
    return np.argsort(-np.where(every.unknown(n), np.nan, scores), kind="stable")


class Weighed(NamedTuple):
    """Pairs, whether asked as such or in lists, with what each is worth, and the question that each comes from."""

    said: WeightedPairs
    question: Vector

    def votes(self, n: int, judges: Sequence[str] = ()) -> Votes:
        """As votes on the items' numbers; the pairs of a question, and those of a judge, belong together.

        What few judges would say another time is known; what others would say is not, and then is not spoken of.
        """
        pairs, answers, weights = self.said
        one, names = np.ones(len(answers)), sorted(set(judges))
        votes = Votes(tuple(range(n)), pairs[:, 0], pairs[:, 1], answers, one, one, weights, clusters=self.question)
        if len(names) < FEW:
            return votes
        of = np.array([names.index(judge) for judge in judges])
        return replace(votes, clusters=of[self.question], judges=tuple(names))

    def unknown(self, n: int) -> Mask:
        """Items of which nothing was said."""
        return np.bincount(self.said.pairs.ravel(), minlength=n) == 0


def weighed(said: Sequence[tuple[Question, Answer]]) -> Weighed:
    """Answers to pairs as they are, those to lists as weighted pairs."""
    parts, question = [WeightedPairs(np.empty((0, 2), dtype=np.intp), np.empty(0), np.empty(0))], []
    for number, (shown, answer) in enumerate(said):
        if isinstance(answer, tuple):
            parts.append(weighted_pairs([np.array(shown)], [np.array(answer)]))
        else:
            parts.append(WeightedPairs(np.array([shown]), np.array([answer]), np.ones(1)))
        question += [number] * len(parts[-1].answers)
    joined = WeightedPairs(*(np.concatenate(part) for part in zip(*parts, strict=True)))
    return Weighed(joined, np.array(question, dtype=np.intp))


def _scores(
    said: Sequence[tuple[Question, Answer]], n: int, fit: BradleyTerry, errors: Errors
) -> tuple[Vector, Vector]:
    """Scores and their standard errors: of pairs those of the fit, of lists those of the model to be believed."""
    if not _has_lists(said):
        return fit.scores, errors.standard_errors
    found = _fit_of_lists(said, n)
    return found.scores, found.standard_errors


def _has_lists(said: Sequence[tuple[Question, Answer]]) -> bool:
    return any(isinstance(answer, tuple) for _, answer in said)


def _fit_of_lists(said: Sequence[tuple[Question, Answer]], n: int) -> ListFit:
    """The model of lists, pairs among them."""
    return list_fit([np.array(shown) for shown, _ in said], [places_of(answer) for _, answer in said], n)


def _ranks(votes: Votes, order: Order, errors: Errors, level: float, seed: int) -> tuple[Vector, Vector, Vector]:
    """The ranks that each item may have, and its tier, in the order; of what no chain of answers links, any rank."""
    by_part = order[np.argsort(errors.parts[order], kind="stable")]
    low, high, tier = (np.empty(len(order)) for _ in range(3))
    low[by_part], high[by_part], tier[by_part] = ranks(votes, by_part, errors, level, seed)
    apart = errors.parts > 0
    high[~apart] += np.count_nonzero(apart)
    low[apart], high[apart], tier[apart] = 1, len(order), np.nan
    place = np.arange(1, len(order) + 1)
    return np.minimum(low[order], place), np.maximum(high[order], place), tier[order]


def counts_of(every: Weighed, order: Order, n: int) -> tuple[Vector, Vector, Vector]:
    """Pairs that each item won, lost and tied, in the order."""
    (left, right), answers = every.said.pairs.T, every.said.answers
    won, lost, tied = answers > 0.5, answers < 0.5, answers == 0.5

    def of_each(first: Mask, second: Mask) -> Vector:
        return (np.bincount(left, first, n) + np.bincount(right, second, n))[order].astype(np.int64)

    return of_each(won, lost), of_each(lost, won), of_each(tied, tied)


def _renamed(rest: dict[str, str | None], taken: dict[str, Any]) -> dict[str, str | None]:
    """An item's other columns; one that has the name of ours gets as many underscores as make it another."""
    names = {*taken, *rest}
    renamed = {}
    for name, value in rest.items():
        new = name
        while new in taken or (new != name and new in names):
            new += "_"
        names.add(new)
        renamed[new] = value
    return renamed


def _whole(numbers: Vector) -> list[int | None]:
    """Whole numbers, None for NaN."""
    return [None if np.isnan(number) else int(number) for number in numbers]
