"""Losses against their definitions: Table 1 written out again, mpmath, quadrature, and minimisation by brute force."""

import math
import pickle

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad
from scipy.special import entr, expit, logit
from strategies import probabilities, signs

from ordain.losses import (
    LINE,
    LOSSES,
    Exponential,
    Logistic,
    balanced,
    from_bayes_risk,
    get_loss,
    is_proper,
    is_regular,
    is_strictly_proper,
    mixture_cost,
    numeric_strength,
    p_classification,
    through_logit,
)
from ordain.losses._numeric import crossing
from ordain.losses.derived import Balanced, PClassification
from ordain.losses.pairing import HINGE
from ordain.pairs import PairRisk


def shannon(q):
    return entr(q) + entr(1 - q)


def shannon_scalar(q):
    return -sum(x * math.log(x) for x in (q, 1 - q) if x > 0)


def spherical_entropy(q):
    return 1 - np.sqrt(q**2 + (1 - q) ** 2)


def spherical_slope(q):
    return (1 - 2 * q) / np.sqrt(q**2 + (1 - q) ** 2)


def lopsided(q):
    """An entropy of no named loss: √q (1-q), bending without limit at 0 only."""
    return np.sqrt(q) * (1 - q)


def gentle(q):
    """Finite slopes at both ends although it is not smooth at 0, and H(0) > 0."""
    return 1 + q * (1 - q) - q**1.5 / 10


PARTS = {
    "logistic": Logistic(),
    "spherical": LOSSES["spherical"],
    "bayes": from_bayes_risk(lopsided, name="lopsided"),
}
EVERY = {
    **LOSSES,
    **{f"balanced {name}": balanced(loss, 0.2) for name, loss in LOSSES.items()},
    "balanced the other way": balanced("logistic", 0.97),
    "balanced p": balanced(p_classification(3), 0.6),
    "balanced bayes": balanced(PARTS["bayes"], 0.3),
    "p = 2": p_classification(2),
    "p = 5": p_classification(5),
    "bayes shannon": from_bayes_risk(shannon),
    "bayes spherical": from_bayes_risk(spherical_entropy, spherical_slope),
    "bayes lopsided": PARTS["bayes"],
    "bayes gentle": from_bayes_risk(gentle),
    **{f"logit {name}": through_logit(name) for name in LOSSES if name != "logistic"},
    "logit balanced": through_logit(balanced("spherical", 0.1)),
    "logit balanced exponential": through_logit(balanced("canonical_exponential", 0.1)),
    "logit p": through_logit(p_classification(2)),
    "logit bayes": through_logit(PARTS["bayes"]),
}
every_loss = pytest.mark.parametrize("loss", EVERY.values(), ids=EVERY)
zoo = pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
few = settings(max_examples=12)
vectors = st.lists(probabilities, min_size=1, max_size=6).map(np.array)
GRID = np.r_[1e-9, 1e-6, 1e-3, np.linspace(0.01, 0.99, 99), 1 - 1e-3, 1 - 1e-6, 1 - 1e-9]


def scores_of(loss, q=GRID):
    """Scores over the range that belongs to probabilities."""
    return loss.link(q)


@every_loss
@few
@given(eta=vectors, q=vectors)
def test_every_loss_is_strongly_proper(loss, eta, q):
    """L(η, q) - H(η) ≥ λ/2 (η - q)²: one inequality checks H, H' and λ together."""
    eta = eta[:, None]
    assert np.all(loss.risk(eta, q) - loss.entropy(eta) >= loss.strength / 2 * (eta - q) ** 2 - 1e-9)


@every_loss
@few
@given(y=signs, q=vectors)
def test_the_link_ties_score_loss_and_cost(loss, y, q):
    q = np.where(q < np.finfo(float).tiny, 0, q)  # below, a probability has too few digits for its logit
    assert_allclose(loss.value(y, loss.link(q)), loss.cost(y, q), atol=1e-9, rtol=1e-9)


@every_loss
@few
@given(eta=vectors, q=vectors)
def test_savage_gives_the_risk_from_the_entropy(loss, eta, q):
    """L(η, q) = H(q) + (η - q) H'(q), and L(q, q) = H(q)."""
    eta, q = eta[:, None], q[np.isfinite(loss.slope(q))]
    tolerance = 1e-9 * (1 + np.abs(loss.slope(q)))
    assert np.all(np.abs(loss.risk(eta, q) - loss.entropy(q) - (eta - q) * loss.slope(q)) <= tolerance)
    assert np.all(np.abs(loss.cost(1, q) - loss.cost(-1, q) - loss.slope(q)) <= tolerance)
    assert_allclose(loss.risk(q, q), loss.entropy(q), atol=1e-9)
    assert_allclose(loss.regret(eta, q), loss.risk(eta, q) - loss.entropy(eta))


@every_loss
def test_entropy_and_link_are_least_risk_and_best_score(loss):
    """The definition of H and ψ: try many scores, then many around the best of them."""
    for eta in (0.03, 0.5, 0.77):
        low, high = start, stop = np.clip(loss.link([1e-7, 1 - 1e-7]), -50, 50)
        for _ in range(4):
            s = np.linspace(low, high, 201)
            risk = eta * loss.value(1, s) + (1 - eta) * loss.value(-1, s)
            best = np.argmin(risk)
            low, high = s[max(best - 1, 0)], s[min(best + 1, 200)]
        assert_allclose(risk[best], loss.entropy(eta), rtol=1e-9)
        assert_allclose(s[best], loss.link(eta), atol=1e-6 * (stop - start))


