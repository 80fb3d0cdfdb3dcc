"""Precision at the top of the list with a push of 8, against the plain mean over pairs.

    python benchmarks/push.py --data ../shared/data                every table, at most 20,000 rows of each
    python benchmarks/push.py --data ../shared/data heart adult    these two

Linear and boosted rankers, prepared and tuned as `ordain fit` does, on five stratified folds; the precision is that of
the first 1 % of a fold's test rows, at least one, the AUC that of all of them. Gains are of push 8 over push 1 on the
same folds, with the standard error over folds. Rows are appended to push.csv, a set that is there already is left out.
"""

from __future__ import annotations

import csv
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from choice import asking, read, tables
from sklearn.model_selection import StratifiedKFold

from ordain.choice.candidates import Candidate
from ordain.choice.choose import fitted
from ordain.choice.compared import Trial
from ordain.measure import auc, top
from ordain.rows.record import Rows

FILE = Path(__file__).with_suffix(".csv")
PUSH = 8
FIELDS = ["data", "rows", "positive", "first", "model", "precision", "push_precision", "precision_gain", "precision_se"]
FIELDS += ["auc", "push_auc", "auc_gain", "auc_se"]


def figures(candidate: Candidate, known: Rows, fresh: Rows) -> tuple[float, float]:
    """Precision in the first 1 %, and the AUC."""
    trial = Trial(candidate, manner=candidate.manners[0].at_last(*known.features.shape))
    preparation, ranker = fitted(trial, known, 0)
    scores = ranker.decision_function(preparation.matrix(fresh.features, candidate.model))
    return top(fresh.labels, scores, first(fresh)).precision, auc(fresh.labels, scores)


def first(rows: Rows) -> int:
    return max(1, round(len(rows) / 100))


def compared(name: str, rows: Rows, model: str) -> dict[str, Any]:
    """One row of the table."""
    plain, pushed = (Candidate(model, "pairwise", push=power) for power in (1, PUSH))
    found = []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(rows.labels, rows.labels):
        known, fresh = rows.take(train), rows.take(test)
        found.append([figures(candidate, known, fresh) for candidate in (plain, pushed)])
    figure = np.array(found)  # [fold, push, figure]
    gains = figure[:, 1] - figure[:, 0]
    row = {"data": name, "rows": len(rows), "positive": f"{np.mean(rows.labels):.4f}", "first": first(fresh)}
    row["model"] = model
    for k, what in enumerate(("precision", "auc")):
        before, after = figure[:, :, k].mean(axis=0)
        row |= {what: f"{before:.4f}", f"push_{what}": f"{after:.4f}"}
        row |= {f"{what}_gain": f"{gains[:, k].mean():+.4f}"}
        row |= {f"{what}_se": f"{gains[:, k].std(ddof=1) / np.sqrt(len(gains)):.4f}"}
    return row


def main() -> None:
    warnings.simplefilter("ignore")
    for path in tables(asking(__doc__).parse_args()):
        if path.stem in _done():
            continue
        rows = read(path)
        for model in ("linear", "boosted"):
            row = compared(path.stem, rows, model)
            with FILE.open("a", newline="") as file:
                csv.DictWriter(file, FIELDS).writerow(row)
            print("  ".join(f"{key} {value}" for key, value in row.items()), flush=True)


def _done() -> set[str]:
    if not FILE.exists():
        FILE.write_text(",".join(FIELDS) + "\n")
    with FILE.open(newline="") as file:
        return {row["data"] for row in csv.DictReader(file)}


if __name__ == "__main__":
    main()
