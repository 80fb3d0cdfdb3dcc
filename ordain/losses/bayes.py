"""The loss that belongs to an entropy: Savage's construction with the canonical link ψ = -H'."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ordain.losses._numeric import KNOTS, Derivative, Function, crossing, least, vectorised
from ordain.losses.base import Array, Loss, times

EVEN = np.arange(513) / 512
ROUNDING = 1e-14  # of an entropy, relative to its largest value


def from_bayes_risk(
    entropy: Callable[[Any], Any], slope: Callable[[Any], Any] | None = None, *, name: str = "from_bayes_risk"
) -> Loss:
    """The proper loss whose least conditional risk is a given H, with its canonical link ψ = -H' [Agarwal14]_.

    Savage's identity gives c(1, q) = H(q) + (1-q) H'(q) and c(-1, q) = H(q) - q H'(q). In the score the loss is a
    conjugate of H, so that with q = ψ⁻¹(s) its derivatives are simple:

        ℓ(y, s) = max over q of H(q) + (q - [y = 1]) s,    ℓ'(y, s) = q - [y = 1],    ℓ''(y, s) = -1/H''(q).

    ψ⁻¹ and λ, the infimum of -H'', are found by numbers; `strength_is_numeric` says so. From an H that is analytic
    inside (0, 1) and computed to 1e-16, ℓ is good to 1e-12 relative to 1 + ℓ, and c to 1e-10 relative to 1 + c for q
    from 0.001 to 0.999. If further H is smooth or infinitely steep at both ends, as in all losses of the zoo, ℓ' is
    good to 1e-11/λ, ℓ'' to 1e-8/λ, λ to 1e-8, and c to 1e-4 next to the ends (1e-7 for the zoo). Else, say with q^2.5
    in H, expect 1e-6, 1e-2, 1e-2 and 1e-3, or give `slope`; then c is as good as H and H' are, and H may have kinks.

    Parameters
    ----------
    entropy : callable
        H: strictly concave, finite and at least 0 on [0, 1], ends included. It is given arrays if it takes them,
        otherwise one number at a time.
    slope : callable, optional
        H', which may be infinite at 0 and 1. Without it differences are taken.
    name : str
        What to call the loss.

    Examples
    --------
    >>> gini = from_bayes_risk(lambda q: q * (1 - q), name="gini")
    >>> gini
    <gini loss, λ ≈ 2 (numeric)>
    >>> round(float(gini.value(1, 0.5)), 9)  # (1 - s)²/4
    0.0625
    """
    return FromBayesRisk(name, entropy, slope)


@dataclass(frozen=True, repr=False)
class FromBayesRisk(Loss):
    """The canonical loss of an entropy; see :func:`from_bayes_risk`."""

    title: str
    bayes_risk: Callable[[Any], Any]
    bayes_slope: Callable[[Any], Any] | None = None

    is_canonical = True
    strength_is_numeric = True

    def __post_init__(self) -> None:
        values = _numbers(self._risk, "entropy")
        _check_entropy(values)
        if self.bayes_slope is None:
            slopes, must, advice = self._rate(EVEN), "entropy must be smooth inside (0, 1)", "Give its slope too."
        else:
            slopes, must = _numbers(self._rate, "slope"), "slope must be the derivative of entropy"
            advice = "Leave it out to have it found."
        _check_slope(slopes, values, must, advice)

    @property
    def name(self) -> str:
        return self.title

    @cached_property
    def strength(self) -> float:
        return least(self.weight)

    @cached_property
    def domain(self) -> tuple[float, float]:
        """From ψ(0) to ψ(1); if these were found by differences, 1e-9 wider, so that rounding refuses no score."""
        low, high = map(float, self.link([0.0, 1.0]))
        if self.bayes_slope is not None:
            return low, high
        return low - 1e-9 * (1 + abs(low)), high + 1e-9 * (1 + abs(high))

    @property
    def is_margin(self) -> bool:
        return self.is_symmetric  # then -H' is odd around ½

    def _entropy(self, q: Array, n: Array) -> Array:
        return self._risk(q)

    def _slope(self, q: Array, n: Array) -> Array:
        return self._rate(q)

    def _weight(self, q: Array, n: Array) -> Array:
        return np.maximum(0, -self._bend(q))

    def _link(self, q: Array, n: Array) -> Array:
        return -self._slope(q, n)

    def _inverse(self, s: Array) -> Array:
        above = np.clip(np.searchsorted(self._scores_at_knots, s.ravel()), 1, len(KNOTS) - 1)
        q = crossing(self.link, s.ravel(), KNOTS[above - 1], KNOTS[above]).reshape(s.shape)
        low, high = self._scores_at_knots[[0, -1]]
        return np.select([s <= low, s >= high, s == s], [0.0, 1.0, q], np.nan)[()]

    def _value(self, positive: Array, s: Array) -> Array:
        q = self._inverse(s)
        return self._risk(q) + times(q - positive, s)

    def _gradient(self, positive: Array, s: Array) -> Array:
        return self._inverse(s) - positive

    def _hessian(self, positive: Array, s: Array) -> Array:
        return 1 / self.weight(self._inverse(s)) + np.zeros(np.shape(positive))

    @cached_property
    def _risk(self) -> Function:
        return vectorised(self.bayes_risk)

    @cached_property
    def _rate(self) -> Function:
        return Derivative(self._risk) if self.bayes_slope is None else vectorised(self.bayes_slope)

    @cached_property
    def _bend(self) -> Function:
        return Derivative(self._risk, 2) if self.bayes_slope is None else Derivative(self._rate)

    @cached_property
    def _scores_at_knots(self) -> Array:
        return np.maximum.accumulate(self.link(KNOTS))


def _numbers(function: Function, what: str) -> Array:
    """Values of the entropy or the slope on the even grid; only the slope may be infinite, and only at the ends."""
    allowed = "finite on [0, 1]" if what == "entropy" else "finite on (0, 1) and finite or infinite at 0 and 1"
    try:
        with np.errstate(all="ignore"):
            values = function(EVEN)
    except (ArithmeticError, ValueError) as failure:
        raise ValueError(f"{what} must be {allowed}. Got {failure!r}. Give its limits at 0 and 1.") from None
    bad = ~np.isfinite(values)
    if what == "slope":
        bad[[0, -1]] = np.isnan(values[[0, -1]])
    if bad.any():
        where = int(np.argmax(bad))
        raise ValueError(f"{what} must be {allowed}. Got {values[where]} at q = {EVEN[where]:g}. Give its limit there.")
    return values


def _check_entropy(values: Array) -> None:
    """At least 0 and strictly concave, or the point where it is not."""
    rounding = ROUNDING * np.abs(values).max()
    if values.min() < -rounding:
        where = int(np.argmin(values))
        raise ValueError(f"entropy must be at least 0. Got {values[where]:g} at q = {EVEN[where]:g}. Add a constant.")
    excess = values[1:-1] - (values[:-2] + values[2:]) / 2
    where = int(np.argmin(excess))
    if excess[where] < -rounding:
        raise ValueError(
            f"entropy must be concave. Got H = {values[where + 1]:.6g} at q = {EVEN[where + 1]:g}, "
            f"{-excess[where]:.2g} below the chord over it. Is the sign right?"
        )
    if excess[where] <= rounding:
        raise ValueError(
            f"entropy must be strictly concave, or its canonical link has no inverse. "
            f"Got a straight piece at q = {EVEN[where + 1]:g}. Add a little of q(1 - q)."
        )


def _check_slope(slopes: Array, values: Array, must: str, advice: str) -> None:
    """Between the chords to the left and to the right, as the derivative of a concave function is."""
    chords = np.diff(values) * 512
    left, right = np.r_[np.inf, chords], np.r_[chords, -np.inf]
    slack = 1e-9 * (1 + np.abs(np.r_[chords, chords[-1]]))
    wrong = (slopes > left + slack) | (slopes < right - slack)
    if wrong.any():
        where = int(np.argmax(wrong))
        raise ValueError(
            f"{must}. Got H' = {slopes[where]:.6g} at q = {EVEN[where]:g}, where the chords of H allow "
            f"{right[where]:.6g} to {left[where]:.6g}. {advice}"
        )
