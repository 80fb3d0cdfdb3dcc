"""The guaranteed end by blocks: bets whose mean is one, lots that forget the order of the rows, and what it costs."""

from __future__ import annotations

import itertools
from fractions import Fraction

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from ordain.bounds.blocks import LOTS, SEED, _log_bets, block_low, block_means
from ordain.bounds.interval import auc_interval, guaranteed
from ordain.bounds.variance import Evidence


def one_sided(m, n, rng, ties=False):
    scores = np.append(rng.standard_normal(m) + 1, rng.standard_normal(n))
    return np.arange(m + n) < m, scores.round(1) if ties else scores


@pytest.mark.parametrize("chances", [(1, 1, 1, 1), (0, 1, 0, 9), (7, 0, 0, 1), (0, 0, 1, 9)])
@pytest.mark.parametrize("bet", [0.3, 1.0, 5.0])
def test_a_bet_at_the_mean_is_fair(chances, bet):
    """E Π (1 + λ'(B - A)) = 1 over all outcomes of three blocks with shares 0, 1/3, 2/3, 1, in fractions."""
    shares = [Fraction(i, 3) for i in range(4)]
    mean = sum(share * chance for share, chance in zip(shares, chances, strict=True)) / sum(chances)
    expected = sum(
        np.prod([chances[i] for i in outcome])
        * np.exp(_log_bets(np.array([[float(shares[i]) for i in outcome]]), float(mean), np.array([bet])))
        for outcome in itertools.product(range(4), repeat=3)
    )
    assert expected / sum(chances) ** 3 == pytest.approx(1)


@settings(max_examples=30)
@given(st.lists(st.floats(0, 1), min_size=3, max_size=9), st.floats(0.02, 0.9), st.floats(0.001, 0.2))
def test_bets_fall_with_what_is_bet_on_and_the_end_is_where_they_reach_their_goal(shares, a, tail):
    blocks, bets = np.array([shares, shares[::-1]]), np.array([0.5, 2.0, 9.0])
    assert _log_bets(blocks, a, bets) >= _log_bets(blocks, a + 0.05, bets) - 1e-9
    low = block_low(blocks, tail, 0.001)
    wealth = [np.sqrt(2 * np.log(1 / tail) / len(shares) * scale) for scale in (10, 40, 160, 640)]
    if low > 0.001:
        product = np.mean([np.prod(1 + np.minimum(bet, 1 / low) * (np.array(shares) - low)) for bet in wealth])
        assert product == pytest.approx(1 / tail, rel=1e-3)


@pytest.mark.parametrize("m, n", [(3, 14), (14, 3), (5, 20)])
def test_block_means_are_shares_of_disjoint_blocks(m, n):
    mask, scores = one_sided(m, n, np.random.default_rng(m), ties=True)
    sign = 1 if m < n else -1
    small, large = sorted(sign * scores[mask == (m < n)]), sorted(sign * scores[mask != (m < n)])
    found = block_means(mask, scores)
    assert found.shape == (2 * LOTS, len(small))
    lot = np.random.default_rng(SEED).permutation(len(large))[: len(large) // len(small) * len(small)]
    for i, block in enumerate(lot.reshape(len(small), -1)):
        won = sum(naive.win(small[i], large[j]) for j in block)
        assert found[0, i] == pytest.approx(float(won) / len(block))


def test_blocks_of_few_rows_are_not_taken():
    rng = np.random.default_rng(0)
    assert block_means(*one_sided(5, 19, rng)) is None
    assert block_means(*one_sided(5, 20, rng)) is not None


@pytest.mark.parametrize("m, n", [(30, 600), (600, 30)])
def test_the_interval_forgets_the_order_and_mirrors(m, n):
    rng = np.random.default_rng(4)
    mask, scores = one_sided(m, n, rng, ties=True)
    found = auc_interval(mask, scores, method="guaranteed")
    shuffled = rng.permutation(m + n)
    assert auc_interval(mask[shuffled], scores[shuffled], method="guaranteed") == found
    mirrored = auc_interval(mask, -scores, method="guaranteed")
    exchanged = auc_interval(~mask, -scores, method="guaranteed")
    assert_allclose([mirrored.low, mirrored.high], [1 - found.high, 1 - found.low], atol=1e-8)
    assert_allclose([exchanged.low, exchanged.high], [found.low, found.high], atol=1e-8)


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.999])
def test_what_is_spent_on_blocks_costs_two_percent_at_most(level):
    """Blocks that show nothing: the end is that of the convex order at what was spared."""
    values = np.linspace(0, 1, 21)
    for r in (2, 5, 30, 300):
        low, high = guaranteed(Evidence(values, 0, 0, 0, r, r), level)
        tail = (1 - level) / 2
        spared_low, spared_high = guaranteed(Evidence(values, 0, 0, 0, r, r), 1 - 2 * tail**1.02)
        assert ((spared_high - spared_low) <= 1.02 * (high - low) + 1e-12).all()


def test_it_is_narrower_where_rows_win_alike_and_holds():
    rng, narrower, covered = np.random.default_rng(1), [], 0
    for _ in range(60):
        mask = np.arange(1040) < 40
        scores = np.append(1.5 + 0.2 * rng.standard_normal(40), rng.standard_normal(1000))
        found = auc_interval(mask, scores, method="guaranteed", level=0.8)
        plain = guaranteed(Evidence(found.value, 0, 0, 0, 40, 40), 0.8)
        narrower.append((found.high - found.low) / float(plain[1] - plain[0]))
        covered += found.low <= stats.norm.cdf(1.5 / np.sqrt(1.04)) <= found.high
    assert np.mean(narrower) < 0.9
    assert covered >= 0.8 * 60