@every_loss
def test_weight_is_minus_the_second_derivative_of_entropy(loss):
    q = np.linspace(0.03, 0.97, 48)
    h = 1e-4
    assert_allclose((loss.slope(q - h) - loss.slope(q + h)) / (2 * h), loss.weight(q), rtol=1e-4)
    assert_allclose(loss.slope(q), (loss.entropy(q + h) - loss.entropy(q - h)) / (2 * h), rtol=1e-4, atol=1e-5)


@every_loss
def test_derivatives_in_the_score(loss):
    """Difference quotients of ℓ and ℓ' over the middle of the range; kinks of the hinge lie at its ends."""
    s = scores_of(loss, np.linspace(0.05, 0.95, 37))
    h = 1e-5 * (s[-1] - s[0])
    for y in (-1, 1):
        slope = (loss.value(y, s + h) - loss.value(y, s - h)) / (2 * h)
        bend = (loss.gradient(y, s + h) - loss.gradient(y, s - h)) / (2 * h)
        assert_allclose(loss.gradient(y, s), slope, rtol=1e-6, atol=1e-7)
        assert_allclose(loss.hessian(y, s), bend, rtol=1e-6, atol=1e-6)


@every_loss
def test_numeric_strength_is_the_stated_one(loss):
    h = 2e-5
    q = np.linspace(h, 1 - h, 20001)
    by_hand = ((2 * loss.entropy(q) - loss.entropy(q - h) - loss.entropy(q + h)) / h**2).min()
    assert_allclose(by_hand, loss.strength, rtol=5e-4)
    assert_allclose(numeric_strength(loss), loss.strength, rtol=1e-8)
    assert_allclose(numeric_strength(loss.entropy), loss.strength, rtol=1e-4)


@every_loss
def test_theorem_10_holds_in_both_directions(loss):
    """λ-strongly proper and H λ-strongly concave for the stated λ; neither for 1.01 λ."""
    q = np.r_[0, np.linspace(1e-4, 1 - 1e-4, 4001), 1]
    lightest = np.clip(q[np.argmin(loss.weight(q))], 1e-3, 1 - 1e-3)
    eta, other = lightest - 1e-3, lightest + 1e-3
    half = loss.entropy(lightest) - (loss.entropy(eta) + loss.entropy(other)) / 2
    assert loss.regret(eta, other) < 1.01 * loss.strength / 2 * (eta - other) ** 2
    assert half < 1.01 * loss.strength / 8 * (eta - other) ** 2
    a, b, t = np.meshgrid(np.linspace(0, 1, 41), np.linspace(0, 1, 41), np.linspace(0, 1, 11))
    chord = t * loss.entropy(a) + (1 - t) * loss.entropy(b)
    gap = loss.entropy(np.clip(t * a + (1 - t) * b, 0, 1)) - chord
    assert np.all(gap >= loss.strength / 2 * t * (1 - t) * (a - b) ** 2 - 1e-9)
    assert np.all(loss.risk(a, b) - loss.entropy(a) >= loss.strength / 2 * (a - b) ** 2 - 1e-9)


@every_loss
def test_properness_is_found_and_costs_are_monotone(loss):
    assert is_proper(loss.cost, tolerance=1e-9)
    assert is_strictly_proper(loss.cost)
    assert is_regular(loss.cost)
    q = np.linspace(0, 1, 1001)
    assert np.all(np.diff(loss.cost(1, q)[1:]) < 1e-12)
    assert np.all(np.diff(loss.cost(-1, q)[:-1]) > -1e-12)


@every_loss
def test_facts_are_what_the_functions_do(loss):
    q = np.linspace(0.02, 0.98, 97)
    mirrored = np.allclose(loss.cost(1, q), loss.cost(-1, 1 - q), rtol=1e-9, atol=1e-12)
    odd = np.allclose(loss.link(q), -loss.link(1 - q), atol=1e-9)
    assert loss.is_symmetric == mirrored
    assert loss.is_margin == (mirrored and odd)
    assert loss.is_canonical == np.allclose(loss.link(q), -loss.slope(q), atol=1e-9)
    assert loss.is_calibrated == np.array_equal(np.sign(loss.link(q).round(9)), np.sign((q - 0.5).round(9)))
    assert loss.domain[0] <= loss.link(0) < loss.link(1) <= loss.domain[1]
    if loss.is_canonical:
        assert np.all(loss.hessian([[1], [-1]], scores_of(loss, q)) >= 0)


@every_loss
def test_margin_losses_are_functions_of_the_margin(loss):
    s = scores_of(loss)
    if not loss.is_margin:
        with pytest.raises(ValueError, match="phi needs a margin loss"):
            loss.phi(s)
        return
    assert loss.is_calibrated
    for y in (-1, 1):
        assert_allclose(loss.value(y, s), loss.phi(y * s), rtol=1e-12, atol=1e-12)
        assert_allclose(loss.gradient(y, s), y * loss.phi_slope(y * s), rtol=1e-12, atol=1e-12)
        assert_allclose(loss.hessian(y, s), loss.phi_curvature(y * s), rtol=1e-9, atol=1e-12)


@every_loss
def test_the_inverse_undoes_the_link(loss):
    s = scores_of(loss)
    assert_allclose(loss.inverse(s), GRID, rtol=1e-7)
    assert_allclose(loss.complement(s), 1 - GRID, rtol=1e-6)
    assert_allclose(loss.inverse(loss.link([0, 1])), [0, 1], atol=1e-12)
    assert np.all(np.diff(s) > 0)


