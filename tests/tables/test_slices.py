"""Paths become slices of Parquet files: the files that are meant, the same columns in all, at least one row."""

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from ordain.tables.slices import is_pattern, slices


def written(path, **columns):
    path.parent.mkdir(exist_ok=True)
    pl.DataFrame(columns).write_parquet(path)
    return str(path)


def rows_of(where):
    return [row for part in slices(where) for row in part.frame().rows()]


def test_a_file_whose_name_looks_like_a_pattern_is_read_and_not_the_one_that_the_pattern_matches(tmp_path):
    meant = written(tmp_path / "part[1].parquet", x=[1, 2])
    assert rows_of(meant) == [(1,), (2,)]
    written(tmp_path / "part1.parquet", x=[3])
    assert rows_of(meant) == [(1,), (2,)] and not is_pattern(meant)


def test_a_folder_whose_name_looks_like_a_pattern_is_read(tmp_path):
    written(tmp_path / "year[2024]" / "b.parquet", x=[2])
    written(tmp_path / "year[2024]" / "a.parquet", x=[1])
    written(tmp_path / "year2" / "c.parquet", x=[3])
    assert rows_of(str(tmp_path / "year[2024]")) == [(1,), (2,)]
    assert rows_of(str(tmp_path / "year?" / "*")) == [(3,)]


def test_a_file_that_two_places_name_is_read_once(tmp_path):
    written(tmp_path / "a.parquet", x=[1])
    assert rows_of([str(tmp_path), str(tmp_path / "a.parquet"), str(tmp_path / "*.parquet")]) == [(1,)]


def test_files_without_a_row_are_refused_unless_another_has_some(tmp_path):
    empty, empty_too = (
        written(tmp_path / name, x=pl.Series([], dtype=pl.Int64)) for name in ("a.parquet", "b.parquet")
    )
    with pytest.raises(ValueError, match=r"a\.parquet and 1 more must have at least one row\. Got none"):
        slices([empty, empty_too])
    assert rows_of([empty, written(tmp_path / "c.parquet", x=[5])]) == [(5,)]


@pytest.mark.parametrize("damage", ["text", "cut", "name", "data"])
def test_a_file_that_is_not_whole_is_named_by_the_command_in_one_line(tmp_path, damage):
    columns = {"label": [0, 1] * 50, "score": list(range(100))}
    whole = Path(written(tmp_path / "a.parquet", **columns)).read_bytes()
    data = whole.index(b"\x28\xb5\x2f\xfd") + 5  # within what zstd made of a column
    bad = {
        "text": b"label,score\n1,2\n",
        "cut": whole[:-20],
        "name": whole.replace(b"label", b"l\xffbel"),
        "data": whole[:data] + bytes(8) + whole[data + 8 :],
    }[damage]
    (tmp_path / "b.parquet").write_bytes(bad)
    line = [sys.executable, "-m", "ordain", "evaluate", str(tmp_path), "--label", "label", "--score", "score"]
    ended = subprocess.run(line, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"ordain: {tmp_path}/b.parquet must be a whole Parquet file. Got: ")
    assert ended.stderr.endswith("rite it again.\n") and ended.stderr.count("\n") == 1


def test_a_folder_among_the_files_is_refused(tmp_path):
    written(tmp_path / "parts.parquet" / "0.parquet", x=[1])
    with pytest.raises(ValueError, match=r"parts\.parquet must be a Parquet file\. It is a folder\. Name its files: "):
        slices(str(tmp_path))
    assert rows_of(str(tmp_path / "parts.parquet")) == [(1,)]
    assert rows_of(str(tmp_path / "*.parquet" / "*.parquet")) == [(1,)]


def test_files_whose_columns_differ_are_refused_with_the_column(tmp_path):
    written(tmp_path / "a.parquet", x=[1], y=[1])
    for columns, column in (
        ({"x": [1], "y": [1.5]}, "'y'"),
        ({"x": [1]}, "'y'"),
        ({"y": [1], "x": [1]}, "'their order'"),
    ):
        written(tmp_path / "b.parquet", **columns)
        with pytest.raises(ValueError, match=f"same columns. Got .*b.parquet, where {column} differs"):
            slices(str(tmp_path / "*.parquet"))
