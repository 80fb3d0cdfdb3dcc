"""`ordain theorems`: every result the package rests on, checked or only listed."""

from __future__ import annotations

from collections.abc import Sequence

from rich.markup import escape
from rich.table import Column, Table

from ordain.commands.console import console, print_json, say
from ordain.commands.progress import steps
from ordain.theorems import table as theorems
from ordain.theorems.row import Measured, Row


def run(rows: Sequence[str], *, only_list: bool, full: bool, seed: int, as_json: bool) -> int:
    """Check the rows and tell; the exit code."""
    names = theorems.select(rows)
    if only_list:
        print_rows([theorems.ROWS[name] for name in names], as_json)
        return 0
    with steps(len(names)) as report:
        results = list(theorems.run(names, theorems.FULL if full else 1, seed, report=report))
    if as_json:
        print_json({"rows": [result.as_json() for result in results]})
    else:
        print_theorems(results)
    return 0 if all(result.measured.passed for result in results) else 1


def print_theorems(results: Sequence[tuple[Row, Measured, float]]) -> None:
    """A row each; on a narrow terminal what was measured stands below the statement."""
    shown = console()
    wide = shown.width >= 130
    table = Table(Column("row", no_wrap=True), Column(no_wrap=True), box=None, pad_edge=False)
    for column in ["statement", "measured"] if wide else ["statement → measured"]:
        table.add_column(column)
    for row, measured, _ in results:
        verdict = "[green]pass[/green]" if measured.passed else "[bold red]FAIL[/bold red]"
        said, found = escape(row.statement.rstrip(".")), escape(_found(row, measured))
        table.add_row(row.name, verdict, *([said, found] if wide else [f"{said}\n[dim]→ {found}[/dim]"]))
    shown.print(table)
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
    console().print(table)


def _found(row: Row, measured: Measured) -> str:
    """The figure with its meaning, and what it was measured on."""
    if not measured.cases:
        return measured.meaning
    return f"{measured.meaning}: {measured.figure:.6g} ({measured.cases:,} cases, {row.how})"
