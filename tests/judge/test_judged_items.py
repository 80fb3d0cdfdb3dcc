"""Items are the same from whichever file they come, and what is wrong with them is said in one line, at once."""

import csv
import gzip
import io
import json
import os
import sys
import unicodedata

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordain.judge.item_columns import item_columns
from ordain.judge.judged_items import LARGEST, Item, question_of, read_items
from ordain.tables import Reading

NFC, NFD = "caf\u00e9", "cafe\u0301"

# What Excel cannot keep is left out: control characters, and its own escapes such as _x000D_.
letters = st.characters(codec="utf-8", exclude_categories=("C", "Zl", "Zp"), exclude_characters="_")
texts = st.text(letters, min_size=1, max_size=30).map(lambda text: f"a{text}\n.")
ids = st.text(letters, min_size=1, max_size=8).map(lambda text: f"i{text}.")
cells = st.none() | texts


@st.composite
def item_lists(draw):
    """At least two items whose ids differ however they are compared, with two more columns."""
    names = draw(st.lists(ids, min_size=2, max_size=6, unique_by=lambda name: unicodedata.normalize("NFC", name)))
    return [Item(name, draw(texts), {"note": draw(cells), "{odd}": draw(cells)}) for name in names]


def rows_of(items):
    return [{"id": item.id, "text": item.text} | item.rest for item in items]


def delimited(items, separator):
    """The items as a CSV file holds them, as Python's own writer writes it."""
    out = io.StringIO()
    writer = csv.DictWriter(out, ["id", "text", "note", "{odd}"], delimiter=separator, quoting=csv.QUOTE_ALL)
    writer.writeheader()
    writer.writerows(rows_of(items))
    return out.getvalue()


