"""New items into the order of a run: each is placed by a few comparisons, and every answer so far stays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ordain.judge.judged_items import Item
from ordain.judge.plan import Plan
from ordain.judge.run import Run, items_hash

CALLS = 1.7
"""Questions for a new item, about, as a multiple of log₂ n."""


def with_added(run: Run, items: Sequence[Item]) -> list[Item]:
    """The items of a run with new ones after them; those that it has already, as after a crash, are not there twice."""
    known = {item.id: item for item in run.store.items}
    if clash := [item.id for item in items if item.id in known and item != known[item.id]]:
        raise ValueError(
            f"new items must have ids that the run {run.store.path} has not. Got {clash[0]!r} with another text. "
            "Rename it, or leave it out."
        )
    return [*run.store.items, *(item for item in items if item.id not in known)]


def add(run: Run, items: Sequence[Item]) -> int:
    """Append to a run what it lacks of the items, and plan to place what no plan has yet; the plan's number."""
    if not any(plan.orders for plan in run.plans):
        raise ValueError(f"the run {run.store.path} must have an order to add to. It has none. Judge its items first.")
    run.store.add_items(items[run.n :])
    old = max(plan.n for plan in run.plans if plan.orders)
    if run.n == old:
        placed = [number for number, plan in enumerate(run.plans, 1) if plan.ranker == "insert"]
        if not placed:
            raise ValueError("--add must have items that the run has not. Got none that are new. Is it the right file?")
        return placed[-1]
    seed, wanted = run.store.facts["seed"] + len(run.plans), {"add": items_hash(run.store.items)}
    calls = insertion_calls(old, run.n - old)
    return run.store.add_plan(Plan("insert", run.n, seed, calls, wanted=wanted, new=run.n - old).settings)


def insertion_calls(old: int, new: int) -> int:
    """About how many questions it takes to place new items among old ones.

    Examples
    --------
    >>> insertion_calls(1000, 50)
    850
    """
    return new * int(np.ceil(CALLS * np.log2(old + 1)))
