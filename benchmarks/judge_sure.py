"""How often the first K are the best when a run ends because it is sure that they are, and what that saves.

    python benchmarks/judge_sure.py [--quick] [--seconds S]

50 items, the first 5 wanted, utilities drawn anew for every run. A ranker asks its batches; before each but the first
`ordain.judge.sure` says how sure the answers so far make it, and at the level the run ends, :class:`Spent` being thrown
into the ranker. So a run has several chances to end wrongly, and all are counted. It is *right* if in truth no item
outside is better than one inside by more than 0.2 in log-odds, *exact* if none is better at all. *saved* is the share
of the budget that runs which ended did not spend. One run serves both levels: it goes on after the first to the second.
*in_order* is how often the ranker's own first five, when thrown out, are those five.

The judges are those of `benchmarks/lists.py`. The truth in log-odds is the judge's own law for a pair: the difference
of utilities for Plackett-Luce, also of the judge who garbles one list in twenty, when it does not, and of the one who
repeats itself, whose errors are for good, so there is no goal for it; and log(q / (1 - q)) with q = Φ(d √3 / π) for
Thurstone. The noise of that one grows by 5 % for each item beyond two, so in lists of ten it is as sure as of pairs
1.4 times nearer; the truth is that of pairs nevertheless. `list_field` asks lists of ten; `field` asks pairs, none
twice, so it seldom becomes sure.

A row of judge_sure.csv is a judge, a ranker and a level, in counts. Runs are added to it until as many as are wanted
ended at the highest level; whether the goal is *met* is said of so many only. Seeds go on where they stopped. --seconds
stops before the next few runs after so many. --quick makes two runs of each and writes nothing. 400 of each take some
two hours of one quiet core.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from lists import JUDGES, Judge
from scipy.special import logit, ndtr
from scipy.stats import beta
from threadpoolctl import threadpool_limits

from ordain.judge.sure import SLACK, Certain, chance_of_top, chance_of_top_by_pairs
from ordain.preference import Spent
from ordain.preference.questions import lists_in, padded
from ordain.rank import field
from ordain.rank.lists import list_field
from ordain.rank.play import Ranker, advance

ITEMS, FIRST, LEVELS, FIRST_SEED, BLOCK = 50, 5, (0.9, 0.95), 5000, 20
TABLE = Path(__file__).with_suffix(".csv")
COUNTS = ["runs", "stopped", "right", "exact", "in_order", "texts_saved"]
FIELDS = ["judge", "ranker", "texts", "level", *COUNTS, "share_stopped", "share_right", "low", "high", "goal", "met",
          "share_exact", "saved"]  # fmt: skip


class Cell(NamedTuple):
    """What is measured: who answers, who asks, with how many texts, and how many runs are to end at the last level."""

    judge: str
    ranker: str
    texts: int
    wanted: int
    most: int


CELLS = [
    *(Cell(judge, "list_field", 40 * ITEMS, 400, 4000) for judge in ("Plackett-Luce 3", "Plackett-Luce 6",
                                                                     "Thurstone + 5 %", "garbled")),
    Cell("repeats itself", "list_field", 40 * ITEMS, 50, 50),
    *(Cell(judge, "field", 40 * ITEMS, 50, 20) for judge in ("Plackett-Luce 3", "Plackett-Luce 6")),
]  # fmt: skip


class Ending(NamedTuple):
    """Of what the run was sure when it reached a level, the texts not asked, and the ranker's order if it ended."""

    first: tuple[int, ...]
    left: int
    order: Any = None


def log_odds(judge: str, difference: Any) -> Any:
    """What the judge's law for a pair makes of a difference of utilities."""
    return logit(ndtr(difference * np.sqrt(3) / np.pi)) if judge.startswith("Thurstone") else difference


def endings(cell: Cell, judge: Judge, rng: np.random.Generator) -> dict[float, Ending]:
    """The first time a run reaches each level, a batch being left to ask."""
    found: dict[float, Ending] = {}
    ranker, asked, sure = WAYS[cell.ranker](cell, judge, rng)
    reply = None
    while True:
        try:
            batch = advance(ranker, reply)
        except StopIteration:
            return found
        if reply is not None:
            certain = sure()
            for level in LEVELS:
                if certain.chance >= level and level not in found:
                    found[level] = Ending(certain.first, cell.texts - judge.texts)
        if LEVELS[-1] in found:
            found[LEVELS[-1]] = found[LEVELS[-1]]._replace(order=thrown_out(ranker))
            return found
        reply = asked(batch)


def thrown_out(ranker: Ranker) -> Any:
    """The order of a ranker that may ask no more."""
    try:
        advance(ranker, Spent())
    except StopIteration as finished:
        return finished.value
    raise RuntimeError("a ranker must return its order when Spent is thrown into it. Got another batch.")


