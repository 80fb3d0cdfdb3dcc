"""What an excess loss allows the AUC to miss, and what it would need."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from ordain.bounds.records import PrevalenceBound, RegretBound, upward
from ordain.bounds.regret import AT_PREVALENCE, prevalence_bound, regret_bound
from ordain.commands.bound.answer import Answer, check_smaller, check_width


@dataclass(frozen=True)
class Excess(Answer):
    """What an excess loss would mean for the AUC, and what excess loss an AUC regret would need.

    The bound is Theorem 13 of [Agarwal14]_ with its sharp constant or, where it is proved, the smaller one with the
    weight of the loss at the share of positives; see :mod:`ordain.bounds.regret`.

    Examples
    --------
    >>> print(Excess("logistic", 0.2, regret=0.01, wanted=0.05))
    If the excess logistic loss were 0.01 and the share of positives 0.2, the AUC would be at most 0.205 below the best
    possible (the weight of the loss at this share is 6.25). Theorem 13 as printed says 0.442.
    An AUC at most 0.05 below the best possible would follow from an excess logistic loss of 0.0006.
    Excess is what exceeds the least possible mean loss, the Bayes risk. That is unknown, so it cannot be measured.
    """

    loss: str
    prevalence: float
    regret: float | None = None
    wanted: float | None = None

    def __post_init__(self) -> None:
        if self.regret is None and self.wanted is None:
            raise ValueError("an excess loss or a wanted AUC regret must be given. Got neither. Write --regret 0.01.")
        if self.wanted is not None:
            check_width(self.wanted, "wanted")
        check_smaller(self.prevalence)
        self.bound.needed(0.0)  # refuses a loss that is not known

    @property
    def bound(self) -> RegretBound | PrevalenceBound:
        """The smallest that is proved for the loss."""
        choice = prevalence_bound if self.loss in AT_PREVALENCE else regret_bound
        return choice(self.loss, loss_regret=self.regret or 0.0, prevalence=self.prevalence)

    @property
    def printed(self) -> RegretBound:
        """Theorem 13 as printed."""
        return regret_bound(self.loss, loss_regret=self.regret or 0.0, prevalence=self.prevalence, sharp=False)

    @property
    def needed(self) -> float | None:
        """The excess loss at which the bound is what is wanted."""
        return None if self.wanted is None else self.bound.needed(self.wanted)

    def sentences(self) -> list[str]:
        said = [] if self.regret is None else [self._claim()]
        if self.needed is not None:
            at_share = "" if said else f" if the share of positives is {self.prevalence:g}"
            said.append(
                f"An AUC at most {self.wanted:g} below the best possible would follow from an excess {self.loss} loss "
                f"of {_downward(self.needed)}{at_share}."
            )
        unknown = "That is unknown, so it cannot be measured."
        return [*said, f"Excess is what exceeds the least possible mean loss, the Bayes risk. {unknown}"]

    def _claim(self) -> str:
        bound = self.bound
        if bound.is_vacuous:
            claim = f"nothing would follow for the AUC, as the bound is {upward(bound.value)} and no AUC is above 1"
        else:
            claim = f"the AUC would be at most {upward(bound.value)} below the best possible"
        return (
            f"If {bound.premise}, {claim} ({bound.theorem}). Theorem 13 as printed says {upward(self.printed.value)}."
        )

    def as_json(self) -> dict[str, Any]:
        given = self.regret is not None
        bounds = {"auc_regret": self.bound.value, "vacuous": self.bound.is_vacuous, "theorem_13": self.printed.value}
        return asdict(self) | (bounds if given else dict.fromkeys(bounds)) | {"needed": self.needed}


def _downward(value: float) -> str:
    """Three digits, rounded down, so that what is asked for is enough."""
    if not 1e-300 < value < math.inf:
        return f"{value:g}"
    scale = 10.0 ** (2 - math.floor(math.log10(value)))
    return f"{math.floor(value * scale * (1 + 1e-12)) / scale:.10g}"
