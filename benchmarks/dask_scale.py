"""What a step of a fit costs on a Dask cluster, beside one machine and beside other fits there.

    python benchmarks/dask_scale.py                        up to 10⁶ rows, 30 columns; a quarter of an hour
    python benchmarks/dask_scale.py --rows 100000 --workers 2    a small form; three minutes

For each number of rows and workers (processes here, one thread each): the milliseconds of a look at value and gradient
and of a Hessian–vector product, the *overhead* of both together over the same on the same rows in one process, divided
by the workers that the machine has cores for, the bytes that a worker adds per step, the memory of the fullest worker
above an idle one, less that of its rows, and the seconds of a whole fit. Beside it, XGBoost's own
`binary:logistic` and trees on pairs on the same rows, a hundred trees each. dask_scale.csv has them all.
Times are wall-clock on a machine that others may use; of each step the least of several counts.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ordain import BoostedRanker, LinearRanker
from ordain.engine import LOCAL
from ordain.engine.cluster import cluster
from ordain.engine.spread import spread
from ordain.learn.on_dask import Part, fit_parts
from ordain.pairs import PairRisk
from ordain.solve import Linear
from ordain.solve.stacked import Stacked

FILE, COLUMNS, LOOKS = Path(__file__).with_suffix(".csv"), 30, 7
FIELDS = ["rows", "workers", "gradient_ms", "product_ms", "local_ms", "overhead_ms", "bytes_per_step", "extra_mb",
          "linear_s", "local_linear_s", "trees_s", "xgboost_s"]  # fmt: skip


def table(seed: int, rows: int) -> Part:
    """Rows of one part."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, COLUMNS))
    return Part(X, X[:, 0] - X[:, 1] + rng.logistic(size=rows) > 2)


def memory() -> int:
    """Bytes that this process holds, with all imported that a fit needs."""
    import xgboost  # noqa: F401

    import ordain.learn.linear  # noqa: F401

    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Counted:
    """An engine that counts the bytes it adds."""

    def __init__(self, engine: Any) -> None:
        self.engine, self.bytes, self.alone, self.rank = engine, 0, engine.alone, engine.rank

    def __getattr__(self, name: str) -> Any:
        def call(x: Any) -> Any:
            self.bytes += np.asarray(x).nbytes
            return getattr(self.engine, name)(x)

        return call


def steps(engine: Any, parts: list[Part], said: Any) -> dict[str, float]:
    """The least seconds of a gradient and of a product, and the bytes of both."""
    counted = engine if engine.alone else Counted(engine)
    X = parts[0].X if len(parts) == 1 else Stacked([part.X for part in parts])
    risk = PairRisk(np.concatenate([part.y for part in parts]), "logistic", engine=counted)
    linear = Linear(risk, X, 1e-4, engine=counted)
    took: dict[str, list[float]] = {"gradient": [], "product": []}
    before = getattr(counted, "bytes", 0)
    for k in range(LOOKS):
        w = np.full(COLUMNS, 0.01 * (k + 1))
        start = time.perf_counter()
        linear.value_gradient(w)
        middle = time.perf_counter()
        linear.hessp(w, np.ones(COLUMNS))
        took["gradient"].append(middle - start)
        took["product"].append(time.perf_counter() - middle)
    sent = (getattr(counted, "bytes", 0) - before) / LOOKS
    return {"gradient": min(took["gradient"]), "product": min(took["product"]), "bytes": sent}


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
        idle = max(client.run(memory).values())
        homes = sorted(client.scheduler_info(n_workers=-1)["workers"])
        parts = [client.submit(table, k, rows // workers, workers=[home]) for k, home in enumerate(homes)]
        there = spread(client, steps, parts, topic="steps")
        linear = seconds(partial(fit_parts, client, LinearRanker(), parts))
        full = max(client.run(memory).values()) - idle - rows // workers * (8 * COLUMNS + 1)
        trees = seconds(partial(fit_parts, client, BoostedRanker(n_estimators=100, n_jobs=1), parts))
        theirs = xgboost_seconds(client, parts)
    both, alone = there["gradient"] + there["product"], local["gradient"] + local["product"]
    share = min(workers, os.cpu_count() or 1)
    figures = [there["gradient"] * 1e3, there["product"] * 1e3, alone * 1e3, (both - alone / share) * 1e3]
    values = [f"{x:.1f}" for x in figures] + [f"{there['bytes']:.0f}", f"{full / 1e6:.0f}"]
    values += [f"{x:.2f}" for x in (linear, here, trees, theirs)]
    return dict(zip(FIELDS, [rows, workers, *values], strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000, help="the largest table")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    options = parser.parse_args()
    most = options.rows
    with FILE.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        for rows in (most // 10, most):
            for workers in options.workers:
                writer.writerow(row(rows, workers))
                file.flush()


if __name__ == "__main__":
    main()
