"""What an audit says of one run of a sort, whose guarantee is a mean over runs: its loss from that of the judge.

Let D be the share of all pairs that this order puts otherwise than the judge: 1 - h where it puts first what the judge
prefers with h. Of the items a share p is good. Then for this order, whatever made it,

    loss(order) ≤ loss(judge) + D / 2p(1-p),

losses being shares of the pairs of a good and a bad item that are put in the wrong order (`docs/proofs_sorting.md`, 9).
Pairs drawn by lot, independently of the order, bound D from above with probability 1 - δ.
"""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from ordain._checks import check_share
from ordain._types import Pairs, Vector
from ordain.audit.agreement import Agreement, agreement
from ordain.bounds.bounded_mean import mean_limits
from ordain.bounds.records import upward


@dataclass(frozen=True)
class RunBound:
    """How much worse than the judge this order can be, with probability `level` over the draw of the audit's pairs."""

    agreement: Agreement
    prevalence: float

    @property
    def level(self) -> float:
        """1 - δ, one-sided."""
        return self.agreement.level

    @property
    def disagreement(self) -> float:
        """D at most, by the one-sided limit of Bentkus, which holds for fractional answers too."""
        low, _ = mean_limits(self.agreement.value, self.agreement.of, 2 * self.level - 1)
        return 1 - float(low)

    @property
    def excess(self) -> float:
        """D / 2p(1-p)."""
        return self.disagreement / (2 * self.prevalence * (1 - self.prevalence))

    def __str__(self) -> str:
        said = (
            f"This order puts at most {upward(self.disagreement)} of all pairs otherwise than the judge, at "
            f"{self.level * 100:g}% over the draw of {self.agreement.of:,} audit pairs. If {self.prevalence:g} of the "
            "items are good, "
        )
        if self.excess >= 1:
            return f"{said}that says nothing of its loss: the bound is {upward(self.excess)}. Ask more pairs."
        more = f"at most {upward(self.excess)} more of the pairs of a good and a bad item wrong than the judge"
        return f"{said}it has {more}."


def certificate(order: Vector, pairs: Pairs, answers: ArrayLike, *, prevalence: float, level: float = 0.95) -> RunBound:
    """How much worse than the judge this one order can be, from pairs that were kept back from it.

    Parameters
    ----------
    order : array of item numbers
        Best first.
    pairs, answers
        Pairs drawn by lot, as of :func:`~ordain.audit.held_back`, and what the judge says of them.
    prevalence : float
        The share of good items. The bound is smallest at one half.
    level : float
        How often the draw of the pairs may not mislead, above one half.

    Examples
    --------
    >>> import numpy as np
    >>> from ordain.audit import held_back
    >>> pairs = held_back(100, 300, np.random.default_rng(0))
    >>> print(certificate(np.arange(100), pairs, pairs[:, 0] < pairs[:, 1], prevalence=0.5))
    This order puts at most 0.00994 of all pairs otherwise than the judge, at 95% over the draw of 300 audit pairs. If
    0.5 of the items are good, it has at most 0.0199 more of the pairs of a good and a bad item wrong than the judge.
    """
    prevalence = check_share(prevalence, "prevalence")
    if not 0.5 < level < 1:
        raise ValueError(f"level must lie between one half and 1. Got {level}. For 95 % write 0.95.")
    return RunBound(agreement(order, pairs, answers, level=level), prevalence)
