"""Plans: an audit whose pairs are all different, rankers as they are planned, and one that ends when it is enough."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from ordain.judge.plan import Plan, asked_only, audit_of, batch_of, ranker_of, until
from ordain.preference import Spent, budgeted, counted
from ordain.preference.questions import lists_in
from ordain.rank import field, list_field, list_window, play, quicksort, top_k, window

NONE = np.empty((0, 2), dtype=int)
RANKERS = ("list_window", "list_field", "window", "field", "quicksort", "top_k")


def by_number(batch):
    """Lower numbers are better, whether in pairs or in lists."""
    if batch.shape[1] == 2:
        return (batch[:, 0] < batch[:, 1]).astype(float)
    return np.where(batch < 0, np.nan, batch).astype(float)


def unordered(pairs):
    return [frozenset(pair) for pair in pairs.tolist()]


@given(st.integers(10, 300), st.integers(0, 1500), st.integers(0, 10_000))
@settings(max_examples=60)
def test_an_audit_has_as_many_different_pairs_as_asked_half_of_them_in_triples(n, count, seed):
    count = min(count, comb(n, 2) // 4)
    audit = audit_of(Plan("audit", n, seed, count))
    assert len(audit.all) == count == len(set(unordered(audit.all)))
    assert len(audit.triples) == count // 2 // 3 * 3
    for three in audit.triples.reshape(-1, 3, 2):
        assert len(np.unique(three)) == 3
    assert (audit.all[:, 0] != audit.all[:, 1]).all()
    assert audit.all.size == 0 or (audit.all.min() >= 0 and audit.all.max() < n)


@pytest.mark.parametrize("n", range(2, 14))
def test_an_audit_may_have_all_pairs(n):
    audit = audit_of(Plan("audit", n, 0, comb(n, 2)))
    assert len(set(unordered(audit.all))) == comb(n, 2)


def test_independent_pairs_are_one_of_each_triple_and_the_others():
    audit = audit_of(Plan("audit", 50, 3, 40))
    assert len(audit.independent) == 40 - 2 * len(audit.triples) // 3
    triples = audit.triples.reshape(-1, 3, 2)
    assert [len(set(unordered(three)) & set(unordered(audit.independent))) for three in triples] == [1] * len(triples)


def test_an_audit_shows_either_item_first_and_every_item_alike():
    """Over seeds, the lower number is first half of the time, and no pair is likelier than another."""
    pairs = np.concatenate([audit_of(Plan("audit", 10, seed, 11)).all for seed in range(600)])
    first = np.mean(pairs[:, 0] < pairs[:, 1])
    assert abs(first - 0.5) < 4 * 0.5 / np.sqrt(len(pairs))
    counts = np.unique(np.sort(pairs, axis=1), axis=0, return_counts=True)[1]
    expected = len(pairs) / 45
    assert len(counts) == 45
    assert ((counts - expected) ** 2 / expected).sum() < 44 + 5 * np.sqrt(88)


def test_an_audit_is_the_same_again_and_another_with_another_seed():
    first, again, other = (audit_of(Plan("audit", 60, seed, 30)).all for seed in (1, 1, 2))
    assert_array_equal(first, again)
    assert set(unordered(first)) != set(unordered(other))


@pytest.mark.parametrize("name", RANKERS)
def test_the_ranker_is_the_one_that_is_planned(name):
    n, seed = 24, 5
    plan = Plan(name, n, seed, budget=100, top=3, size=4)
    rng = np.random.default_rng([seed, 1])
    own = {
        "list_window": lambda: list_window(n, rng, 100, 4),
        "list_field": lambda: list_field(n, 3, rng, 100, 4),
        "window": lambda: window(n, rng, 100),
        "field": lambda: field(n, 3, rng, 100),
        "quicksort": lambda: quicksort(n, rng),
        "top_k": lambda: top_k(n, 3, rng),
    }[name]()
    asked = ([], [])
    orders = [
        play(ranker, lambda batch, to=to: (to.append(batch.tolist()), by_number(batch))[1])
        for ranker, to in zip((ranker_of(plan, {}, NONE), own), asked, strict=True)
    ]
    assert asked[0] == asked[1]
    assert_array_equal(*orders)


@pytest.mark.parametrize("name", ["window", "field"])
def test_pairs_of_the_audit_are_avoided_and_what_is_known_is_not_asked(name):
    avoid = audit_of(Plan("audit", 12, 0, 16)).all
    known = {(0, 1): 1.0, (2, 1): (0.0, 1.0), (3, 4, 5): (0.0, 1.0, 2.0)}
    ranker = ranker_of(Plan(name, 12, 0, budget=100, top=12), known, avoid)
    asked = []
    play(ranker, lambda batch: (asked.extend(unordered(batch)), by_number(batch))[1])
    assert not set(asked) & ({*unordered(avoid), frozenset((0, 1)), frozenset((1, 2))})
    assert len(asked) == 66 - 16 - len({frozenset((0, 1)), frozenset((1, 2))} - set(unordered(avoid)))


def test_questions_are_asked_again_as_they_were():
    questions = [[3, 1, 2], [0, 4], [4, 3, 2, 1]]
    plan = Plan("again", 5, 0, questions=questions)
    batch = next(ranker_of(plan, {}, NONE))
    assert [shown.tolist() for shown in lists_in(batch)] == questions
    assert batch_of([]).shape == (0, 2)
    assert batch_of([[1, 0], [0, 2]]).tolist() == [[1, 0], [0, 2]]


def test_what_only_asks_ends_with_the_budget():
    judge = budgeted(by_number, 3)
    assert_array_equal(play(asked_only(audit_of(Plan("audit", 20, 0, 10)).all, 20), judge), np.arange(20))
    assert judge.left == 0


@pytest.mark.parametrize("name", RANKERS)
@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_a_ranker_ends_after_the_round_in_which_it_is_enough(name, rounds):
    plan = Plan(name, 40, 0, budget=300, top=4, size=5)
    seen, judge = [], counted(by_number)

    def enough(asked, given):
        assert len(asked) == len(given)
        for batch, answers in zip(asked, given, strict=True):
            assert_array_equal(answers, by_number(batch))
        seen.append([batch.tolist() for batch in asked])
        return len(asked) == rounds

    order = play(until(ranker_of(plan, {}, NONE), enough), judge)
    assert [len(batches) for batches in seen] == list(range(1, rounds + 1))
    assert judge.batches == rounds
    assert_array_equal(np.sort(order), np.arange(40))
    whole = counted(by_number)
    play(ranker_of(plan, {}, NONE), whole)
    assert whole.batches > rounds


@pytest.mark.parametrize("name", RANKERS)
def test_where_it_is_never_enough_nothing_changes(name):
    plan, asked = Plan(name, 30, 1, budget=150, top=4, size=5), ([], [])
    orders = [
        play(ranker, lambda batch, to=to: (to.append(batch.tolist()), by_number(batch))[1])
        for ranker, to in zip(
            (ranker_of(plan, {}, NONE), until(ranker_of(plan, {}, NONE), lambda *_: False)), asked, strict=True
        )
    ]
    assert asked[0] == asked[1]
    assert_array_equal(*orders)


def test_the_order_of_a_ranker_that_ends_is_that_of_the_answers_so_far():
    plan = Plan("window", 8, 0, budget=28)
    order = play(until(ranker_of(plan, {}, NONE), lambda *_: True), by_number)
    ranker = ranker_of(plan, {}, NONE)
    batch = next(ranker)
    ranker.send(by_number(batch))
    with pytest.raises(StopIteration) as ended:
        ranker.throw(Spent(np.full(0, np.nan)))
    assert_array_equal(order, ended.value.value)


@pytest.mark.parametrize("name", ["window", "list_window", "quicksort"])
def test_a_ranker_that_asks_nothing_ends_at_once(name):
    plan = Plan(name, 1 if name == "quicksort" else 5, 0, budget=0)
    order = play(until(ranker_of(plan, {}, NONE), lambda *_: False), by_number)
    assert_array_equal(np.sort(order), np.arange(plan.n))


def test_out_of_calls_a_ranker_ends_within_until_as_without():
    plan = Plan("list_window", 40, 0, budget=400, size=5)
    orders = [
        play(ranker, budgeted(by_number, 130))
        for ranker in (ranker_of(plan, {}, NONE), until(ranker_of(plan, {}, NONE), lambda *_: False))
    ]
    assert_array_equal(*orders)


@pytest.mark.parametrize("name", [*RANKERS, "audit", "again"])
def test_a_plan_is_kept_and_made_again(name):
    plan = Plan(name, 9, 4, budget=30, top=2, size="auto", spare=True, wanted={"top": 2, "budget": None})
    assert Plan(**plan.settings) == plan
    assert plan.orders == (name in RANKERS)
    assert plan.asks_lists == name.startswith("list_")
