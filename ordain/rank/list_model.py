"""What ordered lists say of their items: as weighted pairs, and stage by stage, and which of the two to believe.

An order of k items is k(k-1)/2 answers that are not independent. They hold as much as 3k(k-1)/(2(k+1)) answers to
independent pairs do where the items are alike, so each counts 3/(k + 1), a list of two being a pair (row X-list of the
theorems). The standard errors are those of these pairs. Pairs that stand side by side in the answer are never taken
alone: given that nothing came between them, the answer no longer follows the model.

The Plackett–Luce model says more where it holds, as it takes the best first and is surest of them. A judge who is as
sure of the worst as of the best follows it no better forwards than backwards, and then pairs order better. So the
lists are fitted both ways round, and Plackett–Luce orders if it explains them better from the top than from the bottom
by two standard errors over the lists [Vuong89]_.

For scores with standard errors the spread is that of the stages, taken the way round that is likelier, whichever model
is believed: weights that suit alike items make far too little of far ones, so that the pairs' own spread comes out too
small. Only where the judge may be repeating itself do the pairs tell it, as they count once what was said again. Scores
are means and not modes, see :mod:`ordain.rank.list_law`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ordain._types import Answers, Pairs, Vector
from ordain.preference import list_pairs
from ordain.rank.bradley_terry.links import DENSE, Graph
from ordain.rank.bradley_terry.mode import Fit, likeliest
from ordain.rank.bradley_terry.noise import LAPSES, SPREADS, Noise, won
from ordain.rank.bradley_terry.posterior import BradleyTerry, bradley_terry
from ordain.rank.list_law import luce_law, over, pairs_law
from ordain.rank.list_scale import Scale, fitted_spread, luce_cost, pairs_cost, scaled
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


class Way(NamedTuple):
    """Lists taken from one end, and the Plackett–Luce fit to them."""

    stages: Stages
    fit: Luce

    @property
    def losses(self) -> Vector:
        """-log of the chance of each list, without lapses."""
        return Curve(self.stages, self.stages.utilities(self.fit.x), 0.0).loss


def both_ways(lists: Sequence[Vector], places: Sequence[Vector], n: int) -> tuple[Way, Way]:
    """The lists from the top and from the bottom, each with a fit without lapses."""
    turned = (Stages(lists, places, n), Stages(lists, [-np.asarray(said) for said in places], n))
    top, bottom = (Way(of, likeliest_order(of, Luce(np.zeros(n + of.size)), LAPSES[:1])) for of in turned)
    return top, bottom


def luce_fit(lists: Sequence[Vector], places: Sequence[Vector], n: int) -> Luce | None:
    """The Plackett–Luce fit, or None if the lists are not clearly likelier from the top than from the bottom."""
    top, bottom = both_ways(lists, places, n)
    return likeliest_order(*top) if _clearly(top, bottom) else None


def _clearly(top: Way, bottom: Way) -> bool:
    """Whether the lists are likelier from the top by two standard errors over the lists."""
    gains = bottom.losses - top.losses
    return bool(gains.size and gains.sum() > SURE * np.sqrt(len(gains)) * gains.std())


@dataclass(frozen=True)
class ListFit:
    """Scores, the higher the better, their mean being zero; what places are worth; and how sure all this is.

    `scores` are expected by the model to be believed, and `places` has what each place shown is worth if that is
    Plackett–Luce. The standard errors always are those of the weighted `pairs`, in the mean over what that model leaves
    open, and of the doubt about the `scale`. Beyond 2000 items scores are modes, and errors those there.
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
    >>> print(fit.scores[[0, 2]].round(2), fit.standard_errors.round(2))
    [ 0.84 -0.84] [1.26 0.75 1.26]
    >>> print(fit)
    weighted pairs: Scores of 3 items from 3 answers, spread 1.23, lapses 0; log-odds of the first place -0.0543 ± 0.56.
    """
    said = weighted_pairs(lists, places)
    _, fit = pairs_fit(lists, places, n)
    afresh = answers_afresh(said, fit)
    if not afresh:
        said = at_most_one(said, n)

    def pairs(spread: float) -> BradleyTerry:
        return bradley_terry(said.pairs, said.answers, n, weights=said.weights, spread=spread, lapse=fit.noise.lapse)

    ways = both_ways(lists, places, n)
    believed = _clearly(*ways)
    way = min(ways, key=lambda way: float(way.losses.sum()))
    way = way._replace(fit=likeliest_order(*way))
    if n > DENSE:
        return _plain(pairs(fit.noise.spread), way.fit if believed else None)
    if believed or afresh:
        spread, doubt = fitted_spread(lambda spread: luce_cost(way.stages, _at(way, spread)), way.fit.noise.spread)
    else:
        spread, doubt = fitted_spread(lambda spread: pairs_cost(pairs(spread)), fit.noise.spread)
    found, luce = pairs(spread), _at(way, spread) if believed else None
    law = pairs_law(found) if luce is None else luce_law(way.stages, luce)
    found = replace(found, scores=law.mean, information=over(found, law))
    return ListFit(law.mean, None if luce is None else _centred(luce.x[n:]), found, scaled(spread, doubt, law))


def _at(way: Way, spread: float) -> Luce:
    """The Plackett–Luce fit with this spread."""
    return ascended(way.stages, way.fit._replace(noise=Noise(spread, way.fit.noise.lapse)), EXACT)


def _plain(pairs: BradleyTerry, luce: Luce | None) -> ListFit:
    """The modes, and errors as if the spread were known: for so many items that no matrix of them is made."""
    n = len(pairs.scores)
    scale = Scale(pairs.spread, 0.0, np.zeros(n))
    if luce is None:
        return ListFit(pairs.scores, None, pairs, scale)
    return ListFit(_centred(luce.x[:n]), _centred(luce.x[n:]), pairs, scale)


def _centred(x: Vector) -> Vector:
    return x - x.mean()


def _keys(pairs: Pairs, n: int) -> Vector:
    """One number per pair, whichever way round it is."""
    return pairs.min(axis=1) * n + pairs.max(axis=1)
