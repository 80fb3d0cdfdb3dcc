"""Tables: what is read is what was written, what is wrong is named, and a file appears whole or not at all."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import os
import re
import subprocess
import sys
from contextlib import contextmanager
from datetime import date
from decimal import Decimal, localcontext
from pathlib import Path

import naive
import numpy as np
import polars as pl
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from ordain import tables
from ordain.tables import Reading, batches, raw, source, writing
from ordain.tables.columns import Category
from ordain.tables.header import BLANKS

characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
cells = st.one_of(st.text(st.sampled_from('ab",;\n\r\té1 '), max_size=6), st.text(characters, max_size=6))
names = st.text(characters, min_size=1, max_size=4).filter(lambda name: name.strip(BLANKS) == name)
sizes = st.integers(1, 40)


@contextmanager
def blocks_of(size):
    """Read so many bytes, or rows of Parquet, at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(raw, "BLOCK", size)
        patch.setattr(batches, "ROWS", size)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


def written(folder, name, content):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def rows_of(path, columns=None, **asked):
    return [row for batch in batches.batches(path, columns, Reading(**asked)) for row in batch.frame.rows()]


@st.composite
def matrices(draw, cells=cells):
    """Different column names and rows of as many cells."""
    header = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    row = st.tuples(*[cells] * len(header))
    return header, draw(st.lists(row, min_size=1, max_size=8))


@st.composite
def delimited(draw):
    """A table and its bytes as the csv module writes them, in one of the ways that people's programs do."""
    header, rows = draw(matrices())
    separator = draw(st.sampled_from(",\t"))
    # The csv module quotes a carriage return only where it is part of the line end.
    end, quoting = draw(st.sampled_from([("\n", csv.QUOTE_ALL), ("\r\n", csv.QUOTE_ALL), ("\r\n", csv.QUOTE_MINIMAL)]))
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator=end, quoting=quoting).writerows([header, *rows])
    content = text.getvalue().removesuffix(end) + end * draw(st.integers(0, 3))
    if quoting == csv.QUOTE_MINIMAL:  # there, blank records are left out, and blanks after separators mean nothing
        assume(len(header) == 1 or not all(cell.startswith(" ") for cell in rows[0][1:]))
        rows = [row for row in rows if any(cell.strip(" ") for cell in row) or row == ("",)]
        assume(rows)
    return header, rows, separator, draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + content.encode()


@given(case=delimited(), size=sizes)
def test_what_the_csv_module_writes_is_read_back(folder, case, size):
    header, rows, separator, content = case
    path = written(folder, "table.csv" if separator == "," else "table.tsv", content)
    with blocks_of(size):
        assert rows_of(path, separator=separator) == rows
        assert rows_of(path, header[::-1], separator=separator) == [row[::-1] for row in rows]
    reading = Reading(separator=separator)
    codes = tables.read_columns(path, categories=header, reading=reading).categories if all(map(_full, rows)) else {}
    for at, column in enumerate(codes.values()):
        assert [column.values[code] for code in column.codes] == [row[at] for row in rows]
        assert column.values == list(dict.fromkeys(row[at] for row in rows))
        assert column.codes.dtype == np.int32


def _full(row):
    return all(cell.strip(BLANKS) for cell in row)


