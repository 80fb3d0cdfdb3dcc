"""The bound of integer programming is never above the fewest, even where the order it starts from is not the best."""

from itertools import permutations

import numpy as np
import pytest

from ordain.rank import least_disagreement
from ordain.theorems.exact.feedback import back_edges, fewest_back_edges
from ordain.theorems.exact.tournaments import random_tournament


@pytest.mark.parametrize("most", [0, 1, 3])
@pytest.mark.parametrize("seed", range(6))
def test_a_bound_by_the_cycles_of_some_inverted_pairs_alone_is_a_bound_too(seed, most, monkeypatch):
    h = random_tournament(7, np.random.default_rng(seed)).astype(float)
    order = np.random.default_rng(seed).permutation(7)
    whole = least_disagreement._cycle_bound(h, order)
    monkeypatch.setattr(least_disagreement, "MOST_INVERTED", most)
    some = least_disagreement._cycle_bound(h, order)
    assert np.minimum(h, h.T)[np.triu_indices(7, 1)].sum() <= some <= whole <= fewest_back_edges(h)
    assert some <= most


@pytest.mark.parametrize("seed", range(6))
def test_a_start_that_is_one_worse_is_mended_and_the_bound_is_not_above_the_fewest(seed, monkeypatch):
    h = random_tournament(7, np.random.default_rng(seed))
    fewest = fewest_back_edges(h)
    worse = next(np.array(o) for o in permutations(range(7)) if back_edges(h, np.array(o)) == fewest + 1)
    monkeypatch.setattr(least_disagreement, "_by_insertion", lambda h, order: worse)
    found = least_disagreement._by_program(h.astype(float), worse)
    assert found.bound <= fewest == found.weight
