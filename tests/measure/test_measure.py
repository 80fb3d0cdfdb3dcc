"""Every measure against its definition."""

import math
from fractions import Fraction
from itertools import permutations, product

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score, roc_auc_score
from strategies import scored_labels, scores

from ordain import measure
from ordain.measure.area import placements
from ordain.measure.roc import roc

ATTEMPTS = 2000
OK = {"positive": "ok"}


@settings(max_examples=ATTEMPTS)
@given(scored_labels())
def test_auc_is_the_float_nearest_to_the_double_sum(case):
    labels, scores = case
    assert measure.auc(labels, scores) == float(naive.auc(labels, scores))


@given(st.data(), st.sampled_from([np.int8, np.uint64, np.int64, np.float32, np.longdouble, bool]))
def test_auc_takes_every_kind_of_number(data, kind):
    n = data.draw(st.integers(2, 12))
    labels = np.array(data.draw(st.permutations([1] + [-1] + [data.draw(st.sampled_from([-1, 1]))] * (n - 2))))
    scores = np.array(data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))).astype(kind)
    assert measure.auc(labels, scores) == float(naive.auc(labels, scores))


def test_whole_numbers_beyond_float_precision_are_told_apart():
    assert measure.auc([1, 0], np.array([2**53 + 1, 2**53])) == 1.0


@given(scored_labels(most=25), st.data())
def test_grouped_auc_pools_the_pairs_within_groups(case, data):
    labels, scores = case
    groups = data.draw(st.lists(st.sampled_from("abc"), min_size=len(labels), max_size=len(labels)))
    if naive.has_pair(labels, None, groups, range(len(labels))):
        assert measure.auc(labels, scores, groups=groups) == float(naive.auc(labels, scores, groups=groups))
    else:
        with pytest.raises(ValueError, match="no pair to compare"):
            measure.auc(labels, scores, groups=groups)


@given(st.data())
def test_graded_auc_counts_every_pair_of_different_grades_once(data):
    n = data.draw(st.integers(2, 20))
    grades = data.draw(st.lists(st.integers(-2, 6), min_size=n, max_size=n).filter(lambda g: len(set(g)) > 1))
    values = data.draw(st.lists(scores, min_size=n, max_size=n))
    assert measure.auc(grades, values, graded=True) == float(naive.auc(grades, values))


@given(scored_labels(), st.data())
def test_graded_grouped_and_weighted_agree_with_the_definition(case, data):
    labels, scores = case
    n = len(labels)
    grades = np.where(labels, data.draw(st.integers(2, 3)), np.arange(n) % 2)
    groups = np.arange(n) % data.draw(st.integers(1, 2))
    weights = data.draw(st.lists(st.floats(1e-6, 1e6), min_size=n, max_size=n))
    options = {"weights": weights, "groups": groups, "graded": True}
    if naive.has_pair(grades, weights, groups, range(n)):
        assert_ulps(measure.auc(grades, scores, **options), naive.auc(grades, scores, weights, groups))
    else:
        with pytest.raises(ValueError, match="no pair to compare"):
            measure.auc(grades, scores, **options)


@given(scored_labels(), st.data())
def test_weighted_auc_is_within_four_ulps_for_any_weights(case, data):
    labels, scores = case
    exponents = data.draw(st.lists(st.floats(-120, 120), min_size=len(labels), max_size=len(labels)))
    weights = 10.0 ** np.array(exponents)
    assert_ulps(measure.auc(labels, scores, weights=weights), naive.auc(labels, scores, weights))


def test_weights_of_any_size_and_zero_are_taken():
    labels, scores = [1, 0, 1, 0, 0], [3, 2, 1, 0, 9]
    for scale in (1e-310, 1e300):
        weights = np.array([1.0, 2.0, 3.0, 4.0, 0.0]) * scale
        assert_ulps(measure.auc(labels, scores, weights=weights), naive.auc(labels, scores, weights))


def test_weighted_auc_of_many_rows_is_the_unweighted_one():
    rng = np.random.default_rng(1)
    labels, scores = rng.random(20_000) < 0.1, rng.normal(size=20_000)
    assert_ulps(measure.auc(labels, scores, weights=np.full(20_000, 0.1)), Fraction(measure.auc(labels, scores)))