def test_many_records_over_several_lines(folder):
    """Enough of them that polars shares a block among threads, which must not cut inside quotes."""
    rng = np.random.default_rng(0)
    words = ["plain", "a\nb", 'say "so"', ",\r\n,", "", '"', "\n\n\n", "é,"]
    rows = [(str(n), *(words[k] for k in rng.integers(0, len(words), 3))) for n in range(30_000)]
    with (folder / "lines.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["n", "a", "b", "c"], *rows])
    assert rows_of(folder / "lines.csv") == rows


@settings(max_examples=400)
@given(text=st.text(st.sampled_from('ab",\n\r'), max_size=24), size=sizes)
@example(text='a\n"b', size=3)
@example(text='a,b\n"1\n,2\n3,"', size=1)
def test_what_is_accepted_is_what_the_csv_module_reads(folder, text, size):
    """Any bytes at all: a fault of one line, or the very cells that the csv module finds, whatever the blocks.

    Blank records are left out, and so are empty cells where the header has no name.
    """
    path = written(folder, "any.csv", text)
    found = result_of(path)
    with blocks_of(size):
        parts = result_of(path)
    if isinstance(found, str):
        assert isinstance(parts, str)
        assert "\n" not in found + parts
    else:
        records = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        header, *rows = records[next(at for at, record in enumerate(records) if any(record)) :]
        named = [at for at, name in enumerate(header) if name or any(row[at : at + 1] > [""] for row in rows)]
        expected = [[row[at] for at in named] for row in rows if any(row)]
        assert [list(row) for row in found if any(row)] == expected
        assert all(not any(row[len(header) :]) for row in rows)
        assert parts == found or "must have a name" in parts


def result_of(path):
    """The rows of a table, or what is wrong with it."""
    try:
        return rows_of(path)
    except ValueError as error:
        return str(error)


@given(
    rows=st.lists(
        st.tuples(st.integers(-(2**63), 2**63 - 1), st.floats(), st.booleans(), cells), min_size=1, max_size=8
    ),
    ascii_only=st.booleans(),
    size=sizes,
)
def test_what_json_writes_is_read_back(folder, rows, ascii_only, size):
    keys = ["whole", "real", "flag", 'te"xt']
    lines = [json.dumps(dict(zip(keys, row, strict=True)), ensure_ascii=ascii_only) for row in rows]
    path = written(folder, "table.jsonl", "\n".join(lines))
    with blocks_of(size):
        assert repr(rows_of(path)) == repr(rows)
        assert rows_of(path, ["flag"]) == [(row[2],) for row in rows]


@given(
    rows=st.lists(st.tuples(st.integers(-9, 9), st.floats(), st.booleans(), cells), min_size=1, max_size=8), size=sizes
)
def test_what_polars_writes_as_parquet_is_read_back(folder, rows, size):
    path = folder / "table.parquet"
    pl.DataFrame(rows, ["whole", "real", "flag", "text"], orient="row").write_parquet(path)
    with blocks_of(size):
        assert repr(rows_of(path)) == repr(rows)
        assert rows_of(path, ["text", "flag"]) == [row[:1:-1] for row in rows]


CONTENTS = {
    ".csv": b"label,score,note\nyes,0.5,a\nno,-2,b\nyes,7e1,\n",
    ".tsv": b"label\tscore\tnote\nyes\t0.5\ta\nno\t-2\tb\nyes\t7e1\t\n",
    ".jsonl": b'{"label":"yes","score":0.5}\n{"label":"no","score":-2}\n{"label":"yes","score":7e1}\n',
}
_frame = pl.DataFrame({"label": ["yes", "no", "yes"], "score": [0.5, -2.0, 70.0]})
_frame.write_parquet(_buffer := io.BytesIO())
CONTENTS[".parquet"] = _buffer.getvalue()
PACKED = gzip.compress(b"x,y\n1,2\n" * 99, mtime=0)
every_format = pytest.mark.parametrize("suffix", CONTENTS)


def check_content(columns):
    assert columns.rows == 3
    assert columns.numbers["score"].tolist() == [0.5, -2, 70]
    assert columns.numbers["score"].dtype == np.float64
    mask, positive = tables.labels(columns.categories["label"])
    assert (mask.tolist(), positive) == ([True, False, True], "yes")


@every_format
@pytest.mark.parametrize("name", ["plain{}", "packed{}.gz", "magic{}", "UPPER{}", "unknown.txt", "odd[1]{}", "none"])
@pytest.mark.parametrize("size", [1, 1 << 19])
def test_every_format_by_name_and_by_content(tmp_path, suffix, name, size):
    content = gzip.compress(CONTENTS[suffix]) if name.startswith(("packed", "magic")) else CONTENTS[suffix]
    path = written(tmp_path, name.format(suffix.upper() if name.startswith("UPPER") else suffix), content)
    with blocks_of(size):
        check_content(tables.read_columns(path, numbers=["score"], categories=["label", "label"]))
        check_content(tables.read_columns(str(path), numbers=["score"], categories=["label"]))


@every_format
def test_standard_input_through_a_pipe_that_dribbles(suffix):
    content = gzip.compress(CONTENTS[suffix]) if suffix == ".jsonl" else CONTENTS[suffix]
    code = (
        "from ordain.tables import read_columns\n"
        "columns = read_columns('-', numbers=['score'], categories=['label'])\n"
        "print(columns.numbers['score'].tolist(), columns.categories['label'].values)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        for at in range(len(content)):
            process.stdin.write(content[at : at + 1])
            process.stdin.flush()
        assert process.communicate()[0].decode().strip() == "[0.5, -2.0, 70.0] ['yes', 'no']"


def beside_the_middle(value, tail):
    """The number midway between two neighbouring floats, or a hair above it: there, rounding twice goes wrong."""
    with localcontext(prec=1200):
        return f"{(Decimal(value) + Decimal(math.nextafter(value, math.inf))) / 2:f}" + tail


number_texts = st.one_of(
    st.from_regex(r"\A[-+]?([0-9]{1,25}\.?[0-9]{0,25}|\.[0-9]{1,25})([eE][-+]?[0-9]{1,3})?\Z"),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.builds(beside_the_middle, st.floats(1e-20, 1e15), st.sampled_from(["", "0" * 30 + "1"])),
)


@settings(max_examples=200)
@given(texts=st.lists(number_texts.filter(lambda text: math.isfinite(float(text))), min_size=1, max_size=20))
def test_numbers_are_rounded_correctly(folder, texts):
    path = written(folder, "numbers.csv", "x\n" + "\n".join(f" {text}\t" if len(text) % 2 else text for text in texts))
    values = tables.read_columns(path, numbers=["x"]).numbers["x"]
    assert values.tobytes() == np.array([float(text) for text in texts]).tobytes()


@settings(max_examples=300)
@given(
    text=st.one_of(st.text(st.sampled_from("0123456789+-.eE_,xinfaNA \t"), max_size=6), st.text(characters, max_size=4))
)
@example("1_000")
@example("1,234")
@example("1.234,5")
@example("1 234-")
@example("١")
@example("0x1p3")
def test_a_cell_is_a_finite_number_or_is_named(folder, text):
    path = folder / "cell.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["a", "x"], ["1", "2"], ["3", text]])
    meant = naive.numbers_meant(text)
    if len(meant) == 1:
        assert tables.read_columns(path, numbers=["x"]).numbers["x"].tolist() == [2, *meant]
        return
    must = "tell its decimal mark" if meant else "be a finite number"
    with pytest.raises(ValueError, match=rf"^\S+, row 2 \(line 3\): column 'x' must {must}\. Got [^\n]*$"):
        tables.read_columns(path, numbers=["x"])


@given(
    values=st.lists(
        st.one_of(st.integers(-5, 5), st.sampled_from([2**53 + 1, -(2**53) - 1, 2**63 - 1, 0.5])), min_size=1
    ),
    size=sizes,
)
def test_integers_stay_exact_where_floats_would_merge_them(folder, values, size):
    path = written(folder, "whole.jsonl", "".join(f'{{"x": {value}}}\n' for value in values))
    with blocks_of(size):
        read = tables.read_columns(path, numbers=["x"]).numbers["x"]
    whole = all(isinstance(value, int) for value in values) and max(map(abs, values)) > 2**53
    assert read.dtype == (np.int64 if whole else np.float64)
    assert read.tolist() == (values if whole else [float(value) for value in values])


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([2**64 - 1, 1], pl.UInt64),
        ([-3, 3], pl.Int8),
        ([0.1, 3.0], pl.Float32),
        ([Decimal(numerator).scaleb(-9) for numerator in range(7, 10**25, 10**23 + 12345)], pl.Decimal(30, 9)),
    ],
)
def test_every_numeric_type_of_parquet(folder, values, kind):
    path = folder / "types.parquet"
    pl.DataFrame({"x": pl.Series(values, dtype=kind)}).write_parquet(path)
    expected = np.float32(values).tolist() if kind == pl.Float32 else [float(str(value)) for value in values]
    assert tables.read_columns(path, numbers=["x"]).numbers["x"].tolist() == expected


