"""`ordain evaluate`: how well a column of scores ranks."""

from __future__ import annotations

import math
from typing import Any

from rich.markup import escape

from ordain.commands.console import console, print_json, print_reading, say, table_of
from ordain.commands.many_files import refuse_asked
from ordain.commands.progress import share_done, working
from ordain.commands.sparkline import ladder_lines, spark_lines
from ordain.engine.cluster import cluster
from ordain.evaluation import (
    MAX_FPR,
    Evaluation,
    FirstRows,
    auc_in_words,
    evaluate,
    gains_in_words,
    read_scored,
    top_in_words,
)
from ordain.evaluation.figures_spread import evaluate_files, evaluate_spread
from ordain.evaluation.scored_slices import Wanted
from ordain.report.html_page import check_report, write_page
from ordain.report.scores_page import Named, scores_page
from ordain.tables import Reading
from ordain.tables.slices import Where, is_pattern, named, row_count
from ordain.tables.source import table_format

LONG = 1_000_000
"""A Parquet file of so many rows is read slice by slice."""


def run(
    where: Where,
    *,
    score: str = "score",
    method: str = "effective",
    level: float = 0.95,
    as_json: bool = False,
    dask: str | None = None,
    reading: Reading | None = None,
    report: str | None = None,
    force: bool = False,
    **columns: Any,
) -> None:
    """Read, measure and tell; with `report`, on a page too."""
    file, reading = named(where), reading or Reading()
    check_report(report, force)
    wanted = Wanted(score=score, **columns)
    if dask is None and report is None and _is_long(file, wanted, method):
        _slice_by_slice(None, file, wanted, method, level, as_json)
        return
    if dask is not None or is_pattern(file):
        many = "--dask" if dask else "a folder or a pattern"
        refuse_asked(reading, many)
        if report is not None:
            must = "--report draws rows that are in one table here"
            raise ValueError(f"{must}. Got {many} too. Leave one of them out.")
        _slice_by_slice(dask, where, wanted, method, level, as_json)
        return
    with working(f"Reading {file}"):
        table = read_scored(file, scores=[score], reading=reading, **columns)
    result = evaluate(table, method=method, level=level)
    if report is not None:
        with working("Drawing"):
            names = Named(file, score, columns["label"], columns.get("group"), table.group_names)
            write_page(scores_page(table, result, names), report, force=force)
    if as_json:
        about = {"file": file, "read": str(reading), "score": score, "notices": table.notices, "report": report}
        print_json(about | result.as_json())
        return
    print_reading(file, len(table.rows.labels), str(reading), table.notices)
    units = {name: columns.get(name) for name in ("group", "weight")}
    print_evaluation(result, f"{score} in {file}", columns["label"], **units)
    if sparks := spark_lines(table, result):
        say(*sparks)
    if report is not None:
        say(f"The report is in {report}.")


def _is_long(file: str, wanted: Wanted, method: str) -> bool:
    """Whether it is one file so long that it is read slice by slice, and told of no otherwise than if it was not."""
    whole = table_format(file) == ("parquet", False) and not is_pattern(file)
    return whole and wanted.one_list and method != "guaranteed" and row_count(file) >= LONG


def _slice_by_slice(dask: str | None, where: Where, wanted: Wanted, method: str, level: float, as_json: bool) -> None:
    """Measure Parquet files on the workers of a cluster, or here in little memory."""
    of: dict[str, Any] = {"method": method, "level": level}
    file = named(where)
    ladder = None
    if dask is None:
        with share_done(f"Reading {file}") as done:
            result, notices, ladder = evaluate_files(where, wanted, **of, report=done)
    else:
        with cluster(dask) as client, share_done(f"Reading {file} on {dask}") as done:
            result, notices = evaluate_spread(client, where, wanted, **of, report=done)
    if as_json:
        about = {"file": file, "read": "", "score": wanted.score, "notices": notices, "report": None}
        print_json(about | result.as_json())
        return
    print_reading(file, result.rows, "", notices)
    names = {"group": wanted.group, "weight": wanted.weight}
    print_evaluation(result, f"{wanted.score} in {file}", wanted.label, **names)
    if ladder is not None and (sparks := ladder_lines(ladder, result)):
        say(*sparks)


def print_evaluation(evaluation: Evaluation, title: str, label: str, **units: str | None) -> None:
    """The figures, each with what it means; `label` and the units, `group` and `weight`, are names of columns."""
    shown = console()
    counts = ", ".join(f"{count:,} {name}" for name, count in _class_names(evaluation).items())
    shown.print(f"[bold]{escape(title)}[/bold]: {evaluation.rows:,} rows, {escape(counts)}")
    shown.print(str(evaluation.interval) if evaluation.interval else f"AUC {evaluation.auc:.4f}.")
    shown.print(auc_in_words(evaluation, label, **units), markup=False)
    if evaluation.gains:
        shown.print(str(evaluation.gains))
        shown.print(gains_in_words(evaluation.gains, group=units.get("group")), markup=False)
    if evaluation.partial_auc is not None:
        found, rate = f"{evaluation.partial_auc:.1%}", f"{MAX_FPR:.0%}"
        shown.print(f"While at most {rate} of the negatives are let in, {found} of the positives are found on average.")
    if evaluation.top and evaluation.interval:
        ends = f"at {evaluation.interval.level * 100:g}%"
        shown.print(table_of(["first", "precision", ends, "recall", ends, "lift"], map(_top_row, evaluation.top)))
    if acting := top_in_words(evaluation, label):
        shown.print(acting, markup=False)
    if evaluation.note:
        shown.print(evaluation.note)


def _class_names(evaluation: Evaluation) -> dict[str, int]:
    """What each class is called in a sentence, and its rows."""
    if evaluation.positive is None:
        grades = {f"of grade {grade}": count for grade, count in evaluation.classes.items()}
        return grades if len(grades) <= 8 else {"grades": len(grades)}
    return {
        f"positive ({evaluation.positive})": evaluation.classes["positive"],
        "negative": evaluation.classes["negative"],
    }


def _top_row(top: FirstRows) -> list[str]:
    """A line of the table, each share with its interval beside it."""
    precision, recall = _between(top.precision_low, top.precision_high), _between(top.recall_low, top.recall_high)
    return [f"{top.k:,}", f"{top.precision:.1%}", precision, f"{top.recall:.1%}", recall, f"{top.lift:.2f}"]


def _between(low: float | None, high: float | None) -> str:
    """Both ends in percent, rounded away from each other, or a dash."""
    if low is None or high is None:
        return "–"
    return f"{math.floor(1000 * low + 1e-9) / 10:.1f} to {math.ceil(1000 * high - 1e-9) / 10:.1f}"
