"""Rankers on real clusters of two and four processes: the same as here, however the rows are spread."""

import os
import signal
import threading
import time
from functools import partial
from itertools import cycle, pairwise

import numba
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone

distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")
delayed = pytest.importorskip("dask").delayed
pytest.importorskip("xgboost")

from ordain import BoostedRanker, LinearRanker, auc  # noqa: E402
from ordain.engine import cluster as clusters  # noqa: E402
from ordain.engine import spread as spreading  # noqa: E402
from ordain.engine.spread import last_said, spread  # noqa: E402
from ordain.learn.on_dask import _part, fit_parts  # noqa: E402
from ordain.measure.spread_area import spread_auc  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


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
FEW = ("two", "one empty", "a class each")
"""Spreads that are tried with two workers too."""


def with_two_too(*names):
    """All these with four workers, and those of the few with two."""
    return pytest.mark.parametrize("size, name", [(4, name) for name in names] + [(2, name) for name in FEW])


@with_two_too(*SPREADS)
@pytest.mark.parametrize("options", [{}, {"reduction": "balanced"}, {"push": 2}], ids=str)
def test_weights_are_those_of_one_machine(client, name, options):
    (X, y, w, _), (DX, Dy, Dw, _) = spread_table(name)
    here = LinearRanker(tol=1e-12, alpha=1e-3, **options).fit(X, y, w)
    there = LinearRanker(tol=1e-12, alpha=1e-3, **options).fit(DX, Dy, Dw)
    assert_allclose(there.coef_, here.coef_, rtol=0, atol=1e-9)
    assert_allclose(there.intercept_, here.intercept_, rtol=0, atol=1e-8)
    assert_allclose(there.decision_function(DX).compute(), here.decision_function(X), rtol=0, atol=1e-8)
    assert_array_equal(there.classes_, here.classes_)


@pytest.mark.parametrize("name", ["two", "a class each"])
def test_groups_and_grades_that_are_spread(four, name):
    (X, y, w, g), (DX, Dy, Dw, Dg) = spread_table(name)
    here = LinearRanker(tol=1e-12, alpha=1e-3).fit(X, y, groups=g)
    there = LinearRanker(tol=1e-12, alpha=1e-3).fit(DX, Dy, groups=Dg)
    assert_allclose(there.coef_, here.coef_, rtol=0, atol=1e-9)
    grades, Dgrades = y + (X[:, 0] > 0), Dy + (DX[:, 0] > 0)
    here = LinearRanker(tol=1e-12, alpha=1e-3, graded=True).fit(X, grades, w)
    there = LinearRanker(tol=1e-12, alpha=1e-3, graded=True).fit(DX, Dgrades, Dw)
    assert_allclose(there.coef_, here.coef_, rtol=0, atol=1e-9)


def in_units():
    """Rows in 150 groups of four, whose rows are far apart, and the same with names."""
    X, y, w, _ = table()
    units = np.random.default_rng(8).permutation(np.arange(600) % 150)
    return (X, y, w, units), np.array([f"unit {unit}" for unit in units])


def dealt_out(*arrays):
    return [da.from_array(of, chunks=((200, 150, 250), *of.shape[1:])) for of in arrays]


