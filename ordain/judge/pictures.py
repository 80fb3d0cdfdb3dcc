"""Pictures of items: from a column of paths, or from a folder, and never from outside of it.

A path is followed to its end, links included, and must end inside the folder it was given for. What a file is, its
first bytes say and not its name: PNG, JPEG, GIF or WebP. SVG, which can hold a program, and addresses are refused.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ordain.judge.judged_items import Item

LARGEST = 20 << 20
"""Bytes of a picture at most."""

KINDS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}
"""First bytes, and what they begin; WebP has its name at the ninth."""

Picture = tuple[bytes, str]
"""The bytes of a picture, and their type."""


def kind_of(data: bytes) -> str | None:
    """What a file is, by its first bytes; None for what is no picture that is shown.

    Examples
    --------
    >>> kind_of(b"GIF89a..."), kind_of(b"<svg xmlns=")
    ('image/gif', None)
    """
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in KINDS.items() if data.startswith(start)), None)


def picture(path: str, folder: Path) -> Picture:
    """The picture at a path inside a folder."""
    place = os.path.realpath(folder / path)
    if os.path.commonpath((place, os.path.realpath(folder))) != os.path.realpath(folder):
        raise ValueError(f"a picture must be inside {folder}. Got {path!r}, which leads out of it. Move it there.")
    if not os.path.isfile(place):
        raise ValueError(f"a picture must be a file in {folder}. There is no {path!r}. Check the path.")
    if os.path.getsize(place) > LARGEST:
        raise ValueError(f"a picture must have at most {LARGEST >> 20} MB. {path!r} has more. Make it smaller.")
    data = Path(place).read_bytes()
    kind = kind_of(data)
    if kind is None:
        raise ValueError(f"a picture must be PNG, JPEG, GIF or WebP. {path!r} is something else by its first bytes.")
    return data, kind


def pictures_in(folder: str) -> tuple[list[Item], dict[int, Picture]]:
    """An item for each picture of a folder, called as its file, and the pictures by the items' numbers."""
    names = sorted(one.name for one in os.scandir(folder) if one.is_file() and not one.name.startswith("."))
    if not names:
        raise ValueError(f"{folder} must have pictures. It has no file. Is it the right folder?")
    found = {number: picture(name, Path(folder)) for number, name in enumerate(names)}
    return [Item(name, name) for name in names], found


def pictures_of(items: Sequence[Item], column: str, folder: Path) -> dict[int, Picture]:
    """The pictures of items by their numbers, whose paths are in a column; an item without one has none."""
    if not any(column in item.rest for item in items):
        raise ValueError(f"--image must name a column with paths, or a folder. There is no column {column!r}.")
    return {number: picture(path, folder) for number, item in enumerate(items) if (path := item.rest.get(column))}