def test_categories_of_parquet_are_python_values(folder):
    path = folder / "kinds.parquet"
    columns = {
        "flag": [True, False, True],
        "whole": [3, 2**60, 3],
        "real": [0.5, 0.25, 0.5],
        "level": pl.Series(["b", "a", "b"], dtype=pl.Enum(["a", "b"])),
        "word": pl.Series(["b", "a", "b"], dtype=pl.Categorical),
        "day": [date(2020, 2, 29), date(1999, 1, 1), date(2020, 2, 29)],
        "price": [Decimal("1.50"), Decimal("2.25"), Decimal("1.50")],
    }
    pl.DataFrame(columns).write_parquet(path)
    for name, column in tables.read_columns(path, categories=list(columns)).categories.items():
        assert [column.values[code] for code in column.codes] == list(columns[name])
        assert type(column.values[0]) is type(columns[name][0])


def test_names_that_were_not_asked_for_may_be_empty(folder):
    path = written(folder, "empty.csv", ",x,\n1,2,3\n")
    assert tables.read_columns(path, numbers=["x"]).numbers["x"].tolist() == [2]


NUMBER = "must be a finite number."
FAULTS = [
    ("x.csv", b"", "{} must be a table. The file is empty. Is it the right one?"),
    ("x.csv", b"\xef\xbb\xbf", "{} must be a table. The file is empty. Is it the right one?"),
    ("x.csv", b"\n\r\n\n", "{} must be a table. The file holds blank lines only. Is it the right one?"),
    ("x.jsonl", b"\n", "{} must be a table. The file holds blank lines only. Is it the right one?"),
    ("x.csv", b"x,y\n", "{} must have at least one row. Got only column names. Is it the right file?"),
    ("x.csv", b"x,y\n\n\n", "{} must have at least one row. Got only column names. Is it the right file?"),
    ("x.csv", "x,y\n1,2\n".encode("utf-32-be"), "{}, header (line 1): must be text. Got a NUL byte. Is it the right"),
    ("x.csv", b"x,y\n1,2\n3,\0\n", "{}, row 2 (line 3): must be text. Got a NUL byte. Is it the right file?"),
    ("x.csv", b"x,y\n1,2\n3,\xff\x81\n", "{}, row 2 (line 3): must be text. Got the byte 0x81, of no usual encoding."),
    ("x.csv", b"x,y\n1,\xc3\xa9\n3,\xe9\n", "{}, row 2 (line 3): must be UTF-8 text. Got the byte 0xe9. Save the file"),
    ("x.csv", b"\xff\xfex\0,\0y\0\n\0001", "{} must be text in UTF-16. Got 'truncated data'. Name another with"),
    ("x.jsonl", b'{"x": 1}\n{"x": "\xe9"}\n', "{}, row 2: must be UTF-8 text. Got the byte 0xe9. Save the file as"),
    ("x.csv", b"PAR1x", "{} must be a table as text. By its first bytes it is a Parquet file. Name it .parquet."),
    ("x.csv", b"PK\3\4x", "{} must be a table as text. By its first bytes it is a zip file or an Excel workbook."),
    ("x.csv", b"x,y\n1,2\n3\n", "{}, row 2 (line 3): must have 2 fields, as the header has. Got 1. Fill in the row."),
    ("x.csv", b"x,y\n1,2,3\n", "{}, row 1 (line 2): must have 2 fields, as the header has. Got 3. Put text that holds"),
    ("x.csv", b"x,y\n1,2\n3\n4,5,6\n", "{}, row 2 (line 3): must have 2 fields, as the header has. Got 1."),
    ("x.csv", b"x,y\n1\n2\n", "{}, row 1 (line 2): must have 2 fields, as the header has. Got 1."),
    ("x.csv", b"x\n1,2\n", "{}, row 1 (line 2): must have 1 field, as the header has. Got 2."),
    ("x.csv", b'y,x\n"a\nb",2\n"c",1\n3', "{}, row 3 (line 5): must have 2 fields, as the header has. Got 1. Fill in"),
    ("x.csv", b'x,y\n1,2\n3,"4\n5,6\n', "{}, row 2 (line 3): must close every quote. Got one left open to the end of"),
    ("x.csv", b'x,"y\n1,2\n', "{}, header (line 1): must close every quote. Got one left open to the end of the file."),
    ("x.csv", b'x,y\n1,5" pipe\n', "{}, row 1 (line 2): must have quotes only around whole fields. Got one elsewhere."),
    ("x.csv", b'x,y\n1,2\n3,"a"b\n', "{}, row 2 (line 3): must have quotes only around whole fields. Got one"),
    ("x.csv", b'x,y\n1,2\n3,"a\n4,"b"\n', "{}, row 2 (line 3): must have quotes only around whole fields. Got one"),
    ("x.csv", b"x,y\r1,2\r3,4\r", "{}, header (line 1): must not hold a lone carriage return. Save the file with LF"),
    ("x.csv", b"x,y\r\n1,2\r\n3\r,4\r\n", "{}, row 2 (line 3): must not hold a lone carriage return. Save the file"),
    ("x.csv", b"x,y,x\n1,2,3\n", "{} must have different column names. Got 'x' 2 times. Rename one."),
    ("x.csv", b"X,z\n1,2\n", "{} must have the column 'x'. Got 'X', 'z'. Did you mean 'X'? Check the name."),
    ("x.csv", b"a,b,c,d,e,f,g,h,i\n1,2,3,4,5,6,7,8,9\n", "Got 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', … (9 in all)."),
    ("x.csv", b"x\n1\nabc\n", f"{{}}, row 2 (line 3): column 'x' {NUMBER} Got 'abc'. Is it the right column?"),
    ("x.csv", b"x\n" + b"y" * 50, f"{{}}, row 1 (line 2): column 'x' {NUMBER} Got '{'y' * 39}…'. Is it"),
    ("x.csv", b'x\n"a\x1b\n"', rf"{{}}, row 1 (line 2): column 'x' {NUMBER} Got 'a\x1b\n'. Is it the right column?"),
    ("x.csv", b'x\n"1\n"\n"2\n"', rf"{{}}, row 1 (line 2): column 'x' {NUMBER} Got '1\n'. Is it the right column?"),
    ("x.csv", b'x,y\n1,"\n\n"\nb,2\n', f"{{}}, row 2 (line 5): column 'x' {NUMBER} Got 'b'. Is it the right column?"),
    ("x.csv", b"x;y\n1,5;2\n1.5;2\n", "column 'x' must have a decimal "),
    ("x.csv", b"x;y\n1,234;2\n", "{}, row 1 (line 2): column 'x' must tell its decimal mark. Got '1,234', which"),
    ("x.csv", b"x;y\n5%;2\n7;2\n", "column 'x' must have % in every cell"),
    ("x.csv", b"x;y\n$5;2\n7 EUR;2\n", "column 'x' must be in "),
    ("x.csv", b"x,y\nNaN,1\n", "Got 'NaN'. That is a missing value: remove the row, or give a number."),
    ("x.csv", b"x,y\nNA,1\n", "Got 'NA'. That is a missing value: remove the row, or give a number."),
    ("x.csv", b"x,y\nnull,1\n", "Got 'null'. That is a missing value: remove the row, or give a number."),
    ("x.csv", b"x,y\n-inf,1\n", "Got '-inf'. Remove the row, or give a finite number."),
    ("x.csv", b"x,y\n1e400,1\n", "Got '1e400'. That is beyond ±1.8e308: rescale the column."),
    ("x.csv", b"x,y\n,1\n", f"{{}}, row 1 (line 2): column 'x' {NUMBER} Got an empty cell. Fill it in, or remove the"),
    ("x.csv", b'x\n""\n', f"{{}}, row 1 (line 2): column 'x' {NUMBER} Got an empty cell. Fill it in, or remove the"),
    ("x.csv", b"x\nTrue\n", "Got 'True'. Write 1 and 0 instead."),
    ("x.jsonl", b'{"x": 1}\n{"x": }\n', "{}, row 2: must be JSON, an object in each line. Got: Expecting value at"),
    ("x.jsonl", b'{"x": 1}\n\n{"x": 1}\n', "{}, row 2: must not be blank. Remove the line."),
    ("x.jsonl", b'{"x": 1} {"x": 2}\n', "{}, row 1: must be JSON, an object in each line. Got: Extra data at"),
    ("x.jsonl", b'{"x": 1}\r{"x": 2}\r', "{}, row 1: must not hold a lone carriage return. Save the file with LF or"),
    ("x.jsonl", b'[{"x": 1}]\n', "{}, row 1: must be a JSON object. Got a list. Write an object in each line."),
    ("x.jsonl", b'{"x": 1}\n2\n', "{}, row 2: must be a JSON object. Got 2. Write an object in each line."),
    ("x.jsonl", b"[" * 100_000, "{}, row 1: must not be nested this deep. Flatten it."),
    ("x.jsonl", b'{"x": 1}\n{"x": 1, "x": 2}\n', "{}, row 2: must have different keys. Got 'x' twice. Rename or"),
    ("x.jsonl", b'{"x": 1}\n{"y": 1}\n', "{}, row 2: must have the key 'x'. Got none. Add it to the row."),
    ("x.jsonl", b'{"y": 1}\n', "{} must have the column 'x'. Got 'y'. Check the name."),
    ("x.jsonl", b"{}\n", "{} must have columns. Got none in the first row. Is it the right file?"),
    ("x.jsonl", b'{"x": 1}\n{"x": null}\n', f"{{}}, row 2: column 'x' {NUMBER} Got null. That is a missing value:"),
    ("x.jsonl", b'{"x": null}\n', f"{{}}, row 1: column 'x' {NUMBER} Got null. That is a missing value: remove the"),
    ("x.jsonl", b'{"x": [1]}\n', "{}, row 1: column 'x' must hold single values. Got a list. Flatten it."),
    ("x.jsonl", b'{"x": {"y": 1}}\n', "{}, row 1: column 'x' must hold single values. Got an object. Flatten it."),
    ("x.jsonl", b'{"x": "0.5"}\n', f"{{}}, row 1: column 'x' {NUMBER} Got text such as '0.5'. Store the column as"),
    ("x.jsonl", b'{"x": 1}\n{"x": "2"}\n', "{}, row 2: column 'x' must be all numbers, as in the rows before. Got"),
    ("x.jsonl", b'{"x": 1}\n{"x": true}\n', "{}, row 2: column 'x' must be all numbers, as in the rows before. Got"),
    ("x.jsonl", b'{"x": true}\n', f"{{}}, row 1: column 'x' {NUMBER} Got true or false such as true. Store the column"),
    ("x.jsonl", b'{"x": NaN}\n', f"{{}}, row 1: column 'x' {NUMBER} Got nan. That is a missing value: remove the row,"),
    ("x.jsonl", b'{"x": 1}\n{"x": 1e400}\n', f"{{}}, row 2: column 'x' {NUMBER} Got inf. Remove the row, or give a"),
    ("x.jsonl", b'{"x": 9223372036854775808}\n', "{}, row 1: column 'x' must hold integers of at most 64 bits. Got"),
    ("x.jsonl", b'{"x": "\\ud800"}\n', "{}, row 1: column 'x' must be text. Got half a surrogate pair. Mend the cell."),
    ("x.parquet", b"x,y\n1,2\n", "{} must be a whole Parquet file. Got: "),
    ("x.parquet", CONTENTS[".parquet"][:-20], "{} must be a whole Parquet file. Got: "),
    ("x.csv.gz", b"x,y\n1,2\n", "{} must be a gzip file, as its name ends in .gz. Its content is not. Rename it."),
    ("x.csv.gz", PACKED[:-12], "{} must be a whole gzip file. It is damaged or cut off"),
    ("x.csv.gz", PACKED[:-8] + b"\0" * 8, "{} must be a whole gzip file. It is damaged or cut off"),
    ("x.csv.gz", PACKED + b"junk", "{} must be a whole gzip file. It is damaged or cut off (Not a"),
    ("x.csv.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\x03" + b"\xff" * 40, "{} must be a whole gzip file. It is damaged or cut"),
    ("x.csv.gz", gzip.compress(b"", mtime=0), "{} must be a table. The file is empty. Is it the right one?"),
]  # fmt: skip


