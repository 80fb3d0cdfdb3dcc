"""The page of scored rows: what `ordain evaluate` and `ordain compare` find, shown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ordain._types import Vector
from ordain.bounds.interval import auc_interval
from ordain.bounds.roc_band import roc_band
from ordain.certificate import Interval, decimals, outward
from ordain.evaluation import Duel, Evaluation, Scored, auc_in_words, gains_in_words, top_in_words
from ordain.evaluation.along_list import FirstRows, along_list
from ordain.measure import auc
from ordain.report import drawing
from ordain.report.dots import Dot, draw_dots
from ordain.report.figures_of_scores import (
    calibration_section,
    gains_section,
    histogram_section,
    roc_section,
    top_section,
)
from ordain.report.html_page import Page, Section, Table, shortened
from ordain.report.inline_svg import inline_svg
from ordain.report.roc_display import RocDisplay

WORDS = ("AUC", "Confidence interval", "ROC curve", "Band", "Precision", "Recall", "Lift", "Calibration")
ACTED_ON = (10, 20, 50, 100, 0.01, 0.05, 0.1, 0.2, 0.5)
"""Rows, or shares of them, of which it is told what acting on them would bring."""

GROUPS, LEAST = 30, 2
"""Groups that are shown, the largest, and rows of each class that one must have."""


@dataclass(frozen=True)
class Named:
    """What the figures are of: the file, the columns of scores and labels, and the names of the groups."""

    file: str
    score: str
    label: str
    group: str | None = None
    groups: Sequence[Any] = ()


def scores_page(table: Scored, found: Evaluation, named: Named, which: int = 0) -> Page:
    """The page of one column of scores."""
    scores, rows = table.scores[which], table.rows
    level = found.interval.level if found.interval else 0.95
    sections = [_certificate(table, found, named, scores)]
    if found.positive is not None and rows.is_list and found.interval:
        positive = f"{shortened(named.label)} = {shortened(found.positive)}"
        sections += [
            roc_section(rows.labels, scores, found.interval, level),
            top_section(rows.labels, scores, level, rows.clusters),
            _acting(rows.labels, scores, level, positive, rows.clusters),
            gains_section(rows.labels, scores),
            histogram_section(rows.labels, scores, positive),
        ]
        calibrated = calibration_section(rows.labels, scores, level)
        sections += [calibrated] if calibrated else []
    if rows.groups is not None and found.positive is not None and named.group:
        sections += _by_group(table, scores, named, level)
    title = f"{shortened(named.score)} in {shortened(Path(named.file).name)}"
    return Page("How good a ranking is", title, _answer(found, named), sections, WORDS)


def _answer(found: Evaluation, named: Named) -> list[str]:
    """What was ranked, how good, how sure."""
    what = f"{found.rows:,} rows were ranked by {shortened(named.score)}"
    if found.positive is None:
        what += f"; better ones, by {shortened(named.label)}, should come first."
    else:
        count = found.classes["positive"]
        what += f"; the {count:,} with {shortened(named.label)} = {shortened(found.positive)} should come first."
    how = auc_in_words(found, shortened(named.label), group=named.group and shortened(named.group))
    return [what, how, _how_sure(found.interval) if found.interval else f"AUC {found.auc:.4f}, without an interval."]


def _how_sure(interval: Interval) -> str:
    """How far another sample may have given another figure."""
    digits = decimals(interval.high - interval.low)
    low, high = outward(interval.low, interval.high, digits)
    more = "" if interval.low > 0.5 or interval.high < 0.5 else ", so it may be no better than a coin"
    return (
        f"On other rows of the same kind the AUC, {interval.value:.{digits}f} here, is between {low} and {high}, at "
        f"{interval.level * 100:g}% confidence{more}."
    )


def _certificate(table: Scored, found: Evaluation, named: Named, scores: Vector) -> Section:
    """The figure with its assumptions."""
    words = [str(found.interval) if found.interval else f"AUC {found.auc:.4f}."]
    if found.gains:
        words += [str(found.gains), gains_in_words(found.gains, group=named.group and shortened(named.group))]
    if found.interval and table.rows.is_list and table.rows.clusters is None:
        sure = auc_interval(table.rows.labels, scores, level=found.interval.level, method="guaranteed")
        words.append(f"Whatever the rows are drawn from: {sure}")
    if acting := top_in_words(found, shortened(named.label)):
        words.append(acting)
    notes = [*([found.note] if found.note else []), *table.notices]
    return Section("The figure, and what it takes for granted", words, notes=notes)


def _acting(labels: Vector, scores: Vector, level: float, positive: str, clusters: Any) -> Section:
    """What the top of the list holds."""
    n = len(labels)
    sizes = sorted({min(n, of if of > 1 else math.ceil(of * n)) for of in ACTED_ON if of <= 1 or of <= n / 2})
    tops = along_list(labels, scores, [int(size) for size in sizes], level=level, clusters=clusters).first_rows()
    rows = [[f"{of.k:,}", f"{of.precision * of.k:,.4g}", _hits(of), f"{of.precision:.1%}", f"{of.recall:.1%}",
             f"{of.lift:.2f}"] for of in tops]  # fmt: skip
    chosen = next((of for of in tops if of.k >= min(n, max(10, math.ceil(0.1 * n)))), tops[-1])
    said = f"If you act on the first {chosen.k:,} rows: {chosen.precision * chosen.k:,.4g} have {positive}"
    said += f", on other rows with such scores between {_hits(chosen)} are to be expected." if _hits(chosen) else "."
    heads = ["first", "positive", f"to be expected, at {level * 100:g}%", "precision", "recall", "lift"]
    return Section("What the top of the list holds", [said], tables=[Table(heads, rows)], notes=[
        "Each interval is for its own line; there is none where rows of equal score lie across the border.",
    ])  # fmt: skip


def _hits(of: FirstRows) -> str:
    """Between how many rows of the first k are to be expected positive, rounded outward."""
    if of.precision_low is None or of.precision_high is None:
        return ""
    return f"{math.floor(of.k * of.precision_low + 1e-9):,} and {math.ceil(of.k * of.precision_high - 1e-9):,}"


def _by_group(table: Scored, scores: Vector, named: Named, level: float) -> list[Section]:
    """The AUC within each group, of the largest groups that have both classes."""
    groups, labels = table.rows.groups, table.rows.labels
    assert groups is not None
    sizes = np.bincount(groups)
    found = []
    for code in np.argsort(-sizes, kind="stable"):
        mask = groups == code
        least = min(np.count_nonzero(labels[mask]), np.count_nonzero(~labels[mask]))
        if least >= LEAST:
            found.append((code, int(sizes[code]), auc_interval(labels[mask], scores[mask], level=level)))
        if len(found) == GROUPS or sizes[code] < 2 * LEAST:
            break
    if not found:
        return []
    dots = [Dot(str(named.groups[code]), of.value, of.low, of.high) for code, _, of in found]
    text = "; ".join(f"{shortened(dot.name)}: AUC {dot.value:.4f}, {dot.low:.4f} to {dot.high:.4f}" for dot in dots)
    figure = inline_svg("groups", "AUC within each group", text, lambda ax: draw_dots(ax, dots, label="AUC"),
                        height=0.9 + 0.26 * len(dots))  # fmt: skip
    rows = [[shortened(named.groups[code]), f"{size:,}", f"{of.value:.3f}", f"{of.low:.3f} to {of.high:.3f}"]
            for code, size, of in found]  # fmt: skip
    see = f"The AUC within each {shortened(named.group)}, of the largest; lines are intervals, each by itself."
    heads = [shortened(named.group), "rows", "AUC", f"at {level * 100:g}%"]
    return [Section("By group", figure=figure, see=see, tables=[Table(heads, rows)])]


def duel_page(table: Scored, duel: Duel, file: str, label: str) -> Page:
    """The page of two columns of scores on the same rows."""
    names, found = list(duel.auc), duel.comparison
    labels, level = table.rows.labels, duel.comparison.level
    sentence = str(found)
    for role, name in zip(("The first", "The second"), names, strict=True):
        sentence = sentence.replace(role, shortened(name))
    areas = " and ".join(f"{shortened(name)} has {area:.4f}" for name, area in duel.auc.items())
    both, where = " and ".join(map(shortened, names)), shortened(Path(file).name)
    answer = [
        f"{both} ranked the same {duel.rows:,} rows of {where}; those with {shortened(label)} = "
        f"{shortened(duel.positive)} should come first.",
        f"By AUC {areas}.",
        sentence,
    ]
    sections = []
    if table.rows.is_list:
        sections.append(_two_curves(labels, table.scores, names, level))
    dots = [
        Dot(f"{names[0]} minus {names[1]}", found.difference, found.low, found.high, found.low > 0 or found.high < 0)
    ]
    text = f"AUC difference {found.difference:+.4f}, {found.low:+.4f} to {found.high:+.4f}."
    figure = inline_svg("difference", "Difference in AUC", text,
                        lambda ax: draw_dots(ax, dots, label="difference in AUC", zero=True), height=1.2)  # fmt: skip
    see = (
        "The difference on the same rows, with its interval: if that lies to one side of 0, one is shown to be better."
    )
    sections.append(Section("The difference", figure=figure, see=see, notes=list(table.notices)))
    words = ("AUC", "Confidence interval", "ROC curve", "Band")
    return Page("Two rankings of the same rows", both, answer, sections, words)


def _two_curves(labels: Vector, scores: Vector, names: Sequence[str], level: float) -> Section:
    displays = [
        RocDisplay(roc_band(labels, some, level=level), auc(labels, some), name=name)
        for some, name in zip(scores, names, strict=True)
    ]

    def draw(ax: Any) -> None:
        for display, color in zip(displays, (drawing.FIRST, drawing.SECOND), strict=True):
            display.plot(ax, color=color)

    text = "; ".join(f"{shortened(of.name)}: AUC {of.auc:.4f}" for of in displays)
    figure = inline_svg("roc", "ROC curves of both", text, draw, width=4.6, height=4.4)
    see = "Both curves with their bands, each by itself; what tells them apart is the paired difference below."
    return Section("Both curves", figure=figure, see=see, shape="square")
