"""`ordain compare`: which of two columns of scores ranks better, on the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.markup import escape

from ordain.commands.console import console, print_json, print_reading, say, table_of
from ordain.commands.progress import working
from ordain.evaluation import Duel, compare, read_scored
from ordain.report.html_page import check_report, write_page
from ordain.report.scores_page import duel_page
from ordain.tables import Reading


def run(
    file: str,
    scores: Sequence[str],
    *,
    level: float,
    as_json: bool,
    reading: Reading,
    report: str | None = None,
    force: bool = False,
    **columns: Any,
) -> None:
    """Read, compare and tell; with `report`, on a page too."""
    check_report(report, force)
    with working(f"Reading {file}"):
        table = read_scored(file, scores=scores, reading=reading, **columns)
    result = compare(table, scores, level=level)
    if report is not None:
        write_page(duel_page(table, result, file, columns["label"]), report, force=force)
    if as_json:
        print_json({"file": file, "read": str(reading), "notices": table.notices, "report": report, **result.as_json()})
        return
    print_reading(file, len(table.rows.labels), str(reading), table.notices)
    print_duel(result, file)
    if report is not None:
        say(f"The report is in {report}.")


def print_duel(duel: Duel, title: str) -> None:
    """The figures of both, and the verdict."""
    shown = console()
    shown.print(f"[bold]{escape(title)}[/bold]: {duel.rows:,} rows, positive class {escape(str(duel.positive))}")
    shown.print(table_of(["scores", "AUC"], ([escape(name), f"{area:.4f}"] for name, area in duel.auc.items())))
    sentence = str(duel.comparison)
    for role, name in zip(("The first", "The second"), duel.auc, strict=True):
        sentence = sentence.replace(role, name)
    shown.print(escape(sentence))