def write_all(folder, items):
    """The same items in every form of table; the paths."""
    rows = rows_of(items)
    contents = {
        "a.csv": delimited(items, ",").encode(),
        "a.tsv": delimited(items, "\t").encode(),
        "semicolons.csv": delimited(items, ";").encode(),
        "marked.csv": delimited(items, ",").encode("utf-8-sig"),
        "utf16.csv": delimited(items, ",").encode("utf-16"),
        "packed.csv.gz": gzip.compress(delimited(items, ",").encode()),
        "a.jsonl": "".join(json.dumps(row) + "\n" for row in rows).encode(),
        "a.ndjson": "".join(json.dumps(row, ensure_ascii=False) + "\r\n" for row in rows).encode(),
        "a.json": json.dumps(rows, indent=1).encode(),
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    frame = pl.DataFrame(rows, schema=dict.fromkeys(rows[0], pl.String))
    frame.write_parquet(folder / "a.parquet")
    frame.write_excel(folder / "a.xlsx", worksheet="items")
    return [*contents, "a.parquet", "a.xlsx"]


@settings(max_examples=40)
@given(items=item_lists())
def test_items_are_the_same_from_every_form_of_table(tmp_path_factory, items):
    folder = tmp_path_factory.mktemp("forms")
    for name in write_all(folder, items):
        assert read_items(str(folder / name))[0] == items, name


def refusal(source, **asked):
    """The one line with which a source is refused."""
    with pytest.raises(ValueError) as refused:
        read_items(str(source), **asked)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def written(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


# Lines


@pytest.mark.parametrize("name", ["items.txt", "items.md", "items", "items.txt.gz", "items.v2"])
def test_a_text_has_an_item_in_each_line_that_shows_something(name, tmp_path):
    content = "\r\none, two\n \u00a0\n{three}\r\n\u200b\n\n  four"
    data = gzip.compress(content.encode()) if name.endswith(".gz") else content.encode()
    items, said = read_items(written(tmp_path, name, data))
    assert items == [Item("1", "one, two"), Item("2", "{three}"), Item("3", "  four")]
    assert said == [
        f"3 items, one in each line of {tmp_path / name}.",
        "4 blank lines were left out; the ids count the others.",
    ]


def test_a_line_ends_at_a_line_end_and_nowhere_else(tmp_path):
    items, said = read_items(written(tmp_path, "a.txt", "a\u2028b\x0cc\x85d\x1ee\rf\n"))
    assert [item.text for item in items] == ["a\u2028b\x0cc\x85d\x1ee", "f"]
    assert len(said) == 1


def test_lines_of_a_text_file_stay_lines_whatever_they_hold(tmp_path):
    content = '{"id": "x", "text": "a"}\n{"id": "y", "text": "b"}\n'
    assert [item.text for item in read_items(written(tmp_path, "a.txt", content))[0]] == content.splitlines()


def test_a_first_line_that_would_name_a_separator_is_an_item(tmp_path):
    assert [item.text for item in read_items(written(tmp_path, "a.txt", "sep=;\na;b\n"))[0]] == ["sep=;", "a;b"]


@pytest.mark.parametrize(
    ("encoding", "found"),
    [
        ("utf-8", None),
        ("utf-8-sig", None),
        ("utf-16", "UTF-16"),
        ("utf-16-le", "UTF-16"),
        ("utf-32", "UTF-32"),
        ("cp1252", "Windows-1252"),
    ],
)
def test_lines_are_read_in_the_encodings_that_tables_are(encoding, found, tmp_path):
    text = "A first line in plain letters\nCafé\nThé\n"
    items, said = read_items(written(tmp_path, "a.txt", text.encode(encoding)))
    assert [item.text for item in items] == text.split("\n")[:-1]
    assert (said[0] == f"Read {tmp_path / 'a.txt'}: {found}.") == (found is not None)


def test_an_encoding_that_was_asked_for_is_used(tmp_path):
    path = written(tmp_path, "a.txt", "Café\nThé\n".encode("mac-roman"))
    reading = Reading(encoding="mac-roman")
    assert [item.text for item in read_items(path, reading=reading)[0]] == ["Café", "Thé"]
    assert str(reading) == "mac-roman"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "must hold at least 2 items. Got none."),
        (b"\n \n", "must hold at least 2 items. Got none."),
        (b"one\n\n", "must hold at least 2 items. Got 1."),
        (b"one\ntwo\r\nth\0ree\n", "line 3: must be text. Got a NUL."),
        ("é\n".encode() + b"\xe9\n", "line 2: must be text in UTF-8. Got the byte 0xe9."),
        (b"one\n\x81\n", "line 2: must be text in Windows-1252. Got the byte 0x81."),
        (b"PK\x03\x04 and more", "By its first bytes it is a zip file or an Excel workbook."),
        (b"\x1f\x8b\x08 cut off", "must be a whole gzip file."),
        (b"\xff\xfea\0\n\0b", "line 2: must be text in UTF-16."),
    ],
)
def test_what_is_wrong_with_a_text_is_said_in_one_line(content, said, tmp_path):
    assert said in refusal(written(tmp_path, "a.txt", content))


def test_a_file_that_is_not_there_is_said_in_one_line(tmp_path):
    assert "a.txt must be a file that can be read. Got: No such file or directory." in refusal(tmp_path / "a.txt")
    assert "a.csv must be a file. There is none of that name." in refusal(tmp_path / "a.csv")


# Tables


def test_the_text_may_be_any_column_and_the_ids_too(tmp_path):
    path = written(tmp_path, "a.csv", "name,Id,body\nx,1,hot\ny,2,cold\n")
    items, said = read_items(path, text="body")
    assert items == [Item("1", "hot", {"name": "x"}), Item("2", "cold", {"name": "y"})]
    assert said == [f"2 items, one in each row of {path}: ids are the column 'Id', texts the column 'body'."]
    assert read_items(path, id_column="name", text="body")[0][1] == Item("y", "cold", {"Id": "2"})
    assert read_items(path, id_column="name", text="name")[0][1] == Item("y", "y", {"Id": "2", "body": "cold"})


