"""The proof that DEGREE makes at most twice the mistakes of its tournament, as a program with a trace [Balcan08]_.

A *compressed sequence* is a rising list of levels: a degree d, a whole number m of items that have it, and how these
are shared between winners and losers, w + l = m, not necessarily in whole numbers. With C(x, 2) = x(x - 1)/2,

    g = Σ l_i w_j over levels j ≤ i,    f = Σ l_i d_i - C(Σ l_i, 2),

which are :func:`~ordain.theorems.exact.tournaments.degree_mistakes` and
:func:`~ordain.theorems.exact.tournaments.pair_mistakes_by_scores` where all shares are whole. Theorem 3: if
Landau's condition holds, g ≤ 2f. The proof turns any such sequence, level by level, into a canonical one of at most
three levels (losers only; anything; winners only), with g - 2f never falling, and shows g - 2f ≤ 0 there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ordain.theorems.exact.tournaments import degree_mistakes, pair_mistakes, scores_of

Name = Literal["1a", "1b", "2", "3"]
"""The transformations of the proof."""


@dataclass(frozen=True)
class Level:
    """A degree with the winners and losers that have it."""

    degree: Fraction
    winners: Fraction
    losers: Fraction

    @property
    def items(self) -> Fraction:
        """m = w + l."""
        return self.winners + self.losers


@dataclass(frozen=True)
class Compressed:
    """Levels of rising degrees; see the module."""

    levels: tuple[Level, ...]

    @property
    def pair_mistakes(self) -> Fraction:
        """f = Σ l_i d_i - C(Σ l_i, 2)."""
        losers = sum((level.losers for level in self.levels), Fraction(0))
        return sum((level.losers * level.degree for level in self.levels), Fraction(0)) - losers * (losers - 1) / 2

    @property
    def degree_mistakes(self) -> Fraction:
        """g = Σ l_i w_j over j ≤ i."""
        mistakes = below = Fraction(0)
        for level in self.levels:
            below += level.winners
            mistakes += level.losers * below
        return mistakes

    @property
    def excess(self) -> Fraction:
        """g - 2f, which Theorem 3 says is at most 0."""
        return self.degree_mistakes - 2 * self.pair_mistakes

    @property
    def is_landau(self) -> bool:
        """Landau's condition, where levels end: in between, with k items, the sum is linear in k and C(k, 2) convex."""
        items, total, held = Fraction(0), Fraction(0), True
        for level in self.levels:
            items, total = items + level.items, total + level.items * level.degree
            held = held and total >= items * (items - 1) / 2
        return held and total == items * (items - 1) / 2

    @property
    def is_canonical(self) -> bool:
        """At most one level besides a lowest one of losers and a highest one of winners.

        Then g ≤ 2f: with l₁ losers at the bottom, l and w in the middle, Landau's condition gives l₁d₁ ≥ C(l₁, 2) and
        l₁d₁ + (l + w)d ≥ C(l₁ + l + w, 2). In the shares w/(l + w) and l/(l + w) they add up to
        l₁d₁ + ld ≥ C(l₁ + l, 2) + lw/2, which is f ≥ g/2. Without a middle f = l₁d₁ - C(l₁, 2) ≥ 0 = g.
        """
        middle = list(self.levels)
        if middle and not middle[0].winners:
            middle = middle[1:]
        if middle and not middle[-1].losers:
            middle = middle[:-1]
        return len(middle) <= 1


@dataclass(frozen=True)
class Step:
    """A transformation of the levels `at` and `at` + 1, and the sequence after it."""

    name: Name
    at: int
    result: Compressed


@dataclass(frozen=True)
class Trace:
    """A sequence and the steps that lead from it to a canonical one: the certificate of g ≤ 2f for that sequence."""

    start: Compressed
    steps: tuple[Step, ...]

    @property
    def sequences(self) -> tuple[Compressed, ...]:
        """The start, and what every step led to."""
        return (self.start, *(step.result for step in self.steps))

    @property
    def end(self) -> Compressed:
        """The canonical sequence."""
        return self.sequences[-1]

    def __str__(self) -> str:
        names = ", ".join(step.name for step in self.steps) or "nothing to do"
        return f"g - 2f = {self.start.excess} ≤ {self.end.excess} ≤ 0, by {names}."


def compressed(scores: Any, labels: ArrayLike) -> Compressed:
    """Scores and labels as levels; equal scores are one level."""
    items = sorted(zip(np.asarray(scores).tolist(), np.asarray(labels).tolist(), strict=True))
    levels = []
    for degree, group in groupby(items, key=lambda item: item[0]):
        of_level = [label for _, label in group]
        winners = sum(of_level)
        levels.append(Level(Fraction(degree), Fraction(winners), Fraction(len(of_level) - winners)))
    return Compressed(tuple(levels))


def canonised(sequence: Compressed) -> Trace:
    """Theorem 3's proof run on a sequence: at most 3n - 1 steps for n items.

    While the sequence is not canonical, some two neighbours i, j = i + 1 are in one of these cases.

    - 1a, i has no losers, or 1b, j has no winners: they become one level with their mean degree. g stays, and the
      losers' mean degree does not rise, so f does not.
    - 2, all four shares are positive: x moves from l_i to w_i and from w_j to l_j, which adds x(a - x) to g - 2f,
      a = w_j + l_i - 2(d_j - d_i). So x goes from 0 towards a/2 until one of the shares is 0.
    - 3, the same with a = 0: they become one level, which adds
      (l_i w_j (l_j + w_i) + l_j w_i (l_i + w_j)) / (w_i + l_i + w_j + l_j) > 0.

    Means of scores are majorised by the scores, so Landau's condition stays, and so do the whole numbers of items.
    Levels and positive shares together, at most 3n at first, become fewer with every step but a 2 that 3 follows; those
    two take away three together.

    Examples
    --------
    >>> print(canonised(compressed([0, 1, 2, 3], [1, 0, 0, 1])))
    g - 2f = -2 ≤ 0 ≤ 0, by 1a, 1b.
    """
    _check(sequence)
    return Trace(sequence, tuple(_steps(sequence)))


