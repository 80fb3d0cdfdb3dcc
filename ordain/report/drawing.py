"""What all pictures share: colours, axes to draw on, and names that are drawn as they are. Matplotlib loads here, late.

Colours stand for what they mean and nothing else: on the page each is a class, so that it can be another in the dark.
"""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

INK, MUTED, GRID, PAPER = "#1f2a33", "#66717b", "#dde2e6", "#ffffff"
FIRST, SECOND, THIRD = "#1f66a8", "#c2571a", "#3d7d4c"

STYLE: Any = {
    "text.parse_math": False,
    "font.size": 9,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": MUTED,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "svg.fonttype": "none",
    "svg.hashsalt": "ordain",
}
"""How pictures look."""

WIDE = 28
"""Characters of a name that are drawn."""


@contextmanager
def styled() -> Iterator[Any]:
    """Matplotlib, while pictures look as they should; names with signs that no font has are no reason to complain."""
    with warnings.catch_warnings():
        try:
            import matplotlib
        except ImportError:
            raise ValueError(
                'pictures need matplotlib. There is none. Install it: pip install "ordain[report]"'
            ) from None
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support")
        with matplotlib.rc_context(STYLE):
            yield matplotlib


def axes_of(ax: Any, width: float = 5.0, height: float = 4.0) -> Any:
    """The axes to draw on: those given, or new ones of pyplot."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def plain(ax: Any, *, grid: str | None = "both") -> None:
    """Faint lines behind, no marks."""
    ax.tick_params(length=0)
    if grid:
        ax.grid(True, axis=grid, color=GRID, linewidth=0.7)


def drawn_name(name: Any, most: int = WIDE) -> str:
    r"""A name as it is drawn: on one line, not too long, what cannot be seen or turns the line around left out.

    Examples
    --------
    >>> drawn_name("a\nvery long name that goes on and on", 12)
    'a very long…'
    """
    text = " ".join(str(name).split())
    text = "".join(one for one in text if unicodedata.category(one)[0] != "C")
    return text if len(text) <= most else text[: most - 1] + "…"


def percent_axis(axis: Any) -> None:
    """Shares written as percent."""
    from matplotlib.ticker import PercentFormatter

    axis.set_major_formatter(PercentFormatter(xmax=1, decimals=None))
