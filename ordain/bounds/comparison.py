"""The difference in AUC of two scorers on the same rows.

The comparison is paired: for every row d = (its placement by the first scorer) - (its placement by the second), and
the difference D is the mean of d over either class. For independent rows DeLong's variance, covariance included, is
the sum over the classes of

    V_c = S²/m,   S² the unbiased variance of the m values d of the class.

It is blind to disagreements not yet seen: two scorers that separate the classes have d = 0 throughout, and V = 0. So
each class gives its variance as far as its rows show it. Let x = |d - median|, s = 1 + |median|, q = (Σx)²/Σx² the
number of rows that deviate, and w = exp(-q/2), or exp(-q) for groups and clusters; then V_c becomes

    V_c + w max(G_c - V_c, 0),   G_c = s mean(x)/m + 2 s²/m²:

the variance if every deviation were a whole one, and if one or two more had been met. Where no pair is ordered
differently the interval is about ±4/r, r the size of the smaller class if they are alike: as wide as r independent
comparisons without one disagreement allow. Equal scores are no exception: a sample cannot tell two equal scorers from
two that have not disagreed yet.

The guard does not depend on the level, so the p-value 2 F(-|D|/√V) is below 1 - level exactly when the interval
D ± F⁻¹(level/2 + ½) √V leaves out zero. F is Student's distribution, for G groups or clusters on G - 1 degrees of
freedom, and for rows on those of Satterthwaite, which are few where one class is small and makes the variance:

    (V₊ + V₋)² / (V₊²/(m-1) + V₋²/(n-1)).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from ordain._checks import check_labels, check_scores, check_share
from ordain._types import Labels, Mask, Scores, Vector
from ordain.bounds.jackknife import Clusters, Groups, check_units, jackknife
from ordain.bounds.variance import carriers, over_count
from ordain.certificate import Comparison
from ordain.measure.area import placements

VOUCHING_ROWS = 2.0  # deviating rows after which a class vouches for all but 1/e of its variance
VOUCHING_UNITS = 1.0  # the same for groups and clusters, whose d are means and so more alike
UNSEEN = 2.0  # rows that might have deviated


def compare_auc(
    labels: Labels,
    scores_a: Scores,
    scores_b: Scores,
    *,
    level: float = 0.95,
    groups: Any = None,
    clusters: Any = None,
    positive: Any = None,
) -> Comparison:
    """AUC of the first scorer minus AUC of the second on the same rows, with a confidence interval and a p-value.

    Formulas in :mod:`ordain.bounds.comparison`. Neither scorer must have been fitted to these rows.

    Parameters
    ----------
    labels, scores_a, scores_b : arrays of shape (n_items,)
        Higher scores mean: should come earlier. Labels are 0/1, -1/1 or False/True, or `positive` is named.
    level : float
        Confidence, in (0, 1).
    groups : array, optional
        Only pairs within a group count; the variance is by jackknife over groups.
    clusters : array, optional
        Rows of one person or unit. All pairs count; the variance is by jackknife over clusters.
    positive : optional
        The label of the positive class, where it is not understood by itself.

    Examples
    --------
    >>> labels = [1] * 8 + [0] * 8
    >>> print(compare_auc(labels, range(16, 0, -1), [1, 16] * 8))
    The first ranks better: AUC difference +0.50, 95% confidence interval +0.18 to +0.82, p = 0.0044 (paired DeLong,
    independent rows).
    """
    level = check_share(level, "level")
    mask = check_labels(labels, positive)
    first = check_scores(scores_a, len(mask), "scores_a")
    second = check_scores(scores_b, len(mask), "scores_b")
    by_group, by_cluster = check_units(groups, clusters, len(mask))
    if by_group is not None:
        found, method = _by_groups(mask, first, second, by_group), "paired jackknife, independent groups"
    elif by_cluster is not None:
        found, method = _by_clusters(mask, first, second, by_cluster), "paired jackknife, independent clusters"
    else:
        found, method = _by_rows(mask, first, second), "paired DeLong, independent rows"
    low, high, p_value = limits(*found, level)
    return Comparison(float(found[0]), float(low), float(high), level, float(p_value), method)


def limits(difference: Any, variance: Any, freedom: Any, level: float) -> tuple[Any, Any, Any]:
    """D ± t √V within [-1, 1], and the p-value of D = 0."""
    deviation = np.sqrt(variance)
    half = -stdtrit(freedom, (1 - level) / 2) * deviation
    low, high = np.maximum(difference - half, -1), np.minimum(difference + half, 1)
    return low, high, 2 * stdtr(freedom, -np.abs(difference) / deviation)


def paired_variance(positives: Any, negatives: Any) -> tuple[Any, Any]:
    """Guarded variance of D from the d of the rows, one class each, along the last axis; its degrees of freedom."""
    parts = [
        (sum(_class_variance(d, np.ones(d.shape[-1]), VOUCHING_ROWS)), d.shape[-1]) for d in (positives, negatives)
    ]
    variance = parts[0][0] + parts[1][0]
    # A class of one row has the variance 1 of its guard and is counted as if it had two.
    return variance, variance**2 / sum(part**2 / max(count - 1, 1) for part, count in parts)


def _class_variance(totals: Any, sizes: Any, vouching: float) -> tuple[Any, Any]:
    """V_c of units from their sums of d and numbers of rows, and what the guard adds; a row is a unit of size 1."""
    count, rows = totals.shape[-1], sizes.sum()
    mean = totals.sum(-1, keepdims=True) / rows
    median = np.median(totals / sizes, -1, keepdims=True)
    variance = over_count(np.square(totals - mean * sizes).sum(-1) * count / rows**2, count)
    deviating = np.abs(totals - median * sizes)
    deviating = np.where(deviating > 1e-9 * sizes, deviating, 0)  # less is rounding of m d, never a pair
    scale, units = 1 + np.abs(median[..., 0]), carriers(sizes)
    whole = scale * deviating.sum(-1) / rows / units + UNSEEN * np.square(scale / units)
    return variance, np.exp(-carriers(deviating) / vouching) * np.maximum(whole - variance, 0)


def _by_rows(mask: Mask, first: Vector, second: Vector) -> tuple[Any, Any, Any]:
    """Difference, guarded variance and degrees of freedom of independent rows."""
    counts = placements(mask, first) - placements(mask, second)
    above, below = counts[mask], counts[~mask]
    m, n = len(above), len(below)
    return int(above.sum()) / (2 * m * n), *paired_variance(above / (2 * n), below / (2 * m))


def _by_groups(mask: Mask, first: Vector, second: Vector, codes: Vector) -> tuple[Any, Any, Any]:
    """The same by jackknife over the groups; the group is the unit, and a pair what a row is above."""
    groups = Groups.of(mask, codes)
    wins = groups.wins(first) - groups.wins(second)
    _, excess = _class_variance(wins, groups.pairs, VOUCHING_UNITS)
    return int(wins.sum()) / int(groups.pairs.sum()), jackknife(groups.left_out(wins)) + excess, len(wins) - 1


def _by_clusters(mask: Mask, first: Vector, second: Vector, codes: Vector) -> tuple[Any, Any, Any]:
    """The same by jackknife over the clusters; in each class the clusters that have rows of it are the units."""
    clusters = Clusters.of(mask, codes)
    counts = placements(mask, first) - placements(mask, second)
    variance = jackknife(clusters.left_out(counts, clusters.within(first) - clusters.within(second)))
    sizes = clusters.positives, clusters.negatives
    m, n = (int(size.sum()) for size in sizes)
    totals = clusters.by_class(counts)
    for total, size, others in zip(totals, sizes, (n, m), strict=True):
        variance += _class_variance(total[size > 0] / (2 * others), size[size > 0], VOUCHING_UNITS)[1]
    return int(totals[0].sum()) / (2 * m * n), variance, len(sizes[0]) - 1
