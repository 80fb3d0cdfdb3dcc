"""The board as it would be without one judge, on the pairs that this judge voted on: one Newton step, not a refit.

At the mode the slopes of all votes and of the prior balance. So without the votes of a judge the slope is -g with
g = Σ w ℓ' e over them, and the information is less by A = Σ w i e eᵀ, where e is a row of B, and ℓ' and i are the slope
and the information of an answer in its margin. One step of Newton's method leads to

    x₋ = x - (H - A)⁻¹ g.

A and g are zero outside the unknowns that the judge's votes are about, and on these (H - A)⁻¹ = (1 - C A)⁻¹ C, where C
is their part of H⁻¹: a judge of k items costs k³, not n³. Beyond 2000 items H⁻¹ is not at hand. There the items that
the judge did not vote on stay where they are, so C is the inverse of the part of H.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from ordain._types import Vector
from ordain.rank.bradley_terry.links import DENSE
from ordain.rank.bradley_terry.noise import Noise, fisher
from ordain.rank.bradley_terry.posterior import BradleyTerry
from ordain.votes.record import Votes

ENTRIES = 4_000_000
"""Most entries of the small matrices that are solved in one go."""


@dataclass(frozen=True)
class LeftOut:
    """The board made without its judge, for each vote.

    `ahead` is how far the left item leads, `margins` the same with the position term, `variances` those of the margins.
    `left_variances` and `order_variances` are, for each judge, what the uncertainty of that board adds to the variance
    of how many of its votes should go to the left item, and to the item that leads.
    """

    ahead: Vector
    margins: Vector
    variances: Vector
    left_variances: Vector
    order_variances: Vector


class _Batch(NamedTuple):
    """Votes of judges with equally many items: places of the two in their judge's list, and the lists, one a line."""

    rows: Vector
    judge: Vector
    places: Vector
    judges: Vector
    unknowns: Vector


def left_out(votes: Votes, clusters: Vector, fit: BradleyTerry, counts: Vector) -> LeftOut:
    """The board without each judge in turn, as far as its votes need it; `counts` of them enter the variances."""
    noise, x = Noise(fit.spread, fit.lapse), np.append(fit.scores, fit.position)
    shown = float(fit.information.graph.shown)
    margins = x[votes.left] - x[votes.right] + shown * x[-1]
    slopes = votes.weights * fit.slopes(votes.pairs, votes.answers)
    weights = votes.weights * fisher(margins, noise)
    blocks = _Blocks(fit)
    ahead, variances, position = margins - shown * x[-1], np.zeros(len(votes)), np.zeros(len(votes))
    sums = np.zeros((2, int(clusters.max(initial=-1)) + 1))
    for batch in _batches(votes, clusters):
        rows = batch.rows
        covariance, step = _stepped(blocks(batch.unknowns), batch, shown, slopes[rows], weights[rows])
        ahead[rows] -= _differences(batch, step)
        position[rows] = shown * (x[-1] - step[batch.judge, -1])
        variances[rows] = _variances(covariance, batch, shown)
        pull = counts[rows] * (1 - 2 * fit.lapse) * _slope(ahead[rows] + position[rows])
        for total, sign in zip(sums, (1.0, np.sign(ahead[rows])), strict=True):
            along = _gathered(batch, shown, pull * sign)
            total[batch.judges] = np.einsum("ji,jik,jk->j", along, covariance, along)
    return LeftOut(ahead, ahead + position, variances, *sums)


class _Blocks:
    """Parts of H⁻¹, or beyond 2000 items inverses of parts of H."""

    def __init__(self, fit: BradleyTerry) -> None:
        self.information, self.n = fit.information, len(fit.scores)
        self.covariance = fit.information.covariance() if self.n <= DENSE else None

    def __call__(self, unknowns: Vector) -> Vector:
        if self.covariance is not None:
            return self.covariance[unknowns[:, :, None], unknowns[:, None, :]]
        return np.linalg.inv(np.array([self._part(line) for line in unknowns]))

    def _part(self, line: Vector) -> Vector:
        items, part = line[:-1], np.diag(self.information.diagonal[line])
        if len(items) <= DENSE:
            links = self.information.links[items][:, items].toarray()
            part[:-1, :-1] -= links + links.T
            part[-1, :-1] = part[:-1, -1] = self.information.border[items]
        return part


