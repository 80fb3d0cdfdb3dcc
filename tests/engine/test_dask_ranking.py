"""Rows on workers ranked by a classifier of pairs: the order of one machine, with no row in the program that asks."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")

from ordain import PreferenceRanker  # noqa: E402
from ordain.preference import on_workers as asking  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


def table(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] + rng.normal(size=n) > 0.5).astype(int)


@pytest.fixture(scope="module")
def forest():
    X, y = table(80)
    return PreferenceRanker(RandomForestClassifier(20, random_state=0), pairs=300, random_state=0).fit(X, y)


@pytest.fixture(scope="module")
def linear():
    return PreferenceRanker(LogisticRegression()).fit(*table(80))


@pytest.mark.parametrize("sizes", [(150, 150), (1, 0, 199, 100), (60,) * 5], ids=str)
@pytest.mark.parametrize("method", ["quicksort", "degree"])
def test_the_order_is_that_of_one_machine(four, forest, sizes, method):
    X, _ = table(300, seed=1)
    spread = da.from_array(X, chunks=(sizes, (3,)))
    assert_array_equal(forest.rank(spread, method=method, seed=3), forest.rank(X, method=method, seed=3))


def test_a_linear_classifier_scores_them_where_they_are(four, linear):
    X, _ = table(300, seed=1)
    spread = da.from_array(X, chunks=(100, 3))
    assert_array_equal(linear.rank(spread, seed=3), linear.rank(X, seed=3))
    assert_allclose(linear.decision_function(spread).compute(), linear.decision_function(X), rtol=0, atol=1e-12)


def test_frames_and_files_are_ranked_too(four, tmp_path):
    X, y = table(300, seed=1)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    forest = PreferenceRanker(RandomForestClassifier(5, random_state=0), pairs=100, random_state=0).fit(
        frame[:80], y[:80]
    )
    for k in range(3):
        frame[100 * k : 100 * k + 100].assign(other=k).to_parquet(tmp_path / f"{k}.parquet")
    expected = forest.rank(frame, seed=0)
    assert_array_equal(forest.rank(dd.from_pandas(frame, npartitions=4), seed=0), expected)
    assert_array_equal(forest.rank(str(tmp_path), seed=0), expected)


def test_no_process_holds_all_rows(four, forest, monkeypatch):
    """Of other parts a worker is sent no more rows than it is asked pairs, and the program that asks none at all."""
    sent = []

    def gathered(tasks):
        found = four.__class__.gather(four, tasks)
        sent.extend(found)
        return found

    monkeypatch.setattr(four, "gather", gathered)
    X, _ = table(300, seed=1)
    forest.rank(da.from_array(X, chunks=(100, 3)), seed=3)
    assert sent
    assert all(np.ndim(of) <= 1 for of in sent)


def test_a_pair_is_answered_beside_the_row_that_fewer_pairs_name():
    pairs = np.array([[5, 0], [0, 6], [7, 0], [0, 8]])
    assert_array_equal(asking._rarer(pairs), [5, 6, 7, 8])


@pytest.mark.parametrize("options", [{"method": "window"}, {"budget": 10}, {"method": "best"}], ids=str)
def test_what_needs_all_rows_is_one_line(four, forest, options):
    X, _ = table(300, seed=1)
    with pytest.raises(ValueError, match="rows on workers are ranked without a budget, by quicksort, "):
        forest.rank(da.from_array(X, chunks=(100, 3)), **options)


def test_rows_that_do_not_fit_are_one_line(four, forest):
    X, _ = table(300, seed=1)
    with pytest.raises(ValueError, match="2 features"):
        forest.rank(da.from_array(X[:, :2], chunks=(100, 2)))