def test_the_text_is_the_column_called_so_or_the_only_other_one(tmp_path):
    both = written(tmp_path, "both.csv", "TEXT,other\na,1\nb,2\n")
    assert read_items(both)[0] == [Item("1", "a", {"other": "1"}), Item("2", "b", {"other": "2"})]
    only = written(tmp_path, "only.csv", "ID,body\nx,a\ny,b\n")
    assert read_items(only)[0] == [Item("x", "a"), Item("y", "b")]
    single = written(tmp_path, "single.csv", "joke\na\nb\n")
    items, said = read_items(single)
    assert items == [Item("1", "a"), Item("2", "b")]
    assert said[0].endswith("ids are the numbers of the rows, texts the column 'joke'.")
    exact = written(tmp_path, "exact.csv", "Text,text,ID,id\na,b,1,2\nc,d,3,4\n")
    assert read_items(exact)[0][1] == Item("4", "d", {"Text": "c", "ID": "3"})


def test_a_template_is_filled_once(tmp_path):
    path = written(tmp_path, "a.csv", 'id,a,b\n1,{b},"{0.x} {{a}} %s"\n2,,cold\n')
    items, said = read_items(path, text='{"{ a }": {b}, {a}}')
    assert items[0].text == '{"{b}": {0.x} {{a}} %s, {b}}'
    assert items[1] == Item("2", '{"": cold, }', {"a": None, "b": "cold"})
    assert said[1] == "1 of them leaves a place of the template empty."


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=5))
def test_a_template_puts_the_cells_in_its_places_as_they_are(rows):
    columns = item_columns("a.csv", ["a", "b"], id_column=None, text="<{b}|{a}|{b}>")
    frame = pl.DataFrame(rows, schema={"a": pl.String, "b": pl.String}, orient="row")
    assert columns.texts(frame) == ["<" + b + "|" + a + "|" + b + ">" for a, b in rows]


def test_a_column_may_be_called_as_a_template_is(tmp_path):
    path = written(tmp_path, "a.csv", "a,{a}\n1,x\n2,y\n")
    assert read_items(path, text="{a}")[0] == [Item("1", "x", {"a": "1"}), Item("2", "y", {"a": "2"})]


