"""Scored Parquet files slice by slice, for those who hold some of them: what the columns mean, and the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordain import tables
from ordain._types import Vector
from ordain.bounds.jackknife import check_units
from ordain.evaluation.scored import check_graded
from ordain.rows.dealing import Part
from ordain.tables.slices import Slice, read_slice


@dataclass(frozen=True)
class Wanted:
    """The columns that a user named, and how the label is meant."""

    label: str
    score: str = "score"
    positive: str | None = None
    graded: bool = False
    weight: str | None = None
    group: str | None = None
    cluster: str | None = None

    def __post_init__(self) -> None:
        check_graded(self.graded, self.positive, self.cluster)
        check_units([0] if self.group else None, [0] if self.cluster else None, 1)

    @property
    def unit(self) -> str | None:
        """The column whose rows stay together."""
        return self.group or self.cluster

    @property
    def one_list(self) -> bool:
        """Whether there is one list of independent rows of two classes, all of the same weight."""
        return not (self.graded or self.weight or self.unit)

    def meaning(self, facts: Sequence[tuple[list[Any], int]]) -> tables.Meaning:
        """What the labels mean, by those that each slice has, and the rows without one."""
        values = list(dict.fromkeys(value for found, _ in facts for value in found))
        lacking = sum(unlabelled for _, unlabelled in facts)
        found = tables.meaning(self.label, values, lacking, positive=self.positive, graded=self.graded)
        if len(set(found.of.values())) < 2:
            grade = next(iter(found.of.values()))
            raise ValueError(f"graded labels must contain two different grades. Got only {grade:g}.")
        return found


def label_facts(part: Slice, label: str) -> tuple[list[Any], int]:
    """The different labels of a slice, and how many of its rows have none."""
    columns, _ = read_slice(part, label=label, only=True)
    return columns.categories[label].values, columns.unlabelled


def sorted_classes(
    parts: Sequence[Slice], wanted: Wanted, known: dict[Any, bool], report: Callable[[int], None]
) -> tuple[Vector, Vector]:
    """The scores of positives and of negatives, each sorted, with no more memory than these and one slice."""
    kind = np.int64 if parts[0].is_whole(wanted.score) else np.float64
    room = np.empty(sum(part.rows for part in parts), kind)
    front, back = 0, len(room)
    for part in parts:
        columns, _ = read_slice(part, label=wanted.label, numbers=[wanted.score], only=True)
        mask, scores = _meant(columns.categories[wanted.label], known), columns.numbers[wanted.score]
        above, below = scores[mask], scores[~mask]
        room[front : front + len(above)], room[back - len(below) : back] = above, below
        front, back = front + len(above), back - len(below)
        report(part.rows)
    room[:front].sort()
    room[back:].sort()
    return room[:front], room[back:]


def scored_part(part: Slice, wanted: Wanted, known: dict[Any, Any]) -> tuple[Part, list[Any]]:
    """The rows of a slice, the unit of each by its number, and the names of these units."""
    numbers = [wanted.score, *([wanted.weight] if wanted.weight else [])]
    units = [wanted.unit] if wanted.unit else []
    columns, _ = read_slice(part, label=wanted.label, numbers=numbers, categories=units, only=True)
    scores = columns.numbers[wanted.score]
    scores = scores.astype(np.int64 if part.is_whole(wanted.score) else np.float64, copy=False)
    weights = columns.numbers[wanted.weight].astype(np.float64) if wanted.weight else None
    if weights is not None and len(weights) and weights.min() < 0:
        raise ValueError(f"weights must not be negative. Got {weights.min():g} in {part.path}. Drop such rows.")
    labels = _meant(columns.categories[wanted.label], known)
    unit = columns.categories[wanted.unit] if wanted.unit else None
    codes = None if unit is None else unit.codes.astype(np.int64)
    found = Part(scores, labels, weights, codes if wanted.group else None, codes if wanted.cluster else None)
    return found, unit.values if unit else []


def _meant(column: tables.Category, known: dict[Any, Any]) -> Vector:
    """Whether each row is positive, or its grade."""
    return np.array([known[value] for value in column.values] or [False])[column.codes]
