"""Rankers on Dask: rows stay in the partitions they are in, and one fit runs on all workers that have some.

Every worker does what one machine does, on its own rows, and what is combined goes through its engine
(:mod:`ordain.engine`). Rows of one group are brought to one worker first.
"""

from __future__ import annotations

import uuid
from copy import copy
from functools import partial
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ordain._checks import check_codes, moderate
from ordain._types import Vector
from ordain.engine import Engine
from ordain.engine.cluster import check_workers, current
from ordain.engine.spread import say, spread
from ordain.rows.draw import hashes
from ordain.rows.record import Rows
from ordain.solve.stacked import Stacked


class Part(NamedTuple):
    """Some rows of a table that is spread, and the number of each among all."""

    X: Any
    y: Any
    weights: Any = None
    groups: Any = None
    clusters: Any = None
    numbers: Any = None


class Facts(NamedTuple):
    """What a worker tells of a part of the table."""

    rows: int
    columns: tuple[str, ...] | int
    classes: Vector
    weight: float
    fault: str | None
    grouped: bool


def is_spread(X: Any) -> bool:
    """Whether it is a collection of Dask."""
    return type(X).__module__.split(".")[0] in ("dask", "dask_expr")


def fit_spread(ranker: Any, X: Any, *of_rows: Any) -> Any:
    """Fit a ranker to collections of Dask: features, labels, weights, groups and clusters."""
    client = current()
    check_workers(client)
    columns = [_partitions(values) for values in (X, *of_rows)]
    if len({len(column) for column in columns if column is not None}) > 1:
        counts = " and ".join(str(len(column)) for column in columns if column is not None)
        raise ValueError(f"X, y and what belongs to rows must have as many partitions. Got {counts}. Rechunk them.")
    rows = zip(*(column or [None] * len(columns[0] or ()) for column in columns), strict=True)
    parts = [client.submit(_part, *client.compute(list(row)), pure=False) for row in rows]
    return fit_parts(client, ranker, parts)


def fit_parts(client: Any, ranker: Any, parts: list[Any], *, topic: str | None = None) -> Any:
    """Fit a ranker to futures of :class:`Part`."""
    facts = client.gather(client.map(partial(_facts, gaps=ranker.__sklearn_tags__().input_tags.allow_nan), parts))
    _check(facts, ranker)
    starts, homes = np.cumsum([0] + [one.rows for one in facts]), _homes(client, parts, facts)
    parts = [
        client.submit(_numbered, part, int(start), workers=[home], allow_other_workers=True, pure=False)
        for part, one, start, home in zip(parts, facts, starts[:-1], homes, strict=True)
        if one.rows
    ]
    if any(one.grouped for one in facts):
        parts = _dealt(client, parts)
    topic = topic or f"ordain-{uuid.uuid4().hex}"
    found = spread(client, partial(_fit, _settled(ranker), topic), parts, topic=topic)
    ranker.__dict__.update({name: value for name, value in vars(found).items() if name.endswith("_")})
    names = next(one.columns for one in facts)
    ranker.n_features_in_ = names if isinstance(names, int) else len(names)
    if not isinstance(names, int):
        ranker.feature_names_in_ = np.array(names, dtype=object)
    return ranker


def _homes(client: Any, parts: list[Any], facts: list[Facts]) -> list[str]:
    """A worker for each part: the one that has it, unless that has more than its share of the rows already."""
    load = dict.fromkeys(sorted(client.scheduler_info(n_workers=-1)["workers"]), 0)
    owners, homes = client.who_has(parts), []
    share = sum(one.rows for one in facts) / max(len(load), 1)
    for part, one in zip(parts, facts, strict=True):
        owner = min(owners.get(part.key) or [""])
        fits = owner in load and load[owner] + one.rows / 2 <= share
        homes.append(owner if fits else min(load, key=lambda worker: load[worker]))
        load[homes[-1]] += one.rows
    return homes


def scores_spread(ranker: Any, X: Any) -> Any:
    """Scores of rows that are spread, where they are."""
    if hasattr(X, "map_blocks"):
        whole = X.rechunk({1: -1}) if X.ndim == 2 else X
        return whole.map_blocks(partial(_scores, ranker), drop_axis=1, dtype=np.float64)
    return X.map_partitions(partial(_frame_scores, ranker), meta=(None, np.float64))


def _scores(ranker: Any, X: Any) -> Vector:
    return ranker.decision_function(X) if len(X) else np.empty(0)


def _frame_scores(ranker: Any, frame: Any) -> Any:
    return type(frame.iloc[:, 0])(_scores(ranker, frame), index=frame.index)


def _partitions(values: Any) -> list[Any] | None:
    """A collection as its partitions, all columns of an array in one."""
    if values is None:
        return None
    if not is_spread(values):
        kind = type(values).__name__
        raise ValueError(f"y, weights and groups must be collections of Dask, as X is. Got {kind}. Use from_array.")
    if getattr(values, "ndim", 1) == 2 and hasattr(values, "rechunk"):
        values = values.rechunk({1: -1})
    return list(np.ravel(values.to_delayed()))


def _part(X: Any, y: Any, weights: Any, groups: Any, clusters: Any) -> Part:
    """One partition; frames stay frames until their columns are known to agree."""
    return Part(X, *(None if of is None else np.asarray(of) for of in (y, weights, groups, clusters)))


