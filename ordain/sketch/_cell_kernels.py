"""The numba loops of the sketch: plain functions of arrays, with the same bits on any number of threads.

Rows are cut into pieces whose number depends on the data alone, every piece has its own sums, and these are added in
their order; whatever else runs in parallel writes to places of its own. Loops marked ``FAST`` let the compiler reorder
additions; none of them subtracts the places of two points.
"""

# Numba finds the types of the loops by itself.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import prange

from ordain._compiled import BLOCK, FAST, PIECE, compiled
from ordain._types import Vector

CELLS = 16
"""Cells in a bin; a power of two, so that multiplying a score by it is exact."""

NEAR = 2
"""Bins at most this far apart interact directly, others through the tail of the kernel."""


class Column(NamedTuple):
    """One number per row: row i has values[i * step]. With step 0 one number serves all rows."""

    values: Vector
    step: int


class Rows(NamedTuple):
    """Scores, the part[i * step] that row i belongs to, and the number of the first cell."""

    scores: Vector
    part: Vector
    step: int
    low: float


class Places(NamedTuple):
    """Points on the line: those of bin b lie at bins[b] + offsets[i], starts[b] ≤ i < starts[b + 1].

    Bins are whole numbers in increasing order, offsets lie in [0, 1]. The two are never added up, so that the
    difference of two places is right at any distance from zero.
    """

    bins: Vector
    starts: Vector
    offsets: Vector


class Runs(NamedTuple):
    """Rows in the order of their bins: rows order[i], starts[b] ≤ i < starts[b + 1], lie in bin b, at offsets[i]."""

    order: Vector
    starts: Vector
    offsets: Vector


@compiled(fastmath=FAST)
def find_cells(rows, first, count, cell, t):
    """The cell of each of `count` rows, and the place t in [-1, 1] of its score in it."""
    for i in range(count):
        place = CELLS * rows.scores[first + i]
        below = np.floor(place)
        t[i] = 2.0 * (place - below) - 1.0
        cell[i] = np.int32(below - rows.low)