SLOPES = {"logistic": 1, "exponential": 2, "p = 2": 3, "p = 5": 6}


@pytest.mark.parametrize("name", EVERY)
def test_sigmoid_slope(name):
    loss = EVERY[name]
    slope = loss.sigmoid_slope
    assert slope == SLOPES.get(name, 1 if name.startswith("logit") else slope)
    s = scores_of(loss, np.array([0.1, 0.3, 0.55, 0.9]))
    if slope is not None:
        assert_allclose(loss.inverse(s), expit(slope * s))
    elif "shannon" not in name:  # numbers alone do not tell that its link is the logit
        assert not np.allclose(np.ptp(logit(loss.inverse(s)) / s), 0, atol=1e-3)


@every_loss
def test_extreme_arguments_give_limits_not_warnings(loss):
    """pytest turns warnings into errors; here are |s| = 800, infinite scores and certain probabilities."""
    big = np.array([-np.inf, -1e308, -800, -745.2, -1e-300, 0, 5e-324, 800, 1e308, np.inf])
    s = np.unique(np.clip(big, *loss.domain))
    for y in (-1, 1):
        values = loss.value(y, s)
        assert not np.isnan(values).any()
        assert np.all(values >= -1e-12)
        assert not np.isnan(loss.gradient(y, s)).any()
        assert not np.isnan(loss.hessian(y, s)).any()
    assert np.all((loss.inverse(s) >= 0) & (loss.inverse(s) <= 1))
    q = np.array([0.0, 5e-324, 1e-310, 1 - 2**-53, 1.0])
    for method in (loss.entropy, loss.slope, loss.weight, loss.link):
        assert not np.isnan(method(q)).any()
    assert np.all(np.isfinite(loss.entropy(q)))
    assert not np.isnan(loss.risk(q[:, None], q)).any()
    assert_allclose(loss.cost(1, 1), loss.entropy(1), atol=1e-12)
    assert_allclose(loss.cost(-1, 0), loss.entropy(0), atol=1e-12)


@every_loss
def test_arguments_broadcast_and_labels_may_be_written_in_any_way(loss):
    s = scores_of(loss, np.array([0.2, 0.5, 0.9]))
    for method in (loss.value, loss.gradient, loss.hessian):
        both = method(np.array([[-1], [1]]), s)
        assert both.shape == (2, 3)
        assert_allclose(both[1], [method(1, x) for x in s])
        assert np.ndim(method(1, float(s[0]))) == 0
        assert_allclose(method(np.array([False, True, True]), s), method(np.array([0, 1, 1]), s))
        assert_allclose(method(np.array([False, True, True]), s), method(np.array([-1.0, 1.0, 1.0]), s))
    assert loss.cost(np.array([[-1], [1]]), [0.2, 0.3, 0.4]).shape == (2, 3)


@every_loss
def test_losses_pickle_and_compare_by_value(loss):
    again = pickle.loads(pickle.dumps(loss))
    assert again == loss
    assert hash(again) == hash(loss)
    assert repr(again) == repr(loss)
    assert loss.name in repr(loss)
    assert ("(numeric)" in repr(loss)) == loss.strength_is_numeric
    assert sum(loss == other for other in LOSSES.values()) == (loss.name in LOSSES)


Q = np.linspace(0.001, 0.999, 333)
ROOT = np.sqrt(Q**2 + (1 - Q) ** 2)
SPHERE = (1 - Q / ROOT, 1 - (1 - Q) / ROOT)
ODDS = (np.sqrt((1 - Q) / Q), np.sqrt(Q / (1 - Q)))
TABLE_1 = {
    "exponential": (LINE, lambda y, s: np.exp(-y * s), *ODDS, np.log(Q / (1 - Q)) / 2, 4),
    "logistic": (LINE, lambda y, s: np.log(1 + np.exp(-y * s)), -np.log(Q), -np.log(1 - Q), np.log(Q / (1 - Q)), 4),
    "squared": ((-1, 1), lambda y, s: (1 - y * s) ** 2, 4 * (1 - Q) ** 2, 4 * Q**2, 2 * Q - 1, 8),
    "squared_hinge": ((-1, 1), lambda y, s: (1 - y * s) ** 2, 4 * (1 - Q) ** 2, 4 * Q**2, 2 * Q - 1, 8),
    "spherical": (
        (0, 1),
        lambda y, s: 1 - np.where(y > 0, s, 1 - s) / np.sqrt(s**2 + (1 - s) ** 2),
        *SPHERE,
        Q,
        1,
    ),
    "canonical_exponential": (
        LINE,
        lambda y, s: np.sqrt(1 + (s / 2) ** 2) - y * s / 2,
        *ODDS,
        (2 * Q - 1) / np.sqrt(Q * (1 - Q)),
        4,
    ),
    "canonical_squared": ((-1, 1), lambda y, s: (1 - y * s) ** 2 / 4, (1 - Q) ** 2, Q**2, 2 * Q - 1, 2),
    "canonical_spherical": (
        (-1, 1),
        lambda y, s: 1 - (np.sqrt(2 - s**2) + y * s) / 2,
        *SPHERE,
        (2 * Q - 1) / ROOT,
        1,
    ),
}


