"""Parquet files as rows to learn from or to score: workers read a slice each, and columns are known by name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import polars.selectors as cs

from ordain._types import Vector
from ordain.rows.dealing import Part
from ordain.tables import Category
from ordain.tables.header import choose
from ordain.tables.slices import Slice, read_slice, slices


class Named(NamedTuple):
    """The columns that are no features: the label, and what belongs to each row."""

    label: Any
    weight: Any = None
    group: Any = None
    cluster: Any = None

    @property
    def numbers(self) -> list[str]:
        """The column of weights."""
        return [] if self.weight is None else [self.weight]

    @property
    def units(self) -> list[str]:
        """The columns whose rows stay together."""
        return [name for name in (self.group, self.cluster) if name is not None]


def is_place(X: Any) -> bool:
    """Whether it is where files are: a path of a file or a folder, or a pattern."""
    return isinstance(X, (str, os.PathLike))


def file_parts(client: Any, where: Any, named: Named) -> tuple[list[Any], list[str]]:
    """Futures of the rows of files, a :class:`Part` for each slice, and the file of each."""
    for name in named:
        if not isinstance(name, str) and (name is not None or named.label is None):
            must = "y, and weights, groups and clusters, must be names of columns where X is a path"
            raise ValueError(f"{must}. Got {type(name).__name__}. Name the column.")
    parts = slices(os.fspath(where))
    own = [named.label, *named.numbers, *named.units]
    choose(str(where), parts[0].schema.names(), own)
    _check_features(parts[0].schema, [name for name in parts[0].schema if name not in own], where)
    return [client.submit(_labelled, one, named, pure=False) for one in parts], [one.path for one in parts]


def feature_slices(where: Any, names: Sequence[str] | None, width: int) -> tuple[list[Slice], list[str]]:
    """The slices of files, and the columns that a ranker takes: its own by their names, else all there are."""
    parts = slices(os.fspath(where))
    schema = parts[0].schema
    taken = list(choose(str(where), schema.names(), None if names is None else list(names)))
    if len(taken) != width:
        got = f"Got {len(taken)} in {where}, for a ranker that knows no names"
        raise ValueError(f"files must have the {width} columns of training. {got}. Leave the others out.")
    _check_features(schema, taken, where)
    return parts, taken


def numbers_of(frame: pl.DataFrame) -> pl.DataFrame:
    """Columns of floats that lie in one block, so that as a matrix they take no more memory."""
    floats = frame.cast({~cs.float(): pl.Float64})
    return pl.from_numpy(floats.to_numpy(order="fortran"), schema=frame.columns)


def _check_features(schema: pl.Schema, names: Sequence[str], where: Any) -> None:
    if not names:
        raise ValueError(f"{where} must have columns to learn from beside those named. Got none. Is it the right one?")
    for name in names:
        if not (schema[name].is_numeric() or schema[name] == pl.Boolean):
            advice = "Make it numbers, or leave it out; ordain fit --dask takes such columns."
            raise ValueError(f"column {name!r} of {where} must hold numbers. Got {schema[name]}. {advice}")


def _labelled(part: Slice, named: Named) -> Part:
    """The rows of a slice that have a label."""
    columns, features = read_slice(part, label=named.label, numbers=named.numbers, categories=named.units)
    weights = None if named.weight is None else columns.numbers[named.weight]
    units = (None if name is None else _values(columns.categories[name]) for name in named[2:])
    return Part(numbers_of(features), _values(columns.categories[named.label]), weights, *units)


def _values(column: Category) -> Vector:
    """The value of each row."""
    return np.array(column.values)[column.codes]
