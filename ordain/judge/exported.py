"""The questions and answers of a run as votes, one JSON object each, which `ordain rank` reads.

`order` has the ids from the best down, with a list for those that are level, `shown` the ids as they were shown,
`judge` who answered, `weight` how many votes it stands for. A pair whose answer is a chance has it in `p_left`, that of
the first shown. Nothing secret is in it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from ordain.judge.store import Entry, Store
from ordain.preference.journal import places_of


def votes_in(store: Store) -> Iterator[dict[str, Any]]:
    """A vote for every question that has an answer."""
    seen = set()
    for entry in store.entries:
        if entry.asked.key in seen:
            continue
        seen.add(entry.asked.key)
        if (last := _answered(store, entry)) is not None and (vote := _vote(store, last)) is not None:
            yield vote


def _answered(store: Store, entry: Entry) -> Entry | None:
    """The attempt at a question that gave its answer."""
    tries = [one for one in store.attempts(entry.asked.key) if one.replied and one.replied.answer is not None]
    return tries[-1] if tries else None


def _vote(store: Store, entry: Entry) -> dict[str, Any] | None:
    """An answer as a vote; None where nothing was ranked."""
    answer = entry.replied.answer if entry.replied else None
    if answer is None:
        return None
    shown = [store.items[item].id for item in entry.asked.key[1]]
    places = zip(places_of(answer).tolist(), shown, strict=True)
    ranked = sorted((one for one in places if not math.isnan(one[0])), key=lambda one: one[0])
    levels = [[name for _, name in level] for _, level in groupby(ranked, key=lambda one: one[0])]
    order = [level[0] if len(level) == 1 else level for level in levels]
    chance = None if isinstance(answer, tuple) or answer in (0, 0.5, 1) else answer
    vote = {"order": order, "judge": entry.asked.who, "shown": shown, "weight": 1, "p_left": chance}
    return vote if len(ranked) > 1 else None


def as_lines(store: Store) -> Iterator[str]:
    """The votes, a line of JSON each."""
    return (json.dumps(vote, ensure_ascii=False) for vote in votes_in(store))