Way = tuple[Ranker, Callable[[Any], Any], Callable[[], Certain]]
"""A ranker, how its batches are answered, and how sure the answers so far make it."""


def by_lists(cell: Cell, judge: Judge, rng: np.random.Generator) -> Way:
    def asked(batch: Any) -> Any:
        return padded([np.asarray(of, dtype=float) for of in judge(lists_in(batch))], batch.shape[1])

    ranker = list_field(judge.n, FIRST, rng, cell.texts)
    return ranker, asked, lambda: chance_of_top(judge.lists, judge.places, judge.n, FIRST)


def by_pairs(cell: Cell, judge: Judge, rng: np.random.Generator) -> Way:
    pairs, answers = [np.empty((0, 2), dtype=np.intp)], [np.empty(0)]

    def asked(batch: Any) -> Any:
        pairs.append(batch)
        answers.append(judge.prefer(batch))
        return answers[-1]

    def sure() -> Certain:
        return chance_of_top_by_pairs(np.concatenate(pairs), np.concatenate(answers), judge.n, FIRST)

    return field(judge.n, FIRST, rng, cell.texts // 2), asked, sure


WAYS = {"list_field": by_lists, "field": by_pairs}


def counts(cell: Cell, seed: int) -> Iterator[tuple[float, list[int]]]:
    """What one run adds to the counts of each level."""
    judge = JUDGES[cell.judge](ITEMS, seed)
    found = endings(cell, judge, np.random.default_rng((seed, 1)))
    for level in LEVELS:
        if level not in found:
            yield level, [1, 0, 0, 0, 0, 0]
            continue
        first, left, order = found[level]
        better = np.delete(judge.utility, first).max() - judge.utility[list(first)].min()
        same = order is not None and set(order[:FIRST].tolist()) == set(first)
        yield level, [1, 1, int(log_odds(cell.judge, better) <= SLACK), int(better <= 0), int(same), left]


def told(cell: Cell, level: float, numbers: list[int]) -> dict[str, Any]:
    """A row: the counts, and what they come to, with the Clopper-Pearson interval at 95 %."""
    runs, stopped, right, exact, _, saved = numbers
    goal = None if cell.judge == "repeats itself" else round(level - 0.02, 3)
    low = beta.ppf(0.025, right, stopped - right + 1) if right else 0.0
    high = beta.ppf(0.975, right + 1, stopped - right) if right < stopped else 1.0
    some = max(stopped, 1)
    shares = {"share_stopped": stopped / runs, "share_right": right / some, "low": low, "high": high,
              "share_exact": exact / some, "saved": saved / some / cell.texts}  # fmt: skip
    row: dict[str, Any] = {"judge": cell.judge, "ranker": cell.ranker, "texts": cell.texts, "level": level}
    row |= dict(zip(COUNTS, numbers, strict=True)) | {key: round(float(share), 4) for key, share in shares.items()}
    if level != LEVELS[-1]:
        row["in_order"] = None
    return row | {"goal": goal, "met": right / stopped >= goal if goal and stopped >= cell.wanted else None}


def read() -> dict[tuple[str, ...], list[int]]:
    """The counts that are there."""
    if not TABLE.exists():
        return {}
    with TABLE.open(newline="") as file:
        return {(row["judge"], row["ranker"], row["texts"], row["level"]): [int(row[of] or 0) for of in COUNTS]
                for row in csv.DictReader(file)}  # fmt: skip


def write(rows: list[dict[str, Any]]) -> None:
    with TABLE.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        writer.writerows(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two runs of each, nothing written")
    parser.add_argument("--seconds", type=float, default=np.inf, help="no further runs after so many")
    options = parser.parse_args()
    known, start = {} if options.quick else read(), time.monotonic()
    totals = {(cell, level): known.get((*map(str, cell[:3]), str(level)), [0] * len(COUNTS))
              for cell in CELLS for level in LEVELS}  # fmt: skip
    with threadpool_limits(1):
        going = True
        while going:  # some runs of each in turn, so that all have some early
            going = False
            for cell in CELLS:
                runs, stopped = totals[cell, LEVELS[-1]][:2]
                if stopped >= cell.wanted or runs >= cell.most or time.monotonic() - start > options.seconds:
                    continue
                block = 2 if options.quick else min(BLOCK, cell.most // 5)
                for seed in range(FIRST_SEED + runs, FIRST_SEED + runs + block):
                    for level, more in counts(cell, seed):
                        totals[cell, level] = [old + new for old, new in zip(totals[cell, level], more, strict=True)]
                going = not options.quick
                if not options.quick:
                    write([told(*key, numbers) for key, numbers in totals.items() if numbers[0]])
    for key, numbers in totals.items():
        if numbers[0]:
            print("  ".join(f"{value}" for value in told(*key, numbers).values()))


if __name__ == "__main__":
    main()
