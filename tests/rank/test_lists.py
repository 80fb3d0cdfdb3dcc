"""Rankers that ask for orders: budgets, gaps, endings, and the exact order of a judge who does not err."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from ordain.preference import Spent
from ordain.preference.questions import is_lists, lists_in, padded
from ordain.rank.lists import _cut, _fields, list_field, list_window


class Asked(SimpleNamespace):
    """The lists that were shown, batch by batch, and the order."""

    @property
    def lists(self):
        return [shown for batch in self.batches for shown in batch]

    @property
    def texts(self):
        return sum(map(len, self.lists))


def answers(batch, places):
    """Places of the items of each list as the batch wants them: of pairs, how surely the first comes first."""
    if not is_lists(batch):
        return np.array([0.5 + np.sign(second - first) / 2 for first, second in places])
    return padded([np.asarray(of, dtype=float) for of in places], batch.shape[1])


def play_lists(ranker, judge, last=None):
    """Drive the ranker; in batch `last` the budget is spent after half of the questions."""
    batches, reply = [], None
    while True:
        try:
            batch = ranker.throw(reply) if isinstance(reply, Spent) else ranker.send(reply)
        except StopIteration as finished:
            return Asked(batches=batches, order=finished.value)
        assert not isinstance(reply, Spent)
        batches.append(lists_in(batch))
        reply = answers(batch, [judge(shown) for shown in lists_in(batch)])
        if last == len(batches):
            reply[len(batch) // 2 :] = np.nan
            reply = Spent(reply)


def by_number(shown):
    return shown.astype(float)


@st.composite
def rankers(draw, most=40):
    """A ranker with its number of items, budget and size."""
    n, size = draw(st.integers(1, most)), draw(st.integers(2, 12))
    budget, rng = draw(st.integers(0, 15 * n)), np.random.default_rng(draw(st.integers(0, 99)))
    if draw(st.booleans()):
        return list_window(n, rng, budget, size), n, budget, size
    return list_field(n, draw(st.integers(1, n)), rng, budget, size), n, budget, size


@given(rankers(), st.integers(0, 9), st.sampled_from([0.0, 0.3, 1.0]), st.integers(1, 9))
@settings(max_examples=60, deadline=None)
def test_budgets_are_kept_and_gaps_do_no_harm(case, seed, gaps, last):
    ranker, n, budget, size = case
    rng = np.random.default_rng(seed)

    def gappy(shown):
        return np.where(rng.random(len(shown)) < gaps, np.nan, rng.integers(0, 4, len(shown)))

    asked = play_lists(ranker, gappy, last)
    assert asked.texts <= budget
    assert sorted(asked.order) == list(range(n))
    assert len(asked.batches) <= last
    for shown in asked.lists:
        assert 2 <= len(shown) <= size
        assert len(set(shown.tolist())) == len(shown)
        assert set(shown.tolist()) <= set(range(n))


@given(rankers())
@settings(max_examples=40, deadline=None)
def test_everyone_is_shown_if_the_budget_allows_and_the_unshown_come_last(case):
    ranker, n, budget, size = case
    asked = play_lists(ranker, by_number)
    shown = {item for shown in asked.lists for item in shown.tolist()}
    if budget >= n + (size == 2) and n > 1:
        assert shown == set(range(n))
    assert set(asked.order[: len(shown)].tolist()) == shown
    assert asked.texts >= min(budget, n) - 1 or n == 1


@pytest.mark.parametrize("size", [2, 3, 5, 10])
@pytest.mark.parametrize("n", [2, 5, 11, 24])
def test_a_judge_who_does_not_err_gets_the_exact_order(n, size):
    asked = play_lists(list_window(n, np.random.default_rng(n), 100 * n, size), by_number)
    assert_array_equal(asked.order, np.arange(n))
    for k in {1, min(3, n)}:
        asked = play_lists(list_field(n, k, np.random.default_rng(n), 60 * n, size), by_number)
        assert_array_equal(asked.order[:k], np.arange(k))


def test_items_that_fit_in_one_list_are_shown_in_three_different_orders():
    for n in range(2, 11):
        asked = play_lists(list_window(n, np.random.default_rng(0), 1000), by_number)
        assert len(asked.lists) == min(3, n)
        assert len({tuple(shown) for shown in asked.lists}) == len(asked.lists)
        assert all((asked.lists[0] != shown).all() for shown in asked.lists[1:])
        assert all(sorted(shown) == list(range(n)) for shown in asked.lists)
        assert_array_equal(asked.order, np.arange(n))


def test_rounds_are_equal_and_near_items_meet():
    n, size = 320, 10
    asked = play_lists(list_window(n, np.random.default_rng(0), 12 * n, size), by_number)
    texts = [sum(map(len, batch)) for batch in asked.batches]
    assert len(texts) == 6  # ⌈log₂ 32⌉ + 1
    assert sum(texts) == 12 * n
    assert max(texts) - min(texts) <= 2
    widths = [np.mean([np.ptp(shown) for shown in batch]) for batch in asked.batches]
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 3 * size < widths[0]


@given(st.integers(2, 60), st.integers(2, 12), st.sampled_from([0.5, 4.0, np.inf]))
def test_the_cut_has_everyone_and_no_list_too_long(n, size, span):
    parts = _cut(np.arange(n), span, size, np.random.default_rng(n))
    assert set(np.concatenate(parts).tolist()) == set(range(n))
    assert {len(part) for part in parts} <= set(range(2, size + 1))
    assert sum(map(len, parts)) <= n + (size == 2)
    if span == 0.5:
        assert all(np.ptp(part) <= len(part) + 1 for part in parts)


def test_fields_halve_or_fall_faster():
    assert _fields(1000, 20, 10_000) == [1000, 500, 250, 125, 63, 32, 20, 20, 20]
    assert _fields(1000, 20, 1500) == [1000, 250, 63, 20, 20, 20]
    assert _fields(1000, 20, 0)[:2] == [1000, 20]


def test_a_field_larger_than_half_is_a_window():
    window = play_lists(list_window(30, np.random.default_rng(5), 300), by_number)
    field = play_lists(list_field(30, 15, np.random.default_rng(5), 300), by_number)
    assert all(map(np.array_equal, window.lists, field.lists))


def test_a_judge_without_an_answer_left_is_no_error():
    asked = play_lists(list_window(30, np.random.default_rng(5), 300), lambda shown: shown * np.nan, last=1)
    assert sorted(asked.order) == list(range(30))
    ranker = list_window(30, np.random.default_rng(5), 300)
    next(ranker)
    with pytest.raises(StopIteration):
        ranker.throw(Spent())


@pytest.mark.parametrize("size", ["auto", 10])
@pytest.mark.parametrize("k", [None, 20])
def test_a_budget_that_ends_among_the_first_lists_ends_the_questions_and_what_was_said_counts(k, size):
    n, rng, budget = 300, np.random.default_rng(7), 5000
    ranker = list_window(n, rng, budget, size) if k is None else list_field(n, k, rng, budget, size)
    asked = play_lists(ranker, by_number, last=1)
    assert len(asked.batches) == 1 and sorted(asked.order) == list(range(n))
    lists = asked.batches[0]
    assert (len({len(shown) for shown in lists}) > 2) == (size == "auto")
    said = {item for shown in lists[: len(lists) // 2] for item in shown.tolist()}
    assert set(asked.order[: len(said)].tolist()) == said
    assert np.corrcoef(asked.order[: len(said)], np.arange(len(said)))[0, 1] > 0.2


@pytest.mark.parametrize(
    ("ranker", "said"),
    [
        (lambda rng: list_window(5, rng, 10, size=1), "size must be a whole number, 2 or more, or 'auto'. Got 1"),
        (lambda rng: list_window(5, rng, 10, size=2.5), "size must be a whole number"),
        (lambda rng: list_window(5, rng, 10, size="small"), "Got small"),
        (lambda rng: list_window(5, rng, -1), "budget must not be negative. Got -1"),
        (lambda rng: list_field(5, 0, rng, 10), "k must lie from 1 to the 5 items. Got 0"),
        (lambda rng: list_field(5, 6, rng, 10), "k must lie from 1 to the 5 items. Got 6"),
    ],
)
def test_what_cannot_be_is_refused(ranker, said):
    with pytest.raises(ValueError, match=said):
        next(ranker(np.random.default_rng(0)))


def test_noisy_lists_order_better_than_their_budget_of_pairs_would():
    n, rng = 200, np.random.default_rng(0)
    scores = rng.normal(scale=3, size=n)[np.argsort(rng.random(n))]

    def judge(shown):
        return np.argsort(np.argsort(-(scores[shown] + rng.gumbel(size=len(shown))))).astype(float)

    def kendall(size):
        order = play_lists(list_window(n, np.random.default_rng(1), 12 * n, size), judge).order
        first, second = np.triu_indices(n, 1)
        return np.mean(scores[order[first]] < scores[order[second]])

    assert kendall(10) < 0.055 < kendall(2)
