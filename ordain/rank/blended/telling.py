"""Which pairs tell most: those of which the model is in doubt because it does not know their items, or features.

An answer with the expected chance p tells, in the normal approximation, p (1 - p) v of its margin, v being the variance
of the margin: own terms and features' part together. A pair that only looks even, of items well known, tells little.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from ordain._types import Pairs, Vector
from ordain.rank.blended.blend import Blend


def told(blend: Blend, pairs: Pairs) -> Vector:
    """What the answer to each pair would tell, p (1 - p) v."""
    first, second = pairs.T
    variances = blend.difference_variances(first, second)
    margins = blend.scores[first] - blend.scores[second]
    chances = expit(margins / np.sqrt(1 + np.pi / 8 * variances))  # the mean of σ over a normal margin, nearly
    return chances * (1 - chances) * variances


def most_telling(blend: Blend, pairs: Pairs, count: int) -> Pairs:
    """So many of the pairs, those that tell most, no item in two of them while there are others.

    Examples
    --------
    >>> from ordain.rank.blended.blend import Asked, blended
    >>> from ordain.rank.blended.known_features import nothing_known
    >>> items = nothing_known(5)
    >>> blend = blended(Asked.of(np.array([[0, 1], [1, 0], [0, 1]]), np.array([1.0, 0.0, 1.0]), items), items)
    >>> most_telling(blend, np.array([[0, 1], [2, 3], [3, 4]]), 2).tolist()
    [[2, 3], [0, 1]]
    """
    order = np.argsort(-told(blend, pairs), kind="stable")
    taken: set[int] = set()
    chosen: list[int] = []
    later: list[int] = []
    for place, pair in zip(order.tolist(), pairs[order].tolist(), strict=True):
        (chosen if taken.isdisjoint(pair) else later).append(place)
        taken.update(pair)
    return pairs[(chosen + later)[:count]]
