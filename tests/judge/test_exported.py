"""An export is read back as exactly the votes that the run holds, whoever reads it."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordain.judge import Item, Run
from ordain.judge.exported import as_lines, votes_in
from ordain.judge.outcome import weighed
from ordain.judge.plan import Plan
from ordain.judge.store import ANSWER, FAULT, UNREADABLE, Asked, Replied
from ordain.preference import batch
from ordain.votes.board import board_of
from ordain.votes.reading_votes import read_votes

nan = float("nan")
IDS = ["fig", "crème brûlée", "日本 1", 'a "b" > c = d', "[x]", "-", "7", "null"]


def run_of(place, said, ids=IDS, who="judge"):
    """A run with these questions and answers."""
    run = Run.create(place, [Item(one, f"text of {one}") for one in ids], "Which?")
    number = run.store.add_plan(Plan("again", len(ids), 0, wanted={}).settings)
    times = Counter()
    for question, answer in said:
        entry = run.store.intend(Asked((number, question, times[question]), 0, who)).result()
        run.store.end(entry, Replied(ANSWER, answer)).result()
        times[question] += 1
    return run


def written(run, place):
    place.write_text("".join(f"{line}\n" for line in as_lines(run.store)), encoding="utf-8")
    return place


def own(said, ids=IDS):
    """The pairs of an outcome with their answers and weights, the item that comes first in the alphabet left."""
    pairs, answers, weights = weighed(said).said
    return counted([(ids[a], ids[b]) for a, b in pairs.tolist()], answers, weights)


def read(votes):
    names = [(votes.items[a], votes.items[b]) for a, b in votes.pairs.tolist()]
    return counted(names, votes.answers, votes.weights)


def counted(names, answers, weights):
    """How much each answer to each pair counts; answers are as they are, to the last bit."""
    found = Counter()
    for (left, right), answer, weight in zip(names, answers.tolist(), weights.tolist(), strict=True):
        key = (left, right, answer) if left < right or answer not in (0.0, 0.5, 1.0) else (right, left, 1 - answer)
        found[key] += weight
    return {key: round(weight, 9) for key, weight in found.items()}


@st.composite
def said(draw, lists=True):
    """Questions of all lengths and their answers, gaps and ties and fractions among them."""
    found = []
    for _ in range(draw(st.integers(1, 12))):
        size = draw(st.integers(2, 6)) if lists else 2
        question = tuple(draw(st.permutations(range(len(IDS))))[:size])
        if size == 2 and (not lists or draw(st.booleans())):
            found.append((question, draw(st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1)))))
        else:
            places = st.sampled_from([0.0, 1.0, 2.0, 3.0, nan])
            found.append((question, tuple(draw(places) for _ in question)))
    return found


@given(said())
@settings(max_examples=50)
def test_what_is_read_back_is_what_the_run_holds(tmp_path_factory, given_answers):
    folder = tmp_path_factory.mktemp("export")
    with run_of(folder / "a.run", given_answers) as run:
        file = written(run, folder / "a.jsonl")
    if not own(given_answers):
        with pytest.raises(ValueError, match="must be a table"):
            read_votes([file])
        return
    votes, _ = read_votes([file])
    assert read(votes) == own(given_answers)
    assert votes.judges == ("judge",)


@given(said(lists=False))
@settings(max_examples=40)
def test_pairs_alone_keep_the_order_in_which_they_were_shown(tmp_path_factory, given_answers):
    folder = tmp_path_factory.mktemp("export")
    with run_of(folder / "a.run", given_answers) as run:
        votes, _ = read_votes([written(run, folder / "a.jsonl")])
        assert votes.shown
        rows = zip(votes.left, votes.right, votes.answers, votes.counts, strict=True)
        found = Counter()
        for left, right, answer, count in rows:
            found[votes.items[left], votes.items[right], answer] += count
        assert found == Counter((IDS[a], IDS[b], answer) for (a, b), answer in given_answers)


def test_the_board_of_an_export_of_pairs_is_the_outcome(tmp_path):
    rng = np.random.default_rng(0)
    pairs = [tuple(rng.permutation(8)[:2].tolist()) for _ in range(80)]
    answers = [(pair, float(rng.random() < 0.75) if pair[0] < pair[1] else 0.3) for pair in pairs]
    with run_of(tmp_path / "a.run", answers) as run:
        outcome = run.outcome()
        votes, _ = read_votes([written(run, tmp_path / "a.jsonl")])
    board = board_of(votes)
    assert list(board.items) == outcome.ids
    assert np.allclose(board.scores, outcome.scores, atol=1e-6)


def test_the_first_place_is_fitted_only_where_all_were_pairs(tmp_path):
    first = [((a, b), 1.0) for a in range(5) for b in range(5) if a != b] * 4
    with run_of(tmp_path / "a.run", first) as run:
        pairs, _ = read_votes([written(run, tmp_path / "a.jsonl")])
    with run_of(tmp_path / "b.run", [*first, ((0, 1, 2), (0.0, 1.0, 2.0))]) as run:
        mixed, _ = read_votes([written(run, tmp_path / "b.jsonl")])
    assert pairs.shown
    assert board_of(pairs).fit.position > 1
    assert not mixed.shown
    assert board_of(mixed).fit.position == 0
    both, _ = read_votes([tmp_path / "a.jsonl", tmp_path / "b.jsonl"])
    assert not both.shown


def test_two_exports_are_two_judges(tmp_path, run):
    answers = [((a, b), float(a < b)) for a in range(6) for b in range(a + 1, 6)]
    other = [(question, 1 - answer if question == (0, 1) else answer) for question, answer in answers]
    for place, told, who in (("a", answers, "model one"), ("b", other, "model two")):
        with run_of(tmp_path / f"{place}.run", told, who=who) as made:
            written(made, tmp_path / f"{place}.jsonl")
    votes, sentences = read_votes([tmp_path / "a.jsonl", tmp_path / "b.jsonl"])
    assert votes.judges == ("model one", "model two")
    assert Counter(votes.judges[cluster] for cluster in votes.clusters) == {"model one": 15, "model two": 15}
    assert "a judging run's answers" in sentences[0]
    code, out, err = run("rank", tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert code == 0, err
    assert "fig" in out


def test_one_judge_of_two_runs_of_the_same_name_is_one(tmp_path):
    for place in ("a", "b"):
        with run_of(tmp_path / f"{place}.run", [((0, 1), 1.0)], who="m") as made:
            written(made, tmp_path / f"{place}.jsonl")
    votes, _ = read_votes([tmp_path / "a.jsonl", tmp_path / "b.jsonl"])
    assert votes.judges == ("m",)
    assert votes.counts.sum() == 2


def test_only_the_last_answer_to_a_question_is_exported(tmp_path):
    with run_of(tmp_path / "a.run", []) as run:
        key = (1, (0, 1), 0)
        ends = [Replied(FAULT), Replied(UNREADABLE), Replied(ANSWER, 0.25)]
        for attempt, end in enumerate(ends):
            run.store.end(run.store.intend(Asked(key, attempt, "m")).result(), end).result()
        run.store.intend(Asked((1, (2, 3), 0), 0, "m")).result()
        run.store.end(run.store.intend(Asked((1, (0, 1), 1), 0, "m")).result(), Replied(ANSWER, 1.0)).result()
        votes = list(votes_in(run.store))
    assert [(vote["shown"], vote["p_left"]) for vote in votes] == [(IDS[:2], 0.25), (IDS[:2], None)]
    assert votes[0]["order"] == [IDS[1], IDS[0]]
    assert votes[0]["weight"] == 1


def test_ties_stand_in_lists_of_their_own(tmp_path):
    places = [((0, 1, 2, 3), (1.0, 0.0, 1.0, nan)), ((4, 5), 0.5), ((2, 1, 0), (nan, nan, 0.0))]
    with run_of(tmp_path / "a.run", places) as run:
        orders = [vote["order"] for vote in votes_in(run.store)]
        lines = list(as_lines(run.store))
    assert orders == [[IDS[1], [IDS[0], IDS[2]]], [[IDS[4], IDS[5]]]]
    assert "crème brûlée" in lines[0]
    assert [set(json.loads(line)) for line in lines] == [{"order", "judge", "shown", "weight", "p_left"}] * 2


def test_nothing_secret_is_in_it(tmp_path):
    with run_of(tmp_path / "a.run", [((0, 1), 1.0)]) as run:
        secret = run.store.facts["secret"]
        assert not any(secret in line or "text of" in line for line in as_lines(run.store))


@pytest.mark.parametrize("n", [6, 14])
def test_the_command_writes_what_rank_reads(run, tmp_path, n):
    texts = [f"word {number}" for number in range(n)]
    with Run.create("words.run", texts, "Which?") as made:
        order = batch(lambda lists: [sorted(items, key=lambda item: item.text) for items in lists])
        outcome = made.rank(order=order, size=5)
        total = sum(1 for number in range(1, len(made.plans) + 1) for _ in made.store.answered(number))
    code, out, err = run("export", "words.run", "--out", "votes.jsonl")
    assert code == 0, err
    assert f"{total:,} votes are in votes.jsonl" in out
    assert run("export", "words.run")[1] == (tmp_path / "votes.jsonl").read_text(encoding="utf-8")
    votes, _ = read_votes(["votes.jsonl"])
    assert votes.counts.sum() >= total
    code, out, err = run("rank", "votes.jsonl", "--json")
    assert code == 0, err
    assert json.loads(out)["board"][0]["item"] == outcome.ids[0]


@pytest.mark.parametrize("name", ["votes.csv", "votes.json", "votes"])
def test_votes_are_lines_of_json_and_go_nowhere_else(run, tmp_path, name):
    code, out, err = run("export", "some.run", "--out", name)
    assert (code, out) == (2, "")
    assert f"{name} must end in .jsonl" in err
    assert not (tmp_path / name).exists()
