"""Rankers against judges with known noise, and against recorded judges: quality for calls, batches and time.

    python benchmarks/peers.py rankers benchmarks/rankers.py [--quick] [--data FOLDER]

L = n log₂ n calls. Kendall is the share of pairs in the wrong order; AUC loss is that share of the pairs of one item of
the better half and one of the worse; recall is that of the true top 10. A simulated judge is a tournament, fixed once
and for all: asked again, or the other way round, it says the same. A pair's coin is a hash of the pair, so no matrix is
kept. *flip p*: each pair is wrong with chance p, however far apart. *Bradley-Terry 2*: u beats v with log-odds
2 (s_u - s_v), s standard normal. *cyclic*: ten blocks in order, within one an item beats the following half of the
circle, so any turn of the circle agrees equally well with the judge and Kendall to the true one is luck.
Random pairs are fitted by the usual Bradley-Terry model and by the one with lapses, which is that of the window.

The fits of other packages get the same answers, at flips of 30 %, also where the best item wins all of its or the worst
none. Speed is in CPU seconds on one thread, the least of several. The audit keeps 200 pairs from two rankers and tells
which order agrees better; a case is clear if by the orders' difference on all pairs it should be right nine times in
ten. With 10,000 items 5 L, all pairs and the fit of random pairs with lapses are left out: they take too long.

FOLDER/pairs holds recorded comparisons, one Parquet file per set with the columns left, right, p_left, weight. A fifth
of the rows is kept back; agreement is the mean chance that a kept answer gives to the order, a tie being one half.
*fit* scores a random sample of the other rows. Rankers ask a judge that draws one of the other rows of the pair anew
each time, whichever side it was on, and says ½ where none is recorded: such a question is a call that tells nothing,
and `recorded` is the share of the calls that told something. Where it is small the rankers were asking in the dark and
only the fits compare. rankers.csv and, of FOLDER, rankers_real.csv are written beside this file, unless --quick.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy.special import expit, ndtr
from scipy.stats import kendalltau
from threadpoolctl import threadpool_limits

import ordain
from ordain import audit
from ordain.preference import from_scores
from ordain.rank import averaged_quicksort, bradley_terry, degree, field, play, quicksort, top_k, window

Row = dict[str, Any]
Ranked = Callable[[Any, np.random.Generator], Any]
"""From a judge to an order."""

NOISES = {
    "clean": ("flip", 0.0), "flip 10 %": ("flip", 0.1), "flip 20 %": ("flip", 0.2), "flip 30 %": ("flip", 0.3),
    "Bradley-Terry 2": ("logit", 2.0), "cyclic": ("cyclic", 10.0),
}  # fmt: skip
GOALS = {
    "flip 10 %": (0.041, 0.017, 0.007),
    "flip 20 %": (0.114, 0.044, 0.014),
    "Bradley-Terry 2": (0.084, 0.056, 0.034),
    "cyclic": (0.051, 0.047, 0.044),
}
"""Kendall of the shrinking window at 1, 2 and 5 L and n = 1000 that is to be beaten."""

LARGE, AUDITED = 5000, 200
"""From so many items on what takes long is left out; and the pairs of an audit."""


class Tournament:
    """A judge with a known order that answers a pair the same way however often and either way round it is asked."""

    def __init__(self, n: int, kind: str, noise: float, seed: int) -> None:
        rng = np.random.default_rng((seed, n))
        self.rank, self.strength = rng.permutation(n), -np.sort(-rng.normal(size=n))
        self.kind, self.noise, self.salt = kind, noise, rng.integers(1 << 62, dtype=np.uint64)
        size = max(1, int(n / noise) // 2 * 2 + 1) if kind == "cyclic" else 1
        self.block, self.half = np.arange(n) // size, size // 2
        self.calls = self.batches = 0

    def __call__(self, pairs: Any) -> Any:
        self.calls, self.batches = self.calls + len(pairs), self.batches + 1
        first, second = self.rank[pairs].T
        upper, lower = np.minimum(first, second), np.maximum(first, second)
        return (self.right(upper, lower) == (first == upper)).astype(float)

    def right(self, upper: Any, lower: Any) -> Any:
        """Whether the better of the two wins."""
        if self.kind == "cyclic":
            return (self.block[upper] != self.block[lower]) | (lower - upper <= self.half)
        if self.kind == "logit":
            return self.coins(upper, lower) < expit(self.noise * (self.strength[upper] - self.strength[lower]))
        return self.coins(upper, lower) >= self.noise

    def coins(self, upper: Any, lower: Any) -> Any:
        """A uniform number for each pair, mixed from its bits."""
        x = (upper.astype(np.uint64) << np.uint64(32)) + lower.astype(np.uint64) ^ self.salt
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 0x9E3779B97F4A7C15)):
            x = (x ^ x >> np.uint64(shift)) * np.uint64(factor)
        return (x >> np.uint64(11)) * 2.0**-53

    def losses(self, order: Any) -> Row:
        places = self.rank[order]
        half = ordain.auc(places < len(places) // 2, -np.arange(len(places)))
        kendall = (1 - kendalltau(np.arange(len(places)), places).statistic) / 2
        return {"kendall": kendall, "auc_loss": 1 - half, "recall_10": np.mean(places[:10] < 10)}


def random_pairs(n: int, count: int, rng: np.random.Generator) -> Any:
    """Different random pairs in random order of showing."""
    return audit.held_back(n, min(count, n * (n - 1) // 2), rng)


def fitted(n: int, judge: Any, count: int, rng: np.random.Generator, lapse: float | None) -> Any:
    pairs = random_pairs(n, count, rng)
    return np.argsort(-bradley_terry(pairs, judge(pairs), n, lapse=lapse).scores)


def sorters(n: int) -> Iterator[tuple[str, Ranked]]:
    """Every way to an order of n items, by name."""
    yield "quicksort", lambda judge, rng: play(quicksort(n, rng), judge)
    yield "averaged quicksort", lambda judge, rng: play(averaged_quicksort(n, rng), judge)
    for times in (1, 2, 5) if n < LARGE else (1, 2):
        calls = int(times * n * np.log2(n))
        yield f"random pairs {times} L", lambda judge, rng, calls=calls: fitted(n, judge, calls, rng, 0.0)
        if n < LARGE:
            yield f"random pairs with lapses {times} L", lambda judge, rng, c=calls: fitted(n, judge, c, rng, None)
        yield f"window {times} L", lambda judge, rng, calls=calls: play(window(n, rng, calls), judge)
    if n < LARGE:
        yield "degree", lambda judge, rng: play(degree(n, rng), judge)


def finders(n: int) -> Iterator[tuple[str, Ranked]]:
    """Every way to the top 10 of n items, by name."""
    yield "top_k 10", lambda judge, rng: play(top_k(n, 10, rng), judge)
    for times in (2.3, 2.5, 7):
        calls = int(times * n)
        yield f"field 10 at {times} n", lambda judge, rng, calls=calls: play(field(n, 10, rng, calls), judge)


def simulated(part: str, contestants: Any, sizes: dict[int, int]) -> Iterator[Row]:
    """One row per size, noise and ranker, the mean over repetitions; every ranker meets the same judges."""
    for n, times in sizes.items():
        for noise, (kind, level) in NOISES.items():
            for name, ranked in contestants(n):
                start, runs = time.process_time(), []
                for seed in range(times):
                    judge = Tournament(n, kind, level, seed)
                    order = ranked(judge, np.random.default_rng((seed, 1)))
                    runs.append(judge.losses(order) | {"calls": judge.calls, "batches": judge.batches})
                seconds = (time.process_time() - start) / times
                main = "recall_10" if part == "top" else "kendall"
                yield averaged({"part": part, "case": noise, "items": n, "ranker": name}, runs, main, seconds)


def averaged(labels: Row, runs: list[Row], main: str, seconds: float) -> Row:
    """The means, and the standard error of the main one."""
    means = {key: float(np.mean([run[key] for run in runs])) for key in runs[0]}
    error = float(np.std([run[main] for run in runs], ddof=1) / np.sqrt(len(runs))) if len(runs) > 1 else float("nan")
    return labels | means | {"standard_error": error, "runs": len(runs), "seconds": seconds}


def by_evalica(pairs: Any, answers: Any, n: int) -> Any:
    from evalica import Winner, bradley_terry

    winners = [Winner.X if answer > 0.5 else Winner.Y if answer < 0.5 else Winner.Draw for answer in answers.tolist()]
    result = bradley_terry(pairs[:, 0].tolist(), pairs[:, 1].tolist(), winners)
    return result.scores.reindex(range(n), fill_value=0.0).to_numpy()


def by_choix(pairs: Any, answers: Any, n: int) -> Any:
    from choix import opt_pairwise

    decided = answers != 0.5
    won = np.where((answers > 0.5)[:, None], pairs, pairs[:, ::-1])[decided]
    return opt_pairwise(n, [tuple(pair) for pair in won.tolist()], alpha=0.1)


def fits(position: bool = True) -> dict[str, Callable[[Any, Any, int], Any]]:
    """Scores from comparisons, by name; packages that are not installed are left out."""

    def ours(lapse: float | None) -> Callable[[Any, Any, int], Any]:
        return lambda pairs, answers, n: bradley_terry(pairs, answers, n, position=position, lapse=lapse).scores

    others = {"evalica": by_evalica, "choix": by_choix}
    found = {name: fit for name, fit in others.items() if find_spec(name)}
    return {"ordain": ours(0.0), "ordain with lapses": ours(None)} | found


def altered(judge: Tournament, pairs: Any, case: str) -> Any:
    """The judge's answers, but the best item wins all of its, or the worst none, if the case says so."""
    answers, rank = judge(pairs), judge.rank[pairs]
    if case == "one item always wins":
        answers = np.where((rank == 0).any(axis=1), rank[:, 0] == 0, answers)
    if case == "one item never wins":
        answers = np.where((rank == rank.max()).any(axis=1), rank[:, 1] == rank.max(), answers)
    return answers


