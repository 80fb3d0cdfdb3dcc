"""What the user acts on: the figure by which models are chosen."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordain._near import did_you_mean
from ordain._types import Vector
from ordain.measure import auc, partial_auc, top


@dataclass(frozen=True)
class Goal:
    """AUC, the precision among the first rows, or the partial AUC; larger is better.

    Examples
    --------
    >>> print(Goal.parse("top:1%"), Goal.parse("pauc:0.05"), sep=", ")
    precision in the first 1%, partial AUC up to a false-positive rate of 0.05
    """

    kind: str  # auc, top, share, pauc
    size: float = 1.0

    @classmethod
    def parse(cls, text: str) -> Goal:
        """`auc`, `top:K`, `top:P%` or `pauc:F`."""
        if found := cls._understood(text):
            return found
        sizes = text.rpartition(":")[2], "100", "1%", "0.05"
        meant = filter(cls._understood, ("auc", *(f"{kind}:{size}" for size in sizes for kind in ("top", "pauc"))))
        raise ValueError(
            f"the goal must be auc, top:100, top:1% or pauc:0.05, numbers as you like. Got {text!r}."
            f"{did_you_mean(text, meant, most=1)}"
        )

    @classmethod
    def _understood(cls, text: str) -> Goal | None:
        """The goal of that name; None if there is none."""
        if text == "auc":
            return cls("auc")
        number = r"([0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?)"
        for kind, pattern in (("top", "top:([0-9]+)"), ("share", f"top:{number}%"), ("pauc", f"pauc:{number}")):
            if found := re.fullmatch(pattern, text):
                size = float(found[1]) / (100 if kind == "share" else 1)
                if size > 0 and (kind == "top" or size <= 1):
                    return cls(kind, size)
        return None

    def check(self, rows: int, *, graded: bool, parted: bool) -> None:
        """Refuse what has no single list of two classes, or asks for the top of a longer one."""
        if self.kind == "top" and self.size >= rows:
            raise ValueError(
                f"the goal top:{self.size:.0f} must be fewer than the rows. Got a table of {rows:,}. Use top:1%, say."
            )
        if self.kind != "auc" and (graded or parted):
            raise ValueError(
                f"{self} needs one unweighted list of two classes. Got grades, groups or weights. Use auc."
            )

    def of(self, labels: Vector, scores: Vector, rows: int, **units: Any) -> float:
        """The figure on some rows of a table of `rows`: the first K are as large a share of them as K of the table."""
        if self.kind == "auc":
            return auc(labels, scores, **units)
        if self.kind == "pauc":
            return partial_auc(labels, scores, max_fpr=self.size)
        share = self.size if self.kind == "share" else self.size / rows
        return precision(labels, scores, share, units.get("weights"))

    def __str__(self) -> str:
        if self.kind == "auc":
            return "AUC"
        if self.kind == "pauc":
            return f"partial AUC up to a false-positive rate of {self.size:g}"
        return f"precision in the first {f'{self.size:,.0f}' if self.kind == 'top' else f'{100 * self.size:g}%'}"


def precision(labels: Vector, scores: Vector, share: float, weights: Vector | None = None) -> float:
    """The share of positives in the first `share` of a list; of its weight, where rows stand for more than themselves.

    One row at least is taken; a tie across the end counts by its expected share.

    Examples
    --------
    >>> precision(np.array([True, False, False]), np.array([3.0, 2.0, 1.0]), 0.5, np.array([1.0, 1.0, 4.0]))
    0.3333333333333333
    """
    if weights is None:
        return top(labels, scores, min(max(1, math.ceil(share * len(labels) - 1e-9)), len(labels))).precision
    codes = np.unique(-scores, return_inverse=True)[1]
    held, hits = (np.cumsum(np.bincount(codes, of)) for of in (weights, weights * labels))
    room = min(max(1.0, share * held[-1]), held[-1])
    return float(np.interp(room, np.append(0.0, held), np.append(0.0, hits)) / room)
