"""Fifty new items into an order of a thousand: questions for each, and how far from its place it lands.

    python benchmarks/insertion.py

The old items are ordered by `window` with 10,000 questions to a judge who has each pair wrong for good with chance 0,
10 or 20 %, then fitted by `bradley_terry`; `insert` places the new ones by the same judge. Beside it a sort from
nothing of all 1,050 by `window` with as many questions as both took together. The displacement is the mean over items
of how many places they are from where they belong, of the new and of the old, over ten judges with the standard error.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ordain.preference import counted
from ordain.rank import bradley_terry, play, window
from ordain.rank.insertion import insert

FILE = Path(__file__).with_suffix(".csv")
OLD, NEW, QUESTIONS, JUDGES = 1000, 50, 10_000, 10
FIELDS = [
    "flips",
    "questions_each",
    "rounds",
    "new",
    "new_error",
    "old",
    "old_error",
    "from_nothing",
    "from_nothing_new",
]


def judge_of(utilities: Any, flips: float, seed: int) -> Callable[[Any], Any]:
    """Says the same whenever a pair is asked, wrongly with chance `flips`."""

    def judge(pairs: Any) -> Any:
        low, high = pairs.min(axis=1).astype(np.uint64), pairs.max(axis=1).astype(np.uint64)
        mixed = (low * np.uint64(1_000_003) + high + np.uint64(seed)) * np.uint64(0x9E3779B97F4A7C15)
        wrong = ((mixed ^ (mixed >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9) >> np.uint64(11)) / 2.0**53 < flips
        return (utilities[pairs[:, 0]] > utilities[pairs[:, 1]]) != wrong

    return judge


def displaced(order: Any, utilities: Any) -> Any:
    """How many places each item is from where it belongs."""
    return np.abs(np.argsort(order) - np.argsort(np.argsort(-utilities)))


def trial(flips: float, seed: int) -> tuple[float, int, float, float, float, float]:
    """Questions for a new item, rounds, displacement of the new and the old, and both of a sort from nothing."""
    rng = np.random.default_rng(seed)
    utilities = rng.permutation(OLD + NEW).astype(float)
    judge, asked, given = judge_of(utilities, flips, seed), [], []

    def remembered(pairs: Any) -> Any:
        answers = judge(pairs)
        asked.append(pairs)
        given.append(answers)
        return answers

    play(window(OLD, rng, QUESTIONS), remembered)
    fit = bradley_terry(np.concatenate(asked), np.concatenate(given), OLD, lapse=None)
    new = counted(judge)
    error = float(np.median(fit.standard_errors))
    away = displaced(play(insert(fit.scores, NEW, rng, error=error, lapse=fit.lapse), new), utilities)
    whole = displaced(play(window(OLD + NEW, rng, QUESTIONS + new.calls), judge), utilities)
    return new.calls / NEW, new.batches, away[OLD:].mean(), away[:OLD].mean(), whole.mean(), whole[OLD:].mean()


def main() -> None:
    with open(FILE, "w", newline="") as file:
        table = csv.DictWriter(file, FIELDS)
        table.writeheader()
        for flips in (0.0, 0.1, 0.2):
            found = np.array([trial(flips, seed) for seed in range(JUDGES)])
            mean, error = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(JUDGES)
            figures = [mean[0], mean[1], mean[2], error[2], mean[3], error[3], mean[4], mean[5]]
            row = dict(zip(FIELDS, [f"{flips:g}", *(f"{figure:.1f}" for figure in figures)], strict=True))
            table.writerow(row)
            print(row, flush=True)


if __name__ == "__main__":
    main()
