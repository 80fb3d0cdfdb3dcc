"""Which pairs of rows a classifier of pairs is trained on: all that are mixed, or some of them, every row evenly."""

from __future__ import annotations

import numpy as np

from ordain._types import Pairs, Vector


def mixed_pairs(
    grades: Vector, groups: Vector | None = None, *, most: int | None = None, rng: np.random.Generator
) -> Pairs:
    """Pairs of rows of different grades, the better one first, at most `most` of them: AUC-TRAIN [Balcan08]_.

    The m rows of a grade meet the n worse rows of their group. With L = lcm(m, n), pair number t is of row t mod m and
    row t + ⌊t/L⌋ mod n, which for t < mn gives every pair once, and for the first of them every row of either side
    equally often, up to one. Some pairs are shared out to the grades and groups by how many each has.

    Parameters
    ----------
    grades : array of shape (n_rows,)
        Larger is better; two of them are negatives and positives.
    groups : array of shape (n_rows,), optional
        Only pairs within a group count.
    most : int, optional
        The budget of pairs; without one, all.
    rng : numpy.random.Generator
        Draws the pairs where not all are taken.

    Examples
    --------
    >>> pairs = mixed_pairs(np.array([0, 1, 0]), rng=np.random.default_rng(0))
    >>> sorted(pairs.tolist())
    [[1, 0], [1, 2]]
    """
    groups = np.zeros(len(grades), dtype=np.intp) if groups is None else groups
    lot = rng.permutation(len(grades))
    order = lot[np.lexsort((grades[lot], groups[lot]))]
    start, group_start = _cells(grades[order], groups[order])
    m, n = np.diff(np.append(start, len(order))), start - group_start
    counts = _counts(m * n, most, rng)
    cell = np.repeat(np.arange(len(counts)), counts)
    t = np.arange(len(cell)) - np.repeat(np.cumsum(counts) - counts, counts)
    offsets, spread = rng.integers(0, np.maximum((m, n), 1)), _spread(n)
    m, n = m[cell], np.maximum(n[cell], 1)
    better = (t + offsets[0, cell]) % m
    worse = ((t + t // np.lcm(m, n)) * spread[cell] + offsets[1, cell]) % n
    return np.column_stack((order[start[cell] + better], order[group_start[cell] + worse]))


def evenly(classes: Vector, most: int, rng: np.random.Generator) -> Vector:
    """Rows by lot, at most `most`, of every class equally many as long as it has them."""
    lot = rng.permutation(len(classes))
    order = lot[np.argsort(classes[lot], kind="stable")]
    _, counts = np.unique(classes, return_counts=True)
    place = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    return order[np.argsort(place, kind="stable")[:most]]


def _cells(grades: Vector, groups: Vector) -> tuple[Vector, Vector]:
    """Where each grade of each group begins, and where its group does, the rows being sorted by both."""
    new_group = np.append(True, groups[1:] != groups[:-1])
    start = np.flatnonzero(new_group | np.append(True, grades[1:] != grades[:-1]))
    return start, np.maximum.accumulate(np.where(new_group[start], start, 0))


def _counts(sizes: Vector, most: int | None, rng: np.random.Generator) -> Vector:
    """All of the sizes, or whole numbers as the sizes that sum to `most`, rounded at random."""
    total = int(sizes.sum())
    if most is None or total <= most:
        return sizes
    ends = np.floor(np.cumsum(sizes) / total * most + rng.random())
    return np.minimum(np.diff(np.minimum(ends, most), prepend=0).astype(np.intp), sizes)


def _spread(n: Vector) -> Vector:
    """A step near the golden section of n without a common divisor: its first multiples are spread over all grades."""
    step = np.maximum((0.618 * n).astype(np.intp), 1)
    while (shared := np.gcd(step, n) > 1).any():
        step += shared
    return step