@pytest.mark.parametrize("size", [1, 5, 1 << 19])
@pytest.mark.parametrize(("name", "content", "message"), FAULTS)
def test_every_fault_is_one_line_that_names_its_place(tmp_path, name, content, message, size):
    """The message is the same however the file falls into blocks."""
    path = written(tmp_path, name, content)
    with blocks_of(size), pytest.raises(ValueError) as fault:
        tables.read_columns(path, numbers=["x"])
    assert message.format(path) in str(fault.value)
    assert "\n" not in str(fault.value)
    assert str(fault.value).endswith((".", "?", '"5"" pipe".'))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            [1.0, None],
            "row 2: column 'x' must be a finite number. Got null. That is a missing value: remove the row, or",
        ),
        ([1, None], "row 2: column 'x' must be a finite number. Got null."),
        ([1.0, math.nan], "row 2: column 'x' must be a finite number. Got nan. That is a missing value"),
        ([1.0, -math.inf], "row 2: column 'x' must be a finite number. Got -inf. Remove the row"),
        (["1", "2"], "row 1: column 'x' must be a finite number. Got text such as '1'. Store the column as numbers."),
        ([None, True], "row 2: column 'x' must be a finite number. Got true or false such as true. Store the column"),
        (
            pl.Series([0, 1]).cast(pl.Date),
            "row 1: column 'x' must be a finite number. Got values of type Date such as 1970",
        ),
        ([[1], [2]], "row 1: column 'x' must be a finite number. Got values of type List such as "),
        (pl.Series([None, None]), "row 1: column 'x' must be a finite number. Got null."),
    ],
)
def test_every_fault_of_a_parquet_cell_is_named(folder, values, message):
    path = folder / "faulty.parquet"
    pl.DataFrame({"x": values}).write_parquet(path)
    with pytest.raises(ValueError, match=re.escape(f"{path}, {message}")):
        tables.read_columns(path, numbers=["x"])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "x.csv",
            "x,y\na,1\n,2\n",
            "row 2 (line 3): column 'x' must not be empty. Got ''. Fill it in, or remove the row.",
        ),
        ("x.csv", "x,y\na,1\n  ,2\n", "row 2 (line 3): column 'x' must not be empty. Got '  '."),
        ("x.jsonl", '{"x": "a"}\n{"x": null}\n', "row 2: column 'x' must not be empty. Got null."),
        ("x.jsonl", '{"x": 1}\n{"x": NaN}\n', "row 2: column 'x' must not be empty. Got nan."),
    ],
)
def test_a_missing_category_is_named(tmp_path, name, content, message):
    path = written(tmp_path, name, content)
    for size in (1, 1 << 19):
        with blocks_of(size), pytest.raises(ValueError, match=re.escape(f"{path}, {message}")):
            tables.read_columns(path, categories=["x"])


