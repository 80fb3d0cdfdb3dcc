"""What lists say as pairs for the model of features and items: what the judge repeats counts once, unless afresh."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ordain._types import Vector
from ordain.rank.blended.blend import Blend
from ordain.rank.bradley_terry.mode import Fit
from ordain.rank.bradley_terry.noise import Noise
from ordain.rank.list_model import WeightedPairs, answers_afresh, at_most_one, weighted_pairs


def counted_once(lists: Sequence[Vector], places: Sequence[Vector], n: int, fit: Blend | None) -> WeightedPairs:
    """The weighted pairs of lists, see :mod:`ordain.rank.list_model`.

    Examples
    --------
    >>> counted_once([np.array([0, 1])] * 2, [np.array([0.0, 1.0])] * 2, 2, None).weights
    array([0.5, 0.5])
    """
    said = weighted_pairs(lists, places)
    if fit is not None:
        noise = Noise(max(fit.spreads.own, 1.0), fit.spreads.lapse)
        if answers_afresh(said, Fit(np.append(fit.scores, fit.position), noise)):
            return said
    return at_most_one(said, n)
