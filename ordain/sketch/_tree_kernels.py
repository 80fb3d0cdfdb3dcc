"""The numba loops of the canonical exponential kernel, whose tail is algebraic: cells coarsen with distance, in a tree.

As in the other loops of the sketch, what runs in parallel writes to places of its own.
"""

# Numba finds the types of the loops by itself.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import prange

from ordain._compiled import compiled
from ordain._types import Vector
from ordain.sketch._cell_kernels import add_moments, add_product, series

APART = 2.0
"""Cells of a tree interact as wholes if their distance is this many times the wider one."""


class Tree(NamedTuple):
    """Cells over points in order: cell i of level h holds the points from i · leaf · 2^h on, as many as fit.

    It reaches from the bin `left` over `width` bins; its arrays begin at row levels[h] + i. Point i is bins[i] +
    offsets[i].
    """

    leaf: int
    levels: Vector
    left: Vector
    width: Vector
    bins: Vector
    offsets: Vector


@compiled(fastmath={"contract"})
def canonical_exponential(quarter):
    """φ(u) / 2, φ'(u) and φ''(u) of φ(u) = √(1 + u²/4) - u/2, u = 4 · quarter; none overflows for a finite quarter."""
    root = math.sqrt(0.25 + quarter * quarter) if abs(quarter) < 1e100 else abs(quarter)
    inverse = 1.0 / root
    half = 0.25 / (root + quarter) if quarter > 0 else root - quarter
    return half, -0.5 * half * inverse, inverse * inverse * inverse / 32.0


@compiled()
def tree_weights(tree, weights, nodes, interpolation, out):
    """Weights of the nodes of every cell that act at a distance like its points: out[cell, node]."""
    terms = len(nodes)
    for level in range(len(tree.levels) - 1):
        start, below = tree.levels[level], tree.levels[max(0, level - 1)]
        for cell in range(tree.levels[level + 1] - start):
            left, width, moments = tree.left[start + cell], tree.width[start + cell], np.zeros(terms)
            if not math.isfinite(width):
                continue
            if level == 0:
                for i in range(cell * tree.leaf, min((cell + 1) * tree.leaf, len(weights))):
                    add_moments(((tree.bins[i] - left) + tree.offsets[i]) / width, weights[i], moments)
            else:
                for child in range(below + 2 * cell, min(below + 2 * cell + 2, start)):
                    for m in range(terms):
                        x = ((tree.left[child] - left) + tree.width[child] * nodes[m]) / width
                        add_moments(x, out[child, m], moments)
            add_product(interpolation, moments, out[start + cell])


@compiled()
def apart(target, a, source, b):
    """Whether the polynomials of cells a and b give the kernel between them: far apart, or at most a bin wide."""
    wide = max(target.width[a], source.width[b])
    right, left = source.left[b] - target.left[a], target.left[a] - source.left[b]
    gap = max(right - target.width[a], left - source.width[b])
    return wide <= 1.0 or (math.isfinite(wide) and gap >= APART * wide)


@compiled(fastmath={"contract"})
def act_as_cells(target, a, source, b, weights, nodes, sign, out):
    """Add the sums over the nodes of source cell b at those of target cell a to out[order, node]."""
    gap, values, slopes, curvatures = 0.25 * target.left[a] - 0.25 * source.left[b], out[0], out[1], out[2]
    for n in range(len(nodes)):
        for m in range(len(nodes)):
            inner = 0.25 * (target.width[a] * nodes[m] - source.width[b] * nodes[n])
            half, slope, curvature = canonical_exponential(sign * (gap + inner))
            values[m] += 2.0 * weights[b, n] * half
            slopes[m] += weights[b, n] * slope
            curvatures[m] += weights[b, n] * curvature


@compiled(fastmath={"contract"})
def act_as_points(target, first, last, source, start, stop, weights, sign, out):
    """Add the sums over source points start … stop at target points first … last to out[order, point]."""
    values, slopes, curvatures = out[0], out[1], out[2]
    for j in range(start, stop):
        for i in range(first, last):
            gap = 0.25 * target.bins[i] - 0.25 * source.bins[j]
            inner = 0.25 * (target.offsets[i] - source.offsets[j])
            half, slope, curvature = canonical_exponential(sign * (gap + inner))
            values[i] += 2.0 * weights[j] * half
            slopes[i] += weights[j] * slope
            curvatures[i] += weights[j] * curvature


