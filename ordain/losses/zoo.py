"""The strongly proper losses of Table 1 in [Agarwal14]_, one formula each; n stands for 1 - q throughout."""

from __future__ import annotations

import numpy as np
from scipy.special import entr, expit

from ordain._near import did_you_mean
from ordain.losses.base import Array, Loss, MarginLoss, log_odds
from ordain.losses.pairing import HINGE, Form, Pairing


class Logistic(MarginLoss):
    """ℓ(y, s) = log(1 + exp(-ys)), H(q) = -q log q - n log n, ψ = logit, λ = 4. Its link is canonical."""

    name, strength = "logistic", 4.0
    is_canonical = True
    _sigmoid = (1.0, 0.0)
    _form = Form("sketch", strip=np.pi, square=(0, -1, -1))

    def _entropy(self, q: Array, n: Array) -> Array:
        small = np.minimum(q, n)
        return entr(small) - (1 - small) * np.log1p(-small)

    def _slope(self, q: Array, n: Array) -> Array:
        return -log_odds(q, n)

    def _weight(self, q: Array, n: Array) -> Array:
        return 1 / (q * n)

    def _cost(self, positive: Array, right: Array, wrong: Array) -> Array:
        return np.where(right < wrong, -np.log(right), -np.log1p(-wrong))[()]

    def _link(self, q: Array, n: Array) -> Array:
        return log_odds(q, n)

    def _inverse(self, s: Array) -> Array:
        return expit(s)

    def _phi(self, u: Array) -> Array:
        return np.logaddexp(0, -u)

    def _phi_slope(self, u: Array) -> Array:
        return -expit(-u)

    def _phi_curvature(self, u: Array) -> Array:
        return expit(u) * expit(-u)

    def _lightest(self, p: float) -> list[float]:
        return lightest_beta(1, 1, p)


class _ExponentialCost(MarginLoss):
    """c(1, q) = √(n/q), c(-1, q) = √(q/n), H(q) = 2 √(qn), λ = 4."""

    strength = 4.0

    def _entropy(self, q: Array, n: Array) -> Array:
        return 2 * np.sqrt(q) * np.sqrt(n)

    def _slope(self, q: Array, n: Array) -> Array:
        return (n - q) / (np.sqrt(q) * np.sqrt(n))

    def _weight(self, q: Array, n: Array) -> Array:
        return 0.5 / (q * n) / np.sqrt(q * n)

    def _cost(self, positive: Array, right: Array, wrong: Array) -> Array:
        return np.sqrt(wrong) / np.sqrt(right)

    def _lightest(self, p: float) -> list[float]:
        return lightest_beta(1.5, 1.5, p)


class Exponential(_ExponentialCost):
    """ℓ(y, s) = exp(-ys), H(q) = 2 √(qn), ψ(q) = ½ logit q, λ = 4."""

    name = "exponential"
    _sigmoid = (2.0, 0.0)
    _form = Form("factors")

    def _link(self, q: Array, n: Array) -> Array:
        return log_odds(q, n) / 2

    def _inverse(self, s: Array) -> Array:
        return expit(2 * s)

    def _phi(self, u: Array) -> Array:
        return np.exp(-u)

    def _phi_slope(self, u: Array) -> Array:
        return -np.exp(-u)

    def _phi_curvature(self, u: Array) -> Array:
        return np.exp(-u)


class CanonicalExponential(_ExponentialCost):
    """ℓ(y, s) = √(1 + s²/4) - ys/2: the exponential cost with the canonical link ψ(q) = (q - n)/√(qn), λ = 4."""

    name = "canonical_exponential"
    is_canonical = True
    _form = Form("sketch", strip=2.0)

    def _link(self, q: Array, n: Array) -> Array:
        return -self._slope(q, n)

    def _inverse(self, s: Array) -> Array:
        root = np.hypot(2, s)
        small = 2 / (root * (root + np.abs(s)))
        return np.where(s < 0, small, 1 - small)[()]

    def _phi(self, u: Array) -> Array:
        # √(4 + u²) - u = 4 / (√(4 + u²) + u), which does not cancel for u > 0.
        root = np.hypot(2, u)
        return np.where(u > 0, 2 / (root + np.abs(u)), (root + np.abs(u)) / 2)[()]

    def _phi_slope(self, u: Array) -> Array:
        return -self._inverse(-u)

    def _phi_curvature(self, u: Array) -> Array:
        return 2 / np.hypot(2, u) ** 3


