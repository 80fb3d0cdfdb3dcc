"""The one-dimensional kernel sum F(x) = Σ_j c_j φ(x - s_j), with its φ' and φ'', in one pass over the scores.

The line is cut into bins of width 1, from whole number to whole number. An analytic φ is, over two bins, a polynomial
in each of its two places to any wanted accuracy, so the scores of a bin act at a distance like a few weighted points of
it: Chebyshev nodes x_m with weights W_m = Σ_j c_j L_m(s_j), L_m the Lagrange polynomials of the nodes. Those points are
the *sketch*. Where a bin has fewer scores than nodes, its scores are its points. Points act on points (`node_sums`),
and what they do to the rows of a bin is read off the polynomial through its nodes (`at_rows`).

Two ways lead from the rows to the points and back. A `Grid` reads every row once and sorts nothing; its bins are cut
into cells, so narrow that six powers are enough for a row, and the cells pass their moments on to the nodes of the bin.
`Runs` sorts the scores and is for the rest: few rows, or scores so far apart that most bins are empty.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

import ordain.sketch._cell_kernels as _kernels
import ordain.sketch._tree_kernels as _tree_kernels
from ordain._types import Scores, Vector
from ordain.losses import PAIRINGS
from ordain.sketch._cell_kernels import CELLS, NEAR, Column, Places, Rows
from ordain.sketch._chebyshev import chebyshev_nodes, lagrange_powers, lagrange_series
from ordain.sketch._tree_kernels import Tree

LIMIT = 2**48
"""Bins of a grid lie within ± this, so that the arithmetic of places is exact."""

THREADED_ROWS, LEVELS, PIECES = 200_000, 9, 64
"""From so many rows, or levels of a tree, on the work is done in parallel, in at most so many pieces."""

CONSTANT = 42.0
"""Worst relative errors of φ, φ', φ'' with p terms were measured to stay below this times ρ^-p, for both kernels."""


@dataclass(frozen=True)
class Kernel:
    """An analytic kernel φ, and how exactly its sums are wanted.

    φ is analytic in |Im u| < `strip`; so its Chebyshev series on an interval of half-width h converges like ρ^-p,
    ρ = b + √(1 + b²), b = strip / h. `act` lets points act on points. For another accuracy, say
    ``dataclasses.replace(LOGISTIC, accuracy=1e-8)``.
    """

    name: str
    strip: float
    act: Callable[..., None]
    accuracy: float = 1e-12

    def terms(self, width: float = 1.0) -> int:
        """Terms that reach the wanted accuracy on an interval of this width."""
        return math.ceil(math.log(CONSTANT / self.accuracy) / math.asinh(2 * self.strip / width))


def _act_logistic(kernel: Kernel, targets: Places, sketch: Sketch, sign: int, out: Vector) -> None:
    matrices = _logistic_matrices(kernel.terms(), sign)
    _kernels.logistic_near(targets, sketch.places, sketch.weights, sign, matrices, out)
    terms = 1
    while (terms + 1) * math.exp(-NEAR * terms) > kernel.accuracy / 4:
        terms += 1
    for direction in (1, -1):
        _kernels.logistic_far(targets, sketch.places, sketch.weights, direction, direction != sign, terms, out)


def _act_canonical(kernel: Kernel, targets: Places, sketch: Sketch, sign: int, out: Vector) -> None:
    terms = kernel.terms()
    nodes, interpolation = chebyshev_nodes(terms), lagrange_series(terms)
    target, source = _tree(targets, terms), _tree(sketch.places, terms)
    weights = np.zeros((len(source.left), terms))
    _tree_kernels.tree_weights(source, sketch.weights, nodes, interpolation, weights)
    cells = np.diff(target.levels)
    level = int(np.argmax(cells <= PIECES))
    rest = source, sketch.weights, weights, nodes, interpolation, sign, out
    if len(cells) < LEVELS:
        _tree_kernels.canonical_sums(target, level, 0, cells[level], *rest)
    else:
        _tree_kernels.parallel_canonical_sums(target, level, *rest)


LOGISTIC = Kernel("logistic", PAIRINGS["logistic"].form.strip, _act_logistic)
"""φ(u) = log(1 + e^-u)."""

CANONICAL_EXPONENTIAL = Kernel("canonical_exponential", PAIRINGS["canonical_exponential"].form.strip, _act_canonical)
"""φ(u) = √(1 + u²/4) - u/2."""

KERNELS = (LOGISTIC, CANONICAL_EXPONENTIAL)


