"""What commands print: tables for people on a terminal, one JSON object for programs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ordain.certificate import outward
from ordain.evaluation import MAX_FPR, Duel, Evaluation
from ordain.losses import Loss


def print_json(value: Any) -> None:
    print(json.dumps(value, ensure_ascii=False, allow_nan=False))


def say(*lines: str) -> None:
    for line in lines:
        _console().print(line, markup=False)


@contextmanager
def working(what: str) -> Iterator[None]:
    """Say on standard error, if that is a terminal, what takes a moment."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(what):
        yield


def print_evaluation(evaluation: Evaluation, title: str) -> None:
    console = _console()
    counts = ", ".join(f"{count:,} {name}" for name, count in _class_names(evaluation).items())
    console.print(f"[bold]{escape(title)}[/bold]: {evaluation.rows:,} rows, {escape(counts)}")
    console.print(str(evaluation.interval) if evaluation.interval else f"AUC {evaluation.auc:.4f}.")
    if evaluation.partial_auc is not None:
        found, rate = f"{evaluation.partial_auc:.1%}", f"{MAX_FPR:.0%}"
        console.print(
            f"While at most {rate} of the negatives are let in, {found} of the positives are found on average."
        )
    if evaluation.top:
        console.print(_table(["first", "precision", "recall", "lift"], map(_top_row, evaluation.top)))
    if evaluation.note:
        console.print(evaluation.note)


def _class_names(evaluation: Evaluation) -> dict[str, int]:
    """What each class is called in a sentence, and its rows."""
    if evaluation.positive is None:
        grades = {f"of grade {grade}": count for grade, count in evaluation.classes.items()}
        return grades if len(grades) <= 8 else {"grades": len(grades)}
    return {
        f"positive ({evaluation.positive})": evaluation.classes["positive"],
        "negative": evaluation.classes["negative"],
    }


def _top_row(top: Any) -> list[str]:
    return [f"{top.k:,}", f"{top.precision:.1%}", f"{top.recall:.1%}", f"{top.lift:.2f}"]


def print_scorers(evaluations: dict[str, Evaluation]) -> None:
    """Several scorers of the same rows, a line each."""
    _console().print(
        _table(
            ["scorer", "AUC", "interval", "first", "precision"],
            map(_scorer_row, *zip(*evaluations.items(), strict=True)),
        )
    )


def _scorer_row(name: str, evaluation: Evaluation) -> list[str]:
    interval, first = evaluation.interval, evaluation.top[1]
    ends = "none" if interval is None else " to ".join(outward(interval.low, interval.high, 3))
    return [name, f"{evaluation.auc:.3f}", ends, f"{first.k:,}", f"{first.precision:.1%}"]


def print_duel(duel: Duel, title: str) -> None:
    console = _console()
    console.print(f"[bold]{escape(title)}[/bold]: {duel.rows:,} rows, positive class {escape(str(duel.positive))}")
    console.print(_table(["scores", "AUC"], ([escape(name), f"{area:.4f}"] for name, area in duel.auc.items())))
    sentence = str(duel.comparison)
    for role, name in zip(("The first", "The second"), duel.auc, strict=True):
        sentence = sentence.replace(role, name)
    console.print(escape(sentence))


def loss_facts(loss: Loss) -> dict[str, Any]:
    """What the theory needs of a loss; an unbounded end of the scores is None."""
    return {
        "name": loss.name,
        "strength": loss.strength,
        "scores": [None if math.isinf(end) else end for end in loss.domain],
        "margin": loss.is_margin,
        "canonical": loss.is_canonical,
        "sigmoid_slope": loss.sigmoid_slope,
    }


def print_losses(losses: Iterable[Loss]) -> None:
    columns = ["loss", "λ", "scores", "margin loss", "canonical", "sigmoid slope"]
    _console().print(_table(columns, map(_loss_row, losses)))


def _loss_row(loss: Loss) -> list[str]:
    low, high = loss.domain
    scores = "all" if math.isinf(high) else f"{low:g} to {high:g}"
    slope = "none" if loss.sigmoid_slope is None else f"{loss.sigmoid_slope:g}"
    return [loss.name, f"{loss.strength:g}", scores, *map(_yes_no, (loss.is_margin, loss.is_canonical)), slope]


def _yes_no(fact: bool) -> str:
    return "yes" if fact else "no"


def _table(columns: list[str], rows: Iterable[list[str]]) -> Table:
    table = Table(box=None, pad_edge=False)
    for index, column in enumerate(columns):
        table.add_column(column, justify="left" if index == 0 else "right")
    for row in rows:
        table.add_row(*row)
    return table


def _console() -> Console:
    return Console(highlight=False, soft_wrap=True)
