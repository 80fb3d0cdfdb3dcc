"""What every answer is, and the numbers that can be asked about."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from ordain.bounds.shatter import check_counts

MOST_DIMENSIONS = 1000  # patterns are counted in whole numbers of thousands of digits
LEAST_WIDTH = 1e-5  # ten thousand million rows
LARGEST_COUNT = 10**12  # rows or items; n H_n has digits left behind the point


class Answer(ABC):
    """Sentences for people, figures for programs."""

    @abstractmethod
    def sentences(self) -> list[str]:
        """The answer, the main thing first."""

    @abstractmethod
    def as_json(self) -> dict[str, Any]:
        """What was asked, and every figure."""

    def __str__(self) -> str:
        return "\n".join(self.sentences())


def split(positives: int, negatives: int) -> str:
    return f"{count(positives, 'positive')} and {count(negatives, 'negative')}"


def count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def check_most(**counts: int) -> None:
    """Whole numbers from 1 on that a double can reckon with."""
    check_counts(**counts)
    for name, count in counts.items():
        if count > LARGEST_COUNT:
            raise ValueError(f"{name} must be at most {LARGEST_COUNT:,}. Got {count:,}.")


def check_width(value: float, name: str) -> None:
    """A difference of AUCs that rows can show."""
    if not LEAST_WIDTH <= value < 1:
        raise ValueError(f"{name} must be from {LEAST_WIDTH:g} to below 1. Got {value}. For 2 % write 0.02.")


def check_smaller(share: float) -> None:
    """A share of positives that leaves both classes some rows."""
    if not min(share, 1 - share) >= 1 / LARGEST_COUNT:
        raise ValueError(
            f"the share of positives must lie between 0 and 1, {1 / LARGEST_COUNT:g} or more from either. Got {share}. "
            "For 2 % write 0.02."
        )


def check_optional(auc: float | None, dimensions: int | None, models: int | None = None) -> None:
    """An AUC from 0 to 1, and numbers of features and of models that can be counted with."""
    if auc is not None and not 0 <= auc <= 1:
        raise ValueError(f"auc must lie from 0 to 1. Got {auc}. For 80 % write 0.8.")
    if dimensions is not None:
        check_counts(dimensions=dimensions)
    if dimensions is not None and dimensions > MOST_DIMENSIONS:
        raise ValueError(
            f"dimensions must be at most {MOST_DIMENSIONS:,}. Got {dimensions:,}. Such a bound is vacuous unless there "
            "are millions of rows."
        )
    if models is not None:
        check_most(models=models)
