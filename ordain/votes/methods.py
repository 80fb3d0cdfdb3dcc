"""From votes to an order of the items: four methods, and in one sentence each what it assumes.

`bradley_terry` fits strengths and says how sure it is; `degree` counts; `feedback_arc_set` and `quicksort` see only the
weighted majority of each pair. Items that the votes leave level come in an order drawn by lot from the seed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import sparse

from ordain._types import Answers, Order, Pairs, Vector
from ordain.preference import Preference
from ordain.rank import bradley_terry, play, quicksort
from ordain.rank.bradley_terry.noise import Noise, won
from ordain.rank.bradley_terry.posterior import BradleyTerry
from ordain.rank.least_disagreement import fewest_contradicted
from ordain.votes.cast_votes import Votes

MOST_ARRANGED = 5000
"""The most items that an order which contradicts fewest votes is sought for."""


@dataclass(frozen=True)
class Ranked:
    """What a method makes of votes.

    Parameters
    ----------
    method : str
        Its name.
    order : integer array
        The items' numbers, best first.
    scores : array, optional
        One per item, the higher the better, where the method has any.
    notice : str, optional
        What must be said about the order.
    fit : BradleyTerry, optional
        Where the method is one.
    """

    method: str
    order: Order
    scores: Vector | None = None
    notice: str | None = None
    fit: BradleyTerry | None = field(default=None, repr=False, compare=False)

    @cached_property
    def places(self) -> Vector:
        """For each item its place in the order, from 0."""
        return np.argsort(self.order)

    def ahead(self, pairs: Pairs) -> Answers:
        """1 where the first of a pair is put before the second, 0 where behind it, ½ where their scores are equal."""
        values = -self.places if self.scores is None else self.scores
        first, second = values[pairs[:, 0]], values[pairs[:, 1]]
        return 0.5 * (first > second) + 0.5 * (first >= second)

    def chances(self, pairs: Pairs) -> Answers | None:
        """The chance that the one shown first is preferred, or None where the method gives none."""
        return None if self.fit is None else chances_by(self.fit, pairs)


@dataclass(frozen=True)
class Method:
    """A way from votes to an order, and what it assumes.

    `ranked(votes, position, rng)` orders all of the votes' items; `position` asks for a position term where the votes
    say which item was shown first.
    """

    name: str
    assumes: str
    ranked: Callable[[Votes, bool, np.random.Generator], Ranked] = field(repr=False)

    def __str__(self) -> str:
        return f"{self.name}: {self.assumes}"


def ranked(votes: Votes, method: str = "bradley_terry", *, position: bool = True, seed: int = 0) -> Ranked:
    """The items of some votes in order, by one of METHODS.

    Parameters
    ----------
    votes : Votes
        What was voted.
    method : str
        ``bradley_terry``, ``degree``, ``feedback_arc_set`` or ``quicksort``.
    position : bool
        Fit what the first place is worth, where the method can and the votes say which item was shown first.
    seed : int
        Draws the order of what the votes leave level.

    Examples
    --------
    >>> ones = np.ones(3)
    >>> votes = Votes(("ant", "bee", "cat"), np.array([0, 1, 0]), np.array([1, 2, 2]), ones, 5 * ones, ones, ones)
    >>> [votes.items[item] for item in ranked(votes, "degree").order]
    ['ant', 'bee', 'cat']
    >>> print(ranked(votes, "feedback_arc_set").notice)
    It contradicts 0 of 15 decided votes, the fewest possible.
    """
    return named(method).ranked(votes, position, np.random.default_rng(seed))


def named(method: str) -> Method:
    """The method of this name.

    Examples
    --------
    >>> print(named("degree"))
    degree: every item met opponents of about the same strength; the score is its share of wins, a tie half of one.
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}. Got {method!r}.")
    return METHODS[method]


def _by_strength(votes: Votes, position: bool, rng: np.random.Generator) -> Ranked:
    """Scores of the Bradley–Terry model; spread, lapses and, where sides were shown, the position fitted."""
    fit = fitted(votes, position)
    return Ranked("bradley_terry", _by_score(fit.scores, rng), fit.scores, None, fit)


def fitted(votes: Votes, position: bool) -> BradleyTerry:
    """The Bradley–Terry model of votes, everything fitted that can be."""
    n, position = len(votes.items), position and votes.shown
    return bradley_terry(votes.pairs, votes.answers, n, weights=votes.weights, position=position, lapse=None)


