"""What a step of a fit costs on a Dask cluster, beside one machine and beside other fits there.

    python benchmarks/dask_scale.py                        up to 10⁶ rows, 30 columns; a quarter of an hour
    python benchmarks/dask_scale.py --rows 100000 --workers 2    a small form; three minutes

For each number of rows and workers (processes here, one thread each): the milliseconds of a look at value and gradient
and of a Hessian–vector product; the same work on the same workers at the same time, each for its own rows *apart*, as
if no others were; the *overhead* of the first over the second, which is what sums over workers cost; the same on all
rows in one process; the bytes that a worker adds per step; the memory of the fullest worker above an idle one, less
that of its rows, of which *numba* is what the first compiled loop of any kind takes, and *own* what no other process
shares, as they do the code of libraries; and the seconds of a whole fit.
Beside it, on the same rows, a hundred trees on pairs and of XGBoost's own `binary:logistic`, and `LogisticRegression`
of dask_ml, in an environment of its own with as many workers, if it runs. dask_scale.csv has them all; rows that are
there are not measured again (--anew to begin). At the end the cost of a step is fitted to all of them by least squares,
and goes to dask_cost.csv:

    seconds of a gradient and a product = c · rows · columns / min(workers, cores) + a · sums over workers.

Times are wall-clock on a machine that others may use; of each step the least of several counts.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from peers import python_of

from ordain import BoostedRanker, LinearRanker
from ordain._one_thread import at_most
from ordain.engine import LOCAL
from ordain.engine.cluster import cluster, workers_of
from ordain.engine.spread import spread
from ordain.learn.on_dask import fit_parts
from ordain.pairs import PairRisk
from ordain.rows.dealing import Part
from ordain.solve import Linear
from ordain.solve.stacked import Stacked

FILE, COLUMNS, LOOKS = Path(__file__).with_suffix(".csv"), 30, 15
COST = Path(__file__).with_name("dask_cost.csv")
PEER = Path(__file__).with_name("dask_scale_peer.py")
FIELDS = ["rows", "workers", "gradient_ms", "product_ms", "apart_ms", "overhead_ms", "local_ms", "sums_per_step",
          "bytes_per_step", "extra_mb", "numba_mb", "own_mb", "linear_s", "local_linear_s", "trees_s", "xgboost_s",
          "dask_ml_s"]  # fmt: skip


def table(seed: int, rows: int) -> Part:
    """Rows of one part."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, COLUMNS))
    return Part(X, X[:, 0] - X[:, 1] + rng.logistic(size=rows) > 2)


def memory() -> np.ndarray:
    """Bytes that this process holds, with all imported that a fit needs, and those of them that it shares with none."""
    import xgboost  # noqa: F401

    import ordain.learn.linear  # noqa: F401

    lines = [line.split() for line in Path("/proc/self/smaps_rollup").read_text().splitlines()[1:]]
    kilobytes = {words[0]: int(words[1]) for words in lines}
    return 1024 * np.array([kilobytes["Rss:"], kilobytes["Private_Clean:"] + kilobytes["Private_Dirty:"]])


def awake() -> int:
    """Bytes that this process holds more when numba has compiled a first loop."""
    import numba

    before = memory()
    numba.njit(lambda x: x + 1)(1)
    return int((memory() - before)[0])


class Counted:
    """An engine that counts the bytes it adds."""

    def __init__(self, engine: Any) -> None:
        self.engine, self.bytes, self.sums, self.alone, self.rank = engine, 0, 0, engine.alone, engine.rank

    def __getattr__(self, name: str) -> Any:
        def call(x: Any) -> Any:
            self.bytes, self.sums = self.bytes + np.asarray(x).nbytes, self.sums + 1
            return getattr(self.engine, name)(x)

        return call


def steps(engine: Any, parts: list[Part], said: Any) -> dict[str, float]:
    """The least seconds of a gradient and of a product, and the bytes of both."""
    counted = engine if engine.alone else Counted(engine)
    X = parts[0].X if len(parts) == 1 else Stacked([part.X for part in parts])
    risk = PairRisk(np.concatenate([part.y for part in parts]), "logistic", engine=counted)
    linear = Linear(risk, X, 1e-4, engine=counted)
    took: dict[str, list[float]] = {"gradient": [], "product": []}
    before = np.array([getattr(counted, name, 0) for name in ("bytes", "sums")])
    for k in range(LOOKS):
        w = np.full(COLUMNS, 0.01 * (k + 1))
        start = time.perf_counter()
        linear.value_gradient(w)
        middle = time.perf_counter()
        linear.hessp(w, np.ones(COLUMNS))
        took["gradient"].append(middle - start)
        took["product"].append(time.perf_counter() - middle)
    sent = (np.array([getattr(counted, name, 0) for name in ("bytes", "sums")]) - before) / LOOKS
    return {"gradient": min(took["gradient"]), "product": min(took["product"]), "bytes": sent[0], "sums": sent[1]}


