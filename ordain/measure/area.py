"""The area under the ROC curve: how often a positive is ranked before a negative, a tie counting one half.

Scores are only ever compared, never subtracted, so the result does not depend on their scale; without weights
everything up to the last division is a whole number.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ordain._checks import check_codes, check_grades, check_labels, check_scores, check_share, check_weights
from ordain._types import Labels, Mask, Scores, Vector
from ordain.measure._double import Double, prefix_sums, product, total


def auc(
    labels: Labels,
    scores: Scores,
    *,
    weights: Any = None,
    groups: Any = None,
    positive: Any = None,
    graded: bool = False,
) -> float:
    """Share of pairs in the right order, a tie counting one half [Agarwal05]_.

    With positives P and negatives N it is Σ (1[s_i > s_j] + ½ 1[s_i = s_j]) / (#P · #N) over i ∈ P, j ∈ N. The doubled
    numerator 2·wins + ties is counted exactly and divided once, so the result is the float nearest to the true value.

    Parameters
    ----------
    labels, scores : arrays of shape (n_items,)
        Higher scores mean: should come earlier. Labels are 0/1, -1/1 or False/True, or `positive` is named.
    weights : array, optional
        A pair weighs w_i w_j. Sums are kept in twice the working precision.
    groups : array, optional
        Only pairs within a group count, pooled over the groups.
    positive : optional
        The label of the positive class, where it is not understood by itself.
    graded : bool
        Labels are grades, larger being better; every pair of different grades counts once.

    Examples
    --------
    >>> auc([1, 0, 1, 0], [3, 2, 1, 0])
    0.75
    >>> auc(["ham", "spam", "ham"], [1, 2, 2], positive="spam")
    0.75
    """
    if graded and positive is not None:
        raise ValueError("positive must not be given with graded=True. Got both. Grades are ordered by their numbers.")
    classes = check_grades(labels) if graded else check_labels(labels, positive)
    scores = check_scores(scores, len(classes))
    codes = None if groups is None else check_codes(groups, len(classes), "groups")
    weights = None if weights is None else check_weights(weights, len(classes))
    if weights is None:
        wins, pairs = doubled_wins(classes, scores, codes)
        return wins / _some(pairs)
    return _weighted_auc(classes, scores, weights, codes)


def doubled_wins(classes: Vector, scores: Vector, groups: Vector | None = None) -> tuple[int, int]:
    """2·wins + ties, and twice the number of pairs of different classes within a group."""
    wins = pairs = 0
    for mask, part in splits(classes, groups):
        won, counted = _two_class_wins(mask, scores) if part is None else _grouped_wins(mask, scores, part)
        wins, pairs = wins + won, pairs + counted
    return wins, pairs


def placements(mask: Mask, scores: Vector, groups: Vector | None = None) -> Vector:
    """Each row's doubled part in the wins of the positives, within its group.

    A positive gets 2·(negatives below it) + (negatives tied with it), a negative 2·(positives above it) + (positives
    tied with it): the sum over either class is the doubled numerator of the AUC.
    """
    order = np.argsort(scores) if groups is None else np.lexsort((scores, groups))
    starts = _starts(scores[order], None if groups is None else groups[order])
    positive = mask[order]
    positives, negatives = _block_counts(positive, starts)
    above, below = np.append(0, np.cumsum(positives)), np.append(0, np.cumsum(negatives))
    head = np.zeros(1, int) if groups is None else np.searchsorted(starts, _starts(groups[order]))
    spans = np.diff(head, append=len(starts))
    before, after = np.repeat(below[head], spans), np.repeat(above[np.append(head[1:], len(starts))], spans)
    beaten = below[:-1] + below[1:] - 2 * before
    beating = 2 * after - above[:-1] - above[1:]
    lengths = positives + negatives
    counts = np.empty(len(order), dtype=np.int64)
    counts[order] = np.where(positive, np.repeat(beaten, lengths), np.repeat(beating, lengths))
    return counts


def staircase(mask: Mask, scores: Vector) -> tuple[Vector, Vector]:
    """Positives and negatives at each distinct score, lowest first: the steps of the ROC curve."""
    if 2 * np.count_nonzero(mask) > len(mask):
        negatives, positives = staircase(~mask, scores)
        return positives, negatives
    ladder, climbed = np.sort(scores), scores[mask]
    climbed.sort()
    edges = np.flatnonzero(np.concatenate([[True], ladder[1:] != ladder[:-1], [True]]))
    positives = np.bincount(np.searchsorted(ladder[edges[:-1]], climbed), minlength=len(edges) - 1)
    return positives, np.diff(edges) - positives


def partial_auc(labels: Labels, scores: Scores, *, max_fpr: float, positive: Any = None) -> float:
    """Mean true-positive rate over the false-positive rates up to `max_fpr`.

    (1/f) ∫₀ᶠ TPR(t) dt with f = `max_fpr`, tied scores joined by a straight line: 1 for a perfect ranking, f/2 for a
    random one; at f = 1 it is the AUC.

    Examples
    --------
    >>> partial_auc([1, 0, 1, 0], [3, 2, 1, 0], max_fpr=0.5)
    0.5
    """
    mask = check_labels(labels, positive)
    scores = check_scores(scores, len(mask))
    if max_fpr != 1:
        check_share(max_fpr, "max_fpr")
    positives, negatives = (counts[::-1] for counts in staircase(mask, scores))
    found, false = np.cumsum(positives) - positives, np.cumsum(negatives) - negatives
    limit = max_fpr * negatives.sum()
    reach = np.clip(limit - false, 0, negatives)
    area = reach * (found + positives * reach / np.maximum(2 * negatives, 1))
    return float(area.sum() / (limit * positives.sum()))


def splits(classes: Vector, groups: Vector | None, top: int | None = None) -> Iterator[tuple[Mask, Vector | None]]:
    """Two-class problems that hold every pair of different classes exactly once.

    Two grades differ first at one bit, counted from the top: there the pair is met, among the grades that agree above.
    `top` is the largest grade, where these rows may not have it.
    """
    if classes.dtype == bool:
        yield classes, groups
        return
    for bit in range((int(classes.max()) if top is None else top).bit_length()):
        above = classes >> (bit + 1)
        part = above if groups is None else groups * (int(above.max()) + 1) + above
        yield (classes >> bit & 1).astype(bool), part


def _two_class_wins(mask: Mask, scores: Vector) -> tuple[int, int]:
    """Doubled wins of the positives, and twice the pairs, with one sort of all scores and one of the smaller class."""
    positives = int(np.count_nonzero(mask))
    pairs = 2 * positives * (len(mask) - positives)
    if 2 * positives > len(mask):
        lost, _ = _two_class_wins(~mask, scores)
        return pairs - lost, pairs
    # Every ordered pair of positives gives 2·[s < s'] + [s = s'] and its mirror image, m² in all.
    return _doubled_ranks(np.sort(scores[mask]), np.sort(scores)) - positives**2, pairs


def _doubled_ranks(few: Vector, many: Vector) -> int:
    """Σ over `few` of 2·(how many are smaller) + (how many are equal), both sorted, `few` part of `many`."""
    smaller = np.searchsorted(many, few, "left")
    ranks = 2 * int(smaller.sum()) + len(few)
    tied = many[np.minimum(smaller + 1, len(many) - 1)] == few
    if tied.any():
        ranks += int((np.searchsorted(many, few[tied], "right") - smaller[tied] - 1).sum())
    return ranks


def _grouped_wins(mask: Mask, scores: Vector, groups: Vector) -> tuple[int, int]:
    """The same within groups: sort by group and score at once, then take off the wins between groups."""
    ranked, ranks = np.unique(scores, return_inverse=True)
    wins, _ = _two_class_wins(mask, groups * len(ranked) + ranks)
    size = int(groups.max()) + 1
    positives, negatives = np.bincount(groups[mask], minlength=size), np.bincount(groups[~mask], minlength=size)
    earlier = np.cumsum(negatives) - negatives
    return wins - 2 * int(positives @ earlier), 2 * int(positives @ negatives)


def _weighted_auc(classes: Vector, scores: Vector, weights: Vector, groups: Vector | None) -> float:
    """Σ w_i w_j (1[s_i > s_j] + ½ 1[s_i = s_j]) / Σ w_i w_j in twice the working precision."""
    wins, pairs = Double.zero(), Double.zero()
    for mask, part in splits(classes, groups):
        won, counted = weighted_wins(mask, scores, weights, np.zeros(len(mask), int) if part is None else part)
        wins, pairs = wins + won, pairs + counted
    _some(pairs.high)
    return wins / pairs


def weighted_wins(mask: Mask, scores: Vector, weights: Vector, groups: Vector) -> tuple[Double, Double]:
    """Doubled wins and doubled pair weights, in units of the largest weight."""
    order = np.lexsort((scores, groups))
    heads = _starts(groups[order])
    starts = _starts(scores[order], groups[order])
    head, tail = _around(starts, heads, len(order))
    ends = np.append(starts[1:], len(order))
    weights = np.ldexp(weights[order], -np.frexp(weights.max())[1])
    positive = mask[order]
    losses = prefix_sums(np.where(positive, 0.0, weights))
    beaten = (losses[starts] - losses[head]) + (losses[ends] - losses[head])
    rivals = losses[tail] - losses[head]
    block = np.repeat(np.arange(len(starts)), ends - starts)[positive]
    held = Double(weights[positive], 0.0)
    return total(product(held, beaten[block])), total(product(held, (rivals + rivals)[block]))


def _starts(*keys: Vector | None) -> Vector:
    """Where a new block begins in rows sorted by these keys."""
    changes = [key[1:] != key[:-1] for key in keys if key is not None]
    return np.append(0, np.flatnonzero(np.logical_or.reduce(changes)) + 1)


def _block_counts(positive: Mask, starts: Vector) -> tuple[Vector, Vector]:
    """Positives and negatives in each block of sorted rows."""
    positives = np.add.reduceat(positive, starts, dtype=np.int64)
    return positives, np.diff(starts, append=len(positive)) - positives


def _around(starts: Vector, heads: Vector, length: int) -> tuple[Vector, Vector]:
    """First row of the group each block lies in, and the first row after it."""
    group = np.searchsorted(heads, starts, "right") - 1
    return heads[group], np.append(heads[1:], length)[group]


def _some(pairs: Any) -> Any:
    if pairs == 0:
        raise ValueError(
            "a group with both classes, of positive weight, must exist. Got none, so there is no pair to compare. "
            "Are groups and weights the right columns?"
        )
    return pairs
