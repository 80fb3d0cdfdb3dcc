"""The numba loops over the pairs of groups: direct sums for small groups, a sweep over sorted scores for the hinges.

Groups are worked on in parallel and each writes to its own rows, so the bits do not depend on the number of threads.
"""

from __future__ import annotations

from numba import prange

from ordain._kernels import canonical_exponential, compiled, logistic

LOGISTIC, CANONICAL_EXPONENTIAL = 0, 1


@compiled()
def kernel_values(which, u):
    """φ, φ', φ'' at u of the kernel with this number."""
    if which == LOGISTIC:
        return logistic(u)
    half, slope, curvature = canonical_exponential(0.25 * u)
    return 2.0 * half, slope, curvature


@compiled(parallel=True)
def direct_sums(which, order, starts, positive, scores, coefficients, out):
    """out[k, row] = Σ c k(s_pos - s_neg) over the other class of the row's group, k = φ, φ', φ''.

    Group g holds the rows order[starts[g]:starts[g + 1]], its positives first.
    """
    for g in prange(len(starts) - 1):
        first, last = starts[g], starts[g + 1]
        middle = first
        while middle < last and positive[order[middle]]:
            middle += 1
        for a in range(first, middle):
            i = order[a]
            for b in range(middle, last):
                j = order[b]
                value, slope, curvature = kernel_values(which, scores[i] - scores[j])
                out[0, i] += coefficients[j] * value
                out[1, i] += coefficients[j] * slope
                out[2, i] += coefficients[j] * curvature
                out[0, j] += coefficients[i] * value
                out[1, j] += coefficients[i] * slope
                out[2, j] += coefficients[i] * curvature


@compiled(parallel=True)
def direct_squares(which, order, starts, positive, scores, coefficients, out):
    """out[row] = Σ c φ'(s_pos - s_neg)² over the other class of the row's group, arranged as in `direct_sums`."""
    for g in prange(len(starts) - 1):
        for a in range(starts[g], starts[g + 1]):
            i = order[a]
            for b in range(starts[g + 1] - 1, starts[g], -1):
                j = order[b]
                if not positive[i] or positive[j]:
                    break
                slope = kernel_values(which, scores[i] - scores[j])[1]
                out[i] += coefficients[j] * slope * slope
                out[j] += coefficients[i] * slope * slope


@compiled(parallel=True)
def hinge_sweeps(sign, readers, reader_starts, others, other_starts, coefficients, out):
    """out[:, i] = Σ c v², Σ c v, Σ c over the others j of the reader's group with v = 1 + sign · (r_i - o_j) > 0.

    Both classes are sorted by score within each group; group g of the readers is reader_starts[g] to
    reader_starts[g + 1]. Walking the readers so that ever more of the others count, the sums are kept relative to the
    moving threshold: when it moves by δ ≥ 0 every v grows by δ, so Σcv² grows by 2δ Σcv + δ² Σc and Σcv by δ Σc.
    Nothing is subtracted.
    """
    for g in prange(len(reader_starts) - 1):
        here = slice(reader_starts[g], reader_starts[g + 1])
        there = slice(other_starts[g], other_starts[g + 1])
        hinge_sweep(sign, readers[here], others[there], coefficients[there], out[:, here])


@compiled()
def hinge_sweep(sign, readers, others, coefficients, out):
    """The same for one group, without the cost of threads."""
    if sign > 0:
        _sweep(sign, readers, others, coefficients, out)
    else:
        _sweep(sign, readers[::-1], others[::-1], coefficients[::-1], out[:, ::-1])


@compiled()
def _sweep(sign, readers, others, coefficients, out):
    """One group: both classes in the order in which ever more of the others count."""
    count, linear, square = (0.0, 0.0), (0.0, 0.0), (0.0, 0.0)  # each with what rounding has lost
    at, j = readers[0], 0
    for i in range(len(readers)):
        if j > 0:
            step = sign * (readers[i] - at)
            square = _add(square, 2.0 * step * linear[0] + step * step * count[0])
            linear = _add(linear, step * count[0])
        at = readers[i]
        while j < len(others):
            violation = 1.0 + sign * (at - others[j])
            if not violation > 0.0:
                break
            count = _add(count, coefficients[j])
            linear = _add(linear, coefficients[j] * violation)
            square = _add(square, coefficients[j] * violation * violation)
            j += 1
        out[0, i], out[1, i], out[2, i] = square[0] + square[1], linear[0] + linear[1], count[0] + count[1]


@compiled()
def _add(total, term):
    """A sum and what rounding has lost of it so far."""
    high = total[0] + term
    part = high - total[0]
    return high, total[1] + ((total[0] - (high - part)) + (term - part))
