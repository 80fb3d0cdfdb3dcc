"""Intervals of an AUC: formulas from their definitions, laws every interval obeys, and coverage."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import comb, exp, sqrt

import mpmath
import naive
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from ordain.bounds.comparison import _class_variance, compare_auc, limits, paired_variance
from ordain.bounds.interval import METHODS, auc_interval, delong, effective, exact, guaranteed, mcdiarmid
from ordain.bounds.jackknife import clusters_evidence, groups_evidence, third_moment
from ordain.bounds.variance import Evidence, plain_evidence, rows_evidence, weighted_evidence
from ordain.measure import auc

every_method = pytest.mark.parametrize("method", METHODS)
Z = 1.959963984540054


@st.composite
def samples(draw, most=9, least=2, grades=5):
    """Labels and scores with ties, at least `least` rows of each class."""
    m, n = draw(st.integers(least, most)), draw(st.integers(least, most))
    scores = draw(st.lists(st.integers(0, grades), min_size=m + n, max_size=m + n))
    return draw(st.permutations([1] * m + [0] * n)), scores


def binomial(r):
    """Evidence of every outcome of r coins."""
    return Evidence(np.arange(r + 1) / r, np.nan, np.nan, np.nan, r, r * r)


def evidence_of(labels, scores):
    return plain_evidence(np.asarray(labels, bool), np.asarray(scores))


@given(samples())
def test_delong_is_the_variance_of_the_placements(case):
    labels, scores = case
    above, below = naive.placement_shares(labels, scores)
    value, variance = naive.auc(labels, scores), naive.variance_of_mean(above) + naive.variance_of_mean(below)
    found = auc_interval(labels, scores, method="delong")
    assert found.value == float(value)
    assert_allclose(evidence_of(labels, scores).variance, float(variance), atol=1e-14)
    half = Z * sqrt(variance)
    assert_allclose([found.low, found.high], [max(value - half, 0), min(value + half, 1)], atol=1e-12)


@given(samples())
def test_evidence_is_the_same_from_placements_one_by_one(case):
    found = evidence_of(*case)
    other = rows_evidence(*(np.array(part, float) for part in naive.placement_shares(*case)))
    for name in ("value", "variance", "losing", "winning", "units", "pairs", "third"):
        assert_allclose(getattr(other, name), getattr(found, name), atol=1e-9)


@given(samples())
def test_evidence_counts_the_rows_that_carry_losses_and_wins(case):
    labels, scores = case
    placed = naive.placement_shares(labels, scores)

    def resting(amounts):
        return float(sum(amounts) ** 2 / sum(x * x for x in amounts)) if sum(amounts) else 0.0

    found = evidence_of(labels, scores)
    assert_allclose(found.losing, min(resting([1 - x for x in part]) for part in placed), atol=1e-9)
    assert_allclose(found.winning, min(resting(part) for part in placed), atol=1e-9)


@given(samples())
def test_evidence_has_the_third_moment_of_the_auc(case):
    """Of means of independent rows: the mean cubed deviation over the square of the size; by left-out rows the same."""
    labels, scores = case
    value = naive.auc(labels, scores)
    parts = naive.placement_shares(labels, scores)
    third = sum(sum((x - value) ** 3 for x in part) / len(part) ** 3 for part in parts)
    assert_allclose(evidence_of(labels, scores).third, float(third), atol=1e-12)
    weighted = weighted_evidence(np.array(labels, bool), np.array(scores), np.full(len(labels), 0.3))
    assert_allclose(weighted.third, float(third), atol=1e-12)
    left_out = [(sum(parts[0]) - x) / (len(parts[0]) - 1) for x in parts[0]]
    alone = sum((x - value) ** 3 for x in parts[0]) / len(parts[0]) ** 3
    assert_allclose(third_moment(np.array(left_out, float)), float(alone), atol=1e-12)


@pytest.mark.parametrize("units", ["rows", "groups", "clusters"])
@settings(max_examples=40)
@given(case=samples(least=4), level=st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_effective_is_clopper_pearson_at_its_size(units, case, level):
    labels, scores = map(np.array, case)
    codes = np.minimum(np.arange(len(labels)), 6)
    if units == "rows":
        evidence, found, t = evidence_of(labels, scores), auc_interval(labels, scores, level=level), 1.0
    else:
        labels[:8], count = [1, 1, 0, 0, 1, 0, 1, 0], 7
        if units == "groups":
            codes, count = np.arange(len(labels)) // 4 % 2, 2
        build = groups_evidence if units == "groups" else clusters_evidence
        evidence = build(labels == 1, scores, codes)
        found = auc_interval(labels, scores, level=level, **{units: codes})
        t = float(stats.t.ppf(0.5 + level / 2, count - 1) / stats.norm.ppf(0.5 + level / 2))
    assume(0 < evidence.value < 1)
    r, pairs, value = evidence.units, evidence.pairs, evidence.value
    for end, chance, resting, third in (
        (found.low, value, evidence.losing, evidence.third),
        (1 - found.high, 1 - value, evidence.winning, -evidence.third),
    ):
        w, variance = exp(-resting / 10), evidence.variance * t**2
        size = min(max(1 / ((1 - w) * variance / (value * (1 - value)) + w / r), r), pairs)
        step = sqrt(1 - r / size) / 2
        mass = mpmath.betainc(chance * size + step, (1 - chance) * size + 1 - step, 0, end, regularized=True)
        assert mass <= (1 - level) / 2 * (1 + 1e-6)
        if third < 0 and mass < (1 - level) / 2 * (1 - 1e-6):  # then the events are what the end is about
            variance = min(evidence.variance, value * (1 - value) / r)
            each, count = -third / variance, variance**3 / third**2
            assume(count < 1e3)
            more = mpmath.gammainc(count + 1, count + (chance - end) / (t * each), mpmath.inf, regularized=True)
            assert more == pytest.approx((1 - level) / 2, rel=1e-5) or (end == 0 and more > (1 - level) / 2)
        else:
            assert_allclose(float(mass), (1 - level) / 2, rtol=1e-6)


def test_the_end_of_events_is_that_of_poisson():
    """Three positives of 300 lose to all 60,000 negatives, all others to a fifth: as three events, exactly."""
    above, below = np.repeat([0.8, 0.0], [297, 3]), np.full(60_000, 0.792)
    low, high = effective(rows_evidence(above, below), 0.95)
    most = stats.gamma.ppf(0.975, 4)  # P(Poisson(most) ≤ 3) = .025
    assert_allclose(stats.poisson.cdf(3, most), 0.025)
    assert 0.792 - low == pytest.approx(0.8 * (most - 3) / 300, rel=0.02)
    assert high - 0.792 < 0.792 - low


@pytest.mark.parametrize("r", [1, 2, 5, 12])
def test_exact_is_clopper_pearson(r):
    """P(X ≥ k) at the low end and P(X ≤ k) at the high end are δ/2, by direct sums."""
    low, high = exact(binomial(r), 0.9)
    assert low[0] == 0 and high[r] == 1
    for k in range(r + 1):
        if k > 0:
            assert_allclose(sum(comb(r, j) * low[k] ** j * (1 - low[k]) ** (r - j) for j in range(k, r + 1)), 0.05)
        if k < r:
            assert_allclose(sum(comb(r, j) * high[k] ** j * (1 - high[k]) ** (r - j) for j in range(k + 1)), 0.05)


@given(st.integers(1, 14), st.floats(0.02, 1), st.sampled_from([0.5, 0.95, 0.999]))
def test_guaranteed_solves_the_convex_order_bound(r, value, level):
    low, _ = guaranteed(Evidence(value, np.nan, np.nan, np.nan, r, r * r), level)
    whole = naive.bentkus(r, r * value, low, range(r))
    assert_allclose(float(whole), (1 - level) / 2, rtol=1e-9)
    assert naive.bentkus(r, r * value, low, np.linspace(-2, r, 60)) >= whole * (1 - 1e-12)


@pytest.mark.parametrize("r, value", [(2_000, 0.7315), (100_000, 0.93), (1_000_000, 0.6)])
def test_guaranteed_at_large_samples(r, value):
    """The tangent condition E[X | X > k - 1] < t ≤ E[X | X > k], and then the bound is δ/2, in 30 digits."""
    low = float(guaranteed(Evidence(value, np.nan, np.nan, np.nan, r, r * r), 0.95)[0])
    t, spread = r * mpmath.mpf(value), int(12 * sqrt(r * low * (1 - low)))
    first = int(r * low)
    with mpmath.workdps(30):
        chance = mpmath.mpf(low)
        ratio = chance / (1 - chance)
        masses = [
            mpmath.exp(
                mpmath.loggamma(r + 1)
                - mpmath.loggamma(first + 1)
                - mpmath.loggamma(r - first + 1)
                + first * mpmath.log(chance)
                + (r - first) * mpmath.log(1 - chance)
            )
        ]
        for j in range(first, min(first + spread, r)):
            masses.append(masses[-1] * (r - j) / (j + 1) * ratio)
    masses = np.array(masses, dtype=np.longdouble)
    counts = first + np.arange(len(masses))
    above = np.append(np.cumsum(masses[::-1])[::-1][1:], 0)
    moment = np.append(np.cumsum((masses * counts)[::-1])[::-1][1:], 0)
    inside = counts < float(t)
    bounds = (moment - counts * above)[inside] / (float(t) - counts[inside])
    assert_allclose(float(bounds.min()), 0.025, rtol=1e-7)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_guaranteed_covers_the_mixture_always(level):
    """There rU is binomial; coverage by enumeration, beside the ends where it jumps."""
    for r in range(1, 16):
        low, high = guaranteed(binomial(r), level)
        ends = np.concatenate([low, high])
        truths = np.concatenate([np.linspace(0.01, 0.99, 99), ends[(ends > 0) & (ends < 1)] + 1e-9])[:, None]
        masses = np.array([comb(r, k) for k in range(r + 1)]) * truths ** np.arange(r + 1)
        masses = masses * (1 - truths) ** (r - np.arange(r + 1))
        assert (masses * ((low <= truths) & (truths <= high))).sum(1).min() >= level - 1e-9


def test_guaranteed_covers_the_mixture_as_enumerated_elsewhere():
    """.9625 at r = 10, A = .691 and .9623 at r = 20, A = .745, from an independent program."""
    for r, truth, expected in ((10, 0.691, 0.9625), (20, 0.745, 0.9623)):
        low, high = guaranteed(binomial(r), 0.95)
        covered = sum(
            comb(r, k) * truth**k * (1 - truth) ** (r - k) for k in range(r + 1) if low[k] <= truth <= high[k]
        )
        assert covered == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("m, n", [(2, 3), (3, 2), (3, 3)])
def test_guaranteed_covers_small_samples_with_ties(m, n):
    """All samples of three-level scores, weighted by their probability."""
    scores = list(itertools.product(range(3), repeat=m + n))
    values = np.array([auc([1] * m + [0] * n, row) for row in scores])
    low, high = guaranteed(Evidence(values, np.nan, np.nan, np.nan, min(m, n), m * n), 0.6)
    for above, below in (((1, 3, 6), (5, 3, 2)), ((0, 1, 9), (2, 8, 0)), ((3, 0, 7), (0, 10, 0))):
        truth = sum(p * q * naive.win(i, j) for i, p in enumerate(above) for j, q in enumerate(below)) / 100
        chances = [np.prod([above[s] for s in row[:m]]) * np.prod([below[s] for s in row[m:]]) for row in scores]
        covered = np.array(chances) @ ((low <= float(truth)) & (float(truth) <= high)) / 10.0 ** (m + n)
        assert covered >= 0.6


@given(samples(least=3), st.integers(2, 5), st.data())
def test_groups_are_left_out_literally(case, count, data):
    labels, scores = case
    groups = data.draw(st.lists(st.integers(0, count - 1), min_size=len(labels), max_size=len(labels)))
    informative = [g for g in set(groups) if {p for p, h in zip(labels, groups, strict=True) if h == g} == {0, 1}]
    assume(len(informative) >= 2)
    left_out = [naive.auc_without(g, groups, labels, scores, groups) for g in informative]
    found = groups_evidence(np.array(labels, bool), np.array(scores), np.array(groups))
    assert_allclose(found.variance, float(naive.jackknife(left_out)), atol=1e-14)
    assert found.value == float(naive.auc(labels, scores, groups=groups)) == auc(labels, scores, groups=groups)
    assert found.freedom == len(informative) - 1


@given(samples(least=3), st.integers(2, 8), st.data())
def test_clusters_are_left_out_literally(case, count, data):
    labels, scores = case
    clusters = data.draw(st.lists(st.integers(0, count - 1), min_size=len(labels), max_size=len(labels)))
    held = [{c for p, c in zip(labels, clusters, strict=True) if p == side} for side in (0, 1)]
    assume(min(map(len, held)) >= 2)
    codes = np.unique(clusters, return_inverse=True)[1]
    left_out = [naive.auc_without(c, clusters, labels, scores) for c in sorted(set(clusters))]
    found = clusters_evidence(np.array(labels, bool), np.array(scores), codes)
    assert_allclose(found.variance, float(naive.jackknife(left_out)), atol=1e-14)
    assert found.value == float(naive.auc(labels, scores))
    half = stats.t.ppf(0.975, len(left_out) - 1) * sqrt(naive.jackknife(left_out))
    delonged = auc_interval(labels, scores, method="delong", clusters=clusters)
    assert_allclose([delonged.low, delonged.high], [max(found.value - half, 0), min(found.value + half, 1)], atol=1e-9)


@given(samples())
def test_clusters_of_one_row_rest_on_the_same_rows(case):
    labels, scores = case
    rows = evidence_of(labels, scores)
    found = clusters_evidence(np.array(labels, bool), np.array(scores), np.arange(len(labels)))
    assert_allclose([found.value, found.losing, found.winning], [rows.value, rows.losing, rows.winning], atol=1e-9)
    assert_allclose(found.units, rows.units)


@pytest.mark.parametrize("method", ["effective", "delong"])
@given(case=samples(least=2))
def test_equal_weights_change_nothing(method, case):
    labels, scores = case
    weighted = auc_interval(labels, scores, method=method, weights=[0.3] * len(labels))
    plain = auc_interval(labels, scores, method=method)
    assert_allclose([weighted.low, weighted.value, weighted.high], [plain.low, plain.value, plain.high], atol=1e-9)


@given(samples(least=3), st.data())
def test_weights_count_by_kish_and_losses_by_their_weight(case, data):
    labels, scores = map(np.array, case)
    weights = np.array(data.draw(st.lists(st.integers(1, 9), min_size=len(labels), max_size=len(labels))), float)
    found = weighted_evidence(labels == 1, scores, weights)
    sizes, losing = [], []
    for side in (1, 0):
        part = weights[labels == side]
        lost = [
            w
            * sum(
                v * (1 - naive.win(*((s, t) if side else (t, s))))
                for t, v in zip(scores[labels != side], weights[labels != side], strict=True)
            )
            for s, w in zip(scores[labels == side], part, strict=True)
        ]
        sizes.append(part.sum() ** 2 / np.square(part).sum())
        losing.append(sum(lost) ** 2 / sum(x * x for x in lost) if any(lost) else 0)
    assert_allclose([found.units, found.pairs], [min(sizes), np.prod(sizes)])
    fewer = [sum(part**4) / sum(part**2) ** 2 - 1 / len(part) for part in (weights[labels == side] for side in (1, 0))]
    assert_allclose(1 / found.freedom, max(*fewer, 0), atol=1e-9)
    assert_allclose(found.losing, min(map(float, losing)), atol=1e-9)


@given(samples(least=3), st.data())
def test_weighted_variance_from_its_definition(case, data):
    labels, scores = case
    weights = data.draw(st.lists(st.integers(0, 4), min_size=len(labels), max_size=len(labels)))
    rows = [
        [(s, Fraction(w)) for p, s, w in zip(labels, scores, weights, strict=True) if p == side and w]
        for side in (1, 0)
    ]
    assume(min(map(len, rows)) >= 2)
    above, below = rows
    placed_above = [sum(v * naive.win(s, t) for t, v in below) / sum(v for _, v in below) for s, _ in above]
    placed_below = [sum(w * naive.win(s, t) for s, w in above) / sum(w for _, w in above) for t, _ in below]
    variance = Fraction(0)
    for placed, part in ((placed_above, above), (placed_below, below)):
        shares_of = [w / sum(w for _, w in part) for _, w in part]
        value = sum(p * x for p, x in zip(shares_of, placed, strict=True))
        size = 1 / sum(p * p for p in shares_of)
        variance += sum((p * (x - value)) ** 2 for p, x in zip(shares_of, placed, strict=True)) * size / (size - 1)
    found = weighted_evidence(np.array(labels, bool), np.array(scores), np.array(weights, float))
    assert_allclose(found.variance, float(variance), atol=1e-12)
    assert_allclose(found.value, float(value), atol=1e-12)


@every_method
@settings(max_examples=25)
@given(case=samples())
def test_exchanging_the_classes_changes_nothing(method, case):
    labels, scores = np.array(case[0]), np.array(case[1])
    found, other = auc_interval(labels, scores, method=method), auc_interval(1 - labels, -scores, method=method)
    assert_allclose([found.low, found.value, found.high], [other.low, other.value, other.high], atol=1e-9)


@every_method
@settings(max_examples=25)
@given(case=samples())
def test_reversed_scores_mirror_the_interval(method, case):
    labels, scores = np.array(case[0]), np.array(case[1])
    found, other = auc_interval(labels, scores, method=method), auc_interval(labels, -scores, method=method)
    assert_allclose([found.low, found.value, found.high], [1 - other.high, 1 - other.value, 1 - other.low], atol=1e-9)


@every_method
@settings(max_examples=25)
@given(case=samples())
def test_only_the_order_of_the_scores_matters(method, case):
    labels, scores = np.array(case[0]), np.array(case[1])
    shuffled = np.random.default_rng(0).permutation(len(labels))
    assert auc_interval(labels, scores, method=method) == auc_interval(labels, np.exp(3.0 * scores), method=method)
    found, other = (
        auc_interval(labels, scores, method=method),
        auc_interval(labels[shuffled], scores[shuffled], method=method),
    )
    assert_allclose([found.low, found.high], [other.low, other.high], atol=1e-12)


@every_method
@settings(max_examples=25)
@given(case=samples())
def test_a_higher_level_holds_the_lower_one(method, case):
    found = [auc_interval(*case, level=level, method=method) for level in (1e-17, 0.5, 0.9, 0.95, 0.999999)]
    for inner, outer in itertools.pairwise(found):
        assert 0 <= outer.low <= inner.low + 1e-12 and inner.high <= outer.high + 1e-12 and outer.high <= 1
        assert inner.low <= inner.value <= inner.high


@pytest.mark.parametrize("units", ["rows", "groups", "clusters"])
@given(m=st.integers(2, 40), n=st.integers(2, 40))
def test_separated_classes_are_not_certain(units, m, n):
    labels = np.array([1, 0] * 2 + [1] * (m - 2) + [0] * (n - 2))
    codes = np.minimum(np.arange(m + n) // 2, 9)
    given_units = {} if units == "rows" else {units: codes}
    found = auc_interval(labels, labels, **given_units)
    assert found.value == found.high == 1
    assert found.low <= 0.025 ** (1 / min(m, n)) + 1e-12
    if units == "rows":
        assert_allclose(found.low, 0.025 ** (1 / min(m, n)))
        assert_allclose(found.low, auc_interval(labels, labels, method="exact").low)


@pytest.mark.parametrize("m, n", [(1, 1), (1, 9), (7, 1)])
def test_one_row_of_a_class_gives_the_exact_interval(m, n):
    labels, scores = [1] * m + [0] * n, [3 * i % 7 for i in range(m + n)]
    found, wanted = auc_interval(labels, scores), auc_interval(labels, scores, method="exact")
    assert_allclose([found.low, found.high], [wanted.low, wanted.high], atol=1e-12)


def test_effective_tends_to_delong():
    rng = np.random.default_rng(1)
    labels = np.arange(40_000) % 2
    scores = rng.standard_normal(40_000) + labels
    found, wanted = (auc_interval(labels, scores, method=method) for method in ("effective", "delong"))
    width = wanted.high - wanted.low
    assert_allclose([found.low, found.high], [wanted.low, wanted.high], atol=0.005 * width)


@given(samples(most=7, least=1), st.data())
def test_one_row_moves_the_auc_by_at_most_one_over_its_class(case, data):
    labels, scores = case
    row, score = data.draw(st.integers(0, len(labels) - 1)), data.draw(st.integers(-1, 6))
    moved = [*scores[:row], score, *scores[row + 1 :]]
    change = abs(auc(labels, moved) - auc(labels, scores))
    assert change <= 1 / labels.count(labels[row]) + 1e-12
    bottom, top = ([*scores[:row], end, *scores[row + 1 :]] for end in (-1, 6))
    assert_allclose(abs(auc(labels, top) - auc(labels, bottom)), 1 / labels.count(labels[row]))


@pytest.mark.parametrize("m, n", [(1, 1), (1, 3), (2, 2), (3, 2)])
def test_devroyes_variance_bound(m, n):
    """Var ≤ (m+n)/4mn over two-level scores of all probabilities on a grid, by enumeration."""
    scores = np.array(list(itertools.product([0, 1], repeat=m + n)))
    values = np.array([auc([1] * m + [0] * n, row) for row in scores])
    for p, q in itertools.product(np.linspace(0, 1, 11), repeat=2):
        chances = np.where(scores[:, :m], p, 1 - p).prod(1) * np.where(scores[:, m:], q, 1 - q).prod(1)
        assert chances @ values**2 - (chances @ values) ** 2 <= (m + n) / (4 * m * n) + 1e-12


@given(st.integers(1, 10**4), st.integers(1, 10**4), st.floats(0.01, 0.99))
def test_mcdiarmid_spends_its_whole_chance(m, n, level):
    """2 exp(-2ε²/Σc²) = 1 - level, c being 1/m for m rows and 1/n for n; no end leaves [0, 1]."""
    low, high = mcdiarmid(0.5, m, n, level)
    assert low == pytest.approx(1 - high, abs=1e-15) and low >= 0
    spent = 2 * exp(-2 * (0.5 - low) ** 2 / (1 / m + 1 / n))
    assert spent == pytest.approx(1 - level, rel=1e-9) or (low == 0 and spent > 1 - level)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_guaranteed_lies_inside_mcdiarmid(level):
    """The smaller class decides the one, both classes the other, which is narrowest when the larger is without end."""
    values = np.linspace(0, 1, 41)
    for r in range(1, 16):
        low, high = guaranteed(Evidence(values, np.nan, np.nan, np.nan, r, r), level)
        for n in (*range(r, 16), 10**9):
            wide_low, wide_high = mcdiarmid(values, r, n, level)
            assert (wide_low <= low + 1e-9).all() and (high <= wide_high + 1e-9).all()


def drawn(rng, law, count, m, n):
    """Evidence of `count` samples of a law with its true AUC, by comparison of all pairs."""
    if law == "binormal":
        above, below, truth = rng.standard_normal((count, m)) + 2.326, rng.standard_normal((count, n)), 0.95
    elif law == "mixture":
        above, below, truth = np.where(rng.random((count, m)) < 0.9, 1, -1), np.zeros((count, n)), 0.9
    else:
        above, below, truth = (rng.random((count, m)) < 0.9) * 1, (rng.random((count, n)) < 0.1) * 1, 0.9
    kernel = (np.sign(above[:, :, None] - below[:, None, :]) + 1) / 2
    return rows_evidence(kernel.mean(2), kernel.mean(1)), truth


@pytest.mark.parametrize("m, n, spread, share", [(100, 1000, 0.2, 0.05), (300, 600, 0.1, 0.015)])
def test_coverage_where_all_lose_a_little_and_few_lose_all(m, n, spread, share):
    """Some 4 to 5 such positives are expected in a sample; with no regard to them the first size covers .92."""
    rng = np.random.default_rng([m, n])
    shift, count, parts = 1.5, 600, []
    for _ in range(count):
        above = np.where(rng.random(m) < share, -9.0, shift + spread * rng.standard_normal(m))
        labels = np.arange(m + n) < m
        parts.append(auc_interval(labels, np.append(above, rng.standard_normal(n))))
    truth = (1 - share) * stats.norm.cdf(shift / sqrt(1 + spread**2))
    assert np.mean([part.low <= truth <= part.high for part in parts]) >= 0.93


@pytest.mark.parametrize("law", ["binormal", "mixture", "two levels"])
@pytest.mark.parametrize("m, n", [(5, 60), (20, 20), (50, 50)])
def test_coverage(law, m, n):
    """A short version of benchmarks/interval_coverage.py: 1500 samples have a standard error of .006 at .95."""
    evidence, truth = drawn(np.random.default_rng([m, n]), law, 1500, m, n)
    covered = {}
    for interval in (effective, exact, guaranteed, delong):
        low, high = interval(evidence, 0.95)
        covered[interval] = np.mean((low <= truth + 1e-12) & (truth <= high + 1e-12))
    assert min(covered[effective], covered[exact], covered[guaranteed]) >= 0.935
    assert covered[delong] < covered[effective]


def test_clusters_hold_as_many_comparisons_as_their_rows_over_the_design_effect():
    rng = np.random.default_rng(2)
    codes, mask = np.repeat(np.arange(12), 20), np.arange(240) % 3 == 0
    for shared in (0.0, 0.5, 3.0):
        scores = mask + rng.standard_normal(240) + shared * rng.standard_normal(12)[codes]
        found, rows = clusters_evidence(mask, scores, codes), plain_evidence(mask, scores)
        effect = max(found.variance / rows.variance * 11 / 9, 1)
        assert_allclose(found.units, max(80 / effect, 12), rtol=0.01)
    apart = clusters_evidence(mask, mask * 1.0, codes)  # no variance tells of the design effect
    assert apart.units == pytest.approx(12, rel=0.01)


def test_coverage_of_clusters_that_move_together():
    """Rows of a cluster repeat one another: the rows seem many and are not."""
    rng, covered, fooled = np.random.default_rng(8), 0, 0
    for _ in range(300):
        codes = np.repeat(np.arange(40), 5)
        labels = codes % 2
        scores = (1.2 * labels + rng.standard_normal(40)[codes]).round(9)
        truth = 0.80193
        found, by_rows = auc_interval(labels, scores, clusters=codes), auc_interval(labels, scores)
        covered += found.low <= truth <= found.high
        fooled += not by_rows.low <= truth <= by_rows.high
    assert covered >= 0.93 * 300
    assert fooled >= 0.2 * 300


@given(samples(), st.data())
def test_comparison_is_paired_delong_with_its_guard(case, data):
    labels, first = case
    second = data.draw(st.permutations(first))
    differences = [
        [a - b for a, b in zip(x, y, strict=True)]
        for x, y in zip(naive.placement_shares(labels, first), naive.placement_shares(labels, second), strict=True)
    ]
    variances = [float(naive.variance_of_mean(part) + naive.guard(part, [1] * len(part))) for part in differences]
    freedom = sum(variances) ** 2 / sum(v**2 / (len(d) - 1) for v, d in zip(variances, differences, strict=True))
    half = stats.t.ppf(0.975, freedom) * sqrt(sum(variances))
    difference = naive.auc(labels, first) - naive.auc(labels, second)
    found = compare_auc(labels, first, second)
    assert found.difference == float(difference)
    wanted = [max(difference - half, -1), min(difference + half, 1)]
    assert_allclose([found.low, found.high], np.array(wanted, float), atol=1e-9)
    assert (found.p_value < 0.05) == (found.low > 0 or found.high < 0)


@given(samples(), st.data(), st.sampled_from([0.3, 0.9, 0.99]))
def test_laws_of_the_comparison(case, data, level):
    labels, first = map(np.array, case)
    second = np.array(data.draw(st.permutations(case[1])))
    found = compare_auc(labels, first, second, level=level)
    mirrored = compare_auc(labels, second, first, level=level)
    exchanged = compare_auc(1 - labels, -first, -second, level=level)
    assert_allclose([-mirrored.high, -mirrored.low], [found.low, found.high], atol=1e-12)
    assert_allclose([exchanged.low, exchanged.high], [found.low, found.high], atol=1e-12)
    assert mirrored.p_value == pytest.approx(found.p_value) and 0 <= found.p_value <= 1
    assert -1 <= found.low < found.high <= 1
    assert (found.p_value < 1 - level) == (found.low > 0 or found.high < 0)


@given(st.lists(st.integers(1, 30), min_size=2, max_size=9), st.fractions(-1, 1, max_denominator=60))
def test_rounding_is_no_deviation(sizes, d):
    """Units that all have the same d show no variance, however many rows they have."""
    variance, excess = _class_variance(np.array([float(d * size) for size in sizes]), np.array(sizes, float), 2)
    assert variance == pytest.approx(0, abs=1e-25)
    assert excess == pytest.approx(naive.guard([d * size for size in sizes], sizes), rel=1e-9)


@pytest.mark.parametrize("r", [1, 2, 10, 200])
def test_scorers_that_never_disagreed_are_not_certain_to_agree(r):
    """About ±4/r, as r comparisons without a disagreement allow -ln(.025)/r = 3.7/r; equal scores are no exception."""
    labels = np.repeat([1, 0], r)
    rng = np.random.default_rng(r)
    for first, second in ((labels, labels), (labels + rng.random(2 * r) / 2, labels + rng.random(2 * r) / 2)):
        found = compare_auc(labels, first, second)
        assert found.difference == 0 and found.p_value == 1
        assert 3.6 / r <= found.high * (1 if 4 / r <= 1 else 4) and found.high == -found.low <= 4.3 / r


def test_opposite_scorers_are_told_apart_only_with_enough_rows():
    """With r coins that all fall alike a sign test has p = 2^(1-r), so below six rows nothing is shown."""
    for r in range(2, 17):
        labels = np.repeat([1, 0], r)
        found = compare_auc(labels, labels, -labels)
        assert found.difference == 1
        assert found.p_value >= 2.0 ** (1 - r)
        assert (found.low > 0) <= (r >= 6)
    assert found.low > 0


@given(samples(least=3), st.data())
def test_comparison_of_clusters_is_the_paired_jackknife_with_its_guard(case, data):
    labels, first = case
    second = data.draw(st.permutations(first))
    codes = data.draw(st.lists(st.integers(0, 4), min_size=len(labels), max_size=len(labels)))
    held = [[c for p, c in zip(labels, codes, strict=True) if p == side] for side in (1, 0)]
    assume(min(len(set(part)) for part in held) >= 2)
    left_out = [
        naive.auc_without(c, codes, labels, first) - naive.auc_without(c, codes, labels, second)
        for c in sorted(set(codes))
    ]
    variance = float(naive.jackknife(left_out))
    for x, y, part in zip(
        naive.placement_shares(labels, first), naive.placement_shares(labels, second), held, strict=True
    ):
        variance += naive.guard(*naive.by_unit([a - b for a, b in zip(x, y, strict=True)], part), vouching=1)
    difference = naive.auc(labels, first) - naive.auc(labels, second)
    check_comparison(compare_auc(labels, first, second, clusters=codes), difference, variance, len(left_out) - 1)


@given(samples(least=3), st.data())
def test_comparison_of_groups_is_the_paired_jackknife_with_its_guard(case, data):
    labels, first = case
    second = data.draw(st.permutations(first))
    codes = data.draw(st.lists(st.integers(0, 2), min_size=len(labels), max_size=len(labels)))
    rows = {g: [i for i, c in enumerate(codes) if c == g] for g in sorted(set(codes))}
    rows = {g: part for g, part in rows.items() if len({labels[i] for i in part}) == 2}
    assume(len(rows) >= 2)

    def of(part):
        return (
            Fraction(naive.auc(*([column[i] for i in part] for column in (labels, scores))))
            for scores in (first, second)
        )

    pairs = [sum(labels[i] for i in part) * sum(1 - labels[i] for i in part) for part in rows.values()]
    wins = [size * (a - b) for size, (a, b) in zip(pairs, (of(part) for part in rows.values()), strict=True)]
    left_out = [(sum(wins) - w) / (sum(pairs) - p) for w, p in zip(wins, pairs, strict=True)]
    variance = float(naive.jackknife(left_out)) + naive.guard(wins, pairs, vouching=1)
    check_comparison(compare_auc(labels, first, second, groups=codes), sum(wins) / sum(pairs), variance, len(rows) - 1)


def check_comparison(found, difference, variance, freedom):
    """D ± t √V within [-1, 1], with a p-value that agrees."""
    half = stats.t.ppf(0.975, freedom) * sqrt(variance)
    assert found.difference == float(difference)
    wanted = [max(float(difference) - half, -1), min(float(difference) + half, 1)]
    assert_allclose([found.low, found.high], wanted, atol=1e-9)
    assert_allclose(found.p_value, 2 * stats.t.sf(abs(float(difference)) / sqrt(variance), freedom), atol=1e-9)
    assert "jackknife" in found.method


def test_comparison_of_units_without_guard_is_the_jackknife():
    """Where many units deviate the guard has faded."""
    rng = np.random.default_rng(3)
    labels, codes = np.tile([1, 0, 1, 0, 0], 60), np.repeat(np.arange(60), 5)
    first, second = rng.integers(0, 9, (2, 300)) + labels
    for name in ("clusters", "groups"):
        groups = codes if name == "groups" else np.zeros(300, int)
        left_out = [
            np.subtract(*(auc(labels[codes != c], s[codes != c], groups=groups[codes != c]) for s in (first, second)))
            for c in range(60)
        ]
        variance = 59 / 60 * np.square(left_out - np.mean(left_out)).sum()
        found = compare_auc(labels, first, second, **{name: codes})
        assert_allclose([found.low, found.high], limits(found.difference, variance, 59, 0.95)[:2], atol=1e-6)


@pytest.mark.parametrize("m, n", [(10, 10), (10, 60), (40, 40)])
@pytest.mark.parametrize("shift", [1.2, 2.326])
def test_coverage_of_the_comparison(m, n, shift):
    """Equally good correlated scorers: the test errs in about 5 % of samples at most, and finds a real difference."""
    rng = np.random.default_rng([m, n])
    scores = rng.standard_normal((2, 1000, m + n)) * 0.6 + rng.standard_normal((1000, m + n)) * 0.8
    scores[:, :, :m] += shift
    kernels = (np.sign(scores[:, :, :m, None] - scores[:, :, None, m:]) + 1) / 2
    difference = kernels[0] - kernels[1]
    found = paired_variance(difference.mean(2), difference.mean(1))
    *_, p_value = limits(difference.mean((1, 2)), *found, 0.95)
    assert np.mean(p_value < 0.05) <= 0.07
    assert np.mean(p_value < 0.01) <= 0.02
    *_, p_value = limits(difference.mean((1, 2)) + 0.5, *found, 0.95)
    assert np.mean(p_value < 0.05) >= (0.99 if min(m, n) == 40 else 0.4)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"labels": [1, 1, 1, 1]}, "both classes"),
        ({"level": 1.0}, "level must lie strictly between 0 and 1"),
        ({"level": 95}, "level must lie strictly between 0 and 1"),
        ({"method": "bootstrap"}, "one of effective, exact, guaranteed, delong. Got 'bootstrap'"),
        ({"labels": [1, 0, 0, 0], "method": "delong"}, "to rest on two rows at least"),
        ({"weights": [1, 1, 1, 1], "method": "exact"}, "weights need method 'effective' or 'delong'"),
        ({"weights": [1, 1, 1, 1], "method": "delong", "groups": [1, 1, 2, 2]}, "with groups"),
        (
            {"weights": [1, 0, 1, 1], "method": "delong"},
            "rest on two rows at least, as one row shows no variance. Got one. Is the weight column right",
        ),
        ({"groups": [1, 1, 2, 2], "clusters": [1, 1, 2, 2]}, "not both"),
        ({"groups": [1, 1, 2, 2], "method": "exact"}, "independent rows. Got groups"),
        ({"clusters": [1, 1, 2, 2], "method": "guaranteed"}, "independent rows. Got clusters"),
        ({"groups": [1, 2, 1, 2]}, None),
        ({"groups": [1, 1, 2, 2]}, "two groups at least must contain both classes. Got 0 of 2"),
        ({"groups": [1, 2, 1, 3]}, "Got 1 of 3"),
        ({"clusters": [1, 1, 2, 3]}, "positives must lie in two clusters"),
        ({"clusters": [1, 2, 3, 3]}, "negatives must lie in two clusters"),
    ],
)
def test_refusals(arguments, message):
    given_all = {"labels": [1, 1, 0, 0], "scores": [4, 2, 3, 1]} | arguments
    if message is None:
        assert auc_interval(**given_all).value == 1.0
        return
    with pytest.raises(ValueError, match=message) as refused:
        auc_interval(**given_all)
    assert "\n" not in str(refused.value)


def test_comparison_refuses_what_it_cannot_compare():
    labels, scores = [1, 1, 0, 0], [4, 3, 2, 1]
    with pytest.raises(ValueError, match="scores_b must be as many as labels"):
        compare_auc(labels, scores, scores[:3])
    with pytest.raises(ValueError, match="not both"):
        compare_auc(labels, scores, scores, groups=labels, clusters=labels)
    with pytest.raises(ValueError, match="two groups at least"):
        compare_auc(labels, scores, scores, groups=[1, 1, 1, 1])


@pytest.mark.parametrize("rows", [10, 10_000])
def test_scores_that_are_all_the_same_have_an_interval_about_one_half(rows):
    interval = auc_interval(np.arange(rows) % 2, np.zeros(rows))
    assert interval.low < interval.value == 0.5 < interval.high