@compiled(fastmath=FAST)
def cell_moments(rows, start, stop, coefficients, table, spare, powers):
    """Add Σ c_j t_j^k over the rows start ≤ j < stop of each cell to table[part, cell, k], for k < len(powers).

    A long sum of equal numbers drifts, so some thousand rows are summed in `spare` before they are added.
    """
    cells, terms, total, block = table.shape[1], len(powers), table.reshape(-1), spare.reshape(-1)
    cell, t = np.empty(BLOCK, np.int32), np.empty(BLOCK)
    pause, since = max(8192, len(block) // 2), 0
    for first in range(start, stop, BLOCK):
        count = min(BLOCK, stop - first)
        find_cells(rows, first, count, cell, t)
        for i in range(count):
            part = np.int64(rows.part[(first + i) * rows.step])
            at = (part * cells + cell[i]) * terms
            power = coefficients.values[(first + i) * coefficients.step]
            for k in range(terms):
                block[at + k] += power
                power *= t[i]
        since += count
        if since >= pause or first + count == stop:
            since = 0
            for i in range(len(block)):
                total[i] += block[i]
                block[i] = 0.0


@compiled(parallel=True)
def parallel_cell_moments(rows, coefficients, tables, spare, powers):
    """`cell_moments` of all rows, in as many pieces as there are tables."""
    n, pieces = len(rows.scores), len(tables)
    for piece in prange(pieces):
        start, stop = n * piece // pieces, n * (piece + 1) // pieces
        cell_moments(rows, start, stop, coefficients, tables[piece], spare[piece], powers)


@compiled(fastmath=FAST)
def cell_values(rows, start, stop, scale, table, out, powers, orders):
    """Σ_k table[part, cell, k, order] t^k times the scale of the row, for rows start … stop, into out[order, row]."""
    cells, terms, width, flat = table.shape[1], len(powers), len(orders), table.reshape(-1)
    cell, t = np.empty(BLOCK, np.int32), np.empty(BLOCK)
    for first in range(start, stop, BLOCK):
        count = min(BLOCK, stop - first)
        find_cells(rows, first, count, cell, t)
        for i in range(count):
            part = np.int64(rows.part[(first + i) * rows.step])
            at = np.uint64((part * cells + cell[i]) * terms * width)  # unsigned: nothing asks whether it is negative
            factor = scale.values[(first + i) * scale.step]
            for order in range(width):
                value = flat[at + np.uint64((terms - 1) * width + order)]
                for k in range(terms - 2, -1, -1):
                    value = value * t[i] + flat[at + np.uint64(k * width + order)]
                out[order, first + i] = factor * value


@compiled(parallel=True)
def parallel_cell_values(rows, scale, table, out, powers, orders):
    """`cell_values` at all rows."""
    n = len(rows.scores)
    for piece in prange((n + PIECE - 1) // PIECE):
        start, stop = piece * PIECE, min(n, (piece + 1) * PIECE)
        cell_values(rows, start, stop, scale, table, out, powers, orders)


@compiled(fastmath=FAST)
def add_moments(x, c, moments):
    """Add c T_k(2x - 1) to moments[k]."""
    t = 2.0 * x - 1.0
    now, before = c, c * t
    for k in range(len(moments)):
        moments[k] += now
        now, before = 2.0 * t * now - before, now


@compiled(fastmath=FAST)
def series(coefficients, x):
    """Σ_k a_k T_k(2x - 1), by Clenshaw's recurrence."""
    t = 2.0 * x - 1.0
    now, before = 0.0, 0.0
    for k in range(len(coefficients) - 1, 0, -1):
        now, before = coefficients[k] + 2.0 * t * now - before, now
    return coefficients[0] + t * now - before


@compiled(fastmath=FAST)
def add_product(matrix, vector, out):
    """out += matrix · vector."""
    for i in range(len(out)):
        total = 0.0
        for j in range(len(vector)):
            total += matrix[i, j] * vector[j]
        out[i] += total


@compiled()
def run_weights(runs, coefficients, starts, interpolation, out):
    """Weights of the points that stand for the rows of each bin: the rows where they are few, or else the nodes."""
    terms = len(interpolation)
    for b in range(len(starts) - 1):
        first, stop, node = runs.starts[b], runs.starts[b + 1], starts[b]
        if stop - first < terms:
            for i in range(stop - first):
                out[node + i] = coefficients.values[runs.order[first + i] * coefficients.step]
            continue
        moments = np.zeros(terms)
        for outer in range(first, stop, BLOCK):
            block = np.zeros(terms)
            for i in range(outer, min(outer + BLOCK, stop)):
                add_moments(runs.offsets[i], coefficients.values[runs.order[i] * coefficients.step], block)
            moments += block
        add_product(interpolation, moments, out[node : node + terms])


@compiled()
def run_values(runs, scale, starts, interpolation, values, out):
    """Values at the rows from those at the points that stand for them, times the scale of the row."""
    terms = len(interpolation)
    for b in range(len(starts) - 1):
        first, stop, node = runs.starts[b], runs.starts[b + 1], starts[b]
        if stop - first < terms:
            for i in range(first, stop):
                row = runs.order[i]
                for order in range(len(values)):
                    out[order, row] = scale.values[row * scale.step] * values[order, node + i - first]
            continue
        for order in range(len(values)):
            coefficients = np.zeros(terms)
            add_product(interpolation.T, values[order, node : node + terms], coefficients)
            for i in range(first, stop):
                row = runs.order[i]
                out[order, row] = scale.values[row * scale.step] * series(coefficients, runs.offsets[i])


@compiled()
def logistic(u):
    """φ(u) = log(1 + e^-u), φ' and φ''."""
    small = math.exp(-abs(u))
    share = small / (1.0 + small)
    value = math.log1p(small)
    if u > 0:
        return value, -share, share / (1.0 + small)
    return value - u, -1.0 / (1.0 + small), share / (1.0 + small)


@compiled()
def logistic_near(targets, sources, weights, sign, matrices, out):
    """Add the sums over sources at most NEAR bins away to out[order, target].

    Between two bins full of nodes, matrices[NEAR + distance, order] has the kernel ready.
    """
    terms, first = matrices.shape[2], 0
    for a in range(len(targets.bins)):
        home, t0, t1 = targets.bins[a], targets.starts[a], targets.starts[a + 1]
        while first < len(sources.bins) and home - sources.bins[first] > NEAR:
            first += 1
        b = first
        while b < len(sources.bins) and sources.bins[b] - home <= NEAR:
            gap, s0, s1 = home - sources.bins[b], sources.starts[b], sources.starts[b + 1]
            b += 1
            if t1 - t0 == terms and s1 - s0 == terms:
                for order in range(3):
                    add_product(matrices[NEAR + int(gap), order], weights[s0:s1], out[order, t0:t1])
                continue
            for i in range(t0, t1):
                for j in range(s0, s1):
                    value, slope, curvature = logistic(sign * (gap + (targets.offsets[i] - sources.offsets[j])))
                    out[0, i] += weights[j] * value
                    out[1, i] += weights[j] * slope
                    out[2, i] += weights[j] * curvature


@compiled()
def add_exactly(total, term):
    """Add a term to total[0] and what rounding loses of it to total[1], by Knuth's two-sum."""
    new = total[0] + term
    seen = new - total[0]
    total[1] += (total[0] - (new - seen)) + (term - seen)
    total[0] = new


@compiled()
def take_source(weight, away, mass, lever, powers):
    """Add a source at the distance `away` to the sums of weight, weight · distance and ± weight · e^(-k distance)."""
    add_exactly(mass, weight)
    add_exactly(lever, weight * away)
    ratio = math.exp(-away)
    power = weight * ratio
    for k in range(len(powers)):
        powers[k] += power
        power *= -ratio


@compiled()
def move_away(half, mass, lever, powers):
    """Put all sources 2 · half further away; nothing is subtracted, and halves of finite numbers do not overflow."""
    add_exactly(lever, half * (2.0 * (mass[0] + mass[1])))
    ratio = math.exp(-2.0 * half)
    power = ratio
    for k in range(len(powers)):
        powers[k] = powers[k] * power if abs(powers[k]) > 1e-300 else 0.0
        power *= ratio


@compiled()
def logistic_far(targets, sources, weights, direction, growing, terms, out):
    """Add the sums over sources more than NEAR bins to the left (direction 1) or right (-1) to out[order, target].

    At the distance v, φ = Σ_k (-1)^(k+1) e^(-kv) / k, and v more on the side where φ grows. The sums over the sources
    passed so far are kept relative to the bin `here`, which moves along with the targets.
    """
    mass, lever, powers, inverse = np.zeros(2), np.zeros(2), np.zeros(terms), 1.0 / np.arange(1, terms + 1)
    b, last = (0, len(sources.bins)) if direction > 0 else (len(sources.bins) - 1, -1)
    here = sources.bins[b] if len(sources.bins) else 0.0
    for turn in range(len(targets.bins)):
        a = turn if direction > 0 else len(targets.bins) - 1 - turn
        home = targets.bins[a]
        while True:
            far = b != last and direction * (home - sources.bins[b]) > NEAR
            goal = sources.bins[b] if far else home
            if direction * (goal - here) > 0:
                move_away(direction * (0.5 * goal - 0.5 * here), mass, lever, powers)
                here = goal
            if not far:
                break
            for j in range(sources.starts[b], sources.starts[b + 1]):
                away = direction * ((here - sources.bins[b]) - sources.offsets[j])
                take_source(weights[j], away, mass, lever, powers)
            b += direction
        for i in range(targets.starts[a], targets.starts[a + 1]):
            away = direction * targets.offsets[i]
            ratio = math.exp(-away)
            value, slope, curvature = 0.0, 0.0, 0.0
            for k in range(terms - 1, -1, -1):
                value = (value + powers[k] * inverse[k]) * ratio
                slope = (slope + powers[k]) * ratio
                curvature = (curvature + (k + 1) * powers[k]) * ratio
            if growing:
                value += lever[0] + (lever[1] + away * mass[0])
                slope -= mass[0] + mass[1]
            out[0, i] += value
            out[1, i] += slope if growing else -slope
            out[2, i] += curvature
