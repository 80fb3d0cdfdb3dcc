"""The prior of the position term, an average over several: weak where answers lean, tight where they do not."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from numpy.testing import assert_allclose

from ordain.rank.bradley_terry import posterior
from ordain.rank.bradley_terry.links import Graph
from ordain.rank.bradley_terry.mode import ROUGH, Fit, improved, information, placed
from ordain.rank.bradley_terry.noise import PLACES, Noise
from ordain.rank.bradley_terry.posterior import bradley_terry


def leaning(n, m, spread, bias, rng):
    """Random pairs shown either way, their answers, and the chance of every pair of different items."""
    truth = spread * rng.normal(size=n)
    first = rng.integers(0, n, m)
    pairs = np.column_stack((first, (first + rng.integers(1, n, m)) % n))
    every = np.argwhere(~np.eye(n, dtype=bool))
    won, chances = (naive.chance(truth[u] - truth[v] + bias) for u, v in (pairs.T, every.T))
    return pairs, (rng.random(m) < won).astype(float), every, chances


@pytest.mark.parametrize("bias", [0.0, 0.5, 2.0])
def test_the_variance_is_the_mean_over_the_priors_by_how_likely_they_are(bias):
    """b on a fine grid: what the answers alone say of it, times each prior."""
    pairs, answers, _, _ = leaning(8, 40, 1.0, bias, np.random.default_rng(0))
    graph = Graph(pairs, answers, 8, True)
    fit = improved(graph, Fit(np.zeros(9), Noise(1.0, 0.0)), ROUGH)
    variance = np.linalg.inv(information(graph, fit)(np.eye(9)))[-1, -1]
    b = np.linspace(-15, 15, 60001)
    alone = np.exp(-((b - fit.x[-1]) ** 2) / (2 * variance) + b**2 / (2 * fit.noise.place**2))
    laws = np.array([alone * np.exp(-(b**2) / (2 * place**2)) / place for place in PLACES])
    totals = laws.sum(axis=1)
    means = laws @ b / totals
    variances = laws @ b**2 / totals - means**2
    alone_variance = alone @ b**2 / alone.sum() - (alone @ b / alone.sum()) ** 2
    expected = (1 / (totals @ variances / totals.sum()) - 1 / alone_variance) ** -0.5
    after = placed(graph, fit)
    assert after.noise.place == pytest.approx(expected, rel=1e-3)
    assert after.noise[:2] == fit.noise[:2]
    assert_allclose(after.x, fit.x)


def test_without_a_position_term_there_is_nothing_to_choose():
    graph = Graph(np.array([[0, 1]]), np.ones(1), 2, False)
    assert placed(graph, Fit(np.zeros(3))).noise == Noise(1.0, 0.0)


def excess(bias, monkeypatch, boards=60):
    """Log loss over all pairs, 60 answers on 20 items: with the fitted prior and with N(0, 3²), less that without b."""
    rng, found = np.random.default_rng(1), []
    for _ in range(boards):
        pairs, answers, every, chances = leaning(20, 60, 1.0, bias, rng)
        (first, second), losses = every.T, []
        for position, prior in ((False, placed), (True, placed), (True, lambda graph, fit: fit)):
            monkeypatch.setattr(posterior, "placed", prior)
            fit = bradley_terry(pairs, answers, 20, position=position)
            q = naive.chance(fit.scores[first] - fit.scores[second] + fit.position)
            losses.append(-np.mean(chances * np.log(q) + (1 - chances) * np.log(1 - q)))
        found.append((losses[1] - losses[0], losses[2] - losses[0]))
    return np.mean(found, axis=0)


def test_few_answers_with_random_sides_cost_little(monkeypatch):
    """Over 200 other boards the cost was .0026 ± .0009, and .0104 ± .0014 with N(0, 3²)."""
    fitted, wide = excess(0.0, monkeypatch)
    assert fitted < 0.006
    assert fitted < 0.5 * wide


def test_a_real_lean_is_found_in_few_answers(monkeypatch):
    """Over 200 other boards the gain was .2302 ± .0021, and .2309 with N(0, 3²)."""
    fitted, wide = excess(2.0, monkeypatch, boards=20)
    assert fitted < -0.2
    assert fitted < wide + 0.01


def test_the_spread_of_the_position_follows_the_lean():
    spreads = []
    for bias in (0.0, 0.4, 2.0):
        pairs, answers, _, _ = leaning(20, 4000, 1.0, bias, np.random.default_rng(2))
        fit = bradley_terry(pairs, answers)
        assert abs(fit.position - bias) < 4 * fit.position_error + 0.1
        spreads.append(fit.position_spread)
    assert spreads[0] < 0.1 < spreads[1] < 1 < spreads[2] + 0.1
