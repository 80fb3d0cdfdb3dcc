"""Dots with intervals, a line each: the one way in which figures that are compared are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ordain.report import drawing


class Dot(NamedTuple):
    """A figure: what it is of, its value, its interval if it has one, and whether it stands out."""

    name: str
    value: float
    low: float = float("nan")
    high: float = float("nan")
    strong: bool = False


def draw_dots(ax: Any, dots: Sequence[Dot], *, label: str, zero: bool = False, order: bool = True) -> None:
    """Draw them from top to bottom; `zero` draws a line at 0."""
    places = np.arange(len(dots))[:: -1 if order else 1]
    drawing.plain(ax, grid="x")
    if zero:
        ax.axvline(0, color=drawing.MUTED, linewidth=0.9, linestyle=(0, (2, 3)))
    for place, dot in zip(places, dots, strict=True):
        color = drawing.FIRST if dot.strong else drawing.INK
        ax.plot([dot.low, dot.high], [place, place], color=color, linewidth=1.6, solid_capstyle="butt")
        ax.plot([dot.value], [place], "o", color=color, markersize=4.6)
    ax.set_yticks(places, [drawing.drawn_name(dot.name) for dot in dots])
    for text, dot in zip(ax.get_yticklabels(), dots, strict=True):
        text.set_parse_math(False)
        text.set_fontweight("bold" if dot.strong else "normal")
    ax.set(ylim=(-0.7, len(dots) - 0.3), xlabel=label)
    ax.spines["left"].set_visible(False)
