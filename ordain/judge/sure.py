"""How sure it is that the first K items are the best: a chance by which a run that wants no more may end.

The first K are those with the highest scores. The chance is that of the posterior that no item outside is better than
one inside by more than a slack in log-odds; at 0.2 the better one of two wins 55 in 100. Without a slack no number of
answers would do where the K-th and the next are alike, and it would not matter which of them is taken.

The posterior is normal, around the scores of :func:`ordain.rank.list_model.list_fit`. Its covariance is that of the
weighted pairs, prior included, so an item that was never shown is as good as the prior lets it be; and the doubt about
the scale moves all scores together. Where Plackett–Luce orders, the pairs know less than it does and the chance is on
the low side. The likelihood may be trusted where earlier answers chose the later questions, and so may the posterior
where a run ends because of it.

A judge may err on a pair for good. In lists of other company it still contradicts itself, so it seems to answer afresh,
but what the scores do not explain of its answers to a pair, r = y - q, then goes together from list to list. If the
products r r' of answers to the same pair add up to more than two of their standard errors over the pairs, every pair
counts once, however often it was shown. A judge who errs on an item for good is not found out: that is its opinion. And
where one tires of long lists, the log-odds are those of its lists, not those of pairs. How often the chance holds for
runs that end by it, `benchmarks/judge_sure.py` measures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg
from scipy.special import expit

from ordain._one_thread import one_blas_thread
from ordain._types import Answers, Pairs, Vector
from ordain.rank.bradley_terry.links import DENSE, Graph, Information
from ordain.rank.bradley_terry.mode import Fit, likeliest
from ordain.rank.bradley_terry.noise import LAPSES, SPREADS, Noise, won
from ordain.rank.bradley_terry.posterior import BradleyTerry, bradley_terry
from ordain.rank.list_law import over, pairs_law
from ordain.rank.list_model import ListFit, WeightedPairs, answers_afresh, at_most_one, list_fit, weighted_pairs
from ordain.rank.list_scale import Scale, fitted_spread, pairs_cost, scaled

SLACK = 0.2
"""By how much an item outside may be better, in log-odds."""

DRAWS = 4000
"""Draws from the posterior: they tell a chance of 95 % to 0.3 %."""

CONTENDERS, OPTIMISM = 250, 4.0
"""Most items outside that are drawn, those that are highest when raised by so many standard errors. Where more than
these could be better than one inside, one of them is."""

FOR_GOOD = 2.0
"""Standard errors by which errors on the same pair must go together before the judge is taken to repeat them."""

BLOCK = 32
"""Beyond 2000 items, rows of the covariance that are solved for together."""


@dataclass(frozen=True)
class Certain:
    """The items with the highest scores, best first, and the chance that none outside is better by more than `slack`.

    Examples
    --------
    >>> print(Certain(0.9525, (4, 0, 7)))
    The first 3 are the best with a chance of 95%: no other item wins against one of them more than 55 times in 100.
    """

    chance: float
    first: tuple[int, ...]
    slack: float = SLACK

    def __str__(self) -> str:
        percent, often = np.floor(100 * self.chance), 100 * expit(self.slack)
        return (
            f"The first {len(self.first)} are the best with a chance of {percent:.0f}%: no other item wins against one "
            f"of them more than {often:.0f} times in 100."
        )


def chance_of_top(
    lists: Sequence[Vector],
    places: Sequence[Vector],
    n: int,
    k: int,
    *,
    seed: int = 0,
    slack: float = SLACK,
) -> Certain:
    """How sure ordered lists make it that the first k are the best.

    Parameters
    ----------
    lists : sequence of integer arrays
        The items 0 … n - 1 of each question in the order shown.
    places : sequence of arrays
        Their places, 0 for the best. Equal ones tie; NaN was not ranked and says nothing. Those of a pair may be
        (1 - p, p), but only which is lower counts; see :func:`chance_of_top_by_pairs`.
    n, k : int
        Number of items, and of those that are wanted.
    seed : int
        Of the draws.
    slack : float
        By how much an item outside may be better, in log-odds.

    Examples
    --------
    >>> lists = [np.roll(np.arange(4), turn) for turn in range(4)] * 10
    >>> sure = chance_of_top(lists, lists, n=4, k=2)
    >>> sure.first, sure.chance > 0.5
    ((0, 1), True)
    >>> chance_of_top(lists[:1], lists[:1], n=4, k=2).chance < 0.9
    True
    """
    _check(n, k, slack)
    return _certain(_once(list_fit(lists, places, n), weighted_pairs(lists, places)), k, seed, slack)


def chance_of_top_by_pairs(
    pairs: Pairs,
    answers: Answers,
    n: int,
    k: int,
    *,
    seed: int = 0,
    slack: float = SLACK,
) -> Certain:
    """How sure answers to pairs make it that the first k are the best.

    Parameters
    ----------
    pairs : integer array of shape (m, 2)
        Item numbers 0 … n - 1, in the order shown.
    answers : array of shape (m,)
        How surely the first beat the second; NaN where no answer came.
    n, k, seed, slack
        As for :func:`chance_of_top`.

    Examples
    --------
    >>> pairs = np.array([[0, 1], [2, 0], [1, 2], [1, 0], [0, 2], [2, 1]])
    >>> chance_of_top_by_pairs(pairs, pairs[:, 0] < pairs[:, 1], n=3, k=1).first
    (0,)
    """
    _check(n, k, slack)
    given = np.asarray(answers, dtype=float)
    came = ~np.isnan(given)
    said = WeightedPairs(np.asarray(pairs)[came], given[came], np.ones(np.count_nonzero(came)))
    return _certain(_once(_fitted(said, n), said), k, seed, slack)


def errs_for_good(said: WeightedPairs, fit: BradleyTerry) -> bool:
    """Whether errors of the judge on the same pair go together, from one question to another.

    Examples
    --------
    >>> circle = [(item, (item + step) % 7) for item in range(7) for step in (1, 2, 3)]
    >>> circular = WeightedPairs(np.array(circle * 5), np.ones(105), np.ones(105))
    >>> errs_for_good(circular, bradley_terry(circular.pairs, circular.answers, position=False))
    True
    """
    n, (first, second) = len(fit.scores), said.pairs.T
    margins = fit.scores[first] - fit.scores[second] + fit.position
    errors = said.answers - won(margins, Noise(fit.spread, fit.lapse))
    errors = np.where(first > second, -errors, errors)
    _, which = np.unique(np.minimum(first, second) * n + np.maximum(first, second), return_inverse=True)
    products = np.bincount(which, errors) ** 2 - np.bincount(which, errors**2)  # Σ r r' over two answers to a pair
    return bool(products.sum() > FOR_GOOD * np.sqrt((products**2).sum()))


def _check(n: int, k: int, slack: float) -> None:
    if not 1 <= k <= n:
        raise ValueError(f"k must lie from 1 to the {n} items. Got {k}.")
    if not 0 <= slack < np.inf:
        raise ValueError(f"slack must be zero or more, in log-odds. Got {slack}. The usual is {SLACK}.")


def _fitted(said: WeightedPairs, n: int) -> ListFit:
    """What :func:`list_fit` makes of pairs alone, but answers between 0 and 1 are kept as they are."""
    graph = Graph(said.pairs, said.answers, n, position=True)
    near = likeliest(graph, Noise(SPREADS, LAPSES), Fit(np.zeros(n + 1)))
    if not answers_afresh(said, near):
        said = at_most_one(said, n)

    def at(spread: float) -> BradleyTerry:
        return bradley_terry(said.pairs, said.answers, n, weights=said.weights, spread=spread, lapse=near.noise.lapse)

    if n > DENSE:
        found = at(near.noise.spread)
        return ListFit(found.scores, None, found, Scale(near.noise.spread, 0.0, np.zeros(n)))
    spread, doubt = fitted_spread(lambda spread: pairs_cost(at(spread)), near.noise.spread)
    found = at(spread)
    law = pairs_law(found)
    found = replace(found, scores=law.mean, information=over(found, law))
    return ListFit(law.mean, None, found, scaled(spread, doubt, law))


def _once(fit: ListFit, said: WeightedPairs) -> ListFit:
    """The fit, its errors being those of pairs that count once where the judge errs for good."""
    if not errs_for_good(said, fit.pairs):
        return fit
    n, noise = len(fit.scores), fit.pairs
    once = at_most_one(said, n)
    pairs = bradley_terry(once.pairs, once.answers, n, weights=once.weights, spread=noise.spread, lapse=noise.lapse)
    return replace(fit, pairs=pairs)


def _certain(fit: ListFit, k: int, seed: int, slack: float) -> Certain:
    """The share of draws in which the lowest inside is no more than the slack below the highest outside."""
    order = np.argsort(-fit.scores, kind="stable")
    first = tuple(order[:k].tolist())
    if k == len(order):
        return Certain(1.0, first, slack)
    outside = order[k:]
    raised = fit.scores[outside] + OPTIMISM * fit.standard_errors[outside]
    contenders = outside[np.argsort(-raised, kind="stable")[:CONTENDERS]]
    drawn = _draws(fit, np.append(order[:k], contenders), np.random.default_rng(seed))
    return Certain(float(np.mean(drawn[:k].min(axis=0) >= drawn[k:].max(axis=0) - slack)), first, slack)


def _draws(fit: ListFit, items: Vector, rng: np.random.Generator) -> Vector:
    """Scores of some items from their posterior, a draw per column."""
    gains = fit.scale.doubt * fit.scale.gains[items]
    covariance = _covariance(fit.pairs.information, items) + np.multiply.outer(gains, gains)
    normal = rng.standard_normal((len(items), DRAWS))
    with one_blas_thread():
        return fit.scores[items, None] + linalg.cholesky(covariance, lower=True, check_finite=False) @ normal


def _covariance(information: Information, items: Vector) -> Vector:
    """The posterior covariance of the scores of some items: rows of H⁻¹, of all at once or of a few at a time."""
    if information.graph.n <= DENSE:
        return information.covariance()[np.ix_(items, items)]
    parts = []
    for start in range(0, len(items), BLOCK):
        rows = items[start : start + BLOCK]
        units = np.zeros((len(rows), information.graph.n + 1))
        units[np.arange(len(rows)), rows] = 1.0
        parts.append(information.solved(units)[:, items])
    return np.concatenate(parts)