def chances_by(fit: BradleyTerry, pairs: Pairs) -> Answers:
    """ε + (1 - 2ε) σ(s_u - s_v + b): the chance that u, shown first, is preferred; b is zero if it was not fitted."""
    margins = fit.scores[pairs[:, 0]] - fit.scores[pairs[:, 1]] + fit.position
    return won(margins, Noise(fit.spread, fit.lapse))


def _by_share(votes: Votes, position: bool, rng: np.random.Generator) -> Ranked:
    """Σ w y / Σ w over an item's votes; ½ without any."""
    first, n = votes.weights * votes.answers, len(votes.items)
    wins = np.bincount(votes.left, first, n) + np.bincount(votes.right, votes.weights - first, n)
    cast = np.bincount(votes.left, votes.weights, n) + np.bincount(votes.right, votes.weights, n)
    shares = np.divide(wins, cast, out=np.full(n, 0.5), where=cast > 0)
    return Ranked("degree", _by_score(shares, rng), shares)


def _by_score(scores: Vector, rng: np.random.Generator) -> Order:
    """Best first, equal ones by lot."""
    return np.lexsort((rng.random(len(scores)), -scores))


def _by_contradictions(votes: Votes, position: bool, rng: np.random.Generator) -> Ranked:
    """The order that contradicts the least weight of votes."""
    if len(votes.items) > MOST_ARRANGED:
        raise ValueError(
            f"feedback_arc_set orders at most {MOST_ARRANGED:,} items. Got {len(votes.items):,}. "
            "Use bradley_terry or degree."
        )
    best = fewest_contradicted(wins_of(votes).toarray(), rng)
    tied = float(votes.weights[votes.answers == 0.5].sum())  # every order contradicts half of it
    decided = float(votes.weights.sum()) - tied
    return Ranked("feedback_arc_set", best.order, notice=_contradicted(best.weight - tied / 2, best.gap, decided))


def wins_of(votes: Votes) -> sparse.csr_array:
    """The weight of votes of every item over every other, a tie being half of each."""
    over = votes.weights * votes.answers
    weight = np.concatenate((over, votes.weights - over))
    where = np.concatenate((votes.left, votes.right)), np.concatenate((votes.right, votes.left))
    return sparse.coo_array((weight, where), shape=2 * (len(votes.items),)).tocsr()


def _contradicted(weight: float, gap: float, decided: float) -> str:
    """What an order contradicts, and how much less another might."""
    digits = 0 if decided == round(decided) else 1
    text = f"It contradicts {weight:,.{digits}f} of {decided:,.{digits}f} decided votes"
    if gap <= 1e-6 * decided:
        return f"{text}, the fewest possible."
    return f"{text}; whether another order contradicts fewer is open, but none fewer than {weight - gap:,.{digits}f}."


def _by_pivots(votes: Votes, position: bool, rng: np.random.Generator) -> Ranked:
    """One QuickSort by the recorded majority."""
    return Ranked("quicksort", play(quicksort(len(votes.items), rng), majority(votes)))


def majority(votes: Votes) -> Preference:
    """The weighted majority of the votes on a pair; ½, a coin, where it is split or nobody voted.

    Examples
    --------
    >>> ones = np.ones(3)
    >>> votes = Votes(("a", "b", "c"), np.array([0, 1, 1]), np.array([1, 0, 2]), ones, np.array([2, 3, 1]), ones, ones)
    >>> majority(votes)(np.array([[0, 1], [1, 0], [2, 1], [0, 2]]))
    array([0. , 1. , 0. , 0.5])
    """
    wins = wins_of(votes)
    sides = (wins - wins.T).tocsr()
    sides.data = np.sign(sides.data.round(9))  # equal sums of fractions may differ by rounding

    def answers(pairs: Pairs) -> Answers:
        return (1 + np.asarray(sides[pairs[:, 0], pairs[:, 1]])) / 2

    return answers


METHODS = {
    method.name: method
    for method in (
        Method(
            "bradley_terry",
            "each item has one strength, and how often one beats another depends on the difference alone, but for what "
            "the first place is worth and for voters who now and then toss a coin.",
            _by_strength,
        ),
        Method(
            "degree",
            "every item met opponents of about the same strength; the score is its share of wins, a tie half of one.",
            _by_share,
        ),
        Method(
            "feedback_arc_set",
            "every vote counts the same, whoever it is about; the order contradicts as few of them as possible, and "
            "says nothing of distances.",
            _by_contradictions,
        ),
        Method(
            "quicksort",
            "the majority on a pair is right, and a pair nobody voted on is a coin; the order is that of one sort by "
            "random pivots.",
            _by_pivots,
        ),
    )
}