def fractional_excess(h: Any, labels: ArrayLike) -> Any:
    """g - 2f of DEGREE by sums of fractional answers, never positive: Theorem 2 needs no tournament.

    Let h be a preference in [0, 1], h(u, v) + h(v, u) = 1, the scores s(u) = Σ_{v≠u} h(u, v), f = Σ h(l, w) over losers
    l and winners w, and g the number of such pairs with s(l) ≥ s(w). Then g ≤ 2f. Proof:

    1. For any set K of k items, Σ_{u∈K} s(u) ≥ Σ_{u≠v∈K} h(u, v) = C(k, 2), since h ≥ 0 outside K and each pair inside
       contributes h(u, v) + h(v, u) = 1; if K is everything there is no outside, and it is an equality. Taking the k
       lowest scores for K, this is Landau's condition: ⟨0, …, n - 1⟩ majorises the scores. They are real, not whole.
    2. Σ_{l∈L} s(l) = Σ_{l∈L, w∈W} h(l, w) + C(|L|, 2), again counting the pairs inside L. So
       f = Σ_{l∈L} s(l) - C(|L|, 2), which is f of the compressed sequence of the scores.
    3. Equal scores form levels with whole numbers of items, and w_i winners, l_i losers among them. Every loser of
       level i has at least the score of the winners of levels j ≤ i and of no others: g = Σ_{j≤i} l_i w_j.
    4. Theorem 3 asks of a sequence that degrees be non-negative reals, numbers of items whole, shares non-negative, and
       Landau's condition; that degrees are whole is nowhere used: its steps take means of degrees, and its end uses
       Landau's condition at whole numbers of items only. By 1-3 the scores are in that domain, so g ≤ 2f.

    Ties count against us in g, so any way of breaking them is covered. So is rounding: an order by scores that are off
    by at most ε makes at most 2f + 4ε|L| mistakes. For pool the true scores to means until they fall along that order
    (isotonic regression): each moves by at most 2ε, Landau's condition stays, and f moves by at most 2ε|L|.

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> fractional_excess([[0, half, half], [half, 0, half], [half, half, 0]], [1, 0, 0])
    Fraction(0, 1)
    """
    return degree_mistakes(scores_of(h), labels) - 2 * pair_mistakes(h, labels)


def _check(sequence: Compressed) -> None:
    """Refuse what Theorem 3 does not speak of."""
    degrees = [level.degree for level in sequence.levels]
    shares = [share for level in sequence.levels for share in (level.winners, level.losers)]
    if any(a >= b for a, b in pairwise(degrees)):
        raise ValueError(f"degrees of a compressed sequence must rise. Got {', '.join(map(str, degrees))}.")
    if any(share < 0 for share in shares) or any(level.items % 1 or not level.items for level in sequence.levels):
        raise ValueError(f"winners and losers of a level must sum to a whole number ≥ 1. Got {sequence.levels}.")
    if not sequence.is_landau:
        raise ValueError(f"a compressed sequence must satisfy Landau's condition. Got {sequence.levels}.")


def _steps(sequence: Compressed) -> Iterator[Step]:
    """Transformations, until the sequence is canonical."""
    while not sequence.is_canonical:
        step = _step(sequence)
        yield step
        sequence = step.result


def _step(sequence: Compressed) -> Step:
    """The first case that applies, cases 1a and 1b before the others."""
    pairs = list(pairwise(sequence.levels))
    for at, (low, high) in enumerate(pairs):
        if not low.losers or not high.winners:
            return Step("1b" if low.losers else "1a", at, _replaced(sequence, at, _merged(low, high)))
    at, (low, high) = next((at, (low, high)) for at, (low, high) in enumerate(pairs) if low.winners and high.losers)
    if not _gain(low, high):
        return Step("3", at, _replaced(sequence, at, _merged(low, high)))
    return Step("2", at, _replaced(sequence, at, *_shifted(low, high)))


def _gain(low: Level, high: Level) -> Fraction:
    """a = w_j + l_i - 2(d_j - d_i)."""
    return high.winners + low.losers - 2 * (high.degree - low.degree)


def _merged(low: Level, high: Level) -> Level:
    """One level with the mean degree."""
    items = low.items + high.items
    degree = (low.items * low.degree + high.items * high.degree) / items
    return Level(degree, low.winners + high.winners, low.losers + high.losers)


def _shifted(low: Level, high: Level) -> tuple[Level, Level]:
    """x from low losers to low winners and from high winners to high losers, as near to a/2 as the shares allow."""
    least, most = -min(low.winners, high.losers), min(low.losers, high.winners)
    x = min(max(_gain(low, high) / 2, least), most)
    return (
        Level(low.degree, low.winners + x, low.losers - x),
        Level(high.degree, high.winners - x, high.losers + x),
    )


def _replaced(sequence: Compressed, at: int, *levels: Level) -> Compressed:
    """The sequence with other levels in the places `at` and `at` + 1."""
    return Compressed((*sequence.levels[:at], *levels, *sequence.levels[at + 2 :]))
