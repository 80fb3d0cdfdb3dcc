"""`ordain report`: one page with pictures, of a judging run, a model or scored rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ordain.commands.console import print_json, say
from ordain.commands.progress import working
from ordain.evaluation import evaluate, read_scored
from ordain.judge.people_summary import PeopleSummary
from ordain.judge.run import Run
from ordain.judge.spending import Spending
from ordain.judge.summary import Summary
from ordain.model import load
from ordain.report.fit_page import fit_page
from ordain.report.html_page import Page, check_report, write_page
from ordain.report.run_page import run_page
from ordain.report.scores_page import Named, scores_page
from ordain.tables import Reading

RUN, MODEL = b"SQLite format 3", b"PK"
"""How the files of runs and of models begin."""


def run(
    target: str,
    *,
    out: str | None = None,
    label: str | None = None,
    force: bool = False,
    as_json: bool = False,
    reading: Reading | None = None,
    **options: Any,
) -> None:
    """Look what it is, read, draw and write."""
    out = out or page_name(target)
    check_report(out, force)
    with working(f"Drawing {target}"):
        page = _page(target, label, reading or Reading(), options)
        write_page(page, out, force=force)
    if as_json:
        print_json({"target": target, "report": out, "kind": page.kind, "answer": list(page.answer)})
    else:
        say(*page.answer, f"The report is in {out}.")


def page_name(target: str) -> str:
    """Where the page of a file goes if nothing is said: its name, ending in .html, in the current folder.

    Examples
    --------
    >>> page_name("runs/tickets.run")
    'tickets.html'
    """
    if target == "-":
        raise ValueError("--out must be given where the table comes from standard input. Add --out NAME.html.")
    return Path(Path(target).name.removesuffix(".gz")).stem + ".html"


def _page(target: str, label: str | None, reading: Reading, options: dict[str, Any]) -> Page:
    """The page of whatever the file is."""
    head = b"" if target == "-" or not Path(target).is_file() else _head(target)
    if head.startswith(RUN):
        return _run_page(target)
    if head.startswith(MODEL) and Path(target).suffix not in (".xlsx", ".ods"):
        return fit_page(load(target), target)
    if label is None:
        raise ValueError(f"{target} is taken for a table of scores, so --label must name its column. Add --label COL.")
    score, method, level = (options.pop(name) for name in ("score", "method", "level"))
    table = read_scored(target, label=label, scores=[score], reading=reading, **options)
    named = Named(target, score, label, options.get("group"), table.group_names)
    return scores_page(table, evaluate(table, method=method, level=level), named)


def _head(target: str) -> bytes:
    with open(target, "rb") as file:
        return file.read(16)


def _run_page(target: str) -> Page:
    """The page of a judging run as it is now."""
    with Run.look(target) as found:
        spending = Spending().recall(found.store.entries)
        kind = PeopleSummary if found.store.facts["judge"].get("people") else Summary
        return run_page(kind(found, found.outcome(), spending))
