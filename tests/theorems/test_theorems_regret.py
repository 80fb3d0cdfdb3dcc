"""The rows of regret bounds and optimal scorers: each holds, says what it measured, and repeats from its seed."""

import math

import numpy as np
import pytest

from ordain.theorems import agarwal, menon, sharper


@pytest.mark.parametrize(
    "row", [agarwal.theorem_13, menon.pair_scorer, sharper.at_prevalence], ids=lambda row: row.name
)
def test_the_same_seed_gives_the_same_figure_and_effort_more_cases(row):
    once, again = (row.check(np.random.default_rng(1), 1) for _ in range(2))
    assert once == again
    assert row.check(np.random.default_rng(1), 2).cases > once.cases


def test_figures_say_how_sharp_the_bounds_are():
    """Theorem 13 is reached to 1/√3, its sharp form and the weight at the prevalence in full."""
    rng = np.random.default_rng(3)
    assert agarwal.theorem_13.check(rng, 1).figure == pytest.approx(1 / math.sqrt(3), rel=1e-3)
    assert sharper.sharp.check(rng, 1).figure == pytest.approx(1, rel=1e-3)
    assert sharper.at_prevalence.check(rng, 1).figure == pytest.approx(1, rel=1e-3)
    assert agarwal.corollary_12.check(rng, 1).figure == pytest.approx(1, rel=2e-3)