class _SquaredCost(MarginLoss):
    """c(1, q) = k n², c(-1, q) = k q², H(q) = k qn, ψ(q) = q - n, λ = 2k, where k = λ/2."""

    def _entropy(self, q: Array, n: Array) -> Array:
        return self.strength / 2 * q * n

    def _slope(self, q: Array, n: Array) -> Array:
        return self.strength / 2 * (n - q)

    def _weight(self, q: Array, n: Array) -> Array:
        return np.full_like(q, self.strength)[()]

    def _weight_slope(self, q: Array, n: Array) -> Array:
        return np.zeros_like(q)

    def _cost(self, positive: Array, right: Array, wrong: Array) -> Array:
        return self.strength / 2 * wrong**2

    def _link(self, q: Array, n: Array) -> Array:
        return q - n

    def _inverse(self, s: Array) -> Array:
        return (1 + np.clip(s, -1, 1)) / 2

    def _lightest(self, p: float) -> list[float]:
        return [0.0, 1.0]


class Squared(_SquaredCost):
    """ℓ(y, s) = (1 - ys)² on the whole line, H(q) = 4 qn, ψ(q) = 2q - 1, λ = 8; `inverse` clips scores to [-1, 1]."""

    name, strength = "squared", 8.0
    _form = Form("moments", square=(4, 0, 0))

    def _phi(self, u: Array) -> Array:
        return self.strength / 8 * (1 - u) ** 2

    def _phi_slope(self, u: Array) -> Array:
        return self.strength / 4 * (u - 1)

    def _phi_curvature(self, u: Array) -> Array:
        return np.full_like(u, self.strength / 4)[()]


class CanonicalSquared(Squared):
    """ℓ(y, s) = (1 - ys)²/4 on the whole line, H(q) = qn, ψ(q) = 2q - 1, λ = 2: a quarter of squared, so ψ = -H'."""

    name, strength = "canonical_squared", 2.0
    is_canonical = True
    _form = Form("moments", scale=0.25, square=(1, 0, 0))


class SquaredHinge(_SquaredCost):
    """ℓ(y, s) = max(0, 1 - ys)², which is the squared loss on [-1, 1], so H, ψ and λ = 8 are the same."""

    name, strength = "squared_hinge", 8.0
    _form = Form("sweep", power=2, square=(4, 0, 0))

    def _phi(self, u: Array) -> Array:
        return np.maximum(0, 1 - u) ** 2

    def _phi_slope(self, u: Array) -> Array:
        return -2 * np.maximum(0, 1 - u)

    def _phi_curvature(self, u: Array) -> Array:
        return np.where(u < 1, 2.0, 0.0)[()]


class _SphericalCost(Loss):
    """c(1, q) = 1 - q/r, c(-1, q) = 1 - n/r, H(q) = 1 - r with r = √(q² + n²), λ = 1."""

    strength = 1.0
    is_symmetric = True

    def _entropy(self, q: Array, n: Array) -> Array:
        return 2 * q * n / (1 + np.hypot(q, n))  # 1 - r² = 2qn

    def _slope(self, q: Array, n: Array) -> Array:
        return (n - q) / np.hypot(q, n)

    def _weight(self, q: Array, n: Array) -> Array:
        return np.hypot(q, n) ** -3

    def _weight_slope(self, q: Array, n: Array) -> Array:
        return 3 * (n - q) * np.hypot(q, n) ** -5

    def _cost(self, positive: Array, right: Array, wrong: Array) -> Array:
        r = np.hypot(right, wrong)
        return wrong**2 / (r * (r + right))

    def _lightest(self, p: float) -> list[float]:
        return [0.0, 1.0]  # ratio of pq + (1-p)n to r: the cosine of an angle that is widest at an end


