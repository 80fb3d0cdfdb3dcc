"""Ways to damage a file: what stands in it, and what stands behind the checksums of a model or within a database.

A way takes the bytes of a file and a generator of random numbers. Those of the second kind give a file that is whole
again, sealed as ordain seals it or well formed for SQLite, so that what reads it gets to see the damage.
"""

from __future__ import annotations

import json
import sqlite3
import struct
import tempfile
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np

from ordain._json import written
from ordain.model.archive import packed, unpacked
from ordain.model.file import seals

Way = Callable[[bytes, np.random.Generator], bytes]

WORDS = [
    "1e400", "-1e308", "9" * 400, "nan", "inf", "-inf", "", " ", "NULL", "0x10", "1,5", "1.234.567", "1/2", "½", "٣",
    "1_000", "TRUE", "=1+1", "2024-02-30", "31.12.1999", "12:61", '"', '""', "'", ",", ";", "\t", "\x00", "\ufeff",
    "\u202e", "é" * 50, "😀", "x" * 5000, "a\nb", "{", "[1, 2]", '{"a": 1}', "left", "right", "tie", "-0", "1e-320",
]  # fmt: skip
ENCODINGS = ["utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp1252", "utf-8-sig", "utf-32", "shift_jis", "cp037"]


def flipped(data: bytes, rng: np.random.Generator) -> bytes:
    """Some bytes with another bit."""
    found = bytearray(data)
    for place in rng.integers(0, len(found), rng.choice([1, 3, 30])):
        found[place] ^= 1 << int(rng.integers(8))
    return bytes(found)


def put_in(data: bytes, rng: np.random.Generator) -> bytes:
    """A few bytes somewhere."""
    place, what = (
        int(rng.integers(len(data) + 1)),
        [b"\x00", b"\xff", b'"', b"\n", b"\r", b",", b"\xef\xbb\xbf", b"\x1a", rng.bytes(20)],
    )
    return data[:place] + what[int(rng.integers(len(what)))] + data[place:]


def taken_out(data: bytes, rng: np.random.Generator) -> bytes:
    """Without some bytes in the middle."""
    start = int(rng.integers(len(data)))
    return data[:start] + data[start + int(rng.choice([1, 5, 100])) :]


def cut_off(data: bytes, rng: np.random.Generator) -> bytes:
    """The beginning of the file."""
    return data[: int(rng.integers(len(data)))]


def lines_moved(data: bytes, rng: np.random.Generator) -> bytes:
    """A line lost, doubled, swapped with another or put first."""
    lines = data.splitlines(keepends=True)
    a, b = (int(k) for k in rng.integers(0, len(lines), 2))
    match int(rng.integers(4)):
        case 0:
            del lines[a]
        case 1:
            lines[a:a] = [lines[b]] * int(rng.choice([1, 50]))
        case 2:
            lines[a], lines[b] = lines[b], lines[a]
        case _:
            lines.insert(0, lines.pop(a))
    return b"".join(lines)


def cells_replaced(data: bytes, rng: np.random.Generator) -> bytes:
    """Between two separators something else; in the first line that renames a column."""
    separator = b"," if data.count(b",") >= data.count(b":") else b":"
    cells = data.split(separator)
    for place in rng.integers(0, len(cells), rng.choice([1, 2, 20])):
        cells[place] = str(rng.choice(WORDS)).encode() + (b"\n" if b"\n" in cells[place] else b"")
    return separator.join(cells)


def column_filled(data: bytes, rng: np.random.Generator) -> bytes:
    """The same value in every line of a column."""
    lines = [line.split(b",") for line in data.split(b"\n")]
    column, value = int(rng.integers(len(lines[0]))), str(rng.choice(WORDS)).encode()
    return b"\n".join(b",".join([*line[:column], value, *line[column + 1 :]]) for line in lines)


def encoded(data: bytes, rng: np.random.Generator) -> bytes:
    """All of it, or the rest from somewhere on, in another encoding."""
    start = int(rng.choice([0, rng.integers(len(data))]))
    text = data[start:].decode("utf-8", "replace")
    return data[:start] + text.encode(str(rng.choice(ENCODINGS)), "replace")


NUMBERS = [
    0, 1, -1, 2, 3, 10**6, 2**31 - 1, 2**31, -(2**31), 2**53, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**63), 10**30,
    0.0, -0.0, 0.5, 1.0, -1.0, 1e-320, 5e-324, 1e100, -1e100, 1e308, -1e308, float("inf"), float("nan"),
]  # fmt: skip
VALUES = [*NUMBERS, None, True, False, "", " ", "x", "nan", "1e400", "\x00", "\x1b[31m", "é" * 50, "x" * 5000,
          "{", "2024-02-30", [], {}, [1, 2], [0.5, None], ["x"], {"a": 1}, [[[[[]]]]]]  # fmt: skip


def drawn(values: list[Any], rng: np.random.Generator) -> Any:
    """One of them."""
    return values[int(rng.integers(len(values)))]


def changed(value: Any, rng: np.random.Generator) -> Any:
    """JSON in which one thing, wherever it is, is another, lost, renamed, doubled or in another's place."""
    if not isinstance(value, dict | list) or not value or rng.random() < 0.05:
        return _replaced(value, rng)
    found = dict(value) if isinstance(value, dict) else list(value)
    places = list(found) if isinstance(found, dict) else range(len(found))
    one, other = drawn(places, rng), drawn(places, rng)
    match int(rng.integers(16)):
        case 0:
            del found[one]
        case 1:
            found[one], found[other] = found[other], found[one]
        case 2 if isinstance(found, list):
            found[int(one) : int(one)] = [found[other]] * int(rng.choice([1, 100]))
        case 2:
            found[drawn(["x", "", "kind", "é"], rng)] = found.pop(one)
        case _:
            found[one] = changed(found[one], rng)
    return found


