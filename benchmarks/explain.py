"""What `ordain explain` finds on made tables whose truth is known, and what it takes.

Tables of six columns that matter less and less, and six that say nothing, with a logistic label; models are fitted
quickly, linear or with trees. *hold 0*: the share of useless columns whose 95 % interval holds 0. *in order*: how often
the columns that matter are in the order of their weights (the first three, whose worths differ clearly). *share*: the
share of `ordain fit`, with all candidates, that finding it takes, in time of the processor and in a process of its own:
with loading, as for the command, and without. *seconds*: that of 100,000 rows of 50 columns by ``explained_on``. Times
are of a busy machine.

    python benchmarks/explain.py
"""

from __future__ import annotations

import csv
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import ordain
import ordain.choice.fitting as fitting
from ordain.explain.on_table import explained_on
from ordain.rows.record import Rows

WEIGHTS = np.array([1.6, 1.1, 0.75, 0.5, 0.3, 0.2])
TABLES = 15


def made(n: int, seed: int, useless: int = 6) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, len(WEIGHTS) + useless))
    good = X[:, : len(WEIGHTS)] @ WEIGHTS + rng.logistic(size=n) > 0.5
    names = [f"useful {k}" for k in range(len(WEIGHTS))] + [f"useless {k}" for k in range(useless)]
    return pl.DataFrame(dict(zip(names, X.T, strict=True)) | {"good": good.astype(int)})


def truth(model: str, rows: int) -> list[Any]:
    """How often intervals of useless columns hold 0, and the first columns are in order."""
    held, ordered = [], []
    for seed in range(TABLES):
        found = ordain.fit(made(rows, seed), "good", model=model, quick=True).rests_on
        held += [of.low <= 0 <= of.high for of in found.columns if of.name.startswith("useless")]
        ordered.append([of.name for of in found.columns[:3]] == ["useful 0", "useful 1", "useful 2"])
    return [round(float(np.mean(held)), 4), round(float(np.mean(ordered)), 3)]


def share_of_fit(rows: int, useless: int) -> tuple[float, float]:
    """The share of a fit's time that goes into it, with all that this process has loaded and without."""
    spent, real = [], fitting.explained

    def timed(*arguments: Any) -> Any:
        start = time.process_time()
        found = real(*arguments)
        spent.append(time.process_time() - start)
        return found

    fitting.explained = timed
    start = time.process_time()
    ordain.fit(made(rows, 0, useless), "good")
    end = time.process_time()
    return round(spent[0] / end, 4), round(spent[0] / (end - start), 4)


def seconds(model: str) -> float:
    fitted = ordain.fit(made(5000, 0, 44), "good", model=model, quick=True)
    rows = made(100_000, 1, 44)
    start = time.process_time()
    explained_on(fitted, Rows(rows, rows["good"].to_numpy() > 0))
    return round(time.process_time() - start, 2)


def main() -> None:
    lines = []
    for model in ("linear", "boosted"):
        for rows in (300, 2000):
            held, ordered = truth(model, rows)
            lines += [[model, rows, 12, "useless columns that hold 0", held], [model, rows, 12, "in order", ordered]]
        lines.append([model, 100_000, 50, "seconds of a processor", seconds(model)])
    for rows, useless in ((1000, 14), (10_000, 14)):
        done = subprocess.run([sys.executable, __file__, str(rows), str(useless)], capture_output=True, check=True)
        for what, share in zip(("with", "without"), done.stdout.split(), strict=True):
            lines.append(["auto", rows, useless + 6, f"share of a fit {what} loading", float(share)])
    with Path(__file__).with_suffix(".csv").open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerows([["model", "rows", "columns", "what", "figure"], *lines])


if __name__ == "__main__":
    if sys.argv[1:]:
        print(*share_of_fit(*map(int, sys.argv[1:])))
    else:
        main()
