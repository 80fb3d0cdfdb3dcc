"""`ordain fit`: from a table with a label column to a model file."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any

import click
from rich.markup import escape

from ordain._files import check_place
from ordain.choice.candidates import has_trees
from ordain.choice.compared import Choice, Trial
from ordain.choice.fitting import facts, read_training
from ordain.choice.fitting import fit as fitted
from ordain.choice.fitting_spread import fit_on_workers, known_steps, read_spread
from ordain.choice.search import Search
from ordain.commands.console import console, print_json, print_reading, say, table_of, visible
from ordain.commands.many_files import refuse_asked
from ordain.commands.progress import numbered, share_done, steps, working
from ordain.commands.suggested import after_fit, model_name
from ordain.engine.cluster import cluster
from ordain.model import Model, save
from ordain.report.fit_page import fit_page
from ordain.report.html_page import check_report, write_page
from ordain.tables import Reading
from ordain.tables.slices import Where, named

COLUMNS = ("label", "positive", "graded", "weight", "group", "cluster")
"""The options that name columns, or say how the label is meant."""


def run(
    where: Where,
    *,
    out: str | None = None,
    force: bool = False,
    as_json: bool = False,
    drop: Sequence[str] = (),
    dask: str | None = None,
    reading: Reading | None = None,
    report: str | None = None,
    **options: Any,
) -> None:
    """Read, compare, fit, save and tell; with `report`, on a page too."""
    file = named(where)
    if dask is not None:
        refuse_asked(reading, "--dask")
    out, reading = out or model_name(where), reading or Reading()
    check_place(out, force)
    check_report(report, force)
    columns = {name: options.pop(name) for name in COLUMNS if name in options}
    search = Search(**options)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("once")
        learned = (
            _here(file, search, columns, drop, reading) if dask is None else _there(dask, where, search, columns, drop)
        )
        training, model, choice = learned
    save(model, out, force=force)
    if report is not None:
        write_page(fit_page(model, out, choice.as_json(), training.notices), report, force=force)
    click.echo("".join(f"ordain: {one.message}\n" for one in warned), err=True, nl=False)
    following = after_fit(file, out, model)
    if as_json:
        about = {"file": file, "read": str(reading), "model": out, "report": report, **facts(model, choice)}
        print_json(about | {"next": following})
        return
    print_reading(file, len(training.rows), str(reading), training.notices)
    print_choice(choice, model)
    if model.rests_on is not None:
        say(visible(str(model.rests_on)))
    say(f"{choice.picked.candidate.name}, fitted to all {len(training.rows):,} rows, is in {out}.")
    if report is not None:
        say(f"The report is in {report}.")
    say("Next, on rows it was not fitted to:", *map("  {}".format, following))


def _here(file: str, search: Search, columns: dict[str, Any], drop: Sequence[str], reading: Reading) -> Any:
    """The table, the model and the comparison, on this machine."""
    with working(f"Reading {file}"):
        training = read_training(file, drop=drop, reading=reading, **columns)
    with steps(search.steps(training.rows) + 2) as report:
        return training, *fitted(training, search, asked=columns, report=report)


def _there(dask: str, where: Where, search: Search, columns: dict[str, Any], drop: Sequence[str]) -> Any:
    """The same on the workers of a cluster."""
    with cluster(dask) as client:
        with share_done(f"Reading {named(where)} on {dask}") as done:
            spread = read_spread(client, where, seed=search.seed, drop=drop, report=done, **columns)
        with steps(search.steps(spread.rows)) as report:
            choice = search.choose(spread.rows, report)
        name, total = choice.picked.candidate.name, known_steps(choice.picked)
        with numbered(f"Fitting {name} to all rows on {dask}, {'step' if total is None else 'tree'}", total) as number:
            return spread, fit_on_workers(client, spread, search, choice, asked=columns, report=number), choice


def print_choice(choice: Choice, model: Model) -> None:
    """The candidates that were compared, the one picked, and what was noticed."""
    shown = console()
    for notice in model.preparation.notices:
        shown.print(escape(notice))
    if not has_trees():
        shown.print(escape('Only linear models are tried; for trees too: pip install "ordain[boost]"'))
    if choice.compared:
        columns = ["candidate", *_headings(choice), "seconds"]
        shown.print(table_of(columns, map(partial(_trial_row, choice), choice.trials)))
        shown.print(_footnote(choice))
    shown.print(escape(str(choice)))


def _footnote(choice: Choice) -> str:
    """What the columns of the comparison are."""
    first = "" if choice.best.top is None else "; first 1%: precision there"
    first += "; of a dropped one over its first folds" if any(of.dropped for of in choice.trials) else ""
    folds = f"{len(choice.done)} folds" + (f" (no time for {choice.left_out} more)" if choice.left_out else "")
    return (
        f"Means over {folds} of {choice.rows:,} rows{first}; below the best: on each fold, the best by the other "
        "folds; 95% intervals, by the standard error of Nadeau and Bengio for folds that share rows."
    )


def _headings(choice: Choice) -> list[str]:
    goal = [] if choice.goal.kind == "auc" else [str(choice.goal)]
    return [*goal, "AUC", *([] if choice.best.top is None else ["first 1%"]), "below the best"]


def _trial_row(choice: Choice, trial: Trial) -> list[str]:
    name, seconds = trial.candidate.name, f"{trial.seconds:.1f}"
    if not len(trial.goal):
        return [name, *[""] * (len(_headings(choice)) - 1), f"left out: {trial.dropped}", ""]
    goal = [] if choice.goal.kind == "auc" else [f"{trial.goal.mean():.3f}"]
    first = [] if trial.top is None else [f"{trial.top.mean():.1%}"]
    return [name, *goal, f"{trial.auc.mean():.3f}", *first, escape(_below(choice, trial)), seconds]


def _below(choice: Choice, trial: Trial) -> str:
    """How far a candidate is below the best, or why it did not go on."""
    if trial.dropped:
        return f"dropped: {trial.dropped}"
    apart = choice.above(trial)
    return "" if trial is choice.best else f"{apart.mean:.3f} [{apart.low:+.3f}, {apart.high:+.3f}]"
