"""How wide the guaranteed interval is where one class is much larger, beside the one that sees the smaller class alone.

Writes one row per law and size to the CSV beside this file: mean widths, the largest ratio of a sample, and coverage.

    python benchmarks/guaranteed_width.py
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import coverage_laws as laws
import numpy as np
from interval_coverage import write

from ordain.bounds.interval import auc_interval, guaranteed
from ordain.bounds.variance import Evidence

SAMPLES = 30
LAWS = {
    "binormal": laws.binormal,
    "five levels": laws.five_levels,
    "spread 0.2, 1% gross": laws.gross(0.2, 0.01, "positives"),
    "mixture": laws.mixture,
}


class Row(NamedTuple):
    """A line of the CSV."""

    positives: int
    negatives: int
    law: str
    auc: float
    width: float
    smaller_class_width: float
    largest_ratio: float
    coverage: float


def cell(m: int, n: int, name: str, truth: float) -> Row:
    law, rng = LAWS[name](truth), np.random.default_rng([m, n, int(100 * truth)])
    widths, covered = [], 0
    for _ in range(SAMPLES):
        scores = np.append(law.positives(rng, (1, m)), law.negatives(rng, (1, n)))
        found = auc_interval(np.arange(m + n) < m, scores, method="guaranteed")
        low, high = guaranteed(Evidence(found.value, 0, 0, 0, min(m, n), m * n), 0.95)
        widths.append((found.high - found.low, float(high - low)))
        covered += found.low <= truth <= found.high
    ours, theirs = np.array(widths).T
    largest = float((ours / theirs).max())
    return Row(m, n, name, truth, float(ours.mean()), float(theirs.mean()), largest, covered / SAMPLES)


def main() -> None:
    rows = [
        cell(m, n, name, truth)
        for m, n in ((20, 400), (50, 5000), (100, 500), (100, 5000), (300, 6000), (2000, 100))
        for name in LAWS
        for truth in (0.8, 0.9, 0.97)
    ]
    for row in rows:
        print(*row)
    write(rows, Path(__file__).with_suffix(".csv"))


if __name__ == "__main__":
    main()