@pytest.mark.parametrize("name", TABLE_1)
def test_table_1_line_by_line(name):
    loss = LOSSES[name]
    (low, high), ell, positive, negative, link, strength = TABLE_1[name]
    assert loss.strength == strength
    assert not loss.strength_is_numeric
    assert_allclose(loss.link([0, 1]), [low, high])
    assert_allclose(loss.link(Q), link, atol=1e-13)
    assert_allclose(loss.cost(1, Q), positive, atol=1e-13)
    assert_allclose(loss.cost(-1, Q), negative, atol=1e-13)
    s = np.linspace(max(low, -20), min(high, 20), 101)
    for y in (-1, 1):
        assert_allclose(loss.value(y, s), ell(y, s), rtol=1e-9, atol=1e-13)


def test_the_zoo_is_table_1():
    assert set(LOSSES) == set(TABLE_1)
    assert list(LOSSES)[:5] == ["logistic", "exponential", "squared", "squared_hinge", "spherical"]
    assert list(LOSSES)[5:] == ["canonical_exponential", "canonical_squared", "canonical_spherical"]
    assert [name for name in LOSSES if LOSSES[name].name != name] == []


def test_squared_losses_live_on_the_whole_line():
    s = np.linspace(-5, 5, 101)
    assert_allclose(LOSSES["squared"].phi(s), (1 - s) ** 2)
    assert_allclose(LOSSES["canonical_squared"].phi_slope(s), (s - 1) / 2)
    assert_allclose(LOSSES["squared_hinge"].phi(s), np.maximum(0, 1 - s) ** 2)
    assert_allclose(LOSSES["squared_hinge"].phi_slope(s), -2 * np.maximum(0, 1 - s))
    assert_allclose(LOSSES["squared_hinge"].phi_curvature(s), 2.0 * (s < 1))
    for name in ("squared", "squared_hinge", "canonical_squared"):
        assert_allclose(LOSSES[name].inverse(s), (1 + np.clip(s, -1, 1)) / 2)


def test_the_hinge_and_its_derivatives_in_closed_form():
    u = np.array([-2.0, 0.5, 1.0, 3.0])
    assert_array_equal(HINGE.phi(u), [3, 0.5, 0, 0])
    assert_array_equal(HINGE.phi_slope(u), [-1, -1, 0, 0])
    assert_array_equal(HINGE.phi_curvature(u), 0 * u)


def test_which_losses_fit_pairs():
    assert [name for name, loss in LOSSES.items() if not loss.fits_pairs] == ["spherical", "canonical_spherical"]
    assert [name for name, loss in EVERY.items() if loss.fits_pairs and name not in LOSSES] == []


@every_loss
def test_what_fits_pairs_is_what_a_pair_risk_takes(loss):
    """And its φ is the one that is summed: two rows make one pair, far apart, close, and with s = t."""
    if not loss.fits_pairs:
        with pytest.raises(ValueError, match="a pair risk needs a margin loss"):
            PairRisk([1, 0], loss)
    else:
        assert loss.is_margin
        assert loss.domain == LINE
        for u in (-3.0, -0.3, 0.0, 0.7, 5.0):
            value, gradient = PairRisk([0, 1], loss).value_gradient([0.25, 0.25 + u])
            assert_allclose(value, loss.value(1, u), rtol=1e-12)
            assert_allclose(gradient, loss.gradient(1, u) * np.array([-1, 1]), rtol=1e-12)


def sigma(u):
    return 1 / (1 + mp.exp(-u))


def half_gap(u, root):
    return (u / root - 1) / 2


MARGINS = {
    "logistic": (lambda u: mp.log1p(mp.exp(-u)), lambda u: -sigma(-u), lambda u: sigma(u) * sigma(-u)),
    "exponential": (lambda u: mp.exp(-u), lambda u: -mp.exp(-u), lambda u: mp.exp(-u)),
    "squared": (lambda u: (1 - u) ** 2, lambda u: 2 * (u - 1), lambda u: mp.mpf(2)),
    "canonical_squared": (lambda u: (1 - u) ** 2 / 4, lambda u: (u - 1) / 2, lambda u: mp.mpf(1) / 2),
    "squared_hinge": (
        lambda u: max(0, 1 - u) ** 2,
        lambda u: -2 * max(0, 1 - u),
        lambda u: mp.mpf(2 if u < 1 else 0),
    ),
    "canonical_exponential": (
        lambda u: mp.sqrt(1 + u**2 / 4) - u / 2,
        lambda u: half_gap(u, mp.sqrt(4 + u**2)),
        lambda u: 2 / mp.sqrt(4 + u**2) ** 3,
    ),
    "canonical_spherical": (
        lambda u: 1 - (mp.sqrt(2 - u**2) + u) / 2,
        lambda u: half_gap(u, mp.sqrt(2 - u**2)),
        lambda u: 1 / mp.sqrt(2 - u**2) ** 3,
    ),
    "through_logit(squared)": (
        lambda u: 4 * sigma(-u) ** 2,
        lambda u: -8 * sigma(-u) ** 2 * sigma(u),
        lambda u: 8 * sigma(-u) ** 2 * sigma(u) * (2 * sigma(u) - sigma(-u)),
    ),
}
MAGNITUDES = np.r_[10.0 ** np.arange(-300, 0, 25), 0.03, np.linspace(0.1, 40, 40), np.linspace(50, 800, 31)]


def close(got, want, relative=1e-14):
    """Agreement with a number of 50 digits; beyond the range of floats, zero or infinite."""
    if abs(want) > mp.mpf("1.8e308"):
        return np.isinf(got) and np.sign(got) == mp.sign(want)
    return abs(mp.mpf(float(got)) - want) <= relative * abs(want) + mp.mpf("1e-300")


