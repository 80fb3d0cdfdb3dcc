"""The page of a board made from votes: who is first, how sure, who beat whom, and how the judges voted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ordain.report.board_display import LeaderboardDisplay
from ordain.report.dots import Dot, draw_dots
from ordain.report.html_page import Page, Section, Table, shortened
from ordain.report.inline_svg import inline_svg
from ordain.report.tournament_display import TournamentDisplay
from ordain.votes import board_shown
from ordain.votes.account import Account
from ordain.votes.judges_table import JudgesTable

WORDS = ("Score of an item", "Confidence interval", "Ranks an item may have", "Circle")
MOST, JUDGES = 100, 30
"""Items of the table, and judges that are drawn."""


def board_page(account: Account, name: str, understood: Sequence[str] = ()) -> Page:
    """The page of what `ordain rank` found."""
    board = account.board
    said = [shortened(sentence, 400) for sentence in account.opening]
    sections = [board_section(board.rows(), board.level), matrix_section(TournamentDisplay.from_board, board)]
    if account.judges is not None and len(account.judges) > 1:
        sections.append(_judges(account.judges))
    closing = [shortened(sentence, 600) for sentence in [*account.closing, *map(str, filter(None, [account.compared]))]]
    sections.append(Section("What else the votes say", points=[*closing, *map(shortened, understood)]))
    answer = [account.counted, *(said[:2] if said else ["The method gives an order, and no errors."])]
    if len(answer) < 3 and any(row["rank_low"] is not None for row in board.rows()):
        answer.append(f"Ranks hold for the whole board together, at {board.level * 100:g}% confidence.")
    return Page("A board made from votes", shortened(name), answer, sections, WORDS)


def board_section(rows: Sequence[dict[str, Any]], level: float) -> Section:
    """The items with their scores, drawn and as a table."""
    display = LeaderboardDisplay(rows, level)
    dots = display.dots
    figure = ""
    if dots:
        said = "; ".join(map(_dot_in_words, dots))
        figure = inline_svg("board", "Scores of the items", f"{said}.", display.plot, height=1.0 + 0.24 * len(dots))
    cells = [[shortened(cell) for cell in board_shown.cells(row)] for row in rows[:MOST]]
    used = [k for k in range(len(board_shown.HEADS)) if any(row[k] for row in cells)]
    heads = [board_shown.HEADS[k] for k in used]
    table = Table(heads, [[row[k] for k in used] for row in cells], text=(heads.index("item"),))
    see = "Each dot is an item's score; the method gives no intervals and no ranks." if dots else ""
    if any(row["rank_low"] is not None for row in rows):
        see = (
            f"Each dot is an item's score, each line its {level * 100:g}% interval, by itself; at the right are the "
            "ranks it may have, all together at that level. Items that may be first are blue."
        )
    more = [f"{len(rows) - MOST:,} more are not shown."] if len(rows) > MOST else []
    return Section("The board", figure=figure, see=see, tables=[table], notes=more)


def _dot_in_words(dot: Dot) -> str:
    """A score, with its interval if it has one."""
    interval = f", {dot.low:+.3f} to {dot.high:+.3f}" if math.isfinite(dot.low) else ""
    return f"{shortened(dot.name)}: {dot.value:+.3f}{interval}"


def matrix_section(make: Any, *of: Any) -> Section:
    """Who beat whom."""
    from matplotlib.figure import Figure

    display = make(*of, ax=Figure().subplots())
    size = max(3.0, 0.23 * len(display.wins) + 1.6)
    upsets, circles = display.upsets, display.circles
    said = "; ".join(
        f"{shortened(display.names[low])} beat {shortened(display.names[high])}" for low, high in upsets[:12]
    )
    text = (
        f"{len(upsets):,} pairs go against the order{': ' + said if said else ''}. {len(circles):,} circles of three."
    )
    figure = inline_svg("matrix", "Who beat whom", text, display.plot, width=size, height=size)
    see = (
        "Row against column, best first: the bluer, the more often the row's item won, the more orange the more often "
        "it lost. A ring marks a pair that goes against the order; a circle of three has one at least."
    )
    words = (
        f"Of the {len(display.wins)} items shown {len(circles):,} circles of three are seen in the majorities of pairs"
    )
    listed = [
        " beats ".join(shortened(display.names[item]) for item in _turned(display, three)) for three in circles[:5]
    ]
    points = [f"{one}, which beats the first" for one in listed]
    return Section("Who beat whom", [words + (", such as:" if points else ".")], figure, see,
                   "square" if size < 5 else "wide", points=points)  # fmt: skip


def _turned(display: TournamentDisplay, three: tuple[int, int, int]) -> tuple[int, int, int]:
    """The three so that each beats the next."""
    a, b, c = three
    return (a, b, c) if display.shares[a, b] > 0.5 else (a, c, b)


def _judges(judges: JudgesTable) -> Section:
    """How far each judge agrees with the rest."""
    rows = sorted((row for row in judges if row.agreement.of), key=lambda row: -row.votes)[:JUDGES]
    dots = [
        Dot(str(row.judge), row.agreement.value, row.agreement.low, row.agreement.high, row.suspect) for row in rows
    ]
    return agreement_section(dots, str(judges))


def agreement_section(dots: Sequence[Dot], sentence: str) -> Section:
    """Each judge's agreement with the rest, drawn."""
    said = "; ".join(f"{shortened(dot.name)}: {dot.value:.3f}, {dot.low:.3f} to {dot.high:.3f}" for dot in dots)
    figure = inline_svg("judges", "Agreement of each judge with the rest", f"{said}.",
                        lambda ax: draw_dots(ax, dots, label="share of votes for the item ahead without them"),
                        height=1.0 + 0.24 * len(dots)) if dots else ""  # fmt: skip
    see = "How often each judge votes for the item that is ahead on a board made without them; suspects are blue."
    return Section("The judges", [shortened(sentence, 600)], figure, see)