@given(scored_labels(), st.booleans())
def test_placements_count_each_rows_part(case, grouped):
    labels, scores = case
    groups = np.arange(len(labels)) % 3 if grouped else None
    assert placements(labels, scores, groups).tolist() == naive.placements(labels, scores, groups)


def test_auc_equals_scikit_learns_on_many_rows():
    rng = np.random.default_rng(0)
    for values in (rng.normal(size=50_000), rng.integers(0, 20, 50_000).astype(float), np.zeros(50_000)):
        labels = rng.random(50_000) < 0.8
        assert measure.auc(labels, values) == pytest.approx(roc_auc_score(labels, values), abs=1e-13)


@given(scored_labels(most=15), st.sampled_from([0.05, 0.25, 0.5, 0.99, 1]))
def test_partial_auc_is_the_mean_height_of_the_curve(case, max_fpr):
    labels, scores = case
    expected = naive.partial_auc(labels, scores, max_fpr)
    assert measure.partial_auc(labels, scores, max_fpr=max_fpr) == pytest.approx(float(expected), abs=1e-14)


@pytest.mark.parametrize("max_fpr", [0, -0.1, 1.5, math.nan])
def test_a_partial_area_is_over_a_share_of_the_negatives(max_fpr):
    with pytest.raises(ValueError, match="max_fpr must lie"):
        measure.partial_auc([1, 0], [1, 2], max_fpr=max_fpr)


@given(scored_labels(most=8))
def test_every_measure_takes_the_name_of_the_positive_class(case):
    labels, scores = case
    words = np.where(labels, "ok", "so so")
    assert measure.auc(words, scores, positive="ok") == measure.auc(labels, scores)
    assert measure.top(words, scores, 2, positive="ok") == measure.top(labels, scores, 2)
    named, plain = (measure.partial_auc(of, scores, max_fpr=0.5, **to) for of, to in ((words, OK), (labels, {})))
    assert named == plain


def test_partial_auc_agrees_with_scikit_learns_standardised_form():
    rng = np.random.default_rng(0)
    labels, scores, f = rng.random(500) < 0.3, rng.normal(size=500).round(1), 0.17
    raw = measure.partial_auc(labels, scores, max_fpr=f) * f
    standardised = (1 + (raw - f * f / 2) / (f - f * f / 2)) / 2
    assert standardised == pytest.approx(roc_auc_score(labels, scores, max_fpr=f), abs=1e-12)


@settings(max_examples=50)
@given(scored_labels(most=6), st.integers(1, 6))
def test_top_is_expected_over_the_orders_of_ties(case, k):
    labels, scores = case
    k = min(k, len(labels))
    result, hits = measure.top(labels, scores, k), naive.hits_among_first(labels, scores, k)
    positives, n = int(labels.sum()), len(labels)
    assert result.precision == pytest.approx(float(hits / k))
    assert result.recall == pytest.approx(float(hits / positives))
    assert result.lift == pytest.approx(float(hits * n / (k * positives)))


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_ndcg_is_the_mean_over_groups_expected_over_the_orders_of_ties(data):
    n = data.draw(st.integers(1, 9))
    grades = data.draw(st.lists(st.sampled_from([0, 0.5, 1, 2, 4, 9]), min_size=n, max_size=n).filter(any))
    values = data.draw(st.lists(scores, min_size=n, max_size=n))
    groups = data.draw(st.one_of(st.permutations((["a", "b", "c"] * 3)[:n]), st.none() if n < 7 else st.nothing()))
    k = data.draw(st.sampled_from([None, 1, 2, 3, 20]))
    each, mean = naive.ndcg(grades, values, k, groups)
    assert measure.ndcg(grades, values, k, groups=groups) == pytest.approx(mean, abs=1e-14)
    expected = [math.nan if of is None else of for of in each]
    assert measure.group_ndcg(grades, values, k, groups=groups) == pytest.approx(expected, abs=1e-14, nan_ok=True)


