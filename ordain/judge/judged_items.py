"""The items that a judge is to order, from wherever they are: lines, a table, a folder of texts, standard input.

They are checked here, before the first question is paid for. An id says which item is meant in every answer, so that
two may not be confused by a reader who strips blanks or writes accents otherwise; a text must show something.
"""

from __future__ import annotations

import os
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

import polars as pl

from ordain.judge.item_columns import item_columns
from ordain.tables import Reading
from ordain.tables.batches import Batch, text_batches
from ordain.tables.lines import is_blank, lines_of, objects_in, text_of
from ordain.tables.messages import shown
from ordain.tables.source import DOCUMENTS, FORMATS, WORKBOOKS, table_format

LARGEST = 10 << 20
"""How many bytes a file of a folder may have."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True)
class Item:
    """Something to be judged: what it is called, what the judge reads, and what is kept beside it."""

    id: str
    text: str
    rest: dict[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True)
class _Found:
    """Items that are not yet checked, the place of each for messages, and sentences on where they come from."""

    items: list[Item]
    where: Callable[[int], str]
    said: list[str]


def read_items(
    source: str, *, id_column: str | None = None, text: str | None = None, reading: Reading | None = None
) -> tuple[list[Item], list[str]]:
    """The items of a file, a folder or standard input, and sentences on how they were read.

    A table (CSV, TSV, JSONL, JSON, Parquet or a workbook, by the ending of its name) has an item in each row. A folder
    has one in each file; the ids are the names of the files. Any other file has one in each line, unless `id_column` or
    `text` say that it is a table; blank lines are left out, and the ids count the others from 1. So does standard
    input, but lines of JSON are known by their first brace.

    Parameters
    ----------
    source : str
        A path; ``-`` is standard input.
    id_column : str, optional
        The column of the ids; if not given one called ``id``, else the rows are numbered from 1.
    text : str, optional
        The column of the texts, or a template over several such as ``{title}: {body}``; if not given the column called
        ``text``, else the only one beside the id.
    reading : Reading, optional
        What was asked about the form of the file; what was found is noted there.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "teas.csv")
    ...     _ = path.write_text("id,name,from\\na,Assam,India\\nb,Sencha,Japan\\n")
    ...     items, said = read_items(str(path), text="{name} of {from}")
    >>> items[1]
    Item(id='b', text='Sencha of Japan', rest={'name': 'Sencha', 'from': 'Japan'})
    """
    reading = reading or Reading()
    as_table = id_column is not None or text is not None
    if source != "-" and os.path.isdir(source):
        if as_table:
            raise ValueError(f"--id and --text are for tables. Got the folder {source}. Leave them out.")
        found = _in_files(source)
    elif as_table or _promises_table(source):
        found = _in_rows(source, _batches(source, reading), id_column, text)
    else:
        found = _in_text(source, text_of(source, reading))
    name = _name(source)
    _check(found, name)
    how = [f"Read {name}: {reading}."] if str(reading) else []
    return found.items, [*how, *found.said, *_equal_texts(found.items)]


def question_of(ask: str) -> str:
    """The question that is put to the judge: as it is, or from a file if it is ``@FILE``.

    Examples
    --------
    >>> question_of(" Which is funnier? ")
    'Which is funnier?'
    """
    is_file = ask.startswith("@")
    if is_file and is_blank(ask[1:]):
        raise ValueError("--ask @FILE must name a file. Got only @. Add its name.")
    question = (text_of(ask[1:], Reading()) if is_file else ask).strip()
    if is_blank(question):
        got = f"{_name(ask[1:])} is empty" if is_file else "Got an empty one"
        raise ValueError(f"--ask must be a question. {got}. Write what the judge is to decide.")
    if "\0" in question:
        raise ValueError("--ask must be text. Got a NUL. Remove it.")
    return question


def _name(source: str) -> str:
    """What messages call a source."""
    return "standard input" if source == "-" else source


def _promises_table(source: str) -> bool:
    """Whether the ending of a name is that of a table."""
    ending = Path(source.lower().removesuffix(".gz")).suffix
    return ending in FORMATS | WORKBOOKS | DOCUMENTS


def _batches(source: str, reading: Reading) -> Iterable[Batch]:
    """The rows of a table; lines of JSON at once, as read in parts they would lack keys that only come late."""
    if table_format(source)[0] == "jsonl":
        return [objects_in(text_of(source, reading), source)]
    return text_batches(source, None, reading)


def _in_text(source: str, text: str) -> _Found:
    """Items in lines; only standard input, which has no name that could tell, may hold objects in them."""
    name = _name(source)
    if source == "-" and text.lstrip().startswith("{"):
        return _in_rows(source, [objects_in(text, name)], None, None)
    lines = lines_of(text)
    filled = [(number, line) for number, line in enumerate(lines, 1) if not is_blank(line)]
    items = [Item(str(count), line) for count, (_, line) in enumerate(filled, 1)]
    said = [f"{len(items):,} items, one in each line of {name}."]
    if blank := len(lines) - len(filled):
        lines_were = "1 blank line was" if blank == 1 else f"{blank:,} blank lines were"
        said.append(f"{lines_were} left out; the ids count the others.")
    return _Found(items, lambda index: f"{name}, line {filled[index][0]}", said)


def _in_rows(source: str, batches: Iterable[Batch], id_column: str | None, text: str | None) -> _Found:
    """Items in the rows of a table."""
    frame, where = _together(list(batches))
    columns = item_columns(_name(source), frame.columns, id_column=id_column, text=text)
    for name in frame.columns:
        held = frame[name].str.contains("\0", literal=True).fill_null(value=False)
        if held.any():
            raise ValueError(f"{where(int(held.arg_max() or 0))}: column {name!r} must not hold a NUL. Remove it.")
    rows = zip(columns.ids(frame), columns.texts(frame), columns.others(frame), strict=True)
    said = [f"{frame.height:,} items, one in each row of {_name(source)}: {columns}."]
    if len(columns.places) > 1 and (count := columns.lacking(frame)):
        said.append(f"{count:,} of them leave{'s' * (count == 1)} a place of the template empty.")
    return _Found([Item(*row) for row in rows], where, said)


def _together(batches: list[Batch]) -> tuple[pl.DataFrame, Callable[[int], str]]:
    """All rows in one frame, and the place of each."""
    starts = [0, *accumulate(batch.frame.height for batch in batches)]

    def where(row: int) -> str:
        part = bisect_right(starts, row) - 1
        return batches[part].where(row - starts[part])

    return pl.concat(batch.frame for batch in batches), where


def _in_files(folder: str) -> _Found:
    """Items in the files of a folder, by name; what is hidden, no file, or a link out of the folder is left out."""
    try:
        paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if not name.startswith(".")]
    except OSError as error:
        raise ValueError(f"{folder} must be readable. Got: {error.strerror}. Change its permissions.") from None
    files = [path for path in paths if os.path.isfile(path) and _stays_within(folder, path)]
    if not files:
        raise ValueError(f"the folder {folder} must hold text files. Got none. Is it the right one?")
    items = [Item(os.path.basename(path), _content(path)) for path in files]
    said = [f"{len(items):,} items, one in each file of {folder}."]
    if aside := len(paths) - len(files):
        said.append(f"Left out of it, as folders, links to elsewhere or no files: {aside:,}.")
    return _Found(items, lambda index: _shown_path(files[index]), said)


def _stays_within(folder: str, path: str) -> bool:
    """Whether a file of a folder is no link, or one to a file in the same folder or below it."""
    return not os.path.islink(path) or Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _content(path: str) -> str:
    """The text of a file without the line ends at its very end; it must be UTF-8."""
    name = _shown_path(path)
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise ValueError(f"{name} must be readable. Got: {error.strerror}. Change its permissions.") from None
    if len(data) > LARGEST:
        raise ValueError(f"{name} must have at most {LARGEST >> 20} MB. It is larger. Move it out of the folder.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        got = f"Got the byte 0x{data[error.start]:02x}. Save it as UTF-8, or move it out of the folder"
        raise ValueError(f"{name} must be UTF-8 text. {got}.") from None
    if "\0" in text:
        raise ValueError(f"{name} must be text. Got a NUL. Move it out of the folder.")
    return text.rstrip("\r\n")


def _shown_path(path: str) -> str:
    """A path on one line, whichever characters it holds."""
    return path if path.isprintable() else repr(path)


def _check(found: _Found, name: str) -> None:
    """At least two items, whose ids differ and whose texts show something."""
    if len(found.items) < 2:
        got = {0: "Got none", 1: "Got 1"}[len(found.items)]
        raise ValueError(f"{name} must hold at least 2 items. {got}. Is it the right one?")
    first: dict[str, int] = {}
    for index, item in enumerate(found.items):
        if complaint := _complaint(item):
            raise ValueError(f"{found.where(index)}: {complaint}")
        before = first.setdefault(_folded(item.id), index)
        if before != index:
            got = f"Got {shown(item.id)}, as {found.where(before)} has"
            same = found.items[before].id == item.id
            hint = "" if same else ", but for blanks around it or how its accents are stored"
            raise ValueError(f"{found.where(index)}: the id must be its own. {got}{hint}. Change one.")


def _complaint(item: Item) -> str:
    """What is wrong with an item by itself; empty if nothing."""
    if is_blank(item.id):
        return "the id must not be empty. Got nothing. Fill it in, or remove the row."
    if _CONTROL.search(item.id):
        return f"the id must be one line without control characters. Got {shown(item.id)}. Rename it."
    if not item.id.isascii() and any("\ud800" <= letter <= "\udfff" for letter in item.id):
        return f"the id must be text in UTF-8. Got {shown(item.id)}. Rename it."
    if is_blank(item.text):
        return f"the item {shown(item.id)} must have a text. Got an empty one. Fill it in, or leave the item out."
    return ""


def _folded(name: str) -> str:
    """An id as it is compared: accents in one form, nothing blank around it."""
    return unicodedata.normalize("NFC", name).strip().strip("\u200b\ufeff").strip()


def _equal_texts(items: list[Item]) -> list[str]:
    """A sentence on items whose text an item before them has, if there are any."""
    first: dict[str, str] = {}
    again = [(item.id, before) for item in items if (before := first.setdefault(item.text, item.id)) != item.id]
    if not again:
        return []
    count = "1 item has" if len(again) == 1 else f"{len(again):,} items have"
    return [f"{count} the same text as one before: {shown(again[0][0])} that of {shown(again[0][1])}."]
