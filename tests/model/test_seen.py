"""Rows that were trained on are found, fresh ones never cry wolf, and little is kept of either."""

from importlib.resources import files

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordain.learn.linear import LinearRanker
from ordain.model import Model, Overlap, Seen, summed
from ordain.model.noticed import Noticed
from ordain.model.seen import KEPT, SAMPLE, salted
from ordain.prepare import Preparation

NUMBERS = st.floats(width=32) | st.sampled_from([0.0, -0.0, np.nan, -np.nan, 1.0, 2.0**-149])


def numbers(n, seed, width=4):
    return pl.DataFrame(np.random.default_rng(seed).normal(size=(n, width)))


def prepared(frame):
    return Preparation.learn(frame, np.arange(frame.height) % 2)


def sums(preparation, frame):
    return summed(column.codes(frame[column.name]) for column in preparation.columns)


def overlap(train, *parts, seed=0):
    """The share of the parts together that was trained on, as the sketch has it."""
    preparation = prepared(train)
    found = Overlap(Seen.learn(preparation, train, seed))
    for part in parts:
        found.add(sums(preparation, part))
    return found.share


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=2, max_size=12))
def test_rows_have_the_same_sum_where_they_are_the_same(rows):
    """All nan are one value, and so are both zeros."""
    found = summed(np.array(rows).T)
    same = [tuple("nan" if np.isnan(value) else float(np.float32(value)) for value in row) for row in rows]
    for i in range(len(rows)):
        for j in range(i):
            assert (found[i] == found[j]) == (same[i] == same[j])


def test_sums_depend_on_the_column_and_hashes_are_spread_evenly():
    first, second = summed(np.array([[1.0, 2.0], [2.0, 1.0]]))
    assert first != second
    hashes = salted(summed(np.arange(10**5, dtype=float)[None]), 7) / 2.0**64
    counts = np.histogram(hashes, bins=64, range=(0, 1))[0]
    assert np.abs(counts - 10**5 / 64).max() < 5 * np.sqrt(10**5 / 64)


def test_the_sketch_is_the_smallest_hashes_of_different_rows():
    train = numbers(5_000, 0)
    preparation = prepared(train)
    seen = Seen.learn(preparation, pl.concat([train, train[:50]]), 3)
    every = np.unique(salted(sums(preparation, train), seen.salt))
    assert list(seen.hashes) == every[:KEPT].tolist()
    assert Seen.from_json(seen.as_json()) == seen
    assert len(Seen.learn(preparation, train[:700], 3).hashes) == 700


def test_the_same_seed_and_rows_give_the_same_sketch_and_others_another():
    train = numbers(300, 0)
    preparation = prepared(train)
    seen = Seen.learn(preparation, train, 0)
    assert seen == Seen.learn(preparation, train, 0)
    for other in (Seen.learn(preparation, train, 1), Seen.learn(preparation, train[:299], 0)):
        assert other.salt != seen.salt
        assert not set(other.hashes) & set(seen.hashes)


