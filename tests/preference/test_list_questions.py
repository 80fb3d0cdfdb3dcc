"""Judges of lists: what they are asked and answer passes every wrapper as pairs do; functions that order items."""

import asyncio
from itertools import combinations, permutations

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from ordain import preference as pref
from ordain.preference import Spent
from ordain.preference.questions import as_shown, blank, check_places, costs, padded

SIZE, N = 5, 9
WORTH = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5])
"""Items 1 and 3, and 4 and 8, tie."""

lists = st.lists(st.lists(st.integers(0, N - 1), min_size=2, max_size=SIZE, unique=True), min_size=1, max_size=8).map(
    lambda drawn: padded(drawn, SIZE)
)


def judge(batch):
    """The worthier first, ties where items are worth the same; the larger its number, the less is known of an item."""
    return np.where(batch >= 0, -WORTH[batch], np.nan)


def gappy(batch):
    """Says nothing of item 7."""
    return np.where(batch == 7, np.nan, judge(batch))


WRAPPERS = {
    "counted": pref.counted,
    "budgeted": lambda order: pref.budgeted(order, 1000),
    "with_progress": lambda order: pref.with_progress(order, lambda asked: None, every=2),
    "remembering": pref.remembering,
    "journalled": pref.journalled,
}
every_wrapper = pytest.mark.parametrize("wrapper", WRAPPERS.values(), ids=WRAPPERS)


@every_wrapper
@given(batch=lists)
def test_every_wrapper_hands_on_places(wrapper, batch):
    assert_array_equal(wrapper(gappy)(batch), gappy(batch))


@every_wrapper
@given(batch=lists, budget=st.integers(0, 20))
def test_every_wrapper_hands_on_the_lists_a_budget_still_paid(wrapper, batch, budget):
    try:
        given = wrapper(pref.budgeted(judge, budget))(batch)
    except Spent as spent:
        given = spent.answers
    paid = np.cumsum(costs(batch)) <= budget
    if wrapper is pref.remembering:  # it does not pay for what it knows
        assert_array_equal(given[paid], judge(batch)[paid])
    else:
        assert_array_equal(given, np.where(paid[:, None], judge(batch), blank(batch)))


def test_a_budget_of_lists_counts_texts():
    budgeted = pref.budgeted(judge, 7)
    with pytest.raises(Spent) as spent:
        budgeted(padded([[0, 1, 2], [3, 4], [5, 6, 7]], 3))
    assert_array_equal(np.isnan(spent.value.answers).all(axis=1), [False, False, True])
    assert budgeted.left == 2


@pytest.mark.parametrize(
    "wrapper", [pref.rounded, pref.symmetrised, lambda judge: pref.checked(judge, consistent=True)]
)
def test_what_is_for_pairs_refuses_lists(wrapper):
    with pytest.raises(ValueError, match=r"is for pairs. Got lists of up to 3 items"):
        wrapper(judge)(padded([[0, 1, 2]], 3))


@given(batch=lists, known=st.integers(0, 8))
def test_a_journal_keeps_lists_and_asks_only_what_is_missing(batch, known):
    journal, asked = {}, []
    pref.journalled(gappy, journal)(batch[:known])
    assert all(len(question) == len(places) for (question, _), places in journal.items() if len(question) > 2)
    again = pref.journalled(naive.logged(gappy, asked), journal)
    assert_array_equal(again(batch), gappy(batch))
    assert sum(len(shown) for shown, _ in asked) == len(batch[known:])


@given(batch=lists, seed=st.integers(0, 99))
def test_no_list_is_asked_twice_in_whatever_order(batch, seed):
    rng, asked = np.random.default_rng(seed), []
    shuffled = padded([rng.permutation(as_shown(row)) for row in batch.tolist()], SIZE)
    remembering = pref.remembering(naive.logged(judge, asked))
    assert_array_equal(remembering(batch), judge(batch))
    assert_array_equal(remembering(shuffled), judge(shuffled))
    assert sum(len(shown) for shown, _ in asked) == len({frozenset(as_shown(row)) for row in batch.tolist()})
    assert_array_equal(pref.remembering(None, remembering.known)(shuffled), judge(shuffled))


@given(batch=lists)
def test_a_list_is_worth_its_pairs_at_three_over_k_plus_one(batch):
    pairs, answers, weights = pref.list_pairs(batch, gappy(batch))
    expected = []
    for row in batch.tolist():
        ranked = [item for item in as_shown(row) if item != 7]
        for u, v in combinations(ranked, 2):
            expected.append((u, v, (np.sign(WORTH[u] - WORTH[v]) + 1) / 2, 3 / (len(ranked) + 1)))
    assert list(zip(*pairs.T.tolist(), answers.tolist(), weights.tolist(), strict=True)) == expected


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6])
def test_the_weight_is_where_the_variances_of_places_and_of_wins_meet(k):
    """Var(place) = (k² - 1)/12 over all orders; w independent answers a pair would give w wins variance (k - 1)/4 w."""
    places = np.array([order.index(0) for order in permutations(range(k))])
    assert places.var() == pytest.approx((k**2 - 1) / 12)
    # A score is estimated from wins: its variance is var(wins)/slope², and both have the same slope, (k - 1)/4 a pair.
    assert (k - 1) / 4 / places.var() == pytest.approx(3 / (k + 1))


@given(batch=lists)
def test_a_judge_of_pairs_orders_lists_by_wins(batch):
    prefer = pref.from_scores(WORTH)
    assert_array_equal(order_of(pref.by_wins(prefer)(batch)), order_of(judge(batch)))
    asked = []
    pref.by_wins(naive.logged(prefer, asked))(batch)
    assert sum(len(shown) for shown, _ in asked) == sum(
        len(as_shown(row)) * (len(as_shown(row)) - 1) // 2 for row in batch.tolist()
    )


