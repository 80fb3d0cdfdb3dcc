"""Questions that order a list against questions that compare two: quality for texts shown, requests and rounds.

    python benchmarks/lists.py [--quick] [--seconds S] [--data FOLDER]

1,000 items; seeds from 1000 on, none of which was used for tuning. Kendall is the share of pairs in the wrong order and
recall that of the true first ten. *Plackett-Luce s*: utilities N(0, s²) and Gumbel noise, afresh for every list.
*Thurstone + g %*: utilities N(0, 3²) and normal noise of the Gumbel's variance, whose deviation grows by g % for every
item beyond two. *flips*: each pair is wrong for good with chance p, and a list is ordered by wins within it, ties if
equal. *repeats itself*: the same, but wrong with the chance that Bradley-Terry 3 gives to the pair. *first places*:
Plackett-Luce 3 with 1 more for the first place shown and ½ for the second. *ties*: Plackett-Luce 3 in steps of 2.
*garbled*: Plackett-Luce 3, and one list in twenty is ordered by lot.

*SiftRank's way* orders by the mean place in random lists of ten; *sliding windows* sorts lists of ten, the next one
half above the last, from the end of the order to its head, again and again. Coverage is that of 95 % intervals of all
differences of scores, in the mean over the seeds and on the worst. How far ``auto`` is from the best size in texts is
told by (Kendall / least Kendall)² - 1, as the error falls about as the root of the texts. With flips it falls faster,
so the best size is also given 1.15 times fewer texts. FOLDER/text/clear_readability.parquet has texts with known scores
and their standard errors; lists are ordered by the scores with noise of this size, and *kendall* is against the scores.

A cell is a part, a judge, a method and a number of texts, and a row of lists.csv beside this file. What is there is not
measured again; --seconds stops before a cell after so many. --quick measures little and writes nothing.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from scipy.special import expit
from scipy.stats import kendalltau
from threadpoolctl import threadpool_limits

from ordain.preference.questions import is_lists, lists_in, padded
from ordain.rank import field, play, quicksort, window
from ordain.rank.list_model import list_fit
from ordain.rank.lists import list_field, list_window

FIRST_SEED, FEWER = 1000, 10_435  # the second is 12,000 / 1.15
FIELDS = ["part", "judge", "method", "texts", "kendall", "kendall_error", "recall", "recall_error", "coverage",
          "least_coverage", "requests", "rounds", "runs", "items", "seconds"]  # fmt: skip


class Judge:
    """Orders lists by utilities and Gumbel noise; counts what it is asked."""

    def __init__(self, n: int, seed: int, spread: float = 3.0) -> None:
        self.rng, self.n = np.random.default_rng((seed, n)), n
        self.utility = self.rng.normal(scale=spread, size=n)
        self.rank, self.salt = np.argsort(np.argsort(-self.utility)), self.rng.integers(1 << 62, dtype=np.uint64)
        self.texts = self.requests = self.rounds = 0
        self.lists: list[Any] = []
        self.places: list[Any] = []

    def values(self, lists: Any) -> Any:
        """What the judge thinks of the items of lists of one length."""
        return self.utility[lists] + self.rng.gumbel(size=lists.shape)

    def __call__(self, batch: list[Any]) -> list[Any]:
        lengths = np.array([len(shown) for shown in batch])
        self.rounds, self.requests, self.texts = self.rounds + 1, self.requests + len(batch), self.texts + lengths.sum()
        places: list[Any] = [None] * len(batch)
        for size in np.unique(lengths).tolist():
            rows = np.flatnonzero(lengths == size).tolist()
            values = self.values(np.array([batch[row] for row in rows]))
            for row, place in zip(rows, (values[:, None] > values[:, :, None]).sum(axis=2).astype(float), strict=True):
                places[row] = place
        self.lists, self.places = self.lists + batch, self.places + places
        return places

    def prefer(self, pairs: Any) -> Any:
        """The same judge asked for pairs."""
        self.rounds, self.requests, self.texts = (
            self.rounds + 1,
            self.requests + len(pairs),
            self.texts + 2 * len(pairs),
        )
        values = self.values(pairs)
        return (values[:, 0] > values[:, 1]) + (values[:, 0] == values[:, 1]) / 2

    def wins(self, lists: Any, wrong: Callable[[Any, Any], Any]) -> Any:
        """Wins within the list, a pair's coin being a hash of the pair."""
        rank = self.rank[lists]
        upper, lower = np.minimum(rank[:, :, None], rank[:, None]), np.maximum(rank[:, :, None], rank[:, None])
        x = (upper.astype(np.uint64) << np.uint64(32)) + lower.astype(np.uint64) ^ self.salt
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 0x9E3779B97F4A7C15)):
            x = (x ^ x >> np.uint64(shift)) * np.uint64(factor)
        right = (x >> np.uint64(11)) * 2.0**-53 >= wrong(upper, lower)
        return (((rank[:, :, None] < rank[:, None]) == right) & (upper != lower)).sum(axis=2)

    def losses(self, order: Any) -> tuple[float, float]:
        """Kendall distance and recall of the first ten."""
        kendall = (1 - kendalltau(np.arange(self.n), -self.utility[order]).statistic) / 2
        return kendall, float(np.isin(order[:10], np.argsort(-self.utility)[:10]).mean())


