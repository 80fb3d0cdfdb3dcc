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
def hinge_sweeps(order, starts, positive, scores, coefficients, out):
    """out[:, row] = Σ c, Σ c v, Σ c v² over the pairs of the row in its group with v = 1 - (s_pos - s_neg) > 0.

    Group g holds the rows order[starts[g]:starts[g + 1]] by increasing score. The sums are kept relative to a moving
    threshold: when it moves by δ ≥ 0 every v in them grows by δ, so Σcv² grows by 2δ Σcv + δ² Σc and Σcv by δ Σc.
    Nothing is subtracted.
    """
    for g in prange(len(starts) - 1):
        first, last = starts[g], starts[g + 1]
        _sweep(order[first:last], True, 1.0, positive, scores, coefficients, out)
        _sweep(order[first:last][::-1], False, -1.0, positive, scores, coefficients, out)


@compiled()
def _sweep(order, entering, sign, positive, scores, coefficients, out):
    """One way along the rows: those of the class `entering` enter the sums, the others read them.

    Upwards (sign 1) the positives enter as soon as a negative at threshold s is less than 1 below them; downwards the
    negatives enter.
    """
    count, linear, square = (0.0, 0.0), (0.0, 0.0), (0.0, 0.0)  # each with what rounding has lost
    next_in, entered, at = 0, False, scores[order[0]]
    for place in range(len(order)):
        row = order[place]
        if positive[row] == entering:
            continue
        if entered:
            step = sign * (scores[row] - at)
            square = _add(square, 2.0 * step * linear[0] + step * step * count[0])
            linear = _add(linear, step * count[0])
        at = scores[row]
        while next_in < len(order):
            other = order[next_in]
            if positive[other] == entering:
                violation = 1.0 + sign * (at - scores[other])
                if not violation > 0.0:
                    break
                entered = True
                count = _add(count, coefficients[other])
                linear = _add(linear, coefficients[other] * violation)
                square = _add(square, coefficients[other] * violation * violation)
            next_in += 1
        out[0, row], out[1, row], out[2, row] = count[0] + count[1], linear[0] + linear[1], square[0] + square[1]


@compiled()
def _add(total, term):
    """A sum and what rounding has lost of it so far."""
    high = total[0] + term
    part = high - total[0]
    return high, total[1] + ((total[0] - (high - part)) + (term - part))
