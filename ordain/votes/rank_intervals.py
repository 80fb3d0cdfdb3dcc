"""Which items are surely above which, all at once, and what that leaves of ranks and tiers.

An item is surely above another if their scores differ by more than c standard errors of the difference. With c the
quantile of the largest |t| over all differences at once, no such claim on the whole board is wrong, with the chance
asked for; so all true ranks lie in their intervals together. And a chain of wins must lead from the one to the other,
see :mod:`ordain.votes.win_chains`; else it is only the prior that says how far apart they are.

Beyond the number of items for which a matrix of all differences is made, one is surely above another if bands of the
scores that hold together do not overlap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ordain._types import Mask, Vector
from ordain.rank.bradley_terry.links import DENSE
from ordain.votes.cast_votes import Votes
from ordain.votes.linked_parts import centred
from ordain.votes.sandwich import Errors, differences
from ordain.votes.win_chains import chains

DRAWS = 2000
"""Draws of all scores, from which the quantile is taken."""

AHEAD = 24
"""The items furthest out in a draw: the largest |t| is looked for among them first."""


class Ranks(NamedTuple):
    """The best and the worst rank that each item may have, and its tier."""

    low: Vector
    high: Vector
    tier: Vector


@dataclass(frozen=True)
class Surely:
    """Who is surely above whom in one part, its items from the best score down.

    `below(i)` has True for the items surely below item i; the other two are how many are surely above and below each.
    """

    below: Callable[[int], Mask]
    above_each: Vector
    below_each: Vector

    def ranks(self) -> Ranks:
        """rank_low = 1 + items surely above, rank_high = n - items surely below, and the tiers."""
        n = len(self.above_each)
        return Ranks(1 + self.above_each, n - self.below_each, self.tiers())

    def tiers(self) -> Vector:
        """Going down, a tier ends before the first item that is surely below the tier's first."""
        n, number, first = len(self.above_each), 0, 0
        tier = np.empty(n, dtype=np.intp)
        while first < n:
            number += 1
            later = np.flatnonzero(self.below(first)[first:])
            end = first + int(later[0]) if len(later) else n
            tier[first:end], first = number, end
        return tier


def by_differences(scores: Vector, variances: Vector, chained: Mask, critical: float) -> Surely:
    """Surely above by the differences of the scores, `variances` being those of s_i - s_j."""
    sure = chained & (scores[:, None] - scores > critical * np.sqrt(variances))
    return Surely(lambda item: sure[item], sure.sum(axis=0), sure.sum(axis=1))


def by_bands(scores: Vector, variances: Vector, critical: float) -> Surely:
    """Surely above by bands that do not overlap, `variances` being those of the scores."""
    half = critical * np.sqrt(variances)
    low, high = scores - half, scores + half
    above = len(low) - np.searchsorted(np.sort(low), high, side="right")
    return Surely(lambda item: high < low[item], above, np.searchsorted(np.sort(high), low, side="left"))


def ranks(votes: Votes, order: Vector, errors: Errors, level: float, seed: int) -> Ranks:
    """Ranks and tiers of the items in `order`, best first and part by part; within parts, at the level over all."""
    scores, parts, rng = errors.fit.scores, errors.parts[order], np.random.default_rng(seed)
    dense = len(order) <= DENSE
    chained = chains(votes) if dense else np.empty(0)
    critical = critical_difference(order, errors, level, rng) if dense else critical_band(errors, level)
    found = []
    for part in np.unique(parts):
        items = order[parts == part]
        if dense:
            sure = by_differences(
                scores[items], errors.of_differences[(two := np.ix_(items, items))], chained[two], critical
            )
        else:
            sure = by_bands(scores[items], errors.variances[items], critical)
        found.append(sure.ranks())
    return Ranks(*(np.concatenate(columns) for columns in zip(*found, strict=True)))


def critical_band(errors: Errors, level: float) -> float:
    """The quantile for n bands to hold together, by Šidák's inequality: each holds with chance level^(1/n)."""
    return errors.quantile((1 + level ** (1 / errors.n)) / 2)


def critical_difference(order: Vector, errors: Errors, level: float, rng: np.random.Generator) -> float:
    """The quantile of the largest |t| over all differences within parts, from draws with the posterior's covariance.

    Drawn in the order of the board, so that other names or numbers of the items change nothing.
    """
    covariance = errors.covariances[0][np.ix_(order, order)]
    root = np.linalg.cholesky(covariance)
    draws = rng.standard_normal((DRAWS, len(order))) @ root.T
    if np.isfinite(errors.freedom):
        draws /= np.sqrt(rng.chisquare(errors.freedom, (DRAWS, 1)) / errors.freedom)
    parts = errors.parts[order]
    return float(np.quantile(largest(draws, differences(covariance), parts), level))


def largest(draws: Vector, variances: Vector, parts: Vector) -> Vector:
    """Of each draw the largest |z_i - z_j| / √v_ij over two items of one part.

    Where v_ij ≥ κ_i (o_i + o_j), t_ij² ≤ (a_i² + a_j²) / κ_i with a = z / √o, by Cauchy and Schwarz, whatever o is. So
    once a pair with t = L is known, an item with a_i² + max a² < κ_i L² is in no larger one.
    """
    z = centred(draws.T, parts).T
    compared = (parts[:, None] == parts) & (variances > 0)
    if not compared.any():
        return np.zeros(len(z))
    scale = np.where(compared, 1 / np.sqrt(np.where(compared, variances, 1.0)), 0.0)
    if len(parts) <= AHEAD:
        return _largest_among(z, scale)
    own = np.where(compared, variances, 0.0).mean(axis=1) + np.finfo(float).tiny
    share = np.divide(variances, own[:, None] + own, out=np.full_like(variances, np.inf), where=compared).min(axis=1)
    out = z**2 / own
    ahead = np.argpartition(-out, AHEAD, axis=1)[:, :AHEAD]
    found = _largest_among(np.take_along_axis(z, ahead, axis=1), scale[ahead[:, :, None], ahead[:, None, :]])
    left = (out + out.max(axis=1, keepdims=True)) / share >= found[:, None] ** 2
    more = np.flatnonzero(left.sum(axis=1) > np.take_along_axis(left, ahead, axis=1).sum(axis=1))
    for draw in more:
        items = np.flatnonzero(left[draw])
        found[draw] = max(found[draw], _largest_among(z[draw, items], scale[np.ix_(items, items)]))
    return found


def _largest_among(z: Vector, scale: Vector) -> Vector:
    """The largest |z_i - z_j| times their scale, over the last axis of z."""
    return (np.abs(z[..., :, None] - z[..., None, :]) * scale).max(axis=(-2, -1))
