"""Time and memory of the risk of all pairs: value, gradient and Hessian diagonal, beside what it competes with.

    python benchmarks/pair_risk.py [--largest 10000000]

Ratios to `np.argsort` of the same scores, to one pointwise logistic pass in numpy (value, gradient, curvature of every
row), and to the double sum in numpy where it fits into memory. Scores are normal, 10 % positive. Each time is the best
of several, all in turn. Memory is the peak beyond the scores and labels, in arrays of n float64. Written to the CSV.
"""

from __future__ import annotations

import argparse
import csv
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ordain.pairs import PairRisk

LOSSES = ("logistic", "canonical_exponential", "exponential", "squared", "squared_hinge", "hinge")


def pointwise(labels: Any, scores: Any) -> Any:
    """One logistic pass over the rows: mean loss, gradient, curvature."""
    signed = np.where(labels, scores, -scores)
    chance = 1 / (1 + np.exp(signed))
    return np.logaddexp(0, -signed).mean(), np.where(labels, -chance, chance), chance * (1 - chance)


def double_sum(labels: Any, scores: Any) -> Any:
    """The same as the fast way, from the definition, with an array of pairs."""
    u = scores[labels][:, None] - scores[~labels]
    chance = 1 / (1 + np.exp(u))
    curvature = chance * (1 - chance)
    gradient, diagonal = np.empty(len(scores)), np.empty(len(scores))
    gradient[labels], gradient[~labels] = -chance.sum(1), chance.sum(0)
    diagonal[labels], diagonal[~labels] = curvature.sum(1), curvature.sum(0)
    return np.logaddexp(0, -u).mean(), gradient / u.size, diagonal / u.size


def best(works: dict[str, Callable[[], Any]], times: int) -> dict[str, float]:
    """Best time of each, taken in turn."""
    found = dict.fromkeys(works, float("inf"))
    for _ in range(times):
        for name, work in works.items():
            start = time.perf_counter()
            work()
            found[name] = min(found[name], time.perf_counter() - start)
    return found


def arrays_of_memory(work: Callable[[], Any], n: int) -> float:
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / (8 * n)


def measured(loss: str, n: int) -> dict[str, Any]:
    rng = np.random.default_rng(n)
    labels = rng.random(n) < 0.1
    scores = rng.normal(size=n) + labels

    def risk() -> Any:
        return PairRisk(labels, loss).derivatives(scores)

    works = {"risk": risk, "argsort": lambda: np.argsort(scores), "pointwise": lambda: pointwise(labels, scores)}
    if loss == "logistic" and n <= 10_000:
        works["naive"] = lambda: double_sum(labels, scores)
    risk()
    spent = best(works, 5 if n > 10**6 else 15)
    row = {"loss": loss, "rows": n, "ns_per_row": round(spent["risk"] / n * 1e9, 1)}
    row |= {f"over_{name}": round(spent["risk"] / spent[name], 4) for name in works if name != "risk"}
    return row | {"arrays_of_n": round(arrays_of_memory(risk, n), 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=10**7)
    largest = parser.parse_args().largest
    rows = []
    for loss in LOSSES:
        for n in (size for size in (10**4, 10**5, 10**6, 10**7) if size <= largest):
            rows.append(measured(loss, n))
            print("  ".join(f"{key} {value}" for key, value in rows[-1].items()), flush=True)
    with Path(__file__).with_suffix(".csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]], restval="")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
