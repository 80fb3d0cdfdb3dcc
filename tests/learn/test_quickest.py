"""The quickest of several ways, against clocks that run as told."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordain.learn.boosted import BoostedRanker
from ordain.learn.growth import Growth
from ordain.learn.quickest import Quickest


def taken(seconds, times):
    """The ways that are taken, where a way takes so many seconds at a time."""
    now, found = [0.0], []
    ways = Quickest(["one", "all"], lambda: now[0])
    for time in range(times):
        with ways.trial() as way:
            now[0] += seconds(way, time)
            found.append(way)
    return found


@given(st.integers(1, 9), st.integers(2, 50), st.integers(3, 300), st.booleans())
def test_the_quicker_way_is_taken_but_for_a_look_after_times_as_many_as_the_slower_is_slow(quick, more, times, first):
    took = {"one": quick, "all": quick * more} if first else {"one": quick * more, "all": quick}
    slow = max(took, key=took.get)
    looks, due = [0 if slow == "one" else 1], 2 * more
    while due < times:
        looks.append(due)
        due = (due + 1) * more
    assert [k for k, way in enumerate(taken(lambda way, _: took[way], times)) if way == slow] == looks


def test_a_way_that_has_become_slow_is_left_after_one_time_and_taken_up_again_when_it_is_quick():
    """All threads take half as long, but for the times 20 to 99, when the machine is busy and they take 3 times."""
    found = taken(lambda way, time: 1.0 if way == "one" else 3.0 if 20 <= time < 100 else 0.5, 300)
    assert [k for k in range(20) if found[k] == "one"] == [0, 4, 10]
    assert [k for k in range(20, 210) if found[k] == "all"] == [20, 22, 69]
    assert set(found[210:]) == {"all"}


def test_an_error_passes_through():
    ways = Quickest([1])
    with pytest.raises(KeyError), ways.trial():
        raise KeyError


@pytest.mark.parametrize("reduction", ["pointwise", "pairwise"])
def test_trees_are_the_same_on_any_number_of_threads_in_any_turn(reduction, monkeypatch):
    rng, used = np.random.default_rng(0), []
    X = rng.normal(size=(3000, 6))
    y = X[:, 0] * X[:, 1] + rng.logistic(size=3000) > 0
    grow = Growth.grow

    def noting(self):
        grow(self)
        used.append(self.threads)

    monkeypatch.setattr(Growth, "grow", noting)
    settings = {"reduction": reduction, "n_estimators": 40, "random_state": 0, "settings": {"subsample": 0.8}}
    found = [BoostedRanker(n_jobs=jobs, **settings).fit(X, y) for jobs in (1, 2, None)]
    one, two, any_number = (bytes(of.booster_.save_raw("json")) for of in found)
    assert one == two == any_number
    assert set(used[:40]) == {1} and set(used[40:80]) == {2} and set(used[80:]) == {0, 1}