@given(st.integers(0, 2**32), st.sampled_from([None, 1, 3, 10, 60]), st.booleans())
def test_ndcg_is_scikit_learns_of_the_gains(seed, k, tied):
    rng = np.random.default_rng(seed)
    grades, values = rng.integers(0, 5, (6, 40)), rng.normal(size=(6, 40))
    values = values.round(0) if tied else values
    grades[:, 0] = 1  # scikit-learn counts lists without gain as 0
    expected = ndcg_score(2**grades - 1, values, k=k)
    shuffled = rng.permutation(grades.size)
    groups = np.repeat(list("fbcdea"), 40)[shuffled]
    found = measure.ndcg(grades.ravel()[shuffled], values.ravel()[shuffled], k, groups=groups)
    assert found == pytest.approx(expected, abs=1e-13)
    assert measure.ndcg(grades[0], values[0], k) == pytest.approx(ndcg_score(2 ** grades[:1] - 1, values[:1], k=k))


@given(st.lists(st.floats(0, 1e300), min_size=2, max_size=20).filter(any), st.sampled_from([None, 1, 5]), st.data())
def test_ndcg_is_one_exactly_where_no_order_is_better(grades, k, data):
    groups = data.draw(st.sampled_from([None, np.arange(len(grades)) % 3]))
    assert measure.ndcg(grades, grades, k, groups=groups) == 1.0
    worst = measure.ndcg(grades, -np.array(grades), k, groups=groups)
    assert 0 <= worst <= measure.ndcg(grades, np.zeros(len(grades)), k, groups=groups) <= 1


def test_ndcg_of_grades_too_large_for_gains():
    """Beside a grade of 5,000 one of 10 gains nothing; beside 4,999 it gains half."""
    second = 1 / math.log2(3)
    assert measure.ndcg([5000, 10], [1, 2], 2) == second
    expected = (0.5 + second) / (1 + second / 2)
    assert measure.ndcg([5000, 4999], [1, 2]) == pytest.approx(expected)
    both = measure.group_ndcg([1, 0, 5000, 4999], [1, 2, 1, 2], groups=[0, 0, 1, 1])
    assert both == pytest.approx([second, expected])  # a group is not measured by the grades of another


@given(st.integers(0, 2**32))
def test_ndcg_raises_grades_below_zero_and_takes_truth_values(seed):
    rng = np.random.default_rng(seed)
    grades, values, groups = rng.integers(-2, 3, 30), rng.normal(size=30), rng.integers(0, 4, 30)
    grades[0] = -2
    assert measure.ndcg(grades, values, 3, groups=groups) == measure.ndcg(grades + 2, values, 3, groups=groups)
    assert measure.ndcg(grades > 0, values, 3) == measure.ndcg((grades > 0).astype(int), values, 3)


NO_NDCG = {
    "a grade above 0 must exist": ([0, 0], [1, 2], {}),
    "k must be a whole number from 1 on, or None for all places. Got 0": ([0, 1], [1, 2], {"k": 0}),
    "Got 1.5": ([0, 1], [1, 2], {"k": 1.5}),
    "Got nan": ([0, 1], [1, 2], {"k": math.nan}),
    "grades must be finite. Got inf at position 1": ([0, math.inf], [1, 2], {}),
    "grades must be numbers": (["good", "bad"], [1, 2], {}),
    "scores must be as many as labels. Got 3 for 2": ([0, 1], [1, 2, 3], {}),
    "groups must be as many as labels": ([0, 1], [1, 2], {"groups": [1]}),
}


@pytest.mark.parametrize(("message", "case"), NO_NDCG.items(), ids=NO_NDCG)
def test_ndcg_says_in_one_line_what_must_hold(message, case):
    grades, values, options = case
    with pytest.raises(ValueError, match=message) as refused:
        measure.ndcg(grades, values, **options)
    assert "\n" not in str(refused.value)


def fractional_preference(rng, n):
    upper = np.array([[Fraction(int(rng.integers(0, 7)), 6) for _ in range(n)] for _ in range(n)])
    return np.array(
        [[upper[u, v] if u < v else (1 - upper[v, u] if u > v else Fraction(0)) for v in range(n)] for u in range(n)]
    )


IMPORTANCES = {
    "kemeny": measure.kemeny(5),
    "top 2": measure.top_heavy(5, 2),
    "bipartite": measure.bipartite(2, 3),
    "bipartite, each one": measure.bipartite(2, 3, normalised=False),
    "multipartite": measure.multipartite([1, 2, 2]),
    "by grade difference": measure.multipartite([1, 2, 2], difference=True),
}
every_importance = pytest.mark.parametrize("omega", IMPORTANCES.values(), ids=IMPORTANCES)


