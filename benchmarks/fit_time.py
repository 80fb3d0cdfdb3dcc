"""How long `ordain fit` takes, beside what one would do by hand: five-fold cross-validation of two usual models.

    python benchmarks/fit_time.py                   every table, quiet and beside two busy processes; half an hour
    python benchmarks/fit_time.py --only 10000x20   one of them; the rows of the others stay as they are

By hand is the sum of five-fold cross-validation of LogisticRegressionCV, with ten penalties, and of XGBoost with 300
trees, the rest at their defaults, both on all cores; it is a program of its own, from the Parquet file to the two
figures. `ordain fit` is the command with its defaults, from the same file to the model file, its loops compiled before.
The *ratio* is of the wall times of the two processes, one after the other, loading of packages included in both. The
*stricter* ratio counts loading on our side only: `ordain fit` as before, over the two cross-validations alone. The
*first* output is on a terminal. Then `ordain fit` again beside two processes that do nothing but count, and once with
nothing compiled. Written to fit_time.csv.
"""

from __future__ import annotations

import argparse
import csv
import os
import pty
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import xgboost
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegressionCV
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

FILE = Path(__file__).with_suffix(".csv")
TABLES = {"1000x20": (1000, 20), "10000x20": (10_000, 20), "50000x20": (50_000, 20), "5000x500": (5000, 500)}
TABLES |= {"27000x11, 1,618 values": (27_000, 10), "500000x20": (500_000, 20)}
FIELDS = ["table", "logistic_s", "xgboost_s", "by_hand_s", "ordain_s", "ratio", "stricter", "quick_s", "first_s"]
FIELDS += ["busy_s", "busy_ratio", "fresh_s", "picked", "auc"]


def made(name: str) -> pl.DataFrame:
    """Rows whose odds have a linear part and three products; a text column with many values where the name says so."""
    n, d = TABLES[name]
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, d))
    odds = X @ (np.random.default_rng(0).normal(size=d) / np.sqrt(d)) - 1.5
    odds += X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] - X[:, 4] * X[:, 5]
    frame = pl.DataFrame(X, [f"x{k}" for k in range(d)], orient="row")
    if "values" in name:
        town = np.minimum(rng.zipf(1.3, n), 1618) - 1
        odds += rng.normal(size=1618)[town]
        frame = frame.with_columns(town=pl.Series([f"town {k}" for k in town]))
    return frame.with_columns(label=pl.Series((odds + rng.logistic(size=n) > 0).astype(int)))


def by_hand(path: Path) -> tuple[float, float, float]:
    """Seconds of both cross-validations, and of the whole program that has them."""
    start = time.perf_counter()
    told = subprocess.run(
        [sys.executable, __file__, "--by-hand", str(path)], check=True, capture_output=True, text=True
    )
    whole = time.perf_counter() - start
    logistic, trees = map(float, told.stdout.split())
    return logistic, trees, whole


def cross_validated(path: Path) -> tuple[float, float]:
    """Seconds of both cross-validations."""
    frame = pl.read_parquet(path)
    y, X = frame["label"].to_numpy(), frame.drop("label").to_pandas()
    text = frame.select(pl.col(pl.String)).columns
    numbers = [name for name in X.columns if name not in text]
    encoder = make_column_transformer((StandardScaler(), numbers), (OneHotEncoder(handle_unknown="ignore"), text))
    logistic = make_pipeline(encoder, LogisticRegressionCV(Cs=10, max_iter=1000))
    trees = xgboost.XGBClassifier(n_estimators=300, enable_categorical=True)
    taken = []
    for model, table in ((logistic, X), (trees, X.astype(dict.fromkeys(text, "category")))):
        start = time.perf_counter()
        cross_val_score(model, table, y, cv=5, scoring="roc_auc")
        taken.append(time.perf_counter() - start)
    return taken[0], taken[1]


def fit(path: Path, *options: str, **environment: str) -> tuple[float, float]:
    """Seconds until the first output on a terminal, and until the end."""
    command = [sys.executable, "-m", "ordain", "fit", str(path), "--label", "label", "--force", "--json"]
    command += ["--out", str(path.with_suffix(".ordain")), *options]
    terminal, other = pty.openpty()
    start, first = time.perf_counter(), None
    with path.with_suffix(".json").open("w") as told:
        running = subprocess.Popen(command, stdout=told, stderr=other, env={**os.environ, **environment})
    os.close(other)
    while True:
        try:
            if not os.read(terminal, 1 << 16):
                break
        except OSError:  # the other end is closed
            break
        first = first or time.perf_counter() - start
    assert running.wait() == 0
    os.close(terminal)
    return first or np.nan, time.perf_counter() - start


def row(name: str, folder: Path) -> dict[str, Any]:
    """One row of the table."""
    path = folder / "table.parquet"
    made(name).write_parquet(path)
    logistic, trees, whole = by_hand(path)
    first, taken = fit(path)
    found = pl.read_json(path.with_suffix(".json"))["comparison"][0]
    picked = next(trial for trial in found["trials"] if trial["name"] == found["picked"])
    quick = fit(path, "--quick")[1]
    counting = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        busy = fit(path)[1]
    finally:
        for one in counting:
            one.kill()
            one.wait()
    fresh = fit(path, NUMBA_CACHE_DIR=str(folder / "compiled"))[1] if name == "1000x20" else None
    figures = {"logistic_s": logistic, "xgboost_s": trees, "ordain_s": taken, "quick_s": quick, "first_s": first}
    figures |= {"busy_s": busy, "fresh_s": fresh, "by_hand_s": whole}
    shown = {key: "" if value is None else f"{value:.1f}" for key, value in figures.items()}
    ratios = {"ratio": f"{taken / whole:.2f}", "stricter": f"{taken / (logistic + trees):.2f}"}
    ratios["busy_ratio"] = f"{busy / taken:.2f}"
    return {"table": name, **shown, **ratios, "picked": picked["name"], "auc": f"{picked['auc']:.4f}"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=TABLES, action="append", help="this table, and others named so")
    parser.add_argument("--by-hand", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.by_hand:
        print(*cross_validated(options.by_hand))
        return
    with tempfile.TemporaryDirectory() as folder:
        made("1000x20").write_parquet(Path(folder) / "warm.parquet")
        fit(Path(folder) / "warm.parquet")  # compiles
    for name in options.only or TABLES:
        with tempfile.TemporaryDirectory() as folder:
            found = row(name, Path(folder))
        print(found, flush=True)
        keep(found)


def keep(found: dict[str, Any]) -> None:
    """Put a row in its place in the file; those of other tables stay."""
    rows = {}
    if FILE.exists():
        with FILE.open(newline="") as file:
            rows = {row["table"]: row for row in csv.DictReader(file)}
    rows[found["table"]] = found
    with FILE.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        writer.writerows(rows[name] for name in TABLES if name in rows)


if __name__ == "__main__":
    main()
