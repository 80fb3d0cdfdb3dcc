"""The command line: parse, call, print. Modules load inside the commands, so that `ordain --help` is quick."""

from __future__ import annotations

import gc
import io
import logging
import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from ordain import __version__
from ordain._files import DiskFull
from ordain._memory import TooLittleMemory
from ordain._stop import Stop
from ordain.cli_bound import bound
from ordain.cli_judge import export, judge, status
from ordain.names import METHODS, MODELS, REDUCTIONS
from ordain.typed_options import (
    Choice,
    Loading,
    dask_option,
    file_argument,
    files_argument,
    force_option,
    json_option,
    label_options,
    level_option,
    place_of,
    positive_option,
    reading_of,
    reading_options,
    report_option,
    score_options,
    seed_option,
    unit_options,
    vote_options,
)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__)
def cli() -> None:
    """Rank things, and say how far the ranking can be trusted.

    \b
    ordain demo                                                   a tour on data that comes with the package
    ordain fit train.csv --label churned --out churn.ordain       tries the reductions, says which ranks best
    ordain score new.csv --model churn.ordain --out ranked.csv    best first
    ordain evaluate ranked.csv --label churned                    AUC with an interval, top of the list
    ordain rank votes.csv --out board.csv                         a board from votes that were already cast
    ordain judge ideas.txt --ask "Which first?" --out out.csv     a list ranked by people, or by a language model
    """


@cli.command(cls=Loading)
@files_argument
@label_options
@click.option("--out", metavar="MODEL", help="Where the model goes; without it, the table's name with .ordain, here.")
@click.option("--model", type=Choice(["auto", *MODELS]), default="auto", show_default=True)
@click.option(
    "--reduction",
    type=Choice(["auto", *REDUCTIONS]),
    default="auto",
    show_default=True,
    help="Row by row, each class weighing one half, or all pairs.",
)
@click.option(
    "--goal",
    default="auc",
    show_default=True,
    metavar="GOAL",
    help="What to choose by: auc, precision in top:100 or top:1%, pauc:0.05, or for grades and groups ndcg:10.",
)
@click.option("--loss", default="logistic", show_default=True, metavar="NAME", help="See ordain losses.")
@click.option("--push", type=float, metavar="P", help="Only pairs, looking harder at the top as P grows from 1.")
@click.option("--group", metavar="COL", help="Only pairs within a group count, such as a query; groups stay together.")
@click.option("--weight", metavar="COL", help="Column with the weights of the rows.")
@click.option("--cluster", metavar="COL", help="Rows that belong to one person or unit: they stay in one fold.")
@click.option("--drop", multiple=True, metavar="COL", help="A column that must not be used; may be given often.")
@click.option("--graded", is_flag=True, help="Labels are grades, larger being better.")
@reading_options
@dask_option
@click.option("--quick", is_flag=True, help="Compare one linear model and one with trees.")
@click.option(
    "--seconds",
    type=float,
    metavar="S",
    help="A limit, kept by leaving out candidates and folds; the one option that is not reproducible.",
)
@click.option("--seed", default=0, show_default=True, help="The same seed gives the same model.")
@report_option
@force_option
@json_option
def fit(files: Sequence[str], **options: Any) -> None:
    """Learn to rank from a table with a label column: compare the reductions, keep the simplest as good as any.

    Every column that is not named is a feature: numbers, dates, or text as categories; empty cells are missing values.

    \b
    Examples:
      ordain fit train.csv --label churned
      ordain fit claims.parquet --label outcome --positive fraud --drop claim_id --goal top:1% --out fraud.ordain
      ordain fit queries.csv --label grade --graded --group query --model linear --out search.ordain
      ordain fit big/*.parquet --label y --dask local:4 --out big.ordain
    """
    from ordain.commands import fit as command

    command.run(place_of(files, options["dask"]), reading=reading_of(options), **options)


@cli.command(cls=Loading)
@files_argument
@click.option("--model", "model_file", required=True, metavar="MODEL", help="What ordain fit wrote.")
@click.option("--out", required=True, metavar="OUT", help="CSV, TSV, JSONL or Parquet; - is standard output.")
@click.option("--top", type=int, metavar="K", help="Only the first K, in constant memory.")
@click.option(
    "--guard-formulas", "guard", is_flag=True, help="Put ' before text a spreadsheet would run, in CSV and TSV."
)
@reading_options
@dask_option
@force_option
@json_option
def score(files: Sequence[str], **options: Any) -> None:
    """Rank the rows of a table by a model, best first.

    All columns are kept as they are; rank, score and, for two classes, probability are put before them. Rows that seem
    to have been trained on, and values never seen in training, are counted.

    \b
    Examples:
      ordain score new.csv --model churn.ordain --out ranked.csv
      ordain score all.parquet --model fraud.ordain --top 1000 --out first.csv
    """
    if options["as_json"] and options["out"] == "-":
        raise click.UsageError("--json must stand without --out -, since both print. Name a file.")
    from ordain.commands import score as command

    command.run(place_of(files, options["dask"]), reading=reading_of(options), **options)


