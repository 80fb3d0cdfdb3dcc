"""Rankers on real clusters of two and four processes: the same as here, however the rows are spread."""

import os
import signal
import threading
import time
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")
pytest.importorskip("xgboost")

from ordain import BoostedRanker, LinearRanker, auc  # noqa: E402
from ordain.engine import cluster as clusters  # noqa: E402
from ordain.engine.spread import spread  # noqa: E402
from ordain.learn.on_dask import Part, _part, fit_parts  # noqa: E402
from ordain.measure.spread_area import spread_auc  # noqa: E402
from ordain.preference.on_workers import on_workers  # noqa: E402
from ordain.rank.play import play  # noqa: E402
from ordain.rank.quicksorts import quicksort  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def four():
    """One cluster for all tests."""
    with clusters.cluster("local:4") as client:
        yield client


def table(n=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = (X @ [1, 0.5, 0, -1] + rng.logistic(size=n) > 1).astype(int)
    return X, y, rng.integers(1, 4, n).astype(float), np.arange(n) % 37


def sorted_by_class():
    """Labels such that each worker sees one class only."""
    X, y, w, g = table()
    order = np.argsort(y, kind="stable")
    return X[order], y[order], w[order], g[order]


SPREADS = {
    "two": lambda: (table(), (300, 300)),
    "uneven": lambda: (table(), (1, 250, 49, 300)),
    "one empty": lambda: (table(), (200, 0, 200, 200)),
    "many": lambda: (table(), (60,) * 10),
    "a class each": lambda: (sorted_by_class(), None),
}


def spread_table(name):
    (X, y, w, g), sizes = SPREADS[name]()
    if sizes is None:
        ones = int(y.sum())
        sizes = (len(y) - ones - 100, 100, ones)
    arrays = [da.from_array(X, chunks=(sizes, (4,))), *(da.from_array(of, chunks=(sizes,)) for of in (y, w, g))]
    return (X, y, w, g), arrays


every_spread = pytest.mark.parametrize("name", SPREADS)


@every_spread
@pytest.mark.parametrize("options", [{}, {"reduction": "balanced"}, {"push": 2}], ids=str)
def test_weights_are_those_of_one_machine(four, name, options):
    (X, y, w, _), (DX, Dy, Dw, _) = spread_table(name)
    here = LinearRanker(tol=1e-12, alpha=1e-3, **options).fit(X, y, w)
    there = LinearRanker(tol=1e-12, alpha=1e-3, **options).fit(DX, Dy, Dw)
    assert_allclose(there.coef_, here.coef_, atol=1e-9)
    assert_allclose(there.intercept_, here.intercept_, atol=1e-8)
    assert_allclose(there.decision_function(DX).compute(), here.decision_function(X), atol=1e-8)
    assert_array_equal(there.classes_, here.classes_)


@pytest.mark.parametrize("name", ["two", "a class each"])
def test_groups_and_grades_that_are_spread(four, name):
    (X, y, w, g), (DX, Dy, Dw, Dg) = spread_table(name)
    here = LinearRanker(tol=1e-12, alpha=1e-3).fit(X, y, groups=g)
    there = LinearRanker(tol=1e-12, alpha=1e-3).fit(DX, Dy, groups=Dg)
    assert_allclose(there.coef_, here.coef_, atol=1e-9)
    grades, Dgrades = y + (X[:, 0] > 0), Dy + (DX[:, 0] > 0)
    here = LinearRanker(tol=1e-12, alpha=1e-3, graded=True).fit(X, grades, w)
    there = LinearRanker(tol=1e-12, alpha=1e-3, graded=True).fit(DX, Dgrades, Dw)
    assert_allclose(there.coef_, here.coef_, atol=1e-9)


def test_many_rows_start_from_the_same_draw(four):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60_000, 3))
    y = X[:, 0] + rng.logistic(size=len(X)) > 2
    here = LinearRanker(alpha="auto", tol=1e-12).fit(X, y)
    there = LinearRanker(alpha="auto", tol=1e-12).fit(da.from_array(X, chunks=(17_000, 3)), da.from_array(y, 17_000))
    assert there.alpha_ == here.alpha_
    assert_allclose(there.coef_, here.coef_, atol=1e-9)
    assert_allclose(there.intercept_, here.intercept_, atol=1e-7)


