"""Arrays and frames of numpy, pandas, polars and pyarrow hold the same numbers, and give the same results."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import ordain

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3))
GRADES = (X[:, 0] + RNG.normal(size=120)).round().astype(int)
Y = (GRADES > 0).astype(int)

COLUMNS = {
    "list": np.ndarray.tolist,
    "pandas": pd.Series,
    "polars": pl.Series,
    "pyarrow array": pa.array,
    "pyarrow chunks": lambda values: pa.chunked_array([values[:50], values[50:]]),
}
FRAMES = {
    "pandas": lambda values: pd.DataFrame(values, columns=list("abc")),
    "polars": lambda values: pl.DataFrame(values, list("abc")),
    "pyarrow": lambda values: pl.DataFrame(values, list("abc")).to_arrow(),
}
MEASURES = {
    "auc": lambda of: ordain.auc(of(Y), of(X[:, 0]), weights=of(X[:, 1] ** 2), groups=of(np.arange(120) % 4)),
    "auc of truth": lambda of: ordain.auc(of(Y > 0), of(X[:, 0])),
    "auc of words": lambda of: ordain.auc(of(np.where(Y > 0, "y", "n")), of(X[:, 0]), positive="y"),
    "auc of grades": lambda of: ordain.auc(of(GRADES), of(X[:, 0]), graded=True),
    "partial_auc": lambda of: ordain.partial_auc(of(Y), of(X[:, 0]), max_fpr=0.3),
    "top": lambda of: ordain.top(of(Y), of(X[:, 0]), 10),
    "ndcg": lambda of: ordain.ndcg(of(GRADES - GRADES.min()), of(X[:, 0]), k=10),
    "auc_interval": lambda of: ordain.auc_interval(of(Y), of(X[:, 0]), clusters=of(np.arange(120) // 2)),
    "compare_auc": lambda of: ordain.compare_auc(of(Y), of(X[:, 0]), of(X[:, 1])),
}
RANKERS = {
    "linear": lambda: ordain.LinearRanker(),
    "boosted": lambda: ordain.BoostedRanker(n_estimators=5, random_state=0),
    "preference": lambda: ordain.PreferenceRanker(random_state=0),
}


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("measure", MEASURES)
def test_columns_of_any_kind_measure_the_same(measure, kind):
    assert MEASURES[measure](COLUMNS[kind]) == MEASURES[measure](np.asarray)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow array", "pyarrow chunks"])
def test_what_is_missing_is_refused_in_one_line(kind):
    with pytest.raises(ValueError, match=r"labels must not be missing\. Got nan at position 2"):
        ordain.auc(COLUMNS[kind]([1, 0, None, 1]), [1.0, 2.0, 3.0, 4.0])


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("ranker", RANKERS)
def test_frames_of_any_kind_fit_and_score_the_same(ranker, kind):
    columns = COLUMNS["pyarrow chunks" if kind == "pyarrow" else kind]
    frame = FRAMES[kind](X)
    plain = RANKERS[ranker]().fit(X, Y, sample_weight=1 + Y)
    fitted = RANKERS[ranker]().fit(frame, columns(Y), sample_weight=columns(1 + Y))
    assert_array_equal(fitted.feature_names_in_, ["a", "b", "c"])
    assert_allclose(fitted.decision_function(frame), plain.decision_function(X), rtol=1e-9)
    assert fitted.score(frame, columns(Y)) == plain.score(X, Y) > 0.7
    turned = frame.select(["c", "b", "a"]) if kind != "pandas" else frame[["c", "b", "a"]]
    with pytest.raises(ValueError, match="feature names"):
        fitted.decision_function(turned)
