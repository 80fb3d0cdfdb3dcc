"""Columns of text as mean labels, learned from rows that workers hold: sums of labels by value and fold, which add.

The folds are given by a hash of the row's number, or of that of its group or cluster.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ordain._types import Vector
from ordain.choice.known_columns import added, given, looks, sums_by_name
from ordain.choice.piece import Piece, Place
from ordain.engine.spread import gathered
from ordain.prepare import Preparation
from ordain.prepare.column_kinds import Text
from ordain.prepare.merged import Summary, Texts
from ordain.prepare.target_means import FOLDS, Means, Target, meant_values, value_sums
from ordain.rows.draw import hashes
from ordain.rows.elsewhere import Elsewhere


class Meant(NamedTuple):
    """The different labels in order, what means are taken of in their place, its mean and variance, and Σw/n."""

    kinds: Vector
    values: Vector
    mean: float
    variance: float
    weight: float

    @classmethod
    def of(cls, rows: Elsewhere, weights: Vector) -> Meant:
        """By the weight of the rows of each label."""
        n, shares = len(rows), weights / weights.sum()
        ranks = (np.cumsum(rows.amounts) - rows.amounts / 2) / n
        values = ranks if rows.graded else rows.kinds.astype(float)
        mean = float(shares @ values)
        return cls(rows.kinds, values, mean, float(shares @ (values - mean) ** 2), float(weights.sum()) / n)

    def target(self, piece: Piece, place: Place) -> Target:
        """Of the rows of a piece."""
        labels, units = piece.labels(place.known), list(piece.units(place.codes).values())
        own = units[0] if units else np.arange(place.start, place.start + len(labels))
        fold = (hashes(own, place.seed) % np.uint64(FOLDS)).astype(np.intp)
        weights = np.ones(len(labels)) if piece.weights is None else piece.weights / self.weight
        return Target(self.mean, self.variance, self.values[np.searchsorted(self.kinds, labels)], weights, fold)


@dataclass(frozen=True)
class ValueSums:
    """What the rows of all pieces add up to, by columns, and what it is sums of."""

    meant: Meant
    sums: dict[str, Vector]

    def of_others(self, preparation: Preparation, piece: Piece, place: Place) -> dict[str, Vector]:
        """Columns of the rows of a piece for trees, each row by the means of the folds it is not in."""
        target = self.meant.target(piece, place)
        columns = [one for one in preparation.columns if isinstance(one, Means)]
        return {one.name: one.of_others(piece.features[one.name], self.sums[one.name], target) for one in columns}


def with_means(client: Any, spread: Any, preparation: Preparation) -> tuple[Preparation, Any]:
    """What :meth:`Preparation.with_means` gives, and a future of the sums that tell what rows learned from are."""
    meant = Meant.of(spread.rows, _label_weights(client, spread))
    values = _values(preparation, spread.columns)
    shared = client.submit(given, (meant, values), pure=False)
    sums = added(client, looks(client, _sums, spread.pieces, spread.places, also=[shared]), sums_by_name)
    target = Target(meant.mean, meant.variance, *[np.empty(0)] * 3)
    columns = [
        Means.of(one, values[one.name], sums[one.name], target) if isinstance(one, Text) and one.name in values else one
        for one in preparation.columns
    ]
    return replace(preparation, columns=tuple(columns)), client.submit(given, ValueSums(meant, sums), pure=False)


def _values(preparation: Preparation, known: Sequence[Summary]) -> dict[str, list[str]]:
    """The values that have a mean, of each column of many."""
    rows = {one.name: one.frequent.rows for one in known if isinstance(one, Texts)}
    return {name: meant_values(rows[name]) for name in preparation.many_valued}


def _label_weights(client: Any, spread: Any) -> Vector:
    """The weight of the rows of each label."""
    if not spread.rows.weighted:
        return np.asarray(spread.rows.amounts, float)
    told = looks(client, _weights, spread.pieces, spread.places, also=[spread.rows.kinds])
    return np.asarray(np.sum(gathered(client, told), 0))


def _weights(piece: Piece, place: Place, kinds: Vector) -> Vector:
    return np.bincount(np.searchsorted(kinds, piece.labels(place.known)), piece.weights, len(kinds))


def _sums(piece: Piece, place: Place, wanted: tuple[Meant, dict[str, list[str]]]) -> dict[str, Vector]:
    meant, values = wanted
    target = meant.target(piece, place)
    return {name: value_sums(piece.features[name], of, target) for name, of in values.items()}