def apart(part: Part) -> float:
    """The least seconds of a gradient and a product on the rows of one worker alone, on one thread, as in a fit."""
    with at_most(1):
        found = steps(LOCAL, [part], None)
    return found["gradient"] + found["product"]


def dask_ml_seconds(rows: int, workers: int) -> str:
    """The seconds of LogisticRegression of dask_ml on rows of the same kind, nothing where it fails."""
    words = [python_of("dask_ml"), "-W", "ignore", PEER, rows, COLUMNS, workers]
    ended = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    return ended.stdout.strip() if ended.returncode == 0 else ""


def xgboost_seconds(client: Any, parts: list[Any]) -> float:
    """The seconds of XGBoost's own Dask training on the same rows."""
    import dask.array as da
    from dask import delayed
    from xgboost import dask as boosted

    pieces = [delayed(part) for part in parts]
    rows = [client.submit(lambda part: len(part.y), part).result() for part in parts]
    X = da.concatenate([da.from_delayed(p.X, (n, COLUMNS), float) for p, n in zip(pieces, rows, strict=True)])
    y = da.concatenate([da.from_delayed(p.y, (n,), bool) for p, n in zip(pieces, rows, strict=True)])
    start = time.perf_counter()
    matrix = boosted.DaskQuantileDMatrix(client, X, y)
    boosted.train(client, {"objective": "binary:logistic", "verbosity": 0}, matrix, 100)
    return time.perf_counter() - start


def seconds(work: Any) -> float:
    """How long it takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def row(rows: int, workers: int) -> dict[str, Any]:
    """One row of the table."""
    own = [table(k, rows // workers) for k in range(workers)]
    local = steps(LOCAL, own, None)
    X, y = np.concatenate([part.X for part in own]), np.concatenate([part.y for part in own])
    here = seconds(partial(LinearRanker().fit, X, y))
    del own, X, y
    with cluster(f"local:{workers}") as client:
        idle = np.max(list(client.run(memory).values()), axis=0)
        numba = max(client.run(awake).values())
        homes = workers_of(client)
        parts = [client.submit(table, k, rows // workers, workers=[home]) for k, home in enumerate(homes)]
        each = max(client.gather([client.submit(apart, part) for part in parts]))
        there = spread(client, steps, parts, topic="steps")
        linear = seconds(partial(fit_parts, client, LinearRanker(), parts))
        held = np.max(list(client.run(memory).values()), axis=0) - idle - rows // workers * (8 * COLUMNS + 1)
        trees = seconds(partial(fit_parts, client, BoostedRanker(n_estimators=100, n_jobs=1), parts))
        theirs = xgboost_seconds(client, parts)
    both, alone = there["gradient"] + there["product"], local["gradient"] + local["product"]
    figures = [there["gradient"], there["product"], each, both - each, alone]
    values = [f"{x * 1e3:.1f}" for x in figures] + [f"{there[name]:.0f}" for name in ("sums", "bytes")]
    values += [f"{x / 1e6:.0f}" for x in (held[0], numba, held[1])] + [
        f"{x:.2f}" for x in (linear, here, trees, theirs)
    ]
    return dict(zip(FIELDS, [rows, workers, *values, dask_ml_seconds(rows, workers)], strict=True))


def cost(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The cost of a step, fitted to the rows of the table, each weighing by its own time; how far off in the median."""
    took = np.array([float(of["gradient_ms"]) + float(of["product_ms"]) for of in rows]) / 1e3
    shares = [float(of["rows"]) * COLUMNS / min(int(of["workers"]), os.cpu_count() or 1) for of in rows]
    design = np.column_stack([shares, [float(of["sums_per_step"]) for of in rows]])
    (number, each), *_ = np.linalg.lstsq(design / took[:, None], np.ones(len(took)), rcond=None)
    apart = np.median(np.abs(design @ [number, each] / took - 1))
    return {"number_ns": f"{number * 1e9:.2f}", "sum_ms": f"{each * 1e3:.2f}", "off": f"{apart:.2f}"}


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    """All that is known, in a file."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def known(anew: bool) -> list[dict[str, Any]]:
    """The rows that were measured before."""
    if anew or not FILE.exists():
        return []
    with FILE.open(newline="") as file:
        found = list(csv.DictReader(file))
    return found if found and list(found[0]) == FIELDS else []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000, help="the largest table")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--anew", action="store_true", help="forget what was measured before")
    options = parser.parse_args()
    done = known(options.anew)
    for rows in (options.rows // 10, options.rows):
        for workers in options.workers:
            if not any((int(of["rows"]), int(of["workers"])) == (rows, workers) for of in done):
                done.append(row(rows, workers))
                write(FILE, done)
    write(COST, [cost(done)])
    print(cost(done))


if __name__ == "__main__":
    main()
