"""What ordered lists say of their items: as weighted pairs, and stage by stage, and which of the two to believe.

An order of k items is k(k-1)/2 answers that are not independent. They hold as much as 3k(k-1)/(2(k+1)) answers to
independent pairs do where the items are alike, so each counts 3/(k + 1), a list of two being a pair (row X-list of the
theorems). The standard errors are those of this fit. Pairs that stand side by side in the answer are never taken
alone: given that nothing came between them, the answer no longer follows the model.

The Plackett–Luce model says more where it holds, as it takes the best first and is surest of them. A judge who is as
sure of the worst as of the best follows it no better forwards than backwards, and then pairs order better. So the
lists are fitted both ways round, and Plackett–Luce orders if it explains them better from the top than from the bottom
by two standard errors over the lists [Vuong89]_.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ordain._types import Answers, Pairs, Vector
from ordain.preference import list_pairs
from ordain.rank.bradley_terry.links import DENSE, Graph
from ordain.rank.bradley_terry.mode import Fit, likeliest
from ordain.rank.bradley_terry.noise import LAPSES, SPREADS, Noise, won
from ordain.rank.bradley_terry.posterior import BradleyTerry, bradley_terry
from ordain.rank.list_scale import Scale, fitted_scale, luce_cost, pairs_cost
from ordain.rank.plackett_luce import Curve, Luce, Stages, ascended, likeliest_order

SURE = 2.0
"""Standard errors by which the lists must be likelier from the top."""

EXACT = 1e-6
"""The gain in log-likelihood below which the last fit stops."""

SEEN = 10.0
"""Disagreements with itself that a judge who answers afresh should have shown before it is believed to."""


class WeightedPairs(NamedTuple):
    """Pairs in the order shown, 1, ½ or 0 for whether the first came first, and what each counts."""

    pairs: Pairs
    answers: Answers
    weights: Vector


def weighted_pairs(lists: Sequence[Vector], places: Sequence[Vector]) -> WeightedPairs:
    """All pairs of the k ranked items of each list, at weight 3/(k + 1).

    Parameters
    ----------
    lists : sequence of integer arrays
        The items of each question in the order shown.
    places : sequence of arrays
        Their places, 0 for the best. Equal ones tie; NaN was not ranked and says nothing.

    Examples
    --------
    >>> weighted_pairs([np.array([4, 2, 7])], [np.array([1, 0, np.nan])])
    WeightedPairs(pairs=array([[4, 2]]), answers=array([0.]), weights=array([1.]))
    """
    parts = [WeightedPairs(np.empty((0, 2), dtype=np.intp), np.empty(0), np.empty(0))]
    lengths = np.array([len(shown) for shown in lists])
    for size in np.unique(lengths[lengths > 1]).tolist():
        rows = np.flatnonzero(lengths == size).tolist()
        items, given = np.array([lists[row] for row in rows]), np.array([places[row] for row in rows], dtype=float)
        parts.append(WeightedPairs(*list_pairs(items, given)))
    return WeightedPairs(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def at_most_one(said: WeightedPairs, n: int) -> WeightedPairs:
    """The same, but a pair that stands in many lists counts no more than one in all.

    Examples
    --------
    >>> lists = [np.array([0, 1])] * 3 + [np.array([1, 2])]
    >>> at_most_one(weighted_pairs(lists, [np.array([0, 1])] * 4), n=3).weights
    array([0.33333333, 0.33333333, 0.33333333, 1.        ])
    """
    _, which = np.unique(_keys(said.pairs, n), return_inverse=True)
    return said._replace(weights=said.weights / np.maximum(np.bincount(which, said.weights), 1.0)[which])


def answers_afresh(said: WeightedPairs, fit: Fit) -> bool:
    """Whether the judge, where a pair stood in several lists, contradicted itself half as often as the fit expects."""
    n = len(fit.scores)
    keys, which, times = np.unique(_keys(said.pairs, n), return_inverse=True, return_counts=True)
    turned = said.pairs[:, 0] > said.pairs[:, 1]
    wins = np.bincount(which, np.where(turned, 1 - said.answers, said.answers), len(keys))
    chance = won(fit.scores[keys // n] - fit.scores[keys % n], fit.noise)
    seen, expected = (wins * (times - wins)).sum(), (times * (times - 1) * chance * (1 - chance)).sum()
    return bool(expected >= SEEN and seen >= expected / 2)


class PairsFit(NamedTuple):
    """The pairs of the lists as a graph, and the fit to it."""

    graph: Graph
    fit: Fit


def pairs_fit(lists: Sequence[Vector], places: Sequence[Vector], n: int, start: Fit | None = None) -> PairsFit:
    """Bradley–Terry scores from the weighted pairs, spread and lapses fitted; repeats count once unless afresh.

    Where answers are few they hardly tell a small spread from a large one, and once there the climb would stay at the
    small one, so it starts at one or more.
    """
    said = weighted_pairs(lists, places)
    near = Fit(np.zeros(n + 1)) if start is None else start
    near = near._replace(noise=near.noise._replace(spread=max(near.noise.spread, 1.0)))
    if not answers_afresh(said, near):
        said = at_most_one(said, n)
    graph = Graph(said.pairs, said.answers, n, position=True, weights=said.weights)
    return PairsFit(graph, likeliest(graph, Noise(SPREADS, LAPSES), near))


def luce_fit(lists: Sequence[Vector], places: Sequence[Vector], n: int) -> Luce | None:
    """The Plackett–Luce fit, or None if the lists are not clearly likelier from the top than from the bottom."""
    top, bottom = Stages(lists, places, n), Stages(lists, [-np.asarray(said) for said in places], n)
    if not top.items.size:
        return None
    fits = [likeliest_order(stages, Luce(np.zeros(n + stages.size)), LAPSES[:1]) for stages in (top, bottom)]
    losses = [Curve(stages, stages.utilities(fit.x), 0.0).loss for stages, fit in zip((top, bottom), fits, strict=True)]
    gains = losses[1] - losses[0]
    if gains.sum() <= SURE * np.sqrt(len(gains)) * gains.std():
        return None
    return likeliest_order(top, fits[0])


@dataclass(frozen=True)
class ListFit:
    """Scores, the higher the better, their mean being zero; what places are worth; and how sure all this is.

    `scores` are those of the model to be believed, and `places` has what each place shown is worth if that is
    Plackett–Luce. The standard errors always are those of the weighted `pairs`, and of the doubt about the `scale`.
    """

    scores: Vector
    places: Vector | None
    pairs: BradleyTerry
    scale: Scale

    @cached_property
    def standard_errors(self) -> Vector:
        """Standard deviations of the scores about their mean."""
        gains = self.scale.gains - self.scale.gains.mean()
        return np.sqrt(self.pairs.standard_errors**2 + (self.scale.doubt * gains) ** 2)

    def difference_errors(self, first: Vector, second: Vector) -> Vector:
        """Standard deviations of the differences between the scores of some items and of others, to 2000 items."""
        covariance = self.pairs.information.covariance()
        own = covariance[first, first] + covariance[second, second] - 2 * covariance[first, second]
        return np.sqrt(own + (self.scale.doubt * (self.scale.gains[first] - self.scale.gains[second])) ** 2)

    def __str__(self) -> str:
        return f"{'weighted pairs' if self.places is None else 'Plackett–Luce'}: {self.pairs}"


def list_fit(lists: Sequence[Vector], places: Sequence[Vector], n: int) -> ListFit:
    """Scores of the items from ordered lists, with their standard errors.

    Parameters
    ----------
    lists : sequence of integer arrays
        The items 0 … n - 1 of each question in the order shown.
    places : sequence of arrays
        Their places, 0 for the best. Equal ones tie; NaN was not ranked and says nothing.
    n : int
        Number of items.

    Examples
    --------
    >>> fit = list_fit([np.array([2, 0, 1]), np.array([1, 2, 0])], [np.array([2, 0, 1]), np.array([1, 2, 0])], n=3)
    >>> print(fit.scores.round(2), fit.standard_errors.round(2))
    [ 0.75  0.   -0.75] [1.19 0.71 1.19]
    >>> print(fit)
    weighted pairs: Scores of 3 items from 3 answers, spread 1.23, lapses 0; log-odds of the first place -0.0543 ± 0.55.
    """
    said = weighted_pairs(lists, places)
    _, fit = pairs_fit(lists, places, n)
    if not answers_afresh(said, fit):
        said = at_most_one(said, n)

    def pairs(spread: float) -> BradleyTerry:
        return bradley_terry(said.pairs, said.answers, n, weights=said.weights, spread=spread, lapse=fit.noise.lapse)

    luce = luce_fit(lists, places, n)
    if luce is not None:
        return _luce(Stages(lists, places, n), luce, pairs)
    scale = Scale(fit.noise.spread, 0.0, np.zeros(n))
    if n <= DENSE:
        scale = fitted_scale(lambda spread: (pairs_cost(pairs(spread)), pairs(spread).scores), scale.spread)
    found = pairs(scale.spread)
    return ListFit(found.scores, None, found, scale)


def _luce(stages: Stages, luce: Luce, pairs: Callable[[float], BradleyTerry]) -> ListFit:
    """The Plackett–Luce scores at the likeliest spread, with the errors of the weighted pairs there."""
    n = stages.n

    def at(spread: float) -> Luce:
        return ascended(stages, luce._replace(noise=Noise(spread, luce.noise.lapse)), EXACT)

    def tried(spread: float) -> tuple[float, Vector]:
        fit = at(spread)
        return luce_cost(stages, fit), fit.x[:n]

    start = Scale(luce.noise.spread, 0.0, np.zeros(n))
    scale = fitted_scale(tried, start.spread) if n <= DENSE else start
    x = at(scale.spread).x
    return ListFit(x[:n] - x[:n].mean(), x[n:] - x[n:].mean(), pairs(scale.spread), scale)


def _keys(pairs: Pairs, n: int) -> Vector:
    """One number per pair, whichever way round it is."""
    return pairs.min(axis=1) * n + pairs.max(axis=1)
