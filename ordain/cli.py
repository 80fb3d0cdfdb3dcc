"""The command line: parse, call, print. Modules load inside the commands, so that `ordain --help` is quick."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from ordain import __version__


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__)
def cli() -> None:
    """Rank things, and say how far the ranking can be trusted.

    \b
    ordain demo                                       a tour on data that comes with the package
    ordain evaluate scored.csv --label churned        AUC with an interval, top of the list
    """


def _options(*options: Any) -> Any:
    """Several click options as one decorator, shown in this order."""

    def decorate(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


file_argument = click.argument("file", metavar="FILE")
label_options = _options(
    click.option("--label", required=True, metavar="COL", help="Column with the labels."),
    click.option(
        "--positive", metavar="VALUE", help="The label that should come first, where it is not 1, true or yes."
    ),
)
unit_options = _options(
    click.option("--group", metavar="COL", help="Only pairs within a group count, such as a query."),
    click.option("--cluster", metavar="COL", help="Rows that belong to one person or unit: widens the interval."),
)
level_option = click.option("--level", default=0.95, show_default=True, help="Confidence of the interval.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")


@cli.command()
@file_argument
@label_options
@click.option(
    "--score", default="score", show_default=True, metavar="COL", help="Column with the scores, best highest."
)
@click.option(
    "--ci",
    "method",
    type=click.Choice(["effective", "exact", "guaranteed", "delong"]),
    help="Method of the interval; effective unless there are weights, then delong.",
)
@level_option
@click.option("--weight", metavar="COL", help="Column with the weights of the rows.")
@unit_options
@click.option("--graded", is_flag=True, help="Labels are grades, larger being better.")
@json_option
def evaluate(file: str, score: str, method: str | None, level: float, as_json: bool, **columns: Any) -> None:
    """How well a column of scores ranks: AUC with a confidence interval, and the top of the list.

    FILE is CSV, TSV, JSONL or Parquet, possibly gzipped; - reads standard input.

    \b
    Examples:
      ordain evaluate ranked.csv --label churned
      ordain evaluate ranked.csv --label outcome --positive fraud --score model_a --json
      ordain evaluate visits.parquet --label ill --cluster patient --ci effective
      zcat big.csv.gz | ordain evaluate - --label y --ci guaranteed --level 0.99
    """
    from ordain import evaluation, terminal
    from ordain.scored import read_scored

    with terminal.working(f"Reading {file}"):
        table = read_scored(file, scores=[score], **columns)
    result = evaluation.evaluate(table, method=method, level=level)
    if as_json:
        terminal.print_json({"file": file, "score": score, **result.as_json()})
    else:
        terminal.print_evaluation(result, f"{score} in {file}")


@cli.command()
@file_argument
@label_options
@click.option("--score", "scores", multiple=True, required=True, metavar="COL", help="A column of scores; give two.")
@level_option
@unit_options
@json_option
def compare(file: str, scores: Sequence[str], level: float, as_json: bool, **columns: Any) -> None:
    """Which of two columns of scores ranks better, on the same rows: the paired difference in AUC.

    \b
    Examples:
      ordain compare scored.csv --label churned --score old --score new
      ordain compare scored.parquet --label ill --score a --score b --cluster patient --json
    """
    if len(scores) != 2:
        raise click.UsageError(f"--score must be given twice. Got {len(scores)}. Write --score A --score B.")
    from ordain import evaluation, terminal
    from ordain.scored import read_scored

    with terminal.working(f"Reading {file}"):
        table = read_scored(file, scores=scores, **columns)
    result = evaluation.compare(table, scores, level=level)
    if as_json:
        terminal.print_json({"file": file, **result.as_json()})
    else:
        terminal.print_duel(result, file)


@cli.command()
@json_option
def losses(as_json: bool) -> None:
    """The losses ordain knows, with what the theory needs of each.

    λ is the constant of strong properness: the ranking regret is at most √(2 · loss regret / λ) / (p (1 - p)), p being
    the share of positives.

    \b
    Examples:
      ordain losses
      ordain losses --json
    """
    from ordain import terminal
    from ordain.losses import LOSSES

    if as_json:
        terminal.print_json({"losses": [terminal.loss_facts(loss) for loss in LOSSES.values()]})
    else:
        terminal.print_losses(LOSSES.values())


@cli.command()
def demo() -> None:
    """A tour on real data that comes with the package: fit, evaluate, compare. Writes ordain-demo.csv here.

    \b
    Example:
      ordain demo
    """
    from ordain.demo import run

    run()


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; whatever goes wrong becomes one line on standard error and an exit code."""
    os.environ.setdefault("POLARS_MAX_THREADS", "1")  # files are read in small blocks: more threads only cost memory
    try:
        sys.exit(cli.main(arguments, prog_name="ordain", standalone_mode=False) or 0)
    except click.exceptions.NoArgsIsHelpError as usage:
        click.echo(usage.ctx.get_help() if usage.ctx else "ordain --help")
        sys.exit(2)
    except click.UsageError as usage:
        where = usage.ctx.command_path if usage.ctx else "ordain"
        _complain(f"{usage.format_message()} See '{where} --help'.", 2)
    except (click.ClickException, ValueError) as wrong:
        _complain(wrong.format_message() if isinstance(wrong, click.ClickException) else str(wrong), 2)
    except (KeyboardInterrupt, click.Abort):
        _complain("stopped.", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as failure:
        if os.environ.get("ORDAIN_TRACEBACK"):
            raise
        _complain(f"failed: {type(failure).__name__}: {failure} (ORDAIN_TRACEBACK=1 shows where)", 1)


def _complain(message: str, code: int) -> None:
    click.echo("ordain: " + " ".join(message.split()), err=True)
    sys.exit(code)
