"""How often the intervals of an AUC cover it, and how wide they are, by simulation.

For every cell (sizes of the classes, distribution, true AUC) many samples are drawn, and the functions of
``ordain.bounds`` are asked for their 95 % intervals. *Tuning* cells are those the formula of ``effective`` was chosen
on (with some more, of normal scores with 1.5 to 7 % outliers and of Laplace scores with unequal scales, at other sizes
and AUCs); *held-out* cells were fixed before and looked at once, after. Prints, per method and size, the worst cell
and the mean width; writes one row per method and cell to the CSV beside this file. With 4000 samples a coverage of .95
has a standard error of .0034, so the worst of a hundred cells that all cover .95 will show about .941.

    python benchmarks/interval_coverage.py [--quick]
"""

from __future__ import annotations

import csv
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import betainc, binom, ndtr, ndtri

from ordain.bounds.comparison import compare_auc, limits, paired_variance
from ordain.bounds.interval import METHODS, auc_interval, exact, guaranteed, mcdiarmid
from ordain.bounds.variance import Evidence, rows_evidence
from ordain.measure.area import placements

LEVEL = 0.95
MEASURED = ("value", "variance", "losing", "winning")
GRID = (np.arange(20_000) + 0.5) / 20_000
Draw = Callable[[np.random.Generator, tuple[int, int]], Any]


class Law(NamedTuple):
    """How positives and negatives are drawn."""

    positives: Draw
    negatives: Draw


class Row(NamedTuple):
    """A line of the CSV."""

    set: str
    method: str
    positives: int
    negatives: int
    law: str
    auc: float
    samples: int
    coverage: float
    low_above: float  # share of intervals that lie above the truth
    high_below: float
    width: float


def normal(shift: float, scale: float = 1.0) -> Draw:
    return lambda rng, shape: shift + scale * rng.standard_normal(shape)


def binormal(auc: float) -> Law:
    return Law(normal(np.sqrt(2) * ndtri(auc)), normal(0))


def unequal_variances(auc: float) -> Law:
    return Law(normal(np.sqrt(10) * ndtri(auc), 3), normal(0))


def mixture(auc: float) -> Law:
    """A positive beats all negatives with probability A and loses to all otherwise."""
    return Law(lambda rng, shape: np.where(rng.random(shape) < auc, 1.0, -1.0), lambda rng, shape: np.zeros(shape))


def levels(tilted: Callable[[float], Any], auc: float) -> Law:
    """Levels 0, 1, … with probabilities tilted(±t), t such that the AUC is right."""

    def area(t: float) -> float:
        above, below = tilted(t), tilted(-t)
        return float(above @ (np.cumsum(below) - below / 2))

    t = brentq(lambda t: area(t) - auc, 0, 40)

    def draw(p: Any) -> Draw:
        return lambda rng, shape: np.searchsorted(np.cumsum(p)[:-1], rng.random(shape), "right").astype(float)

    return Law(draw(tilted(t)), draw(tilted(-t)))


def five_levels(auc: float) -> Law:
    return levels(lambda t: np.diff(ndtr(np.array([-np.inf, -1.2, -0.4, 0.4, 1.2, np.inf]) - t)), auc)


def three_levels(auc: float) -> Law:
    def tilted(t: float) -> Any:
        weights = np.array([0.5, 0.3, 0.2]) * np.exp(t * np.arange(3))
        return weights / weights.sum()

    return levels(tilted, auc)


def two_levels(auc: float) -> Law:
    return Law(*(lambda rng, shape, p=p: (rng.random(shape) < p).astype(float) for p in (auc, 1 - auc)))


def exponential(auc: float) -> Law:
    return Law(
        lambda rng, shape: auc / (1 - auc) * rng.exponential(size=shape), lambda rng, shape: rng.exponential(size=shape)
    )


