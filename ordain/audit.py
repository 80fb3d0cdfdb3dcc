"""How an order agrees with a judge on random pairs kept back for it, and how the judge behaved.

The pairs are drawn by lot, independently of the order, so what is right on them is a sample of what is right on all
pairs, whatever the order, the items and the judge are. Shares carry Clopper–Pearson intervals: for s of m, unrounded,

    low = B⁻¹(δ/2; s, m - s + 1),   high = B⁻¹(1 - δ/2; s + 1, m - s),

and p = min(1, 2 I_½(max(s, m - s), min(s, m - s) + 1)) against one half, which for whole s is the exact sign test.
Answers between 0 and 1 count by their value, ½ as half a success. They vary less than coins of the same mean, so the
interval should cover more often with them; it does in every case enumerated, which is no proof.

A ranker that has the answers to the audit's pairs is judged on what it has seen. If the judge answers afresh it is
enough not to share a memory; if it would answer the same again, :func:`withheld` keeps the pairs from the ranker.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaincinv

from ordain._checks import check_share
from ordain._types import Vector
from ordain.certificate import decimals, outward
from ordain.preference import Answers, Pairs, Preference, Spent, check_answers

ENOUGH, DOUBT = 450, 2.5
"""Triples before answers are called random, and standard deviations from coins that still look like coins.

With 500 triples a judge that errs on a fifth of the pairs is told from coins; on three tenths, it takes 3000."""

PATHS = 10**6
"""Paths of two wins that are looked at for cycles; beyond, as many are drawn."""

TIE = 1e-9
"""Closer to ½ than this an answer decides nothing."""


@dataclass(frozen=True)
class Share:
    """`part` of `of`, with an interval at `level` and a p-value against one half; see the formulas of this module."""

    part: float
    of: int
    level: float = 0.95

    @property
    def value(self) -> float:
        """The share, nan of nothing."""
        return self.part / self.of if self.of else float("nan")

    @property
    def low(self) -> float:
        """The low end of the interval."""
        return _low(self.part, self.of, self.level)

    @property
    def high(self) -> float:
        """The high end of the interval."""
        return 1 - _low(self.of - self.part, self.of, self.level)

    @property
    def p_value(self) -> float:
        """How likely a coin is to be as far from one half, on either side."""
        more = max(self.part, self.of - self.part)
        return min(1.0, 2 * float(betainc(more, self.of - more + 1, 0.5))) if self.of else 1.0

    def __str__(self) -> str:
        digits = decimals(self.high - self.low)
        low, high = outward(self.low, self.high, digits)
        return f"{self.value:.{digits}f} of {self.of:,}, {self.level * 100:g}% confidence interval {low} to {high}"


@dataclass(frozen=True)
class Agreement(Share):
    """The share of audit pairs that the order puts as the judge does."""

    def __str__(self) -> str:
        return f"The order agrees with the judge on {super().__str__()} (Clopper–Pearson)."


@dataclass(frozen=True)
class Verdict:
    """Which of two orders agrees better with the judge; `first` is the first one's share where they differ."""

    first: Share
    pairs: int

    @property
    def difference(self) -> float:
        """Agreement of the first order minus that of the second, over all audit pairs."""
        return (2 * self.first.part - self.first.of) / self.pairs

    @property
    def pick(self) -> int | None:
        """0 or 1, the order to take if one must be taken; None if they are level."""
        return None if abs(self.difference) < TIE else int(self.difference < 0)

    @property
    def shown(self) -> bool:
        """Whether the audit shows a difference at its level."""
        return self.first.p_value <= 1 - self.first.level

    def __str__(self) -> str:
        found = f"{('first', 'second')[self.pick or 0]} order agrees better with the judge"
        return (
            f"{f'The {found}' if self.shown else 'The audit cannot tell the orders apart'}: agreement differs by "
            f"{self.difference:+.3f} on {self.pairs:,} pairs, {self.first.of:,} of which tell, "
            f"p = {self.first.p_value:.2g} (sign test)."
        )


