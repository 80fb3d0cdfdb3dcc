"""The sketch against the double sum it replaces, in mpmath and in long double, over every range of scores."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from dataclasses import replace
from functools import reduce
from operator import add

import hypothesis.strategies as st
import mpmath
import naive
import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_allclose, assert_array_equal

from ordain._compiled import compiled
from ordain.sketch import CANONICAL_EXPONENTIAL, KERNELS, LOGISTIC, Grid, Runs, Sketch, binned, node_sums

every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
every_sign = pytest.mark.parametrize("sign", [1, -1])


def spread(name, rng, n):
    """Scores of a named shape."""
    normal = rng.normal(size=n)
    return {
        "narrow": 1e-3 * normal,
        "normal": normal,
        "scale 10": 10 * normal,
        "scale 300": 300 * normal,
        "scale 1e4": 1e4 * normal,
        "scale 1e-300": 1e-300 * normal,
        "scale 1e150": 1e150 * normal,
        "offset 1e6": normal + 1e6,
        "offset 1e12": normal + 1e12,
        "offset -1e15": 5 * normal - 1e15,
        "near 2^54": 2.0**54 + 4 * np.round(5 * normal),
        "clusters": normal + 1e8 * (rng.random(n) < 0.5),
        "tied": np.full(n, 0.3),
        "whole": np.round(4 * normal),
        "±800": 800 * np.sign(normal),
        "±1e308": 1e308 * np.sign(normal),
        "uniform 1e308": 1.7e308 * rng.uniform(-1, 1, n),
        "logarithmic": np.sign(normal) * np.exp(100 * rng.normal(size=n)),
        "one outlier": np.append(normal[1:], 1e9),
    }[name]


SPREADS = ["narrow", "normal", "scale 10", "scale 300", "scale 1e4", "scale 1e-300", "scale 1e150", "offset 1e6"]
SPREADS += ["offset 1e12", "offset -1e15", "near 2^54", "clusters", "tied", "whole", "±800", "±1e308", "uniform 1e308"]
SPREADS += ["logarithmic", "one outlier"]
every_spread = pytest.mark.parametrize("name", SPREADS)


def assert_relatively_close(got, expected, tolerance):
    """Relative error of every entry, save those that double precision holds with fewer digits or not at all."""
    assert np.isfinite(got).all()
    shown = np.abs(expected) > 1e-290
    assert_allclose(got[shown], expected[shown].astype(float), rtol=tolerance)
    assert (np.abs(got[~shown]) < 1e-280).all()


@every_kernel
@every_spread
@every_sign
@pytest.mark.parametrize("n", [30, 4000])
def test_sums_equal_the_double_sum(kernel, name, sign, n):
    """F, F', F'' at scores of the same shape and far away, relative to themselves."""
    rng = np.random.default_rng(n)
    scores, points = spread(name, rng, n), spread(name, rng, 40)
    coefficients = rng.random(n) / n / 2
    got = Sketch.of(scores, coefficients, kernel=kernel).sums(points, sign=sign)
    assert_relatively_close(got, naive.kernel_sums(kernel.name, points, scores, coefficients, sign), 1e-12)


@every_kernel
def test_far_tails_are_relatively_exact(kernel):
    """From one end of a tail to the other, through the bins where the near sums stop and the far ones begin."""
    rng = np.random.default_rng(0)
    scores, points = rng.normal(size=2000), np.linspace(-600, 600, 300)
    got = Sketch.of(scores, kernel=kernel).sums(points)
    assert_relatively_close(got, naive.kernel_sums(kernel.name, points, scores, 1.0), 1e-12)


def pair_sum(above, below):
    """Σ a_i b_j φ(s_i - s_j) over the scores of two sketches; a quarter keeps sums finite whose terms are not."""
    return 4 * float(np.sum(above.weights * node_sums(above.places, below * 0.25)[0]))


