"""What one answer says: the chance of it, given how far apart the items are and how often the judge lapses.

With probability 2ε the judge lapses and tosses a coin, otherwise it prefers the first with log-odds d, so that

    q(d) = ε + (1 - 2ε) σ(d),    loss = -y log q(d) - (1 - y) log q(-d).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ordain._types import Vector

SPREADS = 10.0 ** (np.arange(-8, 9) / 4)
"""The values of τ that are tried."""

LAPSES = np.array([0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4])
"""The values of ε that are tried."""

PLACES = np.array([0.03, 0.1, 0.3, 1.0, 3.0])
"""The prior standard deviations of the position term among which the answers decide."""

HUGE = 700.0
"""What margins are cut at from below: the exponential is just finite."""


class Noise(NamedTuple):
    """τ, how the scores spread, and ε, how often the judge lapses; or the values of each that are tried.

    `place` is the prior standard deviation of the position term.
    """

    spread: Any
    lapse: Any
    place: float = float(PLACES[-1])


def won(d: Vector, noise: Noise) -> Vector:
    """q(d), the chance that the first is preferred."""
    return noise.lapse + (1 - 2 * noise.lapse) * chances(d)[0]


def chances(d: Vector) -> tuple[Vector, Vector]:
    """σ(d) and σ(-d), both to rounding."""
    e = np.exp(-np.maximum(d, -HUGE))
    p = 1 / (1 + e)
    return p, e * p


def losses(d: Vector, y: Vector, noise: Noise) -> Vector:
    """-y log q(d) - (1 - y) log q(-d)."""
    if noise.lapse:
        return answered(d, y, noise)[0]
    d = np.maximum(d, -HUGE)
    return np.log(1 + np.exp(-d)) + (1 - y) * d  # -log σ(-d) = -log σ(d) + d


def expected(d: Vector, y: Vector, noise: Noise) -> tuple[Vector, Vector]:
    """Downward slope of the losses in d, and their curvature were it known which answers are lapses."""
    return answered(d, y, noise)[1:]


def answered(d: Vector, y: Vector, noise: Noise) -> tuple[Vector, Vector, Vector]:
    """Losses, and what `expected` gives, from one exponential."""
    d = np.maximum(d, -HUGE)
    e = np.exp(-d)
    whole = 1 + e
    p = 1 / whole
    other = e * p
    if noise.lapse == 0:
        return np.log(whole) + (1 - y) * d, y - p, p * other
    kept = 1 - 2 * noise.lapse
    q, rest = noise.lapse + kept * p, noise.lapse + kept * other
    slope, up, down = kept * p * other, y / q, (1 - y) / rest
    return -y * np.log(q) - (1 - y) * np.log(rest), slope * (up - down), slope * (up * p + down * other)


def fisher(d: Vector, noise: Noise) -> Vector:
    """Information of an answer about d, q'² / (q (1 - q))."""
    p, other = chances(d)
    bend, kept = p * other, 1 - 2 * noise.lapse
    if noise.lapse == 0:
        return bend
    return (kept * bend) ** 2 / (noise.lapse * (1 - noise.lapse) + kept**2 * bend)
