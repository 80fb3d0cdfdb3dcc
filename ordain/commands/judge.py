"""`ordain judge`: a list of anything, ranked by asking a language model, for the least that must be read and paid."""

from __future__ import annotations

import json
import secrets
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import polars as pl

from ordain import tables
from ordain._files import check_place
from ordain.commands.console import complain, console, print_json, say, table_of, visible
from ordain.commands.progress import Requests, requesting
from ordain.judge.adding import add
from ordain.judge.asking_models import Asking, Watch, settle_uncertain
from ordain.judge.checking import check_of
from ordain.judge.forecast import Forecast, money
from ordain.judge.llm import request_body
from ordain.judge.own_files import may_replace, may_replace_before, remember
from ordain.judge.people_summary import PeopleSummary
from ordain.judge.pool import Stopped
from ordain.judge.preparing import Prepared, Typed, made_before, opened, opened_again, prepared
from ordain.judge.run import Run
from ordain.judge.spending import Spending
from ordain.judge.store import StorageError
from ordain.judge.summary import Summary
from ordain.judge.top_so_far import top_so_far
from ordain.report.html_page import check_report, write_page
from ordain.report.run_page import run_page

SHOWN, WIDE = 20, 60
"""Items of the order that are shown, and characters of a text."""

PRESENT = 3
"""Items at the top that are shown while it works."""


def run(typed: Typed, *, dry_run: bool, yes: bool, force: bool, as_json: bool) -> int:
    """Read, forecast, ask, write and tell; the exit code."""
    check_places(typed, force)
    if typed.llm is None:
        return _so_far(typed, force, as_json)
    work = prepared(typed)
    if not as_json:
        _say(typed, *work.said)
    if not _agreed(work, dry_run=dry_run, yes=yes, as_json=as_json):
        return 0
    try:
        with opened_again(work) if typed.again else opened(work) as found:
            return _asked(found, work, force=force, as_json=as_json)
    except StorageError as broken:
        return complain(str(broken), 1)


def check_places(typed: Typed, force: bool) -> None:
    """Refuse, before any work, what could not be written; what the run wrote itself it may replace."""
    if typed.out is not None:
        tables.check_writable(typed.out, may_replace_before(typed.place, typed.out, force))
    if typed.report is not None:
        check_report(typed.report, may_replace_before(typed.place, typed.report, force))
    if typed.save is not None:
        check_place(typed.save, may_replace_before(typed.place, typed.save, force))


def _so_far(typed: Typed, force: bool, as_json: bool) -> int:
    """Tell the order so far of a run, and ask nothing."""
    if typed.again or (typed.run is None and not Path(typed.place).exists()):
        raise ValueError("--llm and --model must say whom to ask. Got neither. Add --llm URL --model NAME.")
    with Run.look(typed.place) as found:
        if typed.top is not None and not 1 <= typed.top <= found.n:
            raise ValueError(f"--top must lie from 1 to the number of items, {found.n}. Got {typed.top}.")
        spending = Spending(price=typed.prices).recall(found.store.entries)
        return told(found, spending, typed, force, as_json, going_on=False)


def _say(typed: Typed, *lines: str) -> None:
    """Lines, on standard error where the order goes to standard output."""
    for line in lines:
        console(stderr=typed.out == "-").print(visible(line), markup=False)


def _agreed(work: Prepared, *, dry_run: bool, yes: bool, as_json: bool) -> bool:
    """Say what it will take, and ask whether to begin; a dry run shows a request and ends."""
    foreseen, typed = work.forecast(), work.typed
    if dry_run:
        _show_dry_run(work, foreseen, as_json)
        return False
    if not as_json:
        spent = made_before(typed.again_place if typed.again else typed.place)
        before = f"{spent:,} requests were made before. " if spent else ""
        again = "All questions of the run are asked again. " if typed.again else ""
        _say(typed, f"{again}{before}{foreseen}")
    if yes:
        return True
    if not sys.stdin.isatty():
        raise ValueError("nothing is asked without a yes, and there is no terminal to give one. Add --yes to begin.")
    click.confirm("Begin?", abort=True, err=True)
    return True


