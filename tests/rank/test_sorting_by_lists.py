"""`ordain.sort` and `ordain.top_k` by a judge who orders lists: budgets, failures, resuming, replies that are wrong."""

import asyncio
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordain import sort, top_k
from ordain.preference import batch, budgeted, by_wins, from_scores, journalled, positions
from ordain.preference.questions import costs
from ordain.rank import list_field, list_window, play


@settings(max_examples=25)
@given(
    items=st.lists(st.integers(), unique=True, max_size=40),
    size=st.integers(2, 12),
    seed=st.integers(0, 9),
    k=st.integers(1, 4),
)
def test_a_judge_who_does_not_err_is_followed(items, size, seed, k):
    assert sort(items, order=sorted, size=size, seed=seed, budget=60 * len(items)) == sorted(items)
    if k <= len(items):
        assert top_k(items, k=k, order=sorted, size=size, seed=seed, budget=60 * len(items)) == sorted(items)[:k]


def test_every_way_of_ordering_gives_the_same():
    items = [f"word {k}" for k in np.random.default_rng(0).permutation(60)]

    async def slowly(words):
        await asyncio.sleep(0)
        return sorted(words)

    ways = (
        sorted,
        positions(lambda words: sorted(range(len(words)), key=words.__getitem__)),
        batch(lambda lists: [sorted(words) for words in lists]),
        slowly,
    )
    assert len({tuple(sort(items, order=way, seed=3)) for way in ways}) == 1


@pytest.mark.parametrize("budget", [None, 0, 7, 60, 300])
def test_no_more_items_are_shown_than_the_budget_says(budget):
    shown = []

    def order(words):
        shown.append(len(words))
        return sorted(words)

    found = sort(range(50), order=order, budget=budget, seed=0)
    assert sorted(found) == list(range(50))
    assert sum(shown) <= (12 * 50 if budget is None else budget)
    if budget is None:
        shown.clear()
        top_k(range(50), k=3, order=order, seed=0)
        assert 4 * 50 <= sum(shown) <= 8 * 50
        assert max(shown) <= 10


@pytest.mark.parametrize("size", [2, 10])
@pytest.mark.parametrize("budget", [None, 7, 60, 300])
def test_what_is_asked_once_more_counts_in_the_budget(budget, size):
    shown, rng = [], np.random.default_rng(1)

    def order(numbers):
        shown.append(tuple(numbers))
        return sorted(numbers)[: len(numbers) - (rng.random() < 0.2)]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = sort(range(50), order=order, budget=budget, size=size, seed=0)
    assert sorted(found) == list(range(50))
    texts = 12 * 50 if budget is None else budget
    assert texts - 10 < sum(map(len, shown)) <= texts
    if texts > 60:
        assert len(set(shown)) < len(shown)
        assert np.abs(np.array(found) - np.arange(50)).mean() < 5


@pytest.mark.parametrize(("way", "options"), [(sort, {}), (top_k, {"k": 3})])
def test_the_size_that_was_found_is_said_in_a_sentence(caplog, way, options):
    with caplog.at_level("INFO", logger="ordain"):
        way(range(60), order=sorted, size="auto", budget=4000, seed=0, **options)
        way(range(60), order=sorted, size="auto", seed=0, **options)
    (said,) = (record.getMessage() for record in caplog.records if record.name == "ordain")
    assert said.startswith("Lists of 10: a text tells ")


def test_an_order_that_fails_loses_nothing():
    items, asked = list(range(80, 0, -1)), []

    def failing(numbers):
        if len(asked) == 17:
            raise ConnectionError
        asked.append(tuple(numbers))
        return sorted(numbers)

    with pytest.raises(ConnectionError) as failed:
        sort(items, order=failing, seed=4)
    error = failed.value
    assert len(error.known) == 17
    for question, places in error.known.items():
        numbers = [items[item] for item in question]
        assert [sorted(numbers)[int(place)] for place in places] == numbers
    again = []
    found = sort(
        items, order=lambda numbers: again.append(tuple(numbers)) or sorted(numbers), seed=error.seed, known=error.known
    )
    assert found == sort(items, order=sorted, seed=4)
    assert not {frozenset(numbers) for numbers in again} & {frozenset(numbers) for numbers in asked}


def test_wrong_replies_are_used_as_far_as_they_go_and_counted():
    rng = np.random.default_rng(0)

    def forgetful(numbers):
        return sorted(numbers)[:-1] if rng.random() < 0.3 else sorted(numbers)

    with pytest.warns(
        UserWarning, match=r"\d+ of (9\d|10\d) orders had an item twice, left out or unknown, also when asked"
    ):
        found = sort(range(100), order=forgetful, seed=0)
    assert np.abs(np.array(found) - np.arange(100)).mean() < 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sort(range(30), order=sorted, seed=0)


RANKERS = {
    "window": lambda seed: list_window(60, np.random.default_rng(seed), 500),
    "field": lambda seed: list_field(60, 5, np.random.default_rng(seed), 400),
    "pairs": lambda seed: list_window(60, np.random.default_rng(seed), 500, size=2),
}


@pytest.mark.parametrize("name", RANKERS)
@pytest.mark.parametrize("left", [0, 90, 210])
def test_a_run_of_lists_resumes_from_any_part_of_its_journal(name, left):
    """Half of the answers, in any order, are forgotten; only those are asked again, and the order is the same."""
    rng = np.random.default_rng(1)
    truth = from_scores(rng.normal(size=60))
    journal, part = {}, {}
    whole = play(RANKERS[name](0), journalled(by_wins(truth), journal))
    keys = [*journal]
    for at in rng.permutation(len(keys))[: len(keys) // 2].tolist():
        part[keys[at]] = journal[keys[at]]
    asked = []

    def judge(lists):
        asked.append(lists)
        return by_wins(truth)(lists)

    try:
        again = play(RANKERS[name](0), journalled(budgeted(judge, left) if left else judge, part))
    except RuntimeError:  # the budget ended the run
        pytest.fail("a ranker of lists must return its order when the budget is spent")
    if not left:
        assert np.array_equal(whole, again)
        assert sum(map(len, asked)) == len(keys) - len(keys) // 2
    else:
        assert sorted(again) == list(range(60))
        assert sum(int(costs(lists).sum()) for lists in asked) <= left
