"""What sorting by a judge costs and loses, on average."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from scipy.special import digamma

from ordain.bounds.records import upward
from ordain.commands.bound.answer import Answer, check_most, count


@dataclass(frozen=True)
class Sorting(Answer):
    """What QuickSort makes of a judge who has a share L of the mixed pairs wrong [AilonMohri10]_.

    For two classes the expected loss is L, and its variance at most L(1 - L) because it lies in [0, 1]. Calls are at
    most q(n) = 2(n + 1)H_n - 4n on average, for the best item 2n - 2H_n, for the first k
    2(n - 1) + 4√((k - 1)(n - k)) + q(k - 1) (`docs/proofs_sorting.md`). All of it is for answers that do not depend on
    what else is asked, and so not on the pivots.

    Examples
    --------
    >>> print(Sorting(0.1, items=1000, top=10))
    If the judge puts 0.1 of the pairs of a good and a bad item in the wrong order, so does QuickSort on average: an
    expected AUC of 0.9. With more than two grades its loss is at most twice that of the judge, 0.2.
    This is a mean over the choices of pivots, not a promise about one run: the standard deviation is at most 0.3,
    and can come near it. An audit bounds the run at hand.
    Sorting 1,000 items takes at most 10,986 comparisons on average, whatever the judge; all pairs are 499,500.
    For the first 10 alone it is at most 2,397.
    That is for a judge who answers each pair as if it were asked alone. One who sees what else is asked can make a sort
    ask all pairs.
    """

    loss: float
    items: int | None = None
    top: int | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.loss <= 1:
            raise ValueError(f"loss must lie from 0 to 1. Got {self.loss}. It is the share of pairs judged wrongly.")
        if self.items is not None:
            check_most(items=self.items)
        if self.top is not None and not 1 <= self.top <= (self.items or 0):
            raise ValueError(f"top must be from 1 to the number of items. Got {self.top} of {self.items or 'none'}.")

    @property
    def deviation(self) -> float:
        """√(L(1 - L))."""
        return math.sqrt(self.loss * (1 - self.loss))

    @property
    def calls(self) -> float | None:
        """2(n + 1)H_n - 4n."""
        return None if self.items is None else _sort_calls(self.items)

    @property
    def top_calls(self) -> float | None:
        """The same for the first k."""
        if self.items is None or self.top is None:
            return None
        if self.top == 1:
            return 2 * self.items - 2 * _harmonic(self.items)
        return min(_sort_calls(self.items), _path_calls(self.items, self.top) + _sort_calls(self.top - 1))

    def sentences(self) -> list[str]:
        said = [
            f"If the judge puts {self.loss:g} of the pairs of a good and a bad item in the wrong order, so does "
            f"QuickSort on average: an expected AUC of {1 - self.loss:g}. With more than two grades its loss is at "
            f"most twice that of the judge, {min(1, 2 * self.loss):g}.",
            "This is a mean over the choices of pivots, not a promise about one run: the standard deviation is at most "
            f"{upward(self.deviation)}, and can come near it. An audit bounds the run at hand.",
        ]
        if self.items is not None and self.calls is not None:
            pairs = self.items * (self.items - 1) // 2
            said.append(
                f"Sorting {count(self.items, 'item')} takes at most {count(_whole(self.calls), 'comparison')} on "
                f"average, whatever the judge; all pairs are {pairs:,}."
            )
        if self.top_calls is not None:
            said.append(f"For the first {self.top:,} alone it is at most {_whole(self.top_calls):,}.")
        alone = "That is for a judge who answers each pair as if it were asked alone."
        return [*said, f"{alone} One who sees what else is asked can make a sort ask all pairs."]

    def as_json(self) -> dict[str, Any]:
        figures = {"expected_auc": 1 - self.loss, "deviation": self.deviation}
        return asdict(self) | figures | {"calls": self.calls, "top_calls": self.top_calls}


def _whole(calls: float) -> int:
    """The next whole number, unless it is one but for rounding."""
    return math.ceil(calls - 1e-9)


def _harmonic(n: int) -> float:
    """H_n = 1 + ½ + … + 1/n."""
    return float(digamma(n + 1) - digamma(1))


def _sort_calls(n: int) -> float:
    """2(n + 1)H_n - 4n, and 0 for no more than one item."""
    return 2 * (n + 1) * _harmonic(n) - 4 * n if n > 1 else 0.0


def _path_calls(n: int, k: int) -> float:
    """2(n - 1) + 4√((k - 1)(n - k)): what the blocks that hold place k cost."""
    return 2 * (n - 1) + 4 * math.sqrt((k - 1) * (n - k))
