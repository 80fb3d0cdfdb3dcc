"""The AUC with its interval of scored Parquet files that many workers read: what one machine would say."""

from __future__ import annotations

import uuid
from functools import partial
from typing import Any

import numpy as np

from ordain import tables
from ordain.bounds.spread_interval import spread_interval
from ordain.engine import Engine
from ordain.engine.spread import spread
from ordain.evaluation.figures import Evaluation
from ordain.tables.slices import Slice, read_slice, slices

NOTE = "Top-of-list figures are left out on many workers; score --top gives the first of the list."


def evaluate_spread(
    client: Any, where: str, *, label: str, score: str, positive: str | None, method: str, level: float
) -> tuple[Evaluation, list[str]]:
    """The figures of a column of scores of two classes, and what there is to say about the labels."""
    pieces = [client.submit(_read, one, label, score, pure=False) for one in slices(where)]
    facts = client.gather([client.submit(_facts, piece, pure=False) for piece in pieces])
    values = list(dict.fromkeys(value for one in facts for value in one[0]))
    if not values:
        raise ValueError(f"column {label!r} must hold labels. Got none. Is it the right one?")
    column = tables.Category(label, np.arange(len(values), dtype=np.int32), values)
    mask, name = tables.labels(column, positive)
    wanted = {value for value, one in zip(values, mask.tolist(), strict=True) if one}
    held = [piece for piece, one in zip(pieces, facts, strict=True) if one[2]]
    work = partial(_measured, wanted, method, level)
    interval, positives, rows = spread(client, work, held, topic=f"ordain-{uuid.uuid4().hex}")
    classes = {"positive": positives, "negative": rows - positives}
    said = tables.label_notices(column, name, sum(one[1] for one in facts))
    return Evaluation(rows, classes, name, interval.value, interval, note=NOTE), said


def _read(part: Slice, label: str, score: str) -> Any:
    columns, _ = read_slice(part, label=label, numbers=[score], only=True)
    return columns.categories[label], columns.numbers[score], columns.unlabelled


def _facts(piece: Any) -> tuple[list[Any], int, int]:
    return piece[0].values, piece[2], len(piece[1])


def _measured(wanted: set[Any], method: str, level: float, engine: Engine, parts: list[Any], said: Any) -> Any:
    """The interval, the positives and the rows of all workers."""
    mask = np.concatenate([np.array([v in wanted for v in column.values])[column.codes] for column, *_ in parts])
    scores = np.concatenate([values for _, values, _ in parts])
    positives, rows = engine.sum(np.array([np.count_nonzero(mask), len(mask)])).tolist()
    return spread_interval(mask, scores, method=method, level=level, engine=engine), positives, rows