@pytest.mark.parametrize("name", MARGINS)
def test_phi_and_its_derivatives_to_the_last_digits(name):
    """From 1e-300 to 800, or to the end of the domain, against formulas with 50 digits that may cancel."""
    loss = EVERY["logit squared"] if name.startswith("through") else LOSSES[name]
    points = np.r_[-MAGNITUDES, 0, MAGNITUDES, 1 - 10.0 ** -np.arange(1, 16), 10.0 ** -np.arange(1, 16) - 1]
    points = points[(points >= loss.domain[0]) & (points <= loss.domain[1])]
    with mp.workdps(50):
        for method, formula in zip((loss.phi, loss.phi_slope, loss.phi_curvature), MARGINS[name], strict=True):
            wrong = [
                u for u, got in zip(points, method(points), strict=True) if not close(got, formula(mp.mpf(float(u))))
            ]
            assert wrong == []


@pytest.mark.parametrize("name", ["spherical", "logit spherical", "p = 2", "logit p", "balanced exponential"])
def test_other_losses_to_the_last_digits(name):
    """The same for losses that are no margin losses, by differentiating c(y, ψ⁻¹(s)) with 450 digits."""
    loss = EVERY[name]
    ell = {
        "spherical": lambda y, s: 1 - (s if y > 0 else 1 - s) / mp.sqrt(s**2 + (1 - s) ** 2),
        "logit spherical": lambda y, s: 1 - sigma(y * s) / mp.sqrt(sigma(s) ** 2 + sigma(-s) ** 2),
        "p = 2": lambda y, s: mp.exp(-s) if y > 0 else mp.exp(2 * s) / 2,
        "logit p": lambda y, s: mp.exp(-s / 3) if y > 0 else mp.exp(2 * s / 3) / 2,
        "balanced exponential": lambda y, s: mp.exp(-y * s) / (2 * mp.mpf(0.2 if y > 0 else 1 - 0.2)),
    }[name]
    points = np.r_[1e-300, 1e-20, 0.01, 0.3, 0.9] if name == "spherical" else np.r_[-300, -30, -1, 1e-300, 0.3, 5, 300]
    with mp.workdps(450):
        for y in (-1, 1):
            for s in points:
                for order, method in enumerate((loss.value, loss.gradient, loss.hessian)):
                    assert close(method(y, s), mp.diff(lambda x, y=y: ell(y, x), mp.mpf(float(s)), order)), (
                        y,
                        s,
                        order,
                    )


ENTROPIES = {
    "logistic": lambda q: -q * mp.log(q) - (1 - q) * mp.log(1 - q),
    "exponential": lambda q: 2 * mp.sqrt(q * (1 - q)),
    "squared": lambda q: 4 * q * (1 - q),
    "squared_hinge": lambda q: 4 * q * (1 - q),
    "spherical": lambda q: 1 - mp.sqrt(q**2 + (1 - q) ** 2),
    "canonical_exponential": lambda q: 2 * mp.sqrt(q * (1 - q)),
    "canonical_squared": lambda q: q * (1 - q),
    "canonical_spherical": lambda q: 1 - mp.sqrt(q**2 + (1 - q) ** 2),
    "p = 2": lambda q: q * mp.cbrt((1 - q) / q) + (1 - q) / 2 * mp.cbrt(q / (1 - q)) ** 2,
}


@pytest.mark.parametrize("name", ENTROPIES)
def test_entropy_slope_and_weight_to_the_last_digits(name):
    loss, entropy = EVERY[name], ENTROPIES[name]
    with mp.workdps(50):
        for q in (1e-8, 0.001, 0.2, 0.5 + 2**-30, 0.9, 1 - 2**-20):
            x = mp.mpf(q)
            assert close(loss.entropy(q), entropy(x))
            h = min(x, 1 - x) * mp.mpf("1e-16")
            assert close(loss.slope(q), mp.diff(entropy, x, h=h), 1e-13)
            assert close(loss.weight(q), -mp.diff(entropy, x, 2, h=h), 1e-13)


@zoo
@pytest.mark.parametrize("slope", [False, True])
def test_savage_reproduces_the_zoo(loss, slope):
    """c from H alone, or from H and H'; ℓ for those with the canonical link."""
    built = from_bayes_risk(loss.entropy, loss.slope if slope else None)
    q = np.r_[0, 10.0 ** np.linspace(-300, -3, 100), Q, 1 - 10.0 ** np.linspace(-3, -15, 50), 1]
    for y in (-1, 1):
        expected = loss.cost(y, q)
        assert_allclose(built.cost(y, q), expected, rtol=1e-12 if slope else 1e-7, atol=1e-12 if slope else 1e-7)
    assert built.is_canonical
    assert built.strength_is_numeric
    assert_allclose(built.strength, loss.strength, rtol=1e-8)
    if not loss.is_canonical:
        return
    s = np.clip(
        np.r_[-np.inf, -800, -np.logspace(2, -9, 23), 0, np.logspace(-9, 2, 23), 800, np.inf], *loss.link([0, 1])
    )
    for y in (-1, 1):
        assert_allclose(built.value(y, s), loss.value(y, s), rtol=1e-12, atol=1e-12)
        assert_allclose(built.gradient(y, s), loss.gradient(y, s), atol=1e-13)
        assert_allclose(built.hessian(y, s), loss.hessian(y, s), atol=1e-10)


