"""How often the intervals of a board hold, by simulation, beside the percentile bootstrap that arenas print.

In every cell (how pairs are chosen, how unequal the items are, how many they are, votes for each) many boards are made,
the true strengths drawn anew for each. Counted are, at 95 %: the intervals of the differences of scores that hold the
true difference, a share of the pairs of a board and then of boards; and the boards on which no item is said to be
surely above another that is not below it in truth, so that all true ranks lie in their intervals. An interval has no
end where no chain of wins bounds it; `unbounded` is the share of such. Widths are of the intervals of win chances.

The laws: *equal*, all strengths are zero; *normal* and *unequal*, N(0, 1) and N(0, 3²); *camps*, half of the items 4
above the others; *unbeaten*, N(0, 1), but one item 8 and one 16 above. The designs: *random* pairs; *ballots* of five
items; *window*, pairs chosen by earlier answers (:func:`ordain.rank.window`); *judges*, each of whom has a taste of
N(0, 0.7²) for every item, the truth being the average judge's (a sum of logistic curves is near one that is flatter
by √(1 + 0.346 variance), which is reckoned with). Beside it stands the bootstrap over votes, 100 times, of the
Bradley–Terry scores of greatest likelihood under N(0, 10²), its percentiles, and ranks by bands that do not overlap.

One row for each cell goes to the CSV beside this file as soon as it is done, and cells that are there are kept:

    python benchmarks/board_coverage.py [--share 1] [--minutes 9]

`--share` is that of the boards to make, `--minutes` when to start no further cell. The whole takes half an hour of one
quiet core: 1,000 boards a cell at 5 items, 300 at 20, 30 at 100 and 4 at 400.
"""

from __future__ import annotations

import csv
import sys
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ordain.rank import play, window
from ordain.votes.board import Leaderboard, board_of
from ordain.votes.cast_votes import Votes
from ordain.votes.rank_intervals import critical_difference
from ordain.votes.win_chains import chains

LEVEL, TASTE, BALLOT, RESAMPLES = 0.95, 0.7, 5, 100
BOARDS = {5: 1000, 20: 300, 100: 30, 400: 4}
BOOTSTRAPPED = {5: 100, 20: 30, 100: 3, 400: 1}
TABLE = Path(__file__).with_suffix(".csv")
Array = NDArray[np.float64]


class Cell(NamedTuple):
    """How boards are made."""

    design: str
    law: str
    items: int
    votes: int  # for each item
    judges: int = 0


class Row(NamedTuple):
    """A line of the CSV, after its cell."""

    boards: int
    differences: float
    worst: float  # the share of pairs covered on the worst hundredth of boards
    unbounded: float
    ranks: float
    width: float
    bootstrap_boards: int
    bootstrap_differences: float
    bootstrap_ranks: float
    bootstrap_width: float
    seconds: float


def cells() -> Iterator[Cell]:
    """All cells, the cheap ones first."""
    for n in (5, 20, 100):
        for law in ("equal", "normal", "unequal", "camps", "unbeaten"):
            for votes in (2, 4, 10, 50, 200):
                yield Cell("random", law, n, votes)
        for law in ("normal", "unequal"):
            for votes in (4, 10, 20, 100):
                yield Cell("ballots", law, n, votes)
                if n > 5 and votes < n:
                    yield Cell("window", law, n, votes)
        for judges in (10, 50, 500):
            for votes in (10, 50, 200):
                yield Cell("judges", "normal", n, votes, judges)
    for law in ("equal", "normal", "unequal"):
        for votes in (4, 20, 200):
            yield Cell("random", law, 400, votes)
    for design in ("ballots", "window"):
        for law in ("normal", "unequal"):
            yield Cell(design, law, 400, 20)
    for judges in (50, 500):
        yield Cell("judges", "normal", 400, 50, judges)


