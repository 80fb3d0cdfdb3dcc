"""New items find their place among old ones by few questions, whoever the judge is."""

import numpy as np
import pytest
from scipy.special import expit

from ordain.preference import budgeted, counted
from ordain.rank import play
from ordain.rank.insertion import Place, insert

SCORES = np.linspace(12, -12, 101)


def judge_of(utilities):
    return lambda pairs: (utilities[pairs[:, 0]] > utilities[pairs[:, 1]]).astype(float)


@pytest.mark.parametrize("seed", range(5))
def test_a_judge_that_never_errs_places_everyone_rightly_in_about_log_n_questions(seed):
    rng = np.random.default_rng(seed)
    old = SCORES * 100  # far apart: the model is as sure as the judge
    utilities = np.append(old, rng.uniform(-1190, 1190, 20))
    judge = counted(judge_of(utilities))
    order = play(insert(old, 20, rng), judge)
    ahead = [np.count_nonzero(order[: np.flatnonzero(order == new)[0]] < 101) for new in range(101, 121)]
    assert ahead == [np.count_nonzero(old > utilities[new]) for new in range(101, 121)]
    assert judge.calls <= 20 * (np.ceil(np.log2(102)) + 2)


def test_a_judge_that_errs_is_asked_more_and_still_places_near():
    rng, moved, calls = np.random.default_rng(0), [], []
    for flips in (0.0, 0.2):
        utilities = np.append(SCORES, rng.uniform(-11, 11, 40))

        def judge(pairs, flips=flips, utilities=utilities):
            return judge_of(utilities)(pairs) != (rng.random(len(pairs)) < flips)

        asked = counted(judge)
        order = play(insert(SCORES, 40, rng, error=1.0, lapse=max(flips, 0.01)), asked)
        places, true = np.argsort(order), np.argsort(np.argsort(-utilities))
        moved.append(np.abs(places - true)[101:].mean())
        calls.append(asked.calls)
    assert calls[0] < calls[1]
    assert moved[0] < 6
    assert moved[1] < 14


def test_old_items_keep_their_order_and_pairs_are_never_asked_twice():
    rng, seen = np.random.default_rng(1), set()

    def judge(pairs):
        assert ((pairs < 101).sum(axis=1) == 1).all()  # one old item and one new
        for pair in map(frozenset, pairs.tolist()):
            assert pair not in seen
            seen.add(pair)
        return rng.random(len(pairs)) < 0.5

    order = play(insert(SCORES, 7, rng, error=0.1), judge)
    assert np.array_equal(order[order < 101], np.arange(101))
    assert sorted(order) == list(range(108))


def test_chances_are_those_of_bayes():
    """p(s) ∝ prior · Π q: with the product taken by hand on the grid."""
    place = Place(np.array([2.0, 0.0, -2.0]), 0.0, 0.1)
    prior = place.chances
    place.learn(1, 1.0)
    place.learn(0, 0.25)
    first = 0.1 + 0.8 * expit(place.grid)
    second = 0.1 + 0.8 * expit(place.grid - 2)
    expected = prior * first * second**0.25 * (1 - second) ** 0.75
    np.testing.assert_allclose(place.chances, expected / expected.sum(), rtol=1e-9)
    assert place.asked.tolist() == [True, True, False]


def test_a_budget_ends_it_with_the_best_order_so_far():
    utilities = np.append(SCORES, [5.0, -5.0])
    judge = budgeted(judge_of(utilities), 5)
    order = play(insert(SCORES, 2, np.random.default_rng(0)), judge)
    assert sorted(order) == list(range(103))
    assert np.argsort(order)[101] < np.argsort(order)[102]


@pytest.mark.parametrize(("scores", "count"), [([], 1), ([1.0, np.nan], 1), ([1.0], 0)])
def test_what_cannot_be_is_refused(scores, count):
    with pytest.raises(ValueError, match="must"):
        play(insert(scores, count, np.random.default_rng(0)), lambda pairs: pairs[:, 0])