@dataclass(frozen=True)
class Cyclicity:
    """`cyclic` of `triples` go in a circle, ¼ if answers are coins; estimated from drawn paths if not `exact`."""

    cyclic: float
    triples: float
    exact: bool

    @property
    def value(self) -> float:
        """The share, nan of nothing."""
        return self.cyclic / self.triples if self.triples else float("nan")

    @property
    def beyond_chance(self) -> float:
        """(share - ¼) / √(3 / 16N), standard deviations from coins: triples with a common pair are uncorrelated."""
        return (self.value - 0.25) / np.sqrt(3 / 16 / self.triples) if self.triples else float("nan")


@dataclass(frozen=True)
class JudgeReport:
    """How a judge behaved: how often it decided and for the first shown, contradicted itself, and went in circles."""

    answers: int
    first: Share
    contradictions: Share
    cycles: Cyclicity

    @property
    def character(self) -> str | None:
        """What is wrong with the judge as a whole, if something is."""
        if self.answers and not self.first.of:
            return "The judge always says ½"
        if self.first.p_value < 0.01 and self.first.part in (0, self.first.of):
            return f"The judge always says {'first' if self.first.part else 'second'}"
        if self.cycles.triples < ENOUGH or self.cycles.beyond_chance < -DOUBT:
            return None
        cyclic = self.cycles.beyond_chance > DOUBT
        return "The judge is more cyclic than coins" if cyclic else "The answers look random"

    def __str__(self) -> str:
        parts = [self.character] if self.character else []
        if self.first.of:
            parts.append(f"The first shown won {self.first}, p = {self.first.p_value:.2g}")
        if self.contradictions.of:
            parts.append(f"Asked in both orders, it contradicted itself on {self.contradictions}")
        if self.cycles.triples:
            about = "" if self.cycles.exact else "about "
            parts.append(f"Of three items {about}{self.cycles.value:.3f} are in a circle; of coins 0.250 would be")
        return ". ".join(parts or ["Nothing was answered"]) + "."


