"""Summaries of the columns of parts: they add to that of all rows, and tell of it what all rows tell."""

from dataclasses import fields

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose

from ordain.prepare import Preparation, merged
from ordain.prepare.distinct import SMALLEST, Distinct
from ordain.prepare.frequent import Frequent
from ordain.prepare.suspects import unit_notices

ROWS = 1500


@pytest.fixture(scope="module")
def table():
    """Columns of every kind that says too little, and some that are of use."""
    rng, rows = np.random.default_rng(0), np.arange(ROWS)
    gaps = pl.Series(rng.random(ROWS) < 0.2)
    table = pl.DataFrame({
        "rising": 3 * rows + rows % 2, "falling": -2.0 * rows, "shuffled": rng.permutation(ROWS) - 700,
        "nearly": np.append(rng.permutation(ROWS)[:-1], 3), "halves": rows / 2, "years": 1990 + rows % 30,
        "real": rng.lognormal(sigma=3, size=ROWS), "large": rng.normal(size=ROWS) * 1e300, "flag": rows % 2 == 0,
        "rare": (rows == 1400).astype(int), "constant": np.full(ROWS, 7), "patient": rows // 3,
        "code": [f"{k:x}" for k in rows], "city": [f"city {k % 40}" for k in rows],
        "client id": [f"client {k // 2}" for k in rows], "same": ["a"] * ROWS,
        "day": pl.Series(rows).cast(pl.Date), "moment": pl.Series([0] * ROWS).cast(pl.Datetime),
        "empty": pl.Series([None] * ROWS, dtype=pl.Float64), "null": pl.Series([None] * ROWS),
        "none": pl.Series([None] * ROWS, dtype=pl.String),
    })  # fmt: skip
    for name in ("real", "city", "constant"):
        table = table.with_columns(table[name].set(gaps, None).alias(f"{name} with gaps"))
    return table


def parts(table, ends):
    return [table[start:end] for start, end in zip([0, *ends], [*ends, table.height], strict=True)]


def same(one, other):
    """Equal, means and squares to 1e-12."""
    assert type(one) is type(other)
    for of in fields(one):
        first, second = getattr(one, of.name), getattr(other, of.name)
        if of.name in ("mean", "squares", "ends"):
            assert_allclose(first, second, rtol=1e-12, atol=1e-15)
        else:
            assert first == second, of.name


@pytest.mark.parametrize("ends", [[700], [0, 1, 2, 2, 1499], list(range(1, ROWS, 7))], ids=["two", "odd", "many"])
def test_any_parts_of_the_rows_give_the_same_summary(table, ends):
    whole, found = merged.summary(table), merged.merged(*map(merged.summary, parts(table, ends)))
    for one, other in zip(found, whole, strict=True):
        same(one, other)
    by_twos = [merged.merged(*map(merged.summary, parts(half, [5]))) for half in parts(table, [800])]
    for one, other in zip(merged.merged(*by_twos), whole, strict=True):
        same(one, other)


def test_summaries_teach_what_all_rows_teach(table):
    labels = np.random.default_rng(1).random(ROWS) < 0.3
    known = merged.merged(*map(merged.summary, parts(table, [100, 101, 900])))
    there, here = Preparation.told(known, table, labels), Preparation.learn(table, labels)
    assert there.notices == here.notices
    assert merged.unit_notices(known) == unit_notices(table)
    for one, other in zip(there.columns, here.columns, strict=True):
        plain, expected = one.as_json(), other.as_json()
        for name in ("centre", "scale"):
            if name in expected:
                assert plain.pop(name) == pytest.approx(expected.pop(name), rel=1e-12, abs=1e-300)
        assert plain == expected


def test_the_number_of_different_values_errs_as_theory_says():
    """Exact below k, and relative errors with a deviation of 1/√(k - 2) above."""
    rng = np.random.default_rng(2)
    for count in (0, 1, SMALLEST - 1):
        assert Distinct.of_numbers(np.repeat(rng.normal(size=count), 3)).count == count
    errors = [
        Distinct.of_numbers(np.repeat(rng.normal(size=n), 2)).count / n - 1
        for n in (SMALLEST + 1, 20_000, 100_000, 1_000_000)
        for _ in range(5)
    ]
    assert np.abs(errors).max() < 4 / SMALLEST**0.5
    assert np.std(errors) < 1.5 / SMALLEST**0.5


def test_frequent_values_are_among_those_counted(monkeypatch):
    """Counts are too low by `missed` at most, which is at most n/(m + 1); a value with more rows is always there."""
    monkeypatch.setattr("ordain.prepare.frequent.MOST", 50)
    rng = np.random.default_rng(3)
    values = np.minimum(rng.zipf(1.3, 20_000), 10**9)
    true = dict(zip(*(of.tolist() for of in np.unique(values.astype(str), return_counts=True)), strict=True))
    for count in (1, 7, 200):
        frames = [pl.DataFrame({"value": part.astype(str)}) for part in np.array_split(values, count)]
        found = merged.merged(*map(merged.summary, frames))
        frequent = found[0].frequent
        assert len(frequent.rows) == 50 and 0 < frequent.missed <= len(values) / 51
        assert all(true[value] - frequent.missed <= rows <= true[value] for value, rows in frequent.rows.items())
        assert {value for value, rows in true.items() if rows > len(values) / 51} <= frequent.rows.keys()
        wanted = {"value": found[0].uncounted}
        counts = {"value": sum(merged.counted(frame, wanted)["value"] for frame in frames)}
        exact = merged.with_counts(found, counts)[0]
        assert exact.frequent == Frequent({value: true[value] for value in wanted["value"]})
        assert exact.uncounted == []


def test_texts_with_very_many_values_are_no_ids_if_each_has_many_rows(monkeypatch):
    monkeypatch.setattr("ordain.prepare.frequent.MOST", 50)
    rng = np.random.default_rng(4)
    frames = [pl.DataFrame({"value": rng.integers(0, 10_000, 5_000).astype(str)}) for _ in range(20)]
    known = merged.merged(*map(merged.summary, frames))
    wanted = {"value": known[0].uncounted}
    counts = {"value": sum(merged.counted(frame, wanted)["value"] for frame in frames)}
    column = merged.with_counts(known, counts)[0]
    assert column.identity(column.column) is None
    assert len(column.column.values) == 50 and column.column.other
