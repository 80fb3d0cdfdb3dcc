"""Time to grow trees on all pairs, and what they rank, beside XGBoost's, LightGBM's and CatBoost's own objectives.

    python benchmarks/peers.py trees benchmarks/boosted_fit.py

does so on 10⁵ and 10⁶ rows × 30 columns, 6 % positive; with `--data ../shared/data` also on three real tables, text
columns as categories; with `--only times` it says what takes which time, in three minutes.

Every learner grows the same number of trees of depth 6 at learning rate 0.1 with `--threads` threads; a fit begins with
the array and ends with the model. Times, and ratios of two fits that follow each other, are medians of `--repeats`,
after fits to fewer rows that load what is compiled. "matrix" is the CPU time XGBoost takes to bin the array, the same
for both; "slopes" is what the risk and its conversion take; "trees_ratio" is the ratio of CPU times without the matrix.

AUCs are of 10⁵ fresh rows, or a quarter of the real ones. The ranking objectives of the others get all rows as one
group, which is what ranking a table means; each learner of this part runs once, in a process of its own with at most
6 GB and 120 s, loading included. Written to boosted_fit_times.csv and boosted_fit_others.csv.
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import os
import resource
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import catboost
import lightgbm
import numpy as np
import polars as pl
import xgboost

from ordain.learn import slopes
from ordain.learn.boosted import BoostedRanker
from ordain.measure import auc

HERE = Path(__file__).parent
DEPTH, RATE = 6, 0.1
TIMES = ["data", "rows", "trees", "threads", "xgboost_wall_s", "ordain_wall_s", "wall_ratio", "xgboost_cpu_s"]
TIMES += ["ordain_cpu_s", "cpu_ratio", "trees_ratio", "matrix_cpu_s", "slopes_cpu_s", "xgboost_auc", "ordain_auc"]
FIELDS = ["data", "rows", "trees", "learner", "seconds", "auc", "error"]


def made_up(n: int, d: int = 30) -> tuple[Any, Any]:
    """Rows whose odds are linear in all columns, with three products."""
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, d)).astype(np.float32)
    w = np.random.default_rng(0).normal(size=d) / np.sqrt(d)
    odds = X @ w + X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] - X[:, 4] * X[:, 5] - 4
    return X, (odds + rng.logistic(size=n) > 0).astype(int)


def real(path: Path) -> tuple[Any, Any, list[int]]:
    """Numbers and codes of categories, labels, and which columns are codes."""
    table = pl.read_parquet(path)
    features = table.drop("label")
    text = [k for k, kind in enumerate(features.dtypes) if kind == pl.String]
    codes = [pl.nth(k).rank("dense") - 1 for k in text]
    X = features.with_columns(codes).cast(pl.Float64).to_numpy()
    order = np.random.default_rng(0).permutation(len(X))
    return X[order], table["label"].to_numpy()[order], text


def pairs_or_rows(reduction: str) -> Callable[..., Any]:
    def fit(X: Any, y: Any, trees: int, threads: int, categorical: list[int]) -> Any:
        options = {"n_estimators": trees, "learning_rate": RATE, "max_depth": DEPTH, "categorical": categorical or None}
        options["n_jobs"] = threads
        return BoostedRanker(reduction=reduction, **options).fit(X, y).decision_function

    return fit


def xgboost_with(objective: str) -> Callable[..., Any]:
    def fit(X: Any, y: Any, trees: int, threads: int, categorical: list[int]) -> Any:
        types = ["c" if k in categorical else "q" for k in range(X.shape[1])] if categorical else None
        rows = xgboost.QuantileDMatrix(X, y, feature_types=types, enable_categorical=True, nthread=threads)
        if objective.startswith("rank"):
            rows.set_group([len(y)])
        model = xgboost.train(
            {"objective": objective, "max_depth": DEPTH, "eta": RATE, "nthread": threads}, rows, trees
        )
        return lambda Z: model.inplace_predict(Z, predict_type="margin")

    return fit


def lambdarank(X: Any, y: Any, trees: int, threads: int, categorical: list[int]) -> Any:
    model = lightgbm.LGBMRanker(
        n_estimators=trees, learning_rate=RATE, max_depth=DEPTH, num_leaves=2**DEPTH, n_jobs=threads, verbosity=-1
    )
    return model.fit(X, y, group=[len(y)]).predict


def pair_logit(X: Any, y: Any, trees: int, threads: int, categorical: list[int]) -> Any:
    settings = {"iterations": trees, "learning_rate": RATE, "depth": DEPTH, "thread_count": threads}
    pool = catboost.Pool(X, y, group_id=np.zeros(len(y), int))
    return (
        catboost.CatBoost({"loss_function": "PairLogit", "verbose": False, "allow_writing_files": False, **settings})
        .fit(pool)
        .predict
    )


LEARNERS = {
    "XGBoost binary:logistic": xgboost_with("binary:logistic"),
    "ordain pairwise": pairs_or_rows("pairwise"),
    "ordain balanced": pairs_or_rows("balanced"),
    "ordain pointwise": pairs_or_rows("pointwise"),
    "XGBoost rank:pairwise": xgboost_with("rank:pairwise"),
    "LightGBM lambdarank": lambdarank,
    "CatBoost PairLogit": pair_logit,
}


class Watch:
    """Adds up the CPU time spent on slopes."""

    def __init__(self) -> None:
        self.seconds, self.call = 0.0, slopes.Slopes.__call__
        slopes.Slopes.__call__ = lambda of, scores: self.timed(of, scores)  # type: ignore[method-assign]

    def timed(self, of: Any, scores: Any) -> Any:
        start = time.process_time()
        found = self.call(of, scores)
        self.seconds += time.process_time() - start
        return found


def spent(fit: Callable[..., Any], *args: Any) -> tuple[float, float, Any]:
    wall, cpu = time.perf_counter(), time.process_time()
    result = fit(*args)
    return time.perf_counter() - wall, time.process_time() - cpu, result


def timed(watch: Watch, repeats: int, fresh: tuple[Any, Any], *args: Any) -> dict[str, str]:
    """XGBoost's own objective, and all pairs, in turn."""
    names = {"xgboost": "XGBoost binary:logistic", "ordain": "ordain pairwise"}
    walls, cpus, slopes, row = np.empty((2, repeats)), np.empty((2, repeats)), np.empty(repeats), {}
    matrix = min(spent(lambda: xgboost.QuantileDMatrix(args[0], nthread=args[3]))[1] for _ in range(repeats))
    for k in range(repeats):
        for which, (short, name) in enumerate(names.items()):
            watch.seconds = 0.0
            walls[which, k], cpus[which, k], score = spent(LEARNERS[name], *args)
            row[f"{short}_auc"] = f"{auc(fresh[1], score(fresh[0])):.4f}"
        slopes[k] = watch.seconds
    found = {}
    for kind, (theirs, ours) in {"wall": walls, "cpu": cpus}.items():
        found |= {f"xgboost_{kind}_s": np.median(theirs), f"ordain_{kind}_s": np.median(ours)}
        found[f"{kind}_ratio"] = np.median(ours / theirs)
    found["trees_ratio"] = np.median((cpus[1] - matrix) / (cpus[0] - matrix))
    found |= {"matrix_cpu_s": matrix, "slopes_cpu_s": np.median(slopes)}
    return {name: f"{value:.2f}" for name, value in found.items()} | row