def same_answers(n: int, times: int) -> Iterator[Row]:
    """Fits of the same 2 L random answers at flips of 30 %: quality and time."""
    for case in ("every item wins and loses", "one item always wins", "one item never wins"):
        for name, fit in fits().items():
            runs, seconds = [], 0.0
            for seed in range(times):
                judge, rng = Tournament(n, *NOISES["flip 30 %"], seed), np.random.default_rng((seed, 2))
                pairs = random_pairs(n, int(2 * n * np.log2(n)), rng)
                answers, start = altered(judge, pairs, case), time.process_time()
                scores = fit(pairs, answers, n)
                seconds += time.process_time() - start
                runs.append(judge.losses(np.argsort(-scores)) | {"calls": judge.calls, "batches": 1})
            labels = {"part": "same answers", "case": case, "items": n, "ranker": name}
            yield averaged(labels, runs, "kendall", seconds / times)


def speed(n: int, answers: int) -> Iterator[Row]:
    """What a sort costs beyond its judge, and a fit with and without standard errors."""
    judge, asking = from_scores(np.random.default_rng(0).normal(size=n)), [0.0, 0.0]

    def timed(pairs: Any) -> Any:
        start = time.process_time()
        given = judge(pairs)
        asking[0], asking[1] = asking[0] + time.process_time() - start, asking[1] + len(pairs)
        return given

    start = time.process_time()
    play(quicksort(n, np.random.default_rng(0)), timed)
    beyond = (time.process_time() - start - asking[0]) / asking[1] * 1e7
    labels = {"part": "speed", "items": n, "ranker": "quicksort", "case": "beyond the judge, per 10,000,000 calls"}
    yield labels | {"calls": asking[1], "seconds": beyond}
    for noise in ("Bradley-Terry 2", "flip 10 %"):
        opponent = Tournament(1000, *NOISES[noise], 0)
        pairs = random_pairs(1000, answers, np.random.default_rng(0))
        given = opponent(pairs)
        for name, fit in {
            "bradley_terry": lambda pairs, given: bradley_terry(pairs, given, 1000),
            "with standard errors": lambda pairs, given: bradley_terry(pairs, given, 1000).standard_errors,
            "with lapses": lambda pairs, given: bradley_terry(pairs, given, 1000, lapse=None),
        }.items():
            labels = {"part": "speed", "case": noise, "items": 1000, "ranker": name, "calls": len(pairs)}
            yield labels | {"seconds": least_seconds(lambda fit=fit, p=pairs, g=given: fit(p, g))}


