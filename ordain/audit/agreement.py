"""How far an order agrees with the judge on pairs kept back, and which of two orders does better."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ordain._checks import check_share
from ordain._types import Pairs, Vector
from ordain.audit.drawn import check_asked
from ordain.audit.share import TIE, Share, is_whole


@dataclass(frozen=True)
class Agreement(Share):
    """The share of audit pairs that the order puts as the judge does."""

    def __str__(self) -> str:
        method = "Clopper–Pearson" if self.whole else "Bentkus"
        return f"The order agrees with the judge on {super().__str__()} ({method})."


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
            f"p = {self.first.p_value:.2g} ({'sign test' if self.first.whole else 'Bentkus'})."
        )


def agreement(order: Vector, pairs: Pairs, answers: ArrayLike, *, level: float = 0.95) -> Agreement:
    """How far an order, best first, agrees with the answers to random pairs it was not made from.

    Examples
    --------
    >>> print(agreement([2, 0, 1], [[0, 1], [1, 2]], [1, 1]))
    The order agrees with the judge on 0.50 of 2, 95% confidence interval 0.01 to 0.99 (Clopper–Pearson).
    """
    pairs, given = check_asked(pairs, answers)
    right = np.where(puts_first(order, pairs), given, 1 - given)
    return Agreement(float(right.sum()), len(given), check_share(level, "level"), is_whole(given))


def better(first: Vector, second: Vector, pairs: Pairs, answers: ArrayLike, *, level: float = 0.95) -> Verdict:
    """Which of two orders agrees better with the judge. Only the pairs that they put differently tell.

    For m audit pairs, orders that differ on a share q of all pairs, and agreements Δ apart, the better one is picked
    with probability about Φ(Δ √(m/q)): nine times in ten if m = 1.64 q/Δ², such as 200 pairs for q = .3 and Δ = .05.

    Examples
    --------
    >>> print(better([0, 1, 2], [2, 1, 0], [[0, 1], [2, 1], [0, 2]], [1, 0, 0.9]))
    The audit cannot tell the orders apart: agreement differs by +0.933 on 3 pairs, 3 of which tell,
    p = 0.28 (Bentkus).
    """
    pairs, given = check_asked(pairs, answers)
    mine = puts_first(first, pairs)
    differ = mine != puts_first(second, pairs)
    part = float(np.where(mine, given, 1 - given)[differ].sum())
    told = Share(part, int(differ.sum()), check_share(level, "level"), is_whole(given[differ]))
    return Verdict(told, len(given))


def puts_first(order: Vector, pairs: Pairs) -> Vector:
    """Whether the order puts the first of each pair before the second."""
    places = np.argsort(order)
    if not np.array_equal(np.asarray(order)[places], np.arange(len(places))) or pairs.max() >= len(places):
        raise ValueError(f"an order must hold every item of the pairs once, from 0 on. Got {len(places)} numbers.")
    return places[pairs[:, 0]] < places[pairs[:, 1]]