@dataclass(frozen=True, eq=False)
class Sketch:
    """Weighted points, at most `kernel.terms()` in a bin, with the kernel sums of all the scores they stand for.

    Sketches of parts of the data add up to the sketch of the whole.

    Examples
    --------
    >>> sketch = Sketch.of([0.5, 2.0]) + Sketch.of([-1.0])
    >>> value, slope, curvature = sketch.sums([0.0])
    >>> bool(np.isclose(value, np.logaddexp(0, [0.5, 2.0, -1.0]).sum(), rtol=1e-12))
    True
    """

    kernel: Kernel
    places: Places
    weights: Vector

    @classmethod
    def of(
        cls,
        scores: Scores,
        coefficients: Vector | None = None,
        *,
        kernel: Kernel = LOGISTIC,
        span: tuple[int, int] | None = None,
    ) -> Sketch:
        """The sketch of Σ_j c_j φ(x - s_j); without coefficients, all are 1.

        With `span`, the first and last bin of a common grid, sketches have the same points whatever the scores, and
        their weights may simply be summed, by whatever sums arrays.
        """
        return binned(scores, kernel=kernel, span=span).sketches(coefficients)[0]

    def __add__(self, other: Sketch) -> Sketch:
        if self.kernel != other.kernel:
            shown = " and ".join(f"{each.kernel.name} to {each.kernel.accuracy:g}" for each in (self, other))
            raise ValueError(f"sketches must have the same kernel and accuracy to be added. Got {shown}.")
        bins = np.concatenate([_bin_of_each(self.places), _bin_of_each(other.places)])
        order = np.argsort(bins, kind="stable")
        offsets = np.concatenate([self.places.offsets, other.places.offsets])[order]
        merged = _Part(self.kernel, order, bins[order], offsets)
        return merged.sketch(_column(np.concatenate([self.weights, other.weights]), len(order)))

    def __mul__(self, factor: float) -> Sketch:
        return replace(self, weights=self.weights * factor)

    def sums(self, points: Scores, *, sign: int = 1) -> Vector:
        """F, F' and F'' at the points, as three rows: Σ_j c_j k(sign · (x - s_j)) for k = φ, φ', φ''."""
        rows = binned(points, kernel=self.kernel)
        return rows.at_rows([node_sums(rows.places[0], self, sign=sign)])

    @property
    def nbytes(self) -> int:
        """Size of `to_array()` in bytes."""
        return 8 * len(self.to_array())

    def to_array(self) -> Vector:
        """All there is to know, as one array of float64."""
        counts = np.diff(self.places.starts)
        few = np.repeat(counts < self.kernel.terms(), counts)
        which = [kernel.name for kernel in KERNELS].index(self.kernel.name)
        head = [which, self.kernel.accuracy, len(counts)]
        return np.concatenate([head, self.places.bins, counts, self.places.offsets[few], self.weights])

    @classmethod
    def from_array(cls, array: Vector) -> Sketch:
        """The sketch that `to_array` wrote."""
        array = np.array(array, dtype=np.float64)
        which, accuracy, size = array[:3]
        kernel = replace(KERNELS[int(which)], accuracy=float(accuracy))
        bins, counts, rest = np.split(array[3:], [int(size), 2 * int(size)])
        starts = _starts(counts.astype(np.int64))
        weights = rest[len(rest) - starts[-1] :]
        offsets = _offsets(kernel, starts, rest[: len(rest) - starts[-1]])
        return cls(kernel, Places(bins, starts, offsets), weights)


def node_sums(targets: Places, sketch: Sketch, *, sign: int = 1) -> Vector:
    """Σ_j c_j k(sign · (x - s_j)) at every target x for k = φ, φ', φ'', as three rows.

    Finite for all finite scores, if the coefficients are not negative and sum to at most ½.
    """
    out = np.zeros((3, len(targets.offsets)))
    if len(targets.offsets) and len(sketch.weights):
        sketch.kernel.act(sketch.kernel, targets, sketch, sign, out)
    return out