def least_seconds(act: Callable[[], Any], times: int = 5) -> float:
    seconds = []
    for _ in range(times):
        start = time.process_time()
        act()
        seconds.append(time.process_time() - start)
    return min(seconds)


def audited(n: int, times: int) -> Iterator[Row]:
    """How often the audit picks the order that agrees better with the judge, over all pairs of rankers."""
    everything = np.column_stack(np.triu_indices(n, 1))
    for noise, (kind, level) in NOISES.items():
        right: dict[str, list[bool]] = {"all": [], "clear": []}
        for seed in range(times):
            judge, rng = Tournament(n, kind, level, seed), np.random.default_rng((seed, 4))
            kept, answers = random_pairs(n, AUDITED, rng), judge(everything)
            asked = audit.withheld(judge, kept)
            budget = n * np.log2(n)
            orders = [
                play(quicksort(n, rng), asked),
                play(window(n, rng, int(budget)), asked),
                fitted(n, asked, int(budget / 2), rng, 0.0),
                fitted(n, asked, int(budget / 8), rng, 0.0),
            ]
            for first, second in combinations(orders, 2):
                whole = audit.better(first, second, everything, answers)
                if whole.pick is not None:
                    correct = audit.better(first, second, kept, judge(kept)).pick == whole.pick
                    right["all"].append(correct)
                    if clear(whole):
                        right["clear"].append(correct)
        for which, found in right.items():
            labels = {"part": "audit", "case": noise, "items": n, "ranker": f"{which} cases", "runs": len(found)}
            yield labels | {"agreement": float(np.mean(found)) if found else float("nan")}


