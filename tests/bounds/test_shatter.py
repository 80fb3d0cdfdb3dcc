"""Rank matrices and their counts: every small matrix, every small sample, and where the paper slips."""

from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb, e, factorial

import mpmath
import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordain.bounds import shatter

VALUES = (0, 0.5, 1)
rank_matrices_of = cache(naive.rank_matrices)


def test_the_rank_matrix_averages_to_the_auc():
    rng = np.random.default_rng(0)
    for _ in range(20):
        above, below = rng.integers(0, 4, 3), rng.integers(0, 4, 5)
        matrix = shatter.rank_matrix(above, below)
        assert Fraction(matrix.sum()) / 15 == naive.auc([1] * 3 + [0] * 5, [*above, *below])
        assert shatter.realisable(matrix)


@pytest.mark.parametrize(("m", "n"), [(1, 1), (2, 2), (2, 3), (3, 2), (3, 3)])
def test_all_matrices_are_told_apart(m, n):
    """Those without a forbidden matrix inside, those for which scores are found, and those that scores make."""
    rank_matrices = rank_matrices_of(m, n)
    every = list(product(product(VALUES, repeat=n), repeat=m))
    holds = shatter.realisable(every)
    for matrix, kept in zip(every, holds, strict=True):
        assert kept == (matrix in rank_matrices)
        assert kept == (shatter.witness(matrix) is not None)
    assert holds.sum() == len(rank_matrices) == shatter.psi(m, n)


def test_thirty_matrices_are_forbidden_and_a_matrix_without_them_is_made():
    forbidden = {tuple(matrix.ravel()) for matrix in shatter.forbidden()}
    assert len(forbidden) == len(shatter.forbidden()) == 30
    two_by_two = rank_matrices_of(2, 2)
    assert forbidden == {
        entries for entries in product(VALUES, repeat=4) if (entries[:2], entries[2:]) not in two_by_two
    }
    rng = np.random.default_rng(1)
    for matrix in rng.choice(VALUES, (300, 3, 4)):
        inside = any(
            tuple(matrix[np.ix_(rows, columns)].ravel()) in forbidden
            for rows, columns in product(combinations(range(3), 2), combinations(range(4), 2))
        )
        assert shatter.realisable(matrix) != inside


def test_rank_matrices_are_the_acyclic_graphs():
    rng = np.random.default_rng(2)
    for matrix in [*rng.choice(VALUES, (300, 3, 3)), *np.array(sorted(rank_matrices_of(3, 3)))[::20]]:
        assert shatter.realisable(matrix) == naive.acyclic(matrix)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=5), st.lists(st.integers(0, 5), min_size=1, max_size=5))
def test_scores_are_found_for_every_rank_matrix(above, below):
    matrix = shatter.rank_matrix(above, below)
    found = shatter.witness(matrix)
    assert found is not None and np.array_equal(shatter.rank_matrix(*found), matrix)


@pytest.mark.parametrize("m", range(1, 6))
def test_psi_counts_all_matrices_made(m):
    for n in range(1, 7 - m):
        assert shatter.psi(m, n) == len(rank_matrices_of(m, n))


def test_psi_as_printed():
    assert (shatter.psi(2, 2), shatter.psi(2, 3), shatter.psi(3, 3)) == (51, 261, 2067)
    for m, n in product(range(1, 9), repeat=2):
        assert 3 ** max(m, n) <= shatter.psi(m, n) == shatter.psi(n, m) <= 3 ** (m * n)


def test_psi_has_its_generating_function():
    """The Taylor coefficients of 1/(e^-x + e^-y + e^x + e^y - e^(x+y) - 2), by numeric differentiation on circles."""
    points, radius = 24, mpmath.mpf(1) / 10
    circle = [radius * mpmath.expjpi(mpmath.mpf(2 * k) / points) for k in range(points)]
    grid = [
        [1 / (mpmath.exp(-x) + mpmath.exp(-y) + mpmath.exp(x) + mpmath.exp(y) - mpmath.exp(x + y) - 2) for y in circle]
        for x in circle
    ]
    for m, n in product(range(5), repeat=2):
        inner = [mpmath.fsum(v * y ** (-n) for v, y in zip(row, circle, strict=True)) / points for row in grid]
        value = mpmath.fsum(v * x ** (-m) for v, x in zip(inner, circle, strict=True)) / points
        assert mpmath.nint(value.real * factorial(m) * factorial(n)) == shatter.psi(m, n)


def test_psi_by_blocks():
    """The blocks one by one: sequences of kinds P, N, B without PP and NN, times the ways to fill them."""

    def kinds(p, q):
        """How many sequences have p blocks with positives and q with negatives."""
        ways = {(0, 0, ""): 1}
        total = 0
        for _ in range(p + q):
            grown = {}
            for (a, b, last), count in ways.items():
                for kind, da, db in (("P", 1, 0), ("N", 0, 1), ("B", 1, 1)):
                    if (kind != "B" and kind == last) or a + da > p or b + db > q:
                        continue
                    key = (a + da, b + db, kind)
                    grown[key] = grown.get(key, 0) + count
            total += sum(count for (a, b, _), count in grown.items() if (a, b) == (p, q))
            ways = grown
        return total

    for m, n in [(4, 4), (5, 3), (6, 6), (12, 9)]:
        blocks = sum(
            kinds(p, q) * factorial(p) * factorial(q) * naive.stirling(m, p) * naive.stirling(n, q)
            for p, q in product(range(1, m + 1), range(1, n + 1))
        )
        assert shatter.psi(m, n) == blocks


