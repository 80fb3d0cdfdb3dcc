"""A file with labels and scores, as the commands take it: columns read, labels understood, the rest checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordain import tables
from ordain._types import Vector
from ordain.rows.record import Rows


@dataclass(frozen=True)
class Scored:
    """Rows whose features are columns of scores, and what is known beside them.

    The label that should come first, None for grades; notices; and the names of the groups by their numbers.
    """

    rows: Rows
    positive: str | None
    notices: tuple[str, ...] = ()
    group_names: tuple[Any, ...] = ()

    @property
    def scores(self) -> Vector:
        """One row for each column of scores."""
        return self.rows.features.T

    @property
    def units(self) -> dict[str, Any]:
        """Groups and clusters, as the intervals take them."""
        return {"groups": self.rows.groups, "clusters": self.rows.clusters}


def check_graded(graded: bool, positive: str | None, cluster: str | None) -> None:
    """Grades have neither a positive one nor intervals."""
    if graded and (positive or cluster):
        raise ValueError("--graded must stand alone. Got --positive or --cluster too. Leave them out.")


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
    check_graded(graded, positive, cluster)
    numbers = [*scores, *([weight] if weight else [])]
    keys = [name for name in (group, cluster) if name]
    columns = tables.read_columns(file, label=label, numbers=numbers, categories=keys, reading=reading)
    column = columns.categories[label]
    if graded:
        labels, name = tables.grades(column, reading), None
    else:
        labels, name = tables.labels(column, positive)
    rows = Rows(
        np.column_stack([columns.numbers[score] for score in scores]),
        labels,
        columns.numbers[weight] if weight else None,
        columns.categories[group].codes if group else None,
        graded,
        columns.categories[cluster].codes if cluster else None,
    )
    groups = tuple(columns.categories[group].values) if group else ()
    return Scored(rows, name, tuple(tables.label_notices(column, name, columns.unlabelled)), groups)
