"""How often an honest table of judges names a suspect, and how often a dishonest judge is found.

    python benchmarks/suspects.py              every cell, appended to suspects.csv; those there already are left out
    python benchmarks/suspects.py 10 50        tables of 10 and 50 judges only

Boards of 20 items with normal strengths of standard deviation 1, pairs by lot. Honest judges differ: judge j prefers
the left item with log-odds exp(0.3 u) (s_left - s_right) + 0.2 + 0.3 v, u and v standard normal. In the table of a coin
the first judge tosses one, in that of *left* it always answers left. `votes` is what each judge cast; in *unequal*
tables it is 10 times a Pareto variable of index 1, at most 2000, and 200 for the dishonest one. `named` counts the
tables in which anybody was named, `found` those in which the dishonest judge was, `wrong` those in which another was.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
from scipy.special import expit

from ordain.rank.bradley_terry.posterior import bradley_terry
from ordain.votes.cast_votes import Votes
from ordain.votes.judges_table import judges_table

FILE = Path(__file__).with_suffix(".csv")
FIELDS = ["judges", "votes", "first", "tables", "named", "found", "wrong"]
ITEMS = 20
TABLES = {10: 400, 50: 200, 500: 60}


def cast(sizes: np.ndarray, first: str, rng: np.random.Generator) -> Votes:
    """Votes of judges, the first of whom is honest, a coin, or always says left."""
    judge = np.repeat(np.arange(len(sizes)), sizes)
    scores, sharp, bias = (rng.standard_normal(count) for count in (ITEMS, len(sizes), len(sizes)))
    left = rng.integers(0, ITEMS, len(judge))
    right = (left + rng.integers(1, ITEMS, len(judge))) % ITEMS
    odds = np.exp(0.3 * sharp[judge]) * (scores[left] - scores[right]) + 0.2 + 0.3 * bias[judge]
    chances = expit(odds)
    if first != "honest":
        chances[judge == 0] = {"coin": 0.5, "left": 1.0}[first]
    won = (rng.random(len(judge)) < chances).astype(float)
    rows, times = np.unique(np.column_stack((left, right, won, judge)), axis=0, return_counts=True)
    left, right, judge = rows[:, [0, 1, 3]].astype(int).T
    one = np.ones(len(rows))
    return Votes(tuple(range(ITEMS)), left, right, rows[:, 2], one, times, one, judge, tuple(range(len(sizes))))


def drawn_sizes(judges: int, votes: str, first: str, rng: np.random.Generator) -> np.ndarray:
    if votes != "unequal":
        return np.full(judges, int(votes))
    sizes = np.clip(10 + 10 * rng.pareto(1, judges), 10, 2000).astype(int)
    sizes[0] = sizes[0] if first == "honest" else 200
    return sizes


def cell(judges: int, votes: str, first: str) -> dict[str, object]:
    """One row of the table."""
    rng = np.random.default_rng([judges, *first.encode(), *votes.encode()])
    named = found = wrong = 0
    for _ in range(TABLES[judges]):
        table = cast(drawn_sizes(judges, votes, first, rng), first, rng)
        fit = bradley_terry(table.pairs, table.answers, ITEMS, weights=table.weights, spread=1.0)
        suspects = {row.judge for row in judges_table(table, fit).suspects}
        guilty = set() if first == "honest" else {0}
        named, found, wrong = named + bool(suspects), found + bool(suspects & guilty), wrong + bool(suspects - guilty)
    return dict(zip(FIELDS, (judges, votes, first, TABLES[judges], named, found, wrong), strict=True))


def main() -> None:
    chosen = [int(word) for word in sys.argv[1:]] or list(TABLES)
    known = set()
    if FILE.exists():
        known = {tuple(row.values())[:3] for row in csv.DictReader(FILE.open())}
    with FILE.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if not known:
            writer.writeheader()
        for judges in chosen:
            for votes in ("20", "50", "200", "unequal"):
                for first in ("honest", "coin", "left"):
                    if (str(judges), votes, first) not in known:
                        row = cell(judges, votes, first)
                        print(row, flush=True)
                        writer.writerow(row)
                        file.flush()


if __name__ == "__main__":
    main()