@compiled()
def push(stack, size, heap, level, cell, height, other):
    """Put a pair of cells on the stack; return its new size."""
    stack[size, 0], stack[size, 1], stack[size, 2], stack[size, 3], stack[size, 4] = heap, level, cell, height, other
    return size + 1


@compiled()
def collect(target, root, source, weights, cell_weights, nodes, sign, local, out):
    """Let all sources act on the target cell `root` = (level, cell): far ones on its cells, in local, others on points.

    Both trees are walked at once, the wider cell being opened; local is a heap, with the root at 1 and the children of
    cell k at 2k and 2k + 1.
    """
    stack = np.empty((4 * (len(source.levels) + root[0] + 1), 5), np.int64)
    size = push(stack, 0, 1, root[0], root[1], len(source.levels) - 2, 0)
    while size:
        size -= 1
        heap, level, cell = stack[size, 0], stack[size, 1], stack[size, 2]
        height, other = stack[size, 3], stack[size, 4]
        a, b = target.levels[level] + cell, source.levels[height] + other
        if a >= target.levels[level + 1] or b >= source.levels[height + 1]:
            continue
        if apart(target, a, source, b):
            act_as_cells(target, a, source, b, cell_weights, nodes, sign, local[heap])
        elif level == 0 and height == 0:
            first, start = cell * target.leaf, other * source.leaf
            last, stop = min(first + target.leaf, len(target.bins)), min(start + source.leaf, len(source.bins))
            act_as_points(target, first, last, source, start, stop, weights, sign, out)
        elif level == 0 or (height > 0 and source.width[b] > target.width[a]):
            size = push(stack, size, heap, level, cell, height - 1, 2 * other)
            size = push(stack, size, heap, level, cell, height - 1, 2 * other + 1)
        else:
            size = push(stack, size, 2 * heap, level - 1, 2 * cell, height, other)
            size = push(stack, size, 2 * heap + 1, level - 1, 2 * cell + 1, height, other)


@compiled()
def descend(target, root, nodes, interpolation, local, out):
    """Pass what the cells under `root` = (level, cell) have collected in local down to their points."""
    terms, coefficients = len(nodes), np.empty((3, len(nodes)))
    depth = 0
    for heap in range(1, len(local)):
        depth += heap >> (depth + 1)
        level, cell = root[0] - depth, (root[1] << depth) + heap - (1 << depth)
        a = target.levels[level] + cell
        if a >= target.levels[level + 1] or not math.isfinite(target.width[a]):
            continue
        coefficients[:] = 0.0
        for order in range(3):
            add_product(interpolation.T, local[heap, order], coefficients[order])
        if level == 0:
            for i in range(cell * target.leaf, min((cell + 1) * target.leaf, len(target.bins))):
                x = ((target.bins[i] - target.left[a]) + target.offsets[i]) / target.width[a]
                for order in range(3):
                    out[order, i] += series(coefficients[order], x)
            continue
        for side in range(2):
            child = target.levels[level - 1] + 2 * cell + side
            if child < target.levels[level]:
                for m in range(terms):
                    place = (target.left[child] - target.left[a]) + target.width[child] * nodes[m]
                    for order in range(3):
                        local[2 * heap + side, order, m] += series(coefficients[order], place / target.width[a])


@compiled()
def canonical_sums(target, level, first, last, source, weights, cell_weights, nodes, interpolation, sign, out):
    """Add the sums over all sources to out[order, point], for the points in the target cells first … last of a level.

    Near points act as points, far ones through their cells.
    """
    for cell in range(first, last):
        local = np.zeros((2 << level, 3, len(nodes)))
        collect(target, (level, cell), source, weights, cell_weights, nodes, sign, local, out)
        descend(target, (level, cell), nodes, interpolation, local, out)


@compiled(parallel=True)
def parallel_canonical_sums(target, level, source, weights, cell_weights, nodes, interpolation, sign, out):
    """`canonical_sums` at all points, one cell of the level after the other."""
    for i in prange(target.levels[level + 1] - target.levels[level]):
        cell = np.int64(i)
        canonical_sums(target, level, cell, cell + 1, source, weights, cell_weights, nodes, interpolation, sign, out)