def test_faces_three_ways():
    for d in range(1, 12):
        assert all(shatter.faces(N, d) == 3**N for N in range(d + 1))
        for N in range(d, 40):
            assert shatter.faces(N, d) == naive.faces(N, d)
        for N in range(d + 1, 40):
            assert shatter.faces(N, d) == shatter.faces(N - 1, d) + 2 * (shatter.faces(N - 1, d - 1) - 1)
    assert [shatter.faces(N, 1) for N in (1, 7, 10**9)] == [3, 3, 3]
    assert shatter.faces(10**9, 2) == 4 * 10**9 + 1


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(-6, 6), st.integers(-6, 6)).filter(any), min_size=1, max_size=5))
def test_patterns_of_vectors_in_the_plane(vectors):
    found = shatter.sign_patterns(vectors)
    assert found >= naive.plane_patterns(vectors)
    lines = len(naive.lines(vectors))
    assert len(found) == (1 + 4 * lines if lines > 1 else 3)
    assert len(found) <= shatter.faces(len(vectors), 2)


def test_patterns_of_vectors_in_space():
    """In general position the count is faces(N, 3); on a line, in a plane or repeated, what is left of it."""
    rng = np.random.default_rng(3)
    for N in range(1, 8):
        vectors = rng.integers(-99, 100, (N, 3))
        found = shatter.sign_patterns(vectors)
        assert len(found) == shatter.faces(N, 3)
        tried = np.sign(rng.normal(size=(2000, 3)) @ vectors.T).astype(int)
        assert found >= {tuple(pattern) for pattern in tried.tolist()}
        flat = vectors.copy()
        flat[:, 2] = 0
        assert len(shatter.sign_patterns(flat)) == shatter.faces(N, 2) == len(shatter.sign_patterns(flat[:, :2]))
        assert len(shatter.sign_patterns(np.repeat(vectors, 2, axis=0))) == len(found)
    assert shatter.sign_patterns(np.zeros((3, 2), dtype=int)) == {(0, 0, 0)}


def test_rank_matrices_of_linear_scorers():
    """Three at d = 1; at most faces(mn, d); all ψ(m, n) once d ≥ m + n - 1; patterns on pairs are diagonals."""
    rng = np.random.default_rng(4)
    for d, (m, n) in product((1, 2, 3), ((1, 1), (1, 2), (2, 2), (1, 3), (3, 2))):
        points = rng.integers(-99, 100, (m + n, d))
        pairs = (points[:m, None] - points[None, m:]).reshape(-1, d)
        matrices = shatter.sign_patterns(pairs)
        assert len(matrices) <= min(shatter.faces(m * n, d), shatter.psi(m, n), 3 ** (m * n))
        assert d > 1 or len(matrices) == 3
        assert d < m + n - 1 or len(matrices) == shatter.psi(m, n)
        assert all(shatter.realisable(np.reshape(pattern, (m, n)) / 2 + 0.5) for pattern in matrices)
        diagonal = {tuple(pattern[i * n + i] for i in range(min(m, n))) for pattern in matrices}
        assert len(diagonal) == shatter.faces(min(m, n), d)


@pytest.mark.parametrize("N", range(2, 7))
def test_thresholds_of_linear_scorers_on_the_line(N):
    """sign(w(x - z)) for all w and z, by trying a z at, between and beyond the points: 4N + 1, and 3 at N = 1."""
    points = np.arange(N) ** 2
    cuts = np.concatenate([points, points + 0.5, [-1]])
    patterns = {tuple(np.sign(w * (points - z))) for w in (-1, 0, 1) for z in cuts}
    assert len(patterns) == shatter.faces(N, 2) == 4 * N + 1
    assert shatter.faces(1, 2) == 3
    lifted = np.column_stack((points, np.ones(N, dtype=int)))
    assert shatter.sign_patterns(lifted) == patterns


def test_the_printed_bound_on_faces_is_false_below_d():
    """Lemma 2 prints Σ 2^i C(N, i) ≤ (2eN/d)^d; that needs N ≥ d. Below, the right side even falls as d grows."""
    printed = {(N, d): (2 * e * N / d) ** d for N in range(1, 40) for d in range(1, 40)}
    assert all(shatter.affine_faces(N, d) <= printed[N, d] for N, d in printed if d <= N)
    assert shatter.affine_faces(2, 12) == shatter.faces(2, 12) == 9 > printed[2, 12]
    assert printed[2, 30] < printed[2, 20] < printed[2, 12]
    for N, d in printed:
        assert shatter.affine_faces(N, d) == sum(2**i * comb(N, i) for i in range(d + 1)) >= shatter.faces(N, d)


REFUSED = {
    "m must be a whole number, 0 or more. Got -1": lambda: shatter.psi(-1, 2),
    "d must be a whole number, 0 or more. Got 1.5": lambda: shatter.faces(3, 1.5),
    "entries 0, 0.5 or 1": lambda: shatter.realisable([[2, 0]]),
    "two dimensions": lambda: shatter.witness([1, 0]),
    "whole numbers in 1 to 3 columns": lambda: shatter.sign_patterns([[0.5, 1.0]]),
}


@pytest.mark.parametrize(("message", "call"), REFUSED.items(), ids=REFUSED)
def test_what_is_refused(message, call):
    with pytest.raises(ValueError, match=message):
        call()
