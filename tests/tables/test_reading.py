"""Tables as people have them: every separator, encoding and way to write numbers is read as the plain table is."""

from __future__ import annotations

import datetime as dt
import re
import sys

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xlsxwriter import Workbook

from ordain import tables
from ordain.model.file import _forms
from ordain.prepare import Preparation
from ordain.tables import Form, Reading, raw
from ordain.tables.separators import separator_of

amounts = st.decimals(-(10**7), 10**7, places=2).map(float)
MARKS = {"": "", ",": ",", ".": ".", " ": "\u202f", "'": "\u2019"}


def spelt(value, form):
    """A number as people in some country write it, from Python's own way."""
    value = round(100 * value, 2) if form.percent else value
    text = f"{abs(value):,.2f}".translate({ord(","): MARKS[form.thousands], ord("."): form.decimal})
    text = f"{form.currency} {text}" if len(form.currency) > 1 else text + form.currency
    text += " %" * form.percent
    return f"({text})" if value < 0 and form.currency else "-" * (value < 0) + text


forms = st.builds(
    Form,
    st.sampled_from(".,"),
    st.sampled_from(["", ",", ".", " ", "'"]),
    st.booleans(),
    st.sampled_from(["", "€", "$", "CHF", "EUR", "kr"]),
).filter(lambda form: form.decimal != form.thousands and not (form.percent and form.currency))


@given(values=st.lists(amounts, min_size=1, max_size=8), form=forms)
def test_numbers_are_read_as_they_were_meant(values, form):
    values = [*values, 1234.56, 0.07]  # which tell the decimal mark, the thousands, the currency
    scale = 100 if form.percent else 1
    frame = pl.DataFrame({"x": [spelt(value, form) for value in values]})
    found, said = tables.typed(frame, Reading(), "rows")
    expected = [round(scale * value, 2) / scale for value in values]
    np.testing.assert_allclose(found["x"].to_numpy(), expected, rtol=1e-15)
    assert said.get("x", Form()) == form


