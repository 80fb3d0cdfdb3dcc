"""NDCG@10 and concordance of trees on graded rows in groups: pairs within groups, across them, and grades as numbers.

    python benchmarks/graded.py --data ../shared/data                 every set
    python benchmarks/graded.py --data ../shared/data lightgbm_rank   this one

Three folds of whole groups, so that each group is ranked once by trees that have not seen it. All but histogram
regression grow XGBoost trees, 200 slow ones as `ordain fit` does for fewer than 10,000 rows, and differ in the loss:

- pairs within groups: the logistic loss over all pairs of different grades within a group, every pair weighing the same
- stopped early: the same with the trees of `ordain fit` for more rows: a fifth of the groups is held out to tell how
  many of 1,000 larger steps are best
- groups alike: the first, rows weighing 1/√pairs of their group, so that every group weighs the same
- pairs across groups: over all pairs of different grades in the table
- both: the standardised scores of pairs within and across groups, added
- grades: squared loss of the grade; gains: of 2^grade - 1; centred: of the grade minus the mean of its group
- lambda: XGBoost's rank:ndcg
- histogram regression: scikit-learn's HistGradientBoostingRegressor on grades, default settings

Sets: lightgbm_rank; wine_lists, the wines of wine_quality dealt into lists of 20 by lot, so that a list says nothing of
its grades; queries_weak and queries_strong, made up after web search: 300 queries of 20 to 120 documents, 40 features,
8 of them of the query, and grades 0 to 4 of which half are 0; what a query adds to all its documents has a standard
deviation of 0.3 and of 1.5, that of the documents within a query being 1. The differences are to pairs within groups,
paired, with their standard error over groups. Rows are appended to graded.csv; a set that is there already is left out.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import xgboost
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import GroupKFold

from ordain import BoostedRanker
from ordain.measure import auc, group_ndcg
from ordain.rows.record import Rows

FILE = Path(__file__).with_suffix(".csv")
FIELDS = ["data", "rows", "groups", "learner", "ndcg", "difference", "error", "concordance"]
FOLDS, PLACES, LIST = 3, 10, 20
SHARES = (0.515, 0.325, 0.134, 0.018, 0.008)
TREES = {"n_estimators": 200, "learning_rate": 0.05, "max_depth": 6, "n_jobs": 1, "random_state": 0}


def read(name: str, data: Path) -> Rows:
    """A set of graded rows in groups."""
    if name.startswith("queries"):
        return queries(0.3 if name.endswith("weak") else 1.5)
    table = pl.read_parquet(data / "graded" / f"{'wine_quality' if name == 'wine_lists' else name}.parquet")
    groups = table["group"].to_numpy()
    if name == "wine_lists":
        groups = np.random.default_rng(0).permutation(len(table)) // LIST
    return Rows(table.drop("label", "group").to_numpy(), table["label"].to_numpy(), groups=groups, graded=True)


def queries(level: float) -> Rows:
    """Made-up documents of queries; `level` is how much a query adds to all of its documents."""
    rng = np.random.default_rng(1)
    sizes = rng.integers(20, 121, 300)
    query = np.repeat(np.arange(300), sizes)
    about, documents = rng.normal(size=(300, 8)), rng.normal(size=(len(query), 32))
    worth = documents[:, 0] + np.maximum(documents[:, 1], 0) * documents[:, 2] + np.sin(2 * documents[:, 3])
    worth += 0.5 * documents[:, 4:10].sum(axis=1) * (about[query, 0] > 0) + 0.5 * documents[:, 10] ** 2
    worth = (worth + rng.normal(scale=worth.std(), size=len(query))) / (np.sqrt(2) * worth.std())
    added = level * (about[:, 1] + rng.normal(size=300)) / np.sqrt(2)
    ends = np.quantile(worth + added[query], np.cumsum(SHARES)[:-1])
    grades = np.digitize(worth + added[query], ends)
    seen = documents + 0.5 * rng.normal(size=(300, 32))[query]  # as term counts are higher for common words
    return Rows(np.column_stack([about[query], seen]), grades, groups=query, graded=True)


def settings(columns: int) -> dict[str, Any]:
    return {"subsample": 0.8, "colsample_bynode": max(0.1, columns**-0.5)}


def pairs(train: Rows, X: Any, *, across: bool = False, alike: bool = False) -> Any:
    """Scores by trees fitted to pairs."""
    ranker = BoostedRanker(graded=True, settings=settings(X.shape[1]), **TREES)
    weights = None
    if alike:
        weights = 1 / np.sqrt(np.maximum(group_pairs(train), 1))
        weights /= weights.mean()  # else the penalties of the trees would be larger beside them
    ranker.fit(train.features, train.labels, sample_weight=weights, groups=None if across else train.groups)
    return ranker.decision_function(X)


def stopped(train: Rows, X: Any) -> Any:
    grown = {"n_estimators": 1000, "early_stopping": 30, "settings": {"min_child_weight": 3}}
    ranker = BoostedRanker(graded=True, n_jobs=1, random_state=0, **grown)
    return ranker.fit(train.features, train.labels, groups=train.groups).decision_function(X)


def group_pairs(rows: Rows) -> Any:
    """For each row, how many pairs of different grades its group has."""
    codes = np.unique(rows.groups, return_inverse=True)[1]
    grades = np.unique(rows.labels, return_inverse=True)[1]
    counts = np.zeros((codes.max() + 1, grades.max() + 1))
    np.add.at(counts, (codes, grades), 1)
    return ((counts.sum(axis=1) ** 2 - (counts**2).sum(axis=1)) / 2)[codes]


def regression(train: Rows, X: Any, target: Callable[[Rows], Any]) -> Any:
    """Scores by the same trees fitted to numbers."""
    return xgboost.XGBRegressor(**TREES, **settings(X.shape[1])).fit(train.features, target(train)).predict(X)


def centred(rows: Rows) -> Any:
    codes = np.unique(rows.groups, return_inverse=True)[1]
    return rows.labels - (np.bincount(codes, rows.labels) / np.bincount(codes))[codes]


def both(train: Rows, X: Any) -> Any:
    scores = pairs(train, X), pairs(train, X, across=True)
    return sum(of / of.std() for of in scores)


def rank_ndcg(train: Rows, X: Any) -> Any:
    order = np.argsort(train.groups, kind="stable")
    ranker = xgboost.XGBRanker(objective="rank:ndcg", **TREES, **settings(X.shape[1]))
    return ranker.fit(train.features[order], train.labels[order], qid=train.groups[order]).predict(X)


def histogram(train: Rows, X: Any) -> Any:
    return HistGradientBoostingRegressor(random_state=0).fit(train.features, train.labels).predict(X)


LEARNERS: dict[str, Callable[[Rows, Any], Any]] = {
    "pairs within groups": pairs,
    "stopped early": stopped,
    "groups alike": lambda train, X: pairs(train, X, alike=True),
    "pairs across groups": lambda train, X: pairs(train, X, across=True),
    "both": both,
    "grades": lambda train, X: regression(train, X, lambda rows: rows.labels),
    "gains": lambda train, X: regression(train, X, lambda rows: 2.0**rows.labels - 1),
    "centred": lambda train, X: regression(train, X, centred),
    "lambda": rank_ndcg,
    "histogram regression": histogram,
}


def compared(name: str, rows: Rows) -> list[dict[str, Any]]:
    """One row of the table for each learner."""
    folds = list(GroupKFold(FOLDS, shuffle=True, random_state=0).split(rows.labels, groups=rows.groups))
    found: list[dict[str, Any]] = []
    reference = None
    for learner, scored in LEARNERS.items():
        scores = np.zeros(len(rows))
        for train, test in folds:
            scores[test] = scored(rows.take(train), rows.features[test])
        each = group_ndcg(rows.labels, scores, PLACES, groups=rows.groups)
        reference = each if reference is None else reference
        apart = (each - reference)[~np.isnan(each)]
        concordance = auc(rows.labels, scores, groups=rows.groups, graded=True)
        row = {"data": name, "rows": len(rows), "groups": len(apart), "learner": learner}
        row |= {"ndcg": f"{np.nanmean(each):.4f}", "difference": f"{apart.mean():+.4f}"}
        row |= {"error": f"{apart.std(ddof=1) / np.sqrt(len(apart)):.4f}", "concordance": f"{concordance:.4f}"}
        print("  ".join(f"{key} {value}" for key, value in row.items()), flush=True)
        found.append(row)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("names", nargs="*", default=["lightgbm_rank", "wine_lists", "queries_weak", "queries_strong"])
    asked = parser.parse_args()
    if not FILE.exists():
        FILE.write_text(",".join(FIELDS) + "\n")
    with FILE.open(newline="") as file:
        done = {row["data"] for row in csv.DictReader(file)}
    for name in asked.names:
        if name not in done:
            rows = compared(name, read(name, asked.data))
            with FILE.open("a", newline="") as file:
                csv.DictWriter(file, FIELDS).writerows(rows)


if __name__ == "__main__":
    main()
