"""What commands print: tables for people on a terminal, one JSON object for programs."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Column, Table
from rich.text import Text

from ordain.certificate import outward
from ordain.evaluation import MAX_FPR, Duel, Evaluation
from ordain.learn.candidates import has_trees
from ordain.learn.choose import Choice, Trial
from ordain.learn.model import Model
from ordain.losses import Loss
from ordain.ranked import Ranked
from ordain.tables import Reading
from ordain.theorems.row import Measured, Row
from ordain.words import auc_in_words, top_in_words


def print_json(value: Any) -> None:
    """One line of JSON, with escapes where the output is not in UTF-8."""
    unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    print(json.dumps(value, ensure_ascii=not unicode, allow_nan=False))


def say(*lines: str) -> None:
    for line in lines:
        _console().print(line, markup=False)


def print_reading(file: str, rows: int, reading: Reading, notices: Sequence[str]) -> None:
    """How a table was read, where that is worth saying."""
    if str(reading):
        say(f"Read {rows:,} rows of {file}: {reading}.")
    say(*notices)


@contextmanager
def working(what: str) -> Iterator[None]:
    """Say on standard error, if that is a terminal, what takes a moment."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(what):
        yield


@contextmanager
def steps(total: int | None) -> Iterator[Callable[[str], None]]:
    """A function to call before each step with what it is; shown on standard error with an estimate, on a terminal."""
    console = Console(stderr=True)
    columns = [TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()]
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=total)
        done = -1

        def step(what: str) -> None:
            nonlocal done
            done += 1
            progress.update(task, description=what, completed=done)

        yield step


@contextmanager
def counting(what: str) -> Iterator[Callable[[int], None]]:
    """A function to call with how many more are done; shown on standard error, on a terminal."""
    console = Console(stderr=True)
    columns = [TextColumn(what), TextColumn("{task.completed:,}"), TimeElapsedColumn()]
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=None)
        yield lambda more: progress.advance(task, more)


def print_choice(choice: Choice, model: Model) -> None:
    """The candidates that were compared, the one picked, and what was noticed."""
    console = _console()
    for notice in model.preparation.notices:
        console.print(escape(notice))
    if not has_trees():
        console.print(escape('Only linear models are tried; for trees too: pip install "ordain[boost]"'))
    if choice.compared:
        columns = ["candidate", *_headings(choice), "seconds"]
        console.print(_table(columns, map(partial(_trial_row, choice), choice.trials)))
        console.print(_footnote(choice))
    console.print(escape(str(choice)))


def _footnote(choice: Choice) -> str:
    """What the columns of the comparison are."""
    first = "" if choice.best.top is None else "; first 1%: precision there"
    return (
        f"Means over {len(choice.rounds)} folds of {choice.rows:,} rows{first}; below the best: on each fold, the best "
        "by the other folds; 95% intervals, by the standard error of Nadeau and Bengio for folds that share rows."
    )


def print_ranked(ranked: Ranked) -> None:
    """What was noticed, and what went where; on standard error if the rows went to standard output."""
    console = Console(highlight=False, soft_wrap=True, stderr=ranked.out == "-")
    for line in ranked.lines():
        console.print(line, markup=False)


def _headings(choice: Choice) -> list[str]:
    goal = [] if choice.goal.kind == "auc" else [str(choice.goal)]
    return [*goal, "AUC", *([] if choice.best.top is None else ["first 1%"]), "below the best"]


def _trial_row(choice: Choice, trial: Trial) -> list[str]:
    goal = [] if choice.goal.kind == "auc" else [f"{trial.goal.mean():.3f}"]
    first = [] if trial.top is None else [f"{trial.top.mean():.1%}"]
    apart = choice.above(trial)
    below = "" if trial is choice.best else f"{apart.mean:.3f} [{apart.low:+.3f}, {apart.high:+.3f}]"
    return [trial.candidate.name, *goal, f"{trial.auc.mean():.3f}", *first, escape(below), f"{trial.seconds:.1f}"]


