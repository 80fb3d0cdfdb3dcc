"""`ordain bound` and its commands: names, options, help."""

from __future__ import annotations

from typing import Any

import click

from ordain.typed_options import certainty_options, json_option


@click.group()
def bound() -> None:
    """What the theorems say about numbers of your own, in plain words.

    \b
    Examples:
      ordain bound auc --positives 200 --negatives 2000      how sure is an AUC?
      ordain bound rows --width 0.02 --share 0.1             how many rows for ±0.02?
      ordain bound regret --regret 0.01 --prevalence 0.2     what would a small excess loss mean for the AUC?
      ordain bound sort --loss 0.1 --items 1000              what does a sort make of an erring judge?
    """


@bound.command("auc")
@click.option("--positives", type=int, required=True, metavar="M", help="Test rows of the positive class.")
@click.option("--negatives", type=int, required=True, metavar="N", help="Test rows of the negative class.")
@certainty_options
def bound_auc(as_json: bool, **numbers: Any) -> None:
    """How sure an AUC is, whatever the rows are drawn from independently.

    \b
    Examples:
      ordain bound auc --positives 200 --negatives 2000
      ordain bound auc --positives 200 --negatives 2000 --auc 0.8 --dimensions 20
    """
    from ordain.commands import bound as command

    command.tell(command.Certainty(**numbers), as_json)


@bound.command("rows")
@click.option("--width", type=float, required=True, metavar="W", help="How far off the AUC may be, such as 0.02.")
@click.option("--share", default=0.5, show_default=True, help="Share of positives.")
@certainty_options
def bound_rows(as_json: bool, **numbers: Any) -> None:
    """How many rows are enough for an AUC sure to within a width, whatever they are drawn from independently.

    \b
    Examples:
      ordain bound rows --width 0.02
      ordain bound rows --width 0.02 --share 0.1 --auc 0.9
    """
    from ordain.commands import bound as command

    command.tell(command.Need(**numbers), as_json)


@bound.command("regret")
@click.option("--loss", default="logistic", show_default=True, metavar="NAME", help="See ordain losses.")
@click.option("--reduction", default="pointwise", show_default=True, metavar="NAME", help="balanced, pairwise.")
@click.option("--prevalence", type=float, metavar="P", help="Share of positives; needed for pointwise.")
@click.option("--regret", type=float, metavar="R", help="Mean loss minus the least possible one, supposed.")
@click.option("--wanted", type=float, metavar="A", help="How far the AUC may be below the best possible.")
@click.option("--noise", type=(float, float), metavar="ALPHA C", help="If P(|η(X) - η(x)| ≤ t) ≤ C t^ALPHA: low noise.")
@json_option
def bound_regret(as_json: bool, **numbers: Any) -> None:
    """What an excess loss would mean for the AUC, and what excess loss an AUC would need.

    \b
    Examples:
      ordain bound regret --regret 0.01 --prevalence 0.2
      ordain bound regret --regret 0.01 --reduction pairwise
      ordain bound regret --loss exponential --prevalence 0.01 --wanted 0.05
    """
    from ordain.commands import bound as command

    command.tell(command.Excess(**numbers), as_json)


@bound.command("sort")
@click.option("--loss", type=float, required=True, metavar="L", help="Share of pairs that the judge has wrong.")
@click.option("--items", type=int, metavar="N", help="Items to sort, for the number of comparisons.")
@click.option("--top", type=int, metavar="K", help="Only the first K are wanted.")
@json_option
def bound_sort(as_json: bool, **numbers: Any) -> None:
    """What QuickSort makes of a judge who errs: the expected loss, its spread, and the comparisons it takes.

    \b
    Examples:
      ordain bound sort --loss 0.1
      ordain bound sort --loss 0.1 --items 1000 --top 10
    """
    from ordain.commands import bound as command

    command.tell(command.Sorting(**numbers), as_json)
