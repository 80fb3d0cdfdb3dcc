"""What an excess loss allows the AUC to miss, and what it would need."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any

from ordain.bounds.records import PRINTED_BALANCED, Bound, upward
from ordain.bounds.regret import (
    AT_PREVALENCE,
    balanced_bound,
    low_noise_bound,
    pair_bound,
    prevalence_bound,
    regret_bound,
)
from ordain.commands.bound.answer import Answer, check_smaller, check_width
from ordain.names import REDUCTIONS


@dataclass(frozen=True)
class Excess(Answer):
    """What an excess loss would mean for the AUC, and what excess loss an AUC regret would need.

    The excess is that of the loss which the reduction minimises: over rows, over rows with classes of equal weight, or
    over pairs. Over rows the bound is Theorem 13 of [Agarwal14]_ with its sharp constant or, where it is proved, the
    smaller one with the weight of the loss at the share of positives, or with `noise` = (α, C) that of low noise, if it
    is smaller; see :mod:`ordain.bounds.regret`.

    Examples
    --------
    >>> print(Excess("logistic", 0.2, regret=0.01, wanted=0.05))
    If the excess logistic loss were 0.01 and the share of positives 0.2, the AUC would be at most 0.205 below the best
    possible (the weight of the loss at this share is 6.25). Theorem 13 as printed says 0.442.
    An AUC at most 0.05 below the best possible would follow from an excess logistic loss of 0.0006.
    Excess is what exceeds the least possible mean loss, the Bayes risk. That is unknown, so it cannot be measured.
    >>> print(Excess("logistic", regret=0.01, reduction="pairwise"))
    If the excess logistic loss over pairs were 0.01, the AUC would be at most 0.142 below the best possible (F_ℓ of
    Menon and Williamson).
    Excess is what exceeds the least possible mean loss, the Bayes risk. That is unknown, so it cannot be measured.
    """

    loss: str
    prevalence: float | None = None
    regret: float | None = None
    wanted: float | None = None
    reduction: str = "pointwise"
    noise: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if self.regret is None and self.wanted is None:
            raise ValueError("an excess loss or a wanted AUC regret must be given. Got neither. Write --regret 0.01.")
        if self.wanted is not None:
            check_width(self.wanted, "wanted")
        if self.reduction not in REDUCTIONS:
            raise ValueError(f"the reduction must be one of {', '.join(REDUCTIONS)}. Got {self.reduction!r}.")
        if self.reduction == "pointwise" and self.prevalence is None:
            raise ValueError("the share of positives must be given for the loss over rows. Got none. --prevalence 0.2.")
        if self.reduction != "pointwise" and (self.prevalence is not None or self.noise is not None):
            raise ValueError(
                f"share of positives and noise are for the loss over rows. Got --reduction {self.reduction}."
            )
        if self.prevalence is not None:
            check_smaller(self.prevalence)
        self.bound(0.0)  # refuses a loss that is not known

    def bound(self, regret: float) -> Bound:
        """The smallest that is proved for the loss and the reduction, at this excess loss."""
        if self.reduction == "balanced":
            return balanced_bound(self.loss, balanced_regret=regret)
        if self.reduction == "pairwise":
            return pair_bound(self.loss, pair_regret=regret)
        given: dict[str, Any] = {"loss_regret": regret, "prevalence": self.prevalence}
        choice = prevalence_bound if self.loss in AT_PREVALENCE else regret_bound
        plain: Bound = choice(self.loss, **given)
        if self.noise is None:
            return plain
        alpha, scale = self.noise
        return min(plain, low_noise_bound(self.loss, **given, alpha=alpha, scale=scale), key=lambda one: one.value)

    def printed(self, regret: float) -> Bound | None:
        """What the papers print for the same, if they do."""
        if self.reduction == "pointwise":
            return regret_bound(self.loss, loss_regret=regret, prevalence=self.prevalence or 0.0, sharp=False)
        if self.reduction == "balanced" and self.loss in PRINTED_BALANCED:
            return balanced_bound(self.loss, balanced_regret=regret, sharp=False)
        return None

    @property
    def needed(self) -> float | None:
        """The largest excess loss at which the bound is what is wanted."""
        if self.wanted is None:
            return None
        plain = replace(self, noise=None).bound(0.0).needed(self.wanted)
        if self.noise is None:
            return plain
        alpha, scale = self.noise
        given: dict[str, Any] = {"loss_regret": 0.0, "prevalence": self.prevalence, "alpha": alpha, "scale": scale}
        return max(plain, low_noise_bound(self.loss, **given).needed(self.wanted))

    def sentences(self) -> list[str]:
        said = [] if self.regret is None else [self._claim(self.regret)]
        if self.needed is not None:
            said.append(
                f"An AUC at most {self.wanted:g} below the best possible would follow from {self._excess} of "
                f"{_downward(self.needed)}{'' if said else self._given}."
            )
        unknown = "That is unknown, so it cannot be measured."
        return [*said, f"Excess is what exceeds the least possible mean loss, the Bayes risk. {unknown}"]

    @property
    def _excess(self) -> str:
        words = {"pointwise": f"{self.loss} loss", "balanced": f"balanced {self.loss} loss"}
        return f"an excess {words.get(self.reduction, f'{self.loss} loss over pairs')}"

    @property
    def _given(self) -> str:
        noise = "" if self.noise is None else " and there is as little noise as was said"
        return "" if self.prevalence is None else f" if the share of positives is {self.prevalence:g}{noise}"

    def _claim(self, regret: float) -> str:
        bound, printed = self.bound(regret), self.printed(regret)
        if bound.is_vacuous:
            claim = f"nothing would follow for the AUC: the bound is {upward(bound.value)}, and {bound.NOTHING}"
        else:
            claim = f"the AUC would be at most {upward(bound.value)} below the best possible"
        said = f"If {bound.premise}, {claim} ({bound.theorem})."
        if printed is None:
            return said
        name = "Theorem 13" if self.reduction == "pointwise" else "The bound of Kotłowski et al."
        return f"{said} {name} as printed says {upward(printed.value)}."

    def as_json(self) -> dict[str, Any]:
        figures: dict[str, Any] = dict.fromkeys(("auc_regret", "vacuous", "theorem", "printed"))
        if self.regret is not None:
            bound, printed = self.bound(self.regret), self.printed(self.regret)
            found = bound.value, bound.is_vacuous, bound.theorem, printed and printed.value
            figures = dict(zip(figures, found, strict=True))
        return asdict(self) | figures | {"needed": self.needed}


def _downward(value: float) -> str:
    """Three digits, rounded down, so that what is asked for is enough."""
    if not 1e-300 < value < math.inf:
        return f"{value:g}"
    scale = 10.0 ** (2 - math.floor(math.log10(value)))
    return f"{math.floor(value * scale * (1 + 1e-12)) / scale:.10g}"
