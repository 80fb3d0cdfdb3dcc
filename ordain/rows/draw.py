"""Some of the rows, drawn by a seeded hash of the row's number.

Every k-th row is no sample: months, labels that alternate and sorted tables come in steps too. A hash knows nothing of
the order, and rows spread over many machines are drawn as on one: the k smallest hashes of all are among the k smallest
of each part.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ordain._types import Mask, Vector

KINDS, SHARE = 32, 10
"""So many different labels at most are drawn from one by one, and only where so many rows share one on average."""

GAMMA, ROUNDS = 0x9E3779B97F4A7C15, ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))


def hashes(numbers: Any, seed: int = 0) -> Vector:
    """A number in 0 … 2⁶⁴ - 1 for each row's number: SplitMix64 [Steele14]_. Different rows have different ones.

    Examples
    --------
    >>> hashes(np.arange(2))
    array([16294208416658607535,  7960286522194355700], dtype=uint64)
    """
    start = 0 if seed == 0 else int(mixed(np.array([seed % 2**64], np.uint64))[0])
    return mixed((np.asarray(numbers).astype(np.uint64) + np.uint64(1)) * np.uint64(GAMMA) + np.uint64(start))


def mixed(bits: Vector) -> Vector:
    """Numbers of 64 bits, every bit of which depends on every bit of those given: the last step of SplitMix64."""
    bits = bits.copy()
    for shift, factor in ROUNDS:
        bits ^= bits >> np.uint64(shift)
        bits *= np.uint64(factor)
    return bits ^ (bits >> np.uint64(31))


def drawn(classes: Vector, most: int, seed: int = 0) -> tuple[Vector, Vector]:
    """At most `most` rows, and weights with which they stand for all.

    Of each class the rows with the smallest hashes, equally many as long as it has them: of two classes the rarer is
    taken whole, up to half of them, and the other fills up. A row weighs n/k where k of n were drawn of its class.

    Examples
    --------
    >>> rows, weights = drawn(np.arange(10) == 3, 5)
    >>> rows
    array([2, 3, 4, 6, 8])
    >>> weights
    array([2.25, 1.  , 2.25, 2.25, 2.25])
    """
    codes = strata(classes)
    counts = np.bincount(codes)
    taken = shared(counts, most)
    rows = np.sort(np.concatenate([first(np.flatnonzero(codes == k), taken[k], seed) for k in range(len(counts))]))
    return rows, (counts / np.maximum(taken, 1))[codes[rows]]


def worth_of(counts: Vector, most: int) -> float:
    """How many times as many rows all are worth as those :func:`drawn`, by the number of rows of each class.

    This is for a mean over pairs, which varies as Σ a²/n over the classes, of n rows each, a ∝ p(1 - p) where a class
    has a share p of the rows: of two classes as 1/m + 1/n. So a rare class that is drawn whole is worth nearly as much
    as all rows are.

    Examples
    --------
    >>> worth_of(np.array([5_000, 5_000]), 100), round(worth_of(np.array([9_950, 50]), 100), 2)
    (100.0, 1.99)
    """
    taken, mass = shared(counts, most), counts * (counts.sum() - counts if len(counts) > 1 else 1.0)
    return float((mass**2 / taken).sum() / (mass**2 / counts).sum())


def drawn_groups(groups: Vector, informative: Mask, most: int, seed: int = 0) -> Vector:
    """Rows of whole groups, those that have pairs first, as many as fit into `most` rows but one at least."""
    return np.flatnonzero(chosen_groups(np.bincount(groups), informative, most, seed)[groups])


def chosen_groups(sizes: Vector, informative: Mask, most: int, seed: int = 0) -> Mask:
    """Which groups these are, by the number of rows of each."""
    order = np.lexsort((hashes(np.arange(len(informative)), seed), ~informative))
    fit = np.searchsorted(np.cumsum(sizes[order]), most, "right")
    chosen = np.zeros(len(informative), bool)
    chosen[order[: max(1, int(fit))]] = True
    return chosen


def first(rows: Vector, count: int, seed: int) -> Vector:
    """The rows with the smallest hashes; one needs to look only at those below twice the hash that is expected last."""
    if count >= len(rows):
        return rows
    keys = hashes(rows, seed)
    near = np.flatnonzero(keys <= np.uint64(min(2 * int(count) * 2**64 // len(rows), 2**64 - 1)))
    near = near if len(near) > count else np.arange(len(rows))
    return rows[near[np.argpartition(keys[near], count)[:count]]]


def shared(counts: Vector, most: int) -> Vector:
    """How many to take of each class: equally many, as long as it has them."""
    taken, left = np.zeros_like(counts), most
    for done, k in enumerate(np.argsort(counts, kind="stable")):
        taken[k] = min(counts[k], left // (len(counts) - done))
        left -= taken[k]
    return taken


def strata(classes: Vector) -> Vector:
    """Labels as 0, 1, …; all 0 where there are too many different ones."""
    if classes.dtype == bool:
        return classes.view(np.uint8)
    values, codes = np.unique(classes, return_inverse=True)
    return codes if are_few(len(values), len(classes)) else np.zeros(len(classes), np.intp)


def strata_counts(kinds: Vector, amounts: Vector) -> Vector:
    """How many rows each of these has, by the different labels and the rows of each."""
    return amounts if kinds.dtype == bool or are_few(len(kinds), int(amounts.sum())) else np.array([amounts.sum()])


def are_few(kinds: int, rows: int) -> bool:
    """Whether so many different labels are drawn from one by one."""
    return kinds <= min(KINDS, max(2, rows // SHARE))