def test_categories_must_be_single_values(folder):
    path = folder / "nested.parquet"
    pl.DataFrame({"x": [[1], [2]], "y": [b"a", b"b"]}).write_parquet(path)
    for name, kind in (("x", "values of type List"), ("y", "bytes")):
        with pytest.raises(
            ValueError, match=f"row 1: column '{name}' must hold text, numbers or true and false. Got {kind}"
        ):
            tables.read_columns(path, categories=[name])


def test_duplicate_names_in_parquet(folder):
    """No writer at hand makes such a file, so two names of one length are made one in the bytes."""
    path = folder / "twice.parquet"
    pl.DataFrame({"xxxa": [1], "xxxb": [2]}).write_parquet(path)
    path.write_bytes(path.read_bytes().replace(b"xxxb", b"xxxa"))
    with pytest.raises(ValueError, match="must have different column names"):
        tables.read_columns(path, numbers=["xxxa"])


def test_names_must_be_asked_for_and_not_be_empty(folder):
    path = written(folder, "names.csv", ",x\n1,2\n")
    with pytest.raises(ValueError, match=r"at least one column of .* must be asked for"):
        tables.read_columns(path)
    with pytest.raises(ValueError, match=r"must have the column ''\. Got 'column 1', 'x'"):
        tables.read_columns(path, numbers=[""])
    assert rows_of(path) == [("1", "2")]
    path = written(folder, "names.csv", "x,,y,\n1,2,3,\n4,,6,\n")
    reading = Reading()
    assert [batch.frame.columns for batch in batches.batches(path, None, reading)] == [["x", "column 2", "y"]]
    assert str(reading) == "1 empty column left out"