@pytest.mark.parametrize("unit", ["groups", "clusters"])
def test_the_penalty_is_chosen_by_the_same_folds_of_units(four, unit):
    (X, y, w, _), names = in_units()
    DX, Dy, Dw, Dnames = dealt_out(X, y, w, names)
    here = LinearRanker(alpha="auto", tol=1e-12).fit(X, y, w, **{unit: names})
    there = LinearRanker(alpha="auto", tol=1e-12).fit(DX, Dy, Dw, **{unit: Dnames})
    assert there.alpha_ == here.alpha_
    assert_allclose(there.coef_, here.coef_, rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", ["groups", "clusters", "grades", "many grades", "weights"])
def test_the_same_rows_are_held_out(four, kind):
    (X, y, w, units), _ = in_units()
    labels = {"grades": y * (1 + (X[:, 0] > 0)), "many grades": np.round(7 * X[:, 0])}.get(kind, y)
    own = {kind: units} if kind in ("groups", "clusters") else {}
    own |= {"sample_weight": w} if kind == "weights" else {}
    spread_own = {name: dealt_out(of)[0] for name, of in own.items()}
    options = {"early_stopping": 3, "n_estimators": 20, "max_depth": 2, "random_state": 5, "n_jobs": 1}
    options["graded"] = "grades" in kind
    here = BoostedRanker(**options).fit(X, labels, **own)
    there = BoostedRanker(**options).fit(*dealt_out(X, labels), **spread_own)
    assert there.n_iter_ == here.n_iter_
    assert there.booster_.get_dump() == here.booster_.get_dump()


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
def test_many_rows_start_from_the_same_draw(four, form):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60_000, 3))
    y = X[:, 0] + rng.logistic(size=len(X)) > 2
    here = LinearRanker(alpha="auto", tol=1e-12).fit(form(X), y)
    DX = da.from_array(X, chunks=(17_000, 3)).map_blocks(form)
    there = LinearRanker(alpha="auto", tol=1e-12).fit(DX, da.from_array(y, 17_000))
    assert there.alpha_ == here.alpha_
    assert_allclose(there.coef_, here.coef_, rtol=0, atol=1e-9)
    assert_allclose(there.intercept_, here.intercept_, rtol=0, atol=1e-7)


@pytest.mark.parametrize("kinds", [3, 33])
def test_the_penalty_of_few_and_of_many_grades_is_that_of_one_machine(four, kinds):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(12_000, 2))
    grades = np.clip(np.round((X[:, 0] + rng.normal(size=len(X)) + 3) * kinds / 6), 0, kinds - 1).astype(int)
    assert len(np.unique(grades)) == kinds
    here = LinearRanker("squared", alpha="auto", tol=1e-12, graded=True).fit(X, grades)
    DX, Dgrades = da.from_array(X, chunks=(3500, 2)), da.from_array(grades, 3500)
    there = LinearRanker("squared", alpha="auto", tol=1e-12, graded=True).fit(DX, Dgrades)
    assert there.alpha_ == here.alpha_
    assert_allclose(there.coef_, here.coef_, rtol=0, atol=1e-9)


BOOSTED = {
    "pairs": {},
    "rows": {"reduction": "pointwise", "settings": {"subsample": 0.7, "colsample_bynode": 0.5, "max_bin": 32}},
    "best leaf next": {"reduction": "pointwise", "settings": {"grow_policy": "lossguide", "max_leaves": 9}},
    "stopped": {"early_stopping": 3, "n_estimators": 30, "max_depth": 2},
}


@pytest.mark.parametrize("kind", BOOSTED)
@with_two_too(*FEW)
def test_trees_are_those_of_one_machine(client, name, kind):
    (X, y, w, _), (DX, Dy, Dw, _) = spread_table(name)
    X, DX = np.where(X > 1.5, np.nan, X), da.where(DX > 1.5, np.nan, DX)
    options = {"n_estimators": 8, "random_state": 5, "n_jobs": 1, **BOOSTED[kind]}
    here, there = BoostedRanker(**options).fit(X, y, w), BoostedRanker(**options).fit(DX, Dy, Dw)
    assert there.n_iter_ == here.n_iter_
    assert_allclose(there.decision_function(X), here.decision_function(X), rtol=0, atol=1e-6)
    assert there.booster_.get_dump() == here.booster_.get_dump()


WEIGHTLESS = {"linear": LinearRanker(tol=1e-12, alpha=1e-3)} | {
    kind: BoostedRanker(**{"n_estimators": 8, "random_state": 5, "n_jobs": 1, **options})
    for kind, options in BOOSTED.items()
}


