"""Parquet files as polars and pyarrow write them are let through; damaged ones never end the process."""

import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from damage import BYTES, damaged
from damaged_commands import votes, written

from ordain.tables.parquet_pages import check_pages
from ordain.tables.slices import slices

ABORTS = 190
"""The seed of a damage to a table of votes by which polars wants 2,305,843,009,213,693,944 bytes, and aborts."""


def table(rows):
    rng = np.random.default_rng(rows)
    return pl.DataFrame(
        {"number": rng.normal(size=rows), "text": rng.choice(["x", "yy", "é"], rows), "list": [[1, None]] * rows,
         "mixed": [{"a": 1.5, "b": "b" * (place % 40)} for place in range(rows)], "none": [None] * rows,
         "day": [None, 3] * (rows // 2) + [1] * (rows % 2)},
        schema_overrides={"day": pl.Date, "list": pl.List(pl.Int64), "mixed": pl.Struct({"a": float, "b": str})},
    )  # fmt: skip


@pytest.mark.parametrize("compression", ["zstd", "snappy", "gzip", "lz4", "brotli", "uncompressed"])
@pytest.mark.parametrize("rows", [0, 1, 5_001])
def test_what_polars_writes_is_let_through(tmp_path, rows, compression):
    table(rows).write_parquet(tmp_path / "a.parquet", compression=compression, row_group_size=2_000, data_page_size=512)
    check_pages(tmp_path / "a.parquet", "a")
    check_pages((tmp_path / "a.parquet").read_bytes(), "a")


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("dictionary", [True, False])
@pytest.mark.parametrize("rows", [0, 1, 5_001])
def test_what_pyarrow_writes_is_let_through(tmp_path, rows, dictionary, version):
    parquet = pytest.importorskip("pyarrow.parquet")
    more = {"write_page_index": True, "write_page_checksum": True, "data_page_size": 512, "row_group_size": 2_000}
    told = {"data_page_version": version, "use_dictionary": dictionary, **more}
    parquet.write_table(table(rows).drop("none").to_arrow(), tmp_path / "a.parquet", **told)
    check_pages(tmp_path / "a.parquet", "a")


def test_pages_by_which_polars_would_abort_are_refused(tmp_path):
    bad, _ = damaged(written(votes(), "parquet"), ABORTS, BYTES)
    (tmp_path / "votes.parquet").write_bytes(bad)
    line = [sys.executable, "-m", "ordain", "rank", "votes.parquet", "--judge", "judge"]
    ended = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == (
        "ordain: votes.parquet must be a whole Parquet file. Got: pages of column 'model_a' that cannot be. "
        "Copy or write it again.\n"
    )


def test_damage_is_never_anything_but_a_refusal_in_one_line():
    data, refused = written(table(300), "parquet"), 0
    for seed in range(3_000):
        bad, _ = damaged(data, seed, BYTES)
        try:
            check_pages(bad, "x")
        except ValueError as wrong:
            refused += 1
            assert str(wrong).startswith("x must be a whole Parquet file. Got: ") and "\n" not in str(wrong)
    assert refused > 2_000


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PAR1",
        b"PAR1PAR1PAR1",
        b"PAR1" + b"\x1c" * 5000 + b"\x88\x13\0\0PAR1",
        b"PAR1\x15" + b"\xff" * 5000 + b"\x89\x13\0\0PAR1",
    ],
)
def test_what_is_no_parquet_file_is_refused(tmp_path, data):
    (tmp_path / "a.parquet").write_bytes(data)
    for file in (data, tmp_path / "a.parquet"):
        with pytest.raises(ValueError, match="must be a whole Parquet file"):
            check_pages(file, "a")


def test_slices_for_workers_are_of_whole_files(tmp_path):
    bad, _ = damaged(written(votes(), "parquet"), ABORTS, BYTES)
    votes().write_parquet(tmp_path / "a.parquet")
    assert len(slices(str(tmp_path))) == 1
    (tmp_path / "b.parquet").write_bytes(bad)
    with pytest.raises(ValueError, match=r"b\.parquet must be a whole Parquet file"):
        slices(str(tmp_path))