BOOSTED = {
    "pairs": {},
    "rows": {"reduction": "pointwise", "settings": {"subsample": 0.7, "colsample_bynode": 0.5, "max_bin": 32}},
    "stopped": {"early_stopping": 3, "n_estimators": 30, "max_depth": 2},
}


@pytest.mark.parametrize("kind", BOOSTED)
@pytest.mark.parametrize("name", ["two", "one empty", "a class each"])
def test_trees_are_those_of_one_machine(four, name, kind):
    (X, y, w, _), (DX, Dy, Dw, _) = spread_table(name)
    X, DX = np.where(X > 1.5, np.nan, X), da.where(DX > 1.5, np.nan, DX)
    options = {"n_estimators": 8, "random_state": 5, "n_jobs": 1, **BOOSTED[kind]}
    here, there = BoostedRanker(**options).fit(X, y, w), BoostedRanker(**options).fit(DX, Dy, Dw)
    assert there.n_iter_ == here.n_iter_
    assert_allclose(there.decision_function(X), here.decision_function(X), atol=1e-6)
    assert there.booster_.get_dump() == here.booster_.get_dump()


def measured(kinds, engine, parts, said):
    """The AUC of some scores, from every worker's part of the rows."""
    labels, scores, weights, groups = (np.concatenate(of) for of in zip(*parts, strict=True))
    options = {"weights": weights if "w" in kinds else None, "groups": groups if "g" in kinds else None}
    return spread_auc(labels, scores, **options, graded="d" in kinds, engine=engine)


@pytest.mark.parametrize("kinds", ["", "g", "d", "w", "wg", "wd"])
@pytest.mark.parametrize("ties", [False, True])
def test_auc_is_that_of_one_machine(four, kinds, ties):
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 5, 900) if "d" in kinds else rng.random(900) < 0.3
    scores = rng.integers(0, 20, 900).astype(float) if ties else rng.normal(size=900)
    weights, groups = rng.random(900), np.sort(rng.integers(0, 60, 900))
    ends = [0, *(np.flatnonzero(np.diff(groups))[[10, 30, 45]] + 1), 900]
    rows = [slice(a, b) for a, b in pairwise(ends)]
    codes = [np.unique(groups[at], return_inverse=True)[1] for at in rows]
    parts = [(labels[at], scores[at], weights[at], code) for at, code in zip(rows, codes, strict=True)]
    futures = [
        four.submit(tuple, part, workers=[home], pure=False) for part, home in zip(parts, workers(four), strict=True)
    ]
    found = spread(four, partial(measured, kinds), futures, topic=f"auc {kinds} {ties}")
    options = {"weights": weights if "w" in kinds else None, "groups": groups if "g" in kinds else None}
    expected = auc(labels, scores, graded="d" in kinds, **options)
    if "w" in kinds:
        assert found == pytest.approx(expected, rel=1e-12)
    else:
        assert found == expected


def workers(client):
    return sorted(client.scheduler_info(n_workers=-1)["workers"])


def test_wrong_input_is_one_line(four):
    (_, y, _, _), (DX, Dy, _, _) = spread_table("two")
    third = da.where(da.arange(600, chunks=((300, 300),)) == 500, 7, Dy)
    with pytest.raises(ValueError, match=r"labels must have two values\. Got 0, 1, 7, the third in partition 1\."):
        LinearRanker().fit(DX, third)
    with pytest.raises(ValueError, match="finite"):
        LinearRanker().fit(da.where(DX > 2, np.nan, DX), Dy)
    with pytest.raises(ValueError, match="as many partitions"):
        LinearRanker().fit(DX, Dy.rechunk(100))
    with pytest.raises(ValueError, match="must be collections of Dask"):
        LinearRanker().fit(DX, y)
    pd = pytest.importorskip("pandas")
    frames = [pd.DataFrame({"a": [0.0, 1], "b": [1.0, 2]}), pd.DataFrame({"a": [0.0, 1], "c": [1.0, 2]})]
    parts = [four.submit(lambda x: x, frame, pure=False) for frame in frames]
    parts = [four.submit(_part, part, np.array([0, 1]), None, None, None, pure=False) for part in parts]
    with pytest.raises(ValueError, match=r"partitions must have the same columns\. Got a, c in partition 1"):
        fit_parts(four, LinearRanker(), parts)