def test_numbers_lists_and_objects_are_text(tmp_path):
    rows = [{"id": 1, "text": ["é", 2]}, {"id": 2.0, "text": True, "more": {"x": None}}]
    path = written(tmp_path, "a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    expected = [Item("1", '["é", 2]', {"more": None}), Item("2", "true", {"more": '{"x": null}'})]
    assert read_items(path)[0] == expected


def test_a_key_that_only_comes_late_is_kept(tmp_path):
    rows = [{"id": number, "text": f"{number} {'x' * 500}"} for number in range(3000)] + [
        {"id": -1, "text": "x", "k": "v"}
    ]
    items, _ = read_items(written(tmp_path, "a.jsonl", "".join(json.dumps(row) + "\n" for row in rows)))
    assert items[0].rest == {"k": None}
    assert items[-1].rest == {"k": "v"}


def test_what_spreadsheets_add_is_left_out_and_said(tmp_path):
    path = written(tmp_path, "a.csv", "id;text;;\n1;a;;\n;;;\n2;b;;\n")
    items, said = read_items(path)
    assert items == [Item("1", "a"), Item("2", "b")]
    assert said[0] == f"Read {path}: separator ';', 2 empty columns left out, 1 blank row left out."


def test_any_text_file_is_a_table_if_its_columns_are_named(tmp_path):
    path = written(tmp_path, "a.txt", "id\tbody\nx\tone\ny\ttwo\n")
    assert read_items(path, text="body")[0] == [Item("x", "one"), Item("y", "two")]


@pytest.mark.parametrize(
    ("content", "asked", "said"),
    [
        ("id,text\n1,a\n", {}, "must hold at least 2 items. Got 1. Is it the right one?"),
        ("id,text\n", {}, "must have at least one row."),
        ("id,text\na,x\nb,y\na,z\n", {}, "row 3 (line 4): the id must be its own. Got 'a', as "),
        ("id,text\na,x\nb,y\n'a',z\na ,z\n", {}, "row 1 (line 2) has, but for blanks around it or how its accents"),
        (f"id,text\n{NFC},x\n{NFD},z\n", {}, f"row 2 (line 3): the id must be its own. Got '{NFD}', as "),
        (f"id,text\n{NFC},x\n\u00a0{NFD}\ufeff,z\n", {}, "row 1 (line 2) has, but for blanks"),
        ("id,text\na,x\n,y\n", {}, "row 2 (line 3): the id must not be empty."),
        ("id,text\na,x\n\u200b,y\n", {}, "row 2 (line 3): the id must not be empty."),
        ("id,text\na,x\nb,\n", {}, "row 2 (line 3): the item 'b' must have a text. Got an empty one."),
        ('id,text\na,x\nb," \n\t\u00a0"\n', {}, "row 2 (line 3): the item 'b' must have a text."),
        ("id,a,b\n1,x,y\n2, ,\n", {"text": "{a}: {b}"}, "row 2 (line 3): the item '2' must have a text."),
        ("id,text\na\x1b[31m,x\nb,y\n", {}, r"row 1 (line 2): the id must be one line without control characters."),
        ('id,text\n"a\nb",x\nb,y\n', {}, r"Got 'a\nb'. Rename it."),
        ("id,text\na\u2028b,x\nb,y\n", {}, r"Got 'a\u2028b'. Rename it."),
        (
            "id,title,body\n1,a,b\n",
            {},
            "must have a column of texts. Got 'title', 'body'. Add --text COL, or --text '{",
        ),
        ("id\n1\n2\n", {}, "must have a column of texts. Got only ids."),
        ("Text,TEXT\n1,2\n", {}, "must have one column called 'text'. Got 'Text', 'TEXT'. Add --text COL"),
        ("Id,ID,text\n1,2,3\n", {}, "must have one column called 'id'. Got 'Id', 'ID'. Add --id COL"),
        (
            "id,title\n1,a\n",
            {"text": "titel"},
            "must have the column 'titel'. Got 'id', 'title'. Did you mean 'title'?",
        ),
        ("id,title\n1,a\n", {"id_column": "key"}, "must have the column 'key'. Got 'id', 'title'."),
        ("id,title\n1,a\n", {"text": "{titel}: {id}"}, "which are 'id', 'title'. Got 'titel'. Did you mean 'title'?"),
        ("id,title\n1,a\n", {"text": "{title.__class__}"}, "which are 'id', 'title'. Got 'title.__class__'. Check"),
        ("id,title\n1,a\n", {"text": "{} {title}"}, "which are 'id', 'title'. Got ''."),
        ("id,title\n1,a\n", {"text": "{title"}, "must have the column '{title'."),
        ("id,id,text\n1,1,a\n", {}, "must have different column names. Got 'id' 2 times."),
    ],
)
def test_what_is_wrong_with_a_table_is_said_in_one_line(content, asked, said, tmp_path):
    assert said in refusal(written(tmp_path, "a.csv", content), **asked)


@pytest.mark.parametrize("column", ["id", "text", "more"])
def test_no_cell_may_hold_a_nul(column, tmp_path):
    rows = [{"id": "a", "text": "b", "more": "c"}, {"id": "d", "text": "e", "more": "f"}]
    rows[1][column] += "\0"
    path = written(tmp_path, "a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    assert f"row 2: column '{column}' must not hold a NUL." in refusal(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "must have an object in each line. It is empty."),
        ("{}\n{}\n", "must have a column of texts."),
        ('{"id": 1, "text": "a"}\n\n{"id": 2, "text": "b"}\n', "row 2: must not be blank."),
        ('{"id": 1, "text": "a"}\n{"id": 2, "text"', "row 2: must be JSON"),
        ('{"text": "a"}\n[1]\n', "row 2: must be a JSON object."),
        ('{"text": "\\ud800"}\n', "Got half a surrogate pair."),
        ('{"id": 1, "text": "a"}\n{"id": "1", "text": "b"}\n', "row 2: the id must be its own. Got '1', as "),
        ('{"id": 1, "text": "a"}\n{"id": 2}\n', "row 2: the item '2' must have a text."),
    ],
)
def test_what_is_wrong_with_lines_of_json_is_said_in_one_line(content, said, tmp_path):
    assert said in refusal(written(tmp_path, "a.jsonl", content))


