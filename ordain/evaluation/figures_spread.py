"""The figures of scored Parquet files that are read by many workers, or here in little memory: those of one machine.

One list of independent rows needs no more than its scores (:mod:`ordain.measure.spread_ladder`), read by whoever
measures; the rows of groups and clusters are brought to one worker first.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ordain._checks import check_codes, check_share, moderate
from ordain._types import Vector
from ordain.bounds.interval import METHODS
from ordain.bounds.spread_interval import ladder_interval, units_interval
from ordain.certificate import Interval
from ordain.engine import Engine
from ordain.engine.cluster import workers_of
from ordain.engine.spread import gathered, say, spread
from ordain.evaluation.along_list import along_borders
from ordain.evaluation.figures import GRADED_NOTE, MAX_FPR, Evaluation, evaluate, no_list_note, top_note, top_sizes
from ordain.evaluation.gains import PLACES, Gains, mean_gains
from ordain.evaluation.scored import Scored
from ordain.evaluation.scored_slices import Wanted, label_facts, scored_part, sorted_classes
from ordain.measure import group_ndcg
from ordain.measure.spread_area import spread_auc
from ordain.measure.spread_ladder import Ladder, first_rows, ladder_partial_auc, largest
from ordain.rows.dealing import Part, common_codes, dealt, stacked
from ordain.rows.record import Rows
from ordain.tables.slices import Slice, Where, slices

Report = Callable[[float], None]
"""Is told which share of the reading is done."""


def evaluate_files(
    where: Where, wanted: Wanted, *, method: str, level: float, report: Report
) -> tuple[Evaluation, list[str], Ladder | None]:
    """The figures of the rows of all files that a folder or a pattern names, and what there is to say of the labels.

    Where they are one list of independent rows, its sorted scores are given too.
    """
    _check(method, level)
    parts, facts = slices(where), []
    for number, one in enumerate(parts):
        facts.append(label_facts(one, wanted.label))
        report((number + 1) / len(parts) / 2)
    meaning, read = wanted.meaning(facts), _Read(parts, report)
    if wanted.one_list:
        ladder = Ladder(*sorted_classes(parts, wanted, meaning.of, read))
        interval = ladder_interval(ladder, method=method, level=level)
        return _list_figures(ladder, interval, meaning.positive), meaning.notices, ladder
    found = [scored_part(one, wanted, meaning.of) for one in parts]
    codes = common_codes([names for _, names in found])
    whole = stacked(*(_coded(one, of) for (one, _), of in zip(found, codes, strict=True)))
    rows = Rows(whole.X[:, None], whole.y, whole.weights, whole.groups, wanted.graded, whole.clusters)
    return evaluate(Scored(rows, meaning.positive), method=method, level=level), meaning.notices, None


def evaluate_spread(
    client: Any, where: Where, wanted: Wanted, *, method: str, level: float, report: Report
) -> tuple[Evaluation, list[str]]:
    """The same, of files that workers read."""
    _check(method, level)
    parts, topic = slices(where), f"ordain-{uuid.uuid4().hex}"
    looks = [client.submit(label_facts, one, wanted.label, pure=False) for one in parts]
    meaning = wanted.meaning(gathered(client, looks, lambda share: report(share / 2)))
    how = (meaning, wanted.graded, method, level)
    if wanted.one_list:
        work: Any = partial(_listed, wanted, topic, *how)
        found = spread(client, work, _shared_out(client, parts), topic=topic, report=_Read(parts, report))
        return found, meaning.notices
    read = [client.submit(scored_part, one, wanted, meaning.of, pure=False) for one in parts]
    sizes = gathered(client, [client.submit(_size, one, pure=False) for one in read], lambda s: report((1 + s) / 2))
    codes = common_codes([names for _, names in sizes])
    held = [
        client.submit(_recoded, one, of, pure=False)
        for one, of, (rows, _) in zip(read, codes, sizes, strict=True)
        if rows
    ]
    held = dealt(client, held) if wanted.unit else held
    return spread(client, partial(_measured, *how), held, topic=topic), meaning.notices


class _Read:
    """Tells which share of all rows was read, the second half of the work."""

    def __init__(self, parts: list[Slice], report: Report) -> None:
        self.rows, self.total, self.report = 0, sum(part.rows for part in parts), report

    def __call__(self, more: int) -> None:
        self.rows += more
        self.report((1 + min(self.rows / self.total, 1)) / 2)


def _check(method: str, level: float) -> None:
    check_share(level, "level")
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}. Got {method!r}.")


def _shared_out(client: Any, parts: list[Slice]) -> list[Any]:
    """Equally many slices for each worker, in one future each."""
    workers = workers_of(client)
    shares = [parts[len(parts) * k // len(workers) : len(parts) * (k + 1) // len(workers)] for k in range(len(workers))]
    return [
        client.submit(list, share, workers=[worker], allow_other_workers=True, pure=False)
        for share, worker in zip(shares, workers, strict=True)
        if share
    ]


def _listed(
    wanted: Wanted, topic: str, meaning: Any, _: bool, method: str, level: float, engine: Engine, *of: Any
) -> Any:
    """The figures of one list, from the slices that are this worker's to read."""
    parts = [one for some in of[0] for one in some]
    ladder = Ladder(*sorted_classes(parts, wanted, meaning.of, partial(say, topic)), engine)
    return _list_figures(ladder, ladder_interval(ladder, method=method, level=level), meaning.positive)


