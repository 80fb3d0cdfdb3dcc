"""How often the intervals of an AUC cover it, and how wide they are, by simulation, for independent rows.

For every cell (sizes of the classes, law, true AUC) many samples are drawn, and the functions of ``ordain.bounds`` are
asked for their intervals at 90, 95 and 99 %. *Tuning* cells are those the formula of ``effective`` was chosen on;
*held-out* cells were fixed before and looked at after. *Gross* cells are of laws where one class loses a little and a
share of it loses everything (the end of events was chosen on spreads .05, .2 and .5 with shares 0.5, 1, 2 and 5 % at
other sizes or AUCs; what is here was not looked at before): where four or more such rows are expected the goal is .93,
where fewer are (*unseen*) there is none, as most misses are samples that hold no such row. The two bootstraps, the
percentile one and BCa with 400 resamples each, are asked on some cells only. Prints, per set, method, size and level,
the worst cell and the mean width; writes one row per method and cell to the CSV beside this file. With 2000 samples a
coverage of .95 has a standard error of .0049, so the worst of a hundred cells that all cover .95 will show about .938.

    python benchmarks/interval_coverage.py [--samples 2000] [SET …]       (other sets stay as they are in the CSV)
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import coverage_laws as laws
import numpy as np
from coverage_laws import Law, batches, counts
from scipy.special import binom, ndtr, ndtri

from ordain.bounds.interval import METHODS, exact, guaranteed, mcdiarmid
from ordain.bounds.variance import Evidence, rows_evidence

LEVELS = (0.95, 0.9, 0.99)
MEASURED = ("value", "variance", "losing", "winning", "third")
SLOW = 8  # the guaranteed interval gets an eighth of the samples, its coverage being proved
LARGE = 2500
RESAMPLES = 400

TUNING = {
    "binormal": laws.binormal,
    "five levels": laws.five_levels,
    "unequal variances": laws.unequal_variances,
    "mixture": laws.mixture,
}
TUNING_SIZES = [(5, 5), (5, 1000), (1000, 5), (20, 20), (20, 200), (50, 50), (100, 100), (200, 200), (1000, 1000)]
HELD_OUT = {
    "exponential": laws.exponential,
    "lognormal shift": laws.lognormal,
    "beta": laws.beta,
    "Student t2": laws.student_two,
    "bimodal": laws.bimodal,
    "zero-inflated": laws.zero_inflated,
    "two levels": laws.two_levels,
    "three levels": laws.three_levels,
} | {
    f"{share:.0%} outliers in {among}": laws.outliers(share, among)
    for share in (0.01, 0.03, 0.05)
    for among in ("positives", "negatives")
}
HELD_OUT_SIZES = [(6, 6), (8, 80), (300, 7), (30, 30), (30, 300), (100, 100), (300, 300)]
GROSS = [
    (150, 3000, 0.03),
    (800, 2000, 0.005),
    (300, 300, 0.015),
    (500, 100, 0.01),
    (120, 120, 0.04),
    (2000, 200, 0.003),
]
UNSEEN = [(100, 5000, 0.01), (50, 1000, 0.02), (200, 200, 0.005)]
BOOTSTRAPPED = [("binormal", 20, 20), ("binormal", 50, 50), ("mixture", 50, 50), ("binormal", 200, 200)]


class Row(NamedTuple):
    """A line of the CSV."""

    set: str
    method: str
    level: float
    positives: int
    negatives: int
    law: str
    auc: float
    samples: int
    coverage: float
    low_above: float  # share of intervals that lie above the truth
    high_below: float
    width: float


def evidence_of(law: Law, m: int, n: int, samples: int, rng: np.random.Generator) -> Evidence:
    parts = [
        rows_evidence(*counts(law.positives(rng, (size, m)), law.negatives(rng, (size, n))))
        for size in batches(samples, m + n)
    ]
    return replace(parts[0], **{name: np.concatenate([getattr(part, name) for part in parts]) for name in MEASURED})


def first(evidence: Evidence, samples: int) -> Evidence:
    return replace(evidence, **{name: getattr(evidence, name)[:samples] for name in MEASURED})


def summary(which: str, method: str, level: float, m: int, n: int, law: str, truth: float, low: Any, high: Any) -> Row:
    above, below = np.mean(low > truth + 1e-12), np.mean(high < truth - 1e-12)
    return Row(which, method, level, m, n, law, truth, len(low), 1 - above - below, above, below, np.mean(high - low))


def measured(which: str, name: str, law: Law, m: int, n: int, truth: float, samples: int, seed: Any) -> Iterator[Row]:
    """Rows of the methods on one cell: the default and DeLong's at all levels, what is proved on the tuning cells only.

    Large samples are drawn half as often.
    """
    samples = samples if m + n <= LARGE else samples // 2
    evidence = evidence_of(law, m, n, samples, np.random.default_rng(seed))
    for level in LEVELS:
        for method in ("effective", "delong"):
            yield summary(which, method, level, m, n, name, truth, *METHODS[method](evidence, level))
    yield summary(which, "exact", LEVELS[0], m, n, name, truth, *exact(evidence, LEVELS[0]))
    if which == "tuning":
        few = first(evidence, samples // SLOW)
        yield summary(which, "guaranteed", LEVELS[0], m, n, name, truth, *guaranteed(few, LEVELS[0]))
        bounds = mcdiarmid(evidence.value, m, n, LEVELS[0])
        yield summary(which, "mcdiarmid", LEVELS[0], m, n, name, truth, *bounds)


def cells(
    which: str, grid: dict[str, Any], sizes: list[tuple[int, int]], aucs: list[float], samples: int
) -> Iterator[Row]:
    solve = {name: cache(law) for name, law in grid.items()}
    for m, n in sizes:
        for index, name in enumerate(grid):
            for truth in aucs:
                law = solve[name](truth)
                if law is not None:
                    seed = [m, n, index, int(1000 * truth), len(which)]
                    yield from measured(which, name, law, m, n, truth, samples, seed)


def gross_cells(which: str, sizes: list[tuple[int, int, float]], samples: int) -> Iterator[Row]:
    """Positives, and by exchange of the classes negatives, of which a share loses everything."""
    for m, n, share in sizes:
        for spread in (0.1, 0.3):
            for truth in (0.7, 0.85, 0.95, 0.98):
                for among in ("positives", "negatives") if which == "gross" else ("positives",):
                    law = laws.gross(spread, share, among)(truth)
                    if law is None:
                        continue
                    sizes_here = (m, n) if among == "positives" else (n, m)
                    name = f"spread {spread}, {share:.1%} of the {among} gross ({share * m:.3g} expected)"
                    seed = [m, n, int(10 * spread), int(1000 * truth), len(among)]
                    yield from measured(which, name, law, *sizes_here, truth, samples, seed)


def bootstraps(samples: int) -> Iterator[Row]:
    """The percentile bootstrap and BCa, by resampling both classes."""
    wanted = [(name, TUNING[name](truth), m, n, truth) for name, m, n in BOOTSTRAPPED for truth in (0.8, 0.95)]
    wanted += [
        (
            "spread 0.3, 3.0% of the positives gross (4.5 expected)",
            laws.gross(0.3, 0.03, "positives")(0.95),
            150,
            600,
            0.95,
        )
    ]
    for name, law, m, n, truth in wanted:
        rng = np.random.default_rng([m, n, int(1000 * truth)])
        ends = np.array(
            [_resampled(law.positives(rng, (1, m))[0], law.negatives(rng, (1, n))[0], rng) for _ in range(samples)]
        )
        for index, method in enumerate(("percentile bootstrap", "BCa bootstrap")):
            yield summary("bootstrap", method, 0.95, m, n, name, truth, *ends[:, index].T)
        evidence = evidence_of(law, m, n, 8 * samples, rng)
        for method in ("effective", "delong"):
            yield summary("bootstrap", method, 0.95, m, n, name, truth, *METHODS[method](evidence, 0.95))


def _resampled(above: Any, below: Any, rng: np.random.Generator) -> list[Any]:
    """Both bootstrap intervals of one sample at 95 %."""
    m, n = len(above), len(below)
    kernel = (np.sign(above[:, None] - below) + 1) / 2
    chosen = [rng.multinomial(size, np.full(size, 1 / size), RESAMPLES) / size for size in (m, n)]
    values = np.sort(((chosen[0] @ kernel) * chosen[1]).sum(1))
    value = kernel.mean()
    parts = [(kernel.mean(1) - value) / m, (kernel.mean(0) - value) / n]
    cubes, squares = (sum((part**power).sum() for part in parts) for power in (3, 2))
    speed = cubes / (6 * squares**1.5) if squares > 0 else 0.0
    share = (np.mean(values < value) + np.mean(values <= value)) / 2
    middle = ndtri(np.clip(share, 0.5 / RESAMPLES, 1 - 0.5 / RESAMPLES))
    z = middle + ndtri([0.025, 0.975])
    return [np.quantile(values, [0.025, 0.975]), np.quantile(values, ndtr(middle + z / (1 - speed * z)))]


def enumerated(sizes: Any, grid: Any) -> Iterator[Row]:
    """Exact coverage of the mixture, where rU is binomial, at the worst A of a grid or beside an end, a jump."""
    for r in sizes:
        successes = np.arange(r + 1)
        every = Evidence(successes / r, np.nan, np.nan, np.nan, r, r * r)
        ends = np.concatenate([end for interval in (exact, guaranteed) for end in interval(every, 0.95)])
        truths = np.concatenate([grid, *(ends[(ends > 0.5) & (ends < 1)] + beside for beside in (-1e-9, 1e-9))])
        chances = binom(r, successes) * truths[:, None] ** successes * (1 - truths[:, None]) ** (r - successes)
        for name, interval in (("exact", exact), ("guaranteed", guaranteed)):
            low, high = interval(every, 0.95)
            above = (chances * (low > truths[:, None])).sum(1)
            below = (chances * (high < truths[:, None])).sum(1)
            worst = int(np.argmax(above + below))
            missed, width = (above[worst], below[worst]), float(chances[worst] @ (high - low))
            yield Row(
                "enumerated", name, 0.95, r, r, "mixture", float(truths[worst]), 0, 1 - sum(missed), *missed, width
            )


def report(rows: list[Any]) -> None:
    """Worst cell and mean width per set, method, level and size, and the width over DeLong's."""
    sized: dict[tuple[Any, ...], list[Any]] = {}
    for row in rows:
        sized.setdefault(row[:5], []).append(row)
    widths = {key: float(np.mean([row.width for row in part])) for key, part in sized.items()}
    for (which, method, level, m, n), part in sized.items():
        if which != "enumerated":
            worst, width = min(part, key=lambda row: row.coverage), widths[which, method, level, m, n]
            base = widths.get((which, "delong", level, m, n), np.nan)
            print(
                f"{which:10} {method:20} {level:.0%} {m:4} × {n:<4} worst {worst.coverage:.4f} ({worst.law}, "
                f"{worst.auc:.3g}), mean width {width:.4f}, {width / base:.3f} of DeLong's"
            )