@pytest.mark.parametrize("size", [40, 700, 20_000])
def test_shares_are_found(size):
    train, fresh = numbers(size, 0), numbers(size, 1)
    assert overlap(train, train) == 1
    assert overlap(train, train[: size // 2].sample(fraction=1, shuffle=True, seed=0)) == 1
    assert overlap(train, fresh) == 0
    half = overlap(train, train[: size // 2], fresh[: size // 2])
    assert abs(half - 0.5) < (0.08 if size > KEPT else 1e-9)
    assert overlap(train, fresh[: size // 2], train[: size // 2]) == half


def test_the_share_is_unbiased():
    """Over seeds, which draw other samples, the mean is the truth."""
    train, fresh = numbers(4_000, 0), numbers(4_000, 1)
    shares = [overlap(train, train[:1_000], fresh[:3_000], seed=seed) for seed in range(30)]
    assert abs(np.mean(shares) - 0.25) < 4 * np.std(shares) / np.sqrt(30) < 0.02


def test_fresh_applicants_do_not_cry_wolf_and_those_trained_on_are_found():
    applicants = pl.read_csv(files("ordain") / "data" / "german_credit.csv").drop("bad_risk")
    for seed in range(20):
        rows = np.random.default_rng(seed).permutation(1_000)
        train, new = applicants[rows[:700]], applicants[rows[700:]]
        assert overlap(train, new) == 0
        assert overlap(train, train) == 1
        assert overlap(train, new, train[:300]) == 0.5


@pytest.mark.parametrize("train", [30, 300, 3_000])
@pytest.mark.parametrize("new", [10, 30, 100, 3_000])
def test_rows_that_repeat_as_much_as_is_allowed_do_not_cry_wolf(train, new):
    """Drawn from so few different rows that about 5 % of those trained on equal another: so many fresh ones match."""
    alarms = kept = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        drawn = pl.DataFrame({"x": rng.integers(0, 20 * train, train + new)})
        preparation = prepared(drawn)
        seen = Seen.learn(preparation, drawn[:train], seed)
        if seen is not None:
            found = Overlap(seen)
            found.add(sums(preparation, drawn[train:]))
            kept, alarms = kept + 1, alarms + bool(found.share)
    assert kept >= 20
    assert alarms <= 1


@pytest.mark.parametrize("copies", [2, 10])
def test_nothing_is_kept_where_rows_repeat(copies):
    train = numbers(500, 0)
    assert Seen.learn(prepared(train), pl.concat([train] * copies), 0) is None
    some = pl.concat([train, train[:20]])
    assert Seen.learn(prepared(train), some, 0) is None
    assert Seen.learn(prepared(train), some[:510], 0) is not None


def test_one_frequent_row_does_not_cry_wolf_in_any_sample():
    """A row that is 4 % of both tables falls into the sample now and then, and counts once."""
    frequent = pl.DataFrame(np.zeros((800, 4)))
    train, fresh = (pl.concat([numbers(19_200, seed), frequent]) for seed in (0, 1))
    assert [overlap(train, fresh, seed=seed) for seed in range(40)] == [0] * 40


def test_a_long_table_is_looked_at_in_little_memory():
    train = numbers(300, 0)
    preparation = prepared(train)
    found = Overlap(Seen.learn(preparation, train, 0))
    for seed in range(1, 9):
        found.add(sums(preparation, numbers(20_000, seed)))
        assert len(found.sample) <= SAMPLE
    assert found.share == 0
    found = Overlap(Seen.learn(preparation, train, 0))
    for _ in range(50):
        found.add(sums(preparation, train))
    assert (len(found.sample), found.share) == (300, 1)


def test_a_handful_of_rows_is_too_few_to_tell():
    train = numbers(20_000, 0)
    assert not overlap(train, train[:5])
    assert overlap(train, numbers(1, 5)) is None


CITIES = ["Oslo", "Rome"] * 20
STRANGE = {"known": (CITIES, None), "rare": ([*CITIES, "Bonn"], "never or rarely seen")}


@pytest.mark.parametrize(("trained", "how"), STRANGE.values(), ids=STRANGE)
def test_values_never_seen_are_counted(trained, how):
    train = pl.DataFrame({"city": trained, "x": np.arange(len(trained)) % 7})
    preparation = prepared(train)
    labels = np.arange(train.height) % 2
    ranker = LinearRanker().fit(preparation.matrix(train, "linear"), labels)
    noticed = Noticed(Model(preparation, ranker, "y", "1"))
    for cities in (["Oslo", "Paris", None], ["Lima", "Rome", "Paris"]):
        noticed.add(["city", "x"], pl.DataFrame({"city": cities, "x": [1, 2, None]}))
    assert (noticed.rows, noticed.unseen["city"], noticed.trained_on) == (6, 3, None)
    assert noticed.notices == [f"Column 'city': 3 of 6 rows have a value {how or 'never seen'} in training."]
    fresh = Noticed(Model(preparation, ranker, "y", "1"))
    fresh.add(["city", "x"], pl.DataFrame({"city": ["Oslo", None], "x": [1, 2]}))
    assert fresh.notices == []