def test_extra_keys_are_named_if_all_columns_are_read(folder):
    path = written(folder, "extra.jsonl", '{"x": 1}\n{"x": 2, "y": 3}\n')
    assert rows_of(path, ["x"]) == [(1,), (2,)]
    with pytest.raises(ValueError, match=r"row 2: must have the keys of row 1 only\. Got also 'y'"):
        rows_of(path)


def test_a_separator_that_does_not_fit_is_said(folder):
    with pytest.raises(ValueError, match=r"Got 'a;x'\. Check the name, and --separator\.$"):
        rows_of(written(folder, "semicolons.csv", "a;x\n1;2\n"), ["x"], separator=",")
    with pytest.raises(ValueError, match=r"Got 'a,b'\."):
        rows_of(written(folder, "commas.csv", '"a,b"\n1\n'), ["a"])


def test_a_quote_left_open_is_noticed_before_the_memory_is_full(folder, monkeypatch):
    monkeypatch.setattr(raw, "RECORD", 1 << 20)
    path = written(folder, "open.csv", b'x,y\n1,2\n3,"' + b"4,5\n" * (1 << 19))
    with (
        blocks_of(1 << 12),
        pytest.raises(ValueError, match=r"record at line 3 must be shorter than 1 MB. Is a quote left"),
    ):
        tables.read_columns(path, numbers=["x"])


def test_a_parquet_file_whose_pages_cannot_be_unpacked_is_refused(tmp_path):
    path = tmp_path / "rows.parquet"
    pl.DataFrame({"x": range(1000)}).write_parquet(path, compression="zstd")
    whole = path.read_bytes()
    at = whole.index(b"\x28\xb5\x2f\xfd") + 5  # after the mark of zstd
    path.write_bytes(whole[:at] + b"\xff" * 8 + whole[at + 8 :])
    with pytest.raises(
        ValueError, match=r"rows\.parquet must be a whole Parquet file\. Got: .*Copy or write it again\."
    ):
        tables.read_columns(path, numbers=["x"])


def test_files_that_cannot_be_read(tmp_path, monkeypatch):
    def raising(error):
        def fail(*_):
            raise error

        return fail

    for path, message in ((tmp_path / "no.csv", "There is none of that name"), (tmp_path, "It is a folder")):
        with pytest.raises(ValueError, match=re.escape(f"{path} must be a file. {message}")):
            tables.read_columns(path, numbers=["x"])
    for error, message in (
        (PermissionError(), "Permission was denied"),
        (OSError(5, "Input/output error"), "Got: Input/"),
    ):
        monkeypatch.setattr(source, "open", raising(error), raising=False)
        with pytest.raises(ValueError, match=f"x.csv must be readable. {message}"):
            tables.read_columns("x.csv", numbers=["x"])


POSITIVE = {"1": ["1", "1.0", " +1", 1, 1.0], "true": ["true", "TRUE", True], "yes": ["yes", "Yes", "YES"]}
NEGATIVE = {"1": ["0", "0.0", "-1", 0, -1.0], "true": ["false", "False", False], "yes": ["no", "No"]}
PAIRS = [(yes, no) for word in POSITIVE for yes in POSITIVE[word] for no in NEGATIVE[word]]


@pytest.mark.parametrize(("yes", "no"), PAIRS)
def test_usual_labels_are_understood(yes, no):
    for values, expected in (([yes, no], [True, False, False]), ([no, yes], [False, True, True])):
        mask, name = tables.labels(Category("y", np.array([0, 1, 1]), values))
        assert (mask.tolist(), mask.dtype, name) == (expected, bool, str(yes).strip())
        mask, _ = tables.labels(Category("y", np.array([0, 1, 1]), values), str(no).strip())
        assert mask.tolist() == [not each for each in expected]


def test_one_class_may_stand_against_the_rest():
    column = Category("y", np.array([0, 1, 2, 3]), ["ok", "fraud ", "late", "fraud"])
    mask, name = tables.labels(column, "fraud")
    assert (mask.tolist(), name) == ([False, True, False, True], "fraud")
    assert tables.label_notices(column, name, 0) == ["'fraud' stands against the rest, 2 other labels."]


@pytest.mark.parametrize("lacking", ["", "  ", "NA", "n/a", "null", "NaN"])
def test_rows_without_a_label_are_left_out_and_counted(folder, lacking):
    path = written(folder, "labels.csv", f"y,x\nyes,1\n{lacking},oops\nno,3\n{lacking},4\n")
    for size in (1, 1 << 19):
        with blocks_of(size):
            columns = tables.read_columns(path, label="y", numbers=["x"])
            assert (columns.rows, columns.unlabelled, columns.numbers["x"].tolist()) == (2, 2, [1, 3])
            columns, features, _ = tables.read_features(path, label="y")
            assert (columns.rows, columns.unlabelled, features["x"].to_list()) == (2, 2, [1.0, 3.0])
    with pytest.raises(ValueError, match=r"column 'y' must hold labels\. Got none in 2 rows"):
        tables.read_columns(written(folder, "labels.csv", f"y,x\n{lacking},1\n{lacking},2\n"), label="y")


