"""How long one waits before any work: commands that have little to do, and workers of Dask that are started or lost.

    python benchmarks/starts.py            two minutes
    python benchmarks/starts.py --times 1  each once

Commands, in wall-clock and processor seconds, the least of several: `--help`, `evaluate`, `score` and `fit` of 200
rows, `rank` of 200 votes; and Python with NumPy and Polars alone, which is the least a command with a table can take.
Workers: the seconds until four of this machine have been asked for a sum together, and the memory of each, what is
shared divided among those that share it, where they are *copies* of one process and where each *loads* what it needs;
and the seconds from the loss of one of two to the sum that the other gives, with the *one* try to reach the lost one
that ordain allows, and XGBoost's own *three*. starts.csv has them all.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import ordain
from ordain.engine import cluster as clusters
from ordain.engine.spread import spread

FILE = Path(__file__).with_suffix(".csv")
FIELDS = ["what", "way", "seconds", "processor_s", "memory_mb"]
ORDAIN = [sys.executable, "-m", "ordain"]
COMMANDS = {
    "Python, NumPy and Polars": [sys.executable, "-c", "import numpy, polars"],
    "ordain --help": [*ORDAIN, "--help"],
    "ordain evaluate": [*ORDAIN, "evaluate", "rows.csv", "--label", "y", "--score", "x"],
    "ordain score": [*ORDAIN, "score", "rows.csv", "--model", "m.ordain", "--out", "ranked.csv", "--force"],
    "ordain fit": [
        *ORDAIN, "fit", "rows.csv", "--label", "y", "--model", "linear", "--reduction", "balanced", "--force",
    ],
    "ordain rank": [*ORDAIN, "rank", "votes.csv", "--out", "board.csv", "--force"],
}  # fmt: skip


def given(folder: Path) -> None:
    """A small table, a model of it, and votes."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    rows = pl.DataFrame({"x": x, "y": (x + rng.logistic(size=200) > 0).astype(int)})
    rows.write_csv(folder / "rows.csv")
    ordain.fit(rows, "y", model="linear", reduction="balanced").save(folder / "m.ordain")
    pairs = rng.permuted(np.tile(list("abcdef"), (200, 1)), axis=1)[:, :2]
    pl.DataFrame({"winner": pairs[:, 0], "loser": pairs[:, 1]}).write_csv(folder / "votes.csv")


def command(words: list[str], folder: Path) -> tuple[float, float]:
    """Wall-clock and processor seconds."""
    began = time.perf_counter()
    process = subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, words
    return time.perf_counter() - began, used.ru_utime + used.ru_stime


def total(engine: Any, parts: list[Any], said: Any) -> float:
    """A sum over the workers."""
    return float(engine.sum(np.array([float(sum(parts))]))[0])


def memory() -> float:
    """Megabytes of this process, what is shared divided among those that share it."""
    for line in Path("/proc/self/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return float("nan")


def started(way: str) -> tuple[float, float]:
    """Seconds to the first sum of four workers, and the memory of one; in a process that has started none before."""
    if way == "each loads":
        clusters.copied = dict  # type: ignore[assignment]
    began = time.perf_counter()
    with clusters.cluster("local:4") as client:
        homes = clusters.workers_of(client)
        parts = [client.submit(int, k, workers=[home], pure=False) for k, home in enumerate(homes)]
        spread(client, total, parts)
        return time.perf_counter() - began, float(np.mean(list(client.run(memory).values())))


def apart(way: str) -> list[float]:
    """What `started` gives in a process of its own."""
    words = [sys.executable, __file__, "--started", way]
    return list(json.loads(subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout))


def three_tries() -> None:
    """XGBoost's own number of tries, whatever is asked for."""
    from xgboost import collective

    class Patient(collective.CommunicatorContext):
        def __init__(self, **arguments: Any) -> None:
            super().__init__(**arguments | {"dmlc_retry": 3})

    collective.CommunicatorContext = Patient  # type: ignore[misc]


def lost(way: str) -> float:
    """Seconds from the loss of a worker to the sum."""
    with tempfile.TemporaryDirectory() as folder, clusters.cluster("local:2") as client:
        mark = Path(folder, "lost")

        def dying(engine: Any, parts: list[Any], said: Any) -> float:
            found = total(engine, parts, said)
            if engine.rank == 0 and not mark.exists():
                mark.write_text(str(time.time()))
                os.kill(os.getpid(), signal.SIGKILL)
            return total(engine, parts, said) + found

        if way == "three tries":
            client.run(three_tries)
        homes = clusters.workers_of(client)
        parts = [client.submit(int, k, workers=[at], allow_other_workers=True) for k, at in enumerate(homes)]
        spread(client, dying, parts)
        return time.time() - float(mark.read_text())


def table(times: int) -> list[dict[str, Any]]:
    """All rows."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        given(Path(folder))
        for name, words in COMMANDS.items():
            wall, used = np.min([command(words, Path(folder)) for _ in range(times)], axis=0)
            rows.append({"what": name, "way": "", "seconds": f"{wall:.2f}", "processor_s": f"{used:.2f}"})
    for way in ("copies", "each loads"):
        wall, held = np.min([apart(way) for _ in range(times)], axis=0)
        rows.append({"what": "four workers", "way": way, "seconds": f"{wall:.1f}", "memory_mb": f"{held:.0f}"})
    for way in ("one try", "three tries"):
        rows.append({"what": "a worker lost", "way": way, "seconds": f"{min(lost(way) for _ in range(times)):.1f}"})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--started", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.started:
        print(json.dumps(started(options.started)))
        return
    rows = table(options.times)
    with FILE.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        writer.writerows(rows)
    for row in rows:
        print("  ".join(f"{row.get(name, ''):>24}" for name in FIELDS))


if __name__ == "__main__":
    main()
