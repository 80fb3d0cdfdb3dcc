"""Model files: what is saved comes back bit for bit, and what ordain did not write is refused, unread and unrun."""

import io
import json
import os
import pickle
import struct
import sys
import tracemalloc
import zipfile
from importlib import import_module
from importlib.resources import files
from pathlib import Path

import joblib
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import ordain
from ordain._json import parsed, written
from ordain.learn.auc_train import PreferenceRanker
from ordain.learn.linear import LinearRanker
from ordain.losses import LOSSES, from_bayes_risk
from ordain.model import Model, archive, either, foreign, load, save, scoring
from ordain.model.archive import LIMIT, floats_written, packed, unpacked
from ordain.model.file import FORMAT, _seal
from ordain.model.seen import KEPT, Seen
from ordain.model.trees import DEEPEST, trees_read, trees_written
from ordain.prepare import Preparation

N = 200


def table(seed=0):
    rng = np.random.default_rng(seed)
    gaps = np.where(rng.random(N) < 0.2, np.nan, rng.normal(size=N))
    frame = pl.DataFrame({"x": rng.normal(size=N), "gaps": gaps, "city": rng.choice(["a", "b", "c", "d"], N)})
    noise = rng.normal(size=N)
    scores = frame["x"].to_numpy() + (frame["city"] == "a").to_numpy() + noise
    return frame, scores


FRAME, TRUTH = table()
NEW, _ = table(1)
POSITIVE, GRADES = TRUTH > 0.5, np.digitize(TRUTH, [-1, 0, 1])
PREPARATION = Preparation.learn(FRAME, POSITIVE)
SEEN = Seen.learn(PREPARATION, FRAME, 0)
SUMMARY = {"rows": N, "positives": int(POSITIVE.sum()), "seed": 0, "comparison": {"pairwise": [0.1, None]}}


def fitted(ranker):
    """A model of the table, graded if its ranker is."""
    learner = "boosted" if type(ranker).__name__ == "BoostedRanker" else "linear"
    ranker.fit(PREPARATION.matrix(FRAME, learner), GRADES if ranker.graded else POSITIVE)
    names = {"grades": (0, 1, 2, 3)} if ranker.graded else {"positive": "yes"}
    return Model(PREPARATION, ranker, "churned", goal="top:10", summary=SUMMARY, seen=SEEN, **names)


def boosted(**settings):
    pytest.importorskip("xgboost")
    settings = {"n_estimators": 10, "max_depth": 3, "categorical": PREPARATION.categorical, **settings}
    return import_module("ordain.learn.boosted").BoostedRanker(n_jobs=1, random_state=0, **settings)


RANKERS = {
    **{f"linear {name}": (lambda name=name: LinearRanker(reduction=name)) for name in ("balanced", "pointwise")},
    **{
        f"linear {loss}": (lambda loss=loss: LinearRanker(loss, reduction="balanced"))
        for loss in ("spherical", "canonical_squared")
    },
    "linear loss object": lambda: LinearRanker(LOSSES["exponential"]),
    "linear hinge": lambda: LinearRanker("squared_hinge", alpha=0.1),
    "linear push": lambda: LinearRanker(push=3),
    "linear graded": lambda: LinearRanker(graded=True),
    "preference": lambda: PreferenceRanker(),
    "preference bayes": lambda: PreferenceRanker(GaussianNB(), features="both", pairs=500),
    "preference pipeline": lambda: PreferenceRanker(make_pipeline(StandardScaler(), LogisticRegression()), pairs=500),
    "preference bagging": lambda: PreferenceRanker(
        BaggingClassifier(LogisticRegression(), 3, random_state=0), features="concatenation", pairs=500
    ),
    "preference graded": lambda: PreferenceRanker(graded=True, pairs=500),
    "boosted": lambda: boosted(),
    "boosted pointwise": lambda: boosted(reduction="pointwise"),
    "boosted balanced": lambda: boosted(reduction="balanced", loss="exponential"),
    "boosted graded": lambda: boosted(graded=True),
    "boosted push": lambda: boosted(push=2, settings={"max_cat_to_onehot": 1, "subsample": 0.5}),
    "boosted early": lambda: boosted(early_stopping=2),
    "boosted codes": lambda: boosted(categorical=None),
}


@pytest.mark.parametrize("ranker", RANKERS.values(), ids=RANKERS)
def test_what_is_saved_comes_back_bit_for_bit(ranker, tmp_path):
    model = fitted(ranker())
    for name in ("first", "again"):
        save(model, tmp_path / name)
    assert (tmp_path / "first").read_bytes() == (tmp_path / "again").read_bytes()
    same = load(tmp_path / "first")
    assert same.scores(NEW).tobytes() == model.scores(NEW).tobytes()
    assert (model.probabilities(NEW) is None) == model.ranker.graded
    if not model.ranker.graded:
        assert same.probabilities(NEW).tobytes() == model.probabilities(NEW).tobytes()
        np.testing.assert_array_equal(model.probabilities(NEW), model.chance(model.scores(NEW)))
    assert (same.preparation, same.label, same.positive, same.grades, same.goal, same.summary, same.seen) == (
        (PREPARATION, "churned", model.positive, model.grades, "top:10", SUMMARY, SEEN)
    )
    np.testing.assert_array_equal(same.ranker.classes_, model.ranker.classes_)
    save(same, tmp_path / "third")
    assert (tmp_path / "third").read_bytes() == (tmp_path / "first").read_bytes()


@pytest.fixture(scope="module")
def linear(tmp_path_factory):
    return saved(fitted(LinearRanker()), tmp_path_factory.mktemp("linear"))


@pytest.fixture(scope="module")
def preferring(tmp_path_factory):
    return saved(fitted(PreferenceRanker(GaussianNB(), pairs=300)), tmp_path_factory.mktemp("preferring"))


def saved(model, folder):
    save(model, folder / "good.ordain")
    return (folder / "good.ordain").read_bytes()