@pytest.mark.parametrize(
    "rising",
    [
        lambda q: (q - 0.3) ** 9,
        lambda q: np.exp(300 * (q - 0.3)) - 1,
        lambda q: 1 - np.exp(900 * (0.3 - q)),
        lambda q: np.where(q < 0.3, -1e10, 1e-10),
        lambda q: np.where(q < 0.3, -np.inf, np.inf),
    ],
)
def test_crossings_are_found_where_functions_are_flat_steep_or_jump(rising):
    found = crossing(rising, np.zeros(2), np.array([0.25, 0.0]), np.array([0.5, 1.0]))
    assert_allclose(found, 0.3, rtol=1e-15)


def tent(q):
    return np.minimum(q, 1 - q) + q * (1 - q) / 10


def tent_slope(q):
    return np.sign(0.5 - q) + (1 - 2 * q) / 10


def test_kinks_need_a_slope_and_then_give_the_conjugate():
    """ℓ(-1, s) = max over q of H(q) + q s, here by brute force; between the kink's slopes q stays at ½."""
    loss = from_bayes_risk(tent, tent_slope)
    q = np.linspace(0, 1, 200001)
    for s in (-1.05, -0.9, 0.0, 0.4, 1.02):
        assert_allclose(loss.value(-1, s), (tent(q) + q * s).max(), atol=1e-9)
        assert_allclose(loss.value(1, s), (tent(q) + (q - 1) * s).max(), atol=1e-9)
    assert_allclose(loss.inverse([-0.9, 0.4]), 0.5)
    assert 0 <= loss.strength <= 0.2 + 1e-9
    with pytest.raises(ValueError, match=r"entropy must be smooth inside .* Give its slope too"):
        from_bayes_risk(tent)


def test_a_weight_may_touch_zero():
    """H = 1/16 - (q - ½)⁴ is strictly but not strongly concave; its link is 4 (q - ½)³."""
    loss = from_bayes_risk(lambda q: 1 / 16 - (q - 0.5) ** 4)
    assert_allclose(loss.strength, 0, atol=1e-8)
    for s in (-0.4, 0.1, 0.5):
        q = 0.5 + np.cbrt(s / 4)
        assert_allclose(loss.inverse(s), q, atol=1e-9)
        assert_allclose(loss.value(1, s), 1 / 16 - (q - 0.5) ** 4 + (q - 1) * s, atol=1e-12)


def test_an_end_neither_smooth_nor_steep_costs_digits():
    """Tsallis' entropy with exponent 5/2: -H'' = 5/2 (√q + √(1-q)), least at the ends."""
    loss = from_bayes_risk(lambda q: (1 - q**2.5 - (1 - q) ** 2.5) / 1.5)
    assert_allclose(loss.strength, 2.5, rtol=1e-2)
    slope = (np.sqrt((1 - Q) ** 3) - np.sqrt(Q**3)) * 5 / 3
    assert_allclose(loss.slope(Q), slope, atol=1e-10)
    assert_allclose(loss.value(-1, -slope), loss.entropy(Q) - Q * slope, atol=1e-12)
    exact = from_bayes_risk(loss.bayes_risk, lambda q: (np.sqrt((1 - q) ** 3) - np.sqrt(q**3)) * 5 / 3)
    assert_allclose(exact.strength, 2.5, rtol=1e-4)


def test_a_bend_too_slight_to_be_seen_near_an_end_is_none():
    """H = q (1 - q) + 1e-7 (q - q^1.5) has -H'' = 2 + 0.75e-7/√q, which differences cannot tell from 2."""
    loss = from_bayes_risk(lambda q: q * (1 - q) + 1e-7 * (q - q**1.5))
    assert_allclose(loss.weight(np.r_[0, 10.0 ** -np.arange(1, 10)]), 2, rtol=1e-4)
    assert_allclose(loss.strength, 2, rtol=1e-6)


def test_entropies_of_one_number_at_a_time():
    scalar, vector = from_bayes_risk(shannon_scalar), from_bayes_risk(shannon)
    s = np.linspace(-5, 5, 11)
    assert_allclose(scalar.value(1, s), vector.value(1, s), atol=1e-13)
    assert scalar != vector
    assert pickle.loads(pickle.dumps(scalar)) == scalar == from_bayes_risk(shannon_scalar)


@given(scale=st.floats(0.01, 100))
@few
def test_canonical_links_scale_with_the_loss(scale):
    """Example 6: 4 q(1-q) has the canonical link 4 (2q - 1) and the loss (1 - ys/4)²."""
    loss = from_bayes_risk(lambda q: scale * q * (1 - q))
    assert_allclose(loss.link(Q), scale * (2 * Q - 1), atol=1e-10 * scale)
    assert_allclose(loss.strength, 2 * scale, rtol=1e-8)
    s = scale * np.linspace(-1, 1, 21)
    assert_allclose(loss.value(-1, s), scale / 4 * (1 + s / scale) ** 2, atol=1e-12 * scale)