@every_kernel
@pytest.mark.parametrize("n", [5, 40])
@pytest.mark.parametrize("shift", [-200, 0, 100, 500])
def test_pair_sums_equal_mpmath(kernel, n, shift):
    """Two classes apart by `shift`; at 500, a logistic risk of e^-500."""
    rng = np.random.default_rng(n)
    above, below = rng.normal(size=n) + shift, 3 * rng.normal(size=n)
    a, b = rng.random(n), rng.random(n)
    with mpmath.workdps(40):
        expected = [[naive.kernel_in_digits(kernel.name, mpmath.mpf(s) - mpmath.mpf(t)) for t in below] for s in above]
        totals = [sum(a[i] * b[j] * expected[i][j][k] for i in range(n) for j in range(n)) for k in range(3)]
    low, high = Sketch.of(below, b, kernel=kernel), Sketch.of(above, a, kernel=kernel)
    got = node_sums(high.places, low) @ high.weights
    assert_allclose(got, [float(total) for total in totals], rtol=1e-12)
    assert_allclose(pair_sum(high, low), float(totals[0]), rtol=1e-12)


def pair_risk(kernel, scores, positive):
    """Sum of φ over pairs, its gradient and the diagonal of its Hessian, through the parts of one binning."""
    rows = binned(scores, positive, 2, kernel=kernel)
    below, above = rows.sketches()
    at_below, at_above = node_sums(below.places, above, sign=-1), node_sums(above.places, below)
    return pair_sum(above, below), *rows.at_rows([at_below[1:] * [[-1], [1]], at_above[1:]])


@every_kernel
@pytest.mark.parametrize(
    ("n", "name"), [(300, "normal"), (5000, "normal"), (2000, "scale 10"), (2000, "clusters"), (1000, "tied")]
)
def test_risk_gradient_and_diagonal_equal_the_double_sum(kernel, n, name):
    rng = np.random.default_rng(1)
    positive = rng.random(n) < 0.1
    scores = spread(name, rng, n) + positive
    value, gradient, diagonal = pair_risk(kernel, scores, positive)
    above, below = scores[positive].astype(np.longdouble), scores[~positive].astype(np.longdouble)
    values, slopes, curvatures = naive.kernel(kernel.name, above[:, None] - below)
    assert_allclose(value, float(values.sum()), rtol=1e-12)
    for got, pairs, sign in ((gradient, slopes, -1), (diagonal, curvatures, 1)):
        expected = np.empty(n)
        expected[positive], expected[~positive] = pairs.sum(axis=1), sign * pairs.sum(axis=0)
        assert np.abs(got - expected).max() <= 1e-11 * np.abs(expected).max()
    assert abs(math.fsum(gradient)) <= 1e-12 * math.fsum(np.abs(gradient))


@every_kernel
@pytest.mark.parametrize("n", [500, 20_000])
def test_mixed_signs_are_exact_relative_to_the_absolute_sum(kernel, n):
    """Hessian–vector products have coefficients of both signs."""
    rng = np.random.default_rng(2)
    scores, points, coefficients = 2 * rng.normal(size=n), rng.normal(size=50), rng.normal(size=n)
    got = Sketch.of(scores, coefficients, kernel=kernel).sums(points)
    expected = naive.kernel_sums(kernel.name, points, scores, coefficients)
    size = naive.kernel_sums(kernel.name, points, scores, np.abs(coefficients))
    assert (np.abs(got - expected) <= 1e-12 * np.abs(size)).all()


@every_kernel
def test_grid_and_runs_agree(kernel):
    """The two ways from rows to points, on the same rows."""
    rng = np.random.default_rng(3)
    scores, weights = 2 * rng.normal(size=40_000), rng.random(40_000)
    part = rng.integers(0, 3, size=40_000)
    grid, runs = binned(scores, part, 3, kernel=kernel), Runs(kernel, scores, part, 3)
    assert isinstance(grid, Grid)
    results = []
    for rows in (grid, runs):
        sketches = rows.sketches(weights)
        results.append(rows.at_rows([node_sums(places, sketches[2])[1:] for places in rows.places], weights))
    assert_allclose(*results, rtol=2e-12)


