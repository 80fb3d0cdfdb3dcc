"""The order of rows that are with workers, by a classifier of pairs: QuickSort's batches are tasks."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from ordain._types import Order
from ordain.engine.cluster import check_workers, current
from ordain.learn.on_dask import partitions, scores_spread
from ordain.learn.on_files import feature_slices, is_place, numbers_of
from ordain.preference import rounded
from ordain.preference.on_workers import on_workers
from ordain.rank.items import METHODS
from ordain.rank.play import play
from ordain.rank.quicksorts import by_scores
from ordain.tables.slices import Slice


def rank_spread(ranker: Any, X: Any, *, method: str, budget: int | None, seed: int | None) -> Order:
    """The row numbers of collections of Dask, or of files, best first; only numbers and answers are here."""
    if budget is not None or method not in METHODS:
        must = f"rows on workers are ranked without a budget, by {', '.join(METHODS)}"
        raise ValueError(f"{must}. Got method {method!r}, budget {budget}. Leave them out.")
    client, rng = current(), np.random.default_rng(seed)
    check_workers(client)
    if ranker.direction_ is not None:
        scores = scores_spread(ranker, X)
        return by_scores(scores.compute() if hasattr(scores, "compute") else scores, rng)
    parts = _parts(client, ranker, X)
    sizes = client.gather(client.map(len, parts, pure=False))
    return play(METHODS[method](sum(sizes), rng), rounded(on_workers(ranker._answers, parts, sizes)))


def _parts(client: Any, ranker: Any, X: Any) -> list[Any]:
    """Futures of the rows as the classifier takes them."""
    shared = client.submit(copy, ranker, pure=False)  # a task, which is done again where a worker is lost
    if is_place(X):
        names = getattr(ranker, "feature_names_in_", None)
        slices, taken = feature_slices(X, names, ranker.n_features_in_)
        return [client.submit(_slice_rows, shared, one, taken, pure=False) for one in slices]
    blocks = [client.compute(block) for block in partitions(X) or ()]
    return [client.submit(_rows, shared, block, pure=False) for block in blocks]


def _slice_rows(ranker: Any, part: Slice, names: list[str]) -> Any:
    frame = numbers_of(part.frame(names)[names])
    return _rows(ranker, frame if hasattr(ranker, "feature_names_in_") else frame.to_numpy())


def _rows(ranker: Any, X: Any) -> Any:
    return ranker._rows(X) if len(X) else np.empty((0, ranker.n_features_in_))
