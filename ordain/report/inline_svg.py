"""A picture as SVG that may stand in a page: no style in it that a strict policy refuses, colours as classes, a name.

Matplotlib writes styles into attributes and a sheet. Here each becomes a plain attribute, and each colour of
:mod:`ordain.report.drawing` a class, which the page may give another colour in the dark.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

from ordain.report import drawing

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"

COLOURS = {
    drawing.INK: "ink", drawing.MUTED: "muted", drawing.GRID: "grid", drawing.PAPER: "paper",
    drawing.FIRST: "first", drawing.SECOND: "second", drawing.THIRD: "third",
}  # fmt: skip
"""The class of each colour."""

KEPT = {
    "fill", "stroke", "opacity", "fill-opacity", "stroke-opacity", "stroke-width", "stroke-dasharray",
    "stroke-dashoffset", "stroke-linecap", "stroke-linejoin", "font-size", "font-weight", "text-anchor",
}  # fmt: skip
"""What of a style is kept, as an attribute."""


def inline_svg(
    name: str, title: str, description: str, draw: Callable[[Any], Any], *, width: float = 6.4, height: float = 3.4,
    columns: int = 1, rows: int = 1,
) -> str:  # fmt: skip
    """A picture, drawn by `draw` on axes (or an array of them), as an element of HTML.

    Parameters
    ----------
    name : str
        What tells its ids from those of other pictures on the page.
    title, description : str
        What it shows, and the numbers in it, for those who do not see it.
    draw : callable
        Draws on the axes it is given.
    width, height : float
        In inches.
    columns, rows : int
        How many axes, in a grid.
    """
    with drawing.styled():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(width, height), layout="constrained")
        draw(figure.subplots(rows, columns))
        out = io.StringIO()
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return _cleaned(out.getvalue(), name, title, description)


def _cleaned(text: str, name: str, title: str, description: str) -> str:
    ElementTree.register_namespace("", SVG)
    root = ElementTree.fromstring(text)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{SVG}}}metadata", f"{{{SVG}}}style"):
                parent.remove(child)
    for element in root.iter():
        _restyle(element)
        _rename(element, name)
    for attribute in ("width", "height"):
        root.attrib.pop(attribute, None)
    root.set("role", "img")
    root.set("aria-labelledby", f"{name}-title {name}-text")
    for place, (tag, part, words) in enumerate((("title", "title", title), ("desc", "text", description))):
        element = ElementTree.Element(f"{{{SVG}}}{tag}", {"id": f"{name}-{part}"})
        element.text = words
        root.insert(place, element)
    return ElementTree.tostring(root, encoding="unicode")


def _restyle(element: Any) -> None:
    """The style of an element as attributes, its colours as classes."""
    style = dict(part.split(":", 1) for part in element.attrib.pop("style", "").split(";") if ":" in part)
    style = {key.strip(): value.strip() for key, value in style.items()}
    if size := re.search(r"([\d.]+)px", style.pop("font", "")):
        style.setdefault("font-size", size[0])
    classes = [
        f"{'f' if key == 'fill' else 's'}-{COLOURS[style[key]]}"
        for key in ("fill", "stroke")
        if style.get(key) in COLOURS
    ]
    if element.tag == f"{{{SVG}}}text" and "fill" not in style:
        classes.append("f-ink")
    for key, value in style.items():
        if key in KEPT and value not in COLOURS:
            element.set(key, value)
    if classes:
        element.set("class", " ".join(classes))


def _rename(element: Any, name: str) -> None:
    """Ids of this picture alone, and what points to them."""
    if "id" in element.attrib:
        element.set("id", f"{name}-{element.attrib['id']}")
    for key, value in list(element.attrib.items()):
        if key == f"{{{XLINK}}}href":
            del element.attrib[key]
            element.set("href", value.replace("#", f"#{name}-", 1))
        elif "url(#" in value:
            element.set(key, value.replace("url(#", f"url(#{name}-"))
