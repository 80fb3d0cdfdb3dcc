"""What is known of the columns of rows that workers hold: summaries of parts, added by eights where they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ordain._types import Vector
from ordain.choice.piece import Piece
from ordain.engine.spread import gathered
from ordain.prepare.merged import Summary, Texts, counted, merged, summary, with_counts

TOGETHER = 8
"""So many summaries become one at a time, so that no machine has to hold all."""

Report = Callable[[float], None]
"""Is told which share of the pieces was looked at."""


def known_columns(client: Any, pieces: list[Any], report: Report) -> list[Summary]:
    """What is known of each column of all rows.

    There is a second look where a column of text has more values than are counted at once.
    """
    found = list(added(client, looks(client, _summary, pieces), merged, lambda share: report(share / 2)))
    values = {one.name: one.uncounted for one in found if isinstance(one, Texts) and one.uncounted}
    if not values:
        report(1.0)
        return found
    shared = client.submit(given, values, pure=False)
    counts = added(
        client, looks(client, _counted, pieces, also=[shared]), sums_by_name, lambda share: report((1 + share) / 2)
    )
    return with_counts(found, counts)


def added(client: Any, tasks: list[Any], sum_of: Callable[..., Any], report: Report = lambda share: None) -> Any:
    """The sum of what tasks give, in their order."""
    sums = tasks
    while len(sums) > 1:
        groups = [sums[k : k + TOGETHER] for k in range(0, len(sums), TOGETHER)]
        sums = [client.submit(sum_of, *group, pure=False) for group in groups]
    return gathered(client, sums, lambda _: report(sum(task.done() for task in tasks) / len(tasks)))[0]


def looks(client: Any, look: Callable[..., Any], pieces: list[Any], *of_each: list[Any], also: Any = ()) -> list[Any]:
    """What to do with every piece, with what belongs to each and with what all are given."""
    rows = zip(pieces, *of_each, strict=True)
    return [client.submit(look, *row, *also, pure=False) for row in rows]


def _summary(piece: Piece) -> list[Summary]:
    return summary(piece.features)


def _counted(piece: Piece, values: Mapping[str, Sequence[str]]) -> dict[str, Vector]:
    return counted(piece.features, values)


def sums_by_name(*parts: Mapping[str, Vector]) -> dict[str, Vector]:
    """The sums of arrays of the same names."""
    return {name: np.sum([part[name] for part in parts], 0) for name in parts[0]}


def given(values: Any) -> Any:
    """What all need, as a task that Dask can do again where a worker is lost."""
    return values