@every_importance
def test_importance_loss_is_the_sum_of_its_definition(omega):
    rng = np.random.default_rng(0)
    for _ in range(5):
        truth, h = rng.permutation(5), fractional_preference(rng, 5)
        assert measure.importance_loss(truth, h, omega) == naive.importance_loss(truth, h, omega)
        order = rng.permutation(5)
        expected = naive.importance_loss(truth, naive.before(order), omega)
        assert measure.importance_loss(truth, order, omega) == pytest.approx(float(expected), rel=1e-15)


def test_importances_are_what_their_names_say():
    pairs = list(product(range(5), repeat=2))
    assert all(measure.kemeny(5)[i, j] == (i != j) for i, j in pairs)
    assert all(measure.top_heavy(5, 2)[i, j] == (i != j and min(i, j) < 2) for i, j in pairs)
    grade = [0, 1, 1, 2, 2]
    plain = measure.multipartite([1, 2, 2], normalised=False)
    apart = measure.multipartite([1, 2, 2], difference=True, normalised=False)
    assert all(plain[i, j] == (grade[i] != grade[j]) for i, j in pairs)
    assert all(apart[i, j] == abs(grade[i] - grade[j]) for i, j in pairs)


@every_importance
def test_generalised_rankings_satisfy_the_triangle_inequality(omega):
    """(4) of the paper for all, (5) for the bipartite ones."""
    tau = measure.generalised_ranking([3, 0, 4, 2, 1], omega)
    for u, v, w in permutations(range(5), 3):
        assert tau[u, v] <= tau[u, w] + tau[w, v]


@pytest.mark.parametrize("normalised", [True, False])
def test_bipartite_generalised_rankings_have_no_cyclic_sum(normalised):
    tau = measure.generalised_ranking([3, 0, 4, 2, 1], measure.bipartite(2, 3, normalised=normalised))
    for u, v, w in permutations(range(5), 3):
        assert tau[u, v] + tau[v, w] + tau[w, u] == tau[v, u] + tau[w, v] + tau[u, w]


def test_normalised_bipartite_importance_gives_the_auc_loss_exactly():
    rng = np.random.default_rng(0)
    for _ in range(20):
        h, labels = fractional_preference(rng, 5), np.array([1, 1, 0, 0, 0])[rng.permutation(5)]
        truth = np.argsort(-labels, kind="stable")
        loss = measure.auc_loss(labels, h)
        assert loss == measure.importance_loss(truth, h, measure.bipartite(2, 3)) == naive.auc_loss(labels, h)


@pytest.mark.parametrize("difference", [False, True])
def test_graded_auc_loss_is_the_multipartite_one(difference):
    rng = np.random.default_rng(0)
    grades = np.array([2, 0, 1, 0, 1])
    truth, omega = np.argsort(-grades, kind="stable"), measure.multipartite([1, 2, 2], difference=difference)
    for _ in range(10):
        h = fractional_preference(rng, 5)
        loss = measure.auc_loss(grades, h, graded=True, difference=difference)
        assert loss == measure.importance_loss(truth, h, omega)
        assert loss == naive.auc_loss(grades, h, (lambda gap: int(gap)) if difference else (lambda gap: 1))


def test_auc_loss_of_an_order_is_one_minus_auc():
    rng = np.random.default_rng(0)
    for _ in range(20):
        labels, order = np.array([1, 1, 0, 0, 0]), rng.permutation(5)
        scores = -np.argsort(order)
        assert measure.auc_loss(labels, order) == pytest.approx(1 - measure.auc(labels, scores), abs=1e-15)


BROKEN = {
    "P1": [[0, 1, 1], [2, 0, 1], [1, 1, 0]],
    "P2, monotonicity. Got ω\\(0, 1\\) = 2 above": [[0, 2, 1], [2, 0, 2], [1, 2, 0]],
    "P2, monotonicity. Got ω\\(2, 0\\) = 1 below": [[0, 1, 1], [1, 0, 2], [1, 2, 0]],
    "P3": [[0, 1, 3], [1, 0, 1], [3, 1, 0]],
    "P3, the triangle inequality. Got ω\\(0, 2\\) = 1000": [
        [0, 1, 10**15],
        [1, 0, 10**15 - 2],
        [10**15, 10**15 - 2, 0],
    ],
    "not be negative": [[0, -1], [-1, 0]],
    "square": [[0, 1, 2], [1, 0, 1]],
}


