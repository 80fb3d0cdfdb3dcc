"""Bounds on the ranking regret as frozen records: a theorem's inputs, its number as a property of them, one sentence.

Ranking regret is the AUC of the best scorer minus that of the scorer in hand. Loss regret is the mean loss of the
scorer minus that of the best one, the Bayes risk. The Bayes risk is unknown outside of simulations, so every sentence
says *if*.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

from ordain.bounds.calibration import calibration, inverse_calibration
from ordain.losses import Loss


def upward(value: float) -> str:
    """Three digits, rounded up, so that rounding never makes a bound stronger."""
    if not 0 < value < math.inf:
        return f"{value:g}"
    scale = 10.0 ** (2 - math.floor(math.log10(value)))
    return f"{math.ceil(value * scale * (1 - 1e-12)) / scale:.10g}"


@dataclass(frozen=True)
class Bound(ABC):
    """A number that the ranking regret does not exceed. A coin's is at most ½, so that a larger one says nothing."""

    unknown = "the Bayes risk is unknown"
    NOTHING = "that of a coin is at most 0.5"

    @property
    @abstractmethod
    def value(self) -> float:
        """The bound."""

    @property
    def is_vacuous(self) -> bool:
        """Whether it says no more than is known of a coin, whose AUC of ½ is at most ½ below the best possible."""
        return self.value >= 0.5

    @abstractmethod
    def needed(self, ranking_regret: float) -> float:
        """What is supposed to be small, where the bound would be this ranking regret."""

    @property
    @abstractmethod
    def premise(self) -> str:
        """What is supposed, as the sentence tells it."""

    @property
    @abstractmethod
    def theorem(self) -> str:
        """What it rests on."""

    def __str__(self) -> str:
        number = upward(self.value)
        if self.is_vacuous:
            claim = f"nothing would follow for the ranking: the bound is {number}, and {self.NOTHING}"
        else:
            claim = f"the ranking regret would be at most {number}"
        return f"If {self.premise}, {claim} ({self.theorem}); {self.unknown}."


@dataclass(frozen=True)
class PowerBound(Bound):
    """Ranking regret ≤ constant · (loss regret)^exponent."""

    loss: str
    loss_regret: float

    @property
    @abstractmethod
    def constant(self) -> float:
        """The factor."""

    @property
    def exponent(self) -> float:
        """The power, one half unless said otherwise."""
        return 0.5

    @property
    def value(self) -> float:
        return self.constant * self.loss_regret**self.exponent

    def needed(self, ranking_regret: float) -> float:
        """The loss regret at which the bound would be this ranking regret."""
        return (ranking_regret / self.constant) ** (1 / self.exponent)


@dataclass(frozen=True)
class ShareBound(PowerBound):
    """A bound that depends on the share of positives p."""

    prevalence: float

    @property
    def premise(self) -> str:
        return f"the excess {self.loss} loss were {self.loss_regret:g} and the share of positives {self.prevalence:g}"


@dataclass(frozen=True)
class RegretBound(ShareBound):
    """Ranking regret ≤ √(2 · loss regret / 3λ) / (p (1 - p)); without the 3 it is Theorem 13 of [Agarwal14]_.

    Examples
    --------
    >>> print(RegretBound("logistic", 0.01, prevalence=0.2, strength=4.0))
    If the excess logistic loss were 0.01 and the share of positives 0.2, the ranking regret would be at most 0.256
    (Theorem 13 with its sharp constant, λ = 4); the Bayes risk is unknown.
    """

    strength: float
    sharp: bool = True

    @property
    def constant(self) -> float:
        spread = self.prevalence * (1 - self.prevalence)
        return math.sqrt(2 / self.strength / (3 if self.sharp else 1)) / spread

    @property
    def theorem(self) -> str:
        return f"Theorem 13 {'with its sharp constant' if self.sharp else 'as printed'}, λ = {self.strength:.6g}"


@dataclass(frozen=True)
class PrevalenceBound(ShareBound):
    """Ranking regret ≤ √(2 · loss regret / 3w) / (p (1 - p)), w = -H''(p): the weight at the prevalence, not the least.

    Examples
    --------
    >>> print(PrevalenceBound("logistic", 0.001, prevalence=0.01, weight=1 / 0.0099))
    If the excess logistic loss were 0.001 and the share of positives 0.01, the ranking regret would be at most 0.26
    (the weight of the loss at this share is 101.01); the Bayes risk is unknown.
    """

    weight: float

    @property
    def constant(self) -> float:
        return math.sqrt(2 / (3 * self.weight)) / (self.prevalence * (1 - self.prevalence))

    @property
    def theorem(self) -> str:
        return f"the weight of the loss at this share is {self.weight:.6g}"