def _show_dry_run(work: Prepared, foreseen: Forecast, as_json: bool) -> None:
    """The forecast, and one request as it would be sent."""
    shown = work.texts[: min(work.wanted.most, len(work.texts))]
    messages = work.prompt.messages(shown, secrets.token_hex(16))
    body = request_body(work.endpoint, messages, logprobs=len(shown) == 2)
    if as_json:
        shares, (read, written) = foreseen.shares, foreseen.tokens
        tokens = {"tokens_read": read, "tokens_written": written, "cost": foreseen.cost}
        counts = {"requests": shares.requests, "audit": shares.audit, "kept": shares.kept, "list_size": shares.size}
        print_json(counts | tokens | {"address": work.endpoint.address, "request": body})
        return
    say(str(foreseen), f"One request as it would be sent to {work.endpoint.address}:")
    say(*(visible(line) for line in json.dumps(body, indent=2, ensure_ascii=False).splitlines()))


def _asked(found: Run, work: Prepared, *, force: bool, as_json: bool) -> int:
    """Ask what is missing, then tell; what stops it is said, and how to go on."""
    typed = work.typed
    spending = work.spending().recall(found.store.entries)
    _settle(found, typed.on_uncertain)
    numbers = _numbers(found, work, spending)
    texts = work.texts if len(work.texts) == found.n else [item.text for item in found.store.items]
    asking = Asking(found, work.endpoint, work.prompt, texts, spending, typed.concurrency, typed.sure)
    try:
        with requesting(_total(found, work, spending)) as shown:
            asking.play(numbers, _watch(found, spending, shown, typed))
    except Stopped as stopped:
        return complain(f"{stopped} {_how_to_go_on(found, typed)}", 1)
    except KeyboardInterrupt:
        return complain(f"stopped. {_how_to_go_on(found, typed)}", 130)
    return told(found, spending, typed, force, as_json)


def _numbers(found: Run, work: Prepared, spending: Spending) -> list[int]:
    """The plans to be played."""
    if work.typed.add:
        return [add(found, work.items)]
    return [len(found.plans)] if work.typed.again else found.prepared(work.wanted, _shares(found, work, spending))


def _shares(found: Run, work: Prepared, spending: Spending) -> Any:
    """What is to be asked: all of it, or what the money that was added allows."""
    return work.wanted.shares(found.n, spending.requests if found.plans else 0)


def _total(found: Run, work: Prepared, spending: Spending) -> int:
    """Requests that are expected in all."""
    if work.typed.again or work.typed.add:
        return len(found.plans[-1].questions or []) or spending.requests + (found.plans[-1].budget or 0)
    return work.wanted.budget or work.wanted.shares(found.n).requests


def _watch(found: Run, spending: Spending, shown: Requests, typed: Typed) -> Watch:
    """Who shows how far it is."""

    def answered() -> None:
        cost = f"{money(spending.cost)} spent" if typed.price else ""
        shown.update(spending.requests, cost)

    def after_round(asked: list[Any], given: list[Any]) -> None:
        ids = [found.store.items[item].id for item in top_so_far(asked, given, found.n, PRESENT)]
        shown.top(", ".join(visible(one)[:WIDE] for one in ids))

    return Watch(answered, after_round if shown.seen and not typed.learn else None, shown.held_up)


def _settle(found: Run, how: str) -> None:
    """Ask what to do about requests that were sent and never answered, or do as was said."""
    many = len(found.store.uncertain)
    if not many:
        return
    skip = how == "skip"
    if how == "ask":
        if not sys.stdin.isatty():
            raise ValueError("--on-uncertain ask needs a terminal. There is none. Say retry or skip.")
        were, them = ("request was", "it") if many == 1 else ("requests were", "them")
        skip = not click.confirm(f"{many:,} {were} sent and never answered. Ask {them} again?", err=True)
    settle_uncertain(found, skip=skip)


