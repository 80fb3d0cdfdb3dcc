"""Losses made from other losses or from a number: balanced, p-classification, and any cost with the logit as link."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit, logit

from ordain._checks import check_share
from ordain.losses._numeric import least
from ordain.losses.base import Array, Loss, log_odds
from ordain.losses.zoo import CanonicalExponential, Exponential, get_loss, lightest_beta


def balanced(loss: str | Loss, prevalence: float) -> Loss:
    """The loss under which both classes weigh the same: ℓ(1, s)/2p and ℓ(-1, s)/2(1-p), p the share of positives.

    It is a proper composite loss itself. Let M(q) = q/2p + (1-q)/2(1-p) and r(q) = q/(2p M), the probability after
    both classes have been made equally frequent: logit r = logit q - logit p. Then

        H_bal(q) = M H(r),    ψ_bal(q) = ψ(r),    -H_bal''(q) = (p r + (1-p)(1-r))³ / (2 p² (1-p)²) · -H''(r).

    λ is the least value of the last expression. It has a formula for all losses of the zoo (exponential: 2/√(p(1-p));
    squared: 4 min(p, 1-p)/max(p, 1-p)²; spherical: an eighth of that) and for p-classification. Otherwise a search
    finds it, and `strength_is_numeric` says so.

    Parameters
    ----------
    loss : str or Loss
        The loss to balance.
    prevalence : float
        p, strictly between 0 and 1. At ½ the loss is returned as it came.

    Examples
    --------
    >>> balanced("logistic", 0.2)
    <balanced(logistic, 0.2) loss, λ = 3.71005>
    """
    prevalence = check_share(prevalence, "prevalence")
    return get_loss(loss) if prevalence == 0.5 else Balanced(get_loss(loss), prevalence)


def p_classification(p: float) -> Loss:
    """The p-classification loss ℓ(1, s) = exp(-s), ℓ(-1, s) = exp(ps)/p [MenonWilliamson14]_.

    Its optimal scores, logit(η)/(p + 1), are those of the p-norm push with the exponential loss. Further,

        H(q) = (p+1)/p · q^{p/(p+1)} (1-q)^{1/(p+1)},    -H''(q) = 1 / ((p+1) q^{1+1/(p+1)} (1-q)^{2-1/(p+1)})

    and λ is the latter at q = (p+2)/(3(p+1)).

    Parameters
    ----------
    p : float
        At least 1, which gives the exponential loss; the larger, the more the top of the list counts.

    Examples
    --------
    >>> p_classification(2)
    <p_classification(2) loss, λ = 2.61764>
    """
    if not 1 <= p < np.inf:
        raise ValueError(f"p must be a finite number of at least 1. Got {p}. p = 1 is the exponential loss.")
    return Exponential() if p == 1 else PClassification(float(p))


def through_logit(loss: str | Loss) -> Loss:
    """The same cost c(y, q) with the logit as link, so that every real number is a score.

    ℓ(y, s) = c(y, 1/(1 + exp(-s))). H and λ stay, and so do bounds that rest on them, while linear models become
    possible with losses such as the spherical ones. It is a margin loss if both classes are treated alike; it need not
    be convex.

    Examples
    --------
    >>> float(through_logit("squared").value(1, 0.0))
    1.0
    """
    loss = get_loss(loss)
    if isinstance(loss, CanonicalExponential):
        return through_logit(Exponential())
    if isinstance(loss, Balanced):
        loss = Balanced(through_logit(loss.loss), loss.prevalence)
    if loss.sigmoid_slope == 1:
        return loss
    return Recomposed(loss) if loss._sigmoid is None else Straightened(loss)


@dataclass(frozen=True, repr=False)
class Balanced(Loss):
    """A loss divided by twice the share of the class; see :func:`balanced`."""

    loss: Loss
    prevalence: float

    @property
    def name(self) -> str:
        return f"balanced({self.loss.name}, {self.prevalence:.12g})"

    @cached_property
    def strength(self) -> float:
        candidates = self.loss._lightest(self.prevalence)
        with np.errstate(divide="ignore", over="ignore"):
            if candidates is None:
                return least(lambda r: self._weight_at(r, 1 - r))
            r = np.array(candidates)
            return float(self._weight_at(r, 1 - r).min())

    @property
    def strength_is_numeric(self) -> bool:
        return self.loss._lightest(self.prevalence) is None

    @property
    def domain(self) -> tuple[float, float]:
        return self.loss.domain

    @property
    def _sigmoid(self) -> tuple[float, float] | None:
        inner = self.loss._sigmoid
        return None if inner is None else (inner[0], inner[1] + float(logit(self.prevalence)))

    def _entropy(self, q: Array, n: Array) -> Array:
        return self._mean_factor(q, n) * self.loss._entropy(*self._evened(q, n))

    def _slope(self, q: Array, n: Array) -> Array:
        positive, negative = self._factors
        r, rest = self._evened(q, n)
        tilted = positive * negative / self._mean_factor(q, n) * self.loss._slope(r, rest)
        return (positive - negative) * self.loss._entropy(r, rest) + tilted

    def _weight(self, q: Array, n: Array) -> Array:
        return self._weight_at(*self._evened(q, n))

    def _cost(self, positive: Array, right: Array, wrong: Array) -> Array:
        r, rest = self._evened(np.where(positive, right, wrong), np.where(positive, wrong, right))
        return self._factor(positive) * self.loss._cost(
            positive, np.where(positive, r, rest), np.where(positive, rest, r)
        )

    def _link(self, q: Array, n: Array) -> Array:
        return self.loss._link(*self._evened(q, n))

    def _inverse(self, s: Array) -> Array:
        r, rest = self.prevalence * self.loss._inverse(s), (1 - self.prevalence) * self.loss._complement(s)
        return r / (r + rest)

    def _complement(self, s: Array) -> Array:
        r, rest = self.prevalence * self.loss._inverse(s), (1 - self.prevalence) * self.loss._complement(s)
        return rest / (r + rest)

    def _value(self, positive: Array, s: Array) -> Array:
        return self._factor(positive) * self.loss._value(positive, s)

    def _gradient(self, positive: Array, s: Array) -> Array:
        return self._factor(positive) * self.loss._gradient(positive, s)

    def _hessian(self, positive: Array, s: Array) -> Array:
        return self._factor(positive) * self.loss._hessian(positive, s)

    @property
    def _factors(self) -> tuple[float, float]:
        return 0.5 / self.prevalence, 0.5 / (1 - self.prevalence)

    def _factor(self, positive: Array) -> Array:
        return np.where(positive, *self._factors)

    def _mean_factor(self, q: Array, n: Array) -> Array:
        """M(q)."""
        positive, negative = self._factors
        return positive * q + negative * n

    def _evened(self, q: Array, n: Array) -> tuple[Array, Array]:
        """r(q) and 1 - r(q)."""
        plus, minus = (1 - self.prevalence) * q, self.prevalence * n
        return plus / (plus + minus), minus / (plus + minus)

    def _weight_at(self, r: Array, rest: Array) -> Array:
        """The weight at the q whose r(q) is given."""
        p = self.prevalence
        return (p * r + (1 - p) * rest) ** 3 / (2 * p**2 * (1 - p) ** 2) * self.loss._weight(r, rest)


@dataclass(frozen=True, repr=False)
class PClassification(Loss):
    """ℓ(1, s) = exp(-s), ℓ(-1, s) = exp(ps)/p; see :func:`p_classification`."""

    p: float

    @property
    def name(self) -> str:
        return f"p_classification({self.p:.12g})"

    @property
    def strength(self) -> float:
        return float(self.weight((self.p + 2) / (3 * (self.p + 1))))

    @property
    def _sigmoid(self) -> tuple[float, float]:
        return self.p + 1, 0.0

    def _entropy(self, q: Array, n: Array) -> Array:
        return (self.p + 1) / self.p * q ** (self.p / (self.p + 1)) * n ** (1 / (self.p + 1))

    def _slope(self, q: Array, n: Array) -> Array:
        a = 1 / (self.p + 1)
        return n**a / q**a - q ** (1 - a) / n ** (1 - a) / self.p

    def _weight(self, q: Array, n: Array) -> Array:
        a = 1 / (self.p + 1)
        return a * q ** (-1 - a) * n ** (a - 2)

    def _cost(self, positive: Array, right: Array, wrong: Array) -> Array:
        a = np.where(positive, 1, self.p) / (self.p + 1)
        return wrong**a / right**a / np.where(positive, 1, self.p)

    def _link(self, q: Array, n: Array) -> Array:
        return log_odds(q, n) / (self.p + 1)

    def _inverse(self, s: Array) -> Array:
        return expit((self.p + 1) * s)

    def _complement(self, s: Array) -> Array:
        return expit(-(self.p + 1) * s)

    def _value(self, positive: Array, s: Array) -> Array:
        return np.exp(np.where(positive, -s, self.p * s)) / np.where(positive, 1, self.p)

    def _gradient(self, positive: Array, s: Array) -> Array:
        return np.where(positive, -1, 1) * np.exp(np.where(positive, -s, self.p * s))

    def _hessian(self, positive: Array, s: Array) -> Array:
        return np.where(positive, 1, self.p) * np.exp(np.where(positive, -s, self.p * s))

    def _lightest(self, p: float) -> list[float]:
        a = 1 / (self.p + 1)
        return lightest_beta(1 + a, 2 - a, p)


@dataclass(frozen=True, repr=False)
class _SameCost(Loss):
    """The cost of another loss under the logit link."""

    loss: Loss

    _sigmoid = (1.0, 0.0)

    @property
    def name(self) -> str:
        return f"through_logit({self.loss.name})"

    @property
    def strength(self) -> float:
        return self.loss.strength

    @property
    def strength_is_numeric(self) -> bool:
        return self.loss.strength_is_numeric

    @property
    def is_symmetric(self) -> bool:
        return self.loss.is_symmetric

    @property
    def is_margin(self) -> bool:
        return self.loss.is_symmetric  # the logit is odd

    def _entropy(self, q: Array, n: Array) -> Array:
        return self.loss._entropy(q, n)

    def _slope(self, q: Array, n: Array) -> Array:
        return self.loss._slope(q, n)

    def _weight(self, q: Array, n: Array) -> Array:
        return self.loss._weight(q, n)

    def _cost(self, positive: Array, right: Array, wrong: Array) -> Array:
        return self.loss._cost(positive, right, wrong)

    def _lightest(self, p: float) -> list[float] | None:
        return self.loss._lightest(p)

    def _link(self, q: Array, n: Array) -> Array:
        return log_odds(q, n)

    def _inverse(self, s: Array) -> Array:
        return expit(s)

    def _complement(self, s: Array) -> Array:
        return expit(-s)


class Straightened(_SameCost):
    """A loss with ψ⁻¹(s) = 1/(1 + exp(-as - b)), its score moved and stretched until a = 1 and b = 0."""

    def _value(self, positive: Array, s: Array) -> Array:
        return self.loss._value(positive, self._moved(s))

    def _gradient(self, positive: Array, s: Array) -> Array:
        return self.loss._gradient(positive, self._moved(s)) / self._line[0]

    def _hessian(self, positive: Array, s: Array) -> Array:
        return self.loss._hessian(positive, self._moved(s)) / self._line[0] ** 2

    @property
    def _line(self) -> tuple[float, float]:
        return self.loss._sigmoid or (1.0, 0.0)

    def _moved(self, s: Array) -> Array:
        return (s - self._line[1]) / self._line[0]


class Recomposed(_SameCost):
    """Any other loss, by the chain rule: with w = -H'', c'(1, q) = -(1-q) w, c'(-1, q) = q w and dq/ds = q(1-q).

    Beyond |s| = 700 probabilities can soon not be told from 0: derivatives stay what they are there, and a cost without
    limit is infinite from 745 on.
    """

    def _value(self, positive: Array, s: Array) -> Array:
        right, wrong = self._announced(positive, s)
        return self.loss._cost(positive, right, wrong)

    def _gradient(self, positive: Array, s: Array) -> Array:
        s = np.clip(s, -700, 700)
        right, wrong = self._announced(positive, s)
        return np.where(positive, -1, 1) * right * wrong**2 * _held(self.loss._weight(expit(s), expit(-s)))

    def _hessian(self, positive: Array, s: Array) -> Array:
        s = np.clip(s, -700, 700)
        right, wrong = self._announced(positive, s)
        weight = _held(self.loss._weight(expit(s), expit(-s)))
        bend = np.where(positive, -1, 1) * _held(self.loss._weight_slope(expit(s), expit(-s)))
        return right * wrong**2 * ((2 * right - wrong) * weight + right * wrong * bend)

    def _announced(self, positive: Array, s: Array) -> tuple[Array, Array]:
        """The probabilities of the class that came and of the other one."""
        u = np.where(positive, s, -s)
        return expit(u), expit(-u)


def _held(x: Array) -> Array:
    """Numbers large enough to count as infinite, yet with finite products."""
    return np.clip(x, -1e300, 1e300)
