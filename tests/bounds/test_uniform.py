"""Uniform bounds: their constants step by step, what they promise over all samples, and how they turn round."""

import importlib.util
from fractions import Fraction
from itertools import permutations, product
from math import e, exp, log, sqrt
from pathlib import Path

import mpmath
import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordain.bounds import uniform
from ordain.bounds.shatter import affine_faces, faces

counts = st.integers(1, 10**5)
dimensions = st.integers(1, 40)
chances = st.floats(1e-9, 0.999)


def accuracy(above, below):
    """The AUC, from its definition."""
    return naive.auc([1] * len(above) + [0] * len(below), [*above, *below])


@given(counts, counts, dimensions, chances)
def test_widths_by_formula(m, n, d, delta):
    """Every bound again, in thirty digits."""
    with mpmath.workdps(30):
        m_, n_, delta_ = mpmath.mpf(m), mpmath.mpf(n), mpmath.mpf(delta)
        ln = mpmath.log
        r, s, s_plus, s_minus = faces(4 * m * n, d), faces(min(m, n), d), faces(2 * m, d + 1), faces(2 * n, d + 1)
        spread = 1 / m_ + 1 / n_
        tail = mpmath.sqrt(spread * ln(1 / delta_) / 2)
        expected = {
            "corollary 1": mpmath.sqrt(8 * spread * ln(4 * r / delta_)),
            "theorem 5": mpmath.sqrt(8 * spread * ln(4 * affine_faces(4 * m * n, d) / delta_)),
            "freund": 2 * mpmath.sqrt(ln(12 * s_plus / delta_) / m) + 2 * mpmath.sqrt(ln(12 * s_minus / delta_) / n),
            "maximal": mpmath.sqrt(spread) * mpmath.sqrt(2 * ln(2 * r)) + tail,
            "matching": min(
                mpmath.sqrt(2 * ln(2 * s / delta_) / min(m, n)),
                mpmath.sqrt(2 * ln(2 * mpmath.mpf(s)) / min(m, n)) + tail,
            ),
        }
        assert expected.keys() == uniform.LINEAR.keys()
        for method, value in expected.items():
            assert abs(uniform.width(m, n, d, delta, method=method) / value - 1) < 1e-12


@given(counts, counts, st.floats(0, 400), chances)
def test_theorem_2_and_its_corollary_are_inverse(m, n, log_r, delta):
    epsilon = uniform.corollary_1(m, n, delta, log_r)
    assert uniform.theorem_2(m, n, epsilon, log_r) == pytest.approx(delta, rel=1e-9)
    assert uniform.theorem_2(m, n, 0.0, log_r) == 1


def test_the_constants_of_theorem_2_from_its_steps():
    """Chebyshev's ½ for the ghost sample, the union over r patterns, McDiarmid at ε/2 with moves of 2/m and 2/n."""
    for m, n, epsilon in [(3, 5, 0.3), (100, 40, 0.9), (1000, 1000, 0.4)]:
        moves = m * Fraction(2, m) ** 2 + n * Fraction(2, n) ** 2
        assert moves == Fraction(4 * (m + n), m * n)
        mcdiarmid = 2 * exp(-2 * (epsilon / 2) ** 2 / moves)
        log_r = 0.7
        assert uniform.theorem_2(m, n, epsilon, log_r) == pytest.approx(min(1, 2 * exp(log_r) * mcdiarmid))
        variance = Fraction(1, 4) * (m * Fraction(1, m) ** 2 + n * Fraction(1, n) ** 2)
        assert variance == Fraction(m + n, 4 * m * n)
        threshold = 2 * Fraction(m + n, m * n)  # of ε²
        assert variance / (threshold / 4) == Fraction(1, 2)
        assert 4 * exp(-m * n * threshold / (8 * (m + n))) > 1  # below the threshold the theorem says nothing


def test_exchanging_a_row_with_its_double_moves_the_difference_by_two_over_m_at_most():
    """All samples over three scores at m = 2, n = 1; the most is reached."""
    largest = {"positive": Fraction(0), "negative": Fraction(0)}
    for x, y, a, b, z, w in product(range(3), repeat=6):
        before = accuracy([x, y], [z]) - accuracy([a, b], [w])
        one = accuracy([a, y], [z]) - accuracy([x, b], [w])
        other = accuracy([x, y], [w]) - accuracy([a, b], [z])
        largest["positive"] = max(largest["positive"], abs(before - one))
        largest["negative"] = max(largest["negative"], abs(before - other))
    assert largest == {"positive": Fraction(2, 2), "negative": Fraction(2, 1)}


