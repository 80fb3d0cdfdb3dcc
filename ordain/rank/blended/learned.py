"""What was learned from answers, and whether the features helped: the model with them beside the one of items alone.

The features are believed where the answers are e³ times likelier with them than without, by the bounds of both fits.
That may be trusted where earlier answers chose the later questions; a score on answers held back has far less to go by.
Where they did not help the order does not use them: of items never asked about nothing is known, and they come last, in
the order in which they were given.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordain._types import Answers, Pairs, Vector
from ordain.rank.blended.blend import Asked, Blend, blended
from ordain.rank.blended.known_features import Features, nothing_known
from ordain.rank.play import Order

SURE = 3.0
"""The gain in log-likelihood from which on features are believed."""


@dataclass(frozen=True)
class Learned:
    """The model of features and items, and that of items alone."""

    both: Blend
    alone: Blend

    @property
    def gain(self) -> float:
        """By how much the features raise the log-likelihood of the answers."""
        return self.alone.bound - self.both.bound

    @property
    def helped(self) -> bool:
        """Whether the features are believed."""
        return bool(self.gain >= SURE)

    @property
    def model(self) -> Blend:
        """The one to be believed."""
        return self.both if self.helped else self.alone

    @property
    def scores(self) -> Vector:
        """Scores of all items; NaN where nothing is known."""
        if self.helped:
            return self.both.scores
        scores = np.full(self.alone.features.n, np.nan)
        scores[self.alone.asked.items] = self.alone.scores[self.alone.asked.items]
        return scores

    @property
    def order(self) -> Order:
        """The items best first; those of which nothing is known last, in their order."""
        return np.argsort(-self.scores, kind="stable")

    def __str__(self) -> str:
        if self.helped:
            likelier = f"with them the answers are e^{self.gain:.1f} times likelier than with items alone"
            return f"The features helped: {likelier}."
        told = f"{self.gain:+.1f} in log-likelihood, where {SURE:g} would be needed"
        return f"The features did not help ({told}): the order is by items alone."


def learned(
    pairs: Pairs,
    answers: Answers,
    features: Features,
    weights: Vector | None = None,
    start: Blend | None = None,
    alone: Blend | None = None,
) -> Learned:
    """What answers to pairs teach of all items.

    Parameters
    ----------
    pairs : integer array of shape (m, 2)
        Items 0 … n - 1 in the order shown.
    answers : array of shape (m,)
        How surely the first beat the second.
    features : Features
        What is known of all n items.
    weights : array of shape (m,), optional
        What each answer counts.
    start, alone : Blend, optional
        Fits to fewer of them, with the features and without.

    Examples
    --------
    >>> from ordain.rank.blended.known_features import given_features
    >>> known, rng = given_features(np.arange(40.0), 40), np.random.default_rng(0)
    >>> pairs = np.array([rng.permutation(20)[:2] for _ in range(60)])
    >>> found = learned(pairs, rng.random(60) < 1 / (1 + np.exp((pairs[:, 1] - pairs[:, 0]) / 4)), known)
    >>> found.helped, found.order[:3].tolist()
    (True, [39, 38, 37])
    """
    answers, items = np.asarray(answers, dtype=float), nothing_known(features.n)
    both = blended(Asked.of(pairs, answers, features, weights), features, start)
    return Learned(both, blended(Asked.of(pairs, answers, items, weights), items, alone))