def order_of(places):
    """Places as 0, 1, 2, …"""
    return np.array([np.where(np.isnan(row), -1, np.searchsorted(np.unique(row), row)) for row in places])


def test_a_circle_of_wins_is_a_tie():
    circle = pref.from_matrix([[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]])
    assert_array_equal(pref.by_wins(circle)(padded([[0, 1, 2]], 3)), [[0, 0, 0]])


def test_places_that_are_none_are_refused():
    batch = padded([[0, 1, 2]], 3)
    for places in ([0, 1, 2], [[0, 1]], [["a", "b", "c"]]):
        with pytest.raises(ValueError, match="one place per item"):
            pref.ask(lambda lists, places=places: places, batch)
    with pytest.raises(ValueError, match="must be finite"):
        check_places(batch, [[0, 1, np.inf]])


WORDS = ["pear", "fig", "banana", "kiwi", "apple"]


@given(shown=st.permutations(range(5)), length=st.integers(3, 5))
def test_a_function_orders_the_items_or_their_positions(shown, length):
    batch = padded([shown[:length]], 5)
    places = [[sorted(WORDS[item] for item in shown[:length]).index(WORDS[item]) for item in shown[:length]]]
    expected = padded([np.array(places[0], dtype=float)], 5)
    by_position = pref.positions(lambda words: sorted(range(len(words)), key=words.__getitem__))
    together = pref.batch(lambda many: list(map(sorted, many)))

    async def slowly(words):
        await asyncio.sleep(0)
        return sorted(words)

    for order in (sorted, by_position, together, slowly):
        assert_array_equal(pref.from_order(WORDS, order)(batch), expected)


def test_ties_are_lists_among_the_items_unless_these_are_lists_themselves():
    judged = pref.from_order(WORDS, lambda words: [[words[2], words[0]], words[1]])(padded([[0, 1, 2]], 3))
    assert_array_equal(judged, [[0, 1, 0]])
    items = [[1, 2], [3], [4]]
    assert_array_equal(pref.from_order(items, sorted)(padded([[2, 0, 1]], 3)), [[2, 0, 1]])


def test_equal_items_are_taken_from_left_to_right_and_the_same_one_first():
    equal = [1.0, 1, True]
    assert_array_equal(
        pref.from_order(equal, lambda items: [items[2], items[0], items[1]])(padded([[0, 1, 2]], 3)), [[1, 2, 0]]
    )
    assert_array_equal(pref.from_order(equal, lambda items: [1, 1, 1])(padded([[0, 1, 2]], 3)), [[1, 0, 2]])
    arrays = [np.array([k, 2]) for k in range(3)]
    reply = [np.array([2, 2]), np.array([0, 2]), np.array([1, 2])]
    assert_array_equal(pref.from_order(arrays, lambda items: reply)(padded([[0, 1, 2]], 3)), [[1, 2, 0]])


@pytest.mark.parametrize(
    ("reply", "places"),
    [
        (["fig", "pear"], [1, 0, np.nan]),
        (["fig", "fig", "pear", "banana"], [2, 0, 3]),
        (["melon", "fig", "pear", "banana"], [2, 1, 3]),
        (None, [np.nan] * 3),
        ("fig", [np.nan] * 3),
    ],
    ids=["left out", "twice", "unknown", "nothing", "text"],
)
def test_what_comes_back_wrong_is_asked_once_more_and_used_as_far_as_it_goes(reply, places):
    asked = []
    order = pref.from_order(WORDS, lambda words: asked.append(words) or reply)
    assert_array_equal(order(padded([[0, 1, 2]], 3)), [places])
    assert (len(asked), order.faulty, order.asked) == (2, 1, 1)
    replies = iter([reply, ["fig", "pear", "banana"]])
    mended = pref.from_order(WORDS, lambda words: next(replies))
    assert_array_equal(mended(padded([[0, 1, 2]], 3)), [[1, 0, 2]])
    assert mended.faulty == 0


def test_a_pair_is_a_list_of_two():
    order = pref.from_order(WORDS, lambda words: sorted(words, key=len))
    assert_array_equal(order(np.array([[0, 1], [2, 1], [0, 3]])), [0, 0, 1])
    assert_array_equal(pref.from_order(WORDS, lambda words: [words])(np.array([[0, 3]])), [0.5])
    assert_array_equal(pref.from_order(WORDS, lambda words: [])(np.array([[0, 3]])), [0.5])


def test_as_many_orders_as_lists():
    with pytest.raises(ValueError, match=r"one list per list it is given. Got 1 for 2"):
        pref.from_order(WORDS, pref.batch(lambda many: many[:1]))(padded([[0, 1, 2], [2, 3, 4]], 3))
    with pytest.raises(ValueError, match="order must be a function"):
        pref.from_order(WORDS, "pear")


@pytest.mark.parametrize(("keeper", "place"), [(pref.remembering, 1), (pref.journalled, 1)])
def test_a_pair_and_a_list_of_two_are_one_question(keeper, place):
    """What was answered to a pair is known of the same two among lists, and the other way round."""
    pairs, among = np.array([[0, 1], [5, 2]]), padded([[0, 1], [5, 2], [3, 4, 6]], 3)
    prefer = pref.from_scores(WORTH)
    known = {}
    keeper(prefer, known)(pairs)
    asked = []
    both = keeper(naive.logged(judge, asked), known)(among)
    assert_array_equal(order_of(both), order_of(judge(among)))
    assert [len(shown) for shown, _ in asked] == [place]
    known = {}
    keeper(judge, known)(among)
    assert_array_equal(keeper(None, known)(pairs), prefer(pairs))