class Mine:
    """What a pickle would run."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (str(self.folder / "ran"),)


def refused(data, folder, message=""):
    """The file is refused in one line, with nothing run and little memory."""
    path = folder / "bad.ordain"
    path.write_bytes(data)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"^[^\n]+$") as failure:
            load(path)
        assert tracemalloc.get_traced_memory()[1] < 20 * len(data) + 10_000_000
    finally:
        tracemalloc.stop()
    assert type(failure.value) is ValueError
    assert message in str(failure.value)
    assert not (folder / "ran").exists()


def test_the_tools_of_these_tests_can_run_things(tmp_path):
    pickle.loads(pickle.dumps(Mine(tmp_path)))
    assert (tmp_path / "ran").exists()


def pickled(folder):
    return pickle.dumps(Mine(folder))


def dumped(folder):
    stream = io.BytesIO()
    joblib.dump(Mine(folder), stream)
    return stream.getvalue()


def object_arrays(folder):
    stream = io.BytesIO()
    np.savez(stream, model=np.array([Mine(folder)], dtype=object))
    return stream.getvalue()


def pickle_in_a_zip(folder):
    return packed({"model.json": pickled(folder)})


def bomb(folder):
    return zipped({"model.json": bytes(1 << 25)}, zipfile.ZIP_DEFLATED)


def zipped(entries, method=zipfile.ZIP_STORED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return stream.getvalue()


FOREIGN = {
    "empty": lambda folder: b"",
    "text": lambda folder: b"churned,score\nyes,1\n",
    "JSON": lambda folder: b"{}",
    "pickle": pickled,
    "joblib": dumped,
    "numpy with objects": object_arrays,
    "pickle in a zip": pickle_in_a_zip,
    "zip bomb": bomb,
    "empty zip": lambda folder: zipped({}),
    "another zip": lambda folder: zipped({"a.txt": "a"}),
    "gzip": lambda folder: b"\x1f\x8b\x08" + bytes(20),
    "only PK": lambda folder: b"PK",
    "only a header": lambda folder: b"PK\3\4" + bytes(40),
    "many entries": lambda folder: packed({f"e{k}": b"" for k in range(1200)}),
}


@pytest.mark.parametrize("made", FOREIGN.values(), ids=FOREIGN)
def test_other_files_are_refused(made, tmp_path):
    refused(made(tmp_path), tmp_path)


def test_files_larger_than_any_model_are_refused_unread(tmp_path):
    with open(tmp_path / "huge.ordain", "wb") as file:
        file.truncate(LIMIT + 1)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"huge\.ordain must be a model of at most 256 MiB\. It is larger\."):
            load(tmp_path / "huge.ordain")
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_models_larger_than_could_be_read_are_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "LIMIT", 1 << 10)
    with pytest.raises(ValueError, match=r"^a model file must have at most 0 MiB\. Got 0\. Use fewer trees\.$"):
        save(fitted(LinearRanker()), tmp_path / "model.ordain")
    assert not list(tmp_path.iterdir())


def test_missing_files_and_folders_get_a_line(tmp_path):
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(ValueError, match="must be a model file"):
            load(path)


def directory(data):
    """Where the directory of a zip file begins."""
    return struct.unpack("<I", data[-6:-2])[0]


def flagged(data, place, value):
    """Other bytes at a place counted from each header of the first entry, local and central."""
    data = bytearray(data)
    for start in (0, directory(data) + 2):
        data[start + place : start + place + len(value)] = value
    return bytes(data)


def rebuilt(data, change):
    entries = unpacked(data, "")
    return packed(change(entries) or entries)


def linked(data):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in unpacked(data, "").items():
            info = zipfile.ZipInfo(name)
            info.external_attr = 0o120777 << 16
            archive.writestr(info, content)
    return stream.getvalue()


def doubled(data):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive, pytest.warns(UserWarning, match="Duplicate"):
        for name, content in [*unpacked(data, "").items(), ("coef_.npy", b"")]:
            archive.writestr(zipfile.ZipInfo(name), content)
    return stream.getvalue()


ZIPS = {
    "trailing data": lambda data: data + b"x",
    "data before": lambda data: b"#!/bin/sh\n" + data,
    "a zip before": lambda data: packed({"a": b"b"}) + data,
    "a comment": lambda data: data[:-2] + b"\1\0x",
    "an entry more": lambda data: rebuilt(data, lambda entries: {**entries, "more.npy": b"x"}),
    "an entry less": lambda data: rebuilt(data, lambda entries: entries.popitem() and None),
    "only model.json": lambda data: rebuilt(data, lambda entries: {"model.json": entries["model.json"]}),
    "no model.json": lambda data: rebuilt(data, lambda entries: entries.pop("model.json") and None),
    "another order": lambda data: rebuilt(data, lambda entries: dict(reversed(entries.items()))),
    "an entry above": lambda data: rebuilt(data, lambda entries: {**entries, "../x.npy": b"x"}),
    "an entry at the root": lambda data: rebuilt(data, lambda entries: {**entries, "/tmp/x.npy": b"x"}),
    "an entry in a folder": lambda data: rebuilt(data, lambda entries: {**entries, "a/x.npy": b"x"}),
    "an entry of windows": lambda data: rebuilt(data, lambda entries: {**entries, "a\\x.npy": b"x"}),
    "a name of nothing": lambda data: rebuilt(data, lambda entries: {**entries, "": b"x"}),
    "an entry twice": doubled,
    "links": linked,
    "packed": lambda data: zipped(unpacked(data, ""), zipfile.ZIP_DEFLATED),
    "another time": lambda data: zipped(unpacked(data, "")),
    "encrypted": lambda data: flagged(data, 6, b"\1\0"),
    "called packed": lambda data: flagged(data, 8, b"\x08\0"),
    "another sum": lambda data: flagged(data, 14, b"abcd"),
    "smaller than it is": lambda data: flagged(data, 22, b"\1\0\0\0"),
    "larger than the file": lambda data: flagged(data, 22, b"\xff\xff\xff\x7f"),
    "a lying directory": lambda data: data[: directory(data) + 24] + b"\1" + data[directory(data) + 25 :],
    "no directory": lambda data: data[: directory(data)],
}


@pytest.mark.parametrize("change", ZIPS.values(), ids=ZIPS)
def test_other_zips_are_refused(linear, change, tmp_path):
    refused(change(linear), tmp_path)


def test_every_part_of_a_file_is_refused(linear, tmp_path):
    for end in range(0, len(linear), 37):
        refused(linear[:end], tmp_path)


@given(st.data())
def test_every_other_byte_is_refused(linear, tmp_path_factory, data):
    place = data.draw(st.integers(0, len(linear) - 1))
    other = data.draw(st.integers(0, 255).filter(lambda byte: byte != linear[place]))
    refused(linear[:place] + bytes([other]) + linear[place + 1 :], tmp_path_factory.mktemp("other"))


def forged(data, about=None, contents=()):
    """The file with other contents and all checksums right, as an attacker would make it."""
    entries = unpacked(data, "")
    head = json.loads(entries.pop("model.json"))
    entries |= contents or {}
    head["entries"] = {name: _seal(content) for name, content in entries.items()}
    if about:
        about(head)
    return packed({"model.json": written(head), **entries})


def worded(data, change):
    """The file with another text for model.json."""
    entries = unpacked(data, "")
    return packed({**entries, "model.json": change(entries["model.json"])})


WORDS = {
    "no JSON": lambda text: b"import os",
    "cut": lambda text: text[:-1],
    "blanks": lambda text: text + b"\n",
    "not UTF-8": lambda text: text.replace(b"churned", b"churn\xff\xfe"),
    "a byte order mark": lambda text: b"\xef\xbb\xbf" + text,
    "half a character": lambda text: text.replace(b"churned", b"churn\\ud800"),
    "a key twice": lambda text: text.replace(b'"format":', b'"format":1,"format":', 1),
    "nan": lambda text: text.replace(b'"seed":0', b'"seed":NaN'),
    "infinity": lambda text: text.replace(b'"seed":0', b'"seed":-Infinity'),
    "beyond floats": lambda text: text.replace(b'"seed":0', b'"seed":1e400'),
    "a number of 5,000 digits": lambda text: text.replace(b'"seed":0', b'"seed":' + b"9" * 5000),
    "nested deeply": lambda text: text.replace(b'"seed":0', b'"seed":' + b"[" * 900 + b"]" * 900),
    "nested more deeply": lambda text: text.replace(b'"seed":0', b'"seed":' + b"[" * 10**6 + b"]" * 10**6),
    "brackets": lambda text: text.replace(b'"seed":0', b'"seed":[' + b"[]," * 10**6 + b"[]]"),
    "a list": lambda text: b"[]",
    "nothing": lambda text: b"null",
}


@pytest.mark.parametrize("change", WORDS.values(), ids=WORDS)
def test_other_words_are_refused(linear, change, tmp_path):
    changed = worded(linear, change)
    assert changed != linear
    refused(changed, tmp_path)


def test_the_forgers_of_these_tests_change_nothing_else(linear, preferring, tmp_path):
    coef = unpacked(linear, "")["coef_.npy"]
    assert forged(linear, contents={"coef_.npy": coef}) == worded(linear, bytes) == rebuilt(linear, dict) == linear
    assert skops(preferring, lambda schema, entries: None) == preferring
    assert flagged(linear, 6, bytes(2)) == linear
    (tmp_path / "other.ordain").write_bytes(forged(linear, contents={"coef_.npy": floats_written(COEF)}))
    np.testing.assert_array_equal(load(tmp_path / "other.ordain").ranker.coef_, COEF)


def test_weights_by_which_scores_overflow_are_told_where_a_table_is_scored(linear, tmp_path):
    """They are numbers like any others, until they meet rows."""
    (tmp_path / "far.ordain").write_bytes(forged(linear, contents={"coef_.npy": floats_written(0 * COEF + 1.7e308)}))
    with pytest.raises(ValueError, match=r"scores of a model must be finite\. Got"):
        load(tmp_path / "far.ordain").score(NEW)


def ranker(**values):
    return lambda head: head["ranker"].update(values)


def setting(**values):
    return lambda head: head["ranker"]["settings"].update(values)


def chance(**values):
    return lambda head: head["ranker"]["chance"].update(values)


def seen(change):
    return lambda head: change(head["seen"])


HEADS = {
    "newer format": lambda head: head.update(format=FORMAT + 1),
    "far newer format": lambda head: head.update(format=10**300),
    "older format": lambda head: head.update(format=0),
    "format of text": lambda head: head.update(format=str(FORMAT)),
    "format of truth": lambda head: head.update(format=True),
    "no label": lambda head: head.pop("label"),
    "a field more": lambda head: head.update(run="os.system"),
    "a summary of text": lambda head: head.update(summary="rows"),
    "a wrong sum": lambda head: head["entries"]["coef_.npy"].update(sha256="0" * 64),
    "a wrong size": lambda head: head["entries"]["coef_.npy"].update(size=1),
    "an entry more": lambda head: head["entries"].update({"trees.json": {"sha256": "", "size": 0}}),
    "a positive class and grades": lambda head: head.update(grades=[0, 1]),
    "neither": lambda head: head.update(positive=None),
    "grades of a classifier": lambda head: head.update(grades=[0, 1], positive=None),
    "unknown ranker": ranker(kind="Mine"),
    "a class as ranker": ranker(kind="os.system"),
    "a ranker without its trees": ranker(kind="BoostedRanker"),
    "unknown loss": setting(loss="mine"),
    "a loss of numbers": setting(loss=1),
    "a loss of lists": setting(loss=["logistic"]),
    "unknown reduction": setting(reduction="listwise"),
    "graded of 1": setting(graded=1),
    "a reduction of lists": setting(reduction=["pairwise"]),
    "a setting more": setting(callback="os.system"),
    "unknown loss of the chance": chance(loss="mine"),
    "the hinge as chance": chance(loss="hinge"),
    "a share of 2": chance(share=2.0),
    "a slope of 0": chance(slope=0.0),
    "a whole slope": chance(slope=1),
    "one class": ranker(classes=[True]),
    "three classes": ranker(classes=[0, 1, 2]),
    "classes out of order": ranker(classes=[True, False]),
    "mixed classes": ranker(classes=[0, "a"]),
    "classes of lists": ranker(classes=[[0], [1]]),
    "huge classes": ranker(classes=[0, 10**30]),
    "another shape": lambda head: head["ranker"]["arrays"].update(coef_=[1, 2]),
    "a huge shape": lambda head: head["ranker"]["arrays"].update(coef_=[10**9, 10**9]),
    "a shape below zero": lambda head: head["ranker"]["arrays"].update(coef_=[-1, -7]),
    "a shape of text": lambda head: head["ranker"]["arrays"].update(coef_="17"),
    "an array more": lambda head: head["ranker"]["arrays"].update(shares_=[1]),
    "an array less": lambda head: head["ranker"]["arrays"].pop("coef_"),
    "a value less": lambda head: head["ranker"]["values"].pop("alpha_"),
    "a value in place of a method": lambda head: head["ranker"]["values"].update(fit=1),
    "a hidden value": lambda head: head["ranker"]["values"].update(__class__="x"),
    "a value more": lambda head: head["ranker"]["values"].update(mine_=1),
    "a value of lists": lambda head: head["ranker"]["values"].update(alpha_=[]),
    "a column less": lambda head: head["preparation"]["columns"].pop(),
    "a category less": lambda head: head["preparation"]["columns"][2]["values"].pop(),
    "no scale": lambda head: head["preparation"]["columns"][0].update(scale=0.0),
    "a sketch of text": lambda head: head.update(seen="rows"),
    "no sketch at all": lambda head: head.pop("seen"),
    "a sketch without salt": seen(lambda sketch: sketch.pop("salt")),
    "a salt of text": seen(lambda sketch: sketch.update(salt="1")),
    "a salt of truth": seen(lambda sketch: sketch.update(salt=True)),
    "a salt below zero": seen(lambda sketch: sketch.update(salt=-1)),
    "a salt beyond 64 bits": seen(lambda sketch: sketch.update(salt=2**64)),
    "a sketch of nothing": seen(lambda sketch: sketch.update(hashes=[])),
    "a hash of text": seen(lambda sketch: sketch["hashes"].append("9")),
    "a hash with a point": seen(lambda sketch: sketch.update(hashes=[1.0])),
    "a hash of truth": seen(lambda sketch: sketch.update(hashes=[True])),
    "a hash below zero": seen(lambda sketch: sketch["hashes"].insert(0, -1)),
    "a hash beyond 64 bits": seen(lambda sketch: sketch["hashes"].append(2**64)),
    "a hash twice": seen(lambda sketch: sketch["hashes"].append(sketch["hashes"][-1])),
    "hashes out of order": seen(lambda sketch: sketch["hashes"].reverse()),
    "too many hashes": seen(lambda sketch: sketch.update(hashes=list(range(KEPT + 1)))),
}


@pytest.mark.parametrize("change", HEADS.values(), ids=HEADS)
def test_other_contents_are_refused_even_with_the_right_checksums(linear, change, tmp_path):
    refused(forged(linear, change), tmp_path)


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    return saved(fitted(LinearRanker(graded=True)), tmp_path_factory.mktemp("graded"))


@pytest.mark.parametrize("grades", [[0, 1], [-0.5, 2, 7.25]], ids=str)
def test_two_grades_and_more_come_back(graded, grades, tmp_path):
    (tmp_path / "m.ordain").write_bytes(forged(graded, lambda head: head.update(grades=grades)))
    assert load(tmp_path / "m.ordain").grades == tuple(grades)


@pytest.mark.parametrize("grades", [[], [0], [1, 0], [0, 0, 1], ["0", "1"], [False, True], [0, None]], ids=str)
def test_other_grades_are_refused(graded, grades, tmp_path):
    refused(forged(graded, lambda head: head.update(grades=grades)), tmp_path, "must have different grades in order")


def test_the_first_row_alone_may_be_asked_for():
    model = fitted(LinearRanker())
    assert model.score(NEW, top=1).equals(model.score(NEW).head(1))
    with pytest.raises(ValueError, match=r"top= must be 1 or more\. Got 0"):
        model.score(NEW, top=0)


def test_a_newer_format_says_so(linear, tmp_path):
    refused(forged(linear, HEADS["newer format"]), tmp_path, f"Got the newer format {FORMAT + 1}. Update ordain.")


def npy(array, **options):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, **options)
    return stream.getvalue()


def headed(text, body):
    text = text.ljust(117) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text.encode() + body


COEF = np.ones((1, 7))
ARRAYS = {
    "nothing": lambda folder: b"",
    "text": lambda folder: b"1,2,3",
    "a pickle": pickled,
    "objects": lambda folder: npy(np.array([[Mine(folder)] * 7]), allow_pickle=True),
    "nan": lambda folder: floats_written(COEF * np.nan),
    "one inf": lambda folder: floats_written(np.where(np.arange(7) == 3, np.inf, COEF)),
    "a number less": lambda folder: floats_written(COEF)[:-8],
    "a number more": lambda folder: floats_written(COEF) + bytes(8),
    "a shape of one dimension": lambda folder: floats_written(COEF[0]),
    "another shape": lambda folder: floats_written(COEF[:, :6]),
    "single precision": lambda folder: npy(COEF.astype(np.float32)),
    "big endian": lambda folder: npy(COEF.astype(">f8")),
    "whole numbers": lambda folder: npy(COEF.astype(int)),
    "Fortran's order": lambda folder: headed("{'descr': '<f8', 'fortran_order': True, 'shape': (1, 7), }", bytes(56)),
    "a huge shape": lambda folder: headed("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 9**99), }", bytes(56)),
    "a header that runs": lambda folder: headed("__import__('os').mkdir('ran')", bytes(56)),
    "version 3": lambda folder: npy(COEF, version=(3, 0)),
    "a long header": lambda folder: headed(" " * 60_000, bytes(56)),
}


@pytest.mark.parametrize("made", ARRAYS.values(), ids=ARRAYS)
def test_other_arrays_are_refused(linear, made, tmp_path):
    refused(forged(linear, contents={"coef_.npy": made(tmp_path)}), tmp_path)


def skops(data, change):
    """The file with another classifier inside."""
    entries = unpacked(unpacked(data, "")["classifier.skops"], "")
    schema = json.loads(entries["schema.json"])
    changed = change(schema, entries)
    entries["schema.json"] = written(schema)
    return forged(data, contents={"classifier.skops": changed or packed(entries)})


def typed(module, name):
    return lambda schema, entries: schema.update(__module__=module, __class__=name)


def arrayed(content):
    def change(schema, entries):
        entries["3.npy"] = content

    return change


CLASSIFIERS = {
    "nothing": lambda schema, entries: b"PK",
    "a bomb": lambda schema, entries: bomb(None),
    "another type": typed("os", "system"),
    "a type of builtins": typed("builtins", "eval"),
    "a module not loaded": typed("antigravity", "fly"),
    "a forest": typed("sklearn.tree._tree", "Tree"),
    "a machine": typed("sklearn.svm._classes", "SVC"),
    "no classifier": typed("sklearn.linear_model._base", "LinearRegression"),
    "an unknown loader": lambda schema, entries: schema.update(__loader__="PickleNode"),
    "a function": lambda schema, entries: schema.update(__loader__="FunctionNode", content={}),
    "a method": lambda schema, entries: schema.update(__loader__="MethodNode"),
    "no protocol": lambda schema, entries: schema.pop("protocol") and None,
    "no content": lambda schema, entries: schema.pop("content") and None,
    "a file elsewhere": lambda schema, entries: entries.pop("3.npy") and None,
    "an array of nothing": arrayed(b""),
    "an array of text": arrayed(b"1,2"),
    "an array of objects": lambda schema, entries: arrayed(npy(np.array([1, "a"], object), allow_pickle=True))(
        0, entries
    ),
    "an array too short": arrayed(headed("{'descr': '<f8', 'fortran_order': False, 'shape': (9, 7), }", bytes(56))),
    "an array too large": arrayed(headed("{'descr': '<f8', 'fortran_order': False, 'shape': (9**12,), }", b"")),
    "a packed array": lambda schema, entries: entries.update({"3.npz": zipped({"a.npy": b""})}),
    "a file more": lambda schema, entries: entries.update({"run.py": b"import os"}),
    "another width": lambda schema, entries: schema["content"]["content"]["n_features_in_"].update(content="3"),
}


@pytest.mark.parametrize("change", CLASSIFIERS.values(), ids=CLASSIFIERS)
def test_other_classifiers_are_refused(preferring, change, tmp_path):
    changed = skops(preferring, change)
    assert changed != preferring
    refused(changed, tmp_path)


@pytest.mark.parametrize("features", ["all", ["both"], None])
def test_other_features_of_pairs_are_refused(preferring, features, tmp_path):
    refused(forged(preferring, setting(features=features)), tmp_path, "features must be one of")


def test_a_regression_saved_by_others_is_no_classifier():
    regression = LinearRegression().fit(ROWS[:, [0, 2]], ROWS[:, 0])
    with pytest.raises(
        ValueError, match=r"^classifier\.skops must be a classifier\. Got LinearRegression\. Fit again\.$"
    ):
        foreign.classifier_read(foreign.classifier_written(regression))


def with_a_stream():
    classifier = LogisticRegression().fit(ROWS[:, [0, 2]], ROWS[:, 0] > 0)
    classifier.lines_ = (line for line in ())
    return classifier


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: KNeighborsClassifier(algorithm="brute").fit(sparse.csr_matrix(ROWS[:, [0, 2]]), ROWS[:, 0] > 0),
         r"made of plain arrays\. Got KNeighborsClassifier"),
        (with_a_stream, r"one that skops can save\. Got LogisticRegression: cannot pickle 'generator'"),
    ],
    ids=["sparse", "stream"],
)  # fmt: skip
def test_classifiers_with_parts_that_are_no_plain_arrays_are_not_saved(made, said):
    with pytest.raises(ValueError, match=f"^the classifier must be {said}"):
        foreign.classifier_written(made())


def test_a_classifier_without_skops_is_one_line(preferring, tmp_path, monkeypatch):
    (tmp_path / "model.ordain").write_bytes(preferring)
    monkeypatch.setitem(sys.modules, "skops", None)
    monkeypatch.setitem(sys.modules, "skops.io", None)
    said = r"^skops must be installed to save or load a classifier\. Install ordain\[skops\]\.$"
    with pytest.raises(ValueError, match=said):
        load(tmp_path / "model.ordain")
    with pytest.raises(ValueError, match=said):
        save(fitted(PreferenceRanker(pairs=200)), tmp_path / "new.ordain")
    assert not (tmp_path / "new.ordain").exists()


@pytest.mark.parametrize("classifier", [RandomForestClassifier(2), SVC()], ids=["forest", "machine"])
def test_classifiers_that_could_not_be_loaded_safely_are_not_saved(classifier, tmp_path):
    with pytest.raises(ValueError, match="types that are safe to load"):
        save(fitted(PreferenceRanker(classifier, pairs=200)), tmp_path / "model.ordain")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("classifier", "guard"),
    [(CalibratedClassifierCV(LogisticRegression()), "COMPILED"), (SVC(), None)],
    ids=["by skops", "by us"],
)
def test_such_classifiers_saved_by_others_are_not_loaded(classifier, guard, monkeypatch):
    """One guard is enough: skops does not know the first type, and we know the second."""
    classifier.fit(ROWS[:, [0, 2]], ROWS[:, 0] > 0)
    with monkeypatch.context() as patch:
        patch.setattr(foreign, "COMPILED", set())
        patch.setattr(foreign, "_check_untrusted", lambda *_: None)
        data = foreign.classifier_written(classifier)
    if guard:
        monkeypatch.setattr(foreign, guard, set())
    with pytest.raises(ValueError, match=r"^classifier.skops must be made of types that are safe to load"):
        foreign.classifier_read(data)


def test_a_source_of_chance_as_random_state_is_not_saved(tmp_path):
    ranker = LinearRanker(random_state=np.random.RandomState(0)) if hasattr(LinearRanker(), "random_state") else None
    ranker = ranker or PreferenceRanker(pairs=200, random_state=np.random.RandomState(0))
    with pytest.raises(ValueError, match=r"^random_state of the ranker must be a plain value\. Got RandomState\.$"):
        save(fitted(ranker), tmp_path / "model.ordain")
    assert not list(tmp_path.iterdir())


def test_a_table_whose_features_are_sparse_is_scored_by_a_ranker_that_takes_none(tmp_path):
    rng = np.random.default_rng(6)
    frame = pl.DataFrame({"x": rng.normal(size=600), "town": rng.choice([f"town {k}" for k in range(90)], 600)})
    labels = frame["x"].to_numpy() + rng.normal(size=600) > 0
    preparation = Preparation.learn(frame, labels)
    X = preparation.matrix(frame, "linear")
    assert sparse.issparse(X)
    ranker = PreferenceRanker(GaussianNB(), pairs=500).fit(X.toarray(), labels)
    save(Model(preparation, ranker, "good", positive="yes"), tmp_path / "model.ordain")
    assert_allclose(load(tmp_path / "model.ordain").scores(frame), ranker.decision_function(X.toarray()))


@pytest.mark.parametrize("chunk", [1, 50, 200, 1000])
def test_rows_of_a_file_come_in_order_whatever_is_held_at_a_time(tmp_path, monkeypatch, chunk):
    model = fitted(LinearRanker())
    NEW.write_csv(tmp_path / "new.csv")
    monkeypatch.setattr(scoring, "CHUNK", chunk)
    found = pl.concat(scoring.score(str(tmp_path / "new.csv"), model))
    expected = np.sort(model.scores(NEW))[::-1]
    assert found.height == N and found["rank"].to_list() == list(range(1, N + 1))
    assert_allclose(found["score"], expected, rtol=1e-12)


def test_a_loss_of_ones_own_is_not_saved(tmp_path):
    mine = from_bayes_risk(lambda q: q * (1 - q))
    with pytest.raises(ValueError, match=r"must be one of logistic, .* Got one of your own"):
        save(fitted(LinearRanker(mine, reduction="pointwise")), tmp_path / "model.ordain")


def test_models_that_could_not_be_loaded_are_not_saved(tmp_path):
    for change, message in {
        "coef_": "must hold finite numbers",
        "summary": "must be plain, finite data",
        "unfitted": "must be a fitted LinearRanker",
        "stranger": "must be a fitted LinearRanker",
    }.items():
        model = fitted(LinearRanker())
        if change == "coef_":
            model.ranker.coef_[0, 1] = np.nan
        if change == "summary":
            model = Model(PREPARATION, model.ranker, "churned", "yes", summary={"auc": np.nan})
        if change == "unfitted":
            model = Model(PREPARATION, LinearRanker(), "churned", "yes")
        if change == "stranger":
            model = Model(PREPARATION, LogisticRegression(), "churned", "yes")
        with pytest.raises(ValueError, match=message):
            save(model, tmp_path / "model.ordain")
        assert not list(tmp_path.iterdir())


def test_existing_files_are_kept_unless_forced(tmp_path, monkeypatch):
    path, model = tmp_path / "model.ordain", fitted(LinearRanker())
    path.write_text("precious")
    with pytest.raises(ValueError, match=r"exists. Add --force"):
        save(model, path)
    assert path.read_text() == "precious"

    def full(*_):
        raise OSError("disk full")

    with monkeypatch.context() as patch, pytest.raises(OSError, match="disk full"):
        patch.setattr(os, "fsync", full)
        save(model, path, force=True)
    assert path.read_text() == "precious"
    save(model, path, force=True)
    assert load(path).label == "churned"
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.ordain"]
    for wrong in (tmp_path, tmp_path / "none" / "model.ordain"):
        with pytest.raises(ValueError, match=r"must (be a file|lie in an existing folder)"):
            save(model, wrong, force=True)


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(plain)
def test_plain_data_is_read_as_written(value):
    again = parsed(written(value), "it")
    assert again == value
    assert written(again) == written(value)


@given(st.dictionaries(st.from_regex(r"[a-z]{1,5}\.npy", fullmatch=True), st.binary(), min_size=1))
def test_archives_are_read_as_written_and_by_everybody(entries):
    data = packed(entries)
    assert list(unpacked(data, "it").items()) == list(entries.items())
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == entries
        assert archive.testzip() is None


def test_arrays_are_read_by_numpy(linear):
    entries = unpacked(linear, "")
    coef = np.load(io.BytesIO(entries["coef_.npy"]), allow_pickle=False)
    assert coef.shape == (1, 7)
    assert coef.flags.c_contiguous


SIZES = [0, 0, 5]
ROWS = np.random.default_rng(2).normal(size=(300, 3)).astype(np.float32)
ROWS[:, 2] = np.arange(300) % 5
ROWS[::9, 1] = np.nan


@pytest.fixture(scope="module")
def booster():
    xgboost = pytest.importorskip("xgboost")
    labels = ROWS[:, 0] + np.isin(ROWS[:, 2], [0, 3]) + np.nan_to_num(ROWS[:, 1]) > 0.5
    data = xgboost.DMatrix(ROWS, labels, feature_types=["q", "q", "c"], enable_categorical=True)
    return xgboost.train({"max_depth": 4, "max_cat_to_onehot": 1, "base_score": 0.3}, data, 5)


def margins(booster):
    xgboost = pytest.importorskip("xgboost")
    data = xgboost.DMatrix(ROWS, feature_types=["q", "q", "c"], enable_categorical=True)
    return booster.predict(data, output_margin=True).tobytes()


def test_trees_come_back_bit_for_bit(booster):
    data = trees_written(booster, SIZES)
    same = trees_read(data, SIZES)
    assert margins(same) == margins(booster)
    assert bytes(same.save_raw("json")) == bytes(booster.save_raw("json"))
    assert trees_written(same, SIZES) == data


@pytest.mark.filterwarnings("ignore:.*deprecated", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"booster": "gblinear"}, "of trees, fitted to numbers and codes. Got another."),
        ({"booster": "dart", "rate_drop": 0.9}, "of trees, fitted to numbers and codes. Got another."),
        ({"objective": "multi:softprob", "num_class": 3}, "have one score per row. Got several."),
    ],
)
def test_boosters_of_another_kind_are_not_saved(settings, said):
    xgboost = pytest.importorskip("xgboost")
    data = xgboost.DMatrix(ROWS[:, :2], np.arange(len(ROWS)) % 3)
    with pytest.raises(ValueError) as refusal:
        trees_written(xgboost.train(settings, data, 9), [0, 0])
    assert str(refusal.value).startswith("the booster must ") and said in str(refusal.value)


def test_columns_of_more_categories_than_a_file_may_have_are_not_saved(monkeypatch, tmp_path):
    codes, noise = np.arange(300) % 6, np.random.default_rng(5).normal(size=300)
    ranker = boosted(categorical=[0], settings={"max_cat_to_onehot": 1})
    ranker.fit(codes[:, None].astype(float), codes % 2 + noise > 0.5)
    ordain.save(ranker, tmp_path / "six.ordain")
    monkeypatch.setattr(either, "CATEGORIES", 5)
    with pytest.raises(ValueError, match=r"^a saved column must have at most 5 categories\. Got 6\. Merge some\.$"):
        ordain.save(ranker, tmp_path / "five.ordain")
    assert not (tmp_path / "five.ordain").exists()


def node(key, value, place=0):
    def change(tree):
        tree[key][place] = value

    return change


def chain(tree):
    """A tree like a ladder, deeper than is allowed."""
    n = 2 * DEEPEST + 3
    inner = np.arange(n) % 2 == 0
    inner[-1] = False
    left, right = (np.where(inner, np.arange(n) + step, -1).tolist() for step in (1, 2))
    parents = [2**31 - 1, *((k - 1) // 2 * 2 for k in range(1, n))]
    whole = {"split_indices": [0] * n, "split_type": [0] * n, "default_left": [0] * n}
    tree.update(left_children=left, right_children=right, parents=parents, **whole)
    tree.update({key: [0.0] * n for key in ("split_conditions", "base_weights", "loss_changes", "sum_hessian")})
    tree.update({key: [] for key in tree if key.startswith("categories")})
    tree["tree_param"]["num_nodes"] = str(n)


TREES = {
    "a child beyond": node("left_children", 10**6),
    "a child below": node("left_children", -5),
    "a child of 64 bits": node("left_children", 2**40),
    "a child that is the root": node("right_children", 0),
    "a child of two": node("right_children", 1),
    "a circle": lambda tree: tree["left_children"].__setitem__(1, 1),
    "half a leaf": node("right_children", 1, -1),
    "a leaf with one child": node("left_children", -1),
    "another parent": node("parents", 3, 1),
    "a root with a parent": node("parents", 1),
    "a feature beyond": node("split_indices", 3),
    "a feature far beyond": node("split_indices", 2**31 - 1),
    "a feature below": node("split_indices", -1),
    "a feature of a leaf beyond": node("split_indices", 99, -1),
    "a list less": lambda tree: tree.pop("parents"),
    "a list more": lambda tree: tree.update(code=[]),
    "a node less": lambda tree: tree["split_conditions"].pop(),
    "a node more": lambda tree: tree["default_left"].append(0),
    "no nodes": lambda tree: tree.update({key: [] for key, value in tree.items() if type(value) is list}),
    "another number of nodes": lambda tree: tree["tree_param"].update(num_nodes="1000000"),
    "deleted nodes": lambda tree: tree["tree_param"].update(num_deleted="1"),
    "leaves of vectors": lambda tree: tree["tree_param"].update(size_leaf_vector="3"),
    "another number of features": lambda tree: tree["tree_param"].update(num_feature="4"),
    "another place": lambda tree: tree.update(id=3),
    "a place of text": lambda tree: tree.update(id="0"),
    "a condition of text": node("split_conditions", "0.5"),
    "a condition of whole numbers": node("split_conditions", 1),
    "a condition beyond single precision": node("split_conditions", 1e39),
    "a leaf beyond single precision": node("split_conditions", -1e300, -1),
    "a child with a point": node("left_children", 1.0),
    "a child of truth": node("left_children", True),
    "a direction of 2": node("default_left", 2),
    "a kind of 2": node("split_type", 2),
    "numbers split by categories": lambda tree: tree["split_type"].__setitem__(
        tree["split_indices"].index(0), 1 - tree["split_type"][tree["split_indices"].index(0)]
    ),
    "categories split by size": lambda tree: tree["split_type"].__setitem__(tree["split_type"].index(1), 0),
    "a category beyond": node("categories", 5),
    "a category far beyond": node("categories", 2**31 - 1),
    "a category below": node("categories", -1),
    "categories of another node": node("categories_nodes", 10**6),
    "a segment beyond": node("categories_segments", 10**6),
    "a segment below": node("categories_segments", -1),
    "more categories than there are": node("categories_sizes", 10**6),
    "fewer categories than none": node("categories_sizes", -1),
    "a category too many": lambda tree: tree["categories"].append(0),
    "no categories": lambda tree: tree.update(categories=[]),
    "a ladder": chain,
}
DOCUMENTS = {
    "another objective": lambda learner: learner["objective"].update(name="mine:python"),
    "an objective more": lambda learner: learner["objective"].update(run="x"),
    "another booster": lambda learner: learner["gradient_booster"].update(name="dart"),
    "a linear booster": lambda learner: learner["gradient_booster"].update(name="gblinear"),
    "a booster more": lambda learner: learner["gradient_booster"].update(gbtree={}),
    "classes": lambda learner: learner["learner_model_param"].update(num_class="3"),
    "targets": lambda learner: learner["learner_model_param"].update(num_target="3"),
    "features": lambda learner: learner["learner_model_param"].update(num_feature="4"),
    "a base of nan": lambda learner: learner["learner_model_param"].update(base_score="nan"),
    "a base of text": lambda learner: learner["learner_model_param"].update(base_score="x"),
    "a base beyond": lambda learner: learner["learner_model_param"].update(base_score="1e+300"),
    "other types": lambda learner: learner.update(feature_types=["q", "q", "q"]),
    "fewer types": lambda learner: learner.update(feature_types=["q"]),
    "names": lambda learner: learner.update(feature_names=["a"]),
    "attributes of numbers": lambda learner: learner["attributes"].update(best=1),
    "attributes of lists": lambda learner: learner.update(attributes=[]),
    "parallel trees": lambda learner: learner["gradient_booster"]["model"]["gbtree_model_param"].update(
        num_parallel_tree="2"
    ),
    "more trees": lambda learner: learner["gradient_booster"]["model"]["gbtree_model_param"].update(num_trees="99"),
    "fewer trees": lambda learner: learner["gradient_booster"]["model"]["trees"].pop(),
    "trees of another group": lambda learner: learner["gradient_booster"]["model"].update(tree_info=[0, 0, 0, 0, 7]),
    "rounds beyond": lambda learner: learner["gradient_booster"]["model"].update(iteration_indptr=[0, 1, 2, 3, 4, 99]),
    "coded categories": lambda learner: learner["gradient_booster"]["model"].update(cats={"enc": [1]}),
    "no model": lambda learner: learner["gradient_booster"].pop("model"),
    "trees of text": lambda learner: learner["gradient_booster"]["model"].update(trees="trees"),
    "trees of numbers": lambda learner: learner["gradient_booster"]["model"].update(trees=[1, 2, 3, 4, 5]),
}
CHANGES = {f"tree: {name}": (lambda learner, change=change: change(first(learner))) for name, change in TREES.items()}


def first(learner):
    """The first tree, which splits by categories too."""
    tree = learner["gradient_booster"]["model"]["trees"][0]
    assert 1 in tree["split_type"]
    return tree


@pytest.mark.parametrize("change", [*CHANGES.values(), *DOCUMENTS.values()], ids=[*CHANGES, *DOCUMENTS])
def test_trees_that_lead_astray_never_reach_xgboost(booster, change, monkeypatch):
    xgboost = pytest.importorskip("xgboost")
    document = json.loads(trees_written(booster, SIZES))
    change(document["learner"])
    monkeypatch.setattr(xgboost.Booster, "load_model", lambda *_: pytest.fail("XGBoost was asked to load it"))
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        trees_read(written(document), SIZES)


def test_trees_of_other_features_are_refused(booster):
    data = trees_written(booster, SIZES)
    for sizes in ([0, 0], [0, 0, 5, 0], [0, 0, 0], [5, 0, 0], [0, 0, 2]):
        with pytest.raises(ValueError, match=r"^[^\n]+$"):
            trees_read(data, sizes)


EARLIER = {
    "linear_1": [-1.2131730440199262, 0.505892984941017, -2.166968718785198, 0.662341471173959],
    "boosted_1": [-1.1807735070976797, -0.5133515105042045, -1.4713160798344198, -0.5133515105042045],
}
"""Scores that the program which wrote a file gave to the first rows of the credit table."""


@pytest.mark.parametrize("name", EARLIER)
def test_files_of_earlier_formats_are_read(name, tmp_path):
    model = load(Path(__file__).parent / "files" / f"{name}.ordain")
    applicants = pl.read_csv(files("ordain") / "data" / "german_credit.csv").head(4)
    assert_allclose(model.scores(applicants), EARLIER[name], rtol=1e-12)
    assert (model.seen, model.forms) == (None, {})
    save(model, tmp_path / "again.ordain")
    assert_allclose(load(tmp_path / "again.ordain").scores(applicants), EARLIER[name], rtol=1e-12)


def test_trees_without_xgboost_are_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "xgboost", None)
    with pytest.raises(ValueError, match=r'^trees need XGBoost.*pip install "ordain\[boost\]"$'):
        load(Path(__file__).parent / "files" / "boosted_1.ordain")


def test_files_that_call_the_random_state_a_seed_are_read(tmp_path):
    """So were files of a PreferenceRanker written before its parameter had scikit-learn's name."""
    pytest.importorskip("skops")
    model = fitted(PreferenceRanker(random_state=3))
    save(model, tmp_path / "new.ordain")
    entries = unpacked((tmp_path / "new.ordain").read_bytes(), "the file")
    about = parsed(entries["model.json"], "model.json")
    settings = about["ranker"]["settings"]
    settings["seed"] = settings.pop("random_state")
    (tmp_path / "old.ordain").write_bytes(packed({**entries, "model.json": written(about)}))
    same = load(tmp_path / "old.ordain")
    assert same.ranker.get_params()["random_state"] == 3
    np.testing.assert_array_equal(same.scores(NEW), model.scores(NEW))
