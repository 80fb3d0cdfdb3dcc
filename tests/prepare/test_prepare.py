"""Preparation: every cell's features from their definition, batches like the whole, and what is said about columns."""

import json
import math

import naive
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse
from strategies import EXTREMES

from ordain.prepare import Preparation
from ordain.prepare.column_kinds import FAR, KEPT_ROWS, KEPT_VALUES, LARGEST, Number, Text
from ordain.prepare.letter_bins import BINS
from ordain.prepare.suspects import SAMPLE, unit_notices
from ordain.prepare.text_counts import COUNTS
from ordain.prepare.word_column import Words
from ordain.rows.draw import drawn

cells = st.one_of(st.none(), st.sampled_from(EXTREMES), st.integers(-3, 3).map(float), st.floats(allow_infinity=False))
words = st.one_of(st.none(), st.sampled_from(["a", "b", "c", "", "é", "a "]), st.text(max_size=2))


@st.composite
def tables(draw, most=40):
    """Two columns of numbers and two of text, gaps and extremes among them, that are not refused."""
    n = draw(st.integers(6, most))
    numbers = [draw(st.lists(cells, min_size=n, max_size=n)) for _ in range(2)]
    texts = [draw(st.lists(words, min_size=n, max_size=n)) for _ in range(2)]
    base = pl.Series("base", [float(k % 5) for k in range(n)])
    return pl.DataFrame(
        [
            base,
            *(pl.Series(f"n{k}", values, pl.Float64) for k, values in enumerate(numbers)),
            *(pl.Series(f"t{k}", values, pl.String) for k, values in enumerate(texts)),
        ]
    )


def labels(frame):
    return np.arange(frame.height) % 2 == 0


def linear_row(preparation, training, row):
    """The features of one row, column by column."""
    features = []
    for column in preparation.columns:
        seen, cell = training[column.name].to_list(), row[column.name]
        number = isinstance(column, Number)
        features += naive.standard_score(seen, cell) if number else naive.indicators(seen, cell, KEPT_VALUES, KEPT_ROWS)
    return features


@settings(max_examples=40)
@given(tables())
def test_linear_features_are_as_defined(frame):
    preparation = Preparation.learn(frame, labels(frame))
    matrix = preparation.matrix(frame, "linear")
    matrix = matrix.toarray() if sparse.issparse(matrix) else matrix
    assert matrix.shape == (frame.height, len(preparation.features("linear")))
    assert np.isfinite(matrix).all()
    expected = [linear_row(preparation, frame, row) for row in frame.iter_rows(named=True)]
    assert_allclose(matrix, expected, rtol=1e-6, atol=1e-6)


@settings(max_examples=40)
@given(tables())
def test_codes_for_trees_are_as_defined(frame):
    preparation = Preparation.learn(frame, labels(frame))
    matrix = preparation.matrix(frame, "boosted")
    assert matrix.dtype == np.float32
    assert matrix.shape == (frame.height, len(preparation.names))
    for k, column in enumerate(preparation.columns):
        values = frame[column.name].to_list()
        if isinstance(column, Number):
            assert k not in preparation.categorical
            expected = [math.nan if naive.missing(x) else max(-LARGEST, min(LARGEST, x)) for x in values]
            np.testing.assert_array_equal(matrix[:, k], np.array(expected).astype(np.float32))
        else:
            assert k in preparation.categorical
            place = {word: code for code, word in enumerate(column.values)}
            expected = [math.nan if x is None else place.get(x, len(place)) for x in values]
            np.testing.assert_array_equal(matrix[:, k], expected)


@settings(max_examples=40)
@given(tables(), st.randoms(use_true_random=False))
def test_a_batch_has_the_features_it_has_in_the_whole(frame, lot):
    preparation = Preparation.learn(frame, labels(frame))
    rows = lot.sample(range(frame.height), lot.randint(0, frame.height))
    for learner in ("linear", "boosted"):
        whole, part = (preparation.matrix(table, learner) for table in (frame, frame[rows]))
        whole, part = (m.toarray() if sparse.issparse(m) else m for m in (whole, part))
        assert part.tobytes() == whole[rows].tobytes()


@settings(max_examples=40)
@given(tables())
def test_it_is_plain_data_and_comes_back(frame):
    preparation = Preparation.learn(frame, labels(frame))
    again = Preparation.from_json(json.loads(json.dumps(preparation.as_json())))
    assert again == preparation
    for learner in ("linear", "boosted"):
        ours, theirs = (one.matrix(frame, learner) for one in (preparation, again))
        assert (ours != theirs).sum() == np.isnan(ours.data if sparse.issparse(ours) else ours).sum()


@given(st.permutations(range(30)))
def test_values_do_not_depend_on_the_order_of_rows(order):
    series = pl.Series("t", [f"v{k % 7}" for k in range(30)])
    assert Text.learn(series[list(order)]) == Text.learn(series)