def _batches(votes: Votes, clusters: Vector) -> Iterator[_Batch]:
    """The votes by how many items their judge voted on."""
    n, m = len(votes.items), len(votes)
    keys = np.tile(clusters, 2).astype(np.int64) * n + np.append(votes.left, votes.right)
    known, place = np.unique(keys, return_inverse=True)
    owner, items = np.divmod(known, n)
    sizes = np.bincount(owner, minlength=int(clusters.max(initial=-1)) + 1)
    starts = np.cumsum(sizes) - sizes
    places = place.reshape(2, m) - starts[clusters]
    by_judge = np.argsort(clusters, kind="stable")
    first = np.searchsorted(clusters[by_judge], np.arange(len(sizes) + 1))
    for size in np.unique(sizes[sizes > 0]):
        alike = np.flatnonzero(sizes == size)
        for judges in np.array_split(alike, -(-len(alike) * int(size + 1) ** 2 // ENTRIES)):
            rows = np.concatenate([by_judge[first[judge] : first[judge + 1]] for judge in judges])
            listed = items[starts[judges][:, None] + np.arange(size)]
            unknowns = np.column_stack((listed, np.full(len(judges), n)))
            yield _Batch(rows, np.searchsorted(judges, clusters[rows]), places[:, rows], judges, unknowns)


def _stepped(C: Vector, batch: _Batch, shown: float, slopes: Vector, weights: Vector) -> tuple[Vector, Vector]:
    """(H - A)⁻¹ and (H - A)⁻¹ g on each judge's unknowns."""
    covariance = np.linalg.solve(np.eye(C.shape[-1]) - C @ _taken(batch, shown, weights), C)
    return covariance, np.einsum("jik,jk->ji", covariance, _gathered(batch, shown, slopes))


def _taken(batch: _Batch, shown: float, weights: Vector) -> Vector:
    """A = Σ w e eᵀ for each judge, e being 1 at the left item, -1 at the right one, and 1 at the position if shown."""
    size = batch.unknowns.shape[1]
    ends = [(batch.places[0], 1.0), (batch.places[1], -1.0), (np.full(len(weights), size - 1), shown)]
    total = np.zeros(len(batch.unknowns) * size * size)
    for at, sign in ends:
        for there, other in ends:
            cells = (batch.judge * size + at) * size + there
            total += np.bincount(cells, sign * other * weights, len(total))
    return total.reshape(-1, size, size)


def _gathered(batch: _Batch, shown: float, g: Vector) -> Vector:
    """Σ g e for each judge."""
    judges, size = batch.unknowns.shape
    left, right = batch.judge * size + batch.places
    total = np.bincount(left, g, judges * size) - np.bincount(right, g, judges * size)
    total = total.reshape(judges, size)
    total[:, -1] = shown * np.bincount(batch.judge, g, judges)
    return total


def _differences(batch: _Batch, step: Vector) -> Vector:
    """For each vote how far the left item moved against the right one."""
    return step[batch.judge, batch.places[0]] - step[batch.judge, batch.places[1]]


def _variances(C: Vector, batch: _Batch, shown: float) -> Vector:
    """eᵀ C e for each vote."""
    judge, (left, right) = batch.judge, batch.places
    items = C[judge, left, left] + C[judge, right, right] - 2 * C[judge, left, right]
    return items + shown * (C[judge, -1, -1] + 2 * C[judge, left, -1] - 2 * C[judge, right, -1])


def _slope(d: Vector) -> Vector:
    """σ'(d)."""
    return expit(d) * expit(-d)