@pytest.mark.parametrize("p", [0.01, 0.2, 0.5, 0.9, 0.999])
def test_balanced_is_the_definition_and_its_strength_the_formula(p):
    m, M = min(p, 1 - p), max(p, 1 - p)
    r = (1 - p) / (p + math.sqrt(1 - 3 * p * (1 - p)))
    strengths = {
        "logistic": (p * r + (1 - p) * (1 - r)) ** 3 / (2 * p**2 * (1 - p) ** 2 * r * (1 - r)),
        "exponential": 2 / math.sqrt(p * (1 - p)),
        "squared": 4 * m / M**2,
        "squared_hinge": 4 * m / M**2,
        "spherical": m / (2 * M**2),
        "canonical_exponential": 2 / math.sqrt(p * (1 - p)),
        "canonical_squared": m / M**2,
        "canonical_spherical": m / (2 * M**2),
    }
    for name, loss in LOSSES.items():
        even = balanced(name, p)
        s = scores_of(loss)
        for method in ("value", "gradient", "hessian"):
            assert_allclose(getattr(even, method)(1, s), getattr(loss, method)(1, s) / (2 * p), rtol=1e-12)
            assert_allclose(getattr(even, method)(-1, s), getattr(loss, method)(-1, s) / (2 * (1 - p)), rtol=1e-12)
        assert_allclose(even.strength, strengths[name], rtol=1e-9)
        assert not even.strength_is_numeric
        assert_allclose(numeric_strength(even), strengths[name], rtol=1e-9)


def test_balanced_edges():
    assert balanced("logistic", 0.5) is LOSSES["logistic"]
    assert balanced("logistic", 0.2) == Balanced(Logistic(), 0.2) != balanced("logistic", 0.3)
    assert balanced(PARTS["bayes"], 0.3).strength_is_numeric
    assert_allclose(balanced("logistic", 1e-9).complement(30.0), 1 / (1 + 1e-9 / (1 - 1e-9) * np.exp(30.0)), rtol=1e-12)


@pytest.mark.parametrize(("p", "strength"), [(1, 4), (2, 2.618), (5, 1.237)])
def test_p_classification_has_the_strength_of_its_weight(p, strength):
    """λ_p to the digits THEOREMS gives it, its weight as on the poster, and p = 1 as the exponential loss."""
    loss = PClassification(float(p))
    assert_allclose(loss.strength, strength, atol=5e-4)
    a = 1 / (p + 1)
    assert_allclose(loss.weight(Q), 1 / ((p + 1) * Q ** (1 + a) * (1 - Q) ** (2 - a)))
    assert_allclose(loss.link(Q), logit(Q) / (p + 1))
    assert_allclose(loss.value(-1, 0.3), math.exp(0.3 * p) / p)
    assert_allclose(loss.value(1, 0.3), math.exp(-0.3))
    assert p_classification(1) == Exponential()
    assert p_classification(2.5).name == "p_classification(2.5)"
    if p == 1:
        for method in ("entropy", "slope", "weight", "link"):
            assert_allclose(getattr(loss, method)(Q), getattr(Exponential(), method)(Q), atol=1e-14)


@pytest.mark.parametrize(
    "part", [*LOSSES, *(loss for name, loss in EVERY.items() if name.startswith(("bal", "bay", "p")))]
)
def test_through_logit_is_the_cost_of_the_sigmoid(part):
    loss, logit_loss = get_loss(part), through_logit(part)
    s = np.linspace(-9, 9, 61)
    for y in (-1, 1):
        assert_allclose(logit_loss.value(y, s), loss.cost(y, expit(s)), rtol=1e-6, atol=1e-9)
    assert logit_loss.domain == LINE
    assert logit_loss.strength == pytest.approx(loss.strength)
    assert through_logit(logit_loss) == logit_loss
    assert logit_loss.is_margin == loss.is_symmetric


@zoo
@few
@given(q=st.lists(st.floats(0.001, 0.999), min_size=1, max_size=20), y=signs)
def test_cost_is_a_mixture_of_cost_sensitive_losses(loss, q, y):
    assert_allclose(mixture_cost(loss, y, q), loss.cost(y, q), rtol=1e-10)


@pytest.mark.parametrize("name", ["p = 2", "p = 5", "balanced logistic", "balanced spherical", "bayes gentle"])
def test_mixtures_by_another_package(name):
    """∫ (1 - t) 1[q ≤ t] w(t) dt for y = 1 and ∫ t 1[q > t] w(t) dt for y = -1, by adaptive quadrature."""
    loss = EVERY[name]
    for q in (0.15, 0.5, 0.8):
        missed = quad(lambda t: (1 - t) * loss.weight(t), q, 1, limit=200)[0]
        alarm = quad(lambda t: t * loss.weight(t), 0, q, limit=200)[0]
        assert_allclose(mixture_cost(loss, 1, q), missed + loss.entropy(1), rtol=1e-6)
        assert_allclose(mixture_cost(loss, [-1, 1], q), [alarm + loss.entropy(0), loss.cost(1, q)], rtol=1e-6)


def test_what_is_not_proper_is_found_out():
    """The absolute loss announces 0 or 1; the 0-1 loss does not care how sure one is."""
    assert not is_proper(lambda y, q: np.abs((y > 0) - q))

    def zero_one(y, q):
        return np.where(q == 0.5, 0.5, (q > 0.5) != (y > 0))

    assert is_proper(zero_one)
    assert not is_strictly_proper(zero_one)
    assert not is_regular(lambda y, q: 1 / (1 - q) if y > 0 else q)
    assert not is_regular(lambda y, q: q - 0.5)


def test_slip_adding_a_function_of_the_announcement_breaks_properness():
    """'Unique up to θ(η̂)' holds for constants only: the canonical link stays, properness does not."""
    cost = LOSSES["squared"].cost
    assert is_strictly_proper(lambda y, q: cost(y, q) + 3)
    assert not is_proper(lambda y, q: cost(y, q) + q)
    assert_allclose((cost(-1, Q) + Q) - (cost(1, Q) + Q), cost(-1, Q) - cost(1, Q))