@pytest.mark.parametrize("kind", WEIGHTLESS)
@pytest.mark.parametrize("name", ["uneven", "one empty"])
def test_rows_that_weigh_nothing(four, name, kind):
    """Of the partition of one row nothing is left, and numbers go on where they would here."""
    (X, y, _, _), (DX, Dy, Dw, _) = spread_table(name)
    w = np.random.default_rng(9).integers(0, 3, 600)
    w[0] = 0
    here = clone(WEIGHTLESS[kind]).fit(X, y, w)
    there = clone(WEIGHTLESS[kind]).fit(DX, Dy, da.from_array(w, chunks=Dw.chunks))
    if kind == "linear":
        assert_allclose(there.coef_, here.coef_, rtol=0, atol=1e-9)
    else:
        assert there.booster_.get_dump() == here.booster_.get_dump()
    assert_allclose(there.decision_function(X), here.decision_function(X), rtol=0, atol=1e-6)


def test_grades_and_groups_of_rows_that_weigh_nothing(four):
    (X, y, _, _), names = in_units()
    w, grades = np.random.default_rng(9).integers(0, 3, 600) * (names != "unit 7"), np.where(names == "unit 7", 3, y)
    options = {"early_stopping": 3, "n_estimators": 20, "max_depth": 2, "random_state": 5, "n_jobs": 1, "graded": True}
    here = BoostedRanker(**options).fit(X, grades, w, groups=names)
    DX, Dgrades, Dw, Dnames = dealt_out(X, grades, w, names)
    there = BoostedRanker(**options).fit(DX, Dgrades, Dw, groups=Dnames)
    assert_array_equal(there.classes_, here.classes_)
    assert there.booster_.get_dump() == here.booster_.get_dump()


@pytest.mark.parametrize("ranker", [LinearRanker(reduction="pointwise"), BoostedRanker()], ids=["linear", "boosted"])
def test_weights_that_are_all_zero_are_one_line(four, ranker):
    _, (DX, Dy, Dw, _) = spread_table("two")
    with pytest.raises(ValueError, match=r"weights must not all be zero\. Got nothing else\."):
        clone(ranker).fit(DX, Dy, 0 * Dw)


def measured(kinds, engine, parts, said):
    """The AUC of some scores, from every worker's part of the rows."""
    labels, scores, weights, groups = (np.concatenate(of) for of in zip(*parts, strict=True))
    groups = np.unique(groups, return_inverse=True)[1]
    options = {"weights": weights if "w" in kinds else None, "groups": groups if "g" in kinds else None}
    return spread_auc(labels, scores, **options, graded="d" in kinds, engine=engine)


@pytest.mark.parametrize("kinds", ["", "g", "d", "w", "wg", "wd"])
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("size, parts", [(4, "uneven"), (4, "a class missing"), (4, "one empty"), (2, "one empty")])
def test_auc_is_that_of_one_machine(client, kinds, ties, size, parts):
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 5, 900) if "d" in kinds else rng.random(900) < 0.3
    scores = rng.integers(0, 20, 900).astype(float) if ties else rng.normal(size=900)
    weights, groups = rng.random(900), np.sort(rng.integers(0, 60, 900))
    ends = [0, *(np.flatnonzero(np.diff(groups))[[10, 30, 45]] + 1), 900] + [900] * (parts == "one empty")
    if parts == "a class missing":
        labels[ends[1] : ends[2]] = 0
    futures = [
        client.submit(tuple, [of[a:b] for of in (labels, scores, weights, groups)], workers=[home], pure=False)
        for (a, b), home in zip(pairwise(ends), cycle(workers(client)), strict=False)
    ]
    found = spread(client, partial(measured, kinds), futures, topic=f"auc {kinds} {ties} {parts}")
    options = {"weights": weights if "w" in kinds else None, "groups": groups if "g" in kinds else None}
    expected = auc(labels, scores, graded="d" in kinds, **options)
    if "w" in kinds:
        assert found == pytest.approx(expected, rel=1e-12)
    else:
        assert found == expected


def threads(engine, parts, said):
    return numba.get_num_threads()


def test_a_worker_of_one_thread_sums_with_one(four):
    """More would wait for those of the other workers; a machine of one core has one in any case."""
    part = four.submit(tuple, [0], pure=False)
    assert four.submit(threads, None, None, None).result() == os.cpu_count()
    assert spread(four, threads, [part], topic="threads") == 1


def workers(client):
    return clusters.workers_of(client)


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


