"""The ROC curve: what share of each class lies above every threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ordain._checks import check_labels, check_scores
from ordain._types import Labels, Scores, Vector


@dataclass(frozen=True)
class Roc:
    """How many rows of each class have at least each score, from none to all; rows of equal score come together.

    Parameters
    ----------
    thresholds : array
        Infinity, then the different scores, the highest first.
    positives, negatives : integer arrays
        Rows of each class whose score is the threshold or higher.
    """

    thresholds: Vector
    positives: Vector
    negatives: Vector

    @property
    def found(self) -> Vector:
        """The share of positives at or above each threshold: the true positive rate."""
        return self.positives / self.positives[-1]

    @property
    def alarms(self) -> Vector:
        """The share of negatives at or above each threshold: the false positive rate."""
        return self.negatives / self.negatives[-1]


def roc(labels: Labels, scores: Scores, *, positive: Any = None) -> Roc:
    """The ROC curve of scores.

    Examples
    --------
    >>> curve = roc([1, 0, 1, 0], [3, 2, 1, 1])
    >>> curve.found.tolist(), curve.alarms.tolist()
    ([0.0, 0.5, 0.5, 1.0], [0.0, 0.0, 0.5, 1.0])
    """
    mask = check_labels(labels, positive)
    scores = check_scores(scores, len(mask))
    order = np.argsort(scores)[::-1]
    ranked, above = scores[order], np.cumsum(mask[order])
    last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))
    hits = above[last]
    return Roc(np.append(np.inf, ranked[last].astype(np.float64)), np.append(0, hits), np.append(0, last + 1 - hits))