@dataclass(frozen=True)
class BalancedBound(PowerBound):
    """Ranking regret ≤ √(32/3λ) · √(balanced loss regret), at every prevalence.

    `sharp=False` is 2 √r for the logistic and 3/√2 · √r for the exponential loss, as Kotłowski, Dembczyński and
    Hüllermeier have it.

    Examples
    --------
    >>> print(BalancedBound("logistic", 0.01, strength=4.0))
    If the excess balanced logistic loss were 0.01, the ranking regret would be at most 0.164 (Theorem 13 with its sharp
    constant for equally frequent classes, λ = 4); the Bayes risk is unknown.
    """

    strength: float
    sharp: bool = True

    @property
    def constant(self) -> float:
        if self.sharp:
            return math.sqrt(32 / (3 * self.strength))
        return PRINTED_BALANCED[self.loss]

    @property
    def premise(self) -> str:
        return f"the excess balanced {self.loss} loss were {self.loss_regret:g}"

    @property
    def theorem(self) -> str:
        if self.sharp:
            return f"Theorem 13 with its sharp constant for equally frequent classes, λ = {self.strength:.6g}"
        return "Kotłowski et al."


PRINTED_BALANCED = {"logistic": 2.0, "exponential": 3 / math.sqrt(2)}


@dataclass(frozen=True)
class LowNoiseBound(ShareBound):
    """Ranking regret ≤ C 2^(1+α) / (p (1 - p)) · (2 · loss regret / λ)^((1+α)/2), if P(|η(X) - η(x)| ≤ t) ≤ C t^α.

    `sharp=False` has the exponent (1+α)/(2+α) of Theorem 15 in [Agarwal14]_.

    Examples
    --------
    >>> print(LowNoiseBound("squared", 1e-4, prevalence=0.5, strength=8.0, alpha=1.0, scale=2.0))
    If the excess squared loss were 0.0001 and the share of positives 0.5, and P(|η(X) - η(x)| ≤ t) at most 2 t^1 for
    all x and t, the ranking regret would be at most 0.0008 (low noise, λ = 8); the Bayes risk is unknown.
    """

    strength: float
    alpha: float
    scale: float
    sharp: bool = True

    @property
    def constant(self) -> float:
        spread = self.prevalence * (1 - self.prevalence)
        return self.scale * 2 ** (1 + self.alpha) / spread * (2 / self.strength) ** self.exponent

    @property
    def exponent(self) -> float:
        return (1 + self.alpha) / (2 if self.sharp else 2 + self.alpha)

    @property
    def premise(self) -> str:
        noise = f"P(|η(X) - η(x)| ≤ t) at most {self.scale:g} t^{self.alpha:g} for all x and t"
        return f"{super().premise}, and {noise}"

    @property
    def theorem(self) -> str:
        return f"{'low noise' if self.sharp else 'the exponent of Theorem 15'}, λ = {self.strength:.6g}"


@dataclass(frozen=True)
class PlugInBound(Bound):
    """Ranking regret ≤ (1+r)^(-1/r) · ‖η̂ - η‖_q / (p (1 - p)), 1/q + 1/r = 1; q = 1 is Corollary 12 of [Agarwal14]_.

    Examples
    --------
    >>> print(PlugInBound(0.02, prevalence=0.3))
    If E|η̂ - η| were 0.02 and the share of positives 0.3, the ranking regret would be at most 0.0953 (Corollary 12);
    η is unknown.
    """

    error: float
    prevalence: float
    power: float = 1.0
    unknown = "η is unknown"

    @property
    def constant(self) -> float:
        """The factor of the error."""
        return dual_norm(self.power) / (self.prevalence * (1 - self.prevalence))

    @property
    def value(self) -> float:
        return self.constant * self.error

    def needed(self, ranking_regret: float) -> float:
        """The error at which the bound would be this ranking regret."""
        return ranking_regret / self.constant

    @property
    def premise(self) -> str:
        q = f"{self.power:g}"
        error = "E|η̂ - η|" if self.power == 1 else f"(E|η̂ - η|^{q})^(1/{q})"
        return f"{error} were {self.error:g} and the share of positives {self.prevalence:g}"

    @property
    def theorem(self) -> str:
        return "Corollary 12" if self.power == 1 else "Corollary 12 for another norm"


@dataclass(frozen=True)
class PairBound(Bound):
    """Ranking regret ≤ F_ℓ⁻¹(pair regret), F_ℓ as in :func:`~ordain.bounds.calibration.calibration`.

    Examples
    --------
    >>> from ordain.losses import LOSSES
    >>> print(PairBound(LOSSES["exponential"], 0.02))
    If the excess exponential loss over pairs were 0.02, the ranking regret would be at most 0.199 (F_ℓ of Menon and
    Williamson); the Bayes risk is unknown.
    """

    loss: Loss
    pair_regret: float

    @property
    def value(self) -> float:
        return inverse_calibration(self.loss, self.pair_regret)

    def needed(self, ranking_regret: float) -> float:
        """The pair regret at which the bound would be this ranking regret."""
        return float(calibration(self.loss, ranking_regret))

    @property
    def premise(self) -> str:
        return f"the excess {self.loss.name} loss over pairs were {self.pair_regret:g}"

    @property
    def theorem(self) -> str:
        return "F_ℓ of Menon and Williamson"


def dual_norm(power: float) -> float:
    """(1+r)^(-1/r), 1/q + 1/r = 1: the r-norm of a uniform variable on [-1, 1]; 1 at q = 1 and ½ at q = ∞."""
    if power == 1:
        return 1.0
    r = 1.0 if math.isinf(power) else power / (power - 1)
    return (1 + r) ** (-1 / r)
