"""The numba loops over the pairs of groups: direct sums for small groups, factors and moments of classes.

Groups, or pieces of the rows, are worked on in parallel and each writes to its own places, so the bits do not depend
on the number of threads.
"""

# Numba finds the types of the loops by itself.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import prange

from ordain._compiled import PIECE, compiled
from ordain._types import Mask, Vector
from ordain.sketch._cell_kernels import logistic
from ordain.sketch._tree_kernels import canonical_exponential

LOGISTIC, CANONICAL_EXPONENTIAL, HINGE, SQUARED_HINGE = range(4)
NUMBERS = {
    "logistic": LOGISTIC,
    "canonical_exponential": CANONICAL_EXPONENTIAL,
    "hinge": HINGE,
    "squared_hinge": SQUARED_HINGE,
}
"""The kernels of direct sums by the name of the loss."""

PIECES = 64
"""The number of pieces that groups are cut into."""

BATCH = 32
"""So many groups at a time."""

WIDE = 300.0
"""In a group whose scores span at most this, no product of two factors e^±(s - middle) leaves the floats."""

HUGE = 1e150
"""A product of (1 + q) is given to the logarithm before it grows larger than this times e^WIDE."""


class Arranged(NamedTuple):
    """Rows by group, positives first: group g has rows[starts[g]:starts[g + 1]], its negatives from middles[g] on."""

    rows: Vector
    starts: Vector
    middles: Vector


class Sides(NamedTuple):
    """Rows of two classes, row i in the group codes[i * step]. Class c of group g has number 2g + c."""

    scores: Vector
    positive: Mask
    codes: Vector
    step: int


@compiled()
def kernel_values(which, u):
    """φ, φ', φ'' at u of the kernel with this number."""
    if which == LOGISTIC:
        return logistic(u)
    if which == CANONICAL_EXPONENTIAL:
        half, slope, curvature = canonical_exponential(0.25 * u)
        return 2.0 * half, slope, curvature
    violation = 1.0 - u
    if not violation > 0.0:
        return 0.0, 0.0, 0.0
    if which == HINGE:
        return violation, -1.0, 0.0
    return violation * violation, -2.0 * violation, 2.0


@compiled(parallel=True)
def direct_sums(which, arranged, scores, coefficients, out):
    """out[k, row] = Σ c k(s_pos - s_neg) over the other class of the row's group, k = φ, φ', φ''."""
    for g in prange(len(arranged.middles)):
        for a in range(arranged.starts[g], arranged.middles[g]):
            i = arranged.rows[a]
            for b in range(arranged.middles[g], arranged.starts[g + 1]):
                j = arranged.rows[b]
                value, slope, curvature = kernel_values(which, scores[i] - scores[j])
                out[0, i] += coefficients[j] * value
                out[1, i] += coefficients[j] * slope
                out[2, i] += coefficients[j] * curvature
                out[0, j] += coefficients[i] * value
                out[1, j] += coefficients[i] * slope
                out[2, j] += coefficients[i] * curvature


