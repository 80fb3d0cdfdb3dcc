"""Whether votes go in circles more often than the fitted model allows.

The majority of a pair's votes says who won it, and three items whose three pairs are decided go in a circle or not.
Chance alone makes circles. So the votes are drawn again and again from the fit, on the same pairs, as many and in the
order shown, and the circles on these boards are counted like those that were seen:

    p = (1 + number of drawn boards with at least as many) / (1 + number of drawn boards).

The scores of a drawn board are drawn from the posterior, beyond 2000 items each by itself: the fitted ones, which the
prior drew together, would give too many circles. A tie stays one. As it counts for half a win in the fit, the votes
that are none are won with the chance ½ + (q - ½) / (1 - share of ties). Pairs of a ballot are drawn one by one, so that
ballots, none of which has a circle, never seem too circular.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import linalg
from scipy.special import expit

from ordain._types import Vector
from ordain.audit.share import TIE
from ordain.rank.bradley_terry.links import DENSE
from ordain.rank.bradley_terry.posterior import BradleyTerry
from ordain.votes.cast_votes import Votes

WEDGES, TRIPLES = 2_000_000, 200_000
"""Pairs of pairs looked at for a third one; where there are more, so many are drawn, and so many triples kept."""

BLOCK = 20_000_000
"""Most signs that are held at once."""


@dataclass(frozen=True)
class Circularity:
    """`observed` of `triples` go in a circle where `expected` would; if not `exact`, these are triples drawn by lot."""

    observed: int
    triples: int
    expected: float
    p_value: float
    draws: int
    exact: bool

    def __str__(self) -> str:
        if not self.triples:
            return "No three items were all compared with each other, so nothing is known of circles."
        verdict = "more" if self.p_value <= 0.05 else "no more"
        return (
            f"The answers are {verdict} circular than the model allows: {self.observed:,} of {self.triples:,} triples "
            f"{'' if self.exact else 'drawn by lot '}go in a circle, {self.expected:,.1f} on average of {self.draws} "
            f"boards drawn from the fit (p = {self.p_value:.2g})."
        )


class _Asked(NamedTuple):
    """Alike votes: the left and the right item, the number of their pair, 1 if left is its lower item, else -1."""

    left: Vector
    right: Vector
    pair: Vector
    sign: Vector
    times: Vector
    weight: Vector


class _Triples(NamedTuple):
    """Numbers of the pairs (a, b), (b, c) and (a, c) of each triple a < b < c."""

    first: Vector
    second: Vector
    across: Vector


def circularity(votes: Votes, fit: BradleyTerry, *, draws: int = 200, seed: int = 0) -> Circularity:
    """How many triples go in a circle, against boards drawn from the fit.

    All triples are counted where at most two million pairs of pairs share their lesser item, as on every board of 200
    items; otherwise triples drawn by lot, the same ones on all boards.

    Parameters
    ----------
    votes : Votes
        Votes on pairs, at least three of which must form a triangle.
    fit : BradleyTerry
        The fit to these very votes.
    draws, seed : int
        Number of boards, and the seed of their generator.

    Examples
    --------
    >>> from ordain.rank.bradley_terry.posterior import bradley_terry
    >>> left, right = np.triu_indices(7, k=1)
    >>> won, one = (right - left) % 2, np.ones(21)
    >>> votes = Votes(tuple("abcdefg"), left, right, won, one, 9 * one, one)
    >>> print(circularity(votes, bradley_terry(votes.pairs, won, weights=votes.weights, position=False)))
    The answers are more circular than the model allows: 14 of 35 triples go in a circle, 8.8 on average of 200 boards
    drawn from the fit (p = 0.01).
    """
    if draws < 1:
        raise ValueError(f"draws must be at least 1. Got {draws}.")
    rng = np.random.default_rng(seed)
    decided = votes.take(np.abs(votes.answers - 0.5) > TIE)
    numbers = _numbers(decided, fit)
    keys = np.unique(_keys(decided, numbers))
    triples, exact = _triples(keys, rng)
    used, places = np.unique(np.concatenate(triples), return_inverse=True)
    triples = _Triples(*places.reshape(3, -1))
    asked, seen = _asked(decided, numbers, keys[used])
    tied = 1 - decided.weights.sum() / votes.weights.sum() if len(decided) else 0.0
    boards = _boards(asked, len(used), fit, tied, rng, draws)
    drawn = np.concatenate([_circles(signs, triples) for signs in boards])
    observed = int(_circles(seen[:, None], triples)[0])
    count = int(np.count_nonzero((seen != 0)[np.array(triples)].all(axis=0)))
    p_value = (1 + np.count_nonzero(drawn >= observed)) / (1 + draws)
    return Circularity(observed, count, float(drawn.mean()), float(p_value), draws, exact)


def _numbers(votes: Votes, fit: BradleyTerry) -> Vector:
    """New numbers of the items: those compared with fewest others first, then those ahead."""
    n = len(votes.items)
    known = np.unique(_keys(votes, np.arange(n)))
    others = np.bincount(known >> 32, minlength=n) + np.bincount(known & (1 << 32) - 1, minlength=n)
    return np.argsort(np.lexsort((-fit.scores, others)))


def _keys(votes: Votes, numbers: Vector) -> Vector:
    """One number for the pair of each vote, in order of its lower item."""
    ends = numbers[votes.pairs].astype(np.int64)
    return ends.min(axis=1, initial=1 << 32) << 32 | ends.max(axis=1, initial=0)


def _triples(keys: Vector, rng: np.random.Generator) -> tuple[_Triples, bool]:
    """Triples all of whose pairs are there, and whether these are all: two pairs a < b, a < c, and the third sought."""
    low, high = keys >> 32, keys & (1 << 32) - 1
    starts, degrees = np.unique(low, return_index=True, return_counts=True)[1:]
    ends = np.cumsum(degrees * (degrees - 1) // 2)
    total = int(ends[-1]) if len(ends) else 0
    wedge = np.arange(total) if total <= WEDGES else np.unique(rng.integers(0, total, WEDGES))
    at = np.searchsorted(ends, wedge, side="right")
    within = wedge - (ends - degrees * (degrees - 1) // 2)[at]
    c = ((1 + np.sqrt(1 + 8 * within)) / 2).astype(np.int64)  # within = c (c - 1) / 2 + b with b < c
    first, across = starts[at] + within - c * (c - 1) // 2, starts[at] + c
    wanted = high[first] << 32 | high[across]
    second = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    closed = np.flatnonzero(keys[second] == wanted)
    if total > WEDGES and len(closed) > TRIPLES:
        closed = rng.choice(closed, TRIPLES, replace=False)
    return _Triples(first[closed], second[closed], across[closed]), total <= WEDGES


def _asked(votes: Votes, numbers: Vector, keys: Vector) -> tuple[_Asked, Vector]:
    """The votes on some pairs, alike ones together, and whether the lower item of each pair won, 1, or lost, -1."""
    pair = np.minimum(np.searchsorted(keys, found := _keys(votes, numbers)), max(len(keys) - 1, 0))
    among = np.flatnonzero(keys[pair] == found) if len(keys) else np.zeros(0, dtype=np.intp)
    some, pair = votes.take(among), pair[among]
    sign = np.where(numbers[some.left] < numbers[some.right], 1, -1)
    count = np.maximum(np.rint(some.counts), 1).astype(np.int64)
    weight = some.weights * np.abs(2 * some.answers - 1) / count
    lean = np.bincount(pair, sign * np.sign(some.answers - 0.5) * weight * count, len(keys))
    kinds = np.unique(weight, return_inverse=True)[1]
    _, first, alike = np.unique((pair * 2 + (sign > 0)) * (kinds.max(initial=0) + 1) + kinds, True, True)
    summed = np.bincount(alike, count, len(first)).astype(np.int64)
    rows = (some.left[first], some.right[first], pair[first], sign[first], summed, weight[first])
    return _Asked(*rows), _signs(lean)


def _boards(
    asked: _Asked, pairs: int, fit: BradleyTerry, tied: float, rng: np.random.Generator, draws: int
) -> Iterator[Vector]:
    """Drawn boards in blocks, a column each: who won each pair."""
    step = max(1, BLOCK // max(pairs, 1))
    x = np.append(fit.scores, fit.position)
    root = linalg.cholesky(fit.information.covariance(), lower=True) if len(fit.scores) <= DENSE else None
    for start in range(0, draws, step):
        board = np.empty((pairs, min(step, draws - start)), dtype=np.int8)
        for column in board.T:
            noise = rng.standard_normal(len(x))
            off = np.append(fit.standard_errors, fit.position_error) * noise if root is None else root @ noise
            column[:] = _drawn(asked, pairs, fit, x + off, tied, rng)
        yield board


def _drawn(asked: _Asked, pairs: int, fit: BradleyTerry, x: Vector, tied: float, rng: np.random.Generator) -> Vector:
    """Who won each pair on a board of these scores."""
    margins = x[asked.left] - x[asked.right] + fit.information.graph.shown * x[-1]
    chances = np.clip(0.5 + (1 - 2 * fit.lapse) * (expit(margins) - 0.5) / (1 - tied), 0, 1)
    won = rng.binomial(asked.times, chances)
    return _signs(np.bincount(asked.pair, asked.sign * asked.weight * (2 * won - asked.times), pairs))


def _signs(lean: Vector) -> Vector:
    """1, 0 or -1, rounding left aside."""
    return (np.sign(lean) * (np.abs(lean) > TIE)).astype(np.int8)


def _circles(signs: Vector, triples: _Triples) -> Vector:
    """For each column of signs how many triples go in a circle: a beats b, b beats c, c beats a, or the other way."""
    total = np.zeros(signs.shape[1], dtype=np.int64)
    step = max(1, BLOCK // signs.shape[1] // 4)
    for start in range(0, len(triples.first), step):
        first, second, across = (signs[pair[start : start + step]] for pair in triples)
        total += np.count_nonzero((first == second) & (first == -across) & (first != 0), axis=0)
    return total