@pytest.mark.parametrize(("axiom", "omega"), BROKEN.items(), ids=BROKEN)
def test_importance_that_breaks_an_axiom_is_refused_by_name(axiom, omega):
    with pytest.raises(ValueError, match=axiom):
        measure.check_importance(omega)


def test_grade_differences_in_floats_pass_the_axioms():
    grades = np.sort(np.random.default_rng(0).normal(size=40))  # of which differences are rounded
    measure.check_importance(np.abs(grades[:, None] - grades))


REFUSED = {
    "labels must contain both classes. Got 2 positives and 0 negatives": ([1, 1], [1, 2], {}),
    "labels must contain both classes. Got 0 positives": ([-1, -1], [1, 2], {}),
    "labels must have two values. Got 3": ([0, 1, 2], [1, 2, 3], {}),
    "ask for graded=True": ([0, 1, 2], [1, 2, 3], {}),
    "Got 'fraud', 'ok'. Say which one is positive": (["fraud", "ok"], [1, 2], {}),
    "Got 0, -1": ([0, -1], [1, 2], {}),
    "positive must be one of the labels. Got 'x'": (["a", "b"], [1, 2], {"positive": "x"}),
    "labels must have two values. Got 3: 'a', 'b', 'c'": (["a", "b", "c"], [1, 2, 3], {"positive": "a"}),
    "labels must not be missing. Got nan at position 1": ([1, math.nan, 0], [1, 2, 3], {}),
    "scores must be finite. Got nan at position 1": ([1, 0], [1, math.nan], {}),
    "scores must be finite. Got inf at position 0": ([1, 0], [math.inf, 1], {}),
    "scores must be numbers": ([1, 0], ["a", "b"], {}),
    "scores must be as many as labels. Got 3 for 2": ([1, 0], [1, 2, 3], {}),
    "scores must be one-dimensional": ([1, 0], [[1], [2]], {}),
    "labels must not be empty": ([], [], {}),
    "weights must not be negative. Got -1 at position 1": ([1, 0], [1, 2], {"weights": [1, -1]}),
    "no pair to compare": ([1, 0], [1, 2], {"weights": [1, 0]}),
    "groups must not be missing": ([1, 0], [1, 2], {"groups": [1, math.nan]}),
    "positive must not be given with graded": ([1, 0], [1, 2], {"positive": 1, "graded": True}),
    "two different grades. Got only 3": ([3, 3], [1, 2], {"graded": True}),
}


@pytest.mark.parametrize(("message", "call"), REFUSED.items(), ids=REFUSED)
def test_wrong_input_gets_one_line(message, call):
    labels, values, options = call
    with pytest.raises(ValueError) as refused:
        measure.auc(labels, values, **options)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("k", [0, 3, 1.5])
def test_top_refuses_a_k_outside_the_list(k):
    with pytest.raises(ValueError, match="k must be a whole number from 1"):
        measure.top([1, 0], [1, 2], k)


@pytest.mark.parametrize(
    ("ranking", "message"),
    [
        ([[0, 1, 0], [0, 0, 1]], r"a square array over the 3 items. Got shape \(2, 3\)"),
        ([[0, 1, 0], [0, 0, 1.5], [1, 0, 0]], r"must lie in \[0, 1\]. Got 1.5 for the pair \(1, 2\)"),
        ([0, 1, 1], r"the item numbers 0 to 2, each once. Got \[0, 1, 1\]"),
        ([0, 1], "the item numbers 0 to 2, each once"),
        ([0.0, 1.0, 2.0], "the item numbers 0 to 2, each once"),
    ],
)
def test_what_is_no_ranking_is_refused(ranking, message):
    with pytest.raises(ValueError, match=message):
        measure.importance_loss([0, 1, 2], ranking, measure.kemeny(3))


def assert_ulps(value, expected):
    nearest = float(expected)
    assert abs(value - nearest) <= 4 * math.ulp(nearest)


def test_the_roc_curve_tells_whole_numbers_apart_that_are_one_float():
    curve = roc([0, 1, 0, 1], 2**60 + np.arange(4))
    assert (curve.found.tolist(), curve.alarms.tolist()) == ([0, 0.5, 0.5, 1, 1], [0, 0, 0.5, 0.5, 1])
