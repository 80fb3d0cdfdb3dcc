"""Regret bounds against the papers' formulas, quadrature, and regrets written out again; none is ever beaten."""

import math
from fractions import Fraction

import mpmath as mp
import naive
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

from ordain.bounds.calibration import balanced_to_pairs, calibration, inverse_calibration
from ordain.bounds.records import dual_norm, upward
from ordain.bounds.regret import (
    AT_PREVALENCE,
    balanced_bound,
    low_noise_bound,
    pair_bound,
    plug_in_bound,
    prevalence_bound,
    regret_bound,
)
from ordain.losses import LOSSES, balanced, from_bayes_risk, p_classification, through_logit

COSTS = {
    "logistic": (lambda q: -np.log(q), lambda q: -np.log(1 - q)),
    "exponential": (lambda q: np.sqrt((1 - q) / q), lambda q: np.sqrt(q / (1 - q))),
    "squared": (lambda q: 4 * (1 - q) ** 2, lambda q: 4 * q**2),
    "spherical": (lambda q: 1 - q / np.hypot(q, 1 - q), lambda q: 1 - (1 - q) / np.hypot(q, 1 - q)),
    "canonical_squared": (lambda q: (1 - q) ** 2, lambda q: q**2),
}
STRENGTHS = {"logistic": 4, "exponential": 4, "squared": 8, "spherical": 1, "canonical_squared": 2}
chances = st.floats(0.02, 0.98)
shares = st.floats(0.01, 0.99)


@st.composite
def estimated(draw, least=2, most=6):
    """Masses, η and an estimate of it: free, nearly constant and backwards, or with ties."""
    k = draw(st.integers(least, most))
    mass = np.array(draw(st.lists(st.integers(1, 20), min_size=k, max_size=k)), dtype=float)
    centre, width = draw(st.sampled_from([0.02, 0.1, 0.5, 0.8])), draw(st.sampled_from([0.01, 0.5, 1.0]))
    near = st.floats(-1, 1).map(lambda t: centre + width * t * min(centre, 1 - centre) * 0.9)
    eta = np.array(draw(st.lists(near, min_size=k, max_size=k)))
    guess = draw(
        st.one_of(
            st.lists(chances, min_size=k, max_size=k).map(np.array),
            st.just(centre - 1e-4 * (eta - centre)),
            st.lists(st.sampled_from([0.2, 0.5, 0.7]), min_size=k, max_size=k).map(np.array),
        )
    )
    return mass / mass.sum(), eta, guess


@pytest.mark.parametrize(
    ("name", "factor"),
    [
        ("exponential", 1 / math.sqrt(2)),
        ("logistic", 1 / math.sqrt(2)),
        ("squared", 1 / 2),
        ("squared_hinge", 1 / 2),
        ("spherical", math.sqrt(2)),
        ("canonical_exponential", 1 / math.sqrt(2)),
        ("canonical_squared", 1),
        ("canonical_spherical", math.sqrt(2)),
    ],
)
@settings(max_examples=20)
@given(r=st.floats(0, 10), p=shares)
def test_the_bounds_of_examples_1_to_7(name, factor, r, p):
    """As printed in the examples; the default divides by √3."""
    printed = regret_bound(name, loss_regret=r, prevalence=p, sharp=False)
    assert_allclose(printed.value, factor * math.sqrt(r) / (p * (1 - p)), rtol=1e-12)
    assert_allclose(regret_bound(LOSSES[name], loss_regret=r, prevalence=p).value, printed.value / math.sqrt(3))


