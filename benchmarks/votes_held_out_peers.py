"""Chances that evalica and choix give to votes held out, in an environment of their own; votes_held_out.py calls it.

    python benchmarks/peers.py votes benchmarks/votes_held_out_peers.py votes.npz chances.npz

The first file holds the votes of a set and how many of each are held out in each fold, the second gets for every method
and fold the chance that the left item wins, row by row, and the seconds of CPU it took.
"""

from __future__ import annotations

import sys
import time
import warnings
from typing import Any

import choix
import evalica
import numpy as np
import pandas as pd

PENALTIES = 10.0 ** np.array([-1, -2, -2.5, -3, -3.5, -4, -5])
INNER = 2

Known = tuple[Any, Any, Any, Any, int, bool]
"""Left, right, answers and counts of the votes to fit to, how many items, and whether they are in order of time."""


def evalica_bradley_terry(known: Known) -> Any:
    """Log-strengths by `evalica.bradley_terry` as it comes."""
    return np.log(np.maximum(_evalica(evalica.bradley_terry, known), 1e-300))


def evalica_elo(known: Known) -> Any:
    """Log-strengths by `evalica.elo` as it comes: the votes in the order of time, or by lot."""
    left, right, answers, counts, n, dated = known
    rows = np.repeat(np.arange(len(counts)), counts)
    rows = rows if dated else np.random.default_rng(0).permutation(rows)
    one_by_one = left[rows], right[rows], answers[rows], np.ones(len(rows)), n, dated
    return _evalica(evalica.elo, one_by_one) * np.log(10) / 400


def _evalica(method: Any, known: Known) -> Any:
    """Scores of the items that have votes, NaN for the others; they are all equal where an item never lost."""
    left, right, answers, counts, n, _ = known
    seen = pd.Index(np.unique([left, right]))
    winners = [evalica.Winner.X if y > 0.5 else evalica.Winner.Y if y < 0.5 else evalica.Winner.Draw for y in answers]
    found = method(left.tolist(), right.tolist(), winners, index=seen, weights=counts.astype(float).tolist())
    return found.scores.reindex(range(n)).to_numpy()


def choix_tuned(known: Known) -> Any:
    """Log-strengths by `choix.ilsr_pairwise_dense`, the penalty that foresees most in folds of what is known."""
    left, right, answers, counts, n, _ = known
    rng, costs = np.random.default_rng(0), np.zeros(len(PENALTIES))
    rest = counts.copy()
    for fold in range(INNER):
        held = rng.binomial(rest, 1 / (INNER - fold))
        rest = rest - held
        wins, scores = _wins(left, right, answers, counts - held, n), np.zeros(n)
        for k, penalty in enumerate(PENALTIES):
            d = (scores := _ilsr(wins, penalty, scores))[left] - scores[right]
            costs[k] += held @ (np.logaddexp(0, -d) + (1 - answers) * d)
    return _ilsr(_wins(left, right, answers, counts, n), PENALTIES[np.argmin(costs)], np.zeros(n))


def _wins(left: Any, right: Any, answers: Any, counts: Any, n: int) -> Any:
    wins = np.zeros((n, n))
    np.add.at(wins, (left, right), counts * answers)
    np.add.at(wins, (right, left), counts * (1 - answers))
    return wins


def _ilsr(wins: Any, penalty: float, start: Any) -> Any:
    """Zeros where it does not converge: nothing is foreseen then."""
    try:
        return choix.ilsr_pairwise_dense(wins, alpha=penalty, initial_params=start, max_iter=1000, tol=1e-5)
    except RuntimeError:
        return np.zeros(len(wins))


PEERS = {
    "evalica bradley_terry": evalica_bradley_terry,
    "evalica elo": evalica_elo,
    "choix ilsr, tuned": choix_tuned,
}


def main() -> None:
    source, target = sys.argv[1:]
    votes, found = np.load(source), {}
    left, right, answers, n = votes["left"], votes["right"], votes["answers"], int(votes["n"])
    warnings.simplefilter("ignore")
    for fold, held in enumerate(votes["held"]):
        rest = votes["known"][fold]
        some = rest > 0
        for name, peer in PEERS.items():
            start = time.process_time()
            scores = peer((left[some], right[some], answers[some], rest[some], n, bool(votes["dated"])))
            d = np.nan_to_num(scores[left] - scores[right])
            found[f"{name}/{fold}"] = np.append(1 / (1 + np.exp(-d))[held > 0], time.process_time() - start)
    np.savez(target, **found)


if __name__ == "__main__":
    main()
