"""Rows of numbers for items: each item gets its own, or the file is refused in words that say what is wrong."""

import numpy as np
import polars as pl
import pytest

from ordain.tables.vectors import read_vectors

IDS = ["a", "b"]
ROWS = "must have a row of numbers for each of the 2 items, in their order. Got "
COLUMNS = "must have one column of lists of equal length, or columns of numbers, beside the ids. Got otherwise."


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (np.zeros((3, 2)), ROWS + "float64 of shape (3, 2)."),
        (np.zeros(2), ROWS + "float64 of shape (2,)."),
        (np.zeros((2, 0)), ROWS + "float64 of shape (2, 0)."),
        (np.array([["a"], ["b"]]), ROWS + "<U1 of shape (2, 1)."),
        (np.array([[1.0, 2.0], [3.0, np.nan]]), "must hold finite numbers. Got nan or inf for 'b'."),
    ],
)
def test_an_array_that_does_not_fit_the_items_is_refused(tmp_path, array, said):
    np.save(tmp_path / "v.npy", array)
    with pytest.raises(ValueError) as refused:
        read_vectors(str(tmp_path / "v.npy"), IDS)
    assert str(refused.value).startswith(f"{tmp_path / 'v.npy'} {said}")


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"key": IDS, "x": [1, 2]}, "must have a column called 'id'. Got 'key', 'x'. Rename one."),
        ({"id": ["a", "c"], "x": [1, 2]}, "must have every id of the items. It lacks 1, as 'b'."),
        ({"id": ["a", "b", "a"], "x": [1, 2, 3]}, "must have every id once. Got 'a' 2 times. Keep one."),
        ({"id": IDS, "x": ["red", "blue"]}, COLUMNS),
        ({"id": IDS, "x": [[1.0], [1.0, 2.0]]}, COLUMNS),
        ({"id": IDS, "x": [["red"], ["blue"]]}, COLUMNS),
        ({"id": IDS, "x": [[[1.0]], [[2.0]]]}, COLUMNS),
        ({"id": IDS, "x": pl.Series([None, None], dtype=pl.List(pl.Float64))}, COLUMNS),
        ({"id": IDS, "x": [{"y": 1}, {"y": 2}]}, COLUMNS),
        ({"id": IDS}, COLUMNS),
        ({"id": IDS, "x": [1.0, None]}, "must hold finite numbers. Got nan or inf for 'b'."),
        ({"id": IDS, "x": [[1.0, None], [1.0, 2.0]]}, "must hold finite numbers. Got nan or inf for 'a'."),
    ],
)
def test_a_table_that_does_not_fit_the_items_is_refused(tmp_path, columns, said):
    pl.DataFrame(columns).write_parquet(tmp_path / "v.parquet")
    with pytest.raises(ValueError) as refused:
        read_vectors(str(tmp_path / "v.parquet"), IDS)
    assert str(refused.value).startswith(f"{tmp_path / 'v.parquet'} {said}")


def test_every_item_gets_its_own_row_whatever_the_order_and_the_form(tmp_path):
    rows = np.random.default_rng(0).normal(size=(6, 3)).astype(np.float32)
    order = [4, 0, 5, 2]
    forms = [
        {"v": rows.tolist()},
        {"v": pl.Series(rows, dtype=pl.Array(pl.Float32, 3))},
        dict(zip("xyz", rows.T, strict=True)),
    ]
    for form in forms:
        pl.DataFrame({"id": range(6)} | form).write_parquet(tmp_path / "v.parquet")
        assert np.array_equal(read_vectors(str(tmp_path / "v.parquet"), [str(item) for item in order]), rows[order])
    np.save(tmp_path / "v.npy", rows[order])
    assert np.array_equal(read_vectors(str(tmp_path / "v.npy"), [str(item) for item in order]), rows[order])


def test_items_that_are_not_asked_for_need_no_numbers(tmp_path):
    columns = {"id": ["b", "c", "a", "c"], "x": [2.0, None, 1.0, None]}
    pl.DataFrame(columns).write_parquet(tmp_path / "v.parquet")
    assert read_vectors(str(tmp_path / "v.parquet"), IDS).tolist() == [[1.0], [2.0]]
