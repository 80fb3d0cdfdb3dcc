"""What one answer says: the chance of it, given how far apart the items are and how often the judge lapses.

With probability 2ε the judge lapses and tosses a coin, otherwise it prefers the first with log-odds d, so that

    q(d) = ε + (1 - 2ε) σ(d),    loss = -y log q(d) - (1 - y) log q(-d).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from ordain._types import Vector

SPREADS = 10.0 ** (np.arange(-8, 9) / 4)
"""The values of τ that are tried."""

LAPSES = np.array([0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4])
"""The values of ε that are tried."""


class Noise(NamedTuple):
    """τ, how the scores spread, and ε, how often the judge lapses; or the values of each that are tried."""

    spread: Any
    lapse: Any


def won(d: Vector, noise: Noise) -> Vector:
    """q(d), the chance that the first is preferred."""
    return noise.lapse + (1 - 2 * noise.lapse) * expit(d)


def losses(d: Vector, y: Vector, noise: Noise) -> Vector:
    """-y log q(d) - (1 - y) log q(-d)."""
    if noise.lapse == 0:
        return np.maximum(d, 0) - y * d - np.log(expit(np.abs(d)))
    q = won(d, noise)
    return -y * np.log(q) - (1 - y) * np.log(1 - q)


def expected(d: Vector, y: Vector, noise: Noise) -> tuple[Vector, Vector]:
    """Downward slope of the losses in d, and their curvature were it known which answers are lapses."""
    p = expit(d)
    if noise.lapse == 0:
        return y - p, p * (1 - p)
    q, slope = noise.lapse + (1 - 2 * noise.lapse) * p, (1 - 2 * noise.lapse) * p * (1 - p)
    up, down = y / q, (1 - y) / (1 - q)
    return slope * (up - down), slope * (up * p + down * (1 - p))


def fisher(d: Vector, noise: Noise) -> Vector:
    """Information of an answer about d, q'² / (q (1 - q))."""
    p = expit(d)
    if noise.lapse == 0:
        return p * (1 - p)
    q = noise.lapse + (1 - 2 * noise.lapse) * p
    return ((1 - 2 * noise.lapse) * p * (1 - p)) ** 2 / (q * (1 - q))