def binned(
    scores: Scores,
    part: Vector | None = None,
    parts: int = 1,
    *,
    kernel: Kernel = LOGISTIC,
    span: tuple[int, int] | None = None,
) -> Grid | Runs:
    """The rows in their bins: a `Grid` if bins are few for the number of rows, otherwise `Runs`.

    Parameters
    ----------
    scores : array of shape (n_rows,)
        Finite numbers.
    part : array of whole numbers, optional
        The part 0 … parts - 1 that each row belongs to; every part has a sketch of its own.
    span : pair of whole numbers, optional
        First and last bin of a grid to be used in any case; all scores must lie on it.
    """
    scores = np.require(scores, np.float64, ["C", "W"])
    part = np.zeros(1, np.uint8) if part is None else _checked_part(part, parts, len(scores))
    ends = (scores.min(), scores.max()) if len(scores) else (0, 0) if span is None else span
    low, high = (float(np.floor(end)) for end in ends)
    if scores.ndim != 1:
        raise ValueError(f"scores must be one-dimensional. Got shape {scores.shape}. Pass one number per item.")
    if not (math.isfinite(low) and math.isfinite(high)):
        raise ValueError(f"scores must be finite. Got {high if math.isfinite(low) else low}. Remove such rows.")
    if span is not None:
        first, last = span
        if not -LIMIT < first <= low <= high <= last < LIMIT:
            raise ValueError(
                f"scores must lie in the bins {first} to {last}. Got bins {low:g} to {high:g}. Widen span."
            )
        return Grid(kernel, scores, part, parts, first, last)
    span = grid_span(kernel, low, high, len(scores), parts)
    return Runs(kernel, scores, part, parts) if span is None else Grid(kernel, scores, part, parts, *span)


def grid_span(kernel: Kernel, low: float, high: float, rows: int, parts: int) -> tuple[int, int] | None:
    """First and last bin of a grid for so many rows with scores from low to high; None where bins are too many."""
    first, last = float(np.floor(low)), float(np.floor(high))
    size = (last - first + 1) * parts * CELLS * kernel.terms(1 / CELLS)
    return (int(first), int(last)) if size <= rows / 4 and max(-first, last) < LIMIT else None