def strengths(cell: Cell, rng: np.random.Generator) -> Array:
    """The true strengths of a board."""
    n = cell.items
    if cell.law == "equal":
        return np.zeros(n)
    if cell.law == "camps":
        return 4.0 * (rng.permutation(n) < n // 2)
    spread = 3.0 if cell.law == "unequal" else 1.0
    return spread * rng.standard_normal(n) + 8.0 * (cell.law == "unbeaten") * np.maximum(2.0 - np.arange(n), 0.0)


def drawn(cell: Cell, rng: np.random.Generator) -> tuple[Votes, Array]:
    """Votes, and the true strengths."""
    truth = strengths(cell, rng)
    if cell.design == "ballots":
        return balloted(cell, truth, rng), truth
    if cell.design == "window":
        return asked(cell, truth, rng), truth
    n, m = cell.items, max(1, cell.items * cell.votes // 2)
    left = rng.integers(n, size=m)
    right = (left + rng.integers(1, n, size=m)) % n
    if not cell.judges:
        return votes_of(n, left, right, rng.random(m) < expit(truth[left] - truth[right])), truth
    who, taste = rng.integers(cell.judges, size=m), TASTE * rng.standard_normal((cell.judges, n))
    liked = truth + taste
    answers = rng.random(m) < expit(liked[who, left] - liked[who, right])
    flatter = np.sqrt(1 + 0.346 * 2 * TASTE**2)
    return votes_of(n, left, right, answers, who, judges=tuple(range(cell.judges))), truth / flatter


def votes_of(
    n: int, left: Array, right: Array, answers: Array, clusters: Array | None = None, worth: float = 1.0,
    judges: tuple[int, ...] | None = None,
) -> Votes:  # fmt: skip
    """Votes of one person each."""
    one = np.ones(len(left))
    answers = np.asarray(answers, dtype=float)
    return Votes(tuple(range(n)), left, right, answers, one, one, worth * one, clusters, judges)


def balloted(cell: Cell, truth: Array, rng: np.random.Generator) -> Votes:
    """Ballots by Plackett and Luce: strengths plus Gumbel noise, in order; any two of one go by Bradley and Terry."""
    n = cell.items
    count = max(1, round(n * cell.votes / BALLOT / (BALLOT - 1)))
    some = np.argsort(rng.random((count, n)), axis=1)[:, :BALLOT]
    order = np.take_along_axis(some, np.argsort(-truth[some] - rng.gumbel(size=some.shape), axis=1), axis=1)
    first, second = np.triu_indices(BALLOT, k=1)
    left, right = order[:, first].ravel(), order[:, second].ravel()
    turned = rng.random(len(left)) < 0.5
    left, right = np.where(turned, right, left), np.where(turned, left, right)
    return votes_of(n, left, right, ~turned, np.repeat(np.arange(count), len(first)), 3 / (BALLOT + 1))


def asked(cell: Cell, truth: Array, rng: np.random.Generator) -> Votes:
    """Pairs as `window` chooses them after each batch of answers."""
    seen: list[tuple[Array, Array]] = []

    def judge(pairs: Array) -> Array:
        answers = (rng.random(len(pairs)) < expit(truth[pairs[:, 0]] - truth[pairs[:, 1]])).astype(float)
        seen.append((pairs, answers))
        return answers

    play(window(cell.items, rng, cell.items * cell.votes // 2), judge)
    pairs, answers = np.concatenate([pairs for pairs, _ in seen]), np.concatenate([answers for _, answers in seen])
    return votes_of(cell.items, pairs[:, 0], pairs[:, 1], answers)


def measured(board: Leaderboard, truth: Array) -> list[float]:
    """Share of differences covered, share unbounded, whether all ranks are right, mean width of win chances."""
    errors, votes = board.errors, board.source
    assert errors is not None and board.fit is not None
    same = (errors.parts[:, None] == errors.parts) & ~np.eye(len(truth), dtype=bool)
    estimate, true = (of[:, None] - of for of in (errors.fit.scores, truth))
    doubts = sum((row[:, None] - row) ** 2 for row in errors.doubts[:, :-1])
    half = errors.quantile((1 + LEVEL) / 2) * np.sqrt(errors.of_differences + doubts)
    low = np.where(chains(votes), estimate - half, -np.inf)
    covered = (low <= true) & (true <= -low.T)
    critical = critical_difference(board.order, errors, LEVEL, np.random.default_rng(0))
    sure = same & chains(votes) & (estimate > critical * np.sqrt(errors.of_differences))
    # The same from the columns: a true rank is outside if and only if something surely above is not better.
    above = np.bincount(board.order, board.rank_low - 1, len(truth)).astype(int)
    assert (sure.sum(axis=0) == above).all()
    widths = expit(-low.T) - expit(low)
    return [covered[same].mean(), np.isinf(low)[same].mean(), not (sure & (true <= 0)).any(), widths[same].mean()]


def bootstrapped(votes: Votes, truth: Array, rng: np.random.Generator) -> list[float]:
    """The same, but for what is unbounded, of the percentile bootstrap."""
    n, m = len(truth), len(votes)
    drawn = rng.integers(m, size=(RESAMPLES, m))
    winners = np.where(votes.answers > 0.5, votes.left, votes.right)[drawn]
    losers = np.where(votes.answers > 0.5, votes.right, votes.left)[drawn]
    wins = np.zeros((RESAMPLES, n, n))
    np.add.at(wins, (np.arange(RESAMPLES)[:, None], winners, losers), 1.0)
    scores = likeliest_scores(wins)
    ends = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
    true, off = truth[:, None] - truth, ~np.eye(n, dtype=bool)
    low, high = np.empty((n, n)), np.empty((n, n))
    for item in range(n):
        low[item], high[item] = np.quantile(scores[:, item, None] - scores, ends, axis=0)
    bottom, top = np.quantile(scores, ends, axis=0)
    wrong = (bottom[:, None] > top) & (true <= 0)
    covered, widths = (low <= true) & (true <= high), expit(high) - expit(low)
    return [covered[off].mean(), not wrong.any(), widths[off].mean()]


def likeliest_scores(wins: Array) -> Array:
    """Bradley–Terry scores under N(0, 10²) for each matrix of wins, by Newton's steps of at most 2."""
    n = wins.shape[-1]
    scores, played = np.zeros(wins.shape[:-1]), wins + wins.transpose(0, 2, 1)
    for _ in range(40):
        p = expit(scores[:, :, None] - scores[:, None, :])
        gradient = (wins - played * p).sum(axis=2) - scores / 100
        weights = played * p * (1 - p)
        hessian = np.eye(n) * (weights.sum(axis=2) + 0.01)[:, :, None] - weights
        step = np.linalg.solve(hessian, gradient[..., None])[..., 0]
        scores += step * np.minimum(1.0, 2.0 / np.maximum(np.abs(step).max(axis=1, keepdims=True), 1e-9))
        if np.abs(step).max() < 1e-3:
            break
    return scores - scores.mean(axis=1, keepdims=True)


def simulated(cell: Cell, share: float) -> Row:
    """A cell's figures, from this share of its boards."""
    rng, start = np.random.default_rng(zlib.crc32(repr(cell).encode())), time.process_time()
    found, others = [], []
    for number in range(max(2, round(share * BOARDS[cell.items]))):
        votes, truth = drawn(cell, rng)
        found.append(measured(board_of(votes, level=LEVEL), truth))
        if number < max(1, share * BOOTSTRAPPED[cell.items]):
            others.append(bootstrapped(votes, truth, rng))
    covered, unbounded, ranks, width = np.array(found, dtype=float).T
    seconds = (time.process_time() - start) / len(found)
    figures = [covered.mean(), np.quantile(covered, 0.01), unbounded.mean(), ranks.mean(), width.mean()]
    rounded = [round(float(figure), 4) for figure in figures]
    bootstrap = np.array(others, dtype=float).mean(axis=0).round(4).tolist()
    return Row(len(found), *rounded, len(others), *bootstrap, round(seconds, 4))  # type: ignore[arg-type]


def kept() -> set[tuple[str, ...]]:
    """Cells that are in the CSV."""
    if not TABLE.exists():
        return set()
    with TABLE.open() as file:
        return {tuple(row[: len(Cell._fields)]) for row in csv.reader(file)}


def option(name: str, otherwise: float) -> float:
    """The number after an option on the command line."""
    return float(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else otherwise


def main() -> None:
    end, done = time.monotonic() + 60 * option("--minutes", np.inf), kept()
    if not done:
        with TABLE.open("w") as file:
            csv.writer(file).writerow(Cell._fields + Row._fields)
    for cell in cells():
        if tuple(map(str, cell)) in done or time.monotonic() > end:
            continue
        row = simulated(cell, option("--share", 1.0))
        print(*cell, *row, flush=True)
        with TABLE.open("a") as file:
            csv.writer(file).writerow(cell + row)


if __name__ == "__main__":
    main()