@every_kernel
@pytest.mark.parametrize("n", [1, 255, 256, 257, 250_000 + 1])
def test_no_row_is_lost(kernel, n):
    """The weights of the points sum to n, and the value 1 at all points is 1 at all rows."""
    rows = binned(np.random.default_rng(n).uniform(-2, 2, n), kernel=kernel, span=(-2, 1))
    (sketch,) = rows.sketches()
    assert_allclose(sketch.weights.sum(), n, rtol=1e-13)
    assert_allclose(rows.at_rows([np.ones((2, len(sketch.weights)))]), np.ones((2, n)), rtol=1e-13)


@every_kernel
@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    pieces=st.integers(1, 6),
    name=st.sampled_from(SPREADS),
    n=st.sampled_from([7, 100, 3000]),
)
def test_sketches_of_parts_add_up_in_any_order(kernel, seed, pieces, name, n):
    """To the sums of the whole, whether the parts are sorted or gridded, and for parts with no rows at all."""
    rng = np.random.default_rng(seed)
    scores, points, coefficients = spread(name, rng, n), spread(name, rng, 20), rng.random(n) / n / 2
    owner = rng.integers(0, pieces, size=n)
    parts = [Sketch.of(scores[owner == k], coefficients[owner == k], kernel=kernel) for k in rng.permutation(pieces)]
    whole = naive.kernel_sums(kernel.name, points, scores, coefficients)
    assert_relatively_close(reduce(add, parts).sums(points), whole, 1e-12)


@every_kernel
def test_sketches_on_a_common_grid_have_weights_that_add(kernel):
    rng = np.random.default_rng(4)
    scores, points = 4 * rng.normal(size=500), rng.normal(size=20)
    span = int(np.floor(scores.min())), int(np.floor(scores.max()))
    first, second = (Sketch.of(half, kernel=kernel, span=span) for half in (scores[:100], scores[100:]))
    merged = replace(first, weights=first.weights + second.weights)
    assert_allclose(merged.sums(points), naive.kernel_sums(kernel.name, points, scores, 1.0).astype(float), rtol=1e-12)


@every_kernel
@pytest.mark.parametrize("name", ["normal", "clusters", "±1e308"])
@pytest.mark.parametrize("n", [0, 1, 40, 8000])
def test_a_sketch_survives_as_an_array(kernel, name, n):
    rng = np.random.default_rng(5)
    kernel = replace(kernel, accuracy=1e-10)
    sketch = Sketch.of(spread(name, rng, n) if n else [], kernel=kernel)
    array = sketch.to_array()
    again = Sketch.from_array(array)
    assert array.dtype == np.float64
    assert array.nbytes == sketch.nbytes
    assert again.kernel == kernel
    for before, after in zip((*sketch.places, sketch.weights), (*again.places, again.weights), strict=True):
        assert_array_equal(before, after)


def test_a_sketch_is_small():
    """A few kilobytes stand for any number of scores."""
    assert Sketch.of(np.random.default_rng(6).normal(size=200_000)).nbytes < 3000


@every_kernel
def test_fewer_terms_reach_a_lower_accuracy(kernel):
    rng = np.random.default_rng(7)
    coarse = replace(kernel, accuracy=1e-8)
    assert coarse.terms() < kernel.terms()
    assert coarse.terms(1 / 16) < kernel.terms(1 / 16)
    scores, points = rng.normal(size=5000), np.linspace(-50, 50, 200)
    got = Sketch.of(scores, kernel=coarse).sums(points)
    assert_relatively_close(got, naive.kernel_sums(kernel.name, points, scores, 1.0), 1e-8)


