"""Time and memory of the risk of all pairs: value, gradient and Hessian diagonal, beside what it competes with.

    python benchmarks/peers.py torch benchmarks/pair_risk.py [--largest 10000000]

Ratios to `np.argsort` of the same scores, to one pointwise logistic pass in numpy (value, gradient, curvature of every
row), to the double sum where its pairs fit into memory, in numpy and in torch (there value and gradient only), and, for
groups of ten rows, to one group of all rows. Scores are normal, 10 % positive; wide scores are a hundred thousand times
as far apart, about a row in every bin of the sketch. The risk is made once and keeps nothing between calls. Each time
is the best of several, all in turn. Memory is the peak of making it and calling it, beyond labels, scores and groups,
in arrays of n float64. Written to the CSV.
"""

from __future__ import annotations

import argparse
import csv
import time
import tracemalloc
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ordain.losses import PAIRINGS
from ordain.pairs import PairRisk

COLUMNS = ["case", "loss", "rows", "ns_per_row", "over_argsort", "over_pointwise", "over_naive", "over_torch"]
COLUMNS += ["over_one_group", "arrays_of_n"]


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


def torch_double_sum(labels: Any, scores: Any) -> Any:
    """Value and gradient from the definition, as one writes them in torch."""
    import torch

    s, positive = torch.tensor(scores, requires_grad=True), torch.tensor(labels)
    value = torch.nn.functional.softplus(s[~positive] - s[positive][:, None]).mean()
    value.backward()
    return value, s.grad


def best(works: dict[str, Callable[[], Any]], times: int) -> dict[str, float]:
    """Best time of each, taken in turn, after one call of each."""
    found = dict.fromkeys(works, float("inf"))
    for turn in range(times + 1):
        for name, work in works.items():
            start = time.perf_counter()
            work()
            if turn:
                found[name] = min(found[name], time.perf_counter() - start)
    return found


def arrays_of_memory(work: Callable[[], Any], n: int) -> float:
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return round(peak / (8 * n), 2)


def table(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(n)
    labels = rng.random(n) < 0.1
    return labels, rng.normal(size=n) + labels


def measured(case: str, loss: str, n: int, scale: float = 1.0) -> dict[str, Any]:
    labels, scores = table(n)
    scores *= scale
    risk = PairRisk(labels, loss)
    works = {"risk": lambda: risk.derivatives(scores), "argsort": lambda: np.argsort(scores)}
    works["pointwise"] = lambda: pointwise(labels, scores / scale)
    row: dict[str, Any] = {"case": case, "loss": loss, "rows": n}
    if loss == "logistic" and n <= 10_000:
        works["naive"] = lambda: double_sum(labels, scores)
        if find_spec("torch"):
            works["torch"] = lambda: torch_double_sum(labels, scores)
        else:
            row["over_torch"] = "torch not installed"
    spent = best(works, 3 if n > 10**6 or scale > 1 else 15)
    row["ns_per_row"] = round(spent["risk"] / n * 1e9, 1)
    row |= {f"over_{name}": round(spent["risk"] / spent[name], 4) for name in works if name != "risk"}
    return row | {"arrays_of_n": arrays_of_memory(lambda: PairRisk(labels, loss).derivatives(scores), n)}


def grouped(loss: str, n: int) -> list[dict[str, Any]]:
    """Groups of ten rows, rows of a group together or anywhere, beside one group of all rows."""
    labels, scores = table(n)
    together = np.arange(n) // 10
    cases = {"groups of 10": together, "groups of 10, shuffled": np.random.default_rng(0).permutation(together)}
    risks = {"one": PairRisk(labels, loss)} | {
        name: PairRisk(labels, loss, groups=groups) for name, groups in cases.items()
    }
    spent = best({name: lambda risk=risk: risk.derivatives(scores) for name, risk in risks.items()}, 15)
    return [
        {"case": name, "loss": loss, "rows": n, "ns_per_row": round(spent[name] / n * 1e9, 1)}
        | {"over_one_group": round(spent[name] / spent["one"], 3)}
        | {"arrays_of_n": arrays_of_memory(lambda g=groups: PairRisk(labels, loss, groups=g).derivatives(scores), n)}
        for name, groups in cases.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=10**7)
    largest = parser.parse_args().largest
    sizes = [size for size in (10**4, 10**5, 10**6, 10**7) if size <= largest]
    with Path(__file__).with_suffix(".csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()

        def keep(rows: list[dict[str, Any]]) -> None:
            for row in rows:
                writer.writerow(row)
                print("  ".join(f"{key} {value}" for key, value in row.items()), flush=True)

        for loss in PAIRINGS:
            for n in sizes:
                keep([measured("one group", loss, n)])
        for loss in ("logistic", "squared_hinge"):
            keep(grouped(loss, min(largest, 10**6)))
        for loss in ("logistic", "canonical_exponential"):
            keep([measured("wide scores", loss, min(largest, 10**6), scale=1e5)])


if __name__ == "__main__":
    main()
