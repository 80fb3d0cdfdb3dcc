"""What a budget is spent on, against the sentences that promise it."""

from __future__ import annotations

import re
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ordain.judge.shares import Shares, audit_requests, shares_of, usual_shares
from ordain.judge.wanted import Wanted, expected_calls
from ordain.preference import counted
from ordain.rank import list_field, list_window, play, quicksort, top_k

items, sizes = st.integers(2, 3000), st.integers(2, 12)


def lists_by_number(batch):
    if batch.shape[1] == 2:
        return (batch[:, 0] < batch[:, 1]).astype(float)
    return np.where(batch < 0, np.nan, batch).astype(float)


@given(items, st.integers(1, 100_000))
@example(9, 10_000)
@example(10, 10_000)
def test_the_audit_is_a_twentieth_at_least_20_at_most_a_fifth_and_a_quarter_of_all_pairs(n, requests):
    audit = audit_requests(n, requests)
    if n < 10:
        assert audit == 0
        return
    fifth, quarter = Fraction(requests, 5), Fraction(comb(n, 2), 4)
    wanted = max(20, Fraction(requests, 20))
    assert audit <= min(fifth, quarter)
    assert audit + 1 > min(wanted, fifth, quarter)


@given(items, sizes, st.integers(1, 50_000), st.sampled_from([1, 2]))
def test_a_budget_is_spent_on_the_audit_the_order_and_what_may_go_wrong_and_nothing_else(n, size, budget, times):
    try:
        found = shares_of(budget, n, size, times=times)
    except ValueError:
        return
    assert found.audit + found.ranker + found.kept == found.requests == budget
    assert found.audit == audit_requests(n, budget)
    assert found.kept == (budget - found.audit) // 20
    assert found.ranker // times * found.size >= n
    assert found.size == min(size, n)


@given(items, sizes, st.integers(-5, 3000), st.sampled_from([1, 2]))
@example(1000, 10, 0, 1)
@example(2, 10, 0, 1)
def test_the_least_budget_that_is_named_is_accepted_and_one_less_is_not(n, size, budget, times):
    try:
        shares_of(budget, n, size, times=times)
    except ValueError as refused:
        assert str(refused).count("\n") == 0
        assert f"Got {budget}." in str(refused)
        least = int(re.search(r"must be (\d+) requests", str(refused)).group(1))
        assert shares_of(least, n, size, times=times).requests == least
        with pytest.raises(ValueError, match=f"must be {least} requests or more"):
            shares_of(least - 1, n, size, times=times)


@given(items, sizes, st.integers(1, 4000))
def test_who_can_pay_for_more_is_not_refused(n, size, budget):
    """What is accepted stays so with one request more."""
    try:
        shares_of(budget, n, size)
    except ValueError:
        return
    assert shares_of(budget + 1, n, size).ranker >= shares_of(budget, n, size).ranker


@given(items, sizes, st.one_of(st.none(), st.integers(1, 50)), st.sampled_from([1, 2]))
def test_without_a_budget_items_are_shown_12_times_or_8_times_for_the_best(n, size, top, times):
    found = usual_shares(n, size, top=top, times=times)
    showings = 12 if top is None else 8
    assert found.kept == 0
    assert found.audit <= Fraction(found.requests, 5) + Fraction(1, 10)
    if n <= size and n > 2:
        assert found == Shares(0, 3, 0, n) if n < 10 else found.ranker == 3
    elif size == 2:
        assert found.ranker == min(showings * n // 2, times * (comb(n, 2) - found.audit), times * comb(n, 2))
    else:
        assert found.ranker * size >= showings * n
        assert found.ranker <= showings * n / 2 + 1


@pytest.mark.parametrize("n", [11, 12, 19, 21, 40, 101])
@pytest.mark.parametrize("top", [None, 3])
def test_as_many_lists_are_shown_as_foreseen(n, top):
    """Lists are of about equal length: twelve items are two lists of six, not one of ten and one of two."""
    wanted = Wanted(top=top, size=10)
    shares = wanted.shares(n)
    plan = wanted.plan(n, 0, shares)
    rng = np.random.default_rng(0)
    ranker = list_window(n, rng, plan.budget) if top is None else list_field(n, top, rng, plan.budget)
    judge = counted(lists_by_number)
    play(ranker, judge)
    assert judge.calls == pytest.approx(shares.ranker, rel=0.15, abs=2)


@pytest.mark.parametrize("wanted", [Wanted(size=2), Wanted(size=2, both_orders=True), Wanted(size=2, top=2)])
@pytest.mark.parametrize("n", [2, 3, 5, 10, 12])
def test_no_more_pairs_are_foreseen_than_there_are(wanted, n):
    shares = wanted.shares(n)
    assert shares.ranker / wanted.times + shares.audit <= comb(n, 2) or n == 2


@given(items, st.integers(0, 5000), st.integers(1, 5000), sizes)
def test_what_is_spent_is_gone_and_no_audit_is_asked_twice(n, budget, spent, size):
    found = Wanted(size=size, budget=budget).shares(n, spent)
    assert found.audit == 0
    assert min(found.ranker, found.kept) >= 0
    assert found.requests == max(0, budget - spent)
    plan = Wanted(size=size, budget=budget).plan(n, 0, found)
    assert plan.budget >= 0
    assert plan.spare == (found.kept > 0)


@pytest.mark.parametrize(("n", "k"), [(40, None), (40, 5), (12, 12), (30, 1)])
def test_the_calls_of_a_sort_are_those_it_makes_on_average(n, k):
    calls = []
    for seed in range(300):
        rng, judge = np.random.default_rng(seed), counted(lists_by_number)
        play(quicksort(n, rng) if k is None else top_k(n, k, rng), judge)
        calls.append(judge.calls)
    error = np.std(calls) / np.sqrt(len(calls))
    assert abs(np.mean(calls) - expected_calls(n, k)) < 4 * error + 0.5


def test_two_items_are_one_pair_for_a_sort():
    assert expected_calls(2, None) == 1
    assert Wanted(guarantee=True).shares(2) == Shares(0, 1, 0, 2)


@pytest.mark.parametrize("budget", [None, 800])
def test_sizes_are_tried_only_where_texts_are_counted(budget):
    """A budget counts requests, of which the longest tell most."""
    wanted = Wanted(budget=budget)
    plan = wanted.plan(600, 0, wanted.shares(600))
    assert plan.size == ("auto" if budget is None else 10)
    assert Wanted(size=10).plan(600, 0, Wanted(size=10).shares(600)).size == 10


def test_both_ways_round_a_pair_takes_two_requests():
    wanted = Wanted(size=2, both_orders=True, budget=100)
    shares = wanted.shares(30)
    assert wanted.plan(30, 0, shares).budget == shares.ranker // 2
    with pytest.raises(ValueError, match="must be 38 requests or more"):
        Wanted(size=2, both_orders=True, budget=37).shares(30)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [({"top": 0}, "top must be 1 or more"), ({"size": 1}, "size must be"), ({"size": "all"}, "size must be")],
)
def test_what_cannot_be_wanted_is_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        Wanted(**wrong)


def test_the_plan_is_for_lists_pairs_or_a_sort():
    rankers = {
        "list_window": Wanted(size=10),
        "list_field": Wanted(size=10, top=3),
        "window": Wanted(size=2),
        "field": Wanted(size=10, longest=2, top=3),
        "quicksort": Wanted(guarantee=True),
        "top_k": Wanted(guarantee=True, top=3),
    }
    for ranker, wanted in rankers.items():
        assert wanted.plan(40, 0, wanted.shares(40)).ranker == ranker
