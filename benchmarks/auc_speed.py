"""Time of exact AUC and its interval, beside one sort of the same scores and scikit-learn, in one run.

    python benchmarks/auc_speed.py [--largest 10000000]

Each figure is the best of several runs; the table is also written to auc_speed.csv beside this file.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

import ordain


def best_time(work: Callable[[], Any], times: int) -> float:
    spent = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        spent.append(time.perf_counter() - start)
    return min(spent)


def cases(n: int, rng: np.random.Generator) -> dict[str, tuple[Any, Any]]:
    labels = rng.random(n) < 0.1
    scores = rng.normal(size=n) + labels
    order = np.argsort(scores)
    return {
        "10 % positive": (labels, scores),
        "half positive": (scores > rng.normal(size=n), scores),
        "all tied": (labels, np.zeros(n)),
        "two values": (labels, (scores > 0.5).astype(float)),
        "already sorted": (labels[order], scores[order]),
    }


def measured(name: str, labels: Any, scores: Any) -> dict[str, Any]:
    n = len(scores)
    times = 3 if n > 10**6 else 7
    argsort = best_time(lambda: np.argsort(scores), times)
    ours = best_time(lambda: ordain.auc(labels, scores), times)
    theirs = best_time(lambda: roc_auc_score(labels, scores), min(times, 3))
    return {
        "case": name,
        "rows": n,
        "argsort_ms": round(argsort * 1e3, 2),
        "auc_over_sort": round(ours / best_time(lambda: np.sort(scores), times), 2),
        "auc_over_argsort": round(ours / argsort, 2),
        "sklearn_over_auc": round(theirs / ours, 1),
        "interval_over_argsort": round(best_time(lambda: ordain.auc_interval(labels, scores), times) / argsort, 2),
        "difference_to_sklearn": abs(ordain.auc(labels, scores) - roc_auc_score(labels, scores)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=10**7)
    largest = parser.parse_args().largest
    rows = []
    for n in (size for size in (10**5, 10**6, 10**7) if size <= largest):
        for name, (labels, scores) in cases(n, np.random.default_rng(n)).items():
            rows.append(measured(name, labels, scores))
            print("  ".join(f"{key} {value}" for key, value in rows[-1].items()), flush=True)
    with Path(__file__).with_suffix(".csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
