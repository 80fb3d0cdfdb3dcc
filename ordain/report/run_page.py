"""The page of a judging run: the order, how sure it is, how the judge behaved, how agreement grew with the calls."""

from __future__ import annotations

from typing import Any

import numpy as np

from ordain.audit.share import Share
from ordain.judge.judged_items import Item
from ordain.judge.over_time import agreement_over_time
from ordain.judge.people_summary import PeopleSummary
from ordain.judge.summary import Summary
from ordain.report import drawing
from ordain.report.board_page import agreement_section, board_section, matrix_section
from ordain.report.dots import Dot
from ordain.report.html_page import Page, Section, shortened
from ordain.report.inline_svg import inline_svg
from ordain.report.tournament_display import TournamentDisplay

WORDS = ("Score of an item", "Confidence interval", "Ranks an item may have", "Circle", "Audit")


def run_page(summary: Summary) -> Page:
    """The page of what `ordain judge` found."""
    outcome, facts = summary.outcome, summary.run.store.facts
    rows = [{**row, "item": _called(outcome.items[item]), "chance": None}
            for item, row in zip(outcome.order, outcome.rows(), strict=True)]  # fmt: skip
    sections = [board_section(rows, outcome.level), matrix_section(_drawn, summary)]
    sections += [_consistency(summary), *_over_time(summary)]
    if isinstance(summary, PeopleSummary) and len(summary.judges) > 1:
        sections.append(_people(summary))
    said = [shortened(sentence, 600) for sentence in summary.sentences()]
    sections.append(Section("The run in words", points=said))
    return Page("A judging run", shortened(facts["question"], 200), _answer(summary), sections, WORDS)


def _answer(summary: Summary) -> list[str]:
    """What was ranked, how good the order is, how sure."""
    outcome, first = summary.outcome, shortened(_called(summary.outcome.items[summary.outcome.order[0]]))
    who = (
        "people" if isinstance(summary, PeopleSummary) else (summary.run.store.facts["judge"].get("model") or "a judge")
    )
    what = (
        f"{summary.run.n:,} items were ranked by {shortened(who)}, by {len(outcome.said):,} answers; {first} is on top."
    )
    found = summary.agreement
    how = "No audit was made, so it is not known how far the order agrees with the judge."
    if found is not None and found.of:
        how = f"On {found.of:,} pairs kept back the order agrees with the judge {100 * found.value:.0f} times in 100, "
        how += f"between {100 * found.low:.0f} and {100 * found.high:.0f} at {found.level * 100:g}% confidence."
    sure = "The method gives an order without errors: what it promises is in the words below."
    if not np.isnan(outcome.rank_low).all():
        level = np.count_nonzero(outcome.rank_low == 1)
        sure = f"{first} is first, surely at {outcome.level:.0%}." if level == 1 else (
            f"{level:,} items may be first at {outcome.level:.0%}: they cannot be told apart yet.")  # fmt: skip
    return [what, how, sure]


def _called(item: Item) -> str:
    """What an item is called: its id, and its text where that is another."""
    return item.id if item.text == item.id else f"{item.id} {item.text}"


def _drawn(summary: Summary, ax: Any) -> TournamentDisplay:
    """Who beat whom in the answers."""
    return TournamentDisplay.from_votes(summary.outcome.votes(), summary.outcome.order, ax=ax)


def _consistency(summary: Summary) -> Section:
    """Position, contradictions, circles."""
    report = summary.judge
    points = [] if report is None else [f"{part}." for part in str(report).removesuffix(".").split(". ")]
    points += [str(summary.lists)] if summary.lists is not None else []
    return Section("How the judge behaved", points=points or ["Nothing was asked as a pair."])


def _over_time(summary: Summary) -> list[Section]:
    """How far the order agreed with the audit after ever more answers."""
    found = agreement_over_time(summary)
    if len(found) < 2:
        return []
    calls, shares = [count for count, _ in found], [of for _, of in found]

    def draw(ax: Any) -> None:
        drawing.plain(ax)
        ax.axhline(0.5, color=drawing.MUTED, linewidth=0.9, linestyle=(0, (2, 3)))
        ax.fill_between(
            calls, [of.low for of in shares], [of.high for of in shares], color=drawing.FIRST, alpha=0.16, linewidth=0
        )
        ax.plot(calls, [of.value for of in shares], "-o", color=drawing.FIRST, linewidth=1.6, markersize=3.6)
        ax.set(xlabel="answers", ylabel="agrees with the judge", ylim=(0, 1.02))
        drawing.percent_axis(ax.yaxis)

    said = "; ".join(f"after {count:,} answers {of.value:.1%}, {of.low:.1%} to {of.high:.1%}" for count, of in found)
    figure = inline_svg("time", "Agreement as answers came in", f"{said}.", draw, height=2.8)
    see = "How far the order so far agrees with the judge on the audit's pairs; where it is flat, more changed little."
    return [Section("Was it worth going on?", figure=figure, see=see)]


def _people(summary: PeopleSummary) -> Section:
    """Each person's agreement with the rest."""
    known = [(one.name, one.agreement) for one in summary.judges if one.agreement is not None and one.agreement.of]
    dots = [Dot(name, of.value, of.low, of.high) for name, of in known]
    both: Share = summary.two_people
    said = f"Two people agree on {both} pairs that both judged." if both.of else "No pair was judged by two people."
    return agreement_section(dots, said)
