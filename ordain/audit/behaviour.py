"""How the judge behaved: for the first shown, against itself, in circles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ordain._types import Pairs
from ordain.audit.circles import Cyclicity, cyclicity, leans
from ordain.audit.drawn import check_asked
from ordain.audit.share import TIE, Share, share

JUDGED_TRIPLES, DOUBT = 450, 2.5
"""Triples before answers are called random, and standard deviations from coins that still look like coins.

With 500 triples a judge that errs on a fifth of the pairs is told from coins; on three tenths, it takes 3000."""


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
        if self.cycles.triples < JUDGED_TRIPLES or self.cycles.beyond_chance < -DOUBT:
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


def first_shown(pairs: Pairs, answers: ArrayLike, *, level: float = 0.95) -> Share:
    """How often the first shown won; answers are rounded at ½, and ½ is left out.

    The p-value is that of a judge without position bias, if every pair was shown in random order.
    """
    _, given = check_asked(pairs, answers)
    return share(given > 0.5, np.abs(given - 0.5) > TIE, level)


def contradictions(pairs: Pairs, answers: ArrayLike, *, level: float = 0.95) -> Share:
    """On how many pairs asked in both orders, and decided in both, the same place won both times.

    Answers to the same question asked again are averaged.
    """
    _, forward, backward = leans(*check_asked(pairs, answers))
    return share(forward * backward < 0, (np.abs(forward) > TIE) & (np.abs(backward) > TIE), level)


def judge_report(pairs: Pairs, answers: ArrayLike, rng: np.random.Generator, *, level: float = 0.95) -> JudgeReport:
    """How the judge behaved on pairs drawn by lot and shown in random order, some of them in both.

    Examples
    --------
    >>> from ordain.audit import held_back
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