def _replaced(value: Any, rng: np.random.Generator) -> Any:
    """Another value, or one near to it."""
    near = rng.random() < 0.4
    if near and isinstance(value, int | float) and not isinstance(value, bool):
        with suppress(OverflowError):
            return drawn([value + 1, -value, value * 1000, value * 1e300, value / 1e300, float(value)], rng)
    if near and isinstance(value, str) and value:
        place = int(rng.integers(len(value)))
        return value[:place] + drawn(["", "x", " ", "9", "\x00", "é"], rng) + value[place + 1 :]
    return drawn(VALUES, rng)


def json_written(value: Any) -> bytes:
    """JSON as ordain writes it, where that can be."""
    try:
        return written(value)
    except ValueError:
        return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def head_changed(data: bytes, rng: np.random.Generator) -> bytes:
    """A model file whose first entry has other JSON, mostly with the right seals."""
    entries = unpacked(data, "the file")
    with suppress(ValueError):
        name = next(iter(entries))
        about = json.loads(entries[name])
        found = changed(about, rng)
        both = isinstance(about, dict) and isinstance(found, dict) and rng.random() < 0.95
        entries[name] = json_written({**found, "entries": about.get("entries")} if both else found)
    return packed(entries)


def entry_changed(data: bytes, rng: np.random.Generator) -> bytes:
    """A model file with other numbers or trees, or other bytes there, sealed."""
    entries = unpacked(data, "the file")
    head, *others = entries
    with suppress(ValueError):
        about = json.loads(entries[head])
        if others and isinstance(about, dict):
            name = drawn(others, rng)
            entries[name] = _trees_changed(entries[name], rng) if name.endswith("json") else _array(entries[name], rng)
            entries[head] = json_written(about | {"entries": seals({name: entries[name] for name in others})})
    return packed(entries)


def _trees_changed(data: bytes, rng: np.random.Generator) -> bytes:
    """JSON with something changed, or some bytes."""
    with suppress(ValueError):
        return json_written(changed(json.loads(data), rng))
    return flipped(data, rng)


def _array(data: bytes, rng: np.random.Generator) -> bytes:
    """The bytes of an array with one number another, or any bytes flipped."""
    start = 8 * int(rng.integers(16, max(17, len(data) // 8)))
    if rng.random() < 0.3 or start + 8 > len(data):
        return flipped(data, rng)
    return data[:start] + struct.pack("<d", float(drawn(NUMBERS, rng))) + data[start + 8 :]


def cells_changed(data: bytes, rng: np.random.Generator) -> bytes:
    """A database with another value in a cell of one of its tables, a row lost, or one there again."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "some.db")
        place.write_bytes(data)
        with closing(sqlite3.connect(place)) as connection, suppress(sqlite3.IntegrityError), connection:
            _cell_changed(connection, rng)
        return place.read_bytes()


def _cell_changed(connection: sqlite3.Connection, rng: np.random.Generator) -> None:
    tables = sorted(name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'"))
    table = drawn([name for name in tables if connection.execute(f"SELECT 1 FROM {name}").fetchone()] or tables, rng)
    rows = connection.execute(f"SELECT rowid, * FROM {table}").fetchall()
    if not rows:
        return
    columns = [of[1] for of in connection.execute(f"PRAGMA table_info({table})")]
    (row, *cells), column = drawn(rows, rng), int(rng.integers(len(columns)))
    draw = rng.random()
    if draw < 0.05:
        connection.execute(f"DELETE FROM {table} WHERE rowid = ?", [row])
        return
    value = drawn(rows, rng)[column + 1] if draw < 0.15 else _cell(cells[column], rng)
    connection.execute(f"UPDATE OR IGNORE {table} SET {columns[column]} = ? WHERE rowid = ?", [value, row])


def _cell(cell: Any, rng: np.random.Generator) -> Any:
    """Another cell: of JSON with something else in it, of text or a number another."""
    try:
        held = json.loads(cell)
    except (ValueError, TypeError, RecursionError):
        held = cell
    found = changed(held, rng) if rng.random() < 0.8 else drawn([None, b"\xff\x00", "", "[" * 3000, "[]", 2**40], rng)
    if isinstance(held, int | float) and isinstance(cell, int | float):
        found = found if isinstance(found, int | float | str | None) else str(found)
        return found if not isinstance(found, int) or abs(found) < 2**63 else float(found)
    return found if isinstance(found, bytes | None) or (held is cell and isinstance(found, str)) else json.dumps(found)


BYTES: list[Way] = [flipped, put_in, taken_out, cut_off]
TEXT: list[Way] = [*BYTES, lines_moved, cells_replaced, cells_replaced, column_filled, encoded]
SEALED: list[Way] = [head_changed, head_changed, entry_changed]
CELLS: list[Way] = [cells_changed]


def damaged(data: bytes, seed: int, ways: list[Way]) -> tuple[bytes, list[str]]:
    """Data damaged in one to three ways, and their names."""
    rng, names = np.random.default_rng(seed), []
    for _ in range(int(rng.choice([1, 1, 1, 2, 3]))):
        way = ways[int(rng.integers(len(ways)))]
        if data:
            data = way(data, rng)
            names.append(way.__name__)
    return data, names