@settings(max_examples=300)
@given(estimated())
def test_no_bound_is_beaten(case):
    mass, eta, guess = case
    p, rank = mass @ eta, naive.rank_regret(*case)
    for name, strength in STRENGTHS.items():
        r = max(naive.loss_regret(COSTS[name], *case), 0) + 1e-15
        assert rank <= math.sqrt(2 * r / (3 * strength)) / (p * (1 - p))
        assert rank <= regret_bound(name, loss_regret=r, prevalence=p).value
        positives, negatives = mass * eta / p, mass * (1 - eta) / (1 - p)
        up, down = COSTS[name]
        even, evened = (positives + negatives) / 2, positives / (positives + negatives)
        rest = even @ (evened * up(evened) + (1 - evened) * down(evened))
        half = positives @ up(guess) / 2 + negatives @ down(guess) / 2 - rest + 1e-15
        assert rank <= balanced_bound(name, balanced_regret=max(half, 1e-15)).value
    for name in ("logistic", "exponential", "squared", "canonical_squared"):
        r = max(naive.loss_regret(COSTS[name], *case), 0) + 1e-15
        assert rank <= prevalence_bound(name, loss_regret=r, prevalence=p).value
    for power in (1, 1.3, 2, 5):
        error = (mass @ np.abs(guess - eta) ** power) ** (1 / power) + 1e-15
        assert rank <= plug_in_bound(error=error, prevalence=p, power=power).value
    assert rank <= plug_in_bound(error=np.abs(guess - eta).max() + 1e-15, prevalence=p, power=math.inf).value


def test_random_distributions_alone_do_not_show_whether_theorem_13_is_sharp():
    """They reach about 0.4 of it, so the next test is needed."""
    rng = np.random.default_rng(0)
    ratios = []
    for _ in range(2000):
        k = rng.integers(2, 6)
        case = rng.dirichlet(np.ones(k)), rng.uniform(0, 1, k), rng.uniform(0.001, 0.999, k)
        bound = regret_bound(
            "squared", loss_regret=naive.loss_regret(COSTS["squared"], *case), prevalence=case[0] @ case[1]
        )
        ratios.append(naive.rank_regret(*case) / bound.value / math.sqrt(3))
    assert 0.3 < max(ratios) < 0.5