def clear(whole: audit.Verdict) -> bool:
    """Whether Φ(Δ √(m/q)) ≥ 0.9 for the orders' difference Δ in agreement and the share q of pairs they put apart."""
    return bool(ndtr(abs(whole.difference) * np.sqrt(AUDITED / (whole.first.of / whole.pairs))) >= 0.9)


def recorded_rows(path: Path) -> tuple[Any, Any, int]:
    """Pairs, answers and number of items of a set; a row counts for as many as stand behind it."""
    table = pl.read_parquet(path).filter(pl.col("left") != pl.col("right"))
    names, codes = np.unique(np.concatenate([table["left"], table["right"]]), return_inverse=True)
    pairs, weights = codes.reshape(2, -1).T, table["weight"].to_numpy().astype(int)
    return np.repeat(pairs, weights, axis=0), np.repeat(table["p_left"].to_numpy(), weights), len(names)


def agreement(order: Any, pairs: Any, answers: Any) -> float:
    place = np.argsort(order)
    return float(np.mean(np.where(place[pairs[:, 0]] < place[pairs[:, 1]], answers, 1 - answers)))


class Recorded:
    """A judge who gives one of the recorded answers to a pair, drawn anew each time, and ½ where there is none."""

    def __init__(self, pairs: Any, answers: Any, n: int, rng: np.random.Generator) -> None:
        turned = np.where(pairs[:, 0] < pairs[:, 1], answers, 1 - answers)
        keys = pairs.min(axis=1) * n + pairs.max(axis=1)
        by_key = np.argsort(keys, kind="stable")
        self.answers, self.n, self.rng = turned[by_key], n, rng
        self.known, self.starts, self.counts = np.unique(keys[by_key], return_index=True, return_counts=True)
        self.calls = self.batches = self.told = 0

    def __call__(self, pairs: Any) -> Any:
        keys = pairs.min(axis=1) * self.n + pairs.max(axis=1)
        at = np.minimum(np.searchsorted(self.known, keys), len(self.known) - 1)
        there = self.known[at] == keys
        drawn = np.where(there, self.answers[self.starts[at] + self.rng.integers(0, self.counts[at])], 0.5)
        self.calls, self.batches, self.told = self.calls + len(pairs), self.batches + 1, self.told + int(there.sum())
        return np.where(pairs[:, 0] < pairs[:, 1], drawn, 1 - drawn)


def recorded(folder: Path, times: int) -> Iterator[Row]:
    """Held-out agreement of fits to samples of the recorded rows, and of rankers that ask for them."""
    for path in sorted(folder.glob("*.parquet")):
        pairs, answers, n = recorded_rows(path)
        position = len(np.unique(pairs[:, 0])) > 1  # one item always on the left cannot be told from its place
        budgets = {f"{t} L": int(t * n * np.log2(n)) for t in (1, 2, 5)} | {"all rows": len(pairs)}
        labels = {"part": "recorded", "case": path.stem, "items": n}
        for name, fit in fits(position).items():
            for budget, calls in budgets.items():
                if name != "choix" or min(calls, 0.8 * len(pairs)) <= 20_000:
                    ordered = offline(fit, calls, n)
                    yield held_out(labels | {"ranker": f"fit by {name} {budget}"}, pairs, answers, times, ordered)
        for name, ranked in sorters(n):
            yield held_out(labels | {"ranker": name}, pairs, answers, times, online(ranked, n))


