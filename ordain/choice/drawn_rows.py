"""The rows that a comparison looks at, drawn of those that workers hold: the ones that one machine would draw.

Of each class they are the rows with the smallest hashes. Each worker sends the hashes that may be among them, about
twice as many in all as are wanted, however many rows there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from ordain._types import Mask, Vector
from ordain.choice.choose import COMPARED_ROWS
from ordain.choice.piece import Piece, Place
from ordain.engine.spread import gathered
from ordain.rows.dealing import Part
from ordain.rows.draw import chosen_groups, hashes, shared, strata_counts
from ordain.rows.record import Rows

SPARE = 64
"""So many hashes beyond twice those wanted are expected to be sent: fewer than wanted would come once in e⁶⁰ draws."""


@dataclass(frozen=True)
class Draw:
    """Draws the rows that :meth:`Rows.some` draws of all, and brings them here; `report` is told how far it is."""

    client: Any
    pieces: list[Any]
    places: list[Place]
    report: Callable[[float], None] = lambda share: None

    def rows(self, kinds: Vector, amounts: Vector) -> Rows:
        """Of each class those with the smallest hashes; the different labels, and the rows of each, are known."""
        counts, total = strata_counts(kinds, amounts), int(amounts.sum())
        strata = kinds if len(counts) == len(kinds) else None
        taken = counts if total <= COMPARED_ROWS else shared(counts, COMPARED_ROWS)
        few = list(zip(taken.tolist(), counts.tolist(), strict=True))
        keys = self._of_each(_keys, [_near(k, n) for k, n in few], strata)
        every = [np.sort(np.concatenate(of)) for of in zip(*keys, strict=True)]
        last = [int(of[k - 1]) if k else -1 for of, (k, _) in zip(every, few, strict=True)]
        part = self._brought(_rows, last, strata)
        if total <= COMPARED_ROWS:
            return part
        share = (counts / np.maximum(taken, 1))[_stratum(part.labels, strata)]
        return replace(part, weights=share if part.weights is None else share * part.weights)

    def groups(self) -> Rows:
        """Whole groups."""
        size = 1 + max(int(place.codes.max()) for place in self.places if place.codes is not None and len(place.codes))
        told = self._of_each(_groups, size)
        sizes = np.sum([sizes for sizes, *_ in told], 0)
        ends = [of(ends, axis=0) for of, ends in zip((np.min, np.max), list(zip(*told, strict=True))[1:], strict=True)]
        fits = np.ones(size, bool)
        if sizes.sum() > COMPARED_ROWS:
            fits = chosen_groups(sizes, ends[0] < ends[1], COMPARED_ROWS, self.places[0].seed)
        return self._brought(_of_groups, fits)

    def _of_each(self, work: Any, *settings: Any, before: float = 0.0) -> list[Any]:
        """What all pieces give, in the first half of the work or, where that is done before, in the second."""
        tasks = [
            self.client.submit(work, piece, place, *settings, pure=False)
            for piece, place in zip(self.pieces, self.places, strict=True)
        ]
        return gathered(self.client, tasks, lambda share: self.report(before + share / 2))

    def _brought(self, work: Any, *settings: Any) -> Rows:
        found = self._of_each(work, *settings, before=0.5)
        frame = pl.concat([one.X for one in found], how="vertical_relaxed")
        of: list[Any] = [
            None if some[0] is None else np.concatenate(some) for some in list(zip(*found, strict=True))[1:5]
        ]
        return Rows(frame, of[0], of[1], of[2], of[0].dtype != bool, of[3])


def _near(wanted: int, rows: int) -> int:
    """A hash below which so many of the rows, and not many more, are sure to be."""
    return min((2 * wanted + SPARE) * 2**64 // rows, 2**64 - 1)


def _stratum(labels: Vector, strata: Vector | None) -> Vector:
    """The number of the class that each row is drawn from."""
    return np.zeros(len(labels), np.intp) if strata is None else np.searchsorted(strata, labels)


def _chosen(piece: Piece, place: Place, most: Sequence[int], strata: Vector | None) -> tuple[Vector, list[Mask]]:
    """Hashes, and for each class the rows whose hashes are at most so large; none at -1."""
    codes = _stratum(piece.labels(place.known), strata)
    keys = hashes(np.arange(place.start, place.start + len(codes)), place.seed)
    return keys, [
        (codes == code) & (keys <= np.uint64(limit)) if limit >= 0 else np.zeros(len(codes), bool)
        for code, limit in enumerate(most)
    ]


def _keys(piece: Piece, place: Place, near: Sequence[int], strata: Vector | None) -> list[Vector]:
    keys, rows = _chosen(piece, place, near, strata)
    return [keys[mask] for mask in rows]


def _rows(piece: Piece, place: Place, last: Sequence[int], strata: Vector | None) -> Part:
    return _taken(piece, place, np.logical_or.reduce(_chosen(piece, place, last, strata)[1]))


def _groups(piece: Piece, place: Place, size: int) -> tuple[Vector, Vector, Vector]:
    """Of every group the rows that are here, their least label and their largest."""
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    codes, labels = piece.units(place.codes)["groups"], piece.labels(place.known).astype(float)
    np.minimum.at(low, codes, labels)
    np.maximum.at(high, codes, labels)
    return np.bincount(codes, minlength=size), low, high


def _of_groups(piece: Piece, place: Place, chosen: Mask) -> Part:
    return _taken(piece, place, chosen[piece.units(place.codes)["groups"]])


def _taken(piece: Piece, place: Place, mask: Mask) -> Part:
    """Some rows of a piece."""
    kept, weights = np.flatnonzero(mask), piece.weights
    units = {name: of[kept] for name, of in piece.units(place.codes).items()}
    return Part(
        piece.features[kept], piece.labels(place.known)[kept], None if weights is None else weights[kept], **units
    )