def test_several_spellings_of_two_classes_are_two_classes():
    column = Category("y", np.array([0, 1, 2, 3]), ["Yes", "no", "yes", "NO"])
    assert tables.labels(column)[0].tolist() == [True, False, True, False]
    assert tables.labels(Category("y", np.array([0, 1, 2]), ["1", "1.0", "0"]))[0].tolist() == [True, True, False]


def test_a_named_class_is_matched_as_text_or_as_a_number():
    assert tables.labels(Category("y", np.array([0, 1]), ["ok", "fraud"]), "fraud")[0].tolist() == [False, True]
    assert tables.labels(Category("y", np.array([0, 1]), [1.0, 2.0]), "2")[0].tolist() == [False, True]
    assert tables.labels(Category("y", np.array([0, 1]), ["9007199254740993", "9007199254740992"]), "9007199254740992")[
        0
    ].tolist() == [False, True]


@pytest.mark.parametrize(
    ("values", "positive", "message"),
    [
        (["1"], None, "labels must contain both classes. Got positives only. Is 'y' the label column?"),
        (["no"], None, "labels must contain both classes. Got negatives only. Is 'y' the label column?"),
        (["ok"], "ok", "labels must contain both classes. Got positives only. Is 'y' the label column?"),
        (
            ["ok"],
            None,
            "column 'y' must hold 0/1, -1/1, true/false or yes/no, or the positive class must be named. Got 'ok'.",
        ),
        (["ok", "bad"], None, "Got 'ok', 'bad'. Add --positive with one of them."),
        (["1", "2"], None, "Got '1', '2'. Add --positive with one of them."),
        (["true", "0"], None, "Got 'true', '0'. Add --positive with one of them."),
        (["0", "-1"], None, "Got '0', '-1'. Add --positive"),
        (
            ["ok", "bad"],
            "Bad",
            "the positive class must be one of the values in column 'y', 'ok', 'bad'. Got 'Bad'. Did you mean 'bad'?",
        ),
        (
            ["1", "2", "3"],
            None,
            "labels in column 'y' must have two values. Got '1', '2', '3'. If larger is better, add --graded.",
        ),
        (
            [1, 0, -1],
            None,
            "labels in column 'y' must have two values. Got 1, 0, -1. If larger is better, add --graded.",
        ),
        (["1e99999999999999999999", "a"], None, "Got '1e99999999999999999999', 'a'. Add --positive"),
        (
            list("abcdef"),
            None,
            "Got 'a', 'b', 'c', 'd', … (6 in all). Add --positive with the one that should come first",
        ),
    ],
)
def test_labels_that_must_not_be_guessed(values, positive, message):
    codes = np.arange(40) % len(values)
    with pytest.raises(ValueError, match=re.escape(message)):
        tables.labels(Category("y", codes, values), positive)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, unique=True))
def test_grades_are_the_numbers(values):
    codes = np.arange(2 * len(values)) % len(values)
    for written_as in (values, [repr(value) for value in values]):
        assert tables.grades(Category("y", codes, written_as)).tolist() == values * 2


