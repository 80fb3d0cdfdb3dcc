"""Time to fit the linear ranker to all pairs, beside scikit-learn's logistic regression.

    python benchmarks/linear_fit.py                       10⁵ and 10⁶ rows × 30, dense
    python benchmarks/linear_fit.py --data ../shared/data also adult one-hot

Both fit the same penalty, C = 1/(αn), until the largest entry of the gradient is 1e-5. Wall and CPU time, best of three
in turn. "unit scale" is the easiest case for the solver of scikit-learn, columns of equal variance; "mixed scales" has
standard deviations from 0.2 to 5. Written to linear_fit.csv.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from ordain.learn.linear import LinearRanker

ALPHA, TOLERANCE = 1e-4, 1e-5


def made_up(n: int, scales: tuple[float, float], d: int = 30) -> tuple[Any, Any]:
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, d)) * rng.uniform(*scales, d)
    w = rng.normal(size=d) / np.sqrt(d)
    return X, (X @ w - 2 + rng.logistic(size=n) > 0).astype(int)


def encoded(path: Path) -> tuple[Any, Any]:
    """One-hot and standardised features of a data set, and its labels."""
    table = pl.read_parquet(path)
    features = table.drop("label")
    text = [name for name, kind in features.schema.items() if kind == pl.String]
    numbers = [name for name in features.columns if name not in text]
    one_hot = OneHotEncoder(handle_unknown="ignore", min_frequency=20)
    scaled = make_pipeline(SimpleImputer(), StandardScaler(with_mean=False))
    encoder = make_column_transformer((one_hot, text), (scaled, numbers), sparse_threshold=1.0)
    filled = features.with_columns(pl.col(text).fill_null("missing")) if text else features
    return encoder.fit_transform(filled), table["label"].to_numpy()


def spent(estimator: Any, X: Any, y: Any) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    estimator.fit(X, y)
    return time.perf_counter() - wall, time.process_time() - cpu


def timed(name: str, X: Any, y: Any) -> dict[str, Any]:
    n = X.shape[0]
    theirs = LogisticRegression(C=1 / (ALPHA * n), class_weight="balanced", tol=TOLERANCE, max_iter=1000)
    estimators = {"ordain": LinearRanker(alpha=ALPHA, tol=TOLERANCE), "sklearn": theirs}
    best = dict.fromkeys(estimators, (np.inf, np.inf))
    for _ in range(3):
        for which, estimator in estimators.items():
            best[which] = tuple(np.minimum(best[which], spent(estimator, X, y)))
    row = {"data": name, "rows": n, "columns": X.shape[1]}
    for kind, index in (("wall", 0), ("cpu", 1)):
        row |= {f"{which}_{kind}_s": round(best[which][index], 3) for which in estimators}
        row[f"{kind}_ratio"] = round(best["ordain"][index] / best["sklearn"][index], 2)
    return row


def written(rows: Iterator[dict[str, Any]], path: Path) -> None:
    """Print each row and write it at once: a run cut short leaves what it had."""
    with path.open("w", newline="") as file:
        writer = None
        for row in rows:
            if writer is None:
                writer = csv.DictWriter(file, row)
                writer.writeheader()
            writer.writerow(row)
            file.flush()
            print("  ".join(f"{key} {value}" for key, value in row.items()), flush=True)


def timings(data: Path | None) -> Iterator[dict[str, Any]]:
    for n in (10**5, 10**6):
        yield timed("unit scale", *made_up(n, (1, 1)))
        yield timed("mixed scales", *made_up(n, (0.2, 5)))
    if data:
        yield timed("adult, one-hot", *encoded(data / "binary" / "adult.parquet"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with binary/*.parquet")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    written(timings(options.data), Path(__file__).with_suffix(".csv"))


if __name__ == "__main__":
    main()
