"""A loss is an entropy H and a link ψ; Savage's identity gives the rest.

A *proper composite loss* is ℓ(y, s) = c(y, ψ⁻¹(s)) for y in {-1, +1} and a score s: c(y, q) is the cost of having
announced probability q for class +1, the link ψ turns probabilities into scores. With H(η) = min over q of
L(η, q) = η c(1, q) + (1 - η) c(-1, q), reached at q = η,

    c(1, q) = H(q) + (1 - q) H'(q),    c(-1, q) = H(q) - q H'(q)

and the loss is λ-strongly proper, L(η, q) - H(η) ≥ λ/2 (η - q)², exactly if -H'' ≥ λ [Agarwal14]_.

In every method labels are positive where y > 0, arguments broadcast, and limits are taken at the ends: q may be 0 or 1,
0 · ∞ is 0, and a result is infinite only where its value is, or where a float cannot hold it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logit

from ordain.losses._numeric import Derivative
from ordain.losses.pairing import Form, Pairing

Array = NDArray[Any]

LINE = (-np.inf, np.inf)
"""The domain of a loss that takes every score."""

quiet = np.errstate(divide="ignore", over="ignore", invalid="ignore")


@dataclass(frozen=True, repr=False)
class Loss(ABC):
    """A proper composite loss.

    A subclass gives `name` and `strength` and, without checks, the formulas behind the public methods. Those in a
    probability get q and n = 1 - q, because 1 - q is often known better than it can be computed: `_entropy(q, n)`,
    `_slope(q, n)`, `_weight(q, n)`, `_link(q, n)`. Those in a score are `_inverse(s)`, `_complement(s)` and, with the
    mask of positive labels, `_value(positive, s)`, `_gradient(positive, s)`, `_hessian(positive, s)`. Losses compare by
    value, hold no data and pickle.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """What the loss is called."""

    @property
    @abstractmethod
    def strength(self) -> float:
        """λ, the infimum of -H''."""

    @property
    def strength_is_numeric(self) -> bool:
        """Whether λ was found by a search instead of a formula."""
        return False

    @property
    def domain(self) -> tuple[float, float]:
        """The closed interval of scores the loss takes. It may be wider than [ψ(0), ψ(1)]; then `inverse` clips."""
        return LINE

    @property
    def is_symmetric(self) -> bool:
        """Whether both classes are treated alike: c(y, q) = c(-y, 1 - q), which is H(q) = H(1 - q)."""
        values = self.entropy(np.arange(65) / 64)
        return bool(np.abs(values - values[::-1]).max() <= 1e-12 * values.max())

    @property
    def is_margin(self) -> bool:
        """Whether ℓ(y, s) = φ(ys) for a function φ of one variable."""
        return False

    @property
    def is_canonical(self) -> bool:
        """Whether ψ = -H', which makes ℓ convex in the score."""
        return False

    @property
    def is_calibrated(self) -> bool:
        """Whether the best score has the sign of η - ½, which is ψ(½) = 0; true of every margin loss."""
        return bool(abs(self.link(0.5)) < 1e-9)

    @property
    def pairing(self) -> Pairing | None:
        """How φ(s - t) is summed over pairs of scores; None where it is not.

        The class says it by a :class:`Form` named `_form`, which no subclass inherits: its φ may be another one.
        """
        form: Form | None = vars(type(self)).get("_form")
        if form is None:
            return None
        return Pairing(self.name, self.phi, self.phi_slope, self.phi_curvature, form, self.sigmoid_slope)

    @property
    def fits_pairs(self) -> bool:
        """Whether :class:`ordain.pairs.PairRisk` takes it: a margin loss on the whole line that says how it pairs."""
        return self.pairing is not None

    @property
    def sigmoid_slope(self) -> float | None:
        """The number a if ψ⁻¹(s) = 1/(1 + exp(-as)), else None; then pair risks decompose [MenonWilliamson14]_."""
        return self._sigmoid[0] if self._sigmoid is not None and self._sigmoid[1] == 0 else None

    @quiet
    def entropy(self, q: ArrayLike) -> Array:
        """H(q), the least conditional risk when class +1 has probability q."""
        return self._entropy(*both(q))

    @quiet
    def slope(self, q: ArrayLike) -> Array:
        """H'(q) = c(1, q) - c(-1, q)."""
        return self._slope(*both(q))

    @quiet
    def weight(self, q: ArrayLike) -> Array:
        """-H''(q), how much the loss cares about decisions at threshold q; see :func:`mixture_cost`."""
        return self._weight(*both(q))

    @quiet
    def cost(self, y: ArrayLike, q: ArrayLike) -> Array:
        """c(y, q), the loss of the announced probability q."""
        q, n = both(q)
        positive = np.asarray(y) > 0
        return self._cost(positive, np.where(positive, q, n), np.where(positive, n, q))

    @quiet
    def risk(self, eta: ArrayLike, q: ArrayLike) -> Array:
        """L(η, q) = η c(1, q) + (1 - η) c(-1, q)."""
        eta, rest = both(eta)
        return times(eta, self.cost(1, q)) + times(rest, self.cost(-1, q))

    def regret(self, eta: ArrayLike, q: ArrayLike) -> Array:
        """L(η, q) - H(η), what is lost by announcing q where η is true."""
        return self.risk(eta, q) - self.entropy(eta)

    @quiet
    def link(self, q: ArrayLike) -> Array:
        """ψ(q), the best score where class +1 has probability q."""
        return self._link(*both(q))

    @quiet
    def inverse(self, s: ArrayLike) -> Array:
        """ψ⁻¹(s), the probability of class +1 that the score stands for."""
        return self._inverse(self._scores(s))

    @quiet
    def complement(self, s: ArrayLike) -> Array:
        """1 - ψ⁻¹(s), with all its digits where ψ⁻¹(s) is close to 1."""
        return self._complement(self._scores(s))

    @quiet
    def value(self, y: ArrayLike, s: ArrayLike) -> Array:
        """ℓ(y, s)."""
        return self._value(np.asarray(y) > 0, self._scores(s))

    @quiet
    def gradient(self, y: ArrayLike, s: ArrayLike) -> Array:
        """∂ℓ/∂s."""
        return self._gradient(np.asarray(y) > 0, self._scores(s))

    @quiet
    def hessian(self, y: ArrayLike, s: ArrayLike) -> Array:
        """∂²ℓ/∂s²."""
        return self._hessian(np.asarray(y) > 0, self._scores(s))

    def phi(self, u: ArrayLike) -> Array:
        """φ(u) of a margin loss."""
        return self.value(1, self._margin(u))

    def phi_slope(self, u: ArrayLike) -> Array:
        """φ'(u) of a margin loss."""
        return self.gradient(1, self._margin(u))

    def phi_curvature(self, u: ArrayLike) -> Array:
        """φ''(u) of a margin loss."""
        return self.hessian(1, self._margin(u))

    def __repr__(self) -> str:
        strength = f"λ ≈ {self.strength:.6g} (numeric)" if self.strength_is_numeric else f"λ = {self.strength:.6g}"
        return f"<{self.name} loss, {strength}>"

    @abstractmethod
    def _entropy(self, q: Array, n: Array) -> Array: ...

    @abstractmethod
    def _slope(self, q: Array, n: Array) -> Array: ...

    @abstractmethod
    def _weight(self, q: Array, n: Array) -> Array: ...

    @abstractmethod
    def _link(self, q: Array, n: Array) -> Array: ...

    @abstractmethod
    def _inverse(self, s: Array) -> Array: ...

    @abstractmethod
    def _gradient(self, positive: Array, s: Array) -> Array: ...

    @abstractmethod
    def _hessian(self, positive: Array, s: Array) -> Array: ...

    def _complement(self, s: Array) -> Array:
        return 1 - self._inverse(s)

    def _value(self, positive: Array, s: Array) -> Array:
        q, n = self._inverse(s), self._complement(s)
        return self._cost(positive, np.where(positive, q, n), np.where(positive, n, q))

    def _cost(self, positive: Array, right: Array, wrong: Array) -> Array:
        """c(y, q) by Savage's identity; `right` is the probability announced for class y, `wrong` for the other one."""
        q, n = np.where(positive, right, wrong), np.where(positive, wrong, right)
        return self._entropy(q, n) + times(np.where(positive, n, -q), self._slope(q, n))

    def _weight_slope(self, q: Array, n: Array) -> Array:
        """-H'''(q)."""
        return Derivative(self.weight)(q)

    @property
    def _sigmoid(self) -> tuple[float, float] | None:
        """The numbers a, b if ψ⁻¹(s) = 1/(1 + exp(-as - b)), else None."""
        return None

    def _lightest(self, p: float) -> list[float] | None:
        """The q among which (pq + (1-p)(1-q))³ · weight(q) is least; None where there is no formula."""
        return None

    def _scores(self, s: ArrayLike) -> Array:
        """The scores as floats, all in the domain."""
        s = np.asarray(s, dtype=float)
        low, high = self.domain
        if self.domain != LINE and not (inside := (s >= low) & (s <= high)).all():
            outside = np.ravel(s[~inside])[0]
            raise ValueError(
                f"scores of the {self.name} loss must lie in [{low:.10g}, {high:.10g}]. Got {outside:.10g}. "
                "through_logit of it takes every score."
            )
        return s

    def _margin(self, u: ArrayLike) -> ArrayLike:
        if not self.is_margin:
            raise ValueError(f"phi needs a margin loss, ℓ(y, s) = φ(ys). Got {self.name}. Use value(y, s) instead.")
        return u


