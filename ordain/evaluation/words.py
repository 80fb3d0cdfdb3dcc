"""What the figures of an evaluation mean, in plain words."""

from __future__ import annotations

import math

from ordain.evaluation.figures import Evaluation
from ordain.evaluation.gains import PLACES, Gains

ACT = 0.1
"""The share of the list that the sentence about acting on it is about."""

LISTED_ROWS = 20
"""With fewer rows there is no such sentence."""

COIN = 0.5


def auc_in_words(found: Evaluation, label: str, *, group: str | None = None, weight: str | None = None) -> str:
    """How often two rows are in the right order, and what a coin would have.

    Parameters
    ----------
    found : Evaluation
        The figures.
    label, group, weight : str
        The columns they are of.

    Examples
    --------
    >>> auc_in_words(Evaluation(90, {}, "yes", 0.56), "churned")
    'A row with churned = yes comes before one without 56 times in 100; a coin has 50.'
    >>> auc_in_words(Evaluation(90, {}, None, 0.9999), "stars", group="query")
    'Of two rows of a query with different stars, the better one comes first 9,999 times in 10,000; a coin has 5,000.'
    """
    often, coin = _often(found.auc)
    if found.positive is None:
        rows = f"of two rows of a {group}" if group else "of two rows"
        said = f"{rows} with different {label}, the better one comes first {often}; a coin has {coin}"
    else:
        within = f"within a {group}, " if group else ""
        said = f"{within}a row with {label} = {found.positive} comes before one without {often}; a coin has {coin}"
    said = f"by {weight}, {said}" if weight else said
    return said[0].upper() + said[1:] + _beside_a_coin(found)


def gains_in_words(found: Gains, *, group: str | None = None) -> str:
    """How much of what could stand in the first places does; `group` is the name of the column.

    Examples
    --------
    >>> gains_in_words(Gains(0.612), group="query")
    'The first 10 of a query hold 61% of what the best order puts there, earlier places counting more.'
    """
    rows = f"The first {PLACES} of a {group}" if group else f"The first {PLACES} rows"
    return f"{rows} hold {_percent(found.value)} of what the best order puts there, earlier places counting more."


def _percent(share: float) -> str:
    """A share in percent, with as many decimals as tell it from none and all."""
    digits = next((digits for digits in range(8) if 0 < round(share, 2 + digits) < 1), 0)
    return f"{100 * share:.{digits}f}%"


def _often(share: float) -> tuple[str, str]:
    """A share as so many times in a hundred, or in as many as it takes to tell it from none and all."""
    scale = 100
    while 0 < share < 1 and not 0 < round(share * scale) < scale and scale < 10**9:
        scale *= 10
    return f"{round(share * scale):,} times in {scale:,}", f"{scale // 2:,}"


def _beside_a_coin(found: Evaluation) -> str:
    """The end of the sentence: whether that is above a coin at all."""
    if found.interval is not None and found.interval.low <= COIN <= found.interval.high:
        return ", which the interval does not rule out."
    return "." if found.auc >= COIN else ". Turned around, the order would be better."


def top_in_words(found: Evaluation, label: str) -> str | None:
    """What acting on the first tenth of the list would bring, and what as many rows drawn by lot; None for few rows.

    Examples
    --------
    >>> from ordain.evaluation import FirstRows
    >>> top = FirstRows(30, precision=0.6, recall=0.2, lift=2.0)
    >>> top_in_words(Evaluation(300, {"positive": 90, "negative": 210}, "yes", 0.56, top=(top,)), "churned")
    'Act on the first 30 rows, and 18 of them (60%) have churned = yes; by lot it would be 9.'
    """
    size = math.ceil(ACT * found.rows)
    chosen = next((top for top in found.top if top.k == size), None)
    if chosen is None or found.rows < LISTED_ROWS:
        return None
    by_lot = size * found.classes["positive"] / found.rows
    return (
        f"Act on the first {size:,} rows, and {_count(chosen.precision * size)} of them ({chosen.precision:.0%}) have "
        f"{label} = {found.positive}; by lot it would be {_count(by_lot)}."
    )


def _count(rows: float) -> str:
    """A number of rows, or an expected one: whole if it is near that or large."""
    if rows >= 10 or abs(rows - round(rows)) < 0.05:
        return f"{rows:,.0f}"
    return f"{rows:.1f}"
