"""The page of a fit: which model was picked and why, and what its ranking rests on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ordain.explain.explanation import Explanation, Worth
from ordain.model import Model
from ordain.report import drawing
from ordain.report.choice_display import ComparisonDisplay
from ordain.report.dots import Dot, draw_dots
from ordain.report.html_page import Page, Section, Table, shortened
from ordain.report.inline_svg import inline_svg
from ordain.report.kept_comparison import kept_comparison

WORDS = ("AUC", "Confidence interval", "Folds", "Shuffling a column")
SHOWN, CURVES = 20, 6
"""Columns whose worth is drawn, and columns along which the score is."""


def fit_page(model: Model, name: str, comparison: dict[str, Any] | None = None, notices: Sequence[str] = ()) -> Page:
    """The page of a model; the comparison is that of its file unless a fresh one, with seconds, is given."""
    comparison = comparison or kept_comparison(model)
    trials = [of for of in comparison.get("trials", []) if of.get("goal") is not None]
    sections = [_compared(comparison, trials)] if trials else []
    if model.rests_on is not None:
        sections += [_rests_on(model.rests_on), *_along(model.rests_on)]
    else:
        said = "This model does not say what it rests on: it is of an earlier version, or of too few rows."
        sections.append(Section("What the ranking rests on", [said]))
    noticed = [shortened(one, 300) for one in dict.fromkeys([*notices, *model.preparation.notices])]
    if noticed:
        sections.append(Section("Noticed about the table", points=noticed))
    return Page("A model that ranks", shortened(Path(name).name), _answer(model, comparison, trials), sections, WORDS)


def _answer(model: Model, comparison: dict[str, Any], trials: list[Any]) -> list[str]:
    """What was fitted, how good it is, how sure."""
    rows = model.summary.get("rows")
    first = f"{shortened(model.label)} = {shortened(model.positive)}" if model.positive else f"better {model.label}"
    picked = next((of for of in trials if of["name"] == comparison.get("picked")), None)
    many = f"{rows:,} rows" if isinstance(rows, int) else "some rows"
    what = f"{comparison.get('picked') or 'A model'} was fitted to {many}, to rank those with {first} first."
    if picked is None:
        return [
            what,
            "Nothing could be compared: there were too few rows.",
            "So nothing is known of how well it ranks.",
        ]
    how = f"On rows held out its AUC is {picked['auc']:.3f}, on average of {picked['folds']} folds"
    how += "." if comparison["goal"].lower() == "auc" else f"; its {comparison['goal']}, {picked['goal']:.3f}."
    return [what, how, _beside(picked, trials)]


def _beside(picked: dict[str, Any], trials: list[Any]) -> str:
    """How sure the choice is."""
    if picked.get("below_best") is None or len(trials) == 1:
        return "It was the only candidate; how sure that is, fresh rows tell: ordain evaluate."
    if picked["below_best"] <= 0:
        return (
            f"None of the {len(trials)} candidates did better; how well it does on fresh rows, ordain evaluate tells."
        )
    return (
        f"It is {picked['below_best']:.4f} below the best of {len(trials)} candidates on other folds, between "
        f"{picked['low']:+.4f} and {picked['high']:+.4f} at 95%; how well it does on fresh rows, ordain evaluate tells."
    )


def _compared(comparison: dict[str, Any], trials: list[Any]) -> Section:
    """The comparison of reductions."""
    display = ComparisonDisplay(comparison)
    said = "; ".join(f"{dot.name}: {dot.value:+.4f}, {dot.low:+.4f} to {dot.high:+.4f}" for dot in display.dots)
    figure = inline_svg("compared", "Candidates beside the best", f"{said}.", display.plot,
                        height=1.0 + 0.3 * len(display.dots)) if display.dots else ""  # fmt: skip
    see = (
        "Each dot is a candidate, beside the one that is best on other folds, with the interval of the difference on "
        "the same folds; what reaches 0 is not shown to be worse. The one that was picked is blue."
    )
    timed = any(of.get("seconds") is not None for of in trials)
    goal = [] if comparison["goal"] == "AUC" else [str(comparison["goal"])]
    heads = ["candidate", *goal, "AUC", "below the best", *(["seconds"] if timed else [])]
    rows = [_row(of, timed, bool(goal)) for of in trials]
    strong = [k for k, of in enumerate(trials) if of["name"] == comparison["picked"]]
    notes = [
        f"Means over {comparison['folds']} folds of {comparison['rows']:,} rows. Picked is the simplest candidate that "
        "no simpler one outscores and that is at most half a standard error below the best."
    ]
    tables = [
        Table(heads, rows, text=(0, 2 + len(goal)) if any(of.get("dropped") for of in trials) else (0,), strong=strong)
    ]
    return Section("What was compared", figure=figure, see=see, tables=tables, notes=notes)


def _row(trial: dict[str, Any], timed: bool, by_goal: bool) -> list[str]:
    seconds = [f"{trial['seconds']:.1f}"] if timed else []
    goal = [f"{trial['goal']:.4f}"] if by_goal else []
    return [trial["name"], *goal, f"{trial['auc']:.4f}", _below(trial), *seconds]


def _below(trial: dict[str, Any]) -> str:
    if trial.get("dropped"):
        return f"dropped: {trial['dropped']}"
    return "" if trial.get("below_best") is None else f"{trial['below_best']:.4f}"


def _rests_on(found: Explanation) -> Section:
    """What each column is worth."""
    some = found.columns[:SHOWN]
    dots = [Dot(of.name, of.lost, of.low, of.high, of.counts) for of in some]
    said = "; ".join(f"{shortened(of.name)}: {of.lost:.4f} lost, {of.low:.4f} to {of.high:.4f}" for of in some)
    figure = inline_svg("rests", "AUC lost when a column is shuffled", f"{said}.",
                        lambda ax: draw_dots(ax, dots, label="AUC lost when the column is shuffled", zero=True),
                        height=1.0 + 0.24 * len(dots))  # fmt: skip
    rows = [
        [shortened(of.name), f"{of.lost:.4f}", f"{of.low:.4f} to {of.high:.4f}", shortened(of.direction)] for of in some
    ]
    table = Table(["column", "AUC lost", f"at {found.level * 100:g}%", "score goes"], rows, text=(0, 3))
    see = "The further right, the more the ranking owes to the column; where the line holds 0 nothing is shown."
    return Section("What the ranking rests on", [str(found)], figure, see, tables=[table], notes=[found.about])


def _along(found: Explanation) -> list[Section]:
    """How the score goes along the columns that are worth most."""
    some = [of for of in found.columns if of.counts and len(of.scores) > 1][:CURVES]
    if not some:
        return []
    columns, rows = min(3, len(some)), -(-len(some) // 3)

    def draw(axes: Any) -> None:
        flat = np.atleast_1d(axes).ravel()
        for ax in flat[len(some) :]:
            ax.set_axis_off()
        low, high = (pick(score for of in some for score in of.scores) for pick in (min, max))
        for ax, of in zip(flat, some, strict=False):
            _curve(ax, of)
            ax.set_ylim(low - 0.06 * (high - low), high + 0.06 * (high - low))

    said = "; ".join(
        f"{shortened(of.name)}: " + ", ".join(f"{shortened(value, 24)} {score:+.3f}" for value, score in
                                              zip(of.values, of.scores, strict=True)) for of in some
    )  # fmt: skip
    figure = inline_svg("along", "The score along the columns", f"{said}.", draw, columns=columns, rows=rows,
                        height=2.3 * rows)  # fmt: skip
    see = "The mean score if all rows had one value of the column, the rest as it is; higher is earlier in the list."
    return [Section("How the score goes along the columns", figure=figure, see=see)]


def _curve(ax: Any, of: Worth) -> None:
    """The score along one column: a line for numbers and dates, dots for text."""
    drawing.plain(ax, grid="y")
    ax.set_title(drawing.drawn_name(of.name, 24))
    if of.kind == "number":
        ax.plot(
            [float(value) for value in of.values], of.scores, "-o", color=drawing.FIRST, markersize=2.6, linewidth=1.4
        )
        ax.locator_params(axis="x", nbins=4)
        return
    places = range(len(of.values))
    ax.plot(places, of.scores, "o" if of.kind == "text" else "-o", color=drawing.FIRST, markersize=3.6)
    shown = of.values if of.kind == "text" else [value if k in (0, len(of.values) - 1) else "" for k, value in
                                                 enumerate(of.values)]  # fmt: skip
    ax.set_xticks(places, [drawing.drawn_name(value, 12) for value in shown], rotation=45, ha="right", parse_math=False)
    ax.tick_params(axis="x", labelsize=7)
