"""Rankers that start from answers of before: nothing is asked again, and more money buys a better order."""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from ordain.preference import Spent
from ordain.preference.questions import is_lists, lists_in, padded
from ordain.rank import field, list_field, list_window, window
from ordain.rank.list_model import pairs_fit
from ordain.rank.lists import mean_length

PAIRS = {"window": window, "field": lambda n, rng, budget, **more: field(n, max(1, n // 8), rng, budget, **more)}
LISTS = {
    "list_window": list_window,
    "list_field": lambda n, rng, budget, *size, **more: list_field(n, max(1, n // 8), rng, budget, *size, **more),
}
nan = float("nan")


def judge_of(utilities, seed=0, noise=1.0):
    """Who orders by utilities and Gumbel noise: the places of the items of a list."""
    rng = np.random.default_rng([seed, 9])

    def places(shown):
        values = utilities[shown] + noise * rng.gumbel(size=len(shown))
        return (values > values[:, None]).sum(axis=1).astype(float)

    return places


def by_number(shown):
    return np.argsort(np.argsort(shown)).astype(float)


def driven(ranker, judge=by_number, ending=None):
    """Batches of questions, the answers as they are kept, and the order; in batch `ending` half of the answers come."""
    batches, kept, reply = [], {}, None
    while True:
        try:
            batch = ranker.throw(reply) if isinstance(reply, Spent) else ranker.send(reply)
        except StopIteration as finished:
            return SimpleNamespace(batches=batches, kept=kept, order=finished.value)
        assert not isinstance(reply, Spent)
        lists = lists_in(batch)
        batches.append(lists)
        places = [judge(shown) for shown in lists]
        if is_lists(batch):
            reply = padded(places, batch.shape[1])
            kept |= {tuple(shown.tolist()): tuple(of.tolist()) for shown, of in zip(lists, places, strict=True)}
        else:
            reply = np.array([0.5 + np.sign(second - first) / 2 for first, second in places])
            kept |= {tuple(shown.tolist()): float(of) for shown, of in zip(lists, reply, strict=True)}
        if ending == len(batches):
            reply[len(batch) // 2 :] = np.nan
            reply = Spent(reply)


def questions(found):
    return [tuple(shown.tolist()) for batch in found.batches for shown in batch]


def texts(found):
    return sum(map(len, questions(found)))


def discordant(order, utilities):
    """The share of pairs in the wrong order."""
    ranked = utilities[order]
    upper = np.triu_indices(len(order), 1)
    return np.mean(ranked[upper[0]] < ranked[upper[1]])


def seeded(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("name", [*PAIRS, *LISTS])
@pytest.mark.parametrize(("n", "budget"), [(2, 6), (7, 30), (30, 200), (45, 5000)])
def test_nothing_known_and_nothing_spared_changes_nothing(name, n, budget):
    ranker, more = (PAIRS | LISTS)[name], {"avoid": np.empty((0, 2), dtype=int)} if name in PAIRS else {}
    utilities = np.random.default_rng(n).normal(size=n)
    plain = driven(ranker(n, seeded(), budget), judge_of(utilities))
    found = driven(ranker(n, seeded(), budget, known={}, spare=lambda: 0, **more), judge_of(utilities))
    assert questions(found) == questions(plain)
    assert_array_equal(found.order, plain.order)


@pytest.mark.parametrize(("n", "budget"), [(40, 4000), (45, 8000)])
def test_a_trial_of_sizes_takes_no_round_away(n, budget):
    """The trial may show every item; the random round comes all the same."""
    size = []
    found = driven(list_window(n, seeded(), budget, "auto", report=size.append))
    length = int(size[0].split(":")[0].split()[-1])
    assert len(found.batches) == 1 + int(np.ceil(np.log2(n / length))) + 1


@given(st.integers(2, 14), st.integers(0, 60), st.sampled_from(sorted(PAIRS)), st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_no_known_pair_is_asked_again_and_no_avoided_one(n, budget, name, seed):
    rng = np.random.default_rng(seed)
    every = rng.permutation(list(combinations(range(n), 2)))
    known, avoid, spare = np.split(every, np.sort(rng.integers(0, len(every) + 1, 2)))
    known, avoid = (np.where(rng.random((len(of), 1)) < 0.5, of[:, ::-1], of) for of in (known, avoid))
    before = {tuple(pair): float(answer) for pair, answer in zip(known.tolist(), rng.random(len(known)), strict=True)}
    found = driven(PAIRS[name](n, rng, budget, known=before, avoid=avoid))
    asked = [frozenset(pair) for pair in questions(found)]
    assert len(set(asked)) == len(asked) <= budget
    assert set(asked) <= {frozenset(pair) for pair in spare.tolist()}
    assert sorted(found.order.tolist()) == list(range(n))


@pytest.mark.parametrize("name", PAIRS)
def test_what_is_neither_known_nor_avoided_is_asked_where_the_budget_allows(name):
    rng = np.random.default_rng(3)
    every = rng.permutation(list(combinations(range(6), 2)))
    before = {tuple(pair): 1.0 for pair in every[:5].tolist()}
    found = driven(PAIRS[name](6, rng, 100, known=before, avoid=every[5:8]))
    assert {frozenset(pair) for pair in questions(found)} == {frozenset(pair) for pair in every[8:].tolist()}


@given(st.integers(2, 9), st.integers(2, 4), st.integers(0, 80), st.sampled_from(sorted(LISTS)), st.integers(0, 99))
@settings(max_examples=30)
def test_no_known_list_is_shown_again_as_it_was(n, size, budget, name, seed):
    first = driven(LISTS[name](n, seeded(seed), budget, size))
    again = driven(LISTS[name](n, seeded(seed), budget, size, known=first.kept))
    assert not set(questions(first)) & set(questions(again))
    assert texts(again) <= budget
    assert_array_equal(np.sort(again.order), np.arange(n))


def test_where_every_list_is_known_nothing_is_asked():
    known = {(first, second): float(first < second) for first in range(4) for second in range(4) if first != second}
    found = driven(list_window(4, seeded(), 100, 2, known=known))
    assert found.batches == []
    assert_array_equal(found.order, np.arange(4))


@pytest.mark.parametrize("name", [*PAIRS, *LISTS])
def test_the_random_round_is_left_out_only_if_something_was_said_of_every_item(name):
    n, ranker = 40, (PAIRS | LISTS)[name]
    utilities = np.random.default_rng(5).normal(size=n) * 3
    known = {(item, (item + 1) % n): float(utilities[item] > utilities[(item + 1) % n]) for item in range(n)}
    without_last = {question: answer for question, answer in known.items() if n - 1 not in question}
    rounds = [
        len(driven(ranker(n, seeded(), 150, known=before), judge_of(utilities)).batches)
        for before in (None, known, without_last)
    ]
    assert rounds[1] == rounds[0] - 1
    assert rounds[2] == rounds[0]


@pytest.mark.parametrize("name", LISTS)
def test_lists_that_could_not_be_read_say_nothing_of_their_items(name):
    """Of unreadable lists nothing is known: every item is shown again."""
    n = 40
    known = {tuple(range(start, start + 10)): (nan,) * 10 for start in range(0, n, 10)}
    found = driven(LISTS[name](n, seeded(), 300, 5, known=known))
    assert set(np.concatenate(found.batches[0]).tolist()) == set(range(n))
    plain = driven(LISTS[name](n, seeded(), 300, 5))
    assert len(found.batches) == len(plain.batches)


@pytest.mark.parametrize(
    ("name", "n", "size"), [*((name, 30, 2) for name in PAIRS), *((name, 30, 10) for name in LISTS)]
)
@pytest.mark.parametrize("known", [False, True])
def test_what_is_spared_is_asked_for_once_and_spent_in_the_last_round(name, n, size, known):
    ranker, utilities, told = (PAIRS | LISTS)[name], np.random.default_rng(2).normal(size=n), []
    before = {(item, (item + 1) % n): 0.5 for item in range(n)} if known else {}
    plain = driven(ranker(n, seeded(), 90, known=before), judge_of(utilities))
    batches = []

    def judge(shown):
        batches.append(len(told))
        return judge_of(utilities, len(batches))(shown)

    def spare():
        told.append(len(batches))
        return 24

    found = driven(ranker(n, seeded(), 90, known=before, spare=spare), judge)
    assert len(told) == 1
    assert len(found.batches) == len(plain.batches)
    assert told[0] == sum(map(len, found.batches[:-1]))
    spent, before = (texts(of) if size > 2 else len(questions(of)) for of in (found, plain))
    assert spent == 90 + 24
    assert before <= 90


@pytest.mark.parametrize("ranker", LISTS.values())
def test_what_is_spared_is_spent_where_all_items_fit_in_one_list(ranker):
    told = []
    found = driven(ranker(6, seeded(), 6, spare=lambda: told.append(1) or 6))
    assert told == [1]
    assert len(questions(found)) == 2


def test_the_spared_is_asked_for_even_if_the_budget_is_spent():
    found = driven(window(12, seeded(), 0, spare=lambda: 5))
    assert len(questions(found)) == 5


@pytest.mark.parametrize("name", [*PAIRS, *LISTS])
@pytest.mark.parametrize("ending", [1, 2])
def test_out_of_calls_a_ranker_that_started_from_answers_still_ends(name, ending):
    n, ranker = 25, (PAIRS | LISTS)[name]
    known = driven(ranker(n, seeded(1), 60)).kept
    found = driven(ranker(n, seeded(), 120, known=known), ending=ending)
    assert len(found.batches) == ending
    assert_array_equal(np.sort(found.order), np.arange(n))


@pytest.mark.parametrize("name", [*PAIRS, *LISTS])
def test_with_nothing_to_spend_the_order_is_that_of_what_is_known(name):
    n, ranker = 20, (PAIRS | LISTS)[name]
    known = {(better, worse): 1.0 for better, worse in combinations(range(n), 2) if worse - better < 4}
    found = driven(ranker(n, seeded(), 0, known=known))
    assert found.batches == []
    assert_array_equal(found.order, np.arange(n))
    turned = driven(ranker(n, seeded(), 0, known=dict.fromkeys(known, 0.0)))
    assert_array_equal(turned.order, np.arange(n)[::-1])


def test_pairs_take_fractions_ties_and_lists_of_two_as_they_are():
    one, two = (
        [(0, 1), (1, 2), (2, 0)],
        {(0, 1): (0.0, 3.0), (1, 2): (1.0, 1.0), (2, 0): (nan, 0.0), (2, 1, 0): (0, 1, 2)},
    )
    as_numbers = driven(window(3, seeded(), 0, known={one[0]: 1.0, one[1]: 0.5}))
    found = driven(window(3, seeded(), 10, known=two))
    assert [frozenset(pair) for pair in questions(found)] == [frozenset((2, 0))]
    assert as_numbers.order[0] == 0
    surer = driven(window(3, seeded(), 0, known={(0, 1): 0.9, (2, 1): 0.6, (0, 2): 0.6}))
    assert_array_equal(surer.order, [0, 2, 1])


def test_lists_take_fractions_ties_and_gaps_as_the_model_does():
    known = {(0, 1, 2, 3): (0.0, 1.0, nan, 1.0), (4, 0): 0.3, (2, 4): 1.0, (3, 1): 0.5, (1, 3, 4): (nan, nan, nan)}
    found = driven(list_window(5, seeded(), 0, 4, known=known))
    lists = [np.array(shown) for shown in known]
    places = [np.array(of if isinstance(of, tuple) else (1 - of, of)) for of in known.values()]
    scores = pairs_fit(lists, places, 5).fit.scores
    assert scores[found.order[0]] == scores.max()
    assert scores[found.order].tolist() == sorted(scores.tolist(), reverse=True)


@pytest.mark.parametrize("ranker", LISTS.values())
@pytest.mark.parametrize("size", [1, 2.5, "long"])
def test_a_size_that_is_none_is_refused(ranker, size):
    with pytest.raises(ValueError, match="size must be a whole number, 2 or more"):
        next(ranker(5, seeded(), 20, size))


@pytest.mark.parametrize(("name", "budget"), [("window", 150), ("list_window", 160)])
def test_going_on_is_better_than_stopping_and_nearly_as_good_as_all_at_once(name, budget):
    """The share of pairs in the wrong order, over runs with utilities drawn anew."""
    n, ranker, lost = 40, (PAIRS | LISTS)[name], []
    for seed in range(10):
        utilities = np.random.default_rng([4, seed]).normal(size=n) * 2
        first = driven(ranker(n, seeded(seed), budget), judge_of(utilities, seed))
        gone_on = driven(ranker(n, seeded(seed + 1), budget, known=first.kept), judge_of(utilities, seed + 1))
        at_once = driven(ranker(n, seeded(seed), 2 * budget), judge_of(utilities, seed))
        lost.append([discordant(of.order, utilities) for of in (first, gone_on, at_once)])
    alone, together, whole = np.mean(lost, axis=0)
    assert together < 0.85 * alone
    assert together < 1.15 * whole


@pytest.mark.parametrize("name", ["field", "list_field"])
def test_going_on_finds_more_of_the_best(name):
    n, k, ranker, found = 48, 6, (PAIRS | LISTS)[name], []
    budget = 100 if name == "field" else 150
    for seed in range(16):
        utilities = np.random.default_rng([6, seed]).normal(size=n) * 2
        best = set(np.argsort(-utilities)[:k].tolist())
        first = driven(ranker(n, seeded(seed), budget), judge_of(utilities, seed))
        gone_on = driven(ranker(n, seeded(seed + 1), budget, known=first.kept), judge_of(utilities, seed + 1))
        at_once = driven(ranker(n, seeded(seed), 2 * budget), judge_of(utilities, seed))
        found.append([len(best & set(of.order[:k].tolist())) for of in (first, gone_on, at_once)])
    alone, together, whole = np.mean(found, axis=0)
    assert together > alone + 0.25
    assert together > whole - 0.5


@given(st.integers(3, 80), st.integers(2, 12), st.integers(0, 20))
@settings(max_examples=20)
def test_the_mean_length_of_lists_is_what_the_ranker_shows(n, size, seed):
    budget = 12 * n
    found = driven(list_window(n, seeded(seed), budget, size))
    if n > size:
        rounds = len(found.batches)
        assert abs(len(questions(found)) - budget / mean_length(n, size, budget)) <= rounds
    else:
        assert mean_length(n, size, budget) == n


@pytest.mark.parametrize(("n", "k"), [(100, 6), (200, 10), (37, 2)])
def test_the_mean_length_of_lists_holds_for_the_best_k(n, k):
    found = driven(list_field(n, k, seeded(), 8 * n))
    assert len(questions(found)) == pytest.approx(8 * n / mean_length(n, 10, 8 * n, k), rel=0.12)