def test_the_auc_is_the_mean_over_matchings():
    """The first step of the proof of the matching bound, for more positives than negatives too."""
    rng = np.random.default_rng(0)
    for m, n in [(2, 4), (3, 3), (4, 2)]:
        above, below = rng.integers(0, 5, m).tolist(), rng.integers(0, 5, n).tolist()
        k = min(m, n)
        if m <= n:
            matchings = [list(zip(above, chosen, strict=True)) for chosen in permutations(below, k)]
        else:
            matchings = [list(zip(chosen, below, strict=True)) for chosen in permutations(above, k)]
        means = [sum((naive.win(a, b) for a, b in pairs), Fraction(0)) / k for pairs in matchings]
        assert sum(means) / len(means) == accuracy(above, below)


WORST = [[0, 1, 2], [2, 1, 0], [0, 2, 1], [1, 0, 2]]


@pytest.mark.parametrize(("m", "n"), [(1, 1), (2, 2), (3, 2), (2, 4), (1, 5)])
def test_the_supremum_keeps_to_its_bounds(m, n):
    """Its mean, moments and tail, over all samples, exactly: two distributions, four scorers, |F| for s and r."""
    third, k = Fraction(1, 3), min(m, n)
    for positives, negatives in [([third] * 3, [third] * 3), ([Fraction(1, 2), 0, Fraction(1, 2)], [0, 1, 0])]:
        law = list(naive.suprema(WORST, positives, negatives, m, n))
        assert sum(chance for chance, _ in law) == 1
        mean = float(sum(chance * value for chance, value in law))
        assert mean <= sqrt(2 * log(8) / k) and mean <= sqrt(2 * (1 / m + 1 / n) * log(8))
        for rate in (0.3, 1, 3, 10):
            moment = sum(float(chance) * exp(rate * float(value)) for chance, value in law)
            assert moment <= 8 * exp(rate**2 / (2 * k))
        for delta in (0.01, 0.1, 0.5, 0.9):
            for bound in (uniform.matching, uniform.maximal, uniform.corollary_1):
                epsilon = bound(m, n, delta, log(4))
                assert sum(chance for chance, value in law if value >= epsilon) <= delta


def test_coverage_in_samples_where_the_bound_is_not_vacuous():
    """One feature that says nothing, both directions of it: the larger deviation of 400 samples stays within 0.21."""
    rng = np.random.default_rng(1)
    m, n = 200, 300
    epsilon = uniform.width(m, n, 1, 0.05)
    assert epsilon < 0.25
    places = rng.permuted(np.tile(np.arange(1, m + n + 1), (400, 1)), axis=1)[:, :m]
    values = (places.sum(axis=1) - m * (m + 1) / 2) / (m * n)
    apart = np.maximum(np.abs(values - 0.5), np.abs((1 - values) - 0.5))
    assert np.mean(apart >= epsilon) <= 0.05


@given(st.integers(1, 1000), st.integers(1, 1000), st.floats(0, 300), st.floats(0, 300), chances)
def test_matching_is_below_the_others_for_every_class(m, n, log_s, more, delta):
    """As s(F̃, min(m, n)) ≤ r(F, 2m, 2n)."""
    narrow = uniform.matching(m, n, delta, log_s)
    assert narrow <= uniform.maximal(m, n, delta, log_s + more)
    assert 2 * narrow <= uniform.corollary_1(m, n, delta, log_s + more)


def test_two_hundred_by_two_thousand_rows_in_twenty_dimensions():
    """3.4 is Corollary 1 with the paper's count of patterns, 3.39 by its sum and 3.41 by the printed (2emn/d)^d."""
    assert uniform.width(200, 2000, 20, method="theorem 5") == pytest.approx(3.393, abs=5e-4)
    printed = 20 * log(2 * e * 4 * 200 * 2000 / 20)
    assert uniform.corollary_1(200, 2000, 0.05, printed) == pytest.approx(3.408, abs=5e-4)
    assert uniform.width(200, 2000, 20, method="maximal") == pytest.approx(1.738, abs=5e-4)
    assert uniform.width(200, 2000, 20) == pytest.approx(0.883, abs=5e-4)


