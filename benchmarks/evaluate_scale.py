"""How much memory and time `ordain evaluate` takes for many rows of Parquet on one machine.

    python benchmarks/evaluate_scale.py                  10⁶, 10⁷ and 10⁸ rows; five minutes, 1 GB of disk
    python benchmarks/evaluate_scale.py --rows 1000000   one table

Files of five million rows with a label and a score are made in a temporary folder, and the command measures the folder:
AUC, interval and the top of the list. The memory is the most that its process ever held, as the system tells it,
which counts what this script held when it started the command: below 10⁸ rows it is too high.
Scores lie on a grid of 2⁻²⁰, so that counting rows of each class in its cells, while the files are made, gives the AUC
by whole numbers and without a sort: both must be the same float. evaluate_scale.csv has it all.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

FILE, GRID, ENDS, EACH = Path(__file__).with_suffix(".csv"), 1 << 20, 12, 5_000_000
FIELDS = ["rows", "positives", "auc", "low", "high", "seconds", "processor_s", "memory_mb"]


def made(folder: str, rows: int) -> float:
    """Make the files; the AUC by counting cells."""
    rng, cells = np.random.default_rng(0), np.zeros((2, 2 * ENDS * GRID), np.int64)
    for number, start in enumerate(range(0, rows, EACH)):
        count = min(EACH, rows - start)
        label = rng.random(count) < 0.3
        place = np.round((rng.normal(size=count) + label) * GRID).astype(np.int64)
        for kind in (0, 1):
            cells[kind] += np.bincount(place[label == kind] + ENDS * GRID, minlength=cells.shape[1])
        table = pl.DataFrame({"label": label.astype(np.int8), "score": place / GRID})
        table.write_parquet(Path(folder, f"{number:03d}.parquet"))
    below = np.cumsum(cells[0]) - cells[0]
    wins = int((cells[1] * (2 * below + cells[0])).sum())
    return wins / (2 * int(cells[0].sum()) * int(cells[1].sum()))


def row(rows: int) -> dict[str, Any]:
    """One row of the table."""
    with tempfile.TemporaryDirectory() as folder:
        expected = made(folder, rows)
        words = [sys.executable, "-m", "ordain", "evaluate", folder, "--label", "label", "--json"]
        start = time.perf_counter()
        command = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert command.stdout is not None
        said = json.loads(command.stdout.read())
        _, _, used = os.wait4(command.pid, 0)
        took = time.perf_counter() - start
    assert said["auc"] == expected, (said["auc"], expected)
    known = [said["rows"], said["classes"]["positive"], *(f"{said[name]:.9f}" for name in ("auc", "low", "high"))]
    spent = [f"{took:.1f}", f"{used.ru_utime + used.ru_stime:.1f}", f"{used.ru_maxrss / 1024:.0f}"]
    return dict(zip(FIELDS, [*known, *spent], strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[10**6, 10**7, 10**8])
    options = parser.parse_args()
    with FILE.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        for rows in options.rows:
            writer.writerow(row(rows))
            file.flush()


if __name__ == "__main__":
    main()