@pytest.mark.parametrize("p", [0.05, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("name", ["squared", "canonical_squared", "logistic", "exponential"])
def test_the_constants_are_attained(name, p):
    """X-sharp by squared losses at every p, the others at ½; with the weight at p in the place of λ, all at every p."""
    rank, r = naive.uniform_reversed(COSTS[name], p, 0.02 * min(p, 1 - p))
    sharp = regret_bound(name, loss_regret=r, prevalence=p).value
    local = prevalence_bound(name, loss_regret=r, prevalence=p).value
    assert 0.999 < rank / local <= 1 + 1e-6
    assert rank <= sharp * (1 + 1e-6)
    if "squared" in name or p == 0.5:
        assert rank / sharp > 0.999
    else:
        assert_allclose(local / sharp, math.sqrt(4 / LOSSES[name].weight(p)))
    assert rank < regret_bound(name, loss_regret=r, prevalence=p, sharp=False).value / 1.7


def test_the_sharp_balanced_bound_is_below_the_printed_ones():
    for name, printed in (("logistic", 2), ("exponential", 3 / math.sqrt(2))):
        assert_allclose(balanced_bound(name, balanced_regret=0.04).value, math.sqrt(8 / 3) * 0.2)
        assert_allclose(balanced_bound(name, balanced_regret=0.04, sharp=False).value, printed * 0.2)
    rank, r = naive.uniform_reversed(COSTS["logistic"], 0.5, 0.01)
    assert_allclose(rank / balanced_bound("logistic", balanced_regret=r).value, 1, rtol=1e-3)


@pytest.mark.parametrize("p", [1e-4, 0.01, 0.2, 0.5])
@given(r=st.floats(1e-9, 1))
def test_the_weight_at_the_prevalence_in_closed_form(p, r):
    v = p * (1 - p)
    assert_allclose(prevalence_bound("logistic", loss_regret=r, prevalence=p).value, math.sqrt(2 * r / 3 / v))
    assert_allclose(
        prevalence_bound("canonical_exponential", loss_regret=r, prevalence=p).value,
        math.sqrt(4 * r / 3 / math.sqrt(v)),
    )
    assert_allclose(prevalence_bound("squared_hinge", loss_regret=r, prevalence=p).value, math.sqrt(r / 12) / v)
    for name in AT_PREVALENCE:
        other = regret_bound(name, loss_regret=r, prevalence=p).value
        assert prevalence_bound(name, loss_regret=r, prevalence=p).value <= other * (1 + 1e-12)


def test_the_weight_at_the_prevalence_cannot_serve_every_loss():
    """H = q(1-q)/2 + 1 - √((q-½)² + s²) has -H'' = 1001 at ½ and about 1 elsewhere; the errors avoid ½."""
    s = 1e-3

    def entropy(q):
        return q * (1 - q) / 2 + 1 - np.hypot(q - 0.5, s)

    def slope(q):
        return 0.5 - q - (q - 0.5) / np.hypot(q - 0.5, s)

    mass, eta = np.full(200, 1 / 200), 0.5 + 0.3 * (np.arange(200) - 99.5) / 100
    guess = 0.5 + 0.15 * np.sign(eta - 0.5) - 1e-3 * (eta - 0.5)  # backwards on either side of ½
    r = mass @ (entropy(guess) + (eta - guess) * slope(guess) - entropy(eta))
    rank = naive.rank_regret(mass, eta, guess)
    assert rank > 10 * math.sqrt(2 * r / (3 * 1001)) * 4
    assert rank <= math.sqrt(2 * r / 3) * 4
    with pytest.raises(ValueError, match=r"loss must be one of logistic, .* Got from_bayes_risk. Use regret_bound"):
        prevalence_bound(from_bayes_risk(entropy, slope), loss_regret=r, prevalence=0.5)


@settings(max_examples=60)
@given(estimated(), st.floats(0.01, 20))
def test_the_step_of_the_proof_that_carries_the_logistic_loss(case, t):
    """E under η̂/p̂ of exp(t(V - U)) ≤ sinh(t)/t ≤ exp(t²/6), V and U mid-ranks of η and η̂; and its mirror image."""
    mass, eta, guess = case

    def mid_ranks(by):
        return np.array([mass @ ((by < own) + 0.5 * (by == own)) for own in by])

    gap = mid_ranks(eta) - mid_ranks(guess)
    most = math.sinh(t) / t
    assert mass @ (guess * np.exp(t * gap)) / (mass @ guess) <= most * (1 + 1e-12)
    assert mass @ ((1 - guess) * np.exp(-t * gap)) / (mass @ (1 - guess)) <= most * (1 + 1e-12)
    assert most <= math.exp(t * t / 6)


fractions = st.integers(0, 12).map(lambda n: Fraction(n, 12))


@given(st.lists(st.tuples(st.integers(1, 9), fractions, fractions), min_size=2, max_size=5))
def test_regret_is_a_difference_of_ranks_exactly(rows):
    """(a), (b) and (c) of docs/proofs.md and E(V - U)² ≤ ⅓, in fractions."""
    total = sum(weight for weight, _, _ in rows)
    mass, eta, guess = (list(column) for column in zip(*rows, strict=True))
    mass = [Fraction(weight, total) for weight in mass]
    p = sum(m * e for m, e in zip(mass, eta, strict=True))
    assume(0 < p < 1)

    def mid_ranks(by):
        return [sum(m * (2 * (b < own) + (b == own)) for m, b in zip(mass, by, strict=True)) / 2 for own in by]

    gap = [v - u for v, u in zip(mid_ranks(eta), mid_ranks(guess), strict=True)]
    weights = [m * e for m, e in zip(mass, eta, strict=True)] + [m * (1 - e) for m, e in zip(mass, eta, strict=True)]
    labels = [True] * len(rows) + [False] * len(rows)
    regret = naive.auc(labels, eta * 2, weights) - naive.auc(labels, guess * 2, weights)
    assert p * (1 - p) * regret == sum(m * e * g for m, e, g in zip(mass, eta, gap, strict=True))
    assert sum(m * q * g for m, q, g in zip(mass, guess, gap, strict=True)) <= 0
    assert sum(m * g for m, g in zip(mass, gap, strict=True)) == 0
    assert sum(m * g * g for m, g in zip(mass, gap, strict=True)) <= Fraction(1, 3)


@given(estimated(), st.floats(1, 5))
def test_squared_scores_need_not_be_truncated(case, stretch):
    """Beyond [-1, 1] the bound holds for the scores as they stand, which rank by more than their clipped values."""
    mass, eta, guess = case
    p, scores = mass @ eta, stretch * (2 * guess - 1)
    best = 4 * eta * (1 - eta)
    plain = mass @ (eta * (1 - scores) ** 2 + (1 - eta) * (1 + scores) ** 2 - best) + 1e-15
    up, down = np.maximum(0, 1 - scores) ** 2, np.maximum(0, 1 + scores) ** 2
    hinge = mass @ (eta * up + (1 - eta) * down - best) + 1e-15
    rank = naive.rank_regret(mass, eta, scores)
    assert rank <= regret_bound("squared", loss_regret=plain, prevalence=p).value
    assert rank <= regret_bound("squared_hinge", loss_regret=hinge, prevalence=p).value


@pytest.mark.parametrize("mass", [0.2, 0.01, 1e-6])
def test_corollary_12_has_the_best_factor(mass):
    """One point of little mass, η = ¾ among ½, estimated a little below ½: rank regret is 1 - mass of the bound."""
    eta, guess = np.array([0.5, 0.75]), np.array([0.5, 0.5 - 1e-9])
    masses = np.array([1 - mass, mass])
    bound = plug_in_bound(error=masses @ np.abs(eta - guess), prevalence=masses @ eta)
    assert_allclose(naive.rank_regret(masses, eta, guess) / bound.value, 1 - mass, rtol=1e-6)
    tied = np.array([0.5, 0.5])
    assert_allclose(naive.rank_regret(masses, eta, tied) / bound.value, (1 - mass) / 2, rtol=1e-6)


@pytest.mark.parametrize("power", [1.2, 1.5, 2, 3, 10])
def test_every_norm_has_the_best_factor(power):
    """η = ½ + ε sign(x)|x|^(s-1), x uniform on [-1, 1], 1/q + 1/s = 1, estimated as ½ and ranked backwards."""
    s, eps = power / (power - 1), 0.1
    rank = quad(lambda x: eps * abs(x) ** s, -1, 1)[0] / 2 * 4
    error = (quad(lambda x: (eps * abs(x) ** (s - 1)) ** power, -1, 1)[0] / 2) ** (1 / power)
    assert_allclose(plug_in_bound(error=error, prevalence=0.5, power=power).value, rank, rtol=1e-6)
    assert_allclose(dual_norm(power), float(quad(lambda x: abs(x) ** s, 0, 1)[0]) ** (1 / s), rtol=1e-6)


def test_factors_of_the_norms_at_their_ends():
    assert dual_norm(1) == 1
    assert_allclose(dual_norm(2), 1 / math.sqrt(3))
    assert dual_norm(math.inf) == 0.5
    assert_allclose(plug_in_bound(error=0.02, prevalence=0.3).value, 0.02 / 0.21)


@pytest.mark.parametrize("width", [1, 0.1, 0.01])
@pytest.mark.parametrize("blocks", [1, 3, 10])
def test_low_noise_on_uniform_families_in_closed_form(width, blocks):
    """Reversed in blocks: rank regret (w/6b²)/¼, squared regret 4 (w/b)²/12; C = (2/w)^α."""
    rank, r = width / (6 * blocks**2) * 4, 4 * (width / blocks) ** 2 / 12
    for alpha in (0, 0.3, 0.8, 1):
        bound = low_noise_bound("squared", loss_regret=r, prevalence=0.5, alpha=alpha, scale=(2 / width) ** alpha)
        formula = (2 / width) ** alpha * 2 ** (1 + alpha) * 4 * (2 * r / 8) ** ((1 + alpha) / 2)
        assert_allclose(bound.value, formula)
        assert rank <= bound.value
        if alpha == 1:
            assert_allclose(rank / bound.value, 1 / 4)  # for every b, so no larger exponent would do
        else:
            weaker = low_noise_bound(
                "squared", loss_regret=r, prevalence=0.5, alpha=alpha, scale=bound.scale, sharp=False
            )
            assert_allclose(weaker.value, 4 * bound.scale * 2 ** (1 + alpha) * (r / 4) ** ((1 + alpha) / (2 + alpha)))
            assert rank <= bound.value <= weaker.value


def test_slip_the_low_noise_constant_must_depend_on_c():
    """With α = ½ and one constant for all widths, Theorem 14 as printed would be beaten as the width goes to 0."""
    needed = [width / 6 / (width**2 / 12) ** (1.5 / 2.5) for width in (1, 0.1, 0.01)]
    assert needed[0] * 1.5 < needed[1] < needed[2] / 1.5
    for width, constant in zip((1, 0.1, 0.01), needed, strict=True):
        assert constant <= (2 / width) ** 0.5 * 2**1.5


PHIS = {"logistic": lambda u: np.logaddexp(0, -u), "exponential": lambda u: np.exp(-u)}


@pytest.mark.parametrize("name", PHIS)
def test_kotlowski_as_corrected(name):
    rng = np.random.default_rng(5)
    for _ in range(25):
        k = rng.integers(2, 5)
        mass, eta = rng.dirichlet(np.ones(k)), rng.uniform(0.05, 0.95, k)
        scores = rng.normal(size=k) * rng.exponential() + rng.normal()
        over, even = naive.pair_and_balanced_regret(mass, eta, scores, PHIS[name])
        assert over <= balanced_to_pairs(name, even) + 1e-9
        rank = naive.rank_regret(mass, eta, scores)
        assert rank <= balanced_bound(name, balanced_regret=even, sharp=False).value + 1e-9
        assert rank <= pair_bound(name, pair_regret=over + 1e-9).value
        if name == "exponential" and even <= 0.25:
            assert over <= 9 / 4 * even + 1e-9


@pytest.mark.parametrize("k", [0.5, 1.0, 3.0])
def test_slip_nine_fourths_does_not_hold_for_every_scorer(k):
    """P = Q, f = ±k: pair regret cosh²k - 1, balanced regret cosh k - 1."""
    over, even = naive.pair_and_balanced_regret(
        np.full(2, 0.5), np.full(2, 0.5), np.array([k, -k]), PHIS["exponential"]
    )
    assert_allclose(over / even, 1 + math.cosh(k), rtol=1e-9)
    assert_allclose(balanced_to_pairs("exponential", even), over, rtol=1e-9)
    assert (over > 9 / 4 * even) == (even > 0.25)
    assert balanced_to_pairs("logistic", 0.3) == 0.6


CALIBRATED = {
    **{name: loss for name, loss in LOSSES.items() if loss.fits_pairs},
    "p = 2": p_classification(2),
    "logit spherical": through_logit("spherical"),
    "logit squared": through_logit("squared"),
}


@pytest.mark.parametrize("loss", CALIBRATED.values(), ids=CALIBRATED)
def test_the_transform_is_the_least_regret_of_a_wrong_sign(loss):
    """Bartlett, Jordan and McAuliffe's definition: the best score of the wrong sign, minus the best score."""
    for theta in (0.0, 0.1, 0.5, 0.8, 0.97):
        regrets = []
        for eta in ((1 + theta) / 2, (1 - theta) / 2):
            wrong = (-30, 0) if eta > 0.5 else (0, 30 / (1 + (loss.name == "p_classification(2)")))

            def risk(s, eta=eta):
                return eta * loss.value(1, s) + (1 - eta) * loss.value(-1, s)

            best = minimize_scalar(risk, bounds=(-30, 30), method="bounded", options={"xatol": 1e-10}).fun
            held = minimize_scalar(risk, bounds=wrong, method="bounded", options={"xatol": 1e-10}).fun
            regrets.append(min(held, risk(0.0)) - min(best, risk(0.0)))
        assert_allclose(calibration(loss, theta), np.mean(regrets), atol=1e-7)


@pytest.mark.parametrize("loss", CALIBRATED.values(), ids=CALIBRATED)
@given(a=st.floats(0, 1), b=st.floats(0, 1))
@settings(max_examples=25)
def test_the_transform_is_convex_rising_and_inverted(loss, a, b):
    low, high = sorted((a, b))
    middle = calibration(loss, (low + high) / 2)
    assert middle <= (calibration(loss, low) + calibration(loss, high)) / 2 + 1e-12
    assert calibration(loss, low) <= calibration(loss, high) + 1e-15
    assert calibration(loss, high) >= loss.strength * high**2 / 8 - 1e-12
    again = inverse_calibration(loss, float(calibration(loss, high)) + 1e-15)  # of which rounding may take as much
    assert high <= again
    assert_allclose(calibration(loss, again), calibration(loss, high), atol=1e-12)


def test_transforms_in_closed_form():
    theta = np.linspace(0, 1, 21)
    assert_allclose(calibration("exponential", theta), 1 - np.sqrt(1 - theta**2), atol=1e-15)
    assert_allclose(calibration("squared", theta), theta**2, atol=1e-15)
    assert_allclose(calibration("squared_hinge", theta), theta**2, atol=1e-15)
    with mp.workdps(40):
        for z in (1e-12, 1e-6, 0.01, 0.3, 0.6):
            x = mp.mpf(z)
            assert_allclose(inverse_calibration("exponential", z), float(mp.sqrt(x * (2 - x))), rtol=1e-5)
            root = mp.findroot(
                lambda t, x=x: ((1 + t) * mp.log(1 + t) + (1 - t) * mp.log(1 - t)) / 2 - x,
                (0.8 * mp.sqrt(2 * x), min(mp.sqrt(2 * x), 1 - mp.mpf("1e-30"))),
                solver="anderson",
            )
            assert_allclose(inverse_calibration("logistic", z), float(root), rtol=1e-4)
            assert inverse_calibration("logistic", z) >= float(root) * (1 - 1e-15)
            assert inverse_calibration("logistic", z) <= math.sqrt(2 * z)
    assert inverse_calibration("logistic", math.log(2)) == 1
    assert inverse_calibration("squared", 5.0) == 1
    assert inverse_calibration("squared", 0.0) == 0


@given(r=st.floats(1e-9, 0.5), p=shares)
def test_needed_turns_every_bound_round(r, p):
    bounds = [
        regret_bound("logistic", loss_regret=r, prevalence=p),
        regret_bound("spherical", loss_regret=r, prevalence=p, sharp=False),
        prevalence_bound("exponential", loss_regret=r, prevalence=p),
        balanced_bound("squared", balanced_regret=r),
        low_noise_bound("logistic", loss_regret=r, prevalence=p, alpha=0.7, scale=3),
        low_noise_bound("logistic", loss_regret=r, prevalence=p, alpha=0.7, scale=3, sharp=False),
        plug_in_bound(error=r, prevalence=p, power=3),
    ]
    for bound in bounds:
        assert_allclose(bound.needed(bound.value), r, rtol=1e-9)
    pairs = pair_bound("logistic", pair_regret=r)
    assert_allclose(pairs.needed(pairs.value), r, rtol=1e-4, atol=1e-15)


def test_sentences_carry_their_assumptions():
    bound = regret_bound("logistic", loss_regret=0.01, prevalence=0.2)
    assert "If the excess logistic loss were 0.01 and the share of positives 0.2" in str(bound)
    assert "at most 0.256" in str(bound)  # 0.2552, rounded up
    assert "the Bayes risk is unknown" in str(bound)
    assert not bound.is_vacuous
    empty = regret_bound("logistic", loss_regret=0.01, prevalence=0.01)
    assert empty.is_vacuous
    assert "nothing would follow for the ranking" in str(empty)
    assert "4.13" in str(empty)
    assert "as printed" in str(regret_bound("logistic", loss_regret=0.01, prevalence=0.2, sharp=False))
    assert "P(|η(X) - η(x)| ≤ t) at most 3 t^0.5" in str(
        low_noise_bound("squared", loss_regret=1e-6, prevalence=0.5, alpha=0.5, scale=3)
    )
    assert str(plug_in_bound(error=0.01, prevalence=0.5)).endswith("η is unknown.")
    assert "(E|η̂ - η|^2)^(1/2) were 0.01" in str(plug_in_bound(error=0.01, prevalence=0.5, power=2))
    assert "Kotłowski" in str(balanced_bound("logistic", balanced_regret=0.01, sharp=False))


@given(st.floats(1e-8, 1e4))
def test_printed_numbers_are_rounded_up(value):
    shown = float(upward(value))
    assert value * (1 - 1e-9) <= shown <= value * 1.0101
    assert upward(0.0) == "0"


def test_records_are_frozen_and_compare_by_value():
    bound = regret_bound("logistic", loss_regret=0.01, prevalence=0.2)
    assert bound == regret_bound(LOSSES["logistic"], loss_regret=0.01, prevalence=0.2)
    with pytest.raises(AttributeError):
        bound.loss_regret = 0.02
    assert bound.strength == 4
    assert regret_bound(balanced("logistic", 0.2), loss_regret=0.01, prevalence=0.2).strength == pytest.approx(3.71005)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: regret_bound("logit", loss_regret=0.1, prevalence=0.2), "loss must be a Loss or one of"),
        (
            lambda: regret_bound("logistic", loss_regret=-0.1, prevalence=0.2),
            "loss_regret must be a finite .* Got -0.1",
        ),
        (lambda: regret_bound("logistic", loss_regret=math.nan, prevalence=0.2), "loss_regret must .* Got nan"),
        (lambda: regret_bound("logistic", loss_regret=0.1, prevalence=1), "prevalence must lie strictly between"),
        (
            lambda: regret_bound(
                from_bayes_risk(lambda q: 1 / 16 - (q - 0.5) ** 4, lambda q: -4 * (q - 0.5) ** 3),
                loss_regret=0.1,
                prevalence=0.5,
            ),
            "must be strongly proper, λ > 0. Got from_bayes_risk",
        ),
        (lambda: prevalence_bound("spherical", loss_regret=0.1, prevalence=0.2), "Got spherical. Use regret_bound"),
        (lambda: balanced_bound("squared", balanced_regret=0.1, sharp=False), "logistic or exponential. Got squared"),
        (
            lambda: low_noise_bound("squared", loss_regret=0.1, prevalence=0.5, alpha=1.5, scale=2),
            r"alpha must lie in \[0, 1\].* Got 1.5",
        ),
        (
            lambda: low_noise_bound("squared", loss_regret=0.1, prevalence=0.5, alpha=1, scale=2, sharp=False),
            "below 1 for sharp=False. Got 1",
        ),
        (
            lambda: low_noise_bound("squared", loss_regret=0.1, prevalence=0.5, alpha=0.5, scale=0.5),
            "scale must be at least 1, .* Got 0.5",
        ),
        (lambda: plug_in_bound(error=0.1, prevalence=0.5, power=0.5), "power must be at least 1. Got 0.5"),
        (lambda: plug_in_bound(error=-1, prevalence=0.5), "error must be a finite number .* Got -1"),
        (lambda: pair_bound("spherical", pair_regret=0.1), "sign of η - ½. Got spherical. through_logit"),
        (lambda: pair_bound("logistic", pair_regret=-0.1), "pair_regret must be"),
        (lambda: calibration("logistic", 1.5), r"a ranking regret must lie in \[0, 1\]. Got 1.5"),
        (lambda: balanced_to_pairs("squared", 0.1), "logistic and the exponential loss. Got squared. balanced_bound"),
    ],
)
def test_refusals_say_what_must_hold_and_what_came(call, message):
    with pytest.raises(ValueError, match=message) as refusal:
        call()
    assert "\n" not in str(refusal.value)
