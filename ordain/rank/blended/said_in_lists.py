"""What is asked again, in another list or the other way round: it counts once, unless the judge answers afresh.

A judge who repeats himself says nothing new, one who answers afresh does. Which of the two he is a fit tells, by how
often he should have contradicted himself, see :func:`ordain.rank.list_model.answers_afresh`.
"""

from __future__ import annotations

import numpy as np

from ordain.rank.blended.blend import Blend
from ordain.rank.blended.known_features import Features
from ordain.rank.blended.learned import Learned, learned
from ordain.rank.bradley_terry.mode import Fit
from ordain.rank.bradley_terry.noise import Noise
from ordain.rank.list_model import WeightedPairs, answers_afresh, at_most_one


def counted_once(said: WeightedPairs, n: int, fit: Blend | None) -> WeightedPairs:
    """The same pairs, those asked again counted once, unless the judge answers afresh by this fit.

    Examples
    --------
    >>> counted_once(WeightedPairs(np.array([[0, 1]] * 2), np.ones(2), np.ones(2)), 2, None).weights
    array([0.5, 0.5])
    """
    if fit is not None:
        noise = Noise(max(fit.spreads.own, 1.0), fit.spreads.lapse)
        if answers_afresh(said, Fit(np.append(fit.scores, fit.position), noise)):
            return said
    return at_most_one(said, n)


def learned_once(
    said: WeightedPairs, features: Features, start: Blend | None = None, alone: Blend | None = None
) -> Learned:
    """What the pairs teach in the end; whether the judge answers afresh is told by the fit in which each counts once.

    Parameters
    ----------
    said : WeightedPairs
        All that was said.
    features : Features
        What is known of all items.
    start, alone : Blend, optional
        Fits to fewer answers, with the features and without.

    Examples
    --------
    >>> from ordain.rank.blended.known_features import given_features
    >>> said = WeightedPairs(np.array([[1, 0], [3, 2], [3, 0], [2, 1]] * 3), np.ones(12), np.ones(12))
    >>> float(learned_once(said, given_features(np.arange(4.0), 4)).both.asked.graph.weights.sum())
    4.0
    """
    once = at_most_one(said, features.n)
    found = learned(once.pairs, once.answers, features, once.weights, start, alone)
    if counted_once(said, features.n, found.model) is not said:
        return found
    return learned(said.pairs, said.answers, features, said.weights, found.both, found.alone)
