"""Tables that no command can read: one line says what to do, the exit code is 2, and nothing is written."""

import gzip
import io
import zipfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from ordain.cli import main

FAST = ("--model", "linear", "--reduction", "balanced")


def command(*arguments):
    """The exit code of a command, and what it printed."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    return ended.value.code, out.getvalue(), err.getvalue()


def assert_refused(said, *arguments):
    """One line that has the words, and no new file."""
    before = {path: path.is_file() and path.read_bytes() for path in Path().iterdir()}
    code, out, err = command(*arguments)
    assert code == 2, out + err
    assert out == ""
    assert err.startswith("ordain: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert said.lower() in err.lower(), err
    assert {path: path.is_file() and path.read_bytes() for path in Path().iterdir()} == before


def table(header, *rows, times=1, end="\n"):
    """A CSV file."""
    return end.join([header, *(rows * times)]) + end


def column(*cells, separator=";"):
    """A table of a column x that holds these cells in turn, beside a column of whole numbers and labels."""
    rows = [f"{cells[k % len(cells)]}{separator}{k * 7 % 10}{separator}{k % 3 % 2}" for k in range(24)]
    return table(separator.join(("x", "k", "y")), *rows)


def workbook(frame=None):
    """An Excel workbook with one sheet; an empty one without a frame."""
    xlsxwriter = pytest.importorskip("xlsxwriter")
    packed = io.BytesIO()
    with xlsxwriter.Workbook(packed, {"in_memory": True}) as book:
        sheet = book.add_worksheet("one")
        for k, row in enumerate([] if frame is None else [frame.columns, *frame.rows()]):
            sheet.write_row(k, 0, row)
    return packed.getvalue()


def packed(**files):
    """A zip file."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        for name, text in files.items():
            file.writestr(name, text)
    return content.getvalue()


GOOD = table("x,k,y", "1,5,0", "2,4,1", "3,9,0", "4,2,1", "2,8,1", "7,7,0", times=4)
UTF16 = GOOD.encode("utf-16")
NOISE = np.random.default_rng(0).bytes(4096)
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10\x08\x06\0\0\0\x1f\xf3\xffa" + NOISE
HTML = "<html><table>\n<tr><td>x</td><td>y</td></tr>\n<tr><td>1</td><td>0</td></tr>\n</table></html>\n"

