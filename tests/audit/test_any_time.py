"""Stopping at will: the wealth is a supermartingale, its intervals hold at all times together, in exact sums."""

from functools import cache
from itertools import combinations, permutations

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordain import audit
from ordain.audit.any_time import interval_so_far, log_wealth


def wealth(s, m):
    return float(mpmath.mpf(2) ** m * mpmath.beta(s + 0.5, m - s + 0.5) / mpmath.beta(0.5, 0.5))


@given(st.integers(0, 40), st.data())
def test_the_wealth_is_the_formula_and_never_grows_on_average(m, data):
    s = data.draw(st.floats(0, m))
    assert np.exp(log_wealth(s, m)) * 2.0**m == pytest.approx(wealth(s, m))
    low, high = data.draw(st.floats(0, 0.5)), data.draw(st.floats(0.5, 1))
    if high > low:
        chance = (0.5 - low) / (high - low)  # of the higher answer, so that the mean is one half
        assert chance * wealth(s + high, m + 1) + (1 - chance) * wealth(s + low, m + 1) <= wealth(s, m) * (1 + 1e-12)
    if s in (0, m):
        assert (wealth(s + 1, m + 1) + wealth(s, m + 1)) / 2 == pytest.approx(wealth(s, m))


def crossing(steps, mean, refutes):
    """The chance that a walk of coins is ever refuted, by its law over the number of successes not yet refuted."""
    alive, lost = np.array([1.0]), 0.0
    for m in range(1, steps + 1):
        alive = np.append(alive * (1 - mean), 0.0) + np.append(0.0, alive * mean)
        gone = np.array([refutes(s, m) for s in range(m + 1)])
        lost, alive = lost + alive[gone].sum(), np.where(gone, 0.0, alive)
    return lost


def test_a_coin_is_seldom_called_better_at_any_time_but_by_the_sign_test_often():
    alpha = 0.1
    ever = crossing(100, 0.5, lambda s, m: wealth(s, m) >= 1 / alpha)
    assert 0.4 * alpha < ever <= alpha
    peeking = crossing(100, 0.5, lambda s, m: audit.Share(s, m).p_value <= alpha)
    assert peeking > 3 * alpha


@pytest.mark.parametrize("mean", [0.5, 0.9])
def test_the_interval_holds_at_all_times_together(mean):
    def refutes(s, m):
        low, high = interval_so_far(np.array([1.0] * s + [0.0] * (m - s)), 0.9)
        return not low <= mean <= high

    assert crossing(20, mean, refutes) <= 0.1


def test_without_replacement_it_holds_at_all_times_in_every_order_of_drawing():
    """All orders in which seven fixed answers can be drawn: for how many is their mean ever refuted?"""
    answers, missed, drawn = [1, 1, 1, 1, 0, 0.5, 1], 0, 0
    within = cache(lambda seen: interval_so_far(np.array(seen, float), 0.5, 7))
    for order in permutations(answers, 5):
        drawn += 1
        ends = [within(order[:m]) for m in range(1, 6)]
        missed += any(not low - 1e-9 <= np.mean(answers) <= high + 1e-9 for low, high in ends)
    assert 0 < missed / drawn <= 0.5


def test_all_pairs_asked_leave_nothing_open():
    right = np.array([1.0, 0, 1, 1, 0, 1])
    low, high = interval_so_far(right, 0.95, 6)
    assert (
        low <= right.mean() <= high and high - low < interval_so_far(right, 0.95)[1] - interval_so_far(right, 0.95)[0]
    )


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.sampled_from([0.5, 0.9, 0.99]))
def test_the_ends_are_where_the_wealth_is_enough(answers, level):
    right = np.array(answers)
    low, high = interval_so_far(right, level)
    assert low <= right.mean() <= high
    for end in (low, high):
        if 1e-9 < end < 1 - 1e-9:
            against = -(right * np.log(end) + (1 - right) * np.log(1 - end)).sum()
            assert log_wealth(right.sum(), len(right)) + against == pytest.approx(-np.log(1 - level), abs=1e-3)


def test_records_say_what_they_found():
    pairs = np.array(list(combinations(range(6), 2)))
    found = audit.agreement_so_far(range(6), pairs, np.ones(15), size=15)
    assert (found.value, found.of, found.high) == (1, 15, 1) and "at whatever time one stops" in str(found)
    for second, word in ((range(6)[::-1], "The first order agrees better with the judge: stop"), (range(6), "go on")):
        assert word in str(audit.better_so_far(range(6), second, pairs, np.ones(15)))
    told = audit.better_so_far(range(6), range(6)[::-1], pairs, np.ones(15))
    assert told.evidence == pytest.approx(wealth(15, 15))
    assert "E = " in str(told) and "20 is enough" in str(told)
    with pytest.raises(ValueError, match="size must be"):
        audit.agreement_so_far(range(6), pairs, np.ones(15), size=14)