def alone(name: str, fresh: tuple[Any, Any], args: tuple[Any, ...], answer: Any) -> None:
    """What another learner does, put into a queue: its time and AUC, or what it said."""
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    try:
        seconds, _, score = spent(LEARNERS[name], *args)
        answer.put({"seconds": f"{seconds:.2f}", "auc": f"{auc(fresh[1], score(fresh[0])):.4f}"})
    except Exception as wrong:
        answer.put({"error": " ".join(str(wrong).split())[:160] or type(wrong).__name__})


def others(fresh: tuple[Any, Any], *args: Any) -> Iterator[dict[str, Any]]:
    context = multiprocessing.get_context("spawn")
    for name in LEARNERS:
        answer = context.Queue()
        process = context.Process(target=alone, args=(name, fresh, args, answer))
        process.start()
        try:
            found = answer.get(timeout=120)
        except Exception:
            found = {"error": "no answer within 120 s and 6 GB"}
        process.kill()
        process.join()
        yield {"learner": name, **found}


def cases(data: Path | None) -> Iterator[tuple[str, int, Any, Any, list[int], tuple[Any, Any]]]:
    fresh = made_up(10**5 + 1)
    for n, trees in ((10**5, 100), (10**6, 30)):
        yield "made up", trees, *made_up(n), [], fresh
    for name in ("adult", "bank_campaign", "mammography") if data else ():
        X, y, categorical = real(data / "binary" / f"{name}.parquet")
        part = len(y) // 4
        yield name, 200, X[part:], y[part:], categorical, (X[:part], y[:part])


def written(path: Path, fields: list[str], rows: Iterator[dict[str, Any]]) -> None:
    """Print each row and write it at once: a run cut short leaves what it had."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fields)
        writer.writeheader()
        for row in rows:
            writer.writerow(row)
            file.flush()
            print("  ".join(f"{key} {value}" for key, value in row.items()), flush=True)


def times(repeats: int, threads: int) -> Iterator[dict[str, Any]]:
    watch = Watch()
    timed(watch, 1, made_up(1000), *made_up(250_000), 2, threads, [])
    for name, trees, X, y, categorical, fresh in cases(None):
        found = timed(watch, repeats, fresh, X, y, trees, threads, categorical)
        yield {"data": name, "rows": len(y), "trees": trees, "threads": threads, **found}


def comparison(data: Path | None, threads: int) -> Iterator[dict[str, Any]]:
    for name, trees, X, y, categorical, fresh in cases(data):
        for found in others(fresh, X, y, trees, threads, categorical):
            yield {"data": name, "rows": len(y), "trees": trees, **found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with binary/*.parquet")
    parser.add_argument("--only", choices=["times", "others"])
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.only != "others":
        written(HERE / "boosted_fit_times.csv", TIMES, times(options.repeats, options.threads))
    if options.only != "times":
        written(HERE / "boosted_fit_others.csv", FIELDS, comparison(options.data, options.threads))


if __name__ == "__main__":
    main()
