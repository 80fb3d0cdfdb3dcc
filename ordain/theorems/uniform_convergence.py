"""Rows U: the AUC as an estimate, rank matrices, bounds that hold for all scorers of a class at once [Agarwal05]_."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import exp, factorial, isclose, log, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from ordain.bounds import interval, uniform
from ordain.bounds.shatter import affine_faces, faces, forbidden, psi, rank_matrix, realisable, sign_patterns, witness
from ordain.bounds.variance import plain_evidence
from ordain.measure import auc
from ordain.theorems.row import Measured, row


@dataclass(frozen=True)
class Finite:
    """Whole-number masses of points for positives and for negatives, and scorers as rows of scores of the points."""

    positives: Any
    negatives: Any
    scorers: Any

    @property
    def ranks(self) -> Any:
        """Twice the rank matrix of all points, for each scorer."""
        return np.array([2 * rank_matrix(scores, scores) for scores in self.scorers]).astype(int)

    def accuracy(self) -> list[Fraction]:
        """A of each scorer."""
        total = int(self.positives.sum() * self.negatives.sum())
        return [Fraction(int(self.positives @ rank @ self.negatives), 2 * total) for rank in self.ranks]

    def samples(self, m: int, n: int) -> tuple[Any, Any, Any]:
        """All samples of m positives and n negatives, as points, and their weights."""
        points = range(len(self.positives))
        drawn = np.array(list(product(points, repeat=m + n)))
        above, below = drawn[:, :m], drawn[:, m:]
        return above, below, self.positives[above].prod(axis=1) * self.negatives[below].prod(axis=1)

    def wins(self, above: Any, below: Any) -> Any:
        """2mn times the AUC of each scorer on each sample."""
        return self.ranks[:, above[:, :, None], below[:, None, :]].sum(axis=(2, 3))


def _finite(rng: Generator, points: int = 3, scorers: int = 4) -> Finite:
    masses = rng.integers(1, 5, (2, points))
    return Finite(masses[0], masses[1], rng.integers(0, points, (scorers, points)))


def _mean(values: Any, weights: Any) -> Fraction:
    return Fraction(int((values * weights).sum()), int(weights.sum()))


@row("U-auc", "The AUC, a tie counting ½, is an unbiased estimate of the ranking accuracy.", "exact")
def unbiased(rng: Generator, effort: int) -> Measured:
    """Mean of the measured AUC over all samples, against the accuracy."""
    worst, cases = Fraction(0), 0
    for _ in range(6 * effort):
        case, (m, n) = _finite(rng, scorers=2), rng.integers(1, 3, 2).tolist()
        above, below, weights = case.samples(m, n)
        for scores, accuracy in zip(case.scorers, case.accuracy(), strict=True):
            rows = np.hstack((scores[above], scores[below]))
            labels = [1] * m + [0] * n
            wins = np.array([round(2 * m * n * auc(labels, sample)) for sample in rows])
            worst = max(worst, abs(_mean(wins, weights) / (2 * m * n) - accuracy))
            cases += len(rows)
    return Measured(cases, float(worst), "largest bias", worst == 0)


def _made(m: int, n: int) -> set[bytes]:
    """Rank matrices of all scores of m positives and n negatives, from the definition."""
    scores = np.array(list(product(range(m + n), repeat=m + n)))
    above, below = scores[:, :m, None], scores[:, None, m:]
    doubled = ((above > below).astype(np.int8) + (above >= below)).reshape(len(scores), -1)
    return {matrix.tobytes() for matrix in doubled}


@row("U-matrix", "A matrix is a rank matrix exactly if it holds none of the 30 forbidden ones of two by two.", "exact")
def forbidden_matrices(rng: Generator, effort: int) -> Measured:
    """All matrices of two by two and three by three: forbidden inside, scores that make it, all scores tried."""
    agree, counts = len(forbidden()) == 30, []
    for size in (2, 3):
        doubled = np.array(list(product((0, 1, 2), repeat=size * size)), dtype=np.int8)
        matrices = doubled.reshape(-1, size, size) / 2
        holds, made = realisable(matrices), _made(size, size)
        agree &= all(one == (entries.tobytes() in made) for one, entries in zip(holds, doubled, strict=True))
        some = rng.choice(len(holds), min(len(holds), 500 * effort), replace=False)
        agree &= all(holds[i] == (witness(matrices[i]) is not None) for i in some)
        counts.append(int(holds.sum()))
    bad = {tuple(matrix.ravel()) for matrix in forbidden()}
    agree &= all(realisable(np.reshape(e, (2, 2))) != (e in bad) for e in product((0.0, 0.5, 1.0), repeat=4))
    return Measured(3**4 + 3**9, counts[1], "rank matrices of three by three", bool(agree) and counts == [51, 2067])


@row(
    "U-psi",
    "ψ(m, n) has the generating function 1/(e^-x + e^-y + e^x + e^y - e^(x+y) - 2), and is ≥ 3^max(m,n).",
    "exact",
)
def counts_of_matrices(rng: Generator, effort: int) -> Measured:
    """All scores tried for m + n ≤ 6, and the product of the two series."""
    small = [(m, n) for m in range(1, 6) for n in range(1, 7 - m)]
    held = all(psi(m, n) == len(_made(m, n)) for m, n in small)
    top = 7 + effort
    counts = np.array([[Fraction(psi(m, n), factorial(m) * factorial(n)) for n in range(top)] for m in range(top)])
    series = np.array([[_denominator(m, n) for n in range(top)] for m in range(top)])
    for m, n in product(range(top), repeat=2):
        held &= (counts[: m + 1, : n + 1] * series[m::-1, n::-1][: m + 1, : n + 1]).sum() == (m == n == 0)
        held &= psi(m, n) >= 3 ** max(m, n) or not m * n
    return Measured(len(small) + top**2, psi(3, 3), "ψ(3, 3)", bool(held))


def _denominator(m: int, n: int) -> Fraction:
    """Coefficient of x^m y^n in e^-x + e^-y + e^x + e^y - e^(x+y) - 2."""
    alone = ((-1) ** m + 1) * (n == 0) + ((-1) ** n + 1) * (m == 0)
    return Fraction(alone - 1, factorial(m) * factorial(n)) - 2 * (m == n == 0)


@row(
    "U-shatter", "Linear scorers on R^d make at most faces(mn, d) rank matrices, 3 at d = 1; s(F̌, N) is 4N+1.", "exact"
)
def linear_patterns(rng: Generator, effort: int) -> Measured:
    """Patterns of random whole-number points, against the counts; the printed (2eN/d)^d for N < d."""
    held, nearest, cases = True, 0.0, 0
    for d, _ in product((1, 2, 3), range(4 * effort)):
        m, n = rng.integers(1, 4 if d < 3 else 3, 2).tolist()
        points = rng.integers(-99, 100, (m + n, d))
        pairs = (points[:m, None] - points[None, m:]).reshape(-1, d)
        matrices, loose = len(sign_patterns(pairs)), len(sign_patterns(rng.integers(-99, 100, (m * n, d))))
        held &= matrices <= min(faces(m * n, d), psi(m, n)) and matrices <= 3 ** (m * n)
        held &= loose <= faces(m * n, d) <= affine_faces(m * n, d)
        nearest, cases = max(nearest, loose / faces(m * n, d)), cases + 2
        if d < 3 and len({*map(tuple, points.tolist())}) == m + n > 1:
            lifted = np.column_stack((points, np.ones(m + n, dtype=int)))
            held &= len(sign_patterns(lifted)) <= faces(m + n, d + 1)
            held &= d > 1 or len(sign_patterns(lifted)) == 4 * (m + n) + 1
    held &= all(affine_faces(N, d) <= (2 * math.e * N / d) ** d for d in range(1, 9) for N in range(d, 30))
    held &= faces(2, 30) == 9 > (2 * math.e * 2 / 30) ** 30
    return Measured(cases, nearest, "largest share of faces(N, d) that N vectors have", bool(held and nearest == 1))


@row(
    "U-thm2", "P(sup |Â - A| ≥ ε) ≤ 4 r(F, 2m, 2n) exp(-mnε²/8(m+n)); Corollary 1 is the ε where this is δ.", "numeric"
)
def theorem_2(rng: Generator, effort: int) -> Measured:
    """The constants from the moves of single rows, the interval put back into the theorem, and samples of 400 × 400
    rows on a line, where it says ½.
    """
    held, worst = True, 0.0
    for _ in range(20 * effort):
        m, n, d = rng.integers(1, (10**4, 10**4, 30)).tolist()
        delta, log_r = float(rng.uniform(1e-6, 0.5)), log(faces(4 * m * n, d))
        epsilon = uniform.corollary_1(m, n, delta, log_r)
        moves = m * (2 / m) ** 2 + n * (2 / n) ** 2  # a swap moves the difference of the AUCs by 2/m or 2/n
        rebuilt = 2 * 2 * exp(log_r - 2 * (epsilon / 2) ** 2 / moves)
        worst = max(worst, abs(uniform.theorem_2(m, n, epsilon, log_r) / delta - 1), abs(rebuilt / delta - 1))
        fewest = sqrt(2 * (m + n) / (m * n))  # below it Chebyshev's ½ fails, and the theorem must say nothing
        held &= (m + n) / (4 * m * n) / (fewest / 2) ** 2 <= 0.5 + 1e-12
        held &= uniform.theorem_2(m, n, fewest * (1 - 1e-12), 0.0) == 1
    for _ in range(5 * effort):
        case = _finite(rng)
        held &= _largest_swap(case, 2, 2) <= 1
    held &= _largest_swap(Finite(np.ones(3, int), np.ones(3, int), np.array([[0, 1, 2]])), 2, 2) == 1
    held &= _exceeded(rng, 20 * effort) <= 0.5
    return Measured(
        45 * effort, worst, "largest relative error of Corollary 1 put into Theorem 2", held and worst < 1e-9
    )


def _exceeded(rng: Generator, runs: int) -> float:
    """How often the AUCs of both linear scorers on a line leave their means by the ε at which the theorem says ½."""
    m, labels, often = 400, np.repeat([1, 0], 400), 0
    epsilon = uniform.corollary_1(m, m, 0.5, log(3))
    for _ in range(runs):
        found = auc(labels, rng.normal(size=2 * m) + np.sqrt(2) * labels)
        often += abs(found - 0.8413447) >= epsilon
    return often / runs if 0.3 < epsilon < 0.5 else 1.0


def _largest_swap(case: Finite, m: int, n: int) -> Fraction:
    """m/2 times the most by which exchanging one positive with its double moves the difference of two AUCs."""
    above, below, _ = case.samples(m, n)
    first, second = np.divmod(np.arange(len(above) ** 2), len(above))
    x, y = above[first].copy(), above[second].copy()
    before = case.wins(x, below[first]) - case.wins(y, below[second])
    x[:, 0], y[:, 0] = above[second][:, 0], above[first][:, 0]
    after = case.wins(x, below[first]) - case.wins(y, below[second])
    return Fraction(int(np.abs(after - before).max()), 2 * m * n) * m / 2


@row(
    "U-freund",
    "At d = 1 Corollary 1 is narrower than the bound of Freund et al. wherever it is below ½ (Figure 1).",
    "numeric",
)
def figure_1(rng: Generator, effort: int) -> Measured:
    """Both bounds at d = 1 and δ = 0.01 over sample sizes and shares, put back into their tails, with r = 3 and
    s(F̌, N) = 4N + 1 patterns; from d = 3 on the order turns.
    """
    gains, held = [], True
    for share, total in product((0.5, 0.2, 0.1, 0.01), np.geomspace(1e3, 1e8, 20 * effort).astype(int).tolist()):
        m = round(share * total)
        n = total - m
        ours, theirs = (uniform.width(m, n, 1, 0.01, method=method) for method in ("corollary 1", "freund"))
        held &= isclose(4 * 3 * exp(-m * n * ours**2 / (8 * (m + n))), 0.01)
        halves = [uniform.width(rows, rows, 1, 0.01, method="freund") / 2 for rows in (m, n)]
        held &= isclose(sum(halves), theirs)  # a part for each class, equal if the classes are
        held &= all(
            isclose(12 * (8 * rows + 1) * exp(-rows * half**2 / 4), 0.01)
            for rows, half in zip((m, n), halves, strict=True)
        )
        if ours < uniform.CHANCE:
            gains.append(theirs / ours)
    turned = all(
        uniform.width(m, m, d, 0.01, method="freund") < uniform.width(m, m, d, 0.01, method="corollary 1")
        for d, m in product((3, 5, 20), (10**2, 10**4, 10**6))
    )
    return Measured(
        len(gains), min(gains), "smallest width of Freund et al. over Corollary 1", held and min(gains) > 1 and turned
    )


@row(
    "U-mcdiarmid",
    "One row moves the AUC by at most 1/m or 1/n; Var ≤ (m+n)/4mn; U ± √((m+n) ln(2/δ)/2mn) covers.",
    "numeric",
)
def bounded_moves(rng: Generator, effort: int) -> Measured:
    """Variance and coverage over all samples; moves of one row; and the guaranteed interval inside."""
    largest, ratio, misses, inside = Fraction(0), Fraction(0), Fraction(0), True
    cases = [_finite(rng, scorers=2) for _ in range(5 * effort)]
    cases.append(Finite(np.array([1, 1]), np.array([1, 1]), np.array([[0, 1]])))
    cases.append(Finite(np.ones(3, int), np.ones(3, int), np.array([[0, 1, 2]])))  # moved across a negative: all of 1/m
    for case, (m, n) in product(cases, ((1, 1), (2, 1), (2, 2))):
        above, below, weights = case.samples(m, n)
        for wins, accuracy in zip(case.wins(above, below), case.accuracy(), strict=True):
            variance = _mean(wins**2, weights) / (2 * m * n) ** 2 - accuracy**2
            ratio = max(ratio, variance * 4 * m * n / (m + n))
            low, high = interval.mcdiarmid(wins / (2 * m * n), m, n, 0.7)
            misses = max(misses, _mean((low > accuracy) | (high < accuracy), weights))
        moved = above.copy()
        for point in range(len(case.positives)):
            moved[:, 0] = point
            step = np.abs(case.wins(moved, below) - case.wins(above, below)).max()
            largest = max(largest, Fraction(int(step), 2 * n))
    for _ in range(10 * effort):
        m, n = rng.integers(1, 40, 2).tolist()
        evidence = plain_evidence(np.arange(m + n) < m, rng.normal(size=m + n))
        ours, printed = interval.guaranteed(evidence, 0.9), interval.mcdiarmid(evidence.value, m, n, 0.9)
        inside &= bool(printed[0] <= ours[0] + 1e-9 and ours[1] <= printed[1] + 1e-9)
    for m, n, delta in ((100, 200, 0.05), (1000, 30, 0.3)):
        low, high = interval.mcdiarmid(0.5, m, n, 1 - delta)
        tail = 2 * exp(-2 * ((high - low) / 2) ** 2 * m * n / (m + n))  # the half-width put back in
        inside &= isclose(tail, delta) and isclose(low + high, 1)
    held = largest == 1 and ratio <= 1 and misses <= Fraction(3, 10) and inside
    return Measured(3 * len(cases), float(ratio), "largest variance over (m+n)/4mn", held)


@row("X-uniform", "P(sup |Â - A| ≥ √((m+n)/mn) (√(2 ln 2r(F, 2m, 2n)) + √(ln(1/δ)/2))) ≤ δ.", "numeric")
def maximal(rng: Generator, effort: int) -> Measured:
    """Each step of the proof over all pairs of samples, and the width against Corollary 1."""
    held, reached = True, 0.0
    for _ in range(4 * effort):
        case = _finite(rng)
        m, n = 2, 1
        above, below, weights = case.samples(m, n)
        wins = case.wins(above, below)
        deviation = _supremum(case, wins, m, n)
        first, second = np.divmod(np.arange(len(weights) ** 2), len(weights))
        between = np.abs(wins[:, first] - wins[:, second]).max(axis=0)
        doubled = _mean(between, weights[first] * weights[second]) / (2 * m * n)
        mean = sum((Fraction(int(w)) * g for w, g in zip(weights, deviation, strict=True)), Fraction(0))
        mean /= int(weights.sum())
        bound = sqrt(2 * (m + n) / (m * n) * log(2 * len(case.scorers)))
        held &= mean <= doubled <= bound and _signs_are_linear(case, m, n, rng)
        reached = max(reached, float(doubled) / bound)
    for m, n, d in product((50, 2000), (50, 10**5), (1, 20)):
        narrow, wide = (uniform.width(m, n, d, method=method) for method in ("maximal", "corollary 1"))
        held &= 1.5 < wide / narrow < 2.5
        centre = sqrt(2 * (m + n) / (m * n) * log(2 * faces(4 * m * n, d)))
        held &= abs(exp(-2 * m * n / (m + n) * (narrow - centre) ** 2) / 0.05 - 1) < 1e-9
    return Measured(4 * effort, reached, "largest mean of the supremum over its bound", bool(held))


def _supremum(case: Finite, wins: Any, m: int, n: int) -> list[Fraction]:
    """sup |Â - A| of every sample."""
    accuracy = case.accuracy()
    return [
        max(abs(Fraction(int(w), 2 * m * n) - a) for w, a in zip(column, accuracy, strict=True)) for column in wins.T
    ]


def _signs_are_linear(case: Finite, m: int, n: int, rng: Generator) -> bool:
    """Whether Â₁ - Â₂, rows exchanged by signs, is the sum in the proof, with coefficients of at most 1/m and 1/n."""
    rank = case.ranks[0]
    x, z = rng.integers(0, len(rank), (2, m)), rng.integers(0, len(rank), (2, n))
    p = rank[x[:, :, None, None], z].sum(axis=(2, 3))  # 4n times the share of all negatives beaten
    q = rank[x[:, :, None, None], z].sum(axis=(0, 1))
    linear = []
    for signs in product((0, 1), repeat=m + n):
        one, two = np.array(signs[:m], dtype=int), np.array(signs[m:], dtype=int)
        a = rank[x[one, range(m)][:, None], z[two, range(n)]].sum()
        b = rank[x[1 - one, range(m)][:, None], z[1 - two, range(n)]].sum()
        by_rows = ((p[0] - p[1]) * (1 - 2 * one)).sum() + ((q[0] - q[1]) * (1 - 2 * two)).sum()
        linear.append(2 * (a - b) == by_rows)
    return all(linear) and bool((np.abs(p[0] - p[1]) <= 4 * n).all() and (np.abs(q[0] - q[1]) <= 4 * m).all())


@row(
    "X-matching",
    "P(sup |Â - A| ≥ ε) ≤ 2 s(F̃, k) exp(-kε²/2), k = min(m, n): below Theorem 2 for every class.",
    "numeric",
)
def matching(rng: Generator, effort: int) -> Measured:
    """Each step of the proof over all samples, moments of the supremum included, and the width against the others."""
    held, reached = True, 0.0
    for _ in range(4 * effort):
        case, m, n = _finite(rng), 2, 3
        above, below, weights = case.samples(m, n)
        deviation = np.array(_supremum(case, case.wins(above, below), m, n))
        mean = (deviation * weights).sum() / Fraction(int(weights.sum()))
        paired, signed = _by_pairs(case, m)
        bound = sqrt(2 * log(2 * len(case.scorers)) / m)
        held &= mean <= paired <= signed <= bound
        for rate in (0.5, 1.0, 2.0, 4.0):
            moment = float((np.exp(rate * deviation.astype(float)) * weights).sum() / weights.sum())
            held &= moment <= 2 * len(case.scorers) * exp(rate**2 / (2 * m))
        reached = max(reached, float(signed) / bound)
    for m, n, d, delta in product((50, 2000), (50, 10**5), (1, 3, 20), (1e-12, 0.05, 0.5)):
        narrow = uniform.width(m, n, d, delta)
        k, log_s = min(m, n), log(faces(min(m, n), d))
        at_once = log(2) + log_s - k * narrow**2 / 2 - log(delta)  # the tail put back in, over δ
        apart = 2 * m * n / (m + n) * max(0.0, narrow - sqrt(2 * (log(2) + log_s) / k)) ** 2 + log(delta)
        held &= min(abs(at_once), abs(apart)) < 1e-9
        held &= all(narrow < uniform.width(m, n, d, delta, method=method) for method in ("maximal", "corollary 1"))
    for size, delta in product((1, 20, 1000), (1e-6, 0.05, 0.5)):
        of_each, of_all = (bound(50, 70, delta, log(size)) for bound in (uniform.union, uniform.matching))
        held &= isclose(2 * size * exp(-2 * 50 * of_each**2), delta) and of_all <= 2 * of_each + 1e-12
    return Measured(4 * effort, reached, "largest mean of the supremum over its bound", bool(held))


def _by_pairs(case: Finite, k: int) -> tuple[Fraction, Fraction]:
    """E sup |Σ(B_i - A)|/k and 2 E sup |Σ σ_i (B_i - ½)|/k over k independent pairs."""
    above, below, weights = case.samples(k, k)
    beaten = case.ranks[:, above, below]
    accuracy = np.array(case.accuracy())
    apart = np.abs(beaten.sum(axis=2) / Fraction(2 * k) - accuracy[:, None]).max(axis=0)
    total = Fraction(int(weights.sum()))
    signs = np.array(list(product((-1, 1), repeat=k)))
    signed = np.abs((beaten - 1) @ signs.T).max(axis=0).sum(axis=1)
    return (apart * weights).sum() / total, Fraction(int((signed * weights).sum()), k * len(signs)) / total
