"""The rows of regret bounds and optimal scorers: each holds, says what it measured, and repeats from its seed."""

import math

import numpy as np
import pytest

from ordain.theorems import agarwal, menon, sharper
from ordain.theorems.row import Row

ROWS = [row for module in (agarwal, menon, sharper) for row in vars(module).values() if isinstance(row, Row)]


def test_every_result_has_its_row():
    assert [row.name for row in ROWS] == [
        *("S-risks", "S-cpe", "S-savage", "S-zoo", "S-thm10", "S-thm13", "S-cor12", "S-pair"),
        *("S-bartlett", "S-kotlowski", "S-lownoise", "S-consistent"),
        *("M-risk", "M-pair", "M-optimal", "M-decomp", "M-regret", "M-nondecomp", "M-push", "M-pclass", "M-equiv"),
        *("X-sharp", "X-lownoise", "X-prevalence"),
    ]


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_the_statement_holds(row):
    measured = row.check(np.random.default_rng(7), 1)
    assert measured.passed is True
    assert measured.cases > 0
    assert math.isfinite(measured.figure)
    if row.how == "exact" and row.name != "S-cor12":
        assert measured.figure == 0


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
