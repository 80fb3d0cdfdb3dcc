"""Rankers on Dask: rows stay in the partitions they are in, and one fit runs on all workers that have some.

Every worker does what one machine does, on its own rows, and what is combined goes through its engine
(:mod:`ordain.engine`). Rows of one group are brought to one worker first. Rows come in collections of Dask, or in
Parquet files that the workers read (:mod:`ordain.learn.on_files`).
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from copy import copy
from functools import partial
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ordain._checks import moderate
from ordain._types import Vector
from ordain.engine import Engine
from ordain.engine.cluster import check_workers, current, workers_of
from ordain.engine.spread import gathered, one_line, say, spread
from ordain.learn.on_files import Named, feature_slices, file_parts, is_place, numbers_of
from ordain.rows.dealing import Part, dealt, stacked
from ordain.rows.record import Rows
from ordain.solve.stacked import Stacked
from ordain.tables.slices import Slice


class Facts(NamedTuple):
    """What a worker tells of a part of the table: how many rows to learn from, the least and the largest weight, …"""

    rows: int
    columns: tuple[str, ...] | int
    classes: Vector
    weights: tuple[float, float]
    fault: str | None
    grouped: bool
    clustered: bool


def is_spread(X: Any) -> bool:
    """Whether its rows are with workers: a collection of Dask, or where files are that they read."""
    return is_place(X) or _is_collection(X)


def _is_collection(values: Any) -> bool:
    return type(values).__module__.split(".")[0] in ("dask", "dask_expr")


def fit_spread(ranker: Any, X: Any, *of_rows: Any) -> Any:
    """Fit a ranker to collections of Dask: features, labels, weights, groups and clusters; or to files.

    Of files X says where they are, and the others are names of columns.
    """
    client = current()
    check_workers(client)
    if is_place(X):
        parts, places = file_parts(client, X, Named(*of_rows))
        return fit_parts(client, ranker, parts, places=places)
    with one_line(client):
        parts = _collected(client, X, *of_rows)
    return fit_parts(client, ranker, parts)


def _collected(client: Any, X: Any, *of_rows: Any) -> list[Any]:
    """Futures of the rows of collections, a :class:`Part` for each partition."""
    columns = [partitions(values) for values in (X, *of_rows)]
    if len({len(column) for column in columns if column is not None}) > 1:
        counts = " and ".join(str(len(column)) for column in columns if column is not None)
        raise ValueError(f"X, y and what belongs to rows must have as many partitions. Got {counts}. Rechunk them.")
    rows = zip(*(column or [None] * len(columns[0] or ()) for column in columns), strict=True)
    return [client.submit(_part, *client.compute(list(row)), pure=False) for row in rows]


def fit_parts(
    client: Any,
    ranker: Any,
    parts: list[Any],
    *,
    places: list[str] | None = None,
    topic: str | None = None,
    report: Callable[[int], None] | None = None,
) -> Any:
    """Fit a ranker to futures of :class:`Part`; `report` is told of every step, or tree; `places` name the parts."""
    gaps, weighing = ranker.__sklearn_tags__().input_tags.allow_nan, getattr(ranker, "only_weighing", False)
    facts = gathered(client, client.map(partial(_facts, gaps=gaps, weighing=weighing), parts))
    _check(facts, places or [f"partition {number}" for number in range(len(parts))], ranker)
    clusters = getattr(ranker, "alpha", None) == "auto" or getattr(ranker, "early_stopping", None) is not None
    starts, homes = np.cumsum([0] + [one.rows for one in facts]), _homes(client, parts, facts)
    parts = [
        client.submit(
            _numbered, part, int(start), clusters, weighing, workers=[home], allow_other_workers=True, pure=False
        )
        for part, one, start, home in zip(parts, facts, starts[:-1], homes, strict=True)
        if one.rows
    ]
    if any(one.grouped or (one.clustered and clusters) for one in facts):
        parts = dealt(client, _numbered_units(client, parts))
    topic, told = topic or f"ordain-{uuid.uuid4().hex}", None if report is None else lambda said: report(said["step"])
    found = spread(client, partial(_fit, _settled(ranker), topic), parts, topic=topic, report=told)
    ranker.__dict__.update({name: value for name, value in vars(found).items() if name.endswith("_")})
    ranker.classes_ = np.unique(np.concatenate([one.classes for one in facts if len(one.classes)]))
    names = next(one.columns for one in facts)
    ranker.n_features_in_ = names if isinstance(names, int) else len(names)
    if not isinstance(names, int):
        ranker.feature_names_in_ = np.array(names, dtype=object)
    return ranker


def _homes(client: Any, parts: list[Any], facts: list[Facts]) -> list[str]:
    """A worker for each part: the one that has it, unless that has more than its share of the rows already."""
    load = dict.fromkeys(workers_of(client), 0)
    owners, homes = client.who_has(parts), []
    share = sum(one.rows for one in facts) / max(len(load), 1)
    for part, one in zip(parts, facts, strict=True):
        owner = min(owners.get(part.key) or [""])
        fits = owner in load and load[owner] + one.rows / 2 <= share
        homes.append(owner if fits else min(load, key=lambda worker: load[worker]))
        load[homes[-1]] += one.rows
    return homes


def scores_spread(ranker: Any, X: Any) -> Any:
    """Scores of rows that are spread, where they are; those of files, here, in the order of the rows."""
    if is_place(X):
        return _file_scores(ranker, X)
    if hasattr(X, "map_blocks"):
        whole = X.rechunk({1: -1}) if X.ndim == 2 else X
        return whole.map_blocks(partial(_scores, ranker), drop_axis=1, dtype=np.float64)
    return X.map_partitions(partial(_frame_scores, ranker), meta=(None, np.float64))


def _file_scores(ranker: Any, where: Any) -> Vector:
    client = current()
    check_workers(client)
    parts, names = feature_slices(where, getattr(ranker, "feature_names_in_", None), ranker.n_features_in_)
    shared = client.submit(copy, ranker, pure=False)  # a task, which Dask can do again where a worker is lost
    tasks = [client.submit(_slice_scores, one, shared, names, pure=False) for one in parts]
    return np.concatenate(gathered(client, tasks))


def _slice_scores(part: Slice, ranker: Any, names: list[str]) -> Vector:
    """The scores of a slice, of which the ranker takes some columns."""
    frame = numbers_of(part.frame(names)[names])
    if fault := _fault(frame, ranker.__sklearn_tags__().input_tags.allow_nan):
        raise ValueError(f"{fault} It is in {part.path}.")
    return _scores(ranker, frame if hasattr(ranker, "feature_names_in_") else _matrix(frame))


def _scores(ranker: Any, X: Any) -> Vector:
    return ranker.decision_function(X) if len(X) else np.empty(0)


def _frame_scores(ranker: Any, frame: Any) -> Any:
    return type(frame.iloc[:, 0])(_scores(ranker, frame), index=frame.index)


def partitions(values: Any) -> list[Any] | None:
    """A collection as its partitions, all columns of an array in one."""
    if values is None:
        return None
    if not _is_collection(values):
        kind = type(values).__name__
        raise ValueError(f"y, weights and groups must be collections of Dask, as X is. Got {kind}. Use from_array.")
    if getattr(values, "ndim", 1) == 2 and hasattr(values, "rechunk"):
        values = values.rechunk({1: -1})
    return list(np.ravel(values.to_delayed()))


def _part(X: Any, y: Any, weights: Any, groups: Any, clusters: Any) -> Part:
    """One partition; frames stay frames until their columns are known to agree."""
    return Part(X, *(None if of is None else np.asarray(of) for of in (y, weights, groups, clusters)))


def _facts(part: Part, *, gaps: bool, weighing: bool) -> Facts:
    """What must be known of a part before any work begins."""
    X, columns = part.X, tuple(map(str, part.X.columns)) if hasattr(part.X, "columns") else part.X.shape[1]
    fault = None
    lengths = {len(of) for of in part[1:5] if of is not None} | {X.shape[0]}
    if len(lengths) > 1:
        fault = f"X, y and what belongs to rows must have as many rows in each partition. Got {sorted(lengths)}."
    elif X.shape[0]:
        fault = _fault(X, gaps)
    weights = np.ones(X.shape[0]) if part.weights is None else part.weights
    ends = (float(np.min(weights)), float(np.max(weights))) if len(weights) else (0.0, 0.0)
    rows = int(np.count_nonzero(weights)) if weighing else X.shape[0]
    units = part.groups is not None, part.clusters is not None
    return Facts(rows, columns, np.unique(part.y), ends, fault, *units)


def _fault(X: Any, gaps: bool) -> str | None:
    try:
        values = _matrix(X)
    except (TypeError, ValueError) as wrong:
        return f"X must hold numbers. Got otherwise: {' '.join(str(wrong).split())[:80]}."
    values = values.data if sparse.issparse(values) else values
    if np.isinf(values).any() or (not gaps and np.isnan(values).any()):
        return f"X must be finite{', or nan where missing' * gaps}. Got otherwise. Fill or leave out such rows."
    return None


def _matrix(X: Any) -> Any:
    """A partition as a matrix of numbers."""
    array = X if sparse.issparse(X) else np.asarray(X)
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)


def _check(facts: list[Facts], places: list[str], ranker: Any) -> None:
    """The partitions agree, and hold what a ranker takes."""
    for place, one in zip(places, facts, strict=True):
        if one.columns != facts[0].columns:
            got = f"Got {_named(one.columns)} in {place}, {_named(facts[0].columns)} in the first"
            raise ValueError(f"partitions must have the same columns. {got}. Write them again.")
        if one.fault:
            raise ValueError(f"{one.fault} It is in {place}.")
        for weight in one.weights:
            if not (weight >= 0 and np.isfinite(weight)):
                raise ValueError(f"weights must be finite and not negative. Got {weight} in {place}.")
        if len(one.classes) and one.classes.dtype.kind not in "biuf":
            got = f"Got {one.classes.tolist()[0]!r} in {place}"
            raise ValueError(
                f"labels must be numbers, or true and false, on a cluster. {got}. Make them numbers first."
            )
    classes: list[Any] = []
    for place, one in zip(places, facts, strict=True):
        classes += [value for value in one.classes.tolist() if value not in classes]
        if len(classes) > 2 and not ranker.graded:
            got = f"Got {', '.join(map(repr, classes[:3]))}, the third in {place}"
            raise ValueError(f"labels must have two values. {got}. For grades, larger being better, set graded=True.")
    if len(classes) < 2:
        raise ValueError(f"labels must contain two classes. Got {classes or 'no rows'}. Is it the right column?")
    if not any(one.weights[1] > 0 for one in facts):
        raise ValueError("weights must not all be zero. Got nothing else. Is it the right column?")


def _named(columns: Any) -> str:
    return f"{columns} columns" if isinstance(columns, int) else ", ".join(columns[:5])


def _numbered(part: Part, start: int, clusters: bool, weighing: bool) -> Part:
    """The rows to learn from as numbers, counted from `start`; with clusters where a fit looks at them."""
    part = part._replace(X=_matrix(part.X), clusters=part.clusters if clusters else None)
    if weighing and part.weights is not None and not part.weights.all():
        part = part.take(np.flatnonzero(part.weights))
    return part._replace(numbers=np.arange(start, start + part.X.shape[0]))


def _numbered_units(client: Any, parts: list[Any]) -> list[Any]:
    """The parts with groups and clusters as whole numbers, by their places among the sorted ones of all parts."""
    kinds = gathered(client, client.map(_kinds, parts, pure=False))
    found = [None if of[0] is None else np.unique(np.concatenate(of)) for of in zip(*kinds, strict=True)]
    return client.map(_coded, parts, known=client.scatter(found, hash=False, broadcast=True), pure=False)


def _kinds(part: Part) -> list[Any]:
    """The different groups and clusters of a part."""
    return [None if of is None else _unique(of) for of in (part.groups, part.clusters)]


def _unique(values: Any) -> Vector:
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise ValueError("groups and clusters must not be missing. Got nan. Fill in or leave out such rows.")
    try:
        return np.unique(values)
    except TypeError:
        raise ValueError("groups must be all text or all numbers. Got a mixture. Convert the column first.") from None


def _coded(part: Part, known: list[Any]) -> Part:
    codes = (
        None if of is None else np.searchsorted(all_of, of)
        for of, all_of in zip((part.groups, part.clusters), known, strict=True)
    )
    return part._replace(groups=next(codes), clusters=next(codes))


def _settled(ranker: Any) -> Any:
    """A copy whose seed is drawn, so that all workers draw alike."""
    ranker = copy(ranker)
    if hasattr(ranker, "random_state") and not isinstance(ranker.random_state, int):
        draw = np.random if ranker.random_state is None else ranker.random_state
        ranker.random_state = int(draw.randint(2**31 - 1))
    return ranker


def _fit(ranker: Any, topic: str, engine: Engine, parts: list[Part], said: Any) -> Any:
    """Fit on a worker that has these parts."""
    ranker = copy(ranker)
    one = stacked(*(part._replace(X=None) for part in parts))
    labels = ranker._classes(one.y, engine)
    weights = None if one.weights is None else np.asarray(one.weights, dtype=np.float64)
    if weights is not None:
        weights = moderate(weights, engine.max(weights.max()))
    X = parts[0].X if len(parts) == 1 else Stacked([part.X for part in parts])
    rows = Rows(X, labels, weights, one.groups, ranker.graded, one.clusters, engine, one.numbers)
    before, start = -1 if said is None else said["step"], None
    if said is not None and said["weights"] is not None:
        start = np.array(said["weights"])
    steps = count(0 if start is None else before + 1)

    def report(weights: Vector | None) -> None:
        step = next(steps)
        if engine.rank == 0 and step > before:  # trees that grow again are not told again
            say(topic, {"step": step, "weights": None if weights is None else weights.tolist()})

    return ranker.fit_rows(rows, start, report)
