"""A board as text for a terminal and as a table for a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

MOST = 20
"""Items that are shown."""

NAMED = 5
"""Items that a sentence names."""

HEADS = ("rank", "item", "ranks", "tier", "score", "wins", "losses", "ties", "chance")
"""What is shown of an item; `ranks` are those it may have, `chance` that of beating an average item."""


def who_may_be_first(first: Sequence[Any], level: float, of: str = "") -> str:
    """Who may be first, in a sentence.

    Examples
    --------
    >>> who_may_be_first(["Ann"], 0.95)
    'Ann is first, surely at 95%.'
    >>> who_may_be_first(["Ann", "Bob", "Cy"], 0.95)
    'Ann, Bob or Cy may be first, and at 95% nobody else.'
    """
    if len(first) == 1:
        return f"{first[0]} is first{of}, surely at {level * 100:g}%."
    names = [str(item) for item in first[:NAMED]]
    if len(first) > NAMED:
        return (
            f"{', '.join(names)} or {len(first) - NAMED} others may be first{of}, and at {level * 100:g}% nobody else."
        )
    return f"{', '.join(names[:-1])} or {names[-1]} may be first{of}, and at {level * 100:g}% nobody else."


def cells(row: dict[str, Any]) -> list[str]:
    """An item's line: rank and name, the ranks it may have, its tier, score ± error, counts, and its chance."""
    score = "" if row["score"] is None else f"{row['score']:+.2f}"
    error = "" if row["standard_error"] is None else f" ± {row['standard_error']:.2f}"
    ranks = "" if row["rank_low"] is None else f"{row['rank_low']}–{row['rank_high']}"
    counts = [f"{row[name]:,.10g}" for name in ("wins", "losses", "ties")]
    chance = "" if row["chance"] is None else f"{row['chance'] * 100:.0f}%"
    tier = "" if row["tier"] is None else str(row["tier"])
    return [str(row["rank"]), str(row["item"]), ranks, tier, score + error, *counts, chance]


def text(sentences: Sequence[str], rows: Sequence[dict[str, Any]], notices: Sequence[str]) -> str:
    """Sentences, the top of the board, and notices."""
    table = [list(HEADS), *(cells(row) for row in rows[:MOST])]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ["  ".join(map(_aligned, line, widths, range(len(widths)))).rstrip() for line in table]
    more = [f"… and {len(rows) - MOST} more."] if len(rows) > MOST else []
    return "\n".join([*sentences, *lines, *more, *notices])


def html(sentences: Sequence[str], rows: Sequence[dict[str, Any]], notices: Sequence[str]) -> str:
    """The same as a table of HTML, every name in it escaped."""
    head = "".join(f"<th>{escape(name)}</th>" for name in HEADS)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells(row))}</tr>" for row in rows[:MOST])
    more = [f"… and {len(rows) - MOST} more."] if len(rows) > MOST else []
    said, after = (
        "".join(f"<p>{escape(sentence)}</p>" for sentence in some) for some in (sentences, [*more, *notices])
    )
    return f"{said}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{after}"


def _aligned(cell: str, width: int, column: int) -> str:
    """Names to the left, numbers to the right."""
    return cell.ljust(width) if HEADS[column] == "item" else cell.rjust(width)
