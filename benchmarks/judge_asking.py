"""What it takes to order 1,000 items, or to find the first ten, by a judge that costs something: ways of asking.

    python benchmarks/judge_asking.py

Requests, rounds (batches that wait for each other) and tokens, an item having 100 of them and a request 170 beside the
items, with the share of pairs in the wrong order or the recall of the first ten, mean of five judges of lists.py.
*LOTUS's way* partitions by a pivot, every item shown before it, one partition after the other; *SiftRank's way* orders
by the mean place in random lists of ten. Rankers that plan for a budget are run with several.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from lists import JUDGES, METHODS, Judge
from threadpoolctl import threadpool_limits

FILE = Path(__file__).with_suffix(".csv")
N, RUNS, FIRST_SEED, ITEM, AROUND = 1000, 5, 3000, 100, 170
KINDS = ("Plackett-Luce 3", "flips 10 %", "repeats itself")
FIELDS = ["goal", "judge", "way", "budget", "kendall", "recall", "requests", "rounds", "tokens"]


def lotus_way(judge: Judge, rng: np.random.Generator, k: int) -> Any:
    """Partitions one after the other, each item shown before the pivot, those that reach into the first k places."""
    order, blocks = np.empty(N, dtype=np.intp), [(0, rng.permutation(N))]
    while blocks:
        start, items = blocks.pop()
        if len(items) < 2 or start >= k:
            order[start : start + len(items)] = items
            continue
        pivot, rest = items[0], items[1:]
        won = judge.prefer(np.column_stack((rest, np.full(len(rest), pivot)))) > 0.5
        place = start + int(won.sum())
        order[place] = pivot
        blocks += [(place + 1, rest[~won]), (start, rest[won])]
    return order


WAYS: dict[str, list[tuple[str, int, Callable[..., Any]]]] = {
    "first ten": [
        *(("lists (list_field)", texts, METHODS["list_field 10"]) for texts in (2000, 4000, 8000)),
        *(("pairs (field)", texts, METHODS["field"]) for texts in (4000, 8000, 16000)),
        ("LOTUS's way", 0, lambda judge, rng, _: lotus_way(judge, rng, 10)),
        *(("SiftRank's way", texts, METHODS["SiftRank's way"]) for texts in (8000, 32000, 128000)),
    ],
    "whole order": [
        *(("lists (list_window)", texts, METHODS["list_window 10"]) for texts in (6000, 12000, 24000)),
        *(("pairs (window)", texts, METHODS["window"]) for texts in (12000, 24000, 48000)),
        ("LOTUS's way", 0, lambda judge, rng, _: lotus_way(judge, rng, N)),
        *(("SiftRank's way", texts, METHODS["SiftRank's way"]) for texts in (12000, 48000)),
    ],
}


def measured(kind: str, budget: int, way: Callable[..., Any]) -> dict[str, str]:
    """The figures of a way, mean of a few judges."""
    found = []
    for seed in range(FIRST_SEED, FIRST_SEED + RUNS):
        judge = JUDGES[kind](N, seed)
        kendall, recall = judge.losses(way(judge, np.random.default_rng(seed), budget))
        found.append([kendall, recall, judge.requests, judge.rounds, ITEM * judge.texts + AROUND * judge.requests])
    kendall, recall, *counts = np.mean(found, axis=0).tolist()
    figures = dict(zip(FIELDS[6:], (f"{count:.0f}" for count in counts), strict=True))
    return {"kendall": f"{kendall:.4f}", "recall": f"{recall:.2f}", **figures}


def main() -> None:
    with open(FILE, "w", newline="") as file, threadpool_limits(1):
        table = csv.DictWriter(file, FIELDS)
        table.writeheader()
        for goal, ways in WAYS.items():
            for kind in KINDS:
                for name, budget, way in ways:
                    row = {"goal": goal, "judge": kind, "way": name, "budget": budget, **measured(kind, budget, way)}
                    table.writerow(row)
                    file.flush()
                    print(row, flush=True)


if __name__ == "__main__":
    main()