def solved(auc: float, most: float, quantile: Callable[[float, Any], Any], below: Callable[[Any], Any]) -> float:
    """t with E F₋(Q₊(t, u)) = A over uniform u, F₋ the share of negatives below, half of those tied."""
    return float(brentq(lambda t: np.mean(below(quantile(t, GRID))) - auc, 1e-9, most, xtol=1e-12))


def shifted(auc: float, draw: Draw, quantile: Callable[[Any], Any], below: Callable[[Any], Any]) -> Law:
    """Positives are drawn as negatives and moved up."""
    t = solved(auc, 1e4, lambda t, u: quantile(u) + t, below)
    return Law(lambda rng, shape: draw(rng, shape) + t, draw)


def lognormal(auc: float) -> Law:
    def below(x: Any) -> Any:
        return ndtr(np.log(x))

    return shifted(auc, lambda rng, shape: np.exp(rng.standard_normal(shape)), lambda u: np.exp(ndtri(u)), below)


def student_two(auc: float) -> Law:
    def quantile(u: Any) -> Any:
        return (2 * u - 1) / np.sqrt(2 * u * (1 - u))

    return shifted(
        auc, lambda rng, shape: quantile(rng.random(shape)), quantile, lambda x: 0.5 + x / (2 * np.sqrt(2 + x * x))
    )


def bimodal(auc: float) -> Law:
    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> Any:
        return 5.0 * (rng.random(shape) < 0.5) + rng.standard_normal(shape)

    def quantile(u: Any) -> Any:
        return np.where(u < 0.5, ndtri(np.minimum(2 * u, 1 - 1e-12)), 5 + ndtri(np.maximum(2 * u - 1, 1e-12)))

    return shifted(auc, draw, quantile, lambda x: (ndtr(x) + ndtr(x - 5)) / 2)


def beta(auc: float) -> Law:
    x = GRID

    def area(t: float) -> float:
        density = x ** (1 + t) * (1 - x) ** 2
        return float(density @ betainc(2, 3, x) / density.sum())

    t = brentq(lambda t: area(t) - auc, 0, 5000)
    return Law(lambda rng, shape: rng.beta(2 + t, 3, shape), lambda rng, shape: rng.beta(2, 3, shape))


def zero_inflated(auc: float) -> Law:
    """Zeros with probability .6/k and else exponential with mean k; k = 1 for the negatives."""

    def quantile(k: float, u: Any) -> Any:
        zeros = 0.6 / k
        return np.where(u < zeros, 0.0, -k * np.log1p(-np.maximum(u - zeros, 0) / (1 - zeros)))

    k = 1 + solved(
        auc, 1e6, lambda t, u: quantile(1 + t, u), lambda x: np.where(x == 0, 0.3, 0.6 + 0.4 * -np.expm1(-x))
    )
    return Law(*(lambda rng, shape, k=k: quantile(k, rng.random(shape)) for k in (k, 1.0)))


def outliers(share: float, among: str) -> Callable[[float], Law | None]:
    """Binormal, but a share of the positives lies below, or of the negatives above, all the others."""

    def law(auc: float) -> Law | None:
        if auc / (1 - share) > 0.9998:
            return None
        above, below = binormal(auc / (1 - share))

        def gross(draw: Draw, far: float) -> Draw:
            return lambda rng, shape: np.where(rng.random(shape) < share, far, draw(rng, shape))

        return Law(gross(above, -1e3), below) if among == "positives" else Law(above, gross(below, 1e3))

    return law


TUNING = {
    "binormal": binormal,
    "five levels": five_levels,
    "unequal variances": unequal_variances,
    "mixture": mixture,
}
TUNING_SIZES = [(5, 5), (5, 1000), (1000, 5), (20, 20), (20, 200), (50, 50), (100, 100), (200, 200), (1000, 1000)]
HELD_OUT = {
    "exponential": exponential,
    "lognormal shift": lognormal,
    "beta": beta,
    "Student t2": student_two,
    "bimodal": bimodal,
    "zero-inflated": zero_inflated,
    "two levels": two_levels,
    "three levels": three_levels,
} | {
    f"{share:.0%} outliers in {among}": outliers(share, among)
    for share in (0.01, 0.03, 0.05)
    for among in ("positives", "negatives")
}
HELD_OUT_SIZES = [(6, 6), (8, 80), (300, 7), (15, 15), (30, 30), (30, 300), (100, 100), (300, 300)]


