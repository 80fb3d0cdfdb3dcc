"""How good the first k of a ranked list are: what an analyst acts on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ordain._checks import check_labels, check_scores
from ordain._types import Labels, Scores


@dataclass(frozen=True)
class Top:
    """Precision, recall and lift among the first k items; a tie across the border counts by its expected share."""

    k: int
    precision: float
    recall: float
    lift: float

    def __str__(self) -> str:
        return (
            f"The first {self.k:,} are {self.precision:.1%} positive, {self.lift:.2f} times the average, "
            f"and hold {self.recall:.1%} of all positives."
        )


def top(labels: Labels, scores: Scores, k: int, *, positive: Any = None) -> Top:
    """Precision, recall and lift among the k items with the highest scores.

    Where equal scores lie across the border, the items that fit are taken as drawn at random from them, so the
    figures are expected values and do not depend on the order of the rows.

    Examples
    --------
    >>> print(top([1, 0, 1, 0], [3, 2, 1, 0], k=1))
    The first 1 are 100.0% positive, 2.00 times the average, and hold 50.0% of all positives.
    """
    mask = check_labels(labels, positive)
    scores = check_scores(scores, len(mask))
    if not 1 <= k <= len(mask) or int(k) != k:
        raise ValueError(f"k must be a whole number from 1 to the number of rows, {len(mask)}. Got {k}.")
    k = int(k)
    border = np.partition(scores, len(scores) - k)[len(scores) - k]
    above, tied = scores > border, scores == border
    room = k - np.count_nonzero(above)
    hits = np.count_nonzero(mask & above) + room * np.count_nonzero(mask & tied) / np.count_nonzero(tied)
    positives = np.count_nonzero(mask)
    return Top(k, float(hits / k), float(hits / positives), float(hits * len(mask) / (k * positives)))