@cli.command(cls=Loading)
@click.argument("model_file", metavar="MODEL")
@click.argument("file", required=False, metavar="[FILE]")
@click.option("--rows", default=3, show_default=True, metavar="N", help="How many of the first rows are told of.")
@click.option("--out", metavar="OUT", help="Where what moved each row goes: CSV, TSV, JSONL or Parquet.")
@reading_options
@force_option
@json_option
def explain(model_file: str, file: str | None, **options: Any) -> None:
    """What the ranking of a model rests on: each column's worth, its direction, and what moved single rows.

    Without FILE as it was found at the fit, on rows held out. With FILE, rows that the model was not fitted to, on
    these where they have labels, and which columns moved the first of them up or down.

    \b
    Examples:
      ordain explain churn.ordain
      ordain explain churn.ordain new.csv --rows 10
      ordain explain churn.ordain new.csv --out moved.csv
    """
    from ordain.commands import explain as command

    command.run(model_file, file, reading=reading_of(options), **options)


@cli.command(cls=Loading)
@files_argument
@label_options
@score_options
@reading_options
@report_option
@force_option
@dask_option
@json_option
def evaluate(files: Sequence[str], **options: Any) -> None:
    """How well a column of scores ranks: AUC with a confidence interval, and the top of the list, or NDCG of groups.

    FILE is CSV, TSV, JSONL or Parquet, possibly gzipped; - reads standard input.

    \b
    Examples:
      ordain evaluate ranked.csv --label churned
      ordain evaluate ranked.csv --label outcome --positive fraud --score model_a --json
      ordain evaluate visits.parquet --label ill --cluster patient --ci effective
      ordain evaluate results.csv --label grade --graded --group query
      zcat big.csv.gz | ordain evaluate - --label y --ci guaranteed --level 0.99
    """
    from ordain.commands import evaluate as command

    command.run(place_of(files, options["dask"]), reading=reading_of(options), **options)


@cli.command(cls=Loading)
@click.argument("target", metavar="RUN|MODEL|SCORES")
@click.option(
    "--out", metavar="OUT.html", help="Where the page goes; without it, the name of the target with .html, here."
)
@click.option("--label", metavar="COL", help="Column with the labels, of a table of scores.")
@positive_option
@score_options
@reading_options
@force_option
@json_option
def report(target: str, **options: Any) -> None:
    """One page with pictures: of a judging run, of a model, or of scored rows as evaluate takes them.

    The page is one file that loads nothing and runs nothing; it may be kept, sent and printed.

    \b
    Examples:
      ordain report churn.ordain
      ordain report ranked.csv --label churned --out churn.html
      ordain report tickets.run --out tickets.html
    """
    from ordain.commands import report as command

    command.run(target, reading=reading_of(options), **options)


@cli.command(cls=Loading)
@file_argument
@label_options
@click.option("--score", "scores", multiple=True, required=True, metavar="COL", help="A column of scores; give two.")
@level_option
@unit_options
@reading_options
@report_option
@force_option
@json_option
def compare(file: str, scores: Sequence[str], **options: Any) -> None:
    """Which of two columns of scores ranks better, on the same rows: the paired difference in AUC.

    \b
    Examples:
      ordain compare scored.csv --label churned --score old --score new
      ordain compare scored.parquet --label ill --score a --score b --cluster patient --json
    """
    if len(scores) != 2:
        raise click.UsageError(f"--score must be given twice. Got {len(scores)}. Write --score A --score B.")
    from ordain.commands import compare as command

    command.run(file, scores, reading=reading_of(options), **options)


@cli.command(cls=Loading)
@click.argument("files", nargs=-1, required=True, metavar="VOTES...")
@click.option("--out", metavar="OUT", help="Where the board goes: CSV, TSV, JSONL or Parquet; - is standard output.")
@vote_options
@click.option(
    "--half-life",
    metavar="DAYS",
    help="With --date: a vote counts half as much after so many days; auto has later votes choose.",
)
@click.option("--method", type=Choice(list(METHODS)), default="bradley_terry", show_default=True)
@click.option("--position/--no-position", default=True, help="Fit what standing left is worth, where sides are shown.")
@click.option("--compare", is_flag=True, help="Hold votes out and say how well each method foretells them.")
@click.option("--judges", "judges_out", metavar="OUT", help="Where a table of the judges goes, suspects marked.")
@click.option("--matrix", "matrix_out", metavar="OUT", help="Where the chances of all pairs go, to 5,000 items.")
@click.option("--scale", type=float, metavar="S", help="Points for odds of ten to one, such as 400, for scores.")
@click.option("--anchor", metavar="NAME=X", help="With --scale: the item that has X points; else the mean has 0.")
@level_option
@reading_options
@seed_option
@report_option
@force_option
@json_option
def rank(files: Sequence[str], **options: Any) -> None:
    """A board from votes that were already cast: who is better, how sure, and who cannot be told apart.

    Exports of arenas, annotation tools, leagues and elections are recognised by their columns, and a line says what was
    taken for what; the options name columns of other tables.

    \b
    Examples:
      ordain rank votes.csv --out board.csv
      ordain rank votes.csv --left model_a --right model_b --winner winner --judge voter --judges judges.csv
      ordain rank games.csv --winner white --loser black --json
      ordain rank matches.csv --left home --right away --left-score hg --right-score ag --date day --half-life auto
      ordain rank ballots.jsonl --order ballot --method feedback_arc_set
    """
    from ordain.commands import rank as command

    command.run(files, reading=reading_of(options), **options)


