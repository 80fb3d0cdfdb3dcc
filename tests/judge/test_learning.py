"""`ordain judge --learn`: some are asked about, all are ranked, and what was learned is kept and said."""

import json
from dataclasses import replace
from zlib import crc32

import numpy as np
import polars as pl
import pytest
from judge.scripted_endpoint import Fault, better
from judge.test_pictures import png
from scipy.special import expit
from scipy.stats import kendalltau

import ordain
from ordain.judge import Run, item_features
from ordain.judge.for_people import shown_of, work_of
from ordain.judge.item_features import features_of
from ordain.judge.judged_items import Item
from ordain.judge.known_beforehand import Learning
from ordain.judge.learned_model import learned_model
from ordain.judge.learned_outcome import learned_from, learned_outcome
from ordain.judge.over_time import agreement_over_time
from ordain.judge.preparing import Typed
from ordain.judge.recorded import InBatches
from ordain.judge.spending import Spending
from ordain.judge.summary import Summary
from ordain.prepare.text_blocks import text_blocks
from ordain.rank.blended.known_features import given_features
from ordain.report.run_page import run_page

N = 300

pytestmark = pytest.mark.usefixtures("no_waiting")


@pytest.fixture
def table(tmp_path):
    """Items whose texts have a number that the judge goes by, a column near it, and one that means nothing."""
    rng, worth = np.random.default_rng(0), np.random.default_rng(1).permutation(N)
    frame = pl.DataFrame({
        "id": [f"i{k}" for k in range(N)], "text": [f"worth {k}" for k in worth],
        "guess": (worth + rng.normal(scale=20, size=N)).round(2), "colour": rng.choice(["red", "blue"], N),
    })  # fmt: skip
    frame.write_csv(tmp_path / "items.csv")
    np.save(tmp_path / "vectors.npy", np.column_stack((worth / 100, rng.random(N))))
    return worth


@pytest.fixture
def judge(run, server, table):
    asked = ["judge", "items.csv", "--ask", "Which number is larger?", "--llm", server.url, "--model", "m", "--yes"]
    return lambda *options: run(*asked, "--learn", *options)


def agreement(ids, worth):
    return np.corrcoef(-np.arange(N), [worth[int(one[1:])] for one in ids])[0, 1]


def test_a_few_requests_rank_everything_and_the_model_ranks_what_comes_later(judge, run, server, table, tmp_path):
    code, out, _ = judge("--budget", "60", "--out", "ranked.csv", "--save", "worth.ordain", "--pairs")
    assert code == 0
    assert len(server.requests) <= 60
    said = " ".join(out.split())
    assert "Learned from the columns 'guess', 'colour'" in said
    assert "The features helped" in said
    assert "Items alone, without features, would agree on" in said
    assert "were never asked about; they are ranked by what was learned" in said
    ranked = pl.read_csv(tmp_path / "ranked.csv")
    assert ranked.height == N
    assert agreement(ranked["id"], table) > 0.9
    assert (ranked["rank_low"] <= ranked["rank"]).all()
    assert (ranked["rank_high"] >= ranked["rank"]).all()
    with Run.open(tmp_path / "items.run") as made:
        summary = Summary(made, made.outcome(), Spending())
        assert agreement_over_time(summary)[-1][1].value == summary.agreement.value
        assert "without errors" not in " ".join(run_page(summary).answer)
    new = {"text": ["worth 1", "worth 2"], "guess": [10.0, 200.0], "colour": ["red", "blue"], "good": [0, 1]}
    pl.DataFrame(new).write_csv(tmp_path / "new.csv")
    assert run("score", "new.csv", "--model", "worth.ordain", "--out", "scored.csv")[0] == 0
    assert pl.read_csv(tmp_path / "scored.csv")["guess"].to_list() == [200.0, 10.0]
    code, out, _ = run("evaluate", "scored.csv", "--label", "good", "--json")
    assert (code, json.loads(out)["auc"]) == (0, 1.0)