class Spherical(_SphericalCost):
    """ℓ(y, s) = c(y, s) on [0, 1], H(q) = 1 - √(q² + n²), ψ(q) = q, λ = 1. It is not a margin loss."""

    name, domain = "spherical", (0.0, 1.0)

    def _link(self, q: Array, n: Array) -> Array:
        return q

    def _inverse(self, s: Array) -> Array:
        return s

    def _gradient(self, positive: Array, s: Array) -> Array:
        return np.where(positive, s - 1, s) * self._weight(s, 1 - s)

    def _hessian(self, positive: Array, s: Array) -> Array:
        right, wrong = np.where(positive, s, 1 - s), np.where(positive, 1 - s, s)
        return (right**2 + 3 * right * wrong - 2 * wrong**2) * np.hypot(right, wrong) ** -5


class CanonicalSpherical(_SphericalCost, MarginLoss):
    """ℓ(y, s) = 1 - ½ (√(2 - s²) + ys) on [-1, 1]: spherical with the canonical link (q - n)/√(q² + n²), λ = 1."""

    name, domain = "canonical_spherical", (-1.0, 1.0)
    is_canonical = True

    def _link(self, q: Array, n: Array) -> Array:
        return -self._slope(q, n)

    def _inverse(self, s: Array) -> Array:
        root = np.sqrt(2 - s**2)
        small = (1 - s) * (1 + s) / (root * (root + np.abs(s)))
        return np.where(s < 0, small, 1 - small)[()]

    def _phi(self, u: Array) -> Array:
        # With r = √(2 - u²): 2 - r - u = (1 - u)(r - u)/(1 + r), and r - u = 2(1 - u)(1 + u)/(r + u).
        root = np.sqrt(2 - u**2)
        gap = np.where(u > 0, 2 * (1 - u) * (1 + u) / (root + np.abs(u)), root - u)
        return (1 - u) * gap / (2 * (1 + root))

    def _phi_slope(self, u: Array) -> Array:
        return -self._inverse(-u)

    def _phi_curvature(self, u: Array) -> Array:
        return (2 - u**2) ** -1.5


def lightest_beta(alpha: float, beta: float, p: float) -> list[float]:
    """Where (pq + (1-p)n)³ q^-α n^-β is least: a root of the quadratic its derivative leaves."""
    b, g = 1 - p, 2 * p - 1
    roots = np.roots([(alpha + beta - 3) * g, (3 - alpha) * g + (alpha + beta) * b, -alpha * b])
    return [float(root.real) for root in roots if 0 < root.real < 1]


LOSSES: dict[str, Loss] = {
    loss.name: loss
    for loss in (
        Logistic(),
        Exponential(),
        Squared(),
        SquaredHinge(),
        Spherical(),
        CanonicalExponential(),
        CanonicalSquared(),
        CanonicalSpherical(),
    )
}
"""The losses by name."""


def get_loss(loss: str | Loss) -> Loss:
    """The loss of that name; a :class:`Loss` is passed through.

    Examples
    --------
    >>> get_loss("logistic")
    <logistic loss, λ = 4>
    """
    if isinstance(loss, Loss):
        return loss
    if not isinstance(loss, str) or loss not in LOSSES:
        guess = did_you_mean(loss, LOSSES)
        raise ValueError(f"loss must be a Loss or one of {', '.join(LOSSES)}. Got {loss!r}.{guess}")
    return LOSSES[loss]


PAIRINGS: dict[str, Pairing] = {
    pairing.name: pairing for pairing in (*(loss.pairing for loss in LOSSES.values()), HINGE) if pairing is not None
}
"""How each loss pairs that does, by name."""


def get_pairing(loss: str | Loss) -> Pairing:
    """How the loss pairs; refused where φ(s - t) is not summed for any two scores.

    Examples
    --------
    >>> get_pairing("logistic").form.way
    'sketch'
    """
    if isinstance(loss, str) and loss in PAIRINGS:
        return PAIRINGS[loss]
    loss = get_loss(loss)
    if (pairing := loss.pairing) is None:
        raise ValueError(
            f"a pair risk needs a margin loss φ(s - t) for any two scores: {', '.join(PAIRINGS)}. Got {loss.name}. "
            "Use one of these, or the pointwise reduction."
        )
    return pairing
