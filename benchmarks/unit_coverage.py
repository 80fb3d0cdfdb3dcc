"""How often intervals hold where rows are not alike: weights, clusters, groups, and two scorers on the same rows.

*Weights*: three laws of weights that have nothing to do with the scores. *Clusters* and *groups*: units of unequal size
whose rows share a random shift, a little or much; `needed` is 1.96 standard deviations of the AUC to both sides, to
which the width is compared. *Comparison*: equally good scorers, of which one minus the coverage is the error of the
test, and unequal ones. The guards, the rule for clusters and the degrees of freedom of weights were settled with some
of these cells in view (10 × 10, 10 × 1000, 20 × 200, 50 × 50, then 1000 × 15 and 12 × 400).
Writes one row per method and cell to the CSV beside this file.

    python benchmarks/unit_coverage.py [--quick]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from coverage_laws import batches, counts
from interval_coverage import write
from scipy.special import ndtri

from ordain.bounds.comparison import compare_auc, limits, paired_variance
from ordain.bounds.interval import METHODS, auc_interval
from ordain.bounds.variance import weighted_evidence

LEVELS = (0.95, 0.9, 0.99)
WEIGHTS: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "exponential": lambda rng, rows: rng.exponential(size=rows) + 1e-9,
    "lognormal": lambda rng, rows: np.exp(rng.standard_normal(rows)),
    "1 in 10 weighs 10": lambda rng, rows: np.where(rng.random(rows) < 0.1, 10.0, 1.0),
}


class Row(NamedTuple):
    """A line of the CSV."""

    set: str
    method: str
    level: float
    positives: int  # or units
    negatives: int  # or their mean size
    law: str
    truth: float
    samples: int
    coverage: float
    width: float
    needed: float


def summary(which: str, method: str, level: float, sizes: tuple[int, int], law: str, truth: float, found: Any) -> Row:
    """A row from the value and both ends of many samples."""
    value, low, high = np.array(found).T
    covered = np.mean((low <= truth + 1e-12) & (truth <= high + 1e-12))
    needed = 2 * 1.96 * float(np.std(value))
    return Row(which, method, level, *sizes, law, truth, len(low), float(covered), float(np.mean(high - low)), needed)


def weighted(samples: int) -> Iterator[Row]:
    for name, weigh in WEIGHTS.items():
        for m, n in ((20, 20), (50, 50), (30, 300), (200, 200)):
            for truth in (0.7, 0.9, 0.97, 0.995):
                rng = np.random.default_rng([m, n, int(1000 * truth), len(name)])
                mask, found = np.arange(m + n) < m, []
                for _ in range(samples):
                    scores = rng.standard_normal(m + n) + mask * np.sqrt(2) * ndtri(truth)
                    found.append(weighted_evidence(mask, scores, weigh(rng, m + n)))
                for level in LEVELS:
                    for method in ("effective", "delong"):
                        ends = [(one.value, *METHODS[method](one, level)) for one in found]
                        yield summary("weights", method, level, (m, n), name, truth, ends)


def units(kind: str, samples: int) -> Iterator[Row]:
    """Shared is the part of the variance of a score that its unit has in common."""
    for count, size, shared in ((10, 10, 0.1), (10, 10, 0.5), (10, 30, 0.1), (25, 5, 0.1), (25, 5, 0.9), (60, 4, 0.5)):
        for truth in (0.75, 0.95):
            rng = np.random.default_rng([count, size, int(10 * shared), int(100 * truth), len(kind)])
            found: dict[str, list[Any]] = {"effective": [], "delong": []}
            while len(found["delong"]) < samples:
                labels, scores, codes = _unit_rows(rng, count, size, shared, truth, kind)
                try:
                    both = [auc_interval(labels, scores, method=method, **{kind: codes}) for method in found]
                except ValueError:
                    continue
                for one in both:
                    found[one.method].append((one.value, one.low, one.high))
            middle = float(np.mean([value for value, *_ in found["delong"]]))
            for method, ends in found.items():
                law = f"shared {shared}, AUC {truth}"
                yield summary(kind, method, 0.95, (count, size), law, middle, ends)


def _unit_rows(rng: np.random.Generator, count: int, size: int, shared: float, truth: float, kind: str) -> Any:
    codes = np.repeat(np.arange(count), rng.integers(1, 2 * size, count))
    labels = rng.random(len(codes)) < 0.4
    common = rng.standard_normal(count)[codes]
    noise = np.sqrt(shared) * common + np.sqrt(1 - shared) * rng.standard_normal(len(codes))
    within = np.sqrt(2 * (1 - shared)) if kind == "groups" else np.sqrt(2)
    if kind == "groups":  # what a group has in common leaves its own pairs alone, so groups differ in how hard they are
        return labels, labels * within * ndtri(truth) * (1 + 0.5 * common) + noise, codes
    return labels, labels * within * ndtri(truth) + noise, codes


def rare_clusters(samples: int) -> Iterator[Row]:
    """A tenth of the clusters has positives that lose everything; the rows of a cluster share little else."""
    for count in (20, 40):
        rng, found = np.random.default_rng(count), []
        while len(found) < samples:
            labels, scores, codes = _unit_rows(rng, count, 10, 0.1, 0.9, "clusters")
            lost = (rng.random(count) < 0.1)[codes] & labels
            if labels.any() and not labels.all():
                one = auc_interval(labels, np.where(lost, -9.0, scores), clusters=codes)
                found.append((one.value, one.low, one.high))
        middle = float(np.mean([value for value, *_ in found]))
        yield summary("rare clusters", "effective", 0.95, (count, 10), "a tenth loses everything", middle, found)


def pairs_of_scorers() -> Iterator[tuple[str, float, Callable[..., Any]]]:
    """Name, true difference, and a draw of (positives by a, by b), (negatives by a, by b)."""

    def correlated(a: float, b: float, rho: float, steps: float = 0.0) -> Callable[..., Any]:
        def both(rng: np.random.Generator, shape: tuple[int, int], means: Any) -> Any:
            z, e = rng.standard_normal((2, *shape))
            drawn = z + means[0], rho * z + np.sqrt(1 - rho**2) * e + means[1]
            return tuple(np.floor(scores * steps) for scores in drawn) if steps else drawn

        means = np.sqrt(2) * ndtri([a, b])
        return lambda rng, k, m, n: (both(rng, (k, m), means), both(rng, (k, n), (0, 0)))

    for a, b, rho in (
        (0.6, 0.6, 0.0),
        (0.8, 0.8, 0.3),
        (0.8, 0.8, 0.9),
        (0.95, 0.95, 0.9),
        (0.7, 0.8, 0.5),
        (0.95, 0.99, 0.3),
    ):
        yield f"AUC {a} and {b}, correlation {rho}", a - b, correlated(a, b, rho)
    yield "AUC 0.7 twice, correlation 0.5, ties", 0.0, correlated(0.7, 0.7, 0.5, 1.0)

    def rare(a: float, b: float) -> Callable[..., Any]:
        def draw(rng: np.random.Generator, k: int, m: int, n: int) -> Any:
            u, good, bad = rng.random((k, m)), 1 + rng.random((k, m)), rng.random((k, n))
            return (np.where(u < a, -1, good), np.where(u > 1 - b, -1, good)), (bad, bad)

        return draw

    for a, b in ((0.03, 0.03), (0.0, 0.1)):
        yield f"separating but for {a:.0%} and {b:.0%} of the positives", b - a, rare(a, b)


def comparisons(samples: int) -> Iterator[Row]:
    """Coverage of compare_auc beside DeLong's paired interval."""
    for m, n in ((10, 10), (10, 1000), (12, 400), (1000, 15), (30, 30), (100, 100)):
        for index, (name, truth, draw) in enumerate(pairs_of_scorers()):
            rng, parts = np.random.default_rng([m, n, index]), []
            for size in batches(samples, 2 * (m + n)):
                (a, b), (c, d) = draw(rng, size, m, n)
                (above_a, below_a), (above_b, below_b) = counts(a, c), counts(b, d)
                above, below = above_a - above_b, below_a - below_b
                plain = above.var(-1) / (m - 1) + below.var(-1) / (n - 1) + 1e-300
                parts.append((above.mean(-1), *paired_variance(above, below), plain))
            value, variance, freedom, plain = (np.concatenate(part) for part in zip(*parts, strict=True))
            for level in LEVELS:
                for method, found in (("paired", (variance, freedom)), ("paired delong", (plain, np.inf))):
                    low, high, _ = limits(value, *found, level)
                    ends = np.column_stack([value, low, high])
                    yield summary("comparison", method, level, (m, n), name, truth, ends)


