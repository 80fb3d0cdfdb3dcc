"""The cuts of columns: quantiles of the definition, whoever has the rows, and those that XGBoost splits at."""

import threading
from collections import Counter
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from ordain.engine import Engine
from ordain.learn.cuts import cuts
from ordain.learn.growth import bins


class Threads(Engine):
    """Workers that are threads: each puts down what it has, waits for the others, and takes from all."""

    alone = False

    def __init__(self, rank, table, barrier):
        self.rank, self.table, self.barrier = rank, table, barrier

    def parts(self, x):
        self.table[self.rank] = x
        self.barrier.wait()
        found = list(self.table)
        self.barrier.wait()
        return found

    def sum(self, x):
        first, *others = self.parts(x)
        return sum(others, start=first)

    def max(self, x):
        return np.max(self.parts(x), axis=0)

    def min(self, x):
        return np.min(self.parts(x), axis=0)


def spread(work, parts):
    """What every worker gets, each having one of the parts."""
    table, barrier, found = [None] * len(parts), threading.Barrier(len(parts)), [None] * len(parts)

    def run(rank):
        try:
            found[rank] = work(parts[rank], Threads(rank, table, barrier))
        finally:
            if found[rank] is None:
                barrier.abort()

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(len(parts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def by_definition(values, times, most):
    """The values that are there; or those heavier than a bin, and of the others those at the places kW // c."""
    known = ~np.isnan(values)
    listed = np.sort(np.repeat(values[known].astype(np.float32) + np.float32(0), times[known])).tolist()
    counts, heavy = Counter(listed), set()
    if len(counts) <= most:
        return np.array(sorted(counts), np.float32)
    while True:
        rest, left = len(listed) - sum(counts[value] for value in heavy), most - len(heavy)
        more = {value for value in counts if counts[value] * left > rest} - heavy
        more = {
            value
            for value in more
            if counts[value] * 16 * most > len(listed) and counts[value] > len(listed) // (16 * most)
        }
        if not more or len(heavy | more) > most - 2:
            break
        heavy |= more
    light, parts = [value for value in listed if value not in heavy], most - len(heavy)
    found = {light[min(k * len(light) // parts, len(light) - 1)] for k in range(parts + 1)}
    return np.array(sorted(found | heavy), np.float32)


numbers = st.one_of(st.floats(width=32, allow_infinity=False), st.sampled_from([0.0, -0.0, 1.0, -1e-45, 3e38]))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(numbers, numbers, st.integers(1, 5)), min_size=1, max_size=60),
    st.integers(2, 9), st.integers(1, 4), st.booleans(),
)  # fmt: skip
def test_cuts_are_quantiles_wherever_the_rows_are(rows, most, workers, weighted):
    table = np.array(rows)
    times = table[:, 2].astype(int) if weighted else np.ones(len(rows), int)
    expected = [by_definition(column, times, most) for column in table.T[:2]]
    here = cuts([lambda k=k: table[:, k] for k in range(2)], times / 8 if weighted else None, most)
    for found, right in zip(here, expected, strict=True):
        assert_array_equal(found, right)
    parts = np.array_split(np.arange(len(rows)), min(workers, len(rows)))

    def work(part, engine):
        weights = times[part] / 8 if weighted else None
        return cuts([lambda k=k: table[part, k] for k in range(2)], weights, most, engine)

    for found in spread(work, parts):
        for mine, right in zip(found, expected, strict=True):
            assert_array_equal(mine, right)


@pytest.mark.parametrize("kind", ["array", "float32", "pandas", "polars"])
def test_xgboost_splits_at_the_cuts(kind):
    rng = np.random.default_rng(5)
    X = np.column_stack([rng.lognormal(size=900), rng.integers(0, 9, 900), np.where(rng.random(900) < 0.4, np.nan, 1)])
    X[::7, 0] = np.nan
    X = X.astype(np.float32) if kind == "float32" else X
    of = {"pandas": lambda: pytest.importorskip("pandas").DataFrame(X, columns=list("abc")),
          "polars": lambda: pl.DataFrame(X, schema=list("abc")).with_columns(pl.col("a").fill_nan(None))}  # fmt: skip
    if kind in of:
        pytest.importorskip("pyarrow")
    starts, values = bins(of.get(kind, lambda: X)(), max_bin=20).get_quantile_cut()
    for k, (start, end) in enumerate(pairwise(starts)):
        # XGBoost puts a number below the least value first, and one above the greatest last: this has no bin of its own
        # where there are more values than bins.
        expected = by_definition(X[:, k], np.ones(900, int), 20)
        assert_array_equal(values[start + 1 : end - 1], expected[1 : min(len(expected), 20)])


def test_categories_keep_their_codes():
    X = np.column_stack([np.arange(700.0), np.arange(700) % 401])
    starts, values = bins(X, categorical=[1], max_bin=16).get_quantile_cut()
    assert_array_equal(values[starts[1] : starts[2]], np.arange(401))