for judging in (judge, status, export):
    cli.add_command(judging)


@cli.command()
@json_option
def losses(as_json: bool) -> None:
    """The losses ordain knows, with what the theory needs of each.

    λ is the constant of strong properness: the ranking regret is at most √(2 · loss regret / 3λ) / (p (1 - p)), p being
    the share of positives.

    \b
    Examples:
      ordain losses
      ordain losses --json
    """
    from ordain.commands import losses as command

    command.run(as_json=as_json)


@cli.command(cls=Loading)
def demo() -> None:
    """A tour on real data that comes with the package: fit, score, evaluate.

    Writes ordain-demo-train.csv, ordain-demo-new.csv, ordain-demo-model.ordain, ordain-demo-ranked.csv and, with the
    extra report, ordain-demo.html into the current folder, and replaces only these.

    \b
    Example:
      ordain demo
    """
    from ordain.commands.demo import run

    run()


@cli.command(cls=Loading)
@click.argument("rows", nargs=-1, metavar="[ROW]...")
@click.option("--list", "only_list", is_flag=True, help="Only say what the rows state; check nothing.")
@click.option("--full", is_flag=True, help="Five times as many cases.")
@seed_option
@json_option
def theorems(rows: Sequence[str], **options: Any) -> int:
    """Check every result the package rests on, one row each, and show the figure that was measured.

    ROW is a name such as B-thm1, or the letter of a part; without one all are checked. The exit code is 1 if one fails.

    \b
    Examples:
      ordain theorems
      ordain theorems B-thm1 X-sharp --seed 7
      ordain theorems U --full --json
      ordain theorems --list
    """
    from ordain.commands import theorems as command

    return command.run(rows, **options)


cli.add_command(bound)


def main(arguments: Sequence[str] | None = None, stop: Stop | None = None) -> None:
    """Run a command; whatever goes wrong becomes one line on standard error and an exit code."""
    stop = stop or Stop()
    os.environ.setdefault("POLARS_MAX_THREADS", "1")  # files are read in small blocks: more threads only cost memory
    gc.set_threshold(100_000)  # modules make many objects that stay: looking for garbage among them takes .3 s
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # that its cache finds no folder is no matter here
    _escape_what_cannot_be_encoded()
    try:
        code = _run(arguments, stop)
        sys.stdout.flush()  # here, where a reader who is gone is no fault
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    sys.exit(stop.code(code))


def _run(arguments: Sequence[str] | None, stop: Stop) -> int:
    """The exit code of a command that has run, or of what went wrong, which is told."""
    try:
        return cli.main(arguments, prog_name="ordain", standalone_mode=False) or 0
    except click.exceptions.NoArgsIsHelpError as usage:
        click.echo(usage.ctx.get_help() if usage.ctx else "ordain --help")
        return 2
    except click.UsageError as usage:
        where = usage.ctx.command_path if usage.ctx else "ordain"
        return _complain(f"{usage.format_message()} See '{where} --help'.", 2)
    except (click.ClickException, ValueError) as wrong:
        told = wrong.format_message() if isinstance(wrong, click.ClickException) else str(wrong)
        return _swallowed(told) if stop.came else _complain(told, 2)
    except (KeyboardInterrupt, click.Abort):
        return _complain("stopped.", 130)
    except BrokenPipeError:
        raise
    except DiskFull as full:
        return _complain(str(full), 1)
    except TooLittleMemory as little:
        return _complain(str(little), 1)
    except MemoryError as short:
        told = str(short).rstrip(".") or "Memory is used up"
        return _complain(f"{told}. Take fewer rows or columns, or a machine with more memory.", 1)
    except Exception as failure:
        if os.environ.get("ORDAIN_TRACEBACK"):
            raise
        told = f"{type(failure).__name__}: {failure} (ORDAIN_TRACEBACK=1 shows where)"
        return _swallowed(told) if stop.came else _complain(f"failed: {told}", 1)


def _swallowed(told: str) -> int:
    """A library took the stop that came for a fault of its own."""
    return _complain(f"stopped. What was at work says: {told}", 130)


def _escape_what_cannot_be_encoded() -> None:
    """Standard output writes λ as \\u03bb where its encoding has no λ, as standard error does."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors in ("strict", "surrogateescape"):
        sys.stdout.reconfigure(errors="backslashreplace")


def _complain(message: str, code: int) -> int:
    click.echo("ordain: " + " ".join(message.split()), err=True)
    return code
