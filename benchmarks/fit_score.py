"""Time and memory of `ordain fit` and `ordain score` on large tables, each command a process of its own.

    python benchmarks/fit_score.py [--rows 1000000] [--scored 10000000]

The table is made up: 14 numbers, some cells empty, and 6 text columns, one of a thousand values; 10 % positive. `fit`
is with --model linear, on CSV. `score --top 1000` is on Parquet of a million rows and of the rows asked for: its memory
must not grow. `score` of all rows spills to disk. Wall and CPU seconds, and the peak of the resident memory, written to
fit_score.csv.
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

HERE = Path(__file__).parent


def table(n: int, seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(n, 14)).round(4)
    texts = {f"t{k}": rng.integers(0, size, n).astype(str) for k, size in enumerate((2, 3, 5, 12, 40, 1000))}
    score = numbers[:, 0] - numbers[:, 1] + (texts["t1"] == "1") - 3 + rng.logistic(size=n)
    columns = {f"x{k}": pl.Series(numbers[:, k]) for k in range(14)}
    columns["x5"] = columns["x5"].set(pl.Series(rng.random(n) < 0.05), None)
    texts = {name: "v" + pl.Series(values) for name, values in texts.items()}
    return pl.DataFrame({**columns, **texts, "label": (score > 0).astype(int)})


def made(options: argparse.Namespace, train: Path, some: Path, many: Path) -> None:
    table(options.rows, 0).write_csv(train)
    table(10**6, 1).write_parquet(some)
    pl.concat([table(10**6, seed) for seed in range(options.scored // 10**6)]).write_parquet(many)


def run(what: str, rows: int, *arguments: object) -> dict[str, object]:
    """One command; what it took."""
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "ordain", *map(str, arguments)])
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{what} failed")
    wall, cpu = time.perf_counter() - start, used.ru_utime + used.ru_stime
    row = {
        "what": what,
        "rows": rows,
        "wall_s": round(wall, 1),
        "cpu_s": round(cpu, 1),
        "peak_mb": used.ru_maxrss // 1024,
    }
    print("  ".join(f"{key} {value}" for key, value in row.items()), flush=True)
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10**6)
    parser.add_argument("--scored", type=int, default=10**7)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        train, some, many, model, out = (
            Path(folder, name) for name in ("t.csv", "s.parquet", "m.parquet", "m.ordain", "o.csv")
        )
        # Made by another process: what this one ever held would count as the peak of the commands it starts.
        maker = multiprocessing.get_context("spawn").Process(target=made, args=(options, train, some, many))
        maker.start()
        maker.join()
        fit = ("fit", train, "--label", "label", "--out", model, "--model", "linear")
        found = [
            run("fit --model linear, CSV", options.rows, *fit),
            run("score --top 1000", 10**6, "score", some, "--model", model, "--out", out, "--top", 1000),
            run(
                "score --top 1000",
                options.scored,
                "score",
                many,
                "--model",
                model,
                "--out",
                out,
                "--top",
                1000,
                "--force",
            ),
            run("score, all rows", options.scored, "score", many, "--model", model, "--out", out, "--force"),
        ]
    with (HERE / "fit_score.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, found[0])
        writer.writeheader()
        writer.writerows(found)


if __name__ == "__main__":
    main()