class Grid:
    """Rows on a grid of bins, in the order in which they came."""

    def __init__(self, kernel: Kernel, scores: Vector, part: Vector, parts: int, low: int, high: int) -> None:
        self.kernel, self.parts, self.size = kernel, parts, len(scores)
        self.projection = lagrange_powers(kernel.terms(), CELLS, kernel.terms(1 / CELLS))
        self.rows = Rows(scores, part, int(len(part) > 1), float(CELLS * low))
        self.bins = high - low + 1
        starts = _short(kernel.terms() * np.arange(self.bins + 1))
        nodes = np.tile(chebyshev_nodes(kernel.terms()), self.bins)
        self.places = [Places(np.arange(low, high + 1, dtype=np.float64), starts, nodes)] * parts

    def sketches(self, coefficients: Vector | None = None) -> list[Sketch]:
        """The sketch of each part."""
        terms = self.kernel.terms(1 / CELLS)
        size = self.parts * self.bins * CELLS * terms
        pieces = 1
        if self.size >= THREADED_ROWS:
            pieces = min(PIECES, 1 << max(0, (self.size // (8 * size)).bit_length() - 1))
        tables, spare = np.zeros((2, pieces, self.parts, self.bins * CELLS, terms))
        column, powers = _column(coefficients, self.size), (0,) * terms
        if pieces == 1:
            _kernels.cell_moments(self.rows, 0, self.size, column, tables[0], spare[0], powers)
        else:
            _kernels.parallel_cell_moments(self.rows, column, tables, spare, powers)
        moments = tables.sum(axis=0).reshape(self.parts, self.bins, -1)
        weights = np.einsum("pbk,nk->pbn", moments, self.projection).reshape(self.parts, -1)
        return [Sketch(self.kernel, *both) for both in zip(self.places, weights, strict=True)]

    def at_rows(self, values: Sequence[Vector], scale: Vector | None = None) -> Vector:
        """Values at the rows, times their scale, from values[part][:, point]: as many rows as each of these has."""
        orders, terms = len(values[0]), self.kernel.terms(1 / CELLS)
        nodes = np.stack(values).reshape(self.parts, orders, self.bins, -1)
        table = np.ascontiguousarray(np.einsum("pobn,nk->pbko", nodes, self.projection))
        table = table.reshape(self.parts, self.bins * CELLS, terms, orders)
        out = np.empty((orders, self.size))
        rest = _column(scale, self.size), table, out, (0,) * terms, (0,) * orders
        if self.size < THREADED_ROWS:
            _kernels.cell_values(self.rows, 0, self.size, *rest)
        else:
            _kernels.parallel_cell_values(self.rows, *rest)
        return out


class Runs:
    """Rows sorted by score, those of one bin together."""

    def __init__(self, kernel: Kernel, scores: Vector, part: Vector, parts: int) -> None:
        self.size, self.parts = len(scores), []
        for which in range(parts):
            order = np.flatnonzero(np.broadcast_to(part, len(scores)) == which)
            order = order[np.argsort(scores[order])]
            bins = np.floor(scores[order])
            self.parts.append(_Part(kernel, order, bins, scores[order] - bins))
        self.places = [each.places for each in self.parts]

    def sketches(self, coefficients: Vector | None = None) -> list[Sketch]:
        """The sketch of each part."""
        return [part.sketch(_column(coefficients, self.size)) for part in self.parts]

    def at_rows(self, values: Sequence[Vector], scale: Vector | None = None) -> Vector:
        """Values at the rows, times their scale, from values[part][:, point]: as many rows as each of these has."""
        out = np.empty((len(values[0]), self.size))
        for part, each in zip(self.parts, values, strict=True):
            points = np.require(each, np.float64, ["C", "W"]).reshape(len(out), len(part.places.offsets))
            _kernels.run_values(
                part.runs, _column(scale, self.size), part.places.starts, part.interpolation, points, out
            )
        return out


def _checked_part(part: Vector, parts: int, length: int) -> Vector:
    """The part of each row, in a small type."""
    part = np.asarray(part)
    if part.shape != (length,) or (length and not 0 <= part.min() <= part.max() < parts):
        raise ValueError(f"part must be a whole number from 0 to {parts - 1} for each of {length} rows. Got {part!r}.")
    return np.require(part, np.uint8 if parts <= 256 else np.int64, ["C", "W"])


class _Part:
    """Rows in the order of their bins, and the points that stand for them."""

    def __init__(self, kernel: Kernel, order: Vector, bins: Vector, offsets: Vector) -> None:
        new = np.ones(len(bins), bool)
        new[1:] = bins[1:] != bins[:-1]
        first = np.flatnonzero(new)
        counts = np.diff(first, append=len(bins))
        self.kernel, self.interpolation = kernel, lagrange_series(kernel.terms())
        self.runs = _kernels.Runs(_short(order), _starts(counts), offsets)
        few = counts < kernel.terms()
        if few.all():
            self.places = Places(bins[first], self.runs.starts, offsets)
        else:
            starts = _starts(np.minimum(counts, kernel.terms()))
            self.places = Places(bins[first], starts, _offsets(kernel, starts, offsets[np.repeat(few, counts)]))

    def sketch(self, coefficients: Column) -> Sketch:
        weights = np.zeros(len(self.places.offsets))
        _kernels.run_weights(self.runs, coefficients, self.places.starts, self.interpolation, weights)
        return Sketch(self.kernel, self.places, weights)


def _column(values: Vector | None, length: int) -> Column:
    """A number for each row, or 1 for all."""
    if values is None:
        return Column(np.ones(1), 0)
    values = np.require(values, np.float64, ["C", "W"])
    if values.shape != (length,):
        raise ValueError(f"coefficients must be one number for each of {length} rows. Got shape {values.shape}.")
    return Column(values, 1)


def _bin_of_each(places: Places) -> Vector:
    return np.repeat(places.bins, np.diff(places.starts))


def _starts(counts: Vector) -> Vector:
    """Where runs of these lengths begin, and where the last one ends."""
    return _short(np.concatenate([[0], np.cumsum(counts)]))


def _short(numbers: Vector) -> Vector:
    """Whole numbers in half the memory, where they fit."""
    return numbers.astype(np.int32 if numbers.max(initial=0) < 2**31 else np.int64)


def _offsets(kernel: Kernel, starts: Vector, own: Vector) -> Vector:
    """Offsets of all points: the nodes in bins that have as many points as nodes, and `own` in the others."""
    counts = np.diff(starts)
    many = counts == kernel.terms()
    offsets = np.empty(starts[-1])
    points = np.repeat(many, counts)
    offsets[points] = np.tile(chebyshev_nodes(kernel.terms()), np.count_nonzero(many))
    offsets[~points] = own
    return offsets


def _tree(places: Places, leaf: int) -> Tree:
    """Cells of leaf, 2 leaf, 4 leaf, … points each, up to one that holds all."""
    bins = _bin_of_each(places)
    firsts = [np.arange(0, len(bins), leaf)]
    while len(firsts[-1]) > 1:
        firsts.append(firsts[-1][::2])
    lasts = [np.append(first[1:], len(bins)) - 1 for first in firsts]
    left = bins[np.concatenate(firsts)]
    with np.errstate(over="ignore"):
        width = bins[np.concatenate(lasts)] - left + 1
    return Tree(leaf, _starts(np.array([len(first) for first in firsts])), left, width, bins, places.offsets)


@lru_cache
def _logistic_matrices(terms: int, sign: int) -> Vector:
    """φ, φ', φ'' of sign · (d + x_m - x_n) for nodes x, as array [NEAR + d, order, m, n]."""
    x = chebyshev_nodes(terms)
    u = sign * (np.arange(-NEAR, NEAR + 1)[:, None, None] + (x[:, None] - x))
    return np.array([_kernels.logistic(each) for each in u.flat]).T.reshape(3, *u.shape).swapaxes(0, 1).copy()