def some(values, where, other):
    """Dask's array with another value in some places."""
    return da.map_blocks(lambda of, at: np.where(at, other, of.astype(object)), values, where, dtype=object)


STOPPED = BoostedRanker(early_stopping=2)
WRONG = {
    r"as many rows in each partition\. Got \[200, 300\]\. It is in partition 0\.": lambda X, y, w, g: (
        LinearRanker().fit(X, y.rechunk(((200, 400),)))
    ),
    r"X must hold numbers\. Got otherwise: .* It is in partition 1\.": lambda X, y, w, g: LinearRanker().fit(
        some(X, (X - X[400, 0]) == 0, "red"), y
    ),
    r"weights must be finite and not negative\. Got -3\.0 in partition 0\.": lambda X, y, w, g: LinearRanker().fit(
        X, y, da.where(w > 2, -w, w)
    ),
    r"weights must be finite and not negative\. Got inf in partition 0\.": lambda X, y, w, g: BoostedRanker().fit(
        X, y, da.where(w > 2, np.inf, w)
    ),
    r"labels must contain two classes\. Got \[1\]\. Is it the right column\?": lambda X, y, w, g: LinearRanker().fit(
        X, 0 * y + 1
    ),
    r"groups and clusters must not be missing\. Got nan\.": lambda X, y, w, g: LinearRanker().fit(
        X, y, groups=da.where(g == 3, np.nan, g)
    ),
    r"groups must be all text or all numbers\. Got a mixture\.": lambda X, y, w, g: LinearRanker().fit(
        X, y, groups=some(g, g == 3, "three")
    ),
    r"rows on many workers may have groups or clusters\. Got both\.": lambda X, y, w, g: BoostedRanker(
        early_stopping=2
    ).fit(X, y, groups=g, clusters=g),
    r"a group with both classes must exist": lambda X, y, w, g: LinearRanker().fit(
        X, y, groups=da.arange(600, chunks=300)
    ),
}


@pytest.mark.parametrize("words", WRONG)
def test_what_is_wrong_about_a_partition_is_one_line(four, words):
    with pytest.raises(ValueError, match=words) as found:
        WRONG[words](*spread_table("two")[1])
    assert "\n" not in str(found.value)


def test_a_worker_without_rows_to_hold_out_is_one_line(four):
    """A fifth is held out: with three rows each, not every worker has one of them, wherever the parts are."""
    DX, Dy = da.from_array(np.arange(12.0)[:, None], (3, 1)), da.from_array(np.arange(12) % 2, 3)
    with pytest.raises(ValueError, match=r"^every worker must have rows to learn from, and rows that are held out\. "):
        BoostedRanker(early_stopping=2).fit(DX, Dy)


def test_an_auc_without_a_pair_is_refused_on_every_worker(four):
    parts = [[np.full(9, kind), np.arange(9.0), np.ones(9), np.full(9, kind)] for kind in (0, 1)]
    futures = four.scatter([tuple(part) for part in parts])
    with pytest.raises(ValueError, match=r"^a group with both classes must exist\. Got none"):
        spread(four, partial(measured, "g"), futures, topic="auc of nothing")


def two_rows(name):
    import pandas as pd

    return pd.DataFrame({"a": [0.0, 1], name: [1.0, 2]})


@pytest.mark.parametrize("ranker", [LinearRanker(), BoostedRanker()], ids=["linear", "boosted"])
def test_frames_whose_columns_differ_are_one_line(four, ranker):
    dd, pd = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    frame = dd.from_delayed([delayed(two_rows)(name) for name in "bc"], meta=two_rows("b"), verify_meta=False)
    y = dd.from_pandas(pd.Series([0, 1, 1, 0]), npartitions=2)
    must = r"^partitions must have the same columns\. Got a, c in partition 1, a, b in the first\. Write them again\.$"
    with pytest.raises(ValueError, match=must):
        clone(ranker).fit(frame, y)


FRAMED = {
    "linear": (LinearRanker(tol=1e-12), 1e-8),
    "boosted": (BoostedRanker(n_estimators=8, random_state=5, n_jobs=1), 1e-6),
}


