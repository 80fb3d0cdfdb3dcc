"""How long a list should be: the trial keeps to its texts, and finds the judge who tires of long lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordain.preference.questions import lists_in, padded
from ordain.rank.list_size import ENOUGH, SHARE, ListSize, refining, told_by_size, trial_lists
from ordain.rank.lists import list_field, list_window


def places_of(values):
    return np.argsort(np.argsort(-values)).astype(float)


def judge(scores, growth, rng):
    """Noise that grows by this share with every item beyond two."""
    return lambda shown: places_of(scores[shown] + rng.gumbel(size=len(shown)) * (1 + growth * (len(shown) - 2)))


@given(st.integers(11, 200), st.integers(0, 500), st.sampled_from([(2, 5, 10), (3, 4), (2, 5, 10, 20)]))
def test_the_trial_keeps_to_its_texts_and_to_a_few_items(n, texts, sizes):
    lists = trial_lists(n, np.random.default_rng(n), texts, [size for size in sizes if size <= n])
    assert sum(map(len, lists)) <= texts
    assert all(len(np.unique(shown)) == len(shown) for shown in lists)
    assert {len(shown) for shown in lists} <= set(sizes)
    if lists:
        assert len(np.unique(np.concatenate(lists))) <= 2 * max(sizes)


@pytest.mark.parametrize(("growth", "best"), [(0.0, {5, 10}), (0.5, {2})])
def test_who_tires_of_long_lists_gets_short_ones(growth, best):
    rng = np.random.default_rng(1)
    scores = rng.normal(scale=3, size=200)
    lists = trial_lists(200, rng, 2000)
    answer = judge(scores, growth, rng)
    found = told_by_size(lists, [answer(shown) for shown in lists])
    assert found.best in best
    assert str(found).startswith(f"Lists of {found.best}: a text tells ")


def test_the_best_size_is_the_one_that_tells_most():
    found = ListSize((2, 5), (0.25, 0.4))
    assert found.best == 5
    assert str(found) == "Lists of 5: a text tells 1.6 times at 5 what it tells in lists of 2."
    found = ListSize((2, 3, 4), (0.25, 0.5, 0.3), (2, 4))
    assert str(found) == "Lists of 3: a text tells 2 times at 3, 1.2 times at 4 what it tells in lists of 2."


def test_what_is_told_is_the_formula_at_the_factors_of_the_judge():
    """A judge whose noise grows by a fifth has a = 1/(1 + .2 (K - 2)); few texts an item make pairs the worse."""
    rng = np.random.default_rng(3)
    scores = rng.normal(scale=2, size=20)
    lists = trial_lists(20, rng, 60_000)
    answer = judge(scores, 0.2, rng)
    places = [answer(shown) for shown in lists]
    found, few = told_by_size(lists, places), told_by_size(lists, places, showings=12)
    assert found.sizes == tuple(range(2, 11))
    assert found.tried == (2, 5, 10)
    for size in (5, 10):
        told, pair = found.told[size - 2], found.told[0]
        expected = (1 + 0.2 * (size - 2)) ** -2 * 3 * (size - 1) / (size + 1)
        assert told / pair == pytest.approx(expected, rel=0.15)
        a, spread = np.sqrt(told / 0.75 * (size + 1) / (size - 1)), scores.std()
        bits = np.log2(np.arange(1, size + 1)).sum()
        spent = size * np.log2(1 + a * spread) / bits / 12
        assert few.told[size - 2] / told == pytest.approx(1 - spent, rel=0.02)
    assert found.best == few.best == 3
    assert few.told[0] / found.told[0] < 0.75


def test_who_has_too_few_texts_for_places_takes_the_size_that_tells_most_of_them():
    shares = refining(np.array([2, 5, 10]), np.full(3, 3.0), showings=0.1)
    assert (np.diff(shares) > 0).all()
    assert refining(np.array([2]), np.array([3.0]), 8.0)[0] == pytest.approx(0.5)
    above, below = (refining(np.array([2]), np.array([3.0]), 8.0 + step)[0] for step in (1e-6, -1e-6))
    assert above - 0.5 == pytest.approx(0.5 - below, rel=1e-3)


def test_an_answer_that_never_came_says_nothing():
    lists = trial_lists(50, np.random.default_rng(0), 300)
    assert told_by_size(lists, [np.full(len(shown), np.nan) for shown in lists]).best == 10


@pytest.mark.parametrize("ranker", [list_window, lambda n, *rest, **options: list_field(n, 5, *rest, **options)])
def test_the_ranker_tries_and_then_asks_what_tells_most(ranker):
    n, said, rng = 60, [], np.random.default_rng(2)
    answer = judge(rng.normal(scale=3, size=n), 1.0, rng)
    running = ranker(n, rng, 10 * ENOUGH, "auto", report=said.append)
    batch = next(running)
    lists = lists_in(batch)
    assert sum(map(len, lists)) <= SHARE * 10 * ENOUGH
    assert {len(shown) for shown in lists} == {2, 5, 10}
    later = running.send(padded([np.asarray(answer(shown), dtype=float) for shown in lists], batch.shape[1]))
    assert later.shape[1] == 2
    assert [line[:11] for line in said] == ["Lists of 2:"]


def test_a_small_budget_tries_nothing():
    batch = next(list_window(60, np.random.default_rng(0), ENOUGH - 1, "auto"))
    assert {len(shown) for shown in lists_in(batch)} <= {9, 10}
