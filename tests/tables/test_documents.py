"""JSON arrays, ballots of PrefLib, and tables of any kind as text."""

import json
from datetime import date, datetime

import polars as pl
import pytest

from ordain import tables
from ordain.tables.batches import text_batches
from ordain.tables.loosely import as_text
from ordain.tables.reading import Reading


def test_an_array_of_objects_is_a_table(tmp_path):
    rows = [{"y": "no", "x": 1}, {"y": "yes", "x": 2.5}]
    (tmp_path / "rows.json").write_text(json.dumps(rows, indent=2))
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "lines.json").write_text((tmp_path / "rows.jsonl").read_text())
    for name in ("rows.json", "lines.json", "rows.jsonl"):
        columns = tables.read_columns(tmp_path / name, numbers=["x"], categories=["y"])
        assert columns.numbers["x"].tolist() == [1, 2.5]
        assert columns.categories["y"].values == ["no", "yes"]
        assert tables.read_features(tmp_path / name, categories=["y"])[1]["x"].to_list() == [1, 2.5]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'[{"x": 1}, 2]', "row 2: must be a JSON object. Got 2."),
        (b'[{"x": 1, "x": 2}]', "must have different keys. Got 'x' twice."),
        (b'[{"x": 1},\n {"x": }]', "must be JSON, an array of objects. Got: Expecting value in line 2, character 8."),
        (b'[{"x": "\xe9"}]', "must be UTF-8 text. Got the byte 0xe9."),
        (b'[{"x": "\\ud800"}]', "row 1: column 'x' must be text. Got half a surrogate pair."),
        (b"[" * 100_000, "must not be nested this deep."),
        (b'[{"x": [1]}]', "row 1: column 'x' must hold single values. Got a list."),
        (b'[{"x": 1}, {"y": 1}]', "row 2: must have the key 'x'. Got none."),
        (b"[]", "must have at least one row."),
    ],
)
def test_what_is_wrong_with_an_array_is_said_in_one_line(content, said, tmp_path):
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(ValueError) as refused:
        tables.read_columns(path, categories=["x"])
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_ballots_of_preflib_are_a_table(tmp_path):
    text = "# FILE NAME: x.toi\n# ALTERNATIVE NAME 1: a b\n# ALTERNATIVE NAME 12: c: d\n\n 2: {12, 1}\n1:12\n"
    for name in ("x.toi", "known-by-its-first-line"):
        (tmp_path / name).write_text(text)
        columns = tables.read_columns(tmp_path / name, numbers=["count"], categories=["order"])
        assert columns.numbers["count"].tolist() == [2, 1]
        assert columns.categories["order"].values == ['[["c: d", "a b"]]', '[["c: d"]]']


def test_every_cell_is_text_of_any_table(tmp_path):
    rows = [{"a": 1, "b": {"c": ["é"]}}, {"a": "x", "d": True}, {"a": 2.0, "b": None, "d": float("nan")}]
    (tmp_path / "x.json").write_text(json.dumps(rows))
    (batch,) = text_batches(tmp_path / "x.json", None, Reading())
    expected = [("1", '{"c": ["é"]}', None), ("x", None, "true"), ("2", None, None)]
    assert batch.frame.rows() == expected
    (batch,) = text_batches(tmp_path / "x.json", lambda names: list(names)[::-1], Reading())
    assert batch.frame.columns == ["d", "b", "a"]


@pytest.mark.parametrize(
    ("values", "kind", "text"),
    [
        ([1, None], pl.UInt8, ["1", None]),
        ([1.0, 0.5, float("nan"), None], pl.Float64, ["1", "0.5", None, None]),
        ([True, False], pl.Boolean, ["true", "false"]),
        (["b", "a"], pl.Categorical, ["b", "a"]),
        ([date(2024, 3, 31)], pl.Date, ["2024-03-31"]),
        ([datetime(2024, 3, 31, 17, 5)], pl.Datetime("ms"), ["2024-03-31 17:05:00.000"]),
        ([[1, 2], None], pl.List(pl.Int64), ["[1, 2]", None]),
        ([{"x": [0.5]}], pl.Struct({"x": pl.List(pl.Float64)}), ['{"x": [0.5]}']),
    ],
)
def test_a_column_of_any_type_is_text(values, kind, text):
    assert as_text(pl.Series("x", values, kind)).to_list() == text


def test_moments_are_those_of_greenwich():
    series = pl.Series([datetime(2024, 3, 31, 17, 5)]).dt.replace_time_zone("Asia/Tokyo")
    assert as_text(series).to_list() == ["2024-03-31 08:05:00.000000"]