def offline(fit: Any, calls: int, n: int) -> Any:
    def order(pairs: Any, answers: Any, rng: np.random.Generator) -> tuple[Any, Row]:
        sample = rng.permutation(len(pairs))[:calls]
        found = np.argsort(-fit(pairs[sample], answers[sample], n))
        return found, {"calls": len(sample), "batches": 1, "recorded": 1.0}

    return order


def online(ranked: Ranked, n: int) -> Any:
    def order(pairs: Any, answers: Any, rng: np.random.Generator) -> tuple[Any, Row]:
        judge = Recorded(pairs, answers, n, rng)
        found = ranked(judge, rng)
        return found, {"calls": judge.calls, "batches": judge.batches, "recorded": judge.told / judge.calls}

    return order


def held_out(labels: Row, pairs: Any, answers: Any, times: int, ordered: Any) -> Row:
    runs, seconds = [], 0.0
    for seed in range(times):
        rng = np.random.default_rng((seed, 3))
        kept = rng.random(len(pairs)) < 0.2
        start = time.process_time()
        order, spent = ordered(pairs[~kept], answers[~kept], rng)
        seconds += time.process_time() - start
        runs.append({"agreement": agreement(order, pairs[kept], answers[kept])} | spent)
    return averaged(labels, runs, "agreement", seconds / times)


def goals(rows: list[Row]) -> Iterator[str]:
    """What was to be reached at n = 1000, and what was."""
    found = {(row["case"], row["ranker"]): row for row in rows if row["items"] == 1000}
    full = ("clean", "window 5 L") in found
    for noise, aims in GOALS.items() if full else ():
        for times, aim in zip((1, 2, 5), aims, strict=True):
            row = found[noise, f"window {times} L"]
            yield f"window, {noise}, {times} L: {row['kendall']:.4f} ± {row['standard_error']:.4f}, aim {aim}"
    for times in (1, 2, 5) if full else ():
        ours, plain = (found["flip 30 %", f"{name} {times} L"]["kendall"] for name in ("window", "random pairs"))
        yield f"window, flip 30 %, {times} L: {ours:.4f}, aim {plain:.4f} of random pairs"
    for noise, times, aim in (("flip 10 %", 7, 0.9), ("clean", 2.3, 1.0)) if full else ():
        yield f"field, {noise}, {times} n: recall {found[noise, f'field 10 at {times} n']['recall_10']:.3f}, aim {aim}"


def collected(parts: Iterable[Iterator[Row]]) -> list[Row]:
    """All rows, printed as they come."""
    rows = []
    for part in parts:
        for row in part:
            rows.append(row)
            shown = (f"{key} {value:.4g}" if isinstance(value, float) else f"{value}" for key, value in row.items())
            print("  ".join(shown), flush=True)
    return rows


def write(rows: list[Row], path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(dict.fromkeys(key for row in rows for key in row)))
        writer.writeheader()
        for row in rows:
            writer.writerow({key: round(v, 5) if isinstance(v, float) else v for key, v in row.items()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small and few, nothing written")
    parser.add_argument("--data", type=Path, help="folder with recorded comparisons in pairs/")
    options = parser.parse_args()
    for name in ("evalica", "choix"):
        if not find_spec(name):
            print(f"{name} is not installed and left out", flush=True)
    quick, here = options.quick, Path(__file__)
    with threadpool_limits(1):
        rows = collected([
            speed(10**4 if quick else 10**6, 10**4),
            simulated("all", sorters, {100: 2} if quick else {100: 10, 1000: 5, 10_000: 1}),
            simulated("top", finders, {100: 2} if quick else {100: 10, 1000: 10, 10_000: 1}),
            same_answers(100 if quick else 1000, 2),
            audited(100 if quick else 300, 3 if quick else 15),
        ])  # fmt: skip
        real = collected([recorded(options.data / "pairs", 1 if quick else 3)] if options.data else [])
    print(*goals(rows), sep="\n")
    if not quick:
        write(rows, here.with_suffix(".csv"))
        if real:
            write(real, here.with_name("rankers_real.csv"))


if __name__ == "__main__":
    main()
