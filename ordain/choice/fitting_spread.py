"""From Parquet files that many workers read to a model: some rows are compared here, the one picked is fitted to all.

The rows that are compared are those that one machine would draw. What is learned of columns comes from summaries that
add (:mod:`ordain.prepare.merged`), and the ranker is fitted where the rows are (:mod:`ordain.learn.on_dask`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from ordain import tables
from ordain._types import Mask, Vector
from ordain.choice.choose import COMPARED_ROWS
from ordain.choice.compared import Choice, Trial
from ordain.choice.fitting import Training, summary_of
from ordain.choice.search import Search
from ordain.learn.on_dask import Part, fit_parts
from ordain.model import Model
from ordain.prepare import Preparation
from ordain.prepare.merged import merged, summary
from ordain.rows.draw import hashes, shared
from ordain.rows.record import Rows
from ordain.tables.slices import Slice, read_slice, slices


@dataclass(frozen=True)
class Asked:
    """The columns that a user named, and how the label is meant."""

    label: str
    positive: str | None = None
    graded: bool = False
    weight: str | None = None
    drop: tuple[str, ...] = ()

    @property
    def numbers(self) -> list[str]:
        """Columns of numbers beside the features."""
        return [self.weight] if self.weight else []


class Piece:
    """The labelled rows of a slice, as a worker holds them."""

    def __init__(self, part: Slice, asked: Asked) -> None:
        self.columns, self.features = read_slice(part, label=asked.label, numbers=asked.numbers, drop=asked.drop)
        self.asked = asked

    def facts(self) -> tuple[list[Any], Vector, int, int]:
        """The labels that occur, how many rows each has, the rows, and those without a label."""
        column = self.columns.categories[self.asked.label]
        counts = np.bincount(column.codes, minlength=len(column.values))
        return column.values, counts, self.columns.rows, self.columns.unlabelled

    def labels(self, known: Mapping[Any, Any]) -> Vector:
        """Whether each row is positive, or its grade."""
        column = self.columns.categories[self.asked.label]
        return np.array([known[value] for value in column.values] or [False])[column.codes]

    @property
    def weights(self) -> Vector | None:
        """The weights of the rows."""
        return self.columns.numbers[self.asked.weight] if self.asked.weight else None


@dataclass(frozen=True)
class SpreadTraining:
    """Rows that workers hold, and what is known of all of them."""

    pieces: list[Any]
    asked: Asked
    known: dict[Any, Any]
    starts: Vector
    training: Training
    part: Rows


def read_spread(client: Any, where: str, *, seed: int = 0, group: Any = None, cluster: Any = None, **asked: Any) -> Any:
    """Let workers read the files, and draw the rows to compare."""
    if group or cluster:
        raise ValueError("--dask must stand without --group and --cluster. Got one of them. Leave one out.")
    of = Asked(**{**asked, "drop": tuple(asked.get("drop", ()))})
    pieces = [client.submit(Piece, one, of, pure=False) for one in slices(where)]
    facts = client.gather([client.submit(Piece.facts, piece, pure=False) for piece in pieces])
    known, positive, notices = _meaning(of, facts)
    counts = dict.fromkeys(known, 0)
    for values, rows, *_ in facts:
        for value, count in zip(values, rows.tolist(), strict=True):
            counts[value] += count
    starts = np.cumsum([0] + [rows for _, _, rows, _ in facts])
    labels = np.repeat(np.array([known[value] for value in counts]), list(counts.values()))
    part = _drawn(client, pieces, known, starts, labels, seed)
    weights = None if of.weight is None else np.ones(len(labels))
    whole = Rows(Shape(len(labels), part.features.width), labels, weights, graded=of.graded)
    training = Training(whole, of.label, positive, {}, tuple(notices))
    return SpreadTraining(pieces, of, known, starts, training, part)


class Shape:
    """The size of a table that is elsewhere."""

    def __init__(self, rows: int, columns: int) -> None:
        self.shape = rows, columns


def fit_on_workers(
    client: Any,
    spread: SpreadTraining,
    search: Search,
    *,
    asked: Any = None,
    report: Callable[[str], None] | None = None,
) -> tuple[Model, Choice]:
    """The model that ranks best, fitted to all rows where they are, and the comparison that says so."""
    rows = spread.training.rows
    choice = search.choose(rows, report, part=spread.part)
    if report:
        report(f"all rows, {choice.picked.candidate.name}")
    preparation, ranker = _fitted(client, spread, choice.picked, search.seed)
    grades = tuple(np.unique(rows.labels).tolist()) if rows.graded else None
    about = summary_of(rows, choice, search.seed) | {"asked": {name: of for name, of in (asked or {}).items() if of}}
    said = (*spread.training.notices, *preparation.notices)
    model = Model(preparation, ranker, spread.asked.label, spread.training.positive, grades, search.goal, about)
    return replace(model, choice=choice, notices=said), choice


def _fitted(client: Any, spread: SpreadTraining, trial: Trial, seed: int) -> tuple[Preparation, Any]:
    """The preparation and the ranker, both learned from the rows of all workers."""
    preparation = Preparation.learn(spread.part.features, spread.part.labels)
    for _ in range(2):  # the second time around the means of all
        told = [client.submit(_told, preparation, piece, pure=False) for piece in spread.pieces]
        preparation = merged(preparation, [one for one in client.gather(told) if one])
    model = trial.candidate.model
    parts = [client.submit(_matrix, preparation, model, spread.known, piece, pure=False) for piece in spread.pieces]
    manner = trial.manner._replace(means=False)
    shape = (len(spread.training.rows), len(preparation.features(model)))
    ranker = trial.candidate.ranker(shape, preparation.categorical, seed, manner, trial.setting)
    fit_parts(client, ranker, parts)
    if trial.held_out is not None:
        ranker.calibrate(*trial.held_out)
    return preparation, ranker


def _told(preparation: Preparation, piece: Piece) -> list[Any] | None:
    return summary(preparation, piece.features) if piece.columns.rows else None


def _matrix(preparation: Preparation, model: str, known: Mapping[Any, Any], piece: Piece) -> Part:
    """The rows as a learner takes them."""
    return Part(preparation.matrix(piece.features, model), piece.labels(known), piece.weights)


def _meaning(asked: Asked, facts: Sequence[Any]) -> tuple[dict[Any, Any], str | None, list[str]]:
    """For each label whether it is positive, or its grade; how the positive one is written; what there is to say."""
    values = list(dict.fromkeys(value for one in facts for value in one[0]))
    if not values:
        raise ValueError(f"column {asked.label!r} must hold labels. Got none. Is it the right one?")
    column = tables.Category(asked.label, np.arange(len(values), dtype=np.int32), values)
    if asked.graded:
        found, name = tables.grades(column), None
    else:
        found, name = tables.labels(column, asked.positive)
    said = tables.label_notices(column, name, sum(one[3] for one in facts))
    return dict(zip(values, found.tolist(), strict=True)), name, said


def _drawn(client: Any, pieces: list[Any], known: Any, starts: Vector, labels: Vector, seed: int) -> Rows:
    """The rows that :meth:`Rows.some` draws of all, here."""
    kinds, counts = np.unique(labels, return_counts=True)
    taken = counts if len(labels) <= COMPARED_ROWS else shared(counts, COMPARED_ROWS)
    near = [
        min(2 * k * 2**64 // n + 2**58, 2**64 - 1) if k < n else 2**64 - 1
        for k, n in zip(taken.tolist(), counts.tolist(), strict=True)
    ]
    settings = (known, kinds, seed)
    looks = [
        client.submit(_keys, piece, int(start), near, settings, pure=False)
        for piece, start in zip(pieces, starts[:-1], strict=True)
    ]
    keys = client.gather(looks)
    last = [int(np.sort(np.concatenate([one[k] for one in keys]))[count - 1]) for k, count in enumerate(taken.tolist())]
    takes = [
        client.submit(_rows, piece, int(start), last, settings, pure=False)
        for piece, start in zip(pieces, starts[:-1], strict=True)
    ]
    found = client.gather(takes)
    frame = pl.concat([one[0] for one in found], how="vertical_relaxed")
    drawn = np.concatenate([one[1] for one in found])
    weights = None if found[0][2] is None else np.concatenate([one[2] for one in found])
    if len(labels) > COMPARED_ROWS:
        share = (counts / np.maximum(taken, 1))[np.searchsorted(kinds, drawn)]
        weights = share if weights is None else share * weights
    return Rows(frame, drawn, weights, graded=drawn.dtype != bool)


def _chosen(piece: Piece, start: int, most: Sequence[int], settings: Any) -> tuple[Vector, Vector, list[Mask]]:
    """Labels, hashes, and for each class the rows whose hashes are at most so large."""
    known, kinds, seed = settings
    labels = piece.labels(known)
    keys = hashes(np.arange(start, start + len(labels)), seed)
    return (
        labels,
        keys,
        [(labels == kind) & (keys <= np.uint64(limit)) for kind, limit in zip(kinds, most, strict=True)],
    )


def _keys(piece: Piece, start: int, near: Sequence[int], settings: Any) -> list[Vector]:
    _, keys, rows = _chosen(piece, start, near, settings)
    return [keys[mask] for mask in rows]


def _rows(piece: Piece, start: int, last: Sequence[int], settings: Any) -> tuple[pl.DataFrame, Vector, Vector | None]:
    labels, _, rows = _chosen(piece, start, last, settings)
    kept = np.flatnonzero(np.logical_or.reduce(rows))
    weights = piece.weights
    return piece.features[kept], labels[kept], None if weights is None else weights[kept]
