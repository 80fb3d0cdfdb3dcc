"""Pictures of one list of scored rows of two classes, each with a sentence on what to see and its numbers in words."""

from __future__ import annotations

from typing import Any

import numpy as np

from ordain._types import Mask, Vector
from ordain.audit.share import Share
from ordain.bounds.roc_band import roc_band
from ordain.certificate import Interval
from ordain.evaluation.along_list import AlongList, along_list
from ordain.report import drawing
from ordain.report.html_page import Section, Table
from ordain.report.inline_svg import inline_svg
from ordain.report.roc_display import RocDisplay
from ordain.report.top_display import TopOfListDisplay, lengths

BINS, CALIBRATED = 40, 10
"""Bars of a histogram, and groups of rows by which calibration is told."""


def roc_section(labels: Mask, scores: Vector, interval: Interval, level: float) -> Section:
    """The ROC curve with its band."""
    display = RocDisplay(roc_band(labels, scores, level=level), interval.value, interval)
    at = np.array([0.05, 0.1, 0.2, 0.5])
    low, found, high = (of(at) for of in (display.band.lower, display.band.found, display.band.upper))
    said = "; ".join(
        f"{a:.0%} let in, {f:.1%} found ({x:.1%} to {y:.1%})" for a, f, x, y in zip(at, found, low, high, strict=True)
    )
    text = f"ROC curve, AUC {interval.value:.4f}. {said}."
    figure = inline_svg("roc", "ROC curve with its band", text, display.plot, width=4.6, height=4.4)
    see = (
        "The curve says how many of the positives are found while a share of the negatives is let in; the further "
        "above the dotted diagonal, a coin's, the better."
    )
    rows = [[f"{a:.0%}", f"{f:.1%}", f"{x:.1%} to {y:.1%}"] for a, f, x, y in zip(at, found, low, high, strict=True)]
    table = Table(["negatives let in", "positives found", f"band at {level * 100:g}%"], rows)
    certain = f"{str(display.band)[0].lower()}{str(display.band)[1:]}"
    note = f"The band is simultaneous: {certain} It takes rows to be independent."
    return Section("Finding the positives", figure=figure, see=see, shape="square", tables=[table], notes=[note])


def top_section(labels: Mask, scores: Vector, level: float, clusters: Any = None) -> Section:
    """Precision and recall along the list."""
    along = along_list(labels, scores, lengths(scores), level=level, clusters=clusters)
    display = TopOfListDisplay(along, float(labels.mean()), level)
    text = f"Precision and recall of the first rows. {_along_words(along)}"
    figure = inline_svg("top", "Precision and recall along the list", text, display.plot)
    see = (
        "How the list pays as one goes down: blue, the share of positives among the first rows, beside "
        f"{labels.mean():.1%} in any order (dotted); orange, the share of all positives that they hold. Shades are "
        f"{level * 100:g}% intervals, each for its own length."
    )
    return Section("Going down the list", figure=figure, see=see)


def gains_section(labels: Mask, scores: Vector) -> Section:
    """Gains and lift."""
    along = along_list(labels, scores, lengths(scores), level=0.95)
    share = along.k / along.rows

    def draw(axes: Any) -> None:
        gains, lift = axes
        gains.plot([0, 1], [0, 1], color=drawing.MUTED, linewidth=0.9, linestyle=(0, (2, 3)))
        gains.plot(np.append(0, share), np.append(0, along.recall), color=drawing.FIRST, linewidth=1.8)
        lift.axhline(1, color=drawing.MUTED, linewidth=0.9, linestyle=(0, (2, 3)))
        lift.plot(share, along.lift, color=drawing.FIRST, linewidth=1.8)
        gains.set(title="gains: positives held", xlabel="share of the list", xlim=(0, 1), ylim=(0, 1.02))
        lift.set(title="lift: times a list in any order", xlabel="share of the list", xlim=(0, 1), ylim=(0, None))
        drawing.percent_axis(gains.yaxis)
        for ax in axes:
            drawing.plain(ax)
            drawing.percent_axis(ax.xaxis)

    at = [int(np.argmin(np.abs(share - wanted))) for wanted in (0.05, 0.1, 0.2, 0.5)]
    said = "; ".join(
        f"the first {share[k]:.1%} hold {along.recall[k]:.1%} of the positives, lift {along.lift[k]:.2f}" for k in at
    )
    figure = inline_svg("gains", "Gains and lift", f"{said[0].upper()}{said[1:]}.", draw, columns=2, height=2.8)
    see = "Left, what share of the positives the first part of the list holds; right, how many times more than by lot."
    return Section("Gains and lift", figure=figure, see=see)