def test_slip_regularity_needs_half_open_intervals():
    """With [0, 1] in both places, as printed in section 5.3, the logistic and exponential losses are refused."""
    closed = np.linspace(0, 1, 101)
    for name in ("logistic", "exponential"):
        cost = LOSSES[name].cost
        assert is_regular(cost)
        assert not np.all(np.isfinite(cost(1, closed)))
        assert np.all(np.isfinite(cost(1, closed[1:])))
        assert np.all(np.isfinite(cost(-1, closed[:-1])))


def test_slip_strengths_in_example_6():
    """c_sq is 8-strongly proper, not just 4-; a quarter of it is 2-strongly and not 4-strongly proper."""
    eta, q = np.meshgrid(np.linspace(0, 1, 51), np.linspace(0, 1, 51))
    assert_allclose(LOSSES["squared"].regret(eta, q), 8 / 2 * (eta - q) ** 2, atol=1e-14)
    quarter = LOSSES["canonical_squared"].regret(eta, q)
    assert_allclose(quarter, 2 / 2 * (eta - q) ** 2, atol=1e-14)
    assert np.all((quarter < 4 / 2 * (eta - q) ** 2) | (eta == q))


def test_slip_example_2_names_the_exponential_loss_but_means_the_logistic():
    """-log q and the logit are the cost and the link of log(1 + exp(-ys)), not of ℓ_exp, as its first line says."""
    assert_allclose(LOSSES["logistic"].value(1, np.log(Q / (1 - Q))), -np.log(Q), atol=1e-13)
    assert np.abs(LOSSES["exponential"].value(1, np.log(Q / (1 - Q))) + np.log(Q)).max() > 0.1


def test_slip_the_squared_cost_of_example_3_takes_probabilities():
    """On [-1, 1], as printed, 4(1 - q)² leaves [0, 4]; on [0, 1] it does not, and nothing else is taken."""
    assert 4 * (1 - np.linspace(-1, 1, 21)).max() ** 2 == 16
    assert LOSSES["squared"].cost(1, np.linspace(0, 1, 21)).max() == 4
    with pytest.raises(ValueError, match=r"probabilities must lie in \[0, 1\]. Got -1"):
        LOSSES["squared"].cost(1, -1.0)


def test_slip_spherical_is_a_margin_loss_only_with_its_canonical_link():
    """φ(s) = ℓ(1, s) and φ(-s) = ℓ(-1, s) would make ℓ(1, 0) = ℓ(-1, 0) and the best score at η = ½ zero."""
    loss = LOSSES["spherical"]
    assert loss.value(1, 0.0) == 1 != loss.value(-1, 0.0)
    assert not loss.is_margin
    assert LOSSES["canonical_spherical"].is_margin


def bad_entropy(q):
    return q * (1 - q) + np.sin(40 * q) / 100 + 0.02


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: get_loss("logit"), "loss must be a Loss or one of logistic, exponential, squared, .* Got 'logit'"),
        (lambda: get_loss("squared_hing"), r"Got 'squared_hing'\. Did you mean 'squared_hinge'"),
        (lambda: get_loss(None), "loss must be a Loss or one of .* Got None"),
        (
            lambda: LOSSES["spherical"].value(1, [0.2, 1.2]),
            r"spherical loss must lie in \[0, 1\]. Got 1.2. through_logit",
        ),
        (lambda: LOSSES["canonical_spherical"].phi(-2), r"canonical_spherical loss must lie in \[-1, 1\]. Got -2"),
        (lambda: LOSSES["spherical"].inverse(math.nan), r"must lie in \[0, 1\]. Got nan"),
        (lambda: LOSSES["logistic"].entropy(1.5), r"probabilities must lie in \[0, 1\]. Got 1.5"),
        (lambda: LOSSES["logistic"].risk(-0.5, 0.5), r"probabilities must lie in \[0, 1\]. Got -0.5"),
        (lambda: p_classification(0.5), "p must be a finite number of at least 1. Got 0.5"),
        (lambda: p_classification(math.nan), "p must be a finite number of at least 1. Got nan"),
        (lambda: balanced("logistic", 0), "prevalence must lie strictly between 0 and 1. Got 0"),
        (lambda: from_bayes_risk(lambda q: q * (1 - q) - 0.1), "entropy must be at least 0. Got -0.1 at q = 0"),
        (lambda: from_bayes_risk(lambda q: q**2), "entropy must be concave. Got H = .* at q = 0"),
        (
            lambda: from_bayes_risk(bad_entropy),
            r"entropy must be concave. Got H = [0-9.]+ at q = 0.\d+, [0-9.e-]+ below",
        ),
        (
            lambda: from_bayes_risk(lambda q: np.minimum(q, 1 - q)),
            "entropy must be strictly concave.* straight piece at q",
        ),
        (lambda: from_bayes_risk(lambda q: -q * math.log(q)), "entropy must be finite on .* limits at 0 and 1"),
        (lambda: from_bayes_risk(lambda q: -q * np.log(q)), "entropy must be finite .* Got nan at q = 0"),
        (
            lambda: from_bayes_risk(shannon, logit),
            "slope must be the derivative of entropy. Got .* allow .* Leave it out",
        ),
        (lambda: from_bayes_risk(shannon, lambda q: q * np.nan), "slope must be finite on .* Got nan at q = 0"),
    ],
)
def test_refusals_say_what_must_hold_and_what_came(call, message):
    with pytest.raises(ValueError, match=message) as refusal:
        call()
    assert "\n" not in str(refusal.value)