def test_frames_of_dask(four):
    dd, pd = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    X, y, _, _ = table()
    frame = pd.DataFrame(X, columns=list("abcd"))
    spread_frame = dd.from_pandas(frame.assign(y=y), npartitions=3)
    here = LinearRanker(tol=1e-12).fit(frame, y)
    there = LinearRanker(tol=1e-12).fit(spread_frame[list("abcd")], spread_frame["y"])
    assert_allclose(there.coef_, here.coef_, atol=1e-9)
    assert there.feature_names_in_.tolist() == list("abcd")
    scores = there.decision_function(spread_frame[list("abcd")]).compute()
    assert_allclose(scores, here.decision_function(frame), atol=1e-8)


def test_an_address_nobody_listens_at(monkeypatch):
    monkeypatch.setattr(clusters, "SECONDS", 1)
    for where in ("tcp://127.0.0.1:9", "nonsense", "local:0", "local:x"):
        with pytest.raises(ValueError, match=r"--dask .*Got '") as found, clusters.cluster(where):
            pass
        assert "\n" not in str(found.value)


def test_workers_of_another_version_are_refused(four, monkeypatch):
    monkeypatch.setattr(clusters, "__version__", "0.0.7")
    with pytest.raises(ValueError, match=r"every worker must have ordain 0\.0\.7\. Got version .* on tcp://127"):
        clusters.check_workers(four)


def read_again(path):
    return tuple(np.load(path)[name] for name in ("X", "y"))


def kept(path):
    return _part(*read_again(path), None, None, None)


@pytest.mark.parametrize("kind", ["linear", "boosted"])
def test_a_worker_killed_in_the_middle_changes_nothing(tmp_path, kind):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(40_000, 20))
    y = (X[:, 0] + rng.logistic(size=len(X)) > 1).astype(int)
    paths = []
    for k in range(4):
        paths.append(str(tmp_path / f"{k}.npz"))
        np.savez(paths[-1], X=X[k::4], y=y[k::4])
    order = np.concatenate([np.arange(k, len(X), 4) for k in range(4)])
    if kind == "linear":
        make = lambda: LinearRanker(tol=1e-12, alpha=1e-6)  # noqa: E731
    else:
        make = lambda: BoostedRanker(n_estimators=60, random_state=1, n_jobs=1)  # noqa: E731
    here = make().fit(X[order], y[order])
    with clusters.cluster("local:2") as client:
        pids = client.run(os.getpid)
        parts = [client.submit(kept, path, pure=False) for path in paths]
        state = {}

        def kill():
            while not client.get_events("killed"):
                time.sleep(0.01)
            state["said"], state["done"] = len(client.get_events("killed")), state.get("end")
            os.kill(next(iter(pids.values())), signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        there = fit_parts(client, make(), parts, topic="killed")
        state["end"] = True
        killer.join()
        assert state["said"] >= 1
        assert state["done"] is None  # it was in the middle
        assert len(client.get_events("killed")) > state["said"]  # and went on after that
        assert set(client.run(os.getpid).values()) != set(pids.values())
    assert_allclose(there.decision_function(X), here.decision_function(X), atol=1e-7)


def by_value(values, pairs):
    return (values[pairs[:, 0]] > values[pairs[:, 1]]).astype(float)


def test_quicksort_asks_the_workers(four):
    values = np.random.default_rng(2).permutation(300)
    prefer = partial(by_value, values)
    here = play(quicksort(300, np.random.default_rng(0)), prefer)
    there = play(quicksort(300, np.random.default_rng(0)), on_workers(prefer, size=50))
    assert_array_equal(there, here)
    assert_array_equal(values[there], np.arange(300)[::-1])


def test_data_that_is_gone_is_one_line():
    with clusters.cluster("local:1") as client:
        X, y, _, _ = table()
        (part,) = client.scatter([Part(X, y)])
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        while part.status == "finished":
            time.sleep(0.05)
        with pytest.raises(ValueError, match="data must be such that Dask can compute it again"):
            spread(client, measured, [part], topic="gone")