def test_texts_are_made_numbers_of_once_and_not_before_all_that_was_typed_is_right(judge, server, table, monkeypatch):
    made = []
    monkeypatch.setattr(item_features, "text_blocks", lambda texts: (made.append(len(texts)), text_blocks(texts))[1])
    assert judge("--budget", "20", "--start", "colour")[0] == 2
    assert not made
    assert judge("--budget", "20", "--start", "guess", "--save", "worth.ordain")[0] == 0
    assert made == [N]


def test_lists_embeddings_and_a_starting_score_and_going_on(judge, run, server, table, tmp_path):
    options = ("--budget", "30", "--embeddings", "vectors.npy", "--start", "guess", "--json")
    code, out, _ = judge(*options)
    assert code == 0
    found = json.loads(out)
    assert found["learned"]["helped"]
    assert "starting score 'guess'" in found["learned"]["from"]
    assert "embeddings of 2 numbers" in found["learned"]["from"]
    assert agreement(found["order"], table) > 0.95
    before = len(server.requests)
    assert json.loads(judge(*options)[1])["order"] == found["order"]
    assert len(server.requests) == before
    again = json.loads(run("judge", "--run", "items.run", "--json")[1])
    assert again["order"] == found["order"]
    np.save(tmp_path / "vectors.npy", np.ones((N, 2)))
    code, _, err = run("judge", "--run", "items.run", "--json")
    assert (code, "It changed" in err) == (2, True)
    (tmp_path / "vectors.npy").unlink()
    code, _, err = run("judge", "--run", "items.run", "--json")
    assert (code, "There is no file of that name" in err, err.count("\n")) == (2, True, 1)


def test_what_cannot_be_saved_yet_is_said_and_the_order_is_told_nonetheless(judge, run, server, table, tmp_path):
    """Refused at once, then after the audit, and then by features that mean nothing."""
    sensible = server.judge
    server.judge = lambda request: sensible(request) if len(server.requests) <= many else Fault(401)
    saved = ("judge", "--run", "items.run", "--save", "worth.ordain")
    for many, said in (0, "--save needs answers to learn from"), (20, "they are ranked by what was learned"):
        assert judge("--budget", "60", "--pairs", "--concurrency", "1")[0] == 1
        code, out, err = run(*saved)
        assert (code, err) == (0, "")
        assert said in " ".join(out.split())
        assert (tmp_path / "worth.ordain").exists() == bool(many)
    pl.DataFrame({"text": [f"worth {k}" for k in range(30)], "guess": [1, 2, 3] * 10}).write_csv(tmp_path / "odd.csv")
    server.judge = better(lambda text: crc32(text.encode()))
    asked = ["judge", "odd.csv", "--ask", "Which?", "--llm", server.url, "--model", "m", "--yes", "--learn", "--pairs"]
    code, out, err = run(*asked, "--budget", "60", "--save", "odd.ordain")
    assert (code, err) == (0, "")
    assert "--save needs features that helped" in " ".join(out.split())
    assert not (tmp_path / "odd.ordain").exists()


def test_features_that_mean_nothing_are_said_not_to_help_and_are_not_used(tmp_path):
    rng = np.random.default_rng(3)
    worth = {f"i{k}": rng.normal(scale=3) for k in range(80)}
    items = [Item(name, f"{rng.integers(10**6)}", {"noise": f"{rng.random():.3f}"}) for name in worth]
    with Run.create(tmp_path / "a.run", items, "Which?") as run:
        outcome = run.rank(lambda a, b: worth[a.id] > worth[b.id], budget=50, learn=Learning())
        assert not run.learned().helped
        said = " ".join(Summary(run, outcome, Spending()).sentences())
        assert "The features did not help" in said
        assert "ranked last, as they came" in said
        never = [name for name, times in zip(outcome.ids, outcome.shown, strict=True) if not times]
        assert outcome.ids[-len(never) :] == never == sorted(never, key=lambda name: int(name[1:]))
        assert len(set(outcome.tier[-len(never) :])) == 1
        assert outcome.tier[-1] > outcome.tier[0]
        with pytest.raises(ValueError, match="features that helped"):
            learned_model(run)


