"""What the user acts on: the figure by which models are chosen."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordain._near import did_you_mean
from ordain._types import Vector
from ordain.measure import auc, ndcg, partial_auc, top

MOST_OFTEN = 20
"""How often a row that stands for others is repeated, on average and at most."""


@dataclass(frozen=True)
class Goal:
    """AUC, the precision among the first rows, the partial AUC, or NDCG at the top of each group; larger is better.

    Examples
    --------
    >>> print(Goal.parse("top:1%"), Goal.parse("pauc:0.05"), Goal.parse("ndcg:10"), sep=", ")
    precision in the first 1%, partial AUC up to a false-positive rate of 0.05, NDCG@10
    """

    kind: str  # auc, top, share, pauc, ndcg
    size: float = 1.0

    @classmethod
    def parse(cls, text: str) -> Goal:
        """`auc`, `top:K`, `top:P%`, `pauc:F` or `ndcg:K`."""
        if found := cls._understood(text):
            return found
        sizes, kinds = (text.rpartition(":")[2], "100", "1%", "0.05", "10"), ("top", "pauc", "ndcg")
        meant = filter(cls._understood, ("auc", *(f"{kind}:{size}" for size in sizes for kind in kinds)))
        raise ValueError(
            f"the goal must be auc, top:100, top:1%, pauc:0.05 or ndcg:10, numbers as you like. Got {text!r}."
            f"{did_you_mean(text, meant, most=1)}"
        )

    @classmethod
    def _understood(cls, text: str) -> Goal | None:
        """The goal of that name; None if there is none."""
        if text == "auc":
            return cls("auc")
        number = r"([0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?)"
        patterns = {"top": "top:([0-9]+)", "share": f"top:{number}%", "pauc": f"pauc:{number}", "ndcg": "ndcg:([0-9]+)"}
        for kind, pattern in patterns.items():
            if found := re.fullmatch(pattern, text):
                size = float(found[1]) / (100 if kind == "share" else 1)
                if size > 0 and (kind in ("top", "ndcg") or size <= 1):
                    return cls(kind, size)
        return None

    def check(self, rows: int, *, graded: bool, parted: bool, weighted: bool = False) -> None:
        """Refuse what has no single list of two classes, or asks for the top of a longer one; NDCG is for the others.

        `parted` rows are in groups or weighted; `weighted` ones are for certain.
        """
        if self.kind == "ndcg":
            return self._check_ndcg(graded or parted, weighted)
        if self.kind == "top" and self.size >= rows:
            raise ValueError(
                f"the goal top:{self.size:.0f} must be fewer than the rows. Got a table of {rows:,}. Use top:1%, say."
            )
        if self.kind != "auc" and (graded or parted):
            raise ValueError(
                f"{self} needs one unweighted list of two classes. Got grades, groups or weights. Use auc."
            )

    def _check_ndcg(self, takes: bool, weighted: bool) -> None:
        if weighted:
            raise ValueError(f"{self} needs rows that weigh the same. Got weights. Use auc.")
        if not takes:
            first = f"top:{self.size:.0f}"
            raise ValueError(f"{self} needs grades or groups. Got one list of two classes. Use {first}, its precision.")

    def of(self, labels: Vector, scores: Vector, rows: int, **units: Any) -> float:
        """The figure on some rows of a table of `rows`: the first K are as large a share of them as K of the table.

        NDCG@K is that of the first K of each group, or of these rows where they are one list.
        """
        if self.kind == "auc":
            return auc(labels, scores, **units)
        if self.kind == "pauc":
            return partial_auc(labels, scores, max_fpr=self.size)
        if self.kind == "ndcg":
            return self._ndcg(labels, scores, **units)
        share = self.size if self.kind == "share" else self.size / rows
        return precision(labels, scores, share, units.get("weights"))

    def _ndcg(self, labels: Vector, scores: Vector, *, weights: Any = None, groups: Any = None, **_: Any) -> float:
        """Of one list the rows may be drawn: then each is there as often as the rows it stands for."""
        if weights is not None:
            self._check_ndcg(True, weighted=groups is not None or labels.dtype == bool)
            rows = repeated(weights)
            labels, scores = labels[rows], scores[rows]
        return ndcg(labels, scores, int(self.size), groups=groups)

    def __str__(self) -> str:
        if self.kind == "auc":
            return "AUC"
        if self.kind == "pauc":
            return f"partial AUC up to a false-positive rate of {self.size:g}"
        if self.kind == "ndcg":
            return f"NDCG@{self.size:.0f}"
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


def repeated(weights: Vector) -> Vector:
    """Row numbers, each as often as the row weighs in units of the least; on average about MOST_OFTEN times at most.

    Examples
    --------
    >>> repeated(np.array([1.5, 1.5, 4.5]))
    array([0, 1, 2, 2, 2])
    """
    unit = max(weights.min(), weights.mean() / MOST_OFTEN)
    return np.repeat(np.arange(len(weights)), np.maximum(np.rint(weights / unit), 1).astype(int))
