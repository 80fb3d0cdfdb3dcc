"""`ordain judge`, `ordain status` and `ordain export`: names, options, help."""

from __future__ import annotations

from typing import Any

import click

from ordain.typed_options import (
    Choice,
    Loading,
    asking_options,
    force_option,
    json_option,
    language_model_options,
    learning_options,
    people_options,
    reading_of,
    reading_options,
    report_option,
    seed_option,
    spending_options,
)


@click.command(cls=Loading)
@click.argument("items", required=False, metavar="[ITEMS]")
@click.option("--ask", metavar="TEXT", help="What to judge by; @FILE reads it from a file.")
@click.option("--out", metavar="OUT", help="Where the order goes: CSV, TSV, JSONL or Parquet; - is standard output.")
@click.option("--run", metavar="FILE", help="Where every answer is kept; the items' name with .run unless given.")
@click.option("--id", "id_column", metavar="COL", help="Column with the ids.")
@click.option("--text", metavar="COL", help="Column with the texts, or several as '{title}: {body}'.")
@language_model_options
@asking_options
@spending_options
@learning_options
@people_options
@click.option("--max-chars", type=int, default=12_000, show_default=True, help="The most of items in one request.")
@click.option("--cut", is_flag=True, help="Shorten items that are too long for it, visibly.")
@click.option("--again", is_flag=True, help="Ask all questions of --run once more, in a run of its own.")
@click.option(
    "--on-uncertain",
    type=Choice(["retry", "skip", "ask"]),
    default="retry",
    show_default=True,
    help="What of requests that a crash left unanswered.",
)
@reading_options
@seed_option
@report_option
@force_option
@json_option
def judge(dry_run: bool, yes: bool, force: bool, as_json: bool, no_browser: bool, **options: Any) -> int:
    """Rank a list of anything by people in a browser, or by a language model (--llm), and keep every answer.

    ITEMS is a text with one item a line, a table (CSV, TSV, JSONL, Parquet, .xlsx), a folder of texts, or - for
    standard input. The same command goes on where it was stopped, and asks nothing twice. With --run and without ITEMS
    and --llm the order so far is written.

    \b
    Examples:
      ordain judge ideas.txt --ask "Which idea should we build first?" --out ranked.csv
      ordain judge essays/ --ask "Which is better argued?" --share ANA,BEN --overlap 0.1
      ordain judge tickets.jsonl --ask "Which is more urgent?" --llm http://localhost:11434/v1 --model qwen3 --top 10
      ordain judge ideas.txt --ask @q.txt --llm https://api.example.com/v1 --model m --price 0.15,0.6 --max-cost 2
      ordain judge ideas.txt --ask "Which is bolder?" --llm http://localhost:8080/v1 --model m --dry-run
      ordain judge reviews.csv --ask "Which helps more?" --llm http://localhost:8080/v1 --model m --learn --out r.csv
      ordain judge --run tickets.run --out ranked.csv
      ordain judge --run tickets.run --check 50
      ordain judge more.jsonl --run tickets.run --add --llm http://localhost:11434/v1 --model qwen3 --out ranked.csv
      ordain judge --run tickets.run --again --llm http://localhost:8080/v1 --model other
    """
    try:
        import httpx  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise ValueError('ordain judge needs more than there is. Install it: pip install "ordain[judge]"') from None
    from ordain.commands import judge as command
    from ordain.judge.preparing import Typed

    typed = Typed(reading=reading_of(options), **options)
    if typed.llm is None and not typed.again and (typed.items is not None or typed.check_count is not None):
        from ordain.commands import judge_page

        return judge_page.run(typed, browser=not no_browser, force=force, as_json=as_json)
    return command.run(typed, dry_run=dry_run, yes=yes, force=force, as_json=as_json)


@click.command(cls=Loading)
@click.argument("run", metavar="RUN")
@json_option
def status(run: str, as_json: bool) -> None:
    """What a judging run is about, how far it is, what it cost, and what is uncertain; also while it goes on.

    \b
    Examples:
      ordain status tickets.run
      ordain status tickets.run --json
    """
    from ordain.commands import status as command

    command.run(run, as_json=as_json)


@click.command(cls=Loading)
@click.argument("run", metavar="RUN")
@click.option("--out", default="-", show_default=True, metavar="OUT", help="A .jsonl file; - is standard output.")
@force_option
def export(run: str, out: str, force: bool) -> None:
    """Every question of a judging run and its answer, as votes that ordain rank reads.

    \b
    Examples:
      ordain export tickets.run --out votes.jsonl
      ordain export tickets.run | ordain rank - --out board.csv
    """
    from ordain.commands import export as command

    command.run(run, out=out, force=force)