def test_terms_follow_from_strip_and_accuracy():
    """The strip is π for logistic, 2 for canonical exponential; a wider strip needs fewer terms."""
    assert (LOGISTIC.terms(), CANONICAL_EXPONENTIAL.terms()) == (13, 15)
    assert (LOGISTIC.terms(1 / 16), CANONICAL_EXPONENTIAL.terms(1 / 16)) == (6, 7)


def test_long_sums_do_not_drift():
    """Far to the left of all scores φ' is -1: the slope is minus the exact sum of the coefficients."""
    for scores in (4.0 * np.arange(300_000), np.zeros(4_000_000)):
        slope = Sketch.of(scores, np.full(len(scores), 0.1)).sums([-1e9])[1, 0]
        assert abs(slope / (0.1 * len(scores)) + 1) <= 5e-13


@every_kernel
def test_the_mean_is_finite_where_differences_overflow(kernel):
    """Pairs at distances 0, 1e308 and 2e308, which is no double."""
    above = Sketch.of([1e308, 1e308, 1e308, -1e308], np.full(4, 0.25), kernel=kernel)
    below = Sketch.of([1e308, 0.0], np.full(2, 0.5), kernel=kernel)
    assert_allclose(pair_sum(above, below), 0.375e308, rtol=1e-12)


def test_no_rows_have_no_sums():
    empty = Sketch.of([])
    assert_array_equal(empty.sums([1.0, 2.0]), 0)
    assert Sketch.of([1.0]).sums([]).shape == (3, 0)
    assert_allclose((empty + Sketch.of([1.0])).sums([1.0])[0], math.log(2))


BITS = """
import hashlib, numba, numpy as np
from ordain.sketch import KERNELS, binned, node_sums
rng = np.random.default_rng(0)
for threads in (1, 2, 4):
    numba.set_num_threads(threads)
    digest = hashlib.sha256()
    for n, scale in ((250_000, 1), (250_000, 20), (9000, 1e5)):
        rng = np.random.default_rng(n)
        positive, weights = rng.random(n) < 0.2, rng.random(n)
        for kernel in KERNELS:
            rows = binned(scale * rng.normal(size=n), positive, 2, kernel=kernel)
            below, above = rows.sketches(weights)
            values = [node_sums(below.places, above, sign=-1), node_sums(above.places, below)]
            digest.update(rows.at_rows(values, weights).tobytes() + (above.weights * values[1][0]).tobytes())
    print(digest.hexdigest())
"""


def test_bits_do_not_depend_on_threads():
    environment = os.environ | {"NUMBA_NUM_THREADS": "4"}
    done = subprocess.run([sys.executable, "-c", BITS], env=environment, capture_output=True, text=True, check=True)
    digests = done.stdout.split()
    assert len(digests) == 3
    assert len(set(digests)) == 1


def test_loops_compile_where_nothing_can_be_kept():
    """A function from no file has no folder for its machine code."""
    names: dict = {}
    exec("def twice(x):\n    return 2 * x", names)
    assert compiled()(names["twice"])(21) == 42


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: Sketch.of([0.0, np.nan]), "finite"),
        (lambda: Sketch.of([0.0, np.inf]), "finite"),
        (lambda: Sketch.of([[0.0]]), "one-dimensional"),
        (lambda: Sketch.of([0.0, 1.0], [1.0]), "each of 2 rows"),
        (lambda: Sketch.of([0.0, 9.0], span=(0, 5)), "bins 0 to 5"),
        (lambda: binned([0.0, 1.0], [0, 2], 2), "from 0 to 1"),
        (lambda: binned([0.0, 1.0], [0], 2), "from 0 to 1"),
        (lambda: Sketch.of([0.0]) + Sketch.of([0.0], kernel=CANONICAL_EXPONENTIAL), "same kernel"),
    ],
)
def test_wrong_input_is_told_what_must_hold(wrong, says):
    with pytest.raises(ValueError, match=says):
        wrong()