# Folders


def test_a_folder_has_an_item_in_each_file(tmp_path):
    folder = tmp_path / "answers"
    (folder / "below").mkdir(parents=True)
    contents = {"b.txt": "two\nlines\r\n\n", "a": "\ufeffone ", "B.md": "three", ".hidden": "\0", "below/c": "four"}
    for name, content in contents.items():
        (folder / name).write_bytes(content.encode())
    (tmp_path / "secret").write_text("secret")
    (folder / "out").symlink_to(tmp_path / "secret")
    (folder / "within").symlink_to(folder / "below" / "c")
    (folder / "broken").symlink_to(folder / "nothing")
    (folder / "circle").symlink_to(folder / "circle")
    os.mkfifo(folder / "pipe")
    items, said = read_items(str(folder))
    expected = [Item("B.md", "three"), Item("a", "one "), Item("b.txt", "two\nlines"), Item("within", "four")]
    assert items == expected
    assert said == [
        f"4 items, one in each file of {folder}.",
        "Left out of it, as folders, links to elsewhere or no files: 5.",
    ]


def test_a_link_to_a_folder_beside_with_a_longer_name_leads_out(tmp_path):
    for name in ("in", "inside"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a").write_text("x")
    (tmp_path / "in" / "b").symlink_to(tmp_path / "inside" / "a")
    assert "must hold at least 2 items. Got 1." in refusal(tmp_path / "in")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("b.txt", b"caf\xe9", "b.txt must be UTF-8 text. Got the byte 0xe9."),
        ("b.png", b"\x89PNG\r\n", "b.png must be UTF-8 text. Got the byte 0x89."),
        ("b.txt", "x".encode("utf-16"), "b.txt must be UTF-8 text."),
        ("b.txt", b"x\0", "b.txt must be text. Got a NUL."),
        ("b.txt", b"x" * (LARGEST + 1), "b.txt must have at most 10 MB."),
        ("b.txt", b" \n", "b.txt: the item 'b.txt' must have a text."),
        ("b\n.txt", b"x", r"b\n.txt': the id must be one line without control characters."),
        (b"b\xff.txt", b"x", r"b\udcff.txt': the id must be text in UTF-8."),
        (f"{NFC}.txt", b"x", "the id must be its own."),
    ],
)
def test_what_is_wrong_with_a_file_of_a_folder_is_said_by_its_name(name, content, said, tmp_path):
    for other in ("a.txt", f"{NFD}.txt"):
        (tmp_path / other).write_text("fine")
    with open(os.path.join(os.fsencode(tmp_path), os.fsencode(name)), "wb") as file:
        file.write(content)
    assert said in refusal(tmp_path)


def test_a_folder_has_no_columns_and_is_not_empty(tmp_path):
    assert "must hold text files. Got none." in refusal(tmp_path)
    for asked in ({"text": "body"}, {"id_column": "key"}):
        assert f"--id and --text are for tables. Got the folder {tmp_path}." in refusal(tmp_path, **asked)


# Standard input


@pytest.fixture
def from_standard_input(monkeypatch):
    """Items and sentences, or the refusal, of what comes through a pipe that is standard input."""

    def found(content, **asked):
        read_end, write_end = os.pipe()
        with open(write_end, "wb") as pipe:
            pipe.write(content)
        with open(read_end) as standard_input:
            monkeypatch.setattr(sys, "stdin", standard_input)
            try:
                return read_items("-", **asked)
            except ValueError as refused:
                return str(refused)

    return found


