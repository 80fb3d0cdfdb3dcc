"""`ordain losses`: the losses, with what the theory needs of each."""

from __future__ import annotations

import math
from typing import Any

from ordain.commands.console import console, print_json, table_of
from ordain.losses import LOSSES, Loss

COLUMNS = ["loss", "λ", "scores", "margin loss", "canonical", "sigmoid slope"]


def run(*, as_json: bool) -> None:
    """Tell of every loss."""
    if as_json:
        print_json({"losses": [loss_facts(loss) for loss in LOSSES.values()]})
    else:
        console().print(table_of(COLUMNS, map(_loss_row, LOSSES.values())))


def loss_facts(loss: Loss) -> dict[str, Any]:
    """What the theory needs of a loss; an unbounded end of the scores is None."""
    return {
        "name": loss.name,
        "strength": loss.strength,
        "scores": [None if math.isinf(end) else end for end in loss.domain],
        "margin": loss.is_margin,
        "canonical": loss.is_canonical,
        "sigmoid_slope": loss.sigmoid_slope,
    }


def _loss_row(loss: Loss) -> list[str]:
    low, high = loss.domain
    scores = "all" if math.isinf(high) else f"{low:g} to {high:g}"
    slope = "none" if loss.sigmoid_slope is None else f"{loss.sigmoid_slope:g}"
    return [loss.name, f"{loss.strength:g}", scores, *map(_yes_no, (loss.is_margin, loss.is_canonical)), slope]


def _yes_no(fact: bool) -> str:
    return "yes" if fact else "no"
