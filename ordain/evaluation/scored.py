"""A file with labels and scores, as the commands take it: columns read, labels understood, the rest checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ordain import tables
from ordain._types import Vector


@dataclass(frozen=True)
class Scored:
    """Labels, or grades, and columns of scores with what belongs to each row."""

    labels: Vector
    positive: str | None
    scores: tuple[Vector, ...]
    weights: Vector | None
    groups: Vector | None
    clusters: Vector | None
    notices: tuple[str, ...] = ()

    @property
    def units(self) -> dict[str, Any]:
        """Groups and clusters, as the intervals take them."""
        return {"groups": self.groups, "clusters": self.clusters}


def read_scored(
    file: str,
    *,
    label: str,
    scores: Sequence[str],
    positive: str | None = None,
    graded: bool = False,
    weight: str | None = None,
    group: str | None = None,
    cluster: str | None = None,
    reading: tables.Reading | None = None,
) -> Scored:
    """Read the named columns of a file; every fault is one line that names the row or column."""
    if graded and (positive or cluster):
        raise ValueError("--graded must stand alone. Got --positive or --cluster too. Leave them out.")
    numbers = [*scores, *([weight] if weight else [])]
    keys = [name for name in (group, cluster) if name]
    columns = tables.read_columns(file, label=label, numbers=numbers, categories=keys, reading=reading)
    column = columns.categories[label]
    if graded:
        labels, name = tables.grades(column, reading), None
    else:
        labels, name = tables.labels(column, positive)
    return Scored(
        labels,
        name,
        tuple(columns.numbers[score] for score in scores),
        columns.numbers[weight] if weight else None,
        columns.categories[group].codes if group else None,
        columns.categories[cluster].codes if cluster else None,
        tuple(tables.label_notices(column, name, columns.unlabelled)),
    )
