"""Trees whose columns are cut at exact quantiles, beside the same trees with the cuts of XGBoost.

    python benchmarks/cuts.py --data ../shared/data               every table, at most 20,000 rows of each; half an hour
    python benchmarks/cuts.py --data ../shared/data heart adult   these two

Rows are dealt into five folds four times, fewer than 5,000 sixty times, the first as in choice.py. On each fold, a
hundred trees of rows grow in the bins of either, 64 as in the comparison and 256 as at last. cuts.csv has, per table
and number of bins, the mean AUC of both, the difference with its standard error over all folds as if they were
independent, and the seconds of process time that all matrices of a fold took, the fastest of three.
"""

from __future__ import annotations

import csv
import time
from pathlib import Path
from typing import Any

import numpy as np
from choice import FOLDS, asking, read, tables
from sklearn.model_selection import StratifiedKFold

from ordain import BoostedRanker
from ordain.learn.growth import bins, installed
from ordain.prepare import Preparation
from ordain.rows.record import Rows

FILE = Path(__file__).with_suffix(".csv")
FIELDS = ["data", "rows", "columns", "bins", "ours", "xgboost", "difference", "error", "our_seconds", "xgboost_seconds"]


def theirs(X: Any, *, labels: Any, like: Any = None, categorical: list[int], max_bin: int) -> Any:
    """Rows in bins that XGBoost cuts."""
    types = ["c" if k in categorical else "q" for k in range(X.shape[1])]
    settings = {"feature_types": types, "enable_categorical": True, "max_bin": max_bin, "nthread": 1}
    return installed().QuantileDMatrix(X, labels, ref=like, **settings)


def ours(X: Any, **settings: Any) -> Any:
    """Rows in our bins."""
    return bins(X, n_jobs=1, **settings)


def matrices(make: Any, known: Any, fresh: Any, **settings: Any) -> tuple[list[Any], float]:
    """Both matrices, of rows and their labels, and the seconds they took."""
    took = []
    for _ in range(3):
        start = time.process_time()
        first = make(known[0], labels=known[1], **settings)
        found = [first, make(fresh[0], labels=fresh[1], **settings, like=first)]
        took.append(time.process_time() - start)
    return found, min(took)


def fold(known: Rows, fresh: Rows, most: int) -> list[float]:
    """The AUC with either cuts, and the seconds of either."""
    preparation = Preparation.learn(known.features, known.labels)
    X, Z = (preparation.matrix(rows.features, "boosted") for rows in (known, fresh))
    settings = {"max_bin": most, "max_cat_to_onehot": 64}
    ranker = BoostedRanker(reduction="pointwise", n_estimators=100, settings=settings, random_state=0, n_jobs=1)
    values, seconds = [], []
    for make in (ours, theirs):
        learned, held_out = (X, known.labels), (Z, fresh.labels)
        both, took = matrices(make, learned, held_out, categorical=preparation.categorical, max_bin=most)
        *_, last = ranker.path(Rows(both[0], known.labels), Rows(both[1], fresh.labels))
        values.append(last.worth)
        seconds.append(took)
    return values + seconds


def row(name: str, rows: Rows, most: int) -> dict[str, Any]:
    """One row of the table."""
    dealings = 60 if len(rows) < 5000 else 4
    dealt = (StratifiedKFold(FOLDS, shuffle=True, random_state=k) for k in range(dealings))
    folds = (both for dealing in dealt for both in dealing.split(rows.labels, rows.labels))
    found = np.array([fold(rows.take(train), rows.take(test), most) for train, test in folds])
    mine, other, first, second = found.mean(0)
    apart = found[:, 0] - found[:, 1]
    return {
        "data": name, "rows": len(rows), "columns": rows.features.width, "bins": most, "ours": f"{mine:.5f}",
        "xgboost": f"{other:.5f}", "difference": f"{apart.mean():+.5f}",
        "error": f"{apart.std(ddof=1) / np.sqrt(len(apart)):.5f}", "our_seconds": f"{first:.3f}",
        "xgboost_seconds": f"{second:.3f}",
    }  # fmt: skip


def main() -> None:
    paths = tables(asking(__doc__).parse_args())
    with FILE.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        for path in paths:
            rows = read(path)
            for most in (64, 256):
                writer.writerow(row(path.stem, rows, most))
                file.flush()


if __name__ == "__main__":
    main()
