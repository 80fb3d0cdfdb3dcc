"""What is lost and gained by learning a preference on pairs of rows and sorting by it, on German credit.

    python benchmarks/preference.py    two minutes

Ten splits into 500 rows to learn from and 500 to rank, numbers standardised and codes one-hot. A classifier sees the
differences of 10,000 pairs of a good and a bad risk; its preference is sorted by QuickSort and by DEGREE, and averaged
over training rows (`decision_function`). Beside it is a like classifier on the rows themselves, and LinearRanker. The
figures are test AUCs, means over the splits with their standard errors; `cyclic` is the share of triples of test rows
in a circle. Written to preference.csv.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from ordain import LinearRanker, PreferenceRanker, auc

FILE = Path(__file__).with_suffix(".csv")
SPLITS, PAIRS = 10, 10_000
CLASSIFIERS: dict[str, tuple[Any, Any]] = {  # on pairs, of which each row is in many, and on rows
    "decision tree": (
        DecisionTreeClassifier(min_samples_leaf=50, random_state=0),
        DecisionTreeClassifier(min_samples_leaf=20, random_state=0),
    ),
    "random forest": (
        RandomForestClassifier(100, min_samples_leaf=5, random_state=0),
        RandomForestClassifier(100, min_samples_leaf=5, random_state=0),
    ),
}


def splits() -> Iterator[tuple[Any, Any, Any, Any]]:
    """Rows and labels to learn from, then those to rank."""
    table = pl.read_csv(files("ordain") / "data" / "german_credit.csv").to_pandas()  # type: ignore[arg-type]
    labels = table.pop("bad_risk").to_numpy()
    codes = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    encoder = make_column_transformer((codes, make_column_selector(dtype_exclude="number")), remainder=StandardScaler())
    for train, test in StratifiedShuffleSplit(SPLITS, test_size=0.5, random_state=0).split(table, labels):
        known, fresh = encoder.fit_transform(table.iloc[train]), encoder.transform(table.iloc[test])
        yield known, labels[train], fresh, labels[test]


def placed(order: Any) -> Any:
    """Scores that put the rows in this order."""
    scores = np.empty(len(order))
    scores[order] = -np.arange(len(order))
    return scores


def figures(on_pairs: Any, on_rows: Any, split: tuple[Any, Any, Any, Any]) -> dict[str, float]:
    """Each way's figure on a split."""
    X, y, Z, z = split
    ranker = PreferenceRanker(on_pairs, pairs=PAIRS, random_state=0).fit(X, y)
    found = {"cyclic": ranker.cyclicity(Z, seed=0).value}
    found |= {way: auc(z, placed(ranker.rank(Z, method=way, seed=0))) for way in ("quicksort", "degree")}
    found["mean"] = auc(z, ranker.decision_function(Z))
    return found | {"rows": auc(z, on_rows.fit(X, y).predict_proba(Z)[:, 1])}


def main() -> None:
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for split in splits():
        for name, (on_pairs, on_rows) in CLASSIFIERS.items():
            for way, figure in figures(on_pairs, on_rows, split).items():
                found[name, way].append(figure)
        X, y, Z, z = split
        found["LinearRanker", "rows"].append(auc(z, LinearRanker().fit(X, y).decision_function(Z)))
    with FILE.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["classifier", "way", "figure", "error"])
        for (name, way), values in found.items():
            line = [name, way, f"{np.mean(values):.4f}", f"{np.std(values, ddof=1) / np.sqrt(len(values)):.4f}"]
            writer.writerow(line)
            print(*line, sep="  ")


if __name__ == "__main__":
    main()