class Thurstone(Judge):
    """Normal noise that grows with the list."""

    def __init__(self, n: int, seed: int, growth: float) -> None:
        super().__init__(n, seed)
        self.growth = growth

    def values(self, lists: Any) -> Any:
        noise = self.rng.normal(scale=np.pi / np.sqrt(6), size=lists.shape)
        return self.utility[lists] + noise * (1 + self.growth * (lists.shape[1] - 2))


class Flipping(Judge):
    """Each pair is wrong for good with the same chance, or, if none is given, with Bradley-Terry's."""

    def __init__(self, n: int, seed: int, chance: float | None) -> None:
        super().__init__(n, seed)
        self.chance, self.sorted = chance, -np.sort(-self.utility)

    def values(self, lists: Any) -> Any:
        return self.wins(lists, self.wrong)

    def wrong(self, upper: Any, lower: Any) -> Any:
        return expit(self.sorted[lower] - self.sorted[upper]) if self.chance is None else self.chance


class FirstPlaces(Judge):
    """A bonus for what is shown first."""

    def values(self, lists: Any) -> Any:
        return super().values(lists) + np.maximum(0, 1 - np.arange(lists.shape[1]) / 2)


class Ties(Judge):
    """Notices large differences only."""

    def values(self, lists: Any) -> Any:
        return np.round(super().values(lists) / 2)


class Garbled(Judge):
    """One list in twenty is ordered by lot."""

    def values(self, lists: Any) -> Any:
        garbled = self.rng.random((len(lists), 1)) < 0.05
        return np.where(garbled, self.rng.random(lists.shape), super().values(lists))


class Readers(Judge):
    """Known scores, and noise by their standard errors."""

    def __init__(self, table: pl.DataFrame, seed: int) -> None:
        super().__init__(len(table), seed)
        self.utility, self.noise = table["score"].to_numpy(), table["score_se"].to_numpy()

    def values(self, lists: Any) -> Any:
        return self.utility[lists] + self.noise[lists] * self.rng.normal(size=lists.shape)


JUDGES: dict[str, Callable[[int, int], Judge]] = {
    "Plackett-Luce 3": Judge,
    "Plackett-Luce 6": lambda n, seed: Judge(n, seed, 6.0),
    "Thurstone": lambda n, seed: Thurstone(n, seed, 0.0),
    "Thurstone + 5 %": lambda n, seed: Thurstone(n, seed, 0.05),
    "Thurstone + 20 %": lambda n, seed: Thurstone(n, seed, 0.2),
    "flips 10 %": lambda n, seed: Flipping(n, seed, 0.1),
    "flips 20 %": lambda n, seed: Flipping(n, seed, 0.2),
    "first places": FirstPlaces,
    "repeats itself": lambda n, seed: Flipping(n, seed, None),
    "ties": Ties,
    "garbled": Garbled,
}