def histogram_section(labels: Mask, scores: Vector, positive: str) -> Section:
    """How the scores of both classes lie."""
    low, high = np.quantile(scores, [0.001, 0.999])
    bars = min(BINS, max(8, int(len(scores) ** 0.5)))
    edges = np.linspace(low, high if high > low else low + 1, bars + 1)

    def draw(ax: Any) -> None:
        drawing.plain(ax, grid="y")
        for mask, color, name in ((labels, drawing.FIRST, "positive"), (~labels, drawing.SECOND, "negative")):
            counts = np.histogram(np.clip(scores[mask], edges[0], edges[-1]), edges)[0] / np.count_nonzero(mask)
            ax.stairs(counts, edges, fill=True, color=color, alpha=0.28)
            ax.stairs(counts, edges, color=color, linewidth=1.2, label=name)
        ax.set(xlabel="score", ylabel="share of the class")
        drawing.percent_axis(ax.yaxis)
        ax.legend(loc="upper right")

    middle = [float(np.median(scores[mask])) for mask in (labels, ~labels)]
    text = f"Histogram of scores. Median of the positives {middle[0]:.4g}, of the negatives {middle[1]:.4g}."
    figure = inline_svg("scores", "Scores of both classes", text, draw, height=2.8)
    see = f"The less the scores of the positives ({positive}, blue) and of the negatives (orange) overlap, the better."
    return Section("Scores of both classes", figure=figure, see=see)


def calibration_section(labels: Mask, scores: Vector, level: float) -> Section | None:
    """Whether probabilities are right; None where the scores are none."""
    if scores.min() < 0 or scores.max() > 1 or len(np.unique(scores[:1000])) < 3:
        return None
    parts = np.array_split(np.argsort(scores, kind="stable"), min(CALIBRATED, max(1, len(scores) // 10)))
    said = np.array([scores[part].mean() for part in parts])
    seen = [Share(int(labels[part].sum()), len(part), level) for part in parts]

    def draw(ax: Any) -> None:
        drawing.plain(ax)
        top = 1.05 * max(said.max(), max(of.high for of in seen))
        ax.plot([0, 1], [0, 1], color=drawing.MUTED, linewidth=0.9, linestyle=(0, (2, 3)))
        for x, of in zip(said, seen, strict=True):
            ax.plot([x, x], [of.low, of.high], color=drawing.FIRST, linewidth=1.4)
        ax.plot(said, [of.value for of in seen], "o", color=drawing.FIRST, markersize=4.6)
        ax.set(xlabel="probability given", ylabel="share that was positive", xlim=(0, top), ylim=(0, top))
        ax.set_aspect("equal")
        drawing.percent_axis(ax.xaxis)
        drawing.percent_axis(ax.yaxis)

    words = "; ".join(f"{x:.1%} given, {of.value:.1%} seen" for x, of in zip(said, seen, strict=True))
    figure = inline_svg("calibration", "Calibration", f"{words}.", draw, width=4.4, height=4.2)
    see = (
        f"Rows in {len(parts)} groups by the probability they were given: of dots on the diagonal it was right, below "
        f"too high. Lines are {level * 100:g}% intervals, each by itself."
    )
    return Section("Are the probabilities right?", figure=figure, see=see, shape="square")


def _along_words(along: AlongList) -> str:
    """The figures at some lengths."""
    some = [int(np.argmin(np.abs(along.k - wanted))) for wanted in np.geomspace(max(along.k[0], 1), along.rows, 6)]
    return "; ".join(
        f"first {along.k[k]:,}: precision {along.precision[k]:.1%}, recall {along.recall[k]:.1%}"
        for k in dict.fromkeys(some)
    ) + "."  # fmt: skip