def write(rows: list[Any], path: Path) -> None:
    """The CSV, a line per cell."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(rows[0]._fields)
        writer.writerows([f"{value:.5g}" if isinstance(value, float) else value for value in row] for row in rows)


def sets(samples: int) -> dict[str, Iterator[Row]]:
    """What is drawn, by the name in the first column of the CSV."""
    return {
        "gross": gross_cells("gross", GROSS, samples),
        "unseen": gross_cells("unseen", UNSEEN, samples),
        "tuning": cells("tuning", TUNING, TUNING_SIZES, [0.6, 0.8, 0.95, 0.99], samples),
        "bootstrap": bootstraps(samples // 8),
        "enumerated": enumerated(range(1, 51), np.arange(0.5, 1, 0.001)),
        "held out": cells("held out", HELD_OUT, HELD_OUT_SIZES, [0.55, 0.7, 0.9, 0.97, 0.995], samples),
    }


def kept(path: Path, wanted: list[str]) -> list[Row]:
    """Lines of the CSV that are of other sets."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        found = [Row(*(_number(value) for value in row.values())) for row in csv.DictReader(file)]
    return [row for row in found if row.set not in wanted]


def _number(value: str) -> Any:
    try:
        return int(value) if value.isdigit() else float(value)
    except ValueError:
        return value


def main() -> None:
    start, path = time.process_time(), Path(__file__).with_suffix(".csv")
    parser = argparse.ArgumentParser(description="How often the intervals of an AUC hold.")
    parser.add_argument(
        "sets", nargs="*", metavar="SET", help="gross, unseen, tuning, bootstrap, enumerated, 'held out'"
    )
    parser.add_argument("--samples", type=int, default=2000)
    typed = parser.parse_args()
    drawn = sets(typed.samples)
    wanted = typed.sets or list(drawn)
    rows = kept(path, wanted)
    for name in wanted:
        found = list(drawn[name])
        report(found)
        rows += found
        write(rows, path)
    print(f"{time.process_time() - start:.0f} s of processor time")


if __name__ == "__main__":
    main()
