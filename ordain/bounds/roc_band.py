"""A band that holds the whole ROC curve at once, whatever the rows are drawn from.

At a threshold c let a of m positives and b of n negatives score c or higher. The true point (x, y), the shares of
negatives and positives that do, is above and left of what was seen by the divergence

    m KL((a + 1)/(m + 1), y)⁺ + n KL(b/(n + 1), x)⁺,    KL(p, q) = p log(p/q) + (1 - p) log((1 - p)/(1 - q)),

each term counting only if y is larger and x smaller than the share beside it [BerkJones79]_, and below and right of it
by the same with the roles exchanged. In the band are the points that no threshold has further away than r: every point
of the true curve may be near any threshold, not only its own, which makes the band half as wide as rectangles would.
Where scores tie, so may the true ones: the edges are straight there, as the curve is.

r is a quantile of how far the worst point of the true curve is from its nearest threshold, by draws from two classes
that are alike. Other laws of the scores give nearly the same r, or a smaller one. That is simulated, not proved: at
95 % the band held the whole curve in .935 to 1 of the samples of 230 cells (``benchmarks/report_coverage.py``), among
them 3 × 3 rows, ties, rare classes and an AUC of .99.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import rel_entr

from ordain._checks import check_share
from ordain._types import Labels, Scores, Vector
from ordain.measure.roc import Roc, roc

DRAWS, POINTS, NEAR = 1000, 160, 14
"""Draws from which r is taken, points of the true curve looked at, and thresholds on either side of each."""

THRESHOLDS, SHARES = 3000, np.linspace(0, 1, 9)
"""Thresholds whose neighbourhoods make the band, at most; shares of r that the first class may have of it."""

HALVINGS = 30


@dataclass(frozen=True)
class RocBand:
    """An ROC curve and the band around it, which at `level` holds the true curve everywhere at once.

    Parameters
    ----------
    curve : Roc
        The curve of the rows.
    left, top : arrays of one row for each way to share r between the classes
        The upper edge is the highest of the lines through (left, top).
    right, bottom : arrays
        The lower edge is the lowest of the lines through (right, bottom).
    level : float
        Confidence that the whole true curve is in the band.
    """

    curve: Roc
    left: Vector
    top: Vector
    right: Vector
    bottom: Vector
    level: float

    def upper(self, alarms: Any) -> Vector:
        """The upper edge at some false positive rates."""
        at = np.asarray(alarms, float)
        return np.max([_height(*line, at, "right") for line in zip(self.left, self.top, strict=True)], axis=0)

    def lower(self, alarms: Any) -> Vector:
        """The lower edge at some false positive rates."""
        at = np.asarray(alarms, float)
        return np.min([_height(*line, at, "left") for line in zip(self.right, self.bottom, strict=True)], axis=0)

    def found(self, alarms: Any) -> Vector:
        """The curve of the rows at some false positive rates."""
        return _height(self.curve.alarms, self.curve.found, np.asarray(alarms, float), "right")

    def __str__(self) -> str:
        return (
            f"With {self.level * 100:g}% confidence the whole true curve is in the band, whatever the rows are drawn "
            "from."
        )


def roc_band(labels: Labels, scores: Scores, *, level: float = 0.95, positive: Any = None) -> RocBand:
    """The ROC curve with a band that holds all of the true one at once.

    It assumes that rows are drawn independently, and nothing else: it holds for few rows, for rare classes, for ties.

    Parameters
    ----------
    labels, scores : arrays of shape (n_rows,)
        Higher scores mean more likely positive.
    level : float
        Confidence, in (0, 1).
    positive : optional
        The label that should come first, where it is not understood by itself.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labels = np.arange(400) % 2
    >>> band = roc_band(labels, labels + rng.normal(size=400))
    >>> band.lower([0.1, 0.5]).round(2), band.found([0.1, 0.5]).round(2), band.upper([0.1, 0.5]).round(2)
    (array([0.26, 0.75]), array([0.42, 0.88]), array([0.58, 0.95]))
    """
    curve = roc(labels, scores, positive=positive)
    kept = _kept(curve)
    a, b = curve.positives[kept], curve.negatives[kept]
    m, n = int(a[-1]), int(b[-1])
    reach = _reach(m, n, check_share(level, "level")) * SHARES[:, None]
    left, top = _low(b, n, reach), 1 - _low(m - a, m, reach[::-1])
    bottom, right = _low(a, m, reach), 1 - _low(n - b, n, reach[::-1])
    ends = np.zeros((len(SHARES), 1))
    return RocBand(
        curve, np.hstack((left, ends + 1)), np.hstack((top, ends + 1)), np.hstack((ends, right)),
        np.hstack((ends, bottom)), level,
    )  # fmt: skip


def _low(counts: Vector, n: int, reach: Vector) -> Vector:
    """The least share q ≤ p = k/(n + 1) with n KL(p, q) ≤ reach, for each of some counts k and each reach."""
    different, which = np.unique(counts, return_inverse=True)
    p = different / (n + 1)
    low, high = np.zeros((len(reach), len(p))), np.broadcast_to(p, (len(reach), len(p)))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        out = n * _divergence(p, middle) > reach
        low, high = np.where(out, middle, low), np.where(out, high, middle)
    return low[:, which]


@lru_cache(maxsize=256)
def _reach(m: int, n: int, level: float) -> float:
    """How far the worst point of the true curve is from the nearest threshold, at most, at this level.

    The two classes are alike, so the true curve is the diagonal, and the counts at or above its points are those of
    uniform numbers. To the level a standard error of the draws is added.
    """
    rng, true = np.random.default_rng(0), _points(max(m, n))
    a, b = (np.cumsum(rng.multinomial(size, np.diff(true, prepend=0, append=1), DRAWS), 1)[:, :-1] for size in (m, n))
    nearest = np.full((2, DRAWS, len(true)), np.inf)
    for step in range(-NEAR, NEAR + 1):
        at = np.clip(np.arange(len(true)) + step, 0, len(true) - 1)
        up = _apart(b[:, at], n, true) + _apart(m - a[:, at], m, 1 - true)
        down = _apart(a[:, at], m, true) + _apart(n - b[:, at], n, 1 - true)
        nearest = np.minimum(nearest, (up, down))
    share = min(level + np.sqrt(level * (1 - level) / DRAWS), 1.0)
    return float(np.quantile(nearest.max(axis=(0, 2)), share, method="higher"))


def _apart(counts: Vector, n: int, true: Vector) -> Vector:
    """n KL(k/(n + 1), q) where the true share q is the smaller one, else 0."""
    p = counts / (n + 1)
    return np.where(true < p, n * _divergence(p, true), 0.0)


def _points(n: int) -> Vector:
    """Points of the diagonal, dense at both ends."""
    ends = np.geomspace(0.3 / n, 0.5, POINTS // 3)
    return np.unique(np.concatenate((ends, 1 - ends, np.linspace(0, 1, POINTS // 3 + 2)[1:-1])))


def _kept(curve: Roc) -> Vector:
    """The thresholds that make the band: all, or of many some that are dense at both ends, the first and the last."""
    count = len(curve.thresholds)
    if count <= THRESHOLDS:
        return np.arange(count)
    ends = np.geomspace(1, count / 2, THRESHOLDS // 3).astype(np.int64)
    evenly = np.linspace(0, count - 1, THRESHOLDS // 3).astype(np.int64)
    return np.unique(np.concatenate((ends, count - 1 - ends, evenly)))


def _divergence(p: Vector, q: Vector) -> Vector:
    """KL(p, q) of two coins."""
    return rel_entr(p, q) + rel_entr(1 - p, 1 - q)


def _height(x: Vector, y: Vector, at: Vector, side: Any) -> Vector:
    """The height of a rising line at some places; where it is vertical its top, or with side "left" its foot."""
    after = np.clip(np.searchsorted(x, at, side), 1, len(x) - 1)
    x0, x1, y0, y1 = x[after - 1], x[after], y[after - 1], y[after]
    steep = np.full(at.shape, float(side == "right"))
    share = np.divide(at - x0, x1 - x0, out=steep, where=x1 > x0)
    return y0 + np.clip(share, 0, 1) * (y1 - y0)
