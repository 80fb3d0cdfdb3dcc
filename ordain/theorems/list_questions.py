"""Row X on lists: what an order of several items tells, as an order and as pairs, and what each pair then counts."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.random import Generator

from ordain.rank.list_model import weighted_pairs
from ordain.theorems.exact import list_orders
from ordain.theorems.row import Measured, row


@row(
    "X-list",
    "An order of K alike items tells (K - H_K)/K a text where a pair tells 1/4, read as pairs 3(K - 1)/(4(K + 1)), "
    "which is what they tell if each counts 3/(K + 1).",
    "exact",
)
def list_information(rng: Generator, effort: int) -> Measured:
    """All orders of up to six items, seven if effort is more: slopes, curvature, wins, and the weight that is used."""
    held, most = True, 6 if effort == 1 else 7
    for k in range(2, most + 1):
        centre = np.full((k, k), Fraction(-1, k)) + np.diag([Fraction(1)] * k)
        order, wins = list_orders.stage_information(k), list_orders.won_covariance(k)
        harmonic = sum(Fraction(1, r) for r in range(1, k + 1))
        held &= bool((order == list_orders.slope_covariance(k)).all())
        held &= bool((order == (k - harmonic) / (k - 1) * centre).all())
        # A B⁺ A for A = K/4 C and B = b C is K²/16b C, and w A is the same for one w.
        told = Fraction(k * k, 16) / wins[0, 0] * Fraction(k - 1, k)
        held &= bool((wins == wins[0, 0] * Fraction(k, k - 1) * centre).all())
        held &= told * (k - 1) / k == Fraction(3 * (k - 1), 4 * (k + 1))
        held &= told / Fraction(k, 4) == Fraction(3, k + 1)
        held &= bool((weighted_pairs([np.arange(k)], [np.arange(k)]).weights == 3 / (k + 1)).all())
    gains = [4 * (1 - sum(Fraction(1, r) for r in range(1, k + 1)) / k) for k in range(2, 101)]
    held &= gains == sorted(gains) and gains[-1] < 4
    return Measured(most - 1 + len(gains), float(gains[8]), "what a text tells in a list of ten over a pair", held)