FILES = {
    "no such file": ("file.csv", None, (), "file.csv"),
    "empty": ("file.csv", "", (), "empty"),
    "only a mark": ("file.csv", b"\xef\xbb\xbf", (), "empty"),
    "only the mark of UTF-16": ("file.csv", b"\xff\xfe", (), "file.csv"),
    "only blank lines": ("file.csv", "\n\n \n", (), "file.csv"),
    "only separators": ("file.csv", ",,\n,,\n", (), "file.csv"),
    "only sep=;": ("file.csv", "sep=;\r\n", (), "file.csv"),
    "header only": ("file.csv", "x,k,y\n", (), "row"),
    "header and empty rows": ("file.csv", "x;k;y\r\n;;\r\n;;\r\n", (), "row"),
    "NUL byte": ("file.csv", GOOD.encode().replace(b"9", b"\0", 1), (), "NUL"),
    "half a character of UTF-16": ("file.csv", UTF16[:-1], (), "UTF-16"),
    "half a pair of UTF-16": ("file.csv", UTF16 + b"\x00\xd8\n\0", (), "UTF-16"),
    "a byte that Windows-1252 lacks": ("file.csv", b"x,k,y\n\x81,\xe4,1\n\x90,b,0\n", (), "--encoding"),
    "an encoding unknown to all": ("file.csv", GOOD, ("--encoding", "klingon"), "klingon"),
    "an encoding that is no text's": ("file.csv", GOOD, ("--encoding", "zlib"), "zlib"),
    "not of the encoding told": ("file.csv", b"x,k,y\n\xe4,1,1\nb,2,0\n", ("--encoding", "utf-8"), "UTF-8"),
    "not of the encoding told, ASCII": ("file.csv", GOOD.replace("9", "ä"), ("--encoding", "ascii"), "ascii"),
    "a separator of two characters": ("file.csv", GOOD, ("--separator", ";;"), "separator"),
    "a separator of none": ("file.csv", GOOD, ("--separator", ""), "separator"),
    "a quote that separates": ("file.csv", GOOD, ("--separator", '"'), "separator"),
    "a separator that is not there": ("file.csv", GOOD, ("--separator", "|"), "x,k,y"),
    "a decimal sign of none": ("file.csv", GOOD, ("--decimal", "x"), "decimal"),
    "an order of dates of none": ("file.csv", GOOD, ("--dates", "year-last"), "dates"),
    "names twice": ("file.csv", table("x,x,y", "1,2,0", "3,4,1", times=4), (), "'x'"),
    "names twice but for blanks": ("file.csv", table("x, x ,y", "1,2,0", "3,4,1", times=4), (), "'x'"),
    "short row": ("file.csv", table("x,k,y", "1,2,0", "3,4", "5,6,1"), (), "row 2"),
    "short row of semicolons": ("file.csv", table("x;k;y", "1;2;0", "3;4", "5;6;1"), (), "row 2"),
    "long row": ("file.csv", table("x,k,y", "1,2,0", "3,4,1,more", "5,6,1"), (), "row 2"),
    "long row after empty fields": ("file.csv", table("x,k,y", "1,2,0,,", "3,4,1,,more", "5,6,1,,"), (), "row 2"),
    "quote left open": ("file.csv", table("x,k,y", '"1,2,0', "3,4,1", "5,6,1"), (), "quote"),
    "quote inside a field": ("file.csv", table("x,k,y", '5" pipe,2,0', "3,4,1", "5,6,1"), (), "quote"),
    "noise": ("file.csv", NOISE, (), "file.csv"),
    "a picture": ("file.csv", PNG, (), "file.csv"),
    "a PDF": ("file.csv", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<</Type/Catalog>>\nendobj\n", (), "file.csv"),
    "a zip file": ("file.csv", packed(readme="read me"), (), "zip"),
    "text that is called a workbook": ("file.xlsx", GOOD, (), "file.xlsx"),
    "a zip file that is called a workbook": ("file.xlsx", packed(readme="read me"), (), "file.xlsx"),
    "half a workbook": ("file.xlsx", lambda: workbook(pl.DataFrame({"x": [1, 2], "y": [0, 1]}))[:900], (), "file.xlsx"),
    "an empty sheet": ("file.xlsx", workbook, (), "file.xlsx"),
    "a sheet of names": ("file.xlsx", lambda: workbook(pl.DataFrame({"x": [], "y": []})), (), "row"),
    "a web page that is called a workbook": ("file.xls", HTML, (), "file.xls"),
    "noise that is called a workbook": ("file.ods", NOISE, (), "file.ods"),
    "cut-off gzip": ("file.csv.gz", gzip.compress(GOOD.encode() * 50)[:60], (), "gzip"),
    "gzip by name only": ("file.csv.gz", GOOD, (), "gzip"),
    "broken Parquet": ("file.parquet", b"PAR1" + NOISE, (), "Parquet"),
    "broken JSONL": ("file.jsonl", '{"x": 1, "y": 0}\n{"x": 2, "y"\n', (), "row 2"),
}
"""Name → file, content, options of every command that reads a table, and what must be said."""


def written(name, content):
    """Write the file of a case."""
    content = content() if callable(content) else content
    if content is not None:
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """An empty folder."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("file", "content", "options", "said"), FILES.values(), ids=FILES)
def test_a_file_that_cannot_be_read_is_refused_in_a_line(file, content, options, said):
    written(file, content)
    assert_refused(said, "fit", file, "--label", "y", "--out", "m.ordain", *FAST, *options)
    assert_refused(said, "evaluate", file, "--label", "y", "--score", "x", *options)


LABELLED = ("--label", "y")
NAMED = table("x,churned,age", "1,yes,30", "2,no,40", times=6)
COLUMNS = {
    "1,234 that nothing decides": (column("1,234", "2,500", "17"), LABELLED, "--decimal"),
    "1,234 among commas": (column('"1,234"', '"2,500"', separator=","), LABELLED, "--decimal"),
    "03/04/2025": (column("03/04/2025", "05/06/2025", "11/12/2024"), LABELLED, "--dates"),
    "03/04/2025 14:05": (column("03/04/2025 14:05", "05/06/2025 2:05 PM"), LABELLED, "--dates"),
    "two currencies": (column("$12.50", "€13.50", "$7.00"), LABELLED, "'x'"),
    "two codes of currencies": (column("12.50 CHF", "USD 13.50", "7.00 CHF"), LABELLED, "'x'"),
    "percent in some cells": (column("12.5%", "13.5%", "7.1"), LABELLED, "'x'"),
    "commas and points": (column("12,5", "12.5", "7,25", "8.75"), LABELLED, "'x'"),
    "no such label": (NAMED, ("--label", "churnd"), "Did you mean 'churned'"),
    "a label in other case": (NAMED, ("--label", "Churned"), "Did you mean 'churned'"),
    "no such group": (NAMED, ("--label", "churned", "--group", "query"), "'query'"),
    "no such cluster": (NAMED, ("--label", "churned", "--cluster", "person"), "'person'"),
    "no such weight": (NAMED, ("--label", "churned", "--weight", "w"), "'w'"),
    "no such column to drop": (NAMED, ("--label", "churned", "--drop", "agee"), "'agee'"),
    "one class": (table("x,y", "1,1", "2,1", "3,1"), LABELLED, "both classes"),
    "one word": (table("x,y", "1,ok", "2,ok", "3,ok"), LABELLED, "'y'"),
    "one class beside missing labels": (table("x,y", "1,1", "2,", "3,NA", "4,1"), LABELLED, "both classes"),
    "no label at all": (table("x,y", "1,", "2,NA", "3,null", "4,nan"), LABELLED, "'y'"),
    "two words": (table("x,y", "1,fraud", "2,ok", times=8), LABELLED, "--positive"),
    "three words": (table("x,y", "1,fraud", "2,ok", "3,late", times=8), LABELLED, "--positive"),
    "a word that is no label": (table("x,y", "1,fraud", "2,ok"), (*LABELLED, "--positive", "good"), "'good'"),
    "negative weights": (table("x,w,y", "1,1,0", "2,-1,1", "3,2,1", times=8), (*LABELLED, "--weight", "w"), "negative"),
    "weights of zero": (table("x,w,y", "1,0,0", "2,0,1", times=8), (*LABELLED, "--weight", "w"), "weights"),
    "weights of text": (table("x,w,y", "1,1,0", "2,much,1", times=8), (*LABELLED, "--weight", "w"), "row 2"),
    "weights left out": (table("x,w,y", "1,1,0", "2,,1", times=8), (*LABELLED, "--weight", "w"), "row 2"),
    "groups left out": (table("x,g,y", "1,a,0", "2,,1", times=8), (*LABELLED, "--group", "g"), "row 2"),
    "clusters left out": (table("x,c,y", "1,a,0", "2,,1", times=8), (*LABELLED, "--cluster", "c"), "row 2"),
    "groups of one class each": (table("x,g,y", "1,a,0", "2,b,1", times=8), (*LABELLED, "--group", "g"), "group"),
    "grades of text": (table("x,y", "1,good", "2,bad", times=8), (*LABELLED, "--graded"), "row 1"),
    "one grade": (table("x,y", "1,3", "2,3", times=8), (*LABELLED, "--graded"), "two"),
    "grades and a positive": (GOOD, (*LABELLED, "--graded", "--positive", "1"), "--graded"),
    "no column but labels": (table("y", "1", "0", times=8), LABELLED, "column"),
    "only constant columns": (table("x,k,y", "1,a,0", "1,a,1", times=8), LABELLED, "constant"),
    "a folder that is not there": (GOOD, (*LABELLED, "--out", "there/m.ordain"), "there"),
    "a file that is there": (GOOD, (*LABELLED, "--out", "file.csv"), "--force"),
}
"""Name → table, options of fit, and what must be said."""


@pytest.mark.parametrize(("content", "options", "said"), COLUMNS.values(), ids=COLUMNS)
def test_columns_that_cannot_be_learned_from_are_refused_in_a_line(content, options, said):
    written("file.csv", content)
    out = () if "--out" in options else ("--out", "m.ordain")
    fast = ("--model", "linear") if "--graded" in options or "--group" in options else FAST
    assert_refused(said, "fit", "file.csv", *options, *out, *fast)


SCORES = {
    "ambiguous scores": (table("y;score", "1;1,234", "0;2,345", "1;3,456"), (), "--decimal"),
    "scores of text": (table("y;score", "1;0,25", "0;high", "1;0,75"), (), "row 2"),
    "scores left out": (table("y;score", "1;0,25", "0;", "1;0,75"), (), "row 2"),
    "scores in two currencies": (table("y;score", "1;$25", "0;€30", "1;$75"), (), "'score'"),
    "scores in percent and not": (table("y;score", "1;25.5%", "0;0.3", "1;75.5%"), (), "'score'"),
    "scores of dates": (table("y;score", "1;31.12.2024", "0;30.12.2024", "1;29.12.2024"), (), "'score'"),
    "no such score": (table("y;scores", "1;25", "0;30", "1;75"), (), "Did you mean 'scores'"),
    "all labels missing": (table("y;score", ";25", "NA;30", ";75"), (), "'y'"),
}
"""Name → table, options of evaluate, and what must be said."""


@pytest.mark.parametrize(("content", "options", "said"), SCORES.values(), ids=SCORES)
def test_scores_that_cannot_be_evaluated_are_refused_in_a_line(content, options, said):
    written("file.csv", content)
    assert_refused(said, "evaluate", "file.csv", "--label", "y", *options)


def orders(rows=60):
    """A spreadsheet of orders: decimal commas, a currency, percent, the day first."""
    rng = np.random.default_rng(0)
    price, share, day = (rng.integers(*limits, rows) for limits in ((100, 9999), (1, 99), (1, 29)))
    late = price + 40 * share + rng.normal(0, 2000, rows) > 7000
    cells = zip(price, share, day, late, strict=True)
    lines = [f"{p // 100},{p % 100:02} €;{s},5 %;{d:02}/03/2024;{'ja' if y else 'nein'}" for p, s, d, y in cells]
    return table("price;share;due;late", *lines)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The bytes of a model that was trained on the spreadsheet of orders."""
    folder = tmp_path_factory.mktemp("model")
    (folder / "orders.csv").write_text(orders(), encoding="cp1252")
    options = ("--label", "late", "--positive", "ja", "--out", folder / "m.ordain", *FAST)
    code, _, err = command("fit", folder / "orders.csv", *options)
    assert code == 0, err
    return (folder / "m.ordain").read_bytes()


FIRST = "12,34 €;7,5 %;03/04/2024"
NEW = {
    "a decimal point": ("12.34 €;7,5 %;03/04/2024", "price"),
    "thousands that decimals were": ("1,234,567 €;7,5 %;03/04/2024", "price"),
    "another currency": ("12,34 $;7,5 %;03/04/2024", "price"),
    "another code of a currency": ("CHF 12,34;7,5 %;03/04/2024", "price"),
    "no percent": ("12,34 €;7,5;03/04/2024", "share"),
    "a share as a fraction": ("12,34 €;0,075;03/04/2024", "share"),
    "the month first": ("12,34 €;7,5 %;12/31/2024", "due"),
    "a day that no month has": ("12,34 €;7,5 %;31/02/2024", "due"),
    "text for a number": ("on request;7,5 %;03/04/2024", "price"),
    "a number for a date": ("12,34 €;7,5 %;45000", "due"),
}
"""Name → the second row of a new table, and the column that cannot be read as in training."""


@pytest.mark.parametrize(("row", "name"), NEW.values(), ids=NEW)
def test_new_rows_that_cannot_be_read_as_in_training_are_refused_in_a_line(model, row, name):
    Path("m.ordain").write_bytes(model)
    written("file.csv", table("price;share;due", FIRST, row, FIRST))
    words = ("score", "file.csv", "--model", "m.ordain", "--out", "ranked.csv")
    assert_refused("row 2", *words)
    assert_refused(repr(name), *words)


UNSCORED = {
    "a column that is not there": ("file.csv", table("price;share", "12,34 €;7,5 %"), (), "'due'"),
    "a column named otherwise": ("file.csv", table("price;share;Due", FIRST), (), "'due'"),
    "a score already": ("file.csv", table("price;share;due;score", f"{FIRST};1"), (), "'score'"),
    "a workbook that is none": ("file.xlsx", orders(), (), "file.xlsx"),
    "header only": ("file.csv", "price;share;due\n", (), "row"),
    "half a character of UTF-16": ("file.csv", orders().encode("utf-16")[:-1], (), "UTF-16"),
    "a separator of two characters": ("file.csv", orders(), ("--separator", ";;"), "separator"),
    "a decimal point told": ("file.csv", orders(), ("--decimal", "."), "decimal"),
    "months first told": ("file.csv", orders(), ("--dates", "month-first"), "dates"),
    "no rows wanted": ("file.csv", orders(), ("--top", "0"), "--top"),
}
"""Name → file, content, options of score, and what must be said."""


@pytest.mark.parametrize(("file", "content", "options", "said"), UNSCORED.values(), ids=UNSCORED)
def test_tables_that_cannot_be_scored_are_refused_in_a_line(model, file, content, options, said):
    Path("m.ordain").write_bytes(model)
    written(file, content)
    assert_refused(said, "score", file, "--model", "m.ordain", "--out", "ranked.csv", *options)


def test_these_tables_are_refused_for_their_fault_alone(model):
    """The table that most cases spoil is good, and so is a row of each kind."""
    Path("m.ordain").write_bytes(model)
    written("good.csv", GOOD)
    written("new.csv", table("price;share;due", FIRST, FIRST))
    written("file.csv", column("7.25", "3"))
    assert command("fit", "good.csv", "--label", "y", "--out", "good.ordain", *FAST)[0] == 0
    assert command("fit", "file.csv", "--label", "y", "--out", "file.ordain", *FAST)[0] == 0
    code, _, err = command("score", "new.csv", "--model", "m.ordain", "--out", "ranked.csv")
    assert code == 0, err