def test_standard_input_is_lines_objects_or_a_table(from_standard_input):
    assert from_standard_input(b"one, two\n\nthree\n") == (
        [Item("1", "one, two"), Item("2", "three")],
        ["2 items, one in each line of standard input.", "1 blank line was left out; the ids count the others."],
    )
    objects = b'{"id": "a", "body": "x"}\n{"id": "b", "body": "y"}\n'
    for content, asked in [
        (objects, {}),
        (objects, {"text": "body"}),
        (gzip.compress(objects), {}),
        (objects.decode().encode("utf-16"), {}),
        (b"id,body\na,x\nb,y\n", {"text": "body"}),
        (b"id;body\na;x\nb;y\n", {"id_column": "id"}),
    ]:
        assert from_standard_input(content, **asked)[0] == [Item("a", "x"), Item("b", "y")]


def test_standard_input_is_refused_in_one_line(from_standard_input):
    assert from_standard_input(b"") == "standard input must hold at least 2 items. Got none. Is it the right one?"
    twice = from_standard_input(b'{"id": 1, "text": "a"}\n{"id": 1, "text": "b"}\n')
    assert twice == "standard input, row 2: the id must be its own. Got '1', as standard input, row 1 has. Change one."


# All of them


def test_equal_texts_are_allowed_and_counted(tmp_path):
    path = written(tmp_path, "a.txt", "x\ny\nx\nz\ny\nx\n")
    items, said = read_items(path)
    assert len(items) == 6
    assert said[1:] == ["3 items have the same text as one before: '3' that of '1'."]
    assert read_items(written(tmp_path, "b.txt", "x\nx\n"))[1][1].startswith("1 item has the same text")


def test_items_of_later_parts_keep_their_places(tmp_path):
    """A file of several blocks: a fault near its end is named by its own row."""
    rows = [f"k{number},{'x' * 200}\n" for number in range(1, 10_001)]
    rows[9_000] = "k17,y\n"
    said = refusal(written(tmp_path, "a.csv", "id,text\n" + "".join(rows)))
    assert "row 9001 (line 9002): the id must be its own. Got 'k17', as " in said
    assert "row 17 (line 18) has." in said


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.txt", "a.parquet"])
def test_a_hundred_thousand_items_are_read(name, tmp_path):
    frame = pl.DataFrame({"id": range(100_000)}).with_columns(
        text=pl.format("Ünique text number {}", "id"), a=pl.col("id") % 7, b=pl.lit("b")
    )
    write = {"a.csv": frame.write_csv, "a.jsonl": frame.write_ndjson, "a.parquet": frame.write_parquet}
    write.get(name, frame.select("text").write_csv)(tmp_path / name)
    items, _ = read_items(str(tmp_path / name))
    assert len(items) >= 100_000


# The question


def test_the_question_is_as_it_is_or_in_a_file(tmp_path):
    assert question_of("  Which is {better}? ") == "Which is {better}?"
    path = written(tmp_path, "ask.txt", "\ufeff\nWhich is @best?\nSay A or B.\n\n")
    assert question_of(f"@{path}") == "Which is @best?\nSay A or B."
    assert question_of(f"@{written(tmp_path, 'wide.txt', 'Où?'.encode('utf-16'))}") == "Où?"


@pytest.mark.parametrize("ask", ["", " \n", "@", "@ ", "@missing.txt", "@empty.txt", "@nul.txt", "a\0b", "@."])
def test_what_is_wrong_with_a_question_is_said_in_one_line(ask, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "empty.txt", " \n")
    written(tmp_path, "nul.txt", "a\0b")
    with pytest.raises(ValueError, match=r"^(--ask|missing\.txt|nul\.txt|\.).* must .*\. .*\.$") as refused:
        question_of(ask)
    assert "\n" not in str(refused.value)