@pytest.mark.parametrize("bad", ["good", True, "1e400", "nan", "1_0", ""])
def test_grades_must_be_numbers(bad):
    message = (
        f"grades in column 'y' must be finite numbers. Got {'true' if bad is True else repr(bad)} in row 3. Give each"
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        tables.grades(Category("y", np.array([0, 0, 1]), [1, bad]))


frames = st.lists(
    st.tuples(cells, st.floats(allow_nan=False, allow_infinity=False), st.integers(-9, 9)), min_size=1, max_size=8
).map(lambda rows: pl.DataFrame(rows, ["text", "real", "whole"], orient="row"))


@given(frame=frames, suffix=st.sampled_from([".jsonl", ".ndjson", ".parquet"]), gz=st.sampled_from(["", ".gz"]))
def test_typed_formats_keep_everything(folder, frame, suffix, gz):
    path = folder / f"out{suffix}{gz}"
    tables.write_table(frame, path, force=True)
    assert rows_of(path) == frame.rows()
    assert (path.read_bytes()[:2] == b"\x1f\x8b") == bool(gz)


@given(frame=frames, gz=st.sampled_from(["", ".gz"]), separator=st.sampled_from(",\t"), guard=st.booleans())
def test_text_formats_keep_everything(folder, frame, gz, separator, guard):
    """The csv module finds all cells unchanged; with a guard, but for an apostrophe where a formula would start."""
    path = folder / f"out{'.csv' if separator == ',' else '.tsv'}{gz}"
    tables.write_table(frame, path, force=True, guard=guard)
    content = gzip.decompress(path.read_bytes()) if gz else path.read_bytes()
    header, *rows = csv.reader(io.StringIO(content.decode(), newline=""), delimiter=separator, strict=True)
    assert header == frame.columns
    assert [(float(row[1]), int(row[2])) for row in rows] == frame.select("real", "whole").rows()
    assert [row[0] for row in rows] == [naive.guarded(text) if guard else text for text in frame["text"]]
    assert rows_of(path) == [tuple(row) for row in rows]


@pytest.mark.parametrize("kind", [pl.String, pl.Categorical])
@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_formulas_are_made_harmless_if_asked(tmp_path, kind, suffix):
    formulas = ["=1+1", "-", "=", "@SUM(A1)", "\tx", "\rx", "-1+1", "+cmd|' /C calc'!A0"]
    harmless = ["+1", "-5.3", "-5.3e-7", "a=b", "'=1", "", None]
    texts = formulas + harmless
    frame = pl.DataFrame({"=name": pl.Series(texts, dtype=kind), "-1": range(len(texts)), "@x": 1.5})
    tables.write_table(frame, tmp_path / f"out{suffix}", guard=True)
    content = (tmp_path / f"out{suffix}").read_bytes().decode()
    header, *rows = csv.reader(io.StringIO(content, newline=""), delimiter="\t" if suffix == ".tsv" else ",")
    assert header == ["'=name", "-1", "'@x"]
    assert [row[0] for row in rows] == ["'" + text for text in formulas] + [text or "" for text in harmless]
    assert [row[2] for row in rows] == ["1.5"] * len(texts)
    for typed in (".jsonl", ".parquet"):
        tables.write_table(frame, tmp_path / f"out{typed}", guard=True)
        assert rows_of(tmp_path / f"out{typed}") == frame.rows()


def test_a_lone_empty_cell_is_not_a_blank_line(tmp_path):
    for values in (["a", None, ""], [1.5, None]):
        tables.write_table(pl.DataFrame({"x": values}), tmp_path / "lone.csv", force=True)
        assert rows_of(tmp_path / "lone.csv") == [("" if value is None else str(value),) for value in values]


def test_standard_output_is_csv(capsysbinary):
    tables.write_table(pl.DataFrame({"x": ["é", "=1"], "y": [1, 2]}), "-")
    assert capsysbinary.readouterr().out == "x,y\né,1\n=1,2\n".encode()
    tables.write_table(pl.DataFrame({"x": ["é", "=1"], "y": [1, 2]}), "-", guard=True)
    assert capsysbinary.readouterr().out == "x,y\né,1\n'=1,2\n".encode()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is full")
@pytest.mark.parametrize("rows", [1, 100_000])
def test_a_full_disk_behind_standard_output_is_one_line(rows):
    code = f"""
import polars as pl
from ordain import tables
from ordain._files import DiskFull
try:
    tables.write_table(pl.DataFrame({{"x": range({rows})}}), "-")
except DiskFull as full:
    raise SystemExit(str(full))
"""
    with open("/dev/full", "wb") as full:
        ended = subprocess.run([sys.executable, "-c", code], stdout=full, stderr=subprocess.PIPE, text=True)
    said = ended.stderr.splitlines()[0]
    assert said == "standard output must fit on its disk. It is full. Make room, or choose another."


def test_standard_output_keeps_the_order_of_what_was_printed(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(bare := io.BytesIO()))
    print("before")
    tables.write_table(pl.DataFrame({"x": [1]}), "-")
    assert bare.getvalue() == b"before\nx\n1\n"


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("old", [None, b"old content"])
@pytest.mark.parametrize("name", ["out.csv", "out.parquet.gz"])
def test_a_failure_leaves_everything_as_it_was(tmp_path, monkeypatch, failure, old, name):
    def interrupted(frame, file):
        file.write(b"half a table")
        raise failure

    if old is not None:
        written(tmp_path, name, old)
    monkeypatch.setattr(writing, "_WRITERS", {"csv": interrupted, "parquet": interrupted})
    with pytest.raises(failure):
        tables.write_table(_frame, tmp_path / name, force=True)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == ([] if old is None else [(name, old)])


def test_files_get_the_usual_permissions_and_links_stay_links(tmp_path):
    mask = os.umask(0o027)
    try:
        tables.write_table(_frame, tmp_path / "real.csv")
    finally:
        os.umask(mask)
    assert (tmp_path / "real.csv").stat().st_mode & 0o777 == 0o640
    (tmp_path / "link.csv").symlink_to("real.csv")
    tables.write_table(_frame.head(1), tmp_path / "link.csv", force=True)
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text() == "label,score\nyes,0.5\n"


def test_the_same_table_gives_the_same_bytes(tmp_path):
    for suffix in (".csv.gz", ".jsonl.gz", ".parquet"):
        tables.write_table(_frame, tmp_path / f"a{suffix}")
        tables.write_table(_frame, tmp_path / f"b{suffix}")
        assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()
    assert (tmp_path / "a.csv.gz").read_bytes()[4:8] == bytes(4)  # no time of writing


def test_places_where_nothing_can_be_written_are_refused_before_any_work(tmp_path, monkeypatch):
    there = written(tmp_path, "there.csv", "old")
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "folder.csv").mkdir()
    faults = {
        there: "there.csv exists. Add --force to replace it, or choose another name.",
        tmp_path
        / "table.xlsx": "table.xlsx must end in .csv, .tsv, .jsonl, .ndjson, .parquet, or that and .gz. Choose",
        tmp_path / "folder.csv": "folder.csv must be a file. It is a folder. Name a file in it.",
        tmp_path / "pipe.csv": "pipe.csv must be a regular file. It is a device or a pipe. Choose another name.",
        tmp_path / "no" / "x.csv": "x.csv must lie in an existing folder. There is no",
    }
    for path, message in faults.items():
        for refuse in (tables.check_writable, lambda path: tables.write_table(_frame, path)):
            with pytest.raises(ValueError, match=re.escape(message)):
                refuse(path)
    assert there.read_text() == "old"
    tables.check_writable(there, force=True)
    tables.check_writable("-")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(ValueError, match="must lie in a folder that may be written to"):
        tables.check_writable(tmp_path / "new.csv")


@pytest.mark.parametrize(
    ("name", "column", "message"),
    [
        (
            "x.csv",
            [[1]],
            "column 'x' must be of a type that CSV and TSV can hold. Got List(Int64). Write .parquet instead.",
        ),
        (
            "x.tsv",
            [b"a"],
            "column 'x' must be of a type that CSV and TSV can hold. Got Binary. Write .parquet instead.",
        ),
        ("x.jsonl", [b"a"], "column 'x' must be of a type that JSONL can hold. Got Binary. Write .parquet instead."),
    ],
)
def test_types_that_a_format_cannot_hold(tmp_path, name, column, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        tables.write_table(pl.DataFrame({"x": column}), tmp_path / name)
    assert not list(tmp_path.iterdir())
