"""CatBoost as it comes and FLAML with 60 s on the outer folds of choice.py, in an environment of their own.

    python benchmarks/peers.py tables benchmarks/choice_peers.py --data ../shared/data            all; two hours
    python benchmarks/peers.py tables benchmarks/choice_peers.py --data ../shared/data --only catboost heart adult

FLAML chooses by AUC with its default learners; text columns are categories. Both get `--threads` threads. What is done
already is left out; what is found is appended to choice_peers.csv, which choice.py reads: the first fold of every
table, then the next.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from catboost import CatBoostClassifier
from flaml import AutoML
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

FILE = Path(__file__).with_suffix(".csv")
MOST, FOLDS, SECONDS = 20_000, 5, 60
COLUMNS = ["data", "fold", "learner", "threads", "auc", "seconds"]


def read(path: Path) -> tuple[pl.DataFrame, Any]:
    """At most MOST rows of a table, as choice.py draws them, and where they are positive."""
    table = pl.read_parquet(path)
    if len(table) > MOST:
        table = table[np.random.default_rng(0).permutation(len(table))[:MOST]]
    return table.drop("label"), table["label"].to_numpy() == 1


def catboost(known: Any, labels: Any, fresh: Any, text: list[str], threads: int) -> Any:
    """The chance of a positive by CatBoost's defaults, text columns named."""
    model = CatBoostClassifier(cat_features=text, random_seed=0, thread_count=threads, verbose=0)
    model.set_params(allow_writing_files=False)
    return model.fit(known.fillna(dict.fromkeys(text, "")), labels).predict_proba(
        fresh.fillna(dict.fromkeys(text, ""))
    )[:, 1]


def flaml(known: Any, labels: Any, fresh: Any, text: list[str], threads: int) -> Any:
    """The chance of a positive by what FLAML finds in SECONDS."""
    model = AutoML(task="classification", metric="roc_auc", time_budget=SECONDS, n_jobs=threads, seed=0, verbose=0)
    kinds = dict.fromkeys(text, "category")
    model.fit(known.astype(kinds), labels)
    return model.predict_proba(fresh.astype(kinds))[:, 1]


PEERS = {"catboost": catboost, "flaml": flaml}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with binary/*.parquet")
    parser.add_argument("--only", choices=PEERS)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("names", nargs="*", help="the tables, all of them without")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if not FILE.exists():
        FILE.write_text(",".join(COLUMNS) + "\n")
    done = {(row["data"], row["fold"], row["learner"]) for row in csv.DictReader(FILE.read_text().splitlines())}
    paths = sorted((options.data / "binary").glob("*.parquet"), key=lambda path: path.stat().st_size)
    for wanted in range(1, FOLDS + 1):
        for path in paths:
            if options.names and path.stem not in options.names:
                continue
            features, labels = read(path)
            text = features.select(pl.col(pl.String)).columns
            frame = features.to_pandas()
            folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(labels, labels))
            train, test = folds[wanted - 1]
            for who in [options.only] if options.only else PEERS:
                if (path.stem, str(wanted), who) in done:
                    continue
                start = time.perf_counter()
                scores = PEERS[who](frame.iloc[train], labels[train], frame.iloc[test], text, options.threads)
                row = [path.stem, wanted, who, options.threads, f"{roc_auc_score(labels[test], scores):.5f}"]
                with FILE.open("a", newline="") as file:
                    csv.writer(file).writerow([*row, f"{time.perf_counter() - start:.1f}"])
                print(*row, flush=True)


if __name__ == "__main__":
    main()
