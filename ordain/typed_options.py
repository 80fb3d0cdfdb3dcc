"""Options of the command line that several commands have, or that a command has many of: each told in one place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from ordain._memory import check_addresses
from ordain._near import did_you_mean
from ordain.names import INTERVALS


class Choice(click.Choice[str]):
    """One of several words; of a mistyped one it says which may have been meant."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        return super().get_invalid_choice_message(value, ctx) + did_you_mean(value, self.choices)


class Loading(click.Command):
    """A command that loads polars and numba, if there is room for them."""

    def invoke(self, ctx: click.Context) -> Any:
        check_addresses()
        return super().invoke(ctx)


def options_of(*options: Any) -> Any:
    """Several click options as one decorator, shown in this order."""

    def decorate(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


file_argument = click.argument("file", metavar="FILE")
files_argument = click.argument("files", nargs=-1, required=True, metavar="FILE...")
positive_option = click.option(
    "--positive", metavar="VALUE", help="The label that should come first, where it is not 1, true or yes."
)
label_options = options_of(
    click.option("--label", required=True, metavar="COL", help="Column with the labels."), positive_option
)
unit_options = options_of(
    click.option("--group", metavar="COL", help="Only pairs within a group count, such as a query."),
    click.option("--cluster", metavar="COL", help="Rows that belong to one person or unit: widens the interval."),
)
reading_options = options_of(
    click.option(
        "--separator", metavar="CHAR", help="What stands between fields, such as ';' or tab; found by looking."
    ),
    click.option("--decimal", metavar="MARK", help="The decimal mark, . or a comma, where the table leaves it open."),
    click.option("--encoding", metavar="NAME", help="Such as windows-1252; UTF-8, UTF-16 and that one are found."),
    click.option("--dates", metavar="ORDER", help="day-first or month-first, where the table leaves it open."),
)
level_option = click.option("--level", default=0.95, show_default=True, help="Confidence of the interval.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
score_options = options_of(
    click.option(
        "--score", default="score", show_default=True, metavar="COL", help="Column with the scores, best highest."
    ),
    click.option(
        "--ci",
        "method",
        type=Choice(list(INTERVALS)),
        default="effective",
        show_default=True,
        help="Method of the interval.",
    ),
    level_option,
    click.option("--weight", metavar="COL", help="Column with the weights of the rows."),
    unit_options,
    click.option("--graded", is_flag=True, help="Labels are grades, larger being better."),
)
report_option = click.option(
    "--report", metavar="OUT.html", help="Also make a page with pictures: one file that needs no network."
)
dask_option = click.option(
    "--dask",
    metavar="WHERE",
    help="Parquet files on a Dask cluster: the scheduler's address, or local:N for N workers.",
)
seed_option = click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The same seed draws the same."
)
force_option = click.option("--force", is_flag=True, help="Replace the file if it exists.")

vote_options = options_of(
    click.option("--left", metavar="COL", help="Column with the item shown first, or at home."),
    click.option("--right", metavar="COL", help="Column with the other item."),
    click.option("--winner", metavar="COL", help="Column that says who won: a name, left, right, tie and the like."),
    click.option("--loser", metavar="COL", help="Column with the loser's name; --winner then has the winner's."),
    click.option("--left-score", metavar="COL", help="Column with the left one's goals or points."),
    click.option("--right-score", metavar="COL", help="Column with the right one's."),
    click.option("--order", metavar="COL", help='Column with whole ballots: ["a", ["b", "c"]] or a > b = c.'),
    click.option("--tie", "ties", multiple=True, metavar="VALUE", help="A further word for a tie; may be given often."),
    click.option("--judge", metavar="COL", help="Column that says who voted: votes of one judge belong together."),
    click.option("--weight", metavar="COL", help="Column with the number of votes that a row stands for."),
    click.option("--group", metavar="COL", help="A board for each group too, such as a category."),
    click.option("--date", metavar="COL", help="Column with the day of the vote: says whether strengths drift."),
)

language_model_options = options_of(
    click.option(
        "--llm", metavar="URL", help="Address of an OpenAI-compatible endpoint, as http://localhost:11434/v1."
    ),
    click.option("--model", metavar="NAME", help="The model's name there."),
    click.option("--key-env", metavar="NAME", help="The variable with the key; ORDAIN_API_KEY unless named."),
    click.option("--temperature", type=float, metavar="T", help="The server's own unless given."),
    click.option(
        "--max-tokens", type=int, default=1000, show_default=True, help="The longest reply, thoughts and all."
    ),
    click.option("--extra", metavar="JSON", help="More fields of every request, as an object."),
    click.option("--prompt", metavar="FILE", help="An own text with the places {question}, {items}, {answer}."),
    click.option("--system", metavar="TEXT", help="Own words for who the judge is."),
    click.option("--why", is_flag=True, help="Ask for a sentence of reason beside each verdict."),
    click.option("--concurrency", type=int, default=8, show_default=True, help="Requests out at a time."),
    click.option("--timeout", type=float, default=120.0, show_default=True, help="Seconds to wait for a reply."),
    click.option("--proxy", metavar="URL", help="A proxy; those of the environment are not used."),
    click.option("--insecure", is_flag=True, help="Send the key unencrypted to another machine."),
)
spending_options = options_of(
    click.option("--budget", type=int, metavar="N", help="The most requests, retries and audit among them."),
    click.option("--price", metavar="IN,OUT", help="Money for a million tokens read, and written, as 0.15,0.6."),
    click.option("--max-cost", type=float, metavar="X", help="The most money, never passed; needs --price."),
    click.option("--sure", type=float, metavar="LEVEL", help="With --top: end as soon as the first K are this sure."),
    click.option("--dry-run", is_flag=True, help="Print the forecast and one request, and end."),
    click.option("--yes", is_flag=True, help="Begin without asking."),
)
asking_options = options_of(
    click.option("--top", type=int, metavar="K", help="Only the first K are wanted: fewer requests."),
    click.option("--list", "list_size", metavar="L", help="Items shown at a time; auto, at most 10, unless given."),
    click.option("--pairs", is_flag=True, help="Show two at a time."),
    click.option("--guarantee", is_flag=True, help="QuickSort on pairs, for which the theorems hold."),
    click.option("--both-orders", is_flag=True, help="With --pairs: ask each pair both ways round."),
)
learning_options = options_of(
    click.option("--learn", is_flag=True, help="Ask about some, learn what makes an item better, and rank all."),
    click.option(
        "--embeddings", metavar="FILE", help="With --learn: a row of numbers per item, .npy or Parquet by id."
    ),
    click.option("--start", metavar="COL", help="With --learn: column with a starting score."),
    click.option("--save", metavar="MODEL", help="With --learn: keep the scorer for ordain score."),
)
people_options = options_of(
    click.option("--image", metavar="COL", help="Column with paths of pictures; with a folder of pictures, any word."),
    click.option("--markdown", is_flag=True, help="Set texts as Markdown: headings, lists, bold, italic and code."),
    click.option(
        "--check", "check_count", type=int, metavar="N", help="Show people N pairs that a model of --run judged."
    ),
    click.option("--add", is_flag=True, help="Place ITEMS among those of --run, by a few questions each."),
    click.option("--share", metavar="NAMES", help="A link for each of several people, as ANA,BEN."),
    click.option("--overlap", type=float, default=0.0, show_default=True, help="The share of pairs two people judge."),
    click.option("--host", default="127.0.0.1", show_default=True, help="An address of this machine in a team's net."),
    click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 takes a free one."),
    click.option("--no-browser", is_flag=True, help="Only print the address."),
)

certainty_options = options_of(
    click.option("--auc", type=float, metavar="A", help="The AUC it comes out at, if known: a narrower interval."),
    level_option,
    click.option(
        "--dimensions", type=int, metavar="D", help="Also for linear scorers of D features fitted to the rows."
    ),
    click.option("--models", type=int, metavar="K", help="Also for K models among which the rows choose."),
    json_option,
)


def place_of(files: Sequence[str], dask: str | None) -> str | Sequence[str]:
    """The one file, folder or pattern that was named; with workers there may be several."""
    if dask is None and len(files) > 1:
        must = "FILE must be one, unless --dask says where many are read"
        raise click.UsageError(f"{must}. Got {len(files)}. Add --dask local:2, or name one file.")
    return files[0] if len(files) == 1 else files


def reading_of(options: dict[str, Any]) -> Any:
    """How a table is to be read: the options about it, taken out of the others."""
    from ordain.tables import Reading

    return Reading(**{name: options.pop(name) for name in ("separator", "decimal", "encoding", "dates")})
