"""One step of a loss of all pairs in torch, forward and backward: ordain, LibAUC's, and a matrix of the pairs.

    python benchmarks/peers.py torch benchmarks/torch_pairs.py

A batch has 10 % positives and scores drawn from a normal distribution, in float32 and on the processor. Each way runs
in a process of its own; *seconds* is the median step, *memory* how much the most that the process held grew over the
steps, in MB, and *off* the largest difference of the gradient from that of a double sum in double precision, taken in
blocks of rows, over the largest entry of it. A way that would make a matrix of more than 4 GB is not tried.
"""

from __future__ import annotations

import csv
import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

FILE = Path(__file__).with_suffix(".csv")
ROWS, LOSSES = (100, 10_000, 1_000_000), ("logistic", "squared_hinge")
WAYS = ("ordain", "libauc", "double sum")
MOST = 4e9


def batch(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Scores and labels."""
    rng = np.random.default_rng(0)
    labels = np.arange(n) % 10 == 0
    return (rng.normal(size=n) + labels).astype(np.float32), labels


def phi(loss: str, u: Any) -> Any:
    """The loss of a difference of scores."""
    import torch

    return torch.nn.functional.softplus(-u) if loss == "logistic" else torch.relu(1 - u) ** 2


def step(way: str, loss: str) -> Any:
    """A function of scores and labels that gives the loss."""
    import torch

    if way == "ordain":
        from ordain.torch import PairLoss

        return PairLoss(loss)
    if way == "libauc":
        from libauc.losses import PairwiseAUCLoss

        theirs = PairwiseAUCLoss(surr_loss=loss)
        return lambda scores, labels: theirs(scores[:, None], labels[:, None].float())

    def double_sum(scores: Any, labels: Any) -> Any:
        return phi(loss, scores[labels][:, None] - scores[~labels]).mean()

    torch.manual_seed(0)
    return double_sum


def exact(loss: str, scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The gradient by a double sum in double precision, a few positives at a time."""
    from ordain.losses import get_pairing

    pairing, s, slope = get_pairing(loss), scores.astype(float), np.zeros(len(scores))
    up, down = np.flatnonzero(labels), np.flatnonzero(~labels)
    for part in np.array_split(up, max(1, len(up) * len(down) // 10**7)):
        slopes = pairing.phi_slope(s[part][:, None] - s[down]) / len(up) / len(down)
        slope[part] += slopes.sum(1)
        slope[down] -= slopes.sum(0)
    return slope


def measure(way: str, loss: str, n: int) -> dict[str, Any]:
    """Seconds, memory and error of a step, in this process."""
    import torch

    values, labels = batch(n)
    cells = int(labels.sum()) * int((~labels).sum())
    if way != "ordain" and cells * 4 > MOST:
        return {"note": f"a matrix of {cells:.1e} pairs, {cells * 4 / 1e9:.0f} GB"}
    scores, mask = torch.tensor(values, requires_grad=True), torch.tensor(labels)
    risk, small = step(way, loss), torch.tensor(values[:20], requires_grad=True)
    risk(small, mask[:20]).backward()  # what is loaded or compiled once
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    taken = []
    while (sum(taken) < 2 and len(taken) < 200) or len(taken) < 3:
        scores.grad, start = None, time.perf_counter()
        risk(scores, mask).backward()
        taken.append(time.perf_counter() - start)
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    found = {"seconds": f"{np.median(taken):.2g}", "memory": f"{memory:.0f}"}
    if cells < 1e8:
        true = exact(loss, values, labels)
        found["off"] = f"{np.abs(scores.grad.double().numpy() - true).max() / np.abs(true).max():.1e}"
    return found


def main() -> None:
    """Every way in a process of its own."""
    rows = []
    for loss in LOSSES:
        for n in ROWS:
            for way in WAYS:
                done = subprocess.run([sys.executable, __file__, way, loss, str(n)], capture_output=True, text=True)
                lines = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()
                found = json.loads(lines[-1]) if done.returncode == 0 else {"note": lines[-1]}
                rows.append({"loss": loss, "rows": n, "way": way, **found})
                print(rows[-1])
    with FILE.open("w", newline="") as file:
        table = csv.DictWriter(file, ["loss", "rows", "way", "seconds", "memory", "off", "note"])
        table.writeheader()
        table.writerows(rows)


if __name__ == "__main__":
    if len(sys.argv) == 4:
        print(json.dumps(measure(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
    else:
        main()
