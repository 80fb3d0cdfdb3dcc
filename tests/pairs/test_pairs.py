"""Pair risks against the double sum of their definition."""

import os
import pickle
import subprocess
import sys
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from itertools import product

import mpmath
import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from ordain.engine import Engine
from ordain.losses import PAIRINGS, Logistic, get_loss
from ordain.pairs import PairRisk
from ordain.pairs import sums as pair_sums

every_loss = pytest.mark.parametrize("loss", PAIRINGS)
every_push = pytest.mark.parametrize("push", [1, 1.5, 2, 4])


def check(loss, labels, scores, push=1, graded=False, **options):
    risk = PairRisk(labels, loss, push=push, graded=graded, **options)
    value, gradient, hessian = naive.pair_risk(PAIRINGS[loss], np.asarray(labels), scores, push=push, **options)
    got, slope = risk.value_gradient(scores)
    scale = np.abs(hessian).max() + 1e-300
    assert got == pytest.approx(value, rel=1e-11)
    assert_allclose(slope, gradient, atol=1e-11 * (np.abs(gradient).max() + 1e-300))
    assert_allclose(risk.hessian_diagonal(scores), np.diag(hessian), atol=1e-10 * scale)
    v = np.random.default_rng(0).normal(size=len(scores))
    assert_allclose(risk.hessp(scores, v), hessian @ v, atol=1e-10 * scale)


def table(seed, n=24, ties=False):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 3 == 0
    scores = rng.normal(size=n) * 2 + labels
    return labels, np.round(scores) if ties else scores


@every_loss
@every_push
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("small", [0, 1000])
def test_risk_equals_the_double_sum(loss, push, ties, small, monkeypatch):
    """Also with the sketch, which is for large groups otherwise."""
    monkeypatch.setattr(pair_sums, "SMALL", small)
    check(loss, *table(1, ties=ties), push=push)


@every_loss
@pytest.mark.parametrize("push", [1, 3])
@pytest.mark.parametrize("small", [0, 1000])
def test_weights_and_groups_equal_the_double_sum(loss, push, small, monkeypatch):
    monkeypatch.setattr(pair_sums, "SMALL", small)
    labels, scores = table(2)
    rng = np.random.default_rng(3)
    weights, groups = rng.integers(0, 4, len(labels)) * 0.7, rng.integers(0, 4, len(labels))
    groups[labels] += rng.integers(0, 2, labels.sum()) * 10  # some groups have one class only
    check(loss, labels, scores, push=push, weights=weights)
    check(loss, labels, scores, push=push, groups=groups)
    check(loss, labels, scores, push=push, weights=weights, groups=groups)


