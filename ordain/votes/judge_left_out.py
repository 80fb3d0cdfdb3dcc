"""The board as it would be without one judge, on the pairs that this judge voted on: one Newton step, not a refit.

At the mode the slopes of all votes and of the prior balance. So without the votes of a judge the slope is -g with
g = Σ w ℓ' e over them, and the information is less by A = Σ w i e eᵀ, where e is a row of B, and ℓ' and i are the slope
and the information of an answer in its margin. One step of Newton's method leads to

    x₋ = x - (H - A)⁻¹ g.

A and g are zero outside the unknowns that the judge's votes are about, and on these (H - A)⁻¹ = (1 - C A)⁻¹ C, where C
is their part of H⁻¹: a judge of k items costs k³, not n³. Beyond 2000 items H⁻¹ is not at hand. There the items that
the judge did not vote on stay where they are, so C is the inverse of the part of H. For a judge of more than 2000 items
H - A is made from the others' votes, the step is found by conjugate gradients, and variances are those of an item the
others of which are known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from ordain._one_thread import one_blas_thread
from ordain._types import Vector
from ordain.rank.bradley_terry.links import DENSE, Graph, Information
from ordain.rank.bradley_terry.noise import Noise, fisher
from ordain.rank.bradley_terry.posterior import BradleyTerry
from ordain.votes.cast_votes import Votes

ENTRIES = 4_000_000
"""Most entries of the small matrices that are solved in one go; not more than a judge of more than 2000 items has."""


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
        rows, right = batch.rows, _gathered(batch, shown, slopes[batch.rows])
        if batch.unknowns.shape[1] > DENSE + 1:
            step, covariance = _iterated(_others(votes, fit, rows), batch, right)
        else:
            covariance = _without(blocks(batch.unknowns), batch, shown, weights[rows])
            step = np.einsum("jik,jk->ji", covariance, right)
        ahead[rows] -= step[batch.judge, batch.places[0]] - step[batch.judge, batch.places[1]]
        position[rows] = shown * (x[-1] - step[batch.judge, -1])
        variances[rows] = _variances(covariance, batch, shown)
        there = ahead[rows] + position[rows]
        pull = counts[rows] * (1 - 2 * fit.lapse) * expit(there) * expit(-there)
        for total, sign in zip(sums, (1.0, np.sign(ahead[rows])), strict=True):
            total[batch.judges] = _squares(covariance, _gathered(batch, shown, pull * sign))
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
        for judges in np.array_split(alike, min(len(alike), -(-len(alike) * int(size + 1) ** 2 // ENTRIES))):
            rows = np.concatenate([by_judge[first[judge] : first[judge + 1]] for judge in judges])
            listed = items[starts[judges][:, None] + np.arange(size)]
            unknowns = np.column_stack((listed, np.full(len(judges), n)))
            yield _Batch(rows, np.searchsorted(judges, clusters[rows]), places[:, rows], judges, unknowns)


def _without(C: Vector, batch: _Batch, shown: float, weights: Vector) -> Vector:
    """(H - A)⁻¹ on each judge's unknowns."""
    with one_blas_thread():
        return np.linalg.solve(np.eye(C.shape[-1]) - C @ _taken(batch, shown, weights), C)


def _others(votes: Votes, fit: BradleyTerry, rows: Vector) -> Information:
    """H - A, from the votes that are not in these rows."""
    others = votes.take(np.delete(np.arange(len(votes)), rows))
    shown, x = bool(fit.information.graph.shown), np.append(fit.scores, fit.position)
    graph = Graph(others.pairs, others.answers, len(fit.scores), shown, others.weights)
    weights = graph.weights * fisher(graph.margins(x), Noise(fit.spread, fit.lapse))
    return Information(graph, weights, fit.information.prior)


def _iterated(information: Information, batch: _Batch, right: Vector) -> tuple[Vector, Vector]:
    """(H - A)⁻¹ g of one judge, and the diagonal that stands for (H - A)⁻¹."""
    (line,), whole = batch.unknowns, np.zeros(len(information.diagonal))
    whole[line] = right[0]
    return information.iterated(whole, 1e-4)[None, line], 1 / information.diagonal[None, line]


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


def _variances(C: Vector, batch: _Batch, shown: float) -> Vector:
    """eᵀ C e for each vote, C being given whole or by its diagonal."""
    judge, (left, right) = batch.judge, batch.places
    if C.ndim == 2:
        return C[judge, left] + C[judge, right] + shown * C[judge, -1]
    items = C[judge, left, left] + C[judge, right, right] - 2 * C[judge, left, right]
    return items + shown * (C[judge, -1, -1] + 2 * C[judge, left, -1] - 2 * C[judge, right, -1])


def _squares(C: Vector, g: Vector) -> Vector:
    """gᵀ C g for each judge, C being given whole or by its diagonal."""
    return (C * g**2).sum(axis=1) if C.ndim == 2 else np.einsum("ji,jik,jk->j", g, C, g)