def counts(above: Any, below: Any) -> tuple[Any, Any]:
    """Placements in every sample, a sample being a row of both arrays.

    All samples are sorted at once, by whole numbers: the sample in the upper bits, below it the score in single
    precision with its bits in the order of the numbers. Then a row also beats those of other samples, whose
    number is known.
    """
    (samples, m), n = above.shape, below.shape[1]
    bits = (np.hstack([above, below]).astype(np.float32) + np.float32(0)).view(np.int32).astype(np.int64)
    keys = np.where(bits < 0, bits ^ 0x7FFFFFFF, bits) + (np.arange(samples)[:, None] << 32)
    placed = placements(np.tile(np.arange(m + n) < m, samples), keys.ravel()).reshape(samples, m + n)
    earlier = 2 * np.arange(samples)[:, None]
    return (placed[:, :m] - n * earlier) / (2 * n), (placed[:, m:] - m * earlier[::-1]) / (2 * m)


def batches(samples: int, rows: int) -> Iterator[int]:
    """Sample counts that sum to `samples` with at most a million rows at once."""
    most = max(1, 1_000_000 // rows)
    yield from (min(most, samples - done) for done in range(0, samples, most))


def evidence_of(law: Law, m: int, n: int, samples: int, rng: np.random.Generator) -> Evidence:
    parts = [
        rows_evidence(*counts(law.positives(rng, (size, m)), law.negatives(rng, (size, n))))
        for size in batches(samples, m + n)
    ]
    return replace(parts[0], **{name: np.concatenate([getattr(part, name) for part in parts]) for name in MEASURED})


def first(evidence: Evidence, samples: int) -> Evidence:
    return replace(evidence, **{name: getattr(evidence, name)[:samples] for name in MEASURED})


def summary(which: str, method: str, m: int, n: int, law: str, truth: float, low: Any, high: Any) -> Row:
    above, below = np.mean(low > truth + 1e-12), np.mean(high < truth - 1e-12)
    return Row(which, method, m, n, law, truth, len(low), 1 - above - below, above, below, np.mean(high - low))


def cells(
    which: str, laws: dict[str, Any], sizes: list[tuple[int, int]], aucs: list[float], samples: int, slow: int
) -> Iterator[Row]:
    """Rows of all methods on a grid; the slow method gets fewer samples, its coverage being proved."""
    solve = {name: cache(law) for name, law in laws.items()}
    for m, n in sizes:
        for name in laws:
            for truth in aucs:
                law = solve[name](truth)
                if law is None:
                    continue
                rng = np.random.default_rng([m, n, list(laws).index(name), int(1000 * truth), len(which)])
                evidence = evidence_of(law, m, n, samples, rng)
                for method, interval in METHODS.items():
                    part = first(evidence, slow) if method == "guaranteed" else evidence
                    yield summary(which, method, m, n, name, truth, *interval(part, LEVEL))
                yield summary(which, "mcdiarmid", m, n, name, truth, *mcdiarmid(evidence.value, m, n, LEVEL))


def enumerated(sizes: Any, grid: Any) -> Iterator[Row]:
    """Exact coverage of the mixture, where rU is binomial, at the worst A of a grid or beside an end, a jump."""
    for r in sizes:
        successes = np.arange(r + 1)
        ends = np.concatenate([end for interval in (exact, guaranteed) for end in interval(_binomial(r), LEVEL)])
        truths = np.concatenate([grid, *(ends[(ends > 0.5) & (ends < 1)] + beside for beside in (-1e-9, 1e-9))])
        chances = binom(r, successes) * truths[:, None] ** successes * (1 - truths[:, None]) ** (r - successes)
        for name, interval in (("exact", exact), ("guaranteed", guaranteed)):
            low, high = interval(_binomial(r), LEVEL)
            above, below = ((chances * out).sum(1) for out in (low > truths[:, None], high < truths[:, None]))
            worst = int(np.argmax(above + below))
            missed, width = (above[worst], below[worst]), float(chances[worst] @ (high - low))
            yield Row("enumerated", name, r, r, "mixture", float(truths[worst]), 0, 1 - sum(missed), *missed, width)


def _binomial(r: int) -> Evidence:
    """Every outcome of r comparisons."""
    return Evidence(np.arange(r + 1) / r, np.nan, np.nan, np.nan, r, r * r)


def dependent(samples: int) -> Iterator[Row]:
    """Clusters of rows that share a random shift, and groups of unequal size, with true AUC by a normal integral."""
    for count, size, share, shift in (
        (8, 4, 0.5, 1.5),
        (20, 5, 0.3, 1.5),
        (60, 3, 0.5, 1.5),
        (20, 5, 0.5, 3.0),
        (60, 3, 0.3, 3.0),
    ):
        rng = np.random.default_rng([count, size, int(10 * share), int(10 * shift)])
        truths = {"clusters": ndtr(shift / 2), "groups": ndtr(shift / np.sqrt(2))}
        for unit in truths:
            for method in ("effective", "delong"):
                ends = [_unit_interval(unit, method, count, size, share, shift, rng) for _ in range(samples)]
                low, high = np.array([end for end in ends if end]).T
                law = f"{count} {unit} of 1 to {2 * size - 1}, {share:.0%} positives"
                yield summary("dependent", method, count, size, law, truths[unit], low, high)


def unit_of(unit: str, codes: Any) -> dict[str, Any]:
    return {unit: codes}


def _unit_interval(
    unit: str, method: str, count: int, size: int, share: float, shift: float, rng: np.random.Generator
) -> tuple[float, float] | None:
    codes = np.repeat(np.arange(count), rng.integers(1, 2 * size, count))
    labels = rng.random(len(codes)) < share
    scores = shift * labels + rng.standard_normal(len(codes)) + rng.standard_normal(count)[codes]
    try:
        found = auc_interval(labels, scores, method=method, **unit_of(unit, codes))
    except ValueError:
        return None
    return found.low, found.high


def pairs_of_scorers() -> Iterator[tuple[str, float, Callable[..., Any]]]:
    """Name, true difference, and a draw of (positives by a, by b), (negatives by a, by b)."""

    def correlated(a: float, b: float, rho: float) -> Callable[..., Any]:
        def both(rng: np.random.Generator, shape: tuple[int, int], means: Any) -> Any:
            z, e = rng.standard_normal((2, *shape))
            return z + means[0], rho * z + np.sqrt(1 - rho**2) * e + means[1]

        means = np.sqrt(2) * ndtri([a, b])
        return lambda rng, k, m, n: (both(rng, (k, m), means), both(rng, (k, n), (0, 0)))

    for a, b in ((0.8, 0.8), (0.95, 0.95), (0.7, 0.8), (0.95, 0.99)):
        for rho in (0.3, 0.9):
            yield f"AUC {a} and {b}, correlation {rho}", a - b, correlated(a, b, rho)

    def rare(a: float, b: float) -> Callable[..., Any]:
        def draw(rng: np.random.Generator, k: int, m: int, n: int) -> Any:
            u, good, bad = rng.random((k, m)), 1 + rng.random((k, m)), rng.random((k, n))
            return (np.where(u < a, -1, good), np.where(u > 1 - b, -1, good)), (bad, bad)

        return draw

    for a, b in ((0.03, 0.03), (0.0, 0.02), (0.0, 0.1)):
        yield f"separating but for {a:.0%} and {b:.0%} of the positives", b - a, rare(a, b)


def comparisons(samples: int) -> Iterator[Row]:
    """Coverage of compare_auc; with a true difference of 0 one minus it is the error of the test."""
    for m, n in ((10, 10), (20, 200), (50, 50), (200, 200)):
        for index, (name, truth, draw) in enumerate(pairs_of_scorers()):
            rng = np.random.default_rng([m, n, index])
            ends = []
            for size in batches(samples, m + n):
                (a, b), (c, d) = draw(rng, size, m, n)
                (above_a, below_a), (above_b, below_b) = counts(a, c), counts(b, d)
                above, below = above_a - above_b, below_a - below_b
                plain = above.var(-1) / (m - 1) + below.var(-1) / (n - 1)
                both = [
                    limits(above.mean(-1), v, np.inf, LEVEL)[:2]
                    for v in (paired_variance(above, below), plain + 1e-300)
                ]
                ends.append(np.array(both))
            for method, (low, high) in zip(("paired", "paired delong"), np.concatenate(ends, -1), strict=True):
                yield summary("comparison", method, m, n, name, truth, low, high)


def paired_dependent(samples: int) -> Iterator[Row]:
    """Two equally good scorers on clusters or groups."""
    for unit in ("clusters", "groups"):
        rng = np.random.default_rng(len(unit))
        ends = []
        for _ in range(samples):
            codes = np.repeat(np.arange(25), rng.integers(1, 9, 25))
            labels = rng.random(len(codes)) < 0.4
            shared = 1.5 * labels + rng.standard_normal(len(codes))
            a, b = (shared + rng.standard_normal(len(codes)) + rng.standard_normal(25)[codes] for _ in "ab")
            found = compare_auc(labels, a, b, **unit_of(unit, codes))
            ends.append((found.low, found.high))
        yield summary("comparison", "paired", 25, 8, f"25 {unit} of 1 to 8, equal scorers", 0.0, *np.array(ends).T)


def report(rows: list[Row]) -> None:
    """Worst cell and mean width per method and size, and the width over DeLong's."""
    sized: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        sized.setdefault(row[:4], []).append(row)
    widths = {key: float(np.mean([row.width for row in part])) for key, part in sized.items()}
    for (which, method, m, n), part in sized.items():
        if which == "enumerated":
            continue
        worst, width = min(part, key=lambda row: row.coverage), widths[which, method, m, n]
        base = widths.get((which, "paired delong" if which == "comparison" else "delong", m, n), np.nan)
        print(
            f"{which:10} {method:13} {m:4} × {n:<4} worst {worst.coverage:.4f} ({worst.law}, {worst.auc:.3g}), "
            f"mean width {width:.4f}, {width / base:.3f} of DeLong's"
        )
    for method in ("exact", "guaranteed"):
        worst = min((row for row in rows if row[:2] == ("enumerated", method)), key=lambda row: row.coverage)
        print(f"enumerated {method}: worst {worst.coverage:.4f} at r = {worst.positives}, A = {worst.auc:.3f}")


def main(quick: bool) -> None:
    start = time.perf_counter()
    samples = 400 if quick else 4000
    sizes = (lambda all_sizes: all_sizes[:4:3]) if quick else (lambda all_sizes: all_sizes)
    rows = [
        *cells("tuning", TUNING, sizes(TUNING_SIZES), [0.6, 0.8, 0.95, 0.99], samples, samples // 8),
        *cells("held out", HELD_OUT, sizes(HELD_OUT_SIZES), [0.55, 0.7, 0.9, 0.97, 0.995], samples, samples // 8),
        *enumerated(range(1, 11 if quick else 51), np.arange(0.5, 1, 0.001)),
        *dependent(samples // 4),
        *comparisons(samples),
        *paired_dependent(samples // 4),
    ]
    report(rows)
    if not quick:
        with open(Path(__file__).with_suffix(".csv"), "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(Row._fields)
            writer.writerows([f"{value:.5g}" if isinstance(value, float) else value for value in row] for row in rows)
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main("--quick" in sys.argv[1:])