def paired_units(samples: int) -> Iterator[Row]:
    """Two scorers on clusters or groups; of unequal ones `coverage` is how seldom they are told apart."""
    for kind in ("clusters", "groups"):
        for count, size in ((6, 10), (10, 10), (25, 5)):
            for worse in (0.0, 1.0):
                rng, found = np.random.default_rng([len(kind), count, int(worse)]), []
                for _ in range(samples):
                    codes = np.repeat(np.arange(count), size)
                    labels = rng.random(len(codes)) < 0.4
                    both = 1.5 * labels + rng.standard_normal(len(codes))
                    a, b = (
                        both + rng.standard_normal(len(codes)) + 0.3 * rng.standard_normal(count)[codes] for _ in "ab"
                    )
                    one = compare_auc(labels, a, b - worse * labels, **{kind: codes})
                    found.append((one.difference, one.low, one.high))
                law = "equally good" if worse == 0 else "one worse: share not told apart"
                yield summary(f"paired {kind}", "paired", 0.95, (count, size), law, 0.0, found)


def report(rows: list[Row]) -> None:
    for row in rows:
        if row.coverage < row.level or row.set.startswith("paired") or row.set in ("clusters", "groups"):
            print(
                f"{row.set:15} {row.method:13} {row.level:.0%} {row.positives:4} × {row.negatives:<4} {row.law:50} "
                f"{row.truth:.3f} coverage {row.coverage:.4f}, width {row.width / row.needed:.2f} of what is needed"
            )


def main(quick: bool) -> None:
    start = time.process_time()
    samples = 100 if quick else 2000
    rows = [
        *comparisons(samples),
        *paired_units(samples // 5),
        *units("clusters", samples // 4),
        *units("groups", samples // 4),
        *rare_clusters(samples // 4),
        *weighted(samples // 4),
    ]
    report(rows)
    if not quick:
        write(rows, Path(__file__).with_suffix(".csv"))
    print(f"{time.process_time() - start:.0f} s of processor time")


if __name__ == "__main__":
    main("--quick" in sys.argv[1:])