def test_the_bound_of_freund_et_al_as_printed_for_one_feature():
    m, n, delta = 300, 700, 0.01
    printed = 2 * sqrt((log(8 * m + 1) + log(12 / delta)) / m) + 2 * sqrt((log(8 * n + 1) + log(12 / delta)) / n)
    assert uniform.width(m, n, 1, delta, method="freund") == pytest.approx(printed, rel=1e-12)
    ours = sqrt(8 * (m + n) * (log(3) + log(4 / delta)) / (m * n))
    assert uniform.width(m, n, 1, delta, method="corollary 1") == pytest.approx(ours, rel=1e-12)


@pytest.mark.parametrize("method", uniform.LINEAR)
@pytest.mark.parametrize(("wanted", "d", "share"), [(0.5, 1, 0.5), (0.3, 5, 0.1), (0.9, 20, 0.03), (0.05, 2, 0.7)])
def test_the_rows_for_a_width_are_the_fewest(method, wanted, d, share):
    m, n = uniform.rows(wanted, d, share=share, method=method)
    assert uniform.width(m, n, d, method=method) <= wanted
    assert abs(m / (m + n) - share) <= 1 / (m + n)
    fewer = m + n - 1
    positives = round(share * fewer)
    assert uniform.width(positives, fewer - positives, d, method=method) > wanted


@given(st.integers(1, 10**5), dimensions, st.sampled_from(sorted(uniform.LINEAR)))
def test_more_rows_never_widen(k, d, method):
    """What the search for the fewest rows rests on; widths above one say nothing and need not fall."""
    first, second, third = (uniform.width(k + i, k + j, d, method=method) for i, j in ((0, 0), (1, 0), (1, 1)))
    assert first > 1 or first + 1e-12 >= second
    assert second > 1 or second + 1e-12 >= third


def test_the_certificate_says_when_it_is_vacuous_and_what_it_needs():
    wide = uniform.UniformBound(200, 2000, 20)
    assert wide.vacuous and str(wide).startswith("Vacuous: 0.89")
    assert f"{wide.needed:,}" in str(wide)
    m, n = uniform.rows(0.5, 20, share=200 / 2200)
    assert m + n == wide.needed and not uniform.UniformBound(m, n, 20).vacuous
    fewer = round(200 / 2200 * (m + n - 1))
    assert uniform.UniformBound(fewer, m + n - 1 - fewer, 20).vacuous
    enough = uniform.UniformBound(m + 1, n + 1, 20)
    assert not enough.vacuous and "within" in str(enough)
    around = enough.interval(0.9)
    assert (around.low, around.high) == (pytest.approx(0.9 - enough.width), 1.0)
    assert "uniform over linear scorers" in str(around)
    assert uniform.UniformBound(10**6, 10**6, 3, method="corollary 1").width < 0.1


REFUSED = {
    "m must be a whole number, 1 or more. Got 0": lambda: uniform.width(0, 5, 2),
    "delta must lie strictly between 0 and 1": lambda: uniform.width(5, 5, 2, 1.0),
    "method must be one of matching, maximal": lambda: uniform.width(5, 5, 2, method="best"),
    "wanted must lie strictly between 0 and 1": lambda: uniform.rows(0, 3),
    "share must lie strictly between 0 and 1": lambda: uniform.rows(0.1, 3, share=1),
}


@pytest.mark.parametrize(("message", "call"), REFUSED.items(), ids=REFUSED)
def test_what_is_refused(message, call):
    with pytest.raises(ValueError, match=message):
        call()


def test_figure_1_again():
    """The numbers of the example: Corollary 1 below Freund et al. wherever it is below ½, and ours below both."""
    path = Path(__file__).parents[2] / "examples" / "uniform_bounds.py"
    spec = importlib.util.spec_from_file_location("uniform_bounds", path)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    for share in example.SHARES:
        lines = example.figure(share, [200, 1000, 5000, 20_000, 100_000])
        printed, ours = np.array(lines["Corollary 1"]), np.array(lines["matching (ordain)"])
        below = printed < 0.5
        assert below.any() and (printed[below] < np.array(lines["Freund et al."])[below]).all()
        assert (2 * ours < printed).all()
        assert (np.array(lines[example.TEST]) < ours).all()