@every_loss
def test_grades_equal_the_double_sum(loss):
    labels, scores = np.arange(24) % 5, table(4)[1]
    check(loss, labels, scores, graded=True)
    check(loss, labels, scores, graded=True, groups=np.arange(24) // 8, weights=1.0 + np.arange(24) % 2)


@every_loss
def test_gradient_sums_to_nothing(loss):
    """A common shift of all scores does not change the risk."""
    rng = np.random.default_rng(0)
    labels, scores = rng.random(3000) < 0.2, rng.normal(size=3000)
    _, gradient = PairRisk(labels, loss).value_gradient(scores)
    assert abs(gradient.sum()) <= 1e-12 * np.abs(gradient).sum()


LONG = {
    "logistic": lambda u: np.logaddexp(np.longdouble(0), -u),
    "exponential": lambda u: np.exp(-u),
    "squared": lambda u: (1 - u) ** 2,
    "squared_hinge": lambda u: np.maximum(0, 1 - u) ** 2,
    "hinge": lambda u: np.maximum(0, 1 - u),
    "canonical_squared": lambda u: (1 - u) ** 2 / 4,
    "canonical_exponential": lambda u: np.where(
        u > 0, 1 / (np.sqrt(1 + u * u / 4) + np.abs(u) / 2), np.sqrt(1 + u * u / 4) + np.abs(u) / 2
    ),
}
CONDITION = {
    "exponential": lambda u: (1 + np.abs(u)) * np.exp(-u),
    "squared": lambda u: (1 + np.abs(u)) ** 2,
    "squared_hinge": lambda u: (1 + np.abs(u)) ** 2,
    "hinge": lambda u: 1 + np.abs(u),
    "canonical_squared": lambda u: (1 + np.abs(u)) ** 2,
}


def check_value(loss, labels, scores):
    """The value against all pairs in long double; an overflow where these leave the doubles."""
    exact = scores.astype(np.longdouble)
    u = exact[labels][:, None] - exact[~labels]
    with np.errstate(over="ignore"):
        expected = LONG[loss](u).mean()
    if expected > np.finfo(float).max:
        with pytest.raises(OverflowError, match="Scale them down"):
            PairRisk(labels, loss).value_gradient(scores)
    else:
        allowed = 1e-14 * CONDITION[loss](u).mean() if loss in CONDITION else 1e-12 * expected
        assert abs(PairRisk(labels, loss).value_gradient(scores)[0] - expected) <= allowed


@every_loss
@pytest.mark.parametrize("offset", [0, 1e4, 1e8, 1e12])
@pytest.mark.parametrize("scale", [1e-300, 1e-3, 1, 50, 1e150])
def test_value_in_long_double(loss, offset, scale):
    rng = np.random.default_rng(5)
    labels = rng.random(1100) < 0.3
    check_value(loss, labels, offset + scale * (rng.normal(size=1100) + labels))


@every_loss
def test_two_clusters_far_apart(loss):
    """The textbook sweep loses every digit here."""
    rng = np.random.default_rng(6)
    labels = rng.random(400) < 0.5
    check_value(loss, labels, rng.normal(size=400) + 1e8 * (rng.random(400) < 0.5))


@every_loss
@pytest.mark.parametrize("small", [0, 1000])
def test_all_tied_and_a_single_positive(loss, small, monkeypatch):
    monkeypatch.setattr(pair_sums, "SMALL", small)
    labels = np.arange(24) == 7
    check(loss, labels, np.full(24, 3.25))
    check(loss, labels, table(9)[1])
    check(loss, ~labels, table(9)[1])


def test_far_tails_are_relatively_exact():
    mpmath.mp.dps = 40
    up, down = [130.0, 131.5, 140.0], [0.0, -1.25, 3.0]
    value, gradient = PairRisk([1] * 3 + [0] * 3, "logistic").value_gradient(np.array(up + down))
    pairs = [mpmath.mpf(a) - mpmath.mpf(b) for a, b in product(up, down)]
    assert value == pytest.approx(float(sum(mpmath.log1p(mpmath.exp(-u)) for u in pairs) / 9), rel=1e-12)
    first = sum(-1 / (1 + mpmath.exp(mpmath.mpf(up[0]) - mpmath.mpf(b))) for b in down) / 9
    assert gradient[0] == pytest.approx(float(first), rel=1e-12)


@pytest.mark.parametrize("loss", ["logistic", "canonical_exponential", "hinge"])
def test_scores_at_the_ends_of_the_floats(loss):
    """The mean is representable though single differences are not."""
    value, gradient = PairRisk([1, 0, 1, 0], loss).value_gradient(np.array([-8e307, 8e307, 8e307, -8e307]))
    assert value == pytest.approx(4e307, rel=1e-12)
    assert np.isfinite(gradient).all()


@pytest.mark.parametrize(("loss", "spread"), [("exponential", 800.0), ("squared", 1e160), ("squared_hinge", 1e160)])
def test_a_loss_that_overflows_is_refused(loss, spread):
    with pytest.raises(OverflowError, match="Scale them down"):
        PairRisk([1, 0], loss).value_gradient(np.array([-spread, spread]))


@pytest.mark.parametrize("loss", ["spherical", "canonical_spherical"])
def test_losses_without_a_margin_form_on_the_line_are_refused(loss):
    with pytest.raises(ValueError, match="needs a margin loss"):
        PairRisk([1, 0], loss)


def test_wrong_settings_are_refused():
    for push in (0.5, np.nan, np.inf):
        with pytest.raises(ValueError, match="push must be a number"):
            PairRisk([1, 0], "logistic", push=push)
    with pytest.raises(ValueError, match="push needs two classes"):
        PairRisk([1, 0, 2], "logistic", push=2, graded=True)
    with pytest.raises(ValueError, match="both classes must exist"):
        PairRisk([1, 0], "logistic", groups=[1, 2])
    with pytest.raises(ValueError, match="scores must be as many"):
        PairRisk([1, 0], "logistic").value_gradient(np.zeros(3))


@given(st.permutations(range(12)), st.floats(-5, 5))
def test_order_of_rows_and_shift_do_not_matter(order, shift):
    labels, scores = table(7, n=12)
    order = np.array(order)
    value, gradient = PairRisk(labels, "squared_hinge").value_gradient(scores)
    moved, turned = PairRisk(labels[order], "squared_hinge").value_gradient(scores[order] + shift)
    assert moved == pytest.approx(value, rel=1e-12)
    assert_allclose(turned, gradient[order], atol=1e-13)


def shapes(n):
    """Scores on which looking up a place is easy, hard, or a matter of rounding."""
    rng = np.random.default_rng(n)
    normal = rng.normal(size=n)
    return {
        "normal": normal,
        "tied": np.full(n, 0.3),
        "whole": np.round(2 * normal),
        "narrow": 1e-3 * normal,
        "outlier": np.append(normal[1:], 1e9),
        "two clusters": normal + 1e8 * (rng.random(n) < 0.5),
        "logarithmic": np.sign(normal) * np.exp(20 * rng.normal(size=n)),
        "near 2^53": 2.0**53 + 2 * np.round(normal),
        "one apart": rng.integers(-1, 2, n) * (1 + 2.0**-52 * rng.integers(-2, 3, n)),
        "denormal": 5e-324 * rng.integers(-3, 4, n),
    }


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("name", shapes(2))
@pytest.mark.parametrize("n", [7, 100, 2000])
def test_hinges_look_up_every_place(loss, name, n, monkeypatch):
    """Value, gradient and curvature against all pairs in long double, each row relative to itself."""
    monkeypatch.setattr(pair_sums, "SMALL", 0)
    scores, labels = shapes(n)[name], np.arange(n) % 3 == 0
    pairs = (scores[labels][:, None] - scores[~labels]).astype(np.longdouble)
    over = np.maximum(0, 1 - pairs)
    value, slopes, curvatures = (
        (over, -1.0 * (over > 0), 0 * over) if loss == "hinge" else (over**2, -2 * over, 2.0 * (over > 0))
    )
    got, gradient, curvature = PairRisk(labels, loss).derivatives(scores)
    assert got == pytest.approx(float(value.mean()), rel=1e-13)
    for rows, each, sign in ((gradient, slopes, -1), (curvature, curvatures, 1)):
        assert_allclose(rows[labels], (each.sum(axis=1) / pairs.size).astype(float), rtol=1e-13)
        assert_allclose(rows[~labels], (sign * each.sum(axis=0) / pairs.size).astype(float), rtol=1e-13)


def test_a_hinge_counts_by_the_rounded_difference(monkeypatch):
    """1 - 2⁻⁵³ lies below the rounded 1 - 2⁻⁵⁴, and yet is at the distance 1 from -2⁻⁵⁴, rounded."""
    monkeypatch.setattr(pair_sums, "SMALL", 0)
    rng = np.random.default_rng(15)
    labels = np.arange(3000) % 2 == 0
    steps = rng.integers(0, 8, 3000)
    scores = np.where(labels, 1 - 2.0**-53 * steps, 2.0**-54 * (1 - 2 * steps))
    count = scores[labels][:, None] - scores[~labels] < 1
    gradient = PairRisk(labels, "hinge").value_gradient(scores)[1]
    assert_allclose(gradient[labels], -count.mean(axis=1) / 1500, rtol=1e-13)
    assert_allclose(gradient[~labels], count.mean(axis=0) / 1500, rtol=1e-13)


@every_loss
@pytest.mark.parametrize("small", [0, 40, 10**6])
@pytest.mark.parametrize("groups", [None, "equal", "unequal"])
def test_weights_of_one_change_nothing(loss, small, groups, monkeypatch):
    """Without weights there are shorter ways, through direct sums, ladders and means at nodes."""
    monkeypatch.setattr(pair_sums, "SMALL", small)
    rng = np.random.default_rng(10)
    labels, scores = rng.random(1500) < 0.3, rng.normal(size=1500)
    codes = {None: None, "equal": np.arange(1500) // 10, "unequal": (40 * rng.random(1500) ** 3).astype(int)}[groups]
    plain = PairRisk(labels, loss, groups=codes).derivatives(scores)
    weighted = PairRisk(labels, loss, groups=codes, weights=np.ones(1500)).derivatives(scores)
    assert plain[0] == pytest.approx(weighted[0], rel=1e-12)
    for one, other in zip(plain[1:], weighted[1:], strict=True):
        assert_allclose(one, other, atol=1e-12 * np.abs(other).max())


@pytest.mark.parametrize("scale", [1e-3, 1, 40, 200, 1e4])
@pytest.mark.parametrize("shift", [-30.0, 0.0, 30.0, 250.0])
def test_small_groups_of_logistic_pairs(scale, shift):
    """Products of factors neither overflow nor lose small terms, and give way where a group is too wide for them."""
    rng = np.random.default_rng(11)
    labels, codes = rng.random(900) < 0.5, np.repeat([0, 1, 2], [20, 80, 800])
    scores = 1e6 * codes + scale * rng.normal(size=900) + shift * labels
    exact, expected, whole = scores.astype(np.longdouble), np.longdouble(0), 0
    slopes = np.zeros(900, np.longdouble)
    for g in range(3):
        up, down = np.flatnonzero(labels & (codes == g)), np.flatnonzero(~labels & (codes == g))
        u = exact[up][:, None] - exact[down]
        chance = np.exp(-np.logaddexp(np.longdouble(0), u))
        expected, whole = expected + LONG["logistic"](u).sum(), whole + u.size
        slopes[up], slopes[down] = -chance.sum(axis=1), chance.sum(axis=0)
    value, gradient = PairRisk(labels, "logistic", groups=codes).value_gradient(scores)
    assert abs(value - expected / whole) <= 1e-12 * expected / whole
    assert np.abs(gradient - slopes / whole).max() <= 1e-12 * np.abs(slopes / whole).max()
    assert abs(gradient.sum()) <= 1e-12 * np.abs(gradient).sum()


@every_loss
def test_products_follow_scores_that_change_in_place(loss):
    labels, scores = table(12)
    risk, v = PairRisk(labels, loss), np.arange(24.0)
    risk.hessp(scores, v)
    scores[:] = table(13)[1]
    assert_allclose(risk.hessp(scores, v), PairRisk(labels, loss).hessp(scores.copy(), v), rtol=1e-15)


@every_loss
def test_memory_is_a_few_arrays(loss):
    """At most six arrays of n numbers beyond labels and scores."""
    n = 100_000
    rng = np.random.default_rng(14)
    labels, scores = rng.random(n) < 0.2, rng.normal(size=n)
    PairRisk(labels, loss).derivatives(scores)
    tracemalloc.start()
    PairRisk(labels, loss).derivatives(scores)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 6 * 8 * n


FORMS = {
    "factors": lambda form, u: np.exp(-u),
    "moments": lambda form, u: form.scale * (1 - u) ** 2,
    "sweep": lambda form, u: np.maximum(0, 1 - u) ** form.power,
}


@every_loss
def test_a_loss_pairs_as_it_says(loss):
    """The form of φ, the numbers a, b, c of (φ')² = aφ + bφ' + cφ'', and the kernel on a pair at a time."""
    pairing, u = PAIRINGS[loss], np.linspace(-9, 9, 37) + 0.01
    phi, slope, curvature = pairing.phi(u), pairing.phi_slope(u), pairing.phi_curvature(u)
    if pairing.form.way in FORMS:
        assert_allclose(FORMS[pairing.form.way](pairing.form, u), phi, rtol=1e-14)
    if pairing.form.square is not None:
        assert_allclose(np.dot(pairing.form.square, [phi, slope, curvature]), slope**2, rtol=1e-12, atol=1e-15)
    for k in range(len(u)):
        value, gradient, diagonal = PairRisk([1, 0], loss).derivatives([u[k], 0.0])
        assert value == pytest.approx(phi[k], rel=1e-13)
        assert_allclose([gradient, diagonal], [[slope[k], -slope[k]], [curvature[k], curvature[k]]], rtol=1e-12)


class Doubled(Logistic):
    """Another φ under a name that is taken."""

    def _phi(self, u):
        return 2 * np.logaddexp(0, -u)


def test_a_loss_made_from_another_does_not_pair_like_it():
    assert not Doubled().fits_pairs
    with pytest.raises(ValueError, match="needs a margin loss"):
        PairRisk([1, 0], Doubled())


@every_loss
def test_risks_pickle(loss):
    labels, scores = table(8)
    risk = PairRisk(labels, loss)
    assert pickle.loads(pickle.dumps(risk)).value_gradient(scores)[0] == risk.value_gradient(scores)[0]


def test_losses_may_be_given_as_objects():
    labels, scores = table(8)
    assert (
        PairRisk(labels, get_loss("logistic")).value_gradient(scores)[0]
        == PairRisk(labels, "logistic").value_gradient(scores)[0]
    )


class Workers:
    """Workers in threads, of which one runs at a time: up to its next call, where it waits for the others."""

    def __init__(self, count):
        self.turn, self.given, self.done, self.failed = threading.Condition(), {}, [], False
        self.engines = [Worker(self, rank) for rank in range(count)]

    def run(self, work):
        """What work(engine) returns for every engine."""
        with ThreadPoolExecutor(len(self.engines)) as pool:
            return [future.result() for future in [pool.submit(self._one, work, each) for each in self.engines]]

    def _one(self, work, engine):
        with self.turn:
            try:
                return work(engine)
            except BaseException:
                self.failed = True
                raise
            finally:
                self.turn.notify_all()

    def exchange(self, rank, call, x):
        """What all workers gave in this call, which must be the same call of each."""
        self.given[rank], mine = (call, x), len(self.done)
        if len(self.given) == len(self.engines):
            calls, values = zip(*(self.given[k] for k in range(len(self.engines))), strict=True)
            assert len(set(calls)) == 1
            self.done.append(values)
            self.given = {}
            self.turn.notify_all()
        assert self.turn.wait_for(lambda: self.failed or len(self.done) > mine, timeout=300)
        if len(self.done) <= mine:
            raise RuntimeError("another worker failed")
        return self.done[mine]


class Worker(Engine):
    """One of them. Sums start from the last, so that nothing rests on the order."""

    alone = False

    def __init__(self, workers, rank):
        self.workers, self.rank = workers, rank

    def sum(self, x):
        return reduce(np.add, self.workers.exchange(self.rank, ("sum", np.shape(x)), x)[::-1])

    def max(self, x):
        return reduce(np.maximum, self.workers.exchange(self.rank, ("max", np.shape(x)), x))

    def min(self, x):
        return reduce(np.minimum, self.workers.exchange(self.rank, ("min", np.shape(x)), x))

    def parts(self, x):
        return [np.array(part) for part in self.workers.exchange(self.rank, "parts", x)]


def everything(risk, scores, v):
    """All that a risk is asked, the products twice as solvers ask for them."""
    value, gradient = risk.value_gradient(scores)
    _, same, diagonal = risk.derivatives(scores)
    near = risk.coarse_hessian(scores)
    products = risk.hessp(scores, v), risk.hessp(scores, -v), risk.hessp(scores / 2, v)
    coarse = np.array([near.coupling.sum(), near.coupling.max()])
    return np.array([value]), coarse, gradient, same, diagonal, near.diagonal, near.mass, *products


def spread_over_workers(parts, loss, labels, scores, options):
    """`everything`, every worker having the rows of one part; by row where it is."""
    v = np.cos(np.arange(len(labels)))

    def work(engine):
        rows = parts[engine.rank]
        mine = {name: array[rows] if np.ndim(array) else array for name, array in options.items()}
        return everything(PairRisk(labels[rows], loss, engine=engine, **mine), scores[rows], v[rows])

    found = Workers(len(parts)).run(work)
    whole = [np.empty(len(labels)) for _ in found[0][2:]]
    for rows, (value, coarse, *own) in zip(parts, found, strict=True):
        assert value == found[0][0]
        assert_array_equal(coarse, found[0][1])
        for all_rows, some in zip(whole, own, strict=True):
            all_rows[rows] = some
    return *found[0][:2], *whole


OPTIONS = {
    "plain": {},
    "push": {"push": 2},
    "weights": {"weights": True},
    "weights and push": {"weights": True, "push": 1.5},
    "grades": {"graded": True},
    "weighted grades": {"graded": True, "weights": True},
    "groups": {"groups": True},
    "all": {"graded": True, "weights": True, "groups": True},
}


@every_loss
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize(("n", "scale"), [(40, 1), (900, 1), (900, 300), (6000, 1)])
def test_rows_may_be_with_several_workers(loss, options, n, scale):
    """By a grid, by points and by sorted scores: what each worker finds is what one machine finds for its rows."""
    if loss == "canonical_exponential" and "push" in options and n > 900:
        options = {"weights": True}  # its exact diagonal goes pair by pair
    scale = min(scale, 50) if loss == "exponential" else scale
    rng = np.random.default_rng(n)
    labels = rng.integers(0, 4, n) if options.get("graded") else rng.random(n) < 0.3
    scores = scale * rng.normal(size=n) + labels
    groups = rng.integers(0, 9, n)
    groups[groups > 6] = 6
    weights = rng.integers(0, 4, n) * np.where(groups > 4, 0.3, 0.7)  # the largest is not with every worker
    arrays = {"weights": weights, "groups": groups}
    options = {name: arrays.get(name, value) for name, value in options.items()}
    worker = (groups > 4) * 1 + (groups == 6) * 1  # a group is with one of them, and the first has most of the rows
    parts = [np.flatnonzero(worker == k) for k in range(3)]
    expected = everything(PairRisk(labels, loss, **options), scores, np.cos(np.arange(n)))
    got = spread_over_workers(parts, loss, labels, scores, options)
    for k, (one, other) in enumerate(zip(got, expected, strict=True)):
        if k not in (1, 5, 6) or n < 1000:  # the cells of a coarse Hessian rest on a sample of the rows
            assert_allclose(one, other, rtol=1e-12, atol=1e-12 * np.abs(other).max(), err_msg=str(k))


@every_loss
@pytest.mark.parametrize("weighted", [False, True])
def test_workers_may_have_one_class_only_or_rows_without_weight(loss, weighted):
    labels, scores = table(16, n=300)
    weights = np.where(np.arange(300) < 250, 1.0, 0.0) if weighted else np.ones(300)
    options = {"weights": weights} if weighted else {}
    parts = [np.flatnonzero(labels), np.flatnonzero(~labels[:250]), np.flatnonzero(~labels[250:]) + 250]
    parts[0], parts[2] = parts[0][parts[0] < 250], np.append(parts[0][parts[0] >= 250], parts[2])
    expected = everything(PairRisk(labels, loss, **options), scores, np.cos(np.arange(300)))
    for one, other in zip(spread_over_workers(parts, loss, labels, scores, options), expected, strict=True):
        assert_allclose(one, other, rtol=1e-12, atol=1e-12 * np.abs(other).max())


def test_products_are_renewed_when_the_scores_of_any_worker_change():
    labels, scores = table(17)
    moved, v = scores + (np.arange(24) >= 12), np.arange(24.0)

    def work(engine):
        rows = slice(12 * engine.rank, 12 * engine.rank + 12)
        risk = PairRisk(labels[rows], "logistic", engine=engine)
        risk.hessp(scores[rows], v[rows])
        return risk.hessp(moved[rows], v[rows])

    expected = PairRisk(labels, "logistic").hessp(moved, v)
    assert_allclose(np.concatenate(Workers(2).run(work)), expected, atol=1e-13)


@pytest.mark.parametrize(("grades", "bits", "calls"), [(2, 1, 3), (4, 2, 6), (40, 6, 17)])
def test_grades_that_part_at_a_bit_are_added_at_once(grades, bits, calls):
    """The ends of the scores, the sketches on grids, and the points of others with their number; then the value."""
    scores, workers = np.sin(np.arange(4000.0)), Workers(2)

    def work(engine):
        rows = slice(2000 * engine.rank, 2000 * engine.rank + 2000)
        risk = PairRisk(np.arange(4000)[rows] % grades, "logistic", graded=True, engine=engine)
        risk.value_gradient(scores[rows])
        before = len(workers.done)
        risk.value_gradient(2 * scores[rows])
        return len(workers.done) - before

    assert workers.run(work) == [calls] * 2
    assert calls <= 4 * bits + 1


@pytest.mark.parametrize(
    ("labels", "options", "message"),
    [
        ([1, 1, 1, 1], {}, "both classes"),
        ([1, 0, 2, 0], {}, "two values"),
        ([3, 3, 3, 3], {"graded": True}, "two different grades"),
        ([1, 0, 1, 0], {"groups": [1, 2, 2, 3]}, "a group must be with one worker"),
        ([1, 0, 1, 0], {"groups": [1, 2, 3, 4]}, "both classes must exist"),
        ([1, 0, 1, 0], {"weights": [1, 0, 1, 0]}, "both classes must exist"),
    ],
)
def test_what_is_wrong_with_all_rows_is_said_by_every_worker(labels, options, message):
    def work(engine):
        rows = slice(2 * engine.rank, 2 * engine.rank + 2)
        with pytest.raises(ValueError, match=message):
            PairRisk(
                labels[rows],
                "logistic",
                engine=engine,
                **{name: array if isinstance(array, bool) else array[rows] for name, array in options.items()},
            )
        return True

    assert Workers(2).run(work) == [True, True]


BITS = """
import hashlib, numba, numpy as np
from ordain.losses import PAIRINGS
from ordain.pairs import PairRisk
rng = np.random.default_rng(0)
labels, scores, groups = rng.random(60_000) < 0.2, rng.normal(size=60_000), rng.integers(0, 5_000, 60_000)
for threads in (1, 2, 4):
    numba.set_num_threads(threads)
    digest = hashlib.sha256()
    for loss in PAIRINGS:
        for options in ({}, {"groups": groups}, {"weights": groups + 1.0}):
            risk = PairRisk(labels, loss, **options)
            value, gradient, curvature = risk.derivatives(scores)
            for array in (np.array([value]), gradient, curvature, risk.hessp(scores, scores)):
                digest.update(array.tobytes())
    print(digest.hexdigest())
"""


def test_bits_do_not_depend_on_the_number_of_threads():
    environment = os.environ | {"NUMBA_NUM_THREADS": "4"}
    done = subprocess.run([sys.executable, "-c", BITS], env=environment, capture_output=True, text=True, check=True)
    digests = done.stdout.split()
    assert len(digests) == 3
    assert len(set(digests)) == 1