@compiled(parallel=True)
def direct_curvatures(which, arranged, largest, scores, coefficients, out):
    """out[row] = Σ c φ''(s_pos - s_neg) over the other class of the row's group; the largest has `largest` rows."""
    rows, starts, middles = arranged.rows, arranged.starts, arranged.middles
    for piece in prange(PIECES):
        spare = np.empty((4, largest))
        places, held, factors, found = spare[0], spare[1], spare[2], spare[3]
        for g in range(len(middles) * piece // PIECES, len(middles) * (piece + 1) // PIECES):
            first, size = starts[g], starts[g + 1] - starts[g]
            for a in range(size):
                places[a], held[a], found[a] = scores[rows[first + a]], coefficients[rows[first + a]], 0.0
            group_curvatures(which, middles[g] - first, size, places, held, factors, found)
            for a in range(size):
                out[rows[first + a]] = found[a]


@compiled()
def group_curvatures(which, middle, size, places, held, factors, found):
    """Σ c φ'' of the rows of a group, its positives before the middle; the numbers found are 0 before."""
    low = high = places[0]
    for a in range(size):
        low, high = min(low, places[a]), max(high, places[a])
    if which == LOGISTIC and high - low <= WIDE:
        logistic_curvatures(middle, size, 0.5 * low + 0.5 * high, places, held, factors, found)
        return
    for a in range(middle):
        for b in range(middle, size):
            curvature = kernel_values(which, places[a] - places[b])[2]
            found[a] += held[b] * curvature
            found[b] += held[a] * curvature


@compiled(fastmath={"contract"})
def logistic_curvatures(middle, size, center, places, held, factors, found):
    """`group_curvatures` for φ'' = q / (1 + q)², q = e^(s_neg - s_pos), from a factor of each row as below."""
    for b in range(middle, size):
        factors[b] = math.exp(places[b] - center)
    for a in range(middle):
        factor, total, own = math.exp(center - places[a]), 0.0, held[a]
        for b in range(middle, size):
            q = factor * factors[b]
            inverse = 1.0 / (1.0 + q)
            curvature = q * inverse * inverse
            total += held[b] * curvature
            found[b] += own * curvature
        found[a] = total


@compiled(parallel=True)
def direct_squares(which, arranged, scores, coefficients, out):
    """out[row] = Σ c φ'(s_pos - s_neg)² over the other class of the row's group."""
    for g in prange(len(arranged.middles)):
        for a in range(arranged.starts[g], arranged.middles[g]):
            i = arranged.rows[a]
            for b in range(arranged.middles[g], arranged.starts[g + 1]):
                j = arranged.rows[b]
                slope = kernel_values(which, scores[i] - scores[j])[1]
                out[i] += coefficients[j] * slope * slope
                out[j] += coefficients[i] * slope * slope


@compiled(parallel=True)
def even_pairs(which, arranged, largest, scores, weight, values, out):
    """Pairs that all have the same weight w: Σ w φ in pieces, and out[:, row] = ± Σ w φ', Σ w φ'' over a row's pairs.

    Some groups at a time are read, summed and written, so that memory is not waited for group by group. The largest
    group has `largest` rows.
    """
    rows, starts, middles, pieces = arranged.rows, arranged.starts, arranged.middles, len(values)
    for piece in prange(pieces):
        total, spare, end = 0.0, np.empty((4, BATCH * largest)), len(middles) * (piece + 1) // pieces
        places, factors, slopes, curvatures = spare[0], spare[1], spare[2], spare[3]
        for batch in range(len(middles) * piece // pieces, end, BATCH):
            stop = min(batch + BATCH, end)
            first, size = starts[batch], starts[stop] - starts[batch]
            for a in range(size):
                places[a] = scores[rows[first + a]]
                slopes[a] = curvatures[a] = 0.0
            for g in range(batch, stop):
                cuts = starts[g] - first, middles[g] - first, starts[g + 1] - first
                total += group_pairs(which, cuts, places, factors, slopes, curvatures)
            for a in range(size):
                out[0, rows[first + a]] = weight * slopes[a]
            for a in range(size if len(out) > 1 else 0):
                out[1, rows[first + a]] = weight * curvatures[a]
        values[piece] = weight * total


@compiled()
def group_pairs(which, cuts, places, factors, slopes, curvatures):
    """Σ φ over the pairs of a group; its slopes and curvatures, 0 before, become Σ ± φ' and Σ φ''.

    The cuts are where its positives begin, where its negatives begin, and where they end.
    """
    low = high = places[cuts[0]]
    for a in range(cuts[0], cuts[2]):
        low, high = min(low, places[a]), max(high, places[a])
    if which == LOGISTIC and high - low <= WIDE:
        return logistic_pairs(cuts, 0.5 * low + 0.5 * high, places, factors, slopes, curvatures)
    total = 0.0
    for a in range(cuts[0], cuts[1]):
        for b in range(cuts[1], cuts[2]):
            value, slope, curvature = kernel_values(which, places[a] - places[b])
            total += value
            slopes[a] += slope
            slopes[b] -= slope
            curvatures[a] += curvature
            curvatures[b] += curvature
    return total


@compiled(fastmath={"contract"})
def logistic_pairs(cuts, middle, places, factors, slopes, curvatures):
    """`group_pairs` for φ = log(1 + q), q = e^(s_neg - s_pos), φ' = -q / (1 + q), φ'' = q / (1 + q)².

    q is a product of two factors e^±(s - middle), so that exponentials are taken of rows, not of pairs; and logarithms
    of products: z = Π(1 + q) - 1 becomes z + (q + zq), which is exact relative to z however small it is.
    """
    for b in range(cuts[1], cuts[2]):
        factors[b] = math.exp(places[b] - middle)
    total, product = 0.0, 0.0
    for a in range(cuts[0], cuts[1]):
        factor, slope, curvature = math.exp(middle - places[a]), 0.0, 0.0
        for b in range(cuts[1], cuts[2]):
            q = factor * factors[b]
            inverse = 1.0 / (1.0 + q)
            share = q * inverse
            product += q + product * q
            if product > HUGE:
                total += math.log1p(product)
                product = 0.0
            slope += share
            curvature += share * inverse
            slopes[b] += share
            curvatures[b] += share * inverse
        slopes[a], curvatures[a] = -slope, curvature
    return total + math.log1p(product)


@compiled()
def toward(positive, score):
    """-s of a positive, s of a negative: what makes the loss of a pair grow."""
    return -score if positive else score


@compiled()
def side(sides, i):
    """The number of row i's class."""
    return 2 * sides.codes[i * sides.step] + sides.positive[i]


@compiled()
def bounds(piece, pieces, length):
    """First and last row of a piece."""
    return length * piece // pieces, length * (piece + 1) // pieces


@compiled(parallel=True)
def class_tops(sides, tops):
    """tops[class, piece] = the largest -s of positives, s of negatives."""
    for piece in prange(tops.shape[-1]):
        tops[:, piece] = -np.inf
        start, stop = bounds(piece, tops.shape[-1], len(sides.scores))
        for i in range(start, stop):
            c = side(sides, i)
            tops[c, piece] = max(tops[c, piece], toward(sides.positive[i], sides.scores[i]))


@compiled(parallel=True)
def factor_totals(sides, coefficients, tops, totals):
    """totals[class, piece] = Σ c e^(∓s - top)."""
    for piece in prange(totals.shape[-1]):
        start, stop = bounds(piece, totals.shape[-1], len(sides.scores))
        for i in range(start, stop):
            c = side(sides, i)
            totals[c, piece] += coefficients[i] * math.exp(toward(sides.positive[i], sides.scores[i]) - tops[c])


@compiled(parallel=True)
def factor_sums(sides, tops, totals, out):
    """out[:, row] = F, -F, F with F = e^(∓s + top) · total of the other class."""
    length = len(sides.scores)
    for piece in prange((length + PIECE - 1) // PIECE):
        for i in range(piece * PIECE, min(length, (piece + 1) * PIECE)):
            c = side(sides, i) ^ 1
            value = totals[c] * math.exp(toward(sides.positive[i], sides.scores[i]) + tops[c])
            out[0, i], out[1, i], out[2, i] = value, -value, value


@compiled()
def from_middle(sides, middles, i):
    """Row i's part of 1 - u = (1 - x₊) + x₋, x = s - middle."""
    x = sides.scores[i] - middles[sides.codes[i * sides.step]]
    return 1.0 - x if sides.positive[i] else x


@compiled(parallel=True)
def moment_totals(sides, coefficients, middles, totals):
    """totals[class, :, piece] = Σ c, Σ c t, Σ c t², t the row's part of 1 - u."""
    for piece in prange(totals.shape[-1]):
        start, stop = bounds(piece, totals.shape[-1], len(sides.scores))
        for i in range(start, stop):
            c, t = side(sides, i), from_middle(sides, middles, i)
            totals[c, 0, piece] += coefficients[i]
            totals[c, 1, piece] += coefficients[i] * t
            totals[c, 2, piece] += coefficients[i] * t * t


@compiled(parallel=True)
def moment_sums(sides, middles, totals, out):
    """out[:, row] = Σ c (1 - u)², -2 Σ c (1 - u), 2 Σ c from the moments of the other class."""
    length = len(sides.scores)
    for piece in prange((length + PIECE - 1) // PIECE):
        for i in range(piece * PIECE, min(length, (piece + 1) * PIECE)):
            c, t = side(sides, i) ^ 1, from_middle(sides, middles, i)
            count, linear = totals[c, 0], totals[c, 1]
            out[0, i] = totals[c, 2] + t * (2.0 * linear + t * count)
            out[1, i] = -2.0 * (linear + t * count)
            out[2, i] = 2.0 * count