def print_evaluation(evaluation: Evaluation, title: str, label: str, **units: str | None) -> None:
    """The figures, each with what it means; `label` and the units, `group` and `weight`, are names of columns."""
    console = _console()
    counts = ", ".join(f"{count:,} {name}" for name, count in _class_names(evaluation).items())
    console.print(f"[bold]{escape(title)}[/bold]: {evaluation.rows:,} rows, {escape(counts)}")
    console.print(str(evaluation.interval) if evaluation.interval else f"AUC {evaluation.auc:.4f}.")
    console.print(auc_in_words(evaluation, label, **units), markup=False)
    if evaluation.partial_auc is not None:
        found, rate = f"{evaluation.partial_auc:.1%}", f"{MAX_FPR:.0%}"
        console.print(
            f"While at most {rate} of the negatives are let in, {found} of the positives are found on average."
        )
    if evaluation.top:
        console.print(_table(["first", "precision", "recall", "lift"], map(_top_row, evaluation.top)))
    if acting := top_in_words(evaluation, label):
        console.print(acting, markup=False)
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


def print_answer(answer: Any, as_json: bool) -> None:
    """A record that speaks in sentences and in figures."""
    if as_json:
        print_json(answer.as_json())
    else:
        say(str(answer))


def print_theorems(results: Sequence[tuple[Row, Measured, float]]) -> None:
    """A row each; on a narrow terminal what was measured stands below the statement."""
    console = _console()
    wide = console.width >= 130
    table = Table(Column("row", no_wrap=True), Column(no_wrap=True), box=None, pad_edge=False)
    for column in ["statement", "measured"] if wide else ["statement → measured"]:
        table.add_column(column)
    for row, measured, _ in results:
        verdict = "[green]pass[/green]" if measured.passed else "[bold red]FAIL[/bold red]"
        said, found = escape(row.statement.rstrip(".")), escape(_found(row, measured))
        table.add_row(row.name, verdict, *([said, found] if wide else [f"{said}\n[dim]→ {found}[/dim]"]))
    console.print(table)
    failed = [row.name for row, measured, _ in results if not measured.passed]
    seconds = sum(seconds for *_, seconds in results)
    say(f"{len(results) - len(failed)} of {len(results)} rows passed, in {seconds:.1f} s.")
    if failed:
        say(f"Failed: {', '.join(failed)}.")


def print_rows(rows: Sequence[Row], as_json: bool) -> None:
    """What the rows state, unchecked."""
    if as_json:
        print_json({"rows": [row.as_json() for row in rows]})
        return
    table = Table(Column("row", no_wrap=True), Column("statement"), box=None, pad_edge=False)
    for row in rows:
        table.add_row(row.name, escape(row.statement.rstrip(".")))
    _console().print(table)


def _found(row: Row, measured: Measured) -> str:
    """The figure with its meaning, and what it was measured on."""
    if not measured.cases:
        return measured.meaning
    return f"{measured.meaning}: {measured.figure:.6g} ({measured.cases:,} cases, {row.how})"


def _yes_no(fact: bool) -> str:
    return "yes" if fact else "no"


def _table(columns: list[str], rows: Iterable[list[str]]) -> Table:
    """A table whose words stay whole on a narrow terminal: cells take several lines, and columns stand closer."""
    cells = list(rows)
    least = [max(map(_longest_word, column)) for column in zip(columns, *cells, strict=True)]
    whole = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    narrow = sum(map(max, least, whole)) + 2 * len(columns) - 2 > _console().width
    table = Table(box=None, pad_edge=False, collapse_padding=narrow)
    for index, (heading, width) in enumerate(zip(columns, least, strict=True)):
        table.add_column(heading, justify="left" if index == 0 else "right", min_width=width, no_wrap=index == 0)
    for row in cells:
        table.add_row(*row)
    return table


def _width(cell: str) -> int:
    """How many places a cell takes."""
    return cell_len(Text.from_markup(cell).plain)


def _longest_word(cell: str) -> int:
    """How many places the longest word of a cell takes."""
    return max(map(_width, cell.split()), default=0)


def _console() -> Console:
    return Console(highlight=False, soft_wrap=True)
