"""How often the intervals of precision and recall at the top of a list hold, over chances of many shapes.

Given the scores each row is a coin with a chance of its own; a law says the chance at each place of the list. Writes
one row per cell to the CSV beside this file, with the width of the recall beside that of Clopper and Pearson for so
many hits of so many positives.

    python benchmarks/top_coverage.py [--quick]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from interval_coverage import write
from scipy.special import expit

from ordain.bounds.top_share import precision_interval, recall_interval

SIZES = [(30, 3), (100, 5), (100, 20), (100, 90), (1000, 10), (1000, 100), (1000, 500), (20_000, 200)]


class Row(NamedTuple):
    """A line of the CSV."""

    level: float
    rows: int
    k: int
    law: str
    samples: int
    precision_coverage: float
    precision_width: float
    recall_coverage: float
    recall_width: float
    binomial_coverage: float
    binomial_width: float


def chances(n: int, k: int) -> Iterator[tuple[str, Any]]:
    place = np.arange(n)
    yield "1 in 10 everywhere", np.full(n, 0.1)
    yield "a coin everywhere", np.full(n, 0.5)
    yield "steep at the border", expit(-(place - k) / (0.1 * k + 1))
    yield "falls within the top, few below", 0.9 * expit(-(place - k / 2) / (0.3 * k + 1)) + 0.001
    yield "98 in 100 at the top, 1 below", np.where(place < k, 0.98, 0.01)
    yield "sure and unsure by turns at the top", np.where(place < k, np.where(place % 2 == 0, 1.0, 0.02), 0.05)
    yield "5 in 100 at the top, 1 below", np.where(place < k, 0.05, 0.01)
    yield "fewer at the top", np.where(place < k, 0.02, 0.3)
    yield "all sure but one", np.where(place < k - 1, 1.0, np.where(place < k, 0.5, 0.02))
    yield "falls slowly", 1 / (1 + place / (k / 3 + 1))


def hits(chance: Any, samples: int, rng: np.random.Generator) -> Any:
    """Numbers of hits of independent coins, those of equal chance together."""
    values, sizes = np.unique(chance, return_counts=True)
    return sum(rng.binomial(size, value, samples) for value, size in zip(values, sizes, strict=True))


def covered(found: Any, truth: float) -> tuple[float, float]:
    low, high = found
    return float(np.mean((low <= truth + 1e-12) & (truth <= high + 1e-12))), float(np.mean(high - low))


def cells(samples: int) -> Iterator[Row]:
    for n, k in SIZES:
        for index, (name, chance) in enumerate(chances(n, k)):
            chance, rng = chance.round(4), np.random.default_rng([n, k, index])
            s, t = hits(chance[:k], samples, rng), hits(chance[k:], samples, rng)
            s, t = s[s + t > 0], t[s + t > 0]
            share = float(chance[:k].sum() / chance.sum())
            for level in (0.9, 0.95, 0.99):
                yield Row(
                    level, n, k, name, len(s),
                    *covered(precision_interval(s, k, level), float(chance[:k].mean())),
                    *covered(recall_interval(s, k, s + t, n, level), share),
                    *covered(precision_interval(s, s + t, level), share),
                )  # fmt: skip


def main(quick: bool) -> None:
    start = time.process_time()
    rows = list(cells(500 if quick else 10_000))
    for level in (0.9, 0.95, 0.99):
        part = [row for row in rows if row.level == level]
        for name in ("precision_coverage", "recall_coverage", "binomial_coverage"):
            worst = min(part, key=lambda row: getattr(row, name))
            print(f"{level:.0%} {name:18} worst {getattr(worst, name):.4f} ({worst.k} of {worst.rows}, {worst.law})")
        ratio = np.mean([row.recall_width / row.binomial_width for row in part])
        print(f"{level:.0%} recall is {ratio:.3f} as wide as Clopper and Pearson's")
    if not quick:
        write(rows, Path(__file__).with_suffix(".csv"))
    print(f"{time.process_time() - start:.0f} s of processor time")


if __name__ == "__main__":
    main("--quick" in sys.argv[1:])
