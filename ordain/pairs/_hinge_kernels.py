"""The numba loops of the hinges: sums of v = max(0, 1 - u), of v² and of [v > 0] over the pairs of each row.

A row with score r and another with score o have v = 1 + x - y with x = r, y = o for a negative r, and x = -r, y = -o
for a positive one. So for both classes the others count whose y lie below 1 + x. Sums over them are kept relative to a
threshold; when it moves by δ ≥ 0 every v grows by δ, so Σv² grows by 2δ Σv + δ² Σ1 and Σv by δ Σ1. Nothing is
subtracted.
"""

# Numba finds the types of the loops by itself.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange

from ordain._compiled import BLOCK, PIECE, compiled
from ordain._types import Vector

STEPS = 6
"""Scores in a block of a ladder: with the two sums before it, it fills a cache line."""


class Ladder(NamedTuple):
    """The sorted y of one class, in blocks, and where to look for a place.

    blocks[k] has STEPS of the y, then Σv and Σv² over all earlier y at the threshold blocks[k, 0], divided by the
    number of all y. Buckets are a growing function of the place; before[b] blocks begin in buckets before b.
    """

    blocks: Vector
    before: Vector
    half_low: float
    scale: float
    size: int


@compiled()
def add(total, term):
    """A sum and what rounding has lost of it so far."""
    high = total[0] + term
    part = high - total[0]
    return high, total[1] + ((total[0] - (high - part)) + (term - part))


@compiled()
def sweep(x, rows, y, weights, out):
    """out[:, row] = Σ w v², Σ w v, Σ w over the y with v > 0; x and y are sorted, x[i] being that of rows[i]."""
    count, linear, square = (0.0, 0.0), (0.0, 0.0), (0.0, 0.0)
    j = 0
    for i in range(len(x)):
        if j > 0:
            move = x[i] - x[i - 1]
            square = add(square, 2.0 * move * linear[0] + move * move * count[0])
            linear = add(linear, move * count[0])
        while j < len(y):
            violation = 1.0 + (x[i] - y[j])
            if not violation > 0.0:
                break
            count = add(count, weights[j])
            linear = add(linear, weights[j] * violation)
            square = add(square, weights[j] * violation * violation)
            j += 1
        row = rows[i]
        out[0, row], out[1, row], out[2, row] = square[0] + square[1], linear[0] + linear[1], count[0] + count[1]


@compiled()
def bucket(ladder, place):
    """The bucket of a place."""
    return int(min(max((0.5 * place - ladder.half_low) * ladder.scale, 0.0), len(ladder.before) - 2.0))


@compiled()
def raise_ladder(y, ladder):
    """Fill the blocks and the buckets of a ladder from the sorted y; what is left of the last block is infinite."""
    blocks, before, weight, filled = ladder.blocks, ladder.before, 1.0 / len(y), 0
    linear, square = (0.0, 0.0), (0.0, 0.0)
    for k in range(len(blocks)):
        for j in range(STEPS):
            blocks[k, j] = y[k * STEPS + j] if k * STEPS + j < len(y) else np.inf
        if k > 0:
            move, count = blocks[k, 0] - blocks[k - 1, 0], (k - 1) * STEPS * weight
            more, most = move * count, 2.0 * move * linear[0] + move * move * count
            for j in range(STEPS):
                violation = blocks[k, 0] - blocks[k - 1, j]
                more += weight * violation
                most += weight * violation * violation
            square, linear = add(square, most), add(linear, more)
        blocks[k, STEPS], blocks[k, STEPS + 1] = linear[0] + linear[1], square[0] + square[1]
        while filled <= bucket(ladder, blocks[k, 0]):
            before[filled] = k
            filled += 1
    before[filled:] = len(blocks)


@compiled()
def find_blocks(ladder, x, found):
    """The last block whose first y counts for x, or -1: in the bucket of 1 + x, by bisection."""
    for i in range(len(x)):
        found[i] = bucket(ladder, 1.0 + x[i])
    for i in range(len(x)):
        low, high = ladder.before[found[i]] - 1, ladder.before[found[i] + 1]
        if low >= 0 and not 1.0 + (x[i] - ladder.blocks[low, 0]) > 0.0:  # 1 + x was rounded up
            low, high = -1, low
        while high - low > 1:
            middle = (low + high) // 2
            if 1.0 + (x[i] - ladder.blocks[middle, 0]) > 0.0:
                low = middle
            else:
                high = middle
        found[i] = low


@compiled()
def read_ladder(power, ladder, x, found, out):
    """out[:, i] = the means of φ, φ' and φ'' over the y of a ladder, φ = v^power."""
    weight = 1.0 / ladder.size
    for i in range(len(x)):
        if found[i] < 0:
            out[0, i] = out[1, i] = out[2, i] = 0.0
            continue
        block, counted = ladder.blocks[found[i]], found[i] * STEPS
        move, count = 1.0 + (x[i] - block[0]), counted * weight
        linear, square = block[STEPS] + move * count, 0.0
        if power == 2:
            square = block[STEPS + 1] + (2.0 * move * block[STEPS] + move * move * count)
        for j in range(STEPS):
            violation = max(0.0, 1.0 + (x[i] - block[j]))
            counted += violation > 0.0
            linear += weight * violation
            square += weight * violation * violation
        count = counted * weight
        if power == 2:
            out[0, i], out[1, i], out[2, i] = square, -2.0 * linear, 2.0 * count
        else:
            out[0, i], out[1, i], out[2, i] = linear, -count, 0.0


@compiled(parallel=True)
def climb(power, scores, positive, positives, negatives, values, out):
    """Mean of φ = v^power over all pairs, in pieces, and out[:, row] = slope and curvature of the mean.

    `positives` is the ladder of their s, which the negatives climb; `negatives` that of their -s.
    """
    for piece in prange(len(values)):
        x, rows, found = np.empty(BLOCK), np.empty(BLOCK, np.int64), np.empty(BLOCK, np.int64)
        sums, total, end = np.empty((3, BLOCK)), 0.0, min(len(scores), (piece + 1) * PIECE)
        for start in range(piece * PIECE, end, BLOCK):
            for side in range(2):
                ladder, sign, count = negatives if side else positives, 1.0 - 2.0 * side, 0
                for i in range(start, min(start + BLOCK, end)):
                    x[count], rows[count] = sign * scores[i], i
                    count += positive[i] == side
                find_blocks(ladder, x[:count], found)
                read_ladder(power, ladder, x[:count], found, sums)
                weight = 1.0 / (positives.size if side else negatives.size)
                for i in range(count):
                    total += side * weight * sums[0, i]
                    out[0, rows[i]] = -sign * weight * sums[1, i]
                    if len(out) > 1:
                        out[1, rows[i]] = weight * sums[2, i]
        values[piece] = total