class MarginLoss(Loss):
    """A loss φ(ys), given by `_phi(u)`, `_phi_slope(u)` and `_phi_curvature(u)` in place of the formulas in a score."""

    is_symmetric = True
    is_margin = True

    @abstractmethod
    def _phi(self, u: Array) -> Array: ...

    @abstractmethod
    def _phi_slope(self, u: Array) -> Array: ...

    @abstractmethod
    def _phi_curvature(self, u: Array) -> Array: ...

    def _value(self, positive: Array, s: Array) -> Array:
        return self._phi(np.where(positive, s, -s))

    def _gradient(self, positive: Array, s: Array) -> Array:
        return np.where(positive, 1, -1) * self._phi_slope(np.where(positive, s, -s))

    def _hessian(self, positive: Array, s: Array) -> Array:
        return self._phi_curvature(np.where(positive, s, -s))

    def _complement(self, s: Array) -> Array:
        return self._inverse(-s)


def both(q: ArrayLike) -> tuple[Array, Array]:
    """Probabilities q and 1 - q as floats, all in [0, 1]."""
    q = np.asarray(q, dtype=float)
    if not (inside := (q >= 0) & (q <= 1)).all():
        outside = np.ravel(q[~inside])[0]
        raise ValueError(f"probabilities must lie in [0, 1]. Got {outside:.10g}. For scores, take inverse first.")
    return q, 1 - q


def log_odds(q: Array, n: Array) -> Array:
    """log(q / n) for n = 1 - q, from the smaller of the two."""
    return np.where(q < n, logit(q), -logit(n))[()]


def times(factor: Array, other: Array) -> Array:
    """The product in which 0 · ∞ is 0."""
    return np.where(factor == 0, 0, factor * other)[()]