@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1.0, 1e300, 5e307])
@pytest.mark.parametrize("learner", ["linear", "boosted"])
def test_no_scale_overflows(scale, learner):
    training = pl.DataFrame({"x": np.array([0.0, 1, 2, 3, 1, 2]) * scale})
    preparation = Preparation.learn(training, labels(training))
    for table in (training, pl.DataFrame({"x": [1.7e308, -1.7e308, 5e-324, 0.0]})):
        matrix = preparation.matrix(table, learner)
        assert np.isfinite(matrix).all()
        assert np.abs(matrix).max() <= (FAR if learner == "linear" else LARGEST)
    if learner == "linear":
        assert_allclose(preparation.matrix(training, learner)[:, 0].std(), 1, rtol=1e-9)


def test_a_far_offset_keeps_its_digits():
    values = 1e8 + np.arange(100) / 100
    frame = pl.DataFrame({"x": values})
    standard = Preparation.learn(frame, labels(frame)).matrix(frame, "linear")[:, 0]
    assert_allclose(np.diff(standard), np.diff(standard).mean(), rtol=1e-4)


def test_what_training_did_not_show():
    frame = pl.DataFrame({"x": [1.0, 2, 1, 2, 3, 4], "t": ["a", "a", "a", "b", "b", "b"]})
    preparation = Preparation.learn(frame, labels(frame))
    new = pl.DataFrame({"x": [None, math.nan], "t": ["never", None]})
    np.testing.assert_array_equal(preparation.matrix(new, "linear"), np.zeros((2, 3)))
    assert np.isnan(preparation.matrix(new, "boosted")).all()


def test_rare_values_are_one_together_and_the_frequent_ones_are_kept():
    values = [f"v{k}" for k in range(150) for _ in range(3 + k // 10)] + ["one", "two", "two"]
    column = Text.learn(pl.Series("t", values))
    assert column.values == tuple(sorted(f"v{k}" for k in range(50, 150)))
    assert column.other
    assert_allclose(column.codes(pl.Series("t", ["one", "never", "v149"])), [100, 100, column.values.index("v149")])


@pytest.mark.parametrize("values", [40, 2])
def test_the_matrix_is_sparse_where_that_is_smaller(values):
    frame = pl.DataFrame({"x": np.arange(400.0) % 7, "t": [f"v{k % values}" for k in range(400)]})
    matrix = Preparation.learn(frame, labels(frame)).matrix(frame, "linear")
    assert sparse.issparse(matrix) == (values == 40)
    if values == 40:
        assert matrix.has_canonical_format or matrix.has_sorted_indices
        assert_allclose(matrix.sum(axis=1).A1 - matrix[:, 0].toarray()[:, 0], 1)


@pytest.mark.parametrize("kind", [pl.Int8, pl.UInt64, pl.Int64, pl.Float32, pl.Boolean])
def test_every_type_of_numbers_counts_as_its_float(kind):
    series = pl.Series("x", [0, 1, 1, None, 0, 1, 1]).cast(kind)
    frame, same = pl.DataFrame([series]), pl.DataFrame([series.cast(pl.Float64)])
    preparation = Preparation.learn(frame, labels(frame))
    assert preparation == Preparation.learn(same, labels(same))
    np.testing.assert_array_equal(preparation.matrix(frame, "boosted"), preparation.matrix(same, "boosted"))


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(["z", "a", "b"])])
def test_every_type_of_text_counts_as_its_string(kind):
    same = pl.DataFrame({"t": ["b", "a", "b", None, "a", "a", "b"]})
    frame = same.cast({"t": kind})
    preparation = Preparation.learn(frame, labels(frame))
    assert preparation == Preparation.learn(same, labels(same))
    np.testing.assert_array_equal(preparation.matrix(frame, "linear"), preparation.matrix(same, "linear"))


