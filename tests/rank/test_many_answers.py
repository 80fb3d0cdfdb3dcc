"""Many answers: what makes the Bradley–Terry fit quick changes nothing but digits that do not count."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ordain.rank.bradley_terry import links, mode
from ordain.rank.bradley_terry.links import Graph
from ordain.rank.bradley_terry.mode import Fit, improved, information, unlikelihood
from ordain.rank.bradley_terry.noise import Noise, answered, chances, expected, fisher, losses, won
from ordain.rank.bradley_terry.posterior import bradley_terry

every_noise = pytest.mark.parametrize("noise", [Noise(1.0, 0.0), Noise(1.0, 0.1), Noise(1.0, 0.4)], ids=str)


def voted(n, m, seed=0, bias=0.5):
    rng = np.random.default_rng(seed)
    truth, first = rng.normal(size=n), rng.integers(0, n, m)
    pairs = np.column_stack((first, (first + rng.integers(1, n, m)) % n))
    return pairs, (rng.random(m) < naive.chance(truth[pairs[:, 0]] - truth[pairs[:, 1]] + bias)).astype(float)


@every_noise
def test_losses_slopes_and_information_are_those_of_the_chances(noise):
    d, step = np.linspace(-9, 9, 61), 1e-5
    q = naive.chance(d, noise.lapse)
    slope = (naive.chance(d + step, noise.lapse) - naive.chance(d - step, noise.lapse)) / (2 * step)
    assert_allclose(won(d, noise), q)
    assert_allclose(fisher(d, noise), slope**2 / (q * (1 - q)), rtol=1e-6)
    for y in (0.0, 0.3, 1.0):
        assert_allclose(losses(d, y, noise), -y * np.log(q) - (1 - y) * np.log(1 - q), rtol=1e-9, atol=1e-12)
        assert_allclose(expected(d, y, noise)[0], slope * (y / q - (1 - y) / (1 - q)), rtol=1e-6, atol=1e-9)
        assert_array_equal(answered(d, y, noise)[1:], expected(d, y, noise))
        assert_allclose(answered(d, y, noise)[0], losses(d, y, noise))


@every_noise
def test_margins_of_any_size_are_borne(noise):
    d = np.array([-1e5, -800.0, -40.0, 40.0, 800.0, 1e5])
    up, down = chances(d)
    assert_allclose(up, down[::-1], atol=1e-300)
    assert_allclose(up[:3], [0, 0, np.exp(-40)], atol=1e-300)
    for y in (0.0, 1.0):
        loss, _, curvature = answered(d, y, noise)
        assert (np.diff(loss) * (1 - 2 * y) >= 0).all() and loss.min() >= 0
        assert (curvature >= 0).all() and np.isfinite(curvature).all()
    assert (fisher(d, noise) >= 0).all()


@pytest.mark.parametrize("lapse", [0.0, None])
@pytest.mark.parametrize(("where", "name", "value"), [(links, "BLOCK", 7), (mode, "FEW", 0)])
def test_parts_and_iterations_change_no_fit(monkeypatch, where, name, value, lapse):
    pairs, answers = voted(30, 600)
    fit = bradley_terry(pairs, answers, 30, lapse=lapse)
    monkeypatch.setattr(where, name, value)
    again = bradley_terry(pairs, answers, 30, lapse=lapse)
    assert (again.spread, again.lapse) == (fit.spread, fit.lapse)
    assert_allclose(again.scores, fit.scores, atol=1e-6)
    assert_allclose(again.position, fit.position, atol=1e-6)


@pytest.mark.parametrize("noise", [Noise(1.0, 0.0), Noise(1.0, 0.1)], ids=str)
def test_two_nodes_do_where_variances_are_small(monkeypatch, noise):
    graph = Graph(*voted(20, 100000), 20, True)
    fit = improved(graph, Fit(np.zeros(21), noise), 1e-6)
    two = unlikelihood(graph, fit)
    monkeypatch.setattr(mode, "NEAR", 0.0)
    six = unlikelihood(graph, fit)
    assert two != six
    assert two == pytest.approx(six, abs=0.05)


def test_draws_stop_when_the_errors_are_good(monkeypatch):
    """Many answers per item leave little to chance and take 16 draws, few take more."""
    asked = []
    real = links.Information._conditional_means
    monkeypatch.setattr(links.Information, "_conditional_means", lambda *given: asked.append(1) or real(*given))
    for m, rounds in ((6000, 1), (150, 4)):
        asked.clear()
        graph = Graph(*voted(100, m), 100, True)
        whole = information(graph, Fit(np.zeros(101), Noise(3.0, 0.0)))
        drawn = whole._drawn()
        assert len(asked) == rounds
        off = np.sqrt(drawn / whole._inverted()) - 1
        assert np.sqrt(np.mean(off**2)) < (0.02 if rounds == 1 else 0.1)


def test_items_beyond_the_dense_ones_are_fitted_and_have_standard_errors(monkeypatch):
    pairs, answers = voted(120, 3000)
    exact = bradley_terry(pairs, answers, 120, lapse=None)
    exact_errors = exact.standard_errors
    monkeypatch.setattr(links, "DENSE", 50)
    monkeypatch.setattr(mode, "FEW", 50)
    fit = bradley_terry(pairs, answers, 120, lapse=None)
    assert_allclose(fit.scores, exact.scores, atol=1e-5)
    assert_allclose(fit.standard_errors, exact_errors, rtol=0.1)
    assert fit.position_error == pytest.approx(exact.position_error, rel=0.1)