@pytest.mark.parametrize("more", [False, True], ids=["texts and columns", "vectors and a starting score too"])
def test_the_model_scores_as_the_run_does_but_for_the_own_terms(more, tmp_path):
    rng = np.random.default_rng(4)
    worth = rng.permutation(120)
    words = [" ".join(rng.choice(["fig", "plum", "kiwi", "tea"], 5)) + "!" * int(k // 30) for k in worth]
    frame = pl.DataFrame({
        "text": words, "size": [round(k + rng.normal(), 2) for k in worth], "kind": ["ab"[k % 2] for k in worth],
        "embedding_1": worth / 50 + rng.normal(size=120), "embedding_2": rng.random(120),
    })  # fmt: skip
    columns = frame.select(pl.col("size").cast(pl.String), "kind").rows(named=True)
    items = [Item(f"i{k}", text, rest) for k, (text, rest) in enumerate(zip(words, columns, strict=True))]
    vectors = frame.select("embedding_1", "embedding_2").with_columns(id=pl.Series([item.id for item in items]))
    vectors.sample(fraction=1.0, shuffle=True, seed=0).write_parquet(tmp_path / "vectors.parquet")
    learn = Learning.of("size", str(tmp_path / "vectors.parquet"), items) if more else Learning()
    with Run.create(tmp_path / "a.run", items, "Which?") as run:
        run.rank(lambda a, b: worth[int(a.id[1:])] > worth[int(b.id[1:])], budget=80, learn=learn)
        found, model = run.learned(), learned_model(run)
    model.save(tmp_path / "m.ordain")
    part = found.both.features.X @ found.both.weights
    np.testing.assert_allclose(ordain.load(tmp_path / "m.ordain").scores(frame), part, atol=1e-8)
    assert ("starting score" in found.both.features.names) == ("embeddings" in found.both.features.names) == more


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--learn", "--guarantee"], "--learn orders by a model"),
        (["--learn", "--start", "colour"], "must name a column of numbers"),
        (["--learn", "--start", "size"], "must name a column beside the text"),
        (["--learn", "--embeddings", "no.npy"], "There is none of that name"),
        (["--learn", "--embeddings", "items.csv"], "must be .npy or .parquet"),
        (["--learn", "--budget", "5"], "20 requests or more"),
        (["--learn", "--text", "{text} {colour}", "--save", "m.ordain"], "in one column"),
        (["--embeddings", "vectors.npy"], "Add --learn"),
        (["--save", "m.ordain"], "Add --learn"),
    ],
)
def test_what_does_not_fit_is_one_line_before_anything_is_asked(run, server, table, options, message):
    code, _, err = run("judge", "items.csv", "--ask", "?", "--llm", server.url, "--model", "m", "--yes", *options)
    assert code == 2
    assert message in " ".join(err.split())
    assert not server.requests


def test_columns_are_read_as_they_are_and_what_is_of_no_use_is_said():
    rest = [{"date": f"2024-01-{k + 1:02}", "same": "x", "price": f"{k * k}.5"} for k in range(20)]
    known = features_of([Item(str(k), f"tea {k}", rest[k]) for k in range(20)], Learning())
    assert known.columns.names == ["date", "price"]
    assert any("'same' is not used" in sentence for sentence in known.dropped)