def _list_figures(ladder: Ladder, interval: Interval, positive: str | None, rows: Rows | None = None) -> Evaluation:
    """AUC and top of one list; the rows are needed where they have clusters."""
    count, classes = ladder.m + ladder.n, {"positive": ladder.m, "negative": ladder.n}
    sizes = np.array(top_sizes(count))
    found = along_borders(first_rows(ladder, sizes), sizes, ladder.m, count, level=interval.level, rows=rows)
    tops, first = found.first_rows(), ladder_partial_auc(ladder, MAX_FPR)
    note = top_note(tops, clustered=rows is not None)
    return Evaluation(count, classes, positive, interval.value, interval, first, tops, note)


def _measured(meaning: Any, graded: bool, method: str, level: float, engine: Engine, parts: list[Part], _: Any) -> Any:
    """The figures of rows with weights, grades, groups or clusters."""
    one = stacked(*parts)
    weights = None if one.weights is None else moderate(one.weights, engine.max(float(one.weights.max())))
    rows = Rows(one.X, one.y, weights, one.groups, graded, one.clusters, engine)
    gains = _gains(rows, level)
    if graded:
        return _graded(rows, gains)
    interval = units_interval(rows, method=method, level=level)
    if rows.clusters is not None:
        ladder = Ladder(np.sort(rows.features[rows.labels]), np.sort(rows.features[~rows.labels]), engine)
        return _list_figures(ladder, interval, meaning.positive, rows)
    positives = int(engine.sum(int(np.count_nonzero(rows.labels))))
    classes = {"positive": positives, "negative": rows.total - positives}
    note = no_list_note(grouped=rows.groups is not None)
    return Evaluation(rows.total, classes, meaning.positive, interval.value, interval, note=note, gains=gains)


def _graded(rows: Rows, gains: Gains | None) -> Evaluation:
    value = spread_auc(
        rows.labels, rows.features, weights=rows.weights, groups=rows.groups, graded=True, engine=rows.engine
    )
    kinds = rows.engine.distinct(rows.labels)
    counts = rows.engine.sum(np.bincount(np.searchsorted(kinds, rows.labels), minlength=len(kinds)))
    classes = {f"{grade:g}": int(count) for grade, count in zip(kinds[::-1], counts[::-1], strict=True)}
    return Evaluation(rows.total, classes, None, value, note=GRADED_NOTE, gains=gains)


def _gains(rows: Rows, level: float) -> Gains | None:
    """NDCG of groups, or of one graded list, in which no rows but the first and the best count."""
    if rows.weights is not None or (rows.groups is None and not rows.graded):
        return None
    engine, scores = rows.engine, rows.features
    grades = rows.labels.astype(np.float64)
    grades = grades - min(engine.min(float(grades.min())), 0.0)
    if rows.groups is not None:
        codes = check_codes(rows.groups, len(rows), "groups")
        return mean_gains(engine.together(group_ndcg(grades, scores, PLACES, groups=codes)), level)
    count = np.array([min(PLACES, rows.total)])
    kept = scores >= largest([np.sort(scores)], count, engine)[0]
    kept[np.argsort(grades)[-PLACES:]] = True
    return Gains(float(group_ndcg(engine.together(grades[kept]), engine.together(scores[kept]), PLACES)[0]))


def _size(read: tuple[Part, list[Any]]) -> tuple[int, list[Any]]:
    return len(read[0].y), read[1]


def _recoded(read: tuple[Part, list[Any]], codes: Vector) -> Part:
    return _coded(read[0], codes)


def _coded(part: Part, codes: Vector) -> Part:
    """The part with its units by the numbers that all know them by."""
    groups, clusters = (None if of is None else codes[of] for of in (part.groups, part.clusters))
    return part._replace(groups=groups, clusters=clusters)