@given(values=st.lists(amounts, min_size=1, max_size=12), form=forms, size=st.integers(1, 60))
def test_a_column_that_must_hold_numbers_reads_them_in_any_blocks(tmp_path_factory, values, form, size):
    values = [0.07, *values]
    path = tmp_path_factory.getbasetemp() / "numbers.csv"
    path.write_text("x|y\n" + "".join(f"{spelt(value, form)}|a\n" for value in values), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(raw, "BLOCK", size)
        found = tables.read_columns(path, numbers=["x"], reading=(reading := Reading())).numbers["x"]
    assert ("decimal comma" in str(reading)) == (form.decimal == ",")
    scale = 100 if form.percent else 1
    np.testing.assert_allclose(found, [round(scale * value, 2) / scale for value in values], rtol=1e-15)


def read(text, *, name="rows.csv", folder, encoding="utf-8", **asked):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
    reading = Reading(**asked)
    _, frame, found = tables.read_features(path, reading=reading)
    return frame, found, reading


PLAIN = [(1.5, "größer", 1000.0), (2.25, "klein", 20.0), (None, None, 3.0)]
WRITTEN = {
    "commas": ("a,b,c\n1.5,größer,1000\n2.25,klein,20\n,,3\n", ""),
    "semicolons": ("a;b;c\n1,5;größer;1000\n2,25;klein;20\n;;3\n", "separator ';', decimal comma"),
    "as Excel says": ("sep=;\na;b;c\n1,5;größer;1.000\n2,25;klein;20\n;;3\n", "separator ';', decimal comma"),
    "tabs": ("a\tb\tc\n1.5\tgrößer\t1,000\n2.25\tklein\t20\n\t\t3\n", "separator tabs, thousands by commas"),
    "pipes": ("a|b|c\n1.5|größer|1000\n2.25|klein|20\n||3\n", "separator '|'"),
    "blanks": ('a, b, c\n1.5, "größer", 1000\n2.25, klein, 20\n, , 3\n', "blanks after separators"),
    "blank rows": ("\n\na,b,c\n1.5,größer,1000\n\n2.25,klein,20\n,,\n,,3\n,,\n\n", "3 blank rows left out"),
    "blank columns": ("a,b,c,,\n1.5,größer,1000,,\n2.25,klein,20,,\n,,3,,\n", "2 empty columns left out"),
    "longer rows": ("a,b,c\n1.5,größer,1000,,\n2.25,klein,20\n,,3,\n", ""),
    "amounts": ('a,b,c\n1.5,größer,"$1,000"\n2.25,klein,$20\n,,$3.00\n', "$ amounts"),
    "percent": ("a,b,c\n150%,größer,1000\n225 %,klein,20\n,,3\n", "percent"),
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
@pytest.mark.parametrize(("text", "said"), WRITTEN.values(), ids=WRITTEN)
def test_every_spreadsheet_is_the_plain_table(tmp_path, text, said, encoding):
    for end in ("\n", "\r\n"):
        frame, _, reading = read(text.replace("\n", end), folder=tmp_path, encoding=encoding)
        assert frame.rows() == PLAIN
        words = {"cp1252": "Windows-1252", "utf-8": "", "utf-8-sig": ""}.get(encoding, encoding[:6].upper())
        assert all(part in str(reading) for part in said.split(", "))
        assert words in str(reading)


@pytest.mark.parametrize("size", [16, 1 << 19])
def test_windows_letters_are_read_in_every_block(tmp_path, monkeypatch, size):
    monkeypatch.setattr(raw, "BLOCK", size)
    rows = [(number, word) for number in range(20) for word in ("größer", "klein", "“wörtlich”")]
    text = "a,b\n" + "".join(f"{number},{word}\n" for number, word in rows)
    frame, _, reading = read(text, folder=tmp_path, encoding="cp1252")
    assert frame.rows() == rows and "Windows-1252" in str(reading)


@pytest.mark.parametrize("size", [8, 1 << 19])
def test_a_column_without_a_name_that_is_filled_further_down_is_named(tmp_path, monkeypatch, size):
    monkeypatch.setattr(raw, "BLOCK", size)
    empty = "a,b,\n" + "1,2,\n" * 9
    assert read(empty, folder=tmp_path)[0].rows() == [(1, 2)] * 9
    if size == 8:
        with pytest.raises(ValueError, match=r"row 10 \(line 11\): .*must have a name, or be empty\. Got '7'\."):
            read(empty + "1,2,7\n", folder=tmp_path)


@pytest.mark.parametrize("size", [16, 1 << 19])
def test_a_decimal_point_seen_before_tells_what_a_comma_is(tmp_path, monkeypatch, size):
    monkeypatch.setattr(raw, "BLOCK", size)
    path = tmp_path / "rows.csv"
    path.write_text("x;y\n" + "1.5;a\n" * 9 + "1,234;a\n" * 3)
    found = tables.read_columns(path, numbers=["x"]).numbers["x"]
    assert found.tolist() == [1.5] * 9 + [1234] * 3


def test_a_workbook_without_its_reader_is_one_line(tmp_path, monkeypatch):
    pl.DataFrame({"a": [1]}).write_excel(tmp_path / "rows.xlsx")
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    with pytest.raises(ValueError, match=r'^.*rows\.xlsx needs fastexcel\. .* pip install "ordain\[excel\]"$'):
        tables.read_features(tmp_path / "rows.xlsx")


def test_what_was_asked_for_is_done(tmp_path):
    assert read("a^b\n1^2\n", folder=tmp_path, separator="^")[0].rows() == [(1, 2)]
    assert read("a\tb,c\n1\t2,5\n", folder=tmp_path, separator="tab")[0].rows() == [(1, 2.5)]
    assert read("ы,b\nж,2\nж,3\n", folder=tmp_path, encoding="cp1251")[0].columns != ["ы", "b"]
    path = tmp_path / "rows.csv"
    path.write_bytes("ы,b\nж,2\n".encode("cp1251"))
    assert tables.read_features(path, reading=Reading(encoding="cp1251"))[1].columns == ["ы", "b"]
    for decimal, value in ((",", 1.234), (".", 1234), ("comma", 1.234), ("point", 1234)):
        assert read("a;b\n1,234;2\n", folder=tmp_path, decimal=decimal)[0].rows() == [(value, 2)]
        turned = 1234 if value == 1.234 else 1.234
        assert read("a|b\n1.234|2\n", folder=tmp_path, decimal=decimal)[0].rows() == [(turned, 2)]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"separator": ";;"}, "the separator must be one character"),
        ({"separator": "a"}, "the separator must be one character"),
        ({"separator": '"'}, "the separator must be one character"),
        ({"decimal": ";"}, "the decimal mark must be . or a comma. Got ';'."),
        ({"encoding": "latin-99"}, "the encoding must be one that Python knows. Got 'latin-99'."),
        ({"encoding": "rot13"}, "the encoding must be one that Python knows."),
        ({"dates": "mdy"}, "the dates must be day-first or month-first. Got 'mdy'."),
    ],
)
def test_what_cannot_be_asked_for_is_one_line(asked, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        Reading(**asked)


def test_the_decimal_mark_is_told_by_the_column_by_the_others_or_must_be_asked_for(tmp_path):
    def numbers(text, **asked):
        return read(text, folder=tmp_path, **asked)[0].rows()

    assert numbers("a|b\n1,234|0,5\n2|1\n") == [(1.234, 0.5), (2, 1)]
    assert numbers("a|b\n1,234|0.5\n2|1\n") == [(1234, 0.5), (2, 1)]
    assert numbers("a|b\n1,234|2,345.5\n2|1\n") == [(1234, 2345.5), (2, 1)]
    assert numbers("a|b\n1.234|0,5\n2|1\n") == [(1234, 0.5), (2, 1)]  # a program would mean 1.234
    assert numbers("a|b\n1.234|5\n2.345|1\n") == [(1.234, 5), (2.345, 1)]
    assert numbers("a|b|c\n1.234|0,5|0.5\n2|1|1\n") == [(1.234, 0.5, 0.5), (2, 1, 1)]
    for text in ("a|b\n1,234|5\n2|1\n", "a;b\n1.234;5\n2;1\n", "a|b|c\n1,234|0,5|0.5\n"):
        with pytest.raises(ValueError, match=r"column 'a' of .* must tell its decimal mark\. Got '1.234', which"):
            numbers(text)
    for text in ("a|b\n5%|1\n7|2\n", "a|b\n$5|1\n7 €|2\n"):
        with pytest.raises(ValueError, match=r"column 'a' must (have % in every cell or in none|be in one currency)\."):
            numbers(text)


def test_a_column_that_is_mostly_numbers_is_named(tmp_path):
    cells = [f"{k},5" for k in range(40)] + ["unknown", "<5"]
    frame, _, reading = read("a;b\n" + "".join(f"{cell};1\n" for cell in cells), folder=tmp_path)
    assert frame["a"].dtype == pl.String
    assert reading.notices == [
        "Column 'a' is read as categories: 2 of 42 cells are no numbers, such as 'unknown'. "
        "Leave them empty to have it read as numbers."
    ]


def test_numbers_stored_as_text_are_named(tmp_path):
    pl.DataFrame({"a": [f"{k}.5" for k in range(40)], "b": ["x", "y"] * 20}).write_parquet(tmp_path / "rows.parquet")
    reading = Reading()
    _, frame, _ = tables.read_features(tmp_path / "rows.parquet", reading=reading)
    assert frame["a"].dtype == pl.String
    assert [notice.split("'")[1] for notice in reading.notices] == ["a"]


@pytest.mark.parametrize(
    ("head", "separator"),
    [
        (b"a,b\n1,2\n", ","),
        (b'a,b\n"1;2;3",4\n"5;6;7",8\n', ","),
        (b"a;b\n1,5;2,5\n", ";"),
        (b"a;b;c\n1,5;2,5;x\n", ";"),
        (b"a\tb\n1\t2\n", "\t"),
        (b"a|b\n1,2|3,4\n", "|"),
        (b"a\n1\n", ","),
        (b"name, first;y\nx, y;1\nz;2\n", ";"),
        (b"a;b\n1;2\n3;4;5\n", ";"),
    ],
)
def test_the_separator_is_found(head, separator):
    assert separator_of(head, ",") == separator


def test_rows_keep_their_numbers_after_blank_ones(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("x,y\n1,2\n\n,\n3,4,,\nb,5\n")
    with pytest.raises(ValueError, match=r"row 5 \(line 6\): column 'x' must be a finite number\. Got 'b'"):
        tables.read_columns(path, numbers=["x"])


def workbook(path, columns):
    pl.DataFrame(columns).write_excel(path)
    return path


def test_the_first_sheet_of_a_workbook_is_a_table(tmp_path):
    when = pl.Series(["2024-03-31", "2024-04-01", None]).str.to_date()
    cells = {"n": [1.5, 2.0, None], "t": ["1,5", "2,25", None], "when": when, "y": ["yes", "no", None]}
    path = workbook(tmp_path / "rows.xlsx", cells)
    columns, frame, found = tables.read_features(path, label="y")
    assert (columns.rows, columns.categories["y"].values) == (2, ["yes", "no"])
    assert frame.select("n", "t").rows() == [(1.5, 1.5), (2.0, 2.25)]
    assert found == {"t": Form(",")}
    assert tables.read_columns(path, label="y", numbers=["n", "t"]).numbers["t"].tolist() == [1.5, 2.25]
    (tmp_path / "bad.xlsx").write_bytes(b"PK\3\4 no workbook")
    with pytest.raises(ValueError, match=r"^\S+bad.xlsx must be a whole workbook\. Got: [^\n]*\. Save it again\.$"):
        tables.read_features(tmp_path / "bad.xlsx")
    with pytest.raises(ValueError, match="must have the column 'z'"):
        tables.read_columns(path, numbers=["z"])


def test_of_several_sheets_the_first_is_read_and_named(tmp_path):
    for names, said in ((["only"], ""), (["new", "old"], "sheet 'new', the first of 2")):
        with Workbook(tmp_path / "rows.xlsx") as book:
            for k, name in enumerate(names):
                book.add_worksheet(name).write_column(0, 0, ["x", k, k])
        reading = Reading()
        assert tables.read_columns(tmp_path / "rows.xlsx", numbers=["x"], reading=reading).numbers["x"].tolist() == [
            0,
            0,
        ]
        assert str(reading) == said


def test_new_tables_are_read_as_the_training_table_was_or_refused(tmp_path):
    trained = {
        "a": Form(","),
        "p": Form(",", percent=True),
        "e": Form(",", currency="€"),
        "d": "day-first",
        "q": Form(),
    }
    kinds = {"a": "number", "p": "number", "e": "number", "d": "date", "q": "number", "i": "date"}
    good = {"a": "1,234", "p": "5,5 %", "e": "7", "d": "03/04/2025", "q": "2.5", "i": "2025-04-03"}
    april = dt.datetime(2025, 4, 3)

    def features(**cells):
        path = tmp_path / "new.csv"
        row = good | cells
        path.write_text("|".join(row) + "\n" + "|".join(good.values()) + "\n" + "|".join(row.values()) + "\n")
        return next(tables.feature_batches(path, kinds, trained, Reading()))[1].rows()[1]

    assert features() == (1.234, 0.055, 7, april, 2.5, april)
    assert features(a="1.234,5", p="0", e="") == (1234.5, 0, None, april, 2.5, april)
    for wrong, said in (
        ({"a": "12.5"}, "column 'a' must have a decimal comma, as in training. Got '12.5'"),
        ({"a": "1.234"}, "column 'a' must say whether that mark parts thousands: add --decimal ,"),
        ({"a": "5%"}, "column 'a' must have no %, as in training. Got '5%'"),
        ({"a": "5 €"}, "column 'a' must have no currency, as in training. Got '5 €'"),
        ({"p": "5,5"}, "column 'p' must have % in every cell, as in training. Got '5,5'"),
        ({"e": "$5"}, "column 'e' must be in €, as in training. Got '$5'"),
        ({"e": "five"}, "column 'e' must hold numbers, as in training. Got 'five'"),
        (
            {"d": "04/13/2025"},
            "column 'd' must hold dates such as 2024-03-31, day-first, as in training. Got '04",
        ),
        ({"i": "03/04/2025"}, "column 'i' must hold dates as in training. Got '03/04/2025', where day or month may"),
        ({"q": "1,5"}, "column 'q' must have a decimal point, as in training. Got '1,5'"),
        ({"q": "1,234"}, "column 'q' must say whether that mark parts thousands: add --decimal ."),
    ):
        with pytest.raises(ValueError, match=re.escape(f"row 2 (line 3): {said}")):
            features(**wrong)


def test_forms_are_kept_as_plain_data_and_others_are_refused():
    frame = pl.DataFrame({"x": [1.0, 2, 3, 5], "d": pl.Series(["2024-03-31", "2024-03-30"] * 2).str.to_date()})
    preparation = Preparation.learn(frame, np.array([0, 1, 0, 1]))
    known = {"x": Form(",", ".", currency="€"), "d": "month-first"}
    plain = {"x": known["x"].as_json(), "d": known["d"]}
    assert _forms(plain, preparation, "m") == known
    for wrong in (
        {"z": plain["x"]}, {"x": "day-first"}, {"d": plain["x"]}, {"d": "mdy"}, {"x": plain["x"] | {"decimal": ";"}},
        {"x": plain["x"] | {"thousands": ","}}, {"x": plain["x"] | {"percent": 1}}, {"x": plain["x"] | {"more": 1}},
        {"x": plain["x"] | {"currency": "€" * 99}}, {"x": None}, {"d": ["day-first"]},
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"^the form of|^decimal of|^percent of"):
            _forms(wrong, preparation, "m")
