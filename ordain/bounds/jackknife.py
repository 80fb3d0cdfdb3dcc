"""Variance of an AUC whose rows are not independent, by leaving out one group or cluster after the other.

*Groups*: only pairs within a group (a query) count. *Clusters*: all pairs count, but rows of one cluster (a person)
depend on each other. With U₋ₖ the AUC without the k-th of G units the variance is (G-1)/G Σ (U₋ₖ - mean)², and
Student's distribution on G - 1 takes the place of the normal. Everything is linear in the counts of
:func:`~ordain.measure.area.placements`, so a difference of two AUCs goes the same way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ordain._checks import check_codes
from ordain._types import Mask, Vector
from ordain.bounds.variance import Evidence, carriers, plain_evidence
from ordain.measure.area import placements


def check_units(groups: Any, clusters: Any, length: int) -> tuple[Vector | None, Vector | None]:
    """Codes of the groups or of the clusters; not both."""
    if groups is not None and clusters is not None:
        raise ValueError("groups or clusters may be given, not both. Got both. Choose what the rows depend on.")
    return (
        None if groups is None else check_codes(groups, length, "groups"),
        None if clusters is None else check_codes(clusters, length, "clusters"),
    )


def sums(values: Vector, codes: Vector, size: int) -> Vector:
    """Sum of the values of every code, exact for whole numbers below 2⁵³."""
    return np.bincount(codes, weights=values, minlength=size)


@dataclass(frozen=True)
class Groups:
    """Groups with both classes; only pairs within them count."""

    mask: Mask
    codes: Vector
    pairs: Vector  # doubled, one entry per informative group
    kept: Vector

    @classmethod
    def of(cls, mask: Mask, codes: Vector) -> Groups:
        """The groups that hold both classes; two of them are needed."""
        pairs = group_pairs(mask, codes)
        kept = informative(pairs)
        return cls(mask, codes, pairs[kept], kept)

    def wins(self, scores: Vector) -> Vector:
        """Doubled wins of every informative group."""
        return group_wins(self.mask, scores, self.codes)[self.kept]

    def left_out(self, wins: Vector) -> Vector:
        """Σ wins/Σ pairs without each group in turn."""
        return (wins.sum() - wins) / (self.pairs.sum() - self.pairs)


@dataclass(frozen=True)
class Clusters:
    """Rows that depend on each other; all pairs count."""

    mask: Mask
    codes: Vector
    positives: Vector  # per cluster
    negatives: Vector

    @classmethod
    def of(cls, mask: Mask, codes: Vector) -> Clusters:
        """The clusters; no one of them may hold a whole class."""
        size = int(codes.max()) + 1
        positives, negatives = np.bincount(codes[mask], minlength=size), np.bincount(codes[~mask], minlength=size)
        check_apart(positives, negatives)
        return cls(mask, codes, positives, negatives)

    def by_class(self, counts: Vector) -> tuple[Vector, Vector]:
        """Sums of the counts of the positives, and of the negatives, of every cluster."""
        size = len(self.positives)
        return sums(counts[self.mask], self.codes[self.mask], size), sums(
            counts[~self.mask], self.codes[~self.mask], size
        )

    def within(self, scores: Vector) -> Vector:
        """Doubled wins inside every cluster."""
        return self.by_class(placements(self.mask, scores, self.codes))[0]

    def left_out(self, counts: Vector, within: Vector) -> Vector:
        """The AUC without each cluster in turn: its rows take their pairs along, those inside it only once."""
        return Tally(self.positives, self.negatives, *self.by_class(counts), within).left_out

    def tally(self, counts: Vector, scores: Vector) -> Tally:
        """All that the evidence takes of each cluster."""
        return Tally(self.positives, self.negatives, *self.by_class(counts), self.within(scores))


class Tally(NamedTuple):
    """Of each cluster: its rows of both classes, the sums of their counts, and the doubled wins inside it."""

    positives: Vector
    negatives: Vector
    above: Vector
    below: Vector
    within: Vector

    @property
    def left_out(self) -> Vector:
        """The AUC without each cluster in turn."""
        pairs = 2 * (self.positives.sum() - self.positives) * (self.negatives.sum() - self.negatives)
        return (self.above.sum() - self.above - self.below + self.within) / pairs


def group_pairs(mask: Mask, codes: Vector) -> Vector:
    """Twice the pairs of every group."""
    size = int(codes.max()) + 1
    return 2 * np.bincount(codes[mask], minlength=size) * np.bincount(codes[~mask], minlength=size)


def group_wins(mask: Mask, scores: Vector, codes: Vector) -> Vector:
    """Doubled wins of every group."""
    counts = placements(mask, scores, codes)
    return sums(counts[mask], codes[mask], int(codes.max()) + 1)


def informative(pairs: Vector) -> Vector:
    """The groups that have pairs; two of them are needed."""
    kept = np.flatnonzero(pairs)
    if len(kept) < 2:
        got = f"Got {len(kept)} of {len(pairs)}. Is the group column right?"
        raise ValueError(f"two groups at least must contain both classes. {got}")
    return kept


def check_apart(positives: Vector, negatives: Vector) -> None:
    """No cluster holds a whole class."""
    for name, held in (("positives", positives), ("negatives", negatives)):
        if np.count_nonzero(held) < 2:
            raise ValueError(
                f"the {name} must lie in two clusters at least. Got all of them in one, which cannot be left out. "
                "Is the cluster column right?"
            )


def jackknife(left_out: Vector) -> float:
    """(G-1)/G Σ (θ₋ₖ - mean)², the variance of an estimate from its values without each unit in turn."""
    return float(np.square(left_out - left_out.mean()).sum()) * (len(left_out) - 1) / len(left_out)


def third_moment(left_out: Vector) -> float:
    """Σ ((G-1)/G (mean - θ₋ₖ))³, the third central moment of an estimate from its values without each unit in turn."""
    return float((((left_out.mean() - left_out) * (len(left_out) - 1) / len(left_out)) ** 3).sum())


def share_evidence(hits: Vector, sizes: Vector) -> Evidence:
    """Evidence of the share Σ hits/Σ sizes from independent units, each of which weighs its size."""
    left_out = (hits.sum() - hits) / (sizes.sum() - sizes)
    return Evidence(
        value=int(hits.sum()) / int(sizes.sum()),
        variance=jackknife(left_out),
        losing=carriers(sizes - hits),
        winning=carriers(hits),
        units=carriers(sizes),
        pairs=sizes.sum(),
        third=third_moment(left_out),
        freedom=len(sizes) - 1,
    )


def groups_evidence(mask: Mask, scores: Vector, codes: Vector) -> Evidence:
    """Evidence from groups: a group weighs as many pairs as it holds."""
    return pooled_evidence(group_wins(mask, scores, codes), group_pairs(mask, codes))


def pooled_evidence(wins: Vector, pairs: Vector) -> Evidence:
    """The same from doubled wins and doubled pairs of every group."""
    kept = informative(pairs)
    return replace(share_evidence(wins[kept], pairs[kept]), pairs=pairs.sum() / 2)


def clusters_evidence(mask: Mask, scores: Vector, codes: Vector) -> Evidence:
    """Evidence from clusters, rows of which depend on each other."""
    tally = Clusters.of(mask, codes).tally(placements(mask, scores), scores)
    return tally_evidence(tally, plain_evidence(mask, scores))


def tally_evidence(tally: Tally, rows: Evidence) -> Evidence:
    """Evidence from clusters: every pair counts, a cluster weighs in each class as many rows as it holds.

    Losses and wins rest on as many clusters as have them. The comparisons that the sample holds at least are those of
    its rows over the design effect, how many times the variance over clusters is that of independent rows, with room
    for what G clusters leave open about it; but not fewer than the clusters amount to by their sizes:

        r = r_rows/D,   D = V/V_rows · (G-1)/(G-3) ≥ 1.
    """
    wins = tally.above, tally.below
    m, n, count = int(tally.positives.sum()), int(tally.negatives.sum()), len(tally.positives)
    full = 2 * n * tally.positives, 2 * m * tally.negatives
    left_out = tally.left_out
    variance = jackknife(left_out)
    known = count > 3 and variance > 0 and rows.variance > 0
    effect = max(variance / rows.variance * (count - 1) / (count - 3), 1.0) if known else np.inf
    return Evidence(
        value=int(wins[0].sum()) / (2 * m * n),
        variance=variance,
        losing=min(carriers(most - won) for most, won in zip(full, wins, strict=True)),
        winning=min(carriers(won) for won in wins),
        units=max(rows.units / effect, min(carriers(tally.positives), carriers(tally.negatives))),
        pairs=m * n,
        third=third_moment(left_out),
        freedom=count - 1,
    )