N = 400
RNG = np.random.default_rng(0)
Y = RNG.random(N) < 0.3
DROPPED = {
    "one value": ([7] * N, "constant"),
    "one word": (["x"] * N, "constant"),
    "nothing": ([None] * N, "every value is missing"),
    "only nan": ([math.nan] * N, "every value is missing"),
    "names": ([f"customer {k}" for k in range(N)], "hardly any value occurs twice"),
    "mostly names": ([f"customer {max(k, 20)}" for k in range(N)], "hardly any value occurs twice"),
    "pairs of names": ([f"customer {k // 2}" for k in range(N)], "hardly any value occurs twice"),
    "row numbers": (range(1, N + 1), "it numbers the rows"),
    "shuffled row numbers": (RNG.permutation(N) + 1000, "it numbers the rows"),
    "falling": (np.arange(N)[::-1].astype(float), "it numbers the rows"),
    "falling with gaps": (np.cumsum(RNG.integers(1, 5, N))[::-1], "it numbers the rows"),
    "ids with gaps": (np.cumsum(RNG.integers(1, 5, N)), "it numbers the rows"),
}
KEPT = {
    "measure": RNG.normal(size=N),
    "sorted measure": np.sort(RNG.normal(size=N)),
    "whole measure": RNG.integers(0, 100, N),
    "sorted whole measure": np.sort(RNG.integers(0, 1000, N)),
    "large amounts": RNG.choice(10**9, N, replace=False),
    "sorted large amounts": np.sort(RNG.choice(10**9, N, replace=False)),
    "sorted amounts": np.sort(RNG.choice(10**5, N, replace=False)),
    "as wide as the table": np.append(RNG.integers(0, N, N - 2), [0, N - 1]),
    "different but in no order": RNG.choice(2 * N, N, replace=False),
    "mostly missing": [1.0 if k % 9 == 0 else None for k in range(N)],
    "city": [f"city {k % 30}" for k in range(N)],
    "free text or none": ["" if k % 2 else f"note {k}" for k in range(N)],
}
LEAKS = {
    "label": Y,
    "complement": ~Y,
    "separates": np.where(Y, 5, -5) + RNG.normal(size=N) / 10,
    "word": np.where(Y, "yes", "no"),
    "words": [f"{'yes' if y else 'no'} {k % 4}" for k, y in enumerate(Y)],
    "filled afterwards": [1.0 + k % 3 if y else None for k, y in enumerate(Y)],
    "date afterwards": [f"day {k % 9}" if y else None for k, y in enumerate(Y)],
}


@pytest.mark.parametrize("name", DROPPED)
def test_columns_that_say_nothing_are_dropped_with_a_sentence(name):
    values, why = DROPPED[name]
    frame = pl.DataFrame({name: values, "measure": KEPT["measure"]}, strict=False)
    preparation = Preparation.learn(frame, Y)
    assert preparation.names == ["measure"]
    (notice,) = preparation.notices
    assert repr(name) in notice
    assert why in notice
    assert preparation.matrix(frame.drop(name), "linear").shape == (N, 1)


@pytest.mark.parametrize("name", KEPT)
def test_columns_that_may_say_something_are_kept_in_silence(name):
    """Beside another column: alone, any would be kept."""
    preparation = Preparation.learn(pl.DataFrame({name: KEPT[name], "another": KEPT["measure"]}), Y)
    assert preparation.names == [name, "another"]
    assert preparation.notices == ()


@pytest.mark.parametrize("name", LEAKS)
@pytest.mark.parametrize("graded", [False, True])
def test_columns_that_give_the_label_away_are_kept_with_a_warning(name, graded):
    truth = Y + 3.0 if graded else Y
    preparation = Preparation.learn(pl.DataFrame({name: LEAKS[name]}), truth)
    assert preparation.names == [name]
    (notice,) = preparation.notices
    assert repr(name) in notice
    assert "AUC" in notice


def test_a_leak_is_found_and_a_doubt_dispelled_among_many_rows():
    n = 40_000
    truth = np.arange(n) % 2 == 0
    looked_at = np.isin(np.arange(n), drawn(truth, SAMPLE)[0])
    doubtful = np.where(looked_at, truth, 0.5) + np.linspace(0, 0.1, n)  # right where the sample looks
    frame = pl.DataFrame({"leak": truth + np.linspace(0, 0.1, n), "doubtful": doubtful})
    (notice,) = Preparation.learn(frame, truth).notices
    assert "'leak'" in notice


NUMBERS = pl.DataFrame({"x": [1.0, 2, 3, 1], "t": ["a", "a", "a", "b"]})
WRONG = {
    "column 'x' must hold numbers.*'abc'": {"x": ["1", None, "abc"][2:], "t": ["a"]},
    "column 'x' must be finite or missing. Got inf": {"x": [math.inf], "t": ["a"]},
    "column 't' must hold text.*1.5": {"x": [1.0], "t": [1.5]},
}


@pytest.mark.parametrize("message", WRONG)
@pytest.mark.parametrize("learner", ["linear", "boosted"])
def test_wrong_cells_get_one_line(message, learner):
    preparation = Preparation.learn(NUMBERS, labels(NUMBERS))
    with pytest.raises(ValueError, match=message):
        preparation.matrix(pl.DataFrame(WRONG[message]), learner)


def test_columns_of_another_type_but_without_values_are_missing():
    preparation = Preparation.learn(NUMBERS, labels(NUMBERS))
    empty = pl.DataFrame({"x": [None], "t": [math.nan]}, schema={"x": pl.String, "t": pl.Float64})
    assert np.isnan(preparation.matrix(empty, "boosted")).all()