def held_back(n: int, count: int, rng: np.random.Generator) -> Pairs:
    """`count` different pairs of n items by lot, each in random order.

    Examples
    --------
    >>> len(held_back(1000, 200, np.random.default_rng(0)))
    200
    """
    if not 0 < count <= n * (n - 1) // 2:
        raise ValueError(f"count must be from 1 to the {n * (n - 1) // 2} pairs of {n} items. Got {count}.")
    odd = n % 2
    around, circle = rng.choice(n * (n - 1) // 2, count, replace=False), n - 1 + odd
    # A round robin: u meets the one d places on around a circle of odd size; d = 0 is the item outside it.
    apart, first = around // circle + odd, around % circle
    return _swapped(np.column_stack((first, np.where(apart, (first + apart) % circle, n - 1))), rng)


def random_triples(n: int, count: int, rng: np.random.Generator) -> Pairs:
    """The 3 `count` pairs of random triples, each pair in random order: what :func:`cyclicity` needs to be shown."""
    triples = np.array([rng.choice(n, 3, replace=False) for _ in range(count)])
    return _swapped(triples[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), rng)


def withheld(prefer: Preference, pairs: Pairs) -> Preference:
    """`prefer`, that answers ½ to the given pairs, in either order, and never asks them.

    A sort pays for it where they are many: with a faultless judge, 200 pairs kept back put .033 of the pairs of 100
    items in the wrong order, .004 of 300 items, and .0003 of 1000.
    """
    kept = _keys(pairs)

    def answers(asked: Pairs) -> Answers:
        free = np.flatnonzero(~np.isin(_keys(asked), kept))
        given = np.full(len(asked), 0.5)
        try:
            given[free] = check_answers(asked[free], prefer(asked[free])) if len(free) else ()
        except Spent as spent:
            given[free[: len(spent.answers)]] = spent.answers
            raise Spent(given[: free[len(spent.answers)]]) from spent
        return given

    return answers


def agreement(order: Vector, pairs: Pairs, answers: ArrayLike, *, level: float = 0.95) -> Agreement:
    """How far an order, best first, agrees with the answers to random pairs it was not made from.

    Examples
    --------
    >>> print(agreement([2, 0, 1], [[0, 1], [1, 2]], [1, 1]))
    The order agrees with the judge on 0.50 of 2, 95% confidence interval 0.01 to 0.99 (Clopper–Pearson).
    """
    pairs, given = _checked(pairs, answers)
    right = np.where(_puts_first(order, pairs), given, 1 - given)
    return Agreement(float(right.sum()), len(given), check_share(level, "level"))


def better(first: Vector, second: Vector, pairs: Pairs, answers: ArrayLike, *, level: float = 0.95) -> Verdict:
    """Which of two orders agrees better with the judge. Only the pairs that they put differently tell.

    For m audit pairs, orders that differ on a share q of all pairs, and agreements Δ apart, the better one is picked
    with probability about Φ(Δ √(m/q)): nine times in ten if m = 1.64 q/Δ², such as 200 pairs for q = .3 and Δ = .05.

    Examples
    --------
    >>> print(better([0, 1, 2], [2, 1, 0], [[0, 1], [2, 1], [0, 2]], [1, 0, 0.9]))
    The audit cannot tell the orders apart: agreement differs by +0.933 on 3 pairs, 3 of which tell,
    p = 0.3 (sign test).
    """
    pairs, given = _checked(pairs, answers)
    mine = _puts_first(first, pairs)
    differ = mine != _puts_first(second, pairs)
    part = float(np.where(mine, given, 1 - given)[differ].sum())
    return Verdict(Share(part, int(differ.sum()), check_share(level, "level")), len(given))


def first_shown(pairs: Pairs, answers: ArrayLike, *, level: float = 0.95) -> Share:
    """How often the first shown won; answers are rounded at ½, and ½ is left out.

    The p-value is that of a judge without position bias, if every pair was shown in random order.
    """
    _, given = _checked(pairs, answers)
    return _share(given > 0.5, np.abs(given - 0.5) > TIE, level)


def contradictions(pairs: Pairs, answers: ArrayLike, *, level: float = 0.95) -> Share:
    """On how many pairs asked in both orders, and decided in both, the same place won both times.

    Answers to the same question asked again are averaged.
    """
    _, forward, backward = _leans(*_checked(pairs, answers))
    return _share(forward * backward < 0, (np.abs(forward) > TIE) & (np.abs(backward) > TIE), level)


def cyclicity(pairs: Pairs, answers: ArrayLike, rng: np.random.Generator) -> Cyclicity:
    """How many of the triples whose three pairs were all decided go in a circle.

    Answers to a pair are averaged and the majority wins. If all n items were compared with each other, and x_i is the
    number of wins, the cyclic ones are C(n, 3) - Σ x_i (x_i - 1)/2. Otherwise paths u → v → w are followed, of which a
    cyclic triple holds three and another one; all up to a million, else a million drawn with `rng`.

    Take pairs drawn by lot, as of :func:`random_triples`. Those of a sort tell nothing: two items on one side of a
    pivot are in no circle with it, so that QuickSort sees no cycles whatever the judge, unless it tosses coins.
    """
    keys, forward, backward = _leans(*_checked(pairs, answers))
    decided = np.abs(lean := forward + backward) > TIE
    items, ends = np.unique((keys >> 32, keys & (1 << 32) - 1), return_inverse=True)
    winner, loser = np.where(lean > 0, ends, ends[::-1])[:, decided]
    n = len(items)
    if len(winner) == n * (n - 1) // 2:
        wins, triples = np.bincount(winner, minlength=n), n * (n - 1) * (n - 2) // 6
        return Cyclicity(triples - int((wins * (wins - 1)).sum()) // 2, triples, True)
    return _along_paths(winner, loser, n, rng)


def judge_report(pairs: Pairs, answers: ArrayLike, rng: np.random.Generator, *, level: float = 0.95) -> JudgeReport:
    """How the judge behaved on pairs drawn by lot and shown in random order, some of them in both.

    Examples
    --------
    >>> pairs = held_back(10, 45, np.random.default_rng(0))
    >>> print(judge_report(pairs, np.ones(45), np.random.default_rng(0)))  # doctest: +ELLIPSIS
    The judge always says first. The first shown won 1.000 of 45, ...
    """
    return JudgeReport(
        len(pairs),
        first_shown(pairs, answers, level=level),
        contradictions(pairs, answers, level=level),
        cyclicity(pairs, answers, rng),
    )


def _low(part: float, of: int, level: float) -> float:
    return float(betaincinv(part, of - part + 1, (1 - level) / 2)) if part > 0 else 0.0


def _checked(pairs: Pairs, answers: ArrayLike) -> tuple[Pairs, Answers]:
    """Pairs of two different items as an array, and an answer to each."""
    asked = np.asarray(pairs)
    if asked.ndim != 2 or asked.shape[1] != 2 or asked.dtype.kind not in "iu" or not len(asked):
        raise ValueError(f"pairs must be rows of two item numbers. Got {asked.dtype} of shape {asked.shape}.")
    if (asked.min() < 0) or (asked[:, 0] == asked[:, 1]).any():
        raise ValueError("pairs must be of two different items, numbered from 0. Got one that is not.")
    return asked.astype(np.int64), check_answers(asked, answers)


def _puts_first(order: Vector, pairs: Pairs) -> Vector:
    """Whether the order puts the first of each pair before the second."""
    places = np.argsort(order)
    if not np.array_equal(np.asarray(order)[places], np.arange(len(places))) or pairs.max() >= len(places):
        raise ValueError(f"an order must hold every item of the pairs once, from 0 on. Got {len(places)} numbers.")
    return places[pairs[:, 0]] < places[pairs[:, 1]]


def _swapped(pairs: Pairs, rng: np.random.Generator) -> Pairs:
    """Each pair in random order."""
    return np.where(rng.integers(0, 2, (len(pairs), 1), dtype=bool), pairs[:, ::-1], pairs)


def _keys(pairs: Pairs) -> Vector:
    """One number for a pair in either order."""
    asked = np.asarray(pairs, dtype=np.int64)
    return asked.min(axis=1) << 32 | asked.max(axis=1)


def _leans(pairs: Pairs, answers: Answers) -> tuple[Vector, Vector, Vector]:
    """The key of each pair, and how far its smaller number was preferred when shown first and when shown second."""
    keys, pair = np.unique(_keys(pairs), return_inverse=True)
    forward = pairs[:, 0] < pairs[:, 1]
    return (
        keys,
        np.bincount(pair[forward], answers[forward] - 0.5, len(keys)),
        np.bincount(pair[~forward], 0.5 - answers[~forward], len(keys)),
    )


def _along_paths(winner: Vector, loser: Vector, n: int, rng: np.random.Generator) -> Cyclicity:
    """Cycles among the triples met on paths u → v → w; path number p is the in-edge and out-edge of its middle v."""
    wins, losses = np.bincount(winner, minlength=n), np.bincount(loser, minlength=n)
    ends = np.cumsum(wins * losses)
    exact = bool(ends[-1] <= PATHS)
    path = np.arange(ends[-1]) if exact else rng.integers(0, ends[-1], PATHS)
    v = np.searchsorted(ends, path, side="right")
    before, after = np.divmod(path - (ends - wins * losses)[v], wins[v])
    u = winner[np.argsort(loser)][(np.cumsum(losses) - losses)[v] + before]
    w = loser[np.argsort(winner)][(np.cumsum(wins) - wins)[v] + after]
    cyclic = np.count_nonzero(np.isin(w * n + u, winner * n + loser)) / 3
    return Cyclicity(cyclic, cyclic + np.count_nonzero(np.isin(u * n + w, winner * n + loser)), exact)


def _share(which: Vector, among: Vector, level: float) -> Share:
    return Share(int(np.count_nonzero(which & among)), int(np.count_nonzero(among)), check_share(level, "level"))