def _how_to_go_on(found: Run, typed: Typed) -> str:
    return (
        f"All answers so far are in {found.store.path}: the same command goes on, and ordain judge --run "
        f"{found.store.path} --out FILE writes the order so far."
    )


def told(
    found: Run,
    spending: Spending,
    typed: Typed,
    force: bool,
    as_json: bool,
    checked: int | None = None,
    going_on: bool = True,
) -> int:
    """Write the order, and say what it rests on; and how people agree with the model, in the plan of a check.

    A run that is not only looked at remembers what it wrote.
    """
    outcome = found.outcome()
    top = typed.top or next((plan.top for plan in reversed(found.plans) if plan.orders), None)
    kind = PeopleSummary if found.store.facts["judge"].get("people") else Summary
    summary = kind(found, outcome, spending, typed.price is not None, top)
    check = None if checked is None else check_of(found, checked, outcome.order)
    rows = outcome.rows()
    saved = _saved(found, typed, force)
    if typed.out is not None:
        may = typed.out == "-" or may_replace(found.store, typed.out, force)
        tables.write_table(pl.DataFrame(rows, infer_schema_length=None), typed.out, force=may)
    if typed.report is not None:
        write_page(run_page(summary), typed.report, force=may_replace(found.store, typed.report, force))
    for path in (typed.out, typed.report, typed.save):
        if going_on:
            remember(found.store, path)
    if as_json:
        more: dict[str, Any] = {} if check is None else {"check": check.as_json()}
        more |= {"saved": saved} if typed.save else {}
        more |= {"run": found.store.path, "out": typed.out, "report": typed.report, "order": outcome.ids}
        print_json(summary.as_json() | more)
        return 0
    shown = console(stderr=typed.out == "-")
    shown.print(_table(rows[: min(top or SHOWN, SHOWN)], summary.reasons(top or SHOWN)))
    for sentence in [*summary.sentences(), *([] if check is None else check.sentences())]:
        shown.print(visible(sentence), markup=False)
    places = [f"The run is in {found.store.path}."]
    places += [f"The order is in {typed.out}."] if typed.out not in (None, "-") else []
    places += [f"The report is in {typed.report}."] if typed.report is not None else []
    places += [saved] if saved else []
    for sentence in places:
        shown.print(sentence, markup=False)
    return 0


def _saved(found: Run, typed: Typed, force: bool) -> str | None:
    """Keep what was learned in a model file; where it went, or why it did not."""
    if typed.save is None:
        return None
    learned_model = import_module("ordain.judge.learned_model").learned_model  # few save, and it takes a second to load
    try:
        learned_model(found, typed.text_column).save(typed.save, force=may_replace(found.store, typed.save, force))
    except ValueError as wrong:
        return str(wrong)
    return f"What was learned is in {typed.save}: ordain score NEW --model {typed.save} --out ranked.csv"


def _table(rows: list[dict[str, Any]], reasons: dict[str, str]) -> Any:
    """The top of the order; columns without values are left out."""
    heads = ["rank", "id", "ranks", "score", "shown", "text"]
    cells = [_cells(row) for row in rows]
    if reasons:
        heads.append("why")
        for row, line in zip(rows, cells, strict=True):
            line.append(visible(" ".join(reasons.get(row["id"], "").split()), WIDE, escape=True))
    used = [place for place in range(len(heads)) if any(line[place] for line in cells)]
    named = [heads[place] for place in used]
    return table_of(named, [[line[place] for place in used] for line in cells], names=named.index("id"), last_left=True)


def _cells(row: dict[str, Any]) -> list[str]:
    score = "" if row["score"] is None else f"{row['score']:+.2f} ± {row['standard_error']:.2f}"
    ranks = "" if row["rank_low"] is None else f"{row['rank_low']}–{row['rank_high']}"
    text = visible(" ".join(row["text"].split()), WIDE, escape=True) if row["text"] != row["id"] else ""
    return [str(row["rank"]), visible(row["id"], WIDE, escape=True), ranks, score, str(row["shown"]), text]
