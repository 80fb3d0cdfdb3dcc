"""Two judges side by side: the count is that of a loop over all pairs."""

from itertools import combinations

import numpy as np
import pytest

from ordain.votes.judge_flips import flips
from ordain.votes.vote_arrays import votes_of


def cast(rng, count):
    """Votes of two judges on six items: names, and who won."""
    left = rng.integers(0, 6, count)
    right = (left + rng.integers(1, 6, count)) % 6
    winner = rng.choice(["left", "right", "tie"], count)
    return left.tolist(), right.tolist(), winner.tolist(), rng.choice(["Ana", "Ben"], count).tolist()


def by_hand(left, right, winner, judges):
    """On how many pairs both lean, and to opposite sides."""
    apart = of = 0
    for a, b in combinations(range(6), 2):
        lean = {"Ana": 0, "Ben": 0}
        for one, other, who_won, judge in zip(left, right, winner, judges, strict=True):
            if {one, other} == {a, b} and who_won != "tie":
                lean[judge] += 1 if (one if who_won == "left" else other) == a else -1
        of += lean["Ana"] != 0 and lean["Ben"] != 0
        apart += lean["Ana"] * lean["Ben"] < 0
    return apart, of


@pytest.mark.parametrize("seed", range(8))
def test_flips_are_counted_as_by_hand(seed):
    votes = cast(np.random.default_rng(seed), 60)
    found = flips(votes_of(*votes[:3], judges=votes[3]))
    assert (found.first, found.second) == ("Ana", "Ben")
    assert (found.apart.part, found.apart.of) == by_hand(*votes)


def test_two_judges_who_decided_no_pair_both_have_none():
    left, right, winner = ["x", "x", "x", "x"], ["y", "z", "z", "z"], ["left", "left", "right", "tie"]
    assert flips(votes_of(left, right, winner, judges=["Ana", "Ben", "Ben", "Ana"])) is None
    assert flips(votes_of(left, right, ["left"] * 4, judges=["Ana", "Ben", "Ben", "Ana"])) is not None


def test_one_judge_three_judges_and_nobody_have_none():
    left, right, winner, _ = cast(np.random.default_rng(0), 30)
    assert flips(votes_of(left, right, winner)) is None
    assert flips(votes_of(left, right, winner, judges=["Ana"] * 30)) is None
    assert flips(votes_of(left, right, winner, judges=["Ana", "Ben", "Cy"] * 10)) is None
