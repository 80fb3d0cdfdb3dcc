"""`ordain rank`: a board from votes that were already cast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from rich.markup import escape

from ordain import tables
from ordain.commands.console import console, print_json, table_of
from ordain.commands.progress import working
from ordain.report.board_page import board_page
from ordain.report.html_page import check_report, write_page
from ordain.votes import board_shown
from ordain.votes.account import Account, account_of
from ordain.votes.board import Leaderboard
from ordain.votes.points import Points, points_of
from ordain.votes.reading_votes import read_votes

MATRIX_ITEMS = 5000
"""The most items of which all chances are written."""


@dataclass(frozen=True)
class Places:
    """Where the board, the table of the judges and the chances go; None for nowhere."""

    board: str | None = None
    judges: str | None = None
    matrix: str | None = None

    def check(self, force: bool) -> None:
        """Refuse, before any work, what could not be written."""
        for place in (self.board, self.judges, self.matrix):
            if place is not None:
                tables.check_writable(place, force)


def run(
    files: Sequence[str],
    *,
    out: str | None = None,
    judges_out: str | None = None,
    matrix_out: str | None = None,
    method: str = "bradley_terry",
    level: float = 0.95,
    position: bool = True,
    compare: bool = False,
    half_life: str | None = None,
    scale: float | None = None,
    anchor: str | None = None,
    seed: int = 0,
    force: bool = False,
    as_json: bool = False,
    reading: tables.Reading | None = None,
    report: str | None = None,
    **columns: Any,
) -> None:
    """Read, rank, write and tell; with `report`, on a page too."""
    check_report(report, force)
    places, reading = Places(out, judges_out, matrix_out), reading or tables.Reading()
    places.check(force)
    if half_life is not None and columns.get("date") is None:
        raise ValueError("--half-life needs --date, the column with the days. Got it alone. Add --date COL.")
    if judges_out is not None and method != "bradley_terry":
        raise ValueError(f"--judges is for bradley_terry, which tells what to expect. Got {method}. Leave one out.")
    with working(f"Reading {', '.join(files)}"):
        votes, understood = read_votes(files, reading=reading, **columns)
    if judges_out is not None and votes.judges is None:
        raise ValueError("--judges needs votes that say who cast them. Got none that do. Add --judge COL.")
    with working("Counting, fitting, comparing"):
        account = account_of(
            votes,
            method=method,
            level=level,
            position=position,
            half_life=half_life,
            compare=compare,
            judged=judges_out is not None or (report is not None and votes.judges is not None),
            seed=seed,
        )
    points = points_of(account.board, scale, anchor)
    write(account, points, places, force)
    if report is not None:
        write_page(board_page(account, ", ".join(Path(file).name for file in files), understood), report, force=force)
    if as_json:
        about = {"files": list(files), "read": str(reading), "understood": understood, "out": out, "report": report}
        print_json(about | account.as_json(points))
        return
    how = [f"Read {', '.join(files)}: {reading}."] if str(reading) else []
    print_account(account, points, places, [*how, *understood])
    if report is not None:
        console(stderr=out == "-").print(f"The report is in {report}.", markup=False)


def write(account: Account, points: Points, places: Places, force: bool) -> None:
    """The files that were asked for."""
    chances = None if places.matrix is None else chances_table(account.board)
    if chances is not None and places.matrix is not None:
        tables.write_table(chances, places.matrix, force=force)
    if account.judges is not None and places.judges is not None:
        tables.write_table(pl.DataFrame(account.judges.rows()), places.judges, force=force)
    if places.board is not None:
        tables.write_table(pl.DataFrame(account.rows(points), infer_schema_length=None), places.board, force=force)


def chances_table(board: Leaderboard) -> pl.DataFrame:
    """A row and a column for each item, in the order of the board: the chance that the row's beats the column's."""
    n = len(board.items)
    if board.fit is None or n > MATRIX_ITEMS:
        got = f"--method {board.method}" if board.fit is None else f"{n:,} items"
        raise ValueError(f"--matrix is for bradley_terry and up to {MATRIX_ITEMS:,} items. Got {got}. Leave it out.")
    first, second = np.meshgrid(board.order, board.order, indexing="ij")
    chances = np.where(board.part[:, None] == board.part, board.fit.chances(first, second), np.nan)
    np.fill_diagonal(chances, np.nan)
    names = [str(item) for item in board.items]
    head = "item"
    while head in names:
        head += "_"
    columns = {name: pl.Series(column).fill_nan(None) for name, column in zip(names, chances.T, strict=True)}
    return pl.DataFrame({head: names, **columns})


def print_account(account: Account, points: Points, places: Places, understood: Sequence[str]) -> None:
    """Everything in words, the top of the board as a table; on standard error if the board is on standard output."""
    shown = console(stderr=places.board == "-")
    for line in [*understood, account.counted, *account.opening]:
        shown.print(line, markup=False)
    rows = [points.of_row(row) for row in account.board.rows()[: board_shown.MOST]]
    shown.print(_table(rows))
    if len(account.board) > len(rows):
        shown.print(f"… and {len(account.board) - len(rows):,} more.")
    for line in account.closing:
        shown.print(line, markup=False)
    if account.compared is not None:
        shown.print(str(account.compared), markup=False)
    for what, place in (("board", places.board), ("table of the judges", places.judges), ("chances", places.matrix)):
        if place is not None and place != "-":
            shown.print(f"The {what} {'are' if what == 'chances' else 'is'} in {place}.", markup=False)


def _table(rows: Sequence[dict[str, Any]]) -> Any:
    """The rows of a board; columns that a method has nothing for are left out."""
    cells = [[escape(cell) for cell in board_shown.cells(row)] for row in rows]
    used = [column for column in range(len(board_shown.HEADS)) if any(row[column] for row in cells)]
    heads = [board_shown.HEADS[column] for column in used]
    return table_of(heads, [[row[column] for column in used] for row in cells], names=heads.index("item"))
