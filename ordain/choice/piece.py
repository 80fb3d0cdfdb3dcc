"""A part of the rows to learn from as a worker holds it, and what was asked for when it was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ordain import tables
from ordain._types import Vector
from ordain.choice.fitting import check_asked
from ordain.tables.slices import Slice, read_slice


@dataclass(frozen=True)
class Asked:
    """The columns that a user named, and how the label is meant."""

    label: str
    positive: str | None = None
    graded: bool = False
    weight: str | None = None
    group: str | None = None
    cluster: str | None = None
    drop: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_asked(self.graded, self.positive, self.group, self.cluster)

    @property
    def numbers(self) -> list[str]:
        """Columns of numbers beside the features."""
        return [self.weight] if self.weight else []

    @property
    def units(self) -> list[str]:
        """The column whose rows stay together."""
        return [name for name in (self.group, self.cluster) if name]


class Facts(NamedTuple):
    """The labels of a piece, how many rows each has, its rows, those without a label, and the units it has."""

    labels: list[Any]
    counts: Vector
    rows: int
    unlabelled: int
    units: Sequence[Any] = ()


class Place(NamedTuple):
    """What the labels of a piece mean, the number of its first row, the numbers of its units, and the seed."""

    known: dict[Any, Any]
    start: int
    codes: Vector | None
    seed: int


class Piece:
    """The labelled rows of a slice, as a worker holds them."""

    def __init__(self, part: Slice, asked: Asked) -> None:
        self.columns, self.features = read_slice(
            part, label=asked.label, numbers=asked.numbers, categories=asked.units, drop=asked.drop
        )
        self.asked = asked

    def facts(self) -> Facts:
        """What the others must know of it."""
        column = self.columns.categories[self.asked.label]
        units = [self.columns.categories[name].values for name in self.asked.units]
        return Facts(column.values, _counted(column), self.columns.rows, self.columns.unlabelled, *units)

    def units(self, codes: Vector | None) -> dict[str, Any]:
        """Group or cluster of each row, as whole numbers that all pieces know."""
        if codes is None:
            return {}
        own = codes[self.columns.categories[self.asked.units[0]].codes]
        return {"groups" if self.asked.group else "clusters": own}

    def labels(self, known: Mapping[Any, Any]) -> Vector:
        """Whether each row is positive, or its grade."""
        column = self.columns.categories[self.asked.label]
        return np.array([known[value] for value in column.values] or [False])[column.codes]

    @property
    def weights(self) -> Vector | None:
        """The weights of the rows."""
        return self.columns.numbers[self.asked.weight] if self.asked.weight else None


def _counted(column: tables.Category) -> Vector:
    return np.bincount(column.codes, minlength=len(column.values))
