"""How far the AUC of a scorer on new rows can be from that on the rows it was chosen by: uniform convergence.

Each bound gives ε with P(sup_f |Â(f) - A(f)| ≥ ε) ≤ δ over a class F of scorers, for every distribution; Â is the AUC
on m independent positives and n independent negatives, A its mean. As it holds for each m and n, it holds for the m
and n that a random sample happens to have (Theorem 3 of [Agarwal05]_). The counts of patterns come as logarithms, from
:mod:`ordain.bounds.shatter` for linear scorers, or ln |F| for a finite class.

============= ============================================================ ================================
method        ε                                                            from
============= ============================================================ ================================
corollary 1   √(8 (m+n)/mn (ln r + ln(4/δ)))                               [Agarwal05]_
freund        2√((ln s₊ + ln(12/δ))/m) + 2√((ln s₋ + ln(12/δ))/n)          Freund et al., in [Agarwal05]_
maximal       √((m+n)/mn) (√(2 ln 2r) + √(ln(1/δ)/2))                      proved in :func:`maximal`
matching      √(2 (ln 2s + ln(1/δ)) / min(m, n)), or less                  proved in :func:`matching`
union         √((ln 2|F| + ln(1/δ)) / 2 min(m, n))                         finitely many scorers
============= ============================================================ ================================

with r = r(F, 2m, 2n), s₊ = s(F̌, 2m), s₋ = s(F̌, 2n) and s = s(F̃, min(m, n)). ``matching`` is below ``corollary 1``
and ``maximal`` for every class, m and n; for finitely many scorers, unless they rank these rows in few ways, ``union``
is half as wide. All speak of training rows, and are wide; for a scorer tested on rows of its
own use :func:`ordain.auc_interval`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, exp, log, sqrt

from ordain._checks import check_share
from ordain.bounds.shatter import affine_faces, check_counts, faces
from ordain.certificate import Interval, decimals


def theorem_2(m: int, n: int, epsilon: float, log_r: float) -> float:
    """P(sup |Â - A| ≥ ε) ≤ 4 r(F, 2m, 2n) exp(-mnε²/8(m+n)) [Agarwal05]_, or 1."""
    return exp(min(0.0, log(4) + log_r - m * n * epsilon**2 / (8 * (m + n))))


def corollary_1(m: int, n: int, delta: float, log_r: float) -> float:
    """The ε at which Theorem 2 gives δ: √(8 (m+n) (ln r(F, 2m, 2n) + ln(4/δ)) / mn) [Agarwal05]_."""
    return sqrt(8 * (m + n) * (log_r + log(4 / delta)) / (m * n))


def freund(m: int, n: int, delta: float, log_positives: float, log_negatives: float) -> float:
    """2√((ln s(F̌, 2m) + ln(12/δ))/m) + 2√((ln s(F̌, 2n) + ln(12/δ))/n): Theorem 6 of [Agarwal05]_, printed unproved.

    Corollary 1 is narrower at d = 1, which is Figure 1 of the paper. From d = 3 on, with the counts known here, it is
    the wider one: ln s(F̌, 2m) grows like d ln m, what is known of ln r(F, 2m, 2n) like d ln mn.
    """
    return 2 * sqrt((log_positives + log(12 / delta)) / m) + 2 * sqrt((log_negatives + log(12 / delta)) / n)


def maximal(m: int, n: int, delta: float, log_r: float) -> float:
    """√((m+n)/mn) (√(2 ln 2r) + √(ln(1/δ)/2)), r = r(F, 2m, 2n): about half of Corollary 1.

    *Proof.* Let G = sup |Â - A|. One row moves every Â, and so G, by at most 1/m or 1/n; by McDiarmid's inequality
    G ≥ E G + √((m+n)/mn ln(1/δ)/2) has probability at most δ. With a second sample, A = E Â₂, so by Jensen's inequality
    E G ≤ E sup |Â₁ - Â₂|, and exchanging rows of the two by fair signs σ changes no law. As (a + b)/2 and (a - b)/2
    for equal and opposite signs are linear in them,

        Â₁ - Â₂ = Σ_i σ_i (p_i - p̃_i)/m + Σ_j σ_j (q_j - q̃_j)/n,

    p_i being the share of both samples' negatives that positive i beats and p̃_i that of its double, q_j and q̃_j
    likewise; so it is a sum of signs with Σ (coefficients)² ≤ 1/m + 1/n, and its moments are those of
    E e^{λ(Â₁ - Â₂)} ≤ e^{λ²(1/m + 1/n)/2}. As functions of σ there are at most r of them, with both signs 2r, and
    the largest has a mean of at most √(2 (1/m + 1/n) ln 2r). ∎
    """
    return sqrt((m + n) / (m * n)) * (sqrt(2 * (log(2) + log_r)) + sqrt(log(1 / delta) / 2))


def matching(m: int, n: int, delta: float, log_s: float) -> float:
    """The smaller of √(2 (ln 2s + ln(1/δ))/k) and √(2 ln 2s/k) + √((m+n) ln(1/δ)/2mn), k = min(m, n), s = s(F̃, k).

    *Proof.* Â is the mean, over all ways to match each row of the smaller class with its own row of the other, of
    the mean of k independent comparisons B₁, …, B_k in {0, ½, 1}. For convex increasing g, such as e^{λ·} with λ ≥ 0,
    Jensen's inequality over the matchings, then over a second sample of pairs whose mean is A, then fair signs σ for
    the exchange of a pair with its double, and convexity once more to part the two samples, give

        E g(sup |Â - A|) ≤ E g(sup |Σ (B_i - A)|/k) ≤ E g(sup |Σ σ_i (B_i - B̃_i)|/k) ≤ E g(2 sup |Σ σ_i (B_i - ½)|/k).

    Given the pairs, B takes at most s values as f runs through F, and |B_i - ½| ≤ ½. So the right side is, for
    g = e^{λ·}, at most 2s e^{λ²/2k}, and for g(x) = x at most √(2 ln 2s/k). By Markov's inequality at λ = kε

        P(sup |Â - A| ≥ ε) ≤ 2 s(F̃, min(m, n)) exp(-min(m, n) ε²/2),

    the first form; the second is the mean and McDiarmid's inequality, as in :func:`maximal`. ∎

    Since min(m, n) ≥ mn/(m+n), and since patterns on k pairs are the diagonals of rank matrices, so that
    s(F̃, k) ≤ r(F, k, k) ≤ r(F, 2m, 2n), it is below :func:`corollary_1` and :func:`maximal` for every class. For
    linear scorers on R^d the gain is more than the constant: ln s grows like d ln k, ln r like d ln 4mn.
    """
    k, spread = min(m, n), log(1 / delta)
    at_once = sqrt(2 * (log(2) + log_s + spread) / k)
    return min(at_once, sqrt(2 * (log(2) + log_s) / k) + sqrt((m + n) * spread / (2 * m * n)))


def union(m: int, n: int, delta: float, log_size: float) -> float:
    """√((ln 2|F| + ln(1/δ))/2k), k = min(m, n): each of |F| scorers is within it at 1 - δ/|F| (Hoeffding 1963, §5).

    Examples
    --------
    >>> round(union(200, 2000, 0.05, log(20)), 4), round(matching(200, 2000, 0.05, log(20)), 4)
    (0.1293, 0.2585)
    """
    return sqrt((log(2) + log_size + log(1 / delta)) / (2 * min(m, n)))


LINEAR: dict[str, Callable[[int, int, int, float], float]] = {
    "matching": lambda m, n, d, delta: matching(m, n, delta, log(faces(min(m, n), d))),
    "maximal": lambda m, n, d, delta: maximal(m, n, delta, log(faces(4 * m * n, d))),
    "corollary 1": lambda m, n, d, delta: corollary_1(m, n, delta, log(faces(4 * m * n, d))),
    "theorem 5": lambda m, n, d, delta: corollary_1(m, n, delta, log(affine_faces(4 * m * n, d))),
    "freund": lambda m, n, d, delta: freund(m, n, delta, log(faces(2 * m, d + 1)), log(faces(2 * n, d + 1))),
}
"""The bounds for linear scorers w·x + b on R^d; "theorem 5" is Corollary 1 with the count of the paper."""


def width(m: int, n: int, d: int, delta: float = 0.05, *, method: str = "matching") -> float:
    """ε such that every linear scorer on R^d has its AUC on new rows within ε of that on m positives and n negatives.

    With probability at least 1 - δ over the rows, whatever they are drawn from, and whichever scorer was chosen by
    them. At ½ and above it cannot tell a perfect AUC from chance.

    Parameters
    ----------
    m, n : int
        Positives and negatives, independent rows.
    d : int
        Features.
    delta : float
        The chance that it does not hold, in (0, 1).
    method : {"matching", "maximal", "corollary 1", "theorem 5", "freund"}
        Formulas in :mod:`ordain.bounds.uniform`. "matching" is the narrowest of those proved. "theorem 5" is
        Corollary 1 with r counted as in the paper.

    Examples
    --------
    >>> f"{width(200, 2000, 20):.2f}"
    '0.88'
    >>> [f"{width(200, 2000, 20, method=method):.2f}" for method in ("maximal", "corollary 1", "theorem 5")]
    ['1.74', '3.32', '3.39']
    """
    check_counts(m=m, n=n, d=d)
    check_share(delta, "delta")
    if method not in LINEAR:
        raise ValueError(f"method must be one of {', '.join(LINEAR)}. Got {method!r}.")
    return LINEAR[method](m, n, d, delta)


def rows(
    wanted: float, d: int, delta: float = 0.05, *, share: float = 0.5, method: str = "matching"
) -> tuple[int, int]:
    """The fewest positives and negatives, in this share of positives, at which :func:`width` is at most `wanted`.

    Examples
    --------
    >>> rows(0.1, 20)
    (35450, 35450)
    """
    check_share(share, "share")
    check_share(wanted, "wanted")

    def split(total: int) -> tuple[int, int]:
        positives = min(max(1, round(share * total)), total - 1)
        return positives, total - positives

    few, many = 1, 2
    while width(*split(many), d, delta, method=method) > wanted:
        few, many = many, 2 * many
    while many - few > 1:
        middle = (few + many) // 2
        enough = width(*split(middle), d, delta, method=method) <= wanted
        few, many = (few, middle) if enough else (middle, many)
    return split(many)


@dataclass(frozen=True)
class UniformBound:
    """What the training rows say about the AUC on new rows of any linear scorer chosen by them.

    Examples
    --------
    >>> print(UniformBound(20_000, 20_000, 20))
    AUC on new rows within 0.13 of that on the training rows, at 95%, for every linear scorer of 20 features, if the
    rows are independent (matching).
    >>> print(UniformBound(200, 2000, 20))
    Vacuous: 0.89, where 0.5 tells nothing from chance, for linear scorers of 20 features chosen by 200 positives and
    2,000 negatives (matching). 9,345 rows of this kind are enough to be below. Test on rows of their own instead.
    """

    positives: int
    negatives: int
    features: int
    delta: float = 0.05
    method: str = "matching"

    @property
    def width(self) -> float:
        """ε of :func:`width`."""
        return width(self.positives, self.negatives, self.features, self.delta, method=self.method)

    @property
    def vacuous(self) -> bool:
        """Whether even a perfect AUC on the training rows would not show one above ½."""
        return self.width >= CHANCE

    @property
    def needed(self) -> int:
        """How many rows with this share of positives it takes not to be vacuous."""
        share = self.positives / (self.positives + self.negatives)
        return sum(rows(CHANCE, self.features, self.delta, share=share, method=self.method))

    def interval(self, value: float) -> Interval:
        """The AUC on new rows, where `value` is that on the training rows."""
        low, high = max(0.0, value - self.width), min(1.0, value + self.width)
        return Interval(value, low, high, 1 - self.delta, f"uniform over linear scorers, {self.method}")

    def __str__(self) -> str:
        digits = decimals(self.width)
        shown = f"{ceil(self.width * 10**digits) / 10**digits:.{digits}f}"
        if not self.vacuous:
            return (
                f"AUC on new rows within {shown} of that on the training rows, at {100 * (1 - self.delta):g}%, "
                f"for every linear scorer of {self.features} features, if the rows are independent ({self.method})."
            )
        return (
            f"Vacuous: {shown}, where {CHANCE:g} tells nothing from chance, for linear scorers of {self.features} "
            f"features chosen by {self.positives:,} positives and {self.negatives:,} negatives ({self.method}). "
            f"{self.needed:,} rows of this kind are enough to be below. Test on rows of their own instead."
        )


CHANCE = 0.5
"""From this width on a bound is vacuous."""