def play_lists(ranker: Any, judge: Judge) -> Any:
    """The order of a ranker of lists."""

    def asked(batch: Any) -> Any:
        places = padded([np.asarray(of, dtype=float) for of in judge(lists_in(batch))], batch.shape[1])
        return places if is_lists(batch) else np.nan_to_num(0.5 + np.sign(places[:, 1] - places[:, 0]) / 2, nan=0.5)

    return play(ranker, asked)


def mean_place(judge: Judge, rng: np.random.Generator, texts: int) -> Any:
    """SiftRank's way: random lists of ten, ordered by the mean place."""
    turns = [rng.permutation(judge.n)[: judge.n // 10 * 10].reshape(-1, 10) for _ in range(-(-texts // judge.n))]
    lists = np.concatenate(turns)[: texts // 10]
    places = np.array(judge(list(lists)))
    means = np.bincount(lists.ravel(), places.ravel(), judge.n) / np.maximum(
        np.bincount(lists.ravel(), minlength=judge.n), 1
    )
    return np.argsort(means)


def sliding_windows(judge: Judge, rng: np.random.Generator, texts: int) -> Any:
    """Lists of ten from the end of the order to its head, each half above the last, again and again."""
    order, left = rng.permutation(judge.n), texts
    while left >= 10:
        for start in range(judge.n - 10, -1, -5):
            if left < 10:
                break
            shown = rng.permutation(order[start : start + 10])
            order[start : start + 10] = shown[np.argsort(judge([shown])[0], kind="stable")]
            left -= 10
    return order


METHODS: dict[str, Callable[[Judge, np.random.Generator, int], Any]] = {
    "list_window 10": lambda judge, rng, texts: play_lists(list_window(judge.n, rng, texts), judge),
    "list_window 5": lambda judge, rng, texts: play_lists(list_window(judge.n, rng, texts, 5), judge),
    "list_window 20": lambda judge, rng, texts: play_lists(list_window(judge.n, rng, texts, 20), judge),
    "list_window 3": lambda judge, rng, texts: play_lists(list_window(judge.n, rng, texts, 3), judge),
    "list_window 2": lambda judge, rng, texts: play_lists(list_window(judge.n, rng, texts, 2), judge),
    "list_window auto": lambda judge, rng, texts: play_lists(list_window(judge.n, rng, texts, "auto"), judge),
    "list_field 10": lambda judge, rng, texts: play_lists(list_field(judge.n, 10, rng, texts), judge),
    "list_field 5": lambda judge, rng, texts: play_lists(list_field(judge.n, 10, rng, texts, 5), judge),
    "list_field 20": lambda judge, rng, texts: play_lists(list_field(judge.n, 10, rng, texts, 20), judge),
    "list_field 2": lambda judge, rng, texts: play_lists(list_field(judge.n, 10, rng, texts, 2), judge),
    "window": lambda judge, rng, texts: play(window(judge.n, rng, texts // 2), judge.prefer),
    "field": lambda judge, rng, texts: play(field(judge.n, 10, rng, texts // 2), judge.prefer),
    "quicksort": lambda judge, rng, texts: play(quicksort(judge.n, rng), judge.prefer),
    "SiftRank's way": mean_place,
    "sliding windows": sliding_windows,
}

FRESH, SETTLED = ["Plackett-Luce 3", "Plackett-Luce 6", "Thurstone"], ["flips 10 %", "flips 20 %", "repeats itself"]
"""Judges who answer a pair afresh each time, and who say again what they said."""


class Cell(NamedTuple):
    """What is measured in one row."""

    part: str
    judge: str
    method: str
    texts: int
    runs: int


def cells(data: bool) -> Iterator[Cell]:
    """Everything, the goals first."""
    plain, n = "Plackett-Luce 3", 12_000
    for judge in (plain, "Thurstone + 5 %", "flips 20 %"):
        yield Cell("order", judge, "list_window 10", n, 20)
    for texts in (4000, 8000):
        yield Cell("first ten", plain, "list_field 10", texts, 100)
    for method, texts in (("list_window 10", 16_000), ("window", 45_000)):
        yield Cell("order", plain, method, texts, 20)
    for judge in ("Thurstone + 20 %", "Thurstone + 5 %"):  # who may want short ones
        yield from (Cell("order", judge, f"list_window {size}", n, 20) for size in ("auto", 3))
    for size, ranker, judge in product([5, 10, 20], ["list_window", "list_field"], [plain, "Plackett-Luce 6"]):
        yield Cell("coverage", judge, f"{ranker} {size}", n if ranker == "list_window" else 8000, 10)
    for judge in JUDGES:
        yield Cell("order", judge, "list_window auto", n, 20)
    for judge in ("first places", "garbled", "repeats itself"):
        yield Cell("coverage", judge, "list_window 10", n, 10)
    for judge in JUDGES:
        yield Cell("order", judge, "list_window 10", n, 20)
    yield Cell("order", plain, "window", 30_000, 20)
    for size, judge in product([5, 2], JUDGES):
        yield Cell("order", judge, f"list_window {size}", n, 20)
    for judge, size in (("flips 20 %", 10), ("flips 10 %", 10), ("Thurstone + 20 %", 3)):
        yield Cell("order", judge, f"list_window {size}", FEWER, 20)
    for texts in (4000, 8000):
        yield Cell("first ten", plain, "field", texts, 100)
    for judge, method in product(FRESH + SETTLED, ["list_field 2", "field"]):  # the same texts, two ways to spend them
        yield Cell("first ten", judge, method, 10_000, 20)
    for judge, method in product(JUDGES, ["quicksort", "SiftRank's way", "window"]):
        yield Cell("order", judge, method, n, 20)
    for method, texts in product(["SiftRank's way", "sliding windows"], [4000, 8000]):
        yield Cell("first ten", plain, method, texts, 100)
    for judge, method in product(["Thurstone + 5 %", "flips 20 %", "repeats itself"], ["list_field 10", "field"]):
        yield Cell("first ten", judge, method, 4000, 100)
    for method, texts in product(["list_window 10", "list_window 5", "window"], [3252, 9756] if data else []):
        yield Cell("readability", "readers", method, texts, 20)


def measured(cell: Cell, n: int, table: pl.DataFrame | None) -> dict[str, Any]:
    """The means over the runs of a cell, and standard errors."""
    start, found = time.process_time(), []
    for seed in range(FIRST_SEED, FIRST_SEED + cell.runs):
        judge = Readers(table, seed) if cell.part == "readability" else JUDGES[cell.judge](n, seed)
        order = METHODS[cell.method](judge, np.random.default_rng((seed, 1)), cell.texts)
        coverage = covered(judge) if cell.part == "coverage" else np.nan
        found.append((*judge.losses(order), coverage, judge.texts, judge.requests, judge.rounds))
    runs = np.array(found, dtype=float)
    kendall, recall, coverage, _, requests, rounds = runs.mean(axis=0)
    errors = runs[:, :2].std(axis=0, ddof=1) / np.sqrt(cell.runs) if cell.runs > 1 else (np.nan, np.nan)
    figures = {"kendall": kendall, "kendall_error": errors[0], "recall": recall, "recall_error": errors[1]}
    spent = {"requests": requests, "rounds": rounds, "seconds": (time.process_time() - start) / cell.runs}
    return (
        cell._asdict()
        | figures
        | {"coverage": coverage, "least_coverage": runs[:, 2].min(), "items": judge.n}
        | spent
        | {"shown": runs[:, 3].mean()}
    )


def covered(judge: Judge) -> float:
    """How many of the 95 % intervals of differences hold the true ones."""
    first, second = np.triu_indices(judge.n, 1)
    fit = list_fit(judge.lists, judge.places, judge.n)
    off = fit.scores[first] - fit.scores[second] - (judge.utility[first] - judge.utility[second])
    return float(np.mean(np.abs(off) <= 1.96 * fit.difference_errors(first, second)))


def goals(rows: list[dict[str, Any]]) -> Iterator[str]:
    """What was to be reached, and what was."""
    found = {(row["part"], row["judge"], row["method"], int(row["texts"])): row for row in rows}
    plain, n = "Plackett-Luce 3", 12_000
    for judge, goal in ((plain, 0.040), ("Thurstone + 5 %", 0.068), ("flips 20 %", 0.021)):
        if row := found.get(("order", judge, "list_window 10", n)):
            yield f"{judge}: Kendall {float(row['kendall']):.4f} ± {float(row['kendall_error']):.4f}, goal {goal}"
    for texts, goal in ((4000, 0.89), (8000, 0.94)):
        if row := found.get(("first ten", plain, "list_field 10", texts)):
            yield f"{texts} texts: recall {float(row['recall']):.3f} ± {float(row['recall_error']):.3f}, goal {goal}"
    orders = [row for row in rows if row["part"] == "order" and row["judge"] == plain]
    reached = [crossing([row for row in orders if row["method"] == method]) for method in ("list_window 10", "window")]
    if all(reached):
        (texts, requests), (more, asked) = reached  # type: ignore[misc]
        yield f"Kendall 3.5 %: {more / texts:.2f} x fewer texts, {asked / requests:.1f} x fewer requests; goals 2.8, 14"
    for judge in JUDGES:
        errors = {m: float(row["kendall"]) for (part, j, m, t), row in found.items() if part == "order" and j == judge
                  and t == n and m.startswith("list_window")}  # fmt: skip
        if "list_window auto" in errors and len(errors) > 2:
            best = min(errors, key=lambda method: errors[method] if "auto" not in method else np.inf)
            excess = (errors["list_window auto"] / errors[best]) ** 2 - 1
            told = f"{judge}: auto {errors['list_window auto']:.4f}, {best} {errors[best]:.4f}"
            yield f"{told}: {excess:+.0%} texts, goal 15%"
            if row := found.get(("order", judge, best, FEWER)):
                yield f"{judge}: {best} at {FEWER} texts {float(row['kendall']):.4f}, goal of auto"
    for row in rows:
        if row["part"] == "coverage":
            held = f"coverage {float(row['coverage']):.3f}, least {float(row['least_coverage']):.3f}"
            yield f"{row['judge']}, {row['method']}: {held}, goal 0.93"


def crossing(rows: list[dict[str, Any]], goal: float = 0.035) -> tuple[float, float] | None:
    """Texts and requests at which Kendall is the goal, by a line through its logarithms."""
    points = sorted((float(row["shown"]), float(row["requests"]), float(row["kendall"])) for row in rows)
    if len(points) < 2:
        return None
    shown, requests, kendall = np.log(np.array(points)).T
    slope, level = np.polyfit(kendall, shown, 1)
    texts = float(np.exp(level + slope * np.log(goal)))
    return texts, texts * float(np.exp((requests - shown).mean()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small and few, nothing written")
    parser.add_argument("--seconds", type=float, default=np.inf, help="no new cell after so many")
    parser.add_argument("--data", type=Path, help="folder with text/clear_readability.parquet")
    options = parser.parse_args()
    path, start = Path(__file__).with_suffix(".csv"), time.monotonic()
    rows: list[dict[str, Any]] = []
    if path.exists() and not options.quick:
        with path.open(newline="") as file:
            rows = list(csv.DictReader(file))
    known = {(row["part"], row["judge"], row["method"], int(row["texts"])) for row in rows}
    table = pl.read_parquet(options.data / "text" / "clear_readability.parquet") if options.data else None
    with threadpool_limits(1):
        for cell in cells(table is not None):
            if cell[:4] in known or time.monotonic() - start > options.seconds:
                continue
            known.add(cell[:4])
            quick = cell._replace(texts=cell.texts // 10, runs=2)
            row = measured(quick, 100, table) if options.quick else measured(cell, 1000, table)
            rows.append({key: round(value, 5) if isinstance(value, float) else value for key, value in row.items()})
            print(
                "  ".join(f"{value:.4g}" if isinstance(value, float) else f"{value}" for value in row.values()),
                flush=True,
            )
            if not options.quick:
                write(rows, path)
    print(*goals(rows), sep="\n")


def write(rows: list[dict[str, Any]], path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [*FIELDS, "shown"])
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