def test_people_teach_it_too(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    typed = Typed(items="items.csv", ask="Which number is larger?", learn=True, budget=60)
    work = work_of(typed, shown_of(typed))

    def larger(pairs):
        return (table[pairs[:, 0]] > table[pairs[:, 1]]).astype(float)

    with work.run as run:
        run.play(work.number, InBatches(run.store, work.number, larger, "you"))
        assert run.plans[work.number - 1].learn is not None
        assert run.learned().helped
        assert agreement(run.outcome().ids, table) > 0.8


def noisy(worth, afresh):
    """A judge of lists by a truth with noise, drawn for each list anew or once for all."""
    rng = np.random.default_rng(5)
    once = worth + rng.gumbel(size=len(worth))

    def order(some):
        places = np.array([int(item.id) for item in some])
        return [some[k] for k in np.argsort(-(worth[places] + rng.gumbel(size=len(some)) if afresh else once[places]))]

    return order


@pytest.mark.parametrize("afresh", [True, False])
def test_the_order_is_the_rankers_own_and_only_what_is_said_afresh_counts_again(tmp_path, afresh):
    worth = np.random.default_rng(6).normal(scale=1.5, size=40)
    items = [Item(str(k), "tea" * (k % 3), {"size": f"{of:.1f}"}) for k, of in enumerate(worth)]
    with Run.create(tmp_path / "a.run", items, "Which?") as run:
        run.rank(order=noisy(worth, afresh), budget=80, learn=Learning())
        found, own = run.learned(audit=False), run.play(len(run.plans), None)
        lists = [shown for shown, answer in run.store.answered(len(run.plans)) if isinstance(answer, tuple)]
    assert kendalltau(np.argsort(found.order), np.argsort(own)).statistic > 0.98
    whole = sum(3 * len(shown) * (len(shown) - 1) / (2 * (len(shown) + 1)) for shown in lists)
    counted = found.both.asked.graph.weights.sum()
    assert (counted == pytest.approx(whole)) if afresh else (counted < 0.9 * whole)


@pytest.mark.parametrize("seed", range(3))
def test_what_was_never_asked_about_has_wider_errors_and_ranks_and_all_hold(seed):
    """A judge who errs as Bradley and Terry have it; the truth is features and own terms."""
    rng, n = np.random.default_rng(seed), 90
    features = given_features(rng.normal(size=(n, 4)), n)
    worth = features.X @ rng.normal(scale=3.0, size=4) + rng.normal(size=n)
    pairs = [tuple(rng.permutation(60)[:2].tolist()) for _ in range(1500)]
    said = [((u, v), float(rng.random() < expit(worth[u] - worth[v]))) for u, v in pairs]
    outcome = learned_outcome([Item(str(k), "tea") for k in range(n)], said, learned_from(said, features))
    never, wide = outcome.shown == 0, outcome.rank_high - outcome.rank_low
    assert wide[never].mean() > 1.05 * wide[~never].mean()
    assert outcome.standard_errors[never].mean() > 1.5 * outcome.standard_errors[~never].mean()
    truth = 1 + np.argsort(np.argsort(-worth))[outcome.order]
    assert ((outcome.rank_low <= truth) & (truth <= outcome.rank_high)).all()


def test_ranks_hold_and_tell_something_where_the_judge_never_errs(tmp_path):
    rng = np.random.default_rng(8)
    worth = rng.permutation(150)
    guess = worth + rng.normal(scale=15.0, size=150)
    items = [Item(str(k), f"worth {of}", {"guess": f"{guess[k]:.3f}"}) for k, of in enumerate(worth)]
    with Run.create(tmp_path / "a.run", items, "Which?") as run:
        outcome = run.rank(lambda a, b: worth[int(a.id)] > worth[int(b.id)], budget=150, learn=Learning())
    truth = 150 - worth[outcome.order]
    assert ((outcome.rank_low <= truth) & (truth <= outcome.rank_high)).all()
    assert (outcome.rank_high - outcome.rank_low).mean() < 130


def test_names_of_pictures_are_not_learned_from(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pictures").mkdir()
    for k in range(40):
        (tmp_path / "pictures" / f"{k:02}.png").write_bytes(png())
    typed = Typed(items="pictures", image="pictures", ask="Which is nicer?", learn=True, budget=60)
    with pytest.raises(ValueError, match="Add --embeddings"):
        typed.learning(shown_of(typed).items)
    np.save(tmp_path / "vectors.npy", np.arange(40.0)[:, None])
    typed = replace(typed, embeddings="vectors.npy")
    work = work_of(typed, shown_of(typed))
    with work.run as run:
        run.play(work.number, InBatches(run.store, work.number, lambda pairs: pairs[:, 0] > pairs[:, 1], "you"))
        assert run.learns_from.features.names == ("embeddings",)
        assert run.learned().helped
        model = learned_model(run)
    new = pl.DataFrame({"embedding_1": [3.0, 30.0]})
    assert np.diff(model.scores(new)) > 0