def test_whole_numbers_are_text_where_training_had_text():
    frame = pl.DataFrame({"t": ["1", "1", "1", "2", "2", "2"]})
    preparation = Preparation.learn(frame, labels(frame))
    new = pl.DataFrame({"t": [1, 2, 3]})
    np.testing.assert_array_equal(preparation.matrix(new, "boosted")[:, 0], [0, 1, math.nan])


def test_tables_that_teach_nothing_are_refused():
    with pytest.raises(ValueError, match=r"one column at least must be of use. Got Column 'x' is not used: constant"):
        Preparation.learn(pl.DataFrame({"x": [1, 1, 1]}), [0, 1, 0])
    with pytest.raises(ValueError, match="column 'when' must hold numbers, text"):
        Preparation.learn(pl.DataFrame({"when": [1, 2, 3]}).cast({"when": pl.Duration}), [0, 1, 0])
    preparation = Preparation.learn(NUMBERS, labels(NUMBERS))
    for ask in (preparation.features, lambda learner: preparation.matrix(NUMBERS, learner)):
        with pytest.raises(ValueError, match="learner must be linear or boosted"):
            ask("forest")


BROKEN = {
    "no columns": lambda plain: plain["columns"].clear(),
    "a column twice": lambda plain: plain["columns"].append(plain["columns"][0]),
    "a notice of numbers": lambda plain: plain["notices"].append(1),
    "an unknown kind": lambda plain: plain["columns"][1].update(kind="code"),
    "an extra field": lambda plain: plain["columns"][0].update(run="import os"),
    "a scale of zero": lambda plain: plain["columns"][0].update(scale=0.0),
    "a unit below zero": lambda plain: plain["columns"][0].update(unit=-1.0),
    "a centre of text": lambda plain: plain["columns"][0].update(centre="0"),
    "missing of 1": lambda plain: plain["columns"][0].update(missing=1),
    "no values": lambda plain: plain["columns"][1].update(values=[]),
    "values of numbers": lambda plain: plain["columns"][1].update(values=[1, 2]),
    "values twice": lambda plain: plain["columns"][1].update(values=["a", "a"]),
    "values out of order": lambda plain: plain["columns"][1].update(values=["b", "a"]),
    "too many values": lambda plain: plain["columns"][1].update(values=[f"{k:03}" for k in range(KEPT_VALUES + 1)]),
    "no notices": lambda plain: plain.pop("notices"),
}


@pytest.mark.parametrize("breaking", BROKEN.values(), ids=BROKEN)
def test_broken_plain_data_is_refused_in_one_line(breaking):
    plain = Preparation.learn(NUMBERS, labels(NUMBERS)).as_json()
    breaking(plain)
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        Preparation.from_json(plain)


@pytest.mark.parametrize("part", ["counts", "rarity", "bins"])
@pytest.mark.parametrize("wrong", [lambda of: of[1:], lambda of: [*of, 0.0], lambda of: [*of[1:], 1], lambda of: []])
def test_broken_weights_of_a_text_are_refused_in_one_line(part, wrong):
    lengths = {"counts": len(COUNTS) + 1, "rarity": BINS, "bins": BINS}
    plain = Words("text", *(tuple(0.5 for _ in range(length)) for length in lengths.values())).as_json()
    assert Words.from_json(plain).as_json() == plain
    plain[part] = wrong(plain[part])
    with pytest.raises(
        ValueError, match=rf"^column 'text' must have {lengths[part]} {part}\. Is the model file right\?$"
    ):
        Words.from_json(plain)


def test_a_column_that_counts_the_rows_is_used_where_no_other_is():
    count, labels = pl.Series("n", np.arange(60)), np.arange(60) % 3 == 0
    both = Preparation.learn(pl.DataFrame([count, pl.Series("x", np.arange(60) % 7)]), labels)
    assert both.names == ["x"]
    assert Preparation.learn(pl.DataFrame([count]), labels).names == ["n"]
    assert Preparation.learn(pl.DataFrame([count, pl.Series("same", [1] * 60)]), labels).names == ["n"]


@pytest.mark.parametrize(
    ("name", "repeats", "noticed"),
    [
        ("customer_id", 4, True), ("userId", 4, True), ("ID", 4, True), ("patient", 4, True), ("id_kunde", 4, True),
        ("customer_id", 1, False), ("paid", 4, False), ("void", 4, False), ("idea", 4, False), ("age", 4, False),
    ],
)  # fmt: skip
def test_a_column_that_names_the_unit_of_several_rows_is_noticed(name, repeats, noticed):
    found = unit_notices(pl.DataFrame({name: np.repeat(np.arange(50), repeats)}))
    assert len(found) == noticed
    assert all(f"--cluster {name} " in sentence for sentence in found)