@pytest.mark.parametrize("kind", FRAMED)
def test_frames_of_dask(four, kind):
    dd, pd = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    (X, y, _, _), (ranker, error) = table(), FRAMED[kind]
    frame = pd.DataFrame(X, columns=list("abcd"))
    spread_frame = dd.from_pandas(frame.assign(y=y), npartitions=3)
    here = clone(ranker).fit(frame, y)
    there = clone(ranker).fit(spread_frame[list("abcd")], spread_frame["y"])
    assert there.feature_names_in_.tolist() == list("abcd")
    if kind == "linear":
        assert_allclose(there.coef_, here.coef_, rtol=0, atol=1e-9)
    scores = there.decision_function(spread_frame[list("abcd")]).compute()
    assert scores.index.equals(frame.index)
    assert_allclose(scores, here.decision_function(frame), rtol=0, atol=error)
    array = clone(ranker).fit(X, y).decision_function(da.from_array(X, chunks=(200, 2))).compute()
    assert_allclose(array, here.decision_function(frame), rtol=0, atol=error)


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


@pytest.mark.parametrize("ranker", [LinearRanker(), BoostedRanker(n_estimators=6)], ids=["linear", "boosted"])
def test_every_step_is_told_once(four, ranker):
    (X, y, _, _), told = table(), []
    parts = [four.submit(_part, X[k::3], y[k::3], None, None, None, pure=False) for k in range(3)]
    found = fit_parts(four, ranker, parts, report=told.append)
    assert found.n_iter_ > 1
    assert told == list(range(found.n_iter_))


def large_table():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(40_000, 20))
    return X, (X[:, 0] + rng.logistic(size=len(X)) > 1).astype(int)


@pytest.mark.parametrize("kind", ["linear", "boosted"])
def test_a_worker_killed_in_the_middle_changes_nothing(tmp_path, monkeypatch, kind):
    """Weights go on from where they were, in fewer steps; trees grow again; and no step is told twice."""
    (X, y), started, steps = large_table(), [], []
    monkeypatch.setattr(spreading, "last_said", lambda *of: started.append(last_said(*of)) or started[-1])
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
            until(lambda: client.get_events("killed"))
            state["said"], state["done"] = len(client.get_events("killed")), state.get("end")
            os.kill(next(iter(pids.values())), signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        there = fit_parts(client, make(), parts, topic="killed", report=steps.append)
        state["end"] = True
        killer.join()
        assert state["said"] >= 1
        assert state["done"] is None  # it was in the middle
        assert len(client.get_events("killed")) > state["said"]  # and went on after that
        assert set(client.run(os.getpid).values()) != set(pids.values())
    assert steps == list(range(len(steps)))
    assert started[0] is None and started[-1]["step"] < steps[-1]
    assert (started[-1]["weights"] is None) == (kind == "boosted")
    assert there.n_iter_ < here.n_iter_ if kind == "linear" else len(steps) == there.n_iter_
    assert_allclose(there.decision_function(X), here.decision_function(X), rtol=0, atol=1e-7)


def kill_one(client):
    os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)


def until(true):
    deadline = time.monotonic() + 300
    while not true():
        assert time.monotonic() < deadline, "it took five minutes"
        time.sleep(0.01)


@pytest.mark.parametrize("when", ["before", "in the middle"])
def test_data_that_is_gone_is_one_line(when):
    X, y = large_table()
    with clusters.cluster("local:1") as client:
        held, state = client.scatter(X), {}
        DX, Dy = da.from_delayed(held, X.shape, X.dtype), da.from_array(y, chunks=len(y))

        def kill():
            if when == "in the middle":
                until(lambda: any(topic.startswith("ordain-") for topic in client.get_events()))
            kill_one(client)
            state["killed"] = "ended" not in state

        killer = threading.Thread(target=kill)
        killer.start()
        if when == "before":
            killer.join()
            until(lambda: held.cancelled() and client.run(os.getpid))
        with pytest.raises(ValueError, match=r"^data must be such that Dask can compute it again.*is gone\. .*$"):
            LinearRanker(tol=1e-12, alpha=1e-6).fit(DX, Dy)
        state["ended"] = True
        killer.join()
        assert state["killed"]