def _facts(part: Part, *, gaps: bool) -> Facts:
    """What must be known of a part before any work begins."""
    X, columns = part.X, tuple(map(str, part.X.columns)) if hasattr(part.X, "columns") else part.X.shape[1]
    fault = None
    lengths = {len(of) for of in part[1:5] if of is not None} | {X.shape[0]}
    if len(lengths) > 1:
        fault = f"X, y and what belongs to rows must have as many rows in each partition. Got {sorted(lengths)}."
    elif X.shape[0]:
        fault = _fault(X, gaps)
    weight = 1.0 if part.weights is None or not len(part.weights) else float(np.min(part.weights))
    return Facts(X.shape[0], columns, np.unique(part.y), weight, fault, part.groups is not None)


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


def _check(facts: list[Facts], ranker: Any) -> None:
    """The partitions agree, and hold what a ranker takes."""
    for number, one in enumerate(facts):
        if one.columns != facts[0].columns:
            got = f"Got {_named(one.columns)} in partition {number}, {_named(facts[0].columns)} in the first"
            raise ValueError(f"partitions must have the same columns. {got}. Write them again.")
        if one.fault:
            raise ValueError(f"{one.fault} It is in partition {number}.")
        if not (one.weight >= 0 and np.isfinite(one.weight)):
            raise ValueError(f"weights must be finite and not negative. Got {one.weight} in partition {number}.")
    classes: list[Any] = []
    for number, one in enumerate(facts):
        classes += [value for value in one.classes.tolist() if value not in classes]
        if len(classes) > 2 and not ranker.graded:
            got = f"Got {', '.join(map(repr, classes[:3]))}, the third in partition {number}"
            raise ValueError(f"labels must have two values. {got}. For grades, larger being better, set graded=True.")
    if len(classes) < 2:
        raise ValueError(f"labels must contain two classes. Got {classes or 'no rows'}. Is it the right column?")


def _named(columns: Any) -> str:
    return f"{columns} columns" if isinstance(columns, int) else ", ".join(columns[:5])


def _numbered(part: Part, start: int) -> Part:
    """The part as numbers, its rows counted from `start`."""
    return part._replace(X=_matrix(part.X), numbers=np.arange(start, start + part.X.shape[0]))


def _dealt(client: Any, parts: list[Any]) -> list[Any]:
    """The rows dealt out anew, those of a group into one part."""
    places = max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
    pieces = [[client.submit(_piece, part, k, places, pure=False) for part in parts] for k in range(places)]
    joined = [client.submit(_stacked, *of, pure=False) for of in pieces]
    return [part for part, rows in zip(joined, client.gather(client.map(_length, joined)), strict=True) if rows]


def _piece(part: Part, number: int, places: int) -> Part:
    """The rows whose groups go to one of so many places."""
    groups = np.asarray(part.groups)
    kinds, codes = np.unique(groups, return_inverse=True)
    keys = kinds.astype(np.int64) if kinds.dtype.kind in "biu" else np.array([_text_key(one) for one in kinds.tolist()])
    rows = np.flatnonzero((hashes(keys) % np.uint64(places))[codes] == number)
    return Part(*(None if of is None else of[rows] for of in part))


def _text_key(value: Any) -> int:
    """A number that is the same on every machine."""
    found = 0
    for byte in repr(value).encode():
        found = (found * 257 + byte) % (2**61 - 1)
    return found


def _stacked(*parts: Part) -> Part:
    """Parts as one."""

    def both(of: tuple[Any, ...]) -> Any:
        return None if of[0] is None else sparse.vstack(of, "csr") if sparse.issparse(of[0]) else np.concatenate(of)

    return Part(*map(both, zip(*parts, strict=True)))


def _length(part: Part) -> int:
    return len(part.y)


def _settled(ranker: Any) -> Any:
    """A copy whose seed is drawn, so that all workers draw alike."""
    ranker = copy(ranker)
    if hasattr(ranker, "random_state") and not isinstance(ranker.random_state, int):
        draw = np.random if ranker.random_state is None else ranker.random_state
        ranker.random_state = int(draw.randint(2**31 - 1))
    return ranker


def _codes(values: Any, engine: Engine) -> Vector:
    """Groups as whole numbers, those of each worker its own."""
    codes = check_codes(values, len(values), "groups")
    counts = engine.parts(np.array([int(codes.max()) + 1]))
    return codes + sum(int(count[0]) for count in counts[: engine.rank])


def _fit(ranker: Any, topic: str, engine: Engine, parts: list[Part], said: Any) -> Any:
    """Fit on a worker that has these parts."""
    ranker = copy(ranker)
    one = _stacked(*(part._replace(X=None) for part in parts))
    labels = ranker._classes(one.y, engine)
    codes = (None if of is None else _codes(of, engine) for of in (one.groups, one.clusters))
    weights = None if one.weights is None else np.asarray(one.weights, dtype=np.float64)
    if weights is not None:
        weights = moderate(np.append(weights, engine.max(weights.max())))[:-1]
    X = parts[0].X if len(parts) == 1 else Stacked([part.X for part in parts])
    rows = Rows(X, labels, weights, next(codes), ranker.graded, next(codes), engine, one.numbers)
    start = None if said is None or said["weights"] is None else np.array(said["weights"])
    steps = count()

    def report(weights: Vector | None) -> None:
        if engine.rank == 0:
            say(topic, {"step": next(steps), "weights": None if weights is None else weights.tolist()})

    return ranker.fit_rows(rows, start, report)
